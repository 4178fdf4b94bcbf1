//! The real agent locked in: it works through the proxy, commits, and gates run beside it.

use windlass_core::spec::SandboxKind;
use windlass_core::values::Named;
use windlass_testkit::api::{Reply, Scenario};

use crate::night::{COMPLETE, Night, is_usable};

/// What an agent does that tries the walls on its way.
const WORK: &str = "echo Ahoy > greeting.txt && git add greeting.txt && git commit -q -m Greet; \
                    touch ../outside-was-written; cat ../state/projects/*/runs/*/journal.jsonl > stolen.txt; \
                    test -s stolen.txt || rm -f stolen.txt; echo \"$HOME\" > home.txt";

fn locked_in(kind: &SandboxKind) {
    if !is_usable(kind) {
        return;
    }
    let claim = format!("The greeting is written.\n\n{COMPLETE}");
    let night = Night::new(Scenario::new([Reply::bash(WORK), Reply::text(&claim)]))
        .variable("WINDLASS_SANDBOX__HOSTS", "127.0.0.1");
    let gate = "test -f greeting.txt && test \"$WINDLASS_SANDBOX\" != '' && test -z \"$ANTHROPIC_API_KEY\"";
    let flags = [
        "--sandbox",
        kind.name(),
        "--network",
        "hosts",
        "-m",
        "2",
        "--completion-threshold",
        "1",
        "--gate",
        gate,
    ];
    let run = night.run(&flags);
    run.expect("complete", 0);
    let project = night.env.project();
    assert_eq!(night.env.read("greeting.txt"), "Ahoy\n", "{}", run.said);
    assert_eq!(night.env.git(&["log", "-1", "--format=%s %ae"]), "Greet tess@example.com");
    assert!(!night.env.root().join("outside-was-written").exists() && !project.join("stolen.txt").exists());
    assert!(
        night.env.read("home.txt").trim_end().ends_with("/sandbox/home"),
        "{}",
        night.env.read("home.txt")
    );
    run.expect_requests_charged(2);
}

// rows: 30, 137
#[test]
fn claude_code_completes_a_goal_in_namespaces_of_its_own() {
    locked_in(&SandboxKind::Bwrap);
}

// rows: 30, 137
#[test]
fn claude_code_completes_a_goal_under_rules_of_the_kernel() {
    locked_in(&SandboxKind::Landlock);
}
