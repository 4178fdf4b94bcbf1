//! What opencode is.

use windlass_core::environment::AgentVariables;

use crate::{Ability, About, ApiHosts, Files, Variables, Words};

/// Credentials that are charged per token, of the providers that it knows best.
pub(super) const API_KEYS: &[&str] = &[
    "ANTHROPIC_API_KEY",
    "OPENAI_API_KEY",
    "GEMINI_API_KEY",
    "GOOGLE_GENERATIVE_AI_API_KEY",
    "OPENROUTER_API_KEY",
    "OPENCODE_API_KEY",
];

/// How the variables begin that are about it and those providers.
const PROVIDERS: &[&str] =
    &["OPENCODE_", "ANTHROPIC_", "OPENAI_", "GEMINI_", "GOOGLE_GENERATIVE_AI_", "OPENROUTER_"];

/// What is installed from npm.
macro_rules! package {
    () => {
        "opencode-ai"
    };
}

/// The version that this version of Windlass was tested with.
macro_rules! tested {
    () => {
        "1.18.33"
    };
}

pub(crate) static ABOUT: About = About {
    name: "opencode",
    product: "opencode",
    program: Some("opencode"),
    tested: tested!(),
    can: &[Ability::SayItsCosts, Ability::TakeASystemPrompt, Ability::HoldSessions],
    // It tries again for as long as it is let, whatever the answer was.
    retries: Some(5),
    variables: &VARIABLES,
    files: &FILES,
    words: &WORDS,
};

static VARIABLES: Variables = Variables {
    inherited: AgentVariables { own: PROVIDERS, api_keys: API_KEYS, providers: &[] },
    tokens: &["ANTHROPIC_API_KEY"],
    secrets: API_KEYS,
    let_in: PROVIDERS,
    // The home inside is another one.
    kept_out: &["OPENCODE_CONFIG", "OPENCODE_CONFIG_DIR"],
    in_sandboxes: &[],
    settings_folder: "OPENCODE_CONFIG_DIR",
    hosts: ApiHosts {
        usual: "api.anthropic.com",
        elsewhere: &[("", "ANTHROPIC_BASE_URL"), ("", "OPENAI_BASE_URL")],
    },
};

static FILES: Files = Files {
    folder: ".opencode",
    of_home: &[".config/opencode", ".local/share/opencode"],
    credentials: ".local/share/opencode/auth.json",
    steering: &[".opencode", "opencode.json", "opencode.jsonc"],
    sources: &[],
    instructions: &["AGENTS.md", "CLAUDE.md"],
};

static WORDS: Words = Words {
    install: concat!("Install opencode: npm install -g ", package!()),
    update: concat!("Update it: npm install -g ", package!(), "@latest"),
    log_in: "Run `opencode auth login`, or set the key of its provider and allow API keys.",
    log_in_anew: "Run `opencode auth login`, or renew the API key that it is given.",
    log_in_or_token: "Log in with `opencode auth login`, or use an API key of its provider",
    log_in_briefly: "Log in with `opencode auth login`",
    token: "an API key of its provider",
    login_command: "opencode auth list",
    sent_home: "",
    hosted: "Without agent.model and a login it may take a model that its maker hosts (opencode/big-pickle): your code goes there.",
    left_out: "the repository's own configuration of opencode",
    leave_out: "",
    log_heading: "OPENCODE OUTPUT",
    image: concat!("RUN npm install --global ", package!(), "@", tested!(), " && opencode --version\n"),
};
