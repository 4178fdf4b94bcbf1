//! Answers that are neither work nor a claim.

use serde_json::{Value, json};
use windlass_testkit::api::{Reply, Scenario};
use windlass_testkit::environment::{Credentials, TestEnv};

use crate::night::{Night, prompt};

/// A single iteration; neither failures nor idleness may be left uncounted.
const ONCE: &[&str] = &["--max-failures", "1", "--stagnation-threshold", "1"];

// rows: 15, 65
#[test]
fn a_prompt_that_is_too_long_is_tried_once_with_short_notes() {
    let env = TestEnv::with_git();
    let notes: Vec<String> = (0..500).map(|line| format!("note {line}")).collect();
    env.write("SHARED_TASK_NOTES.md", notes.join("\n"));
    let night = Night::at(env, Scenario::always(Reply::context_too_long()), Credentials::ApiKey);
    let run = night.run(ONCE);
    run.expect("consecutive_failures", 20);
    assert_eq!(run.classes(), ["context_too_long", "context_too_long"]);
    assert_eq!(run.each("attempt_repeats", "class"), ["context_too_long"]);
    assert_eq!(run.verdicts(), ["failed"]);
    let prompts: Vec<String> = night.first_requests().iter().map(prompt).collect();
    assert!(prompts[0].contains("note 200\n"));
    assert!(!prompts[1].contains("note 200\n") && prompts[1].contains("note 499"), "{}", prompts[1]);
    assert!(prompts[1].len() + 3000 < prompts[0].len());
}

// rows: 62, 65
#[test]
fn what_is_neither_work_nor_error_is_no_progress() {
    for reply in [Reply::empty(), Reply::text("Fine.")] {
        let night = Night::new(Scenario::always(reply));
        let run = night.run(ONCE);
        run.expect("stagnated", 14);
        assert_eq!((run.classes(), run.verdicts()), (vec![&json!("success")], vec![&json!("idle")]));
    }
}

// rows: 64, 65
#[test]
fn an_answer_that_never_ends_or_is_withheld_is_a_failure() {
    for reason in ["max_tokens", "refusal"] {
        let night = Night::new(Scenario::always(Reply::text("and so on").stop_reason(reason)));
        let run = night.run(ONCE);
        run.expect("consecutive_failures", 20);
        assert_eq!((run.classes(), run.verdicts()), (vec![&json!("task_failure")], vec![&json!("failed")]));
        assert!(run.cost() > 0.0);
        assert_eq!(run.finish()["estimated"], Value::Null);
    }
}

// rows: 64, 65
#[test]
fn a_request_that_is_wrong_or_too_large_is_a_failure() {
    let wrong = Reply::error(400, "invalid_request_error", "messages.1: bad thing");
    let large = Reply::error(413, "request_too_large", "Request exceeds the maximum size");
    for (reply, classes) in [(wrong, vec!["unknown"]), (large, vec!["context_too_long"; 2])] {
        let night = Night::new(Scenario::always(reply));
        let run = night.run(ONCE);
        run.expect("consecutive_failures", 20);
        assert_eq!(run.classes(), classes);
    }
}

// rows: 65
#[test]
fn a_connection_that_breaks_once_is_nobodys_failure() {
    for broken in
        [Reply::reset_mid_stream("I was about to"), Reply::overloaded_in_stream(), Reply::overloaded()]
    {
        let night = Night::new(Scenario::new([broken, Reply::text("recovered")]));
        let run = night.run(&["--max-iterations", "1"]);
        run.expect("max_iterations", 10);
        assert_eq!(run.classes(), ["success"]);
    }
}
