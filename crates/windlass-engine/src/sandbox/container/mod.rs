//! Containers of Docker and Podman.
//!
//! What a keeper is to start becomes the engine's client that starts a container: its standard streams are the
//! container's, SIGTERM to it goes inside, and its exit status is that of what ran inside. The container itself is not
//! below the keeper; it carries the run's label, and whatever carries it is ended whenever a keeper has swept, by the
//! keeper's last rites, and at the next start.
//!
//! Inside are the working tree and its git directories, at the same places as outside, a home and a `/tmp` of the
//! sandbox's own, and the files of the call. Nothing else of this machine is there.

pub mod image;

mod builder;
mod client;
mod command;
mod facts;
mod inner;
mod leftovers;
mod sweep;
mod trial;

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use windlass_core::spec::{Network, SandboxKind, SandboxSpec};
use windlass_core::values::{LaneId, Named};

use super::cell::Cell;
use super::environment::heir;
use super::inside::{INSIDE_COMMAND, Orders};
use super::view::{View, lent_files};
use super::{Guest, LastRites, SandboxError, SandboxRoom, lane};
use client::Client;
pub(super) use command::Streams;
use command::{Errand, Init, Outfit, Wire};
use facts::Facts;
use sweep::{Label, Troubles};
use windlass_host::process::SpawnRequest;

pub use builder::{BuildError, Builder, ImageCache};
pub use client::Engine;
pub use leftovers::{SWEEP_COMMAND, end_leftovers, sweep_main};

/// A run's containers.
#[derive(Debug)]
pub(super) struct Container {
    client: Client,
    outfit: Outfit,
    /// What all of the run's are found by.
    label: Label,
    /// What this one's are found by, where the run has others.
    own: Option<Label>,
    /// What could not be ended, in words; and what of that was told already.
    troubles: Mutex<Troubles>,
    pub(super) cell: Cell,
}

impl Container {
    /// Looks for the engine and the image, and tries one container.
    pub fn open(plan: &SandboxSpec, room: SandboxRoom) -> Result<Container, SandboxError> {
        let unusable = |why: String| SandboxError::unusable(&plan.kind, why);
        let (client, facts) = reach(&plan.kind).map_err(unusable)?;
        let image = image(&plan.kind).map_err(unusable)?;
        trial::find_image(&client, &image).map_err(unusable)?;
        if !facts.limits && (plan.memory.is_some() || plan.millicpus.is_some()) {
            return Err(unusable("it cannot limit memory or processors on this machine".to_owned()));
        }
        let cell = Cell::make(plan, room)?;
        leftovers::note(&cell.room.scratch, client.engine)?;
        let mut container = Container::new(client, &facts, image, cell);
        container.cell.room.refuse_diversion()?;
        container.cell.room.lend()?;
        container.log_in()?;
        container.cell.made = container.cell.room.occupy();
        container.try_out().map_err(|why| SandboxError::unusable(&plan.kind, why))?;
        Ok(container)
    }

    fn new(client: Client, facts: &Facts, image: String, cell: Cell) -> Container {
        let plan = &cell.plan;
        let outfit = Outfit {
            engine: client.engine,
            image,
            user: facts.user(client.engine),
            init: Init::Engine,
            wire: if plan.network == Network::On { Wire::Default } else { Wire::None },
            memory: plan.memory,
            processes: plan.processes.filter(|_| facts.limits),
            millicpus: plan.millicpus,
            labelled: facts::labels_files(),
        };
        let label = Label::of_run(&cell.room.run.0);
        Container { client, outfit, label, own: None, troubles: Mutex::default(), cell }
    }

    /// The same for a lane: around its own clone, with a home and temporary files of its own. The image was tried already.
    pub fn for_lane(&self, site: &lane::Site) -> Result<Container, SandboxError> {
        let cell = self.cell.for_lane(site)?;
        let container = Container {
            client: self.client.clone(),
            outfit: self.outfit.clone(),
            label: self.label.clone(),
            own: Some(Label::of_lane(&cell.room.run.0, site.lane)),
            troubles: Mutex::default(),
            cell,
        };
        container.log_in()?;
        Ok(container)
    }

    /// From now on its containers are told from those of the run's lanes.
    pub fn label_as_lane(&mut self, lane: LaneId) {
        self.own = Some(Label::of_lane(&self.cell.room.run.0, lane));
    }

    /// What its containers, and no others, are found by.
    fn own_label(&self) -> &Label {
        self.own.as_ref().unwrap_or(&self.label)
    }

