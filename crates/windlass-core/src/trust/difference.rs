//! What is new, changed and gone since a person trusted a repository.

use super::{Startable, Startables};

/// One difference to what was trusted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Difference {
    /// Nothing of its kind was trusted.
    Added(Startable),
    /// It said something else when it was trusted.
    Changed {
        /// What it says.
        now: Startable,
        /// What it said.
        before: Startable,
    },
    /// It is not there any more; nothing has to be trusted about that.
    Removed(Startable),
}

/// What differs between what is there and what was trusted, in that order: what is there first.
pub fn differences(now: &Startables, trusted: &Startables) -> Vec<Difference> {
    let gone = trusted.beyond(now);
    let mut left: Vec<&Startable> = gone.iter().collect();
    let mut found = Vec::new();
    for item in now.beyond(trusted).iter() {
        // Of a list of commands each was another one before; what is closest in the list will do.
        match left.iter().position(|before| before.is_same(item)) {
            Some(at) => {
                found.push(Difference::Changed { now: item.clone(), before: left.remove(at).clone() });
            }
            None => found.push(Difference::Added(item.clone())),
        }
    }
    // What is still there in another form was trusted in several: only what is gone altogether is.
    let is_there = |item: &&&Startable| now.iter().any(|there| there.is_same(item));
    let mut removed: Vec<&Startable> = left.iter().filter(|item| !is_there(item)).copied().collect();
    removed.dedup_by(|one, other| one.is_same(other));
    found.extend(removed.into_iter().cloned().map(Difference::Removed));
    found
}
