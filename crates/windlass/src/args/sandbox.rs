//! What can be said to `windlass sandbox`.

use clap::{Args, Subcommand};

use super::shared::TrustHashArgs;

/// What can be said to `windlass sandbox`.
#[derive(Clone, Debug, Args)]
#[command(
    args_conflicts_with_subcommands = true,
    after_help = "\
Without a verb: which sandboxes work here, and which one this project uses.

Examples:
  windlass sandbox init --preset rust --devcontainer
  windlass sandbox build
  windlass sandbox shell --sandbox podman -- cargo test
  windlass run --sandbox podman -p 'Make the tests pass' --gate 'cargo test'"
)]
pub struct SandboxArgs {
    /// What to do
    #[command(subcommand)]
    pub verb: Option<SandboxVerb>,
}

/// What `windlass sandbox` does.
#[derive(Clone, Debug, Subcommand)]
pub enum SandboxVerb {
    /// Write the Dockerfile of the project's image, for you to change
    Init(SandboxInitArgs),
    /// Make the project's image
    Build(SandboxBuildArgs),
    /// Open a shell where an agent would work
    Shell(SandboxShellArgs),
}

/// What can be said to `windlass sandbox init`.
#[derive(Clone, Debug, Default, Args)]
#[command(after_help = "\
Without --preset: those of sandbox.presets, else what the project's files speak
for. A file that is there and says something else is left alone; --force keeps a
copy of it beside the new one.")]
pub struct SandboxInitArgs {
    /// Tools in it: rust, node, bun, python, go; can be repeated
    #[arg(long, value_name = "TOOLS")]
    pub preset: Vec<String>,
    /// Write .devcontainer/devcontainer.json as well, for editors
    #[arg(long)]
    pub devcontainer: bool,
    /// Replace what is there and keep a copy
    #[arg(short, long)]
    pub force: bool,
}

/// What can be said to `windlass sandbox build`.
#[derive(Clone, Debug, Default, Args)]
#[command(after_help = "\
The image is called by the digest of the Dockerfile and the setup script
(sandbox.setup_script): one that is there already is up to date. Without
.windlass/sandbox/Dockerfile one is generated for sandbox.presets.")]
pub struct SandboxBuildArgs {
    /// Who makes it: docker or podman [default: sandbox.kind, else what works]
    #[arg(long, value_name = "ENGINE")]
    pub engine: Option<String>,
    /// Make it although it is there, without what the engine kept of earlier times
    #[arg(long)]
    pub anew: bool,
    /// What it may start
    #[command(flatten)]
    pub trust: TrustHashArgs,
}

/// What can be said to `windlass sandbox shell`.
#[derive(Clone, Debug, Default, Args)]
#[command(after_help = "Its exit code is that of the shell, or of CMD.")]
pub struct SandboxShellArgs {
    /// Which: landlock, bwrap, docker[:IMAGE], podman[:IMAGE] [default: sandbox.kind]
    #[arg(long, value_name = "KIND")]
    pub sandbox: Option<String>,
    /// The network in there: on, off, hosts (those of sandbox.hosts) [default: on]
    #[arg(long, value_name = "WHICH")]
    pub network: Option<String>,
    /// What it may start
    #[command(flatten)]
    pub trust: TrustHashArgs,
    /// A command instead of a shell
    #[arg(last = true, value_name = "CMD")]
    pub command: Vec<std::ffi::OsString>,
}
