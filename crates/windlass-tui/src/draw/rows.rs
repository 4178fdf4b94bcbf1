//! Tabs that need nothing but what is known of a run: its rows.

use std::time::Duration;

use windlass_core::values::{CheckResult, CheckStage, Class, Named as _, Purpose};
use windlass_ui::model::{CallSeen, GateSeen, IterationSeen};
use windlass_ui::{Tone, format, one_command, one_line};

use super::list;
use crate::look::Look;
use crate::state::{Row, RunNow, RunView, Tab, Topic};

/// The rows of what is shown, where nothing has to be read for them.
pub fn known_rows(run: &RunView, look: &Look) -> Option<Vec<Row>> {
    let Some(Topic::Iteration { iteration, tab, .. }) = &run.topic else { return None };
    let now = run.now.as_ref()?;
    let round = now.seen.rounds.iter().find(|round| round.iteration == *iteration)?;
    match tab {
        Tab::Summary => Some(summary(now, round, look)),
        Tab::Gates => Some(gates(now, round)),
        Tab::Denials => Some(denials(now, round)),
        Tab::Transcript | Tab::Changes | Tab::Prompt => None,
    }
}

/// A line of a summary: what it is about, and what there is to say.
fn said(what: &str, tone: Tone, text: impl Into<String>) -> Row {
    Row::labelled(&format!("{what:<10}"), tone, text)
}

fn summary(run: &RunNow, round: &IterationSeen, look: &Look) -> Vec<Row> {
    let (mark, word, tone) = list::standing(round);
    let mut rows = vec![said("verdict", tone, format!("{mark} {word}"))];
    let why = list::why(round);
    rows.extend((!why.is_empty()).then(|| said("why", Tone::Plain, why)));
    for gate in round.gates.iter().filter(|gate| gate.result != CheckResult::Passed) {
        rows.push(said("refused by", Tone::Bad, gate_line(run, gate)));
    }
    rows.extend(round.task.as_ref().map(|task| {
        let title = run.seen.begun.iter().find(|known| known.task == *task).map(|known| known.title.as_str());
        said("task", Tone::Plain, format!("{} {}", one_line(&task.0), title.unwrap_or_default()))
    }));
    rows.push(said("cost", Tone::Plain, format::charged(round.spent())));
    let wasted: Vec<String> =
        round.wasted.parts().map(|(why, cost)| format!("{} {why}", format::money(cost))).collect();
    rows.extend((!wasted.is_empty()).then(|| said("wasted", Tone::Warn, wasted.join(", "))));
    rows.push(said("tokens", Tone::Plain, format::tokens(&round.tokens)));
    let began = format::date_time(round.started, &look.zone);
    let took = format::whole_seconds(Duration::from_millis(round.duration_ms));
    let time = if round.ended.is_some() { format!("{took}, from {began}") } else { format!("since {began}") };
    rows.push(said("time", Tone::Plain, time));
    rows.push(said("changed", Tone::Plain, format::count(u64::from(round.changed), "file")));
    rows.extend(round.commit.as_ref().map(|commit| said("commit", Tone::Plain, one_line(commit))));
    for call in &round.calls {
        rows.push(said("call", if call.repeated { Tone::Warn } else { Tone::Plain }, call_line(round, call)));
    }
    let passed = round.gates.iter().filter(|gate| gate.result == CheckResult::Passed);
    rows.extend(passed.map(|gate| said("gate", Tone::Good, gate_line(run, gate))));
    let denied: u32 = round.calls.iter().map(|call| call.denied).sum();
    rows.extend((denied > 0).then(|| {
        said(
            "denied",
            Tone::Warn,
            format!("{}, see 5 Denials", format::count(u64::from(denied), "tool call")),
        )
    }));
    rows.push(Row::of(Tone::Plain, ""));
    rows.extend(of_run(run));
    rows
}

/// What is to be known of the run beside its iterations.
fn of_run(run: &RunNow) -> Vec<Row> {
    let seen = &run.seen;
    let mut rows = Vec::new();
    for finding in &seen.status.suspicions {
        let held = if finding.held { ", held until you accept it" } else { "" };
        rows.push(said("guard", Tone::Warn, format!("{}{held}", one_line(&finding.found.to_string()))));
    }
    for damage in &seen.damage {
        rows.push(said("guard", Tone::Bad, damage.clone()));
    }
    for aside in &seen.aside {
        rows.push(said("put aside", Tone::Warn, format!("{}: {}", aside.what, aside.why)));
        rows.extend(aside.command.as_ref().map(|command| said("", Tone::Command, one_command(command))));
    }
    if run.is_live() {
        return rows;
    }
    rows.push(said("work", Tone::Plain, seen.landing.sentence.clone()));
    for step in &seen.landing.steps {
        rows.push(said("", Tone::Command, one_command(&step.command)));
    }
    rows.extend(seen.status.next.iter().map(|command| said("next", Tone::Command, one_command(command))));
    rows
}

