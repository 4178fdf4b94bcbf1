//! What a person had Windlass write into files that steer it, or of tasks, while a run may have been at work there: that is theirs,
//! and no guest's. Kept with the project, by what was there before and after each time.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use windlass_core::values::{TaskId, path_text};
use windlass_host::file::read_beginning;

use crate::store::{Project, StoreError, write_atomically};

/// So many are kept: nobody sets more values while a run goes on.
const MOST: usize = 500;

/// The longest file that is read, in bytes.
const LONGEST: usize = 1 << 20;

const FILE: &str = "written.json";

/// One change of one file. Contents are named as the project's snapshots name them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Written {
    /// The file, absolute.
    #[serde(with = "path_text")]
    pub path: PathBuf,
    /// What was there; `None` = nothing.
    pub before: Option<String>,
    /// What is there now; `None` = nothing any more.
    pub after: Option<String>,
    /// The task whose state was written, or that was added; `None` where it was something else.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task: Option<TaskId>,
    /// When; `None` where it was noted before that was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<Timestamp>,
}

/// Notes it. To be called before the file is written, by whoever lets no second one write at the same time.
pub fn note(project: &Project, written: Written) -> Result<(), StoreError> {
    project.create()?;
    let path = project.path().join(FILE);
    let mut all = read(project.path());
    all.push(written);
    all.drain(..all.len().saturating_sub(MOST));
    let bytes =
        serde_json::to_vec(&all).map_err(|source| StoreError::Unwritable { path: path.clone(), source })?;
    write_atomically(&path, &bytes)
}

/// What was noted in a project's folder, the oldest first; nothing where that cannot be read.
pub(crate) fn read(project: &Path) -> Vec<Written> {
    // outside: the state folder.
    let bytes = read_beginning(&project.join(FILE), LONGEST).ok().flatten().unwrap_or_default();
    serde_json::from_slice(&bytes).unwrap_or_default()
}

/// Did a person have this file made what it is now, from what it was then, and nobody else touch it meanwhile? What is there has to
/// be what was written last, so that nobody brings back an earlier wish of theirs.
pub(crate) fn leads(all: &[Written], path: &Path, from: Option<&str>, to: &str) -> bool {
    let mut wanted = to;
    for written in all.iter().rev().filter(|written| written.path == path) {
        if written.after.as_deref() != Some(wanted) {
            return false;
        }
        if written.before.as_deref() == from {
            return true;
        }
        match &written.before {
            Some(before) => wanted = before,
            None => return false,
        }
    }
    false
}

/// Did a person have this file taken away since then, whatever was in it, and nothing of it written again?
pub(crate) fn is_removed(all: &[Written], path: &Path, since: SystemTime) -> bool {
    let last = all.iter().rev().find(|written| written.path == path).filter(|last| last.after.is_none());
    last.and_then(|last| last.at).is_some_and(|at| SystemTime::from(at) > since)
}

/// The tasks whose state a person had Windlass write in this file, one after another, with nobody else in between; `None` where it is
/// not as that has left it.
pub(crate) fn tasks_said(all: &[Written], path: &Path, now: &str) -> Option<BTreeSet<TaskId>> {
    let mut wanted = now;
    let mut said = BTreeSet::new();
    for written in all.iter().rev().filter(|written| written.path == path) {
        let (Some(task), true) = (&written.task, written.after.as_deref() == Some(wanted)) else { break };
        said.insert(task.clone());
        let Some(before) = &written.before else { break };
        wanted = before;
    }
    (!said.is_empty()).then_some(said)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(path: &str, before: Option<&str>, after: &str) -> Written {
        Written {
            path: path.into(),
            before: before.map(str::to_owned),
            after: Some(after.to_owned()),
            task: None,
            at: None,
        }
    }

    #[test]
    fn what_a_person_wrote_in_steps_leads_from_what_was_there() {
        let all = [
            written("/p/c", None, "one"),
            written("/p/other", Some("one"), "evil"),
            written("/p/c", Some("one"), "two"),
            written("/p/c", Some("two"), "three"),
        ];
        let to = |from: Option<&str>, to: &str| leads(&all, Path::new("/p/c"), from, to);
        assert!(to(None, "three") && to(Some("one"), "three") && to(Some("two"), "three"));
        assert!(!to(Some("three"), "two"), "an earlier wish");
        assert!(!to(Some("one"), "two"), "an earlier wish");
        assert!(!to(Some("else"), "three"), "written upon what somebody else had changed");
        assert!(!to(None, "evil"), "of another file");
        assert!(!leads(&[], Path::new("/p/c"), None, "three"));
    }

    #[test]
    fn what_a_person_had_taken_away_is_theirs_until_it_is_written_again() {
        let at = Some(Timestamp::UNIX_EPOCH);
        let gone = Written { after: None, at, ..written("/p/c", Some("guest"), "") };
        let second = std::time::Duration::from_secs(1);
        assert!(!is_removed(std::slice::from_ref(&gone), Path::new("/p/c"), SystemTime::UNIX_EPOCH + second));
        let is_removed =
            |all: &[Written]| is_removed(all, Path::new("/p/c"), SystemTime::UNIX_EPOCH - second);
        assert!(is_removed(&[written("/p/c", None, "one"), gone.clone(), written("/p/other", None, "one")]));
        assert!(!is_removed(&[gone.clone(), written("/p/c", None, "two")]) && !is_removed(&[]));
        assert!(leads(&[gone, written("/p/c", None, "two")], Path::new("/p/c"), None, "two"));
        let older = r#"{"path":"/p/c","before":null,"after":"one"}"#;
        assert_eq!(serde_json::from_str::<Written>(older).unwrap(), written("/p/c", None, "one"));
    }

    #[test]
    fn of_tasks_what_was_said_last_counts_until_somebody_else_has_written() {
        let of = |task: &str, before: &str, after: &str| Written {
            task: Some(TaskId(task.to_owned())),
            ..written("/p/t", Some(before), after)
        };
        let all = [of("T0", "zero", "half"), of("T1", "one", "two"), of("T2", "two", "three")];
        let said = |now: &str| tasks_said(&all, Path::new("/p/t"), now);
        let named = |ids: &[&str]| ids.iter().map(|id| TaskId((*id).to_owned())).collect::<BTreeSet<_>>();
        assert_eq!(said("three"), Some(named(&["T1", "T2"])));
        assert_eq!(said("two"), None, "an earlier one");
        assert_eq!(tasks_said(&all, Path::new("/p/other"), "three"), None);
    }

    #[test]
    fn somebody_who_changes_the_file_between_two_wishes_breaks_the_way() {
        let all = [written("/p/c", None, "one"), written("/p/c", Some("guest"), "two")];
        assert!(!leads(&all, Path::new("/p/c"), None, "two"));
    }
}
