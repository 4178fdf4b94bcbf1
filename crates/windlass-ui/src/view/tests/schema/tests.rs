use std::collections::BTreeSet;
use std::path::Path;

use jiff::Timestamp;
use windlass_core::damage::DamageCourse;
use windlass_core::fact::{Entry, Fact};
use windlass_core::observation::{Observation, ToolInput};
use windlass_core::principles::Principles;
use windlass_core::report;
use windlass_core::values::NotifyEvent;
use windlass_core::values::{
    AgentIndex, CallId, CallSummary, CheckResult, CheckStage, Class, CommitNotes, Cost, Cut, Delivery,
    Denial, Ended, Evidence, HookDecision, HookName, HookOutcome, LandOutcome, LaneId, MergeOutcome,
    NotificationKey, SinkKind, SnapshotId, Suspicion, SuspicionKind, TaskEnd, TaskId, TaskRow, Tokens,
    UnderWay, UsageLimit,
};

use windlass_jobs::doc::tasks::TaskSource;
use windlass_jobs::doc::tasks::sources::SOURCES;

use super::*;
use crate::board::Board;
use crate::document::{RunState, RunStatus, status_json};
use crate::event::Event;
use crate::terminal::Terminal;
use crate::testing::{Night, plan, shown, status};
use crate::view::JsonView;

/// Does a value have this shape? Says where not. A field that the table does not know is wrong, too.
fn check(value: &Value, shape: &Shape, place: &str) -> Result<(), String> {
    let fits = match shape {
        Text => value.is_string(),
        Integer => value.is_i64() || value.is_u64(),
        Number => value.is_number(),
        Flag => value.is_boolean(),
        Time => value.as_str().is_some_and(|text| text.ends_with('Z') && text.parse::<Timestamp>().is_ok()),
        OneOf(names) => value.as_str().is_some_and(|text| names.contains(&text)),
        Shape::Anything => true,
        Shape::State => value
            .as_str()
            .is_some_and(|text| matches!(text, "running" | "interrupted") || reasons().contains(&text)),
        Reason => value.as_str().is_some_and(|text| reasons().contains(&text)),
        Nullable(_) if value.is_null() => true,
        Nullable(shape) => return check(value, shape, place),
        Shape::Either(shapes) => shapes.iter().any(|shape| check(value, shape, place).is_ok()),
        List(shape) => {
            let items = value.as_array().ok_or(format!("{place} is not a list"))?;
            return items.iter().try_for_each(|item| check(item, shape, place));
        }
        Shape::ByName(shape) => {
            let object = value.as_object().ok_or(format!("{place} is not an object"))?;
            return object
                .iter()
                .try_for_each(|(name, value)| check(value, shape, &format!("{place}.{name}")));
        }
        Object(fields) => return check_fields(value, fields.iter().collect(), place),
        Shape::Whole(parts) => {
            return check_fields(value, parts.iter().copied().flatten().collect(), place);
        }
    };
    if fits { Ok(()) } else { Err(format!("{place}: {value}")) }
}

fn check_fields(value: &Value, fields: Vec<&Field>, place: &str) -> Result<(), String> {
    let object = value.as_object().ok_or(format!("{place} is not an object"))?;
    for name in object.keys() {
        if !fields.iter().any(|(known, ..)| known == name) {
            return Err(format!("{place}.{name} is not in the table"));
        }
    }
    for (name, shape, presence) in fields {
        match object.get(*name) {
            Some(value) => check(value, shape, &format!("{place}.{name}"))?,
            None if *presence == Sometimes => {}
            None => return Err(format!("{place}.{name} is missing")),
        }
    }
    Ok(())
}

fn fields_of(name: &str) -> Option<Vec<&'static Field>> {
    let fact = all_facts().find(|(known, _)| *known == name);
    let observation = OBSERVATIONS.iter().find(|(known, _)| *known == name);
    match (fact, observation) {
        (Some((_, own)), _) => Some(HEAD.iter().chain(*own).collect()),
        (None, Some((_, own))) => Some(HEAD.iter().chain(OBSERVED).chain(*own).collect()),
        (None, None) => None,
    }
}

