//! Which commands a project's own tools need.

/// A file at the project's root, and the commands that it announces.
const TOOLS: &[(&str, &[&str])] = &[
    (
        "Cargo.toml",
        &[
            "cargo build",
            "cargo check",
            "cargo test",
            "cargo nextest run",
            "cargo clippy",
            "cargo fmt",
            "cargo doc",
        ],
    ),
    ("package.json", &["npm test", "npm run test", "npm run build", "npm run lint", "npm run typecheck"]),
    ("yarn.lock", &["yarn test", "yarn build", "yarn lint"]),
    ("pnpm-lock.yaml", &["pnpm test", "pnpm run test", "pnpm run build", "pnpm run lint"]),
    ("bun.lock*", &["bun test", "bun run test", "bun run build", "bun run lint"]),
    (
        "pyproject.toml",
        &["pytest", "python -m pytest", "python3 -m pytest", "ruff check", "ruff format", "mypy"],
    ),
    ("uv.lock", &["uv run pytest", "uv run ruff", "uv run mypy"]),
    ("poetry.lock", &["poetry run pytest", "poetry run ruff", "poetry run mypy"]),
    ("go.mod", &["go build", "go test", "go vet", "gofmt"]),
    ("Makefile", &["make", "make build", "make check", "make lint", "make test"]),
    ("pom.xml", &["mvn compile", "mvn test", "mvn verify"]),
    ("mvnw", &["./mvnw compile", "./mvnw test", "./mvnw verify"]),
    ("build.gradle*", &["gradle build", "gradle check", "gradle test"]),
    ("gradlew", &["./gradlew build", "./gradlew check", "./gradlew test"]),
    ("*.csproj", &["dotnet build", "dotnet test"]),
    ("*.sln", &["dotnet build", "dotnet test"]),
];

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

/// Rules that let the agent build and test the project, from the names of the files at its root. Nothing among them
/// installs, publishes or runs what it likes.
#[must_use]
pub fn project_rules<'a>(files: impl IntoIterator<Item = &'a str>) -> Vec<String> {
    let files: Vec<&str> = files.into_iter().collect();
    let mut rules = Vec::new();
    for (pattern, commands) in TOOLS {
        if files.iter().any(|file| matches(pattern, file)) {
            for rule in commands.iter().map(|command| family(command)) {
                if !rules.contains(&rule) {
                    rules.push(rule);
                }
            }
        }
    }
    rules
}

/// Rules that let the agent look at the repository.
#[must_use]
pub fn git_reading_rules() -> Vec<String> {
    GIT_READING.iter().map(|command| family(command)).collect()
}

/// The rule for a command with whatever arguments.
fn family(command: &str) -> String {
    if BARE.contains(&command) { format!("Bash({command})") } else { format!("Bash({command}:*)") }
}

fn matches(pattern: &str, name: &str) -> bool {
    match pattern.split_once('*') {
        Some((before, after)) => {
            name.len() >= before.len() + after.len() && name.starts_with(before) && name.ends_with(after)
        }
        None => name == pattern,
    }
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
        let everything: Vec<&str> = TOOLS.iter().map(|(pattern, _)| *pattern).collect();
        let mut rules = project_rules(everything);
        rules.extend(git_reading_rules());
        for word in ["push", "commit", "reset", "install", "publish", "deploy", "clean", "exec"] {
            assert!(!rules.iter().any(|rule| rule.contains(word)), "{word}");
        }
    }
}
