//! An agent that leaves links, pipes, folders and endless files where the runner reads and writes.

use std::fs;
use std::process::Command;
use std::time::Duration;

use rustix::process::Signal;
use windlass_testkit::environment::{is_alive, wait_until};
use windlass_testkit::{Outcome, TestEnv};

use windlass_core::values::StopReason;

use super::night::{CLEARED, Night, PATIENCE};

const SECRET: &str = "PRIVATE-KEY-OF-A-PERSON";

/// What is put in the place of a file, `$1`: `$SECRET` is a file of a person's outside the project.
const TRAPS: [&str; 7] = [
    "ln -sfn \"$SECRET\" \"$1\"",
    "ln -sfn ../../../../../../../../../../../../../..\"$SECRET\" \"$1\"",
    "ln -sfn /proc/self/environ \"$1\"",
    "ln -sfn /dev/zero \"$1\"",
    "mkfifo \"$1\"",
    "mkfifo trap-pipe && ln -sfn trap-pipe \"$1\"",
    "truncate -s 20M \"$1\"",
];

/// A night whose agent first puts a trap in the place of files, does what it is told to then, and ends as it should.
fn trapped(env: TestEnv, places: &[&str], trap: &str, then: &str) -> Night {
    let secret = env.write(env.root().join("secret"), SECRET);
    let traps = format!(
        "SECRET={}; for place in {}; do set -- $place; mkdir -p $(dirname $1); rm -rf $1 trap-pipe; {trap}; done; {then}; true",
        secret.display(),
        places.join(" ")
    );
    let traps = traps.replace('\\', "\\\\").replace('"', "\\\"");
    let script = format!(
        "[[call]]\nsteps = [ {{ bash = {{ command = \"{traps}\", silent = true }} }} ]\n\n[[call]]\nsteps = [ {{ say = \"seen\" }} ]\n"
    );
    Night::within(env, &script).set("PRIVATE_OF_THE_RUNNER", SECRET)
}

/// Everything that was ever handed to an agent, and everything that was said to the person.
fn told(night: &Night, outcome: &Outcome) -> String {
    let mut told = outcome.stdout_text() + &outcome.stderr_text();
    let mut waiting: Vec<_> = night.folders().into_iter().map(|run| run.join("iterations")).collect();
    while let Some(folder) = waiting.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                waiting.push(path);
            } else if path.file_name().is_some_and(|name| name == "prompt.md" || name == "system.md") {
                told += &String::from_utf8_lossy(&fs::read(path).unwrap());
            }
        }
    }
    told
}

/// Runs a command to its end, and expects that nothing of the secret was told and that it is what it was.
fn holds(night: &Night, command: &mut Command, trap: &str) {
    let outcome = night.env.run(command, PATIENCE);
    let told = told(night, &outcome);
    assert!(!told.contains(SECRET), "{trap}: {told}");
    assert!(told.len() < 2_000_000, "{trap}: {} bytes were told", told.len());
    assert_eq!(fs::read_to_string(night.env.root().join("secret")).unwrap(), SECRET, "{trap}");
    assert!(outcome.duration < Duration::from_secs(45), "{trap}: {:?}, {told}", outcome.duration);
    assert!(!outcome.timed_out && !outcome.output_held, "{trap}: {told}");
}

fn goal(env: fn() -> TestEnv, places: &[&str], then: &str, arguments: &[&str]) {
    goal_among(&TRAPS, env, places, then, arguments);
}

/// What leads out or keeps waiting; that files are long matters where they are read.
fn goal_in_git(places: &[&str], arguments: &[&str]) {
    goal_among(&TRAPS[..6], TestEnv::with_git, places, "echo x > more", arguments);
}

fn goal_among(traps: &[&str], env: fn() -> TestEnv, places: &[&str], then: &str, arguments: &[&str]) {
    for trap in traps {
        let night = trapped(env(), places, trap, then);
        let arguments = [&["-m", "3", "--stagnation-threshold", "0"], arguments].concat();
        holds(&night, &mut night.run_command(&arguments), trap);
    }
}

// attack(files): the agent replaces AGENTS.md and the notes by links to a person's key or the runner's environment, by pipes, by
//   devices or by files without an end
// holds: nothing of it reaches the next prompt, nothing waits, and what they lead to is as it was
#[test]
fn notes_and_the_agents_file_lead_out() {
    goal(TestEnv::with_git, &["AGENTS.md", "SHARED_TASK_NOTES.md"], "echo x > more", &["--commit", "runner"]);
}

// attack(files): the same without a repository
// holds: the same
#[test]
fn notes_and_the_agents_file_lead_out_where_there_is_no_repository() {
    goal(TestEnv::new, &["AGENTS.md", "SHARED_TASK_NOTES.md", ".gitignore"], "echo x > more", &[]);
}

