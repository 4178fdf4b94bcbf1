//! `validate`, `verify`, and verification before completion.

use serde_json::Value;
use windlass_testkit::environment::Outcome;

use super::desk::{CLEARED, Desk};

/// An answer with this verdict.
fn answers(verdict: &str) -> String {
    let required = verdict != "pass";
    format!(
        "{{ result = {{ text = 'VERIFIED COMPLETE, PASS', structured = {{ verdict = '{verdict}', confidence = 'high', summary = \
         'I looked at it.', findings = [{{ title = 'No error path', detail = 'src/a.rs', required = {required} }}, {{ title = 'No \
         example', required = false }}], recommendation = 'Write it.' }} }} }}"
    )
}

/// Says a verdict in prose only.
const TALKS: &str =
    "{ say = 'VERIFICATION_PASS' }, { result = { text = 'Status: PASS. Verified complete.' } }";

/// Works, and says that all is done.
fn works(call: u32) -> String {
    format!(
        "{{ write = {{ path = 'work-{call}.txt', text = 'x' }} }}, {{ write = {{ path = \
         '{{{{env:WINDLASS_WORKSPACE}}}}/.status.json', text = '{{\"complete\": true, \"summary\": \"call {call}\"}}' }} }}"
    )
}

fn document(outcome: &Outcome) -> Value {
    let lines = outcome.json_lines();
    assert_eq!(lines.len(), 1, "{}", outcome.stdout_text());
    lines.into_iter().next().unwrap()
}

// rows: 131
#[test]
fn validate_says_whether_instructions_are_ready() {
    for (verdict, words, code) in
        [("pass", "ready", 0), ("needs_review", "needs revision", 23), ("fail", "major issues", 23)]
    {
        let desk = Desk::with_instructions(&[&answers(verdict)]);
        let outcome = desk.ask(&["validate", "api"]);
        outcome.expect_code(code, words);
        let said = outcome.stdout_text();
        assert!(said.contains(&format!(" {words}  the instructions of api")), "{said}");
        assert!(said.contains("No error path") && said.contains("No example (recommended)"), "{said}");
        let report = desk.text("validation-report.md");
        assert!(report.contains(&format!("Verdict: **{words}**")), "{report}");
        let required = report.contains("## Required criteria that are not met\n\n1. **No error path**");
        assert_eq!(required, verdict != "pass", "{report}");
        let simple = desk.env.run(
            desk.scripted(&["validate", "api", "--json"]).env("WINDLASS_OUTPUT__EXIT_CODES", "simple"),
            super::desk::PATIENCE,
        );
        assert_eq!(simple.code, Some(i32::from(code != 0)));
        let document = document(&simple);
        assert_eq!((&document["type"], &document["verdict"]), (&"validation".into(), &verdict.into()));
        desk.env.assert_no_processes(CLEARED);
    }
}

// rows: 132
#[test]
fn verify_passes_only_on_pass_and_counts() {
    for (verdict, code, status) in
        [("pass", 0, "pass"), ("needs_review", 23, "needs_review"), ("fail", 23, "fail")]
    {
        let desk = Desk::with_instructions(&[&answers(verdict)]);
        let outcome = desk.ask(&["verify", "api", "--depth", "deep", "--show-report"]);
        outcome.expect_code(code, verdict);
        let said = outcome.stdout_text();
        for piece in [
            "confidence high",
            "I looked at it.",
            "No error path",
            "src/a.rs",
            "advice",
            "# Verification report: api",
        ] {
            assert!(said.contains(piece), "{piece}: {said}");
        }
        let metadata = desk.metadata();
        assert_eq!(metadata["verification"]["lastVerificationStatus"], status);
        assert_eq!(metadata["verification"]["verificationAttempts"], 1);
        assert_eq!(metadata["executionIterations"], 0, "a judgement is not work");
    }
}

#[test]
fn what_a_judge_changes_in_the_work_is_named() {
    let changes = format!("{{ bash = 'echo x >> src.txt; echo y > new.txt' }}, {}", answers("pass"));
    let desk = Desk::with_instructions(&[&changes]);
    desk.env.write("src.txt", "as it was\n");
    let outcome = desk.ask(&["verify", "api"]);
    outcome.expect_code(0, "the verdict stands");
    let said = outcome.stderr_text();
    assert!(said.contains("whoever judged the work changed it: new.txt, src.txt"), "{said}");
    let printed = said.split('`').find(|words| words.starts_with("windlass restore ")).expect("a command");
    let words: Vec<&str> = printed.split(' ').skip(1).collect();
    desk.env.run(&mut desk.windlass(&words), super::desk::PATIENCE).expect_success("restore");
    assert_eq!(desk.env.read("src.txt"), "as it was\n");
    assert!(!desk.env.project().join("new.txt").exists());
}

