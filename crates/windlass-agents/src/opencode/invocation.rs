//! The command line of opencode.

use std::ffi::OsString;

use windlass_core::spec::AgentSpec;

use super::configuration::{Rights, environment};
use super::description::API_KEYS;
use crate::variables::without_keys;
use crate::{CallFiles, Invocation, Question, SessionFiles};

/// What is asked of it before it works.
pub(super) fn of_question(agent: &AgentSpec, question: Question) -> Invocation {
    let asked: &[&str] = match question {
        Question::Version => &["--version"],
        Question::Login => &["auth", "list"],
    };
    let arguments = asked.iter().map(OsString::from).collect();
    Invocation { program: agent.program.clone(), arguments, environment: Vec::new() }
}

/// The invocation of one call: its prompt on standard input, what it tries again on standard error.
pub(super) fn of_call(agent: &AgentSpec, call: CallFiles<'_>) -> Invocation {
    let mut arguments: Vec<OsString> =
        ["run", "--format", "json", "--print-logs", "--log-level", "ERROR"].map(OsString::from).to_vec();
    arguments.extend(common(agent));
    let rights = Rights::of(agent, call.purpose.edits(), call.confinement);
    let environment = without_keys(agent, API_KEYS, environment(call.system_prompt, rights));
    Invocation { program: agent.program.clone(), arguments, environment }
}

/// The invocation of an interactive session.
pub(super) fn of_session(agent: &AgentSpec, files: SessionFiles<'_>) -> Invocation {
    let mut arguments = common(agent);
    if !files.opening.is_empty() {
        // Joined, so that an opening that begins with a dash is none of its flags.
        let mut prompt = OsString::from("--prompt=");
        prompt.push(files.opening);
        arguments.push(prompt);
    }
    let environment = without_keys(agent, API_KEYS, environment(files.system_prompt, Rights::Asks));
    Invocation { program: agent.program.clone(), arguments, environment }
}

fn common(agent: &AgentSpec) -> Vec<OsString> {
    let model = agent.model.iter().flat_map(|model| ["-m".into(), OsString::from(model)]);
    model.chain(agent.arguments.iter().map(OsString::from)).collect()
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use windlass_core::values::Purpose;

    use super::*;
    use crate::Confinement;

    fn call(agent: &AgentSpec, purpose: Purpose, confinement: Confinement) -> Invocation {
        of_call(
            agent,
            CallFiles {
                prompt: Path::new("/s/prompt.md"),
                system_prompt: Path::new("/s/system.md"),
                settings: Path::new("/s/settings.json"),
                budget: None,
                purpose,
                confinement,
            },
        )
    }

    fn config(invocation: &Invocation) -> serde_json::Value {
        let named = invocation.environment.iter().find(|(name, _)| name == "OPENCODE_CONFIG_CONTENT");
        serde_json::from_str(named.unwrap().1.as_deref().unwrap()).unwrap()
    }

    #[test]
    fn what_it_may_do_is_in_its_configuration_and_nothing_is_asked() {
        let agent = AgentSpec::new("opencode", "/opt/opencode".into());
        let permission =
            |purpose, confinement| config(&call(&agent, purpose, confinement))["permission"].clone();
        let free = permission(Purpose::Work, Confinement::None);
        assert_eq!(free, serde_json::json!({"*": "allow", "external_directory": "deny"}));
        assert_eq!(permission(Purpose::Work, Confinement::Sandbox), serde_json::json!({"*": "allow"}));
        for confinement in [Confinement::None, Confinement::Sandbox] {
            assert_eq!(permission(Purpose::Verify, confinement)["edit"], "deny");
        }
        let skips = AgentSpec { skip_permissions: true, ..agent };
        assert_eq!(config(&call(&skips, Purpose::Work, Confinement::None))["permission"]["*"], "allow");
    }

    #[test]
    fn a_call_is_kept_nowhere_and_asks_for_nothing_beside_the_job() {
        let agent =
            AgentSpec { model: Some("openai/gpt-5".into()), ..AgentSpec::new("opencode", "o".into()) };
        let call = call(&agent, Purpose::Work, Confinement::None);
        let arguments: Vec<_> = call.arguments.iter().map(|argument| argument.to_str().unwrap()).collect();
        let expected =
            ["run", "--format", "json", "--print-logs", "--log-level", "ERROR", "-m", "openai/gpt-5"];
        assert_eq!(arguments, expected);
        let config = config(&call);
        assert_eq!((&config["share"], &config["compaction"]["auto"]), (&"disabled".into(), &false.into()));
        assert_eq!(config["instructions"][0], "/s/system.md");
        assert!(call.environment.contains(&("OPENCODE_DB".to_owned(), Some(":memory:".to_owned()))));
        assert!(call.environment.contains(&("OPENAI_API_KEY".to_owned(), None)));
    }
}