/// A night in which everything happens that the whole one lacks, with every optional field in use.
fn everything_else() -> Night {
    let lane = LaneId(0);
    let evidence =
        Evidence { head: Some("c0ffee".to_owned()), tree: "7ree".to_owned(), work: Some("w0rk".to_owned()) };
    let mut night = Night::new();
    night.start().iteration(1);
    for observation in observations() {
        night.observe(observation);
    }
    night
        .fact(Fact::CallCut { lane, call: CallId(1), cut: Cut::Stop, now: true })
        .called(every_word_of_a_call)
        .fact(Fact::Committed(report::Committed {
            lane,
            commit: Some("c0ffee".to_owned()),
            evidence: evidence.clone(),
            altered: true,
            refused: Some("hook".to_owned()),
            notes: CommitNotes {
                has_conflict_marks: true,
                needs_person: true,
                hook_output: Some("said".to_owned()),
                held_back: vec![".env (its name is that of a secret)".to_owned()],
                beside: vec![".env".to_owned()],
                lacks: vec![".env".to_owned()],
                snapshot: Some(SnapshotId("5eed".to_owned())),
            },
        }))
        .fact(Fact::TreeRechecked(report::TreeRechecked { lane, evidence }))
        .fact(Fact::HookDue { lane, iteration: 2 })
        .fact(Fact::HookFinished(report::HookFinished {
            lane,
            hook: HookName::NextIteration,
            outcome: HookOutcome {
                result: CheckResult::Failed(1),
                decision: HookDecision::Skip,
                reason: "busy".to_owned(),
                prompt: "Mind the gap.".to_owned(),
                duration: std::time::Duration::from_millis(12),
                log: "hooks/000007-next_iteration.log".to_owned(),
            },
        }));
    for result in [CheckResult::Signalled(9), CheckResult::TimedOut, CheckResult::Lost] {
        night.gate(CheckStage::Committed, result, "");
    }
    night
        .fact(Fact::CallReserved {
            lane,
            call: CallId(2),
            iteration: 1,
            attempt: 2,
            purpose: Purpose::Verify,
            agent: AgentIndex(1),
            reserved: Cost::from_dollars(0.5),
            budget: Some(Cost::from_dollars(4.0)),
        })
        .fact(agent_away())
        .fact(Fact::AgentBack { agent: AgentIndex(0) })
        .fact(Fact::StopRequested { by: StopSource::Command, stage: 1 })
        .fact(Fact::ParkRequested { by: StopSource::Page, task: "TASK-001".into() })
        .fact(Fact::ActionAsked(report::ActionAsked {
            by: StopSource::Page,
            who: "a browser at 127.0.0.1".to_owned(),
            what: "restore before iteration 1".to_owned(),
            once: "0".repeat(64),
        }))
        .fact(Fact::Failing {
            stop_reason: StopReason::DiskFull,
            detail: "detail".to_owned(),
            under_way: UnderWay::GivenUp,
        })
        .fact(Fact::Noticed(report::Noticed { text: "text".to_owned() }))
        .fact(Fact::NotificationSettled(report::NotificationSettled {
            key: NotificationKey { about: 3, event: NotifyEvent::Iteration },
            sink: SinkKind::Webhook,
            delivery: Delivery::Failed,
            status: Some(500),
            detail: "detail".to_owned(),
            attempts: 4,
        }))
        .fact(Fact::RunEnding {
            stop_reason: StopReason::Terminated,
            detail: "detail".to_owned(),
            iterations: 1,
            cost: Cost::from_dollars(0.1),
            estimated: true,
            estimated_cost: Cost::from_dollars(0.1),
        })
        .end(StopReason::Terminated, "detail")
        .fact(Fact::RunResumed { plan: Box::new(plan()) });
    night.events.push(Event::Dropped { count: 3 });
    night
}

fn every_word_of_a_call(call: &mut CallSummary) {
    call.class = Class::UsageLimit;
    call.detail = "detail".to_owned();
    call.ended = Ended::Lost;
    call.cut = Some(Cut::Stop);
    call.estimated = true;
    call.empty = true;
    call.overage = true;
    call.model = "opus".to_owned();
    call.garbage_lines = 3;
    call.limit = Some(UsageLimit::default());
    call.denials = vec![Denial {
        tool: "Bash".to_owned(),
        input: "x".to_owned(),
        rule: "Bash(x)".to_owned(),
        refused_by: "a hook".to_owned(),
    }];
}

fn every_word_of_a_task() -> TaskRow {
    let words = || vec!["x".to_owned()];
    TaskRow {
        id: "T1".into(),
        dependencies: vec!["T0".into()],
        kind: Some("feat".to_owned()),
        breaking: Some("the format".to_owned()),
        agent: Some("codex".to_owned()),
        requires: words(),
        protected: words(),
        unclear: Some("2 tasks have its id".to_owned()),
        vouched: true,
        ..TaskRow::default()
    }
}

fn agent_away() -> Fact {
    Fact::AgentAway {
        agent: AgentIndex(0),
        class: Class::UsageLimit,
        until: Some("2026-03-02T05:00:00Z".parse().unwrap()),
        by: Some(AgentIndex(1)),
        detail: "You've hit your limit".to_owned(),
    }
}

