use std::collections::BTreeSet;

use super::*;
use crate::fact::{Entry, Fact};
use crate::report;
use crate::run::Input;
use crate::run::testing::{Act, DOLLAR, World, plan};
use crate::spec::JobWorkspace;
use crate::values::{
    AgentIndex, Class, Delivery, JobStatus, LaneId, Named, Now, SinkKind, StatusSource, StopSource, Verdict,
};

fn told(journal: &[Entry]) -> Vec<Notification> {
    let mut notifier = Notifier::new(Some(2));
    journal.iter().flat_map(|entry| notifier.take(entry)).collect()
}

fn events(told: &[Notification]) -> Vec<&'static str> {
    told.iter().map(|notification| notification.key.event.name()).collect()
}

fn night(limit: u32, mut act: impl FnMut(u32) -> Act + 'static) -> World {
    let mut plan = plan();
    plan.limits.iterations = Some(limit);
    plan.job.completion_threshold = 1;
    let mut world = World::new(plan, move |call, _| act(call).costs(DOLLAR));
    world.finish();
    world
}

fn entry(seq: u64, fact: Fact) -> Entry {
    let wall = "2026-11-21T22:00:00Z".parse().unwrap();
    Entry { seq, at: Now { wall, monotonic: std::time::Duration::ZERO }, fact }
}

fn started() -> Entry {
    let mut plan = plan();
    plan.job.workspace = Some(JobWorkspace {
        name: "docs".to_owned(),
        folder: "/project/.windlass/workspaces/docs".into(),
        trust_existing_status: false,
        todo_fallback: false,
        watch: None,
        log: None,
    });
    entry(1, Fact::RunStarted { plan: Box::new(plan) })
}

fn standing(done: u64, complete: bool) -> JobStatus {
    JobStatus {
        source: StatusSource::StatusFile,
        complete,
        items: Some(Items { done, total: 60 }),
        summary: "Migrated the endpoints".to_owned(),
        ..JobStatus::default()
    }
}

// rows: 110
#[test]
fn a_run_to_completion_tells_its_story_in_order() {
    let world = night(9, |call| if call < 3 { Act::works(&format!("t{call}")) } else { Act::claims("t3") });
    let told = told(&world.journal);
    assert_eq!(
        events(&told),
        [
            "execution_start",
            "iteration",
            "iteration",
            "iteration_milestone",
            "iteration",
            "completion",
            "run_end"
        ]
    );
    assert_eq!(told[1].title, "a job: iteration 1/9");
    assert!(
        told[1].body.starts_with("ITERATION 1/9\n\nThe agent made progress\n$1.00, 1m "),
        "{}",
        told[1].body
    );
    assert!(
        told[3].body.starts_with("ITERATION MILESTONE\n\n2/9 iterations, $2.00 so far"),
        "{}",
        told[3].body
    );
    assert!(told[5].body.starts_with("TASK COMPLETE ✅\n"), "{}", told[5].body);
    assert_eq!((told[5].priority, told[1].priority), (Priority::High, Priority::Low));
    assert_eq!(told[6].title, "a job: run ended, complete (claimed; no gate)");
    assert_eq!(told[6].figures.cost, Some(Cost::from_micros(3_000_000)));
    assert_eq!(told[6].figures.iterations, Some(3));
    assert_eq!(told[6].tags, ["windlass", "run_end"]);
}

// Seed defect D1, commands/run.ts:435: stagnation was told as "All items completed".
// rows: 110
#[test]
fn stagnation_is_a_completion_that_says_why() {
    let told = told(&night(9, |_| Act::idles()).journal);
    let completion = told.iter().find(|told| told.key.event == NotifyEvent::Completion).unwrap();
    assert_eq!(completion.title, "a job: stagnated");
    assert!(completion.body.starts_with("STAGNATED ⚠️\n"), "{}", completion.body);
    assert_eq!(completion.figures.stop_reason, Some(StopReason::Stagnated));
}

// rows: 110
#[test]
fn an_error_is_urgent_and_said_once() {
    let told = told(&night(9, |_| Act::of(Class::TaskFailure)).journal);
    let errors: Vec<_> = told.iter().filter(|told| told.key.event == NotifyEvent::Error).collect();
    assert_eq!(errors.len(), 1);
    assert_eq!(errors[0].priority, Priority::Urgent);
    assert!(errors[0].body.starts_with("ERROR ENCOUNTERED ⚠️\n"), "{}", errors[0].body);
    assert_eq!(events(&told).last(), Some(&"run_end"));
}

