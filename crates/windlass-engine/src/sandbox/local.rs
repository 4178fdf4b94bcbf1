//! Sandboxes of this machine's own kernel: bubblewrap and Landlock.

use std::collections::VecDeque;
use std::ffi::OsString;
use std::fs;
use windlass_core::values::Named;
// outside: into a guest's home that was made a moment ago.
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use windlass_core::spec::{Network, SandboxKind, SandboxLogin, SandboxSpec};

use super::bwrap::{Bwrap, Net};
use super::environment::{Own, environment, heir};
use super::folders::Folders;
use super::group::{Group, Limit};
use super::inside::{Calls, INSIDE_COMMAND, Orders, Ports, Socket};
use super::proxy::Proxy;
use super::room::Occupied;
use super::steering::Steering;
use super::view::{Sight, View, lent, lent_files, temporary};
use super::{Guest, SandboxError, SandboxRoom, landlock, lane, trial};
use windlass_git::loan::Loan;
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
    plan: SandboxSpec,
    room: SandboxRoom,
    shared: Arc<Shared>,
    news: Mutex<VecDeque<String>>,
    steering: Steering,
    /// Made by us, so that nobody inside can make it; taken away again where nothing came into it.
    made: Occupied,
    /// Last, so that it is dropped last.
    folders: Folders,
}

/// What is one for a run, however many lanes it has: its limits hold for all of them together.
#[derive(Debug, Default)]
struct Shared {
    group: Group,
    /// With its socket.
    proxy: Option<(Proxy, PathBuf)>,
}

impl Local {
    /// Prepares it and tries it.
    pub fn open(plan: &SandboxSpec, room: SandboxRoom, means: Means) -> Result<Local, SandboxError> {
        let folders = Folders::make(&room.scratch, room.about_agent())?;
        let group = Group::make(plan, &format!("windlass-{}", room.run));
        let socket = folders.socket();
        let proxy = Proxy::of(&plan.network, &socket).map_err(SandboxError::file("listen on", &socket))?;
        let mut local = Local {
            means,
            plan: plan.clone(),
            steering: Steering::of(&room),
            room,
            shared: Arc::new(Shared { group, proxy: proxy.map(|proxy| (proxy, socket)) }),
            news: Mutex::default(),
            made: Occupied::default(),
            folders,
        };
        local.room.refuse_diversion()?;
        local.room.lend()?;
        local.log_in()?;
        local.occupy();
        local.try_out()?;
        local.tell_of_limits();
        Ok(local)
    }

    /// The same, without preparing or trying anything: only to be looked at.
    pub fn rehearse(plan: &SandboxSpec, room: SandboxRoom, means: Means) -> Local {
        Local {
            means,
            plan: plan.clone(),
            shared: Arc::default(),
            news: Mutex::default(),
            steering: Steering::of(&room),
            made: Occupied::default(),
            folders: Folders::rehearsed(&room.scratch),
            room,
        }
    }

    /// The same for a lane: with its own clone, home and temporary files, and with the run's limits and proxy.
    pub fn for_lane(&self, site: &lane::Site) -> Result<Local, SandboxError> {
        let room = site.room(&self.room);
        let folders = Folders::make(&room.scratch, room.about_agent())?;
        let local = Local {
            means: self.means.clone(),
            plan: site.plan(&self.plan, &self.room),
            shared: Arc::clone(&self.shared),
            news: Mutex::default(),
            steering: Steering::of(&room),
            made: Occupied::default(),
            folders,
            room,
        };
        local.log_in()?;
        Ok(local)
    }

    /// Can lanes be locked in so that no guest of theirs writes where the project is?
    pub fn refuse_open_project(&self) -> Result<(), SandboxError> {
        // With mounts what is inside can be closed again.
        if matches!(self.means, Means::Landlock) {
            lane::refuse_open_project(&self.plan, &self.room)
        } else {
            Ok(())
        }
    }

    /// What would be started for an agent.
    pub fn rehearsed(&self, program: &Path, arguments: &[OsString]) -> Vec<OsString> {
        let guest = Guest::Agent { files: &[] };
        let view = self.view(guest, &[]);
        self.line(&view, &self.folders.orders(2), &self.room.directory, program, arguments)
    }

    fn kind(&self) -> &SandboxKind {
        &self.plan.kind
    }

    fn unusable(&self, why: impl Into<String>) -> SandboxError {
        SandboxError::unusable(self.kind(), why)
    }

