//! Goals and notes that are not what they should be.

use std::fs;
use std::os::unix::fs::symlink;

use windlass_core::run::Phase;
use windlass_testkit::Running;

use super::night::{Night, PATIENCE, every_call, expect_end};

const WORK: &str = "{ write = { path = 'work', text = 'x' } }";

// Seed defect D1, services/claude-client.ts:116: a prompt as an argument was too long for the system.
#[test]
fn a_goal_may_be_longer_than_any_argument() {
    // Linux takes 128 KiB for one argument.
    let goal = "Every word of it counts. ".repeat(12_000);
    let night = Night::new(&every_call("{ write = { path = 'heard', text = '''{{prompt}}''' } }"));
    let file = night.env.write("goal.md", &goal);
    let mut command = night.windlass(&["run", "-m", "1", "--no-delay", "-f", file.to_str().unwrap()]);
    command.arg(format!("--mock={}", night.env.root().join("script.toml").display()));
    expect_end(&night.env.run(&mut command, PATIENCE), 10, "max_iterations");
    assert!(night.env.read("heard").contains(goal.trim_end()));
    night.assert_clean();
}

fn refused(night: &Night, arguments: &[&str], sentence: &str) {
    let outcome = night.env.run(&mut night.windlass(arguments), PATIENCE);
    outcome.expect_code(2, sentence);
    let said = outcome.stderr_text();
    assert!(said.contains(sentence), "{sentence}: {said}");
    assert!(night.folders().is_empty(), "{sentence}: a run was begun");
}

#[test]
fn a_goal_that_says_nothing_or_too_much_is_refused() {
    let night = Night::new(&every_call(WORK));
    let huge = night.env.write("huge.md", "x ".repeat(5 << 20));
    let huge = huge.to_str().unwrap();
    night.env.write("empty.md", " \n");
    night.env.write("binary.md", [0xff, 0xfe, 0x00]);
    refused(&night, &["run", "--mock", "-p", ""], "is empty");
    refused(&night, &["run", "--mock", "-f", "empty.md"], "is empty");
    refused(&night, &["run", "--mock", "-f", "binary.md"], "is not UTF-8");
    refused(&night, &["run", "--mock", "-f", huge], "longer than 1 MiB");
    refused(&night, &["run", "--mock", "-f", "missing.md"], "there is no file missing.md");
    refused(&night, &["run", "--mock", "-f", "."], "is a directory");
    // Ten megabytes through a pipe: the writer is not left hanging either.
    let piped = Running::start_with_input(&mut night.windlass(&["run", "--mock", "-"]), "x ".repeat(5 << 20));
    let outcome = piped.wait(PATIENCE);
    outcome.expect_code(2, "ten megabytes on standard input");
    assert!(outcome.stderr_text().contains("longer than 1 MiB"));
}

// rows: 1, 35
// Seed defect D1, services/claude-client.ts:116: a prompt with a dash was taken for an option.
#[test]
fn a_goal_may_begin_with_anything() {
    for goal in ["-rf is a flag of rm", "--help", "/compact", "  indented", "naïve 🎉\nsecond line"] {
        let night = Night::new(&every_call("{ write = { path = 'heard', text = '''{{prompt}}''' } }"));
        let outcome = night.env.run(&mut night.command_for(goal, &["-m", "1"]), PATIENCE);
        expect_end(&outcome, 10, "max_iterations");
        assert!(night.env.read("heard").contains(goal), "{goal}");
        night.assert_clean();
    }
}

// rows: 15
#[test]
fn notes_of_any_kind_are_survived() {
    let kinds = ["not UTF-8", "five megabytes", "a directory", "a pipe", "a dead link", "a device"];
    for kind in kinds {
        for git in [false, true] {
            let script = every_call(WORK);
            let night = if git { Night::with_git(&script) } else { Night::new(&script) };
            make_notes(&night, kind);
            let outcome = night.run(&["-m", "1"]);
            assert_eq!(outcome.code, Some(10), "{kind}: {}{}", outcome.stdout_text(), outcome.stderr_text());
            assert!(matches!(night.state().phase(), Phase::Ended(_)), "{kind}");
            let is_told = outcome.stderr_text().contains("SHARED_TASK_NOTES.md is not a file");
            assert_eq!(
                is_told,
                matches!(kind, "a directory" | "a pipe"),
                "{kind}: {}",
                outcome.stderr_text()
            );
            let prompt = night.prompt(1);
            assert!(prompt.len() < 40_000, "{kind}: a prompt of {} bytes", prompt.len());
            if kind == "five megabytes" {
                assert!(prompt.contains("first") && prompt.contains("last") && prompt.contains("shorten it"));
            }
            night.assert_clean();
        }
    }
}

fn make_notes(night: &Night, kind: &str) {
    let path = night.env.project().join("SHARED_TASK_NOTES.md");
    match kind {
        "not UTF-8" => fs::write(&path, [b'a', 0xff, 0xfe, b'b']).unwrap(),
        "five megabytes" => {
            fs::write(&path, "first\n".to_owned() + &"middle\n".repeat(750_000) + "last\n").unwrap();
        }
        "a directory" => fs::create_dir(&path).unwrap(),
        "a pipe" => night.env.run(night.env.command("mkfifo").arg(&path), PATIENCE).expect_success("mkfifo"),
        "a dead link" => symlink("nowhere", &path).unwrap(),
        "a device" => symlink("/dev/zero", &path).unwrap(),
        other => panic!("no such notes: {other}"),
    }
}

// Seed defect D3, core/claude.ts:207-210: prompts lay where anybody could read and replace them.
#[test]
fn prompts_lie_in_the_runs_own_folder_and_nobody_else_may_read_them() {
    let night = Night::new(&every_call("{ bash = 'ls -A \"${TMPDIR:-/tmp}\" > ../temporary' }"));
    night.run(&["-m", "1"]);
    let call = night.folder().join("iterations/0001/1-work");
    for (path, mode) in [(call.join("prompt.md"), 0o600), (call.clone(), 0o700), (night.folder(), 0o700)] {
        let found = std::os::unix::fs::PermissionsExt::mode(&path.metadata().unwrap().permissions());
        assert_eq!(found & 0o777, mode, "{}", path.display());
    }
    let temporary = fs::read_to_string(night.env.root().join("temporary")).unwrap();
    assert!(!temporary.contains("prompt"), "{temporary}");
}

#[test]
fn a_check_that_is_nothing_but_a_comment_is_refused() {
    let night = Night::new(&every_call(WORK));
    for flag in ["--gate", "--until"] {
        for command in ["# make test", "  \n # make test\n# and more"] {
            refused(&night, &["run", "--mock", "-p", "x", flag, command], "it is empty");
        }
    }
    for commands in ["[\"# make test\"]", "[{ command = \"# make test\" }]"] {
        night.env.write(".windlass/config.toml", format!("[gates]\ncommands = {commands}\n"));
        refused(&night, &["run", "--mock", "-p", "x"], "it is empty");
    }
}
