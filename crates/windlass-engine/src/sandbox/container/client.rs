//! The engine's client: short questions to it, each with a time within which it must answer.

use std::env;
use std::ffi::{OsStr, OsString};
use std::path::PathBuf;
use std::time::Duration;
use strum::IntoStaticStr;
use windlass_core::values::Named;

use windlass_core::spec::SandboxKind;

use windlass_host::file::is_program;
use windlass_host::process::{Command, Output, ProcessError};

/// How long an engine may take to say what it knows.
const PATIENCE: Duration = Duration::from_secs(20);

/// Bytes of an answer; a list of containers is far shorter.
const LONGEST_ANSWER: usize = 1024 * 1024;

/// Who makes containers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum Engine {
    /// Docker.
    Docker,
    /// Podman.
    Podman,
}

impl Engine {
    /// The engine of a kind of sandbox, and the image where one is named; `None` for those without containers.
    pub fn of(kind: &SandboxKind) -> Option<(Engine, Option<&str>)> {
        match kind {
            SandboxKind::Docker(image) => Some((Engine::Docker, image.as_deref())),
            SandboxKind::Podman(image) => Some((Engine::Podman, image.as_deref())),
            SandboxKind::None | SandboxKind::Landlock | SandboxKind::Bwrap => None,
        }
    }
}

/// Why an engine did not do what it was asked.
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    /// There is no client.
    #[error("{} is not installed", .0.name())]
    Missing(Engine),
    /// It says no.
    #[error("{}: {said}", .engine.name())]
    Refused {
        /// Who.
        engine: Engine,
        /// In its own words, one line.
        said: String,
    },
    /// It did not answer, or could not be asked.
    #[error(transparent)]
    Process(#[from] ProcessError),
}

/// The client of an engine.
#[derive(Clone, Debug)]
pub struct Client {
    /// Of which.
    pub engine: Engine,
    /// The program, absolute.
    pub program: PathBuf,
}

impl Client {
    /// Looks for it where programs are looked for.
    pub fn find(engine: Engine) -> Result<Client, EngineError> {
        let path = env::var_os("PATH").unwrap_or_default();
        let found = in_path(&path, engine.name()).ok_or(EngineError::Missing(engine))?;
        Ok(Client { engine, program: found })
    }

    /// Asks something and waits for the answer, 20 s at most.
    pub fn ask<A: AsRef<OsStr>>(
        &self,
        arguments: impl IntoIterator<Item = A>,
    ) -> Result<String, EngineError> {
        self.ask_within(PATIENCE, arguments)
    }

    /// The same within another time.
    pub fn ask_within<A: AsRef<OsStr>>(
        &self,
        patience: Duration,
        arguments: impl IntoIterator<Item = A>,
    ) -> Result<String, EngineError> {
        let output = self.command(arguments).timeout(patience).output_limit(LONGEST_ANSWER).run()?;
        if output.succeeded() {
            return Ok(output.stdout.text().trim().to_owned());
        }
        Err(EngineError::Refused { engine: self.engine, said: complaint(&output) })
    }

    /// A command of it. Its directory is one that is always there.
    pub fn command<A: AsRef<OsStr>>(&self, arguments: impl IntoIterator<Item = A>) -> Command {
        Command::new(&self.program).arguments(arguments).directory("/")
    }
}

/// A program in these folders, absolute.
pub fn in_path(path: &OsStr, name: &str) -> Option<PathBuf> {
    env::split_paths(path)
        .filter(|folder| folder.is_absolute())
        .map(|folder| folder.join(name))
        .find(|program| is_program(program))
}

/// What the client itself needs of our environment: all of it but what marks a run.
pub fn environment() -> Vec<(OsString, OsString)> {
    env::vars_os().filter(|(name, _)| name != windlass_host::process::RUN_VARIABLE).collect()
}

/// What an engine complains of, on one line: the line that says so, without what every message of it begins with.
fn complaint(output: &Output) -> String {
    const LONGEST: usize = 400;
    let text = output.stderr.text();
    let lines = || text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with("Run '"));
    let told = lines().find(|line| line.starts_with("Error") || line.starts_with("docker:"));
    let line = told.or_else(|| lines().next_back()).unwrap_or("it failed and did not say why");
    let line = ["docker: ", "Error: ", "Error response from daemon: "]
        .iter()
        .fold(line, |line, start| line.strip_prefix(start).unwrap_or(line));
    line.chars().filter(|c| !c.is_control()).take(LONGEST).collect()
}

#[cfg(test)]
mod tests {
    use windlass_core::values::Ended;

    use super::*;
    use std::os::unix::fs::PermissionsExt as _;
    use std::path::Path;

    use windlass_host::process::Captured;

    #[test]
    fn a_complaint_is_the_line_that_says_what_is_wrong() {
        for (printed, said) in [
            (
                "docker: Error response from daemon: No such image: a:1\n\nRun 'docker run --help' for more information\n",
                "No such image: a:1",
            ),
            ("WARN[0000] something\nError: a:1: image not known\n", "a:1: image not known"),
            ("", "it failed and did not say why"),
            ("permission denied\n", "permission denied"),
        ] {
            let stderr = Captured { bytes: printed.as_bytes().to_vec(), dropped: 0 };
            let output = Output { ended: Ended::Exited(125), stdout: Captured::default(), stderr };
            assert_eq!(complaint(&output), said);
        }
    }

    #[test]
    fn a_client_is_a_program_in_an_absolute_folder() {
        let folder = tempfile::tempdir().unwrap();
        let program = folder.path().join("podman");
        std::fs::write(&program, "").unwrap();
        let path = env::join_paths([Path::new("."), Path::new("/nowhere"), folder.path()]).unwrap();
        assert_eq!(in_path(&path, "podman"), None, "it cannot be run");
        std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
        assert_eq!(in_path(&path, "podman"), Some(program));
        assert_eq!(in_path(OsStr::new(""), "podman"), None);
    }
}
