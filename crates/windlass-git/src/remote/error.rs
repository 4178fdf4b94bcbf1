//! What can go wrong with a git remote, each in one sentence, and what to do about it.

use windlass_core::fleet::remote::RemoteUrl;
use windlass_host::file::FileError;

use crate::git::call::{CallOutput, last_lines};
use crate::git::{GitError, RemoteTrouble, meaning, says_disk_full};

/// The longest that a remote's words are repeated.
const LONGEST: usize = 300;

/// What git adds to whatever went wrong.
const USUAL: [&str; 5] = [
    "Please make sure you have the correct access rights",
    "and the repository exists.",
    "fatal: Could not read from remote repository.",
    "hint:",
    "error: failed to push some refs",
];

/// Something that a git remote did not do.
#[derive(Debug, thiserror::Error)]
pub enum RemoteError {
    /// It does not answer, or is slow, or was cut off: the same may be done later.
    #[error("the git remote {url} cannot be reached: {said}")]
    Unreachable {
        /// Its address.
        url: String,
        /// What happened.
        said: String,
    },
    /// Nobody is logged in, or may not do it.
    #[error("the git remote {url} lets nobody in who is not asked: {said}")]
    Denied {
        /// Its address.
        url: String,
        /// What it said.
        said: String,
    },
    /// It does not want that.
    #[error("the git remote {url} refuses it: {said}")]
    Refused {
        /// Its address.
        url: String,
        /// What it said.
        said: String,
    },
    /// It does not have what somebody should have pushed there.
    #[error("the git remote {url} does not have {reference}")]
    Lacks {
        /// Its address.
        url: String,
        /// Which reference.
        reference: String,
    },
    /// It sends more than is taken.
    #[error("what the git remote {url} sends has more than {limit} bytes, and those are the most")]
    TooLarge {
        /// Its address.
        url: String,
        /// How much may come.
        limit: u64,
    },
    /// Nobody waits for it any more.
    #[error("what was asked of the git remote is not needed any more")]
    Interrupted,
    /// The repository here does not have all that it should give.
    #[error("{0}")]
    Partial(&'static str),
    /// The run is called something that no reference can be.
    #[error("{0:?} is no name of a run")]
    Name(String),
    /// git itself.
    #[error(transparent)]
    Git(#[from] GitError),
    /// A file.
    #[error(transparent)]
    File(#[from] FileError),
}

impl RemoteError {
    /// May the same be done later, without anybody doing anything?
    pub const fn may_pass(&self) -> bool {
        matches!(self, RemoteError::Unreachable { .. })
    }

    /// What to do about it: one sentence, or empty where there is nothing.
    pub const fn hint(&self) -> &'static str {
        match self {
            RemoteError::Unreachable { .. } => {
                "Mend `fleet.remote`; without it commits travel through the fleet's servers: windlass config unset --user fleet.remote"
            }
            RemoteError::Denied { .. } => {
                "Have git log in to it without a question: a credential helper, or a key in the agent of SSH"
            }
            RemoteError::Refused { .. } => "Let this user write below `refs/windlass/` there",
            RemoteError::Lacks { .. } => "All machines of a fleet name the same repository in `fleet.remote`",
            _ => "",
        }
    }

    /// What a call that ended with an error means.
    pub(super) fn said(url: &RemoteUrl, answer: &CallOutput) -> RemoteError {
        let said = last_lines(answer);
        if says_disk_full(&said) {
            return answer.failed().into();
        }
        let url = url.as_str().to_owned();
        if let Some(reference) = missing(&said) {
            return RemoteError::Lacks { url, reference };
        }
        let told = in_a_line(&said);
        match meaning(said) {
            RemoteTrouble::Denied(_) => RemoteError::Denied { url, said: told },
            RemoteTrouble::Unreachable(_) => RemoteError::Unreachable { url, said: told },
            RemoteTrouble::Refused(_) => RemoteError::Refused { url, said: told },
        }
    }

    /// What a call means that did not end by itself.
    pub(super) fn not_run(url: &RemoteUrl, error: GitError) -> RemoteError {
        match error {
            GitError::TimedOut { .. } => {
                RemoteError::Unreachable { url: url.as_str().to_owned(), said: error.to_string() }
            }
            GitError::Interrupted { .. } => RemoteError::Interrupted,
            other => other.into(),
        }
    }
}

/// The reference that a remote does not have, as git says it.
fn missing(said: &str) -> Option<String> {
    let (_, name) = said.split_once("couldn't find remote ref ")?;
    Some(in_a_line(name.lines().next().unwrap_or_default()))
}

/// What a stranger said, as a part of a sentence: without control characters, what is usual, and passwords in addresses.
fn in_a_line(said: &str) -> String {
    let usual = |line: &&str| !line.is_empty() && !USUAL.iter().any(|words| line.starts_with(words));
    let lines: Vec<&str> = said.lines().map(str::trim).filter(usual).collect();
    let lines = if lines.is_empty() { vec![said.lines().next().unwrap_or_default()] } else { lines };
    let text: String =
        lines.join("; ").chars().map(|letter| if letter.is_control() { ' ' } else { letter }).collect();
    without_passwords(&text).chars().take(LONGEST).collect()
}

fn without_passwords(text: &str) -> String {
    let mut parts = text.split("://");
    let mut clean = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        clean.push_str("://");
        let end = part.find(|letter: char| letter.is_whitespace() || "/'\"".contains(letter));
        let (authority, rest) = part.split_at(end.unwrap_or(part.len()));
        clean.push_str(authority.rsplit_once('@').map_or(authority, |(_, host)| host));
        clean.push_str(rest);
    }
    clean
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_remote_says_is_one_harmless_line() {
        for (said, line) in [
            (
                "fatal: '/srv/x.git' does not appear to be a git repository\nfatal: Could not read from remote repository.\n\nPlease make sure you have the correct access rights\nand the repository exists.",
                "fatal: '/srv/x.git' does not appear to be a git repository",
            ),
            (
                "fatal: unable to access 'https://tess:hunter2@h/x': 503",
                "fatal: unable to access 'https://h/x': 503",
            ),
            ("remote: no\u{1b}[2J\nerror: failed to push some refs to 'x'", "remote: no [2J"),
            (
                "fatal: Could not read from remote repository.",
                "fatal: Could not read from remote repository.",
            ),
            ("", ""),
        ] {
            assert_eq!(in_a_line(said), line);
        }
        assert_eq!(in_a_line(&"x".repeat(1000)).len(), LONGEST);
    }

    #[test]
    fn a_missing_reference_is_named() {
        assert_eq!(
            missing("fatal: couldn't find remote ref refs/windlass/r-1/x\n").unwrap(),
            "refs/windlass/r-1/x"
        );
        assert_eq!(missing("fatal: no"), None);
    }
}
