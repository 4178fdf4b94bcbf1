//! Where what a run starts is locked in, and what it may reach from there.

use std::path::PathBuf;
use strum::{EnumIter, EnumString, IntoStaticStr, VariantNames};

use serde::{Deserialize, Serialize};

use crate::values::path_text;

/// What holds an agent, its checks and its hooks.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SandboxSpec {
    /// How they are locked in.
    pub kind: SandboxKind,
    /// The network that they see.
    #[serde(default)]
    pub network: Network,
    /// Bytes of memory that all of them together may use; `None` = no limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory: Option<u64>,
    /// Processes that may exist at once; `None` = no limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub processes: Option<u32>,
    /// Thousandths of a processor; `None` = no limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub millicpus: Option<u32>,
    /// Names of variables that are passed on beyond the usual ones.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub environment: Vec<String>,
    /// Paths beyond the working tree that may be written, absolute.
    #[serde(default, skip_serializing_if = "Vec::is_empty", with = "path_text::list")]
    pub writable: Vec<PathBuf>,
    /// Paths that may not even be read, beyond the usual ones, absolute.
    #[serde(default, skip_serializing_if = "Vec::is_empty", with = "path_text::list")]
    pub hidden: Vec<PathBuf>,
    /// May sockets of this machine (Unix sockets) be made inside although the network is not all there?
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unix_sockets: bool,
    /// How the agent is logged in.
    #[serde(default)]
    pub login: SandboxLogin,
}

/// How what a run starts is locked in.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, IntoStaticStr)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum SandboxKind {
    /// Not at all.
    #[default]
    None,
    /// By rules of the kernel for files and ports (Landlock).
    Landlock,
    /// In namespaces of its own (bubblewrap).
    Bwrap,
    /// In a container; `None` = the image that `windlass sandbox build` makes.
    Docker(Option<String>),
    /// In a container; `None` = the image that `windlass sandbox build` makes.
    Podman(Option<String>),
}

/// The network that a sandbox sees.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Network {
    /// All of it.
    #[default]
    On,
    /// Nothing.
    Off,
    /// These hosts and no others, through a proxy: `example.com`, or `*.example.com` for what is below.
    Hosts(Vec<String>),
}

/// How an agent in a sandbox is logged in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, EnumString, VariantNames)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum SandboxLogin {
    /// By a token or key in the environment.
    #[default]
    Environment,
    /// By the user's own credentials, mounted to be read only.
    Mount,
}

/// Tools that a generated image holds beside the agent, in the order in which it is built.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    EnumIter,
    EnumString,
    IntoStaticStr,
    VariantNames,
)]
#[strum(serialize_all = "snake_case")]
pub enum Preset {
    /// rustup with a toolchain.
    Rust,
    /// Node.js, which every generated image holds.
    Node,
    /// Bun.
    Bun,
    /// Python with pip and venv.
    Python,
    /// Go.
    Go,
}

impl SandboxKind {
    /// Can what is inside see something else at a place than what is there outside?
    pub const fn has_mounts(&self) -> bool {
        match self {
            SandboxKind::None | SandboxKind::Landlock => false,
            SandboxKind::Bwrap | SandboxKind::Docker(_) | SandboxKind::Podman(_) => true,
        }
    }

    /// Is what is inside below a process of an engine, and of none of ours?
    pub const fn is_container(&self) -> bool {
        matches!(self, SandboxKind::Docker(_) | SandboxKind::Podman(_))
    }
}

impl SandboxSpec {
    /// Is anything locked in at all?
    pub fn is_on(&self) -> bool {
        self.kind != SandboxKind::None
    }

    /// Is it the plain plan, that locks nothing in?
    pub fn is_default(&self) -> bool {
        *self == SandboxSpec::default()
    }
}
