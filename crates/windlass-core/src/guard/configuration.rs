//! Configuration that decides which tests run: what it says in places where a package says other things as well, and words
//! that leave tests out wherever they stand.

use std::collections::BTreeSet;

use serde_json::Value as Json;
use toml::Value as Toml;

/// What a file says about how tests are run, in a form that can be compared; each text names one thing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Said {
    /// Things that must be as they were: what they are called, and what they say.
    pub fixed: BTreeSet<(String, String)>,
    /// Things that leave tests out: more of them is worse.
    pub leaving_out: Vec<String>,
}

/// What kind of configuration a path names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// `Cargo.toml`
    Cargo,
    /// `package.json`
    Package,
    /// `pyproject.toml`
    PyProject,
    /// `setup.cfg`
    SetupCfg,
    /// What else may say how tests are run.
    Other,
}

/// The kind of configuration that a path names; `None` = none.
pub(super) fn kind_of(path: &str) -> Option<Kind> {
    let name = path.rsplit('/').next().unwrap_or(path);
    match name {
        "Cargo.toml" => Some(Kind::Cargo),
        "package.json" => Some(Kind::Package),
        "pyproject.toml" => Some(Kind::PyProject),
        "setup.cfg" => Some(Kind::SetupCfg),
        "conftest.py" | "pom.xml" | "build.gradle" | "build.gradle.kts" | "project.clj" | "mix.exs" => {
            Some(Kind::Other)
        }
        _ => {
            let of_runner = ["vite.config.", "webpack.config.", "wdio.conf.", "web-test-runner.config."];
            let named = of_runner.iter().any(|start| name.starts_with(start));
            let ending = name.rsplit_once('.').map(|(_, ending)| ending);
            (named || matches!(ending, Some("ini" | "cfg"))).then_some(Kind::Other)
        }
    }
}

/// What it says. `scripts` are the scripts of a `package.json` that checks call.
pub(super) fn said(kind: Kind, text: &str, scripts: &[String]) -> Said {
    match kind {
        Kind::Cargo => cargo(text),
        Kind::Package => package(text, scripts),
        Kind::PyProject => pyproject(text),
        Kind::SetupCfg => sections(text, &["tool:pytest", "coverage:run", "unittest"]),
        Kind::Other => Said { leaving_out: marks(text), ..Said::default() },
    }
}

/// `test = false`, `autotests = false`, `harness = false` and members left out of the workspace.
fn cargo(text: &str) -> Said {
    let Ok(table) = text.parse::<toml::Table>() else { return Said::default() };
    let mut leaving_out = Vec::new();
    let top = Toml::Table(table);
    switched_off(&top, "", &mut leaving_out);
    let excluded = top.get("workspace").and_then(|workspace| workspace.get("exclude"));
    for name in excluded.and_then(Toml::as_array).into_iter().flatten().filter_map(Toml::as_str) {
        leaving_out.push(format!("workspace.exclude has \"{name}\""));
    }
    // Members that are taken away are tests that do not run.
    let members = top.get("workspace").and_then(|workspace| workspace.get("members"));
    let members = members.and_then(Toml::as_array).into_iter().flatten().filter_map(Toml::as_str);
    let fixed = members.map(|name| ("workspace.members".to_owned(), name.to_owned())).collect();
    Said { fixed, leaving_out }
}

fn switched_off(value: &Toml, path: &str, found: &mut Vec<String>) {
    let below = |name: &str| if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") };
    match value {
        Toml::Table(table) => {
            for (name, value) in table {
                let off = value.as_bool() == Some(false)
                    && ["test", "autotests", "harness", "doctest"].contains(&name.as_str());
                if off {
                    found.push(format!("{} = false", below(name)));
                }
                switched_off(value, &below(name), found);
            }
        }
        Toml::Array(items) => items.iter().for_each(|item| switched_off(item, path, found)),
        _ => {}
    }
}

/// The scripts that checks call, and the sections of test runners.
fn package(text: &str, scripts: &[String]) -> Said {
    let Ok(Json::Object(package)) = serde_json::from_str(text.trim_start_matches('\u{feff}')) else {
        return Said::default();
    };
    let mut fixed = BTreeSet::new();
    let runners = ["jest", "mocha", "ava", "vitest", "nyc", "c8", "tap"];
    for name in runners {
        fixed.extend(package.get(name).map(|value| (name.to_owned(), value.to_string())));
    }
    let there = package.get("scripts").and_then(Json::as_object);
    for (name, value) in there.into_iter().flatten().filter(|(name, _)| scripts.contains(name)) {
        fixed.insert((format!("scripts.{name}"), value.to_string()));
    }
    Said { fixed, leaving_out: Vec::new() }
}

