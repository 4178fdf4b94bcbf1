//! `update`: puts a newer release in this program's place, and tells that there is one.

use windlass_app::AppError;
use windlass_app::update::{Update, UpdateWanted};
use windlass_ui::Line;

use super::{app, done, from_here, print_lines, terminal, warn};
use crate::args::{UpdateArgs, Verb};

/// Does it.
pub fn run(args: &UpdateArgs) -> Result<(), AppError> {
    let wanted = if args.check { UpdateWanted::Look } else { UpdateWanted::Install };
    print_lines(&lines(&app()?.update(wanted)?))
}

fn lines(update: &Update) -> Vec<Line> {
    match update {
        Update::Newest { version } => vec![done(&format!("windlass {version} is the newest"))],
        Update::Available { version, newer } => {
            vec![Line::new().plain(format!("windlass {newer} is out, this is {version}: windlass update"))]
        }
        Update::Installed { version, newer, previous } => vec![
            done(&format!("windlass {newer} is installed, in place of {version}")),
            Line::new().dim(format!("  the former program is kept: {}", from_here(previous))),
        ],
    }
}

/// Tells a person at a terminal who begins a run that there is a newer version, as far as that is known.
pub fn tell(verb: &Verb) {
    let begins = matches!(
        verb,
        Verb::Run(_)
            | Verb::Plan(_)
            | Verb::Build(_)
            | Verb::Pipeline(_)
            | Verb::Resume(_)
            | Verb::Continue(_)
    );
    if !begins || !terminal::has_terminal() {
        return;
    }
    if let Some(newer) = app().ok().and_then(|app| app.newer_release()) {
        warn(&format!("windlass {newer} is out, this is {}: windlass update", env!("CARGO_PKG_VERSION")));
    }
}
