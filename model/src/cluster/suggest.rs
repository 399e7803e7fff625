//! What a person probably meant.

/// Words that people bring from other tools, and ours for them.
const OTHER_WORDS: &[(&str, &str)] = &[
    ("controlplane", "master"),
    ("control-plane", "master"),
    ("node", "worker"),
    ("lb", "loadbalancer"),
    ("x86_64", "amd64"),
    ("x64", "amd64"),
    ("aarch64", "arm64"),
    ("crio", "cri-o"),
    ("dockerregistry", "registry"),
    ("keepalived", "kubexm-kh"),
    ("hostname", "name"),
    ("ip", "address"),
    ("username", "user"),
    ("keyfile", "privateKeyPath"),
    ("cni", "plugin"),
];

/// The candidate that is nearest to a word, if one is near enough.
pub(super) fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let plain = |text: &str| text.to_lowercase().replace(['_', '-'], "");
    let wanted = plain(word);
    let other = OTHER_WORDS.iter().find(|(theirs, _)| plain(theirs) == wanted).map(|(_, ours)| *ours);
    let distance = |candidate: &str| {
        if Some(candidate) == other { 0 } else { strsim::damerau_levenshtein(&wanted, &plain(candidate)) }
    };
    // One slip in a short word, two in a longer one; more is another word.
    let near = match wanted.chars().count() {
        0..=5 => 1,
        6..=11 => 2,
        _ => 3,
    };
    candidates.into_iter().map(|c| (distance(c), c)).filter(|(d, _)| *d <= near).min_by_key(|(d, _)| *d).map(|(_, c)| c)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_of_the_hand_is_recognised_and_a_stranger_is_not() {
        let fields = ["address", "port", "privateKeyPath", "roles"];
        assert_eq!(nearest("adress", fields), Some("address"));
        assert_eq!(nearest("private_key_path", fields), Some("privateKeyPath"));
        assert_eq!(nearest("colour", fields), None);
        assert_eq!(nearest("ControlPlane", ["master", "worker"]), Some("master"));
    }
}
