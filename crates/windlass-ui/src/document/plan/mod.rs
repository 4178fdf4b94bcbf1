//! A plan beside its specs: what is done, what is covered, what is wrong.

mod json;
#[cfg(test)]
mod tests;

use windlass_jobs::doc::plan::{Counts, FileRole, Plan, Problem, SpecCoverage, SpecNames, Task};

use super::table::{Align, Column, table};
use crate::format;
use crate::harmless::one_line;
use crate::line::{Line, Mark, Tone};
use crate::narrate::labelled;
use crate::terminal::Terminal;

pub use json::plan_json;

/// A plan and what became of looking at it.
#[derive(Clone, Debug)]
pub struct PlanShown<'a> {
    /// Where it is: its file or its folder.
    pub place: &'a str,
    /// What it says.
    pub plan: &'a Plan,
    /// The specs it may name.
    pub specs: &'a SpecNames,
    /// How much of each it covers.
    pub coverage: &'a [SpecCoverage],
    /// What is wrong with it.
    pub problems: &'a [Problem],
    /// What lies among the specs and is none, or cannot be read: sentences.
    pub skipped: &'a [String],
    /// What the process ends with.
    pub exit_code: u8,
}

/// The tasks that name no spec.
fn orphans<'a>(shown: &PlanShown<'a>) -> impl Iterator<Item = &'a Task> {
    let specs = shown.specs;
    shown.plan.tasks().iter().filter(move |task| task.names_no_spec(specs))
}

/// The plan for people; every line ends with a newline.
pub fn plan_text(shown: &PlanShown<'_>, terminal: &Terminal) -> String {
    let mut text = rendered(&headline(shown), terminal);
    let features = shown.plan.features();
    if !features.is_empty() {
        text.push('\n');
        text.push_str(&features_table(shown, terminal));
    }
    if !shown.coverage.is_empty() {
        text.push('\n');
        text.push_str(&coverage_table(shown.coverage, terminal));
    }
    let told: Vec<Line> =
        shown.problems.iter().map(problem).chain(shown.skipped.iter().map(|one| skipped(one))).collect();
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

fn rendered(lines: &[Line], terminal: &Terminal) -> String {
    lines.iter().map(|line| line.render(terminal) + "\n").collect()
}

fn headline(shown: &PlanShown<'_>) -> Vec<Line> {
    let place = format!("  {}", one_line(shown.place));
    let valid = shown.problems.is_empty();
    let (tone, mark) = if valid { (Tone::Good, Mark::Passed) } else { (Tone::Bad, Mark::Failed) };
    let counts = Counts::of(shown.plan.tasks().iter());
    let verdict = match shown.problems.len() as u64 {
        0 => " valid".to_owned(),
        problems => format!(" {}", format::count(problems, "problem")),
    };
    let mut states = vec![format!("{} done", counts.done)];
    states.extend((counts.in_progress > 0).then(|| format!("{} in progress", counts.in_progress)));
    states.push(format!("{} open", counts.open));
    let line = Line::hanging(2).plain(format!("  {}", format::count(counts.total(), "task")));
    let line = line.dim(format!(" · {} · {} %", states.join(" · "), counts.percent()));
    let aside = shown.plan.set_aside();
    let aside = if aside > 0 { format!(" · {aside} set aside") } else { String::new() };
    vec![Line::hanging(2).mark(tone, mark).tone(tone, verdict).plain(place), line.dim(aside)]
}

fn features_table(shown: &PlanShown<'_>, terminal: &Terminal) -> String {
    let columns = [
        Column { heading: "feature", align: Align::Left, tone: Tone::Strong },
        Column { heading: "done", align: Align::Right, tone: Tone::Plain },
        Column { heading: "of", align: Align::Right, tone: Tone::Plain },
        Column { heading: "state", align: Align::Left, tone: Tone::Plain },
        Column { heading: "file", align: Align::Left, tone: Tone::Dim },
    ];
    let row = |name: &str, counts: Counts, file: &str| {
        let done = (counts.done.to_string(), counts.total().to_string());
        ([one_line(name), done.0, done.1, counts.status().replace('_', " "), one_line(file)], None)
    };
    let features = shown.plan.features();
    let mut rows: Vec<_> = features.iter().map(|one| row(&short(one.name), one.counts, one.file)).collect();
    let across = Counts::of(shown.plan.tasks().iter().filter(|task| task.cross_cutting));
    let index = shown.plan.files().find(|(_, role)| *role == FileRole::Index).map_or("", |(name, _)| name);
    rows.extend((across.total() > 0).then(|| row("across all", across, index)));
    table(columns, &rows, terminal)
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
            (cells, (spec.tasks == 0).then_some("no task names it"))
        })
        .collect();
    table(columns, &rows, terminal)
}

fn problem(problem: &Problem) -> Line {
    Line::hanging(4)
        .plain("  ")
        .mark(Tone::Bad, Mark::Failed)
        .plain(format!(" {}", one_line(&problem.to_string())))
}

fn skipped(sentence: &str) -> Line {
    Line::hanging(4)
        .plain("  ")
        .mark(Tone::Warn, Mark::Notice)
        .plain(format!(" skipped: {}", one_line(sentence)))
}

fn last(shown: &PlanShown<'_>) -> Vec<Line> {
    let mut lines = Vec::new();
    let orphans = orphans(shown).count() as u64;
    if orphans > 0 && !shown.specs.is_empty() {
        lines.push(labelled("no spec").plain(format::count(orphans, "task")));
    }
    if let Some(next) = shown.plan.next().filter(|_| shown.plan.faults().is_empty()) {
        lines.push(
            labelled("next task").plain(one_line(&next.text)).dim(format!("  {}", one_line(&next.place()))),
        );
        lines
            .extend(shown.problems.is_empty().then(|| labelled("next").unbroken().command("windlass build")));
    }
    lines
}
