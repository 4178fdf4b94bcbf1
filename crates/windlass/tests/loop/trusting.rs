//! What a repository's own files start: asked for once per content, and never started unasked.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;
use windlass_testkit::environment::PersonsTerminal;
use windlass_testkit::{Outcome, TestEnv};

use crate::night::{Night, PATIENCE, every_call};

const IDLE: &str = "{ result = { text = \"Nothing to do.\" } }";

const GATED: &str = "[gates]\ncommands = [\"sh check.sh\"]\n";

/// A repository of somebody else, with a gate that leaves a trace.
fn stranger() -> Night {
    let env = TestEnv::with_git();
    env.write(".windlass/config.toml", GATED);
    env.write("check.sh", "touch started\n");
    Night::within(env, &every_call(IDLE))
}

/// windlass where nobody has trusted anything.
fn windlass(night: &Night, arguments: &[&str]) -> Command {
    let mut command = night.env.command(env!("CARGO_BIN_EXE_windlass"));
    command.args(arguments);
    command
}

fn run_words<'a>(mock: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    [&["run", "-p", "Work", "--no-delay", "-m", "1", "--fresh", "--allow-dirty", mock], more].concat()
}

/// A run with the scripted agent.
fn run(night: &Night, more: &[&str]) -> Outcome {
    let mock = format!("--mock={}", night.script.display());
    night.env.run(&mut windlass(night, &run_words(&mock, more)), PATIENCE)
}

fn ask(night: &Night, arguments: &[&str]) -> Outcome {
    night.env.run(&mut windlass(night, arguments), PATIENCE)
}

fn hash(night: &Night) -> String {
    let listed: Value = serde_json::from_slice(&ask(night, &["trust", "--json"]).stdout).unwrap();
    listed["hash"].as_str().unwrap().to_owned()
}

fn trust(night: &Night) {
    ask(night, &["trust", &hash(night)]).expect_success("windlass trust HASH");
}

fn was_started(night: &Night) -> bool {
    night.env.project().join("started").exists()
}

/// Refused before anything was started or made.
fn expect_refused(night: &Night, outcome: &Outcome, names: &str) {
    let said = outcome.stderr_text();
    assert_eq!(outcome.code, Some(2), "{names}: {said}");
    assert!(said.contains("that you have not trusted") && said.contains(names), "{names}: {said}");
    assert!(said.contains("windlass trust"), "{said}");
    assert!(!was_started(night), "{names}: {said}");
    assert_eq!(night.folders(), Vec::<PathBuf>::new(), "{names}");
}

fn executable(env: &TestEnv, path: &str, text: &str) {
    let path = env.write(path, text);
    fs::set_permissions(path, Permissions::from_mode(0o755)).unwrap();
}

// attack(trust): a repository's configuration or a file of its `.windlass` folder names a program: a gate, a hook, a
//   command that tells somebody, the agent itself, the setup of a worktree, an image of the sandbox.
// holds: nothing of it is started before a person has said yes; without a terminal the run ends with exit code 2, before a
//   run is made, with the commands and the hash that trust it.
#[test]
fn nothing_that_a_repository_names_is_started_unasked() {
    for (file, text, names) in [
        (".windlass/config.toml", "[gates]\ncommands = [\"touch started\"]\n", "gates.commands"),
        (".windlass/config.toml", "[gates]\nuntil = [{ command = \"touch started\" }]\n", "gates.until"),
        (".windlass/config.toml", "[hooks]\nstarted = \"touch started\"\n", "hooks.started"),
        (".windlass/config.toml", "[notify]\ncommand = \"touch started\"\n", "notify.command"),
        (".windlass/config.toml", "[notify]\nwebhook = \"http://127.0.0.1:9/x\"\n", "notify.webhook"),
        (".windlass/config.toml", "[agent]\ncommand = \"./agent.sh\"\n", "agent.command"),
        (".windlass/config.toml", "[agent]\narguments = [\"--mcp-config\", \"x\"]\n", "agent.arguments"),
        (".windlass/config.toml", "[agent]\napi_keys = true\n", "agent.api_keys"),
        (".windlass/config.toml", "[worktree]\nsetup = \"touch started\"\n", "worktree.setup"),
        (".windlass/config.toml", "[sandbox]\nkind = \"podman:evil\"\n", "sandbox.kind"),
        (".windlass/hooks/started", "#!/bin/sh\ntouch started\n", ".windlass/hooks/started"),
    ] {
        let env = TestEnv::with_git();
        executable(&env, "agent.sh", "#!/bin/sh\ntouch started\necho '2.1.330 (Claude Code)'\n");
        executable(&env, file, text);
        let night = Night::within(env, &every_call(IDLE));
        expect_refused(&night, &run(&night, &[]), names);
        // The agent itself, too, which nobody has replaced here.
        if names == "agent.command" {
            expect_refused(&night, &ask(&night, &["run", "-p", "Work", "-m", "1"]), names);
            ask(&night, &["doctor"]);
            assert!(!was_started(&night), "doctor");
        }
    }
}

