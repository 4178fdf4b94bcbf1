//! Watching files that somebody else writes.
//!
//! They are looked at four times a second, one `stat` each, by a thread of its own: a file system that hangs holds up
//! nobody else. So every change is seen that a directory notification would tell, and those that it loses as well: a file
//! that is not there yet, one that is replaced by a rename, a folder that vanishes and comes back, a network file system.
//! There is nothing that can be set up wrongly, and since changes are gathered for seconds (the debounce), a quicker
//! eye would see no more.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

use windlass_host::tree::{Stamps, at};

/// How often the files are looked at.
const LOOK: Duration = Duration::from_millis(250);

/// So many changes are told; whoever writes more often says nothing by it.
const MOST_TOLD: u32 = 500;

/// Watches for as long as it lives.
#[derive(Debug)]
pub struct FileWatch {
    /// Nothing is ever sent; the thread ends when this does.
    _alive: Sender<()>,
}

impl FileWatch {
    /// Watches these files. Whoever listens is told so long after a change, of all changes until then together; and once
    /// in the beginning, since a change can come before the first look.
    pub fn start(
        files: Vec<PathBuf>,
        debounce: Duration,
        mut changed: impl FnMut() + Send + 'static,
    ) -> io::Result<FileWatch> {
        let (alive, life) = channel::<()>();
        thread::Builder::new().name("watch".to_owned()).spawn(move || {
            let mut eye = Eye::new(debounce);
            while !eye.is_tired() {
                if eye.look(Instant::now(), files.iter().map(|file| look_at(file)).collect()) {
                    changed();
                }
                if life.recv_timeout(eye.patience(Instant::now())) != Err(RecvTimeoutError::Timeout) {
                    return;
                }
            }
        })?;
        Ok(FileWatch { _alive: alive })
    }
}

/// What tells one writing of a file from another; `None` while there is no such file.
fn look_at(path: &Path) -> Option<Stamps> {
    Some(Stamps::of(at(path).look_through().ok()??))
}

/// Remembers what it saw, and when that is to be told.
#[derive(Debug)]
struct Eye {
    debounce: Duration,
    seen: Option<Vec<Option<Stamps>>>,
    due: Option<Instant>,
    told: u32,
}

impl Eye {
    fn new(debounce: Duration) -> Eye {
        Eye { debounce, seen: None, due: None, told: 0 }
    }

    const fn is_tired(&self) -> bool {
        self.told >= MOST_TOLD
    }

    /// Takes in what there is to see; is something to be told now? The time runs from the first change that was not told,
    /// so that whoever writes without a pause is heard as well.
    fn look(&mut self, now: Instant, sights: Vec<Option<Stamps>>) -> bool {
        if self.seen.as_ref() != Some(&sights) {
            self.seen = Some(sights);
            self.due.get_or_insert(now + self.debounce);
        }
        let tells = !self.is_tired() && self.due.take_if(|due| *due <= now).is_some();
        self.told += u32::from(tells);
        tells
    }

    /// Until the next look.
    fn patience(&self, now: Instant) -> Duration {
        self.due.map_or(LOOK, |due| due.saturating_duration_since(now).min(LOOK))
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::sync::mpsc::Receiver;

    use super::*;

    const PATIENCE: Duration = Duration::from_secs(20);
    const SECOND: Duration = Duration::from_secs(1);

    fn sight(size: u64) -> Vec<Option<Stamps>> {
        vec![Some(Stamps { size, modified: (0, 0), changed: (0, 0), inode: 1, device: 1 })]
    }

    // rows: 111
    #[test]
    fn changes_are_gathered_from_the_first_one_on() {
        let start = Instant::now();
        let mut eye = Eye::new(2 * SECOND);
        let mut told = Vec::new();
        // A file that is written every half second.
        for half in 0..20_u32 {
            let now = start + SECOND / 2 * half;
            if eye.look(now, sight(u64::from(half))) {
                told.push(half);
            }
        }
        assert_eq!(told, [4, 9, 14, 19]);
        assert!(!eye.look(start + 60 * SECOND, sight(19)), "nothing new");
        assert_eq!(eye.patience(start), LOOK);
    }

    #[test]
    fn it_looks_in_time_for_what_is_due() {
        let start = Instant::now();
        let mut eye = Eye::new(LOOK / 5);
        assert!(!eye.look(start, sight(1)));
        assert_eq!(eye.patience(start), LOOK / 5);
        assert!(eye.look(start + LOOK / 5, sight(1)));
    }

    /// What is in a watched file whenever something is told.
    fn watched(file: &Path) -> (FileWatch, Receiver<String>) {
        let (tell, told) = channel();
        let path = file.to_owned();
        let changed = move || {
            let _ = tell.send(fs::read_to_string(&path).unwrap_or_default());
        };
        (FileWatch::start(vec![file.to_owned()], Duration::from_millis(1), changed).unwrap(), told)
    }

    fn until(told: &Receiver<String>, wanted: &str) {
        while told.recv_timeout(PATIENCE).unwrap_or_else(|_| panic!("{wanted} was never told")) != wanted {}
    }

    // Seed defect D1, services/status-file-watcher.ts:44: a file that did not exist yet was never watched.
    // Seed defect D1, services/status-file-watcher.ts:46: a file that was replaced was lost from sight.
    #[test]
    fn a_file_that_is_not_there_yet_is_replaced_and_whose_folder_vanishes_stays_watched() {
        let scratch = tempfile::tempdir().unwrap();
        let folder = scratch.path().join("workspace");
        let file = folder.join("status");
        let (watch, told) = watched(&file);
        until(&told, "");
        fs::create_dir(&folder).unwrap();
        fs::write(&file, "written").unwrap();
        until(&told, "written");
        fs::write(folder.join("other"), "renamed").unwrap();
        fs::rename(folder.join("other"), &file).unwrap();
        until(&told, "renamed");
        fs::remove_dir_all(&folder).unwrap();
        until(&told, "");
        fs::create_dir(&folder).unwrap();
        fs::write(&file, "back").unwrap();
        until(&told, "back");
        drop(watch);
        // Its thread ends, and with it the listener.
        assert!(matches!(told.recv_timeout(PATIENCE), Err(RecvTimeoutError::Disconnected)));
    }

    #[test]
    fn whoever_writes_without_end_is_heard_so_often_and_no_more() {
        let start = Instant::now();
        let mut eye = Eye::new(Duration::ZERO);
        let looks = (0..2 * MOST_TOLD).filter(|look| eye.look(start, sight(u64::from(*look))));
        assert_eq!(looks.count(), MOST_TOLD as usize);
        assert!(eye.is_tired());
    }
}
