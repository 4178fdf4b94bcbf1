//! What a guest writes where the runner and agents are told what to do.

use std::fs;

use windlass_testkit::environment::TestEnv;

use super::place::{PATIENCE, Place, is_root, kinds, said};

/// Makes what was not there, and tries to change what was.
const HOSTILE: &str = r#"
[[call]]
steps = [
  { bash = "echo evil > .mcp.json; mkdir -p .claude/commands a/.windlass; echo evil > .claude/settings.json; echo evil > .claude/commands/x.md; echo evil > a/.windlass/config.toml" },
  { bash = "for f in .windlass/config.toml .windlass/workspaces/api/INSTRUCTIONS.md; do echo '[goal]' > $f; done 2>/dev/null; mkdir -p .windlass/workspaces/new && echo evil > .windlass/workspaces/new/config.toml; mkdir -p .windlass/hooks && printf '#!/bin/sh\ntouch obeyed\n' > .windlass/hooks/started && chmod +x .windlass/hooks/started; true" },
  { bash = "echo work > work; echo note > .claude/notes.md" },
  { result = { text = "Done.", cost = 0.01 } },
]
"#;

fn assert_as_before(place: &Place, said: &str) {
    let project = place.env.project();
    for made in [
        ".mcp.json",
        ".claude/settings.json",
        ".claude/commands",
        "a/.windlass",
        ".windlass/workspaces/new/config.toml",
        ".windlass/hooks/started",
        "obeyed",
    ] {
        assert!(!project.join(made).exists(), "{}: {made}: {said}", place.kind);
    }
    assert_eq!(place.env.read(".windlass/config.toml"), "[limits]\nmax_failures = 7\n", "{said}");
    assert_eq!(place.env.read(".windlass/workspaces/api/INSTRUCTIONS.md"), "mine\n", "{said}");
    assert_eq!((&*place.env.read("work"), &*place.env.read(".claude/notes.md")), ("work\n", "note\n"));
}

fn furnished(kind: &'static str) -> Place {
    let place = Place::new(kind);
    place.env.write(".windlass/config.toml", "[limits]\nmax_failures = 7\n");
    place.env.write(".windlass/workspaces/api/INSTRUCTIONS.md", "mine\n");
    place
}

// attack(sandbox): an agent makes settings, commands, MCP servers, hooks and configuration where there were none, and changes
//   those that are there, to be obeyed by the next iteration, the next run or the person's own agent.
// holds: after its attempt they are what they were before; what it made is put aside, and said.
#[test]
fn what_steers_is_what_it_was_after_each_attempt() {
    for kind in kinds() {
        let place = furnished(kind);
        let outcome = place.env.run(&mut place.command_of(HOSTILE, &["-m", "2"]), PATIENCE);
        assert!(!outcome.timed_out);
        let told = said(&outcome);
        assert_as_before(&place, &told);
        assert!(
            told.contains("something in the sandbox made .mcp.json") && told.contains("put-aside"),
            "{told}"
        );
    }
}

/// The same far below, where nobody is at work; one folder is closed to whoever looks afterwards.
const NESTED: &str = r#"
[[call]]
steps = [
  { bash = "mkdir -p lib/deep/.claude/skills/x lib/deep/.windlass ignored/.claude closed/er && echo evil > lib/deep/.claude/skills/x/SKILL.md && echo evil > lib/deep/.windlass/config.toml && echo evil > ignored/.claude/settings.json" },
  { bash = "echo evil > lib/.claude/settings.json; echo evil > lib/.mcp.json; rm -r lib/.claude/agents; ln -s /etc lib/other; echo evil > closed/er/.mcp.json && chmod 0 closed" },
  { bash = "echo note > lib/.claude/notes.md; echo work > lib/work" },
  { result = { text = "Done.", cost = 0.01 } },
]
"#;

// attack(sandbox): an agent does the same in folders below its directory, ignored ones among them, and in one that it then closes
//   to whoever would look into it.
// holds: all of it is what it was; its work and its notes there stay.
#[test]
fn what_steers_below_is_what_it_was_as_well() {
    for kind in kinds() {
        // Below the directory of temporary files, since an ordinary user can get there.
        let place = Place::at(TestEnv::with_git(), kind);
        place.env.write(".gitignore", "ignored\n");
        place.env.write("lib/.claude/settings.json", "{}\n");
        place.env.write("lib/.claude/agents/mine.md", "mine\n");
        place.env.git(&["add", "--all"]);
        place.env.git(&["commit", "--quiet", "--message", "Settings"]);
        let place = if is_root() { place.of_an_ordinary_user() } else { place };
        let outcome = place.env.run(&mut place.command_of(NESTED, &["-m", "1"]), PATIENCE);
        assert!(!outcome.timed_out);
        let told = said(&outcome);
        for made in [
            "lib/deep/.claude/skills",
            "lib/deep/.windlass",
            "lib/.mcp.json",
            "ignored/.claude/settings.json",
            "closed/er/.mcp.json",
        ] {
            assert!(!place.env.project().join(made).exists(), "{kind}: {made}: {told}");
        }
        let read = |path: &str| place.env.read(path);
        assert_eq!(
            (&*read("lib/.claude/settings.json"), &*read("lib/.claude/agents/mine.md")),
            ("{}\n", "mine\n")
        );
        assert_eq!((&*read("lib/.claude/notes.md"), &*read("lib/work")), ("note\n", "work\n"), "{told}");
        assert!(told.contains("made closed/er/.mcp.json") && told.contains("more files"), "{told}");
    }
}

