//! The command line of a call.

use std::ffi::OsString;

use windlass_core::spec::AgentSpec;
use windlass_core::values::Cost;

use super::API_KEYS;
use crate::{CallFiles, Invocation, Question, SessionFiles, answer_schema};

/// What a Claude Code that runs its tools tells them about itself. Inherited by a call, it would take itself for a
/// part of that session.
const SESSION: &[&str] = &[
    "CLAUDECODE",
    "CLAUDE_CODE_SESSION_ID",
    "CLAUDE_CODE_CHILD_SESSION",
    "CLAUDE_CODE_ENTRYPOINT",
    "CLAUDE_CODE_SSE_PORT",
    "CLAUDE_PID",
    "AI_AGENT",
];

/// What changes files.
const EDITING_TOOLS: &str = "Edit,Write,NotebookEdit";

/// The invocation of one call. A fresh session always: nothing is resumed, nothing is kept.
pub(super) fn of_call(agent: &AgentSpec, call: CallFiles<'_>) -> Invocation {
    let mut environment = environment(agent);
    // What a prompt relays is inert already; this holds where a later version expands more than is known.
    environment.push(("CLAUDE_CODE_DISABLE_FILE_MENTIONS".to_owned(), Some("1".to_owned())));
    Invocation { program: agent.program.clone(), arguments: arguments(agent, call), environment }
}

/// What it is asked before it works. Asking is starting: a helper that the repository names would say who is logged in.
pub(super) fn of_question(agent: &AgentSpec, question: Question) -> Invocation {
    let mut arguments = sources(agent);
    let asked: &[&str] = match question {
        Question::Version => &["--version"],
        Question::Login => &["auth", "status"],
    };
    arguments.extend(asked.iter().map(OsString::from));
    let environment = vec![("DISABLE_AUTOUPDATER".to_owned(), Some("1".to_owned()))];
    Invocation { program: agent.program.clone(), arguments, environment }
}

/// The invocation of an interactive session: the person sits there, so whatever is not allowed is asked.
pub(super) fn of_session(agent: &AgentSpec, files: SessionFiles<'_>) -> Invocation {
    let mut arguments: Vec<OsString> = agent.arguments.iter().map(OsString::from).collect();
    arguments.extend(["--append-system-prompt-file".into(), files.system_prompt.into()]);
    arguments.extend(["--settings".into(), files.settings.into()]);
    arguments.extend(sources(agent));
    arguments.extend(["--permission-mode", "default"].map(OsString::from));
    if let Some(model) = &agent.model {
        arguments.extend(["--model".into(), model.into()]);
    }
    arguments.extend(["--".into(), files.opening.into()]);
    Invocation { program: agent.program.clone(), arguments, environment: environment(agent) }
}

/// Where settings are read from, if not from everywhere: the repository's hooks, servers, variables and helpers are all in
/// those of the project, and no switch of each would close what a later version brings.
fn sources(agent: &AgentSpec) -> Vec<OsString> {
    if agent.repository_settings.are_used() {
        return Vec::new();
    }
    ["--setting-sources", "user"].map(OsString::from).to_vec()
}

fn arguments(agent: &AgentSpec, call: CallFiles<'_>) -> Vec<OsString> {
    let mut arguments: Vec<OsString> = agent.arguments.iter().map(OsString::from).collect();
    // Flags that take several values end at the next flag, so ours may follow the user's.
    arguments.extend(["-p", "--output-format", "stream-json", "--verbose"].map(OsString::from));
    // Only so is it said what a message has used before all of them are over, and that the agent is alive while it writes.
    arguments.push("--include-partial-messages".into());
    arguments.extend(["--append-system-prompt-file".into(), call.system_prompt.into()]);
    for folder in &agent.add_dirs {
        arguments.extend(["--add-dir".into(), folder.into()]);
    }
    arguments.extend(sources(agent));
    arguments.push("--no-session-persistence".into());
    arguments.extend(["--settings".into(), call.settings.into()]);
    if let Some(schema) = answer_schema(call.purpose) {
        arguments.extend(["--json-schema", schema].map(OsString::from));
    }
    if !call.purpose.edits() {
        arguments.extend(["--disallowedTools".into(), EDITING_TOOLS.into()]);
    }
    if agent.skip_permissions {
        arguments.push("--dangerously-skip-permissions".into());
    } else {
        let mode = if call.purpose.edits() { "acceptEdits" } else { "default" };
        arguments.extend(["--permission-mode", mode].map(OsString::from));
    }
    if let Some(model) = &agent.model {
        arguments.extend(["--model".into(), model.into()]);
    }
    if let Some(turns) = agent.max_turns {
        arguments.extend(["--max-turns".into(), turns.to_string().into()]);
    }
    if let Some(budget) = call.budget {
        arguments.extend(["--max-budget-usd".into(), dollars(budget).into()]);
    }
    arguments
}

