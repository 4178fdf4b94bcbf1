//! The real Claude Code, pointed at a stand-in.

use std::ffi::OsString;
use std::path::PathBuf;

use super::TestEnv;
use crate::api::StandIn;

/// The version the tests are written for; `agents/claude-code/package.json` pins the same.
pub const CLAUDE_CODE_VERSION: &str = "2.1.330";

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
}

/// The real Claude Code that `cargo xtask agents` installed below the target directory this test was built into.
///
/// # Panics
/// Where it is not installed: says how to. A test that needs it fails, it is never skipped in silence.
pub fn real_claude() -> PathBuf {
    let test = std::env::current_exe().expect("the path of this test");
    // target/debug/deps/TEST, or target/TRIPLE/debug/deps/TEST
    let near = test.ancestors().skip(1).take(4);
    let found = near.map(|directory| directory.join(claude_below_target())).find(|program| program.is_file());
    found.unwrap_or_else(|| {
        panic!(
            "the real Claude Code {CLAUDE_CODE_VERSION} is not installed beside {}: run `cargo xtask agents`",
            test.display(),
        )
    })
}

/// Where the real Claude Code is, seen from the target directory.
pub fn claude_below_target() -> PathBuf {
    PathBuf::from(format!("agents/claude-code-{CLAUDE_CODE_VERSION}/bin/claude"))
}