// attack(git): the agent replaces the files that git writes when it commits by links to a person's file, by pipes or by devices
// holds: no git is run with them, what they lead to is as it was, and nothing waits
#[test]
fn what_git_writes_leads_out() {
    let places = [".git/COMMIT_EDITMSG", ".git/logs/HEAD", ".git/logs/refs/heads/main"];
    goal(TestEnv::with_git, &places, "echo x > more", &["--commit", "runner"]);
}

// attack(git): the agent replaces the log of the branch alone, to which git adds a line with each commit, or a reference deep below,
//   by a link to a person's file or to a place where none is yet, by a pipe or by a device
// holds: no git is run with it, what it leads to is as it was, nothing is made there, nothing waits, and the run says what it is
#[test]
fn what_git_adds_a_line_to_leads_out() {
    for place in [".git/logs/refs/heads/main", ".git/refs/heads/deep/er"] {
        goal_in_git(&[place], &["--commit", "runner"]);
    }
    let made = "ln -sfn \"$SECRET-made\" \"$1\"";
    let night = trapped(TestEnv::with_git(), &[".git/logs/refs/heads/main"], made, "echo x > more");
    let outcome = night.run(&["-m", "2", "--commit", "runner"]);
    let said = outcome.stdout_text() + &outcome.stderr_text();
    assert!(!night.env.root().join("secret-made").exists(), "{said}");
    assert_eq!(night.ended(), StopReason::DestructiveChange, "{said}");
    assert!(said.contains("logs/refs/heads/main is a link that leads out"), "{said}");
}

// attack(git): the same in a worktree of the run's own, whose git directories lie outside of it: the log of its branch, its own log, and what says where the other one is
// holds: the same
#[test]
fn what_git_writes_for_a_worktree_leads_out() {
    let flags = ["--commit", "runner", "--worktree", "w1"];
    let shared = "$(git rev-parse --git-common-dir)/logs/refs/heads/windlass/w1";
    goal_in_git(&[shared], &flags);
    for name in ["logs/HEAD", "commondir"] {
        let place = format!("$(git rev-parse --git-dir)/{name}");
        goal_in_git(&[&place], &flags);
    }
}

// attack(git): the agent replaces the folders of git's objects by links to a person's folder, each of the 256
// holds: nothing is written there, and the run says which one it is
#[test]
fn the_folders_of_objects_lead_out() {
    let outside = "rm -rf \"$1\"; mkdir -p \"$SECRET-folder\"; ln -s \"$SECRET-folder\" \"$1\"";
    let places: Vec<String> = (0..256).map(|number| format!(".git/objects/{number:02x}")).collect();
    let places: Vec<&str> = places.iter().map(String::as_str).collect();
    let env = TestEnv::with_git();
    env.git(&["gc", "--quiet"]);
    let night = trapped(env, &places, outside, "echo x > more");
    let outcome = night.run(&["-m", "2", "--commit", "runner"]);
    let said = outcome.stdout_text() + &outcome.stderr_text();
    assert_eq!(fs::read_dir(night.env.root().join("secret-folder")).unwrap().count(), 0, "{said}");
    assert_eq!(night.ended(), StopReason::DestructiveChange, "{said}");
}

// attack(git): the agent writes settings so that whoever reads them less exactly than git takes them for others: behind a return
//   that ends no line, behind a line that goes on, in a file that another one includes, or with a key of a newer git
// holds: what starts a program, or is not known to start none, is put back before git is called
#[test]
fn settings_that_a_looser_reader_would_miss_are_put_back() {
    for setting in [
        r#"[core]\n\tzz = 9\r[branch "x"]\n\thooksPath = hooks\n"#,
        r"[core]\n\tzz = a\\\n[branch]\n\thooksPath = hooks\n",
        r"[include]\n\tpath = ../more\n",
        r#"[hook "x"]\n\tevent = pre-commit\n\tcommand = hooks/pre-commit\n"#,
    ] {
        let script = "[[call]]\nsteps = [ { bash = '''\n\
             mkdir hooks; echo '#!/bin/sh' > hooks/pre-commit; echo 'touch ../pwned' >> hooks/pre-commit\n\
             chmod +x hooks/pre-commit; cp hooks/pre-commit hooks/post-index-change\n\
             echo '[core] hooksPath = hooks' > more\n\
             printf \"$(cat ../setting)\\n\" >> .git/config\n''' } ]\n"
            .to_string();
        let night = Night::within(TestEnv::with_git(), &script);
        night.env.write(night.env.root().join("setting"), setting);
        let config = night.env.read(".git/config");
        let outcome = night.run(&["-m", "1", "--commit", "runner"]);
        let said = outcome.stdout_text() + &outcome.stderr_text();
        assert!(!night.env.root().join("pwned").exists(), "{setting}: {said}");
        assert_eq!(night.env.read(".git/config"), config, "{setting}: {said}");
    }
}

