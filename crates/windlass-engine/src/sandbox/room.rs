//! What a sandbox is made around.

use std::path::{Path, PathBuf};

use windlass_agents::{About, named};
use windlass_core::spec::{AgentSpec, SandboxLogin};
use windlass_core::values::RunId;
use windlass_core::words::quoted;

use super::SandboxError;
use super::view::is_canonical;
use windlass_git::loan::Loan;
use windlass_host::file::Made;
use windlass_host::tree::at;

/// What a sandbox is made around: where its guests work, and what is there to be hidden. Paths are absolute, and
/// canonical where they exist.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SandboxRoom {
    /// The run.
    pub run: RunId,
    /// Where commands run.
    pub directory: PathBuf,
    /// What may be written: the working tree that the directory belongs to, or the directory itself.
    pub tree: PathBuf,
    /// Its git directories, the common one among them; may lie elsewhere. Where guests are lent one of their own they can
    /// write none of these.
    pub git_directories: Vec<PathBuf>,
    /// What guests are lent instead.
    pub loan: Option<Loan>,
    /// Settings of git that hold inside: who commits.
    pub git_settings: Vec<(String, String)>,
    /// Where the runner keeps what it knows; hidden.
    pub state: PathBuf,
    /// Files and folders that every guest may read although they lie where it sees nothing.
    pub files: Vec<PathBuf>,
    /// What no guest may write whatever else says so: of a lane, the project that it is a clone of.
    pub closed: Vec<PathBuf>,
    /// A folder for the sandbox's own files: home, temporary files, socket. May lie below the state, may not exist.
    pub scratch: PathBuf,
    /// Our own program.
    pub windlass: PathBuf,
    /// The user's home.
    pub home: PathBuf,
    /// The agent that works.
    pub agent: SandboxAgent,
    /// Other agents that are called.
    pub other_agents: Vec<SandboxAgent>,
}

/// An agent that is to be locked in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SandboxAgent {
    /// Its program.
    pub program: PathBuf,
    /// Its name.
    pub name: &'static str,
}

impl SandboxAgent {
    /// The agent of a call.
    pub fn of(agent: &AgentSpec) -> SandboxAgent {
        SandboxAgent { program: agent.program.clone(), name: windlass_agents::of(agent).about().name }
    }

    /// What it is.
    pub(super) fn about(&self) -> &'static About {
        named(self.name).about()
    }

    /// Its credentials in this home.
    pub(super) fn credentials_in(&self, home: &Path) -> PathBuf {
        home.join(self.about().files.credentials)
    }
}

impl SandboxRoom {
    /// Makes the folders whose making by a guest would be a way out: Windlass's configuration, at each place where it is
    /// looked for, and git's hooks. Says which were not there; an empty one configures nothing.
    pub(super) fn occupy(&self) -> Occupied {
        let open = self.git_directories.first().filter(|_| self.loan.is_none());
        let hooks = open.map(|folder| folder.join("hooks"));
        let folders = hooks.into_iter().chain(self.windlass_folders());
        // Where a guest has put a link nothing is made behind it.
        let is_itself = |folder: &PathBuf| folder.parent().is_some_and(is_canonical);
        let is_new = |folder: &PathBuf| at(folder).make_folder().is_ok_and(|made| made == Made::Anew);
        Occupied(folders.filter(is_itself).filter(is_new).collect())
    }

    /// Lends the next guest a git directory that is as the person's, where it is lent one.
    ///
    /// # Errors
    /// It cannot be made; or nothing that a guest could not take away can be mounted over the person's.
    pub(super) fn lend(&self) -> Result<(), SandboxError> {
        let Some(loan) = &self.loan else { return Ok(()) };
        if loan.is_behind_a_link() {
            return Err(SandboxError::Refused {
                why: format!("{} is a link, which a guest could replace", self.tree.join(".git").display()),
                hint: "Put a file in its place that says where the git directory is: gitdir: PATH".to_owned(),
            });
        }
        Ok(loan.lend()?)
    }

    /// Is it about the clone of a lane?
    pub(super) fn is_of_a_lane(&self) -> bool {
        !self.closed.is_empty()
    }

    /// All agents that are to be locked in.
    pub(super) fn agents(&self) -> impl Iterator<Item = &SandboxAgent> {
        std::iter::once(&self.agent).chain(&self.other_agents)
    }

    /// Agents whose credentials are to be mounted, and these; none where they are to come by the environment. Of those beside the
    /// one that works, who has no such file has its login by the environment, or none.
    pub(super) fn logins_to_mount(
        &self,
        login: SandboxLogin,
    ) -> Result<Vec<(&SandboxAgent, PathBuf)>, SandboxError> {
        if login == SandboxLogin::Environment {
            return Ok(Vec::new());
        }
        let all = self.agents().map(|agent| (agent, agent.credentials_in(&self.home)));
        // outside: the person's own credentials.
        let there: Vec<_> = all.filter(|(_, credentials)| credentials.is_file()).collect();
        if there.first().is_none_or(|(agent, _)| *agent != &self.agent) {
            let credentials = self.agent.credentials_in(&self.home);
            return Err(SandboxError::no_credentials(&credentials, self.agent.about()));
        }
        Ok(there)
    }

    /// A file by which a guest can have git, the runner's too, take its settings from somewhere else. Git itself writes it
    /// into the directories of linked worktrees only.
    fn diversion(&self) -> PathBuf {
        self.tree.join(".git/commondir")
    }

    /// Nothing that an earlier guest may have left diverts git.
    pub(super) fn refuse_diversion(&self) -> Result<(), SandboxError> {
        let file = at(&self.diversion());
        if !matches!(file.look(), Ok(Some(_))) {
            return Ok(());
        }
        Err(SandboxError::Refused {
            why: format!(
                "{} makes git take its settings from somewhere else, and git did not write it",
                file.display()
            ),
            hint: format!("Look what it says, then remove it: rm {}", quoted(self.diversion().as_os_str())),
        })
    }

    /// Removes what diverts git, after a guest and before git is called again; says so.
    pub(super) fn undo_diversion(&self) -> Option<String> {
        let file = at(&self.diversion());
        file.look().ok()??;
        let removed = file.remove_folder();
        let became = if removed.is_ok() { "it was removed" } else { "and it cannot be removed" };
        Some(format!("something in the sandbox made {}, which diverts git; {became}", file.display()))
    }
}

/// Folders that were made so that nobody inside can make them; taken away again where nothing came into them.
#[derive(Debug, Default)]
pub(super) struct Occupied(pub Vec<PathBuf>);

impl Occupied {
    /// They stay.
    pub(super) fn stay(mut self) {
        self.0.clear();
    }
}

impl Drop for Occupied {
    fn drop(&mut self) {
        for folder in &self.0 {
            // What somebody put something into stays.
            let _ = at(folder).remove_empty_folder();
        }
    }
}
