//! What the agent of a lane has in its git directory and no work of the lane is: it goes with the lane.

use std::collections::{BTreeMap, BTreeSet};

use windlass_core::damage::loan::{CheckedOut, Refs};

use super::beside::{Kept, keep_beside};
use super::intake::Intake;
use super::left::{self, Left};
use super::refused::leave_out;
use super::take::in_words;
use crate::git::Repository;
use crate::lane::{Lane, LaneError};
use windlass_host::file::remove_folder;
use windlass_host::tree::{TreePath, at};

/// What became of what an agent has put away.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PutAway {
    /// A sentence for each branch that was made of it.
    pub said: Vec<String>,
    /// Why its git directory is among the broken ones now: it has more than that.
    pub unkept: Option<String>,
}

/// Has the agent of a lane put anything away in its git directory, or committed anything beside its work?
pub fn has_put_away(lane: &Lane) -> bool {
    left::read(&theirs(lane)).is_ok_and(|left| names_more(&left.refs))
}

/// Is anything named besides what is checked out, which is the work of the lane?
fn names_more(refs: &Refs) -> bool {
    let head = refs.commit();
    !refs.beside.is_empty() || refs.references.values().any(|id| Some(id) != head)
}

/// Keeps what the agent of a lane has put away in its git directory, and what it has committed there beside what is checked out.
/// `run` and `task` name the branches. Without any it asks no git.
///
/// # Errors
/// The disk is full, or git fails at something that it should be able to do.
pub fn keep_put_away(
    main: &Repository,
    lane: &Lane,
    (run, task): (&str, &str),
) -> Result<PutAway, LaneError> {
    let from = theirs(lane);
    let Left { refs: mut found, unread } = match left::read(&from) {
        Ok(left) => left,
        Err(why) => {
            let is_kept = lane.keep_broken()?;
            lane.mend()?;
            return Ok(PutAway {
                unkept: is_kept.then_some(format!("it is broken: {why}")),
                ..PutAway::default()
            });
        }
    };
    if !names_more(&found) && unread.is_empty() {
        return Ok(PutAway::default());
    }
    // What is checked out is the work of the lane, which lands as one commit.
    let head = found.commit().cloned();
    let references = std::mem::take(&mut found.references);
    found.beside.extend(references.into_iter().filter(|(_, id)| Some(id) != head.as_ref()));
    found.head = CheckedOut::Commit(head.clone().unwrap_or_default());
    let nothing = Refs { beside: BTreeMap::new(), under_way: BTreeSet::new(), ..found.clone() };
    let intake = Intake { main, from, folder: lane.home().join("intake.git") };
    let named: BTreeSet<String> = found.beside.values().chain(&head).cloned().collect();
    let refused = intake.take_in(&Vec::from_iter(named))?;
    leave_out(&intake, &mut found, &nothing, &refused)?;
    // outside: the lane's folder in the state folder, above what its guests can write.
    remove_folder(&intake.folder)?;
    let Kept { sentences: said, beyond } = keep_beside(main, &found, &nothing, (run, task))?;
    let why = refused.first().map(|(_, why)| why.clone());
    let unkept = in_words(why, &unread, beyond);
    if unkept.is_some() {
        lane.keep_broken()?;
        lane.mend()?;
    }
    Ok(PutAway { said, unkept })
}

fn theirs(lane: &Lane) -> TreePath {
    at(lane.top()).join(".git")
}
