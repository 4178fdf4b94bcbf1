//! A fleet that a test has: servers, workers, a repository with tasks.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use rustix::process::Signal;
use serde_json::Value;
use windlass_testkit::environment::wait_until;
use windlass_testkit::nats::Setup;
use windlass_testkit::{Nats, Outcome, Running, TestEnv};

/// Long enough for anything on a busy machine.
pub const PATIENCE: Duration = Duration::from_mins(2);

/// A worker's agent does its task at once.
pub const HONEST: &str = r#"
[[call]]
steps = [
  { write = { path = "work/{{task}}", text = "done\n" } }, "tick_task",
  { result = { text = "{{task}} is done.", cost = 0.01 } },
]
"#;

/// Who comes to a fleet.
const ROLES: [&str; 4] = ["administrator", "runner", "worker", "watcher"];

/// Locked in nowhere: what is tested here is the fleet.
const POLICY: &str = "sandbox = \"as-ordered\"\ngates = [\"*\"]\n";

pub struct Yard {
    pub env: TestEnv,
    pub nats: Nats,
    /// The git remote that is configured everywhere.
    pub remote: Option<String>,
    script: PathBuf,
    /// Where the passwords of the roles are.
    secrets: Option<PathBuf>,
}

impl Yard {
    /// With so many tasks, on one server.
    pub fn new(tasks: u32, script: &str) -> Yard {
        Yard::on(Nats::one(), tasks, script)
    }

    pub fn on(nats: Nats, tasks: u32, script: &str) -> Yard {
        let yard = Yard::in_place(TestEnv::with_git(), nats, tasks, script, None);
        yard.run(&["fleet", "init"]).expect_success("fleet init");
        yard
    }

    fn in_place(env: TestEnv, nats: Nats, tasks: u32, script: &str, secrets: Option<PathBuf>) -> Yard {
        let mut text = "# Tasks\n".to_owned();
        for task in 1..=tasks {
            let _ = write!(text, "\n### T{task}: Thing {task}\n\n- **Status:** pending\n\nMake it.\n");
        }
        env.write("tasks.md", text);
        env.git(&["add", "--all"]);
        env.git(&["commit", "--quiet", "--message", "Tasks"]);
        let script = env.write(env.root().join("script.toml"), script);
        env.write(env.root().join("worker.toml"), POLICY);
        Yard { env, nats, remote: None, script, secrets }
    }

    /// With so many tasks, on a server that lets in who has a password, and lets each do what its role may.
    pub fn guarded(tasks: u32, script: &str) -> Yard {
        let env = TestEnv::with_git();
        let (nats, secrets) = guarded_server(&env);
        let yard = Yard::in_place(env, nats, tasks, script, Some(secrets));
        let mut made = yard.windlass(&["fleet", "init"]);
        yard.give_password(&mut made, "administrator");
        yard.env.run(&mut made, PATIENCE).expect_success("fleet init");
        yard
    }

    fn give_password(&self, command: &mut Command, role: &str) {
        if let Some(secrets) = &self.secrets {
            command.env("WINDLASS_FLEET__PASSWORD_FILE", secrets.join(role));
        }
    }

    pub fn windlass(&self, arguments: &[&str]) -> Command {
        let mut command = self.env.command(env!("CARGO_BIN_EXE_windlass"));
        command.args(arguments).env("WINDLASS_FLEET__URL", self.nats.urls().join("\n"));
        self.give_password(&mut command, "runner");
        // Takeovers are waited for.
        command.env("WINDLASS_FLEET__LEASE", "5s");
        if let Some(remote) = &self.remote {
            command.env("WINDLASS_FLEET__REMOTE", remote);
        }
        if self.nats.urls().len() == 3 {
            command.env("WINDLASS_FLEET__REPLICAS", "3");
        }
        command
    }

    pub fn run(&self, arguments: &[&str]) -> Outcome {
        self.env.run(&mut self.windlass(arguments), PATIENCE)
    }

    /// Starts a worker and waits until it takes orders.
    pub fn worker(&self, name: &str) -> Running {
        self.worker_with(name, 2)
    }

    /// One that has these labels.
    pub fn worker_labelled(&self, name: &str, labels: &str) -> Running {
        self.worker_that_says(name, &format!("labels = {labels}"))
    }