// D1, core/verification-service.ts: any occurrence of the pass mark was a pass, tested before the fail mark.
// rows: 132
#[test]
fn prose_is_no_verdict() {
    let desk = Desk::with_instructions(&[TALKS]);
    for verb in ["verify", "validate"] {
        let outcome = desk.ask(&[verb, "api", "--json"]);
        outcome.expect_code(10, verb);
        let document = document(&outcome);
        assert_eq!((&document["verdict"], &document["exit_code"]), (&Value::Null, &10.into()));
        assert!(document["problem"].as_str().unwrap().contains("no judgement"), "{document}");
    }
    assert_eq!(desk.metadata()["verification"]["lastVerificationStatus"], "needs_review");
}

// D1, core/verification-service.ts: a report left from an earlier run was accepted as this run's result.
// Seed defect D1, core/verification-service.ts:119: an older report was taken for this run's.
#[test]
fn an_older_report_is_never_this_ones() {
    let desk = Desk::with_instructions(&[TALKS]);
    let older = "# Verification Report\n\nStatus: VERIFICATION_PASS\n";
    desk.env.write(desk.file("verification-report.md"), older);
    desk.ask(&["verify", "api"]).expect_code(10, "verify");
    let report = desk.text("verification-report.md");
    assert!(report.contains("**no verdict**") && !report.contains("VERIFICATION_PASS"), "{report}");
}

// D1, core/verification-service.ts: the issue count was read from prose by a pattern that did not fit.
// Seed defect D1, core/verification-service.ts:170: the count of issues was 0.
#[test]
fn every_finding_is_counted() {
    let desk = Desk::with_instructions(&[&answers("fail")]);
    let document = document(&desk.ask(&["verify", "api", "--json"]));
    assert_eq!(document["findings"].as_array().unwrap().len(), 2);
    assert_eq!(document["findings"][0]["required"], true);
}

// D1, commands/verify.ts: a header went to stdout before the JSON, and quiet still printed.
// Seed defect D1, commands/verify.ts:97: a heading stood before the JSON.
#[test]
fn json_is_one_document_and_quiet_is_quiet() {
    let desk = Desk::with_instructions(&[&answers("fail")]);
    for verb in ["verify", "validate"] {
        let outcome = desk.ask(&[verb, "api", "-q"]);
        outcome.expect_code(23, verb);
        assert_eq!((outcome.stdout_text(), outcome.stderr_text()), (String::new(), String::new()));
        document(&desk.ask(&[verb, "api", "--json", "-q"]));
        document(&desk.ask(&[verb, "api", "--json", "-v"]));
    }
    let verbose = desk.ask(&["verify", "api", "-v"]);
    let said = verbose.stderr_text() + &verbose.stdout_text();
    assert!(said.contains("iteration 1") && said.contains("ended its turn"), "{said}");
    // What it came to is said once.
    assert_eq!(said.matches("No error path").count(), 1, "{said}");
}

#[test]
fn a_report_replaces_nothing_but_a_report() {
    let desk = Desk::with_instructions(&[&answers("pass")]);
    desk.env.write("notes.md", "# My notes\n");
    let refused = desk.ask(&["verify", "api", "--report-path", "notes.md"]);
    refused.expect_code(2, "somebody's file");
    assert!(refused.stderr_text().contains("is not a report of windlass"), "{}", refused.stderr_text());
    assert_eq!(desk.env.read("notes.md"), "# My notes\n");
    desk.ask(&["verify", "api", "--report-path", "nowhere/report.md"]).expect_code(2, "no folder");
    desk.ask(&["verify", "api", "--report-path", "."]).expect_code(2, "a folder");
    std::os::unix::fs::symlink("notes.md", desk.env.project().join("link.md")).unwrap();
    desk.ask(&["verify", "api", "--report-path", "link.md"]).expect_code(2, "a link");
    for _ in 0..2 {
        desk.ask(&["verify", "api", "--report-path", "here.md"]).expect_code(0, "a new file, then a report");
    }
    assert!(desk.env.read("here.md").contains("# Verification report: api"));
    assert!(!desk.file("verification-report.md").exists());
}

#[test]
fn what_cannot_be_judged_is_refused() {
    let desk = Desk::new(&[&answers("pass")]);
    for verb in ["verify", "validate"] {
        let outcome = desk.ask(&[verb, "api"]);
        outcome.expect_code(2, verb);
        assert!(
            outcome.stderr_text().contains("Run setup first: windlass setup api"),
            "{}",
            outcome.stderr_text()
        );
    }
    desk.env.write(desk.file("INSTRUCTIONS.md"), "Do it.\n");
    desk.ask(&["verify", "api", "--depth", "abysmal"]).expect_code(2, "depth");
}

