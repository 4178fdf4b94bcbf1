//! A plan beside its specs: what is done, what is covered, what is wrong.

mod json;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use windlass_core::spec::JobPlan;
use windlass_core::words::quoted;
use windlass_jobs::doc::Problem;
use windlass_jobs::doc::plan::{Counts, Plan, SpecCoverage, SpecNames};
use windlass_jobs::doc::tasks::{FileRole, Task};

use super::table::{Align, Column, Narrow, Row, table};
use super::tasks::{note_lines, problem_line, verdict};
use crate::format;
use crate::harmless::one_line;
use crate::line::{Line, Tone, rendered};
use crate::narrate::labelled;
use crate::terminal::Terminal;

pub use json::plan_json;

/// A plan and what became of looking at it.
#[derive(Clone, Debug)]
pub struct PlanShown {
    /// Where it is: its file or its folder.
    pub place: String,
    /// What it says.
    pub plan: Arc<Plan>,
    /// The specs it may name.
    pub specs: SpecNames,
    /// How much of each it covers.
    pub coverage: Vec<SpecCoverage>,
    /// What is wrong with it.
    pub problems: Vec<Problem>,
    /// What lies among the specs and is none, or cannot be read: sentences.
    pub skipped: Vec<String>,
    /// What the process ends with.
    pub exit_code: u8,
}

/// The tasks that name no spec.
fn orphans(shown: &PlanShown) -> impl Iterator<Item = &Task> {
    let specs = &shown.specs;
    shown.plan.tasks().iter().filter(move |task| task.names_no_spec(specs))
}

/// The plan for people; every line ends with a newline.
pub fn plan_text(shown: &PlanShown, terminal: &Terminal) -> String {
    let mut text = rendered(&headline(shown), terminal);
    let features = shown.plan.features();
    if !features.is_empty() {
        text.push('\n');
        text.push_str(&features_table(shown, terminal));
    }
    if !shown.coverage.is_empty() {
        text.push('\n');
        text.push_str(&coverage_table(&shown.coverage, terminal));
    }
    let told: Vec<Line> = shown
        .problems
        .iter()
        .map(problem_line)
        .chain(shown.skipped.iter().map(|one| Line::problem(&format!("skipped: {one}"))))
        .chain(note_lines(&shown.plan.notes()))
        .collect();
    if !told.is_empty() {
        text.push('\n');
        text.push_str(&rendered(&told, terminal));
    }
    let last = last(shown);
    if !last.is_empty() {
        text.push('\n');
        text.push_str(&rendered(&last, terminal));
    }
    text
}

fn headline(shown: &PlanShown) -> Vec<Line> {
    let counts = Counts::of(shown.plan.tasks().iter());
    let mut states = vec![format!("{} done", counts.done)];
    states.extend((counts.in_progress > 0).then(|| format!("{} in progress", counts.in_progress)));
    states.push(format!("{} open", counts.open));
    let line = Line::hanging(2).plain(format!("  {}", format::count(counts.total(), "task")));
    let line = line.dim(format!(" · {} · {} %", states.join(" · "), counts.percent()));
    let aside = shown.plan.set_aside();
    let aside = if aside > 0 { format!(" · {aside} set aside") } else { String::new() };
    vec![verdict(&shown.place, &shown.problems), line.dim(aside)]
}

fn features_table(shown: &PlanShown, terminal: &Terminal) -> String {
    let columns = [
        Column { heading: "feature", align: Align::Left, tone: Tone::Strong },
        Column { heading: "done", align: Align::Right, tone: Tone::Plain },
        Column { heading: "of", align: Align::Right, tone: Tone::Plain },
        Column { heading: "state", align: Align::Left, tone: Tone::Plain },
        Column { heading: "file", align: Align::Left, tone: Tone::Dim },
    ];
    let row = |name: &str, counts: Counts, file: &str| {
        let done = (counts.done.to_string(), counts.total().to_string());
        let cells = [one_line(name), done.0, done.1, counts.status().replace('_', " "), one_line(file)];
        Row { cells, state: None, problem: None }
    };
    let features = shown.plan.features();
    let mut rows: Vec<_> = features.iter().map(|one| row(&short(one.name), one.counts, one.file)).collect();
    let across = Counts::of(shown.plan.tasks().iter().filter(|task| task.is_cross_cutting()));
    let index = shown.plan.files().find(|(_, role)| *role == FileRole::Index).map_or("", |(name, _)| name);
    rows.extend((across.total() > 0).then(|| row("across all", across, index)));
    table(columns, Narrow::Nothing, &rows, terminal)
}

/// A title that leaves room for the other columns.
fn short(name: &str) -> String {
    let longest = 32;
    if name.chars().count() <= longest {
        return name.to_owned();
    }
    name.chars().take(longest - 1).chain(['…']).collect()
}

fn coverage_table(coverage: &[SpecCoverage], terminal: &Terminal) -> String {
    let columns = [
        Column { heading: "spec", align: Align::Left, tone: Tone::Strong },
        Column { heading: "tasks", align: Align::Right, tone: Tone::Plain },
        Column { heading: "requirements", align: Align::Right, tone: Tone::Plain },
        Column { heading: "named", align: Align::Right, tone: Tone::Plain },
        Column { heading: "covered", align: Align::Right, tone: Tone::Plain },
    ];
    let rows: Vec<_> = coverage
        .iter()
        .map(|spec| {
            let all = spec.requirements.len();
            let covered = format!("{} %", spec.percent());
            let cells = [
                one_line(&spec.name),
                spec.tasks.to_string(),
                all.to_string(),
                spec.named().to_string(),
                covered,
            ];
            Row { cells, state: None, problem: (spec.tasks == 0).then_some("no task names it") }
        })
        .collect();
    table(columns, Narrow::Nothing, &rows, terminal)
}

fn last(shown: &PlanShown) -> Vec<Line> {
    let mut lines = Vec::new();
    let orphans = orphans(shown).count() as u64;
    if orphans > 0 && !shown.specs.is_empty() {
        lines.push(labelled("no spec").plain(format::count(orphans, "task")));
    }
    if let Some(next) = shown.plan.next().filter(|_| shown.plan.faults().is_empty()) {
        lines.push(
            labelled("next task")
                .plain(one_line(&next.row.title))
                .dim(format!("  {}", one_line(&next.place()))),
        );
        let command = || format!("windlass build{}", named(&shown.place));
        lines.extend(shown.problems.is_empty().then(|| labelled("next").unbroken().command(command())));
    }
    lines
}

/// How a plan is named to a command that does not look at it by itself.
fn named(place: &str) -> String {
    let bare = place.trim_end_matches('/');
    if JobPlan::USUAL_PLACES.contains(&bare) {
        String::new()
    } else {
        format!(" -f {}", quoted(bare.as_ref()))
    }
}