    /// One in whose policy this stands as well.
    pub fn worker_that_says(&self, name: &str, line: &str) -> Running {
        self.worker_of(name, 2, line)
    }

    /// The same with so many lanes.
    pub fn worker_of(&self, name: &str, lanes: u16, line: &str) -> Running {
        let policy = self.env.root().join(format!("worker-{name}.toml"));
        self.env.write(&policy, format!("{line}\n{POLICY}"));
        self.worker_by(name, lanes, &policy)
    }

    /// From now on each task needs a worker that has this.
    pub fn require(&self, label: &str) {
        let pending = "- **Status:** pending\n";
        let tasks = self.env.read("tasks.md");
        self.env.write("tasks.md", tasks.replace(pending, &format!("{pending}- **Requires:** {label}\n")));
        self.env.git(&["commit", "--quiet", "--all", "--message", "What they need"]);
    }

    /// What agents do that are called from now on.
    pub fn script(&self, text: &str) {
        fs::write(&self.script, text).unwrap();
    }

    pub fn worker_with(&self, name: &str, lanes: u16) -> Running {
        self.worker_by(name, lanes, &self.env.root().join("worker.toml"))
    }

    /// All tasks, one after another, on this machine.
    pub fn alone(&self) -> Outcome {
        let mut command = self.windlass(&["run", "--mode", "tasks", "--no-delay"]);
        command.arg(format!("--mock={}", self.script.display())).env_remove("WINDLASS_FLEET__URL");
        self.env.run(&mut command, PATIENCE)
    }

    fn worker_by(&self, name: &str, lanes: u16, policy: &Path) -> Running {
        Yard::begin(&mut self.worker_command_by(name, lanes, policy))
    }

    /// Starts a worker and waits until it takes orders.
    pub fn begin(command: &mut Command) -> Running {
        let mut worker = Running::start(command);
        assert!(worker.wait_for_stderr("takes orders", PATIENCE), "{}", worker.stderr_so_far());
        worker
    }

    /// Starts one, and waits for nothing.
    pub fn start_worker(&self, name: &str, lanes: u16) -> Running {
        Running::start(&mut self.worker_command(name, lanes))
    }

    /// The command line of a worker.
    pub fn worker_command(&self, name: &str, lanes: u16) -> Command {
        self.worker_command_by(name, lanes, &self.env.root().join("worker.toml"))
    }

    fn worker_command_by(&self, name: &str, lanes: u16, policy: &Path) -> Command {
        let policy = policy.display().to_string();
        let lanes = lanes.to_string();
        let mut command = self.windlass(&["worker", "--name", name, "-j", &lanes, "--policy", &policy]);
        command.env("WINDLASS_STATE_DIR", self.env.root().join(format!("state-{name}")));
        self.give_password(&mut command, "worker");
        command
    }

    /// A run of all tasks on the fleet.
    pub fn tasks(&self, lanes: u16, flags: &[&str]) -> Command {
        let lanes = lanes.to_string();
        let mut command = self.windlass(&["run", "--mode", "tasks", "--no-delay", "--fleet", "-j", &lanes]);
        command.arg(format!("--mock={}", self.script.display())).args(flags);
        command
    }

    pub fn land(&self, lanes: u16, flags: &[&str]) -> Outcome {
        self.env.run(&mut self.tasks(lanes, flags), PATIENCE)
    }

    /// A run of so many tasks, two of them at a worker, whose runner was killed: its agents go on, and wait.
    pub fn left_by_its_runner(tasks: u32) -> (Yard, Running) {
        let yard = Yard::with_waiting_agents(Nats::one(), tasks);
        let worker = yard.worker("one");
        let run = Running::start(&mut yard.tasks(2, &[]));
        let said = || format!("run:\n{}\nworker:\n{}", run.stderr_so_far(), worker.stderr_so_far());
        assert!(wait_until(PATIENCE, || yard.agents() == 2), "two agents do not begin\n{}", said());
        run.signal(Signal::KILL);
        run.wait(PATIENCE);
        yard.wait_for_agents(2);
        (yard, worker)
    }

