//! `claude auth status`.

use crate::Login;
use crate::json::{self, Field, shape};

shape! {
    Status {
        logged_in: "loggedIn",
        method: "authMethod",
    }
}

/// Reads what `claude auth status` prints (it exits with 1 when not logged in and prints the same shape). `None` where
/// this is no such answer, as with versions that do not have the command.
pub(super) fn parse_auth_status(text: &str) -> Option<Login> {
    // Notices may stand before and after it.
    let object = text.get(text.find('{')?..=text.rfind('}')?)?;
    let status: Status<'_> = json::object(Some(object))?;
    Some(Login { logged_in: json::flag(status.logged_in)?, method: json::word(status.method).into_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;

    // rows: 34
    #[test]
    fn a_login_is_recognised() {
        let login = |logged_in, method: &str| Some(Login { logged_in, method: method.to_owned() });
        let rows = [
            (
                "{\n  \"loggedIn\": false,\n  \"authMethod\": \"none\",\n  \"loginExpiresAt\": null\n}\n",
                login(false, "none"),
            ),
            (r#"{"authMethod":"oauth_token","loggedIn":true}"#, login(true, "oauth_token")),
            (r#"notice {"loggedIn":true}"#, login(true, "")),
            (r#"{"loggedIn":"yes"}"#, None),
            ("error: unknown command 'auth'", None),
            ("} {", None),
            ("", None),
        ];
        for (text, expected) in rows {
            assert_eq!(parse_auth_status(text), expected, "{text}");
        }
    }
}
