//! `fleet`: lanes on many machines.

use std::process::ExitCode;

use windlass_app::AppError;
use windlass_app::fleet::{FleetInit, MadePart};
use windlass_ui::Line;

use super::{app, done, print, print_lines};
use crate::args::{FleetArgs, FleetVerb};

/// Does it.
pub fn run(args: &FleetArgs) -> Result<ExitCode, AppError> {
    match args.verb {
        FleetVerb::Init { show_permissions: true } => print(&app()?.fleet_permissions()?)?,
        FleetVerb::Init { show_permissions: false } => print_lines(&made(&app()?.init_fleet()?))?,
    }
    Ok(ExitCode::SUCCESS)
}

fn made(init: &FleetInit) -> Vec<Line> {
    let width = init.parts.iter().map(|part| part.name.len()).max().unwrap_or_default();
    let part = |MadePart { name, about, is_new }: &MadePart| {
        let state = if *is_new { "made     " } else { "was there" };
        Line::hanging(4).plain(format!("  {name:width$}  {state}  ")).dim(*about)
    };
    let first = done(&format!("the fleet {} has what it needs", init.name));
    let next = Line::hanging(2).dim("  on each machine  ").command("windlass worker".to_owned());
    std::iter::once(first).chain(init.parts.iter().map(part)).chain([next]).collect()
}