    /// The facts of the newest run.
    pub fn facts(&self) -> Vec<Value> {
        let text = fs::read_to_string(the_journal(&self.env.state())).unwrap();
        // The last line may just be written.
        let whole = text.split_inclusive('\n').filter(|line| line.ends_with('\n'));
        whole.map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    /// What the newest run is called.
    pub fn run_name(&self) -> String {
        self.facts()[0]["run"].as_str().unwrap().to_owned()
    }

    pub fn of_kind(&self, kind: &str) -> Vec<Value> {
        self.facts().into_iter().filter(|fact| fact["fact"] == kind || fact["type"] == kind).collect()
    }

    /// What the notices of the newest run say.
    pub fn notices(&self) -> String {
        self.facts().iter().filter_map(|fact| fact["text"].as_str().map(|text| format!("{text}\n"))).collect()
    }

    /// The tasks whose work is on the branch, in the order of their names.
    pub fn landed(&self) -> Vec<String> {
        let files = self.env.git(&["ls-tree", "--name-only", "HEAD", "work/"]);
        let mut tasks: Vec<String> =
            files.lines().filter_map(|path| path.strip_prefix("work/")).map(str::to_owned).collect();
        tasks.sort();
        tasks
    }

    /// Nothing of the run is half done, and the files are the branch's.
    pub fn assert_whole(&self) {
        assert_eq!(self.env.git(&["status", "--porcelain"]), "");
        self.env.git(&["fsck", "--no-progress", "--no-dangling"]);
        assert!(!self.env.project().join(".git/index.lock").exists());
    }

    /// How many agents are at work.
    pub fn agents(&self) -> usize {
        self.agent_processes().len()
    }

    fn agent_processes(&self) -> Vec<u32> {
        let is_agent = |process: &u32| {
            let line = fs::read(format!("/proc/{process}/cmdline")).unwrap_or_default();
            line.split(|byte| *byte == 0).any(|argument| argument == b"__agent")
        };
        self.env.processes().into_iter().filter(is_agent).collect()
    }

    pub fn wait_for_agents(&self, count: usize) {
        assert!(wait_until(PATIENCE, || self.agents() == count), "{} agents, not {count}", self.agents());
    }

    /// Waits until no agent of this worker is at work.
    pub fn wait_until_idle(&self, worker: &str) {
        let state = self.env.root().join(format!("state-{worker}"));
        let is_there = |process: &u32| {
            fs::read_link(format!("/proc/{process}/cwd")).is_ok_and(|place| place.starts_with(&state))
        };
        let is_idle = || !self.agent_processes().iter().any(is_there);
        assert!(wait_until(PATIENCE, is_idle), "agents of {worker} are at work");
    }

    /// Agents that wait for a file go on.
    pub fn let_agents_go_on(&self) {
        self.env.write(self.env.root().join("go"), "");
    }

    /// Those that work on this task do.
    pub fn let_agents_go_on_with(&self, task: &str) {
        self.env.write(self.env.root().join(format!("go-{task}")), "");
    }

    /// One of them does, and no other.
    pub fn let_an_agent_go_on(&self) {
        fs::create_dir(self.env.root().join("ticket")).unwrap();
    }

    /// A script whose agents do nothing until [`Yard::let_agents_go_on`], and then what another one says.
    pub fn waiting(script: &str, root: &str) -> String {
        script.replace(
            "steps = [\n",
            &format!(
                "steps = [\n  {{ bash = \"for i in $(seq 1 1200); do test -e '{root}/go' && break; rmdir '{root}/ticket' 2>/dev/null && break; sleep 0.05; done\" }},\n"
            ),
        )
    }

    /// The same, where those of each task can go on by themselves: [`Yard::let_agents_go_on_with`].
    pub fn wait_by_task(&self, tasks: u32) {
        let root = self.env.root().display().to_string();
        let script = |task| {
            let of_task = HONEST.replace("[[call]]", &format!("[[call]]\ntask = \"T{task}\""));
            of_task.replace(
                "steps = [\n",
                &format!(
                    "steps = [\n  {{ bash = \"for i in $(seq 1 1200); do test -e '{root}/go-T{task}' && break; sleep 0.05; done\" }},\n"
                ),
            )
        };
        fs::write(&self.script, (1..=tasks).map(script).collect::<String>()).unwrap();
    }

    /// The same with such a script.
    pub fn with_waiting_agents(nats: Nats, tasks: u32) -> Yard {
        let yard = Yard::on(nats, tasks, HONEST);
        let root = yard.env.root().display().to_string();
        fs::write(&yard.script, Yard::waiting(HONEST, &root)).unwrap();
        yard
    }
}

/// A server that has exactly the permissions that `fleet init --show-permissions` prints, and where the passwords of its roles are.
pub fn guarded_server(env: &TestEnv) -> (Nats, PathBuf) {
    let mut command = env.command(env!("CARGO_BIN_EXE_windlass"));
    let printed = env.run(command.args(["fleet", "init", "--show-permissions"]), PATIENCE);
    printed.expect_success("permissions");
    let secrets = env.home().join("secrets");
    let user = |role: &str| {
        let variable = format!("WINDLASS_WINDLASS_{}", role.to_uppercase());
        env.write(secrets.join(role), format!("{role}:secret-{role}\n"));
        format!("{{ user: {role}, password: secret-{role}, permissions: ${variable} }}")
    };
    let users = ROLES.map(user).join(", ");
    let more = format!("{}\nauthorization {{ users: [ {users} ] }}\n", printed.stdout_text());
    (Nats::one_with(&Setup { more, ..Setup::default() }), secrets)
}

/// Another machine of the same person: a clone of the repository, with a home and a state folder of its own.
pub struct Elsewhere<'a> {
    yard: &'a Yard,
    root: PathBuf,
}

