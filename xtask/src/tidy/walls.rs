//! What each crate may use: its dependencies among ours, and the clippy rules that guard it.

use std::path::Path;

use super::Complaint;
use crate::program::Failure;
use crate::workspace::Workspace;

/// What a crate may depend on among ours, and what its `clippy.toml` has to forbid.
struct Wall {
    folder: &'static str,
    may_use: &'static [&'static str],
    forbids: &'static [&'static str],
}

const NO_PROCESSES: &[&str] = &["std::process::Command::new"];

/// No IO, no clock, no environment, no process, no thread.
const NOTHING_BUT_VALUES: &[&str] = &[
    "std::env::var",
    "std::fs::File",
    "std::fs::read",
    "std::fs::write",
    "std::net::TcpStream",
    "std::process::Command",
    "std::thread::spawn",
    "std::time::Instant::now",
    "std::time::SystemTime::now",
    "jiff::Timestamp::now",
];

const WALLS: &[Wall] = &[
    Wall { folder: "crates/windlass-core", may_use: &[], forbids: NOTHING_BUT_VALUES },
    Wall { folder: "crates/windlass-agents", may_use: &["windlass-core"], forbids: NOTHING_BUT_VALUES },
    Wall { folder: "crates/windlass-jobs", may_use: &["windlass-core"], forbids: NOTHING_BUT_VALUES },
    Wall { folder: "crates/windlass-host", may_use: &["windlass-core"], forbids: NO_PROCESSES },
    Wall {
        folder: "crates/windlass-git",
        may_use: &["windlass-core", "windlass-host"],
        forbids: NO_PROCESSES,
    },
    Wall {
        folder: "crates/windlass-fleet",
        may_use: &["windlass-core"],
        forbids: &["std::process::Command::new", "std::time::SystemTime::now"],
    },
    Wall {
        folder: "crates/windlass-remote",
        may_use: &[
            "windlass-agents",
            "windlass-core",
            "windlass-engine",
            "windlass-fleet",
            "windlass-git",
            "windlass-host",
            "windlass-jobs",
        ],
        forbids: NO_PROCESSES,
    },
    Wall {
        folder: "crates/windlass-forge",
        may_use: &["windlass-core", "windlass-host"],
        forbids: NO_PROCESSES,
    },
    Wall {
        folder: "crates/windlass-engine",
        may_use: &[
            "windlass-agents",
            "windlass-core",
            "windlass-forge",
            "windlass-host",
            "windlass-git",
            "windlass-jobs",
        ],
        forbids: NO_PROCESSES,
    },
    Wall {
        folder: "crates/windlass-ui",
        may_use: &["windlass-agents", "windlass-core", "windlass-jobs"],
        forbids: NO_PROCESSES,
    },
    Wall {
        folder: "crates/windlass-html",
        may_use: &["windlass-core", "windlass-ui"],
        forbids: NOTHING_BUT_VALUES,
    },
    Wall {
        folder: "crates/windlass-import",
        may_use: &[
            "windlass-agents",
            "windlass-core",
            "windlass-host",
            "windlass-git",
            "windlass-engine",
            "windlass-jobs",
        ],
        forbids: NO_PROCESSES,
    },
    Wall {
        folder: "crates/windlass-app",
        may_use: &[
            "windlass-agents",
            "windlass-core",
            "windlass-forge",
            "windlass-git",
            "windlass-host",
            "windlass-engine",
            "windlass-fleet",
            "windlass-import",
            "windlass-jobs",
            "windlass-remote",
            "windlass-ui",
        ],
        forbids: &[
            "std::process::Command::new",
            "std::env::set_current_dir",
            "std::io::stdin",
            "std::io::stdout",
            "std::io::stderr",
        ],
    },
    Wall {
        folder: "crates/windlass",
        may_use: &[
            "windlass-agents",
            "windlass-app",
            "windlass-core",
            "windlass-host",
            "windlass-html",
            "windlass-engine",
            "windlass-jobs",
            "windlass-tui",
            "windlass-ui",
            "windlass-web",
        ],
        forbids: NO_PROCESSES,
    },
    Wall {
        folder: "crates/windlass-web",
        may_use: &["windlass-app", "windlass-core", "windlass-host", "windlass-html", "windlass-ui"],
        forbids: &[
            "std::process::Command::new",
            "std::env::set_current_dir",
            "std::io::stdin",
            "std::io::stdout",
            "std::io::stderr",
        ],
    },
    Wall {
        folder: "crates/windlass-tui",
        may_use: &["windlass-app", "windlass-core", "windlass-ui"],
        forbids: &["std::process::Command::new", "std::fs::read", "std::fs::File::open"],
    },
    Wall {
        folder: "crates/windlass-nights",
        may_use: &["windlass-agents", "windlass-core", "windlass-engine", "windlass-jobs"],
        forbids: &[
            "std::process::Command::new",
            "std::fs::File",
            "std::fs::read",
            "std::fs::write",
            "std::time::SystemTime::now",
            "jiff::Timestamp::now",
        ],
    },
    Wall {
        folder: "crates/windlass-fuzz",
        may_use: &[
            "windlass-agents",
            "windlass-core",
            "windlass-forge",
            "windlass-host",
            "windlass-git",
            "windlass-engine",
            "windlass-jobs",
            "windlass-ui",
            "windlass-web",
        ],
        forbids: NO_PROCESSES,
    },
    Wall { folder: "crates/windlass-testkit", may_use: &["windlass-core"], forbids: &[] },
    Wall { folder: "xtask", may_use: &["windlass-testkit"], forbids: &[] },
];

