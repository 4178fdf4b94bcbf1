//! Sandboxes of this machine's own kernel: bubblewrap and Landlock.

use std::ffi::OsString;
use std::fs;
// outside: into a guest's home that was made a moment ago.
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use windlass_core::spec::{Network, SandboxKind, SandboxSpec};

use super::bwrap::{Bwrap, Net};
use super::cell::Cell;
use super::group::{Group, Limit};
use super::inside::{Calls, INSIDE_COMMAND, Orders, Ports, Socket};
use super::view::{Sight, View, lent_files};
use super::{Guest, SandboxError, SandboxRoom, landlock, lane, trial};
use windlass_host::environment::Environment;
use windlass_host::process::SpawnRequest;

/// What is reached without the proxy, unless the proxy is to let it through: what listens inside.
const WITHIN: [&str; 3] = ["localhost", "127.0.0.1", "::1"];

/// Joins the groups that are named up to `--`, then becomes what follows. Bubblewrap must not end when its group of
/// processes is asked to: what it guards would be killed before it could end in an orderly way.
const PREAMBLE: &str = r#"trap '' TERM
while [ "$1" != -- ]; do
    echo 0 > "$1" || { echo "sandbox: cannot join $1" >&2; exit 125; }
    shift
done
shift
exec "$@""#;

/// Which.
#[derive(Clone, Debug)]
pub(super) enum Means {
    Bwrap(Bwrap),
    Landlock,
}

/// A run's sandbox.
#[derive(Debug)]
pub(super) struct Local {
    means: Means,
    /// One for a run, however many lanes it has: its limits hold for all of them together.
    group: Arc<Group>,
    pub cell: Cell,
}

impl Local {
    /// Prepares it and tries it.
    pub fn open(plan: &SandboxSpec, room: SandboxRoom, means: Means) -> Result<Local, SandboxError> {
        let group = format!("windlass-{}", room.run);
        let cell = Cell::make(plan, room)?;
        let mut local = Local { means, group: Arc::new(Group::make(plan, &group)), cell };
        local.cell.room.refuse_diversion()?;
        local.cell.room.lend()?;
        local.log_in()?;
        local.occupy();
        local.try_out()?;
        local.tell_of_limits();
        Ok(local)
    }

    /// The same, without preparing or trying anything: only to be looked at.
    pub fn rehearse(plan: &SandboxSpec, room: SandboxRoom, means: Means) -> Local {
        Local { means, group: Arc::default(), cell: Cell::rehearsed(plan, room) }
    }

    /// The same for a lane, with the run's limits.
    pub fn for_lane(&self, site: &lane::Site) -> Result<Local, SandboxError> {
        let (means, group) = (self.means.clone(), Arc::clone(&self.group));
        let local = Local { means, group, cell: self.cell.for_lane(site)? };
        local.log_in()?;
        Ok(local)
    }

    /// Can lanes be locked in so that no guest of theirs writes where the project is?
    pub fn refuse_open_project(&self) -> Result<(), SandboxError> {
        // With mounts what is inside can be closed again.
        if matches!(self.means, Means::Landlock) {
            lane::refuse_open_project(&self.cell.plan, &self.cell.room)
        } else {
            Ok(())
        }
    }

    /// What would be started for an agent.
    pub fn rehearsed(&self, program: &Path, arguments: &[OsString]) -> Vec<OsString> {
        let guest = Guest::Agent { agent: None, files: &[] };
        let view = self.view(guest, &[]);
        self.line(&view, &self.cell.folders.orders(2), &self.cell.room.directory, program, arguments)
    }

    fn kind(&self) -> &SandboxKind {
        &self.cell.plan.kind
    }

    fn unusable(&self, why: impl Into<String>) -> SandboxError {
        SandboxError::unusable(self.kind(), why)
    }

