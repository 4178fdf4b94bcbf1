//! The program in an archive.

use std::io::{self, Read};
use std::path::Path;

use flate2::read::GzDecoder;

/// The longest program, in bytes.
const LONGEST: u64 = 512 << 20;

/// The file `FOLDER/bin/windlass`.
pub(super) fn program(archive: &[u8]) -> io::Result<Vec<u8>> {
    // Of everything together, so that nothing grows without bound on its way to the program.
    let mut archive = tar::Archive::new(GzDecoder::new(archive).take(LONGEST));
    for entry in archive.entries()? {
        let mut entry = entry?;
        let is_program =
            entry.path()?.components().skip(1).collect::<std::path::PathBuf>() == Path::new("bin/windlass");
        if is_program && entry.header().entry_type().is_file() {
            let mut bytes = Vec::new();
            entry.read_to_end(&mut bytes)?;
            return Ok(bytes);
        }
    }
    Err(io::Error::new(io::ErrorKind::NotFound, "there is no bin/windlass in it"))
}
