//! The specs of a job: the Markdown files of a folder and of those below it.

use std::path::{Path, PathBuf};

use windlass_core::spec::JobPlan;
use windlass_jobs::doc::plan::SpecNames;

use crate::document;
use windlass_host::tree::{Kind, TreePath, at};

/// So many files below the folder are looked at.
const MOST_FILES: usize = 10_000;

/// So deep are folders looked into.
const DEEPEST: usize = 16;

/// The longest spec that is read, in bytes.
const LONGEST_SPEC: usize = 4 * 1024 * 1024;

/// The specs that were found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FoundSpecs {
    /// Their names.
    pub names: SpecNames,
    /// What else is there, and why it is not a spec.
    pub skipped: Vec<SkippedFile>,
    folder: Option<TreePath>,
}

/// A file among the specs that is none, or cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SkippedFile {
    /// Its path from the working directory, as people read it.
    pub path: String,
    /// Why, as the end of a sentence that begins with the path.
    pub why: String,
}

/// Finds a job's specs by name; what is in them is not looked at.
pub fn find_specs(directory: &Path, places: &JobPlan) -> FoundSpecs {
    let Some(folder) = &places.specs else {
        return FoundSpecs::default();
    };
    let shown = folder.display().to_string();
    let mut walk = Walk {
        top: at(directory).join(folder),
        shown: shown.clone(),
        names: Vec::new(),
        skipped: Vec::new(),
        seen: 0,
    };
    if walk.top.is_taken() {
        walk.enter(Path::new(""), 0);
    }
    walk.names.sort();
    walk.skipped.sort_by(|one, other| one.path.cmp(&other.path));
    let beside = at(directory).entries().into_iter().flatten();
    let beside =
        beside.take(MOST_FILES).map(|entry| PathBuf::from(entry.name)).filter(|name| is_markdown(name));
    let beside = beside.map(|name| name.display().to_string());
    let names = SpecNames::new(&shown, walk.names).with_others(beside);
    FoundSpecs { names, skipped: walk.skipped, folder: Some(walk.top) }
}

impl FoundSpecs {
    /// The text of a spec, by its name.
    pub fn text(&self, name: &str) -> Result<String, SkippedFile> {
        let path = if self.names.folder().is_empty() {
            name.to_owned()
        } else {
            format!("{}/{name}", self.names.folder())
        };
        let skipped = |why: &str| SkippedFile { path: path.clone(), why: why.to_owned() };
        let path_of = |folder: &TreePath| document::read(&folder.join(name), LONGEST_SPEC);
        let content = self.folder.as_ref().and_then(path_of);
        let bytes = content.ok_or_else(|| skipped("is gone"))?.map_err(|why| skipped(&why))?;
        if bytes.len() > LONGEST_SPEC {
            return Err(skipped("is longer than a spec may be, which is 4 MiB"));
        }
        if bytes.contains(&0) {
            return Err(skipped("is binary"));
        }
        String::from_utf8(bytes).map_err(|_| skipped("is not UTF-8"))
    }
}

struct Walk {
    top: TreePath,
    shown: String,
    names: Vec<String>,
    skipped: Vec<SkippedFile>,
    seen: usize,
}

impl Walk {
    /// Looks into a folder, relative to the top.
    fn enter(&mut self, folder: &Path, depth: usize) {
        let entries = match self.top.join(folder).entries() {
            Ok(entries) => entries,
            Err(error) => return self.skip(folder, format!("cannot be read: {}", error.source)),
        };
        let mut paths: Vec<PathBuf> = Vec::new();
        for entry in entries {
            self.seen += 1;
            if self.seen > MOST_FILES {
                return self
                    .skip(folder, format!("holds more files than are looked at, which is {MOST_FILES}"));
            }
            if !entry.name.to_string_lossy().starts_with('.') {
                paths.push(folder.join(entry.name));
            }
        }
        paths.sort();
        for path in paths {
            self.take(&path, depth);
        }
    }

    fn take(&mut self, path: &Path, depth: usize) {
        let at = self.top.join(path);
        let is_link = at.is_link();
        match at.look_through().map(|found| found.map(|found| found.kind)) {
            Ok(Some(Kind::Folder)) if is_link => {
                self.skip(path, "is a link to a folder".to_owned());
            }
            Ok(Some(Kind::Folder)) if depth >= DEEPEST => {
                self.skip(path, "lies too deep".to_owned());
            }
            Ok(Some(Kind::Folder)) => self.enter(path, depth + 1),
            Ok(None) => self.skip(path, "is a link that leads nowhere".to_owned()),
            Ok(Some(kind)) if kind != Kind::File => self.skip(path, "is not a file".to_owned()),
            Ok(_) if !is_markdown(path) => self.skip(path, "is not a Markdown file".to_owned()),
            Ok(_) => match path.to_str() {
                Some(name) => self.names.push(name.to_owned()),
                None => self.skip(path, "has a name that is not UTF-8".to_owned()),
            },
            Err(error) => self.skip(path, format!("cannot be read: {error}")),
        }
    }

    fn skip(&mut self, path: &Path, why: String) {
        let shown = Path::new(&self.shown).join(path).display().to_string();
        self.skipped.push(SkippedFile { path: shown.trim_end_matches('/').to_owned(), why });
    }
}

pub(super) fn is_markdown(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("md"))
}