impl<'a> Elsewhere<'a> {
    pub fn of(yard: &'a Yard) -> Elsewhere<'a> {
        let root = yard.env.root().join("elsewhere");
        for folder in ["home", "state"] {
            fs::create_dir_all(root.join(folder)).unwrap();
        }
        let project = root.join("clone").display().to_string();
        yard.env.git(&["clone", "--quiet", ".", &project]);
        Elsewhere { yard, root }
    }

    pub fn project(&self) -> PathBuf {
        self.root.join("clone")
    }

    pub fn windlass(&self, arguments: &[&str]) -> Command {
        let mut command = self.yard.windlass(arguments);
        command
            .current_dir(self.project())
            .env("HOME", self.root.join("home"))
            .env("WINDLASS_STATE_DIR", self.root.join("state"));
        command
    }

    pub fn run(&self, arguments: &[&str]) -> Outcome {
        self.yard.env.run(&mut self.windlass(arguments), PATIENCE)
    }

    /// Puts what has landed on the branch here, as a refused `resume` says.
    pub fn merge(&self, said: &str) {
        self.git(&["merge", "--quiet", "--ff-only", landed_in(said)]);
    }

    pub fn git(&self, arguments: &[&str]) -> String {
        let project = self.project().display().to_string();
        self.yard.env.git(&[&["-C", &project], arguments].concat())
    }

    pub fn state(&self) -> PathBuf {
        self.root.join("state")
    }

    /// Whether the fleet has all that is in the journal of the machine that works, so that it counts.
    pub fn knows_the_whole_journal(&self) -> bool {
        self.run(&["status", &self.yard.run_name()]).expect_success("status");
        fs::read(self.journal()).unwrap() == fs::read(the_journal(&self.yard.env.state())).unwrap()
    }

    /// The only run's journal.
    pub fn journal(&self) -> PathBuf {
        the_journal(&self.state())
    }
}

/// The commit that a refused `resume` wants to have on the branch.
pub fn landed_in(said: &str) -> &str {
    assert!(said.contains("has landed work that main lacks here"), "{said}");
    said.split("git merge --ff-only ").nth(1).unwrap().split_whitespace().next().unwrap()
}

/// The journal of the newest run below a state folder.
pub fn the_journal(state: &Path) -> PathBuf {
    let mut journals = Vec::new();
    for project in fs::read_dir(state.join("projects")).unwrap() {
        let runs = project.unwrap().path().join("runs");
        let folders = fs::read_dir(runs).into_iter().flatten().map(|run| run.unwrap().path());
        journals.extend(folders.map(|run| run.join("journal.jsonl")).filter(|journal| journal.is_file()));
    }
    journals.sort_by_key(|journal| journal.metadata().unwrap().modified().unwrap());
    journals.pop().unwrap()
}

/// Ends a worker as a person does, and waits for that.
pub fn drain(worker: Running) -> Outcome {
    worker.signal(Signal::TERM);
    worker.wait(PATIENCE)
}
