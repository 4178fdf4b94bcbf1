//! The npm package: it carries the program, and fetches nothing when it is installed.

use std::fs;
use std::path::{Path, PathBuf};

use flate2::Compression;
use serde_json::json;

use super::archive::{Entry, pack};
use super::staging::{Staging, files_below, write_file};
use super::{Release, binary};
use crate::program::Failure;
use crate::workspace::Workspace;

/// What npm calls machines.
fn processor(architecture: &str) -> &str {
    match architecture {
        "x86_64" => "x64",
        "aarch64" => "arm64",
        other => other,
    }
}

/// `windlass-linux-x64-VERSION.tgz`, in npm's own form.
pub fn write(workspace: &Workspace, release: &Release, staging: &Staging) -> Result<(), Failure> {
    let processor = processor(release.architecture());
    let name = format!("windlass-linux-{processor}");
    let pages = files_below(&staging.path("share/man/man1"))?;
    let pages: Vec<String> = pages.iter().map(|page| format!("share/man/man1/{}", page.display())).collect();
    let mut package = json!({
        "name": name,
        "version": release.version,
        "description": binary::about(workspace)?,
        "license": "MIT OR Apache-2.0",
        "bin": { "windlass": "bin/windlass" },
        "man": pages,
        "os": ["linux"],
        "cpu": [processor],
    });
    if release.target.ends_with("-gnu") {
        package["libc"] = json!(["glibc"]);
    }
    let text = format!("{package:#}\n");
    write_file(&staging.path("package.json"), text.as_bytes())?;
    let entry = |file: PathBuf| Entry { from: staging.path(&file), name: Path::new("package").join(&file) };
    let entries: Vec<Entry> = files_below(staging.root())?.into_iter().map(entry).collect();
    let archive = release.file(format!("{name}-{}.tgz", release.version));
    let packed = pack(&archive, &entries, release.time, Compression::best());
    let manifest = staging.path("package.json");
    fs::remove_file(&manifest).map_err(|error| Failure::at(&manifest, error))?;
    packed
}
