//! Who else is told what happens in a run.

use std::env;

use windlass_core::config::NotifySettings;
use windlass_core::redact::Redactor;
use windlass_engine::supervisor::Telling;

/// Variables whose values are secrets, whatever they look like.
const SECRET_VARIABLES: [&str; 9] = [
    "ANTHROPIC_API_KEY",
    "ANTHROPIC_AUTH_TOKEN",
    "CLAUDE_CODE_OAUTH_TOKEN",
    "AWS_BEARER_TOKEN_BEDROCK",
    "AWS_SECRET_ACCESS_KEY",
    "AWS_SESSION_TOKEN",
    "GITHUB_TOKEN",
    "GH_TOKEN",
    "OPENAI_API_KEY",
];

/// What begins the names of variables that hold addresses and secrets of notifications: nobody who is started by a run
/// gets them.
pub const VARIABLES: &str = "WINDLASS_NOTIFY__";

/// What is configured, and what must not leave.
pub fn of(settings: &NotifySettings) -> Telling {
    Telling { settings: settings.clone(), redactor: redactor() }
}

/// Knows the secrets of this process's environment.
pub fn redactor() -> Redactor {
    let values = SECRET_VARIABLES.iter().filter_map(|name| env::var(name).ok());
    values.fold(Redactor::new(), |redactor, value| redactor.with_value(&value))
}