// attack(git): the agent has the configuration name a pipe, which every git would wait for, and a person types commands meanwhile
// holds: each ends at once with a sentence that names the pipe; the run puts back what it was once the agent is done
#[test]
fn a_pipe_that_settings_name_keeps_nobody_waiting() {
    let night = Night::within(
        TestEnv::with_git(),
        "[[call]]\nsteps = [ { bash = '''\nmkfifo .git/pipe; printf '[include]\\n\\tpath = pipe\\n' >> .git/config\n\
         touch ../ready; while [ ! -e ../go ]; do sleep 0.1; done; echo x > more\n''' } ]\n",
    );
    let running = night.start(&["-m", "1", "--commit", "runner"]);
    assert!(wait_until(PATIENCE, || night.env.root().join("ready").exists()));
    for verb in [&["status"][..], &["runs"], &["logs"], &["diff"], &["run", "--fresh", "-p", "x", "--mock"]] {
        let outcome = night.env.run(&mut night.windlass(verb), PATIENCE);
        assert!(outcome.duration < Duration::from_secs(10), "{verb:?}: {:?}", outcome.duration);
    }
    night.env.write(night.env.root().join("go"), "");
    let outcome = running.wait(PATIENCE);
    assert!(!outcome.timed_out, "{}", outcome.stderr_text());
    assert_eq!(night.env.git(&["show", "HEAD:more"]), "x", "{}", outcome.stderr_text());
}

// attack(git): the agent replaces the index and what git reads beside it by links to a person's file, by pipes or by devices
// holds: no git is run with them, what they lead to is as it was, and nothing waits
#[test]
fn what_git_reads_leads_out() {
    goal(TestEnv::with_git, &[".git/index", ".git/info/exclude"], "echo x > more", &["--commit", "runner"]);
    goal(TestEnv::with_git, &[".git/info", ".git/packed-refs"], "echo x > more", &["--commit", "runner"]);
}

// attack(files): the agent leaves pipes, links and devices named .gitignore, .gitattributes and .git all over the tree
// holds: git is ended where it waits for one, the files are walked instead, and the run goes on
#[test]
fn what_steers_git_in_the_tree_is_a_pipe() {
    let places = ["sub/.gitignore", "sub/deep/.gitattributes", "other/.git"];
    goal(TestEnv::with_git, &places, "echo x > more", &["--commit", "runner"]);
}

const TASKS: &str = "### TASK-001: One\n- **Status**: pending\n\n### TASK-002: Two\n- **Status**: pending\n";

fn with_tasks() -> TestEnv {
    let env = TestEnv::with_git();
    env.write("tasks.md", TASKS);
    env.write("progress.md", "# Progress\n");
    env.git(&["add", "--all"]);
    env.git(&["commit", "--quiet", "--message", "Tasks"]);
    env
}

// attack(files): the agent replaces the task file and the journal of progress by links, pipes, devices and endless files
// holds: nothing of what they lead to is told, read into a prompt, written or added to
#[test]
fn tasks_and_progress_lead_out() {
    for trap in TRAPS {
        let night = trapped(with_tasks(), &["tasks.md", "progress.md"], trap, "echo x > more");
        let mut command = night.windlass(&["run", "--mode", "tasks", "--no-delay", "-m", "3"]);
        command.arg(format!("--mock={}", night.script.display()));
        holds(&night, &mut command, trap);
    }
}

// attack(files): the agent of a lane replaces the task file and what git writes in its checkout by links, pipes and devices
// holds: nothing of what they lead to is told, landed, written or added to
#[test]
fn a_lanes_files_lead_out() {
    for trap in TRAPS {
        let places = ["tasks.md", "AGENTS.md", ".git/COMMIT_EDITMSG", ".git/logs/HEAD", ".git/index"];
        let night = trapped(with_tasks(), &places, trap, "echo x > more");
        let mut command = night.windlass(&["run", "--mode", "tasks", "-j", "2", "--no-delay", "-m", "4"]);
        command.arg(format!("--mock={}", night.script.display()));
        holds(&night, &mut command, trap);
        assert!(!night.env.git(&["log", "-p", "--all"]).contains(SECRET), "{trap}");
    }
}

// attack(files): the agent replaces the files of its workspace by links, pipes, devices and endless files
// holds: nothing of what they lead to is told, read into a prompt, written or added to
#[test]
fn a_workspaces_files_lead_out() {
    for trap in TRAPS {
        let env = TestEnv::with_git();
        env.write(".windlass/workspaces/api/INSTRUCTIONS.md", "Make it work.\n");
        let below = |name: &str| format!(".windlass/workspaces/api/{name}");
        let places =
            ["INSTRUCTIONS.md", ".status.json", "TODO.md", ".metadata.json", "config.toml"].map(below);
        let places: Vec<&str> = places.iter().map(String::as_str).collect();
        let night = trapped(env, &places, trap, "echo x > more");
        let run = |night: &Night| {
            let mut command = night.windlass(&["run", "api", "--no-delay", "-m", "2"]);
            command.arg(format!("--mock={}", night.script.display()));
            command
        };
        holds(&night, &mut run(&night), trap);
        // The next night finds what the first one left.
        holds(&night, &mut run(&night), trap);
        holds(&night, &mut night.windlass(&["show", "api"]), trap);
    }
}

