//! Knowing without reading that a file is the same as before.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use super::Attributes;

/// What the file system says about a file without reading it. Two equal values, taken long enough after the last
/// change, mean the same content.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stamps {
    /// Bytes.
    pub size: u64,
    /// When its content changed: seconds and nanoseconds.
    pub modified: (i64, i64),
    /// When anything of it changed.
    pub changed: (i64, i64),
    /// Which it is on its device.
    pub inode: u64,
    /// On which device.
    pub device: u64,
}

impl Stamps {
    /// Those of what was found.
    pub fn of(found: impl Into<Attributes>) -> Self {
        let Attributes { size, modified, changed, inode, device, .. } = found.into();
        Self { size, modified, changed, inode, device }
    }

    /// May the file be changed after `now` and still look the same? So it is when its last change is as good as now:
    /// the clock that stamps files ticks every few milliseconds, on some file systems every two seconds.
    pub fn are_fresh(self, now: SystemTime) -> bool {
        let coarse = self.modified.1 == 0 && self.changed.1 == 0;
        let tick = if coarse { Duration::from_secs(2) } else { Duration::from_millis(20) };
        let stamp = self.modified.max(self.changed);
        let seconds = u64::try_from(stamp.0).unwrap_or(0);
        let nanoseconds = u32::try_from(stamp.1).unwrap_or(0);
        let settled = UNIX_EPOCH + Duration::new(seconds, nanoseconds) + tick;
        settled >= now
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
