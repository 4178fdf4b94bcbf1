//! Which files are protected by their names.

use globset::{Glob, GlobBuilder, GlobSet, GlobSetBuilder};

use crate::council::DECISION_LOG;
use crate::principles::USUAL_FILES;

/// What is protected unless a pattern with `!` lets it through: the definitions of CI, Windlass's own configuration, the
/// agent's settings, and files that do nothing but configure how tests, or the tools that run them, are run.
pub const BUILT_IN: &[&str] = &[
    ".github/workflows/**",
    ".github/actions/**",
    ".gitlab-ci.yml",
    ".gitlab/ci/**",
    ".circleci/**",
    ".buildkite/**",
    ".forgejo/workflows/**",
    ".gitea/workflows/**",
    ".woodpecker.yml",
    ".woodpecker/**",
    ".drone.yml",
    ".travis.yml",
    ".cirrus.yml",
    ".semaphore/**",
    "azure-pipelines.yml",
    "bitbucket-pipelines.yml",
    "appveyor.yml",
    ".appveyor.yml",
    "Jenkinsfile",
    ".pre-commit-config.yaml",
    ".windlass/config.toml",
    ".windlass/hooks/**",
    ".windlass/prompts/**",
    ".windlass/templates/**",
    ".windlass/workspaces/*/config.toml",
    ".windlass/workspaces/*/INSTRUCTIONS.md",
    DECISION_LOG,
    USUAL_FILES[0],
    USUAL_FILES[1],
    ".claude/settings.json",
    ".claude/settings.local.json",
    ".claude/hooks/**",
    "pytest.ini",
    ".pytest.ini",
    "tox.ini",
    "noxfile.py",
    ".coveragerc",
    "jest.config.*",
    "vitest.config.*",
    "vitest.workspace.*",
    ".mocharc*",
    "karma.conf.*",
    "playwright.config.*",
    "cypress.config.*",
    "ava.config.*",
    ".config/nextest.toml",
    "**/.cargo/config.toml",
    "**/.cargo/config",
    "rust-toolchain",
    "rust-toolchain.toml",
    ".npmrc",
    ".yarnrc",
    ".yarnrc.yml",
    "bunfig.toml",
    ".tool-versions",
    "mise.toml",
    ".mise.toml",
    "phpunit.xml",
    "phpunit.xml.dist",
    "phpunit.dist.xml",
    ".rspec",
    "*.runsettings",
    "codecov.yml",
    ".codecov.yml",
];

/// A pattern that cannot be understood.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{glob}` is not a pattern for files: {why}")]
pub struct BadGlob {
    /// As it was written.
    pub glob: String,
    /// What is wrong with it.
    pub why: String,
}

/// Says of a path whether it is protected. A pattern without a slash fits a name in any folder; one with a slash fits
/// from the top. `*` does not cross a slash, `**` does.
#[derive(Clone, Debug)]
pub struct Protected {
    set: GlobSet,
    /// Of each pattern: does it let through?
    lets_through: Vec<bool>,
}

impl Protected {
    /// The built-in patterns, then these.
    pub fn new<'a>(globs: impl IntoIterator<Item = &'a str>) -> Result<Protected, BadGlob> {
        let mut builder = GlobSetBuilder::new();
        let mut lets_through = Vec::new();
        for glob in BUILT_IN.iter().copied().chain(globs) {
            let (pattern, through) = match glob.strip_prefix('!') {
                Some(pattern) => (pattern, true),
                None => (glob, false),
            };
            builder.add(compile(pattern, glob)?);
            lets_through.push(through);
        }
        let set = builder
            .build()
            .map_err(|error| BadGlob { glob: "guard.protected".to_owned(), why: error.to_string() })?;
        Ok(Protected { set, lets_through })
    }

    /// Can this pattern be understood?
    pub fn check(glob: &str) -> Result<(), BadGlob> {
        compile(glob.strip_prefix('!').unwrap_or(glob), glob).map(drop)
    }

    /// Is this path protected? The last pattern that fits decides.
    pub fn holds(&self, path: &str) -> bool {
        self.last(path) == Some(false)
    }

    /// Does a pattern with `!` decide, and let this path through?
    pub fn lets_through(&self, path: &str) -> bool {
        self.last(path) == Some(true)
    }

    /// Whether the last pattern that fits lets through.
    fn last(&self, path: &str) -> Option<bool> {
        let last = self.set.matches(path).into_iter().max()?;
        self.lets_through.get(last).copied()
    }
}

fn compile(pattern: &str, written: &str) -> Result<Glob, BadGlob> {
    let bad = |why: String| BadGlob { glob: written.to_owned(), why };
    let plain = pattern.trim_start_matches("./");
    if plain.trim_matches('/').is_empty() {
        return Err(bad("it names nothing".to_owned()));
    }
    let rooted = match plain.strip_prefix('/') {
        Some(rooted) => rooted.to_owned(),
        None if plain.trim_end_matches('/').contains('/') => plain.to_owned(),
        None => format!("**/{plain}"),
    };
    // A folder is all that is in it.
    let whole = if rooted.ends_with('/') { format!("{rooted}**") } else { rooted };
    let built = GlobBuilder::new(&whole).literal_separator(true).backslash_escape(true).build();
    built.map_err(|error| bad(error.kind().to_string()))
}