// Seed defect D1, commands/run.ts:166: Ctrl-C sent an urgent error.
#[test]
fn a_person_who_stops_a_run_is_no_error() {
    for by in [StopSource::Interrupt, StopSource::Terminate, StopSource::Command] {
        let mut world = World::new(plan(), |_, _| Act::works("t"));
        world.input(Input::Stop { by, least: 2 });
        world.finish();
        assert_eq!(events(&told(&world.journal)), ["execution_start", "run_end"]);
    }
}

// rows: 111
#[test]
fn a_status_update_counts_what_was_done_since() {
    let mut notifier = Notifier::new(None);
    notifier.take(&started());
    let mut update = |seq, standing| {
        let lane = LaneId::default();
        notifier.take(&entry(seq, Fact::StatusChanged(report::StatusChanged { lane, standing }))).remove(0)
    };
    let first = update(2, standing(30, false));
    assert_eq!(first.body, "STATUS UPDATE\n\n30/60 items - Migrated the endpoints");
    let second = update(3, standing(35, false));
    assert_eq!(second.body, "STATUS UPDATE\n\n35/60 items (+5) - Migrated the endpoints");
    assert_eq!((second.priority, second.title.as_str()), (Priority::Default, "docs: 35/60 items"));
    let last = update(4, standing(60, true));
    assert_eq!(last.body, "STATUS UPDATE\n\n60/60 items (+25) - Migrated the endpoints ✅ Complete!");
    assert_eq!(last.priority, Priority::High);
    let bare = JobStatus { items: None, summary: String::new(), ..standing(0, false) };
    assert_eq!(update(5, bare).body, "STATUS UPDATE\n\nthe status file changed");
}

#[test]
fn a_wait_is_told_once_unless_it_grows() {
    let mut notifier = Notifier::new(None);
    notifier.take(&started());
    let mut held = |seq, until: &str, class, attempt| {
        notifier.take(&entry(seq, Fact::BackoffStarted { until: until.parse().unwrap(), class, attempt }))
    };
    assert_eq!(held(2, "2026-11-21T22:00:30Z", Class::Outage, 1), []);
    let first = held(3, "2026-11-22T00:05:00Z", Class::UsageLimit, 1);
    assert_eq!(first[0].title, "docs: waits until 2026-11-22 00:05 UTC");
    assert!(first[0].body.contains("(in 2h 5m)"), "{}", first[0].body);
    assert_eq!(held(4, "2026-11-22T00:07:00Z", Class::UsageLimit, 2), []);
    assert_eq!(held(5, "2026-11-22T01:05:00Z", Class::UsageLimit, 3).len(), 1);
}

/// The runner died between deciding the end and writing it.
#[test]
fn an_end_that_was_not_written_is_told_again_with_a_mark_but_not_to_whom_knows_it() {
    let world = night(2, |call| Act::works(&format!("t{call}")));
    let decided =
        world.journal.iter().position(|entry| matches!(entry.fact, Fact::RunEnding { .. })).unwrap();
    let mut journal = world.journal[..=decided].to_vec();
    let seq = journal.last().unwrap().seq;
    let key = NotificationKey { about: seq, event: NotifyEvent::RunEnd };
    let settled = Fact::NotificationSettled(report::NotificationSettled {
        key,
        sink: SinkKind::Ntfy,
        delivery: Delivery::Sent,
        status: Some(200),
        detail: String::new(),
        attempts: 1,
    });
    journal.push(entry(seq + 1, settled));
    let mut resumed = world;
    resumed.journal = journal;
    resumed.restart(decided + 2);
    resumed.finish();
    let mut notifier = Notifier::new(None);
    let (old, new) = resumed.journal.split_at(decided + 2);
    let before: BTreeSet<String> =
        old.iter().flat_map(|entry| notifier.take(entry)).map(|told| told.id()).collect();
    let mut again = Vec::new();
    for entry in new {
        for told in notifier.take(entry) {
            let to: Vec<SinkKind> = [SinkKind::Ntfy, SinkKind::Webhook]
                .into_iter()
                .filter(|sink| !notifier.was_told(&told, *sink))
                .collect();
            again.push((told, to));
        }
    }
    assert_eq!(again.len(), 2, "{again:?}");
    assert_eq!(again[0].0.body, "EXECUTION STARTED\n\na job\nrun r-test0000 resumed\nat most 2 iterations");
    let (end, to) = &again[1];
    assert_eq!((end.key, end.repeated, to.as_slice()), (key, true, [SinkKind::Webhook].as_slice()));
    assert_eq!(end.tags, ["windlass", "run_end", "repeated"]);
    assert!(before.contains(&end.id()), "a receiver can tell that it is the same one");
}

