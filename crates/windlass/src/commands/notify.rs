//! `notify test`: one notification by every way that is configured.

use std::process::ExitCode;
use std::time::{Duration, Instant};

use jiff::Timestamp;
use windlass_core::config::{Layer, NotifyEvent, Resolved, Unlimited, nearest};
use windlass_core::notification::{self, Notification};
use windlass_core::spec::Mode;
use windlass_core::values::SinkKind;
use windlass_engine::notify::{Answer, CommandRoom, Outcome, Parcel, Sink};
use windlass_engine::workspace::Workspaces;
use windlass_host::process::become_subreaper;
use windlass_ui::{Line, Mark, Tone, format, one_line};

use super::print_lines;
use crate::args::{NotifyArgs, NotifyVerb};
use crate::commands::app;
use windlass_app::AppError;
use windlass_app::agent;
use windlass_app::configuration::Configuration;
use windlass_app::here::Here;
use windlass_app::telling;
use windlass_app::trusting::{self, Asked, Purpose, TrustAnswers};

/// Where the second column begins.
const COLUMN: usize = 10;

/// Does it.
///
/// # Errors
/// Nothing is configured, or there is no such event or workspace.
pub fn run(args: &NotifyArgs) -> Result<ExitCode, AppError> {
    let NotifyVerb::Test { workspace, event, trust } = &args.verb;
    let event = event_named(event)?;
    let directory = app()?.directory().to_owned();
    let configuration = configuration(&directory, workspace.as_deref())?;
    let resolved = &configuration.resolved;
    trusting::require(&Asked {
        here: &Here::at(&app()?, directory.clone())?,
        configuration: &configuration,
        purpose: Purpose::Notifications,
        reader: None,
        answers: &TrustAnswers::from(trust),
    })?;
    become_subreaper()?;
    let room =
        CommandRoom { program: app()?.program().to_owned(), environment: agent::environment(), directory };
    let sinks = Sink::all(&resolved.notify, &telling::redactor(), &room);
    if sinks.is_empty() {
        return Err(AppError::usage("nobody is told anything: no notifications are configured")
            .hint("For example in .windlass/config.toml: notify.url = \"https://ntfy.sh/your-topic\"")
            .hint("Others: notify.webhook (JSON), notify.command (a shell command)."));
    }
    let notification = notification::test(event, Timestamp::now());
    let mut refused = 0;
    for mut sink in sinks {
        let parcel = sink.parcel(&notification);
        print_lines(&sent(&sink, &parcel))?;
        let began = Instant::now();
        let answer = sink.send(&notification, parcel);
        print_lines(&answered(sink.kind(), &answer, began.elapsed()))?;
        refused += u32::from(answer.outcome != Outcome::Accepted);
    }
    note_filter(resolved, &notification)?;
    Ok(if refused == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn event_named(name: &str) -> Result<NotifyEvent, AppError> {
    let known = NotifyEvent::ALL.into_iter().find(|event| event.name() == name);
    known.ok_or_else(|| {
        let names = || NotifyEvent::ALL.into_iter().map(NotifyEvent::name);
        let hint = match nearest(name, names()) {
            Some(meant) => format!("Did you mean {meant}?"),
            None => format!("There are {}.", names().collect::<Vec<_>>().join(", ")),
        };
        AppError::usage(format!("there is no event `{}`", one_line(name))).hint(hint)
    })
}

fn configuration(directory: &std::path::Path, workspace: Option<&str>) -> Result<Configuration, AppError> {
    let workspace = workspace.map(|name| Workspaces::open(directory).find(name)).transpose()?;
    let folder = workspace.as_ref().map(windlass_engine::workspace::Workspace::folder);
    Configuration::load(directory, folder, Mode::Goal, Layer::default(), Unlimited::Allowed)
}

/// `ntfy      ntfy.sh`, then what is sent there, line by line.
fn sent(sink: &Sink, parcel: &Parcel) -> Vec<Line> {
    let name = sink.kind().name();
    let mut lines =
        vec![Line::hanging(COLUMN).strong(format!("{name:<COLUMN$}")).plain(one_line(&sink.place()))];
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

fn answered(kind: SinkKind, answer: &Answer, took: Duration) -> Vec<Line> {
    let status = answer.status.map(|status| match kind {
        SinkKind::Command => format!("exit {status}"),
        SinkKind::Ntfy | SinkKind::Webhook => status.to_string(),
    });
    let detail = Some(answer.detail.clone()).filter(|detail| !detail.is_empty());
    let time = format!("{} ms", took.as_millis());
    let time = if took < Duration::from_secs(10) { time } else { format::duration(took) };
    let facts: Vec<String> = status.into_iter().chain(detail).chain([time]).collect();
    let (tone, mark, word) = match answer.outcome {
        Outcome::Accepted => (Tone::Good, Mark::Passed, "accepted"),
        Outcome::Refused => (Tone::Bad, Mark::Failed, "refused"),
        Outcome::TryAgain(_) => (Tone::Bad, Mark::Failed, "failed; a run would try again"),
    };
    let line = Line::hanging(COLUMN + 2)
        .plain(" ".repeat(COLUMN))
        .mark(tone, mark)
        .plain(format!(" {word} ({})", facts.join(", ")));
    vec![line, Line::new()]
}

/// An event that is not told of in a run is worth a word.
fn note_filter(resolved: &Resolved, notification: &Notification) -> Result<(), AppError> {
    let event = notification.key.event;
    if resolved.notify.events.contains(&event) {
        return Ok(());
    }
    print_lines(&[
        Line::new().plain(format!("In a run {} is not sent: it is not in notify.events.", event.name()))
    ])
}
