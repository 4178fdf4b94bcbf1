//! The script's format, and what the player makes of it.

use std::time::Duration;

use serde_json::Value;

use super::player::Player;
use super::script::{AfterLast, Script};
use super::steps::Step;
use super::*;

fn setting(prompt: &str) -> Setting {
    Setting {
        ordinal: 1,
        prompt: prompt.to_owned(),
        permission_mode: "default".to_owned(),
        ..Setting::default()
    }
}

/// Plays a script's first call; the exit code and the events.
fn play_text(steps: &str, prompt: &str) -> (u8, Vec<Value>) {
    let script = Script::parse(&format!("[[call]]\nsteps = [ {steps} ]"), "s.toml").unwrap();
    let (mut out, setting) = (Vec::new(), setting(prompt));
    let code = Player::new(&setting, &mut out, "scripted").play(&script.calls[0]);
    let events = out.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
    (code, events.map(|line| serde_json::from_slice(line).unwrap()).collect())
}

#[test]
fn the_built_in_scripts_are_scripts() {
    for name in ["builtin:default", "builtin:demo"] {
        assert!(Script::load(name).is_ok(), "{name}");
    }
    assert!(matches!(Script::load("builtin:nothing"), Err(ScriptError::NoSuchBuiltin(_))));
}

#[test]
fn the_documentations_example_is_a_script() {
    let documentation = include_str!("../../../../docs/mock-script.md");
    let example = documentation.split("```toml\n").nth(1).and_then(|rest| rest.split("```").next()).unwrap();
    assert_eq!(Script::parse(example, "mock-script.md").unwrap().calls.len(), 3);
}

#[test]
fn what_no_script_may_say_is_refused_with_its_line() {
    for (text, message) in [
        ("", "s.toml: a script needs at least one `[[call]]`"),
        ("[[call]]\nsteps = [\n  { sya = 'x' },\n]", "s.toml:3: unknown `sya`; did you mean `say`?"),
        ("[[call]]\nstep = []", "s.toml:2: unknown `step`; did you mean `steps`?"),
        (
            "[[call]]\nsteps = [{ bash = { comand = 'x' } }]",
            "s.toml:2: unknown `comand`; did you mean `command`?",
        ),
        (
            "[[call]]\nsteps = [{ bash = 3 }]",
            "s.toml:2: invalid type: integer `3`, expected a text or a table",
        ),
        (
            "[[call]]\nsteps = [{ say = 'x', think = 'y' }]",
            "s.toml:2: a step does one thing; make two steps of it",
        ),
        ("[[call]]\nsteps = [\n{ sleep = '3' }]", "s.toml:3: `3` has no unit; write `3s`, `3m` or `3h`"),
        ("[options]\nafter_last = 'stop'", "s.toml:2: unknown `stop`; known here: repeat, fail"),
        (
            "\u{feff}[[call]]\r\nsteps = [{ die = 'USR1' }]",
            "s.toml:2: unknown `USR1`; known here: HUP, INT, TERM, KILL",
        ),
    ] {
        assert_eq!(Script::parse(text, "s.toml").unwrap_err().to_string(), message, "{text}");
    }
}

#[test]
fn calls_are_played_in_order_and_the_last_one_repeats_or_fails() {
    let text = "[[call]]\nsteps = [{ say = 'a' }]\n[[call]]\nsteps = [{ say = 'b' }]\n";
    let mut script = Script::parse(text, "s.toml").unwrap();
    let said = |script: &Script, ordinal| script.call(ordinal).map(|call| call.steps.clone());
    let step = |text: &str| Some(vec![Step::Say(text.to_owned())]);
    assert_eq!((said(&script, 1), said(&script, 2), said(&script, 3)), (step("a"), step("b"), step("b")));
    script.options.after_last = AfterLast::Fail;
    assert_eq!((said(&script, 2), said(&script, 3)), (step("b"), None));
}

#[test]
fn a_call_without_a_result_ends_with_a_sensible_one() {
    let (code, events) = play_text("{ say = 'hi' }", "");
    assert_eq!(code, 0);
    let (first, last) = (&events[0], &events[2]);
    assert_eq!((&first["type"], &first["subtype"]), (&"system".into(), &"init".into()));
    assert_eq!(events[1]["message"]["content"][0]["text"], "hi");
    assert_eq!(
        (&last["type"], &last["is_error"], &last["result"]),
        (&"result".into(), &false.into(), &"Done.".into())
    );
    assert_eq!(last["total_cost_usd"], 0.01);
    assert_eq!(last["usage"]["input_tokens"], 100);
}

#[test]
fn results_are_as_the_script_says() {
    let (code, events) = play_text(
        "{ result = { text = 'one' } }, { result = { subtype = 'error_max_turns', text = 'Reached', turns = 7, cost = 2.5 } }",
        "",
    );
    let (first, second) = (&events[1], &events[2]);
    assert_eq!(code, 1);
    assert_eq!((&first["result_index"], &second["result_index"]), (&0.into(), &1.into()));
    assert_eq!(second["errors"][0], "Reached");
    assert_eq!((&second["terminal_reason"], &second["num_turns"]), (&"max_turns".into(), &7.into()));
    assert!(second.get("result").is_none() && second["is_error"] == true && second["total_cost_usd"] == 2.5);
}

