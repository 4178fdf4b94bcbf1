//! What Codex is.

use windlass_core::environment::AgentVariables;

use crate::{Ability, About, ApiHosts, Files, Variables, Words};

/// Credentials that are charged per token.
pub(super) const API_KEYS: &[&str] = &["CODEX_API_KEY", "OPENAI_API_KEY"];

/// What is installed from npm.
macro_rules! package {
    () => {
        "@openai/codex"
    };
}

/// The version that this version of Windlass was tested with.
macro_rules! tested {
    () => {
        "0.169.0"
    };
}

/// As it is usually called.
pub(super) static ABOUT: About = CODEX;

/// By `codex exec`.
pub(super) static ABOUT_EXEC: About = About { name: "codex-exec", ..CODEX };

const CODEX: About = About {
    name: "codex",
    product: "Codex",
    program: Some("codex"),
    tested: tested!(),
    can: &[Ability::KeepToFolders, Ability::HoldSessions],
    // It waits for the network for as long as there is none.
    retries: Some(10),
    variables: &VARIABLES,
    files: &FILES,
    words: &WORDS,
};

static VARIABLES: Variables = Variables {
    inherited: AgentVariables { own: &["CODEX_", "OPENAI_"], api_keys: API_KEYS, providers: &[] },
    tokens: &["CODEX_API_KEY"],
    secrets: API_KEYS,
    let_in: &["CODEX_", "OPENAI_"],
    // The home inside is another one.
    kept_out: &["CODEX_HOME"],
    in_sandboxes: &[],
    settings_folder: "CODEX_HOME",
    hosts: ApiHosts { usual: "api.openai.com", elsewhere: &[("", "OPENAI_BASE_URL")] },
};

static FILES: Files = Files {
    folder: ".codex",
    of_home: &[".codex"],
    credentials: ".codex/auth.json",
    steering: &[".codex"],
    sources: &[],
    instructions: &["AGENTS.md"],
};

static WORDS: Words = Words {
    install: concat!("Install Codex: npm install -g ", package!()),
    update: concat!("Update it: npm install -g ", package!(), "@latest"),
    log_in: "Run `codex login`, or set CODEX_API_KEY and allow API keys.",
    log_in_anew: "Run `codex login`, or renew the API key that it is given.",
    log_in_or_token: "Log in with `codex login`, or use an API key: CODEX_API_KEY",
    log_in_briefly: "Log in with `codex login`",
    token: "an API key in CODEX_API_KEY",
    login_command: "codex login status",
    sent_home: "",
    hosted: "",
    left_out: "the repository's .codex folder",
    leave_out: "",
    log_heading: "CODEX OUTPUT",
    image: concat!("RUN npm install --global ", package!(), "@", tested!(), " && codex --version\n"),
};
