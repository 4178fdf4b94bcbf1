//! Names whose values are secrets: of variables, settings and parameters of queries.

/// Words that make a secret of a value wherever they stand in its name, alone or as the end of a longer word
/// (`PGPASSWORD`, `authToken`).
const ANYWHERE: [&str; 16] = [
    "TOKEN",
    "SECRET",
    "SECRETS",
    "PASSWORD",
    "PASSWORDS",
    "PASSWD",
    "PASSPHRASE",
    "CREDENTIAL",
    "CREDENTIALS",
    "AUTHORIZATION",
    "WEBHOOK",
    "APIKEY",
    "ACCESSKEY",
    "PRIVATEKEY",
    "ENCRYPTIONKEY",
    "SECRETKEY",
];

/// The same for a name's last word, which has to be it as a whole.
const AT_THE_END: [&str; 14] = [
    "KEY",
    "KEYS",
    "PASS",
    "SSHPASS",
    "PAT",
    "AUTH",
    "COOKIE",
    "COOKIES",
    "DSN",
    "SIGNATURE",
    "CREDS",
    "JWT",
    "BEARER",
    "TOTP",
];

/// The last word of a name that has others before it: alone it is something else (the working directory).
const BEHIND_OTHERS: [&str; 5] = ["PWD", "PW", "PIN", "SIG", "OTP"];

/// Those whose value may be a number or a word as well: what people think up.
const THOUGHT_UP: [&str; 10] =
    ["PASSWORD", "PASSWORDS", "PASSWD", "PASSPHRASE", "PASS", "SSHPASS", "PWD", "PW", "PIN", "SECRET"];

/// What may stand behind `AUTH` where a value is the secret itself, and no address, switch or socket.
const BEHIND_AUTH: [&str; 4] = ["CONFIG", "HEADER", "DATA", "JSON"];

/// Does a name say that its value is a secret? It is taken apart at whatever is not a letter or digit, and where a small
/// letter is followed by a capital.
pub fn names_secret(name: &str) -> bool {
    let words = words(name);
    let Some((last, before)) = words.split_last() else { return false };
    words.iter().any(|word| ANYWHERE.iter().any(|secret| word.ends_with(secret)))
        || AT_THE_END.contains(&last.as_str())
        || BEHIND_OTHERS.contains(&last.as_str()) && !before.is_empty()
        || BEHIND_AUTH.contains(&last.as_str()) && before.last().is_some_and(|word| word == "AUTH")
}

/// Does a name say that its value is a secret even where that looks like a number or a switch?
pub fn names_password(name: &str) -> bool {
    let is_thought_up = |word: &String| THOUGHT_UP.iter().any(|secret| word.ends_with(secret));
    names_secret(name) && words(name).last().is_some_and(is_thought_up)
}

/// In capitals.
fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut before = None;
    for char in name.chars() {
        let begins = before.is_some_and(char::is_lowercase) && char.is_uppercase();
        if begins || !char.is_alphanumeric() {
            words.push(String::new());
        }
        if let Some(word) = words.last_mut().filter(|_| char.is_alphanumeric()) {
            word.extend(char.to_uppercase());
        }
        before = Some(char);
    }
    words.retain(|word| !word.is_empty());
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_says_what_its_value_is() {
        for name in [
            "OPENAI_API_KEY",
            "GH_TOKEN_2",
            "PGPASSWORD",
            "MYSQL_PWD",
            "SSHPASS",
            "npm_config__authToken",
            "npm_config_//registry.example/:_auth",
            "ENCRYPTIONKEY",
            "GITHUBTOKEN",
            "DOCKER_AUTH_CONFIG",
            "AUTHORIZATION",
            "BASIC_AUTH_HEADER",
            "SLACK_WEBHOOK_URL",
            "clientSecret",
            "db-password",
            "X-Amz-Signature",
            "SECRET_KEY_BASE",
            "SENTRY_DSN",
            "LDAP_BIND_PW",
            "ADMIN_PIN",
            "SECRETKEY",
        ] {
            assert!(names_secret(name), "{name}");
        }
        for name in [
            "",
            "_",
            "PATH",
            "PWD",
            "OLDPWD",
            "MONKEY",
            "SSH_AUTH_SOCK",
            "GIT_ASKPASS",
            "MAX_THINKING_TOKENS",
            "TOKENIZERS_PARALLELISM",
            "XAUTHORITY",
            "AUTHOR",
            "KEYMAP",
            "COMPASS_HOME",
            "PATTERN",
            "VAULT_ADDR",
            "PIN",
            "SPIN",
        ] {
            assert!(!names_secret(name), "{name}");
        }
    }
}
