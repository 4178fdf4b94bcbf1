//! Engines of a test's own: their images, containers and daemon go with it.

use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use windlass_testkit::environment::wait_until;
use windlass_testkit::{Outcome, Running, TestEnv};

/// Longer than anything here takes on a busy machine.
pub const PATIENCE: Duration = Duration::from_mins(2);

/// The image with everything in it.
pub const IMAGE: &str = "localhost/windlass-test:1";

/// What is in it, from this machine.
const PROGRAMS: [&str; 16] = [
    "sh", "cat", "chmod", "cp", "env", "git", "grep", "id", "ls", "mkdir", "rm", "setsid", "sleep", "stat",
    "touch", "true",
];

/// An engine with an image, and a project to run in.
pub struct Machine {
    pub env: TestEnv,
    pub engine: &'static str,
    variables: Vec<(&'static str, String)>,
    daemon: Option<Child>,
}

/// Runs a test with each engine that can be had here, and says which cannot.
#[expect(clippy::print_stderr, reason = "a test that is skipped says so")]
pub fn with_each(test: impl Fn(&Machine)) {
    for machine in [Machine::podman(), Machine::docker()] {
        match machine {
            Ok(machine) => test(&machine),
            Err(why) => eprintln!("skipped, because {why}"),
        }
    }
}

impl Machine {
    fn new(engine: &'static str) -> Machine {
        // A name that an engine could misread: its mounts are lines of CSV.
        let env = TestEnv::with_project_named("a project, \"quoted\"").git_initialised();
        // Daemons, and what engines set networks up with, are for administrators.
        let path = std::env::var("PATH").unwrap() + ":/usr/sbin:/sbin";
        Machine { env, engine, variables: vec![("PATH", path)], daemon: None }
    }

    /// With a store of its own. Where its usual settings do not work here, others are tried.
    fn podman() -> Result<Machine, String> {
        let mut machine = Machine::new("podman");
        let root = machine.env.root().to_owned();
        let storage = format!(
            "[storage]\ndriver = \"vfs\"\ngraphroot = \"{0}/graph\"\nrunroot = \"{0}/run\"\n",
            root.display()
        );
        fs::write(root.join("storage.conf"), storage).unwrap();
        let settings = "[containers]\ndefault_ulimits = [\"nofile=4096:4096\", \"nproc=4096:4096\"]\n\
            [engine]\nruntime = \"runc\"\ncgroup_manager = \"cgroupfs\"\nevents_logger = \"file\"\n";
        fs::write(root.join("containers.conf"), settings).unwrap();
        let path = |name: &str| root.join(name).display().to_string();
        machine.variables.push(("CONTAINERS_STORAGE_CONF", path("storage.conf")));
        machine.variables.push(("XDG_RUNTIME_DIR", path("tmp")));
        let usual = machine.prepare();
        if usual.is_ok() {
            return Ok(machine);
        }
        machine.variables.push(("CONTAINERS_CONF", path("containers.conf")));
        machine.prepare().map(|()| machine)
    }

    /// With a daemon of its own where this is root, else with the machine's.
    fn docker() -> Result<Machine, String> {
        let mut machine = Machine::new("docker");
        if rustix::process::geteuid().is_root() {
            machine.start_daemon()?;
        }
        machine.prepare()?;
        Ok(machine)
    }

    fn start_daemon(&mut self) -> Result<(), String> {
        // A socket's address is short, and dockerd's other paths grow long.
        let root = self.env.root().join("d");
        fs::create_dir(&root).unwrap();
        let below = |name: &str| root.join(name).display().to_string();
        let address = format!("unix://{}", below("s"));
        let mut command = self.command("dockerd", &[]);
        command.args([
            "--data-root",
            &below("data"),
            "--exec-root",
            &below("exec"),
            "--pidfile",
            &below("pid"),
        ]);
        command.args(["--host", &address, "--iptables=false", "--bridge=none", "--storage-driver=vfs"]);
        command
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(fs::File::create(root.join("log")).unwrap());
        let daemon = command.spawn().map_err(|error| format!("dockerd cannot be started: {error}"))?;
        self.daemon = Some(daemon);
        self.variables.push(("DOCKER_HOST", address));
        if wait_until(Duration::from_secs(30), || self.engine(&["info"]).code == Some(0)) {
            return Ok(());
        }
        let log = fs::read_to_string(root.join("log")).unwrap_or_default();
        Err(format!("dockerd does not come up here: {}", log.lines().next_back().unwrap_or_default()))
    }