// attack(trust): the repository's hooks and its command for notifications are tried by hand, where nobody has looked at them.
// holds: `hooks test` and `notify test` ask as runs do.
#[test]
fn trying_something_starts_nothing_unasked() {
    let env = TestEnv::with_git();
    env.write(
        ".windlass/config.toml",
        "[hooks]\nstarted = \"touch started\"\n[notify]\ncommand = \"touch started\"\n",
    );
    let night = Night::within(env, &every_call(IDLE));
    expect_refused(&night, &ask(&night, &["hooks", "test", "started"]), "hooks.started");
    expect_refused(&night, &ask(&night, &["notify", "test"]), "notify.command");
    let looked = run(&night, &["--dry-run"]);
    looked.expect_success("a look");
    assert!(looked.stdout_text().contains("a run would ask"), "{}", looked.stdout_text());
}

#[test]
fn a_ci_job_trusts_exactly_one_content() {
    let night = stranger();
    let refused = run(&night, &[]);
    expect_refused(&night, &refused, "sh check.sh");
    let hash = hash(&night);
    let flag = format!("--trust={hash}");
    assert!(refused.stderr_text().contains(&flag), "the exact command: {}", refused.stderr_text());
    let other = run(&night, &["--trust=00000000000000000000000000000000"]);
    assert_eq!(other.code, Some(2));
    assert!(other.stderr_text().contains(&hash) && !was_started(&night), "{}", other.stderr_text());
    let odd = run(&night, &["--trust=yes"]);
    assert!(
        odd.code == Some(2) && odd.stderr_text().contains("32 hexadecimal digits"),
        "{}",
        odd.stderr_text()
    );
    let begun = run(&night, &[&flag]);
    assert!(was_started(&night) && begun.stdout_text().contains("stopped:"), "{}", begun.stderr_text());
    // Once per content: it is remembered, in a subfolder and in another checkout as well.
    assert!(run(&night, &[]).stdout_text().contains("stopped:"));
    let store = night.project_state().join("trust.json");
    assert_eq!(fs::metadata(store).unwrap().permissions().mode() & 0o777, 0o600);
    ask(&night, &["trust", "--revoke"]).expect_success("revoke");
    let again = run(&night, &[]);
    assert!(again.code == Some(2) && again.stderr_text().contains("not trusted"), "{}", again.stderr_text());
}

// attack(trust): a script behind a gate that a person has trusted is changed afterwards, and its gate is not.
// holds: the next run asks again, and names the script.
#[test]
fn a_changed_script_behind_a_trusted_gate_is_asked_for_again() {
    let night = stranger();
    trust(&night);
    assert!(run(&night, &[]).stdout_text().contains("stopped:"));
    night.env.write("check.sh", "touch stolen\n");
    let refused = run(&night, &[]);
    let said = refused.stderr_text();
    assert_eq!(refused.code, Some(2), "{said}");
    assert!(said.contains("~ the file check.sh") && said.contains("1 thing"), "{said}");
    assert!(!night.env.project().join("stolen").exists());
    // What was trusted once stays so.
    night.env.write("check.sh", "touch started\n");
    assert!(run(&night, &[]).stdout_text().contains("stopped:"));
}

