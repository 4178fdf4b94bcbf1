//! Plan and build: from specifications to commits, one task per iteration.

use serde_json::{Value, json};
use windlass_testkit::api::{Reply, Scenario};
use windlass_testkit::environment::{Credentials, Running, TestEnv};

use crate::night::{Ended, Night, prompt};

const PLAN: &str = "IMPLEMENTATION_PLAN.md";

const THREE: &str = "# Plan\n\n## Priority 1: Greeting\n\n- [ ] 1.1 Greet by name (refs: specs/greet.md)\n\
    - [ ] 1.2 Say goodbye (refs: specs/greet.md)\n- [ ] 1.3 Name the harbour (refs: specs/greet.md)\n";

fn project() -> TestEnv {
    let env = TestEnv::with_git();
    env.write(
        "specs/greet.md",
        "# Greeting\n\n- MUST greet by name.\n- MUST say goodbye.\n- MUST name the harbour.\n",
    );
    env.write("AGENTS.md", "Greetings are plain text.\n");
    env.git(&["add", "--all"]);
    env.git(&["commit", "--quiet", "--message", "Specify"]);
    env
}

fn run(night: &Night, verb: &str, flags: &[&str]) -> Ended {
    night.ended(Running::start(&mut night.windlass(&[&[verb, "--no-delay"], flags].concat())))
}

/// Does a task: a file, the box, and a commit as Claude Code writes them.
fn task(env: &TestEnv, number: &str, file: &str) -> Vec<Reply> {
    let plan = env.project().join(PLAN);
    let line = THREE.lines().find(|line| line.contains(number)).unwrap();
    vec![
        Reply::write(env.project().join(file), "written\n"),
        Reply::tool("Read", json!({"file_path": plan})),
        Reply::tool(
            "Edit",
            json!({"file_path": plan, "old_string": line, "new_string": line.replace("[ ]", "[x]")}),
        ),
        Reply::bash(&format!(
            "git add {file} {PLAN} && git commit -m \"$(cat <<'EOF'\nDo {number}\n\nIt is asked for.\nEOF\n)\""
        )),
        Reply::text("The task is done."),
    ]
}

// rows: 4, 5, 17, 18, 48, 81, 98
// Seed defect D2, src/streaming.rs:123: the cost was read from a field that the agent does not send.
#[test]
fn specifications_become_a_plan_and_the_plan_becomes_commits() {
    let env = project();
    let mut replies = vec![
        Reply::tool("Read", json!({"file_path": env.project().join("specs/greet.md")})),
        Reply::write(env.project().join(PLAN), THREE),
        // What is not to be done while planning.
        Reply::write(env.project().join("src/greet.txt"), "too early\n"),
        Reply::text("Planned."),
        Reply::tool("Read", json!({"file_path": env.project().join(PLAN)})),
        Reply::text("Nothing needs to change."),
    ];
    for (number, file) in [("1.1", "hello"), ("1.2", "goodbye"), ("1.3", "harbour")] {
        replies.extend(task(&env, number, file));
    }
    // The gate is red once.
    replies.extend([Reply::write(env.project().join("tested"), "yes\n"), Reply::text("Mended.")]);
    let night = Night::at(env, Scenario::new(replies), Credentials::ApiKey);

    let planned = run(&night, "plan", &[]);
    planned.expect("complete", 0);
    assert_eq!(planned.verdicts(), ["worked", "claim_accepted"]);
    assert_eq!(planned.each("refused", "files"), [&json!(["src/greet.txt"])]);
    assert_eq!(night.env.git(&["status", "--porcelain"]), format!("?? {PLAN}"), "nothing but the plan");
    let told: Vec<String> = night.first_requests().iter().map(prompt).collect();
    assert!(
        told[0].contains("specifications (`specs/`)") && told[1].contains("`src/greet.txt`"),
        "{told:#?}"
    );

    let built = run(&night, "build", &["--gate", "echo untested; test -e tested"]);
    built.expect("complete", 0);
    assert_eq!(built.verdicts(), ["worked", "worked", "claim_refused", "claim_accepted"]);
    assert!(built.cost() > 0.0);
    assert_eq!(built.each("call_finished", "denials"), [&Value::Null; 4], "{}", built.said);
    assert_eq!(night.env.read(PLAN), THREE.replace("[ ]", "[x]"));
    assert_eq!(night.env.git(&["log", "-3", "--format=%s"]), "Do 1.3\nDo 1.2\nDo 1.1");
    let requests = night.first_requests();
    let told: Vec<String> = requests.iter().map(prompt).collect();
    for (index, text) in ["1.1 Greet by name", "1.2 Say goodbye", "1.3 Name the harbour"].iter().enumerate() {
        assert!(
            told[index + 2].contains(&format!("Do exactly this one task:\n\n~~~\n{text} (")),
            "{}",
            told[index + 2]
        );
    }
    assert!(told[5].contains("No box of the plan is open") && told[5].contains("untested"), "{}", told[5]);
    // The agent reads AGENTS.md by itself, and is not told twice.
    let all = requests[2].body.to_string();
    assert_eq!(all.matches("Greetings are plain text.").count(), 1, "{all}");
    built
        .says("Running iteration 1: Greet by name")
        .says("No box of the plan is open, and every gate passed.");
}