    /// Makes the image and tries it.
    fn prepare(&self) -> Result<(), String> {
        let root = self.env.root().join("image");
        if !root.exists() {
            make_root(&self.env, &root);
        }
        let import = format!("tar -C '{}' -c . | {} import - {IMAGE}", root.display(), self.engine);
        for mut command in [
            self.command("sh", &["-c", &import]),
            self.command(self.engine, &["run", "--rm", "--network=none", IMAGE, "true"]),
        ] {
            let outcome = self.env.run(&mut command, PATIENCE);
            if outcome.code != Some(0) {
                let said = outcome.stderr_text();
                return Err(format!("{} does not work here: {}", self.engine, said.trim()));
            }
        }
        Ok(())
    }

    /// A program with what it needs to find the engine.
    pub fn command(&self, program: &str, arguments: &[&str]) -> Command {
        if program == env!("CARGO_BIN_EXE_windlass") {
            self.env.trust_by(self.env.project(), arguments, |arguments| self.plain(program, arguments));
        }
        self.plain(program, arguments)
    }

    fn plain(&self, program: &str, arguments: &[&str]) -> Command {
        let mut command = self.env.command(program);
        command.args(arguments).envs(self.variables.iter().map(|(name, value)| (name, value)));
        command
    }

    pub fn engine(&self, arguments: &[&str]) -> Outcome {
        self.env.run(&mut self.command(self.engine, arguments), PATIENCE)
    }

    pub fn windlass(&self, arguments: &[&str]) -> Outcome {
        self.env.run(&mut self.command(env!("CARGO_BIN_EXE_windlass"), arguments), PATIENCE)
    }

    /// `windlass run` in a container, with a scripted agent.
    pub fn run_command(&self, script: &str, arguments: &[&str]) -> Command {
        let script_file = self.env.write(self.env.root().join("script.toml"), script);
        let sandbox = format!("{}:{IMAGE}", self.engine);
        let mock = format!("--mock={}", script_file.display());
        let mut command =
            self.command(env!("CARGO_BIN_EXE_windlass"), &["run", "--no-delay", "-p", "Make it work"]);
        command.args([mock.as_str(), "--sandbox", &sandbox, "-m", "1", "--network", "off"]).args(arguments);
        command
    }

    pub fn run(&self, script: &str, arguments: &[&str]) -> Outcome {
        self.env.run(&mut self.run_command(script, arguments), PATIENCE)
    }

    pub fn start(&self, script: &str, arguments: &[&str]) -> Running {
        Running::start(&mut self.run_command(script, arguments))
    }

    /// Names of containers that are there, whatever their state.
    pub fn containers(&self) -> Vec<String> {
        let outcome = self.engine(&["ps", "--all", "--format", "{{.Names}}"]);
        outcome.expect_success("a list of containers");
        outcome.stdout_text().lines().map(str::to_owned).collect()
    }
}

impl Drop for Machine {
    fn drop(&mut self) {
        let names = self.engine(&["ps", "--all", "--quiet"]).stdout_text();
        let mut remove = vec!["rm", "--force"];
        remove.extend(names.lines());
        if remove.len() > 2
            && self.variables.iter().any(|(name, _)| name.starts_with("CONTAINERS") || *name == "DOCKER_HOST")
        {
            self.engine(&remove);
        }
        self.engine(&["rmi", "--force", IMAGE]);
        if let Some(daemon) = &mut self.daemon {
            let id = rustix::process::Pid::from_raw(i32::try_from(daemon.id()).unwrap());
            let _ = rustix::process::kill_process(id.unwrap(), rustix::process::Signal::TERM);
            let _ = daemon.wait();
        }
    }
}

/// A file system of this machine's own programs and the libraries that they need.
fn make_root(env: &TestEnv, root: &Path) {
    for folder in ["bin", "etc", "tmp", "usr/bin"] {
        fs::create_dir_all(root.join(folder)).unwrap();
    }
    let windlass = env!("CARGO_BIN_EXE_windlass");
    let mut files = libraries(env, windlass);
    for name in PROGRAMS {
        let path = std::env::var_os("PATH").unwrap();
        let found =
            std::env::split_paths(&path).map(|folder| folder.join(name)).find(|program| program.is_file());
        let program = fs::canonicalize(found.unwrap()).unwrap();
        fs::copy(&program, root.join("bin").join(name)).unwrap();
        files.extend(libraries(env, &program.display().to_string()));
    }
    for file in files {
        let target = root.join(file.trim_start_matches('/'));
        fs::create_dir_all(target.parent().unwrap()).unwrap();
        fs::copy(&file, target).unwrap();
    }
}

fn libraries(env: &TestEnv, program: &str) -> Vec<String> {
    let said = env.run(env.command("ldd").arg(program), PATIENCE).stdout_text();
    said.split_whitespace()
        .filter(|word| word.starts_with('/'))
        .map(|word| word.trim_end_matches(':').to_owned())
        .collect()
}
