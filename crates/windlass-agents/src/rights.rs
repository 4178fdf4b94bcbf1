//! What an agent may do, or may not, in no agent's words.

use std::path::PathBuf;

use windlass_core::project::usual_commands;

/// One thing that an agent may do without being asked, or may not do at all.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Right {
    /// Run a check's command: the whole of it, and where that is certain each of its parts.
    RunCheck(String),
    /// Run exactly this command.
    Run(String),
    /// Run this command with whatever arguments.
    RunWithArguments(String),
    /// Change this file.
    Change(PathBuf),
    /// Change what fits a pattern below this folder; `**` is all of it.
    ChangeBelow(PathBuf, String),
}

/// Commands of which only the plain form is allowed, since what may follow is anything.
const BARE: &[&str] = &["make"];

/// Git commands that read.
const GIT_READING: &[&str] = &[
    "git status",
    "git diff",
    "git log",
    "git show",
    "git ls-files",
    "git rev-parse",
    "git blame",
    "git branch --list",
    "git merge-base",
    "git shortlog",
];

/// Git commands that a commit needs.
const GIT_COMMITTING: &[&str] = &["git add", "git commit"];

/// To build and test the project, from the names of the files at its root.
pub fn project_commands<'a>(files: impl IntoIterator<Item = &'a str>) -> Vec<Right> {
    usual_commands(files).into_iter().map(of_command).collect()
}

/// To look at the repository.
pub fn git_reading() -> Vec<Right> {
    GIT_READING.iter().copied().map(of_command).collect()
}

/// To commit (`--commit agent`), and neither push nor rewrite what others have.
pub fn git_committing() -> Vec<Right> {
    GIT_COMMITTING.iter().copied().map(of_command).collect()
}

fn of_command(command: &str) -> Right {
    let command = command.to_owned();
    if BARE.contains(&&*command) { Right::Run(command) } else { Right::RunWithArguments(command) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As the usual agent says it.
    fn words(rights: &[Right]) -> Vec<String> {
        rights.iter().flat_map(|right| crate::usual().rules(right)).collect()
    }

    // rows: 32, 138
    #[test]
    fn a_project_is_known_by_its_files() {
        let rows = [
            ("Cargo.toml", "Bash(cargo test:*)"),
            ("package.json", "Bash(npm test:*)"),
            ("bun.lockb", "Bash(bun test:*)"),
            ("bun.lock", "Bash(bun test:*)"),
            ("pyproject.toml", "Bash(pytest:*)"),
            ("go.mod", "Bash(go test:*)"),
            ("Makefile", "Bash(make test:*)"),
            ("pom.xml", "Bash(mvn test:*)"),
            ("build.gradle.kts", "Bash(gradle test:*)"),
            ("App.csproj", "Bash(dotnet test:*)"),
        ];
        for (file, rule) in rows {
            let rules = words(&project_commands(["README.md", file]));
            assert!(rules.contains(&rule.to_owned()), "{file}: {rules:?}");
        }
        assert!(project_commands(["README.md", "cargo.toml", ".csproj.user", "go.mod.bak"]).is_empty());
    }

    // rows: 32
    #[test]
    fn several_tools_add_up_without_repetition() {
        let rules = words(&project_commands(["a.csproj", "b.csproj", "c.sln", "Makefile"]));
        assert_eq!(
            rules,
            [
                "Bash(make)",
                "Bash(make build:*)",
                "Bash(make check:*)",
                "Bash(make lint:*)",
                "Bash(make test:*)",
                "Bash(dotnet build:*)",
                "Bash(dotnet test:*)",
            ]
        );
    }

    // rows: 32
    #[test]
    fn nothing_that_writes_history_or_leaves_the_machine_is_allowed() {
        let rules = words(&git_reading());
        for word in ["push", "commit", "reset", "install", "publish", "deploy", "clean", "exec"] {
            assert!(!rules.iter().any(|rule| rule.contains(word)), "{word}");
        }
    }

    // rows: 32, 81
    #[test]
    fn who_commits_may_neither_push_nor_go_back() {
        assert_eq!(words(&git_committing()), ["Bash(git add:*)", "Bash(git commit:*)"]);
    }
}