fn observations() -> Vec<Observation> {
    let path = String::new;
    let mut all = vec![
        Observation::Denied { name: "Bash".to_owned(), id: "1".to_owned() },
        Observation::Retrying {
            attempt: 1,
            max_attempts: 10,
            delay_ms: 500,
            status: None,
            error: "overloaded".to_owned(),
        },
        Observation::LimitNotice {
            status: "allowed".to_owned(),
            window: "five_hour".to_owned(),
            utilization: Some(0.5),
            resets_at: None,
        },
        Observation::Background { running: 1 },
        Observation::Compacted,
        Observation::Result { is_error: false, text: "done".to_owned(), cost_usd: Some(0.1), turns: Some(2) },
        Observation::Garbage { bytes: 3, start: "abc".to_owned() },
    ];
    let inputs = [
        ToolInput::Write { path: path(), bytes: 1, lines: 1 },
        ToolInput::Grep { pattern: "x".to_owned(), path: path() },
        ToolInput::Glob { pattern: "x".to_owned(), path: path() },
        ToolInput::Agent { description: "x".to_owned() },
        ToolInput::Other { json: "{}".to_owned() },
    ];
    all.extend(inputs.map(|input| Observation::ToolUse {
        id: "1".to_owned(),
        name: "Tool".to_owned(),
        input,
        nested: true,
    }));
    all
}

fn recharged(lane: LaneId) -> Fact {
    Fact::CallRecharged {
        lane,
        call: CallId(1),
        cost: Cost::from_dollars(0.2),
        estimated: true,
        listed: Cost::from_dollars(0.1),
        tokens: Tokens::default(),
        replaces: Cost::from_dollars(0.5),
        replaces_tokens: Tokens::default(),
    }
}

/// What the kept journals hold: every kind of fact at least, as runs have written them.
#[expect(clippy::disallowed_methods, reason = "files that tests keep")]
fn kept_runs() -> Vec<Vec<Event>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../windlass/tests/fixtures/runs");
    let files = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let journals = files.filter(|file| file.extension().is_some_and(|ending| ending == "jsonl"));
    // The first line is about the journal, and a power cut has torn some last ones.
    let entries =
        |text: &str| text.lines().filter_map(|line| serde_json::from_str::<Entry>(line).ok()).collect();
    let runs = journals.map(|file| entries(&std::fs::read_to_string(file).unwrap()));
    runs.map(|entries: Vec<Entry>| entries.into_iter().map(Event::from).collect()).collect()
}

#[test]
fn every_line_is_as_the_table_says_and_every_type_occurs() {
    let mut seen = BTreeSet::new();
    let mut kept = Night::new();
    kept.start().iteration(1).fact(Fact::SnapshotTaken(report::SnapshotTaken {
        standing: Some(status(3, "three")),
        lane: LaneId(0),
        evidence: Evidence::default(),
        snapshot: None,
        changed: 0,
        forbidden_changes: 2,
    }));
    kept.fact(Fact::PrinciplesCollected {
        lane: LaneId(0),
        principles: Some(Principles::of(Preset::Startup)),
        refused: String::new(),
        left: 0,
    });
    kept.fact(Fact::PrinciplesCollected {
        lane: LaneId(0),
        principles: None,
        refused: "principles.proposed.yaml: it is empty".to_owned(),
        left: 2,
    });
    kept.fact(Fact::Suspected(report::Suspected {
        lane: LaneId(0),
        suspicions: vec![Suspicion::new(SuspicionKind::Tests, "tests/a.rs", "1 test fewer")],
    }));
    kept.fact(Fact::ForbiddenChangesReverted(report::ForbiddenChangesReverted {
        lane: LaneId(0),
        count: 2,
        files: vec!["src/main.rs".to_owned()],
        undone: true,
        evidence: Evidence::default(),
    }));
    let (lane, evidence, snapshot) = (LaneId(0), Evidence::default(), None);
    let task = TaskId::from("T1");
    let end = TaskEnd::Parked { reason: "failed 2 times".to_owned() };
    let clean = MergeOutcome::Clean { commit: None, retest: false };
    for fact in delivery::steps() {
        kept.fact(fact);
    }
    for fact in [
        Fact::TasksRead { tasks: vec![every_word_of_a_task(), TaskRow::default()] },
        Fact::LaneOpened(report::LaneOpened {
            lane,
            base: "c1".to_owned(),
            evidence: evidence.clone(),
            snapshot: None,
        }),
        Fact::Merged(report::Merged {
            lane,
            tip: "c1".to_owned(),
            outcome: clean,
            evidence: evidence.clone(),
        }),
        Fact::Landed(report::Landed { lane, outcome: LandOutcome::Landed { commit: "c2".to_owned() } }),
        recharged(lane),
        Fact::TaskClosed(report::TaskClosed {
            lane,
            iteration: 1,
            task,
            end,
            branch: None,
            evidence: evidence.clone(),
            snapshot,
        }),
        Fact::Damaged(report::Damaged {
            lane,
            iteration: 1,
            attempt: 1,
            found: Vec::new(),
            course: DamageCourse::GoOn,
        }),
        Fact::Undone(report::Undone { lane, evidence, standing: None }),
        Fact::ReviewSkipped(report::ReviewSkipped { lane, iteration: 1, attempt: 2, lines: 3 }),
        Fact::DecisionLogged(report::DecisionLogged {
            lane,
            iteration: 1,
            attempt: 2,
            digest: None,
            refused: "it is a folder".to_owned(),
        }),
    ] {
        kept.fact(fact);
    }
    let workspaces = [Night::new().workspace(), Night::new().stagnating(), kept];
    let nights = [Night::new().whole(), everything_else()].into_iter().chain(workspaces);
    for events in nights.map(|night| night.events).chain(kept_runs()) {
        let (results, _) = shown(JsonView::new, &Terminal::plain(), &events);
        for line in results.lines() {
            let value: Value = serde_json::from_str(line).unwrap();
            let name = value["type"].as_str().unwrap().to_owned();
            let fields = fields_of(&name).unwrap_or_else(|| panic!("{name} is not in the table"));
            check_fields(&value, fields, &name).unwrap();
            seen.insert(name);
        }
    }
    let types = all_facts().chain(OBSERVATIONS).map(|(name, _)| (*name).to_owned());
    assert_eq!(seen, types.collect());
}

