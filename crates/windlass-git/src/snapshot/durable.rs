//! Getting many new files onto the disk at the price of few waits.

use std::fs::File;
use std::io;
use std::path::Path;
use std::thread;

/// Up to here each file is synced by itself, several at a time, so that the file system can settle them together. With
/// more, syncing the whole file system once is cheaper.
const ONE_BY_ONE: usize = 64;
const AT_A_TIME: usize = 8;

/// New files that are not yet known to be on the disk.
#[derive(Debug, Default)]
pub(super) struct Unsynced {
    files: Vec<File>,
    more: bool,
}

impl Unsynced {
    /// Remembers a file that was written.
    pub fn push(&mut self, file: File) {
        if self.files.len() < ONE_BY_ONE {
            self.files.push(file);
        } else {
            self.more = true;
        }
    }

    /// Waits until all remembered files are on the disk, and forgets them.
    pub fn sync(&mut self, folder: &Path) -> io::Result<()> {
        if self.more {
            sync_file_system(folder)?;
        } else {
            sync_each(&self.files)?;
        }
        *self = Self::default();
        Ok(())
    }
}

fn sync_each(files: &[File]) -> io::Result<()> {
    let share = files.len().div_ceil(AT_A_TIME).max(1);
    let mut shares = files.chunks(share);
    // The first share is ours: one changed file needs no thread.
    let own = shares.next().unwrap_or_default();
    thread::scope(|scope| {
        let start = |files| {
            thread::Builder::new().spawn_scoped(scope, move || sync_in_turn(files)).map_err(|_| files)
        };
        let others: Vec<_> = shares.map(start).collect();
        let mut result = sync_in_turn(own);
        for other in others {
            let other = match other {
                Ok(other) => other,
                // Where the system gives no more threads it takes longer.
                Err(files) => {
                    result = result.and(sync_in_turn(files));
                    continue;
                }
            };
            let ended =
                other.join().unwrap_or_else(|_| Err(io::Error::other("a thread that synced files failed")));
            result = result.and(ended);
        }
        result
    })
}

fn sync_in_turn(files: &[File]) -> io::Result<()> {
    files.iter().try_for_each(File::sync_data)
}

#[cfg(target_os = "linux")]
fn sync_file_system(folder: &Path) -> io::Result<()> {
    Ok(rustix::fs::syncfs(File::open(folder)?)?)
}

#[cfg(not(target_os = "linux"))]
fn sync_file_system(_folder: &Path) -> io::Result<()> {
    rustix::fs::sync();
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A file that the system cannot sync.
    fn pipe() -> File {
        File::from(std::os::fd::OwnedFd::from(io::pipe().unwrap().1))
    }

    #[test]
    fn whichever_file_cannot_be_synced_is_an_error_once() {
        let place = tempfile::tempdir().unwrap();
        // Few by ourselves, more on several threads.
        for count in [1, AT_A_TIME * 2, ONE_BY_ONE] {
            for bad in [0, count - 1] {
                let mut unsynced = Unsynced::default();
                for number in 0..count {
                    let file = if number == bad { pipe() } else { tempfile::tempfile().unwrap() };
                    unsynced.push(file);
                }
                assert!(unsynced.sync(place.path()).is_err(), "{bad} of {count}");
            }
        }
    }

    #[test]
    fn many_files_are_synced_with_their_file_system_and_then_forgotten() {
        let place = tempfile::tempdir().unwrap();
        let gone = place.path().join("gone");
        let mut unsynced = Unsynced::default();
        for _ in 0..=ONE_BY_ONE {
            unsynced.push(tempfile::tempfile().unwrap());
        }
        assert!(unsynced.sync(&gone).is_err(), "the folder is asked");
        unsynced.sync(place.path()).unwrap();
        unsynced.sync(&gone).unwrap();
    }
}
