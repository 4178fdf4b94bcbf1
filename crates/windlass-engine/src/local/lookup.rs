//! Success criteria that the runner looks up itself, in the tree that an agent left.

use std::fs::OpenOptions;
use std::io::Write as _;
use std::path::Path;
use std::time::Duration;

use windlass_core::values::{CheckOutcome, CheckResult, Lookup};
use windlass_host::tree;
use windlass_host::tree::{Kind, at};

use super::call::open;
use super::check::{CheckSetting, log_name};
use crate::store::{StoreError, create_folder};

/// The longest file that is looked through.
const LONGEST: usize = 64 * 1024 * 1024;

/// What a look says; `None` where a command is to be run.
pub(super) fn outcome(setting: &CheckSetting<'_>) -> Result<Option<CheckOutcome>, StoreError> {
    let check = setting.plan.checks.get(usize::from(setting.check));
    let Some(lookup) = check.and_then(|check| check.criterion.as_ref()?.lookup.as_ref()) else {
        return Ok(None);
    };
    let said = look(&setting.plan.directory, lookup);
    let (result, sentence) = match said {
        Ok(sentence) => (CheckResult::Passed, sentence),
        Err(sentence) => (CheckResult::Failed(1), sentence),
    };
    let log = log_name(setting);
    let path = setting.folder.path().join(&log);
    if let Some(parent) = path.parent() {
        create_folder(parent)?;
    }
    // outside: the run's folder.
    let mut file = open(&path, OpenOptions::new().create(true).write(true).truncate(true))?;
    writeln!(file, "{sentence}").map_err(|error| StoreError::io("write", &path, error))?;
    let last_line = sentence.chars().take(200).collect();
    Ok(Some(CheckOutcome {
        check: setting.check,
        result,
        duration: Duration::ZERO,
        log,
        last_line,
        telling_line: String::new(),
    }))
}

/// What is there, as a sentence; or why it does not hold.
fn look(directory: &Path, lookup: &Lookup) -> Result<String, String> {
    match lookup {
        Lookup::Exists { path } => match at(directory).join(path).look_through() {
            Ok(Some(_)) => Ok(format!("{path} is there")),
            Ok(None) => Err(format!("{path} is not there")),
            Err(error) if tree::leads_out(&error) => {
                Err(format!("{path} is a link that leads out of the project, and is not followed"))
            }
            Err(error) => Err(format!("{path} cannot be looked at: {error}")),
        },
        Lookup::Contains { path, text } => contains(directory, path, text),
    }
}

fn contains(directory: &Path, path: &str, text: &str) -> Result<String, String> {
    let place = at(directory).join(path);
    look(directory, &Lookup::Exists { path: path.to_owned() })?;
    if !matches!(place.look_through(), Ok(Some(found)) if found.kind == Kind::File) {
        return Err(format!("{path} is not a file"));
    }
    let bytes = place.read(LONGEST).map_err(|error| format!("{path} cannot be read: {}", error.source))?;
    let Some(bytes) = bytes else { return Err(format!("{path} is longer than 64 MiB")) };
    if memchr::memmem::find(&bytes, text.as_bytes()).is_some() {
        Ok(format!("{path} contains `{text}`"))
    } else {
        Err(format!("{path} does not contain `{text}`"))
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    // rows: 135
    #[test]
    fn what_is_looked_up_is_below_the_project_and_a_file() {
        let folder = tempfile::tempdir().unwrap();
        let directory = folder.path().canonicalize().unwrap().join("p");
        std::fs::create_dir_all(directory.join("src/with space")).unwrap();
        std::fs::write(directory.join("src/with space/a@b..c.rs"), "fn main() {}\n").unwrap();
        std::fs::write(folder.path().join("secret"), "fn main() {}").unwrap();
        symlink("../../secret", directory.join("src/out")).unwrap();
        tree::hold(&directory);
        let exists = |path: &str| look(&directory, &Lookup::Exists { path: path.to_owned() });
        let contains = |path: &str, text: &str| {
            look(&directory, &Lookup::Contains { path: path.to_owned(), text: text.to_owned() })
        };
        assert!(exists("src/with space/a@b..c.rs").is_ok() && exists("src").is_ok());
        assert_eq!(exists("src/none").unwrap_err(), "src/none is not there");
        assert!(exists("src/out").unwrap_err().contains("leads out of the project"));
        assert!(contains("src/with space/a@b..c.rs", "fn main").is_ok());
        assert!(contains("src/with space/a@b..c.rs", "fn other").unwrap_err().contains("does not contain"));
        assert_eq!(contains("src", "x").unwrap_err(), "src is not a file");
        assert!(contains("src/out", "fn main").is_err());
    }
}
