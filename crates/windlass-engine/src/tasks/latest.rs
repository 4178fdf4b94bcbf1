//! What was read last. Most often files are read again before anybody has changed them, and to understand 50,000 tasks takes a
//! fifth of a second.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use windlass_jobs::doc::tasks::TaskFile;

use crate::document::{shown, whole_mark};

/// So many readings are remembered.
const REMEMBERED: usize = 2;

/// The latest readings, each by what it was read from.
pub(crate) struct Latest<T>(Mutex<VecDeque<(String, Arc<T>)>>);

impl<T> Latest<T> {
    pub(crate) const fn new() -> Latest<T> {
        Latest(Mutex::new(VecDeque::new()))
    }

    /// What files say, and a digest of them as short as it is shown; empty where there is none.
    pub(crate) fn read(
        &self,
        files: Vec<TaskFile>,
        parse: impl FnOnce(Vec<TaskFile>) -> T,
    ) -> (Arc<T>, String) {
        let whole = whole_mark(&files);
        let mark = shown(&whole);
        // The same bytes are read otherwise as a file of a folder than by themselves.
        let read_as = files.first().map(|file| (file.form, file.role, &file.own));
        let key = format!("{whole} {read_as:?}");
        let latest = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, known)) = latest().iter().find(|(known, _)| *known == key) {
            return (Arc::clone(known), mark);
        }
        let read = Arc::new(parse(files));
        let mut latest = latest();
        latest.truncate(REMEMBERED - 1);
        latest.push_front((key, Arc::clone(&read)));
        (read, mark)
    }
}
