//! The forge's own copy of the repository: bare, and changed by git alone.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::{NAME, OWNER};

/// A bare repository.
#[derive(Debug)]
pub struct Bare {
    /// The folder that holds `OWNER/NAME.git`.
    pub root: PathBuf,
    path: PathBuf,
}

impl Bare {
    /// A copy of the branch `main` of a project.
    pub fn create(root: &Path, project: &Path) -> Bare {
        let path = root.join(OWNER).join(format!("{NAME}.git"));
        fs::create_dir_all(&path).expect("a folder for the forge's repository");
        let bare = Bare { root: root.to_owned(), path };
        bare.git(&["init", "--quiet", "--bare", "--initial-branch", "main"]);
        bare.git(&["config", "http.receivepack", "true"]);
        let project = project.display().to_string();
        bare.git(&["fetch", "--quiet", &project, "main:main"]);
        bare
    }

    /// Runs git in it; what it printed, without the last newline.
    pub fn git(&self, arguments: &[&str]) -> String {
        self.tried(arguments).unwrap_or_else(|said| panic!("git {arguments:?} in the forge: {said}"))
    }

    /// The same where it may fail.
    pub fn tried(&self, arguments: &[&str]) -> Result<String, String> {
        let mut command = Command::new("git");
        command.arg("--git-dir").arg(&self.path).args(arguments).env_remove("GIT_DIR");
        for (name, value) in IDENTITY {
            command.env(name, value);
        }
        let output = command.output().expect("git");
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim_end().to_owned();
        if output.status.success() { Ok(text(&output.stdout)) } else { Err(text(&output.stderr)) }
    }

    pub fn tip(&self, branch: &str) -> Option<String> {
        self.tried(&["rev-parse", "--verify", "--quiet", &format!("refs/heads/{branch}")]).ok()
    }

    pub fn log(&self, branch: &str) -> Vec<String> {
        self.git(&["log", "--format=%H %s", branch]).lines().map(str::to_owned).collect()
    }

    pub fn parents(&self, commit: &str) -> Vec<String> {
        let line = self.git(&["rev-list", "--parents", "-n1", commit]);
        line.split_whitespace().skip(1).map(str::to_owned).collect()
    }

    pub fn has(&self, commit: &str, ancestor: &str) -> bool {
        self.tried(&["merge-base", "--is-ancestor", ancestor, commit]).is_ok()
    }

    pub fn is_ahead(&self, branch: &str, base: &str) -> bool {
        self.git(&["rev-list", "--count", &format!("{base}..{branch}")]) != "0"
    }

    /// The tree of both together; `None` where they do not go together.
    pub fn merged_tree(&self, one: &str, other: &str) -> Option<String> {
        let tree = self.tried(&["merge-tree", "--write-tree", one, other]).ok()?;
        tree.lines().next().map(str::to_owned)
    }

    pub fn commit(&self, tree: &str, parents: &[&str], message: &str) -> String {
        let parents = parents.iter().flat_map(|parent| ["-p", parent]);
        let arguments: Vec<&str> =
            ["commit-tree", tree].into_iter().chain(parents).chain(["-m", message]).collect();
        self.git(&arguments)
    }

    pub fn set(&self, branch: &str, commit: &str) {
        self.git(&["update-ref", &format!("refs/heads/{branch}"), commit]);
    }

    /// A commit on top of a branch that gives one file another text.
    pub fn commit_file(&self, branch: &str, path: &str, text: &str) -> String {
        let scratch = self.root.join("scratch");
        fs::write(&scratch, text).expect("a file of the forge");
        let blob = self.git(&["hash-object", "-w", &scratch.display().to_string()]);
        let tip = self.tip(branch).expect("a branch");
        let listed = self.git(&["ls-tree", &tip]);
        let kept = listed.lines().filter(|line| !line.ends_with(&format!("\t{path}")));
        let lines: Vec<String> =
            kept.map(str::to_owned).chain([format!("100644 blob {blob}\t{path}")]).collect();
        fs::write(&scratch, lines.join("\n") + "\n").expect("a file of the forge");
        let mut command = Command::new("git");
        let input = fs::File::open(&scratch).expect("a file of the forge");
        let output =
            command.arg("--git-dir").arg(&self.path).arg("mktree").stdin(input).output().expect("git");
        let tree = String::from_utf8_lossy(&output.stdout).trim().to_owned();
        let commit = self.commit(&tree, &[&tip], &format!("Change {path}"));
        self.set(branch, &commit);
        commit
    }
}

const IDENTITY: [(&str, &str); 6] = [
    ("GIT_AUTHOR_NAME", "Forge"),
    ("GIT_AUTHOR_EMAIL", "forge@example.com"),
    ("GIT_COMMITTER_NAME", "Forge"),
    ("GIT_COMMITTER_EMAIL", "forge@example.com"),
    ("GIT_CONFIG_GLOBAL", "/dev/null"),
    ("GIT_CONFIG_NOSYSTEM", "1"),
];
