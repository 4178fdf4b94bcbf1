//! `init --tasks`, `continue`, the default project and the import of `DevLoop`, without a terminal.

use rustix::process::Signal;
use windlass_testkit::environment::{Outcome, TestEnv};

use crate::{PATIENCE, ask, document, finished, go, start, told, windlass};

const TASKS: &str = "# Ledger\n\n### TASK-001: Parse\n- **Status**: done\n\n### TASK-002: Print\n- **Status**: pending\n\n\
                     ### TASK-003: Save\n- **Status**: pending\n- **Dependencies**: TASK-002\n";

fn refused(outcome: &Outcome, words: &[&str]) {
    assert_eq!(outcome.code, Some(2), "{}{}", outcome.stdout_text(), outcome.stderr_text());
    for word in words {
        assert!(outcome.stderr_text().contains(word), "{word}: {}", outcome.stderr_text());
    }
}

/// Files in the task file's folder that were kept by `--force`.
fn kept(env: &TestEnv) -> Vec<String> {
    let entries = std::fs::read_dir(env.project()).unwrap().flatten();
    let names = entries.map(|entry| entry.file_name().into_string().unwrap());
    names.filter(|name| name.starts_with("requirements.md.before-init-")).collect()
}

// rows: 6, 8
#[test]
fn fresh_adopted_and_here_already() {
    let env = TestEnv::with_git();
    env.write("CLAUDE.md", "mine\n");
    let fresh = told(&env, &["init", "--tasks"]);
    assert!(
        fresh.contains("requirements.md is made") && fresh.contains("windlass continue requirements"),
        "{fresh}"
    );
    let template = env.read("requirements.md");
    assert!(template.contains("### TASK-001:") && template.contains("<!--"), "{template}");
    // The example in the template is not a task.
    let empty = told(&env, &["continue"]);
    assert!(!empty.contains("work on it") && empty.contains("change it"), "{empty}");

    env.write("requirements.md", TASKS);
    let again = told(&env, &["init", "--tasks"]);
    assert!(again.contains("requirements.md is here already; nothing was changed"), "{again}");
    assert!(
        again.contains("3: 1 done, 1 ready, 1 waiting for others") && again.contains("windlass continue"),
        "{again}"
    );
    assert_eq!(env.read("requirements.md"), TASKS);

    std::fs::remove_dir_all(env.project().join(".windlass")).unwrap();
    let adopted = told(&env, &["init", "--tasks"]);
    assert!(
        adopted.contains("requirements.md is adopted as it is") && adopted.contains("config.toml"),
        "{adopted}"
    );
    assert_eq!((env.read("requirements.md").as_str(), env.read("CLAUDE.md").as_str()), (TASKS, "mine\n"));

    let feature = told(&env, &["init", "--tasks", "--feature", "pay-by-card"]);
    assert!(
        feature.contains("requirements/pay-by-card.md is made") && feature.contains("--feature pay-by-card"),
        "{feature}"
    );
    assert!(env.read("requirements/pay-by-card.md").starts_with("# pay-by-card\n"));
    for name in ["../pay", "pay by card", "", "-x"] {
        let outcome = ask(&env, &["init", "--tasks", &format!("--feature={name}")]);
        refused(&outcome, &["cannot be a feature's name"]);
    }
}

// Seed defect D3, commands/init.ts:299-305: `--force` did not do in a feature what it said.
#[test]
fn force_begins_anew_and_keeps_what_was_there() {
    let env = TestEnv::with_git();
    env.write("requirements.md", TASKS);
    let forced = told(&env, &["init", "--tasks", "--force"]);
    let copies = kept(&env);
    assert_eq!(copies.len(), 1, "{forced}");
    assert!(forced.contains(&copies[0]), "{forced}");
    assert_eq!(env.read(&copies[0]), TASKS);
    assert!(env.read("requirements.md").contains("<!--"));
    env.write("requirements/pay.md", TASKS);
    told(&env, &["init", "--tasks", "--feature", "pay", "--force"]);
    assert!(env.read("requirements/pay.md").starts_with("# pay\n"));
    // Another task file of the usual ones is adopted, and a folder is not a file.
    let env = TestEnv::with_git();
    env.write("tasks.md", TASKS);
    assert!(told(&env, &["init", "--tasks"]).contains("tasks.md is adopted"));
    assert!(!env.project().join("requirements.md").exists());
    let env = TestEnv::with_git();
    std::fs::create_dir(env.project().join("requirements.md")).unwrap();
    refused(&ask(&env, &["init", "--tasks"]), &["requirements.md is there and is not a file"]);
    assert!(!env.project().join(".windlass").exists());
}

