//! The report of a run: is it right, what to merge, what it cost. The same as `windlass report` says.

use maud::{Markup, html};
use windlass_app::AppError;
use windlass_core::values::RunId;
use windlass_core::words::some_of;
use windlass_ui::format;
use windlass_ui::model::Who;

use super::iteration::path;
use super::parts::{self, line};
use super::run::{charts, name};
use super::{Sheet, Viewer, sheet};
use crate::site::{Site, locked};

/// Iterations whose changes are led to.
const MOST: usize = 100;

/// The page; `None` where there is no such run.
pub fn page(site: &Site, viewer: &Viewer, run: &RunId) -> Result<Option<Markup>, AppError> {
    let Some(followed) = site.follow(run)? else { return Ok(None) };
    let mut followed = locked(&followed);
    followed.look_at_places();
    let seen = followed.run.seen(viewer.now)?;
    let status = &seen.status;
    let content = html! {
        h1 { "Report " span.quiet { (run) } }
        section aria-labelledby="outcome" {
            h2 #outcome { "What happened" }
            p { (parts::state(status.state)) " " (line(&status.title)) }
            @if !status.detail.is_empty() { p.why { (line(&status.detail)) } }
            p { (seen.verdicts.in_words()) }
        }
        section aria-labelledby="right" {
            h2 #right { "Is it right" }
            @if !seen.proof.is_empty() { p { (line(&seen.proof)) } }
            @if seen.gates.is_empty() { p { "No gate judged it." } }
            ul.plain { @for gate in &seen.gates { li {
                code { (line(&gate.command)) } ": "
                @match &gate.last { Some(last) => { (parts::word(&last.result)) @if let Some(tree) = &last.tree { " on tree " code { (tree.get(..12).unwrap_or(tree)) } } } None => { "not run" } }
                @if let Some(commit) = &gate.commit { " in commit " code { (commit.get(..10).unwrap_or(commit)) } }
                @if !gate.lacks.is_empty() { ", which does not hold " (line(&some_of(gate.lacks.iter(), 3))) }
            } } }
            @for sentence in &seen.damage { p.bad { (line(sentence)) } }
            @for suspicion in &status.suspicions { p.bad { (line(&suspicion.found.to_string())) } }
        }
        section aria-labelledby="merge" {
            h2 #merge { "To merge" }
            p { (line(&seen.landing.sentence)) }
            @if seen.rounds.iter().any(|round| round.changed > 0) { p { "What changed: " @for round in seen.rounds.iter().filter(|round| round.changed > 0).take(MOST) {
                a href={ "/r/" (run) "/i/" (round.iteration) "/changes" } {
                    @if let Some(task) = &round.task { (line(&task.0)) ", " }
                    "iteration " (round.iteration)
                } " "
            } } }
            ul.plain { @for step in &seen.landing.steps { li { (parts::command(&step.command)) br; (line(&step.purpose)) } } }
        }
        section aria-labelledby="cost" {
            h2 #cost { "Cost" }
            p {
                (parts::cost(status)) " in "
                (format::duration(std::time::Duration::from_millis(status.duration_ms))) ", "
                (format::tokens(&status.tokens)) " tokens"
            }
            @if !seen.wasted.total().is_zero() {
                p { "Of that in vain " (format::money(seen.wasted.total())) ": "
                    (seen.wasted.parts().map(|(word, cost)| format!("{word} {}", format::money(cost))).collect::<Vec<_>>().join(", ")) }
            }
            @if status.waited_ms > 0 { p { "Waited " (format::duration(std::time::Duration::from_millis(status.waited_ms))) } }
        }
        @if !seen.aside.is_empty() { section aria-labelledby="aside" {
            h2 #aside { "Put aside" }
            ul.plain { @for aside in &seen.aside { li {
                (line(&aside.what)) ": " (line(&aside.why))
                @if let Some(command) = &aside.command { br; (parts::command(command)) }
                @if !aside.note.is_empty() { br; (line(&aside.note)) }
            } } }
        } }
        @if seen.waited_for.who == Who::Person { section aria-labelledby="you" {
            h2 #you { "Needs you" }
            p { (line(&seen.waited_for.why)) }
            @if let Some(command) = &seen.waited_for.command { p { (parts::command(command)) } }
        } }
        section aria-labelledby="next" {
            h2 #next { "Next" }
            ul.plain { @for command in &status.next { li { (parts::command(command)) } } }
        }
        (charts(viewer, run, &seen))
    };
    let path = path(&run.0, &seen);
    let title = format!("Report of {}", name(&seen));
    let about = Sheet { title: &title, live: String::new(), run: Some((run, followed.seq)), path: &path };
    Ok(Some(sheet(viewer, &about, &content)))
}
