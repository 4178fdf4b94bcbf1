//! Which fact may follow in which state: all that may not is refused, and changes nothing.

use std::collections::BTreeSet;
use std::time::Duration;

use super::outcomes;
use super::workspace::{complete, workspace};
use super::world::{Act, World, check, fold, plan, report};
use strum::VariantNames;

use crate::damage::DamageCourse;
use crate::fact::{Entry, Fact};
use crate::report;
use crate::run::{Effect, Input, LaneState, Phase, Run, Survey};
use crate::spec::{CommitPolicy, Depth, Mode, RunSpec, Verification};
use crate::values::{
    AgentIndex, CallId, CallSummary, CheckKind, CheckResult, CheckStage, Class, CommitNotes, Cost, Cut,
    Delivery, Hook, HookCommand, HookDecision, HookName, LandOutcome, LaneId, MergeOutcome, Named,
    NotificationKey, NotifyEvent, Purpose, SinkKind, StopReason, StopSource, TaskEnd, TaskId, Tokens,
    UnderWay, Verdict,
};

const LANE: LaneId = LaneId(0);

/// A run that sees everything: a baseline, commits, a verification, a wait, a kill, an agent that is ended.
fn eventful() -> World {
    let mut plan = RunSpec { commit: CommitPolicy::Runner, ..workspace(Mode::Loop) };
    plan.checks = vec![check(CheckKind::Gate, "one"), check(CheckKind::Gate, "two")];
    let hook =
        |name| Hook { name, command: HookCommand::Shell("true".to_owned()), timeout: Duration::from_secs(1) };
    plan.hooks = HookName::ALL.map(hook).to_vec();
    plan.job.verification = Some(Verification { depth: Depth::Quick, attempts: 3 });
    let agent = |call: u32, _| match call {
        1 => Act::works("one"),
        2 => Act::limited(None),
        4 | 6 => {
            Act::judges(if call == 6 { crate::values::Assessed::Pass } else { crate::values::Assessed::Fail })
        }
        call => Act::works(&format!("tree {call}")).writes(complete(&call.to_string())),
    };
    let mut world = World::new(plan, agent).with_status(complete("yesterday"));
    world.strays = vec![("one".to_owned(), "one, without what is not allowed".to_owned())];
    world.damaged = vec![("tree 3".to_owned(), DamageCourse::UndoParts, "tree 3, mended".to_owned())];
    world.until(|effect| matches!(effect, Effect::Call { turn, .. } if turn.iteration == 1));
    world.input(Input::from(report::CallDue { lane: LANE, call: CallId(1), cut: Cut::Silence }));
    world.restart(world.journal.len());
    assert_eq!(world.finish(), StopReason::Complete);
    world
}

fn summary() -> CallSummary {
    CallSummary { duration: report(Class::Success).duration, ..CallSummary::uneventful() }
}

