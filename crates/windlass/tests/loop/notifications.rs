//! Whoever does not look at a run is told of it: what, in which order, and never at the run's cost.

use std::collections::BTreeMap;

use rustix::process::Signal;
use serde_json::Value;
use windlass_core::fact::Fact;
use windlass_core::report;
use windlass_core::values::{Delivery, Named, SinkKind};
use windlass_testkit::environment::wait_until;
use windlass_testkit::{Letter, Receiver, Response};

use super::night::{Night, PATIENCE, calls, every_call, expect_end};

const DONE: &str = "{ write = { path = 'done.txt', text = 'x' } }, { result = { text = \"Done.\\n\\nWINDLASS_JOB_COMPLETE\", cost = 0.02 } }";
const WORK: &str =
    "{ append = { path = 'log.txt', text = 'x' } }, { result = { text = 'A step.', cost = 0.01 } }";

/// What a receiver was told, by event.
fn events(letters: &[Letter]) -> Vec<String> {
    letters.iter().map(|letter| tags(letter).get(1).cloned().unwrap_or_default()).collect()
}

fn tags(letter: &Letter) -> Vec<String> {
    letter.header("tags").unwrap_or_default().split(',').map(str::to_owned).collect()
}

fn json(letter: &Letter) -> Value {
    serde_json::from_str(&letter.body).unwrap_or_else(|error| panic!("{error}: {}", letter.body))
}

/// What the journal says of each sink: how often what came of it.
fn settled(night: &Night) -> BTreeMap<(SinkKind, Delivery), usize> {
    let mut counts = BTreeMap::new();
    for fact in night.facts() {
        if let Fact::NotificationSettled(report::NotificationSettled { sink, delivery, .. }) = fact {
            *counts.entry((sink, delivery)).or_default() += 1;
        }
    }
    counts
}

// rows: 109, 110
#[test]
fn a_receiver_of_each_kind_is_told_the_whole_run_in_order_and_no_secret() {
    let (ntfy, webhook) = (Receiver::start([]), Receiver::start([]));
    let night = Night::with_git(&calls(&[WORK, WORK, DONE]))
        .set("WINDLASS_NOTIFY__URL", &format!("{}/topic?auth=t0psecret", ntfy.url()))
        .set("WINDLASS_NOTIFY__WEBHOOK", &format!("{}/hook", webhook.url()))
        .set(
            "WINDLASS_NOTIFY__COMMAND",
            "cat >> ../told; echo >> ../told; echo \"$WINDLASS_HOOK_EVENT\" >> ../events",
        )
        .set("WINDLASS_NOTIFY__SECRET", "hunter2hunter2")
        .set("WINDLASS_NOTIFY__EVENTS", "all")
        .set("WINDLASS_NOTIFY__MILESTONE", "2")
        .set("ANTHROPIC_API_KEY", "sk-very-special-key");
    let goal = "Make it work with hunter2hunter2, sk-very-special-key and t0psecret ✅";
    let flags = ["--completion-threshold", "1", "--gate", "test -f done.txt", "-m", "7", "--json"];
    let outcome = night.env.run(&mut night.command_for(goal, &flags), PATIENCE);
    outcome.expect_code(0, "complete");
    let story = [
        "execution_start",
        "iteration",
        "iteration",
        "iteration_milestone",
        "iteration",
        "completion",
        "run_end",
    ];
    let letters = ntfy.letters();
    assert_eq!(events(&letters), story);
    assert!(letters.iter().all(|letter| letter.method == "POST" && letter.path == "/topic?auth=t0psecret"));
    assert!(letters.iter().all(|letter| letter.header("content-type") == Some("text/plain")));
    assert!(letters[0].header("title").unwrap().starts_with("=?UTF-8?B?"), "{:?}", letters[0]);
    assert!(letters[1].body.starts_with("ITERATION 1/7\n"), "{}", letters[1].body);
    assert!(letters[5].body.starts_with("TASK COMPLETE ✅\n"), "{}", letters[5].body);
    let priorities: Vec<&str> = letters.iter().filter_map(|letter| letter.header("priority")).collect();
    assert_eq!(priorities, ["default", "low", "low", "default", "low", "high", "default"]);
    let objects: Vec<Value> = webhook.letters().iter().map(json).collect();
    assert_eq!(objects.iter().map(|object| object["event"].as_str().unwrap()).collect::<Vec<_>>(), story);
    assert_eq!((&objects[6]["stop_reason"], &objects[6]["iterations"]), (&"complete".into(), &3.into()));
    let lines: Vec<Value> =
        night.env.read("../told").lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines, objects);
    assert_eq!(night.env.read("../events").lines().collect::<Vec<_>>(), story);
    for letter in letters.iter().chain(&webhook.letters()) {
        let signature = letter.header("windlass-signature").unwrap();
        assert!(signature.starts_with("sha256=") && signature.len() == 71, "{signature}");
        assert!(letter.header("windlass-timestamp").unwrap().parse::<i64>().is_ok());
        for secret in ["hunter2", "sk-very", "t0psecret"] {
            assert!(!letter.body.contains(secret), "{letter:?}");
        }
    }
    let journal = std::fs::read_to_string(night.folder().join("journal.jsonl")).unwrap();
    let told: Vec<&str> = journal.lines().filter(|line| line.contains("notification_settled")).collect();
    assert_eq!(told.len(), 21);
    assert!(!told.concat().contains("127.0.0.1"), "no address is journalled");
    // The last line is the end, after all of them.
    let said = outcome.json_lines();
    assert_eq!(said.last().unwrap()["type"], "run_finished");
    assert_eq!(said.iter().filter(|line| line["type"] == "notification_sent").count(), 21);
    night.assert_clean();
}

