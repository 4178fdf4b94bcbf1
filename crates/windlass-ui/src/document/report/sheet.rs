//! The questions of the morning, and their answers in a few rows each.

use std::time::Duration;

use jiff::tz::TimeZone;
use windlass_core::values::{CheckKind, CheckResult, Cost, Spent, StopReason, Tokens};
use windlass_core::words::some_of;

use super::super::{RunState, StatusCheck};
use super::excerpt::{self, Excerpt};
use crate::format;
use crate::harmless::{one_command, one_line};
use crate::line::{Mark, Tone};
use crate::model::{GateStanding, Night, RunSeen, Wasted, Who};
use crate::narrate::{allowing, refusals, short};
use crate::words;

/// So long is what somebody else wrote at most, in characters.
const LONGEST: usize = 240;

/// So long is a command at most, in bytes.
const LONGEST_COMMAND: usize = 4_000;

/// A piece of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Part {
    /// Our own words and numbers.
    Own(String),
    /// What people, agents and commands wrote, on one line: data, wherever it is shown.
    Foreign(String),
}

impl Part {
    /// As it is shown: harmless, on one line.
    pub fn text(&self) -> &str {
        match self {
            Part::Own(text) | Part::Foreign(text) => text,
        }
    }
}

/// Our own words.
pub fn own(text: impl Into<String>) -> Part {
    Part::Own(text.into())
}

/// What somebody else wrote: harmless, on one line, and no longer than a few rows.
pub fn foreign(text: &str) -> Part {
    // What is megabytes long is not looked through.
    let beginning: String = text.chars().take(LONGEST * 16).collect();
    let line = one_line(&beginning);
    let mut cut: String = line.chars().take(LONGEST).collect();
    if cut.len() < line.len() || beginning.len() < text.len() {
        cut.push('…');
    }
    Part::Foreign(cut)
}

/// A row of an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Row {
    /// Something is said.
    Says {
        /// How it is meant.
        look: (Tone, Mark),
        /// The run that it is about, where there are several.
        run: Option<String>,
        /// The sentence.
        parts: Vec<Part>,
    },
    /// Something can be typed.
    Types {
        /// A line for a shell.
        command: String,
        /// What for; empty where that is clear.
        purpose: String,
    },
}

/// A question and its answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReportAnswer {
    /// A word for a column.
    pub label: &'static str,
    /// As it is asked.
    pub question: &'static str,
    /// A few rows.
    pub rows: Vec<Row>,
}

/// All of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sheet {
    /// What it is about.
    pub headline: Vec<Part>,
    /// In the order in which they are asked.
    pub answers: Vec<ReportAnswer>,
    /// For each run, in the order of the night: those of its answers of which not all is in `answers`, whole.
    pub whole: Vec<Vec<ReportAnswer>>,
}

/// One thing that a run has to say: a sentence, and what can be typed about it.
pub(super) type Said = Vec<Row>;

/// What a run is asked.
type Ask = fn(&RunSeen, &TimeZone) -> Vec<Said>;

/// The questions, how many rows their answers take at most, and who answers. With the headline they are 24.
type Asked = (&'static str, &'static str, usize, Ask);
const ASKED: [Asked; 5] = [
    ("happened", "What happened?", 4, happened),
    ("right", "Is it right?", 5, right),
    ("merge", "What do I merge?", 4, merge),
    ("put aside", "What was put aside?", 4, aside),
    ("waits for", "Who is waited for?", 4, waits_for),
];

impl Sheet {
    /// What is asked of these runs, answered; times of the day are those of this zone.
    pub fn of(night: &Night, zone: &TimeZone) -> Sheet {
        let mut answers = Vec::new();
        let mut whole: Vec<Vec<ReportAnswer>> = night.runs.iter().map(|_| Vec::new()).collect();
        for (label, question, most, ask) in ASKED {
            let all = said(night, zone, ask);
            let shown = excerpt::of(&all, most);
            for ((of_run, said), shown) in whole.iter_mut().zip(&all).zip(&shown.runs) {
                let rows = || said.concat();
                of_run.extend((shown.left_out > 0).then(|| ReportAnswer { label, question, rows: rows() }));
            }
            answers.push(ReportAnswer { label, question, rows: rows(night, label, shown) });
        }
        let cost = ReportAnswer { label: "cost", question: "What did it cost?", rows: cost(night) };
        answers.insert(3, cost);
        Sheet { headline: headline(night, zone), answers, whole }
    }
}

