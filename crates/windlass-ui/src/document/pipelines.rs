//! Pipelines: the list, and how one stands.

use serde::Serialize;
use windlass_core::spec::PipelinePhase;
use windlass_core::values::{Cost, Items, Named, RunId, Spent, StopReason};

use super::{document, listed};
use crate::format;
use crate::harmless::one_line;
use crate::line::{Line, Mark, Tone, rendered};
use crate::narrate::labelled;
use crate::terminal::Terminal;

/// How a pipeline stands.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PipelineShown {
    /// Its name.
    pub id: String,
    /// Its folder, from the project's.
    pub folder: String,
    /// The first words of its goal; empty where it cannot be read.
    pub goal: String,
    /// Its phases, in their order.
    pub phases: Vec<PhaseShown>,
    /// Tasks done, and in all; `None` where there is no list of them yet.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tasks: Option<Items>,
    /// What all its runs cost.
    #[serde(rename = "cost_usd")]
    pub cost: Cost,
    /// The part of it that is an estimate.
    #[serde(rename = "estimated_usd")]
    pub estimated: Cost,
    /// The newest run that works its tasks off.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub execution: Option<PhaseRun>,
    /// The command that goes on with it: planning, or working its tasks off.
    pub next: String,
}

/// How a phase stands.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PhaseShown {
    /// Which.
    pub phase: PipelinePhase,
    /// Its document, from the project's folder.
    pub file: String,
    /// How the document stands.
    pub state: PhaseState,
    /// What is wrong with it, one sentence each.
    pub problems: Vec<String>,
    /// What it was made from that has changed since, from the project's folder.
    pub changed: Vec<String>,
    /// Its newest run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run: Option<PhaseRun>,
    /// What its runs cost.
    #[serde(rename = "cost_usd")]
    pub cost: Cost,
    /// The part of it that is an estimate.
    #[serde(rename = "estimated_usd")]
    pub estimated: Cost,
}

impl PipelineShown {
    /// What all its runs cost, with the part that is an estimate.
    const fn spent(&self) -> Spent {
        Spent { cost: self.cost, estimated: self.estimated }
    }
}

impl PhaseShown {
    /// What its runs cost, with the part that is an estimate.
    const fn spent(&self) -> Spent {
        Spent { cost: self.cost, estimated: self.estimated }
    }
}

/// A run of a pipeline.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PhaseRun {
    /// The run.
    pub run: RunId,
    /// How it ended; `None` while it runs, and after a crash.
    pub stop_reason: Option<StopReason>,
}

/// How the document of a phase stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, strum::VariantNames)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum PhaseState {
    /// It is not there yet.
    Missing,
    /// Something is wrong with it.
    Invalid,
    /// Nothing is wrong with it, but its run has not ended.
    Unfinished,
    /// Nothing is wrong with it, but what it was made from has changed since.
    Stale,
    /// Nothing is wrong with it.
    Valid,
}

impl PhaseState {
    /// Its name, in `--json`.
    const fn words(self) -> &'static str {
        match self {
            PhaseState::Missing => "not there yet",
            PhaseState::Invalid => "not valid",
            PhaseState::Unfinished => "valid, but its run has not ended",
            PhaseState::Stale => "valid, but made from something else",
            PhaseState::Valid => "valid",
        }
    }

    const fn mark(self) -> (Tone, Mark) {
        match self {
            PhaseState::Valid => (Tone::Good, Mark::Passed),
            PhaseState::Invalid => (Tone::Bad, Mark::Failed),
            PhaseState::Missing => (Tone::Dim, Mark::Memo),
            PhaseState::Unfinished | PhaseState::Stale => (Tone::Warn, Mark::Notice),
        }
    }
}

/// A pipeline as one line of JSON.
pub fn pipeline_json(shown: &PipelineShown) -> Vec<u8> {
    document("pipeline", shown)
}

/// Pipelines as one line of JSON, in the order given.
pub fn pipelines_json(rows: &[PipelineShown]) -> Vec<u8> {
    listed("pipelines", rows)
}

/// The list, in the order given; every line ends with a newline.
pub fn pipelines_text(rows: &[PipelineShown], terminal: &Terminal) -> String {
    if rows.is_empty() {
        return "no pipelines yet: `windlass pipeline GOAL` begins one\n".to_owned();
    }
    let lines: Vec<Line> = rows
        .iter()
        .flat_map(|row| {
            let marks = row.phases.iter().fold(Line::new().plain("  "), |line, phase| {
                let (tone, mark) = phase.state.mark();
                line.mark(tone, mark).plain(format!(" {}  ", phase.phase.name()))
            });
            let marks = marks.dim(format!("{}{}", counted(row.tasks), format::charged(row.spent())));
            [Line::hanging(2).strong(one_line(&row.id)).dim(format!("  {}", one_line(&row.goal))), marks]
        })
        .collect();
    rendered(&lines, terminal)
}