    /// The command line that would start a program for an agent. The engine is not asked anything.
    pub fn rehearse(
        plan: &SandboxSpec,
        room: SandboxRoom,
        program: &Path,
        arguments: &[OsString],
    ) -> Result<Vec<OsString>, SandboxError> {
        let unusable = |why: String| SandboxError::unusable(&plan.kind, why);
        let (engine, _) =
            Engine::of(&plan.kind).ok_or_else(|| unusable("it has no containers".to_owned()))?;
        let client = Client::find(engine).map_err(|error| unusable(error.to_string()))?;
        let image = image(&plan.kind).map_err(unusable)?;
        let facts = facts::guess(engine);
        let directory = room.directory.clone();
        let container = Container::new(client, &facts, image, Cell::rehearsed(plan, room));
        let orders = container.cell.folders.orders(2);
        let errand = container.errand(
            2,
            Guest::Agent { agent: None, files: &[] },
            &directory,
            program,
            arguments,
            &orders,
            &[],
        );
        let line = container.outfit.arguments(&errand, Streams::Apart);
        Ok(std::iter::once(container.client.program.clone().into_os_string()).chain(line).collect())
    }

    /// What a trial of an earlier session of this run left is over.
    fn try_out(&mut self) -> Result<(), String> {
        sweep::sweep(&self.client, &self.label).map_err(|error| error.to_string())?;
        let mut needed = vec!["git".to_owned()];
        let programs = self.cell.room.agents().map(|agent| self.program(&agent.program));
        let names = programs.filter_map(|program| program.into_string().ok());
        needed.extend(names.filter(|name| !name.contains('/')));
        let orders = self.write_orders(0).map_err(|error| error.to_string())?;
        let arguments = trial::arguments(&needed);
        let directory = self.cell.room.directory.clone();
        let errand = self.errand(
            0,
            Guest::Command { variables: &[] },
            &directory,
            Path::new("/bin/sh"),
            &arguments,
            &orders,
            &[],
        );
        trial::try_out(&self.client, &mut self.outfit, &errand, &self.label, &needed)
    }

    /// The engine's client instead of what was meant.
    pub fn enter(
        &self,
        guest: Guest<'_>,
        streams: Streams,
        request: SpawnRequest,
    ) -> Result<SpawnRequest, SandboxError> {
        if self.cell.room.is_of_a_lane() {
            // A lane's files are brought to another commit now and then, which takes empty folders away.
            self.cell.room.occupy().stay();
        }
        self.cell.room.lend()?;
        let orders = self.write_orders(request.id)?;
        let SpawnRequest { program, arguments, environment, directory, .. } = &request;
        let errand = self.errand(request.id, guest, directory, program, arguments, &orders, environment);
        self.cell.steering.begin(Some(&self.view(guest, &[])));
        let arguments = self.outfit.arguments(&errand, streams);
        Ok(SpawnRequest { program: self.client.program.clone(), arguments, ..request })
    }

    /// What a person should be told of, each once.
    pub fn news(&self) -> Option<String> {
        let trouble = self.troubles.lock().unwrap_or_else(PoisonError::into_inner).tell();
        trouble.or_else(|| self.cell.news())
    }

    /// Ends whatever carries its label. What cannot be ended now is tried again at the next occasion, and told.
    pub fn end(&self) {
        if let Err(error) = sweep::sweep(&self.client, self.own_label()) {
            let said = sweep::not_ended(self.client.engine, self.own_label(), &error);
            self.troubles.lock().unwrap_or_else(PoisonError::into_inner).push(said);
        }
        self.cell.tell(self.cell.steering.end());
    }

    /// Our own program, which does the same.
    #[expect(clippy::unnecessary_wraps, reason = "other sandboxes have none")]
    pub fn last_rites(&self) -> Option<LastRites> {
        Some(LastRites {
            program: self.cell.room.windlass.clone(),
            arguments: vec![SWEEP_COMMAND.into(), self.client.engine.name().into(), self.label.text().into()],
            environment: client::environment(),
        })
    }

    /// What a program outside is inside: agents are the image's own, our own program comes along.
    fn program(&self, program: &Path) -> OsString {
        let is_agent = self.cell.room.agents().any(|agent| agent.program == program);
        if is_agent && program != self.cell.room.windlass {
            return program.file_name().unwrap_or(program.as_os_str()).to_owned();
        }
        program.as_os_str().to_owned()
    }