#[test]
fn an_end_after_further_work_is_a_new_one() {
    let mut world = night(2, |call| Act::works(&format!("t{call}")));
    let first = told(&world.journal).pop().unwrap();
    let mut plan = (**world.run.spec().unwrap()).clone();
    plan.limits.iterations = Some(3);
    world.input(Input::Resume(Box::new(plan)));
    world.finish();
    let second = told(&world.journal).pop().unwrap();
    assert_eq!(second.key.event, NotifyEvent::RunEnd);
    assert!(!second.repeated && second.id() != first.id());
}

#[test]
fn the_json_form_is_what_the_documentation_says() {
    let world = night(1, |_| Act::works("t"));
    let told = told(&world.journal);
    let json: serde_json::Value = serde_json::from_str(&told.last().unwrap().to_json()).unwrap();
    let about = told.last().unwrap().key.about;
    assert_eq!(json["v"], 1);
    assert_eq!(json["id"], format!("r-test0000/{about}/run_end"));
    assert_eq!(json["event"], "run_end");
    assert_eq!(json["run"], "r-test0000");
    assert_eq!(json["workspace"], serde_json::Value::Null);
    assert_eq!(json["priority"], "default");
    assert_eq!(json["stop_reason"], "max_iterations");
    assert_eq!(json["iterations"], 1);
    assert_eq!(json["cost_usd"], 1.0);
    assert_eq!(json["repeated"], false);
    assert!(json.get("until").is_none());
}

#[test]
fn what_leaves_holds_no_secret() {
    let mut notification = setup_complete("docs", Timestamp::UNIX_EPOCH);
    notification.title = "sk-ant-api03-0123456789".to_owned();
    notification.body = "token hunter2hunter2".to_owned();
    let clean = notification.redacted(&Redactor::new().with_value("hunter2hunter2"));
    assert_eq!((clean.title.as_str(), clean.body.as_str()), ("[redacted]", "token [redacted]"));
}

#[test]
fn a_name_of_many_lines_makes_one_short_title() {
    let title = text::title(&format!("a\r\nTags: x {}", "long ".repeat(40)), "started");
    assert!(!title.contains(['\r', '\n']) && title.ends_with("…: started"), "{title}");
    assert_eq!(text::title("", "started"), "started");
}

#[test]
fn verdicts_have_words() {
    assert_eq!(text::verdict(Verdict::Failed), "failed");
    assert_eq!(setup_complete("docs", Timestamp::UNIX_EPOCH).title, "docs: setup complete");
}

#[test]
fn whoever_takes_over_is_named_and_when_the_other_is_back() {
    let mut plan = plan();
    plan.substitutes = vec![crate::spec::AgentSpec::new("codex", "/usr/bin/codex".into())];
    let start = entry(1, Fact::RunStarted { plan: Box::new(plan) });
    let away = |class, until: Option<&str>, detail: &str| Fact::AgentAway {
        agent: AgentIndex(0),
        class,
        until: until.map(|until| until.parse().unwrap()),
        by: Some(AgentIndex(1)),
        detail: detail.to_owned(),
    };
    for (fact, lines) in [
        (
            away(Class::UsageLimit, Some("2026-11-22T05:00:00Z"), "limit"),
            "claude has reached its usage limit; it is back at ",
        ),
        (away(Class::Auth, None, "not logged in"), "claude cannot work: not logged in\ncodex goes on with"),
    ] {
        let told = told(&[start.clone(), entry(2, fact)]);
        let last = told.last().unwrap();
        assert_eq!(last.key.event, NotifyEvent::LimitWait);
        assert!(
            last.body.starts_with("ANOTHER AGENT TAKES OVER\n\n") && last.body.contains(lines),
            "{}",
            last.body
        );
    }
}
