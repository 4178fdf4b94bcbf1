//! Holding back from a commit what looks like a secret or is large, until a person says otherwise.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

use ignore::gitignore::{Gitignore, GitignoreBuilder};
use windlass_core::spec::Withholding;
use windlass_core::withhold::{LOOKED_AT, Reason, beginning, brings_a_key, looks_secret};
use windlass_core::words::quoted;

use windlass_git::commit::{CommitError, Made};
use windlass_git::git::{GitError, ObjectId, Repository};
use windlass_git::inventory::{Entry, EntryKind, Inventory, LARGEST_KEPT, as_path};
use windlass_git::snapshot::{SnapshotError, Store};
use windlass_host::tree::{Attributes, at};

/// So many are named.
const NAMED: usize = 20;

/// `commit.allow`: patterns as in `.gitignore`, from a repository's top.
#[derive(Debug)]
pub(crate) struct Allowed(Gitignore);

impl Allowed {
    /// A pattern that cannot be understood allows nothing.
    pub fn new(top: &Path, patterns: &[String]) -> Allowed {
        let mut builder = GitignoreBuilder::new(top);
        for pattern in patterns {
            drop(builder.add_line(None, pattern));
        }
        Allowed(builder.build().unwrap_or_else(|_| Gitignore::empty()))
    }

    /// Is the file with this path allowed?
    pub fn holds(&self, path: &[u8]) -> bool {
        self.0.matched_path_or_any_parents(as_path(path), false).is_ignore()
    }
}

/// What the judgement needs to see.
#[derive(Debug)]
pub(crate) struct Scene<'a> {
    pub repository: &'a Repository,
    pub store: &'a Store,
    /// The tree that is to be committed.
    pub candidate: &'a Inventory,
}

/// What is held back: paths with reasons.
pub(crate) type WithheldPaths = Vec<(Vec<u8>, Reason)>;

/// Takes from the changed paths what is held back.
pub(crate) fn hold_back(
    scene: &Scene<'_>,
    rules: &Withholding,
    changed: &mut Vec<Vec<u8>>,
) -> Result<WithheldPaths, CommitError> {
    let allowed = Allowed::new(&scene.repository.top, &rules.allow);
    let mut held = WithheldPaths::new();
    for path in changed.iter() {
        let Some(entry) = scene.candidate.entry(path).filter(|entry| is_file(entry)) else { continue };
        if allowed.holds(path) {
            continue;
        }
        if let Some(reason) = reason(scene, rules, entry)? {
            held.push((path.clone(), reason));
        }
    }
    changed.retain(|path| !held.iter().any(|(kept, _)| kept == path));
    Ok(held)
}

/// As they are named in the journal.
pub(crate) fn named(held: &WithheldPaths) -> Vec<String> {
    let name = |(path, reason): &(Vec<u8>, Reason)| format!("{} ({reason})", shown(path));
    let mut named: Vec<String> = held.iter().take(NAMED - 1).map(name).collect();
    match held.get(NAMED - 1..) {
        Some([only]) => named.push(name(only)),
        Some(more) if !more.is_empty() => named.push(format!("and {} more", more.len())),
        _ => {}
    }
    named
}

/// Where what is held back stays.
#[derive(Clone, Copy, Debug)]
pub(crate) enum StaysIn<'a> {
    /// In the directory that a person works in.
    WorkingTree,
    /// In the snapshot of an iteration alone, since a lane's checkout goes: the command that has its files.
    Snapshot(&'a str),
}

/// What a person is told of it.
pub(crate) fn notice(held: &WithheldPaths, place: StaysIn<'_>) -> Option<String> {
    let (first, _) = held.first()?;
    let typed = quoted(OsStr::from_bytes(first));
    let (it, stays, is) = if held.len() == 1 { ("it", "stays", "is") } else { ("they", "stay", "are") };
    let beyond = held.iter().filter(|(_, reason)| is_beyond_snapshots(reason)).count();
    let stays = match place {
        StaysIn::WorkingTree => {
            let kept = match beyond {
                0 => " and in snapshots",
                all if all == held.len() => " alone: no snapshot holds a file over 50 MB",
                _ => " and, those up to 50 MB, in snapshots",
            };
            format!(
                "{it} {stays} in the working tree{kept}. Commit by hand what belongs there (`git add -f -- {typed}`)"
            )
        }
        StaysIn::Snapshot(_) if beyond == held.len() => format!(
            "{it} {is} over 50 MB, which no snapshot holds either, and put aside when the lane goes on. Take from there what \
             belongs to the project"
        ),
        StaysIn::Snapshot(command) => {
            let but = if beyond == 0 {
                ""
            } else {
                ", but for those over 50 MB, which are put aside when the lane goes on"
            };
            format!(
                "{it} {is} in the snapshot of that iteration alone{but}. Have its files here (`{command}`)"
            )
        }
    };
    let pattern = shown(first).replace(['\\', '"'], "?");
    let allowed = quoted(format!("[\"/{pattern}\"]").as_ref());
    Some(format!(
        "held back from the commit: {}; {stays}, or allow it: windlass config set commit.allow {allowed}; keep the rest \
         out with .gitignore",
        named(held).join(", ")
    ))
}

/// Is it larger than any file of a snapshot?
const fn is_beyond_snapshots(reason: &Reason) -> bool {
    matches!(reason, Reason::Large(size) if *size > LARGEST_KEPT)
}

