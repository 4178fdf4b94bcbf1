use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use proptest::prelude::*;

use super::*;
use crate::spec::Mode;
use crate::values::{Grounds, RunId, StopReason};

fn end(hook: HookName, result: CheckResult, stdout: &str, stderr: &str) -> (HookDecision, String, String) {
    let HookAnswer { decision, reason, prompt } =
        answer(&HookEnd { hook, result, stdout: stdout.as_bytes(), stderr });
    (decision, reason, prompt)
}

// rows: 107, 108
#[test]
fn exit_codes_mean_what_they_meant_in_the_seed() {
    use CheckResult::{Failed, Lost, Passed, Signalled, TimedOut};
    use HookDecision::{Abort, Continue, Skip, Warn};
    use HookName::{Finished, NextIteration, Started};
    for (result, started, next, finished) in [
        (Passed, Continue, Continue, Continue),
        (Failed(1), Warn, Skip, Warn),
        (Failed(2), Abort, Abort, Warn),
        (Failed(3), Warn, Warn, Warn),
        (Failed(126), Warn, Warn, Warn),
        (Signalled(11), Warn, Warn, Warn),
        (TimedOut, Warn, Warn, Warn),
        (Lost, Warn, Warn, Warn),
    ] {
        for (hook, expected) in [(Started, started), (NextIteration, next), (Finished, finished)] {
            let (decision, _, prompt) = end(hook, result, "", "");
            assert_eq!((decision, prompt), (expected, String::new()), "{hook:?} {result:?}");
        }
    }
    assert!(end(Started, Failed(1), "", "busy").1.contains("no iteration to skip here: busy"));
    assert!(end(Finished, Failed(2), "", "").1.ends_with("nothing to abort"));
}

// rows: 107
#[test]
fn the_last_lines_say_why() {
    let said = |stdout, stderr| end(HookName::NextIteration, CheckResult::Failed(1), stdout, stderr).1;
    assert_eq!(said("out", "one\ntwo\n\n  three \n\u{1b}[31mfour\n"), "two / three / four");
    assert_eq!(said("a\nb\n", " \n"), "a / b");
    assert_eq!(said("", ""), "");
    assert_eq!(said("", &"ä".repeat(5000)).chars().count(), LONGEST_REASON);
}

