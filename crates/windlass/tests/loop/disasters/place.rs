//! A repository with everything in it that can be lost, and what of it a snapshot promises.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use windlass_testkit::TestEnv;

use super::PATIENCE;

/// Where the agent works.
pub struct Place {
    pub top: PathBuf,
}

/// How the repository is laid out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    Plain,
    Detached,
    Linked,
    Shallow,
    WithSubmodule,
}

pub const LAYOUTS: [Layout; 5] =
    [Layout::Plain, Layout::Detached, Layout::Linked, Layout::Shallow, Layout::WithSubmodule];

/// Files, what is in each, and what git shows of it.
#[derive(Debug, PartialEq, Eq)]
pub struct Promised {
    files: BTreeMap<PathBuf, (u32, Vec<u8>)>,
    references: BTreeMap<String, String>,
    said: Vec<(&'static str, String)>,
    settings: BTreeMap<PathBuf, (u32, Vec<u8>)>,
}

impl Place {
    pub fn new(env: &TestEnv, layout: Layout) -> Place {
        let main = env.project().to_path_buf();
        let place = Place { top: main };
        place.fill(env);
        if layout == Layout::WithSubmodule {
            place.add_submodule(env);
        }
        let place = match layout {
            Layout::Plain | Layout::WithSubmodule => place,
            Layout::Detached => {
                place.git(env, &["checkout", "-q", "--detach"]);
                place
            }
            Layout::Linked => {
                let linked = env.root().join("linked");
                place.git(env, &["checkout", "-q", "--detach"]);
                place.git(env, &["worktree", "add", "-q", linked.to_str().unwrap(), "main"]);
                Place { top: linked }
            }
            Layout::Shallow => place.shallow(env),
        };
        place.dirty(env);
        place
    }

    /// A plain one.
    pub fn plain(env: &TestEnv) -> Place {
        Place::new(env, Layout::Plain)
    }

    fn fill(&self, env: &TestEnv) {
        self.git(env, &["init", "-q", "-b", "main"]);
        self.write(".gitignore", "ignored/\n.env\n");
        self.write("a.txt", "one\n");
        self.write("deep/b.txt", "one\n");
        self.write("run.sh", "#!/bin/sh\n");
        fs::set_permissions(self.top.join("run.sh"), PermissionsExt::from_mode(0o755)).unwrap();
        symlink("a.txt", self.top.join("link")).unwrap();
        self.commit(env, "first");
        self.git(env, &["checkout", "-q", "-b", "other"]);
        self.write("deep/b.txt", "other\n");
        self.commit(env, "other");
        self.git(env, &["checkout", "-q", "main"]);
        for text in ["two\n", "three\n"] {
            self.write("deep/b.txt", text);
            self.commit(env, text.trim());
        }
        self.git(env, &["branch", "packed", "main~2"]);
        self.git(env, &["tag", "-a", "-m", "annotated", "v1", "main~2"]);
        self.git(env, &["pack-refs", "--all"]);
        self.git(env, &["tag", "v2", "main~2"]);
        self.git(env, &["update-ref", "refs/mine/x", "main~1"]);
        self.git(env, &["notes", "add", "-m", "a person's", "main~1"]);
        for text in ["stash one\n", "stash two\n"] {
            self.write("a.txt", text);
            self.git(env, &["stash", "-q"]);
        }
        let hooks = self.top.join(".git/hooks");
        fs::create_dir_all(&hooks).unwrap();
        fs::write(hooks.join("pre-push"), "#!/bin/sh\nexit 0\n").unwrap();
        fs::set_permissions(hooks.join("pre-push"), PermissionsExt::from_mode(0o755)).unwrap();
    }

    /// A person's work that is nowhere but here.
    fn dirty(&self, env: &TestEnv) {
        self.write("a.txt", "a person was here\n");
        self.write("run.sh", "#!/bin/sh\necho\n");
        self.write("staged", "staged\n");
        self.git(env, &["add", "staged", "run.sh"]);
        self.write("untracked", [0, 255, b'\n']);
        self.write("new folder/tool", "#!/bin/sh\n");
        fs::set_permissions(self.top.join("new folder/tool"), PermissionsExt::from_mode(0o755)).unwrap();
        symlink("nowhere", self.top.join("new folder/broken link")).unwrap();
        self.write(".env", "SECRET=1\n");
    }

    fn add_submodule(&self, env: &TestEnv) {
        let inner = Place { top: env.root().join("inner") };
        fs::create_dir_all(&inner.top).unwrap();
        inner.git(env, &["init", "-q", "-b", "main"]);
        inner.write("inside", "x\n");
        inner.commit(env, "inner");
        let url = inner.top.to_str().unwrap();
        self.git(env, &["-c", "protocol.file.allow=always", "submodule", "add", "-q", url, "module"]);
        self.commit(env, "with a submodule");
    }

    /// A clone of the last three commits of all branches.
    fn shallow(&self, env: &TestEnv) -> Place {
        let top = env.root().join("shallow");
        let url = format!("file://{}", self.top.display());
        let place = Place { top: env.root().to_path_buf() };
        place.git(env, &["clone", "-q", "--depth", "3", "--no-single-branch", &url, top.to_str().unwrap()]);
        let place = Place { top };
        for branch in ["other", "packed"] {
            place.git(env, &["branch", "-q", branch, &format!("origin/{branch}")]);
        }
        for text in ["stash one\n", "stash two\n"] {
            place.write("a.txt", text);
            place.git(env, &["stash", "-q"]);
        }
        let hooks = place.top.join(".git/hooks");
        fs::create_dir_all(&hooks).unwrap();
        fs::write(hooks.join("pre-push"), "#!/bin/sh\n").unwrap();
        place
    }

