//! The prompts of a pipeline's phases: how a pass works, the goal, what the document has to hold, what is wrong with it.

use std::path::Path;

use windlass_core::inert::Inert;
use windlass_core::spec::{JobPhase, PipelinePhase};

use super::parts::{ModeWords, PromptParts};
use super::plans::{what_is_wrong, what_was_undone};
use super::text::{Texts, agents_section, beginning};

const HOW: &str = include_str!("templates/phase.md");
const PRD: &str = include_str!("templates/phase_prd.md");
const ARCHITECTURE: &str = include_str!("templates/phase_architecture.md");
const TASKS: &str = include_str!("templates/phase_tasks.md");

pub(crate) fn compose(parts: &PromptParts<'_>, words: &ModeWords) -> Texts {
    let mut system = beginning(parts, words);
    system.push(&agents_section(parts));
    Texts { system, user: user(parts) }
}

fn user(parts: &PromptParts<'_>) -> Inert {
    let Some(phase) = &parts.plan.job.phase else { return Inert::empty() };
    let values = values(parts, phase);
    let mut text = Inert::fill(HOW, &values);
    text.push(&Inert::fill("\n## The goal\n\n{{goal}}\n\n", &[("goal", Inert::wish(parts.goal))]));
    let form = match phase.phase {
        PipelinePhase::Prd => PRD,
        PipelinePhase::Architecture => ARCHITECTURE,
        PipelinePhase::Tasks => TASKS,
    };
    text.push(&Inert::fill(form, &values));
    if let Some(work) = &parts.phase_work {
        text.push(&what_was_undone(work.strays, "the document"));
        text.push(&what_is_wrong(&work.problems, "the document"));
    }
    text
}

fn values(parts: &PromptParts<'_>, phase: &JobPhase) -> Vec<(&'static str, Inert)> {
    let file = |path: &Path| Inert::words(&path.to_string_lossy());
    let of = |phase_of: PipelinePhase| file(&phase.folder.join(phase_of.document()));
    let requirements = parts.phase_work.as_ref().map(|work| work.requirements.as_slice()).unwrap_or_default();
    vec![
        ("projectRoot", file(&parts.plan.directory)),
        ("iteration", Inert::number(parts.turn.iteration)),
        ("document", file(&phase.document())),
        ("prd", of(PipelinePhase::Prd)),
        ("architecture", of(PipelinePhase::Architecture)),
        ("requirements", Inert::names(requirements)),
    ]
}