fn call_line(round: &IterationSeen, call: &CallSeen) -> String {
    let went = call.class.map_or_else(|| round.call_word(call), class_in_words);
    let detail = if call.detail.is_empty() { String::new() } else { format!(": {}", call.detail) };
    let again = if call.repeated { ", repeated" } else { "" };
    let tools = format::count(u64::from(call.tool_uses), "tool call");
    format!(
        "{} (try {}), {went}{again}, {}, {tools}{detail}",
        purpose(call.purpose),
        call.attempt,
        format::spent(call.spent())
    )
}

/// What a call is for.
pub const fn purpose(purpose: Purpose) -> &'static str {
    match purpose {
        Purpose::Work => "work",
        Purpose::Review => "review",
        Purpose::Council => "council",
        Purpose::Verify => "verification",
        Purpose::Plan => "plan",
        Purpose::Merge => "merge",
    }
}

const fn class_in_words(class: Class) -> &'static str {
    match class {
        Class::Success => "went through",
        Class::Auth => "not logged in",
        Class::Billing => "no credit",
        Class::Permission => "not permitted",
        Class::Config => "wrongly configured",
        Class::UsageLimit => "usage limit",
        Class::Outage => "outage",
        Class::ContextTooLong => "conversation too long",
        Class::MaxTurns => "out of turns",
        Class::BudgetExhausted => "budget used up",
        Class::TaskFailure => "failed",
        Class::Interrupted => "interrupted",
        Class::Unknown => "went wrong in an unknown way",
    }
}

fn gate_line(run: &RunNow, gate: &GateSeen) -> String {
    let standing = run.seen.gates.get(usize::from(gate.check));
    let command = standing.map(|standing| one_line(&standing.command)).unwrap_or_default();
    let last = if gate.last_line.is_empty() { String::new() } else { format!(": {}", gate.last_line) };
    format!("`{command}` {}{last}", result(gate.result))
}

fn result(result: CheckResult) -> String {
    match result {
        CheckResult::Passed => "passed".to_owned(),
        CheckResult::Failed(code) => format!("exit {code}"),
        CheckResult::Signalled(signal) => format!("signal {signal}"),
        CheckResult::TimedOut => "timed out".to_owned(),
        CheckResult::Lost => "could not be run".to_owned(),
    }
}

const fn stage(stage: CheckStage) -> &'static str {
    match stage {
        CheckStage::Baseline => "before the run",
        CheckStage::Candidate => "on what the agent left",
        CheckStage::Committed => "on the commit",
        CheckStage::Merged => "on the merged work",
    }
}

fn gates(run: &RunNow, round: &IterationSeen) -> Vec<Row> {
    let mut rows = Vec::new();
    for gate in &round.gates {
        let passed = gate.result == CheckResult::Passed;
        let (mark, tone) = if passed { ("+", Tone::Good) } else { ("x", Tone::Bad) };
        let standing = run.seen.gates.get(usize::from(gate.check));
        let (kind, command) =
            standing.map(|standing| (standing.kind.name(), one_line(&standing.command))).unwrap_or_default();
        let took = format::duration(Duration::from_millis(gate.duration_ms));
        let row = Row::of(tone, format!("{mark} {kind} {command}"));
        rows.push(Row { tail: format!("{}  {took:>7}", result(gate.result)), ..row });
        let tree = gate.tree.as_deref().filter(|tree| !tree.is_empty());
        let tree = tree.map(|tree| format!(", tree {}", tree.get(..12).unwrap_or(tree)));
        rows.push(Row::of(Tone::Dim, format!("    {}{}", stage(gate.stage), tree.unwrap_or_default())));
        rows.extend(
            (!gate.last_line.is_empty()).then(|| Row::of(Tone::Plain, format!("    {}", gate.last_line))),
        );
        let before = standing.and_then(|standing| standing.before);
        rows.extend(
            before.map(|before| Row::of(Tone::Dim, format!("    before the run: {}", result(before)))),
        );
    }
    if rows.is_empty() {
        let said =
            if run.seen.gates.is_empty() { "the run has no gates" } else { "no gate judged this iteration" };
        rows.push(Row::of(Tone::Dim, said));
    }
    rows
}

fn denials(run: &RunNow, round: &IterationSeen) -> Vec<Row> {
    let mut rows = Vec::new();
    for denial in round.calls.iter().flat_map(|call| &call.denials) {
        rows.push(Row::labelled(&one_line(&denial.tool), Tone::Warn, one_line(&denial.input)));
        let allowed = if !denial.refused_by.is_empty() {
            format!("refused by {}", one_line(&denial.refused_by))
        } else if denial.rule.is_empty() {
            "Windlass's own files stay closed".to_owned()
        } else {
            run.seen.allowing([denial.rule.as_str()])
        };
        rows.push(Row::of(Tone::Dim, format!("    {allowed}")));
    }
    if rows.is_empty() {
        let of_run = run.seen.status.denials.len() as u64;
        let others = if of_run > 0 {
            format!("; in the whole run {}", format::count(of_run, "kind"))
        } else {
            String::new()
        };
        rows.push(Row::of(Tone::Dim, format!("nothing was refused in this iteration{others}")));
    }
    rows
}
