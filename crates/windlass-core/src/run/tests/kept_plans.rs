//! What a plan says is the same after a journal has held it, and plans of earlier releases say what those did.

use super::landing::until;
use super::lanes_world::{World as Lanes, row, tasks_plan};
use super::workspace::workspace;
use super::world::plan;
use crate::fact::Fact;
use crate::run::{Effect, Input, Occasion};
use crate::spec::{JobLog, Mode, Preset, RunSpec, SandboxKind, SandboxSpec, UndoPolicy};
use crate::values::{Named, StopSource};
use strum::VariantNames;

fn read_back(plan: &RunSpec) -> RunSpec {
    serde_json::from_value(serde_json::to_value(plan).unwrap()).unwrap()
}

#[test]
fn whether_damage_is_undone_at_once_outlives_a_crash() {
    for undo in [UndoPolicy::Ask, UndoPolicy::Auto] {
        let plan = RunSpec { undo, ..plan() };
        assert_eq!(read_back(&plan), plan);
    }
}

#[test]
fn a_plan_that_names_no_file_for_agents_means_the_usual_one() {
    let mut text = serde_json::to_value(plan()).unwrap();
    text["job"].as_object_mut().unwrap().remove("agents_file");
    let read: RunSpec = serde_json::from_value(text).unwrap();
    assert_eq!(read.job.agents_file, Some("AGENTS.md".into()));
    let mut none = plan();
    none.job.agents_file = None;
    assert_eq!(read_back(&none), none, "none is none");
}

#[test]
fn the_log_of_a_session_is_in_its_workspace_once_it_is_made() {
    let mut plan = workspace(Mode::Loop);
    let workspace = plan.job.workspace.as_mut().unwrap();
    assert_eq!(workspace.log_file(), None);
    workspace.log = Some(JobLog::default());
    assert_eq!(workspace.log_file(), None, "it could not be made");
    workspace.log = Some(JobLog { file: Some("iterate-1.log".to_owned()), ..JobLog::default() });
    let file = "/project/.windlass/workspaces/api/iterate-1.log";
    assert_eq!(workspace.log_file(), Some(file.into()));
}

// The names are said to container engines, in messages and on the command line.
#[test]
fn sandboxes_and_presets_have_the_names_that_configuration_has() {
    let presets = Preset::VARIANTS;
    assert_eq!(presets, ["rust", "node", "bun", "python", "go"]);
    let kinds = [SandboxKind::None, SandboxKind::Landlock, SandboxKind::Bwrap];
    assert_eq!(kinds.each_ref().map(SandboxKind::name), ["none", "landlock", "bwrap"]);
}

#[test]
fn a_sandbox_outlives_a_crash_and_none_is_none() {
    let plain = plan();
    assert!(plain.sandbox.is_default() && !plain.sandbox.is_on());
    assert!(serde_json::to_value(&plain).unwrap().get("sandbox").is_none());
    let locked =
        RunSpec { sandbox: SandboxSpec { kind: SandboxKind::Bwrap, ..SandboxSpec::default() }, ..plan() };
    assert!(locked.sandbox.is_on() && !locked.sandbox.is_default());
    assert_eq!(read_back(&locked), locked);
}

#[test]
fn only_a_tasks_work_is_compared_with_the_commit_before_it() {
    let modes =
        [Mode::Goal, Mode::Loop, Mode::Iterative, Mode::Plan, Mode::Build, Mode::Verify, Mode::Validate];
    assert!(modes.into_iter().all(|mode| !mode.is_judged_by_commit()));
    assert!(Mode::Tasks.is_judged_by_commit());
}

fn opens(effect: &Effect) -> bool {
    matches!(effect, Effect::Open { .. })
}

#[test]
fn no_checkout_is_opened_before_the_world_was_looked_at_nor_once_a_stop_is_asked_for() {
    let mut world = Lanes::new(tasks_plan(2), vec![row("T1", &[])], |_, _, _| unreachable!());
    until(&mut world, opens);
    let whole = world.journal.len();
    world.restart(whole);
    assert_eq!(world.run.outstanding(), [Effect::Survey(Occasion::Resume)]);

    let mut world = Lanes::new(tasks_plan(2), vec![row("T1", &[])], |_, _, _| unreachable!());
    until(&mut world, opens);
    let facts = world.run.decide(world.now, Input::Stop { by: StopSource::Command, least: 1 });
    let [fact @ Fact::StopRequested { .. }] = &facts[..] else { panic!("{facts:?}") };
    let mut run = world.run.clone();
    run.apply(&crate::fact::Entry { seq: run.next_seq(), at: world.now, fact: fact.clone() }).unwrap();
    assert_eq!(run.outstanding(), []);
}