// rows: 6
#[test]
fn continue_says_what_can_go_on() {
    let env = TestEnv::with_git();
    refused(
        &ask(&env, &["continue"]),
        &["nothing to go on with here", "windlass init --tasks", "windlass run -p"],
    );
    refused(
        &ask(&env, &["continue", "--feature", "pay"]),
        &["requirements/pay.md", "windlass init --tasks --feature pay"],
    );
    refused(&ask(&env, &["continue", "run"]), &["requirements.md is missing", "windlass init --tasks"]);
    env.write("requirements.md", format!("{TASKS}- **Dependencies**: TASK-009\n"));
    let said = told(&env, &["continue"]);
    for piece in [
        "3: 1 done, 1 ready, 1 waiting for others",
        "TASK-002 Print",
        "windlass continue requirements",
        "windlass run --mode tasks",
    ] {
        assert!(said.contains(piece), "{piece}: {said}");
    }
    refused(&ask(&env, &["continue", "requirements"]), &["no terminal", "requirements.md"]);
    told(&env, &["init", "api"]);
    let run = finished(&env, "Write", 1);
    let said = told(&env, &["continue"]);
    assert!(said.contains("windlass run api"), "{said}");
    assert!(!said.contains(&run), "a run that would need a raised limit does not simply go on: {said}");
    env.write("requirements.md", "### TASK-001: Parse\n- **Status**: done\n");
    assert!(told(&env, &["continue"]).contains("all tasks are done"));
}

// rows: 6
// Seed defect D3, core/session.ts, claude.ts:378-386: nothing could be gone on with, since no id was noted.
#[test]
fn continue_names_what_was_cut_off_and_what_is_live() {
    let env = TestEnv::with_git();
    let (killed, interrupted) = start(&env, "Patience", &[]);
    let live = told(&env, &["continue"]);
    assert!(
        live.contains(&format!("run {interrupted} works here now")) && !live.contains("resume"),
        "{live}"
    );
    killed.signal(Signal::KILL);
    let _ = killed.wait(PATIENCE);
    let said = told(&env, &["continue"]);
    assert!(said.contains(&format!("windlass resume {interrupted}")) && said.contains("Patience"), "{said}");
    go(&env);
    told(&env, &["resume", &interrupted]);
    assert!(!ask(&env, &["continue"]).stdout_text().contains(&interrupted));
}

// rows: 78, 79
#[test]
fn a_repository_and_what_it_ignores_are_made_when_asked_for() {
    let env = TestEnv::new();
    env.write("requirements.md", TASKS);
    env.write("package.json", "{}\n");
    env.write(".env", "SECRET=1\n");
    told(&env, &["init", "--tasks"]);
    assert!(
        !env.project().join(".git").exists() && !env.project().join(".gitignore").exists(),
        "not unasked"
    );
    let said = told(&env, &["init", "--tasks", "--git", "--gitignore"]);
    assert!(said.contains("this is a git repository now") && said.contains("in .gitignore"), "{said}");
    let files = env.git(&["ls-tree", "-r", "--name-only", "HEAD"]);
    assert_eq!(
        files.lines().collect::<Vec<_>>(),
        [".gitignore", ".windlass/config.toml", "package.json", "requirements.md"]
    );
    assert_eq!(env.git(&["status", "--porcelain"]), "");
    let head = env.git(&["rev-parse", "HEAD"]);
    told(&env, &["init", "--tasks", "--git", "--gitignore"]);
    assert_eq!(env.git(&["rev-parse", "HEAD"]), head, "once");
}