// rows: 110
#[test]
fn where_nobody_chose_only_what_a_person_waits_for_is_told() {
    for (script, flags, told) in [
        (WORK, &["-m", "1"][..], &[][..]),
        ("{ write = { path = 'done', text = 'x' } }", &["--until", "test -f done"], &["completion"]),
        ("{ result = { text = 'nothing', is_error = true } }", &["--max-failures", "1"], &["error"]),
    ] {
        let receiver = Receiver::start([]);
        let night = Night::new(&every_call(script)).set("WINDLASS_NOTIFY__URL", &receiver.url());
        night.run(flags);
        assert_eq!(events(&receiver.letters()), told, "{flags:?}");
    }
}

// Seed defect D1, commands/run.ts:255-267: notifications were awaited in the loop without a timeout.
#[test]
fn an_endpoint_that_never_answers_delays_no_iteration() {
    let receiver = Receiver::start([Response::Hang]);
    let night = Night::new(&every_call(WORK))
        .set("WINDLASS_NOTIFY__URL", &receiver.url())
        .set("WINDLASS_NOTIFY__EVENTS", "all")
        .set("WINDLASS_NOTIFY__TIMEOUT", "1h");
    let running = night.start(&["-m", "4", "--stagnation-threshold", "0"]);
    // While the very first notification hangs, the run goes to its end.
    night.wait_for_fact("the end is decided", |fact| matches!(fact, Fact::RunEnding { .. }));
    assert_eq!(receiver.letters().len(), 1);
    assert_eq!(night.verdicts().len(), 4);
    assert_eq!(settled(&night), BTreeMap::new());
    receiver.release();
    expect_end(&running.wait(PATIENCE), 10, "max_iterations");
    assert_eq!(
        events(&receiver.letters()),
        ["execution_start", "iteration", "iteration", "iteration", "iteration", "run_end"]
    );
    assert_eq!(settled(&night), BTreeMap::from([((SinkKind::Ntfy, Delivery::Sent), 6)]));
    night.assert_clean();
}

#[test]
fn ctrl_c_ends_a_run_that_only_waits_for_notifications() {
    let receiver = Receiver::start([Response::Hang]);
    let night = Night::new(&every_call(WORK))
        .set("WINDLASS_NOTIFY__WEBHOOK", &receiver.url())
        .set("WINDLASS_NOTIFY__EVENTS", "all")
        .set("WINDLASS_NOTIFY__TIMEOUT", "1h");
    let running = night.start(&["-m", "1", "--json"]);
    night.wait_for_fact("the end is decided", |fact| matches!(fact, Fact::RunEnding { .. }));
    running.signal(Signal::INT);
    let outcome = running.wait(PATIENCE);
    outcome.expect_code(10, "the run had ended by itself");
    assert_eq!(outcome.json_lines().last().unwrap()["stop_reason"], "max_iterations");
    assert_eq!(settled(&night), BTreeMap::from([((SinkKind::Webhook, Delivery::Abandoned), 3)]));
    let unwaited = |fact: &Fact| matches!(fact, Fact::NotificationSettled(report::NotificationSettled { detail, .. }) if detail == "it was not waited for any longer");
    assert_eq!(night.facts().iter().filter(|fact| unwaited(fact)).count(), 3);
    night.assert_clean();
}