fn pyproject(text: &str) -> Said {
    let Ok(table) = text.parse::<toml::Table>() else { return Said::default() };
    let tool = table.get("tool");
    let runners = ["pytest", "coverage", "tox", "nox", "hatch", "poe", "unittest"];
    let section = |name: &str| {
        let value = tool.and_then(|tool| tool.get(name))?;
        // Of tools that do more than test, what names a test.
        let whole = matches!(name, "pytest" | "coverage" | "unittest");
        let text = value.to_string();
        (whole || text.contains("test")).then(|| (format!("tool.{name}"), text))
    };
    Said { fixed: runners.into_iter().filter_map(section).collect(), leaving_out: Vec::new() }
}

/// Whole sections of an INI file, without blanks and comments.
fn sections(text: &str, names: &[&str]) -> Said {
    let mut said = Said::default();
    let mut inside: Option<&str> = None;
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with(['#', ';'])) {
        if let Some(name) = line.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
            inside = names.iter().find(|known| **known == name.trim()).copied();
        } else if let Some(section) = inside {
            said.fixed.insert((section.to_owned(), line.to_owned()));
        }
    }
    said
}

/// What leaves tests out, wherever it stands: the lines that hold such a word, blanks made one.
fn marks(text: &str) -> Vec<String> {
    const WORDS: &[&str] = &[
        "--ignore",
        "--deselect",
        "testPathIgnorePatterns",
        "modulePathIgnorePatterns",
        "passWithNoTests",
        "norecursedirs",
        "collect_ignore",
        "pytest_ignore_collect",
        "pytest_collection_modifyitems",
        "pytest_deselected",
        "skipTests",
        "maven.test.skip",
        "excludeTestsMatching",
        "ignoreFailures",
        "testFailureIgnore",
        "-k 'not",
        "-k \"not",
        "-m 'not",
        "-m \"not",
    ];
    let about_tests = |line: &str| {
        let lower = line.to_ascii_lowercase();
        lower.contains("exclude") && (lower.contains("test") || lower.contains("spec"))
    };
    let comment = |line: &str| line.starts_with('#') || line.starts_with("//") || line.starts_with(';');
    text.lines()
        .map(str::trim)
        .filter(|line| !comment(line) && line.len() < 1000)
        .filter(|line| WORDS.iter().any(|word| line.contains(word)) || about_tests(line))
        .map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "))
        .collect()
}

/// What is new or gone, in one sentence; `None` where nothing is worse. `before` is `None` where there was no such file.
pub(super) fn worse(kind: Kind, before: Option<&Said>, now: &Said) -> Option<String> {
    let nothing = Said::default();
    let was = before.unwrap_or(&nothing);
    if let Some((name, _)) = was.fixed.iter().find(|said| !now.fixed.contains(*said)) {
        let still = now.fixed.iter().any(|(other, _)| other == name);
        return Some(match kind {
            Kind::Cargo => "a member was taken out of the workspace".to_owned(),
            _ if still => format!("`{name}`, which decides how tests are run, says something else"),
            _ => format!("`{name}`, which decides how tests are run, is gone"),
        });
    }
    // In a file that was there, what is new can leave tests out as well.
    let fresh = now.fixed.iter().find(|(name, text)| {
        let harmless = name.starts_with("scripts.")
            && !name.starts_with("scripts.pre")
            && !name.starts_with("scripts.post");
        !was.fixed.contains(&(name.clone(), text.clone())) && !harmless
    });
    if let Some((name, _)) = fresh.filter(|_| kind != Kind::Cargo && before.is_some()) {
        return Some(format!("`{name}`, which decides how tests are run, is new"));
    }
    let mut left = was.leaving_out.clone();
    let mut more = now.leaving_out.iter().filter(|line| match left.iter().position(|old| old == *line) {
        Some(at) => {
            left.swap_remove(at);
            false
        }
        None => true,
    });
    more.next().map(|line| {
        let short: String = line.chars().take(60).collect();
        let dots = if short.len() < line.len() { "…" } else { "" };
        format!("leaves tests out: `{short}{dots}`")
    })
}