// rows: 117, 118
// Seed defect D3, core/claude.ts:334, 349; core/loop.ts:443, 464: a call that ended well counted as a task that was done.
#[test]
fn status_says_how_the_tasks_stand_before_while_and_after_they_are_worked_off() {
    let env = TestEnv::with_git();
    refused(&ask(&env, &["status"]), &["there has been no run here yet"]);
    env.write("requirements.md", TASKS);
    let before = told(&env, &["status"]);
    for piece in
        ["there has been no run here yet", "3: 1 done, 1 ready, 1 waiting for others", "TASK-002 Print"]
    {
        assert!(before.contains(piece), "{piece}: {before}");
    }
    let json = document(&env, &["status", "--json"]);
    assert_eq!(
        (&json["type"], &json["next"], &json["done"]),
        (&"tasks".into(), &"TASK-002".into(), &1.into())
    );
    env.git(&["add", "--all"]);
    env.git(&["commit", "--quiet", "--message", "Tasks"]);
    let script = env.write(
        env.root().join("script.toml"),
        "[[call]]\nsteps = [ { write = { path = 'work', text = '{{task}}' } }, 'tick_task', { result = { text = 'Done.', cost = 0.25, tokens = { input = 1000, output = 10 } } } ]\n\
         [[call]]\nsteps = [ { write = { path = 'begun', text = 'x' } } ]\n",
    );
    let mock = format!("--mock={}", script.display());
    told(&env, &["run", "--mode", "tasks", "--no-delay", "-m", "2", &mock]);
    let after = told(&env, &["status"]);
    for piece in ["2/3 done · 1 ready", "TASK-003 Save", "$0.26", "1.1k (in 1.1k, out 30"] {
        assert!(after.contains(piece), "{piece}: {after}");
    }
    let json = document(&env, &["status", "--json"]);
    assert_eq!(json["task"], "TASK-003 Save");
    assert_eq!(
        json["tasks"].to_string(),
        r#"{"at_work":[],"done":2,"next":{"id":"TASK-003","title":"Save"},"parked":[],"ready":1,"total":3,"waiting":0}"#
    );
}

// Seed defect D3, core/loop.ts:151, 297-304, 331-345: a dry run made a repository, and went round.
#[test]
fn a_dry_run_names_the_first_task_and_does_nothing() {
    let env = TestEnv::with_git();
    env.write("requirements.md", TASKS);
    let said = told(&env, &["run", "--mode", "tasks", "--dry-run", "--mock"]);
    for piece in ["TASK-002", "Print", "tasks: `requirements.md`"] {
        assert!(said.contains(piece), "{piece}: {said}");
    }
    assert_eq!(env.read("requirements.md"), TASKS);
    assert_eq!(env.git(&["status", "--porcelain"]), "?? requirements.md");
    assert!(!env.state().exists() || std::fs::read_dir(env.state()).unwrap().next().is_none());
}

// rows: 8, 142
#[test]
fn the_default_project_is_used_where_there_is_no_job() {
    let env = TestEnv::with_git();
    env.write("requirements.md", TASKS);
    let elsewhere = env.root().join("elsewhere");
    std::fs::create_dir(&elsewhere).unwrap();
    let there = |arguments: &[&str]| env.run(windlass(&env, arguments).current_dir(&elsewhere), PATIENCE);
    refused(&there(&["continue"]), &["nothing to go on with here"]);
    let project = env.project().display().to_string();
    for (wrong, why) in
        [("ledger", "is not an absolute path"), ("/nonexistent/ledger", "project.default cannot be")]
    {
        refused(&there(&["config", "set", "--user", "project.default", wrong]), &[why]);
    }
    refused(&there(&["config", "set", "project.default", &project]), &["for your own file alone"]);
    there(&["config", "set", "--user", "project.default", &project]).expect_success("set");
    let used = there(&["continue"]);
    used.expect_success("continue");
    assert!(
        used.stderr_text().contains("so this is about") && used.stderr_text().contains(&project),
        "{}",
        used.stderr_text()
    );
    assert!(
        used.stdout_text().contains(&format!("windlass -C {project} run --mode tasks")),
        "{}",
        used.stdout_text()
    );
    // Not where somebody says which directory is meant, nor where there is a job, nor for other verbs.
    refused(&there(&["-C", ".", "continue"]), &["nothing to go on with here"]);
    std::fs::write(elsewhere.join("tasks.md"), TASKS).unwrap();
    let own = there(&["continue"]);
    assert!(
        own.stdout_text().contains("tasks.md") && !own.stdout_text().contains("-C "),
        "{}",
        own.stdout_text()
    );
    std::fs::remove_file(elsewhere.join("tasks.md")).unwrap();
    assert!(!there(&["runs"]).stderr_text().contains("project.default"));
    // Verbs of tasks are about it as well, unless a file is named, or a folder with tasks is here.
    let next = there(&["tasks", "next"]);
    assert!(next.stderr_text().contains("so this is about"), "{}", next.stderr_text());
    assert!(next.stdout_text().contains("TASK-002"), "{}", next.stdout_text());
    refused(&there(&["tasks", "list", "--file", "requirements.md"]), &["there is no requirements.md"]);
    std::fs::create_dir(elsewhere.join("tasks")).unwrap();
    std::fs::write(elsewhere.join("tasks/T7.md"), "---\ntitle: Seven\n---\n").unwrap();
    let own = there(&["tasks", "next"]);
    assert!(own.stdout_text().contains("T7") && own.stderr_text().is_empty(), "{}", own.stdout_text());
    std::fs::remove_dir_all(elsewhere.join("tasks")).unwrap();
    // A project's own file cannot send anybody elsewhere.
    env.write(".windlass/config.toml", "[project]\ndefault = \"/\"\n");
    let said = ask(&env, &["run", "-p", "x", "--dry-run"]);
    refused(&said, &["project.default", "for your own file alone"]);
    std::fs::remove_dir_all(env.project()).unwrap();
    refused(
        &there(&["continue"]),
        &["project.default cannot be", "windlass config unset --user project.default"],
    );
}