    fn log_in(&self) -> Result<(), SandboxError> {
        let Some(credentials) = self.room.credentials_to_mount(self.plan.login)? else {
            return Ok(());
        };
        let inside = self.room.credentials_in(&self.folders.home());
        match self.means {
            Means::Landlock => symlink(&credentials, &inside),
            // Something to be mounted on.
            // outside: a guest's home that was made a moment ago.
            Means::Bwrap(_) => fs::write(&inside, b""),
        }
        .map_err(SandboxError::file("create", &inside))
    }

    fn occupy(&mut self) {
        if matches!(self.means, Means::Bwrap(_)) {
            self.made = self.room.occupy();
        }
    }

    fn try_out(&self) -> Result<(), SandboxError> {
        let view = self.view(Guest::Command { variables: &[] }, &[]);
        for path in [&self.room.directory, &self.room.tree] {
            if *view.sight(path) != Sight::Writable {
                return Err(self.unusable(format!("{} is hidden by sandbox.hidden", path.display())));
            }
        }
        let orders = self.folders.orders(0);
        write(&orders, &self.orders(&view)?)?;
        let view = self.view(Guest::Command { variables: &[] }, std::slice::from_ref(&orders));
        let nothing = ["-c".into(), ":".into()];
        let line = self.line(&view, &orders, &self.room.directory, Path::new("/bin/sh"), &nothing);
        trial::run(&line).map_err(|why| self.unusable(why))
    }

    fn tell_of_limits(&self) {
        let asked = |limit: &Limit| match limit {
            Limit::Memory => self.plan.memory.is_some(),
            Limit::Processors => self.plan.millicpus.is_some(),
            // There is a usual limit, which the user's own stands in for.
            Limit::Processes => false,
        };
        let missing =
            Limit::ALL.iter().filter(|limit| asked(limit) && !self.shared.group.held.contains(limit));
        let news = missing.map(|limit| {
            format!("{} does not hold: this user may not make control groups for it here", limit.key())
        });
        self.news.lock().unwrap_or_else(PoisonError::into_inner).extend(news);
    }

    /// Where a network of its own keeps guests from the machine's, sockets that know no network must not be there; where
    /// rules of the kernel do, only what they see.
    fn calls(&self) -> Calls {
        if self.plan.network == Network::On {
            return Calls::default();
        }
        let of_ip: &[Socket] = match self.means {
            Means::Bwrap(_) => &[Socket::Stream, Socket::Datagram],
            Means::Landlock => &[Socket::Stream],
        };
        let of_this_machine = self.plan.unix_sockets.then_some(Socket::Unix);
        Calls { sockets: Some(of_ip.iter().copied().chain(of_this_machine).collect()) }
    }

    const fn net(&self) -> Net {
        match self.plan.network {
            Network::On => Net::Machine,
            Network::Off | Network::Hosts(_) => Net::Own,
        }
    }

    const fn ports(&self) -> Ports {
        match self.plan.network {
            Network::On => Ports::All,
            Network::Off | Network::Hosts(_) => Ports::Proxy,
        }
    }

    /// What a guest sees; these files in any case.
    fn view(&self, guest: Guest<'_>, further: &[PathBuf]) -> View {
        let mut own = self.folders.places();
        own.extend(temporary(&self.folders.temporary()));
        own.extend(lent(&self.room));
        let mut files = self.room.files.clone();
        files.extend_from_slice(further);
        files.extend(self.socket().cloned());
        files.push(self.room.windlass.clone());
        files.extend(self.agent());
        files.extend(lent_files(&self.room));
        if let Guest::Agent { files: of_call } = guest {
            files.extend_from_slice(of_call);
        }
        let mut view = View::new(&self.plan, &self.room, own, &files);
        if self.plan.login == SandboxLogin::Mount && matches!(guest, Guest::Agent { .. }) {
            let inside = self.room.credentials_in(&self.folders.home());
            let place = if matches!(self.means, Means::Landlock) { self.room.credentials() } else { inside };
            view.places.insert(place, Sight::Shown(self.room.credentials()));
        }
        view
    }

    fn socket(&self) -> Option<&PathBuf> {
        self.shared.proxy.as_ref().map(|(_, socket)| socket)
    }

    /// The agent's program, and what lies beside the program that it is.
    fn agent(&self) -> Vec<PathBuf> {
        let agent = &self.room.agent;
        // outside: the agent's program.
        let canonical = agent.canonicalize().unwrap_or_else(|_| agent.clone());
        let beside =
            canonical.parent().filter(|folder| !self.room.home.starts_with(folder)).map(Path::to_owned);
        [agent.clone(), canonical].into_iter().chain(beside).collect()
    }

