//! What is copied into a fresh checkout.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};
use windlass_core::spec::BootstrapSpec;

use super::BootstrapError;
use crate::workspace::PROJECT_FOLDER;
use windlass_git::git::Repository;
use windlass_git::inventory::as_path;
use windlass_host::tree::{Kind, at};

/// The longest list, in bytes.
const LONGEST_LIST: usize = 1 << 20;

/// What is always wanted: without its configuration a run would have other limits and gates. Archives and logs are of no
/// use to it.
const ALWAYS: [&str; 4] =
    [".windlass/", "!**/.windlass/archive/", "!**/.windlass/workspaces/*/iterate-*.log", "!.windlass-*.tmp"];

/// Reasons that are said in full.
const SAID: usize = 5;

/// What is to be copied.
#[derive(Debug, Default)]
pub(super) struct Chosen {
    /// Files and links, relative to the top.
    pub files: Vec<PathBuf>,
    /// What was wanted and is not copied: a sentence each.
    pub left_out: Vec<String>,
}

/// Looks through what git does not track in a working tree.
pub(super) fn choose(repository: &Repository, plan: &BootstrapSpec) -> Result<Chosen, BootstrapError> {
    let list = plan.include_file.as_ref().map(|file| repository.top.join(file));
    let rules = Rules::read(&repository.top, list.as_deref())?;
    let mut look = Look { top: &repository.top, rules, found: ChosenFiles::default() };
    for path in repository.list_untracked()? {
        let is_folder = path.ends_with(b"/");
        let path = as_path(path.strip_suffix(b"/").unwrap_or(&path));
        if is_folder { look.folder(path) } else { look.file(path) }
    }
    let found = look.found;
    if let Some(allowed) = plan.include_bytes.filter(|allowed| found.bytes > *allowed) {
        let include = list.unwrap_or_else(|| repository.top.join(PROJECT_FOLDER));
        return Err(BootstrapError::TooMuch {
            include,
            wanted: found.bytes,
            allowed,
            largest: found.largest(),
        });
    }
    Ok(found.chosen())
}

/// Which paths are wanted.
pub(super) struct Rules {
    matcher: Gitignore,
    /// Somebody named more than what is always wanted.
    is_asked: bool,
}

impl Rules {
    fn read(top: &Path, list: Option<&Path>) -> Result<Rules, BootstrapError> {
        let bytes = match list {
            Some(path) => at(path).read_beginning(LONGEST_LIST)?.map(|bytes| (path, bytes)),
            None => None,
        };
        Rules::of(top, bytes.as_ref().map(|(path, bytes)| (*path, &**bytes)))
    }

    /// What a list with these bytes wants, besides what is always wanted.
    pub(super) fn of(top: &Path, list: Option<(&Path, &[u8])>) -> Result<Rules, BootstrapError> {
        let mut builder = GitignoreBuilder::new(top);
        for line in ALWAYS {
            // Each of them is right, as every test shows.
            drop(builder.add_line(None, line));
        }
        let mut is_asked = false;
        if let Some((path, bytes)) = list {
            if bytes.len() > LONGEST_LIST {
                return Err(BootstrapError::LongList(path.to_owned()));
            }
            let text = String::from_utf8_lossy(bytes);
            let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
            for (number, line) in text.lines().enumerate() {
                is_asked |= !line.trim().is_empty() && !line.starts_with('#');
                builder.add_line(None, line).map_err(|error| BootstrapError::Pattern {
                    path: path.to_owned(),
                    line: number + 1,
                    problem: error.to_string().replace(char::is_control, "\u{fffd}"),
                })?;
            }
        }
        // Nothing wanted at all would be worse: the project's own configuration would not come along, either.
        let matcher = builder.build().map_err(|error| BootstrapError::Patterns {
            path: list.map_or_else(|| top.to_owned(), |(path, _)| path.to_owned()),
            problem: error.to_string().replace(char::is_control, "\u{fffd}"),
        })?;
        Ok(Rules { matcher, is_asked })
    }

    /// Is it wanted, where what it lies in is (or is not)?
    pub(super) fn wants(&self, path: &Path, is_folder: bool, inherited: bool) -> bool {
        match self.matcher.matched(path, is_folder) {
            Match::Ignore(_) => true,
            Match::Whitelist(_) => false,
            Match::None => inherited,
        }
    }

    /// Is the folder wanted that a path lies in?
    pub(super) fn wants_above(&self, path: &Path) -> bool {
        let mut above: Vec<&Path> =
            path.ancestors().skip(1).filter(|above| !above.as_os_str().is_empty()).collect();
        above.reverse();
        above.into_iter().fold(false, |wanted, above| self.wants(above, true, wanted))
    }