#[test]
fn worktrees_of_one_repository_share_what_is_trusted() {
    let night = stranger();
    night.env.git(&["add", "--all"]);
    night.env.git(&["commit", "--quiet", "--message", "Gate"]);
    trust(&night);
    let beside = night.env.root().join("beside");
    night.env.git(&["worktree", "add", "--quiet", beside.to_str().unwrap()]);
    let mock = format!("--mock={}", night.script.display());
    let outcome = night.env.run(windlass(&night, &run_words(&mock, &[])).current_dir(&beside), PATIENCE);
    assert!(beside.join("started").exists(), "{}", outcome.stderr_text());
}

// attack(trust): an agent calls `windlass trust`, first as it is and then with its environment wiped, so that nothing says that
//   it is one; it also has windlass write a gate, which is trusted where a person does so, raise a limit of the person's, and stop the run.
// holds: refused, since it is below its keeper; what it had written is not trusted.
#[test]
fn an_agent_trusts_nothing_for_a_person() {
    let night = stranger();
    let windlass_program = format!("\"{}\"", env!("CARGO_BIN_EXE_windlass"));
    let hash_before = hash(&night);
    let wiped = format!(
        "env -i PATH=\"$PATH\" HOME=\"$HOME\" WINDLASS_STATE_DIR=\"$WINDLASS_STATE_DIR\" \
         WINDLASS_CONFIG_DIR=\"$WINDLASS_CONFIG_DIR\" setsid {windlass_program}"
    );
    let attempts = [
        format!("{windlass_program} trust {hash_before} > said 2>&1; echo $? >> said"),
        format!("{wiped} trust {hash_before} > wiped 2>&1; echo $? >> wiped"),
        format!("{wiped} run -p x --mock -m 1 --trust={hash_before} > ran 2>&1; echo $? >> ran"),
        format!("{wiped} config set notify.command 'touch stolen' > set 2>&1; echo $? >> set"),
        format!("{wiped} stop > stopping 2>&1; echo $? >> stopping"),
        format!("{wiped} config set --user limits.max_cost 700 > user 2>&1; echo $? >> user"),
    ];
    let steps: Vec<String> = attempts.iter().map(|line| format!("{{ bash = '''{line}''' }}")).collect();
    let night = Night::within(night.env, &every_call(&format!("{}, {IDLE}", steps.join(", "))));
    // The person typed this gate, so that the run begins and nothing of the repository's is used.
    let outcome = run(&night, &["--gate", "true"]);
    assert!(outcome.stdout_text().contains("stopped:"), "{}", outcome.stderr_text());
    for file in ["said", "wiped", "ran", "set", "stopping", "user"] {
        let said = night.env.read(file);
        assert!(
            said.contains("refused: this was started by windlass itself") && said.ends_with("2\n"),
            "{said}"
        );
    }
    assert!(!night.env.read("ran").contains("stopped:"), "{}", night.env.read("ran"));
    assert_eq!(ask(&night, &["trust", "--list"]).code, Some(1));
    // What it had written was put back, or stands there: either way it is not trusted.
    night.env.write(".windlass/config.toml", format!("{GATED}[notify]\ncommand = \"touch stolen\"\n"));
    let again = run(&night, &[]);
    assert!(again.stderr_text().contains("notify.command"), "{}", again.stderr_text());
    assert!(!night.env.project().join("stolen").exists() && !was_started(&night));
}