#[test]
fn the_prompt_can_be_echoed_wherever_an_agent_may_echo_it() {
    let (_, events) = play_text(
        "{ say = '1 {{prompt}}' }, { tool = { name = 'Read', output = '2 {{prompt}}' } }, { result = { text = '3 {{ prompt }} {{call}} {{other}} {{' } }",
        "{{call}} goal",
    );
    assert_eq!(events[1]["message"]["content"][0]["text"], "1 {{call}} goal");
    assert_eq!(events[3]["message"]["content"][0]["content"], "2 {{call}} goal");
    assert_eq!(events[4]["result"], "3 {{call}} goal 1 {{other}} {{");
}

#[test]
fn refusals_have_the_fields_of_recorded_ones() {
    for (step, status, marked, kind, api_error) in [
        (
            "{ api_error = { status = 401 } }",
            401.into(),
            "authentication_failed",
            "authentication_error",
            Value::Null,
        ),
        ("{ api_error = { status = 529 } }", 529.into(), "server_error", "overloaded_error", Value::Null),
        ("{ api_error = { status = 429 } }", 429.into(), "rate_limit", "rate_limit_error", Value::Null),
        (
            "{ api_error = { status = 400, error = 'billing_error' } }",
            400.into(),
            "billing_error",
            "invalid_request_error",
            Value::Null,
        ),
        ("{ api_error = { status = 0 } }", Value::Null, "server_error", "", "connection_failed".into()),
        (
            "{ usage_limit = { resets_in = '1h' } }",
            429.into(),
            "rate_limit",
            "rate_limit_error",
            "usage_limit_reached".into(),
        ),
    ] {
        let (code, events) = play_text(step, "");
        let (message, result) = (&events[events.len() - 2], &events[events.len() - 1]);
        assert_eq!(code, 1, "{step}");
        assert_eq!(
            (&message["error"], &message["is_api_error_message"]),
            (&marked.into(), &true.into()),
            "{step}"
        );
        for event in [message, result] {
            assert_eq!((&event["api_error_status"], &event["api_error"]), (&status, &api_error), "{step}");
            assert_eq!(event["api_error_type"].as_str().unwrap_or_default(), kind, "{step}");
        }
        // The trap that real ones set: a refused request is a success that is an error.
        assert_eq!((&result["subtype"], &result["is_error"]), (&"success".into(), &true.into()), "{step}");
    }
}

#[test]
fn a_usage_limit_names_the_second_at_which_it_is_over() {
    let before = jiff::Timestamp::now().as_second();
    let (_, events) = play_text("{ usage_limit = { resets_in = '2s', window = 'seven_day' } }", "");
    let info = &events[1]["rate_limit_info"];
    let resets_at = info["resetsAt"].as_i64().unwrap();
    assert!((before + 2..=before + 4).contains(&resets_at));
    assert_eq!((&info["status"], &info["rateLimitType"]), (&"rejected".into(), &"seven_day".into()));
    let (_, events) = play_text("{ usage_limit = {} }", "");
    assert!(events[1]["rate_limit_info"].get("resetsAt").is_none());
}

#[test]
fn a_refused_tool_call_is_in_the_result_as_well() {
    let (code, events) = play_text("{ deny = { tool = 'Bash', input = { command = 'touch x' } } }", "");
    assert_eq!((code, &events[2]["subtype"]), (0, &"permission_denied".into()));
    let denial = &events[4]["permission_denials"][0];
    assert_eq!((&denial["tool_name"], &denial["tool_input"]["command"]), (&"Bash".into(), &"touch x".into()));
}

#[test]
fn long_lines_and_events_have_the_size_asked_for() {
    for kind in ["text", "tool_result", "garbage"] {
        let text = format!(
            "[[call]]\ninit = false\nsteps = [{{ long_line = {{ bytes = 5000, kind = '{kind}' }} }}, {{ exit = 0 }}]"
        );
        let script = Script::parse(&text, "s.toml").unwrap();
        let (mut out, setting) = (Vec::new(), setting(""));
        Player::new(&setting, &mut out, "scripted").play(&script.calls[0]);
        assert_eq!(out.len(), 5001, "{kind}");
        assert_eq!(serde_json::from_slice::<Value>(&out).is_ok(), kind != "garbage", "{kind}");
    }
    let (_, events) = play_text("{ events = { count = 1000, size = 600 } }", "");
    assert_eq!(events.len(), 1002);
}

#[test]
fn a_reader_that_leaves_does_not_end_the_agent() {
    struct Gone;
    impl Write for Gone {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            Err(io::ErrorKind::BrokenPipe.into())
        }
        fn flush(&mut self) -> io::Result<()> {
            Err(io::ErrorKind::BrokenPipe.into())
        }
    }
    let script = Script::parse("[[call]]\nsteps = [{ say = 'x' }, { exit = 5 }]", "s.toml").unwrap();
    assert_eq!(Player::new(&setting(""), Gone, "scripted").play(&script.calls[0]), 5);
}

#[test]
fn pauses_may_be_short() {
    let script = Script::parse("[[call]]\nsteps = [{ sleep = '50ms' }]", "s.toml").unwrap();
    let Step::Sleep(pause) = &script.calls[0].steps[0] else { panic!("{script:?}") };
    assert_eq!(pause.0, Duration::from_millis(50));
}