/// One of each kind, as right as it can be in this state, in this lane and for this call.
fn facts(world: &World, run: &Run, lane: LaneId, call: CallId) -> Vec<Fact> {
    let evidence = world.evidence();
    let turn = run.lane(LANE).and_then(LaneState::turn);
    let (iteration, attempt) =
        turn.map_or((run.counters().started + 1, 1), |turn| (turn.iteration, turn.attempt));
    let begun = if turn.is_some() { iteration + 1 } else { iteration };
    let mut facts = vec![
        Fact::BaselineCaptured(report::BaselineCaptured {
            evidence: evidence.clone(),
            snapshot: None,
            left_out: 0,
            standing: None,
        }),
        Fact::IterationStarted { lane, iteration: begun, task: None },
        Fact::CallReserved {
            lane,
            call,
            iteration,
            attempt,
            purpose: Purpose::Work,
            agent: AgentIndex(0),
            reserved: Cost::ZERO,
            budget: None,
        },
        Fact::CallSpawned(report::CallSpawned { lane, call, pid: 1 }),
        Fact::CallCut { lane, call, cut: Cut::Silence, now: false },
        Fact::CallFinished { lane, call, claimed: false, summary: summary() },
        Fact::StatusChanged(report::StatusChanged { lane, standing: complete("x") }),
        Fact::SnapshotTaken(report::SnapshotTaken {
            lane,
            evidence: evidence.clone(),
            snapshot: None,
            changed: 0,
            forbidden_changes: 0,
            standing: None,
        }),
        Fact::Suspected(report::Suspected { lane, suspicions: Vec::new() }),
        Fact::ForbiddenChangesReverted(report::ForbiddenChangesReverted {
            lane,
            count: 0,
            files: Vec::new(),
            undone: true,
            evidence: evidence.clone(),
        }),
        Fact::Damaged(report::Damaged {
            lane,
            iteration,
            attempt,
            found: Vec::new(),
            course: DamageCourse::GoOn,
        }),
        Fact::Undone(report::Undone { lane, evidence: evidence.clone(), standing: None }),
        Fact::HookDue { lane, iteration: begun },
        Fact::Committed(report::Committed {
            lane,
            commit: None,
            evidence: evidence.clone(),
            altered: false,
            refused: None,
            notes: CommitNotes::default(),
        }),
        Fact::TreeRechecked(report::TreeRechecked { lane, evidence }),
        Fact::FollowUpDue { lane, iteration, attempt, purpose: Purpose::Verify },
        Fact::AttemptRepeats { lane, iteration, attempt, class: Class::Outage },
        Fact::IterationFinished {
            lane,
            iteration,
            verdict: Verdict::Idle,
            class: Class::Success,
            progress: false,
            cost: Cost::ZERO,
            estimated_cost: Cost::ZERO,
            tokens: Tokens::default(),
            duration: Duration::ZERO,
        },
    ];
    for stage in [CheckStage::Baseline, CheckStage::Candidate, CheckStage::Committed] {
        let outcomes = [0, 1].map(|check| outcomes::check(check, CheckResult::Passed));
        facts.extend(outcomes.map(|outcome| report::CheckFinished { lane, stage, outcome }.into()));
    }
    let outcome = || outcomes::hook(HookDecision::Continue, "");
    facts.extend(HookName::ALL.map(|hook| report::HookFinished { lane, hook, outcome: outcome() }.into()));
    facts.extend(facts_of_the_run(world));
    facts.extend(facts_of_other_runs(world, lane, (iteration, attempt)));
    facts
}

/// One of each kind that is about no iteration.
fn facts_of_the_run(world: &World) -> Vec<Fact> {
    vec![
        Fact::BackoffStarted { until: world.now.wall, class: Class::Outage, attempt: 1 },
        Fact::BackoffEnded,
        Fact::AgentAway {
            agent: AgentIndex(0),
            class: Class::Auth,
            until: None,
            by: None,
            detail: String::new(),
        },
        Fact::AgentBack { agent: AgentIndex(0) },
        Fact::StopRequested { by: StopSource::Interrupt, stage: 1 },
        Fact::Failing {
            stop_reason: StopReason::Internal,
            detail: String::new(),
            under_way: UnderWay::GivenUp,
        },
        Fact::RunStarted { plan: Box::new(plan()) },
        Fact::RunResumed { plan: Box::new(plan()) },
        Fact::Noticed(report::Noticed { text: String::new() }),
        Fact::NotificationSettled(report::NotificationSettled {
            key: NotificationKey { about: 1, event: NotifyEvent::Iteration },
            sink: SinkKind::Ntfy,
            delivery: Delivery::Sent,
            status: None,
            detail: String::new(),
            attempts: 1,
        }),
        asked(),
        Fact::RunEnding {
            stop_reason: StopReason::Internal,
            detail: String::new(),
            iterations: 0,
            cost: Cost::ZERO,
            estimated: false,
            estimated_cost: Cost::ZERO,
        },
        Fact::RunFinished {
            stop_reason: StopReason::Internal,
            detail: String::new(),
            iterations: 0,
            cost: Cost::ZERO,
            estimated: false,
            estimated_cost: Cost::ZERO,
            tokens: Tokens::default(),
            duration: Duration::ZERO,
            exit_code: 1,
        },
    ]
}

