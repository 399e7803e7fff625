//! Secrets in the file.

use super::Lint;
use crate::finding::Code;
use crate::secret::Secret;

pub(super) fn secrets(lint: &mut Lint<'_>) {
    for (index, host) in lint.hosts() {
        login(lint, &format!("spec.hosts[{index}]"), host.password.as_ref(), host.password_env.as_ref());
        if let Some(jump) = &host.jump_host {
            login(lint, &format!("spec.hosts[{index}].jumpHost"), jump.password.as_ref(), jump.password_env.as_ref());
        }
    }
    for (name, auth) in &lint.spec().registry.auths {
        let path = format!("spec.registry.auths[\"{name}\"]");
        login(lint, &path, auth.password.as_ref(), auth.password_env.as_ref());
        if auth.password.is_none() && auth.password_env.is_none() {
            let message = format!("the account for `{name}` has no password");
            lint.find(Code::Incomplete, &path, message, "add `passwordEnv: NAME_OF_A_VARIABLE`");
        }
    }
}

fn login(lint: &mut Lint<'_>, path: &str, password: Option<&Secret>, variable: Option<&String>) {
    let at = format!("{path}.password");
    match (password, variable) {
        (Some(_), Some(_)) => {
            lint.find(Code::TwoSecrets, &at, "password and passwordEnv are both set", "keep passwordEnv");
        }
        (Some(_), None) => {
            let help = if path.contains("auths") {
                "use `passwordEnv: NAME_OF_A_VARIABLE`"
            } else {
                "use an SSH key, or `passwordEnv: NAME_OF_A_VARIABLE`"
            };
            lint.find(
                Code::SecretInFile,
                &at,
                "a password stands in the file, where everybody who has the file reads it",
                help,
            );
        }
        _ => {}
    }
}
