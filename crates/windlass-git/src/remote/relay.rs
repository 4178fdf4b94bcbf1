//! The repository that calls to a remote are made in: empty, made for one of them, borrowing what another repository has.
//!
//! So the settings that count are the machine's and its user's, with their credentials, and none that somebody at work in the other
//! repository could have written there. No reference of that one is written, and nothing that comes is among its objects.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use windlass_core::fleet::remote::RemoteUrl;
use windlass_core::values::{Named as _, RunId};
use windlass_host::file::AtPath;
use windlass_host::process::RUN_VARIABLE;

use super::RemoteError;
use crate::git::alternates::alternate;
use crate::git::call::{Call, CallOutput};
use crate::git::{ObjectFormat, ObjectId, Repository};
use crate::lane::object_folders;
use crate::parcel::refuse_shallow;

/// What is said of a repository whose objects are elsewhere.
const PARTIAL: &str = "this is a partial clone, which lacks files of its commits: `git fetch --refetch --no-filter` brings them";

/// Nobody is there to be asked, and what does not move is given up.
const SETTINGS: [&str; 11] = [
    "gc.auto=0",
    "maintenance.auto=false",
    "credential.interactive=false",
    "http.lowSpeedLimit=1000",
    "http.lowSpeedTime=60",
    "protocol.version=2",
    // A remote that names another place to have objects from is not followed there.
    "transfer.bundleURI=false",
    "fetch.uriProtocols=",
    "fetch.writeCommitGraph=false",
    // What comes stays one pack.
    "fetch.unpackLimit=1",
    "push.pushOption=",
];

/// The same of SSH, where nobody has configured another command.
const SSH: &str =
    "ssh -o BatchMode=yes -o ConnectTimeout=20 -o ServerAliveInterval=15 -o ServerAliveCountMax=4";

/// Where commits are that are to be pushed.
pub(super) const PUSHED: &str = "refs/push";

/// An empty repository that borrows.
pub(super) struct Relay {
    folder: tempfile::TempDir,
}

impl Relay {
    /// Makes one below a folder that nobody else can write. Whoever fetches by it has what the source has.
    pub fn make(source: &Repository, scratch: &Path) -> Result<Relay, RemoteError> {
        refuse_shallow(source)?;
        if !source.settings(&["extensions.partialClone"])?.is_empty() {
            return Err(RemoteError::Partial(PARTIAL));
        }
        // outside: the state folder.
        fs::create_dir_all(scratch).at("create", scratch)?;
        // outside: the same.
        let relay = Relay { folder: tempfile::tempdir_in(scratch).at("write in", scratch)? };
        for folder in ["objects/info", "objects/pack", "refs/source"] {
            let folder = relay.path(folder);
            // outside: the same.
            fs::create_dir_all(&folder).at("create", &folder)?;
        }
        let borrowed = object_folders(&source.common_dir.join("objects"))?;
        let borrowed: Vec<u8> = borrowed.iter().flat_map(|folder| alternate(folder)).collect();
        relay.write("objects/info/alternates", &borrowed)?;
        relay.write("config", configuration(source.object_format).as_bytes())?;
        if let Some(head) =
            Call::within(source).args(["rev-parse", "--verify", "--quiet", "HEAD^{commit}"]).found_id()?
        {
            relay.write("refs/source/head", format!("{head}\n").as_bytes())?;
        }
        relay.write("HEAD", b"ref: refs/heads/none\n")?;
        Ok(relay)
    }

    pub fn path(&self, below: &str) -> PathBuf {
        self.folder.path().join(below)
    }

    /// A commit that is to be pushed, by its name below that of its run.
    pub fn keep(&self, name: &str, commit: ObjectId) -> Result<(), RemoteError> {
        let path = self.path(PUSHED).join(name);
        let folder = path.parent().unwrap_or(&path);
        // outside: the state folder.
        fs::create_dir_all(folder).at("create", folder)?;
        // outside: the same.
        Ok(fs::write(&path, format!("{commit}\n")).at("write", &path)?)
    }

    fn write(&self, below: &str, content: &[u8]) -> Result<(), RemoteError> {
        let path = self.path(below);
        // outside: the same.
        Ok(fs::write(&path, content).at("write", &path)?)
    }

    fn call(&self) -> Call {
        Call::new(self.folder.path()).env("GIT_DIR", self.folder.path())
    }

    /// A call to a remote: it asks nobody for anything.
    fn far_call(&self, run: Option<&RunId>) -> Result<Call, RemoteError> {
        let call = SETTINGS.into_iter().fold(self.call(), Call::option);
        let call = run.iter().fold(call, |call, run| call.env(RUN_VARIABLE, &run.0));
        let call = call
            .env("GIT_ALLOW_PROTOCOL", "https:ssh:file")
            .env("GIT_ASKPASS", "")
            .env("GCM_INTERACTIVE", "never")
            // Whatever command is configured: one that asks is told nothing.
            .env("SSH_ASKPASS", "false")
            .env("SSH_ASKPASS_REQUIRE", "force");
        let own = std::env::var_os("GIT_SSH_COMMAND").is_some() || std::env::var_os("GIT_SSH").is_some();
        if own || self.call().args(["config", "--get", "core.sshCommand"]).succeeds()? {
            return Ok(call);
        }
        Ok(call.env("GIT_SSH_COMMAND", SSH))
    }

    /// Brings what some of the remote's references name, and stores no reference.
    pub fn fetching(&self, run: &RunId) -> Result<Call, RemoteError> {
        let arguments = ["fetch", "--quiet", "--no-tags", "--no-write-fetch-head", "--no-recurse-submodules"];
        Ok(self.far_call(Some(run))?.args(arguments))
    }

    /// Writes references of the remote, and no others than are named.
    pub fn pushing(&self, run: Option<&RunId>) -> Result<Call, RemoteError> {
        let arguments = ["push", "--quiet", "--no-follow-tags", "--no-signed", "--recurse-submodules=no"];
        Ok(self.far_call(run)?.args(arguments))
    }

    /// Names the remote's references.
    pub fn listing(&self, run: &RunId) -> Result<Call, RemoteError> {
        Ok(self.far_call(Some(run))?.args(["ls-remote", "--quiet", "--refs"]))
    }
}

/// Runs a call to a remote.
pub(super) fn run(call: Call, url: &RemoteUrl, within: Duration) -> Result<CallOutput, RemoteError> {
    let answer = call.timeout(within).run().map_err(|error| RemoteError::not_run(url, error))?;
    if answer.code == 0 { Ok(answer) } else { Err(RemoteError::said(url, &answer)) }
}

fn configuration(format: ObjectFormat) -> String {
    let version = u8::from(format != ObjectFormat::Sha1);
    let format = match format {
        ObjectFormat::Sha1 => String::new(),
        ObjectFormat::Sha256 => format!("[extensions]\n\tobjectFormat = {}\n", format.name()),
    };
    format!("[core]\n\trepositoryFormatVersion = {version}\n\tbare = true\n{format}")
}
