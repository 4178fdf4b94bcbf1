//! The scripts of `package.json` files that a check calls, and those that they call.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use serde_json::Value;
use windlass_core::guard::{PackageCall, Workspaces, package_calls};

use super::{inside, text_of};
use windlass_git::inventory::Place;
use windlass_host::tree::{Kind, at};

/// So many workspaces are looked at, and so many scripts.
const MOST_WORKSPACES: usize = 500;
const MOST_SCRIPTS: usize = 500;

/// A script that is called.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct PackageScript {
    /// The package's folder, relative to the working directory.
    pub folder: PathBuf,
    pub name: String,
    pub command: String,
}

/// Those that have been found.
#[derive(Debug, Default)]
pub(super) struct Packages {
    pub found: BTreeSet<PackageScript>,
    /// The names that were called, whether there is such a script or not.
    pub names: BTreeSet<String>,
}

impl Packages {
    /// The scripts that a text calls from this folder, without those that were found before.
    pub fn take(&mut self, place: &Place, text: &str, folder: &Path) -> Vec<PackageScript> {
        let mut new = Vec::new();
        for call in package_calls(text) {
            self.names.extend(call.scripts.iter().filter(|name| !name.contains('*')).cloned());
            for package in packages(place, &folder.join(&call.folder), &call.workspaces) {
                for script in package.scripts(&call) {
                    self.names.insert(script.name.clone());
                    if self.found.len() < MOST_SCRIPTS && self.found.insert(script.clone()) {
                        new.push(script);
                    }
                }
            }
        }
        new
    }
}

/// One `package.json`.
struct Package {
    folder: PathBuf,
    said: Value,
}

impl Package {
    fn read(place: &Place, folder: &Path) -> Option<Package> {
        inside(place, folder)?;
        let text = text_of(&place.directory.join(folder).join("package.json"))?;
        let said = serde_json::from_str(text.trim_start_matches('\u{feff}')).ok()?;
        Some(Package { folder: folder.to_owned(), said })
    }

    fn scripts<'a>(&'a self, call: &'a PackageCall) -> impl Iterator<Item = PackageScript> + 'a {
        let there = self.said.get("scripts").and_then(Value::as_object).into_iter().flatten();
        let is_called = |name: &str| {
            call.scripts.iter().any(|wanted| match wanted.split_once('*') {
                Some((start, _)) => name.starts_with(start),
                None => wanted == name,
            })
        };
        there.filter(move |(name, _)| is_called(name)).filter_map(|(name, command)| {
            let command = command.as_str()?.to_owned();
            Some(PackageScript { folder: self.folder.clone(), name: name.clone(), command })
        })
    }

    /// Where its workspaces lie, as patterns.
    fn workspaces(&self, place: &Place) -> Vec<String> {
        let there = self.said.get("workspaces");
        let listed = there.and_then(|there| there.get("packages").or(Some(there))?.as_array());
        let named = listed.into_iter().flatten().filter_map(Value::as_str).map(str::to_owned);
        // pnpm's, a list like any other: names that are not folders are not there.
        let other =
            text_of(&place.directory.join(&self.folder).join("pnpm-workspace.yaml")).unwrap_or_default();
        let item = |line: &str| {
            let item = line.trim().strip_prefix("- ")?.trim().trim_matches(['\'', '"']);
            Some(item.to_owned())
        };
        named.chain(other.lines().filter_map(item)).collect()
    }
}

/// The package in a folder, and those of its workspaces that are meant.
fn packages(place: &Place, folder: &Path, wanted: &Workspaces) -> Vec<Package> {
    let Some(own) = Package::read(place, folder) else { return Vec::new() };
    let mut found = Vec::new();
    if *wanted != Workspaces::None {
        let folders = own.workspaces(place).into_iter().flat_map(|pattern| folders(place, folder, &pattern));
        for folder in folders.take(MOST_WORKSPACES) {
            let is_meant = |package: &Package| {
                let name = package.said.get("name").and_then(Value::as_str);
                wanted.has(&folder.to_string_lossy(), name)
            };
            found.extend(Package::read(place, &folder).filter(is_meant));
        }
    }
    found.push(own);
    found
}

/// The folders that a pattern means: `packages/a`, `packages/*`, `packages/**`.
fn folders(place: &Place, folder: &Path, pattern: &str) -> Vec<PathBuf> {
    let plain = pattern.trim_start_matches("./").trim_end_matches('/');
    let Some((before, _)) = plain.split_once('*') else { return vec![folder.join(plain)] };
    let above = folder.join(before.rsplit_once('/').map_or("", |(above, _)| above));
    let Ok(entries) = at(&place.directory.join(&above)).entries() else { return Vec::new() };
    let mut below: Vec<PathBuf> = entries
        .into_iter()
        .filter(|entry| entry.kind == Kind::Folder)
        .take(MOST_WORKSPACES)
        .map(|entry| above.join(&entry.name))
        .collect();
    below.sort();
    below
}