fn environment(agent: &AgentSpec) -> Vec<(String, Option<String>)> {
    let mut environment: Vec<(String, Option<String>)> = Vec::new();
    let mut remove = |names: &[&str]| environment.extend(names.iter().map(|name| ((*name).to_owned(), None)));
    remove(SESSION);
    if !agent.api_keys {
        remove(API_KEYS);
    }
    let mut set = |name: &str| environment.push((name.to_owned(), Some("1".to_owned())));
    set("DISABLE_AUTOUPDATER");
    // It would carry over what neither the snapshots nor a person sees.
    set("CLAUDE_CODE_DISABLE_AUTO_MEMORY");
    if !agent.background {
        set("CLAUDE_CODE_DISABLE_BACKGROUND_TASKS");
    }
    environment
}

/// Dollars without an exponent; never nothing, which the program would refuse.
fn dollars(budget: Cost) -> String {
    let micros = budget.micros().max(1);
    let text = format!("{}.{:06}", micros / 1_000_000, micros % 1_000_000);
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use windlass_core::values::Purpose;

    use super::*;
    use crate::{ASSESSMENT_SCHEMA, Confinement, REVIEW_SCHEMA};

    fn agent() -> AgentSpec {
        AgentSpec { version: "2.1.330".into(), ..AgentSpec::new("claude", "/opt/claude".into()) }
    }

    fn invocation(agent: &AgentSpec, budget: Option<Cost>) -> Invocation {
        let call = CallFiles {
            prompt: Path::new("/s/prompt.md"),
            system_prompt: Path::new("/s/system.md"),
            settings: Path::new("/s/settings.json"),
            budget,
            purpose: Purpose::Work,
            confinement: Confinement::None,
        };
        of_call(agent, call)
    }

    // rows: 11, 23, 24, 25, 28, 29, 35
    // Seed defect D2, seed 002 §4.1: the command lacked a flag that the agent insists on.
    // Seed defect D3, core/claude.ts:219, 234-236: a stray dash was part of the prompt.
    #[test]
    fn the_plain_call() {
        let invocation = invocation(&agent(), None);
        assert_eq!(invocation.program, Path::new("/opt/claude"));
        assert_eq!(
            invocation.arguments,
            [
                "-p",
                "--output-format",
                "stream-json",
                "--verbose",
                "--include-partial-messages",
                "--append-system-prompt-file",
                "/s/system.md",
                "--no-session-persistence",
                "--settings",
                "/s/settings.json",
                "--permission-mode",
                "acceptEdits",
            ]
        );
    }

    // rows: 29, 32
    // Seed defect D3, core/claude.ts:226-228: a path with spaces broke the command line, and what it held was run.
    #[test]
    fn folders_beyond_the_project_are_passed_as_they_are() {
        let agent = AgentSpec { add_dirs: vec!["/a b".into(), "/$(x)".into()], ..agent() };
        let arguments = invocation(&agent, None).arguments;
        assert_eq!(arguments[7..12], ["--add-dir", "/a b", "--add-dir", "/$(x)", "--no-session-persistence"]);
    }

    // rows: 132
    #[test]
    fn whoever_judges_answers_as_a_structure_and_may_not_edit() {
        let call = CallFiles {
            prompt: Path::new("/s/prompt.md"),
            system_prompt: Path::new("/s/system.md"),
            settings: Path::new("/s/settings.json"),
            budget: None,
            purpose: Purpose::Verify,
            confinement: Confinement::None,
        };
        let arguments = of_call(&agent(), call).arguments;
        let value = |flag: &str| {
            let at = arguments.iter().position(|argument| argument == flag)?;
            arguments.get(at + 1)?.to_str()
        };
        assert_eq!(value("--json-schema"), Some(ASSESSMENT_SCHEMA));
        assert_eq!(value("--disallowedTools"), Some("Edit,Write,NotebookEdit"));
        assert_eq!(value("--permission-mode"), Some("default"));
    }

    #[test]
    fn a_reviewer_answers_as_a_structure_and_may_edit() {
        let call = CallFiles {
            prompt: Path::new("/s/prompt.md"),
            system_prompt: Path::new("/s/system.md"),
            settings: Path::new("/s/settings.json"),
            budget: None,
            purpose: Purpose::Review,
            confinement: Confinement::None,
        };
        let arguments = of_call(&agent(), call).arguments;
        let follows = |flag: &str, value: &str| arguments.windows(2).any(|pair| pair == [flag, value]);
        assert!(follows("--json-schema", REVIEW_SCHEMA) && follows("--permission-mode", "acceptEdits"));
        assert!(!arguments.contains(&"--disallowedTools".into()));
    }

    // rows: 23, 26, 27, 30, 31, 33, 58
    #[test]
    fn what_was_configured_is_passed() {
        let agent = AgentSpec {
            model: Some("sonnet".into()),
            max_turns: Some(50),
            arguments: vec!["--add-dir".into(), "../lib".into()],
            skip_permissions: true,
            ..agent()
        };
        let arguments = invocation(&agent, Some(Cost::from_dollars(2.5))).arguments;
        assert_eq!(arguments[..3], ["--add-dir", "../lib", "-p"]);
        assert_eq!(
            arguments[12..],
            [
                "--dangerously-skip-permissions",
                "--model",
                "sonnet",
                "--max-turns",
                "50",
                "--max-budget-usd",
                "2.5"
            ]
        );
        assert!(!arguments.contains(&"--permission-mode".into()));
    }

    #[test]
    fn a_session_is_no_call() {
        let agent =
            AgentSpec { model: Some("opus".into()), skip_permissions: true, max_turns: Some(3), ..agent() };
        let files = SessionFiles {
            system_prompt: Path::new("/s/system.md"),
            settings: Path::new("/s/settings.json"),
            opening: "Let us begin.",
        };
        let invocation = of_session(&agent, files);
        let expected = [
            "--append-system-prompt-file",
            "/s/system.md",
            "--settings",
            "/s/settings.json",
            "--permission-mode",
            "default",
            "--model",
            "opus",
            "--",
            "Let us begin.",
        ];
        assert_eq!(invocation.arguments, expected);
        assert!(invocation.environment.contains(&("ANTHROPIC_API_KEY".to_owned(), None)));
    }

    #[test]
    fn keys_and_session_are_kept_out_unless_configured() {
        let value = |agent: &AgentSpec, name: &str| {
            let environment = invocation(agent, None).environment;
            environment.into_iter().find(|(known, _)| known == name).map(|(_, value)| value)
        };
        let on = || Some(Some("1".to_owned()));
        let plain = agent();
        assert_eq!(value(&plain, "ANTHROPIC_API_KEY"), Some(None));
        assert_eq!(value(&plain, "ANTHROPIC_AUTH_TOKEN"), Some(None));
        assert_eq!(value(&plain, "CLAUDECODE"), Some(None));
        assert_eq!(value(&plain, "DISABLE_AUTOUPDATER"), on());
        assert_eq!(value(&plain, "CLAUDE_CODE_DISABLE_AUTO_MEMORY"), on());
        assert_eq!(value(&plain, "CLAUDE_CODE_DISABLE_BACKGROUND_TASKS"), on());
        assert_eq!(value(&plain, "CLAUDE_CODE_DISABLE_FILE_MENTIONS"), on());
        let open = AgentSpec { api_keys: true, background: true, ..agent() };
        assert_eq!(value(&open, "ANTHROPIC_API_KEY"), None);
        assert_eq!(value(&open, "CLAUDE_CODE_DISABLE_BACKGROUND_TASKS"), None);
        assert_eq!(value(&open, "CLAUDE_CODE_SESSION_ID"), Some(None));
    }

    // rows: 55
    #[test]
    fn a_budget_is_written_without_an_exponent_and_is_never_nothing() {
        for (micros, text) in
            [(0, "0.000001"), (1, "0.000001"), (100_000, "0.1"), (12_000_000, "12"), (10_500_000, "10.5")]
        {
            assert_eq!(dollars(Cost::from_micros(micros)), text);
        }
    }
}
