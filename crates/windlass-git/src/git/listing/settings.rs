//! What of git's configuration bears on a listing. git itself is asked, and asked anew when a file changed that it read, or one
//! appeared that it would read.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::Unsure;
use crate::git::Repository;
use crate::git::as_path;
use crate::git::call::Call;
use windlass_host::tree::{self, Attributes, Stamps, at};

/// What was found, and by which files it can be told that it still holds.
#[derive(Debug)]
pub(super) struct Settings {
    /// The person's own file of what is ignored everywhere, if it is there.
    pub excludes: Option<PathBuf>,
    /// Whether git can be done without.
    pub sure: Result<(), Unsure>,
    files: Vec<(PathBuf, Option<Stamps>)>,
    /// None of the files was changed so shortly before that a further change might not show.
    settled: bool,
}

/// Extensions of repositories that change nothing about which files there are.
const HARMLESS: [&[u8]; 7] = [
    b"extensions.objectformat",
    b"extensions.compatobjectformat",
    b"extensions.worktreeconfig",
    b"extensions.partialclone",
    b"extensions.preciousobjects",
    b"extensions.refstorage",
    b"extensions.relativeworktrees",
];

impl Settings {
    /// What git says now.
    pub fn ask(repository: &Repository) -> Result<Settings, Unsure> {
        let now = SystemTime::now();
        let asked = Call::within(repository).args(["config", "--list", "-z", "--show-origin"]).output();
        let output = asked.map_err(|_| Unsure("git cannot say how it is configured"))?;
        let mut found = SettingsReader::new(repository);
        // Elsewhere names are compared in other ways.
        let is_usual = cfg!(target_os = "linux") && repository.tells_case_apart();
        let usual = if is_usual { Ok(()) } else { Err(Unsure("names that differ in case are the same")) };
        let sure = usual.and(found.read(&output));
        let files: Vec<(PathBuf, Option<Stamps>)> =
            found.files.into_iter().map(|path| (path.clone(), stamps(&path))).collect();
        let settled = files.iter().all(|(_, stamps)| stamps.is_none_or(|stamps| !stamps.are_fresh(now)));
        Ok(Settings { excludes: found.excludes, sure, files, settled })
    }

    /// Would git say the same?
    pub fn hold(&self) -> bool {
        self.settled && self.files.iter().all(|(path, before)| stamps(path) == *before)
    }
}

/// What the file system says of a file of configuration.
fn stamps(path: &Path) -> Option<Stamps> {
    let found: Attributes = if tree::is_known(path) {
        at(path).look_through().ok()??
    } else {
        // outside: a person's own file.
        path.metadata().ok().as_ref()?.into()
    };
    Some(Stamps::of(found))
}

struct SettingsReader<'repository> {
    repository: &'repository Repository,
    surroundings: Surroundings,
    files: Vec<PathBuf>,
    excludes: Option<PathBuf>,
}

impl SettingsReader<'_> {
    fn new(repository: &Repository) -> SettingsReader<'_> {
        let surroundings = Surroundings::current();
        let mut files = surroundings.files();
        files.push(repository.common_dir.join("config"));
        files.push(repository.git_dir.join("config.worktree"));
        let excludes = surroundings.configuration.as_ref().map(|folder| folder.join("git/ignore"));
        SettingsReader { repository, surroundings, files, excludes }
    }

    fn read(&mut self, output: &[u8]) -> Result<(), Unsure> {
        let own = self.repository.common_dir.join("config");
        let mut is_read = false;
        let mut words = output.split(|byte| *byte == 0);
        while let (Some(origin), Some(setting)) = (words.next(), words.next()) {
            let file = origin.strip_prefix(b"file:").map(|file| self.repository.top.join(as_path(file)));
            is_read |= file.as_ref() == Some(&own);
            self.files.extend(file.clone().filter(|file| !self.files.contains(file)));
            self.take(setting, file.as_deref())?;
        }
        if is_read { Ok(()) } else { Err(Unsure("git does not read the repository's configuration")) }
    }

    fn take(&mut self, setting: &[u8], file: Option<&Path>) -> Result<(), Unsure> {
        let end = memchr::memchr(b'\n', setting).unwrap_or(setting.len());
        let (name, value) = setting.split_at(end);
        let value = value.strip_prefix(b"\n");
        match name {
            b"core.worktree" if !self.repository.is_apart() => Err(Unsure("the files are elsewhere")),
            b"core.bare" if !self.repository.is_apart() && value != Some(b"false") => {
                Err(Unsure("the repository is said to be bare"))
            }
            b"core.repositoryformatversion" if !matches!(value, Some(b"0" | b"1")) => {
                Err(Unsure("the repository is of another format"))
            }
            b"core.excludesfile" => {
                self.excludes = Some(self.path(value, &self.repository.top)?);
                Ok(())
            }
            name if name.starts_with(b"extensions.") && !HARMLESS.contains(&name) => {
                Err(Unsure("the repository has an extension that is not known"))
            }
            name if name == b"include.path" || name.starts_with(b"includeif.") => {
                let condition = name.strip_prefix(b"includeif.").unwrap_or_default();
                if condition.starts_with(b"onbranch:") || condition.starts_with(b"hasconfig:") {
                    return Err(Unsure("the configuration depends on what is checked out"));
                }
                let folder = file.and_then(Path::parent).ok_or(Unsure("an include has no file"))?;
                let included = self.path(value, folder)?;
                self.files.push(included);
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// A path as git takes it.
    fn path(&self, value: Option<&[u8]>, folder: &Path) -> Result<PathBuf, Unsure> {
        match value {
            None | Some([] | [b'%' | b':', ..]) => Err(Unsure("a path in the configuration is special")),
            Some([b'~', rest @ ..]) => match (rest, &self.surroundings.home) {
                ([b'/', below @ ..], Some(home)) => Ok(home.join(as_path(below))),
                _ => Err(Unsure("a path in the configuration begins with somebody's home")),
            },
            Some(path) => Ok(folder.join(as_path(path))),
        }
    }
}

/// Where git looks for configuration, as far as its surroundings say.
struct Surroundings {
    home: Option<PathBuf>,
    /// `~/.config`, wherever that is.
    configuration: Option<PathBuf>,
    global: Option<PathBuf>,
    system: PathBuf,
}

impl Surroundings {
    fn current() -> Surroundings {
        // Tests see no configuration but their repository's own, as calls of git do.
        if cfg!(test) {
            return Surroundings::of(|_| None);
        }
        Surroundings::of(|name| std::env::var_os(name))
    }

    fn of(variable: impl Fn(&str) -> Option<OsString>) -> Surroundings {
        let path = |name: &str| variable(name).filter(|value| !value.is_empty()).map(PathBuf::from);
        let home = path("HOME");
        let configuration = path("XDG_CONFIG_HOME").or_else(|| Some(home.as_ref()?.join(".config")));
        let system = path("GIT_CONFIG_SYSTEM").unwrap_or_else(|| "/etc/gitconfig".into());
        Surroundings { home, configuration, global: path("GIT_CONFIG_GLOBAL"), system }
    }

    fn files(&self) -> Vec<PathBuf> {
        let own = || {
            let folder = self.configuration.as_ref().map(|folder| folder.join("git/config"));
            folder.into_iter().chain(self.home.as_ref().map(|home| home.join(".gitconfig"))).collect()
        };
        let mut files: Vec<PathBuf> = self.global.clone().map_or_else(own, |global| vec![global]);
        files.push(self.system.clone());
        files
    }
}
