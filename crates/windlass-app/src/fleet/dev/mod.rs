//! A fleet to try things with: servers and workers on this machine, for as long as one process is there.
//!
//! Everything is below a keeper, so that nothing outlives this process however it ends; what it kept is removed by the keeper's
//! last rites.

mod folder;
mod processes;
mod program;
mod servers;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use windlass_core::config::Replicas;
use windlass_core::values::Ended;
use windlass_fleet::layout::{create, server_count};
use windlass_fleet::names::FleetName;
use windlass_fleet::settings::{Login, Role, Settings};
use windlass_fleet::{Deadline, Fleet, FleetError};
use windlass_host::process::{become_subreaper, end_with_parent};

use super::connect::{explained, name_of, settings};
use crate::app::App;
use crate::error::{AppError, Kind};
use folder::DevFolder;
pub(crate) use folder::{FOLDER_COMMAND, remove_dev_folder};
use processes::{Next, Part, Process, Processes};
use servers::Server;

/// How long servers may take to come up, on a busy machine.
const PATIENCE: Duration = Duration::from_mins(1);

/// How long one try may take, so that whoever asks for the end is heard.
const ONE_TRY: Duration = Duration::from_secs(2);

/// What is to be there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DevRequest {
    /// So many servers: three are a cluster, one of which may be killed.
    pub servers: Replicas,
    /// So many workers; none = servers alone.
    pub workers: u16,
    /// So many lanes each worker has.
    pub lanes: u16,
}

/// A fleet that is there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DevFleet {
    /// What it is called.
    pub name: String,
    /// Its servers.
    pub urls: Vec<String>,
    /// Their version.
    pub version: String,
    /// Variables with which a run reaches it, and their values.
    pub variables: Vec<(&'static str, String)>,
    /// Everything that it keeps: gone when it ends.
    pub folder: PathBuf,
    /// Its workers, by name.
    pub workers: Vec<String>,
    /// So many lanes each of them has.
    pub lanes: u16,
}

/// What happens meanwhile.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DevNews {
    /// It can be used.
    Ready(DevFleet),
    /// A worker or one of several servers has ended. It is not started again.
    Ended {
        /// Which: `the worker dev-1`.
        who: String,
        /// How: `with exit code 2`.
        how: String,
        /// What it printed last.
        printed: Vec<String>,
    },
}

impl App {
    /// Has a fleet on this machine, until a signal asks for its end or this process's parent is gone. Then nothing of it is left.
    ///
    /// # Errors
    /// There is no nats-server, a server did not come up, or the last one has ended.
    pub fn dev_fleet(
        &self,
        request: DevRequest,
        mut tell: impl FnMut(DevNews) -> Result<(), AppError>,
    ) -> Result<(), AppError> {
        let program = program::find()?;
        let name = name_of(&settings(self.directory())?)?;
        become_subreaper()?;
        end_with_parent()?;
        let folder = DevFolder::create()?;
        let mut processes = Processes::start(self.program(), folder.path())?;
        let dev = Dev { app: self, request, name: &name, folder: &folder };
        let outcome = dev.live(&program, &mut processes, &mut tell);
        processes.close();
        outcome
    }
}

struct Dev<'a> {
    app: &'a App,
    request: DevRequest,
    name: &'a FleetName,
    folder: &'a DevFolder,
}

/// Whether something came about before the end was asked for.
enum Begun<T> {
    There(T),
    AskedToEnd,
}

