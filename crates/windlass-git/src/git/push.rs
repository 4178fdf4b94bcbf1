//! Remotes, a branch of its own, fetching a branch of a remote, and pushing one commit to one. Never forced: what is not on top
//! of what is there is refused.

use std::time::Duration;

use windlass_core::values::RunId;
use windlass_host::process::RUN_VARIABLE;

use super::call::{Call, last_lines};
use super::{GitError, ObjectId, Repository};

/// How long a push may take, its hooks included.
const PUSH: Duration = Duration::from_mins(10);

/// What a remote is called with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RemoteAddress {
    /// As it is configured; it may hold a password.
    pub configured: String,
    /// As it is pushed to, with everything that git's configuration makes of it.
    pub pushed_to: String,
}

/// What becomes of the user's hooks before a push.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PushHooks {
    /// They are run.
    Run,
    /// They are not: somebody else may have written them.
    Skip,
}

/// A push.
#[derive(Clone, Copy, Debug)]
pub struct Push<'a> {
    /// Where to.
    pub remote: &'a str,
    /// What.
    pub commit: &'a str,
    /// To which branch.
    pub branch: &'a str,
    /// The user's hook before a push is run, or not.
    pub hooks: PushHooks,
    /// For whom: what is started carries its mark, by which it is found and ended should the runner be killed meanwhile.
    pub run: &'a RunId,
}

/// Why nothing came of a push or a fetch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RemoteTrouble {
    /// The other side, or a hook, does not want it, or has no such branch: the last lines that were said.
    Refused(String),
    /// The other side could not be reached.
    Unreachable(String),
    /// Nobody is logged in, or may not do this there.
    Denied(String),
}

impl Repository {
    /// The remotes' names.
    pub fn remotes(&self) -> Result<Vec<String>, GitError> {
        let output = Call::within(self).arg("remote").output()?;
        Ok(String::from_utf8_lossy(&output).lines().map(str::to_owned).collect())
    }

    /// Where a remote is; `None` where there is none of this name.
    pub fn remote_address(&self, remote: &str) -> Result<Option<RemoteAddress>, GitError> {
        let configured = self.settings(&[&format!("remote.{remote}.url")])?;
        let Some((_, configured)) = configured.into_iter().next() else { return Ok(None) };
        let call = Call::within(self).args(["remote", "get-url", "--push", remote]);
        let pushed_to = String::from_utf8_lossy(&call.output()?).trim_end().to_owned();
        Ok(Some(RemoteAddress { configured, pushed_to }))
    }

    /// The branch that is checked out; `None` where HEAD names a commit.
    pub fn current_branch(&self) -> Result<Option<String>, GitError> {
        let answer = Call::within(self).args(["symbolic-ref", "--quiet", "--short", "HEAD"]).run()?;
        let name = String::from_utf8_lossy(&answer.output).trim_end().to_owned();
        Ok(Some(name).filter(|name| answer.code == 0 && !name.is_empty()))
    }

    /// May a branch be called so?
    pub fn is_branch_name(&self, name: &str) -> Result<bool, GitError> {
        let answer = Call::within(self).args(["check-ref-format", "--branch", name]).run()?;
        Ok(answer.code == 0 && !name.starts_with("refs/"))
    }

    /// Makes a branch of the commit that is checked out, and checks it out: files and index stay as they are.
    pub fn begin_branch(&self, name: &str) -> Result<(), GitError> {
        Call::within(self).args(["switch", "--quiet", "--no-track", "--create", name]).output().map(drop)
    }

    /// Pushes one commit to one branch, and nothing else.
    pub fn push(&self, push: &Push<'_>) -> Result<Result<(), RemoteTrouble>, GitError> {
        let Push { remote, commit, branch, hooks, run } = *push;
        let call = match hooks {
            PushHooks::Run => Call::with_hooks_within(self),
            PushHooks::Skip => Call::within(self),
        };
        let refspec = format!("{commit}:refs/heads/{branch}");
        let call = quiet(call.env(RUN_VARIABLE, &run.0), self)?;
        let call = call.args(["push", "--quiet", "--no-follow-tags", "--recurse-submodules=no", "--"]);
        transfer(call.args([remote, &refspec]))
    }
}

/// A branch of a remote that is to be had here.
#[derive(Clone, Copy, Debug)]
pub struct Fetch<'a> {
    /// Where from.
    pub remote: &'a str,
    /// Which branch.
    pub branch: &'a str,
    /// For whom; `None` before there is a run.
    pub run: Option<&'a RunId>,
}

