//! Rules for the commands that a project's own tools need.

use windlass_core::project::usual_commands;

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

/// Rules that let the agent build and test the project, from the names of the files at its root.
pub fn project_rules<'a>(files: impl IntoIterator<Item = &'a str>) -> Vec<String> {
    usual_commands(files).into_iter().map(family).collect()
}

/// Rules that let the agent look at the repository.
pub fn git_reading_rules() -> Vec<String> {
    GIT_READING.iter().map(|command| family(command)).collect()
}

/// Rules that let the agent commit (`--commit agent`), and neither push nor rewrite what others have.
pub fn git_committing_rules() -> Vec<String> {
    GIT_COMMITTING.iter().map(|command| family(command)).collect()
}

/// The rule for a command with whatever arguments.
fn family(command: &str) -> String {
    if BARE.contains(&command) { format!("Bash({command})") } else { format!("Bash({command}:*)") }
}

#[cfg(test)]
mod tests {
    use super::*;

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
            let rules = project_rules(["README.md", file]);
            assert!(rules.contains(&rule.to_owned()), "{file}: {rules:?}");
        }
        assert!(project_rules(["README.md", "cargo.toml", ".csproj.user", "go.mod.bak"]).is_empty());
    }

    // rows: 32
    #[test]
    fn several_tools_add_up_without_repetition() {
        let rules = project_rules(["a.csproj", "b.csproj", "c.sln", "Makefile"]);
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
        let rules = git_reading_rules();
        for word in ["push", "commit", "reset", "install", "publish", "deploy", "clean", "exec"] {
            assert!(!rules.iter().any(|rule| rule.contains(word)), "{word}");
        }
    }

    // rows: 32, 81
    #[test]
    fn who_commits_may_neither_push_nor_go_back() {
        assert_eq!(git_committing_rules(), ["Bash(git add:*)", "Bash(git commit:*)"]);
    }
}
