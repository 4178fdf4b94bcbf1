//! What the tests of one run left, as it is on disk.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::Path;

use super::normal::{Level, normal};
use crate::program::Failure;

/// The files of a test, by names that do not depend on time and chance.
pub type Files = BTreeMap<String, String>;

/// What each test left, by its suite and its name.
#[derive(Debug, Default)]
pub struct Record {
    pub tests: BTreeMap<String, Files>,
}

impl Record {
    pub fn read(folder: &Path) -> Result<Record, Failure> {
        let mut record = Record::default();
        for suite in children(folder)? {
            for test in children(&folder.join(&suite))? {
                let mut files = Files::new();
                collect(&folder.join(&suite).join(&test), "", &mut files)?;
                let name = text_of(&test).replace('.', "::");
                record.tests.insert(format!("{} {name}", text_of(&suite)), files);
            }
        }
        Ok(record)
    }
}

fn collect(folder: &Path, above: &str, files: &mut Files) -> Result<(), Failure> {
    let is_calls = folder.ends_with("calls");
    for (number, name) in children(folder)?.into_iter().enumerate() {
        let path = folder.join(&name);
        let name = text_of(&name);
        // Calls are named by the time of their beginning; two files each.
        let shown = match name.split_once('.') {
            Some((_, kind)) if is_calls => format!("{}.{kind}", number / 2 + 1),
            _ => normal(&name, Level::Whole),
        };
        let shown = if above.is_empty() { shown } else { format!("{above}/{shown}") };
        if path.is_dir() {
            collect(&path, &shown, files)?;
        } else {
            let content = fs::read(&path).map_err(|error| Failure::at(&path, error))?;
            files.insert(shown, String::from_utf8_lossy(&content).into_owned());
        }
    }
    Ok(())
}

fn children(folder: &Path) -> Result<Vec<OsString>, Failure> {
    let failed = |error| Failure::at(folder, error);
    let mut names = Vec::new();
    for entry in fs::read_dir(folder).map_err(failed)? {
        names.push(entry.map_err(failed)?.file_name());
    }
    names.sort();
    Ok(names)
}

fn text_of(name: &OsStr) -> String {
    name.to_string_lossy().into_owned()
}
