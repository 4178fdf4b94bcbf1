//! What an agent is told in the phases of a pipeline.

use windlass_core::spec::{JobPhase, Mode, PipelinePhase, RunSpec};

use super::tests::{parts, plan};
use super::*;
use crate::compose;

fn planned(phase: PipelinePhase) -> RunSpec {
    let mut spec = plan();
    (spec.job.mode, spec.job.notes_file) = (Mode::Phase, None);
    let folder = ".windlass/pipelines/a-1".into();
    spec.job.phase = Some(JobPhase { pipeline: "a-1".to_owned(), phase, folder });
    spec
}

fn told(phase: PipelinePhase, work: PhaseWork<'_>) -> String {
    let plan = planned(phase);
    let purpose = Mode::Phase.purpose();
    compose(&PromptParts {
        purpose,
        phase_work: Some(work),
        ..parts(&plan, "Keep a list of what is to be done.")
    })
    .user
}

// rows: 97
#[test]
fn each_phase_is_told_its_document_its_goal_and_what_it_is_made_from() {
    for (phase, document, form) in [
        (PipelinePhase::Prd, "prd.md", "# PRD: <name>"),
        (PipelinePhase::Architecture, "architecture.md", "## Technical decisions"),
        (PipelinePhase::Tasks, "tasks.md", "- **Success Criteria**:"),
    ] {
        let user = told(phase, PhaseWork::default());
        assert!(
            user.contains(&format!("Write the document, `.windlass/pipelines/a-1/{document}`")),
            "{user}"
        );
        assert!(user.contains("Keep a list of what is to be done.") && user.contains(form), "{user}");
        assert!(!user.contains("{{") && !user.contains("What is wrong"), "{user}");
    }
    let requirements = vec!["R1".to_owned(), "FR-2".to_owned()];
    let user = told(PipelinePhase::Architecture, PhaseWork { requirements, ..PhaseWork::default() });
    assert!(user.contains("met somewhere: `R1`, `FR-2`.") && user.contains("/prd.md`"), "{user}");
}

// rows: 97
#[test]
fn a_further_pass_is_told_what_is_wrong_and_what_was_undone() {
    let strays = ["src/main.rs".to_owned()];
    let problems = vec!["prd.md:3: `TODO` stands for something".to_owned()];
    let user = told(PipelinePhase::Prd, PhaseWork { problems, strays: &strays, ..PhaseWork::default() });
    assert!(user.contains("## What is wrong with the document as it is\n\n- prd.md:3: "), "{user}");
    assert!(user.contains("changed more than the document, among others `src/main.rs`"), "{user}");
}