    /// What one container is for. Where there is a proxy, our own program goes before, and keeps the way to it open.
    #[expect(clippy::too_many_arguments, reason = "the parts of a request, which owns its files")]
    fn errand(
        &self,
        id: u64,
        guest: Guest<'_>,
        directory: &Path,
        program: &Path,
        arguments: &[OsString],
        orders: &Path,
        outside: &[(OsString, OsString)],
    ) -> Errand {
        let named = self.program(program);
        let mut files = self.cell.room.files.clone();
        files.extend(lent_files(&self.cell.room));
        if program == self.cell.room.windlass || self.cell.socket().is_some() {
            files.push(self.cell.room.windlass.clone());
        }
        // A hook's program is a copy among the runner's own files.
        if program.starts_with(&self.cell.room.state) {
            files.push(program.to_owned());
        }
        if let Guest::Agent { files: of_call, .. } = guest {
            files.extend_from_slice(of_call);
        }
        let (program, arguments) = if let Some(socket) = self.cell.socket() {
            files.extend([orders.to_owned(), socket.clone()]);
            let before = [INSIDE_COMMAND.into(), orders.into(), named];
            (
                self.cell.room.windlass.clone().into(),
                before.into_iter().chain(arguments.iter().cloned()).collect(),
            )
        } else {
            (named, arguments.to_vec())
        };
        let inside = self.cell.environment(guest, outside.to_vec(), Path::new("/tmp"), None);
        let (_, further) = heir(guest, &self.cell.plan);
        Errand {
            // A resumed run counts on where it was; a container of before may just be going.
            name: self.name(id),
            labels: std::iter::once(&self.label).chain(&self.own).cloned().collect(),
            directory: directory.to_owned(),
            environment: inner::variables(inside, outside, &further),
            mounts: inner::mounts(&self.view(guest, &files), &files),
            program,
            arguments,
        }
    }

    fn name(&self, id: u64) -> String {
        let lane = self.cell.room.scratch.file_name().filter(|_| self.cell.room.is_of_a_lane());
        let lane = lane.map(|name| format!("-{}", name.to_string_lossy())).unwrap_or_default();
        format!("windlass-{}{lane}-{}-{id}", self.cell.room.run.0, std::process::id())
    }

    fn view(&self, guest: Guest<'_>, files: &[PathBuf]) -> View {
        self.cell.view(guest, files, &self.cell.folders.home())
    }

    /// What the process inside is to do, where there is one.
    fn write_orders(&self, id: u64) -> Result<PathBuf, SandboxError> {
        let path = self.cell.folders.orders(id);
        let Network::Hosts(hosts) = &self.cell.plan.network else { return Ok(path) };
        let orders = Orders {
            proxy: self.cell.socket().map(|socket| socket.as_os_str().into()),
            direct: super::local::within(hosts),
            ..Orders::default()
        };
        orders.write(&path)?;
        Ok(path)
    }

    fn log_in(&self) -> Result<(), SandboxError> {
        // Something to be mounted on.
        // outside: a guest's home that was made a moment ago.
        self.cell.log_in(|_, inside| fs::write(inside, b""))
    }
}

/// The image that is named, or that the project's files stand for.
fn image(kind: &SandboxKind) -> Result<String, String> {
    let (_, image) = Engine::of(kind).unzip();
    image.flatten().map(str::to_owned).ok_or_else(|| {
        "no image is named, and what the project's own is made of cannot be read; why: windlass sandbox build"
            .to_owned()
    })
}

/// Why containers of this kind cannot be used here; and what does not hold in them where they can.
pub(super) fn probe(kind: &SandboxKind) -> Result<Vec<String>, String> {
    let (client, facts) = reach(kind)?;
    let mut missing = Vec::new();
    if let Some((_, Some(image))) = Engine::of(kind) {
        trial::find_image(&client, image)?;
    }
    if !facts.limits {
        missing.push("memory, processes and processors cannot be limited".to_owned());
    }
    Ok(missing)
}

/// The engine of a kind of sandbox, where it answers and is on this machine.
fn reach(kind: &SandboxKind) -> Result<(Client, Facts), String> {
    let (engine, _) = Engine::of(kind).ok_or_else(|| format!("{} has no containers", kind.name()))?;
    let client = Client::find(engine).map_err(|error| error.to_string())?;
    let facts = facts::ask(&client).map_err(|error| {
        let said = error.to_string();
        if said.to_ascii_lowercase().contains("permission denied") {
            return format!(
                "{said}; this user may not use it (the group docker may), and podman needs no daemon"
            );
        }
        said
    })?;
    if facts.version.is_empty() {
        return Err(format!("{}: its daemon does not answer", engine.name()));
    }
    if !facts.here {
        return Err(format!("{} works on another machine, where these files are not", engine.name()));
    }
    Ok((client, facts))
}

#[cfg(test)]
mod tests;
