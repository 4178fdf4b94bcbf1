//! The agents that speak ACP: what each is, and how it is started as a server of the protocol.

use std::sync::LazyLock;

use windlass_core::environment::AgentVariables;
use windlass_core::price::Price;
use windlass_core::spec::AgentSpec;

use super::AcpAgent;
use crate::claude::description as claude;
use crate::flags::Owned;
use crate::opencode::{configuration, description as opencode, log};
use crate::price_rows::{Row, price};
use crate::variables::Changes;
use crate::{Ability, About, ApiHosts, CallFiles, Digest, Files, Variables, Words};

/// Gemini CLI.
pub(crate) static GEMINI: AcpAgent = AcpAgent {
    about: &ABOUT_GEMINI,
    oldest: Some((0, 61, 0)),
    arguments: &["--acp"],
    first_words: Some("--prompt-interactive"),
    // Without the first a parent that ignores signals stands before it; without the second it does not begin unattended.
    variables: &[("GEMINI_CLI_NO_RELAUNCH", "true"), ("GEMINI_CLI_TRUST_WORKSPACE", "true")],
    variables_of_call: no_more,
    // It asks before it does what could do harm, unless it is told otherwise.
    mode: None,
    owned: GEMINI_FLAGS,
    retry: attempt,
    prices: &GEMINI_PRICES,
};

/// Qwen Code, which was made from Gemini CLI.
pub(crate) static QWEN: AcpAgent = AcpAgent {
    about: &ABOUT_QWEN,
    oldest: Some((0, 24, 4)),
    arguments: &["--acp"],
    first_words: Some("--prompt-interactive"),
    variables: &[("QWEN_CODE_NO_RELAUNCH", "true")],
    variables_of_call: no_more,
    mode: None,
    owned: GEMINI_FLAGS,
    retry: attempt,
    prices: &NO_PRICES,
};

/// Claude Code by its adapter, which needs Node.js.
pub(crate) static CLAUDE: AcpAgent = AcpAgent {
    about: &ABOUT_CLAUDE,
    oldest: None,
    arguments: &[],
    first_words: None,
    variables: &[("DISABLE_AUTOUPDATER", "1"), ("DISABLE_TELEMETRY", "1"), ("DISABLE_ERROR_REPORTING", "1")],
    variables_of_call: no_more,
    // Its own has a model decide what is asked.
    mode: Some("default"),
    owned: &[],
    retry: nothing,
    prices: &NO_PRICES,
};

/// opencode in place of its own adapter.
pub(crate) static OPENCODE: AcpAgent = AcpAgent {
    about: &ABOUT_OPENCODE,
    oldest: Some((1, 18, 33)),
    arguments: &["acp", "--print-logs", "--log-level", "ERROR"],
    first_words: Some("--prompt"),
    variables: &[],
    variables_of_call: opencode_variables,
    mode: None,
    owned: &[
        (&["--print-logs", "--log-level"], "Windlass reads its log"),
        (&["--cwd"], "the agent has to work where Windlass looks"),
    ],
    retry: log::retry,
    prices: &NO_PRICES,
};

/// Any other, by its own command.
pub(crate) static ANY: AcpAgent = AcpAgent {
    about: &ABOUT_ANY,
    oldest: None,
    arguments: &[],
    first_words: None,
    variables: &[],
    variables_of_call: no_more,
    mode: None,
    owned: &[],
    retry: nothing,
    prices: &NO_PRICES,
};

/// Flags of Gemini CLI, and why they may not be passed through.
const GEMINI_FLAGS: Owned = &[
    (&["--acp", "--experimental-acp"], "it is always set"),
    (&["--output-format", "-o"], "Windlass reads what it says"),
    (&["--model", "-m"], "agent.model says it, or --model of Windlass itself"),
    (&["--sandbox", "-s"], "sandbox.kind says it, or --sandbox of Windlass itself"),
    (&["--prompt", "-p"], "each call is given its prompt by Windlass"),
    (&["--prompt-interactive", "-i"], "Windlass calls the agent without a person"),
    (&["--yolo", "-y", "--approval-mode"], "Windlass answers what it asks"),
    (&["--resume", "-r"], "each call is a fresh session"),
    (&["--worktree", "-w"], "the agent has to work where Windlass looks"),
    (&["--help", "-h", "--version", "-v"], "it would do nothing else"),
];

fn no_more(_: &AgentSpec, _: CallFiles<'_>) -> Changes {
    Vec::new()
}