// attack(trust): an agent changes the project's configuration during a run, so that what it wrote is started by the next one,
//   or when the run is resumed.
// holds: both ask for exactly what was changed, and start nothing before.
#[test]
fn what_an_agent_wrote_into_the_configuration_waits_for_a_person() {
    let env = TestEnv::with_git();
    env.write(".windlass/config.toml", GATED);
    env.write("check.sh", "true\n");
    let evil = "printf '[gates]\\ncommands = [\"touch started\"]\\n' > .windlass/config.toml";
    let night = Night::within(env, &every_call(&format!("{{ bash = '''{evil}''' }}, {IDLE}")));
    trust(&night);
    let first = run(&night, &[]);
    assert!(first.stdout_text().contains("stopped:"), "{}", first.stderr_text());
    // Whether it was put back or not: it is not obeyed.
    night.env.write(".windlass/config.toml", "[gates]\ncommands = [\"touch started\"]\n");
    let folder = night.folder();
    let begun = folder.file_name().unwrap().to_str().unwrap();
    for arguments in [&["resume", begun, "-m", "3"][..], &["run", "-p", "Other", "--mock", "-m", "1"]] {
        let outcome = ask(&night, arguments);
        let said = outcome.stderr_text();
        assert_eq!(outcome.code, Some(2), "{arguments:?}: {said}");
        assert!(said.contains("touch started") && said.contains("not trusted"), "{arguments:?}: {said}");
        assert!(!was_started(&night), "{arguments:?}");
    }
}

// attack(trust): an agent makes a skill in a folder far below, which starts a program when agents work on files there.
// holds: it is one more thing that a person is asked about; the settings there, which nobody reads, are none.
#[test]
fn what_agents_come_across_below_is_asked_for_as_well() {
    let env = TestEnv::with_git();
    env.write("settings", "{\"hooks\":{\"Stop\":[]}}");
    env.write("skill", "---\nname: x\nhooks:\n  Stop: touch started\n---\n");
    let folder = "packages/a/.claude";
    let evil = format!(
        "mkdir -p {folder}/skills/x && cp skill {folder}/skills/x/SKILL.md && cp settings {folder}/settings.json"
    );
    let night = Night::within(env, &every_call(&format!("{{ bash = '''{evil}''' }}, {IDLE}")));
    let first = run(&night, &[]);
    assert!(first.stdout_text().contains("stopped:"), "{}", first.stderr_text());
    let listed = ask(&night, &["trust", "--list"]);
    let said = listed.stdout_text();
    assert_eq!(listed.code, Some(1), "{said}");
    assert!(
        said.contains("packages/a/.claude/skills/x/SKILL.md") && !said.contains("settings.json"),
        "{said}"
    );
}

#[test]
fn what_is_a_persons_own_is_never_asked_for() {
    // Typed, in the user's file, written by `config set`, or nothing at all.
    let plain = Night::with_git(&every_call(IDLE));
    plain.env.write("check.sh", "touch started\n");
    assert!(run(&plain, &["--gate", "sh check.sh"]).stdout_text().contains("stopped:"));
    assert!(was_started(&plain));
    let user = Night::with_git(&every_call(IDLE));
    user.env.write(user.env.config().join("config.toml"), "[gates]\ncommands = [\"touch started\"]\n");
    assert!(run(&user, &[]).stdout_text().contains("stopped:") && was_started(&user));
    let set = Night::with_git(&every_call(IDLE));
    set.env.write("check.sh", "touch started\n");
    ask(&set, &["init"]).expect_success("init");
    assert!(run(&set, &[]).stdout_text().contains("stopped:"), "a fresh project asks nothing");
    ask(&set, &["config", "set", "gates.commands", "--add", "sh check.sh"]).expect_success("config set");
    assert!(run(&set, &[]).stdout_text().contains("stopped:") && was_started(&set));
    // Not what else stands in the file.
    let other = stranger();
    ask(&other, &["config", "set", "hooks.started", "true"]).expect_success("config set");
    expect_refused(&other, &run(&other, &[]), "gates.commands");
    // What is only permitted is not a question.
    let allowed = Night::with_git(&every_call(IDLE));
    allowed.env.write(".windlass/config.toml", "[permissions]\nallow = [\"Bash\"]\n[limits]\nmax_cost = 5\n");
    assert!(run(&allowed, &[]).stdout_text().contains("stopped:"));
}

#[test]
fn a_person_at_a_terminal_is_asked() {
    let night = stranger();
    let mock = format!("--mock={}", night.script.display());
    let start = || PersonsTerminal::start(&mut windlass(&night, &run_words(&mock, &[])));
    let mut refusing = start();
    refusing.wait_for("Trust it?");
    assert!(refusing.text().contains("sh check.sh"), "{}", refusing.text());
    refusing.press("n\r");
    assert_eq!(refusing.wait(), 2, "{}", refusing.text());
    assert!(!was_started(&night) && night.folders().is_empty());
    let mut trusting = start();
    trusting.wait_for("Trust it?");
    trusting.press("y\r");
    trusting.wait();
    assert!(was_started(&night), "{}", trusting.text());
    assert!(run(&night, &[]).stdout_text().contains("stopped:"));
}

