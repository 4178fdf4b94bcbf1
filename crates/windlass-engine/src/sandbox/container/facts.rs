//! What an engine says of itself and of this machine.

use std::env;
use std::path::Path;

use super::client::{Client, Engine, EngineError, in_path};
use super::command::{Init, User};

/// What an engine says of itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Facts {
    /// Its version.
    pub version: String,
    /// Does it work without root? Then root inside is the caller outside.
    pub rootless: bool,
    /// Is it on this machine, so that our files are there?
    pub here: bool,
    /// Can it limit memory, processes and processors?
    pub limits: bool,
}

/// Asks it.
///
/// # Errors
/// It does not answer: there is no daemon, or it may not be used.
pub fn ask(client: &Client) -> Result<Facts, EngineError> {
    match client.engine {
        Engine::Docker => {
            let format = "{{.ServerVersion}}|{{json .SecurityOptions}}|{{.MemoryLimit}} {{.PidsLimit}} {{.CPUCfsQuota}}";
            let said = client.ask(["info", "--format", format])?;
            let address = client.ask(["context", "inspect", "--format", "{{.Endpoints.docker.Host}}"])?;
            Ok(docker(&said, &address))
        }
        Engine::Podman => {
            let format = "{{.Version.Version}}|{{.Host.Security.Rootless}}|{{.Host.ServiceIsRemote}}|{{json .Host.CgroupControllers}}";
            Ok(podman(&client.ask(["info", "--format", format])?))
        }
    }
}

/// A daemon that cannot be reached leaves its version empty.
fn docker(said: &str, address: &str) -> Facts {
    let mut parts = said.split('|');
    let mut part = || parts.next().unwrap_or_default().trim();
    Facts {
        version: part().to_owned(),
        rootless: part().contains("name=rootless"),
        limits: !part().contains("false"),
        here: address.is_empty() || address.starts_with("unix://"),
    }
}

fn podman(said: &str) -> Facts {
    let mut parts = said.split('|');
    let mut part = || parts.next().unwrap_or_default().trim();
    Facts {
        version: part().to_owned(),
        rootless: part() == "true",
        here: part() != "true",
        limits: {
            let controllers = part();
            ["memory", "pids", "cpu"].iter().all(|name| controllers.contains(&format!("\"{name}\"")))
        },
    }
}

impl Facts {
    /// As whom to run what is inside, so that its files belong to this process's user.
    pub fn user(&self, engine: Engine) -> User {
        let (uid, gid) = (rustix::process::geteuid().as_raw(), rustix::process::getegid().as_raw());
        match (engine, self.rootless) {
            (_, false) => User::Same { uid, gid },
            (Engine::Podman, true) => User::Kept { uid, gid },
            (Engine::Docker, true) => User::Root,
        }
    }
}

/// What can be the first process inside, the best first. The last one always works.
pub fn inits(engine: Engine) -> Vec<Init> {
    let mut found = vec![Init::Engine];
    if engine == Engine::Podman {
        let path = env::var_os("PATH").unwrap_or_default();
        let program = |name: &&str| in_path(&path, name);
        found.extend(["catatonit", "tini", "docker-init"].iter().find_map(program).map(Init::Program));
    }
    found.push(Init::None);
    found
}

/// Does this machine label its files (`SELinux`)?
pub fn labels_files() -> bool {
    // outside: the system.
    Path::new("/sys/fs/selinux/enforce").exists()
}

/// What an engine would probably say; for a command line that is only looked at.
pub fn guess(engine: Engine) -> Facts {
    let rootless = engine == Engine::Podman && !rustix::process::geteuid().is_root();
    Facts { version: String::new(), rootless, here: true, limits: true }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn engines_say_where_they_are_and_whether_they_have_root() {
        let facts =
            docker("20.10.24|[\"name=seccomp,profile=default\"]|true true true", "unix:///run/docker.sock");
        let expected = Facts { version: "20.10.24".to_owned(), rootless: false, here: true, limits: true };
        assert_eq!(facts, expected);
        let rootless =
            docker("28.0|[\"name=rootless\",\"name=cgroupns\"]|false true true", "ssh://elsewhere");
        assert!(rootless.rootless && !rootless.here && !rootless.limits);
        let rootful = podman("4.3.1|false|false|[\"cpuset\",\"cpu\",\"memory\",\"pids\"]");
        assert!(!rootful.rootless && rootful.here && rootful.limits && rootful.version == "4.3.1");
        let remote = podman("5.0|true|true|[]");
        assert!(remote.rootless && !remote.here && !remote.limits);
        assert_eq!(docker("", "").version, "");
    }

    #[test]
    fn files_belong_to_the_caller_whoever_has_root() {
        let facts = |rootless| Facts { rootless, ..Facts::default() };
        let (uid, gid) = (rustix::process::geteuid().as_raw(), rustix::process::getegid().as_raw());
        assert_eq!(facts(false).user(Engine::Docker), User::Same { uid, gid });
        assert_eq!(facts(false).user(Engine::Podman), User::Same { uid, gid });
        assert_eq!(facts(true).user(Engine::Podman), User::Kept { uid, gid });
        assert_eq!(facts(true).user(Engine::Docker), User::Root);
    }
}
