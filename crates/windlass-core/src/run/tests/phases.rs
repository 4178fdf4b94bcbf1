//! A pipeline's phase: complete when a pass has left its document so that nothing is wrong with it.

use super::world::{Act, World, plan};
use crate::report;
use crate::run::Effect;
use crate::spec::{JobPhase, Mode, PipelinePhase, RunSpec};
use crate::values::{JobStatus, LaneId, StatusSource, StopReason};

fn phase() -> RunSpec {
    let mut plan = plan();
    (plan.job.mode, plan.job.notes_file, plan.checks) = (Mode::Phase, None, Vec::new());
    let folder = ".windlass/pipelines/a".into();
    plan.job.phase = Some(JobPhase { pipeline: "a".to_owned(), phase: PipelinePhase::Prd, folder });
    plan
}

fn document(mark: &str, problem: Option<&str>) -> JobStatus {
    JobStatus {
        source: StatusSource::Document,
        mark: mark.to_owned(),
        phase: "prd".to_owned(),
        complete: problem.is_none(),
        problem: problem.map(str::to_owned),
        ..JobStatus::default()
    }
}

// rows: 97
#[test]
fn a_valid_document_ends_it_and_not_before_a_pass() {
    let mut world = World::new(phase(), |_, _| Act::idles()).with_status(document("good", None));
    assert_eq!(world.finish(), StopReason::Complete);
    assert_eq!(world.count("iteration_finished"), 1, "what was there is looked at once more");
    // An agent that said nothing at all has not looked.
    let mut empty = Act::idles();
    empty.report.tool_uses = 0;
    let mut world = World::new(phase(), move |_, _| empty.clone()).with_status(document("good", None));
    assert_eq!(world.finish(), StopReason::Stagnated);
}

// rows: 97
#[test]
fn what_is_wrong_is_mended_in_the_same_run() {
    let mut world = World::new(phase(), |call, _| match call {
        1 => Act::works("one").writes(document("bad", Some("is empty"))),
        _ => Act::works("two").writes(document("good", None)),
    })
    .with_status(JobStatus::default());
    assert_eq!(world.finish(), StopReason::Complete);
    assert_eq!(world.count("iteration_finished"), 2);
}

// rows: 97
#[test]
fn what_was_changed_beyond_the_document_is_undone_and_the_document_counts() {
    let mut world = World::new(phase(), |_, _| Act::works("strayed")).with_status(document("good", None));
    world.strays = vec![("strayed".to_owned(), "start".to_owned())];
    assert_eq!(world.finish(), StopReason::Complete);
    assert_eq!((world.count("refused"), world.count("iteration_finished")), (1, 1));
    assert_eq!(world.tree, "start");
}

// Where it stays, nobody has looked at the document as it would be without it.
#[test]
fn what_was_changed_beyond_the_document_and_cannot_be_undone_refuses_the_document() {
    for (undone, complete) in [(true, true), (false, false)] {
        let mut world = World::new(phase(), |_, _| Act::works("strayed")).with_status(document("good", None));
        world.strays = vec![("strayed".to_owned(), "start".to_owned())];
        world.until(|effect| matches!(effect, Effect::Refuse { .. }));
        let (evidence, files) = (world.evidence(), vec!["src/main.rs".to_owned()]);
        let lane = LaneId::default();
        world.input(report::ForbiddenChangesReverted { lane, count: 1, files, undone, evidence }.into());
        world.until(|effect| !matches!(effect, Effect::Refuse { .. }));
        assert_eq!(world.run.counters().complete, complete, "undone: {undone}");
    }
}
