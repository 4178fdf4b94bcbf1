//! Runs in worktrees, and what becomes of these.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;
use windlass_core::values::Named;

use rustix::process::Signal;
use serde_json::Value;
use windlass_core::spec::SandboxKind;
use windlass_engine::sandbox::probe;
use windlass_testkit::environment::{Outcome, TestEnv};

use super::{PATIENCE, PATIENT, Running, ask, document, told, windlass};

/// How long what was killed may take to be gone.
const CLEARED: Duration = Duration::from_secs(5);

/// What the agent finds in its environment, in a file.
const CURIOUS: &str = r#"
[[call]]
steps = [
  { bash = "env | grep -E '^WINDLASS_(WORKTREE|LANE|PORT)' | sort > told.txt; pwd > where.txt" },
  { result = { text = "Looked.", cost = 0.01 } },
]
"#;

/// Where worktrees of the test's project are made.
fn trees(env: &TestEnv) -> PathBuf {
    env.root().canonicalize().unwrap().join("project-worktrees")
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// A run of one iteration of this script in a worktree.
fn run_in(env: &TestEnv, name: &str, script: &str, more: &[&str]) -> Outcome {
    let script = env.write(env.root().join("script.toml"), script);
    let mock = format!("--mock={}", script.display());
    let arguments = ["run", "-p", "Look", &mock, "--no-delay", "-m", "1", "--worktree", name];
    ask(env, &[&arguments, more].concat())
}

fn said(outcome: &Outcome) -> String {
    outcome.stdout_text() + &outcome.stderr_text()
}

/// The one worktree in the list.
fn listed(env: &TestEnv) -> Value {
    let document = document(env, &["worktree", "list", "--json"]);
    let worktrees = document["worktrees"].as_array().unwrap().clone();
    assert_eq!(worktrees.len(), 1, "{document}");
    worktrees.into_iter().next().unwrap()
}

/// A run in a worktree that waits in its first call; its name.
fn waiting(env: &TestEnv, name: &str) -> (Running, String) {
    let script = env.write(env.root().join("patient.toml"), PATIENT);
    let mock = format!("--mock={}", script.display());
    let arguments = ["run", "-p", "Patience", &mock, "--no-delay", "-m", "1", "--json", "--worktree", name];
    let mut running = Running::start(&mut windlass(env, &[&arguments, &["--commit", "runner"][..]].concat()));
    let begun = running.wait_for_stdout("Now I wait.", PATIENCE);
    assert!(begun, "{}{}", running.stdout_so_far(), running.stderr_so_far());
    let first: Value = serde_json::from_str(running.stdout_so_far().lines().next().unwrap()).unwrap();
    (running, first["run"].as_str().unwrap().to_owned())
}

// rows: 87
#[test]
fn a_run_works_in_a_worktree_that_is_merged_and_cleaned_up() {
    let env = TestEnv::with_git();
    env.write(".gitignore", "*.env\n.windlass/\n");
    env.write(".worktreeinclude", "*.env\n");
    env.git(&["add", "--all"]);
    env.git(&["commit", "--quiet", "--message", "ignore"]);
    env.write("my.env", "SECRET=1\n");
    env.write(".windlass/config.toml", "[git]\ncommit = \"runner\"\n");
    let outcome = run_in(&env, "api", CURIOUS, &[]);
    outcome.expect_code(10, "run --worktree");
    let (told_before, path) = (said(&outcome), trees(&env).join("api"));
    assert!(told_before.contains("the worktree api is new; it lies in"), "{told_before}");
    assert!(told_before.contains("2 files that git does not track were copied into it"), "{told_before}");
    assert!(told_before.contains("git merge windlass/api"), "{told_before}");
    assert!(told_before.contains("windlass worktree clean api"), "{told_before}");
    assert_eq!(read(&path.join("where.txt")).trim(), path.to_str().unwrap());
    let expected =
        "WINDLASS_LANE=0\nWINDLASS_PORT_BASE=20320\nWINDLASS_PORT_COUNT=10\nWINDLASS_WORKTREE=api\n";
    assert_eq!(read(&path.join("told.txt")), expected);
    assert_eq!(read(&path.join("my.env")), "SECRET=1\n");
    assert!(!env.project().join("where.txt").exists(), "the checkout is its person's");
    assert_eq!(env.git(&["status", "--porcelain"]), "");

    let row = listed(&env);
    assert_eq!(
        (&row["name"], &row["branch"], &row["base"]),
        (&"api".into(), &"windlass/api".into(), &"main".into())
    );
    assert_eq!((&row["ahead"], &row["behind"], &row["uncommitted"]), (&1.into(), &0.into(), &0.into()));
    assert_eq!(row["state"], "max_iterations");
    let table = told(&env, &["worktree", "list"]);
    assert!(table.contains("max_iterations") && table.contains("project-worktrees/api"), "{table}");

    let stays = ask(&env, &["worktree", "clean", "api"]);
    stays.expect_code(1, "clean of what is not merged");
    assert!(said(&stays).contains("has 1 commit that main has not; merge it first: git merge windlass/api"));
    env.git(&["merge", "--quiet", "windlass/api"]);
    assert!(told(&env, &["worktree", "clean", "--all", "--dry-run"]).contains("would be removed"));
    assert!(path.exists());
    assert!(told(&env, &["worktree", "clean", "api"]).contains("is removed, with its branch windlass/api"));
    assert!(!trees(&env).exists() && env.project().join("told.txt").exists());
    assert_eq!(env.git(&["branch", "--format=%(refname:short)"]), "main");
    assert!(told(&env, &["worktree", "list"]).contains("no worktrees yet"));
}

// rows: 87
#[test]
fn two_runs_of_one_repository_work_at_once() {
    let env = TestEnv::with_git();
    let (first, first_run) = waiting(&env, "one");
    let (second, _) = waiting(&env, "two");
    let held = run_in(&env, "one", CURIOUS, &["--fresh", "--allow-dirty"]);
    assert!(held.stderr_text().contains(&format!("run {first_run}")), "{}", said(&held));
    let stays = ask(&env, &["worktree", "clean", "--all"]);
    stays.expect_success("--all leaves what is in use");
    assert_eq!(said(&stays).matches("works there; end it first: windlass stop").count(), 2);
    for name in ["one", "two"] {
        // What both have alike is merged with either of them.
        env.write(trees(&env).join(name).join("go"), name);
    }
    first.wait(PATIENCE).expect_code(10, "the first");
    second.wait(PATIENCE).expect_code(10, "the second");
    let document = document(&env, &["worktree", "list", "--json"]);
    for row in document["worktrees"].as_array().unwrap() {
        assert_eq!((&row["ahead"], &row["uncommitted"]), (&1.into(), &0.into()), "{row}");
    }
    env.git(&["merge", "--quiet", "windlass/one"]);
    let cleaned = said(&ask(&env, &["worktree", "clean", "--all"]));
    assert!(cleaned.contains("one is removed") && cleaned.contains("two stays"), "{cleaned}");
    env.assert_no_processes(CLEARED);
}

#[test]
fn the_setup_command_makes_a_worktree_ready_or_keeps_the_run_from_starting() {
    let env = TestEnv::with_git();
    let setup =
        "sleep 600 & echo \"for $WINDLASS_WORKTREE\" > made.txt; echo first; echo last >&2; test -e ok";
    env.write(env.config().join("config.toml"), format!("[worktree]\nsetup = '''{setup}'''\n"));
    let failed = run_in(&env, "api", CURIOUS, &[]);
    failed.expect_code(34, "a failing setup command");
    let text = failed.stderr_text();
    assert!(text.contains("the worktree api is not ready: the setup command"), "{text}");
    assert!(
        text.contains("failed with exit code 1") && text.contains("first") && text.contains("last"),
        "{text}"
    );
    env.assert_no_processes(CLEARED);
    let path = trees(&env).join("api");
    assert_eq!(read(&path.join("made.txt")), "for api\n");
    assert!(!path.join("where.txt").exists(), "no agent was called");
    assert!(listed(&env)["problem"].as_str().unwrap().contains("not ready yet"));
    assert_eq!(document(&env, &["runs", "--json"])["runs"].as_array().unwrap().len(), 0);

    fs::write(path.join("ok"), "").unwrap();
    run_in(&env, "api", CURIOUS, &[]).expect_code(10, "the command is tried again");
    assert_eq!(listed(&env)["problem"], Value::Null);
    fs::remove_file(path.join("ok")).unwrap();
    let outcome = run_in(&env, "api", CURIOUS, &["--allow-dirty", "--fresh"]);
    outcome.expect_code(10, "once it is ready the command is not run again");

    env.write(env.config().join("config.toml"), "[worktree]\nsetup = 'sleep 600'\nsetup_timeout = '1s'\n");
    let slow = run_in(&env, "slow", CURIOUS, &[]);
    slow.expect_code(34, "a setup command that takes too long");
    assert!(slow.stderr_text().contains("took longer than 1 s and was ended"), "{}", slow.stderr_text());
    env.assert_no_processes(CLEARED);
}

// rows: 87
#[test]
fn a_worktree_is_used_again_unless_something_in_it_is_in_no_commit() {
    let env = TestEnv::with_git();
    run_in(&env, "api", CURIOUS, &[]).expect_code(10, "without commits");
    let again = run_in(&env, "api", CURIOUS, &[]);
    again.expect_code(2, "a worktree with work in it");
    let text = again.stderr_text();
    assert!(text.contains("the worktree api is there, with 2 files in no commit, such as "), "{text}");
    assert!(text.contains("--allow-dirty"), "{text}");
    let stays = said(&ask(&env, &["worktree", "clean", "api"]));
    assert!(stays.contains("stays: 2 files there are in no commit"), "{stays}");
    let path = trees(&env).join("api");
    env.git(&["-C", path.to_str().unwrap(), "add", "--all"]);
    env.git(&["-C", path.to_str().unwrap(), "commit", "--quiet", "--message", "looked"]);
    let again = run_in(&env, "api", "[[call]]\nsteps = [{ say = 'Nothing to do.' }]\n", &[]);
    again.expect_code(10, "clean again");
    assert!(said(&again).contains("the worktree api was there"), "{}", said(&again));
    assert_eq!(listed(&env)["ahead"], 1);
}

#[test]
fn an_interrupted_run_in_a_worktree_is_resumed_from_the_project() {
    let env = TestEnv::with_git();
    let (killed, run) = waiting(&env, "api");
    killed.signal(Signal::KILL);
    let _ = killed.wait(PATIENCE);
    env.assert_no_processes(CLEARED);
    assert_eq!(listed(&env)["state"], "interrupted");
    let arguments = [
        "run",
        "-p",
        "Patience",
        "--mock",
        "--no-delay",
        "-m",
        "1",
        "--worktree",
        "api",
        "--commit",
        "runner",
    ];
    let again = ask(&env, &arguments);
    assert!(again.stderr_text().contains(&format!("windlass resume {run}")), "{}", said(&again));
    env.write(trees(&env).join("api/go"), "");
    let resumed = ask(&env, &["resume", &run]);
    resumed.expect_code(10, "resume from the project");
    assert!(said(&resumed).contains("git merge windlass/api"), "{}", said(&resumed));
    assert!(!env.project().join("work.txt").exists());
    assert!(trees(&env).join("api/work.txt").exists());
}

#[test]
fn a_run_whose_worktree_is_gone_says_what_is_left_of_it() {
    let env = TestEnv::with_git();
    let (killed, run) = waiting(&env, "api");
    killed.signal(Signal::KILL);
    let _ = killed.wait(PATIENCE);
    env.assert_no_processes(CLEARED);
    let path = trees(&env).join("api");
    fs::remove_dir_all(&path).unwrap();
    let command = format!("git worktree prune && git worktree add {} windlass/api", path.display());
    for _ in 0..2 {
        let gone = ask(&env, &["resume", &run]);
        gone.expect_code(2, "a worktree that is gone");
        let text = gone.stderr_text();
        assert!(text.contains("which is gone") && text.contains(&command), "{text}");
        assert!(text.contains(&format!("windlass -C {} restore {run} 1 --before", path.display())), "{text}");
        assert!(text.contains(&format!("windlass -C {} resume {run}", path.display())), "{text}");
        // The same once git has forgotten it.
        env.git(&["worktree", "prune"]);
    }
    env.git(&["worktree", "add", "--quiet", path.to_str().unwrap(), "windlass/api"]);
    let there = path.to_str().unwrap();
    ask(&env, &["-C", there, "restore", &run, "1", "--before"]).expect_success("as advised");
    env.write(path.join("go"), "");
    ask(&env, &["-C", there, "resume", &run]).expect_code(10, "put there again");
    fs::remove_dir_all(&path).unwrap();
    // One that ended at a limit needs a higher one.
    for (typed, advised) in [(&[][..], " --max-iterations 2"), (&["--max-cost", "9"][..], " --max-cost 9")] {
        let text = ask(&env, &[&["resume", &run], typed].concat()).stderr_text();
        assert!(text.contains(&format!("windlass -C {there} restore {run} 1\n")), "{text}");
        assert!(text.contains(&format!("windlass -C {there} resume {run}{advised}\n")), "{text}");
    }
}

#[test]
fn what_cannot_be_a_worktree_is_refused_before_anything_is_made() {
    let env = TestEnv::with_git();
    for (name, expected) in [
        ("a/b", "cannot be a worktree's name"),
        ("..", "cannot be a worktree's name"),
        ("--", "cannot be a worktree's name"),
        ("-x", "cannot be a worktree's name"),
    ] {
        let name = format!("--worktree={name}");
        let outcome = ask(&env, &["run", "-p", "Look", "--mock", &name]);
        outcome.expect_code(2, &name);
        assert!(outcome.stderr_text().contains(expected), "{}", outcome.stderr_text());
    }
    env.git(&["branch", "windlass/mine"]);
    let taken = run_in(&env, "mine", CURIOUS, &[]);
    taken.expect_code(2, "a branch of somebody else's");
    assert!(taken.stderr_text().contains("there is a branch windlass/mine already"), "{}", said(&taken));
    let wrong = run_in(&env, "api", CURIOUS, &["--max-cost", "much"]);
    wrong.expect_code(2, "a wrong flag");
    env.write(env.config().join("config.toml"), "[worktree]\nbase = 'below'\n");
    let inside = run_in(&env, "api", CURIOUS, &[]);
    assert!(inside.stderr_text().contains("it lies inside the project"), "{}", said(&inside));
    env.write(env.config().join("config.toml"), "[worktree]\nbase = '/proc/nowhere'\n");
    let nowhere = run_in(&env, "api", CURIOUS, &[]);
    nowhere.expect_code(1, "a base folder that cannot be made");
    assert!(nowhere.stderr_text().contains("windlass config set worktree.base"), "{}", said(&nowhere));
    assert!(!trees(&env).exists() && !env.project().join("below").exists());
    assert_eq!(env.git(&["worktree", "list", "--porcelain"]).matches("worktree ").count(), 1);

    let plain = TestEnv::new();
    let outcome = run_in(&plain, "api", CURIOUS, &[]);
    outcome.expect_code(2, "no repository");
    assert!(outcome.stderr_text().contains("this is not a git repository"), "{}", said(&outcome));
    plain.git(&["init", "--quiet"]);
    let outcome = run_in(&plain, "api", CURIOUS, &[]);
    assert!(outcome.stderr_text().contains("has no commit yet"), "{}", said(&outcome));
    let bare = TestEnv::new();
    bare.git(&["init", "--quiet", "--bare", "."]);
    let outcome = run_in(&bare, "api", CURIOUS, &[]);
    assert!(outcome.stderr_text().contains("bare repository"), "{}", said(&outcome));
}

// rows: 87
#[test]
fn a_run_that_cannot_begin_leaves_no_worktree_and_a_rehearsal_makes_none() {
    let env = TestEnv::with_git();
    env.write("IMPLEMENTATION_PLAN.md", "- [ ] Write it\n");
    let build = ["build", "--mock", "--no-delay", "-m", "1", "--worktree", "api"];
    let outcome = ask(&env, &build);
    let text = outcome.stderr_text();
    assert!(text.contains("there is no plan") && text.contains("holds what is committed"), "{text}");
    assert!(!trees(&env).exists());
    assert_eq!(env.git(&["branch", "--format=%(refname:short)"]), "main");
    let untouched = TestEnv::with_git();
    let rehearsed = ask(&untouched, &["run", "-p", "x", "--mock", "--worktree", "api", "--dry-run"]);
    rehearsed.expect_success("--dry-run");
    assert!(rehearsed.stderr_text().contains("would work in a new worktree"), "{}", said(&rehearsed));
    assert!(!trees(&untouched).exists() && !untouched.state().exists());
    env.git(&["add", "--all"]);
    env.git(&["commit", "--quiet", "--message", "plan"]);
    let outcome = ask(&env, &build);
    outcome.expect_success("once the plan is committed");
    assert!(trees(&env).join("api/IMPLEMENTATION_PLAN.md").exists());
    // Nor does one whose commits would be nobody's.
    let env = TestEnv::with_git();
    env.git(&["config", "user.name", ""]);
    let outcome = run_in(&env, "api", CURIOUS, &["--commit", "runner"]);
    outcome.expect_code(2, "git does not know who commits");
    assert!(outcome.stderr_text().contains("git config --global user.name"), "{}", said(&outcome));
    assert!(!trees(&env).exists(), "{}", said(&outcome));
    assert_eq!(env.git(&["branch", "--format=%(refname:short)"]), "main");
}

#[test]
fn a_run_in_a_folder_runs_in_the_same_folder_of_the_worktree() {
    let env = TestEnv::with_git();
    env.write("below/file", "");
    env.git(&["add", "--all"]);
    env.git(&["commit", "--quiet", "--message", "below"]);
    env.write("below/goal.md", "Look around");
    env.write("below/script.toml", CURIOUS);
    let arguments =
        ["run", "-f", "goal.md", "--mock=script.toml", "--no-delay", "-m", "1", "--worktree", "api"];
    let outcome = ask(&env, &[&["-C", "below"], &arguments[..]].concat());
    outcome.expect_code(10, "from a folder");
    let place = trees(&env).join("api/below");
    assert_eq!(read(&place.join("where.txt")).trim(), place.to_str().unwrap());
    assert_eq!(listed(&env)["uncommitted"], 2);
    let from_inside = ask(&env, &["-C", place.to_str().unwrap(), "worktree", "clean", "api"]);
    assert!(said(&from_inside).contains("call it from another directory"), "{}", said(&from_inside));
    let within = ask(&env, &["-C", place.to_str().unwrap(), "worktree", "list"]);
    assert!(within.stdout_text().contains("api"), "the same list from everywhere");
}

// attack(money): a budget is lowered after a worktree was made with the former one
// holds: a further run there has the lower one; what a person set in the worktree itself stays, which is said
#[test]
fn a_worktree_that_is_used_again_has_the_configuration_of_now() {
    let env = TestEnv::with_git();
    let run =
        |more: &[&str]| run_in(&env, "api", CURIOUS, &[&["--commit", "runner", "--fresh"], more].concat());
    let at_most = |outcome: &Outcome, cost: &str| {
        outcome.expect_code(10, cost);
        assert!(
            said(outcome).contains(&format!("at most    {cost}, ")) || said(outcome).contains(cost),
            "{}",
            said(outcome)
        );
    };
    let set = |folder: &Path, cost: &str| {
        told(&env, &["-C", folder.to_str().unwrap(), "config", "set", "limits.max_cost", cost]);
    };
    set(env.project(), "20");
    at_most(&run(&[]), "$20");
    set(env.project(), "5");
    env.write(".windlass/hooks/started", "#!/bin/sh\n");
    at_most(&run(&[]), "$5");
    let there = trees(&env).join("api");
    assert!(there.join(".windlass/hooks/started").exists(), "what is new comes along");
    fs::remove_file(env.project().join(".windlass/hooks/started")).unwrap();
    set(&there, "7");
    let kept = run(&["--allow-dirty"]);
    at_most(&kept, "$7");
    assert!(said(&kept).contains("what stands there counts"), "{}", said(&kept));
    assert!(!there.join(".windlass/hooks/started").exists(), "what is gone goes");
    assert_eq!(listed(&env)["uncommitted"], 1, "the configuration that was set there");
}

#[test]
fn without_a_name_it_is_the_run_of_the_project_where_there_is_none_in_the_folder() {
    let env = TestEnv::with_git();
    let (running, run) = waiting(&env, "api");
    let there = trees(&env).join("api");
    let is_shown = |arguments: &[&str]| {
        let outcome = ask(&env, arguments);
        let place = format!("there is none in this folder: run {run} works in {}", there.display());
        assert!(
            outcome.code == Some(0) && outcome.stderr_text().contains(&place),
            "{arguments:?}: {}",
            said(&outcome)
        );
    };
    is_shown(&["status"]);
    is_shown(&["logs"]);
    is_shown(&["stop"]);
    running.signal(Signal::KILL);
    let _ = running.wait(PATIENCE);
    env.assert_no_processes(CLEARED);
    is_shown(&["status"]);
    env.write(there.join("go"), "");
    let resumed = ask(&env, &["resume"]);
    resumed.expect_code(10, "it goes on in its worktree");
    ask(&env, &["resume"]).expect_code(2, "it ended at its limit");
    ask(&env, &["resume", "--max-cost", "40"]).expect_code(2, "at another one");
    ask(&env, &["resume", "--max-iterations", "2"]).expect_code(10, "its limit is raised");
    is_shown(&["diff"]);
    let own = told(&env, &["run", "-p", "Here", "--mock", "--no-delay", "-m", "1"]);
    assert!(own.contains("stopped: max_iterations"), "{own}");
    let status = ask(&env, &["status"]);
    assert!(!said(&status).contains(&run), "{}", said(&status));
}

#[test]
fn a_workspace_that_git_does_not_track_comes_along() {
    let env = TestEnv::with_git();
    env.write(".windlass/workspaces/api/INSTRUCTIONS.md", "# Port it\n");
    env.write(".windlass/workspaces/api/TODO.md", "- [ ] one\n");
    let arguments =
        ["run", "api", "--mock", "--no-delay", "-m", "1", "--worktree", "api", "--commit", "runner"];
    ask(&env, &arguments).expect_code(10, "a workspace in a worktree");
    let there = trees(&env).join("api/.windlass/workspaces/api");
    assert!(there.join("INSTRUCTIONS.md").exists());
    let inside = |path: &str| env.project().join(".windlass/workspaces/api").join(path).exists();
    assert!(inside("INSTRUCTIONS.md") && !inside(".status.json"), "the project's own has no run");
}

#[test]
fn in_a_sandbox_the_setup_command_is_locked_in_and_commits_work() {
    for kind in [SandboxKind::Bwrap, SandboxKind::Landlock] {
        if probe(&kind).works.is_err() {
            // Whether it has to work here is for the tests of sandboxes to say.
            continue;
        }
        let env = TestEnv::below(Path::new(env!("CARGO_TARGET_TMPDIR")), "project").git_initialised();
        let outside = env.root().join("outside");
        // Refused, or done in the sandbox's own `/tmp` where the tests lie below that.
        let setup = format!("echo $WINDLASS_PORT_BASE > port.txt; touch {} || true", outside.display());
        env.write(env.config().join("config.toml"), format!("[worktree]\nsetup = '{setup}'\n"));
        let script = "[[call]]\nsteps = [{ bash = 'git add -A && git commit -qm inside' }]\n";
        let outcome = run_in(&env, "api", script, &["--sandbox", kind.name(), "--commit", "agent"]);
        outcome.expect_code(10, kind.name());
        assert!(!outside.exists(), "{}", kind.name());
        assert_eq!(env.git(&["show", "windlass/api:port.txt"]), "20320");
        let row = listed(&env);
        assert_eq!((&row["ahead"], &row["uncommitted"]), (&1.into(), &0.into()), "{row}");
    }
}

// rows: 87
#[test]
fn what_is_kept_out_of_commits_holds_in_a_worktree_as_well() {
    let env = TestEnv::with_git();
    env.write(".windlass/config.toml", "[gates]\ncommands = ['false']\n[goal]\ncompletion_threshold = 1\n");
    let script = "[[call]]\nsteps = [{ result = { text = 'WINDLASS_JOB_COMPLETE', cost = 0.01 } }]\n";
    let outcome = run_in(&env, "api", script, &[]);
    assert!(
        said(&outcome).contains("stopped: max_iterations"),
        "the project's gate refuses: {}",
        said(&outcome)
    );
    assert_eq!(listed(&env)["uncommitted"], 0, "a copy is not work");
    assert!(told(&env, &["worktree", "clean", "api"]).contains("is removed"));
}

#[test]
fn nobody_inside_a_run_removes_worktrees() {
    let env = TestEnv::with_git();
    let mut command = windlass(&env, &["worktree", "clean", "--all"]);
    let refused = env.run(command.env("WINDLASS_RUN", "r-1"), PATIENCE);
    refused.expect_code(2, "inside a run");
    let mut command = windlass(&env, &["worktree", "list"]);
    env.run(command.env("WINDLASS_RUN", "r-1"), PATIENCE).expect_success("looking is allowed");
}
