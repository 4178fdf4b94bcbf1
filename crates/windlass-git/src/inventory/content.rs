//! Reading contents, and knowing without reading that they are the same as before.

use std::fs::File;
use std::io::{self, Read};

use crate::git::{Hasher, ObjectFormat, ObjectId, ObjectKind};
use windlass_host::tree::{Attributes, Stamps};

/// Of a larger file nothing is read: its size and its times say what it is. (No snapshot holds it either.)
pub(super) const LARGEST: u64 = 1 << 30;

/// What stands for the name of a content that nobody reads.
pub(super) fn unread_id(stamps: Stamps, format: ObjectFormat) -> ObjectId {
    format.identify(ObjectKind::Blob, format!("{stamps:?}").as_bytes())
}

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
            return Ok(Some((unread_id(before, format), before)));
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
