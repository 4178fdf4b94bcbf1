//! Commands that the runner executes itself.

use std::os::unix::fs::PermissionsExt as _;

use windlass_core::fact::Fact;
use windlass_core::report;
use windlass_core::values::{CheckResult, Verdict};

use super::night::{Night, calls, every_call, expect_end};

const WORK: &str = "{ bash = 'echo x >> work' }";
const CLAIM: &str = "{ bash = 'echo x >> work' }, { result = { text = 'WINDLASS_JOB_COMPLETE' } }";

fn results(night: &Night) -> Vec<CheckResult> {
    let result = |fact: Fact| match fact {
        Fact::CheckFinished(report::CheckFinished { outcome, .. }) => Some(outcome.result),
        _ => None,
    };
    night.facts().into_iter().filter_map(result).collect()
}

// rows: 50
#[test]
fn until_decides_instead_of_the_claim() {
    let night = Night::new(&calls(&[CLAIM, CLAIM, "{ write = { path = 'done', text = 'x' } }"]));
    expect_end(&night.run(&["--until", "test -e done"]), 0, "complete");
    assert_eq!(night.verdicts(), [Verdict::Worked, Verdict::Worked, Verdict::ClaimAccepted]);
    assert!(night.prompt(1).contains("test -e done") && !night.prompt(1).contains("WINDLASS_JOB_COMPLETE"));
}

#[test]
fn until_and_gates_must_both_pass() {
    let night = Night::new(&calls(&[
        "{ write = { path = 'done', text = 'x' } }",
        "{ write = { path = 'tested', text = 'x' } }",
    ]));
    expect_end(&night.run(&["--until", "test -e done", "--gate", "test -e tested"]), 0, "complete");
    assert_eq!(night.verdicts(), [Verdict::ClaimRefused, Verdict::ClaimAccepted]);
}

#[test]
fn until_that_passes_before_the_beginning_is_said_with_a_hint() {
    let night = Night::new(&every_call(WORK));
    let outcome = night.run(&["--until", "true"]);
    expect_end(&outcome, 0, "nothing_to_do");
    assert!((outcome.stderr_text() + &outcome.stdout_text()).contains("--gate"));
    assert!(night.calls().is_empty());
}

// attack(claims): a gate is a line of a shell whose exit code is not that of what it checks
// holds: which one, and why, is said before anybody is paid
#[test]
fn a_gate_whose_failure_nobody_hears_is_said() {
    let night = Night::new(&every_call(CLAIM));
    let gates = ["false | tee log", "false || true", "test -e work"];
    let gates: Vec<&str> = gates.iter().flat_map(|gate| ["--gate", gate]).chain(["-m", "1"]).collect();
    night.run(&gates);
    let said: Vec<String> = night.notices().into_iter().filter(|said| said.contains("shows less")).collect();
    let expected = "a check shows less than it seems to: `false | tee log` passes when `tee` does \
                    (`bash -o pipefail -c '…'` hears the rest); `false || true` passes whatever fails, by its end `|| true`";
    assert_eq!(said, [expected]);
}

#[test]
fn a_gate_that_hangs_is_killed_and_counts_as_failed() {
    let night = Night::new(&every_call(CLAIM)).set("WINDLASS_GATES__TIMEOUT", "1s");
    let outcome = night.run(&["-m", "1", "--gate", "trap '' TERM; setsid sleep 60 & sleep 60"]);
    expect_end(&outcome, 10, "max_iterations");
    assert_eq!(results(&night), [CheckResult::TimedOut, CheckResult::TimedOut]);
    assert_eq!(night.verdicts(), [Verdict::ClaimRefused]);
    night.assert_clean();
}

// attack(money): a gate prints without end
// holds: the beginning and the end of it are kept, and nothing waits for the gate to be read
#[test]
fn what_a_gate_prints_is_kept_within_bounds() {
    let night = Night::new(&every_call(CLAIM));
    let gate = "echo first words; yes | head -c 30000000; echo last words >&2; exit 3";
    expect_end(&night.run(&["-m", "1", "--gate", gate]), 10, "max_iterations");
    assert_eq!(results(&night), [CheckResult::Failed(3), CheckResult::Failed(3)]);
    let logs = [
        night.folder().join("baseline/0.log"),
        night.folder().join("iterations/0001/1-work/gates/candidate-0.log"),
    ];
    for log in logs {
        let kept = std::fs::read_to_string(&log).unwrap();
        assert!(kept.len() < 5_000_000, "{}", kept.len());
        assert!(kept.starts_with("first words\n") && kept.ends_with("last words\n"));
        assert!(kept.contains("bytes were printed here and not kept]"));
    }
}

/// What a check leaves behind holds its pipe, and goes with it.
#[test]
fn a_gate_that_leaves_something_behind_is_over_when_it_ends() {
    let night = Night::new(&every_call(CLAIM)).set("WINDLASS_GATES__TIMEOUT", "50s");
    let outcome = night.run(&["-m", "3", "--gate", "(sleep 3000; echo late) & echo done"]);
    expect_end(&outcome, 0, "complete");
    night.assert_clean();
}

