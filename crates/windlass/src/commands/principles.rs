//! `principles show|decisions|init|set|reset`.

use windlass_app::principles::{ChangedPrinciple, NewPrinciples, already};
use windlass_app::{App, AppError};
use windlass_core::council::DECISION_LOG;
use windlass_core::principles::Principles;
use windlass_core::values::Named;
use windlass_ui::{Line, Mark, Tone, decisions_json, decisions_text, principles_json, principles_text};

use super::{Shape, app, done, from_here, print, print_bytes, print_lines, question, questionnaire, stdout};
use crate::args::{PrinciplesArgs, PrinciplesVerb};

/// Does it.
///
/// # Errors
/// There are none, their file is wrong, or what is asked for cannot be done.
pub fn run(args: &PrinciplesArgs) -> Result<(), AppError> {
    let app = app()?;
    let default = PrinciplesVerb::Show { json: args.json };
    match args.verb.as_ref().unwrap_or(&default) {
        PrinciplesVerb::Show { json } => show(&app, Shape::of(*json)),
        PrinciplesVerb::Decisions { json } => decisions(&app, Shape::of(*json)),
        PrinciplesVerb::Init { preset, force } => {
            init(&app, preset.map(|name| Principles::of(name.into())), *force)
        }
        PrinciplesVerb::Set { changes } => tell(&app.set_principles(changes)?),
        PrinciplesVerb::Reset { keys } => tell(&app.reset_principles(keys)?),
    }
}

fn show(app: &App, shape: Shape) -> Result<(), AppError> {
    let shown = app.principles()?;
    shape.print(|| principles_json(&shown), || principles_text(&shown, &stdout()))
}

fn decisions(app: &App, shape: Shape) -> Result<(), AppError> {
    let shown = app.decisions()?;
    match shape {
        Shape::Json => print_bytes(&decisions_json(&shown)),
        Shape::Text if shown.is_empty() => print_lines(&[
            Line::new().dim(format!("no decision is noted here: there is none in {DECISION_LOG}"))
        ]),
        Shape::Text => print(&decisions_text(&shown, &stdout())),
    }
}

/// Those of a preset that was named, or what a person answers.
fn init(app: &App, named: Option<Principles>, force: bool) -> Result<(), AppError> {
    // Before anybody answers for nothing.
    if let Some(file) = app.file_of_principles()?.filter(|_| !force) {
        return Err(already(&file));
    }
    let principles = match named {
        Some(principles) => principles,
        None if question::has_person() => questionnaire::answered()?,
        None => {
            return Err(AppError::usage("there is no terminal to ask on: which values are these to be?")
                .hint("Without a question: windlass principles init --preset startup (or enterprise, opensource, custom)"));
        }
    };
    let made = app.init_principles(&NewPrinciples { principles, replace: force })?;
    let mut lines = vec![done(&format!("{} is there", from_here(&app.directory().join(&made.file))))];
    let kept = made.kept.map(|kept| from_here(&app.directory().join(kept)));
    lines.extend(kept.map(|kept| Line::new().dim(format!("  what was in it is in {kept}"))));
    lines.push(Line::new().dim("  next  ").command("windlass principles"));
    print_lines(&lines)
}

fn tell(changed: &[ChangedPrinciple]) -> Result<(), AppError> {
    let lines: Vec<Line> = changed
        .iter()
        .map(|ChangedPrinciple { principle, before, now }| {
            let was = match before {
                Some(before) if before == now => " already".to_owned(),
                Some(before) => format!(" (was {before})"),
                None => String::new(),
            };
            let meaning = format!("  1 {}, 10 {}", principle.low(), principle.high());
            Line::hanging(2)
                .mark(Tone::Good, Mark::Passed)
                .strong(format!(" {}", principle.name()))
                .plain(format!(" is {now}{was}"))
                .dim(meaning)
        })
        .collect();
    print_lines(&lines)
}
