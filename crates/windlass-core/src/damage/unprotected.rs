//! Which of the files that git ignores a person would miss: no snapshot holds them.

use super::Name;
use crate::words::some_of;

/// What tools make again by themselves.
const MADE_AGAIN: [&str; 37] = [
    "target",
    "node_modules",
    "bower_components",
    "dist",
    "build",
    "out",
    "obj",
    "bin",
    "_build",
    "deps",
    "vendor",
    "coverage",
    "htmlcov",
    "venv",
    ".venv",
    "env",
    "__pycache__",
    ".tox",
    ".nox",
    ".cache",
    ".gradle",
    ".next",
    ".nuxt",
    ".turbo",
    ".parcel-cache",
    ".pytest_cache",
    ".mypy_cache",
    ".ruff_cache",
    ".eggs",
    ".coverage",
    ".terraform",
    ".stack-work",
    ".dart_tool",
    ".direnv",
    ".DS_Store",
    "Thumbs.db",
    "tags",
];

/// Endings of such files and folders.
const ENDINGS: [&str; 13] = [
    ".pyc",
    ".pyo",
    ".o",
    ".a",
    ".so",
    ".class",
    ".log",
    ".tmp",
    ".swp",
    "~",
    ".egg-info",
    ".tsbuildinfo",
    ".d",
];

/// So many are named.
const NAMED: usize = 5;

/// The sentence that says which ignored paths are not protected; those of folders end in `/`. `None` where nobody would
/// miss any.
pub fn unprotected(ignored: &[Name]) -> Option<String> {
    let missed = |path: &&Name| !is_made_again(path) && !is_own(path);
    let mut missed: Vec<&Name> = ignored.iter().filter(missed).collect();
    // What holds secrets is the least to be replaced.
    missed.sort_by_key(|path| !String::from_utf8_lossy(path).contains(".env"));
    if missed.is_empty() {
        return None;
    }
    let printable = |path: &&Name| String::from_utf8_lossy(path).replace(char::is_control, "?");
    Some(format!(
        "snapshots do not hold what git ignores: {}; what an agent does to that cannot be undone",
        some_of(missed.iter().map(printable), NAMED)
    ))
}

fn is_made_again(path: &[u8]) -> bool {
    let path = String::from_utf8_lossy(path);
    let path = path.trim_end_matches('/');
    let last = path.rsplit('/').next().unwrap_or(path);
    path.split('/').any(|part| MADE_AGAIN.contains(&part)) || ENDINGS.iter().any(|end| last.ends_with(end))
}

/// Windlass's own files are in snapshots, ignored or not.
fn is_own(path: &[u8]) -> bool {
    path.split(|byte| *byte == b'/').any(|part| part == b".windlass")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(paths: &[&str]) -> Option<String> {
        unprotected(&paths.iter().map(|path| path.as_bytes().to_vec()).collect::<Vec<_>>())
    }

    #[test]
    fn what_a_person_would_miss_is_named_and_what_tools_make_again_is_not() {
        assert_eq!(
            told(&["target/", "web/node_modules/", "a.pyc", ".windlass/runs/", "x/__pycache__/"]),
            None
        );
        assert_eq!(
            told(&["data/", "target/", "config/.env.local", "secrets.toml"]).unwrap(),
            "snapshots do not hold what git ignores: config/.env.local, data/, secrets.toml; what an agent does to \
             that cannot be undone"
        );
        let many: Vec<String> = (0..7).map(|number| format!("file{number}")).collect();
        let many: Vec<&str> = many.iter().map(String::as_str).collect();
        assert!(told(&many).unwrap().contains("file4 and 2 more"));
    }
}