/// What each run answers. One of several about which there is nothing to say has no word.
fn said(night: &Night, zone: &TimeZone, ask: Ask) -> Vec<Vec<Said>> {
    let several = night.runs.len() > 1;
    let of_run = |run| {
        let said: Vec<Said> = ask(run, zone);
        if several && said.iter().flatten().all(is_empty) { Vec::new() } else { said }
    };
    night.runs.iter().map(of_run).collect()
}

/// The rows of an answer; where there are several runs each is named.
fn rows(night: &Night, label: &str, shown: Excerpt) -> Vec<Row> {
    let several = night.runs.len() > 1;
    let mut rows: Vec<Row> = Vec::new();
    for (run, mut said) in night.runs.iter().zip(shown.runs) {
        match said.rows.first_mut() {
            Some(Row::Says { run: named, .. }) if several => *named = Some(name(run)),
            Some(Row::Types { purpose, .. }) if several && purpose.is_empty() => *purpose = name(run),
            Some(Row::Types { purpose, .. }) if several => *purpose = format!("{}: {purpose}", name(run)),
            _ => {}
        }
        rows.append(&mut said.rows);
    }
    let rest = shown.rest.or_else(|| rows.is_empty().then(|| nothing(label).to_owned()));
    rows.extend(rest.map(|rest| says((Tone::Dim, Mark::Nothing), vec![own(rest)])));
    rows
}

const fn nothing(label: &str) -> &'static str {
    match label.as_bytes() {
        b"waits for" => "nobody",
        _ => "nothing",
    }
}

fn is_empty(row: &Row) -> bool {
    matches!(row, Row::Says { look: (_, Mark::Nothing), .. })
}

pub(super) fn says(look: (Tone, Mark), parts: Vec<Part>) -> Row {
    Row::Says { look, run: None, parts }
}

/// What nobody can type is not shown: a path or a rule of somebody's that is longer than a page.
fn types(command: &str, purpose: &str) -> Row {
    if command.len() > LONGEST_COMMAND {
        return says((Tone::Dim, Mark::Nothing), vec![own("a command that is too long to be typed")]);
    }
    Row::Types { command: one_command(command), purpose: one_line(purpose) }
}

/// A run's name, on one line; empty for a journal without a beginning.
pub fn name(run: &RunSeen) -> String {
    run.status.run.as_ref().map(|run| one_line(&run.0)).unwrap_or_default()
}

fn headline(night: &Night, zone: &TimeZone) -> Vec<Part> {
    let since = night.since.map(|since| format!(" since {}", format::clock(since, night.made, zone)));
    if let ([run], None) = (night.runs.as_slice(), &since) {
        return vec![own(format!("{}: ", name(run))), foreign(&run.status.title)];
    }
    let runs = format::count(night.runs.len() as u64, "run");
    let waiting = night.runs.iter().filter(|run| run.waited_for.who == Who::Person).count();
    let waiting = if waiting > 0 {
        format!(", {waiting} of which {} for you", if waiting == 1 { "waits" } else { "wait" })
    } else {
        String::new()
    };
    vec![own(format!("{runs}{}{waiting}", since.unwrap_or_default()))]
}

/// How a run stands: its colour and its mark.
pub fn look(state: RunState) -> (Tone, Mark) {
    match state {
        RunState::Running => (Tone::Command, Mark::Tool),
        RunState::Interrupted => (Tone::Warn, Mark::Notice),
        RunState::Claimed => (Tone::Warn, Mark::Doubtful),
        RunState::Ended(reason) => words::ending(reason),
    }
}

fn happened(run: &RunSeen, zone: &TimeZone) -> Vec<Said> {
    let status = &run.status;
    let sentence = match status.state {
        RunState::Ended(reason) => format!(": {}", reason.sentence().trim_end_matches('.')),
        RunState::Claimed => ": the agent says that the job is done".to_owned(),
        RunState::Running | RunState::Interrupted => String::new(),
    };
    let words = run.verdicts.in_words();
    let words = if words.is_empty() { words } else { format!(" ({words})") };
    let iterations = format!("; {}{words}", format::count(u64::from(status.iterations), "iteration"));
    let mut first = vec![own(format!("{}{sentence}{iterations}", status.state.name()))];
    if let Some(tasks) = &status.tasks {
        first.push(own(format!("; {} of {} tasks done", tasks.done, tasks.total)));
    } else if let Some(items) = status.items {
        first.push(own(format!("; {} of {} items done", items.done, items.total)));
    }
    let mut said = vec![vec![says(look(status.state), first)]];
    if !status.detail.is_empty() {
        said.push(vec![says((Tone::Dim, Mark::Notice), vec![foreign(&status.detail)])]);
    }
    if let Some(started) = status.started {
        let ended = run.ended.map(|ended| format!(" to {}", format::clock(ended, started, zone)));
        let worked = format::duration(Duration::from_millis(status.duration_ms));
        let waited = match status.waited_ms {
            0 => String::new(),
            waited => format!(", waited {}", format::duration(Duration::from_millis(waited))),
        };
        let since = format::date_time(started, zone);
        let text = format!("from {since}{}: worked {worked}{waited}", ended.unwrap_or_default());
        said.push(vec![says((Tone::Plain, Mark::Waiting), vec![own(text)])]);
    }
    said
}