fn opencode_variables(agent: &AgentSpec, call: CallFiles<'_>) -> Changes {
    let rights = configuration::Rights::of(agent, call.purpose.edits(), call.confinement);
    configuration::environment(call.system_prompt, rights)
}

fn nothing(_: &[u8]) -> Option<Digest> {
    None
}

/// `Attempt 1 failed with status 503. Retrying with backoff... _ApiError: {…}`, `Attempt 1 failed: You have … Retrying after 5 ms...`
fn attempt(line: &[u8]) -> Option<Digest> {
    let line = String::from_utf8_lossy(line);
    let (_, failed) = line.strip_prefix("Attempt ")?.split_once(" failed").filter(|(number, failed)| {
        number.bytes().all(|byte| byte.is_ascii_digit()) && failed.contains("Retrying")
    })?;
    let status = failed.split_once("with status ").and_then(|(_, rest)| rest.get(..3)?.parse().ok());
    let cause = match failed.strip_prefix(": ") {
        Some(said) => said.split(". Retrying").next()?,
        None => failed.split_once("... ").map_or("", |(_, error)| error),
    };
    let cause = cause.trim_start_matches('_').trim_start_matches("Error: ");
    Some(Digest::Retry { status, error: cause.chars().take(200).collect() })
}

static NO_PRICES: LazyLock<Vec<Price>> = LazyLock::new(Vec::new);

/// As Google listed them in 2025, for prompts of at most 200,000 tokens.
static GEMINI_PRICES: LazyLock<Vec<Price>> = LazyLock::new(|| GEMINI_ROWS.iter().map(price).collect());

const GEMINI_ROWS: &[Row] = &[
    ("gemini-2.5-pro", [1.25, 10.0, 0.31]),
    ("gemini-2.5-flash", [0.3, 2.5, 0.075]),
    ("gemini-2.5-flash-lite", [0.1, 0.4, 0.025]),
    ("gemini-3-pro-preview", [2.0, 12.0, 0.2]),
];

pub(crate) const ABOUT_GEMINI: About = About {
    name: "gemini",
    product: "Gemini CLI",
    program: Some("gemini"),
    tested: "0.61.0",
    can: &[Ability::HoldSessions],
    // It gives up by itself, and says what it tried again at its end only.
    retries: None,
    variables: &Variables {
        inherited: AgentVariables { own: &["GEMINI_", "GOOGLE_"], api_keys: GEMINI_KEYS, providers: &[] },
        tokens: &["GEMINI_API_KEY"],
        secrets: GEMINI_KEYS,
        let_in: &["GEMINI_", "GOOGLE_"],
        // The home inside is another one.
        kept_out: &["GEMINI_CLI_HOME", "GEMINI_SYSTEM_MD", "GOOGLE_APPLICATION_CREDENTIALS"],
        in_sandboxes: &[],
        settings_folder: "GEMINI_CLI_HOME",
        hosts: ApiHosts {
            usual: "generativelanguage.googleapis.com",
            elsewhere: &[("", "GOOGLE_GEMINI_BASE_URL")],
        },
    },
    files: &Files {
        folder: ".gemini",
        of_home: &[".gemini"],
        credentials: ".gemini/oauth_creds.json",
        steering: &[".gemini"],
        sources: &[],
        instructions: &["GEMINI.md"],
    },
    words: &Words {
        install: "Install Gemini CLI: npm install -g @google/gemini-cli",
        update: "Update it: npm install -g @google/gemini-cli@latest",
        log_in: "Run `gemini` and log in, or set GEMINI_API_KEY and allow API keys.",
        log_in_anew: "Run `gemini` and log in once more, or renew the API key that it is given.",
        log_in_or_token: "Log in with `gemini`, or use an API key: GEMINI_API_KEY",
        log_in_briefly: "Log in with `gemini`",
        token: "an API key in GEMINI_API_KEY",
        login_command: "gemini",
        sent_home: "It sends statistics of its use to its maker, unless privacy.usageStatisticsEnabled is false in ~/.gemini/settings.json.",
        hosted: "",
        left_out: "the repository's .gemini folder",
        leave_out: "",
        log_heading: "GEMINI OUTPUT",
        image: "RUN npm install --global @google/gemini-cli@0.61.0 && gemini --version\n",
    },
};

const GEMINI_KEYS: &[&str] = &["GEMINI_API_KEY", "GOOGLE_API_KEY"];

