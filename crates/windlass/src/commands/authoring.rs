//! `setup` and `edit`: an agent and a person at this terminal write what a workspace's runs are told.

use std::process::ExitCode;

use windlass_app::AppError;
use windlass_app::session::{Authoring, InstructionsSession, WriteInstructions};
use windlass_ui::{Line, Mark, Tone};

use super::{app, conversation, done, flags, from_here, print_lines, wanted};
use crate::args::AuthoringArgs;

/// Does it.
pub fn author(authoring: Authoring, args: &AuthoringArgs) -> Result<ExitCode, AppError> {
    let held = app()?.write_instructions(&WriteInstructions {
        authoring,
        workspace: args.name.clone(),
        settings: flags::model(args.model.as_ref())?,
        script: args.mock.as_deref().map(wanted::script).transpose()?,
        trust: (&args.trust).into(),
    })?;
    print_lines(&said(authoring, &held))?;
    if held.are_written && authoring == Authoring::Setup {
        held.tell_of_setup()?;
    }
    Ok(match (held.session.was_asked_to_end, held.are_written) {
        (true, _) => ExitCode::from(143),
        (false, true) => ExitCode::SUCCESS,
        (false, false) => ExitCode::FAILURE,
    })
}

/// What came of it.
fn said(authoring: Authoring, held: &InstructionsSession) -> Vec<Line> {
    let name = &held.workspace;
    let mut lines = conversation::troubles(&held.session);
    lines.push(headline(authoring, held));
    lines.extend(conversation::beside("the instructions", &held.session));
    let next = if held.are_written {
        vec![("next", format!("windlass validate {name}")), ("", format!("windlass run {name}"))]
    } else {
        vec![("next", format!("windlass setup {name}"))]
    };
    lines.extend(
        next.into_iter().map(|(label, command)| Line::new().dim(format!("  {label:<4}  ")).command(command)),
    );
    lines.extend(conversation::undo(&held.session));
    lines
}

fn headline(authoring: Authoring, held: &InstructionsSession) -> Line {
    let name = &held.workspace;
    let path = from_here(&held.instructions);
    let nothing = Line::hanging(2).mark(Tone::Warn, Mark::Nothing);
    match (authoring, held.are_written) {
        (Authoring::Setup, true) => done(&format!("the instructions of {name} are written: {path}")),
        (Authoring::Setup, false) => nothing.plain(format!(" there are no instructions yet: {path}")),
        (Authoring::Edit, false) => nothing.plain(format!(" the instructions of {name} are gone: {path}")),
        (Authoring::Edit, true) => match held.session.own.as_deref() {
            Some([]) => nothing.plain(format!(" the instructions of {name} are as they were")),
            Some(_) => done(&format!("the instructions of {name} are changed")),
            None => done(&format!("the instructions of {name}: {path}")),
        },
    }
}
