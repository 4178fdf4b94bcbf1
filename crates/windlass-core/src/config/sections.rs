//! What single tables of the configuration say, as types.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::time::Duration;

use super::setting::{AgentChoice, Secret};
use crate::price::Price;
use crate::principles::Collection;
use crate::spec::{BootstrapSpec, Depth, Judge, Network, Preset, ReviewSpec, SandboxKind, SandboxLogin};
use crate::spec::{GuardAction, TestsAction};
use crate::values::{HookName, NotifyEvent, Purpose};

/// What configuration says about the agent; the rest of an `AgentSpec` is found on the machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AgentSettings {
    /// Which agents work: the first, then those that take over; none = the program's name tells.
    pub choices: Vec<AgentChoice>,
    /// Which are asked first for calls of one purpose.
    pub specialists: Vec<(Purpose, AgentChoice)>,
    /// The program: a name to look up, or a path.
    pub command: String,
    /// Arguments before ours.
    pub arguments: Vec<String>,
    /// The model; `None` = the agent's own choice.
    pub model: Option<String>,
    /// Turns per call; `None` = the agent's own limit.
    pub max_turns: Option<u32>,
    /// Rules that allow tools.
    pub allow: Vec<String>,
    /// Hand API keys of the environment to the agent.
    pub api_keys: bool,
    /// Let it start background tasks.
    pub background: bool,
    /// Folders beyond the project, as they were written.
    pub add_dirs: Vec<String>,
    /// What models cost, before the list that is built in.
    pub prices: Vec<Price>,
}

/// By which principles agents decide.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PrinciplesSettings {
    /// Their file, relative to the working directory; `None` = the first that is there of the usual ones.
    pub file: Option<PathBuf>,
    /// What is done where there is none.
    pub collect: Collection,
}

/// How claims of a workspace are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WorkspaceSettings {
    /// A status file from before the run counts as well.
    pub trust_existing_status: bool,
    /// The boxes of `TODO.md` count where no status file can be read.
    pub todo_fallback: bool,
}

/// How finished work is verified.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VerifySettings {
    /// A fresh agent verifies the work before it counts as finished.
    pub on_completion: bool,
    /// How closely it looks.
    pub depth: Depth,
    /// Verifications that may refuse the work before a person is needed: 1 to 10.
    pub attempts: u32,
    /// The name of the report's file in the workspace.
    pub report: String,
}

/// How a fresh agent looks over work.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReviewSettings {
    /// It looks over the work of each iteration.
    pub enabled: bool,
    /// How, wherever it is asked.
    pub spec: ReviewSpec,
}

/// What is kept of ended runs beyond their journals and snapshots.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RunsSettings {
    /// The recordings of so many; `None` = of all.
    pub count: Option<u32>,
    /// They take so many bytes at most; `None` = no limit.
    pub bytes: Option<u64>,
}

/// Who is told what.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotifySettings {
    /// An ntfy topic's address: `http://` or `https://`. It may hold credentials.
    pub url: Option<String>,
    /// An address that takes JSON. It may hold credentials.
    pub webhook: Option<String>,
    /// A shell command that takes JSON on its standard input.
    pub command: Option<String>,
    /// Which events send a notification.
    pub events: BTreeSet<NotifyEvent>,
    /// Iterations from one milestone to the next; `None` = there is none.
    pub milestone: Option<u32>,
    /// Time that one delivery may take.
    pub timeout: Duration,
    /// Retries of one delivery that failed: 0 to 10.
    pub retries: u32,
    /// Signs what is sent.
    pub secret: Option<Secret>,
    /// The address of the web page, which notifications link to.
    pub page: Option<String>,
}

/// Where tasks lie, relative to the working directory, and how they are worked off.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TasksSettings {
    /// The task file, or a folder of them; `None` = the first that is there of the usual ones.
    pub file: Option<PathBuf>,
    /// Where each iteration is noted for people; `None` = nowhere.
    pub progress: Option<PathBuf>,
    /// Iterations that a task may fail before it is parked.
    pub attempts: u32,
    /// What an attempt that failed has left is committed as well.
    pub commits_attempts: bool,
    /// Who judges success criteria that the runner cannot check itself.
    pub judge: Judge,
    /// How many tasks are worked on at once.
    pub lanes: u32,
}

/// What is called at the turns of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HookSettings {
    /// Hooks are called at all.
    pub enabled: bool,
    /// Time that one may take.
    pub timeout: Duration,
    /// Commands for `sh -c`; a hook without one is a file of its name.
    pub commands: Vec<(HookName, String)>,
}

/// What is guarded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GuardSettings {
    /// What becomes of changes to protected files.
    pub action: GuardAction,
    /// What becomes of tests that are fewer or weaker.
    pub tests: TestsAction,
    /// Patterns beyond the built-in ones.
    pub protected: Vec<String>,
}

/// How a sandbox is made; paths as they are written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SandboxSettings {
    /// What locks in what a run starts.
    pub kind: SandboxKind,
    /// The network inside.
    pub network: Network,
    /// May Unix sockets be made inside although the network is not all there?
    pub unix_sockets: bool,
    /// Bytes of memory; `None` = no limit.
    pub memory: Option<u64>,
    /// Processes at once; `None` = no limit.
    pub processes: Option<u32>,
    /// Thousandths of processors; `None` = no limit.
    pub millicpus: Option<u32>,
    /// Names of variables that are passed on beyond the usual ones.
    pub environment: Vec<String>,
    /// Paths that may be written; `~/` is the user's home.
    pub writable: Vec<String>,
    /// Paths that may not even be read; `~/` is the user's home.
    pub hidden: Vec<String>,
    /// Tools in the image that is made for the project, each once.
    pub presets: BTreeSet<Preset>,
    /// A script that is run when that image is made, relative to the working directory; `None` = none.
    pub setup_script: Option<PathBuf>,
    /// How the agent is logged in.
    pub login: SandboxLogin,
    /// The agent inside may do anything without asking.
    pub skips_permissions: bool,
}

/// Where worktrees are made, and what is done with a fresh checkout.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorktreeSettings {
    /// The folder that they are made in, as it is written: from the checkout's top, or from the user's home after `~/`;
    /// `None` = beside the checkout.
    pub base: Option<String>,
    /// What makes a fresh checkout ready, lanes' included.
    pub bootstrap: BootstrapSpec,
}
