//! What Windlass itself wrote, and what it left out, stand in no run's way.

use std::fs;

use windlass_testkit::{Outcome, TestEnv};

use super::night::{Night, PATIENCE, every_call};

const WORK: &str = "{ bash = 'echo x >> work' }, { result = { text = 'Done.' } }";

/// A repository with a commit in which nothing is known of Windlass.
fn fresh() -> TestEnv {
    let env = TestEnv::with_git();
    env.write("README", "Something.\n");
    env.git(&["add", "--all"]);
    env.git(&["commit", "--quiet", "--message", "First"]);
    env
}

fn ask(night: &Night, arguments: &[&str]) -> Outcome {
    night.env.run(&mut night.windlass(arguments), PATIENCE)
}

fn said(outcome: &Outcome) -> String {
    outcome.stdout_text() + &outcome.stderr_text()
}

fn committed(night: &Night) -> String {
    night.env.git(&["ls-tree", "-r", "--name-only", "HEAD"])
}

fn add_tasks(night: &Night) {
    for title in ["First thing", "Second thing"] {
        ask(night, &["tasks", "add", title]).expect_success("tasks add");
    }
}

// attack(endings): `windlass init --tasks`, then the `windlass run --mode tasks` that it prints, with nothing committed between
// holds: the run begins, and what windlass wrote is in its commits; with lanes it is committed before they begin
#[test]
fn the_run_that_init_tasks_prints_begins() {
    for lanes in ["1", "2"] {
        let night = Night::within(fresh(), "");
        ask(&night, &["init", "--tasks"]).expect_success("init --tasks");
        add_tasks(&night);
        let outcome = ask(&night, &["run", "--mode", "tasks", "--mock", "--no-delay", "-j", lanes]);
        outcome.expect_code(0, "run --mode tasks");
        let files = committed(&night);
        assert!(files.contains(".windlass/config.toml") && files.contains("requirements.md"), "{files}");
        assert_eq!(night.env.git(&["status", "--porcelain"]), "", "-j {lanes}");
    }
}

// attack(endings): `config set`, `init NAME`, `import` and `init --plan`, then a run that commits, with nothing committed between
// holds: the run begins; its first commit has what windlass wrote
#[test]
fn what_windlass_wrote_goes_with_the_first_commit() {
    let night = Night::within(fresh(), &every_call(WORK));
    night.env.write(".claude-iterate.json", "{\"defaultMaxIterations\": 7}\n");
    night.env.git(&["add", "--all"]);
    night.env.git(&["commit", "--quiet", "--message", "Of the tool before"]);
    for arguments in [
        &["import"][..],
        &["config", "set", "limits.max_cost", "15"],
        &["init", "api"],
        &["init", "--plan"],
        &["init", "--gitignore"],
    ] {
        ask(&night, arguments).expect_success(&arguments.join(" "));
    }
    let outcome = night.run(&["--commit", "runner", "-m", "1"]);
    // As it was with the tool that was used here before.
    outcome.expect_code(0, "run");
    assert!(said(&outcome).contains("takes along"), "{}", said(&outcome));
    let files = committed(&night);
    for file in [".windlass/config.toml", ".windlass/workspaces/api/TODO.md", "work"] {
        assert!(files.contains(file), "{file}: {files}");
    }
}

// attack(endings): `init --plan`, `plan`, then `build --commit runner`, with nothing committed between
// holds: the build begins; plan and specifications are in its commits
#[test]
fn a_build_takes_the_plan_along() {
    let night = Night::within(fresh(), "");
    ask(&night, &["init", "--plan"]).expect_success("init --plan");
    night.env.write("specs/api.md", "# The API\n");
    ask(&night, &["plan", "--mock", "--no-delay"]).expect_success("plan");
    ask(&night, &["build", "--mock", "--no-delay", "--commit", "runner"]).expect_success("build");
    let files = committed(&night);
    for file in ["IMPLEMENTATION_PLAN.md", "specs/api.md", "specs/README.md", "AGENTS.md"] {
        assert!(files.contains(file), "{file}: {files}");
    }
    assert_eq!(night.env.git(&["status", "--porcelain"]), "");
}

// attack(endings): `--git-init` beside a `.env`, a `node_modules` and a repository inside this one
// holds: the run begins; they are named, and in no commit
#[test]
fn what_the_first_commit_left_out_stands_in_no_later_runs_way() {
    let night = Night::new(&every_call("{ bash = 'echo x >> work; echo y > node_modules/x/made.js' }"));
    for path in [".env", "package.json", "node_modules/x/index.js", "web/node_modules/y.js", "main.js"] {
        night.env.write(path, "{}\n");
    }
    let inner = night.env.project().join("inner");
    fs::create_dir(&inner).unwrap();
    night.env.git(&["-C", "inner", "init", "--quiet"]);
    night.env.write("inner/file", "x\n");
    let flags = ["--git-init", "--commit", "runner", "-m", "2"];
    for further in [&[][..], &["--fresh"]] {
        let outcome = night.run(&[&flags[..], further].concat());
        outcome.expect_code(10, "run");
        for left_out in [".env", "node_modules/", "web/node_modules/", "inner/"] {
            assert!(said(&outcome).contains(left_out), "{left_out}: {}", said(&outcome));
        }
    }
    assert_eq!(committed(&night), "main.js\npackage.json\nwork");
    night.assert_clean();
}

// A person's work still does, and what windlass wrote does not hide it.
#[test]
fn a_persons_uncommitted_work_is_still_asked_about() {
    let night = Night::within(fresh(), &every_call(WORK));
    ask(&night, &["init", "--tasks"]).expect_success("init --tasks");
    night.env.write("mine", "not committed\n");
    let outcome = night.run(&["--commit", "runner", "-m", "1"]);
    outcome.expect_code(2, "dirty");
    assert!(outcome.stderr_text().contains("They are: mine"), "{}", outcome.stderr_text());
}
