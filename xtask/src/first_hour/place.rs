//! Where the steps are taken: a folder with a new home, behind more or less of a wall.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;

use super::root;
use super::steps::AGENT;
use crate::program::{Failure, bytes_of, run, succeeds};

/// What a container is made of; it is gone afterwards.
const IMAGE: &str = "localhost/windlass-first-hour:1";

/// The container in which all steps are taken: how long an engine needs to start one is not what is measured.
const CONTAINER: &str = "windlass-first-hour";

/// What is between a stranger and this machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Walls {
    /// Nothing but a home and a `PATH` of its own.
    Here,
    /// A file system that holds the programs and nothing else, without a network.
    Bubblewrap,
    /// The same in a container of this engine.
    Engine(&'static str),
}

impl Walls {
    /// As typed.
    pub fn named(name: &str) -> Option<Walls> {
        Some(match name {
            "here" => Walls::Here,
            "bwrap" => Walls::Bubblewrap,
            "podman" => Walls::Engine("podman"),
            "docker" => Walls::Engine("docker"),
            _ => return None,
        })
    }

    /// In words.
    pub fn about(self) -> String {
        match self {
            Walls::Here => "with a home and a PATH of its own".to_owned(),
            Walls::Bubblewrap => "in a root of its own, by bwrap".to_owned(),
            Walls::Engine(engine) => format!("in a container, by {engine}"),
        }
    }
}

/// A stranger's place, which is gone when this is dropped.
pub struct Place {
    folder: TempDir,
    files: PathBuf,
    walls: Walls,
}

impl Place {
    /// With a copy of the release in it, which is all that containers see of this machine.
    pub fn make(files: &Path, walls: Walls) -> Result<Place, Failure> {
        let folder = tempfile::Builder::new().prefix("windlass-first-hour-").tempdir();
        let folder = folder.map_err(|error| Failure(format!("a folder for a stranger: {error}")))?;
        let place = Place { files: folder.path().join("files"), folder, walls };
        for name in ["home", "tmp", "files"] {
            let path = place.path(name);
            fs::create_dir(&path).map_err(|error| Failure::at(&path, error))?;
        }
        for entry in fs::read_dir(files).map_err(|error| Failure::at(files, error))? {
            let from = entry.map_err(|error| Failure::at(files, error))?;
            fs::copy(from.path(), place.files.join(from.file_name()))
                .map_err(|error| Failure::at(&from.path(), error))?;
        }
        let agent = place.path("agent.toml");
        fs::write(&agent, AGENT).map_err(|error| Failure::at(&agent, error))?;
        match walls {
            Walls::Here => root::link_programs(&place.path("programs"))?,
            Walls::Bubblewrap => root::fill(&place.path("root"))?,
            Walls::Engine(engine) => place.start_container(engine)?,
        }
        Ok(place)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn start_container(&self, engine: &str) -> Result<(), Failure> {
        if !succeeds(Command::new(engine).arg("info")) {
            return Err(Failure(format!("{engine} does not work on this machine: `{engine} info` says why")));
        }
        let root = self.path("root");
        root::fill(&root)?;
        let import = format!("tar -C '{}' -c . | {engine} import - {IMAGE}", root.display());
        run(Command::new("sh").args(["-c", &import]))?;
        // Some machines refuse the limits that engines set by themselves; some also refuse the runtime that podman prefers.
        match self.start(engine, &[]) {
            Err(first) if engine == "podman" => self
                .start(engine, &["--runtime", "runc"])
                .map_err(|second| Failure(format!("{first}\nand with the runtime runc: {second}"))),
            ended => ended,
        }
    }

    fn start(&self, engine: &str, engine_arguments: &[&str]) -> Result<(), Failure> {
        remove_container(engine);
        let here = self.folder.path().display();
        let mut start = Command::new(engine);
        start.args(engine_arguments).args(["run", "--detach", "--name", CONTAINER, "--network=none"]);
        start.args(["--ulimit", "nofile=1024:1024", "--ulimit", "nproc=4096:4096"]);
        bytes_of(start.args(["--volume", &format!("{here}:{here}"), IMAGE, "/bin/sleep", "600"])).map(drop)
    }

    /// A shell that is about to do what `script` says.
    pub fn shell(&self, script: &str) -> Command {
        let here = self.folder.path();
        let mut command = match self.walls {
            Walls::Here => {
                let mut command = Command::new(self.path("programs").join("sh"));
                command.env_clear().envs(self.variables()).current_dir(here);
                command
            }
            Walls::Bubblewrap => self.bubblewrap(),
            Walls::Engine(engine) => self.container(engine),
        };
        command.args(["-euc", script]);
        command
    }

    fn bubblewrap(&self) -> Command {
        let here = self.folder.path();
        let mut command = Command::new("bwrap");
        command
            .args(["--unshare-all", "--die-with-parent", "--clearenv", "--ro-bind"])
            .arg(self.path("root"))
            .arg("/");
        command.args(["--dev", "/dev", "--proc", "/proc", "--tmpfs", "/tmp", "--bind"]).args([here, here]);
        for (name, value) in self.variables() {
            command.args(["--setenv", name, &value]);
        }
        command.arg("--chdir").arg(here).arg("/bin/sh");
        command
    }

    fn container(&self, engine: &str) -> Command {
        let mut command = Command::new(engine);
        command.args(["exec", "--workdir", &self.folder.path().display().to_string()]);
        for (name, value) in self.variables() {
            command.args(["--env", &format!("{name}={value}")]);
        }
        command.args([CONTAINER, "/bin/sh"]);
        command
    }

    /// All that there are.
    fn variables(&self) -> [(&'static str, String); 4] {
        let programs = match self.walls {
            Walls::Here => self.path("programs").display().to_string(),
            Walls::Bubblewrap | Walls::Engine(_) => "/bin".to_owned(),
        };
        [
            ("PATH", programs),
            ("HOME", self.path("home").display().to_string()),
            ("TMPDIR", self.path("tmp").display().to_string()),
            ("FILES", self.files.display().to_string()),
        ]
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        if let Walls::Engine(engine) = self.walls {
            remove_container(engine);
            succeeds(Command::new(engine).args(["rmi", "--force", IMAGE]));
        }
    }
}

fn remove_container(engine: &str) {
    // Killed first: `rm` alone waits for its program to end by itself.
    succeeds(Command::new(engine).args(["kill", CONTAINER]));
    succeeds(Command::new(engine).args(["rm", "--force", CONTAINER]));
}
