//! What each sandbox has, whatever its walls are made of: its room, its own files, and the way out of it.

use std::collections::VecDeque;
use std::ffi::OsString;
use std::io;
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
use super::{Guest, SandboxError, SandboxRoom};

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
        let folders = Folders::make(&room.scratch, room.about_agent())?;
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
        let folders = Folders::make(&room.scratch, room.about_agent())?;
        Ok(Cell { proxy: self.proxy.clone(), ..Cell::of(plan, room, folders) })
    }

    fn of(plan: SandboxSpec, room: SandboxRoom, folders: Folders) -> Cell {
        let steering = Steering::of(&room, &plan);
        let (news, made) = (Mutex::default(), Occupied::default());
        Cell { plan, room, proxy: None, news, steering, made, folders }
    }

    /// Makes a place for the credentials in the home inside, where they are to be there. `make` gets both.
    pub fn log_in(&self, make: impl FnOnce(&Path, &Path) -> io::Result<()>) -> Result<(), SandboxError> {
        let Some(credentials) = self.room.credentials_to_mount(self.plan.login)? else { return Ok(()) };
        let inside = self.credentials_inside();
        Ok(make(&credentials, &inside).at("create", &inside)?)
    }

    pub fn credentials_inside(&self) -> PathBuf {
        self.room.credentials_in(&self.folders.home())
    }

    /// What a guest sees; these files in any case, and the credentials there.
    pub fn view(&self, guest: Guest<'_>, files: &[PathBuf], credentials: PathBuf) -> View {
        let mut own = self.folders.places();
        own.extend(temporary(&self.folders.temporary()));
        own.extend(lent(&self.room));
        let mut view = View::new(&self.plan, &self.room, own, files);
        if self.plan.login == SandboxLogin::Mount && matches!(guest, Guest::Agent { .. }) {
            view.places.insert(credentials, Sight::Shown(self.room.credentials()));
        }
        view
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
            agent: self.room.about_agent().variables,
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