    fn log_in(&self) -> Result<(), SandboxError> {
        self.cell.log_in(|credentials, inside| match self.means {
            Means::Landlock => symlink(credentials, inside),
            // Something to be mounted on.
            // outside: a guest's home that was made a moment ago.
            Means::Bwrap(_) => fs::write(inside, b""),
        })
    }

    fn occupy(&mut self) {
        if matches!(self.means, Means::Bwrap(_)) {
            self.cell.made = self.cell.room.occupy();
        }
    }

    fn try_out(&self) -> Result<(), SandboxError> {
        let view = self.view(Guest::Command { variables: &[] }, &[]);
        for path in [&self.cell.room.directory, &self.cell.room.tree] {
            if *view.sight(path) != Sight::Writable {
                return Err(self.unusable(format!("{} is hidden by sandbox.hidden", path.display())));
            }
        }
        let orders = self.cell.folders.orders(0);
        self.orders(&view)?.write(&orders)?;
        let view = self.view(Guest::Command { variables: &[] }, std::slice::from_ref(&orders));
        let nothing = ["-c".into(), ":".into()];
        let line = self.line(&view, &orders, &self.cell.room.directory, Path::new("/bin/sh"), &nothing);
        trial::run(&line).map_err(|why| self.unusable(why))
    }

    fn tell_of_limits(&self) {
        let asked = |limit: &Limit| match limit {
            Limit::Memory => self.cell.plan.memory.is_some(),
            Limit::Processors => self.cell.plan.millicpus.is_some(),
            // There is a usual limit, which the user's own stands in for.
            Limit::Processes => false,
        };
        let missing = Limit::ALL.iter().filter(|limit| asked(limit) && !self.group.held.contains(limit));
        let news = missing.map(|limit| {
            format!("{} does not hold: this user may not make control groups for it here", limit.key())
        });
        self.cell.tell(news);
    }

    /// Where a network of its own keeps guests from the machine's, sockets that know no network must not be there; where
    /// rules of the kernel do, only what they see.
    fn calls(&self) -> Calls {
        if self.cell.plan.network == Network::On {
            return Calls::default();
        }
        let of_ip: &[Socket] = match self.means {
            Means::Bwrap(_) => &[Socket::Stream, Socket::Datagram],
            Means::Landlock => &[Socket::Stream],
        };
        let of_this_machine = self.cell.plan.unix_sockets.then_some(Socket::Unix);
        Calls { sockets: Some(of_ip.iter().copied().chain(of_this_machine).collect()) }
    }

    const fn net(&self) -> Net {
        match self.cell.plan.network {
            Network::On => Net::Machine,
            Network::Off | Network::Hosts(_) => Net::Own,
        }
    }

    const fn ports(&self) -> Ports {
        match self.cell.plan.network {
            Network::On => Ports::All,
            Network::Off | Network::Hosts(_) => Ports::Proxy,
        }
    }

    /// What a guest sees; these files in any case.
    fn view(&self, guest: Guest<'_>, further: &[PathBuf]) -> View {
        let room = &self.cell.room;
        let mut files = [room.files.as_slice(), further].concat();
        files.extend(self.cell.socket().cloned());
        files.push(room.windlass.clone());
        files.extend(self.programs());
        files.extend(lent_files(room));
        if let Guest::Agent { files: of_call, .. } = guest {
            files.extend_from_slice(of_call);
        }
        // By a link in the home inside it is the file itself that is opened.
        let home = match self.means {
            Means::Landlock => room.home.clone(),
            Means::Bwrap(_) => self.cell.folders.home(),
        };
        self.cell.view(guest, &files, &home)
    }

    /// The programs of agents, and what lies beside the programs that they are.
    fn programs(&self) -> impl Iterator<Item = PathBuf> {
        self.cell.room.agents().flat_map(|agent| {
            let program = &agent.program;
            // outside: the agent's program.
            let canonical = program.canonicalize().unwrap_or_else(|_| program.clone());
            let folder = canonical.parent().filter(|folder| !self.cell.room.home.starts_with(folder));
            let beside = folder.map(Path::to_owned);
            [program.clone(), canonical].into_iter().chain(beside)
        })
    }

