//! The real agents, pointed at a stand-in.

use std::ffi::OsString;
use std::path::PathBuf;

use super::TestEnv;
use crate::api::StandIn;

/// The version the tests are written for; `agents/claude-code/package.json` pins the same.
const CLAUDE_CODE_VERSION: &str = "2.1.330";

/// What the agent logs in with. None of these is worth anything anywhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Credentials {
    /// As a customer of the API: no plan, so nothing is said about limits and reset times.
    ApiKey,
    /// As a subscriber with a plan, which has windows that can be used up.
    OauthToken,
    /// Not logged in.
    None,
}

impl TestEnv {
    /// What the real Claude Code needs to work for `api` and to reach nothing else: for
    /// [`std::process::Command::envs`].
    pub fn claude_environment(&self, api: &StandIn, credentials: Credentials) -> Vec<(String, OsString)> {
        let mut variables: Vec<(String, OsString)> = vec![
            ("ANTHROPIC_BASE_URL".to_owned(), api.url().into()),
            ("CLAUDE_CONFIG_DIR".to_owned(), self.home().join(".claude").into()),
            ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC".to_owned(), "1".into()),
            ("DISABLE_AUTOUPDATER".to_owned(), "1".into()),
            ("DISABLE_TELEMETRY".to_owned(), "1".into()),
            // Lets root skip permissions; harmless for everybody else.
            ("IS_SANDBOX".to_owned(), "1".into()),
        ];
        match credentials {
            Credentials::ApiKey => {
                variables.push(("ANTHROPIC_API_KEY".to_owned(), "sk-ant-test-dummy".into()));
            }
            Credentials::OauthToken => {
                variables.push(("CLAUDE_CODE_OAUTH_TOKEN".to_owned(), "sk-ant-oat01-test-dummy".into()));
            }
            Credentials::None => {}
        }
        variables
    }

    /// What the real opencode needs to work for `api` and to reach nothing else.
    pub fn opencode_environment(api: &StandIn) -> Vec<(String, OsString)> {
        vec![
            ("ANTHROPIC_API_KEY".to_owned(), "sk-test-dummy".into()),
            ("ANTHROPIC_BASE_URL".to_owned(), format!("{}/v1", api.url()).into()),
            ("WINDLASS_AGENT__API_KEYS".to_owned(), "true".into()),
            ("WINDLASS_AGENT__MODEL".to_owned(), OPENCODE_MODEL.into()),
        ]
    }

    /// What the real Gemini CLI needs to work for `api` and to reach nothing else.
    pub fn gemini_environment(api: &StandIn) -> Vec<(String, OsString)> {
        vec![
            ("GEMINI_API_KEY".to_owned(), "test-dummy".into()),
            ("GOOGLE_GEMINI_BASE_URL".to_owned(), api.url().into()),
            ("WINDLASS_AGENT__API_KEYS".to_owned(), "true".into()),
            ("WINDLASS_AGENT__MODEL".to_owned(), "gemini-2.5-pro".into()),
        ]
    }

    /// What the real Codex needs to work for `api` and to reach nothing else.
    pub fn codex_environment(api: &StandIn) -> Vec<(String, OsString)> {
        let provider = format!(
            "model_providers.stand-in={{name=\"stand-in\",base_url=\"{}/v1\",env_key=\"CODEX_STAND_IN_KEY\",\
             wire_api=\"responses\",request_max_retries=1,stream_max_retries=1}}",
            api.url()
        );
        let arguments = ["-c", "model_provider=\"stand-in\"", "-c", &provider].join("\n");
        vec![
            ("CODEX_STAND_IN_KEY".to_owned(), "sk-test-dummy".into()),
            ("WINDLASS_AGENT__ARGUMENTS".to_owned(), arguments.into()),
        ]
    }
}

/// The model that the real opencode is asked for.
pub const OPENCODE_MODEL: &str = "anthropic/claude-sonnet-4-5";

/// A real agent that `cargo xtask agents` installs below the target directory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RealAgent {
    /// Its name for people.
    pub product: &'static str,
    /// Its recipe, a folder of `agents/`.
    pub recipe: &'static str,
    /// Its version, which the recipe pins.
    pub version: &'static str,
    /// Its program's name.
    pub program: &'static str,
    /// The file of the package that is started, where that has another name: a script.
    pub script: Option<&'static str>,
}

/// Those that tests run.
pub const REAL_AGENTS: [RealAgent; 4] = [CLAUDE_CODE, CODEX, OPENCODE, GEMINI];

/// Claude Code.
pub const CLAUDE_CODE: RealAgent = RealAgent {
    product: "Claude Code",
    recipe: "claude-code",
    version: CLAUDE_CODE_VERSION,
    program: "claude",
    script: None,
};

/// Codex.
pub const CODEX: RealAgent =
    RealAgent { product: "Codex", recipe: "codex", version: "0.169.0", program: "codex", script: None };

/// opencode.
pub const OPENCODE: RealAgent = RealAgent {
    product: "opencode",
    recipe: "opencode",
    version: "1.18.33",
    program: "opencode",
    script: None,
};

/// Gemini CLI, which needs Node.js.
pub const GEMINI: RealAgent = RealAgent {
    product: "Gemini CLI",
    recipe: "gemini",
    version: "0.61.0",
    program: "gemini",
    script: Some("gemini.js"),
};

impl RealAgent {
    /// The program, below the target directory this test was built into.
    ///
    /// # Panics
    /// Where it is not installed: says how to. A test that needs it fails, it is never skipped in silence.
    pub fn installed(self) -> PathBuf {
        let test = std::env::current_exe().expect("the path of this test");
        // target/debug/deps/TEST, or target/TRIPLE/debug/deps/TEST
        let near = test.ancestors().skip(1).take(4);
        let found =
            near.map(|directory| directory.join(self.below_target())).find(|program| program.is_file());
        found.unwrap_or_else(|| {
            let RealAgent { product, version, .. } = self;
            let test = test.display();
            panic!("the real {product} {version} is not installed beside {test}: run `cargo xtask agents`")
        })
    }

    /// Its own folder, seen from the target directory.
    pub fn folder(self) -> PathBuf {
        PathBuf::from(format!("agents/{}-{}", self.recipe, self.version))
    }

    /// Where its program is, seen from the target directory.
    pub fn below_target(self) -> PathBuf {
        self.folder().join("bin").join(self.program)
    }
}