#[test]
fn what_fails_for_a_while_is_tried_again() {
    let receiver = Receiver::start([
        Response::status(500),
        Response::Close,
        Response::status(503),
        Response::status(200),
    ]);
    let night = Night::new(&every_call(WORK))
        .set("WINDLASS_NOTIFY__WEBHOOK", &receiver.url())
        .set("WINDLASS_NOTIFY__EVENTS", "run_end");
    let outcome = night.run(&["-m", "1"]);
    expect_end(&outcome, 10, "max_iterations");
    let letters = receiver.letters();
    assert_eq!(letters.len(), 4);
    assert!(
        letters.iter().all(|letter| json(letter)["id"] == json(&letters[0])["id"]),
        "one name for each try"
    );
    let attempts: Vec<u32> = night
        .facts()
        .into_iter()
        .filter_map(|fact| match fact {
            Fact::NotificationSettled(report::NotificationSettled {
                attempts,
                delivery: Delivery::Sent,
                status: Some(200),
                ..
            }) => Some(attempts),
            _ => None,
        })
        .collect();
    assert_eq!(attempts, [4]);
}

#[test]
fn a_refusal_and_a_redirect_are_said_once_and_not_tried_again() {
    let elsewhere = Receiver::start([]);
    for (response, why) in [
        (Response::Answer(403, Vec::new(), "no such\ntopic".to_owned()), "answered 403: no such topic"),
        (Response::redirect(&elsewhere.url()), "answered 307: redirected"),
    ] {
        let receiver = Receiver::start([response]);
        let night = Night::new(&every_call(WORK))
            .set("WINDLASS_NOTIFY__URL", &receiver.url())
            .set("WINDLASS_NOTIFY__EVENTS", "all");
        let outcome = night.run(&["-m", "2", "--stagnation-threshold", "0"]);
        expect_end(&outcome, 10, "max_iterations");
        assert_eq!(receiver.letters().len(), 4, "each was tried once");
        assert_eq!(settled(&night), BTreeMap::from([((SinkKind::Ntfy, Delivery::Failed), 4)]));
        let said = outcome.stderr_text() + &outcome.stdout_text();
        let said = said.split_whitespace().collect::<Vec<_>>().join(" ");
        assert_eq!(said.matches("was not delivered").count(), 1, "{said}");
        assert!(said.contains(why) && said.contains("4 not delivered"), "{said}");
    }
    assert_eq!(elsewhere.letters(), [], "a redirect is not followed");
}

// Seed defect D1, commands/run.ts:166: Ctrl-C sent an urgent error.
#[test]
fn a_person_who_stops_a_run_is_no_error() {
    let receiver = Receiver::start([]);
    let night = Night::new(&every_call("{ write = { path = 'begun', text = 'x' } }, 'hang'"))
        .set("WINDLASS_NOTIFY__URL", &receiver.url())
        .set("WINDLASS_NOTIFY__EVENTS", "all");
    let running = night.start(&[]);
    night.wait_for_file("begun");
    running.signal(Signal::INT);
    expect_end(&running.wait(PATIENCE), 130, "manual");
    assert_eq!(events(&receiver.letters()).last().map(String::as_str), Some("run_end"));
    assert!(!events(&receiver.letters()).contains(&"error".to_owned()));
}

// Seed defect D1, commands/run.ts:255: an address that was configured later was ignored.
#[test]
fn an_address_that_was_configured_after_the_run_began_counts_when_it_is_resumed() {
    let receiver = Receiver::start([]);
    let night = Night::new(&every_call(WORK));
    expect_end(&night.run(&["-m", "1"]), 10, "max_iterations");
    night.env.write(
        night.env.config().join("config.toml"),
        format!("notify.url = '{}'\nnotify.events = ['all']\n", receiver.url()),
    );
    let run = night.folder().file_name().unwrap().to_string_lossy().into_owned();
    expect_end(&night.resume(&[&run, "-m", "2"]), 10, "max_iterations");
    assert_eq!(events(&receiver.letters()), ["execution_start", "iteration", "run_end"]);
    assert!(receiver.letters()[0].body.contains("resumed"), "{:?}", receiver.letters()[0]);
}