/// What a person has to look at stands before what is well.
fn right(run: &RunSeen, _zone: &TimeZone) -> Vec<Said> {
    let whole = run.gates.iter().filter(|gate| gate.kind != CheckKind::Criterion);
    let passed =
        |gate: &&GateStanding| gate.last.as_ref().is_some_and(|last| last.result == CheckResult::Passed);
    let (passed, others): (Vec<&GateStanding>, Vec<&GateStanding>) = whole.partition(passed);
    let (good, bad): (Vec<Row>, Vec<Row>) =
        criteria(run).into_iter().partition(|row| matches!(row, Row::Says { look: (Tone::Good, _), .. }));
    let mut rows = vec![grounds(run)];
    rows.extend(others.into_iter().map(gate));
    rows.extend(bad);
    for found in &run.status.suspicions {
        let held = if found.held { "held for review: " } else { "the guard found: " };
        let text = foreign(&found.found.to_string());
        rows.push(says((Tone::Warn, Mark::Notice), vec![own(held), text]));
    }
    rows.extend(run.damage.iter().map(|sentence| says((Tone::Warn, Mark::Notice), vec![foreign(sentence)])));
    let rules: Vec<&str> = allowing(&run.status.denials).collect();
    if !rules.is_empty() {
        rows.push(types(&run.allowing(rules), "allows from the next run on what was refused"));
    }
    let refusals = refusals(&run.status.denials);
    rows.extend(
        refusals.iter().map(|said| says((Tone::Warn, Mark::Notice), vec![own("refused: "), foreign(said)])),
    );
    rows.extend(passed.into_iter().map(gate));
    rows.extend(good);
    rows.into_iter().map(|row| vec![row]).collect()
}

/// Claimed, or shown.
fn grounds(run: &RunSeen) -> Row {
    let proof = || if run.proof.is_empty() { "nothing says so".to_owned() } else { run.proof.clone() };
    match run.status.state {
        RunState::Ended(StopReason::Complete | StopReason::NothingToDo) => {
            says((Tone::Good, Mark::Passed), vec![own("shown: "), foreign(&proof())])
        }
        RunState::Claimed => says((Tone::Warn, Mark::Doubtful), vec![own("claimed: "), foreign(&proof())]),
        RunState::Running => says((Tone::Dim, Mark::Tool), vec![own("not decided yet")]),
        RunState::Interrupted | RunState::Ended(_) => {
            says((Tone::Warn, Mark::Doubtful), vec![own("not shown to be done")])
        }
    }
}

/// So many files are named that a commit lacks.
pub(super) const NAMED: usize = 3;

/// What is said before them.
pub(super) const LACKS: &str = "; that commit does not hold ";

/// On which tree it passed, and which commit that is.
pub(super) fn gate_words(gate: &GateStanding) -> String {
    let Some(last) = &gate.last else { return "was not run on the work".to_owned() };
    let tree = last.tree.as_deref().filter(|tree| !tree.is_empty());
    let tree = tree.map(|tree| format!(" on tree {}", short(tree))).unwrap_or_default();
    let iteration = gate.iteration.map(|number| format!(" of iteration {number}")).unwrap_or_default();
    let commit = gate.commit.as_deref().map(|commit| format!(", committed as {}", short(commit)));
    let before = match gate.before {
        Some(result) if result != CheckResult::Passed => "; red before the run",
        _ => "",
    };
    format!("{}{tree}{iteration}{}{before}", words::check_result(last.result), commit.unwrap_or_default())
}

fn gate(gate: &GateStanding) -> Row {
    let look = match &gate.last {
        None => (Tone::Dim, Mark::Doubtful),
        Some(last) if last.result == CheckResult::Passed => (Tone::Good, Mark::Passed),
        Some(_) => (Tone::Bad, Mark::Failed),
    };
    let mut parts = vec![foreign(&gate.command), own(format!(": {}", gate_words(gate)))];
    if !gate.lacks.is_empty() {
        parts.extend([own(LACKS), foreign(&some_of(gate.lacks.iter(), NAMED))]);
    }
    if let Some(last) = gate.last.as_ref().filter(|last| last.result != CheckResult::Passed) {
        parts.extend((!last.last_line.is_empty()).then(|| own(": ")));
        parts.push(foreign(&last.last_line));
    }
    says(look, parts)
}

