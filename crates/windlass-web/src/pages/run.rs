//! One run: how it stands, why, and what is next; then its iterations or tasks.

use maud::{Markup, html};
use serde_json::json;
use windlass_app::AppError;
use windlass_app::inspect::AtWork;
use windlass_core::values::{CheckResult, RunId, StopReason};
use windlass_html::Numbers;
use windlass_ui::model::{IterationSeen, RunSeen, Who};
use windlass_ui::{RunState, RunStatus, format};

use super::night::folder_name;
use super::parts::{self, Button, button, cost, line};
use super::{Sheet, Viewer, sheet};
use crate::names::Cursor;
use crate::site::{Followed, Site, locked};

/// Iterations on a page.
const ROWS: usize = 100;

/// What was asked through the page, on it.
const ASKED: usize = 10;

/// The page; `None` where there is no such run.
pub fn page(site: &Site, viewer: &Viewer, run: &RunId) -> Result<Option<Markup>, AppError> {
    let Some(followed) = site.follow(run)? else { return Ok(None) };
    let mut followed = locked(&followed);
    let seen = followed.run.seen(viewer.now)?;
    let content = html! {
        (head(site, viewer, &mut followed, &seen)?)
        (rest(site, viewer, &seen))
        (charts(viewer, run, &seen))
    };
    let about = Sheet {
        title: &format!("{} {}", name(&seen), run),
        live: format!("/live/r/{run}"),
        run: Some((run, followed.seq)),
        path: &[],
    };
    Ok(Some(sheet(viewer, &about, &content)))
}

/// Its charts, each with its numbers behind it: long ones on a page of their own.
pub fn charts(viewer: &Viewer, run: &RunId, seen: &RunSeen) -> Markup {
    let charts = windlass_html::charts(seen, &viewer.zone);
    let numbers = format!("/r/{run}/numbers");
    html! { @if !charts.is_empty() { section aria-labelledby="charts" {
        h2 #charts { "Charts" }
        div.charts { @for chart in &charts { (chart.figure(&run.0, Numbers::At(&numbers))) } }
    } } }
}

/// What a run is called.
pub fn name(seen: &RunSeen) -> String {
    seen.status.workspace.clone().unwrap_or_else(|| folder_name(&seen.status.directory).to_owned())
}

/// The card: state, why, next.
pub fn head(
    site: &Site,
    viewer: &Viewer,
    followed: &mut Followed,
    seen: &RunSeen,
) -> Result<Markup, AppError> {
    let at_work = if seen.status.state == RunState::Running { followed.run.at_work()? } else { Vec::new() };
    let status = &seen.status;
    let run = followed.run.known().run().clone();
    Ok(html! {
        section.head #head {
            h1 { (line(&name(seen))) " " span.quiet { (run) } }
            p.state-line {
                (parts::state(status.state))
                @if status.stop_stage > 0 && status.state == RunState::Running { " " span.state.warn { "stopping" } }
                " " (line(&status.title))
            }
            dl.figures {
                (figure("Iteration", &format::iteration(status.iteration, status.max_iterations)))
                (figure("Cost", &cost(status)))
                (figure("Wasted", &format::money(seen.wasted.total())))
                (figure("Time", &format::duration(std::time::Duration::from_millis(status.duration_ms))))
                @if let Some(items) = status.items { (figure("Items", &format!("{} of {}", items.done, items.total))) }
                @if let Some(tasks) = &status.tasks { (figure("Tasks", &format!("{} of {} done", tasks.done, tasks.total))) }
            }
            (at_work_list(viewer, &at_work))
            (waited_for(viewer, seen))
            p.buttons {
                (buttons(viewer, seen))
                @if seen.waited_for.who == Who::Person && !site.seen.has(&run, status.state, status.iterations) {
                    (button(viewer, &Button { name: "I have seen it", asks: String::new(), action: json!({"do": "seen"}), value: None }))
                }
            }
        }
    })
}

fn figure(name: &str, value: &str) -> Markup {
    html! { div { dt { (name) } dd { (value) } } }
}