    /// Need it be looked into, although it is not wanted itself?
    fn may_hold_more(&self, path: &Path) -> bool {
        self.is_asked || is_below_project_folder(path)
    }
}

fn is_below_project_folder(path: &Path) -> bool {
    path.iter().any(|name| name == PROJECT_FOLDER)
}

struct Look<'a> {
    top: &'a Path,
    rules: Rules,
    found: ChosenFiles,
}

impl Look<'_> {
    /// A file or link that git lists by itself.
    fn file(&mut self, path: &Path) {
        let wanted = self.rules.wants_above(path);
        if self.rules.wants(path, false, wanted) {
            self.found.take(self.top, path);
        }
    }

    /// A folder in which nothing is tracked.
    fn folder(&mut self, path: &Path) {
        let inherited = self.rules.wants_above(path);
        let wanted = self.rules.wants(path, true, inherited);
        let mut waiting = vec![(path.to_owned(), wanted)];
        while let Some((folder, wanted)) = waiting.pop() {
            if !wanted && !self.rules.may_hold_more(&folder) {
                continue;
            }
            let full = at(self.top).join(&folder);
            if full.join(".git").is_taken() {
                self.found.leave_out(wanted, &folder, "is a repository of its own");
                continue;
            }
            let entries = match full.entries() {
                Ok(entries) => entries,
                Err(error) => {
                    self.found.leave_out(wanted, &folder, &format!("cannot be read: {}", error.source));
                    continue;
                }
            };
            for entry in entries {
                let path = folder.join(entry.name);
                let is_folder = entry.kind == Kind::Folder;
                let wanted = self.rules.wants(&path, is_folder, wanted);
                if is_folder {
                    waiting.push((path, wanted));
                } else if wanted {
                    self.found.take(self.top, &path);
                }
            }
        }
    }
}

#[derive(Default)]
struct ChosenFiles {
    files: Vec<PathBuf>,
    bytes: u64,
    /// Bytes by what lies at the top.
    shares: BTreeMap<PathBuf, u64>,
    left_out: Vec<String>,
    more_left_out: usize,
}

impl ChosenFiles {
    fn take(&mut self, top: &Path, path: &Path) {
        // It may have gone away meanwhile.
        let Ok(Some(found)) = at(top).join(path).look() else { return };
        if found.is_link() {
            match leads(top, path) {
                Leads::Inside => self.files.push(path.to_owned()),
                Leads::Outside => self.leave_out(true, path, "is a link that leads out of the project"),
            }
        } else if found.is_regular() {
            self.bytes = self.bytes.saturating_add(found.size);
            let share = path.iter().next().unwrap_or(OsStr::new(""));
            *self.shares.entry(PathBuf::from(share)).or_default() += found.size;
            self.files.push(path.to_owned());
        } else {
            self.leave_out(true, path, "is neither a file nor a link");
        }
    }

    fn leave_out(&mut self, wanted: bool, path: &Path, why: &str) {
        if !wanted {
            return;
        }
        if self.left_out.len() < SAID {
            self.left_out.push(format!("{} is not copied: it {why}", path.display()));
        } else {
            self.more_left_out += 1;
        }
    }

    fn largest(&self) -> PathBuf {
        let most = self.shares.iter().max_by_key(|(_, bytes)| **bytes);
        most.map(|(path, _)| path.clone()).unwrap_or_default()
    }

    fn chosen(self) -> Chosen {
        let ChosenFiles { mut files, mut left_out, more_left_out, .. } = self;
        files.sort_unstable();
        if more_left_out > 0 {
            left_out.push(format!("{more_left_out} more paths are not copied"));
        }
        Chosen { files, left_out }
    }
}

enum Leads {
    Inside,
    Outside,
}

/// Where a link leads in a copy of the project: by its own words, and by what it meets on the way here.
fn leads(top: &Path, link: &Path) -> Leads {
    let Ok(target) = at(top).join(link).link_target() else { return Leads::Outside };
    let mut depth = link.iter().count().saturating_sub(1);
    for part in target.components() {
        match part {
            std::path::Component::Normal(_) => depth += 1,
            std::path::Component::CurDir => {}
            // An absolute one leads into the source, not into the copy.
            std::path::Component::ParentDir if depth > 0 => depth -= 1,
            _ => return Leads::Outside,
        }
    }
    // outside: only where it leads is asked.
    let Ok(top) = top.canonicalize() else { return Leads::Outside };
    // outside: the same.
    match top.join(link).canonicalize() {
        Ok(real) => match real.strip_prefix(&top) {
            Ok(inside) if inside.iter().all(|name| name != ".git") => Leads::Inside,
            _ => Leads::Outside,
        },
        // It leads nowhere; in the copy it does so, too.
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Leads::Inside,
        Err(_) => Leads::Outside,
    }
}