    /// The same request, behind the door.
    pub fn enter(&self, guest: Guest<'_>, request: SpawnRequest) -> Result<SpawnRequest, SandboxError> {
        if self.cell.room.is_of_a_lane() && matches!(self.means, Means::Bwrap(_)) {
            // A lane's files are brought to another commit now and then, which takes empty folders away.
            self.cell.room.occupy().stay();
        }
        self.cell.room.lend()?;
        let orders = self.cell.folders.orders(request.id);
        // It has to be there to be seen.
        Orders::default().write(&orders)?;
        // A hook's program is a copy among the runner's own files.
        let view = self.view(guest, &[orders.clone(), request.program.clone()]);
        self.orders(&view)?.write(&orders)?;
        self.cell.steering.begin(Some(&view).filter(|_| matches!(self.means, Means::Bwrap(_))));
        Ok(self.behind_the_door(guest, &view, &orders, request))
    }

    fn orders(&self, view: &View) -> Result<Orders, SandboxError> {
        let door = match self.means {
            Means::Landlock => Some(landlock::door(view, self.ports()).map_err(|why| self.unusable(why))?),
            Means::Bwrap(_) => None,
        };
        let hosts: &[String] = match &self.cell.plan.network {
            Network::Hosts(hosts) => hosts,
            Network::On | Network::Off => &[],
        };
        Ok(Orders {
            door,
            calls: self.calls(),
            // Root is not limited so.
            processes: self.cell.plan.processes.filter(|_| !rustix::process::geteuid().is_root()),
            proxy: self.cell.socket().map(|socket| socket.as_os_str().into()),
            direct: within(hosts),
        })
    }

    fn behind_the_door(
        &self,
        guest: Guest<'_>,
        view: &View,
        orders: &Path,
        request: SpawnRequest,
    ) -> SpawnRequest {
        let mut words: Vec<OsString> = vec!["-c".into(), PREAMBLE.into(), "sandbox".into()];
        words.extend(self.group.doors().map(OsString::from));
        words.push("--".into());
        words.extend(self.line(view, orders, &request.directory, &request.program, &request.arguments));
        let environment = self.environment(guest, request.environment);
        SpawnRequest { program: "/bin/sh".into(), arguments: words, environment, ..request }
    }

    /// From the first program that shuts a door to the last argument of what is meant.
    fn line(
        &self,
        view: &View,
        orders: &Path,
        directory: &Path,
        program: &Path,
        arguments: &[OsString],
    ) -> Vec<OsString> {
        let mut line = Vec::new();
        if let Means::Bwrap(bwrap) = &self.means {
            line.push(bwrap.program().into());
            line.extend(bwrap.arguments(view, self.net(), directory));
        }
        line.push(self.cell.room.windlass.clone().into());
        line.extend([INSIDE_COMMAND.into(), orders.into(), program.into()]);
        line.extend_from_slice(arguments);
        line
    }

    fn environment(&self, guest: Guest<'_>, outside: Environment) -> Environment {
        // outside: the person's home.
        let toolchains = Some(self.cell.room.home.join(".rustup")).filter(|folder| folder.is_dir());
        let scratch = self.cell.folders.temporary();
        let temporary = if matches!(self.means, Means::Bwrap(_)) { Path::new("/tmp") } else { &scratch };
        self.cell.environment(guest, outside, temporary, toolchains.as_deref())
    }

    /// A guest is gone: what it made so that git, the runner or agents would do its will goes, too.
    pub fn end(&self) {
        self.cell.tell(self.cell.room.undo_diversion().into_iter().chain(self.cell.steering.end()));
    }
}

/// What is reached without the proxy although it is not among these hosts.
pub(super) fn within(hosts: &[String]) -> Vec<String> {
    let names = WITHIN.iter().filter(|name| !hosts.iter().any(|host| host == *name));
    names.map(|name| (*name).to_owned()).collect()
}