fn at_work_list(viewer: &Viewer, at_work: &[AtWork]) -> Markup {
    html! { @if !at_work.is_empty() { ul.at-work { @for work in at_work { li {
        "Lane " (work.lane.0 + 1) ", iteration " (work.iteration) ", " (parts::word(&work.purpose)) ": "
        @match &work.tool {
            Some(tool) => { strong { (line(&tool.name)) } " for " (parts::since(viewer, tool.since)) }
            None => { "thinking" }
        }
        ", silent " (parts::since(viewer, work.heard.unwrap_or(work.since)))
    } } } } }
}

/// Who has to do something, and what.
fn waited_for(viewer: &Viewer, seen: &RunSeen) -> Markup {
    let waited = &seen.waited_for;
    let is_persons = waited.who == Who::Person;
    html! {
        @if waited.who == Who::Nobody {
            @if seen.status.state != RunState::Running && !seen.proof.is_empty() { p.why { (line(&seen.proof)) } }
        } @else {
            div.needs.yes[is_persons] {
                h2 { (match waited.who { Who::Person => "Needs you", Who::Agent => "Waits for the agent's service", _ => "Waits for the forge" }) }
                p.why { (line(&waited.why)) }
                @for gate in seen.gates.iter().filter_map(|gate| gate.last.as_ref().map(|last| (gate, last))).filter(|(_, last)| last.result != CheckResult::Passed).take(3) {
                    p.evidence { code { (line(&gate.0.command)) } " " (parts::word(&gate.1.result)) @if !gate.1.last_line.is_empty() { ": " (line(&gate.1.last_line)) } }
                }
                @if let Some(until) = waited.until { p { "Until " (parts::clock(viewer, until)) " at most, then it goes on by itself." } }
                @if let Some(command) = &waited.command { p { (parts::command(command)) } }
            }
        }
    }
}

/// What can be done about it now.
fn buttons(viewer: &Viewer, seen: &RunSeen) -> Markup {
    let status = &seen.status;
    let one = |name: &str, asks: &str, action: serde_json::Value, value: Option<(&'static str, String)>| {
        button(viewer, &Button { name, asks: asks.to_owned(), action, value })
    };
    let raise = |limit: &str, name: &str, proposed: String| {
        let asks = "It goes on with this limit, and may spend up to it.";
        one(name, asks, json!({"do": "raise", "limit": limit}), Some(("to", proposed)))
    };
    html! {
        @match status.state {
            RunState::Running => {
                (one("Stop after this iteration", "The iteration under way ends first, and its result is kept.", json!({"do": "stop-after"}), None))
                (one("Stop now", "The agent is ended now. What it did is kept.", json!({"do": "stop-now"}), None))
            }
            RunState::Interrupted => { (one("Resume", "It goes on where it was cut off.", json!({"do": "resume"}), None)) }
            RunState::Claimed | RunState::Ended(StopReason::Complete | StopReason::NothingToDo | StopReason::Missing) => {}
            RunState::Ended(StopReason::MaxCost) => { (raise("cost", "Raise the budget\u{2026}", doubled(most_spent(status)))) }
            RunState::Ended(StopReason::MaxIterations) => { (raise("iterations", "More iterations\u{2026}", status.max_iterations.map(|most| (most * 2).to_string()).unwrap_or_default())) }
            RunState::Ended(StopReason::MaxDuration) => { (raise("duration", "More time\u{2026}", "24h".to_owned())) }
            RunState::Ended(StopReason::MaxTokens) => { (raise("tokens", "More tokens\u{2026}", String::new())) }
            RunState::Ended(StopReason::Stagnated | StopReason::NoChanges) => { (raise("stagnation", "Try further\u{2026}", "6".to_owned())) }
            // Resumed it would end at once: what is open in it waits for what it has parked.
            RunState::Ended(StopReason::Blocked) if !seen.is_resumable() => {}
            RunState::Ended(StopReason::StopRequested | StopReason::Interrupted | StopReason::Terminated) => {
                (one("Resume", "It goes on where it was stopped.", json!({"do": "resume"}), None))
            }
            RunState::Ended(_) => {
                (one("It is done: go on", "Whatever it waited for is done, and it goes on.", json!({"do": "resume"}), None))
                @if !status.suspicions.is_empty() {
                    (one("Accept what the guard found", "What the guard has found counts as fine, and the run goes on.", json!({"do": "accept"}), None))
                }
            }
        }
    }
}