static ABOUT_QWEN: About = About {
    name: "qwen",
    product: "Qwen Code",
    program: Some("qwen"),
    tested: "0.24.4",
    can: &[Ability::HoldSessions],
    retries: None,
    variables: &Variables {
        inherited: AgentVariables {
            own: &["QWEN_", "DASHSCOPE_", "OPENAI_"],
            api_keys: QWEN_KEYS,
            providers: &[],
        },
        tokens: &["DASHSCOPE_API_KEY", "OPENAI_API_KEY"],
        secrets: QWEN_KEYS,
        let_in: &["QWEN_", "DASHSCOPE_", "OPENAI_"],
        // The home inside is another one.
        kept_out: &["QWEN_HOME"],
        in_sandboxes: &[],
        settings_folder: "QWEN_HOME",
        hosts: ApiHosts { usual: "dashscope.aliyuncs.com", elsewhere: &[("", "OPENAI_BASE_URL")] },
    },
    files: &Files {
        folder: ".qwen",
        of_home: &[".qwen"],
        credentials: ".qwen/oauth_creds.json",
        steering: &[".qwen"],
        sources: &[],
        instructions: &["QWEN.md"],
    },
    words: &Words {
        install: "Install Qwen Code, which needs Node.js 22: npm install -g @qwen-code/qwen-code",
        update: "Update it: npm install -g @qwen-code/qwen-code@latest",
        log_in: "Run `qwen` and log in, or set OPENAI_API_KEY and allow API keys.",
        log_in_anew: "Run `qwen` and log in once more, or renew the API key that it is given.",
        log_in_or_token: "Log in with `qwen`, or use an API key: OPENAI_API_KEY",
        log_in_briefly: "Log in with `qwen`",
        token: "an API key in OPENAI_API_KEY",
        login_command: "qwen",
        sent_home: "It sends statistics of its use to its maker, unless privacy.usageStatisticsEnabled is false in ~/.qwen/settings.json.",
        hosted: "",
        left_out: "the repository's .qwen folder",
        leave_out: "",
        log_heading: "QWEN OUTPUT",
        image: "RUN npm install --global @qwen-code/qwen-code@0.24.4 && qwen --version\n",
    },
};

const QWEN_KEYS: &[&str] = &["DASHSCOPE_API_KEY", "OPENAI_API_KEY"];

static ABOUT_CLAUDE: About = About {
    name: "claude-acp",
    product: "Claude Code (by ACP)",
    program: Some("claude-agent-acp"),
    tested: "0.101.0",
    can: &[Ability::SayItsCosts],
    retries: None,
    variables: claude::REAL.variables,
    files: claude::REAL.files,
    words: &Words {
        install: "Install its adapter, which needs Node.js 22: npm install -g @agentclientprotocol/claude-agent-acp",
        update: "Update it: npm install -g @agentclientprotocol/claude-agent-acp@latest",
        log_in: "Run `claude` and log in, or set ANTHROPIC_API_KEY and allow API keys.",
        log_in_anew: "Run `claude` and log in once more, or renew the API key that it is given.",
        log_in_or_token: "Log in with `claude`, or use a token: CLAUDE_CODE_OAUTH_TOKEN",
        log_in_briefly: "Log in with `claude`",
        token: "a token in CLAUDE_CODE_OAUTH_TOKEN, from `claude setup-token`",
        login_command: "claude auth status",
        sent_home: "",
        hosted: "",
        left_out: "",
        leave_out: "",
        log_heading: "CLAUDE OUTPUT",
        image: "RUN npm install --global @agentclientprotocol/claude-agent-acp@0.101.0\n",
    },
};

static ABOUT_OPENCODE: About = About {
    name: "opencode-acp",
    product: "opencode (by ACP)",
    program: Some("opencode"),
    tested: opencode::ABOUT.tested,
    can: &[Ability::SayItsCosts, Ability::TakeASystemPrompt, Ability::HoldSessions],
    retries: opencode::ABOUT.retries,
    variables: opencode::ABOUT.variables,
    files: opencode::ABOUT.files,
    words: opencode::ABOUT.words,
};

static ABOUT_ANY: About = About {
    name: "acp",
    product: "The agent",
    program: None,
    tested: "",
    can: &[],
    retries: None,
    variables: crate::command::ABOUT.variables,
    files: crate::command::ABOUT.files,
    words: &Words { log_heading: "ACP OUTPUT", ..*crate::command::ABOUT.words },
};