    fn commit(&self, env: &TestEnv, message: &str) {
        self.git(env, &["add", "-A"]);
        self.git(env, &["commit", "-q", "-m", message]);
    }

    pub fn write(&self, path: &str, content: impl AsRef<[u8]>) {
        let path = self.top.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }

    /// What git prints; it has to work.
    pub fn git(&self, env: &TestEnv, arguments: &[&str]) -> String {
        let mut command = env.command("git");
        let outcome = env.run(command.args(arguments).current_dir(&self.top), PATIENCE);
        outcome.expect_success(&format!("git {arguments:?}"));
        outcome.stdout_text()
    }

    /// All that a snapshot promises.
    pub fn promised(&self, env: &TestEnv) -> Promised {
        let git = |arguments: &[&str]| self.git(env, arguments);
        // Of a submodule only its commit is promised.
        let said = vec![
            ("head", git(&["rev-parse", "--symbolic-full-name", "HEAD"]) + &git(&["rev-parse", "HEAD"])),
            ("status", git(&["status", "--porcelain=v2", "-z", "--ignore-submodules=all"])),
            ("index", git(&["ls-files", "--stage", "-z"])),
            ("stash", git(&["stash", "list", "--format=%H %gd %gs"])),
            ("under way", without_first_line(&git(&["status", "--ignore-submodules=all"]))),
            ("objects", git(&["log", "--all", "--oneline", "--no-decorate"]).len().min(1).to_string()),
        ];
        let references = git(&["for-each-ref"]);
        let reference =
            |line: &str| line.split_once('\t').map(|(what, name)| (name.to_owned(), what.to_owned()));
        let git_dir =
            PathBuf::from(git(&["rev-parse", "--path-format=absolute", "--git-common-dir"]).trim_end());
        let mut settings = listing(&git_dir.join("hooks"));
        settings.retain(|path, _| path.extension().is_none_or(|end| end != "sample"));
        for name in ["config", "info/exclude", "shallow"] {
            let content = fs::read(git_dir.join(name)).unwrap_or_default();
            settings.insert(PathBuf::from(name), (0, content));
        }
        let mut files = listing(&self.top);
        files.retain(|path, _| {
            !path.starts_with(".git") && !path.starts_with("module") && path != Path::new(".env")
        });
        Promised { files, references: references.lines().filter_map(reference).collect(), said, settings }
    }
}

impl Promised {
    /// Everything is as it was; references that were made since may be there as well.
    pub fn assert_is_back(&self, mut now: Promised, what: &str) {
        now.references.retain(|name, _| self.references.contains_key(name));
        assert_eq!(now.references, self.references, "references: {what}");
        assert_eq!(now.said, self.said, "git: {what}");
        assert_eq!(now.settings, self.settings, "settings: {what}");
        assert_eq!(now.files, self.files, "files: {what}");
    }
}

impl Promised {
    /// Nothing is missing that was there before, but where work went on: the branch that is checked out, and the files of tasks. What
    /// was staged may be no more.
    pub fn assert_has_what_is_elsewhere(&self, before: &Promised, what: &str) {
        for (name, value) in before.references.iter().filter(|(name, _)| *name != "refs/heads/main") {
            let is_stash = name == "refs/stash";
            assert!(
                is_stash || self.references.get(name) == Some(value),
                "{what}: {name} {:?}",
                self.references
            );
        }
        assert_eq!(self.stashes(), before.stashes(), "{what}");
        for (path, content) in before.files.iter().filter(|(path, _)| !path.ends_with("requirements.md")) {
            assert_eq!(self.files.get(path), Some(content), "{what}: {}", path.display());
        }
    }

    fn stashes(&self) -> Vec<&str> {
        let listed = self.said.iter().filter(|(name, _)| *name == "stash");
        listed.flat_map(|(_, list)| list.lines().filter_map(|line| line.split(' ').next())).collect()
    }
}

/// The first line says where HEAD was before, as the reflog has it; of that nothing is promised.
fn without_first_line(text: &str) -> String {
    text.split_once('\n').map(|(_, rest)| rest.to_owned()).unwrap_or_default()
}

/// Every file and link below a folder: whether it may be executed, and what is in it.
fn listing(folder: &Path) -> BTreeMap<PathBuf, (u32, Vec<u8>)> {
    let mut found = BTreeMap::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(&next).into_iter().flatten().map(Result::unwrap) {
            let (path, metadata) = (entry.path(), entry.metadata().unwrap());
            let name = path.strip_prefix(folder).unwrap().to_path_buf();
            if metadata.is_dir() {
                folders.push(path);
            } else if metadata.is_symlink() {
                let target = fs::read_link(&path).unwrap();
                found.insert(name, (0, target.as_os_str().as_bytes().to_vec()));
            } else {
                found.insert(name, (metadata.permissions().mode() & 0o100, fs::read(&path).unwrap()));
            }
        }
    }
    found
}