/// One of each kind that only runs of tasks, or with reviews, councils, principles, a forge have.
fn facts_of_other_runs(world: &World, lane: LaneId, (iteration, attempt): (u32, u32)) -> Vec<Fact> {
    let evidence = world.evidence();
    vec![
        Fact::TasksRead { tasks: Vec::new() },
        Fact::LaneOpened(report::LaneOpened {
            lane,
            base: String::new(),
            evidence: evidence.clone(),
            snapshot: None,
        }),
        Fact::Merged(report::Merged {
            lane,
            tip: String::new(),
            outcome: MergeOutcome::Clean { commit: None, retest: false },
            evidence: evidence.clone(),
        }),
        Fact::Landed(report::Landed { lane, outcome: LandOutcome::Moved }),
        Fact::ParkRequested { by: StopSource::Page, task: "T1".into() },
        Fact::TaskClosed(report::TaskClosed {
            lane,
            iteration,
            task: TaskId("T1".to_owned()),
            end: TaskEnd::Done,
            branch: None,
            evidence,
            snapshot: None,
        }),
        Fact::CallRecharged {
            lane,
            call: CallId(1),
            cost: Cost::ZERO,
            estimated: false,
            listed: Cost::ZERO,
            tokens: Tokens::default(),
            replaces: Cost::ZERO,
            replaces_tokens: Tokens::default(),
        },
        Fact::ReviewSkipped(report::ReviewSkipped { lane, iteration, attempt, lines: 1 }),
        Fact::DecisionLogged(report::DecisionLogged {
            lane,
            iteration,
            attempt,
            digest: None,
            refused: String::new(),
        }),
        Fact::PrinciplesCollected { lane, principles: None, refused: String::new(), left: 0 },
        Fact::Delivery(report::DeliveryStep::Pushed { head: String::new() }),
        Fact::Issue(report::IssueStep::Due),
    ]
}

/// Somebody asks for something through a view.
fn asked() -> Fact {
    let nothing = String::new;
    report::ActionAsked { by: StopSource::Page, who: nothing(), what: nothing(), once: nothing() }.into()
}

/// May a fact that names the right lane and the right call follow here?
fn may_follow(run: &Run, fact: &Fact) -> bool {
    let state = run.lane(LANE).map_or("none", Named::name);
    let with_agent = ["calling", "terminating", "recovering"].contains(&state);
    let ended = matches!(run.phase(), Phase::Ended(_));
    match fact {
        Fact::RunStarted { .. } => run.phase() == Phase::New,
        Fact::RunResumed { .. } | Fact::ActionAsked(_) => run.phase() != Phase::New,
        _ if ended || run.phase() == Phase::New => false,
        // Journals of old have no fact between the end of the work and that of the run.
        Fact::Noticed(_) | Fact::NotificationSettled(_) | Fact::RunFinished { .. } => true,
        Fact::HookFinished(report::HookFinished { hook: HookName::Finished, .. }) => {
            run.is_ending() && !run.hooks.dismissed
        }
        _ if run.is_ending() => false,
        Fact::HookFinished(report::HookFinished { hook: HookName::Started, .. }) => !run.hooks.greeted,
        Fact::HookFinished(report::HookFinished { hook: HookName::NextIteration, .. }) => state == "asking",
        Fact::BackoffStarted { .. }
        | Fact::StopRequested { .. }
        | Fact::Failing { .. }
        | Fact::RunEnding { .. }
        | Fact::StatusChanged(_) => true,
        Fact::BackoffEnded => run.backoff().is_some(),
        Fact::BaselineCaptured(_) => !matches!(run.survey, Survey::Baseline | Survey::Done),
        Fact::HookDue { .. } => state == "idle",
        Fact::IterationStarted { .. } => state == "cleared",
        Fact::CallReserved { .. } => state == "preparing",
        Fact::CallRecharged { call, .. } => run.ledger().is_lost(*call),
        Fact::CallSpawned(_) | Fact::CallCut { .. } | Fact::CallFinished { .. } => with_agent,
        Fact::SnapshotTaken(_) | Fact::Suspected(_) => state == "keeping",
        Fact::Damaged(_) => ["keeping", "advancing", "settling"].contains(&state),
        Fact::ForbiddenChangesReverted(_) => state == "refusing",
        Fact::Undone(_) => state == "undoing",
        Fact::Committed(_) => state == "advancing",
        Fact::TreeRechecked(_) => state == "settling",
        Fact::AttemptRepeats { .. } | Fact::IterationFinished { .. } => state == "judging",
        Fact::FollowUpDue { .. } => {
            state == "judging"
                && run.lane(LANE).and_then(LaneState::turn).is_some_and(|turn| turn.claim.is_none())
        }
        Fact::CheckFinished(report::CheckFinished { stage, outcome, .. }) => {
            due(run) == Some((*stage, outcome.check))
        }
        // There is one agent.
        Fact::AgentAway { .. }
        | Fact::AgentBack { .. }
        | Fact::TasksRead { .. }
        | Fact::LaneOpened(_)
        | Fact::Merged(_)
        | Fact::Landed(_)
        | Fact::ParkRequested { .. }
        | Fact::TaskClosed(_)
        | Fact::ReviewSkipped(_)
        | Fact::DecisionLogged(_)
        | Fact::PrinciplesCollected { .. }
        | Fact::Delivery(_)
        | Fact::Issue(_) => false,
    }
}