impl Repository {
    /// Gets a branch of a remote, and what git notes of it: the branch's commit. No branch of the repository's own is changed.
    pub fn fetch(&self, fetch: &Fetch<'_>) -> Result<Result<ObjectId, RemoteTrouble>, GitError> {
        let Fetch { remote, branch, run } = *fetch;
        let refspec = format!("refs/heads/{branch}");
        let call = quiet(Call::within(self), self)?.option("gc.auto=0").option("maintenance.auto=false");
        let call = run.iter().fold(call, |call, run| call.env(RUN_VARIABLE, &run.0));
        let call = call.args(["fetch", "--quiet", "--no-tags", "--recurse-submodules=no", "--"]);
        if let Err(trouble) = transfer(call.args([remote, &refspec]))? {
            return Ok(Err(trouble));
        }
        let found = Call::within(self).args(["rev-parse", "--verify", "--quiet", "FETCH_HEAD^{commit}"]);
        let nothing = || RemoteTrouble::Refused(format!("{remote} gave no commit of {branch}"));
        Ok(found.found_id()?.ok_or_else(nothing))
    }
}

/// Pushes or fetches.
fn transfer(call: Call) -> Result<Result<(), RemoteTrouble>, GitError> {
    match call.timeout(PUSH).run() {
        Ok(answer) if answer.code == 0 => Ok(Ok(())),
        Ok(answer) => Ok(Err(meaning(last_lines(&answer)))),
        Err(error @ GitError::TimedOut { .. }) => Ok(Err(RemoteTrouble::Unreachable(error.to_string()))),
        Err(error) => Err(error),
    }
}

/// Nobody is there to be asked for a password or about a host's key.
fn quiet(call: Call, repository: &Repository) -> Result<Call, GitError> {
    let call = call.env("GIT_ASKPASS", "").env("SSH_ASKPASS", "");
    let own = std::env::var_os("GIT_SSH_COMMAND").is_some() || std::env::var_os("GIT_SSH").is_some();
    if own || !repository.settings(&["core.sshCommand"])?.is_empty() {
        return Ok(call);
    }
    Ok(call.env("GIT_SSH_COMMAND", "ssh -o BatchMode=yes"))
}

/// What a push that failed means, by what was said; git has one exit code for all of it.
pub(crate) fn meaning(said: String) -> RemoteTrouble {
    const DENIED: [&str; 7] = [
        "Authentication failed",
        "could not read Username",
        "could not read Password",
        "Permission denied",
        "Host key verification failed",
        "Repository not found",
        "error: 403",
    ];
    const UNREACHABLE: [&str; 11] = [
        "Could not resolve host",
        "Failed to connect",
        "Connection re",
        "Connection timed out",
        "Operation too slow",
        "early EOF",
        "unexpected disconnect",
        "Could not read from remote repository",
        "RPC failed",
        "the remote end hung up",
        "Empty reply from server",
    ];
    let says = |signs: &[&str]| signs.iter().any(|sign| said.contains(sign));
    if says(&DENIED) {
        RemoteTrouble::Denied(said)
    } else if says(&UNREACHABLE) || said.contains("error: 5") {
        RemoteTrouble::Unreachable(said)
    } else {
        RemoteTrouble::Refused(said)
    }
}

#[cfg(test)]
mod tests {
    use std::env;
    use std::ffi::OsStr;
    use std::fs::{self, Permissions};
    use std::os::unix::fs::PermissionsExt;

    use windlass_host::process::Command;

    use super::*;
    use crate::testing::Scratch;

    const TEST: &str = "git::push::tests::a_persons_own_way_to_a_remote_is_taken";

    /// Tells the process that pushes; what it says is the setting, where it says anything.
    const SETTING: &str = "WINDLASS_TEST_SSH";

    fn push_to_nobody(scratch: &Scratch) {
        scratch.git(&["remote", "add", "origin", "ssh://nobody@localhost/x"]);
        let commit = scratch.git(&["rev-parse", "HEAD"]);
        let push = Push {
            remote: "origin",
            commit: commit.trim(),
            branch: "work",
            hooks: PushHooks::Skip,
            run: &RunId("r-test".to_owned()),
        };
        let outcome = scratch.found().push(&push).unwrap();
        assert!(matches!(outcome, Err(RemoteTrouble::Unreachable(_))), "{outcome:?}");
    }

    #[test]
    fn a_persons_own_way_to_a_remote_is_taken() {
        let scratch = Scratch::committed();
        if let Ok(setting) = env::var(SETTING) {
            if !setting.is_empty() {
                scratch.git(&["config", "core.sshCommand", &setting]);
            }
            return push_to_nobody(&scratch);
        }
        let [way, called] = ["way", "called"].map(|name| scratch.state.join(name));
        fs::write(&way, format!("#!/bin/sh\ntouch '{}'\nfalse\n", called.display())).unwrap();
        fs::set_permissions(&way, Permissions::from_mode(0o755)).unwrap();
        for variable in [SETTING, "GIT_SSH_COMMAND", "GIT_SSH"] {
            let program = Command::new(env::current_exe().unwrap()).arguments(["--exact", TEST]);
            let program = program.environment("GIT_SSH_COMMAND", None).environment("GIT_SSH", None);
            let program = program.environment(SETTING, Some(OsStr::new("")));
            let output = program.environment(variable, Some(way.as_os_str())).run().unwrap();
            assert!(output.succeeded(), "{variable}: {output:?}");
            assert!(called.exists(), "{variable}");
            fs::remove_file(&called).unwrap();
        }
    }
}
