//! Becoming root. The password goes through standard input, and only when sudo asks for it; what the program itself
//! shall read follows only when the program has begun. So neither can be taken for the other, whatever sudo remembers.

use kubexm_model::secret::Secret;
use rand::RngExt;

/// That commands are run through sudo.
#[derive(Debug, Clone, Default)]
pub struct Sudo {
    /// The password that sudo may ask for.
    pub password: Option<Secret>,
}

/// Waits for sudo: for its question, and for the sign that the program has begun.
#[derive(Debug)]
pub(super) struct Gate {
    prompt: String,
    sign: String,
    password: Option<Secret>,
    asked: usize,
    answered: usize,
    stdout: Side,
    stderr: Side,
}

/// One stream before and after the sign.
#[derive(Debug, Default)]
struct Side {
    before: Vec<u8>,
    open: bool,
}

/// What sudo may say before it starts the program; a lecture is shorter.
const LONGEST: usize = 64 * 1024;
/// Tells on both streams that it has begun, then becomes the program.
const BEGIN: &str = r#"printf %s "$0"; printf %s "$0" >&2; exec "$@""#;

impl Gate {
    pub(super) fn new(sudo: &Sudo) -> Self {
        let nonce: u128 = rand::rng().random();
        Self {
            prompt: format!("kubexm-password-{nonce:032x}"),
            sign: format!("kubexm-begins-{nonce:032x}"),
            password: sudo.password.clone(),
            asked: 0,
            answered: 0,
            stdout: Side::default(),
            stderr: Side::default(),
        }
    }

    /// The command with sudo before it.
    pub(super) fn wrap(&self, argv: Vec<String>) -> Vec<String> {
        let mut wrapped = vec!["sudo".to_owned()];
        if self.password.is_some() {
            wrapped.extend(["-S", "-p", &self.prompt].map(str::to_owned));
        } else {
            wrapped.push("-n".to_owned());
        }
        wrapped.extend(["--", "sh", "-c", BEGIN, &self.sign].map(str::to_owned));
        wrapped.extend(argv);
        wrapped
    }

    /// Whether the program has begun.
    pub(super) fn is_open(&self) -> bool {
        self.stdout.open
    }

    /// Takes standard output; what belongs to the program.
    pub(super) fn stdout(&mut self, bytes: Vec<u8>) -> Vec<u8> {
        self.stdout.hear(bytes, &self.sign)
    }

    /// Takes standard error; what belongs to the program.
    pub(super) fn stderr(&mut self, bytes: Vec<u8>) -> Vec<u8> {
        let rest = self.stderr.hear(bytes, &self.sign);
        self.asked = String::from_utf8_lossy(&self.stderr.before).matches(self.prompt.as_str()).count();
        rest
    }

    /// The password when sudo asks for it the first time; why it is of no use when it asks again.
    pub(super) fn answer(&mut self) -> Result<Option<Secret>, String> {
        if self.asked <= self.answered {
            return Ok(None);
        }
        self.answered = self.asked;
        match (&self.password, self.asked) {
            (Some(password), 1) => Ok(Some(password.clone())),
            _ => Err("the password is not accepted".to_owned()),
        }
    }

    /// What sudo said instead of starting the program.
    pub(super) fn reason(&self) -> String {
        let text = String::from_utf8_lossy(&self.stderr.before).replace(self.prompt.as_str(), "");
        let said: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
        match said.last() {
            Some(line) => line.chars().filter(|letter| !letter.is_control()).take(300).collect(),
            None => "it gives no reason".to_owned(),
        }
    }
}

impl Side {
    fn hear(&mut self, bytes: Vec<u8>, sign: &str) -> Vec<u8> {
        if self.open {
            return bytes;
        }
        self.before.extend(bytes);
        let found = self.before.windows(sign.len()).position(|window| window == sign.as_bytes());
        let Some(place) = found else {
            let excess = self.before.len().saturating_sub(LONGEST);
            self.before.drain(..excess);
            return vec![];
        };
        self.open = true;
        let rest = self.before.split_off(place + sign.len());
        self.before.truncate(place);
        rest
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gate(password: Option<&str>) -> Gate {
        Gate::new(&Sudo { password: password.map(|text| Secret::from(text.to_owned())) })
    }

    #[test]
    fn the_password_is_said_once_and_only_when_asked() {
        let mut gate = gate(Some("hunter2"));
        assert_eq!(gate.stderr(b"We trust you have received the usual lecture\n".to_vec()), b"");
        assert_eq!(gate.answer(), Ok(None));
        let (first, second) = (gate.prompt[..10].to_owned(), gate.prompt[10..].to_owned());
        gate.stderr(first.into_bytes());
        assert_eq!(gate.answer(), Ok(None));
        gate.stderr(second.into_bytes());
        assert_eq!(gate.answer().unwrap().unwrap().expose(), "hunter2");
        assert_eq!(gate.answer(), Ok(None));
        gate.stderr(format!("Sorry, try again.\n{}", gate.prompt).into_bytes());
        assert!(gate.answer().is_err());
        assert_eq!(gate.reason(), "Sorry, try again.");
    }

    #[test]
    fn what_follows_the_sign_is_the_programs() {
        let mut gate = gate(None);
        let sign = gate.sign.clone();
        assert_eq!(gate.stdout(format!("noise{}", &sign[..20]).into_bytes()), b"");
        assert!(!gate.is_open());
        assert_eq!(gate.stdout(format!("{}hello", &sign[20..]).into_bytes()), b"hello");
        assert!(gate.is_open());
        assert_eq!(gate.stdout(sign.clone().into_bytes()), sign.into_bytes());
    }

    #[test]
    fn the_password_is_no_argument() {
        let gate = gate(Some("hunter2"));
        assert!(!gate.wrap(vec!["id".to_owned()]).join(" ").contains("hunter2"));
        assert!(!format!("{gate:?}").contains("hunter2"));
    }
}
