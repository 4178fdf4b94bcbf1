//! What this process itself has started, so that [`adopt_and_kill`](super::adopt_and_kill) can tell a stranger that
//! fell to it from a child of its own.

use std::collections::BTreeSet;
use std::io;
use std::ops::{Deref, DerefMut};
use std::process::{Child, Command};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// There is one list, as there is one process: children belong to the process and to no object in it.
static STARTED: Mutex<BTreeSet<u32>> = Mutex::new(BTreeSet::new());

/// A child of our own, on the list for as long as this value lives. Reap it before you drop it.
#[derive(Debug)]
pub struct Started(Child);

impl Started {
    /// Starts a child. It is on the list before anybody can look.
    pub fn spawn(command: &mut Command) -> io::Result<Started> {
        let mut list = lock();
        let child = command.spawn()?;
        list.insert(child.id());
        Ok(Started(child))
    }
}

impl Deref for Started {
    type Target = Child;

    fn deref(&self) -> &Child {
        &self.0
    }
}

impl DerefMut for Started {
    fn deref_mut(&mut self) -> &mut Child {
        &mut self.0
    }
}

impl Drop for Started {
    fn drop(&mut self) {
        lock().remove(&self.0.id());
    }
}

/// The list; nothing is started while it is held.
pub fn lock() -> MutexGuard<'static, BTreeSet<u32>> {
    STARTED.lock().unwrap_or_else(PoisonError::into_inner)
}
