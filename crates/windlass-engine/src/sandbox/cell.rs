//! What each sandbox has, whatever its walls are made of: its room, its own files, and the way out of it.

use std::collections::VecDeque;
use std::ffi::OsString;
use std::fs::DirBuilder;
use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use windlass_core::spec::{SandboxLogin, SandboxSpec};
use windlass_core::values::Named;
use windlass_git::loan::Loan;
use windlass_host::environment::Environment;
use windlass_host::file::AtPath;

use super::environment::{Own, environment, heir};
use super::folders::Folders;
use super::lane::Site;
use super::proxy::Proxy;
use super::room::Occupied;
use super::steering::Steering;
use super::view::{Sight, View, lent, temporary};
use super::{Guest, SandboxAgent, SandboxError, SandboxRoom};

/// A sandbox without its walls.
#[derive(Debug)]
pub(super) struct Cell {
    pub plan: SandboxSpec,
    pub room: SandboxRoom,
    /// With its socket; one for all lanes.
    proxy: Option<Arc<(Proxy, PathBuf)>>,
    /// What guests did that they may not, and what does not hold, in words.
    news: Mutex<VecDeque<String>>,
    pub steering: Steering,
    /// Made by us, so that nobody inside can make it; taken away again where nothing came into it.
    pub made: Occupied,
    /// Last, so that it is dropped last.
    pub folders: Folders,
}

impl Cell {
    /// Makes its folders, and opens the way out.
    pub fn make(plan: &SandboxSpec, room: SandboxRoom) -> Result<Cell, SandboxError> {
        let folders = Folders::make(&room.scratch, room.agents())?;
        let socket = folders.socket();
        let proxy = Proxy::of(&plan.network, &socket).at("listen on", &socket)?;
        let proxy = proxy.map(|proxy| Arc::new((proxy, socket)));
        Ok(Cell { proxy, ..Cell::of(plan.clone(), room, folders) })
    }

    /// The same, without making anything: only to be looked at.
    pub fn rehearsed(plan: &SandboxSpec, room: SandboxRoom) -> Cell {
        let folders = Folders::rehearsed(&room.scratch);
        Cell::of(plan.clone(), room, folders)
    }

    /// The same for a lane: with its own clone, home and temporary files, and with the run's proxy.
    pub fn for_lane(&self, site: &Site) -> Result<Cell, SandboxError> {
        let (plan, room) = (site.plan(&self.plan, &self.room), site.room(&self.room));
        let folders = Folders::make(&room.scratch, room.agents())?;
        Ok(Cell { proxy: self.proxy.clone(), ..Cell::of(plan, room, folders) })
    }

    fn of(plan: SandboxSpec, room: SandboxRoom, folders: Folders) -> Cell {
        let steering = Steering::of(&room, &plan);
        let (news, made) = (Mutex::default(), Occupied::default());
        Cell { plan, room, proxy: None, news, steering, made, folders }
    }

    /// Makes a place for the credentials of each agent in the home inside, where they are to be there. `make` gets both.
    pub fn log_in(&self, make: impl Fn(&Path, &Path) -> io::Result<()>) -> Result<(), SandboxError> {
        for (agent, credentials) in self.room.logins_to_mount(self.plan.login)? {
            let inside = agent.credentials_in(&self.folders.home());
            let folder = inside.parent().unwrap_or(&inside);
            // outside: a guest's home that was made a moment ago.
            DirBuilder::new().recursive(true).mode(0o700).create(folder).at("create", folder)?;
            make(&credentials, &inside).at("create", &inside)?;
        }
        Ok(())
    }

    /// What a guest sees; these files in any case, and an agent's own credentials, which it finds in that home.
    pub fn view(&self, guest: Guest<'_>, files: &[PathBuf], home: &Path) -> View {
        let mut own = self.folders.places();
        own.extend(temporary(&self.folders.temporary()));
        own.extend(lent(&self.room));
        let mut view = View::new(&self.plan, &self.room, own, files);
        let agent = self.agent(guest).filter(|_| self.plan.login == SandboxLogin::Mount);
        let own = agent.map(|agent| (agent, agent.credentials_in(&self.room.home)));
        // outside: the person's own credentials.
        if let Some((agent, credentials)) = own.filter(|(_, credentials)| credentials.is_file()) {
            view.places.insert(agent.credentials_in(home), Sight::Shown(credentials));
        }
        view
    }

    /// The agent that a guest is.
    fn agent<'a>(&'a self, guest: Guest<'a>) -> Option<&'a SandboxAgent> {
        match guest {
            Guest::Agent { agent, .. } => Some(agent.unwrap_or(&self.room.agent)),
            Guest::Command { .. } => None,
        }
    }

    /// What a guest's environment holds; `temporary` is where temporary files go inside.
    pub fn environment(
        &self,
        guest: Guest<'_>,
        outside: Vec<(OsString, OsString)>,
        temporary: &Path,
        toolchains: Option<&Path>,
    ) -> Environment {
        let (holder, further) = heir(guest, &self.plan);
        let own = Own {
            agent: self.agent(guest).unwrap_or(&self.room.agent).about().variables,
            kind: self.plan.kind.name(),
            home: &self.folders.home(),
            temporary,
            git: &self.room.git_settings,
            toolchains,
            network: &self.plan.network,
        };
        environment(outside, holder, &further, own)
    }

    /// The proxy's socket, where there is one.
    pub fn socket(&self) -> Option<&PathBuf> {
        self.proxy.as_ref().map(|proxy| &proxy.1)
    }

    pub fn loan(&self) -> Option<&Loan> {
        self.room.loan.as_ref()
    }

    pub fn tell(&self, said: impl IntoIterator<Item = String>) {
        self.news.lock().unwrap_or_else(PoisonError::into_inner).extend(said);
    }

    /// What a person should be told of, each once.
    pub fn news(&self) -> Option<String> {
        let own = self.news.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
        own.or_else(|| self.proxy.as_ref().and_then(|proxy| proxy.0.news()))
    }
}
