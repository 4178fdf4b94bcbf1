//! Scripts of the project that hooks and notification commands start, with all that the person has: no agent may rewrite them.

use windlass_core::fact::Fact;
use windlass_core::report;
use windlass_testkit::Outcome;

use super::night::{Night, PATIENCE, calls, expect_end};

fn committed(night: &Night, files: &[(&str, &str)]) {
    for (path, text) in files {
        night.env.write(path, *text);
    }
    night.env.git(&["add", "--all"]);
    night.env.git(&["commit", "--quiet", "--message", "Scripts"]);
}

fn undone(night: &Night) -> Vec<String> {
    let undone = |fact: Fact| match fact {
        Fact::ForbiddenChangesReverted(report::ForbiddenChangesReverted { files, undone: true, .. }) => {
            Some(files)
        }
        _ => None,
    };
    night.facts().into_iter().filter_map(undone).flatten().collect()
}

fn said(outcome: &Outcome) -> String {
    outcome.stdout_text() + &outcome.stderr_text()
}

// attack(sandbox): an agent rewrites the script of the project that the person's `notify.command` starts, which is run outside the sandbox
// holds: what it wrote is never run: while it stands nobody is told by it, then it is undone, whatever the script's language and name
#[test]
fn no_notification_runs_what_an_agent_wrote() {
    for (command, script) in [
        ("sh scripts/tell.sh", "scripts/tell.sh"),
        ("./tell", "tell"),
        ("python3 tools/tell.py", "tools/tell.py"),
        ("make told", "Makefile"),
    ] {
        let rewrites = format!("{{ bash = 'echo \"touch ../escaped\" > {script}' }}");
        let night = Night::with_git(&calls(&[&rewrites, "{ bash = 'echo x >> work' }"]))
            .set("WINDLASS_NOTIFY__COMMAND", command)
            .set("WINDLASS_NOTIFY__EVENTS", "all");
        let text = if script == "Makefile" { "told:\n\ttouch ../told\n" } else { "import os\n" };
        committed(&night, &[(script, text)]);
        night.run(&["-m", "2"]).expect_code(10, command);
        assert!(!night.env.root().join("escaped").exists(), "{command}");
        if script != "tools/tell.py" {
            assert_eq!(undone(&night), [script], "{command}");
        }
        let settled = night.facts().into_iter().filter(|fact| matches!(fact, Fact::NotificationSettled(_)));
        assert!(settled.count() > 0, "{command}");
    }
}

// attack(claims): an agent rewrites the script that the person's hook starts, so that the hook weakens what the gate starts
// holds: the change is undone before the hook is called, and the gate is what it was
#[test]
fn no_hook_runs_what_an_agent_wrote() {
    for hook in ["sh scripts/prep.sh", "make prep"] {
        let weakens = "{ bash = '''echo 'echo exit 0 > chk.sh' > scripts/prep.sh; printf \"prep:\\n\\techo exit 0 > chk.sh\\n\" > Makefile; \
                       echo x >> w.txt''' }, { result = { text = 'WINDLASS_JOB_COMPLETE' } }";
        let night = Night::with_git(&calls(&[weakens, weakens, weakens]));
        night.env.write(".windlass/config.toml", format!("[hooks]\nnext_iteration = \"{hook}\"\n"));
        committed(
            &night,
            &[("chk.sh", "exit 1\n"), ("scripts/prep.sh", "true\n"), ("Makefile", "prep:\n\ttrue\n")],
        );
        let outcome = night.run(&["-m", "3", "--gate", "sh chk.sh", "--completion-threshold", "1"]);
        assert_ne!(outcome.code, Some(0), "{hook}: {}", said(&outcome));
        assert_eq!(night.env.read("chk.sh"), "exit 1\n", "{hook}");
        assert!(!undone(&night).is_empty(), "{hook}");
    }
}

// attack(git): a hook deletes `.git` before an iteration
// holds: the run ends with 29 before anybody is paid to work there, says that it was a hook, and the printed command brings it back
#[test]
fn nobody_is_paid_for_work_in_a_repository_that_a_hook_destroyed() {
    for (iterations, hook) in [(0, "rm -rf .git"), (1, "test ! -e w.txt || rm -rf .git")] {
        let night = Night::with_git(&calls(&["{ bash = 'echo x >> w.txt' }"]));
        night.env.write(".windlass/config.toml", format!("[hooks]\nnext_iteration = \"{hook}\"\n"));
        committed(&night, &[("a.txt", "a\n")]);
        let outcome = night.run(&["-m", "3", "--commit", "runner"]);
        expect_end(&outcome, 29, "destructive_change");
        assert_eq!(night.calls().len(), iterations, "{}", said(&outcome));
        let told = said(&outcome);
        assert!(told.contains("by a hook or by you"), "{told}");
        let restore = told.split('`').find(|part| part.starts_with("windlass restore")).unwrap().to_owned();
        let words: Vec<&str> = restore.split(' ').skip(1).collect();
        night.env.run(&mut night.windlass(&words), PATIENCE).expect_code(0, &restore);
        assert!(night.env.git(&["log", "--format=%s"]).contains("Scripts"), "{hook}");
    }
}
