//! What locks in an agent, its checks and its hooks.
//!
//! A sandbox is a rewrite of what a keeper is asked to start ([`Sandbox::enter`]): another program comes first, which
//! shuts the door and then starts what was meant. Whatever runs inside stays below the keeper, which ends it as it ends
//! everything else.

mod bwrap;
mod cell;
pub mod container;
mod environment;
mod error;
mod folders;
mod group;
mod inside;
mod landlock;
mod lane;
mod local;
mod probe;
pub(crate) mod proxy;
mod room;
mod secrets;
mod steering;
mod trial;
mod view;

use std::ffi::OsString;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};

use windlass_core::spec::{Network, SandboxKind, SandboxSpec};
use windlass_core::values::LaneId;

pub use error::SandboxError;
pub use inside::{INSIDE_COMMAND, inside_main};
pub use lane::Site;
pub use probe::{Probe, probe};
pub use proxy::lets_through;
pub use room::{SandboxAgent, SandboxRoom};
pub(crate) use steering::OF_WORKSPACES;
pub use steering::{GUEST_AT_WORK, forget_guest, put_back_beside};

use bwrap::Bwrap;
use container::{Container, Streams};
use local::{Local, Means};
use windlass_git::loan::Loan;
pub use windlass_host::process::LastRites;
use windlass_host::process::SpawnRequest;

/// A run's sandbox, ready to be entered. All methods can be called from any thread.
#[derive(Debug)]
pub struct Sandbox {
    held: Boundary,
}

/// What holds.
#[derive(Debug)]
enum Boundary {
    Nothing,
    Local(Box<Local>),
    Container(Box<Container>),
}

/// Who enters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Guest<'a> {
    /// An agent, which may read these files although they are the runner's, and gets the login.
    Agent {
        /// Which; `None` = the one that works.
        agent: Option<&'a SandboxAgent>,
        /// Files of its call, absolute: system prompt, settings.
        files: &'a [PathBuf],
    },
    /// A check, a hook or a setup command: no login.
    Command {
        /// Variables that it gets beyond the usual ones.
        variables: &'a [String],
    },
}

impl Sandbox {
    /// A sandbox that holds nothing in.
    pub const fn none() -> Sandbox {
        Sandbox { held: Boundary::Nothing }
    }

    /// Prepares a run's sandbox and tries it: its folders, its limits, its proxy.
    ///
    /// # Errors
    /// It cannot be used here; the error says why, and what works instead. Nothing is left of it then.
    pub fn open(plan: &SandboxSpec, room: SandboxRoom) -> Result<Sandbox, SandboxError> {
        let held = match &plan.kind {
            SandboxKind::None => Boundary::Nothing,
            SandboxKind::Docker(_) | SandboxKind::Podman(_) => {
                Boundary::Container(Box::new(Container::open(plan, room)?))
            }
            kind @ (SandboxKind::Landlock | SandboxKind::Bwrap) => {
                let means = means(plan).map_err(|why| SandboxError::unusable(kind, why))?;
                Boundary::Local(Box::new(Local::open(plan, room, means)?))
            }
        };
        Ok(Sandbox { held })
    }

    /// The same for a run whose lanes have sandboxes of their own ([`Sandbox::for_lane`]): what is ended with this one is
    /// what it was entered by, and nothing of theirs.
    ///
    /// # Errors
    /// Guests of lanes could write where the project is.
    pub fn beside_lanes(mut self) -> Result<Sandbox, SandboxError> {
        match &mut self.held {
            Boundary::Nothing => {}
            Boundary::Local(local) => local.refuse_open_project()?,
            Boundary::Container(container) => container.label_as_lane(LaneId::default()),
        }
        Ok(self)
    }

