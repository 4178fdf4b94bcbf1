//! Who runs a program.

use std::fs;
use std::path::Path;

use super::tree::all;

/// Other processes that were started from this file, as far as this user may see; `program` is canonical.
pub fn others_running(program: &Path) -> Vec<u32> {
    let own = std::process::id();
    let ids = all().into_iter().map(|process| process.id.as_raw_nonzero().get().unsigned_abs());
    let runs_it = |id: &u32| fs::read_link(format!("/proc/{id}/exe")).is_ok_and(|path| path == program);
    ids.filter(|id| *id != own && runs_it(id)).collect()
}
