//! The archive, as `install.sh`, `windlass update` and `cargo binstall` take it; and how archives are written at all.

use std::fs::{self, File};
use std::io::{self, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use flate2::Compression;
use flate2::write::GzEncoder;

use super::Release;
use super::staging::{Staging, files_below};
use crate::program::Failure;

/// `windlass-VERSION-TARGET.tar.gz`, in which everything lies in a folder of that name.
pub fn write(release: &Release, staging: &Staging, compression: Compression) -> Result<(), Failure> {
    let stem = release.stem();
    let files = files_below(staging.root())?;
    let entries: Vec<Entry> = files
        .into_iter()
        .map(|file| Entry { from: staging.path(&file), name: Path::new(&stem).join(file) })
        .collect();
    pack(&release.file(format!("{stem}.tar.gz")), &entries, release.time, compression)
}

/// A file on its way into an archive.
pub struct Entry {
    pub from: PathBuf,
    pub name: PathBuf,
}

/// Owned by nobody in particular, of one time: whoever packs the same gets the same bytes.
pub fn pack(archive: &Path, entries: &[Entry], time: u64, compression: Compression) -> Result<(), Failure> {
    let write = || -> io::Result<()> {
        let mut tar = tar::Builder::new(GzEncoder::new(File::create(archive)?, compression));
        for entry in entries {
            let bytes = fs::read(&entry.from)?;
            let mode = fs::metadata(&entry.from)?.permissions().mode();
            let mut header = tar::Header::new_gnu();
            header.set_size(bytes.len() as u64);
            header.set_mode(if mode & 0o100 == 0 { 0o644 } else { 0o755 });
            header.set_mtime(time);
            tar.append_data(&mut header, &entry.name, bytes.as_slice())?;
        }
        tar.into_inner()?.finish()?.flush()
    };
    write().map_err(|error| Failure::at(archive, error))
}