impl Dev<'_> {
    fn live(
        &self,
        program: &Path,
        processes: &mut Processes,
        tell: &mut impl FnMut(DevNews) -> Result<(), AppError>,
    ) -> Result<(), AppError> {
        let servers = servers::write(self.folder, self.name, server_count(self.request.servers))?;
        for server in &servers {
            let arguments = ["--config".into(), server.configuration.clone().into_os_string()];
            processes.spawn(Process {
                part: Part::Server,
                name: server.name.clone(),
                program: program.to_owned(),
                arguments: arguments.to_vec(),
                environment: Vec::new(),
                directory: self.folder.path().to_owned(),
            })?;
        }
        let Begun::There(fleet) = self.made(&servers, processes)? else { return Ok(()) };
        let workers = self.workers(&servers, processes)?;
        let lanes = self.request.lanes;
        tell(DevNews::Ready(DevFleet {
            name: self.name.to_string(),
            urls: servers.iter().map(Server::url).collect(),
            version: fleet.server_version(),
            variables: self.variables(&servers, Role::Runner),
            folder: self.folder.path().to_owned(),
            workers,
            lanes,
        }))?;
        drop(fleet);
        let mut left = servers.len();
        loop {
            match processes.next(None)? {
                None => {}
                Some(Next::AskedToEnd) => return Ok(()),
                Some(Next::Ended { part, name, ended, printed }) => {
                    left -= usize::from(part == Part::Server);
                    if left == 0 {
                        return Err(lost(&name, ended, &printed));
                    }
                    let who = match part {
                        Part::Server => format!("the server {name}"),
                        Part::Worker => format!("the worker {name}"),
                    };
                    tell(DevNews::Ended { who, how: in_words(ended), printed })?;
                }
            }
        }
    }

    /// Waits for the servers, and makes what a fleet needs.
    fn made(&self, servers: &[Server], processes: &mut Processes) -> Result<Begun<Fleet>, AppError> {
        let settings = Settings {
            fleet: self.name.clone(),
            urls: servers.iter().map(Server::url).collect(),
            login: Login::Password(self.folder.password_file(Role::Administrator)),
            authority: None,
            role: Role::Administrator,
        };
        let began = Instant::now();
        loop {
            match processes.next(Some(Duration::ZERO))? {
                Some(Next::AskedToEnd) => return Ok(Begun::AskedToEnd),
                Some(Next::Ended { name, ended, printed, .. }) => return Err(lost(&name, ended, &printed)),
                None => {}
            }
            let deadline = Deadline::after(ONE_TRY);
            let made = Fleet::connect(&settings, deadline)
                .and_then(|fleet| create(&fleet, self.request.servers, deadline).map(|_| fleet));
            match made {
                Ok(fleet) => return Ok(Begun::There(fleet)),
                // Servers that have not found each other yet have no JetStream, or too few of them.
                Err(error) if began.elapsed() < PATIENCE && is_early(&error) => {}
                Err(error) => return Err(explained(error)),
            }
        }
    }

    fn workers(&self, servers: &[Server], processes: &mut Processes) -> Result<Vec<String>, AppError> {
        let policy = self.folder.write("worker.toml", POLICY)?;
        let names: Vec<String> = (1..=self.request.workers).map(|number| format!("dev-{number}")).collect();
        for name in &names {
            let home = self.folder.make(name)?;
            let own = [
                ("WINDLASS_STATE_DIR", home.join("state").display().to_string()),
                ("WINDLASS_CONFIG_DIR", home.join("config").display().to_string()),
                // Its own is hidden anyway.
                ("WINDLASS_SANDBOX__HIDDEN", self.secrets(servers).join("\n")),
            ];
            let own = self.variables(servers, Role::Worker).into_iter().chain(own);
            processes.spawn(Process {
                part: Part::Worker,
                name: name.clone(),
                program: self.app.program().to_owned(),
                arguments: worker_arguments(name, self.request.lanes, &policy),
                environment: environment(std::env::vars_os(), own),
                directory: home.clone(),
            })?;
        }
        Ok(names)
    }

    /// The files that passwords are in.
    fn secrets(&self, servers: &[Server]) -> Vec<String> {
        let of_roles = Role::ALL.into_iter().map(|role| self.folder.password_file(role));
        let of_servers = servers.iter().map(|server| server.configuration.clone());
        of_roles.chain(of_servers).map(|file| file.display().to_string()).collect()
    }

    /// With which somebody reaches the fleet.
    fn variables(&self, servers: &[Server], role: Role) -> Vec<(&'static str, String)> {
        let urls: Vec<String> = servers.iter().map(Server::url).collect();
        let mut variables = vec![
            ("WINDLASS_FLEET__URL", urls.join(",")),
            ("WINDLASS_FLEET__PASSWORD_FILE", self.folder.password_file(role).display().to_string()),
        ];
        if self.request.servers == Replicas::Three {
            variables.push(("WINDLASS_FLEET__REPLICAS", "3".to_owned()));
        }
        // These workers have the configuration of nobody, and so no remote.
        if settings(self.app.directory()).is_ok_and(|configured| configured.remote.is_some()) {
            variables.push(("WINDLASS_FLEET__REMOTE", String::new()));
        }
        variables
    }
}