// Whoever judges is not told by a check, and does not commit.
#[test]
fn checks_and_commits_are_left_out() {
    let desk = Desk::with_instructions(&[&answers("fail")]);
    desk.env.write(".windlass/config.toml", "[gates]\nuntil = [\"true\"]\ncommands = [\"touch gated\"]\n");
    let outcome = desk.ask(&["verify", "api"]);
    outcome.expect_code(23, "an until command that passes is not a verdict");
    assert!(!desk.env.project().join("gated").exists());
}

// attack(prompt): an agent that judges (`verify`, `validate`, before completion) reads the environment for secrets
// holds: it has the variables of its own login, and none of the person's others
#[test]
fn who_judges_is_given_no_secrets() {
    const OWN: &str = "CLAUDE_CODE_OAUTH_TOKEN=of-the-agent";
    let looks = |file: &str| format!("{{ bash = 'env > ../{file}' }}, {}", answers("pass"));
    let desk = Desk::with_instructions(&[&looks("verify.txt")]);
    for (words, file) in [(&["verify", "api"][..], "verify.txt"), (&["validate", "api"], "verify.txt")] {
        let mut command = desk.scripted(words);
        command.env("CLAUDE_CODE_OAUTH_TOKEN", "of-the-agent").env("A_PLAIN_ONE", "1");
        for secret in ["GITHUB_TOKEN", "AWS_SECRET_ACCESS_KEY", "OPENAI_API_KEY", "MY_APP_PASSWORD"] {
            command.env(secret, "hunter2");
        }
        let outcome = desk.env.run(&mut command, super::desk::PATIENCE);
        let told = desk.env.read(desk.env.root().join(file));
        assert!(told.contains("A_PLAIN_ONE=1") && told.contains(OWN), "{words:?}: {told}");
        assert!(!told.contains("hunter2"), "{words:?}: {told}");
        let said = outcome.stdout_text() + &outcome.stderr_text();
        assert!(!said.contains("hunter2"), "{words:?}: {said}");
        std::fs::remove_file(desk.env.root().join(file)).unwrap();
    }

    let desk = Desk::with_instructions(&[&works(1), &looks("before.txt")]);
    let mut command = desk.scripted(&["run", "api", "--no-delay"]);
    command.env("WINDLASS_VERIFY__ON_COMPLETION", "true").env("GITHUB_TOKEN", "hunter2");
    desk.env.run(&mut command, super::desk::PATIENCE).expect_success("run");
    assert!(!desk.env.read(desk.env.root().join("before.txt")).contains("hunter2"));
}

fn on_completion(desk: &Desk, flags: &[&str]) -> Outcome {
    let mut command = desk.scripted(&[&["run", "api", "--no-delay"], flags].concat());
    command.env("WINDLASS_VERIFY__ON_COMPLETION", "true");
    desk.env.run(&mut command, super::desk::PATIENCE)
}

// rows: 133
// Seed defect D1, core/verification-service.ts:229: verification on completion never happened.
#[test]
fn a_refused_completion_goes_on_and_a_pass_ends_it() {
    let desk = Desk::with_instructions(&[&works(1), &answers("fail"), &works(3), &answers("pass")]);
    let outcome = on_completion(&desk, &[]);
    outcome.expect_success("run");
    let said = outcome.stdout_text() + &outcome.stderr_text();
    assert!(said.contains("stopped: complete") && said.contains("verification report: "), "{said}");
    assert!(desk.text("verification-report.md").contains("Verdict: **pass**"));
    let verification = &desk.metadata()["verification"];
    assert_eq!(verification["verificationAttempts"], 2);
    assert_eq!(verification["lastVerificationStatus"], "pass");
    assert_eq!(verification["verifyResumeCycles"], 1);
    assert_eq!(desk.metadata()["status"], "completed");
}

// D1, core/verification-service.ts: verification on completion could be configured and was never executed.
// rows: 133
#[test]
fn refused_too_often_a_person_is_needed() {
    let desk = Desk::with_instructions(&[&works(1), &answers("fail"), &works(3), &answers("needs_review")]);
    let outcome = on_completion(&desk, &["--exit-codes", "detailed", "--json"]);
    outcome.expect_code(24, "needs_human");
    assert!(outcome.json_lines().iter().all(Value::is_object));
    let report = desk.text("verification-report.md");
    assert!(report.contains("**needs review**") && report.contains("No error path"), "{report}");
    let verification = &desk.metadata()["verification"];
    assert_eq!(
        (&verification["verificationAttempts"], &verification["verifyResumeCycles"]),
        (&2.into(), &1.into())
    );
}
