//! The page and the report in a real browser.

use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use super::stage::Stage;
use crate::program::{Failure, run};
use crate::workspace::Workspace;

/// The script that drives it.
const DRIVER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/src/screens/browser.mjs");

/// The page of a stage, served.
pub struct Served {
    server: Child,
    /// What lets a browser in.
    pub link: String,
}

impl Served {
    /// Serves it, so that it acts.
    pub fn start(stage: &Stage) -> Result<Served, Failure> {
        let mut command = stage.windlass("parser");
        command.args(["web", "--listen", "127.0.0.1:0", "--actions"]).stdout(Stdio::piped());
        let mut server = command.spawn().map_err(|error| Failure(format!("windlass web: {error}")))?;
        let said = server.stdout.take().map(BufReader::new);
        let mut lines = said.into_iter().flat_map(BufReader::lines).map_while(Result::ok);
        let link = lines.find_map(|line| {
            line.split_whitespace().find(|word| word.contains("/#code=")).map(str::to_owned)
        });
        match link {
            Some(link) => Ok(Served { server, link }),
            None => Err(Failure("windlass web printed no link".to_owned())),
        }
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}

/// Takes pictures of every page, of the report's file, and of every terminal's picture.
pub fn pages(workspace: &Workspace, stage: &Stage, folder: &Path) -> Result<(), Failure> {
    let served = Served::start(stage)?;
    let report = stage.folder().join("report.html");
    run(stage.windlass("parser").args(["report", "--last-night", "--html"]).arg(&report))?;
    let mut node = Command::new("node");
    node.arg(DRIVER).arg(&served.link).arg(folder).arg(&report);
    node.args([&stage.waits, &stage.goes_on, &stage.tasks]);
    run(node.env("BROWSER_MODULES", workspace.target.join("tools/browser/node_modules")))
}
