//! All runs of this machine: who waits for somebody first.

use maud::{Markup, html};
use windlass_app::AppError;
use windlass_app::inspect::{Heading, ListedRun, Machine};
use windlass_ui::{RunState, format};

use super::parts::{self, line};
use super::{Sheet, Viewer, sheet};
use crate::names::{Cursor, encoded};
use crate::site::Site;

/// Runs on a page of all.
const ROWS: usize = 100;

/// Runs below one heading.
const SOME: usize = 20;

/// The first page.
pub fn page(site: &Site, viewer: &Viewer) -> Result<Markup, AppError> {
    let content = html! { h1 { "Runs" } (part(site, viewer)?) };
    let about = Sheet { title: "Runs", live: "/live".to_owned(), run: None, path: &[] };
    Ok(sheet(viewer, &about, &content))
}

/// What changes on it.
pub fn part(site: &Site, viewer: &Viewer) -> Result<Markup, AppError> {
    site.runs(|machine| html! { div #night { (headings(site, viewer, machine)) } })
}

fn headings(site: &Site, viewer: &Viewer, machine: &Machine) -> Markup {
    let runs = machine.runs();
    let is_seen = |run: &ListedRun| site.seen.has(&run.summary.run, run.state, run.summary.iterations);
    let needs = |run: &&ListedRun| run.heading == Heading::NeedsYou && !is_seen(run);
    let of = |heading: Heading| runs.iter().filter(move |run| run.heading == heading);
    let last_night = runs.iter().filter(|run| {
        run.heading == Heading::LastNight || (run.heading == Heading::NeedsYou && is_seen(run))
    });
    html! {
        @if runs.is_empty() {
            p { "No run yet. " (parts::command("windlass run -p 'Make the tests pass' --gate 'make test'")) }
        }
        (group(viewer, "Needs you", runs.iter().filter(needs)))
        (group(viewer, "Running", of(Heading::Running)))
        (group(viewer, "Last night", last_night))
        (group(viewer, "Older", of(Heading::Older)))
        @if runs.len() > SOME { p { a href="/runs" { "All " (runs.len()) " runs" } } }
        @if !machine.unreadable().is_empty() || !machine.closed().is_empty() {
            section aria-labelledby="unreadable" {
                h2 #unreadable { "Cannot be read" }
                ul.runs { @for (known, why) in machine.unreadable().iter().take(SOME) {
                    li { a href={ "/r/" (known.run()) } { strong { (line(&known.run().0)) } } " " (line(why)) }
                } @for project in machine.closed() {
                    li { "All runs of " strong { (line(&project.name)) } " " (line(&project.why)) }
                } }
            }
        }
    }
}

fn group<'a>(viewer: &Viewer, name: &str, runs: impl Iterator<Item = &'a ListedRun>) -> Markup {
    let runs: Vec<&ListedRun> = runs.collect();
    let id = name.to_lowercase().replace(' ', "-");
    html! {
        @if !runs.is_empty() {
            section aria-labelledby=(id) {
                h2 #(id) { (name) " " span.quiet { (runs.len()) } }
                ul.runs { @for run in runs.iter().take(SOME) { li { (card(viewer, run)) } } }
                @if runs.len() > SOME { p { (runs.len() - SOME) " more: " a href="/runs" { "all runs" } } }
            }
        }
    }
}

/// A run in a list.
pub fn card(viewer: &Viewer, run: &ListedRun) -> Markup {
    let row = run.row();
    let name = row.workspace.as_deref().unwrap_or_else(|| folder_name(&row.directory));
    html! {
        a.card href={ "/r/" (row.run) } {
            span.name { strong { (line(name)) } " " span.quiet { (row.run) } }
            (parts::state(row.state))
            span.figures {
                (parts::count(u64::from(row.iterations), "iteration")) ", " (format::spent(row.spent()))
                @if let Some(items) = row.items { ", " (items.done) "/" (items.total) }
                @if row.state == RunState::Running { ", silent " (parts::since(viewer, run.summary.last)) }
                @else { ", " (format::clock(run.summary.last, viewer.now, &viewer.zone)) }
            }
            span.title { (line(&row.title)) }
        }
    }
}

/// The last part of a directory's path.
pub fn folder_name(directory: &str) -> &str {
    directory.rsplit('/').find(|part| !part.is_empty()).unwrap_or(directory)
}

/// All of them, page by page.
pub fn all(site: &Site, viewer: &Viewer) -> Result<Markup, AppError> {
    let Cursor(from) = viewer.asked_as("from").unwrap_or_default();
    let from = usize::try_from(from).unwrap_or(usize::MAX);
    let wanted = viewer.asked("q").unwrap_or_default();
    let project = viewer.asked("project").unwrap_or_default();
    let failed_only = viewer.asked("only").is_some_and(|only| only == "failed");
    site.runs(|machine| {
        let fits = |run: &&ListedRun| {
            let summary = &run.summary;
            (project.is_empty() || run.known().project_name() == project)
                && (!failed_only || parts::state_class(run.state) == "bad")
                && (wanted.is_empty() || [summary.title.as_str(), &summary.directory.to_string_lossy(), &summary.run.0].iter().any(|text| contains(text, &wanted)))
        };
        let found: Vec<&ListedRun> = machine.runs().iter().filter(fits).collect();
        let rest = |from: usize| format!("/runs?from={from}&q={}&project={}{}", encoded(&wanted), encoded(&project), if failed_only { "&only=failed" } else { "" });
        let content = html! {
            h1 { "All runs" }
            form.search method="get" action="/runs" role="search" {
                label for="q" { "Title, folder or name" }
                input #q name="q" value=(line(&wanted)) autocomplete="off";
                @if !project.is_empty() { input type="hidden" name="project" value=(line(&project)); }
                label.check { input type="checkbox" name="only" value="failed" checked[failed_only]; " Only what did not end well" }
                button { "Find" }
            }
            p { (parts::count(found.len() as u64, "run")) @if from > 0 { ", from " (from + 1) } }
            ul.runs { @for run in found.iter().skip(from).take(ROWS) { li { (card(viewer, run)) } } }
            nav.pages aria-label="Pages" {
                @if from > 0 { a href=(rest(from.saturating_sub(ROWS))) { "Newer" } " " }
                @if found.len() > from.saturating_add(ROWS) { a href=(rest(from + ROWS)) { "Older" } }
            }
        };
        sheet(viewer, &Sheet { title: "All runs", live: String::new(), run: None, path: &[] }, &content)
    })
}

fn contains(text: &str, wanted: &str) -> bool {
    text.to_lowercase().contains(&wanted.to_lowercase())
}
