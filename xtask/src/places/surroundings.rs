//! Who runs the tests, and what of the machine they see.

use std::ffi::OsString;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::program::{Failure, bytes_of, output_of, succeeds};

/// An ordinary user, on every Linux.
const NOBODY: &str = "65534";

/// How surroundings differ from those of the chore.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Surroundings {
    is_foreign: bool,
    hides_bwrap: bool,
}

impl Surroundings {
    /// Those of the chore.
    pub const USUAL: Surroundings = Surroundings { is_foreign: false, hides_bwrap: false };
    /// Somebody who is not root.
    pub const USER: Surroundings = Surroundings { is_foreign: true, hides_bwrap: false };
    /// No `bwrap` is found.
    pub const WITHOUT_BWRAP: Surroundings = Surroundings { is_foreign: false, hides_bwrap: true };

    /// Is it another user?
    pub fn is_foreign(self) -> bool {
        self.is_foreign && is_root()
    }

    /// Why they cannot be had here.
    pub fn can_be_had(self) -> Result<(), Failure> {
        if self.hides_bwrap && !is_root() {
            return Err(Failure(
                "only root can hide bwrap from the tests: uninstall it, or be root".to_owned(),
            ));
        }
        let needs_mounts = self.hides_bwrap || self.is_foreign();
        if needs_mounts && !succeeds(Command::new("unshare").args(["--mount", "true"])) {
            return Err(Failure(
                "unshare cannot make mounts of its own here, which this place needs".to_owned(),
            ));
        }
        Ok(())
    }

    /// The same command in these surroundings; `own` is a folder that belongs to who runs it.
    pub fn around(self, command: &Command, own: &Path) -> Result<Command, Failure> {
        let mut mounts: Vec<(PathBuf, PathBuf)> = Vec::new();
        if self.hides_bwrap {
            mounts.extend(found("bwrap").into_iter().map(|program| (PathBuf::from("/dev/null"), program)));
        }
        if self.is_foreign() {
            // Root's tools lie where nobody else may look.
            mounts.push((cargo_home()?, make(&own.join("cargo"))?));
            mounts.push((toolchain()?, make(&own.join("toolchain"))?));
        }
        if mounts.is_empty() {
            return Ok(copied(command, Command::new(command.get_program())));
        }
        let mut around = Command::new("unshare");
        around.args(["--mount", "sh", "-c", MOUNTING, "sh"]);
        for (from, to) in mounts {
            around.args([from, to]);
        }
        around.arg("--");
        let mut program = PathBuf::from(command.get_program());
        if self.is_foreign() {
            around.arg("setpriv").args([format!("--reuid={NOBODY}"), format!("--regid={NOBODY}")]);
            around.arg("--clear-groups");
            for name in ["home", "tmp"] {
                give_away(&make(&own.join(name))?)?;
            }
            around.env("HOME", own.join("home")).env("TMPDIR", own.join("tmp"));
            around.env("CARGO_HOME", own.join("cargo"));
            let mut path = vec![own.join("toolchain/bin")];
            path.extend(std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default()));
            around.env("PATH", std::env::join_paths(path).unwrap_or_default()).env_remove("CARGO");
            if program.file_name() == Some("cargo".as_ref()) {
                program = PathBuf::from("cargo");
            }
        }
        around.arg(program);
        Ok(copied(command, around))
    }
}

/// Mounts pairs of paths up to `--`, for this process and its children alone, and becomes what follows.
const MOUNTING: &str = r#"
while [ "$1" != -- ]; do mount --bind "$1" "$2" || exit 125; shift 2; done
shift
exec "$@"
"#;

/// `to`, with what `from` has of arguments, variables and directory.
fn copied(from: &Command, mut to: Command) -> Command {
    to.args(from.get_args());
    for (name, value) in from.get_envs() {
        match value {
            Some(value) => to.env(name, value),
            None => to.env_remove(name),
        };
    }
    if let Some(directory) = from.get_current_dir() {
        to.current_dir(directory);
    }
    to
}

/// All that lies in a folder belongs to the ordinary user from now on.
pub fn give_away(folder: &Path) -> Result<(), Failure> {
    bytes_of(Command::new("chown").args(["-R", &format!("{NOBODY}:{NOBODY}")]).arg(folder)).map(drop)
}

fn make(folder: &Path) -> Result<PathBuf, Failure> {
    std::fs::create_dir_all(folder).map_err(|error| Failure::at(folder, error))?;
    Ok(folder.to_owned())
}

fn is_root() -> bool {
    std::fs::metadata("/proc/self").is_ok_and(|own| own.uid() == 0)
}

/// Every place of `PATH` where a program is, without repetition.
fn found(program: &str) -> Vec<PathBuf> {
    let path: OsString = std::env::var_os("PATH").unwrap_or_default();
    let places = std::env::split_paths(&path).map(|folder| folder.join(program));
    let mut found: Vec<PathBuf> =
        places.filter(|file| file.is_file()).filter_map(|file| file.canonicalize().ok()).collect();
    found.sort();
    found.dedup();
    found
}

/// Where cargo keeps what it fetched.
fn cargo_home() -> Result<PathBuf, Failure> {
    let home = std::env::home_dir().ok_or_else(|| Failure("there is no home directory".to_owned()))?;
    Ok(std::env::var_os("CARGO_HOME").map_or(home.join(".cargo"), PathBuf::from))
}

/// The compiler and what belongs to it, themselves: rustup's name for them is a link that only root can follow.
fn toolchain() -> Result<PathBuf, Failure> {
    let root = PathBuf::from(output_of(Command::new("rustc").args(["--print", "sysroot"]))?.trim());
    root.canonicalize().map_err(|error| Failure::at(&root, error))
}
