//! Namespaces of their own for guests, made by bubblewrap.

use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use super::trial;
use super::view::{Sight, View};

/// What is left to root: as [`drop_most`](super::inside) leaves it.
const KEPT: [&str; 7] =
    ["CAP_CHOWN", "CAP_DAC_OVERRIDE", "CAP_FOWNER", "CAP_FSETID", "CAP_KILL", "CAP_SETGID", "CAP_SETUID"];

/// What of `/proc` belongs to the whole machine.
const KERNELS_OWN: [&str; 7] = ["sys", "sysrq-trigger", "irq", "bus", "fs", "acpi", "scsi"];

/// How the program is called here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Bwrap {
    program: PathBuf,
    users: Users,
}

/// Whose users are those inside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Users {
    /// The machine's: root stays root, with little that root may do.
    Machine,
    /// Its own: whoever is not root may make namespaces only so.
    Own,
}

/// The network that guests see.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Net {
    /// The machine's.
    Machine,
    /// One of their own, with nothing in it.
    Own,
}

impl Bwrap {
    /// Finds the program, and how it can be called here.
    pub fn find() -> Result<Bwrap, String> {
        let path = env::var_os("PATH").unwrap_or_default();
        let program = env::split_paths(&path)
            .map(|folder| folder.join("bwrap"))
            // outside: a program of the search path.
            .find(|program| program.is_absolute() && program.is_file())
            .ok_or("bubblewrap is not installed (the program is called `bwrap`)")?;
        let kinds: &[Users] = if rustix::process::geteuid().is_root() {
            // In a container root may lack what it takes.
            &[Users::Machine, Users::Own]
        } else {
            &[Users::Own]
        };
        let mut why = String::new();
        for users in kinds {
            let bwrap = Bwrap { program: program.clone(), users: *users };
            let view = View { places: [].into() };
            let mut line = vec![program.clone().into_os_string()];
            line.extend(bwrap.arguments(&view, Net::Own, Path::new("/")));
            line.extend(["/bin/sh", "-c", ":"].map(OsString::from));
            match trial::run(&line) {
                Ok(()) => return Ok(bwrap),
                Err(said) => why = said,
            }
        }
        Err(match why.as_str() {
            said if said.contains("uid map") || said.contains("namespace") => {
                format!("this machine lets nobody but root make namespaces ({said})")
            }
            said => said.to_owned(),
        })
    }

    /// The program, absolute.
    pub fn program(&self) -> &Path {
        &self.program
    }

    /// Its arguments up to the program inside.
    pub fn arguments(&self, view: &View, net: Net, directory: &Path) -> Vec<OsString> {
        let mut arguments = Arguments(Vec::new());
        arguments.words(&["--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try"]);
        // Of a user namespace of his own root would have all there is, and could take the mounts away.
        arguments.words(&["--cap-drop", "ALL"]);
        if self.users == Users::Own {
            arguments.words(&["--unshare-user"]);
        } else {
            for capability in KEPT {
                arguments.words(&["--cap-add", capability]);
            }
        }
        if net == Net::Own {
            arguments.words(&["--unshare-net"]);
        }
        // Bubblewrap's own first process would be one that guests could lead, and it may do what they may not.
        arguments.words(&["--as-pid-1"]);
        // With the keeper's child everything inside ends, whatever it did to get away.
        arguments.words(&["--die-with-parent", "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc"]);
        if self.users == Users::Machine {
            // What root owns there root could write without being allowed to do anything else.
            for name in KERNELS_OWN {
                let path = Path::new("/proc").join(name);
                arguments.mount("--ro-bind-try", &path, &path);
            }
        }
        let mut emptied = Vec::new();
        for (path, sight) in &view.places {
            match sight {
                Sight::Writable => arguments.mount("--bind", path, path),
                Sight::ReadOnly => arguments.mount("--ro-bind", path, path),
                Sight::Other(source) => arguments.mount("--bind", source, path),
                Sight::Shown(source) => arguments.mount("--ro-bind", source, path),
                // outside: what is there of the whole system; nothing of it is opened.
                Sight::Hidden if path.is_dir() => {
                    arguments.words(&["--tmpfs"]);
                    arguments.0.push(path.into());
                    emptied.push(path);
                }
                Sight::Hidden => arguments.mount("--ro-bind", Path::new("/dev/null"), path),
            }
        }
        // At last: what is shown in them needed a place.
        for path in emptied {
            arguments.words(&["--remount-ro"]);
            arguments.0.push(path.into());
        }
        arguments.words(&["--chdir"]);
        arguments.0.push(directory.into());
        arguments.words(&["--"]);
        arguments.0
    }
}

struct Arguments(Vec<OsString>);

impl Arguments {
    fn words(&mut self, words: &[&str]) {
        self.0.extend(words.iter().map(OsString::from));
    }

    fn mount(&mut self, how: &str, source: &Path, place: &Path) {
        self.0.extend([how.into(), source.into(), place.into()]);
    }
}
