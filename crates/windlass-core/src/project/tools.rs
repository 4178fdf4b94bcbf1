//! The table: files at a project's root, and what the tools that they announce are called with.

use super::{CommandKind, ProjectType};

/// A tool that builds or tests projects.
#[derive(Debug)]
pub(super) struct Tool {
    /// What it works on.
    pub of: ProjectType,
    /// Any of these announces it; one `*` stands for anything.
    pub files: &'static [&'static str],
    /// What it is usually called with.
    pub commands: &'static [&'static str],
    /// The call that tests, builds and lints; `""` = it has none.
    pub test: &'static str,
    pub build: &'static str,
    pub lint: &'static str,
}

impl Tool {
    pub fn offers(&self) -> impl Iterator<Item = (CommandKind, &'static str)> {
        let all = [
            (CommandKind::Test, self.test),
            (CommandKind::Build, self.build),
            (CommandKind::Lint, self.lint),
        ];
        all.into_iter().filter(|(_, command)| !command.is_empty())
    }
}

/// Every tool; of one type the more specific ones first.
pub(super) const TOOLS: &[Tool] = &[
    Tool {
        of: ProjectType::Rust,
        files: &["Cargo.toml"],
        commands: &[
            "cargo build",
            "cargo check",
            "cargo test",
            "cargo nextest run",
            "cargo clippy",
            "cargo fmt",
            "cargo doc",
        ],
        test: "cargo test",
        build: "cargo build",
        lint: "cargo clippy --all-targets -- -D warnings",
    },
    Tool {
        of: ProjectType::Bun,
        files: &["bun.lock", "bun.lockb", "bunfig.toml"],
        commands: &["bun test", "bun run test", "bun run build", "bun run lint"],
        test: "bun test",
        build: "bun run build",
        lint: "bun run lint",
    },
    Tool {
        of: ProjectType::Node,
        files: &["pnpm-lock.yaml"],
        commands: &["pnpm test", "pnpm run test", "pnpm run build", "pnpm run lint"],
        test: "pnpm test",
        build: "pnpm run build",
        lint: "pnpm run lint",
    },
    Tool {
        of: ProjectType::Node,
        files: &["yarn.lock"],
        commands: &["yarn test", "yarn build", "yarn lint"],
        test: "yarn test",
        build: "yarn build",
        lint: "yarn lint",
    },
    Tool {
        of: ProjectType::Node,
        files: &["package.json"],
        commands: &["npm test", "npm run test", "npm run build", "npm run lint", "npm run typecheck"],
        test: "npm test",
        build: "npm run build",
        lint: "npm run lint",
    },
    Tool {
        of: ProjectType::Python,
        files: &["uv.lock"],
        commands: &["uv run pytest", "uv run ruff", "uv run mypy"],
        test: "uv run pytest",
        build: "",
        lint: "uv run ruff check",
    },
    Tool {
        of: ProjectType::Python,
        files: &["poetry.lock"],
        commands: &["poetry run pytest", "poetry run ruff", "poetry run mypy"],
        test: "poetry run pytest",
        build: "",
        lint: "poetry run ruff check",
    },
    Tool {
        of: ProjectType::Python,
        files: &["pyproject.toml", "setup.py", "setup.cfg", "requirements.txt", "Pipfile", "tox.ini"],
        commands: &["pytest", "python -m pytest", "python3 -m pytest", "ruff check", "ruff format", "mypy"],
        test: "python3 -m pytest",
        build: "",
        lint: "ruff check",
    },
    Tool {
        of: ProjectType::Go,
        files: &["go.mod", "go.work"],
        commands: &["go build", "go test", "go vet", "gofmt"],
        test: "go test ./...",
        build: "go build ./...",
        lint: "go vet ./...",
    },
    Tool {
        of: ProjectType::Make,
        files: &["Makefile", "makefile", "GNUmakefile"],
        commands: &["make", "make build", "make check", "make lint", "make test"],
        test: "make test",
        build: "make build",
        lint: "make lint",
    },
    Tool {
        of: ProjectType::Maven,
        files: &["mvnw"],
        commands: &["./mvnw compile", "./mvnw test", "./mvnw verify"],
        test: "./mvnw test",
        build: "./mvnw compile",
        lint: "",
    },
    Tool {
        of: ProjectType::Maven,
        files: &["pom.xml"],
        commands: &["mvn compile", "mvn test", "mvn verify"],
        test: "mvn test",
        build: "mvn compile",
        lint: "",
    },
    Tool {
        of: ProjectType::Gradle,
        files: &["gradlew"],
        commands: &["./gradlew build", "./gradlew check", "./gradlew test"],
        test: "./gradlew test",
        build: "./gradlew build",
        lint: "./gradlew check",
    },
    Tool {
        of: ProjectType::Gradle,
        files: &["build.gradle*", "settings.gradle*"],
        commands: &["gradle build", "gradle check", "gradle test"],
        test: "gradle test",
        build: "gradle build",
        lint: "gradle check",
    },
    Tool {
        of: ProjectType::Dotnet,
        files: &["*.csproj", "*.fsproj", "*.vbproj", "*.sln", "*.slnx"],
        commands: &["dotnet build", "dotnet test"],
        test: "dotnet test",
        build: "dotnet build",
        lint: "dotnet format --verify-no-changes",
    },
];

/// Is this file one of those that the pattern means?
pub(super) fn matches(pattern: &str, name: &str) -> bool {
    match pattern.split_once('*') {
        Some((before, after)) => {
            name.len() >= before.len() + after.len() && name.starts_with(before) && name.ends_with(after)
        }
        None => name == pattern,
    }
}
