//! The command line of Codex.

use std::ffi::OsString;

use windlass_core::spec::AgentSpec;

use super::conversation::Sandbox;
use super::description::API_KEYS;
use crate::variables::{Changes, without_keys};
use crate::{CallFiles, Confinement, Invocation, Question, SessionFiles};

/// What holds for each start: it looks for no newer version of itself and tells nobody how it is used. The repository's own
/// configuration, which can start servers, counts only where a person trusts it.
const SETTINGS: &[&str] = &["check_for_update_on_startup=false", "analytics.enabled=false"];

/// How a call of it is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Way {
    /// It is talked with: `codex app-server`.
    AppServer,
    /// It is told its prompt and answers with events: `codex exec --json`.
    Exec,
}

/// Does `codex app-server` take these arguments? It knows settings and features, and no profile.
pub(super) fn fits_app_server(arguments: &[String]) -> bool {
    let mut arguments = arguments.iter();
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "-c" | "--config" | "--enable" | "--disable" => drop(arguments.next()),
            joined
                if ["-c", "--config=", "--enable=", "--disable="]
                    .iter()
                    .any(|flag| joined.starts_with(flag)) => {}
            _ => return false,
        }
    }
    true
}

/// What locks a call in; within a sandbox of Windlass's it needs none of its own, and would not start one.
pub(super) fn sandbox(agent: &AgentSpec, call: CallFiles<'_>) -> Sandbox {
    match () {
        () if agent.skip_permissions || call.confinement == Confinement::Sandbox => Sandbox::DangerFullAccess,
        () if call.purpose.edits() => Sandbox::WorkspaceWrite,
        () => Sandbox::ReadOnly,
    }
}

/// What is asked of it before it works.
pub(super) fn of_question(agent: &AgentSpec, question: Question) -> Invocation {
    let asked: &[&str] = match question {
        Question::Version => &["--version"],
        Question::Login => &["login", "status"],
    };
    let arguments = asked.iter().map(OsString::from).collect();
    Invocation { program: agent.program.clone(), arguments, environment: Vec::new() }
}

/// The invocation of one call: a fresh session that is kept nowhere.
pub(super) fn of_call(agent: &AgentSpec, call: CallFiles<'_>, way: Way) -> Invocation {
    let arguments = match way {
        Way::AppServer => of_app_server(agent),
        Way::Exec => of_exec(agent, sandbox(agent, call)),
    };
    Invocation { program: agent.program.clone(), arguments, environment: environment(agent) }
}

/// Its prompt is on standard input.
fn of_exec(agent: &AgentSpec, sandbox: Sandbox) -> Vec<OsString> {
    let mut arguments: Vec<OsString> =
        ["exec", "--json", "--ephemeral", "--skip-git-repo-check"].map(OsString::from).to_vec();
    match sandbox {
        Sandbox::DangerFullAccess => arguments.push("--dangerously-bypass-approvals-and-sandbox".into()),
        locked => arguments.extend(["-s", locked.as_str()].map(OsString::from)),
    }
    arguments.extend(common(agent));
    arguments.push("-".into());
    arguments
}

/// The rest it is told in the conversation.
fn of_app_server(agent: &AgentSpec) -> Vec<OsString> {
    let mut arguments: Vec<OsString> = vec!["app-server".into()];
    arguments.extend(settings());
    if !agent.add_dirs.is_empty() {
        // As TOML and as JSON a list of strings is written alike.
        let folders = serde_json::to_string(&agent.add_dirs).unwrap_or_default();
        let setting = format!("sandbox_workspace_write.writable_roots={folders}");
        arguments.extend(["-c".into(), setting.into()]);
    }
    arguments.extend(agent.arguments.iter().map(OsString::from));
    arguments
}

/// The invocation of an interactive session: the person sits there, so whatever is not allowed is asked.
pub(super) fn of_session(agent: &AgentSpec, files: SessionFiles<'_>) -> Invocation {
    let mut arguments: Vec<OsString> =
        ["-s", "workspace-write", "-a", "on-request"].map(OsString::from).to_vec();
    arguments.extend(common(agent));
    arguments.extend(["--".into(), files.opening.into()]);
    Invocation { program: agent.program.clone(), arguments, environment: environment(agent) }
}

fn common(agent: &AgentSpec) -> Vec<OsString> {
    let mut arguments = Vec::new();
    for folder in &agent.add_dirs {
        arguments.extend(["--add-dir".into(), folder.into()]);
    }
    arguments.extend(settings());
    if let Some(model) = &agent.model {
        arguments.extend(["-m".into(), model.into()]);
    }
    arguments.extend(agent.arguments.iter().map(OsString::from));
    arguments
}

fn settings() -> impl Iterator<Item = OsString> {
    SETTINGS.iter().flat_map(|setting| ["-c".into(), setting.into()])
}

fn environment(agent: &AgentSpec) -> Changes {
    without_keys(agent, API_KEYS, Vec::new())
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use windlass_core::values::Purpose;

    use super::*;

    fn arguments(agent: &AgentSpec, purpose: Purpose, confinement: Confinement) -> Vec<String> {
        let files = CallFiles {
            prompt: Path::new("/s/prompt.md"),
            system_prompt: Path::new("/s/system.md"),
            settings: Path::new("/s/settings.json"),
            budget: None,
            purpose,
            confinement,
        };
        let arguments = of_call(agent, files, Way::Exec).arguments.into_iter();
        arguments.map(|argument| argument.into_string().unwrap()).collect()
    }

    #[test]
    fn it_is_locked_in_by_one_sandbox() {
        let agent = AgentSpec::new("codex", "/opt/codex".into());
        let value = |purpose, confinement| arguments(&agent, purpose, confinement)[4..6].join(" ");
        assert_eq!(value(Purpose::Work, Confinement::None), "-s workspace-write");
        assert_eq!(value(Purpose::Verify, Confinement::None), "-s read-only");
        let within = value(Purpose::Work, Confinement::Sandbox);
        assert!(within.starts_with("--dangerously-bypass-approvals-and-sandbox "), "{within}");
        let free = AgentSpec { skip_permissions: true, ..agent.clone() };
        let free = arguments(&free, Purpose::Work, Confinement::None);
        assert!(free.contains(&"--dangerously-bypass-approvals-and-sandbox".to_owned()), "{free:?}");
    }

    #[test]
    fn what_was_configured_is_passed_and_the_prompt_comes_last() {
        let agent = AgentSpec {
            model: Some("gpt-5-codex".into()),
            arguments: vec!["--profile".into(), "night".into()],
            add_dirs: vec!["/a b".into()],
            ..AgentSpec::new("codex", "/opt/codex".into())
        };
        let arguments = arguments(&agent, Purpose::Work, Confinement::None);
        let expected = [
            "--add-dir",
            "/a b",
            "-c",
            "check_for_update_on_startup=false",
            "-c",
            "analytics.enabled=false",
            "-m",
            "gpt-5-codex",
            "--profile",
            "night",
            "-",
        ];
        assert_eq!(arguments[6..], expected);
    }

    #[test]
    fn keys_are_kept_out_unless_configured() {
        let agent = AgentSpec::new("codex", "/opt/codex".into());
        let removed: Vec<String> = environment(&agent).into_iter().map(|(name, _)| name).collect();
        assert_eq!(removed, ["CODEX_API_KEY", "OPENAI_API_KEY"]);
        assert_eq!(environment(&AgentSpec { api_keys: true, ..agent }), []);
    }
}