/// What a higher budget has to be more than: the limit, or what has been spent by now.
fn most_spent(status: &RunStatus) -> Option<f64> {
    status.max_cost.map(|limit| limit.max(status.cost + status.spent_before).dollars())
}

fn doubled(limit: Option<f64>) -> String {
    limit.map(|limit| format!("{:.2}", limit * 2.0)).unwrap_or_default()
}

/// Everything below the card.
pub fn rest(site: &Site, viewer: &Viewer, seen: &RunSeen) -> Markup {
    let status = &seen.status;
    let run = status.run.as_ref().map(|run| run.0.as_str()).unwrap_or_default();
    html! { div #rest {
        section aria-labelledby="how" {
            h2 #how { "How it went" }
            p { (seen.verdicts.in_words()) @if seen.rounds.is_empty() { "No iteration yet." } }
            (strip(run, &seen.rounds))
            p { a href={ "/r/" (run) "/report" } { "Report: is it right, what to merge, what it cost" } }
        }
        @if !seen.gates.is_empty() { section aria-labelledby="gates" {
            h2 #gates { "Gates" }
            ul.plain { @for gate in &seen.gates { li {
                (gate_mark(gate.last.as_ref().map(|last| last.result))) " " code { (line(&gate.command)) }
                @if let Some(last) = &gate.last {
                    @if let Some(tree) = &last.tree { " on tree " code { (tree.get(..8).unwrap_or(tree)) } }
                    @if let Some(iteration) = gate.iteration { " of iteration " (iteration) }
                    @if last.result != CheckResult::Passed && !last.last_line.is_empty() { ": " (line(&last.last_line)) }
                }
            } } }
        } }
        @if !seen.damage.is_empty() || !status.suspicions.is_empty() { section aria-labelledby="guard" {
            h2 #guard { "What the guard saw" }
            ul.plain {
                @for sentence in &seen.damage { li { (line(sentence)) } }
                @for suspicion in &status.suspicions { li { (line(&suspicion.found.to_string())) } }
            }
        } }
        @if !status.denials.is_empty() { section aria-labelledby="denied" {
            h2 #denied { "Denied" }
            ul.plain { @for denial in &status.denials { li {
                strong { (line(&denial.tool)) } " " code { (line(&denial.input)) } " "
                @if !denial.refused_by.is_empty() { "refused by " (line(&denial.refused_by)) }
                @if !denial.rule.is_empty() {
                    (button(viewer, &Button { name: "Allow from the next run on", asks: format!("The project's configuration allows {}.", denial.rule), action: json!({"do": "allow", "rule": denial.rule}), value: None }))
                }
            } } }
        } }
        @if !seen.aside.is_empty() { section aria-labelledby="aside" {
            h2 #aside { "Put aside" }
            ul.plain { @for aside in &seen.aside { li {
                (line(&aside.what)) ": " (line(&aside.why))
                @if let Some(command) = &aside.command { br; (parts::command(command)) }
            } } }
        } }
        (tasks(viewer, seen))
        section aria-labelledby="iterations" {
            h2 #iterations { "Iterations" }
            (rounds(viewer, run, seen))
        }
        (asked(site, viewer, seen))
    } }
}

fn gate_mark(result: Option<CheckResult>) -> Markup {
    match result {
        None => html! { span.warn { "not run" } },
        Some(CheckResult::Passed) => html! { span.good { "\u{2713} passed" } },
        Some(result) => html! { span.bad { "x " (parts::word(&result)) } },
    }
}

