//! Numbers as people read them.

/// Sizes as floating point numbers, for areas and shares.
#[expect(clippy::cast_precision_loss, reason = "nobody sees the difference below a quadrillionth")]
pub(super) fn real(bytes: u64) -> f64 {
    bytes as f64
}

/// The sum of sizes; absurd ones end at the largest number there is.
pub(super) fn sum(sizes: impl IntoIterator<Item = u64>) -> u64 {
    sizes.into_iter().fold(0, u64::saturating_add)
}

/// As `4.2 MiB`.
pub(super) fn size(bytes: u64) -> String {
    const UNITS: [&str; 5] = ["KiB", "MiB", "GiB", "TiB", "PiB"];
    if bytes < 1024 {
        return format!("{bytes} B");
    }
    let mut value = real(bytes) / 1024.0;
    let mut unit = 0;
    // 1023.95 would be written as 1024.0.
    while value >= 1023.95 && unit + 1 < UNITS.len() {
        value /= 1024.0;
        unit += 1;
    }
    format!("{value:.1} {}", UNITS[unit])
}

/// The difference between two sizes with its sign, as `+4.2 MiB`.
pub(super) fn difference(from: u64, to: u64) -> String {
    match to.abs_diff(from) {
        0 => "0 B".to_owned(),
        bytes if to > from => format!("+{}", size(bytes)),
        bytes => format!("−{}", size(bytes)),
    }
}

/// A part of a whole in percent; 0 of nothing.
pub(super) fn percent(part: u64, whole: u64) -> f64 {
    if whole == 0 { 0.0 } else { real(part) * 100.0 / real(whole) }
}

/// As `4.2 %`; what is there but small does not become nothing.
pub(super) fn share(part: u64, whole: u64) -> String {
    match percent(part, whole) {
        percent if percent > 0.0 && percent < 0.05 => "< 0.1 %".to_owned(),
        percent => format!("{percent:.1} %"),
    }
}

/// As `1 entry` or `3 entries`.
pub(super) fn count(number: usize, one: &str, many: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { many })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_one_digit_and_the_right_unit() {
        for (bytes, text) in [
            (0, "0 B"),
            (1023, "1023 B"),
            (1024, "1.0 KiB"),
            (1_048_524, "1023.9 KiB"),
            (1_048_550, "1.0 MiB"),
            (3_400_000_000, "3.2 GiB"),
            (u64::MAX, "16384.0 PiB"),
        ] {
            assert_eq!(size(bytes), text);
        }
        assert_eq!(difference(10, 10), "0 B");
        assert_eq!(difference(10, 2058), "+2.0 KiB");
        assert_eq!(difference(2058, 10), "−2.0 KiB");
    }

    #[test]
    fn shares_of_nothing_and_of_little() {
        assert_eq!(share(0, 0), "0.0 %");
        assert_eq!(share(0, 10), "0.0 %");
        assert_eq!(share(1, 1_000_000), "< 0.1 %");
        assert_eq!(share(1, 3), "33.3 %");
        assert_eq!(count(1, "entry", "entries"), "1 entry");
        assert_eq!(count(0, "entry", "entries"), "0 entries");
    }
}
