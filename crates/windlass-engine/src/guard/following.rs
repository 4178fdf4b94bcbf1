//! What a check starts, followed from command to script to command.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

// outside: it is asked only whether a script beyond the project may be written.
use rustix::fs::{Access, access};
use windlass_core::dots::without_dots;
use windlass_core::guard::{
    BuildFile, BuildTool, Inclusion, SearchedFolder, UnnamedFolder, build_files, scripts_started,
    searched_folders, tools_called, unfollowed, unnamed_folders, unwritten_targets, words_of,
};
use windlass_core::spec::Unfollowed;

use super::packages::Packages;
use super::{digest, inside, links, text_of};
use windlass_git::inventory::Place;
use windlass_host::tree::at;

/// A check starts a script that starts a script.
const DEEPEST: usize = 3;

/// Files of build tools read others.
const MOST_FILES: usize = 200;

/// What is found by following what checks start.
pub(super) struct Inspection<'a> {
    place: &'a Place,
    /// Relative to the root.
    pub files: BTreeSet<PathBuf>,
    pub tools: BTreeSet<String>,
    /// Of files that are read by a pattern: relative to the root.
    pub patterns: BTreeSet<String>,
    pub packages: Packages,
    pub unfollowed: BTreeSet<Unfollowed>,
    /// Scripts outside of the project that whoever runs the checks may write.
    pub outside: BTreeSet<String>,
}