/// The runner dies after the end was decided and, in the second case, told.
#[test]
fn an_end_that_was_not_written_is_told_once_more_at_most() {
    for kill_at in ["run_ending", "notification_settled"] {
        let receiver = Receiver::start([]);
        let night = Night::new(&every_call(WORK))
            .set("WINDLASS_NOTIFY__WEBHOOK", &receiver.url())
            .set("WINDLASS_NOTIFY__EVENTS", "run_end");
        let killed = (1..40).map(|write| format!("kill-after-write={write}")).find(|fault| {
            let _ = std::fs::remove_dir_all(night.env.state());
            let run =
                night.env.run(night.run_command(&["-m", "1"]).env("WINDLASS_TEST_FAULT", fault), PATIENCE);
            run.signal == Some(9) && night.facts().last().is_some_and(|fact| fact.name() == kill_at)
        });
        assert!(killed.is_some(), "no write of {kill_at}");
        let before = receiver.letters().len();
        night.env.assert_no_processes(super::night::CLEARED);
        expect_end(&night.resume(&[]), 10, "max_iterations");
        let letters = receiver.letters();
        let told_again = letters.get(before..).unwrap();
        let endings = night.facts().iter().filter(|fact| matches!(fact, Fact::RunFinished { .. })).count();
        assert_eq!(endings, 1);
        if kill_at == "run_ending" {
            assert_eq!(told_again.len(), 1);
            assert_eq!(json(&told_again[0])["repeated"], true);
            assert_eq!(json(&told_again[0])["tags"][2], "repeated");
        } else {
            assert_eq!(told_again, [], "it is known to have been told");
        }
    }
}

#[test]
fn nothing_that_a_command_starts_outlives_it() {
    let night = Night::new(&every_call(WORK))
        .set("WINDLASS_NOTIFY__COMMAND", "setsid sleep 300 & echo $! >> ../children; cat > /dev/null")
        .set("WINDLASS_NOTIFY__EVENTS", "execution_start\nrun_end");
    expect_end(&night.run(&["-m", "1"]), 10, "max_iterations");
    assert_eq!(night.env.read("../children").lines().count(), 2);
    assert_eq!(settled(&night), BTreeMap::from([((SinkKind::Command, Delivery::Sent), 2)]));
    night.assert_clean();
}

#[test]
fn a_command_that_hangs_or_fails_is_ended_and_said() {
    let night = Night::new(&every_call(WORK))
        .set("WINDLASS_NOTIFY__COMMAND", "cat >/dev/null; echo nobody is at home; exit 7")
        .set("WINDLASS_NOTIFY__RETRIES", "1")
        .set("WINDLASS_NOTIFY__EVENTS", "run_end");
    let outcome = night.run(&["-m", "1"]);
    expect_end(&outcome, 10, "max_iterations");
    let said = night.facts().into_iter().find_map(|fact| match fact {
        Fact::NotificationSettled(report::NotificationSettled { status, detail, attempts, .. }) => {
            Some((status, detail, attempts))
        }
        _ => None,
    });
    assert_eq!(said, Some((Some(7), "nobody is at home".to_owned(), 2)));
    let night = Night::new(&every_call(WORK))
        .set("WINDLASS_NOTIFY__COMMAND", "trap '' TERM INT; setsid sleep 300 & sleep 300")
        .set("WINDLASS_NOTIFY__TIMEOUT", "1s")
        .set("WINDLASS_NOTIFY__RETRIES", "0")
        .set("WINDLASS_NOTIFY__EVENTS", "run_end");
    expect_end(&night.run(&["-m", "1"]), 10, "max_iterations");
    assert_eq!(settled(&night), BTreeMap::from([((SinkKind::Command, Delivery::Failed), 1)]));
    night.assert_clean();
}

#[test]
fn agents_and_checks_learn_no_address_and_no_secret() {
    let receiver = Receiver::start([]);
    let night = Night::new(&every_call(
        "{ bash = 'env > ../agent-environment' }, { result = { text = 'A step.', cost = 0.01 } }",
    ))
    .set("WINDLASS_NOTIFY__URL", &receiver.url())
    .set("WINDLASS_NOTIFY__EVENTS", "all")
    .set("WINDLASS_NOTIFY__SECRET", "hunter2hunter2");
    night.run(&["-m", "1", "--until", "env > ../check-environment; false"]);
    for file in ["../agent-environment", "../check-environment"] {
        let environment = night.env.read(file);
        assert!(environment.contains("WINDLASS_RUN="), "{environment}");
        assert!(!environment.contains("NOTIFY") && !environment.contains("hunter2"), "{environment}");
    }
}

/// The runner is killed while a command runs.
#[test]
fn a_killed_runner_leaves_no_command_behind() {
    let night = Night::new(&every_call(WORK))
        .set("WINDLASS_NOTIFY__COMMAND", "touch begun; setsid sleep 300 & sleep 300")
        .set("WINDLASS_NOTIFY__EVENTS", "all")
        .set("WINDLASS_NOTIFY__TIMEOUT", "1h");
    let running = night.start(&["-m", "30"]);
    night.wait_for_file("begun");
    running.signal(Signal::KILL);
    let _ = running.wait(PATIENCE);
    assert!(wait_until(PATIENCE, || night.env.processes().is_empty()), "{:?}", night.env.processes());
}