/// These workers are their person's own machine: what a run may do here, it may do there.
const POLICY: &str = "sandbox = \"as-ordered\"\ngates = [\"*\"]\n";

fn worker_arguments(name: &str, lanes: u16, policy: &Path) -> Vec<OsString> {
    vec![
        "worker".into(),
        "--name".into(),
        name.into(),
        "--lanes".into(),
        lanes.to_string().into(),
        "--policy".into(),
        policy.as_os_str().to_owned(),
    ]
}

/// What a worker inherits: all but what says which fleet somebody is in, and as who.
fn environment(
    inherited: impl IntoIterator<Item = (OsString, OsString)>,
    own: impl IntoIterator<Item = (&'static str, String)>,
) -> Vec<(OsString, OsString)> {
    const OTHERS: [&str; 3] = ["WINDLASS_STATE_DIR", "WINDLASS_CONFIG_DIR", "WINDLASS_WORKER_POLICY"];
    let is_others = |name: &OsString| {
        let name = name.to_string_lossy();
        // What it is called is the same for all.
        name != "WINDLASS_FLEET__NAME" && (name.starts_with("WINDLASS_FLEET__") || OTHERS.contains(&&*name))
    };
    let kept = inherited.into_iter().filter(|(name, _)| !is_others(name));
    kept.chain(own.into_iter().map(|(name, value)| (name.into(), value.into()))).collect()
}

fn is_early(error: &FleetError) -> bool {
    error.may_pass()
        || matches!(
            error,
            FleetError::NoJetStream { .. } | FleetError::TooFewServers { .. } | FleetError::Other { .. }
        )
}

fn lost(server: &str, ended: Ended, printed: &[String]) -> AppError {
    let said = printed.last().map_or_else(String::new, |line| format!(": {line}"));
    AppError::new(Kind::System, format!("the server {server} has ended {}{said}", in_words(ended)))
}

fn in_words(ended: Ended) -> String {
    match ended {
        Ended::Exited(code) => format!("with exit code {code}"),
        Ended::Signalled(signal) => format!("by signal {signal}"),
        Ended::Lost => "unseen".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use windlass_core::fleet::policy::Policy;

    #[test]
    fn a_worker_is_of_this_fleet_and_of_no_other() {
        let inherited = [
            ("PATH", "/bin"),
            ("WINDLASS_FLEET__CREDENTIALS", "/other.creds"),
            ("WINDLASS_FLEET__NAME", "night"),
            ("WINDLASS_STATE_DIR", "/state"),
            ("WINDLASS_WORKER_POLICY", "/other.toml"),
        ];
        let inherited = inherited.map(|(name, value)| (name.into(), value.into()));
        let own = [("WINDLASS_FLEET__URL", "nats://a".to_owned()), ("WINDLASS_STATE_DIR", "/own".to_owned())];
        let expected = [
            ("PATH", "/bin"),
            ("WINDLASS_FLEET__NAME", "night"),
            ("WINDLASS_FLEET__URL", "nats://a"),
            ("WINDLASS_STATE_DIR", "/own"),
        ];
        assert_eq!(environment(inherited, own), expected.map(|(name, value)| (name.into(), value.into())));
    }

    #[test]
    fn workers_do_what_a_run_on_this_machine_would() {
        let policy = Policy::parse(POLICY).unwrap();
        assert_eq!(policy.gates, ["*"]);
        assert_eq!(policy.sandbox, windlass_core::fleet::policy::SandboxDemand::AsOrdered);
    }
}
