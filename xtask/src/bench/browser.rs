//! What a page is in a real browser.

use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::Value;

use super::bed::{Bed, Ground};
use super::served::ServedPage;
use crate::program::Failure;

/// The script that drives it.
const DRIVER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/src/bench/browser.mjs");

/// Looks at a page of this server; what came of it, as the script says it. `None` where there is no browser.
pub fn look(
    bed: &Bed,
    (ground, page): (&Ground<'_>, &ServedPage),
    what: &str,
    arguments: &[&str],
) -> Result<Option<Value>, Failure> {
    if !Path::new("/usr/bin/chromium").exists() || !bed.browser().join("playwright-core").exists() {
        return Ok(None);
    }
    let mut node = Command::new("node");
    node.arg(DRIVER).arg(what).arg(format!("http://{}", page.address)).arg(page.code(ground)?);
    node.args(arguments).env("BENCH_BROWSER_MODULES", bed.browser()).stderr(Stdio::inherit());
    let told = node.output().map_err(|error| Failure(format!("node: {error}")))?;
    if !told.status.success() {
        return Err(Failure(format!("the browser's script failed ({})", told.status)));
    }
    let told = serde_json::from_slice(&told.stdout);
    told.map(Some).map_err(|error| Failure(format!("the browser's script: {error}")))
}
