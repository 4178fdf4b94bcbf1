//! The real agent as a reviewer.

use serde_json::{Value, json};
use windlass_testkit::api::{Reply, Scenario};
use windlass_testkit::environment::{Credentials, TestEnv};

use crate::night::Night;

/// The structured answer, which ends the call.
fn answer(verdict: &str, findings: &Value) -> Reply {
    let answer = json!({"verdict": verdict, "summary": "looked at it", "findings": findings});
    Reply::tool("StructuredOutput", answer)
}

fn blocking(text: &str) -> Value {
    json!([{"severity": "blocking", "file": "work.txt", "line": 1, "text": text}])
}

// rows: 104
#[test]
fn a_reviewer_rejects_twice_and_then_passes() {
    let env = TestEnv::with_git();
    let file = env.project().join("work.txt");
    let mut replies = Vec::new();
    for (text, verdict, findings) in [
        ("one", "reject", blocking("no bound")),
        ("two", "reject", blocking("no test")),
        ("three", "pass", json!([])),
    ] {
        // A file must have been read before it is written anew.
        replies.push(Reply::bash(&format!("printf {text} > {}", file.display())));
        replies.push(Reply::text("Done.\n\nWINDLASS_JOB_COMPLETE"));
        replies.push(answer(verdict, &findings));
    }
    let night = Night::at(env, Scenario::new(replies), Credentials::ApiKey)
        .variable("WINDLASS_PERMISSIONS__ALLOW", "Bash");
    let flags =
        ["--review", "--commit", "runner", "--gate", "test -f work.txt", "--completion-threshold", "1"];
    let run = night.run(&flags);
    run.expect("complete", 0);
    assert_eq!(run.verdicts(), ["claim_refused", "claim_refused", "claim_accepted"]);
    let verdicts: Vec<&Value> =
        run.all("call_finished").into_iter().map(|call| &call["review"]["verdict"]).collect();
    assert_eq!(
        verdicts,
        [&Value::Null, &json!("reject"), &Value::Null, &json!("reject"), &Value::Null, &json!("pass")]
    );
    assert_eq!(night.env.git(&["show", "HEAD:work.txt"]), "three");
    assert_eq!(night.env.git(&["log", "--format=%s"]).lines().count(), 2, "one commit beside the first");

    let requests = night.first_requests();
    let prompts: Vec<String> = requests.iter().map(|request| request.user_texts().join("\n")).collect();
    assert!(
        prompts[1].contains("+one") && prompts[1].contains("`test -f work.txt` passed"),
        "{}",
        prompts[1]
    );
    assert!(!prompts[1].contains("WINDLASS_JOB_COMPLETE"), "{}", prompts[1]);
    assert!(prompts[2].contains("- blocking: work.txt:1: no bound"), "{}", prompts[2]);
    assert!(prompts[4].contains("no test") && !prompts[4].contains("no bound"), "{}", prompts[4]);
}

#[test]
fn a_reviewer_that_talks_lets_nothing_pass() {
    let env = TestEnv::with_git();
    let file = env.project().join("work.txt");
    let replies = [Reply::write(&file, "one"), Reply::text("Done.\n\nWINDLASS_JOB_COMPLETE")];
    // It is asked for its answer again and again, and goes on talking.
    let talk = std::iter::repeat_with(|| Reply::text("{\"verdict\": \"pass\"} PASS")).take(20);
    let replies: Vec<Reply> = replies.into_iter().chain(talk).collect();
    let night = Night::at(env, Scenario::new(replies), Credentials::ApiKey);
    let run = night.run(&["--review", "--commit", "runner", "--completion-threshold", "1", "-m", "1"]);
    run.expect("max_iterations", 10);
    assert_eq!(run.verdicts(), ["claim_refused"]);
    run.says("no usable review");
}