// rows: 8, 129
#[test]
fn a_project_of_devloop_is_taken_over_where_it_is() {
    let env = TestEnv::with_git();
    env.write("requirements.md", TASKS);
    env.write(
        ".devloop/session.json",
        r#"{"phase":"run","lastIteration":4,"activeTask":{"taskId":"TASK-002","taskTitle":"Print"}}"#,
    );
    env.write(".devloop/config.json", r#"{"devloopCommitFormat":"DevLoop: {action}"}"#);
    env.write(".devloop/logs/TASK-001.log", "x");
    let project = env.project().display().to_string();
    env.write(
        env.home().join(".devloop/config.json"),
        format!(r#"{{"defaultWorkspace":"{project}","maxIterations":30}}"#),
    );
    let looked = told(&env, &["import", "--dry-run", "--user"]);
    assert!(looked.contains("would be imported") && !env.project().join(".windlass").exists(), "{looked}");
    let imported = document(&env, &["import", "--user", "--json"]);
    let items = imported["items"].as_array().unwrap();
    let of = |name: &str| items.iter().find(|item| item["name"] == name).unwrap();
    assert_eq!(
        (&of("requirements.md")["kind"], &of("requirements.md")["to"]),
        (&"task file".into(), &"requirements.md".into())
    );
    assert!(of("session.json")["notes"][1].as_str().unwrap().contains("TASK-002 - Print was interrupted"));
    assert!(env.read(".windlass/config.toml").contains("message = \"DevLoop: {action}\""));
    let user = env.read(env.config().join("config.toml"));
    assert!(user.contains("[project]") && user.contains("max_iterations = 30"), "{user}");
    // What was written is right: every verb reads it.
    assert!(told(&env, &["continue"]).contains("TASK-002 Print"));
    assert!(told(&env, &["import"]).contains("windlass continue"));

    env.write(".devloop/session.json", "{\"phase\": ");
    refused(
        &ask(&env, &["import"]),
        &[".devloop/session.json is broken off in line 1", "Nothing was imported"],
    );
}

// rows: 8
#[test]
fn features_are_found_where_there_is_no_other_task_file() {
    let env = TestEnv::with_git();
    env.write("requirements/pay.md", TASKS);
    env.write("requirements/no name.md", TASKS);
    assert!(told(&env, &["tasks"]).contains("TASK-002"), "the only one is meant");
    env.write("requirements/ledger.md", TASKS);
    let offered = told(&env, &["continue"]);
    assert!(
        offered.contains("windlass continue --feature pay     requirements/pay.md holds 3 tasks"),
        "{offered}"
    );
    assert!(
        offered.contains("windlass continue --feature ledger  requirements/ledger.md holds 3 tasks"),
        "{offered}"
    );
    for (verb, command) in [
        (&["tasks"][..], "windlass tasks --feature pay"),
        (&["run", "--mode", "tasks"], "windlass run --mode tasks --feature pay"),
    ] {
        let said = ask(&env, verb).stderr_text();
        assert!(said.contains(command) && said.contains("--feature ledger"), "{said}");
    }
    told(&env, &["tasks", "--feature", "pay"]);
    env.write("requirements.md", TASKS);
    let beside = told(&env, &["continue"]);
    assert!(beside.contains("windlass run --mode tasks\n") && beside.contains("--feature pay"), "{beside}");
    assert!(!told(&env, &["continue", "--feature", "pay"]).contains("--feature ledger"));
}

#[test]
fn a_home_is_no_project_of_devloop() {
    let env = TestEnv::with_git();
    env.write(env.home().join(".devloop/config.json"), "{}");
    let below = env.home().join("work");
    std::fs::create_dir_all(&below).unwrap();
    let outcome = env.run(windlass(&env, &["import"]).current_dir(&below), PATIENCE);
    refused(&outcome, &["nothing of claude-iterate, claude-loop, Fresher, DevLoop or ralph"]);
}