/// One mark each, in order.
fn strip(run: &str, rounds: &[IterationSeen]) -> Markup {
    let from = rounds.len().saturating_sub(ROWS);
    html! { @if !rounds.is_empty() { ol.strip aria-label="Verdicts, iteration by iteration" { @for round in rounds.iter().skip(from) {
        @let (mark, word, class) = parts::verdict(round);
        li { a.(class) href={ "/r/" (run) "/i/" (round.iteration) } title={ (round.iteration) " " (word) } {
            span aria-hidden="true" { (mark) } span.hidden { (round.iteration) " " (word) }
        } }
    } } } }
}

fn rounds(viewer: &Viewer, run: &str, seen: &RunSeen) -> Markup {
    let Cursor(before) = viewer.asked_as("before").unwrap_or(Cursor(u64::MAX));
    let older: Vec<&IterationSeen> =
        seen.rounds.iter().filter(|round| u64::from(round.iteration) < before).collect();
    let shown = older.iter().rev().take(ROWS);
    html! {
        ol.rounds reversed { @for round in shown { (row(viewer, run, round)) } }
        @if older.len() > ROWS {
            @let last = older.iter().rev().nth(ROWS - 1).map_or(0, |round| round.iteration);
            p { a href={ "/r/" (run) "?before=" (last) } { (older.len() - ROWS) " earlier iterations" } }
        }
    }
}

fn row(viewer: &Viewer, run: &str, round: &IterationSeen) -> Markup {
    let (mark, word, class) = parts::verdict(round);
    html! {
        li #{ "i" (round.iteration) } value=(round.iteration) { a.row href={ "/r/" (run) "/i/" (round.iteration) } {
            span.number { (round.iteration) }
            span.(class) { span aria-hidden="true" { (mark) } " " (word) }
            span.figures {
                @if round.ended.is_some() { (format::whole_seconds(std::time::Duration::from_millis(round.duration_ms))) }
                @else if round.at_work { (parts::since(viewer, round.started)) }
                " " (format::spent(round.spent()))
            }
            span.title {
                @if let Some(task) = &round.task { (line(&task.0)) ": " }
                (line(&round.why))
            }
        } }
    }
}

fn tasks(viewer: &Viewer, seen: &RunSeen) -> Markup {
    html! { @if !seen.begun.is_empty() || seen.status.tasks.is_some() { section aria-labelledby="tasks" {
        h2 #tasks { "Tasks" }
        @if let Some(tasks) = &seen.status.tasks {
            p { (tasks.done) " of " (tasks.total) " done" @for others in tasks.others() { ", " (others) } }
            @if let Some(next) = &tasks.next { p { "Next: " (line(&next.id.0)) " " (line(&next.title)) } }
            @if let Some(run) = &seen.status.run { p { a href={ "/r/" (run) "/tasks" } { "All tasks: the board, and what waits for what" } } }
        }
        ul.plain { @for task in &seen.begun { li {
            span.state.(match task.state { windlass_ui::model::TaskOutcome::Done => "good", windlass_ui::model::TaskOutcome::Parked => "bad", _ => "live" }) { (seen.task_word(task)) }
            " " strong { (line(&task.task.0)) } " " (line(&task.title)) ", " (format::charged(task.spent()))
            @if task.state == windlass_ui::model::TaskOutcome::Done && seen.status.state != RunState::Running {
                " " (button(viewer, &Button { name: "Reopen", asks: "The task is open again in its file.".to_owned(), action: json!({"do": "reopen", "task": task.task.0}), value: None }))
            }
        } } }
    } } }
}

/// What was asked through the page, and who asked.
fn asked(site: &Site, viewer: &Viewer, seen: &RunSeen) -> Markup {
    let records = seen.status.run.as_ref().map(|run| site.asked.of_run(run)).unwrap_or_default();
    html! { @if !records.is_empty() { section aria-labelledby="asked" {
        h2 #asked { "Asked through this page" }
        ul.plain { @for record in records.iter().take(ASKED) { li {
            (parts::clock(viewer, record.at)) " " strong { (line(&record.what)) } " "
            @match &record.outcome { Some(outcome) => { (line(&outcome.said)) } None => { "begun, and cut off" } }
            " " span.quiet { (line(&record.by)) }
        } } }
    } } }
}