/// A fact that is in no table is printed all the same, and nothing holds its line to anything.
#[test]
fn every_fact_of_the_core_is_in_the_schema() {
    let public = |name: &'static str| match name {
        "check_finished" => "gate_finished",
        "held" => "waiting",
        "task_closed" => "task_finished",
        "notification_settled" => "notification_sent",
        name => name,
    };
    let known: BTreeSet<&str> = all_facts().map(|(name, _)| *name).collect();
    let missing: Vec<&str> =
        Fact::VARIANTS.iter().copied().map(public).filter(|name| !known.contains(name)).collect();
    assert!(missing.is_empty(), "{missing:?}");
}

pub(crate) fn check_document(name: &str, line: &[u8]) {
    let (_, parts) = DOCUMENTS.iter().find(|(known, _)| *known == name).unwrap();
    let value: Value = serde_json::from_slice(line).unwrap();
    assert_eq!(value["type"], name);
    check_fields(&value, fields_of_document(parts).collect(), name).unwrap();
}

#[test]
fn the_state_of_a_run_is_as_the_table_says() {
    for night in [Night::new().whole(), everything_else(), Night::new().workspace()] {
        let mut board = Board::default();
        for event in std::iter::once(None).chain(night.events.iter().map(Some)) {
            if let Some(event) = event {
                board.apply(event);
            }
            let status = RunStatus::new(&board, RunState::Interrupted, None, Timestamp::UNIX_EPOCH);
            check_document("status", &status_json(&status));
            check_document("status", &status_json(&RunStatus { state: RunState::Claimed, ..status }));
        }
    }
}

#[test]
fn every_form_of_tasks_is_in_the_schema() {
    let forms: Vec<&str> = SOURCES.into_iter().map(TaskSource::name).collect();
    assert_eq!(forms, documents::FORMS);
}

#[test]
fn the_checked_in_schema_is_this_one() {
    const RENEWS: &str = "WINDLASS_TEST_RENEW";
    let checked_in = include_str!("../../../../../../docs/json-schema.json");
    if std::env::var_os(RENEWS).is_some() {
        let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/json-schema.json");
        return std::fs::write(file, json_schema()).unwrap();
    }
    assert!(checked_in == json_schema(), "where this is meant, set {RENEWS}=1 once");
}

#[test]
fn the_check_itself_finds_what_is_wrong() {
    let fields = || fields_of("noticed").unwrap();
    let good = json!({
        "v": 1, "type": "noticed", "run": null, "lane": null, "seq": 1,
        "time": "2026-03-01T20:00:00Z", "text": "x",
    });
    assert_eq!(check_fields(&good, fields(), "noticed"), Ok(()));
    for (name, wrong) in
        [("text", json!(1)), ("time", json!("yesterday")), ("more", json!("x")), ("seq", json!(1.5))]
    {
        let mut bad = good.clone();
        bad[name] = wrong;
        assert!(check_fields(&bad, fields(), "noticed").is_err(), "{name}");
    }
    let mut bad = good;
    bad.as_object_mut().unwrap().remove("text");
    assert!(check_fields(&bad, fields(), "noticed").is_err());
}
