//! Reading contents, and knowing without reading that they are the same as before.

use std::fs::File;
use std::io::{self, Read};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use crate::git::{Hasher, ObjectFormat, ObjectId, ObjectKind};
use windlass_host::tree::Attributes;

/// What the file system says about a file without reading it. Two equal values, taken long enough after the last
/// change, mean the same content.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stamps {
    size: u64,
    modified: (i64, i64),
    changed: (i64, i64),
    inode: u64,
    device: u64,
}

impl Stamps {
    /// Those of what was found.
    pub(crate) fn of(found: impl Into<Attributes>) -> Self {
        let Attributes { size, modified, changed, inode, device, .. } = found.into();
        Self { size, modified, changed, inode, device }
    }

    /// What stands for the name of a content that nobody reads.
    pub(crate) fn id(self, format: ObjectFormat) -> ObjectId {
        format.identify(ObjectKind::Blob, format!("{self:?}").as_bytes())
    }

    /// May the file be changed after `now` and still look the same? So it is when its last change is as good as now:
    /// the clock that stamps files ticks every few milliseconds, on some file systems every two seconds.
    pub(crate) fn are_fresh(self, now: SystemTime) -> bool {
        let coarse = self.modified.1 == 0 && self.changed.1 == 0;
        let tick = if coarse { Duration::from_secs(2) } else { Duration::from_millis(20) };
        let stamp = self.modified.max(self.changed);
        let seconds = u64::try_from(stamp.0).unwrap_or(0);
        let nanoseconds = u32::try_from(stamp.1).unwrap_or(0);
        let settled = UNIX_EPOCH + Duration::new(seconds, nanoseconds) + tick;
        settled >= now
    }
}

/// Of a larger file nothing is read: its size and its times say what it is. (No snapshot holds it either.)
pub(super) const LARGEST: u64 = 1 << 30;

/// The name of a file's content; `None` when the file kept changing while it was read.
pub(super) fn identify(
    open: impl Fn() -> io::Result<File>,
    format: ObjectFormat,
) -> io::Result<Option<(ObjectId, Stamps)>> {
    const TRIES: usize = 3;
    for _ in 0..TRIES {
        let mut file = open()?;
        let before = Stamps::of(Attributes::of(&file)?);
        if before.size > LARGEST {
            return Ok(Some((before.id(format), before)));
        }
        let (id, read) = digest(&mut file, before.size, format)?;
        let after = Stamps::of(Attributes::of(&file)?);
        if read == before.size && before == after {
            return Ok(Some((id, after)));
        }
    }
    Ok(None)
}

fn digest(file: &mut File, size: u64, format: ObjectFormat) -> io::Result<(ObjectId, u64)> {
    let mut hasher = Hasher::new(format, ObjectKind::Blob, size);
    let room = usize::try_from(size).unwrap_or(usize::MAX).clamp(1, 256 * 1024);
    let mut buffer = vec![0; room];
    let mut total = 0;
    loop {
        let read = match file.read(&mut buffer) {
            Ok(0) => return Ok((hasher.finish(), total)),
            Ok(read) => read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        hasher.update(buffer.get(..read).unwrap_or_default());
        total += read as u64;
        // A file that grows as fast as it is read has no end.
        if total > size {
            return Ok((hasher.finish(), total));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stamps_as_young_as_the_clock_are_not_trusted() {
        let at = |seconds, nanoseconds| Stamps {
            size: 0,
            modified: (seconds, nanoseconds),
            changed: (seconds, nanoseconds),
            inode: 1,
            device: 1,
        };
        let now = UNIX_EPOCH + Duration::new(100, 500_000_000);
        let cases = [
            (at(100, 500_000_000), true),
            (at(100, 481_000_000), true),
            (at(100, 479_000_000), false),
            (at(90, 1), false),
            (at(99, 0), true),
            (at(98, 0), false),
            (at(200, 5), true),
        ];
        for (stamps, fresh) in cases {
            assert_eq!(stamps.are_fresh(now), fresh, "{stamps:?}");
        }
    }
}