// rows: 107
#[test]
fn an_answer_refines_success() {
    use HookDecision::{Abort, Continue, Skip, Warn};
    let next = |stdout: &str| end(HookName::NextIteration, CheckResult::Passed, stdout, "noise");
    let none = String::new;
    for (stdout, decision, reason, prompt) in [
        ("", Continue, "", ""),
        ("all is well\n", Continue, "", ""),
        ("{}", Continue, "", ""),
        ("null", Continue, "", ""),
        ("[\"abort\"]", Continue, "", ""),
        (r#"{"decision":"continue"}"#, Continue, "", ""),
        (r#"{"decision":null,"reason":null,"prompt":null}"#, Continue, "", ""),
        ("\u{feff} {\"decision\": \"skip\",\r\n \"reason\": \"busy\\nnow\"}\n", Skip, "busy now", ""),
        (r#"{"decision":"abort","reason":"enough","prompt":"unheard"}"#, Abort, "enough", ""),
        (r#"{"prompt":" Mind \u001b the gap.\r\nNow. ","answer":42}"#, Continue, "", "Mind  the gap.\nNow."),
        (r#"{"decision":"stop"}"#, Warn, "its `decision` is \"stop\", not continue, skip or abort", ""),
        (r#"{"decision":true}"#, Warn, "its `decision` is true or false, not a text", ""),
        (r#"{"prompt":["a"]}"#, Warn, "its `prompt` is a list, not a text", ""),
        (r#"{"decision":"abort","reason":7}"#, Abort, "its `reason` is a number, not a text", ""),
        // A service's answer that went to standard output says nothing to us.
        (r#"{"id":"x","event":"message"}"#, Continue, "", ""),
        ("{\"ok\":true}{\"ok\":true}", Continue, "", ""),
        ("{ not json", Continue, "", ""),
        // A log may have objects of its own, and a reason alone decides nothing.
        ("starting...\n{\"level\":\"info\",\"reason\":\"x\"}\n[{\"decision\":\"abort\"}]", Continue, "", ""),
    ] {
        assert_eq!(next(stdout), (decision, reason.to_owned(), prompt.to_owned()), "{stdout}");
    }
    let (decision, reason, _) = next(r#"{"decision":"abort""#);
    assert!(decision == Warn && reason.starts_with("its answer is not one JSON object"), "{reason}");
    let (decision, ..) = next("{\"decision\":\"abort\"}\nand more");
    assert_eq!(decision, Warn);
    // An answer among other text counts for nothing, and is not passed over in silence.
    for answer in
        ["{\"decision\":\"abort\"}", "\u{feff}{\"decision\": \"abort\"}\r", "  {\"prompt\":\"Mind.\"}"]
    {
        let (decision, reason, prompt) = next(&format!("starting...\n{answer}\nended\n"));
        assert!(decision == Warn && reason.contains("among other text"), "{answer}: {reason}");
        assert_eq!(prompt, "");
    }
    assert_eq!(next(&"[".repeat(100_000)), (Continue, none(), none()));
    assert_eq!(next(&"{\"a\":".repeat(10_000)), (Continue, none(), none()));
}

#[test]
fn an_answer_is_bounded_and_allowed_where_it_means_something() {
    let prompt = "ü".repeat(6000);
    let said = serde_json::json!({ "prompt": prompt, "reason": prompt }).to_string();
    let (decision, reason, kept) = end(HookName::Started, CheckResult::Passed, &said, "");
    assert!(decision == HookDecision::Warn && reason.contains("`prompt` is longer than 8 KiB"), "{reason}");
    assert!(kept.len() < LONGEST_PROMPT + 32 && kept.ends_with("[… cut at 8 KiB]"), "{}", kept.len());
    // Nobody works after the end, so nothing is missing there.
    let (decision, reason, kept) = end(HookName::Finished, CheckResult::Passed, &said, "");
    assert_eq!((decision, kept.as_str()), (HookDecision::Continue, ""));
    assert_eq!(reason.chars().count(), LONGEST_REASON);
    // A text for the agent is meant as much as a decision.
    let huge = format!("{{\"prompt\":\"{}\"}}", "y".repeat(LONGEST_REPLY));
    let (decision, reason, _) = end(HookName::NextIteration, CheckResult::Passed, &huge, "");
    assert!(decision == HookDecision::Warn && reason.contains("64 KiB"), "{reason}");
    let huge = format!("{{\"decision\":\"abort\",\"x\":\"{}\"}}", "y".repeat(LONGEST_REPLY));
    let (decision, reason, _) = end(HookName::Started, CheckResult::Passed, &huge, "");
    assert!(decision == HookDecision::Warn && reason.contains("64 KiB"), "{reason}");
    let skip = r#"{"decision":"skip"}"#;
    assert_eq!(end(HookName::Started, CheckResult::Passed, skip, "").0, HookDecision::Warn);
    let abort = r#"{"decision":"abort"}"#;
    assert_eq!(end(HookName::Finished, CheckResult::Passed, abort, "").0, HookDecision::Warn);
    // An answer counts only beside success.
    assert_eq!(end(HookName::Started, CheckResult::Failed(9), abort, "").0, HookDecision::Warn);
}

proptest! {
    #[test]
    fn no_output_breaks_anything(
        stdout in prop::collection::vec(any::<u8>(), 0..200),
        stderr in ".{0,80}",
        code in -3..300_i32,
        hook in 0_usize..3,
    ) {
        let hook = HookName::ALL[hook];
        for result in [CheckResult::Passed, CheckResult::Failed(code), CheckResult::Lost] {
            let json = [b"{\"decision\":", &stdout[..], b"}"].concat();
            for stdout in [&stdout, &json] {
                let said = answer(&HookEnd { hook, result, stdout, stderr: &stderr });
                prop_assert!(said.reason.chars().count() <= LONGEST_REASON);
                prop_assert!(!said.reason.contains(char::is_control));
            }
        }
    }
}

fn setting() -> HookSetting {
    HookSetting {
        hook: HookName::Finished,
        iteration: 7,
        last_exit_code: 143,
        total_commits: 5,
        commits_made: 2,
        duration: Duration::from_millis(61_900),
        last_duration: Duration::from_secs(9),
        total_iterations: 6,
        last_commit: "c0ffee".to_owned(),
        ending: Some(StopReason::Stagnated),
        grounds: Grounds::Shown,
        project: PathBuf::from("/p"),
        mode: Mode::Build,
        max_iterations: None,
        log_folder: PathBuf::from("/s/runs/r-1"),
        started: "2026-03-01T20:00:00.123Z".parse().unwrap(),
        plan_file: Some(PathBuf::from("IMPLEMENTATION_PLAN.md")),
        spec_folder: None,
        run: RunId("r-1".to_owned()),
        resumed: true,
    }
}

// rows: 106
#[test]
fn hooks_are_told_the_same_under_both_names() {
    let told: BTreeMap<String, String> =
        setting().variables().into_iter().map(|(name, value)| (name, value.into_string().unwrap())).collect();
    let expected = [
        ("NAME", "finished"),
        ("ITERATION", "7"),
        ("LAST_EXIT_CODE", "143"),
        ("TOTAL_COMMITS", "5"),
        ("COMMITS_MADE", "2"),
        ("DURATION", "61"),
        ("LAST_DURATION", "9"),
        ("TOTAL_ITERATIONS", "6"),
        ("LAST_COMMIT_SHA", "c0ffee"),
        ("FINISH_TYPE", "no_changes"),
        ("STOP_REASON", "stagnated"),
        ("PROJECT_DIR", "/p"),
        ("MAX_ITERATIONS", "0"),
        ("LOG_DIR", "/s/runs/r-1"),
        ("STARTED_AT", "2026-03-01T20:00:00Z"),
        ("PLAN_FILE", "IMPLEMENTATION_PLAN.md"),
        ("SPEC_DIR", ""),
        ("RUN", "r-1"),
        ("RESUMED", "true"),
        ("CLAIMED", "false"),
    ];
    assert_eq!(told.len(), 2 * (expected.len() + 1));
    for (name, value) in expected {
        assert_eq!(told[&format!("WINDLASS_HOOK_{name}")], value, "{name}");
        assert_eq!(told[&format!("FRESHER_{name}")], value, "{name}");
    }
    assert_eq!((&told["WINDLASS_HOOK_MODE"][..], &told["FRESHER_MODE"][..]), ("build", "building"));
}

#[test]
fn every_way_out_has_a_word_of_the_seed() {
    let words = ["manual", "max_iterations", "complete", "no_changes", "error"];
    for reason in StopReason::ALL {
        assert!(words.contains(&reason.finish_type()), "{reason:?}");
        let orderly = reason.exit_code(crate::values::ExitCodes::Simple) == 0;
        let manual = reason.finish_type() == "manual";
        assert_eq!(orderly || manual, reason.finish_type() != "error", "{reason:?}");
    }
}

#[test]
fn the_document_has_the_table_of_variables() {
    let document = include_str!("../../../../docs/hooks.md");
    assert!(
        document.contains(&HookSetting::reference()),
        "docs/hooks.md should have this:\n{}",
        HookSetting::reference()
    );
}
