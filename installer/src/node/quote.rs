//! The one place where text becomes part of a shell's command line.
//!
//! SSH hands the login's shell one string. Everything in it that is not written in this crate goes through [`quote`].

/// The text holds a NUL character, which no argument can.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the text holds a NUL character")]
pub struct HasNul;

/// The text as one word of a POSIX shell, whatever is in it.
pub fn quote(text: &str) -> Result<String, HasNul> {
    if text.contains('\0') {
        return Err(HasNul);
    }
    Ok(single_quotes(text))
}

/// Several texts as words, with blanks between them.
pub fn words<'a>(texts: impl IntoIterator<Item = &'a str>) -> Result<String, HasNul> {
    let quoted: Result<Vec<String>, HasNul> = texts.into_iter().map(quote).collect();
    Ok(quoted?.join(" "))
}

/// The text as a person would type it: quoted only where that is needed, control characters replaced.
pub fn shown(text: &str) -> String {
    let plain = |letter: char| letter.is_ascii_alphanumeric() || "-_./:=,+@%".contains(letter);
    if !text.is_empty() && text.chars().all(plain) {
        return text.to_owned();
    }
    let visible: String = text.chars().map(|letter| if letter.is_control() { '\u{fffd}' } else { letter }).collect();
    single_quotes(&visible)
}

/// Between single quotes everything is literal but the quote itself, which is put outside with a backslash.
fn single_quotes(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// What a real shell makes of the words.
    fn through_a_shell(shell: &str, texts: &[String]) -> Vec<String> {
        let line = format!("printf '%s\\0' {}", words(texts.iter().map(String::as_str)).unwrap());
        let output = std::process::Command::new(shell).args(["-c", &line]).output().unwrap();
        assert!(output.status.success() && output.stderr.is_empty(), "{output:?}");
        let text = String::from_utf8(output.stdout).unwrap();
        text.strip_suffix('\0').unwrap().split('\0').map(str::to_owned).collect()
    }

    #[test]
    fn known_troublemakers_stay_single_words() {
        let texts: Vec<String> = [
            "",
            " ",
            "'",
            "''",
            "\"",
            "\\",
            "\\'",
            "!",
            "!!",
            "$x",
            "$(id)",
            "`id`",
            "a\nb",
            "\n",
            "\r\n",
            "*",
            "~",
            "-n",
            "a;b",
            "a&b",
            "a|b",
            "#",
            "é",
            "日本",
            "\u{1f600}",
            "'\\''",
            "%s",
            "\t",
            "\u{1b}[31m",
            "{a,b}",
            "<x",
            ">x",
        ]
        .map(str::to_owned)
        .into();
        for shell in ["sh", "bash"] {
            assert_eq!(through_a_shell(shell, &texts), texts, "{shell}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(200))]
        #[test]
        fn any_text_passes_a_shell_unchanged(texts in proptest::collection::vec("[^\0]{0,40}|['\"\\\\$`!\n ]{0,20}", 1..8)) {
            prop_assert_eq!(through_a_shell("sh", &texts), texts);
        }
    }

    #[test]
    fn a_nul_is_refused() {
        assert_eq!(quote("a\0b"), Err(HasNul));
        assert_eq!(words(["a", "\0"]), Err(HasNul));
    }

    #[test]
    fn people_see_plain_words_plain() {
        assert_eq!(shown("/etc/a.conf"), "/etc/a.conf");
        assert_eq!(shown("it's\n"), "'it'\\''s\u{fffd}'");
        assert_eq!(shown(""), "''");
    }
}
