//! What Claude Code is.

use windlass_core::environment::AgentVariables;

use crate::{Ability, About, ApiHosts, Files, Reach, Source, SourceKind, Variables, Words};

/// Its name in configuration and journals.
pub(super) const NAME: &str = "claude";

/// Its folder in a home and in a repository.
pub(super) const FOLDER: &str = ".claude";

/// Where it finds its API, unless a variable says otherwise.
pub(super) const USUAL_HOST: &str = "api.anthropic.com";

/// Credentials that are charged per token.
pub(super) const API_KEYS: &[&str] = &["ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"];

/// What is installed from npm.
macro_rules! package {
    () => {
        "@anthropic-ai/claude-code"
    };
}

/// The version that this version of Windlass was tested with.
macro_rules! tested {
    () => {
        "2.1.330"
    };
}

/// The real one.
pub(crate) static REAL: About = About {
    name: NAME,
    product: "Claude Code",
    program: Some("claude"),
    tested: tested!(),
    can: &[
        Ability::ResumeSessions,
        Ability::AnswerByASchema,
        Ability::KeepToABudget,
        Ability::SayItsCosts,
        Ability::TakeASystemPrompt,
        Ability::KeepToRules,
        Ability::RunInTheBackground,
        Ability::ShowPartialMessages,
        Ability::HoldSessions,
        Ability::ReadTheRepositorysSettings,
    ],
    retries: None,
    variables: &VARIABLES,
    files: &FILES,
    words: &WORDS,
};

/// The scripted one: nothing is asked of it, and it reads nothing by itself.
pub(super) static SCRIPTED: About = About {
    name: "mock",
    product: "Windlass's scripted agent",
    program: None,
    tested: "",
    can: &[
        Ability::AnswerByASchema,
        Ability::KeepToABudget,
        Ability::SayItsCosts,
        Ability::TakeASystemPrompt,
        Ability::KeepToRules,
        Ability::RunInTheBackground,
        Ability::ShowPartialMessages,
        Ability::HoldSessions,
    ],
    retries: None,
    variables: &VARIABLES,
    files: &FILES,
    words: &WORDS,
};

static VARIABLES: Variables = Variables {
    inherited: AgentVariables {
        own: &["ANTHROPIC_", "CLAUDE_"],
        api_keys: API_KEYS,
        providers: &[
            (
                &["CLAUDE_CODE_USE_BEDROCK", "CLAUDE_CODE_USE_MANTLE", "CLAUDE_CODE_USE_ANTHROPIC_AWS"],
                &["AWS_"],
            ),
            (
                &["CLAUDE_CODE_USE_VERTEX", "CLAUDE_CODE_USE_ANTHROPIC_GOOGLE_CLOUD"],
                &["GOOGLE_", "GCLOUD_", "CLOUDSDK_", "CLOUD_ML_", "VERTEX_"],
            ),
            (&["CLAUDE_CODE_USE_FOUNDRY"], &["AZURE_"]),
        ],
    },
    tokens: &["CLAUDE_CODE_OAUTH_TOKEN", "ANTHROPIC_API_KEY"],
    secrets: &["ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN"],
    let_in: &["ANTHROPIC_", "CLAUDE_CODE_", "DISABLE_", "BASH_", "MCP_", "MAX_", "API_TIMEOUT_MS", "ENABLE_"],
    kept_out: &["BASH_ENV"],
    // It lets root skip permissions where this is said.
    in_sandboxes: &[("IS_SANDBOX", "1")],
    settings_folder: "CLAUDE_CONFIG_DIR",
    hosts: ApiHosts {
        usual: USUAL_HOST,
        elsewhere: &[
            ("CLAUDE_CODE_USE_BEDROCK", "ANTHROPIC_BEDROCK_BASE_URL"),
            ("CLAUDE_CODE_USE_VERTEX", "ANTHROPIC_VERTEX_BASE_URL"),
            ("", "ANTHROPIC_BASE_URL"),
        ],
    },
};

pub(super) static FILES: Files = Files {
    folder: FOLDER,
    of_home: &[FOLDER, ".claude.json"],
    credentials: ".claude/.credentials.json",
    steering: &[
        ".mcp.json",
        ".claude/settings.json",
        ".claude/settings.local.json",
        ".claude/hooks",
        ".claude/agents",
        ".claude/commands",
        ".claude/skills",
    ],
    sources: &[
        Source { path: ".mcp.json", kind: SourceKind::Servers, reach: Reach::FromAbove },
        Source { path: ".claude/settings.json", kind: SourceKind::Settings, reach: Reach::FromAbove },
        Source { path: ".claude/settings.local.json", kind: SourceKind::Settings, reach: Reach::FromAbove },
        Source { path: ".claude/agents", kind: SourceKind::Texts, reach: Reach::Everywhere },
        Source { path: ".claude/commands", kind: SourceKind::Texts, reach: Reach::Everywhere },
        Source { path: ".claude/skills", kind: SourceKind::Texts, reach: Reach::Everywhere },
    ],
    instructions: &["CLAUDE.md", ".claude/CLAUDE.md", "CLAUDE.local.md"],
};

static WORDS: Words = Words {
    install: concat!("Install Claude Code: npm install -g ", package!()),
    update: concat!("Update it: npm install -g ", package!(), "@latest"),
    log_in: "Run `claude` and then /login, or set CLAUDE_CODE_OAUTH_TOKEN.",
    log_in_anew: "Run `claude` and then /login, or renew the token or the API key that it is given.",
    log_in_or_token: "Log in with `claude` and /login, or use a token: claude setup-token",
    log_in_briefly: "Log in with `claude` and /login",
    token: "claude setup-token, then set CLAUDE_CODE_OAUTH_TOKEN",
    login_command: "claude auth status",
    sent_home: "It sends statistics of its use and errors to its maker, unless DISABLE_TELEMETRY=1 and DISABLE_ERROR_REPORTING=1 are set.",
    hosted: "",
    left_out: "the repository's .claude folder, CLAUDE.md and MCP servers",
    leave_out: "--no-claude-settings",
    log_heading: "CLAUDE OUTPUT",
    image: concat!(
        "ENV DISABLE_AUTOUPDATER=1\n",
        "RUN npm install --global ",
        package!(),
        "@",
        tested!(),
        " && claude --version\n"
    ),
};
