//! Digests as upstream projects publish them.

use kubexm_model::digest::Digest;
use kubexm_model::version::Version;

/// The digest of a file in a checksum file: the digest alone, or lines of `sha256sum` of which one has the file's name.
pub(super) fn in_sums(text: &str, file: &str) -> Option<Digest> {
    let lines: Vec<Vec<&str>> =
        text.lines().map(|line| line.split_whitespace().collect()).filter(|words: &Vec<_>| !words.is_empty()).collect();
    let digest = |word: &str| Digest::from_hex(&word.to_ascii_lowercase()).ok();
    if let [only] = lines.as_slice()
        && let [word] = only.as_slice()
    {
        return digest(word);
    }
    let is_file = |name: &str| name.trim_start_matches('*').rsplit('/').next() == Some(file);
    lines.iter().find_map(|words| match words.as_slice() {
        // sha256sum: the digest, then the name.
        [hex, name] if is_file(name) => digest(hex),
        // BSD: SHA256 (name) = digest
        ["SHA256", name, "=", hex] if is_file(name.trim_matches(['(', ')'])) => digest(hex),
        _ => None,
    })
}

/// The digest of a chart in a Helm repository's index.
pub(super) fn in_index(text: &[u8], chart: &str, version: &str) -> Option<Digest> {
    let index: serde_yaml::Value = serde_yaml::from_slice(text).ok()?;
    let wanted: Version = version.parse().ok()?;
    let entries = index.get("entries")?.get(chart)?.as_sequence()?;
    let is_wanted = |entry: &&serde_yaml::Value| {
        entry.get("version").and_then(serde_yaml::Value::as_str).and_then(|text| text.parse().ok())
            == Some(wanted.clone())
    };
    let hex = entries.iter().find(is_wanted)?.get("digest")?.as_str()?;
    Digest::from_hex(hex.trim_start_matches("sha256:")).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digests_are_found_in_every_form_of_checksum_file() {
        let (a, b) = (Digest::of(b"a"), Digest::of(b"b"));
        let (ha, hb) = (a.hex(), b.hex());
        assert_eq!(in_sums(&format!("{ha}\n"), "x"), Some(a));
        assert_eq!(in_sums(&ha.to_uppercase(), "x"), Some(a));
        assert_eq!(in_sums(&format!("{ha}  x.tar.gz\n{hb}  y.tar.gz\n"), "y.tar.gz"), Some(b));
        assert_eq!(in_sums(&format!("{ha} *dist/x\n"), "x"), Some(a));
        assert_eq!(in_sums(&format!("SHA256 (x) = {ha}\nSHA256 (y) = {hb}\n"), "y"), Some(b));
        assert_eq!(in_sums(&format!("{ha}  other\n"), "x"), None);
        assert_eq!(in_sums("<html>not found</html>", "x"), None);
        assert_eq!(in_sums("", "x"), None);
    }

    #[test]
    fn a_chart_is_found_with_or_without_a_v() {
        let digest = Digest::of(b"c");
        let text = format!(
            "entries:\n  rook:\n  - version: v1.2.3\n    digest: {}\n  - version: 1.2.4\n    digest: bad\n",
            digest.hex()
        );
        assert_eq!(in_index(text.as_bytes(), "rook", "1.2.3"), Some(digest));
        assert_eq!(in_index(text.as_bytes(), "rook", "1.2.4"), None);
        assert_eq!(in_index(text.as_bytes(), "other", "1.2.3"), None);
    }
}