    /// The same request, behind the door.
    pub fn enter(&self, guest: Guest<'_>, request: SpawnRequest) -> Result<SpawnRequest, SandboxError> {
        if self.room.is_of_a_lane() && matches!(self.means, Means::Bwrap(_)) {
            // A lane's files are brought to another commit now and then, which takes empty folders away.
            self.room.occupy().stay();
        }
        self.room.lend()?;
        let orders = self.folders.orders(request.id);
        // It has to be there to be seen.
        write(&orders, &Orders::default())?;
        // A hook's program is a copy among the runner's own files.
        let view = self.view(guest, &[orders.clone(), request.program.clone()]);
        write(&orders, &self.orders(&view)?)?;
        self.steering.begin(Some(&view).filter(|_| matches!(self.means, Means::Bwrap(_))));
        Ok(self.behind_the_door(guest, &view, &orders, request))
    }

    fn orders(&self, view: &View) -> Result<Orders, SandboxError> {
        let door = match self.means {
            Means::Landlock => Some(landlock::door(view, self.ports()).map_err(|why| self.unusable(why))?),
            Means::Bwrap(_) => None,
        };
        let hosts: &[String] = match &self.plan.network {
            Network::Hosts(hosts) => hosts,
            Network::On | Network::Off => &[],
        };
        Ok(Orders {
            door,
            calls: self.calls(),
            // Root is not limited so.
            processes: self.plan.processes.filter(|_| !rustix::process::geteuid().is_root()),
            proxy: self.socket().map(|socket| socket.as_os_str().into()),
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
        let SpawnRequest { id, program, arguments, environment, directory, stdin, stdout, stderr } = request;
        let mut words: Vec<OsString> = vec!["-c".into(), PREAMBLE.into(), "sandbox".into()];
        words.extend(self.shared.group.doors().map(OsString::from));
        words.push("--".into());
        words.extend(self.line(view, orders, &directory, &program, &arguments));
        SpawnRequest {
            id,
            program: "/bin/sh".into(),
            arguments: words,
            environment: self.environment(guest, environment),
            directory,
            stdin,
            stdout,
            stderr,
        }
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
        line.push(self.room.windlass.clone().into());
        line.extend([INSIDE_COMMAND.into(), orders.into(), program.into()]);
        line.extend_from_slice(arguments);
        line
    }

    fn environment(&self, guest: Guest<'_>, outside: Vec<(OsString, OsString)>) -> Vec<(OsString, OsString)> {
        let (holder, further) = heir(guest, &self.plan);
        // outside: the person's home.
        let toolchains = Some(self.room.home.join(".rustup")).filter(|folder| folder.is_dir());
        let scratch = self.folders.temporary();
        let own = Own {
            agent: self.room.about_agent().variables,
            kind: self.kind().name(),
            home: &self.folders.home(),
            temporary: if matches!(self.means, Means::Bwrap(_)) { Path::new("/tmp") } else { &scratch },
            git: &self.room.git_settings,
            toolchains: toolchains.as_deref(),
            network: &self.plan.network,
        };
        environment(outside, holder, &further, own)
    }

    pub fn loan(&self) -> Option<&Loan> {
        self.room.loan.as_ref()
    }

    /// A guest is gone: what it made so that git, the runner or agents would do its will goes, too.
    pub fn end(&self) {
        let said = self.room.undo_diversion().into_iter().chain(self.steering.end());
        self.news.lock().unwrap_or_else(PoisonError::into_inner).extend(said);
    }

    pub fn news(&self) -> Option<String> {
        let own = self.news.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
        own.or_else(|| self.shared.proxy.as_ref().and_then(|(proxy, _)| proxy.news()))
    }
}

/// What is reached without the proxy although it is not among these hosts.
pub(super) fn within(hosts: &[String]) -> Vec<String> {
    let names = WITHIN.iter().filter(|name| !hosts.iter().any(|host| host == *name));
    names.map(|name| (*name).to_owned()).collect()
}

fn write(file: &Path, orders: &Orders) -> Result<(), SandboxError> {
    let json = serde_json::to_vec(orders).unwrap_or_default();
    // outside: the run's folder, above what guests can write.
    fs::write(file, json).map_err(SandboxError::file("write", file))
}
