//! What a hook prints: its beginning is kept on disk, all of it is read, and none of it can fill anything.

use std::fs::{File, OpenOptions};
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::store::create_folder;

/// The most that is kept of a hook's output, in bytes.
pub(crate) const LONGEST_LOG: u64 = 1024 * 1024;

/// A hook's log: standard output and error together, as they came.
#[derive(Clone, Debug)]
pub(super) struct Log(Arc<Mutex<HookLogFile>>);

#[derive(Debug)]
enum HookLogFile {
    /// Nothing was printed yet; most hooks print nothing, and then there is no file.
    Awaited(PathBuf),
    Open {
        file: File,
        left: u64,
        dropped: u64,
    },
    /// It cannot be kept: a hook is more than its output.
    Lost,
}

impl Log {
    /// To be made there once something is printed; `None` = it is not kept.
    pub fn awaited(path: Option<PathBuf>) -> Log {
        Log(Arc::new(Mutex::new(path.map_or(HookLogFile::Lost, HookLogFile::Awaited))))
    }

    pub fn write(&self, bytes: &[u8]) {
        let mut log = self.log();
        if let HookLogFile::Awaited(path) = &*log {
            *log = open(path);
        }
        let HookLogFile::Open { file, left, dropped } = &mut *log else {
            return;
        };
        let kept = usize::try_from(*left).map_or(bytes, |left| bytes.get(..left).unwrap_or(bytes));
        if file.write_all(kept).is_err() {
            *log = HookLogFile::Lost;
            return;
        }
        *left -= kept.len() as u64;
        *dropped += (bytes.len() - kept.len()) as u64;
    }

    /// Says at its end what is missing. Is there anything to read?
    pub fn finish(&self) -> bool {
        let mut log = self.log();
        let HookLogFile::Open { file, dropped, .. } = &mut *log else {
            return false;
        };
        if *dropped > 0 {
            let _ =
                file.write_all(format!("\n[… {dropped} bytes more were printed and not kept]\n").as_bytes());
        }
        true
    }

    fn log(&self) -> MutexGuard<'_, HookLogFile> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn open(path: &Path) -> HookLogFile {
    let folder = path.parent().map_or(Ok(()), create_folder);
    let file = folder.ok().and_then(|()| {
        // outside: the run's folder.
        OpenOptions::new().create(true).write(true).truncate(true).mode(0o600).open(path).ok()
    });
    file.map_or(HookLogFile::Lost, |file| HookLogFile::Open { file, left: LONGEST_LOG, dropped: 0 })
}

/// The first bytes of a stream.
#[derive(Clone, Debug, Default)]
pub(super) struct Beginning(Arc<Mutex<Vec<u8>>>);

impl Beginning {
    /// Keeps what fits into so many bytes.
    pub fn push(&self, bytes: &[u8], most: usize) {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let room = most.saturating_sub(kept.len());
        kept.extend_from_slice(bytes.get(..room).unwrap_or(bytes));
    }

    pub fn bytes(&self) -> Vec<u8> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}