impl Inspection<'_> {
    pub fn new(place: &Place) -> Inspection<'_> {
        Inspection {
            place,
            files: BTreeSet::new(),
            tools: BTreeSet::new(),
            patterns: BTreeSet::new(),
            packages: Packages::default(),
            unfollowed: BTreeSet::new(),
            outside: BTreeSet::new(),
        }
    }

    /// A file that a check reads, and what it is a link to: whoever changes either changes the check.
    fn take(&mut self, path: &Path) -> bool {
        let way = links::way(&self.place.root, path);
        if way.leads_out {
            let pattern = path.to_str().map(str::to_owned);
            let command = format!("{}: a link that leads out of the project", path.display());
            self.unfollowed.insert(Unfollowed { command, pattern });
        }
        let is_new = self.files.insert(path.to_owned());
        self.files.extend(way.files);
        is_new
    }

    /// What a check says is to be run in the working directory.
    pub fn read_command(&mut self, text: &str) {
        self.read(text, (None, Path::new("")), 0);
        self.name_unfollowed_scripts(text);
    }

    /// What a check names that looks like a program, and is not known to be started: perhaps a tool starts it that nobody knows here.
    fn name_unfollowed_scripts(&mut self, text: &str) {
        for word in words_of(text) {
            let Some(path) = self.inside(Path::new(&word)).filter(|path| !self.files.contains(path)) else {
                continue;
            };
            let is_program =
                self.is_file(&path) && self.text(&path).is_some_and(|text| text.starts_with("#!"));
            if let Some(pattern) = path.to_str().filter(|_| is_program) {
                let command = text.trim().to_owned();
                self.unfollowed.insert(Unfollowed { command, pattern: Some(pattern.to_owned()) });
            }
        }
    }

    /// A command, or what stands in a file that one starts. `own` is the folder of that script, `folder` is where it is run; both
    /// relative to the working directory.
    fn read(&mut self, text: &str, (own, folder): (Option<&Path>, &Path), depth: usize) {
        self.tools.extend(tools_called(text));
        self.unfollowed.extend(unfollowed(text));
        self.name_search_path(text, folder);
        for place in self.started_in(text, own, folder) {
            self.read_in(text, &place, depth);
        }
    }

    /// Where a text has programs looked for in the project: an agent can put others there, under the names of those that it calls.
    fn name_search_path(&mut self, text: &str, folder: &Path) {
        for SearchedFolder { command, folder: named } in searched_folders(text) {
            let inside = named.map(|named| self.inside(&folder.join(named)));
            if inside == Some(None) {
                continue;
            }
            let path = inside.flatten().filter(|path| path != Path::new(""));
            let pattern = path.and_then(|path| Some(format!("{}/**", path.to_str()?)));
            self.unfollowed.insert(Unfollowed { command, pattern });
        }
    }

    /// A script outside of the project, unless only others may write it: then an agent cannot either.
    fn take_outside(&mut self, path: &Path) {
        let full = without_dots(&self.place.directory.join(path));
        let is_ours = access(&full, Access::WRITE_OK).is_ok();
        if is_ours && text_of(&full).is_some_and(|text| !text.contains('\0')) {
            self.outside.insert(full.display().to_string());
        }
    }

    /// Where what a text starts may be: where it is started itself, unless it goes to a folder that it does not name.
    fn started_in(&self, text: &str, own: Option<&Path>, folder: &Path) -> BTreeSet<PathBuf> {
        let unnamed = unnamed_folders(text);
        let mut places: BTreeSet<PathBuf> = BTreeSet::new();
        for unnamed in &unnamed {
            let (own, top) = (own.map(Path::to_owned), Some(self.place.root.clone()));
            match unnamed {
                UnnamedFolder::OfTheScript => places.extend(own),
                UnnamedFolder::Top => places.extend(top),
                UnnamedFolder::Unknown => places.extend(own.into_iter().chain(top)),
            }
        }
        if places.is_empty() || unnamed.contains(&UnnamedFolder::Unknown) {
            places.insert(folder.to_owned());
        }
        places
    }

    /// The same, where what it starts is in this folder.
    fn read_in(&mut self, text: &str, folder: &Path, depth: usize) {
        for file in build_files(text) {
            self.build_file(&file, folder, depth);
        }
        for script in scripts_started(text) {
            let named = folder.join(&script);
            let Some(path) = self.inside(&named) else {
                self.take_outside(&named);
                continue;
            };
            if !self.is_script(&path) {
                continue;
            }
            if self.take(&path)
                && depth < DEEPEST
                && let Some(text) = self.text(&path)
            {
                self.read(&text, (self.folder_of(&path).as_deref(), folder), depth + 1);
            }
        }
        // What was found before is not followed again, so that this ends.
        for script in self.packages.take(self.place, text, folder) {
            self.read(&script.command, (None, &script.folder), depth);
        }
    }

    /// The file that a build tool goes by, and what that reads.
    fn build_file(&mut self, file: &BuildFile, folder: &Path, depth: usize) {
        let names: Vec<PathBuf> = file.names.iter().map(|name| folder.join(name)).collect();
        let paths: Vec<Option<PathBuf>> = names.iter().map(|name| self.inside(name)).collect();
        let is_there = |path: &Option<PathBuf>| path.as_ref().is_some_and(|path| self.is_file(path));
        let Some(used) = paths.iter().position(is_there) else { return };
        // Those before the one that is read would be read instead, were they there.
        for path in paths.iter().take(used).flatten() {
            self.take(path);
        }
        let beside = names.get(used).and_then(|name| name.parent()).unwrap_or(folder).to_owned();
        let at = if file.tool.runs_beside_its_file() { beside } else { folder.join(&file.folder) };
        if let Some(Some(path)) = paths.get(used) {
            self.read_build_file(file, path, &at, depth);
        }
    }

    /// One file and what it includes, each once; `at`, relative to the working directory, is where what it says is run.
    fn read_build_file(&mut self, file: &BuildFile, path: &Path, at: &Path, depth: usize) {
        let tool = file.tool;
        let mut all = String::new();
        let mut open = vec![(path.to_owned(), at.to_owned())];
        while let Some((path, at)) = open.pop().filter(|_| self.files.len() < MOST_FILES) {
            if !self.take(&path) || depth >= DEEPEST {
                continue;
            }
            let Some(text) = self.text(&path) else { continue };
            all.extend(["\n", &text]);
            let places = self.places(tool, &path, &at);
            for included in tool.included(&text) {
                let found = self.include(included, &places);
                open.extend(found.into_iter().map(|path| (path, at.clone())));
            }
            let commands = tool.commands(&text);
            for place in places {
                self.read(&commands, (None, &place), depth + 1);
            }
        }
        if tool == BuildTool::Make {
            self.take_targets(&all, &file.goals, at);
        }
    }

    /// What would keep a makefile's rules from running, were it there.
    fn take_targets(&mut self, makefile: &str, goals: &[String], folder: &Path) {
        let names = unwritten_targets(makefile, goals);
        let paths = names.iter().filter_map(|name| self.inside(&folder.join(name)));
        let missing: Vec<PathBuf> = paths.filter(|path| digest(self.place, path).is_none()).collect();
        self.files.extend(missing);
    }

    /// Where what a file says may be run: where the one that includes it does, or where it lies itself.
    fn places(&self, tool: BuildTool, path: &Path, at: &Path) -> Vec<PathBuf> {
        let own = self.folder_of(path).filter(|own| tool.runs_beside_its_file() && own != at);
        std::iter::once(at.to_owned()).chain(own).collect()
    }

    /// The files that are read, as seen from these folders.
    fn include(&mut self, included: Inclusion, from: &[PathBuf]) -> Vec<PathBuf> {
        let mut found = Vec::new();
        match included {
            Inclusion::Unknown(command, pattern) => {
                self.unfollowed.insert(Unfollowed { command, pattern });
            }
            Inclusion::Pattern(pattern) => {
                let paths = from.iter().filter_map(|folder| self.inside(&folder.join(&pattern)));
                let patterns: Vec<String> =
                    paths.filter_map(|path| Some(format!("/{}", path.to_str()?))).collect();
                self.patterns.extend(patterns);
            }
            Inclusion::File(names) => {
                let of = |folder: &PathBuf| {
                    names.iter().filter_map(|name| self.inside(&folder.join(name))).collect()
                };
                let groups: Vec<Vec<PathBuf>> = from.iter().map(of).collect();
                found.extend(
                    groups.iter().filter_map(|paths| paths.iter().find(|path| self.is_file(path)).cloned()),
                );
                // One that is not there would be read as soon as somebody makes it.
                let missing = groups.first().and_then(|paths| paths.first());
                found.extend(missing.filter(|_| found.is_empty() && names.len() == 1).cloned());
            }
        }
        found
    }

    fn inside(&self, path: &Path) -> Option<PathBuf> {
        inside(self.place, path)
    }

    fn text(&self, path: &Path) -> Option<String> {
        text_of(&self.place.root.join(path))
    }

    fn is_file(&self, path: &Path) -> bool {
        at(&self.place.root).join(path).holds_file()
    }

    /// The folder of a file below the root, as seen from the working directory.
    fn folder_of(&self, path: &Path) -> Option<PathBuf> {
        let here = self.place.directory.strip_prefix(&self.place.root).ok()?;
        let own = path.parent()?;
        Some(own.strip_prefix(here).map_or_else(|_| self.place.root.join(own), Path::to_owned))
    }

    /// Something that was built is not a script: it is another one after each change. Whatever is text, a shell runs.
    fn is_script(&self, path: &Path) -> bool {
        self.is_file(path) && self.text(path).is_some_and(|text| !text.contains('\0'))
    }
}