// attack(trust): the repository's settings for the agent are a pipe, a folder, a device's link, no JSON, or very long; or what was
//   trusted is damaged, or a hook may hide among thousands of harmless files.
// holds: one sentence that names the file, without a wait; what cannot be read is not trusted, and a damaged record trusts
//   nothing.
#[test]
fn what_cannot_be_read_is_not_trusted() {
    type Make = fn(&Path);
    let claude = |env: &TestEnv| {
        executable(env, "claude", "#!/bin/sh\necho '2.1.330 (Claude Code)'\n");
        env.project().join("claude").display().to_string()
    };
    let start = |night: &Night, program: &str, more: &[&str]| {
        let words = [&["run", "-p", "Work", "-m", "1", "--no-delay"], more].concat();
        night.env.run(windlass(night, &words).env("WINDLASS_AGENT__COMMAND", program), PATIENCE)
    };
    let makes: [(&str, Make); 4] = [
        ("it is not a plain file", |path| {
            rustix::fs::mknodat(rustix::fs::CWD, path, rustix::fs::FileType::Fifo, 0o600.into(), 0).unwrap();
        }),
        ("it is not a plain file", |path| std::os::unix::fs::symlink("/dev/zero", path).unwrap()),
        ("longer than 1 MiB", |path| fs::write(path, vec![b' '; 2 << 20]).unwrap()),
        ("the file .claude/settings.json", |path| fs::write(path, b"{\"hooks\": \xff").unwrap()),
    ];
    for (why, make) in makes {
        let night = Night::with_git(&every_call(IDLE));
        let program = claude(&night.env);
        fs::create_dir(night.env.project().join(".claude")).unwrap();
        make(&night.env.project().join(".claude/settings.json"));
        let outcome = start(&night, &program, &[]);
        let said = outcome.stderr_text();
        assert!(!outcome.timed_out && outcome.code == Some(2) && said.contains(why), "{why}: {said}");
        assert!(said.contains("--no-claude-settings"), "{said}");
    }
    let night = Night::with_git(&every_call(IDLE));
    let program = claude(&night.env);
    for number in 0..2_100 {
        night.env.write(format!(".claude/agents/{number}.md"), "Harmless.");
    }
    let outcome = start(&night, &program, &[]);
    let said = outcome.stderr_text();
    assert!(
        outcome.code == Some(2) && said.contains(".claude/agents") && said.contains("more files"),
        "{said}"
    );

    let night = stranger();
    trust(&night);
    let store = night.project_state().join("trust.json");
    let whole = fs::read(&store).unwrap();
    for damaged in [&whole[..whole.len() / 2], b"", b"{\"version\": 9, \"trusted\": []}"] {
        fs::write(&store, damaged).unwrap();
        let outcome = run(&night, &[]);
        assert_eq!(outcome.code, Some(2), "{}", outcome.stderr_text());
    }
    let said = ask(&night, &["trust", "--list"]).stderr_text();
    assert!(said.contains("trust.json") && said.contains("newer Windlass"), "{said}");
    trust(&night);
    assert!(run(&night, &[]).stdout_text().contains("stopped:"), "it is written anew");
}

#[test]
fn a_thousand_things_are_counted_and_the_first_are_named() {
    let env = TestEnv::with_git();
    let gates: Vec<String> = (0..1000).map(|number| format!("\"true {number}\"")).collect();
    env.write(".windlass/config.toml", format!("[gates]\ncommands = [{}]\n", gates.join(", ")));
    let night = Night::within(env, &every_call(IDLE));
    let said = run(&night, &[]).stderr_text();
    assert!(said.contains("1000 things") && said.contains("and 980 more"), "{said}");
    assert!(said.lines().count() < 40, "{said}");
}
