//! One iteration: what came of it and why, and everything that lies behind it, a tab each.

use std::str::FromStr;

use maud::{Markup, html};
use serde_json::json;
use windlass_app::AppError;
use windlass_core::values::{CheckResult, Denial};
use windlass_ui::format;
use windlass_ui::model::{IterationSeen, RunSeen};

use super::parts::{self, Button, button, line, text};
use super::run::name;
use super::{Place, Sheet, Viewer, changes, sheet};
use crate::site::{Followed, Site, locked};

/// Bytes of a prompt or of a gate's output that are shown.
const SHOWN: usize = 256 * 1024;

/// What of an iteration is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tab {
    /// What came of it.
    Summary,
    /// Its calls.
    Transcript,
    /// The files.
    Changes,
    /// What judged it.
    Gates,
    /// What was refused.
    Denials,
    /// What its agent was told.
    Prompt,
}

impl Tab {
    const ALL: [Tab; 6] =
        [Tab::Summary, Tab::Transcript, Tab::Changes, Tab::Gates, Tab::Denials, Tab::Prompt];

    const fn name(self) -> &'static str {
        match self {
            Tab::Summary => "Summary",
            Tab::Transcript => "Transcript",
            Tab::Changes => "Changes",
            Tab::Gates => "Gates",
            Tab::Denials => "Denials",
            Tab::Prompt => "Prompt",
        }
    }

    fn address(self, run: &str, number: u32) -> String {
        match self {
            Tab::Summary => format!("/r/{run}/i/{number}"),
            tab => format!("/r/{run}/i/{number}/{}", tab.name().to_lowercase()),
        }
    }
}

impl FromStr for Tab {
    type Err = crate::names::NotAName;

    fn from_str(text: &str) -> Result<Tab, Self::Err> {
        let found = Tab::ALL.into_iter().find(|tab| tab.name().to_lowercase() == text);
        found.ok_or(crate::names::NotAName)
    }
}

/// The page; `None` where there is no such iteration.
pub fn page(site: &Site, viewer: &Viewer, place: &Place, tab: Tab) -> Result<Option<Markup>, AppError> {
    let Some(followed) = site.follow(&place.run)? else { return Ok(None) };
    let (seen, seq, content) = {
        let followed = locked(&followed);
        let seen = followed.run.seen(viewer.now)?;
        let Some(round) = seen.rounds.iter().find(|round| round.iteration == place.number) else {
            return Ok(None);
        };
        let content = match tab {
            Tab::Summary => summary(viewer, &seen, round),
            Tab::Transcript => calls(viewer, &place.run.0, round),
            // Asks git, which nobody else has to wait for.
            Tab::Changes => html! {},
            Tab::Gates => gates(&followed, round),
            Tab::Denials => denials(&followed.run.denials(round.iteration)?, viewer),
            Tab::Prompt => prompt(&followed, round),
        };
        (seen, followed.seq, content)
    };
    let content = if tab == Tab::Changes { changes::part(site, &seen, place.number) } else { content };
    let Some(round) = seen.rounds.iter().find(|round| round.iteration == place.number) else {
        return Ok(None);
    };
    let content = html! { (top(&seen, round, Some(tab), &place.run.0)) (content) };
    let path = path(&place.run.0, &seen);
    let title = format!("{} iteration {} {}", name(&seen), place.number, tab.name());
    let about = Sheet { title: &title, live: String::new(), run: Some((&place.run, seq)), path: &path };
    Ok(Some(sheet(viewer, &about, &content)))
}

/// From the list of runs down to the run.
pub fn path(run: &str, seen: &RunSeen) -> Vec<(String, String)> {
    vec![("/".to_owned(), "Runs".to_owned()), (format!("/r/{run}"), format!("{} {run}", name(seen)))]
}

/// The iteration, and its tabs.
pub fn top(seen: &RunSeen, round: &IterationSeen, tab: Option<Tab>, run: &str) -> Markup {
    let (mark, word, class) = parts::verdict(round);
    let numbers: Vec<u32> = seen.rounds.iter().map(|round| round.iteration).collect();
    let at = numbers.iter().position(|number| *number == round.iteration).unwrap_or_default();
    let neighbour = |at: Option<usize>| at.and_then(|at| numbers.get(at)).copied();
    let to = tab.unwrap_or(Tab::Summary);
    html! {
        h1 { "Iteration " (round.iteration) " " span.state.(class) { span aria-hidden="true" { (mark) } " " (word) } }
        nav.tabs aria-label="Of this iteration" {
            @for one in Tab::ALL {
                a href=(one.address(run, round.iteration)) aria-current=[(tab == Some(one)).then_some("page")] { (one.name()) }
            }
        }
        nav.pages aria-label="Other iterations" {
            @if let Some(before) = neighbour(at.checked_sub(1)) { a rel="prev" href=(to.address(run, before)) { "Iteration " (before) } " " }
            @if let Some(after) = neighbour(at.checked_add(1)) { a rel="next" href=(to.address(run, after)) { "Iteration " (after) } }
        }
    }
}

