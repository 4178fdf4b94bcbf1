//! What an agent said and did in one call, page by page: each row is known by the byte of its line, for ever.

use maud::{Markup, html};
use windlass_app::AppError;
use windlass_app::inspect::FollowedRun;
use windlass_app::transcript::{
    Content, Direction, Hit, Observation, Page, Recording, Row, ToolInput, Transcript,
};
use windlass_core::values::{CallId, RunId};
use windlass_ui::format;

use super::iteration::{Tab, path, top};
use super::parts::{self, line, text};
use super::run::name;
use super::{Sheet, Viewer, sheet};
use crate::names::{Cursor, encoded};
use crate::response::{Response, attachment};
use crate::site::{Site, locked};

/// Bytes of one line that are sent as they are.
const LONGEST_RAW: usize = 64 * 1024 * 1024;

/// Stretches that one request looks through for a text: about a second of work.
const STRETCHES: u32 = 16;

/// The page; `None` where there is no such call.
pub fn page(site: &Site, viewer: &Viewer, (run, call): (&RunId, CallId)) -> Result<Option<Markup>, AppError> {
    let Some(followed) = site.follow(run)? else { return Ok(None) };
    let (seen, seq, transcript) = {
        let followed = locked(&followed);
        (followed.run.seen(viewer.now)?, followed.seq, followed.run.transcript(call))
    };
    let Some(mut transcript) = transcript else { return Ok(None) };
    let Some(round) = seen.rounds.iter().find(|round| round.calls.iter().any(|one| one.call == call)) else {
        return Ok(None);
    };
    let found = sought(viewer, &mut transcript)?;
    let page = match (&found, viewer.asked_as("from"), viewer.asked_as("before")) {
        (Some(Hit::Line(at)), ..) => transcript.from(*at)?,
        (_, Some(Cursor(from)), _) => transcript.from(from)?,
        (_, None, Some(Cursor(before))) => transcript.before(before)?,
        _ => transcript.last()?,
    };
    let here = format!("/r/{run}/c/{call}");
    let is_live = page.recording == Recording::Growing || page.recording == Recording::Awaited;
    let content = html! {
        (top(&seen, round, Some(Tab::Transcript), &run.0))
        @if round.calls.len() > 1 { nav.pages aria-label="Calls" { @for one in &round.calls {
            a href={ "/r/" (run) "/c/" (one.call) } aria-current=[(one.call == call).then_some("page")] {
                (parts::word(&one.purpose)) " " (one.attempt)
            } " "
        } } }
        (search(viewer, &here, found.as_ref(), &page))
        (standing(&page))
        nav.pages aria-label="Earlier" {
            @if !page.is_first() { a href={ (here) "?from=0" } { "First" } " " a href={ (here) "?before=" (page.start) } rel="prev" { "Earlier" } }
        }
        ol.transcript #rows aria-live="off" data-end=(page.end) data-last=(page.is_last()) { @for row in &page.rows { (show(viewer, &here, row)) } }
        nav.pages aria-label="Later" {
            @if !page.is_last() { a href={ (here) "?from=" (page.end) } rel="next" { "Later" } " " a href=(here) { "Last" } }
        }
        @if is_live && page.is_last() { p { label.check { input #follow type="checkbox" hidden; " Follow what comes" } } }
    };
    let path = path(&run.0, &seen);
    let live = if is_live && page.is_last() {
        format!("/live/r/{run}/c/{call}?from={}", page.end)
    } else {
        String::new()
    };
    let title = format!("{} iteration {} call {call}", name(&seen), round.iteration);
    let about = Sheet { title: &title, live, run: Some((run, seq)), path: &path };
    Ok(Some(sheet(viewer, &about, &content)))
}

/// How the recording stands, where that is to be said.
fn standing(page: &Page) -> Markup {
    html! {
        @match page.recording {
            Recording::Gone => { p.why { "The recording of this call is gone: what it said is not kept any more. What came of it is on the other tabs." } }
            Recording::Awaited => { p.why { "Nothing has been said yet." } }
            Recording::Growing | Recording::Whole => { p.quiet { (format::bytes(page.size)) " recorded" @if page.size > 0 { ", this page from byte " (page.start) " to " (page.end) } } }
        }
    }
}

/// Looks for what is asked for; `None` where nothing is.
fn sought(viewer: &Viewer, transcript: &mut Transcript) -> Result<Option<Hit>, AppError> {
    let Some(wanted) = viewer.asked("q").filter(|wanted| !wanted.is_empty()) else { return Ok(None) };
    let is_back = viewer.asked("d").is_some_and(|direction| direction == "back");
    let direction = if is_back { Direction::Backward } else { Direction::Forward };
    let mut at = viewer.asked_as("at").map(|Cursor(at)| at);
    let mut found = Hit::Nothing;
    for _ in 0..STRETCHES {
        found = transcript.search(&wanted, at, direction)?;
        match found {
            Hit::Further(next) => at = Some(next),
            Hit::Line(_) | Hit::Nothing => break,
        }
    }
    Ok(Some(found))
}

fn search(viewer: &Viewer, here: &str, found: Option<&Hit>, page: &Page) -> Markup {
    let wanted = viewer.asked("q").unwrap_or_default();
    let again = |at: u64, direction: &str| format!("{here}?q={}&at={at}&d={direction}", encoded(&wanted));
    html! {
        form.search method="get" action=(here) role="search" {
            label for="q" { "Find in this call" }
            input #q name="q" value=(line(&wanted)) autocomplete="off";
            button { "Find" }
        }
        @match found {
            None => {}
            Some(Hit::Line(at)) => { p role="status" { "Found. " a href=(again(*at, "on")) { "Next" } " " a href=(again(*at, "back")) { "Previous" } } }
            Some(Hit::Further(at)) => { p role="status" { "Not found up to byte " (at) ". " a href=(again(*at, "on")) { "Look further" } } }
            Some(Hit::Nothing) => { p role="status" { "Not found. " a href=(again(page.end, "back")) { "Look backwards" } } }
        }
    }
}

/// Rows as they are appended to a page, until there are so many bytes of them; the rest is counted, and there to be opened. Were
/// they all?
pub fn rows(viewer: &Viewer, run: &RunId, call: CallId, (rows, most): (&[Row], usize)) -> (String, bool) {
    let here = format!("/r/{run}/c/{call}");
    let mut html = String::new();
    for (index, row) in rows.iter().enumerate() {
        if html.len() >= most {
            html.push_str(&skipped(&here, row, rows.len() - index).into_string());
            return (html, false);
        }
        html.push_str(&show(viewer, &here, row).into_string());
    }
    (html, true)
}

/// What came faster than it is shown: so many rows, from this one on.
fn skipped(here: &str, first: &Row, rows: usize) -> Markup {
    let came = if rows == 1 {
        " row came faster than it is shown: "
    } else {
        " rows came faster than they are shown: "
    };
    html! { li.skipped id=(id(first)) { p { "+" (rows) (came) a href={ (here) "?from=" (first.offset) } { "open" } } } }
}

/// What a row is known by on its page.
fn id(row: &Row) -> String {
    if row.part == 0 { format!("o={}", row.offset) } else { format!("o={}.{}", row.offset, row.part) }
}

fn show(viewer: &Viewer, here: &str, row: &Row) -> Markup {
    let id = id(row);
    let (kind, body) = match &row.content {
        Content::Observation(observation) => said(observation),
        Content::Long(beginning) => ("A long line", html! { pre { (text(beginning)) "\u{2026}" } }),
    };
    html! {
        li id=(id) {
            p.row-head {
                a.when href={ (here) "?from=" (row.offset) "#" (id) } { (parts::clock(viewer, row.at)) }
                " " strong { (kind) }
            }
            (body)
            @if let Some(whole) = row.whole {
                p.more { (format::bytes(whole.bytes)) " in all: " a href={ (here) "/raw?at=" (row.offset) } download { "the whole line" } }
            }
        }
    }
}

/// What kind of thing it is, and what it says.
fn said(observation: &Observation) -> (&'static str, Markup) {
    match observation {
        Observation::Started { model, version } => {
            ("Began", html! { p { (line(model)) " " (line(version)) } })
        }
        Observation::AgentText { text: words, nested } => {
            (if *nested { "Sub-agent" } else { "Text" }, html! { div.prose { (text(words)) } })
        }
        Observation::ToolUse { name, input, .. } => {
            ("Tool", html! { p { strong { (line(name)) } } (tool(input)) })
        }
        Observation::ToolResult { name, is_error, output, .. } => (
            if *is_error { "Failed" } else { "Answer" },
            html! { @if !name.is_empty() { p { (line(name)) } } pre { (text(&output.text)) } },
        ),
        Observation::Denied { name, .. } => {
            ("Denied", html! { p { (line(name)) " was refused by permissions" } })
        }
        Observation::Retrying { attempt, max_attempts, delay_ms, status, error } => (
            "Retry",
            html! { p { (line(error)) @if let Some(status) = status { " " (status) } ", try " (attempt) " of " (max_attempts) " in " (delay_ms / 1000) " s" } },
        ),
        Observation::LimitNotice { status, window, utilization, .. } => (
            "Limit",
            html! { p { (line(window).replace('_', " ")) " window: " (line(status)) @if let Some(part) = utilization { ", " (format!("{:.0}", part * 100.0)) "% used" } } },
        ),
        Observation::Background { running } => ("Background", html! { p { (running) " running" } }),
        Observation::Compacted => ("Compacted", html! { p { "the agent shortened its context" } }),
        Observation::Result { is_error, text: words, cost_usd, turns } => (
            if *is_error { "Error" } else { "Result" },
            html! { div.prose { (text(words)) } p.quiet { @if let Some(cost) = cost_usd { "$" (format!("{cost:.2}")) } @if let Some(turns) = turns { ", " (turns) " turns" } } },
        ),
        Observation::Garbage { bytes, start } => {
            ("No JSON", html! { pre { (text(start)) } p.quiet { (format::bytes(*bytes)) } })
        }
    }
}

fn tool(input: &ToolInput) -> Markup {
    match input {
        ToolInput::Read { path, .. } => html! { p { code { (line(path)) } } },
        ToolInput::Edit { path, old, new, all } => html! {
            p { code { (line(path)) } @if *all { " everywhere" } }
            pre.diff { @for gone in old.lines() { del { "-" (text(gone)) "\n" } } @for come in new.lines() { ins { "+" (text(come)) "\n" } } }
        },
        ToolInput::Write { path, bytes, lines } => {
            html! { p { code { (line(path)) } " " (parts::count(*lines, "line")) ", " (format::bytes(*bytes)) } }
        }
        ToolInput::Bash { command, description } => html! {
            @if !description.is_empty() { p { (line(description)) } }
            pre { (text(command)) }
        },
        ToolInput::Grep { pattern, path } | ToolInput::Glob { pattern, path } => {
            html! { p { code { (line(pattern)) } " in " code { (line(path)) } } }
        }
        ToolInput::Agent { description } => html! { p { (line(description)) } },
        ToolInput::Other { json } => html! { pre { (text(json)) } },
    }
}

/// One line as the agent wrote it, to be kept: nothing that a browser shows.
pub fn raw(
    site: &Site,
    viewer: &Viewer,
    (run, call): (&RunId, CallId),
) -> Result<Option<Response>, AppError> {
    let Some(followed) = site.follow(run)? else { return Ok(None) };
    let (transcript, recorded) = {
        let followed = locked(&followed);
        let seen = followed.run.seen(viewer.now)?;
        (transcript_of(&followed.run, call), seen.typed(&format!("windlass logs {run}")))
    };
    let (Some(transcript), Some(Cursor(at))) = (transcript, viewer.asked_as("at")) else { return Ok(None) };
    let mut bytes = Bounded(Vec::new());
    let copied = transcript.copy_line(at, &mut bytes);
    if let Err(error) = copied {
        return Err(if bytes.0.len() >= LONGEST_RAW {
            AppError::usage(format!("this line is longer than {}", format::bytes(LONGEST_RAW as u64)))
                .hint(format!("It is in the recording: {recorded}"))
        } else {
            error.into()
        });
    }
    Ok(Some(attachment(&format!("{run}-call-{call}-{at}.txt"), bytes.0)))
}

fn transcript_of(followed: &FollowedRun, call: CallId) -> Option<Transcript> {
    followed.transcript(call)
}

/// No more than is sent.
struct Bounded(Vec<u8>);

impl std::io::Write for Bounded {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        if self.0.len() >= LONGEST_RAW {
            return Err(std::io::ErrorKind::FileTooLarge.into());
        }
        self.0.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;
    use jiff::tz::TimeZone;

    use super::*;
    use crate::site::Rights;

    fn says(offset: u64) -> Row {
        let text = Observation::AgentText { text: "word ".repeat(200), nested: false };
        let content = Content::Observation(text);
        Row { offset, part: 0, bytes: 1000, at: Timestamp::UNIX_EPOCH, content, whole: None }
    }

    #[test]
    fn rows_beyond_what_is_sent_are_counted_and_can_be_opened() {
        let viewer = Viewer {
            rights: Rights::Read,
            zone: TimeZone::UTC,
            now: Timestamp::UNIX_EPOCH,
            query: String::new(),
        };
        let all: Vec<Row> = (0..5).map(|number| says(number * 1000)).collect();
        let shown = |most| rows(&viewer, &RunId("r-1".to_owned()), CallId(7), (&all, most));
        assert!(shown(100_000).1);
        for (most, whole, rest) in [(0, 0, "+5 rows"), (1, 1, "+4 rows"), (4500, 4, "+1 row came")] {
            let (html, fits) = shown(most);
            assert_eq!((html.matches("row-head").count(), fits), (whole, false), "{most}");
            assert!(html.contains(rest), "{most}: {html}");
            assert!(html.contains(&format!("id=\"o={0}\"><p>+", whole * 1000)), "{most}: {html}");
            assert!(html.contains(&format!("/r/r-1/c/7?from={}\">open</a>", whole * 1000)), "{most}: {html}");
        }
    }
}