    /// The sandbox of one of the run's lanes: its own clone, home and temporary files, and the run's network. Limits hold
    /// for all lanes together; in containers for each container.
    pub fn for_lane(&self, site: &Site) -> Result<Sandbox, SandboxError> {
        let held = match &self.held {
            Boundary::Nothing => Boundary::Nothing,
            Boundary::Local(local) => Boundary::Local(Box::new(local.for_lane(site)?)),
            Boundary::Container(container) => Boundary::Container(Box::new(container.for_lane(site)?)),
        };
        Ok(Sandbox { held })
    }

    /// The command line that would start a program for an agent; nothing is prepared, tried or touched.
    pub fn rehearse(
        plan: &SandboxSpec,
        room: SandboxRoom,
        program: &Path,
        arguments: &[OsString],
    ) -> Result<Vec<OsString>, SandboxError> {
        match &plan.kind {
            kind @ (SandboxKind::Landlock | SandboxKind::Bwrap) => {
                let means = means(plan).map_err(|why| SandboxError::unusable(kind, why))?;
                Ok(Local::rehearse(plan, room, means).rehearsed(program, arguments))
            }
            SandboxKind::Docker(_) | SandboxKind::Podman(_) => {
                Container::rehearse(plan, room, program, arguments)
            }
            SandboxKind::None => {
                Ok(std::iter::once(program.into()).chain(arguments.iter().cloned()).collect())
            }
        }
    }

    /// The same request, behind the door. The names of its files stay what they are.
    ///
    /// # Errors
    /// The sandbox cannot be entered any more: a folder of it is gone.
    pub fn enter(&self, guest: Guest<'_>, request: SpawnRequest) -> Result<SpawnRequest, SandboxError> {
        match &self.held {
            Boundary::Nothing => Ok(request),
            Boundary::Local(local) => local.enter(guest, request),
            Boundary::Container(container) => container.enter(guest, Streams::Apart, request),
        }
    }

    /// The same for a person at the terminal, who may do what an agent may. The request's own files are not used.
    pub fn enter_at_terminal(&self, request: SpawnRequest) -> Result<SpawnRequest, SandboxError> {
        let guest = Guest::Agent { agent: None, files: &[] };
        match &self.held {
            Boundary::Container(container) if std::io::stdin().is_terminal() => {
                container.enter(guest, Streams::Terminal, request)
            }
            _ => self.enter(guest, request),
        }
    }

    /// What a person should be told of what happened inside, each once; `None` = nothing new.
    pub fn news(&self) -> Option<String> {
        match &self.held {
            Boundary::Local(local) => local.cell.news(),
            Boundary::Container(container) => container.news(),
            Boundary::Nothing => None,
        }
    }

    /// The git directory that guests are lent; `None` where they work on the person's, or there is none.
    pub fn loan(&self) -> Option<&Loan> {
        match &self.held {
            Boundary::Nothing => None,
            Boundary::Local(local) => local.cell.loan(),
            Boundary::Container(container) => container.cell.loan(),
        }
    }

    /// Ends what runs inside and is not below the keeper. Called whenever a keeper has swept, and at the end.
    pub fn end(&self) {
        match &self.held {
            Boundary::Nothing => {}
            Boundary::Local(local) => local.end(),
            Boundary::Container(container) => container.end(),
        }
    }

    /// What a keeper is to start when the runner is gone.
    pub fn last_rites(&self) -> Option<LastRites> {
        match &self.held {
            Boundary::Nothing | Boundary::Local(_) => None,
            Boundary::Container(container) => container.last_rites(),
        }
    }
}

/// How a kind that needs no container is made here; or why it cannot be.
fn means(plan: &SandboxSpec) -> Result<Means, String> {
    if plan.kind == SandboxKind::Bwrap {
        return Bwrap::find().map(Means::Bwrap);
    }
    let strength = inside::strength()?;
    if plan.network != Network::On && !strength.ports {
        return Err("the Landlock of this kernel cannot refuse connections (Linux 6.7 is needed)".to_owned());
    }
    Ok(Means::Landlock)
}
