//! Which paths are meant.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use windlass_core::dots::without_dots;
use windlass_git::inventory::{Place, is_within};
use windlass_git::snapshot::{RestorePlan, Snapshot};
use windlass_host::tree;
use windlass_ui::one_line;

use super::RestoreFiles;
use crate::error::AppError;
use crate::here::Here;

/// Leaves all as it is that was not asked for; the names in the snapshot of what was.
pub(super) fn narrow(
    plan: &mut RestorePlan,
    target: &Snapshot,
    here: &Here,
    request: &RestoreFiles,
) -> Result<Vec<Vec<u8>>, AppError> {
    let below = Place { directory: here.directory.clone(), ..target.place() };
    let mut wanted = Vec::new();
    for path in &request.paths {
        let is_known = |name: &Vec<u8>| {
            target.files.iter().any(|file| is_within(&file.path, name))
                || plan.remove.iter().any(|path| is_within(path, name))
                || plan.left_alone.iter().any(|left| is_within(&left.path, name))
        };
        let mut names = meant(path, &here.directory).into_iter().filter_map(|full| below.relative(&full));
        let Some(name) = names.find(is_known) else {
            let shown = one_line(&path.display().to_string());
            return Err(AppError::usage(format!("{shown} is neither in the snapshot nor here")));
        };
        wanted.push(name);
    }
    if !wanted.is_empty() {
        plan.only(target, |path| wanted.iter().any(|name| is_within(path, name)));
    }
    Ok(wanted)
}

/// A path that was typed in one directory, as it is typed in another one.
pub(super) fn as_typed_there<'a>(path: &'a Path, here: &Path, there: &Path) -> Cow<'a, Path> {
    let full = meant(path, here);
    let below = full.iter().find_map(|full| full.strip_prefix(there).ok());
    match (below, full.first()) {
        (Some(below), _) if below.as_os_str().is_empty() => Path::new(".").into(),
        (Some(below), _) => below.to_owned().into(),
        (None, Some(full)) => full.clone().into(),
        (None, None) => path.into(),
    }
}

/// What a path may stand for, the likeliest first: as it is typed, and, since a shell names a directory by the link that led
/// there, with the real name of the folder that it is in. The last part stays: it may be a link that was put back.
fn meant(path: &Path, here: &Path) -> Vec<PathBuf> {
    let full = without_dots(&here.join(path));
    let real = match (full.parent(), full.file_name()) {
        (Some(folder), Some(name)) => tree::without_links(folder).join(name),
        _ => full.clone(),
    };
    if path.is_absolute() && real != full { vec![full, real] } else { vec![full] }
}