// attack(sandbox): the runner is killed while an agent has already made such files.
// holds: the next command, whichever it is, puts them back before it reads anything, and says so.
#[test]
fn what_was_made_beside_a_runner_that_was_killed_is_put_back_by_the_next_command() {
    for kind in kinds() {
        let place = furnished(kind);
        let script = HOSTILE.replace("{ result =", "{ sleep = \"60s\" }, { result =");
        let running = place.start(&script, &["-m", "1"]);
        let made = windlass_testkit::environment::wait_until(PATIENCE, || {
            place.env.project().join(".claude/notes.md").exists()
        });
        assert!(made, "{kind}: {}", running.stderr_so_far());
        running.signal(rustix::process::Signal::KILL);
        drop(running.wait(PATIENCE));
        place.env.assert_no_processes(super::place::CLEARED);
        let status = place.env.run(&mut place.untrusting(&["status"]), PATIENCE);
        let told = said(&status);
        assert!(told.contains("which was killed") && told.contains("made .mcp.json"), "{kind}: {told}");
        assert_as_before(&place, &told);
        // From now on a change is a person's.
        place.env.write("lib/.mcp.json", "{}\n");
        let again = ["run", "-p", "Work", "--mock", "--no-delay", "--fresh", "-m", "1"];
        let outcome = place.env.run(&mut place.windlass(&again), PATIENCE);
        assert_eq!(place.env.read("lib/.mcp.json"), "{}\n");
        assert_ne!(outcome.code, Some(2), "{}", said(&outcome));
    }
}

// attack(sandbox): an agent in a lane makes such files in its clone, so that they land on the branch.
// holds: they are put aside in the clone and land nowhere; its work does.
#[test]
fn what_steers_does_not_land_from_a_lane() {
    for kind in kinds() {
        let place = Place::new(kind);
        let tasks = "# Tasks\n\n### TASK-001: A thing\n- **Status**: pending\n- **Dependencies**: none\n";
        place.env.write("requirements.md", tasks);
        place.env.git(&["add", "--all"]);
        place.env.git(&["commit", "--quiet", "--message", "Tasks"]);
        let script = r#"
[[call]]
steps = [
  { bash = "mkdir -p .claude .windlass; echo evil > .claude/settings.json; echo evil > .mcp.json; echo evil > .windlass/config.toml; echo work > work" },
  "tick_task",
  { result = { text = "TASK-001 is done.", cost = 0.01 } },
]
"#;
        let script = place.env.write(place.env.root().join("script.toml"), script);
        let mock = format!("--mock={}", script.display());
        let words = ["run", "--mode", "tasks", "-j", "2", &mock, "--no-delay", "--sandbox", kind];
        let outcome = place.env.run(&mut place.windlass(&words), PATIENCE);
        let files = place.env.git(&["ls-tree", "-r", "--name-only", "HEAD"]);
        assert!(files.lines().any(|file| file == "work"), "{kind}: {files}\n{}", said(&outcome));
        for evil in [".claude/settings.json", ".mcp.json", ".windlass/config.toml"] {
            assert!(!files.lines().any(|file| file == evil), "{kind}: {files}\n{}", said(&outcome));
            assert!(!place.env.project().join(evil).exists(), "{kind}: {evil}");
        }
    }
}

// attack(sandbox): a person believes the network to be off, and there is no sandbox that could do that.
// holds: nothing is started; one sentence says what is missing.
#[test]
fn what_only_a_sandbox_holds_is_refused_without_one() {
    let place = Place::new("none");
    let refused = |place: &Place, flags: &[&str]| {
        let fixed = ["run", "-p", "Work", "--mock", "-m", "1", "--no-delay", "--fresh"];
        place.env.run(&mut place.windlass(&[&fixed, flags].concat()), PATIENCE)
    };
    for flags in [&["--network", "off"][..], &["--network", "off", "--sandbox", "none"]] {
        let outcome = refused(&place, flags);
        outcome.expect_code(2, "no sandbox");
        assert!(said(&outcome).contains("--network holds nothing without a sandbox"), "{}", said(&outcome));
    }
    let place = place.set("WINDLASS_SANDBOX__HIDDEN", "secret");
    let outcome = refused(&place, &[]);
    outcome.expect_code(2, "no sandbox");
    assert!(said(&outcome).contains("`sandbox.hidden` holds nothing"), "{}", said(&outcome));
    assert!(!place.env.state().join("projects").exists());
    assert_ne!(refused(&place, &["--sandbox", "none"]).code, Some(2), "a person has said so");
    fs::write(place.env.project().join(".mcp.json"), "{}").unwrap();
}
