//! What each effect says of itself: who carries it out in a fleet, which attempt it is about, and what settles it.

use std::collections::BTreeSet;

use strum::VariantNames;

use crate::report::{DeliveryBasis, DeliveryTask, IssueTask};
use crate::run::{CommitKind, Effect, EndCall, NotesShare, Occasion, Side, TurnKey};
use crate::values::{AgentIndex, CallId, CheckStage, Cut, HookName, LaneId, Purpose, TaskEnd};

const TURN: TurnKey = TurnKey { iteration: 7, attempt: 2 };

/// What a lane's files are needed for.
fn in_checkouts(lane: LaneId) -> Vec<Effect> {
    let (turn, call, agent) = (TURN, CallId(3), AgentIndex(1));
    let (what, since, commit) = (CommitKind::Complete, None, None);
    let purpose = Purpose::Work;
    vec![
        Effect::RunCheck { lane, stage: CheckStage::Candidate, check: 0, turn: Some(turn) },
        Effect::Prepare { lane, turn, purpose, notes: NotesShare::Usual, agent },
        Effect::Call { lane, call, turn, purpose, agent, budget: None },
        Effect::Recover { lane, call, turn, purpose, agent },
        Effect::EndCall { lane, call, how: EndCall::Ask, cut: Cut::Stop },
        Effect::Keep { lane, turn },
        Effect::Refuse { lane, turn },
        Effect::Undo { lane, turn },
        Effect::Commit { lane, turn, since, what },
        Effect::Open { lane, turn },
        Effect::Merge { lane, turn, commit },
        Effect::Settle { lane, turn },
    ]
}

fn closes(lane: LaneId, end: TaskEnd) -> Effect {
    Effect::CloseTask { lane, turn: TURN, task: "T1".into(), end, since: None, attempts: Vec::new() }
}

fn parked() -> TaskEnd {
    TaskEnd::Parked { reason: "it failed".to_owned() }
}

/// What is about the branch, the user's files, or anything outside of the run.
fn elsewhere(lane: LaneId) -> Vec<Effect> {
    let (task, head) = (DeliveryTask::Push, "c1".to_owned());
    let (number, basis, asked, part) = (None, DeliveryBasis::Shown, 0, None);
    vec![
        Effect::Survey(Occasion::Start),
        Effect::RunHook { lane, hook: HookName::Started, iteration: 0, skips: 0 },
        Effect::Land { lane, turn: TURN, commit: None, tip: "t1".to_owned(), task: "T1".into() },
        closes(lane, TaskEnd::Done),
        Effect::Deliver { task, head, number, basis, asked, part },
        Effect::LogDecision { lane, turn: TURN },
        Effect::Issue { task: "#1".into(), what: IssueTask::Lease },
        Effect::Announce,
    ]
}

fn all(lane: LaneId) -> impl Iterator<Item = Effect> {
    in_checkouts(lane).into_iter().chain(elsewhere(lane))
}

fn name(effect: &Effect) -> String {
    format!("{effect:?}").chars().take_while(|letter| letter.is_alphabetic()).collect()
}

#[test]
fn only_what_a_lane_of_its_own_has_the_files_for_is_a_workers() {
    let names: BTreeSet<String> = all(LaneId(1)).map(|effect| name(&effect)).collect();
    assert_eq!(
        names,
        Effect::VARIANTS.iter().map(|name| (*name).to_owned()).collect(),
        "each is asked about"
    );
    for (lane, side) in [(LaneId(0), Side::Runner), (LaneId(1), Side::Worker), (LaneId(2), Side::Worker)] {
        for effect in in_checkouts(lane) {
            assert_eq!(effect.side(), side, "{effect:?}");
        }
        for effect in elsewhere(lane) {
            assert_eq!(effect.side(), Side::Runner, "{effect:?}");
        }
    }
}

#[test]
fn an_effect_is_about_an_attempt_unless_it_is_about_a_call_or_the_run() {
    let about_none = ["Survey", "EndCall", "RunHook", "Deliver", "Issue", "Announce"];
    for effect in all(LaneId(1)) {
        let expected = (!about_none.contains(&name(&effect).as_str())).then_some(TURN);
        assert_eq!(effect.turn(), expected, "{effect:?}");
    }
    let baseline = Effect::RunCheck { lane: LaneId(0), stage: CheckStage::Baseline, check: 0, turn: None };
    assert_eq!(baseline.turn(), None);
}

#[test]
fn only_what_became_of_a_call_is_found_out_and_it_is_the_same_call() {
    let (lane, call, purpose, agent) = (LaneId(1), CallId(3), Purpose::Work, AgentIndex(1));
    let recovery = Effect::Recover { lane, call, turn: TURN, purpose, agent };
    for effect in all(lane) {
        let is_call = matches!(effect, Effect::Call { .. } | Effect::Recover { .. });
        assert_eq!(effect.recovery(), is_call.then(|| recovery.clone()), "{effect:?}");
    }
}

#[test]
fn only_a_task_that_is_parked_is_put_aside() {
    let lane = LaneId(1);
    let again = TaskEnd::Again { why: "it failed".to_owned() };
    for effect in all(lane).chain([closes(lane, again), closes(lane, parked())]) {
        assert_eq!(effect.parks(), effect == closes(lane, parked()), "{effect:?}");
    }
}