// rows: 11
#[test]
fn what_refused_a_claim_is_in_the_next_prompt() {
    let night = Night::new(&calls(&[
        CLAIM,
        "{ write = { path = 'broken', text = 'x' } }, { result = { text = 'WINDLASS_JOB_COMPLETE' } }",
        WORK,
    ]));
    let always = "echo the-first-reason; exit 3";
    let later = "test ! -e broken || { seq 10000; echo the-second-reason; false; }";
    expect_end(&night.run(&["-m", "3", "--gate", always, "--gate", later]), 10, "max_iterations");
    assert_eq!(night.verdicts(), [Verdict::ClaimRefused, Verdict::ClaimRefused, Verdict::Worked]);
    assert!(!night.prompt(1).contains("the-first-reason\n"));
    let second = night.prompt(2);
    assert!(second.contains("the-first-reason\n") && second.contains("exit code 3"), "{second}");
    assert!(
        second.contains("it failed before the first iteration") && !second.contains("the-second-reason\n")
    );
    let third = night.prompt(3);
    assert!(
        third.contains("the-second-reason\n") && third.contains("9999\n") && !third.contains("\n1\n2\n3\n"),
        "{third}"
    );
    let [_, of_later] = third.split("the-first-reason\n").collect::<Vec<_>>()[..] else { panic!("{third}") };
    assert!(!of_later.contains("it failed before"), "{third}");
}

// rows: 64
#[test]
fn five_refused_claims_end_the_run() {
    let night = Night::new(&every_call(CLAIM));
    expect_end(&night.run(&["--gate", "false", "--exit-codes", "detailed"]), 23, "gates_failing");
    assert_eq!(night.verdicts(), [Verdict::ClaimRefused; 5]);
    // Once before the first iteration, and once for each claim.
    assert_eq!(results(&night), [CheckResult::Failed(1); 6]);
}

// rows: 62, 80
#[test]
fn what_a_gate_writes_is_neither_progress_nor_committed() {
    let night = Night::with_git(&calls(&[CLAIM, "{ result = { text = 'WINDLASS_JOB_COMPLETE' } }"]));
    let gate = "date +%s%N >> report; false";
    let outcome = night.run(&["--gate", gate, "--commit", "runner", "--stagnation-threshold", "2"]);
    expect_end(&outcome, 14, "stagnated");
    assert_eq!(night.verdicts(), [Verdict::ClaimRefused; 3]);

    let night = Night::with_git(&calls(&[CLAIM]));
    let gate = "date +%s%N >> report";
    expect_end(
        &night.run(&["--gate", gate, "--commit", "runner", "--completion-threshold", "3"]),
        0,
        "complete",
    );
    let committed = night.env.git(&["log", "--name-only", "--format="]);
    assert_eq!(committed.split_whitespace().collect::<Vec<_>>(), ["work", "work", "work", "README.md"]);
    assert_eq!(night.env.git(&["status", "--porcelain"]), "?? report");
}

// rows: 80
#[test]
fn what_a_failed_iteration_left_is_committed_with_the_next_good_one() {
    let night = Night::with_git(&calls(&[
        "{ write = { path = 'work', text = 'x' } }, { exit = 3 }",
        "{ result = { text = 'Nothing left to do.' } }",
    ]));
    expect_end(&night.run(&["-m", "2", "--commit", "runner"]), 10, "max_iterations");
    assert_eq!(night.verdicts(), [Verdict::Failed, Verdict::Idle]);
    assert_eq!(night.env.git(&["show", "--name-only", "--format="]), "work");
}

/// Only what is certain keeps a run from beginning: what a gate makes, or finds by a search path of its own, is not.
#[test]
fn gates_that_make_what_they_need_begin() {
    let night = Night::new(&every_call(CLAIM));
    let checks = night.env.write("tools/checks", "exit 0\n");
    std::fs::set_permissions(checks, std::fs::Permissions::from_mode(0o755)).unwrap();
    night.env.write("activate", "PATH=$PWD/tools:$PATH\n");
    night.env.write("build.sh", "cp tools/checks made\n");
    night.env.write("Makefile", "all:\n\tcp tools/checks a.out\n");
    for gate in [
        ". ./activate && checks",
        "PATH=$PWD/tools:$PATH checks",
        "export PATH=$PWD/tools:$PATH && checks",
        "make && ./a.out",
        "sh build.sh && ./made",
        "mkdir -p new && cd new && true",
        "cp build.sh copy.sh && sh copy.sh",
    ] {
        expect_end(&night.run(&["-m", "5", "--completion-threshold", "1", "--gate", gate]), 0, "complete");
        for made in ["a.out", "made", "copy.sh"] {
            let _ = std::fs::remove_file(night.env.project().join(made));
        }
        let _ = std::fs::remove_dir(night.env.project().join("new"));
    }
}

#[test]
fn words_that_the_shell_of_checks_does_not_know_are_refused() {
    let is_plain = std::fs::canonicalize("/bin/sh").is_ok_and(|shell| shell.ends_with("dash"));
    let night = Night::new(&every_call(CLAIM));
    night.env.write("x", "true\n");
    for (gate, said) in [("[[ -f x ]]", "has no `[[`"), ("source x && missing", "has no `source`")] {
        let outcome = night.run(&["-m", "1", "--gate", gate]);
        if is_plain {
            outcome.expect_code(2, gate);
            let text = outcome.stderr_text().split_whitespace().collect::<Vec<_>>().join(" ");
            assert!(text.contains("/bin/sh, which runs it,") && text.contains(said), "{text}");
        } else {
            assert_ne!(outcome.code, Some(2), "{}", outcome.stderr_text());
        }
    }
}

#[test]
fn the_line_that_tells_most_is_in_the_next_prompt_however_much_follows() {
    let night = Night::new(&calls(&[CLAIM, WORK]));
    let error = "src/a.rs:7: error[E0308]: mismatched types";
    night
        .env
        .write("check.sh", format!("echo '{error}'; seq -f 'noise number %.0f of a long log' 200; exit 3\n"));
    expect_end(&night.run(&["-m", "2", "--gate", "sh check.sh"]), 10, "max_iterations");
    let second = night.prompt(2);
    assert_eq!(second.matches(error).count(), 1, "{second}");
    let told = second.find(error).unwrap();
    assert!(told < second.find("number 200 of a long log").unwrap(), "{second}");
}
