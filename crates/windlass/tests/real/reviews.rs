//! The real agent as a reviewer.

use serde_json::{Value, json};
use windlass_testkit::api::{Reply, Scenario};
use windlass_testkit::environment::{Credentials, Running, TestEnv};

use crate::night::Night;

/// The structured answer, which ends the call.
fn answer(verdict: &str, findings: &Value) -> Reply {
    judgement(verdict, findings, &json!([]))
}

/// The same, with what is said of success criteria.
fn judgement(verdict: &str, findings: &Value, criteria: &Value) -> Reply {
    let said =
        json!({"verdict": verdict, "summary": "looked at it", "findings": findings, "criteria": criteria});
    Reply::tool("StructuredOutput", said)
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

const TASKS: &str = "# Tasks\n\n### T001: Write a greeting\n- **Status**: pending\n- **Description**: For every ship.\n\
    - **Success Criteria**:\n  - file `work.txt` exists\n  - it is friendly\n  - it is short\n";

/// What the agent of the task does: a file by a command, then its claim.
fn works(env: &TestEnv, text: &str) -> Vec<Reply> {
    let tasks = env.project().join("requirements.md");
    let edit = json!({
        "file_path": tasks, "old_string": "- **Status**: in-progress", "new_string": "- **Status**: done",
    });
    vec![
        Reply::bash(&format!("printf '{text}' > {}", env.project().join("work.txt").display())),
        Reply::tool("Read", json!({"file_path": tasks})),
        Reply::tool("Edit", edit),
        Reply::text("The task is done."),
    ]
}

// rows: 104, 135
#[test]
fn criteria_that_can_only_be_judged_are_judged_before_a_task_is_done() {
    let env = TestEnv::with_git();
    env.write("requirements.md", TASKS);
    env.git(&["add", "--all"]);
    env.git(&["commit", "--quiet", "--message", "A task"]);
    let says =
        |number: u32, met: bool, because: &str| json!({"number": number, "met": met, "because": because});
    let mut replies = works(&env, "Go away");
    let unmet = json!([says(1, false, "it sends ships away"), says(2, true, "two words")]);
    replies.push(judgement("reject", &json!([]), &unmet));
    replies.extend(works(&env, "Ahoy"));
    // What leaves one out is no answer; the same work is judged again in the next iteration.
    replies.push(judgement("pass", &json!([]), &json!([says(2, true, "one word")])));
    replies.extend(works(&env, "Ahoy there"));
    replies.push(judgement("pass", &json!([]), &json!([says(1, true, "Ahoy"), says(2, true, "two words")])));
    let night = Night::at(env, Scenario::new(replies), Credentials::ApiKey)
        .variable("WINDLASS_PERMISSIONS__ALLOW", "Bash");
    let flags = ["run", "--mode", "tasks", "--no-delay", "-m", "5"];
    let run = night.ended(Running::start(&mut night.windlass(&flags)));
    run.expect("complete", 0);
    assert_eq!(run.verdicts(), ["claim_refused", "claim_refused", "claim_accepted"], "{}", run.said);
    run.says("not met: it is friendly (it sends ships away)")
        .says("the reviewer did not say of each success criterion whether it is met")
        .says("T001: it is friendly (Ahoy)");
    assert_eq!(night.env.git(&["show", "HEAD:work.txt"]), "Ahoy there");
    let prompts: Vec<String> =
        night.first_requests().iter().map(|request| request.user_texts().join("\n")).collect();
    assert!(prompts[1].contains("1. it is friendly\n2. it is short\n"), "{}", prompts[1]);
    let told = "- blocking: this success criterion is not met: it is friendly (it sends ships away)";
    assert!(prompts[2].contains(told), "{}", prompts[2]);
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
