//! The scripted agent: it prints what Claude Code prints, and really does what it says.

use std::io::Write;
use std::process::{Command, Stdio};

use serde_json::Value;

use super::{Place, answer, text};

/// Runs the agent with a prompt; its exit code and its events.
fn events(command: &mut Command, prompt: &str) -> (Option<i32>, Vec<Value>) {
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(prompt.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    let lines = output.stdout.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
    (output.status.code(), lines.map(|line| serde_json::from_slice(line).unwrap()).collect())
}

/// What the tools answered: text, and whether it is an error.
fn tool_results(events: &[Value]) -> Vec<(String, bool)> {
    let blocks =
        events.iter().filter(|event| event["type"] == "user").map(|event| &event["message"]["content"][0]);
    blocks.map(|block| (block["content"].as_str().unwrap().to_owned(), block["is_error"] == true)).collect()
}

#[test]
fn its_tools_really_work() {
    let place = Place::new();
    let (code, events) = events(
        &mut place.agent(
            "{ write = { path = 'a/b.txt', text = \"one\\n\" } }, { append = { path = 'a/b.txt', text = \"two\\n\" } },
             { edit = { path = 'a/b.txt', old = 'one', new = 'ONE' } }, { read = 'a/b.txt' },
             { bash = 'cat a/b.txt; echo oops >&2; exit 3' }, { move = { from = 'a', to = 'c' } },
             { edit = { path = 'c/b.txt', old = 'missing', new = '' } }, { delete = 'c' }, { read = 'c/b.txt' },
             { write = { path = 'silent.txt', text = '{{prompt}}', silent = true } }, { bash = { command = 'true', silent = true } }",
        ),
        "the prompt",
    );
    assert_eq!(code, Some(0));
    let results = tool_results(&events);
    let expected = [
        ("File created", false),
        ("The file a/b.txt has been updated", false),
        ("The file a/b.txt has been updated", false),
        ("1\tONE\n2\ttwo\n3\t", false),
        ("Exit code 3\nONE\ntwo\noops", true),
        ("", false),
        ("String to replace not found in file.", true),
        ("", false),
        ("File does not exist", true),
    ];
    assert_eq!(results.len(), expected.len(), "{results:?}");
    for ((output, is_error), (beginning, failed)) in results.iter().zip(expected) {
        assert!(output.starts_with(beginning) && *is_error == failed, "{output:?} is not {beginning:?}");
    }
    assert_eq!(place.read("silent.txt"), "the prompt");
    assert!(!place.work().join("a").exists() && !place.work().join("c").exists());
}

#[test]
fn which_call_it_is_comes_from_the_environment() {
    let place = Place::new();
    let script = text(&place.file(
        "script.toml",
        "[options]\nafter_last = 'fail'\n[[call]]\nsteps = [{ exit = 11 }]\n[[call]]\nsteps = [{ exit = 12 }]\n",
    ));
    for (call, code) in [(None, 11), (Some("1"), 11), (Some("2"), 12), (Some("3"), 70)] {
        let mut command = place.windlass(&["__agent", &script, "-p"]);
        command.envs(call.map(|call| ("WINDLASS_CALL", call)));
        assert_eq!(answer(&mut command).code, Some(code), "{call:?}");
    }
}

#[test]
fn it_takes_the_arguments_of_a_real_agent() {
    let place = Place::new();
    let system = text(&place.file("system.md", "be brief"));
    let script = text(
        &place.file("script.toml", "[[call]]\nsteps = [{ say = '{{system_prompt}} {{env:COLOUR}}' }]\n"),
    );
    let mut command = place.windlass(&[
        "__agent",
        &script,
        "-p",
        "--output-format",
        "stream-json",
        "--verbose",
        "--include-partial-messages",
        "--permission-mode",
        "acceptEdits",
        "--append-system-prompt-file",
        &system,
        "--model",
        "opus",
        "--help",
    ]);
    let (code, events) = events(command.env("COLOUR", "red"), "");
    assert_eq!(code, Some(0));
    assert_eq!((&events[0]["model"], &events[0]["permissionMode"]), (&"opus".into(), &"acceptEdits".into()));
    assert_eq!(events[1]["message"]["content"][0]["text"], "be brief red");
    let version = place.ask(&["__agent", "builtin:default", "--version"]);
    assert!(version.stdout.starts_with("2.1.330 ("), "{}", version.stdout);
}

#[test]
fn it_works_inside_a_run() {
    let place = Place::new();
    assert_eq!(answer(place.agent("{ exit = 9 }").env("WINDLASS_RUN", "r-12345678")).code, Some(9));
}

#[test]
fn a_wrong_script_is_refused_before_anything_happens() {
    let place = Place::new();
    let answer = answer(&mut place.agent("{ say = 'x' }, { syy = 'x' }"));
    assert_eq!((answer.code, answer.stdout.as_str()), (Some(2), ""));
    assert!(answer.stderr.contains("script.toml:2: unknown `syy`; did you mean `say`?"), "{}", answer.stderr);
}

#[test]
fn output_in_bulk_is_whole() {
    let place = Place::new();
    let steps = "{ noise = 200000 }, { long_line = { bytes = 20000000, kind = 'tool_result' } }, { events = { count = 100000, size = 1000 } }, { stderr = 'done' }";
    let output = place.agent(steps).output().unwrap();
    let lines: Vec<usize> = output.stdout.split(|byte| *byte == b'\n').map(<[u8]>::len).collect();
    assert!(lines.contains(&20_000_000));
    assert_eq!(lines.iter().filter(|length| **length == 1_000).count(), 100_000);
    assert!(output.stdout.len() > 120_200_000);
    assert_eq!(output.stderr, b"done\n");
}
