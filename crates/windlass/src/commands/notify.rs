//! `notify test`: one notification by every way that is configured.

use std::process::ExitCode;
use std::time::Duration;

use strum::IntoEnumIterator;
use windlass_app::AppError;
use windlass_app::notify::{Delivery, SinkAnswer, SinkOutcome};
use windlass_core::typed::nearest;
use windlass_core::values::{Named, NotifyEvent, SinkKind};
use windlass_ui::{Line, Mark, Tone, format, one_line};

use super::{app, print_lines};
use crate::args::{NotifyArgs, NotifyVerb};

/// Where the second column begins.
const COLUMN: usize = 10;

/// Does it.
///
/// # Errors
/// Nothing is configured, or there is no such event or workspace.
pub fn run(args: &NotifyArgs) -> Result<ExitCode, AppError> {
    let NotifyVerb::Test { workspace, event, trust } = &args.verb;
    let event = event_named(event)?;
    let mut test = app()?.notification_test(event, workspace.as_deref(), &trust.into())?;
    let is_told_in_runs = test.is_told_in_runs;
    let mut are_all_accepted = true;
    for delivery in test.deliveries() {
        print_lines(&sent(&delivery))?;
        let kind = delivery.kind();
        let (answer, took) = delivery.send();
        print_lines(&answered(kind, &answer, took))?;
        are_all_accepted &= answer.outcome == SinkOutcome::Accepted;
    }
    if !is_told_in_runs {
        // An event that is not told of in a run is worth a word.
        let said = format!("In a run {} is not sent: it is not in notify.events.", event.name());
        print_lines(&[Line::new().plain(said)])?;
    }
    Ok(if are_all_accepted { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn event_named(name: &str) -> Result<NotifyEvent, AppError> {
    let known = name.parse().ok();
    known.ok_or_else(|| {
        let names = || NotifyEvent::iter().map(Into::into);
        let hint = match nearest(name, names()) {
            Some(meant) => format!("Did you mean {meant}?"),
            None => format!("There are {}.", names().collect::<Vec<_>>().join(", ")),
        };
        AppError::usage(format!("there is no event `{}`", one_line(name))).hint(hint)
    })
}

/// `ntfy      ntfy.sh`, then what is sent there, line by line.
fn sent(delivery: &Delivery<'_>) -> Vec<Line> {
    let (name, parcel) = (delivery.kind().name(), &delivery.parcel);
    let mut lines =
        vec![Line::hanging(COLUMN).strong(format!("{name:<COLUMN$}")).plain(one_line(&delivery.place()))];
    let indented = |text: &str| Line::hanging(COLUMN).plain(" ".repeat(COLUMN)).dim(one_line(text));
    lines.extend(parcel.headers.iter().map(|(name, value)| indented(&format!("{name}: {value}"))));
    if !parcel.headers.is_empty() {
        lines.push(Line::new());
    }
    // As it is sent: a terminal may break it, but we do not.
    let body = |text: &str| {
        if text.trim().is_empty() { Line::new() } else { indented(text).unbroken() }
    };
    lines.extend(parcel.body.lines().map(body));
    lines
}

fn answered(kind: SinkKind, answer: &SinkAnswer, took: Duration) -> Vec<Line> {
    let status = answer.status.map(|status| match kind {
        SinkKind::Command => format!("exit {status}"),
        SinkKind::Ntfy | SinkKind::Webhook => status.to_string(),
    });
    let detail = Some(answer.detail.clone()).filter(|detail| !detail.is_empty());
    let time = format!("{} ms", took.as_millis());
    let time = if took < Duration::from_secs(10) { time } else { format::duration(took) };
    let facts: Vec<String> = status.into_iter().chain(detail).chain([time]).collect();
    let (tone, mark, word) = match answer.outcome {
        SinkOutcome::Accepted => (Tone::Good, Mark::Passed, "accepted"),
        SinkOutcome::Refused => (Tone::Bad, Mark::Failed, "refused"),
        SinkOutcome::TryAgain(_) => (Tone::Bad, Mark::Failed, "failed; a run would try again"),
    };
    let line = Line::hanging(COLUMN + 2)
        .plain(" ".repeat(COLUMN))
        .mark(tone, mark)
        .plain(format!(" {word} ({})", facts.join(", ")));
    vec![line, Line::new()]
}