fn counted(tasks: Option<Items>) -> String {
    tasks.map(|Items { done, total }| format!("{done}/{total} tasks · ")).unwrap_or_default()
}

/// How one stands, for people; every line ends with a newline.
pub fn pipeline_text(shown: &PipelineShown, terminal: &Terminal) -> String {
    let mut lines =
        vec![Line::hanging(2).strong(one_line(&shown.id)).dim(format!("  {}", one_line(&shown.goal)))];
    for phase in &shown.phases {
        lines.extend(phase_lines(phase));
    }
    if let Some(Items { done, total }) = shown.tasks {
        lines.push(labelled("tasks").plain(format!("{done}/{total} done")));
    }
    lines.extend(shown.execution.iter().map(|execution| labelled("run").plain(run_words(execution))));
    lines.push(labelled("cost").plain(format::charged(shown.spent())));
    lines.push(labelled("next").command(one_line(&shown.next)));
    rendered(&lines, terminal)
}

fn phase_lines(phase: &PhaseShown) -> Vec<Line> {
    let (tone, mark) = phase.state.mark();
    let run = phase.run.as_ref().map(|run| format!(" · {}", run_words(run))).unwrap_or_default();
    let cost = if phase.cost == Cost::ZERO {
        String::new()
    } else {
        format!(" · {}", format::charged(phase.spent()))
    };
    let line = Line::hanging(4).plain("  ").mark(tone, mark).plain(format!(" {}", one_line(&phase.file)));
    let mut lines = vec![line.tone(tone, format!("  {}", phase.state.words())).dim(format!("{run}{cost}"))];
    let said = phase.problems.iter().map(|problem| one_line(problem));
    let changed = phase.changed.iter().map(|file| format!("{} has changed since", one_line(file)));
    lines.extend(said.chain(changed).map(|text| Line::hanging(6).plain(format!("      {text}"))));
    lines
}

fn run_words(run: &PhaseRun) -> String {
    let how =
        run.stop_reason.map_or_else(|| "not ended".to_owned(), |reason| reason.name().replace('_', " "));
    format!("{} ({how})", run.run)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::columns;

    fn shown(state: PhaseState) -> PipelineShown {
        let phase = PhaseShown {
            phase: PipelinePhase::Prd,
            file: ".windlass/pipelines/a-1/prd.md".to_owned(),
            state,
            problems: vec!["prd.md:3: says\nnothing".to_owned()],
            changed: vec!["goal.md".to_owned()],
            run: Some(PhaseRun { run: RunId("r-1".to_owned()), stop_reason: Some(StopReason::MaxCost) }),
            cost: Cost::from_dollars(0.25),
            estimated: Cost::from_dollars(0.25),
        };
        PipelineShown {
            id: "a-1".to_owned(),
            folder: ".windlass/pipelines/a-1".to_owned(),
            goal: "Keep a list".to_owned(),
            phases: vec![phase],
            tasks: Some(Items { done: 1, total: 3 }),
            cost: Cost::from_dollars(0.5),
            estimated: Cost::from_dollars(0.25),
            execution: None,
            next: "windlass pipeline --resume a-1".to_owned(),
        }
    }

    // rows: 97
    #[test]
    fn it_says_how_each_phase_stands_and_how_to_go_on() {
        let text = pipeline_text(&shown(PhaseState::Invalid), &columns(100));
        for part in [
            "a-1  Keep a list",
            "not valid · r-1 (max cost) · ≈$0.25",
            "$0.50 (≈$0.25 estimated)",
            "says nothing",
            "goal.md has changed since",
            "1/3 done",
            "windlass pipeline --resume a-1",
        ] {
            assert!(text.contains(part), "{part}: {text}");
        }
        let list = pipelines_text(&[shown(PhaseState::Valid)], &columns(100));
        assert!(
            list.contains("a-1  Keep a list\n")
                && list.contains("prd  1/3 tasks · $0.50 (≈$0.25 estimated)\n"),
            "{list}"
        );
        assert!(pipelines_text(&[], &columns(80)).contains("windlass pipeline GOAL"));
        let [bare, full] = [shown(PhaseState::Missing), shown(PhaseState::Stale)];
        let bare = PipelineShown { tasks: None, execution: full.phases[0].run.clone(), ..bare };
        crate::view::check_document("pipeline", &pipeline_json(&bare));
        crate::view::check_document("pipelines", &pipelines_json(&[bare, full]));
    }
}
