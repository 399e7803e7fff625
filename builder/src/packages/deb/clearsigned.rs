//! A text with its signature below it, as `InRelease` is.
//!
//! What is read later is exactly what is checked here: nothing may stand before, between or after.

const BEGIN: &str = "-----BEGIN PGP SIGNED MESSAGE-----";
const SIGNATURE: &str = "-----BEGIN PGP SIGNATURE-----";
const END: &str = "-----END PGP SIGNATURE-----";

/// The parts of a signed text.
#[derive(Debug, PartialEq, Eq)]
pub struct ClearSigned {
    /// The lines, without what the framework added; they end with line feeds.
    pub text: String,
    /// The armored signature.
    pub signature: String,
}

impl ClearSigned {
    /// Takes a signed text apart. `None` if it is none, or if anything stands outside the signed part.
    pub fn read(bytes: &[u8]) -> Option<Self> {
        let all = std::str::from_utf8(bytes).ok()?;
        let mut lines = all.lines().map(|line| line.trim_end_matches([' ', '\t', '\r']));
        if lines.next()? != BEGIN {
            return None;
        }
        // Headers up to the empty line. Only the name of the hash may stand there.
        while let Some(header) = lines.next().filter(|line| !line.is_empty()) {
            header.strip_prefix("Hash: ")?;
        }
        let mut text = String::with_capacity(all.len());
        loop {
            match lines.next()? {
                SIGNATURE => break,
                line if line.starts_with("- ") => text.push_str(&line[2..]),
                line if line.starts_with('-') => return None,
                line => text.push_str(line),
            }
            text.push('\n');
        }
        let mut signature = format!("{SIGNATURE}\n");
        loop {
            let line = lines.next()?;
            signature.push_str(line);
            signature.push('\n');
            if line == END {
                break;
            }
        }
        lines.all(str::is_empty).then_some(Self { text, signature })
    }

    /// The bytes that the signature is over: lines end with CR LF, the last one with nothing.
    pub fn signed_bytes(&self) -> Vec<u8> {
        let without_last = self.text.strip_suffix('\n').unwrap_or(&self.text);
        without_last.replace('\n', "\r\n").into_bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = "-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA256\n\nA: 1  \n- -dash\n-----BEGIN PGP SIGNATURE-----\n\nabc\n-----END PGP SIGNATURE-----\n";

    #[test]
    fn lines_lose_what_the_framework_added() {
        let signed = ClearSigned::read(GOOD.as_bytes()).unwrap();
        assert_eq!(signed.text, "A: 1\n-dash\n");
        assert_eq!(signed.signed_bytes(), b"A: 1\r\n-dash");
        assert!(signed.signature.starts_with(SIGNATURE) && signed.signature.ends_with("SIGNATURE-----\n"));
    }

    #[test]
    fn nothing_may_stand_outside() {
        assert_eq!(ClearSigned::read(format!("B: 2\n{GOOD}").as_bytes()), None);
        assert_eq!(ClearSigned::read(format!("{GOOD}B: 2\n").as_bytes()), None);
        assert_eq!(ClearSigned::read(GOOD.replace("Hash: SHA256", "B: 2").as_bytes()), None);
        assert_eq!(ClearSigned::read(GOOD.replace("-----END", "----END").as_bytes()), None);
        assert_eq!(ClearSigned::read(GOOD.replace("- -dash", "-dash").as_bytes()), None);
    }
}