/// Success criteria of tasks: those that are run or looked up, and those that were judged.
fn criteria(run: &RunSeen) -> Vec<Row> {
    let told = |check: &&StatusCheck| check.kind == CheckKind::Criterion;
    let checked: Vec<&StatusCheck> = run.status.checks.iter().filter(told).collect();
    let passed = checked.iter().filter(|check| check.result == Some(CheckResult::Passed)).count();
    let met = run.status.judged.iter().filter(|judged| judged.met).count();
    let row = |(good, all): (usize, usize), what: &str| {
        let look = if good == all { (Tone::Good, Mark::Passed) } else { (Tone::Bad, Mark::Failed) };
        (all > 0).then(|| says(look, vec![own(format!("{good} of {all} {what}"))]))
    };
    let checked = row((passed, checked.len()), "criteria that were run or looked up held when asked last");
    let judged = row((met, run.status.judged.len()), "criteria that a fresh agent judged are met");
    checked.into_iter().chain(judged).collect()
}

fn merge(run: &RunSeen, _zone: &TimeZone) -> Vec<Said> {
    let look =
        if run.landing.steps.is_empty() { (Tone::Dim, Mark::Nothing) } else { (Tone::Plain, Mark::Memo) };
    let mut rows = vec![says(look, vec![foreign(&run.landing.sentence)])];
    rows.extend(run.landing.steps.iter().map(|step| types(&step.command, &step.purpose)));
    vec![rows]
}

/// `$6.41 of $15.00; 409.2k tokens`, and what of it was wasted.
fn cost(night: &Night) -> Vec<Row> {
    let mut spent = Spent::default();
    let (mut tokens, mut wasted) = (Tokens::default(), Wasted::default());
    for run in &night.runs {
        spent += run.status.spent();
        tokens += run.status.tokens;
        wasted += run.wasted;
    }
    let limit = match night.runs.as_slice() {
        [run] => run.status.max_cost,
        _ => None,
    };
    let by_others = night.runs.first().map_or(Cost::ZERO, |run| run.status.spent_before);
    let text = format!(
        "{}; {} tokens",
        format::of_limit(&format::charged(spent), limit, by_others),
        format::tokens(&tokens)
    );
    vec![says((Tone::Plain, Mark::Memo), vec![own(text)]), wasted_row(wasted, spent.cost)]
}

fn wasted_row(wasted: Wasted, all: Cost) -> Row {
    let total = wasted.total();
    if total.is_zero() {
        return says((Tone::Good, Mark::Passed), vec![own("none of it wasted")]);
    }
    let parts: Vec<String> =
        wasted.parts().map(|(word, cost)| format!("{word} {}", format::money(cost))).collect();
    let share = if all.is_zero() { 0.0 } else { total.dollars() / all.dollars() * 100.0 };
    let text = format!("{} of it wasted, {share:.0}%: {}", format::money(total), parts.join(", "));
    says((Tone::Warn, Mark::Notice), vec![own(text)])
}

fn aside(run: &RunSeen, _zone: &TimeZone) -> Vec<Said> {
    let said = run.aside.iter().map(|put| {
        let what = vec![foreign(&put.what), own(": "), foreign(&put.why)];
        let command = put.command.as_ref().map(|command| types(command, &put.note));
        std::iter::once(says((Tone::Warn, Mark::Doubtful), what)).chain(command).collect()
    });
    said.collect()
}

fn waits_for(run: &RunSeen, zone: &TimeZone) -> Vec<Said> {
    let waited = &run.waited_for;
    let (look, who) = match waited.who {
        Who::Nobody => return Vec::new(),
        Who::Person => ((Tone::Warn, Mark::Notice), "you: "),
        Who::Agent => ((Tone::Plain, Mark::Waiting), "the agent's service: "),
        Who::Forge => ((Tone::Plain, Mark::Waiting), "the forge: "),
    };
    let until = waited.until.map(|until| format!(", at most until {}", format::date_time(until, zone)));
    let mut rows = vec![says(look, vec![own(who), foreign(&waited.why), own(until.unwrap_or_default())])];
    rows.extend(waited.command.as_ref().map(|command| {
        // Another run, or a look at what there is, goes on from nowhere.
        types(command, if command.contains(" resume ") { "goes on from there" } else { "" })
    }));
    vec![rows]
}