fn summary(viewer: &Viewer, seen: &RunSeen, round: &IterationSeen) -> Markup {
    let run = seen.status.run.as_ref().map(|run| run.0.as_str()).unwrap_or_default();
    let restore = |before: bool, name: &str| {
        let side = if before { "before" } else { "after" };
        let asks = format!(
            "The files are put back as they were {side} iteration {}. What is there now is kept first.",
            round.iteration
        );
        button(
            viewer,
            &Button {
                name,
                asks,
                action: json!({"do": "restore", "iteration": round.iteration, "before": before}),
                value: None,
            },
        )
    };
    html! {
        p.why { (line(&round.why)) }
        dl.figures {
            div { dt { "Began" } dd { (parts::clock(viewer, round.started)) } }
            @if round.ended.is_some() { div { dt { "Took" } dd { (format::whole_seconds(std::time::Duration::from_millis(round.duration_ms))) } } }
            div { dt { "Cost" } dd { (format::charged(round.spent())) } }
            @if !round.wasted.total().is_zero() { div { dt { "Wasted" } dd { (format::money(round.wasted.total())) } } }
            div { dt { "Tokens" } dd { (format::amount(round.tokens.total())) } }
            div { dt { "Files" } dd { (round.changed) " changed" } }
            @if let Some(task) = &round.task { div { dt { "Task" } dd { (line(&task.0)) } } }
            @if let Some(commit) = &round.commit { div { dt { "Commit" } dd { code { (commit.get(..10).unwrap_or(commit)) } } } }
        }
        p { (parts::command(&seen.typed(&format!("windlass diff {run} {}", round.iteration)))) }
        @if seen.status.state != windlass_ui::RunState::Running && round.ended.is_some() {
            p.buttons { (restore(false, "Restore the files after it")) (restore(true, "Restore the files before it")) }
        }
        h2 { "Calls" }
        (calls(viewer, run, round))
    }
}

fn calls(viewer: &Viewer, run: &str, round: &IterationSeen) -> Markup {
    html! {
        @if round.calls.is_empty() { p { "No agent was called." } }
        ul.runs { @for call in &round.calls { li { a.card href={ "/r/" (run) "/c/" (call.call) } {
            span.name { strong { (parts::word(&call.purpose)) } " " span.quiet { "call " (call.call) ", attempt " (call.attempt) } }
            span.figures {
                (parts::clock(viewer, call.started)) ", " (format::charged(call.spent())) ", " (parts::count(u64::from(call.tool_uses), "tool call"))
                @if call.denied > 0 { ", " (call.denied) " denied" }
                @if call.repeated { ", repeated" }
            }
            span.title { @match call.class { Some(class) => { (parts::word(&class)) } None => { (round.call_word(call)) } } @if !call.detail.is_empty() { ": " (line(&call.detail)) } }
        } } } }
    }
}

fn gates(followed: &Followed, round: &IterationSeen) -> Markup {
    let outputs: Vec<(String, String)> =
        round.calls.iter().flat_map(|call| followed.run.gate_outputs(call.call, SHOWN)).collect();
    html! {
        @if round.gates.is_empty() { p { "No gate judged it." } }
        ul.plain { @for gate in &round.gates { li {
            span.(if gate.result == CheckResult::Passed { "good" } else { "bad" }) { (parts::word(&gate.result)) }
            " gate " (gate.check + 1) ", " (parts::word(&gate.stage)) ", "
            (format::whole_seconds(std::time::Duration::from_millis(gate.duration_ms)))
            @if let Some(tree) = &gate.tree { ", on tree " code { (tree.get(..12).unwrap_or(tree)) } }
            @if !gate.last_line.is_empty() { br; code { (line(&gate.last_line)) } }
        } } }
        @for (name, output) in &outputs {
            details { summary { "Output of " (line(name)) } pre tabindex="0" { (text(output)) } }
        }
    }
}

fn denials(denials: &[Denial], viewer: &Viewer) -> Markup {
    html! {
        @if denials.is_empty() { p { "Nothing was denied." } }
        ul.plain { @for denial in denials { li {
            strong { (line(&denial.tool)) } " " code { (line(&denial.input)) }
            @if !denial.refused_by.is_empty() { " Refused by " (line(&denial.refused_by)) "." }
            @else if denial.rule.is_empty() { " No rule allows it: Windlass's own files stay closed." }
            @else {
                br; "allowed by " code { (line(&denial.rule)) } " "
                (button(viewer, &Button { name: "Allow from the next run on", asks: format!("The project's configuration allows {}.", denial.rule), action: json!({"do": "allow", "rule": denial.rule}), value: None }))
            }
        } } }
    }
}

fn prompt(followed: &Followed, round: &IterationSeen) -> Markup {
    html! {
        @for call in &round.calls {
            @let told = followed.run.told(call.call, SHOWN);
            section {
                h2 { (parts::word(&call.purpose)) ", attempt " (call.attempt) }
                @match told {
                    Some(told) => {
                        pre tabindex="0" { (text(&told.prompt)) }
                        @if !told.system.is_empty() { details { summary { "Added to the system prompt" } pre tabindex="0" { (text(&told.system)) } } }
                    }
                    None => { p { "What this call was told is not kept any more." } }
                }
            }
        }
    }
}
