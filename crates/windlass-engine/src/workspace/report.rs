//! Reports of judgements on the disk.

use std::path::Path;

use super::WorkspaceError;
use super::metadata::PERMISSIONS;
use windlass_host::tree::at;

/// Writes a report so that a crash leaves the old one or the new one. A link in its place is replaced, not followed.
pub fn write_report(path: &Path, bytes: &[u8]) -> Result<(), WorkspaceError> {
    let path = at(path);
    path.replace(bytes, PERMISSIONS)?;
    Ok(path.parent().map_or(Ok(()), |folder| folder.sync_folder())?)
}
