//! The order of Debian versions: `[epoch:]upstream[-revision]`.
//!
//! The crate `debversion` is not used: it holds `1.a` and `1.a0` for different, which dpkg does not, and it allocates for
//! every version that it reads.

use std::cmp::Ordering;

/// Compares two versions as `dpkg --compare-versions` does.
pub fn compare(a: &str, b: &str) -> Ordering {
    let (a, b) = (Parts::of(a), Parts::of(b));
    number(a.epoch, b.epoch).then_with(|| part(a.upstream, b.upstream)).then_with(|| part(a.revision, b.revision))
}

struct Parts<'a> {
    epoch: &'a [u8],
    upstream: &'a [u8],
    revision: &'a [u8],
}

impl<'a> Parts<'a> {
    fn of(version: &'a str) -> Self {
        let (epoch, rest) = version.split_once(':').unwrap_or(("", version));
        let (upstream, revision) = rest.rsplit_once('-').unwrap_or((rest, ""));
        Self { epoch: epoch.as_bytes(), upstream: upstream.as_bytes(), revision: revision.as_bytes() }
    }
}

/// Alternates between text and numbers, as long as both sides are equal.
fn part(mut a: &[u8], mut b: &[u8]) -> Ordering {
    while !a.is_empty() || !b.is_empty() {
        let (text_a, rest_a) = split(a, |byte| !byte.is_ascii_digit());
        let (text_b, rest_b) = split(b, |byte| !byte.is_ascii_digit());
        let (number_a, after_a) = split(rest_a, u8::is_ascii_digit);
        let (number_b, after_b) = split(rest_b, u8::is_ascii_digit);
        let order = text(text_a, text_b).then_with(|| number(number_a, number_b));
        if order != Ordering::Equal {
            return order;
        }
        (a, b) = (after_a, after_b);
    }
    Ordering::Equal
}

fn split(bytes: &[u8], belongs: impl Fn(&u8) -> bool) -> (&[u8], &[u8]) {
    bytes.split_at(bytes.iter().position(|byte| !belongs(byte)).unwrap_or(bytes.len()))
}

/// A tilde comes before the end, the end before letters, letters before everything else.
fn text(a: &[u8], b: &[u8]) -> Ordering {
    let weight = |byte: Option<&u8>| match byte {
        Some(b'~') => -1,
        None => 0,
        Some(byte) if byte.is_ascii_alphabetic() => i32::from(*byte),
        Some(byte) => i32::from(*byte) + 256,
    };
    (0..a.len().max(b.len()))
        .map(|at| weight(a.get(at)).cmp(&weight(b.get(at))))
        .find(|o| o.is_ne())
        .unwrap_or(Ordering::Equal)
}

/// Digits of any length as a number; no digits are zero.
fn number(a: &[u8], b: &[u8]) -> Ordering {
    let (_, a) = split(a, |byte| *byte == b'0');
    let (_, b) = split(b, |byte| *byte == b'0');
    a.len().cmp(&b.len()).then_with(|| a.cmp(b))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_order_is_that_of_the_policy_manual() {
        let ascending = ["1.0~~", "1.0~~a", "1.0~", "1.0", "1.0-1", "1.0a", "1.0+b", "1.0.1", "1.10", "1:0.1", "10:0"];
        for (at, lower) in ascending.iter().enumerate() {
            for higher in &ascending[at + 1..] {
                assert_eq!(compare(lower, higher), Ordering::Less, "{lower} < {higher}");
                assert_eq!(compare(higher, lower), Ordering::Greater, "{higher} > {lower}");
            }
        }
    }

    #[test]
    fn different_spellings_of_one_version_are_equal() {
        for (a, b) in [("1.0", "0:1.0"), ("1.0", "1.0-0"), ("1.a", "1.a0"), ("1.01", "1.1"), ("1.0-", "1.0")] {
            assert_eq!(compare(a, b), Ordering::Equal, "{a} = {b}");
        }
    }
}