#[test]
fn every_kind_of_fact_is_in_the_table() {
    let world = eventful();
    let facts = facts(&world, &fold(&world.journal[..1]), LANE, CallId(1));
    let there: BTreeSet<&str> = facts.iter().map(Named::name).collect();
    let missing: Vec<&str> = Fact::VARIANTS.iter().copied().filter(|name| !there.contains(name)).collect();
    assert!(missing.is_empty(), "{missing:?}");
}

/// The check that is due now.
fn due(run: &Run) -> Option<(CheckStage, u16)> {
    match run.lane(LANE) {
        Some(LaneState::Gating(_, _, checking)) => {
            let done = u16::try_from(checking.done.len()).unwrap();
            Some((checking.stage, done))
        }
        _ if run.survey == Survey::Baseline => {
            Some((CheckStage::Baseline, u16::try_from(run.baseline().len()).unwrap()))
        }
        _ => None,
    }
}

#[test]
fn in_every_state_what_may_not_follow_is_refused_and_changes_nothing() {
    let world = eventful();
    let mut states = BTreeSet::new();
    for kept in 0..=world.journal.len() {
        let run = fold(&world.journal[..kept]);
        states.insert(run.lane(LANE).map_or("none", Named::name));
        let running = run.lane(LANE).and_then(LaneState::call).map(|(_, call)| call.id);
        let call = running.unwrap_or_else(|| run.ledger().next_call());
        for fact in facts(&world, &run, LANE, call) {
            let expected = may_follow(&run, &fact);
            let entry = Entry { seq: run.next_seq(), at: world.now, fact };
            let mut after = run.clone();
            let applied = after.apply(&entry);
            assert_eq!(applied.is_ok(), expected, "after {kept} facts: {:?}: {applied:?}", entry.fact);
            assert!(expected || after == run, "after {kept} facts: {:?}", entry.fact);
        }
        // What is about another lane or another call belongs nowhere.
        let of_another_lane = facts(&world, &run, LaneId(7), call).into_iter().filter(names_a_lane);
        let of_another_call = facts(&world, &run, LANE, CallId(call.0 + 1)).into_iter().filter(names_a_call);
        for fact in of_another_lane.chain(of_another_call) {
            let entry = Entry { seq: run.next_seq(), at: world.now, fact };
            assert!(run.clone().apply(&entry).is_err(), "after {kept} facts: {:?}", entry.fact);
        }
    }
    let all = "advancing asking calling cleared gating idle judging keeping none preparing recovering refusing settling \
               terminating undoing";
    assert_eq!(states.into_iter().collect::<Vec<_>>().join(" "), all);
}

fn names_a_lane(fact: &Fact) -> bool {
    // The baseline belongs to no lane, nor does what is called at the ends of a run.
    let of_the_run = |hook: &HookName| *hook != HookName::NextIteration;
    let everywhere = match fact {
        Fact::CheckFinished(report::CheckFinished { stage: CheckStage::Baseline, .. })
        | Fact::BaselineCaptured(_) => true,
        Fact::HookFinished(report::HookFinished { hook, .. }) => of_the_run(hook),
        _ => false,
    };
    !everywhere && serde_json::to_value(fact).is_ok_and(|fact| fact.get("lane").is_some())
}

fn names_a_call(fact: &Fact) -> bool {
    matches!(fact, Fact::CallSpawned(_) | Fact::CallCut { .. } | Fact::CallFinished { .. })
}

#[test]
fn a_wrong_number_is_refused() {
    let world = eventful();
    for kept in 0..world.journal.len() {
        let run = fold(&world.journal[..kept]);
        for wrong in [0, run.next_seq() - 1, run.next_seq() + 1] {
            let entry = Entry { seq: wrong, ..world.journal[kept].clone() };
            assert!(run.clone().apply(&entry).is_err());
        }
        if let Fact::HookDue { lane, iteration } = world.journal[kept].fact {
            for wrong in [iteration - 1, iteration + 1] {
                let fact = Fact::HookDue { lane, iteration: wrong };
                assert!(run.clone().apply(&Entry { fact, ..world.journal[kept].clone() }).is_err());
            }
        }
        if let Fact::IterationStarted { lane, iteration, .. } = world.journal[kept].fact {
            for wrong in [iteration - 1, iteration + 1] {
                let fact = Fact::IterationStarted { lane, iteration: wrong, task: None };
                assert!(run.clone().apply(&Entry { fact, ..world.journal[kept].clone() }).is_err());
            }
        }
    }
}