// attack(files): the agent replaces the plan and its specs by links, pipes, devices and endless files
// holds: nothing of what they lead to is told or read into a prompt
#[test]
fn a_plan_leads_out() {
    for trap in TRAPS {
        let env = TestEnv::with_git();
        env.write("IMPLEMENTATION_PLAN.md", "# Plan\n\n- [ ] One\n- [ ] Two\n");
        env.write("specs/one.md", "# One\n");
        env.git(&["add", "--all"]);
        env.git(&["commit", "--quiet", "--message", "Plan"]);
        let night = trapped(env, &["IMPLEMENTATION_PLAN.md", "specs/one.md"], trap, "echo x > more");
        let mut command = night.windlass(&["build", "--no-delay", "-m", "3"]);
        command.arg(format!("--mock={}", night.script.display()));
        holds(&night, &mut command, trap);
    }
}

// attack(files): a person's own link AGENTS.md out of the project, which the agent points at a key
// holds: it is read as it was, said by name, and not read from where it leads since
#[test]
fn a_link_that_a_person_had_there_is_followed_as_long_as_it_leads_there() {
    let env = TestEnv::with_git();
    let shared = env.write(env.root().join("shared/AGENTS.md"), "What all projects share.\n");
    std::os::unix::fs::symlink(&shared, env.project().join("AGENTS.md")).unwrap();
    let secret = env.write(env.root().join("secret"), SECRET);
    let script = format!(
        "[[call]]\nsteps = [ {{ say = \"first\" }} ]\n\n[[call]]\nsteps = [ {{ bash = \"ln -sfn {} AGENTS.md\" }} ]\n\n\
         [[call]]\nsteps = [ {{ say = \"last\" }} ]\n",
        secret.display()
    );
    let night = Night::within(env, &script);
    let outcome = night.run(&["-m", "3", "--stagnation-threshold", "0"]);
    let said = outcome.stdout_text() + &outcome.stderr_text();
    assert!(said.contains("AGENTS.md is a link that leads out of the project"), "{said}");
    let system = |number: u32| {
        let folder = night.folder().join(format!("iterations/{number:04}/1-work"));
        fs::read_to_string(folder.join("system.md")).unwrap()
    };
    assert!(system(1).contains("What all projects share.") && system(2).contains("What all projects share."));
    assert!(!system(3).contains(SECRET) && !system(3).contains("What all projects share."));
}

/// A run whose git does not come to its end: it waits in a person's hook.
fn waiting_git() -> Night {
    let env = TestEnv::with_git();
    let hook = env.write(".git/hooks/pre-commit", "#!/bin/sh\necho $$ > ../hook\nsleep 300\n");
    fs::set_permissions(hook, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    Night::within(env, "[[call]]\nsteps = [ { bash = \"echo x > more\" } ]\n")
}

fn hook(night: &Night) -> u32 {
    let file = night.env.root().join("hook");
    assert!(wait_until(PATIENCE, || fs::read_to_string(&file).is_ok_and(|text| text.ends_with('\n'))));
    fs::read_to_string(file).unwrap().trim().parse().unwrap()
}

// attack(endings): a git of the runner's waits for something that never comes, and the runner is killed
// holds: the git and what it started are gone within two seconds
#[test]
fn no_git_of_ours_outlives_the_runner() {
    let night = waiting_git();
    let running = night.start(&["-m", "1", "--commit", "runner"]);
    let hook = hook(&night);
    running.signal(Signal::KILL);
    drop(running.wait(PATIENCE));
    assert!(wait_until(CLEARED + CLEARED, || !is_alive(hook)), "the hook is alive");
    night.env.assert_no_processes(CLEARED);
}

// attack(endings): a git of the runner's waits for something that never comes, and a person presses Ctrl-C
// holds: the git ends with the run
#[test]
fn ctrl_c_ends_a_git_that_waits() {
    let night = waiting_git();
    let running = night.start(&["-m", "1", "--commit", "runner"]);
    let hook = hook(&night);
    running.signal(Signal::TERM);
    let outcome = running.wait(PATIENCE);
    assert!(!outcome.timed_out && outcome.duration < Duration::from_secs(45), "{}", outcome.stderr_text());
    assert!(!is_alive(hook), "the hook is alive");
    assert!(!night.env.project().join(".git/index.lock").exists());
}
