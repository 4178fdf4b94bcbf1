//! What a person's own settings, hooks and files of Claude Code do to a run: it is said, and no task is blamed for it.

use serde_json::json;
use windlass_testkit::api::{Reply, Scenario};
use windlass_testkit::environment::{Credentials, TestEnv};

use crate::night::{COMPLETE, Ended, Night};

/// With these settings of the person's own.
fn with_settings(scenario: Scenario, settings: &str) -> Night {
    let night = Night::new(scenario);
    night.env.write(night.env.home().join(".claude/settings.json"), settings);
    night
}

fn hook(event: &str, command: &str) -> String {
    json!({"hooks": {event: [{"hooks": [{"type": "command", "command": command}]}]}}).to_string()
}

const ONCE: &[&str] = &["--max-iterations", "1"];
const THREE: &[&str] = &["--max-iterations", "3", "--exit-codes", "detailed"];

fn expect_nothing_asked(night: &Night, run: &Ended) {
    run.expect("agent_unavailable", 21);
    assert_eq!(run.classes(), ["config"], "it ends at once");
    assert_eq!(night.api.requests().len(), 0);
}

// attack(trust): a person's own rule denies a command, and a hook of theirs refuses a file, night after night
// holds: it says who refused what, with the hook's words, and prints no command that would allow it and change nothing
#[test]
fn what_a_persons_own_rule_or_hook_refuses_is_said_to_be_theirs() {
    let policy = "grep -q hook.txt && { echo policy forbids it >&2; exit 2; } || exit 0";
    let settings = json!({
        "permissions": {"deny": ["Bash(make deploy)"]},
        "hooks": {"PreToolUse": [{"matcher": "Write", "hooks": [{"type": "command", "command": policy}]}]},
    });
    let env = TestEnv::with_git();
    env.write(env.home().join(".claude/settings.json"), settings.to_string());
    let file = env.project().join("hook.txt");
    let steps = [Reply::bash("make deploy"), Reply::write(file, "x"), Reply::text("I may not.")];
    let run = Night::at(env, Scenario::new(steps).repeat_last(), Credentials::ApiKey).run(ONCE);
    run.expect("max_iterations", 10)
        .says("refused by a rule of its settings that denies it")
        .says("refused by a hook of its settings: policy forbids it");
    assert!(!run.said.contains("permissions.allow"), "{}", run.said);
}

// attack(endings): the agent's own file of settings is cut off, so that it can do nothing at all
// holds: the run ends at once and says which command puts it right; no iteration is counted as failed
#[test]
fn a_broken_file_of_the_agents_own_ends_the_run_with_what_mends_it() {
    for has_backup in [true, false] {
        let night = Night::new(Scenario::always(Reply::text("Done.")));
        let file = night.env.home().join(".claude/.claude.json");
        night.env.write(&file, "{\"a\": ");
        let mend = if has_backup {
            let backup = night.env.home().join(".claude/backups/.claude.json.backup.1796078662303");
            night.env.write(&backup, r#"{"firstStartTime": "2026-11-30T22:44:22.303Z"}"#);
            format!("cp -f \"{}\" \"{}\"", backup.display(), file.display())
        } else {
            format!("Fix the JSON in {}, or move the file aside", file.display())
        };
        let run = night.run(THREE);
        expect_nothing_asked(&night, &run);
        run.says("Configuration error in ").says(&mend);
        assert!(run.all("iteration_finished").is_empty(), "{}", run.said);
    }
}

// attack(claims): a person's hook keeps every prompt from the model, and what is printed in its place repeats the prompt, with
//   the phrase that claims to be done
// holds: the run ends at once with the hook's words; nothing is claimed
#[test]
fn a_hook_that_keeps_prompts_from_the_model_ends_the_run_with_its_words() {
    for (command, words) in [
        ("echo policy says no >&2; exit 2", "policy says no"),
        (r#"echo '{"continue":false,"stopReason":"policy stops it"}'"#, "policy stops it"),
    ] {
        let night =
            with_settings(Scenario::always(Reply::text(COMPLETE)), &hook("UserPromptSubmit", command));
        let run = night.run(THREE);
        expect_nothing_asked(&night, &run);
        run.says("A hook of the agent's settings kept the prompt from the model").says(words);
    }
}

#[test]
fn a_turn_that_a_hook_ends_is_told_with_the_iteration() {
    let stops = r#"echo '{"continue":false,"stopReason":"enough"}'"#;
    for (event, reason) in [("PostToolUse", "hook_stopped"), ("Stop", "stop_hook_prevented")] {
        let story = Scenario::new([Reply::bash("git status"), Reply::text("Done for now.")]).repeat_last();
        let run = with_settings(story, &hook(event, stops)).run(ONCE);
        run.expect("max_iterations", 10)
            .says(&format!("a hook of the agent's settings ended its turn ({reason})"));
    }
}

// attack(trust): the person's own settings are no JSON, so that the agent ignores what they deny
// holds: that is said before anything is paid for
#[test]
fn settings_that_the_agent_ignores_are_named_before_the_first_iteration() {
    let broken = r#"{"permissions": {"deny": ["Bash(make test)"]},}"#;
    let run = with_settings(Scenario::always(Reply::text("Done.")), broken).run(ONCE);
    run.expect("max_iterations", 10).says(".claude/settings.json is no object of JSON");
    let told = run.said.find("is no object of JSON").unwrap();
    assert!(told < run.said.find(" idle ").unwrap(), "{}", run.said);
}

// attack(endings): a gateway answers for the API, with 200 and a document of its own, and then lets calls through
// holds: it is an outage: it is waited for, and the same iteration goes on
#[test]
fn what_answers_in_the_apis_place_is_an_outage() {
    let portal = || Reply::error(200, "portal", "Please log in");
    let scenario =
        Scenario::computed(
            move |request| {
                if request.number < 4 { portal() } else { Reply::text("Done for now.") }
            },
        );
    let night = Night::new(scenario)
        .variable("CLAUDE_CODE_MAX_RETRIES", "0")
        .variable("WINDLASS_CLOCKS__BACKOFF", "1s");
    let run = night.run(ONCE);
    run.expect("max_iterations", 10);
    let classes = run.classes();
    let (last, before) = classes.split_last().unwrap();
    assert_eq!(**last, "success");
    assert!(!before.is_empty() && before.iter().all(|class| **class == "outage"), "{classes:?}");
    assert_eq!(run.each("iteration_finished", "iteration"), [1]);
}

// attack(money): the agent starts a workflow, whose agents work in the background and of whose words the stream has nothing
// holds: there is no such tool until a person names it or lets tasks run in the background; nobody is advised to allow it
#[test]
fn workflows_are_off_and_said_to_be() {
    let script =
        r#"export const meta={name:"x",description:"d"};return await parallel([()=>agent("do it")])"#;
    let steps = || {
        Scenario::new([Reply::tool("Workflow", json!({"script": script})), Reply::text("I may not.")])
            .repeat_last()
    };
    let night = Night::new(steps());
    let run = night.run(ONCE);
    run.expect("max_iterations", 10).says("denied: Workflow").says("this tool is off");
    assert!(!run.said.contains("permissions.allow"), "{}", run.said);
    let answered = night.api.requests().last().unwrap().tool_results();
    assert!(
        answered[0].is_error && answered[0].content.contains("is disabled for this session"),
        "{answered:?}"
    );
}