fn is_file(entry: &Entry) -> bool {
    matches!(entry.kind, EntryKind::File | EntryKind::Executable) && !entry.ignored
}

fn reason(scene: &Scene<'_>, rules: &Withholding, entry: &Entry) -> Result<Option<Reason>, CommitError> {
    let last = LastCommit { repository: scene.repository, commit: Some("HEAD".to_owned()) };
    if last.is_too_large(rules, &entry.path, entry.size)? {
        return Ok(Some(Reason::Large(entry.size)));
    }
    let Some(content) = content(scene.store, &entry.content)? else { return Ok(None) };
    Ok(last.secret(&entry.path, &content)?)
}

/// Of what hooks have put into a commit, what would have been held back from it: as it is there.
pub(crate) fn held_back_in(
    repository: &Repository,
    rules: &Withholding,
    made: &Made,
) -> Result<WithheldPaths, GitError> {
    let allowed = Allowed::new(&repository.top, &rules.allow);
    let commit = made.commit.to_string();
    let last = LastCommit { repository, commit: made.before.map(|before| before.to_string()) };
    let files = repository.files_of(&commit)?;
    let is_file = |path: &&Vec<u8>| {
        files.get(*path).is_some_and(|(kind, _)| matches!(kind, EntryKind::File | EntryKind::Executable))
    };
    let mut held = WithheldPaths::new();
    for path in made.altered.iter().filter(is_file).filter(|path| !allowed.holds(path)) {
        let size = repository.size_in(&commit, path)?.unwrap_or_default();
        let reason = if last.is_too_large(rules, path, size)? {
            Some(Reason::Large(size))
        } else {
            let content = repository.content_in(&commit, path)?;
            content.map_or(Ok(None), |content| last.secret(path, &content))?
        };
        held.extend(reason.map(|reason| (path.clone(), reason)));
    }
    Ok(held)
}

/// What was committed last: what is in it was let through before.
struct LastCommit<'a> {
    repository: &'a Repository,
    /// `None` = there is none.
    commit: Option<String>,
}

impl LastCommit<'_> {
    fn size(&self, path: &[u8]) -> Result<Option<u64>, GitError> {
        let size_in = |commit: &String| self.repository.size_in(commit, path);
        Ok(self.commit.as_ref().map(size_in).transpose()?.flatten())
    }

    fn is_too_large(&self, rules: &Withholding, path: &[u8], size: u64) -> Result<bool, GitError> {
        let Some(most) = rules.large_file.filter(|most| size > *most) else { return Ok(false) };
        // What was committed in such a size is one of the project's; what a filter takes in leaves a pointer.
        let was_large = self.size(path)?.is_some_and(|size| size > most);
        Ok(!was_large && self.repository.filters(&[path])?.is_empty())
    }

    fn secret(&self, path: &[u8], content: &[u8]) -> Result<Option<Reason>, GitError> {
        let is_named_so = looks_secret(&String::from_utf8_lossy(path), beginning(content));
        if is_named_so && self.size(path)?.is_none() {
            return Ok(Some(Reason::Name));
        }
        if !brings_a_key(b"", content) {
            return Ok(None);
        }
        // Not what was there before: that may have been held back as well.
        let content_in = |commit: &String| self.repository.content_in(commit, path);
        let before = self.commit.as_ref().map(content_in).transpose()?.flatten();
        Ok(brings_a_key(&before.unwrap_or_default(), content).then_some(Reason::Key))
    }
}

/// Why a file that no commit has would be held back; a link never is.
pub(crate) fn reason_for_new(
    top: &Path,
    rules: &Withholding,
    allowed: &Allowed,
    path: &[u8],
) -> Option<Reason> {
    let file = at(top).join(as_path(path));
    let found = file.look().ok().flatten().filter(Attributes::is_regular)?;
    if allowed.holds(path) {
        return None;
    }
    if rules.large_file.is_some_and(|most| found.size > most) {
        return Some(Reason::Large(found.size));
    }
    let content = file.read_beginning(LOOKED_AT).ok().flatten()?;
    if looks_secret(&String::from_utf8_lossy(path), &content) {
        return Some(Reason::Name);
    }
    brings_a_key(b"", &content).then_some(Reason::Key)
}

/// Of these files that no commit has (paths from the top), those that the runner would not commit without a person's word.
pub fn held_back_if_new<'a>(
    top: &Path,
    rules: &Withholding,
    new: impl Iterator<Item = &'a Path>,
) -> Vec<&'a Path> {
    let allowed = Allowed::new(top, &rules.allow);
    let is_held = |path: &&Path| reason_for_new(top, rules, &allowed, path.as_os_str().as_bytes()).is_some();
    new.filter(is_held).collect()
}

/// A content as it was judged; `None` when it was too large to be kept.
fn content(store: &Store, id: &ObjectId) -> Result<Option<Vec<u8>>, CommitError> {
    match store.content(id) {
        Ok(content) => Ok(Some(content)),
        Err(SnapshotError::File(error)) if error.is_not_found() => Ok(None),
        Err(error) => Err(error.into()),
    }
}

pub(crate) fn shown(path: &[u8]) -> String {
    String::from_utf8_lossy(path).replace(char::is_control, "?")
}
