//! The report as one file.

use jiff::tz::TimeZone;
use maud::{DOCTYPE, Markup, PreEscaped, html};
use windlass_core::redact::Redactor;
use windlass_ui::format;
use windlass_ui::model::{Night, RunSeen};
use windlass_ui::report::{Part, ReportAnswer, Row, Sheet, foreign, look, name, tables};

use crate::STYLE;
use crate::chart::{Numbers, charts};
use crate::patch::Patch;
use crate::pieces::{Redacted, sign, table};

/// A report takes so many bytes at most: patches beyond that are left out, with the commands that show them.
pub const LARGEST_REPORT: usize = 1_000_000;

/// No script, nothing from anywhere else, no form.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";

/// What a run changed, part by part.
#[derive(Clone, Debug, Default)]
pub struct RunPatches {
    /// Which run.
    pub run: String,
    /// In the order in which they are shown.
    pub patches: Vec<Patch>,
}

/// The report as one HTML file: no script, nothing fetched, at most [`LARGEST_REPORT`] bytes where the tables allow that.
pub fn report_html(night: &Night, patches: &[RunPatches], redactor: &Redactor, zone: &TimeZone) -> String {
    let redacted = Redacted(redactor);
    let sheet = Sheet::of(night, zone);
    let title: String = sheet.headline.iter().map(Part::text).collect();
    let runs: Vec<Markup> = night
        .runs
        .iter()
        .zip(&sheet.whole)
        .map(|(run, whole)| details(&redacted, run, whole, zone))
        .collect();
    let mut room = LARGEST_REPORT
        .saturating_sub(STYLE.len() + runs.iter().map(|run| run.0.len()).sum::<usize>() + 32_000);
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta http-equiv="Content-Security-Policy" content=(POLICY);
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="referrer" content="no-referrer";
                title { (redactor.redact(&title)) }
                style { (PreEscaped(STYLE)) }
            }
            body {
                main {
                    h1 { (redacted.parts(&sheet.headline)) }
                    div.answers { @for answer in &sheet.answers { (answered(&redacted, answer)) } }
                    @for (run, details) in night.runs.iter().zip(&runs) {
                        article {
                            (details)
                            (changes(run, patches, redactor, &mut room))
                        }
                    }
                    @for lost in &night.unreadable {
                        p.warn { "The " (lost.named().0) " " (redacted.part(&foreign(lost.named().1))) " is left out: " (redacted.part(&foreign(&lost.why))) }
                    }
                    footer { p { "Made by Windlass at " (format::date_time(night.made, zone)) } }
                }
            }
        }
    };
    page.into_string()
}

fn answered(redacted: &Redacted<'_>, answer: &ReportAnswer) -> Markup {
    html! {
        section {
            h2 { (answer.question) }
            ul { @for row in &answer.rows { li { (said(redacted, row)) } } }
        }
    }
}

fn said(redacted: &Redacted<'_>, row: &Row) -> Markup {
    match row {
        Row::Says { look, run, parts } => html! {
            (sign(*look))
            @if let Some(run) = run { strong { (run) } " " }
            (redacted.parts(parts))
        },
        Row::Types { command, purpose } => html! {
            @if !purpose.is_empty() { span.purpose { (redacted.0.redact(purpose)) } }
            code.command { (redacted.0.redact(command)) }
        },
    }
}

fn details(redacted: &Redacted<'_>, run: &RunSeen, whole: &[ReportAnswer], zone: &TimeZone) -> Markup {
    html! {
        h2 {
            (sign(look(run.status.state)))
            (name(run)) " " (run.status.state.name()) " " (redacted.part(&foreign(&run.status.title)))
        }
        @if !whole.is_empty() { div.answers { @for answer in whole { (answered(redacted, answer)) } } }
        div.charts { @for chart in charts(run, zone) { (chart.figure(&name(run), Numbers::Folded)) } }
        @for rows in tables(run, zone) { (table(redacted, &rows)) }
    }
}

fn changes(run: &RunSeen, patches: &[RunPatches], redactor: &Redactor, room: &mut usize) -> Markup {
    let own = name(run);
    let patches = patches.iter().filter(|of| of.run == own).flat_map(|of| &of.patches);
    let mut left_out = Vec::new();
    let mut shown = Vec::new();
    for patch in patches {
        let markup = patch.html(redactor);
        match room.checked_sub(markup.0.len()) {
            Some(rest) => {
                *room = rest;
                shown.push(markup);
            }
            None => left_out.push(&patch.command),
        }
    }
    left_out.dedup();
    html! {
        @if !shown.is_empty() { h3 { "Changes" } }
        @for patch in shown { (patch) }
        @if !left_out.is_empty() {
            p.dim { "Changes that are too large for this file:" }
            @for command in left_out.iter().take(20) { code.command { (redactor.redact(command)) } }
        }
    }
}