/// Checks one crate.
pub fn check(workspace: &Workspace, folder: &Path) -> Result<Vec<Complaint>, Failure> {
    let Some(wall) = WALLS.iter().find(|wall| folder == Path::new(wall.folder)) else {
        return Ok(vec![Complaint::of(folder, "a new crate gets its walls in xtask's tidy")]);
    };
    let mut complaints = Vec::new();
    let manifest = folder.join("Cargo.toml");
    complaints.extend(check_manifest(wall, &manifest, &workspace.read(&manifest)?)?);
    let rules = folder.join("clippy.toml");
    match workspace.read(&rules) {
        Ok(text) => complaints.extend(check_rules(wall, &rules, &text)?),
        Err(_) => complaints.push(Complaint::of(&rules, "is missing: each crate says what it may not do")),
    }
    Ok(complaints)
}

fn parse(file: &Path, text: &str) -> Result<toml::Table, Failure> {
    text.parse().map_err(|error| Failure::at(file, error))
}

fn check_manifest(wall: &Wall, file: &Path, text: &str) -> Result<Vec<Complaint>, Failure> {
    let manifest = parse(file, text)?;
    let mut complaints = Vec::new();
    let used = manifest.get("dependencies").and_then(toml::Value::as_table);
    for name in used.into_iter().flat_map(toml::Table::keys) {
        if name.starts_with("windlass") && !wall.may_use.contains(&name.as_str()) {
            complaints.push(Complaint::of(file, format!("{} does not use {name}", wall.folder)));
        }
    }
    let inherits = |table: &str, key: &str| {
        let inherited = manifest.get(table).and_then(|table| table.get(key));
        inherited.is_some_and(|value| *value == toml::Value::Boolean(true))
    };
    if !inherits("lints", "workspace") {
        complaints.push(Complaint::of(file, "the workspace's lints are not taken over"));
    }
    let publish = manifest.get("package").and_then(|package| package.get("publish"));
    let unpublished = publish.is_some_and(|publish| {
        *publish == toml::Value::Boolean(false)
            || publish.get("workspace") == Some(&toml::Value::Boolean(true))
    });
    if !unpublished {
        complaints.push(Complaint::of(file, "our crates are not published"));
    }
    Ok(complaints)
}

fn check_rules(wall: &Wall, file: &Path, text: &str) -> Result<Vec<Complaint>, Failure> {
    let rules = parse(file, text)?;
    let forbidden: Vec<&str> = ["disallowed-methods", "disallowed-types"]
        .iter()
        .filter_map(|list| rules.get(*list)?.as_array())
        .flatten()
        .filter_map(|entry| entry.get("path").unwrap_or(entry).as_str())
        .collect();
    let missing = wall.forbids.iter().filter(|path| !forbidden.contains(path));
    Ok(missing.map(|path| Complaint::of(file, format!("does not forbid {path}"))).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn core() -> &'static Wall {
        &WALLS[0]
    }

    fn engine() -> &'static Wall {
        WALLS.iter().find(|wall| wall.folder == "crates/windlass-engine").unwrap()
    }

    #[test]
    fn a_crate_uses_what_its_wall_lets_through() {
        let sound =
            "[package]\npublish.workspace = true\n[lints]\nworkspace = true\n[dependencies]\nserde = '1'\n";
        assert_eq!(check_manifest(core(), Path::new("x"), sound).unwrap(), []);
        let engine = format!("{sound}windlass-engine.workspace = true\n");
        assert_eq!(check_manifest(core(), Path::new("x"), &engine).unwrap().len(), 1);
        assert_eq!(check_manifest(core(), Path::new("x"), "[package]\n").unwrap().len(), 2);
    }

    #[test]
    fn a_crate_forbids_what_its_wall_keeps_out() {
        let rules = "disallowed-methods = [{ path = 'std::process::Command::new' }, 'std::fs::read']\n";
        assert_eq!(check_rules(engine(), Path::new("x"), rules).unwrap(), []);
        assert_eq!(check_rules(core(), Path::new("x"), rules).unwrap().len(), core().forbids.len() - 1);
    }
}
