//! The permission templates, on a server that has exactly them.

use std::path::Path;
use std::time::Duration;

use tempfile::TempDir;
use windlass_core::values::LaneId;
use windlass_fleet::journal::{Appended, Journal, Sequence};
use windlass_fleet::layout::{self, Replicas, Store};
use windlass_fleet::leases::{LeaseKey, Leases, Renewed, Taken, Tenure};
use windlass_fleet::names::{Class, WorkerName};
use windlass_fleet::orders::{Answer, Letters, Queue};
use windlass_fleet::permissions::{configuration, variable};
use windlass_fleet::settings::{Login, Role, Settings};
use windlass_fleet::signals::{Signal, Signals};
use windlass_fleet::store::Files;
use windlass_fleet::{Fleet, FleetError};
use windlass_testkit::Nats;
use windlass_testkit::nats::Setup;

use super::raw::Raw;
use super::support::{fences, holder, order, report, run, settings, soon};

struct Bed {
    nats: Nats,
    folder: TempDir,
}

impl Bed {
    fn new() -> Bed {
        let fleet = "night".parse().unwrap();
        let users: Vec<String> = Role::ALL
            .map(|role| {
                let name = role.name();
                format!("{{ user: {name}, password: {name}, permissions: ${} }}", variable(&fleet, role))
            })
            .to_vec();
        let more =
            format!("{}\nauthorization {{ users: [ {} ] }}\n", configuration(&fleet), users.join(", "));
        let bed = Bed {
            nats: Nats::one_with(&Setup { more, ..Setup::default() }),
            folder: tempfile::tempdir().unwrap(),
        };
        layout::create(&bed.connect(Role::Administrator), Replicas::One, soon()).unwrap();
        bed
    }

    fn connect(&self, role: Role) -> Fleet {
        let path = self.folder.path().join(role.name());
        std::fs::write(&path, format!("{0}:{0}\n", role.name())).unwrap();
        let settings = Settings { login: Login::Password(path), ..settings(&self.nats, role) };
        Fleet::connect(&settings, soon()).unwrap()
    }

    fn raw(&self, role: Role) -> Raw {
        Raw::connect(&self.nats.urls()[0], Some((role.name(), role.name())))
    }

    fn file(&self) -> std::path::PathBuf {
        let path = self.folder.path().join("file");
        std::fs::write(&path, b"content").unwrap();
        path
    }
}

fn must_not<T: std::fmt::Debug>(done: Result<T, FleetError>, subject: &str) {
    match done {
        Err(FleetError::NoPermission { subject: refused, .. }) => assert_eq!(refused, subject),
        other => panic!("{subject}: {other:?}"),
    }
}

fn look_and_read(fleet: &Fleet, file: &Path) {
    assert!(layout::check(fleet, Replicas::One, soon()).unwrap().is_empty());
    Leases::of(fleet).all(soon()).unwrap();
    Queue::of(fleet).classes(soon()).unwrap();
    for store in Store::ALL {
        let content = "0".repeat(64).parse().unwrap();
        assert!(matches!(
            Files::of(fleet, store).get(&content, file, 10, soon()),
            Err(FleetError::NoSuchFile { .. })
        ));
    }
}

#[test]
fn each_role_can_do_what_it_must() {
    let bed = Bed::new();
    let (runner, worker, watcher) =
        (bed.connect(Role::Runner), bed.connect(Role::Worker), bed.connect(Role::Watcher));
    for fleet in [&runner, &worker, &watcher] {
        look_and_read(fleet, &bed.folder.path().join("copy"));
    }
    let any = Class::default();
    let name: WorkerName = "w1".parse().unwrap();
    // The runner takes the run, keeps its journal, hands out code and an order.
    let leases = Leases::of(&runner);
    let Taken::Won(mut held) = leases.take(&LeaseKey::Run(run()), None, &holder("r"), soon()).unwrap() else {
        panic!("lost")
    };
    assert_eq!(leases.renew(&mut held, soon()).unwrap(), Renewed::Kept);
    let journal = Journal::of(&runner, &run()).unwrap();
    let written = journal.append(b"fact", Sequence(0), soon()).unwrap();
    assert!(matches!(written, Appended::Written(_)));
    let content = Files::of(&runner, Store::Code).put(&bed.file(), 100, soon()).unwrap();
    let queue = Queue::of(&runner);
    queue.open_class(&any, soon()).unwrap();
    queue.publish(&any, &"k".parse().unwrap(), &order(1), fences(), soon()).unwrap();
    let mut reports = Letters::of(&runner).mailbox_of_run(&run(), soon()).unwrap();
    let mut live = Signals::of(&runner).hear_live(&run(), soon()).unwrap();

    // The worker takes the order, the lane and the code, and brings results and reports.
    let taken = Queue::of(&worker).take(&any, Duration::from_secs(20)).unwrap().unwrap();
    let lane = LeaseKey::Lane(run(), LaneId(3));
    let won = Leases::of(&worker).take(&lane, None, &holder("w1"), soon()).unwrap();
    assert!(matches!(won, Taken::Won(_)));
    let present = Leases::of(&worker).take(&LeaseKey::Worker(name.clone()), None, &holder("w1"), soon());
    assert!(matches!(present, Ok(Taken::Won(_))));
    taken.acknowledge(soon()).unwrap();
    Files::of(&worker, Store::Code).get(&content, &bed.folder.path().join("copy"), 100, soon()).unwrap();
    for store in [Store::Results, Store::Streams, Store::Logs] {
        Files::of(&worker, store).put(&bed.file(), 100, soon()).unwrap();
        Files::of(&runner, store).get(&content, &bed.folder.path().join("copy"), 100, soon()).unwrap();
    }
    let mut mailbox = Letters::of(&worker).mailbox_of_worker(&name, soon()).unwrap();
    let mut cancels = Signals::of(&worker).hear_cancel(&run(), soon()).unwrap();
    let mut drains = Signals::of(&worker).hear_drain(&name, soon()).unwrap();
    std::thread::scope(|scope| {
        let sent = scope.spawn(|| Letters::of(&runner).order(&name, &order(2), fences(), soon()).unwrap());
        mailbox.next(soon()).unwrap().unwrap().answer(&Answer::Accepted).unwrap();
        sent.join().unwrap();
        let sent =
            scope.spawn(|| Letters::of(&worker).report(&run(), &report("x"), fences(), soon()).unwrap());
        reports.next(soon()).unwrap().unwrap().answer(&Answer::Accepted).unwrap();
        sent.join().unwrap();
    });
    Signals::of(&worker).live(&run(), LaneId(3), "text").unwrap();
    assert!(matches!(live.next(soon()).unwrap(), Some(Signal::Live { .. })));
    Signals::of(&runner).cancel(&run(), fences(), soon()).unwrap();
    assert!(matches!(cancels.next(soon()).unwrap(), Some(Signal::Cancel(_))));
    Signals::of(&runner).drain(&name, soon()).unwrap();
    assert_eq!(drains.next(soon()).unwrap(), Some(Signal::Drain));

    // The watcher reads it all.
    let mut lines = Vec::new();
    Journal::of(&watcher, &run()).unwrap().read(Sequence(0), soon(), |line| lines.push(line.bytes)).unwrap();
    assert_eq!(lines, [b"fact"]);
    assert_eq!(Leases::of(&watcher).all(soon()).unwrap().len(), 3);
    Files::of(&watcher, Store::Results).get(&content, &bed.folder.path().join("copy"), 100, soon()).unwrap();
    Signals::of(&watcher).hear_live(&run(), soon()).unwrap();
}

// attack(fleet): a worker gives orders, writes a journal or code, cancels; a watcher writes anything
// holds: the servers refuse it by the permissions that `fleet init` prints
#[test]
fn each_role_is_refused_what_it_must_not_do_by_name() {
    let bed = Bed::new();
    let any = Class::default();
    let key = "k".parse().unwrap();
    let worker = bed.connect(Role::Worker);
    let publish = |fleet: &Fleet| Queue::of(fleet).publish(&any, &key, &order(1), fences(), soon());
    let append = |fleet: &Fleet| Journal::of(fleet, &run()).unwrap().append(b"x", Sequence(0), soon());
    let take = |fleet: &Fleet, key: &LeaseKey| Leases::of(fleet).take(key, None, &holder("x"), soon());
    must_not(publish(&worker), "windlass.night.orders._any.r-00000001.17");
    must_not(append(&worker), "windlass.night.journal.r-00000001");
    must_not(take(&worker, &LeaseKey::Run(run())), "$KV.windlass_night_leases.run.r-00000001");
    must_not(
        Queue::of(&worker).open_class(&any, soon()),
        "$JS.API.CONSUMER.CREATE.windlass_night_orders._any.windlass.night.orders._any.*.*",
    );
    must_not(
        Letters::of(&worker).order(&"w2".parse().unwrap(), &order(1), fences(), soon()),
        "windlass.night.worker.w2.orders",
    );
    must_not(Signals::of(&worker).cancel(&run(), fences(), soon()), "windlass.night.run.r-00000001.cancel");
    must_not(Letters::of(&worker).mailbox_of_run(&run(), soon()), "windlass.night.run.r-00000001.reports");
    assert!(matches!(
        Files::of(&worker, Store::Code).put(&bed.file(), 100, soon()),
        Err(FleetError::NoPermission { .. })
    ));

    let watcher = bed.connect(Role::Watcher);
    must_not(publish(&watcher), "windlass.night.orders._any.r-00000001.17");
    must_not(append(&watcher), "windlass.night.journal.r-00000001");
    let lane = LeaseKey::Lane(run(), LaneId(1));
    must_not(take(&watcher, &lane), "$KV.windlass_night_leases.lane.r-00000001.1");
    must_not(
        Queue::of(&watcher).take(&any, Duration::from_secs(1)),
        "$JS.API.CONSUMER.MSG.NEXT.windlass_night_orders._any",
    );
    must_not(Signals::of(&watcher).drain(&"w1".parse().unwrap(), soon()), "windlass.night.worker.w1.drain");
    let followed = Journal::of(&worker, &run()).unwrap().follow(Sequence(0), soon());
    assert!(matches!(followed, Err(FleetError::NoPermission { .. })), "{followed:?}");
    for store in Store::ALL {
        let put = Files::of(&watcher, store).put(&bed.file(), 100, soon());
        assert!(matches!(put, Err(FleetError::NoPermission { .. })), "{put:?}");
    }

    let runner = bed.connect(Role::Runner);
    let put = Files::of(&runner, Store::Results).put(&bed.file(), 100, soon());
    assert!(matches!(put, Err(FleetError::NoPermission { .. })), "{put:?}");
}

#[test]
fn credentials_of_another_role_are_named_when_connecting() {
    let bed = Bed::new();
    let path = bed.folder.path().join("worker");
    std::fs::write(&path, "worker:worker").unwrap();
    let wrong = Settings { login: Login::Password(path), ..settings(&bed.nats, Role::Runner) };
    let error = Fleet::connect(&wrong, soon()).unwrap_err();
    let subject = "_INBOX_windlass_night_runner.>";
    assert!(
        matches!(&error, FleetError::NoPermission { subject: refused, .. } if refused == subject),
        "{error}"
    );
    assert!(error.hint().contains("--show-permissions"));
}

#[test]
fn nobody_but_the_administrator_changes_streams_and_no_worker_makes_consumers() {
    let bed = Bed::new();
    let streams = [
        "KV_windlass_night_leases",
        "windlass_night_journal",
        "windlass_night_orders",
        "OBJ_windlass_night_results",
    ];
    for role in [Role::Runner, Role::Worker, Role::Watcher] {
        let mut raw = bed.raw(role);
        for stream in streams {
            for what in ["CREATE", "UPDATE", "DELETE", "PURGE", "MSG.DELETE", "RESTORE", "SNAPSHOT"] {
                assert!(
                    !raw.publish(&format!("$JS.API.STREAM.{what}.{stream}"), b"{}"),
                    "{role:?} {what} {stream}"
                );
            }
        }
        // What makes a consumer can have the server send what a stream holds to any subject: not of a stream that one can fill.
        assert!(
            !raw.publish(
                "$JS.API.CONSUMER.CREATE.OBJ_windlass_night_results.c.$O.windlass_night_results.C.x",
                b"{}"
            ),
            "{role:?}"
        );
        assert!(!raw.publish("$JS.API.CONSUMER.DURABLE.CREATE.windlass_night_journal.c", b"{}"), "{role:?}");
        assert!(!raw.publish("$JS.API.CONSUMER.CREATE.windlass_night_journal", b"{}"), "{role:?}");
        // Another fleet, and everything.
        assert!(!raw.publish("windlass.day.run.r-1.live.0", b"x"), "{role:?}");
        assert!(!raw.subscribe(">") && !raw.subscribe("windlass.night.>"), "{role:?}");
        // The answers that somebody else gets.
        for other in Role::ALL.into_iter().filter(|other| *other != role) {
            assert!(
                !raw.subscribe(&format!("_INBOX_windlass_night_{}.>", other.name())),
                "{role:?} {other:?}"
            );
        }
    }
    let mut worker = bed.raw(Role::Worker);
    for stream in streams {
        assert!(!worker.publish(&format!("$JS.API.CONSUMER.CREATE.{stream}.c.x"), b"{}"), "{stream}");
    }
    let mut administrator = bed.raw(Role::Administrator);
    assert!(!administrator.publish("windlass.night.orders._any.r-00000001.17", b"{}"));
    assert!(!administrator.publish("$JS.API.STREAM.CREATE.other", b"{}"));
}

#[test]
fn one_message_never_drops_the_others_of_its_stream() {
    let bed = Bed::new();
    let runner = bed.connect(Role::Runner);
    let leases = Leases::of(&runner);
    let run_key = LeaseKey::Run(run());
    let Taken::Won(mut held) = leases.take(&run_key, None, &holder("r"), soon()).unwrap() else {
        panic!("lost")
    };
    let content = Files::of(&bed.connect(Role::Worker), Store::Logs).put(&bed.file(), 100, soon()).unwrap();
    let mut raw = bed.raw(Role::Worker);
    for subject in ["$KV.windlass_night_leases.lane.r-00000001.1", "$O.windlass_night_logs.C.x"] {
        assert!(raw.publish_with(subject, None, "Nats-Rollup: all", b"x"));
    }
    assert_eq!(leases.renew(&mut held, soon()).unwrap(), Renewed::Kept);
    Files::of(&runner, Store::Logs).get(&content, &bed.folder.path().join("copy"), 100, soon()).unwrap();
}

/// Whoever has credentials names the subject that an answer of the server goes to, and no permission is asked for that. So a worker
/// can have an answer put where it may not write: that is noise, and must never be more.
// attack(fleet): a worker has an answer of the server put into the queue, a journal or a lease
// holds: it is never taken for an order, a fact or a lease
#[test]
fn an_answer_that_a_worker_sends_elsewhere_is_never_an_order_a_fact_or_a_lease() {
    let bed = Bed::new();
    let (runner, worker) = (bed.connect(Role::Runner), bed.connect(Role::Worker));
    let any = Class::default();
    Queue::of(&runner).open_class(&any, soon()).unwrap();
    // What it brings back may be anything: an order, for example.
    let forged = bed.folder.path().join("forged");
    std::fs::write(&forged, serde_json::to_vec(&order(1)).unwrap()).unwrap();
    Files::of(&worker, Store::Results).put(&forged, 10_000, soon()).unwrap();
    let mut raw = bed.raw(Role::Worker);
    let lease = "$KV.windlass_night_leases.run.r-00000001";
    for elsewhere in ["windlass.night.orders._any.r-00000001.17", "windlass.night.journal.r-00000001", lease]
    {
        let asked = "$JS.API.STREAM.MSG.GET.OBJ_windlass_night_results";
        assert!(raw.publish_with(asked, Some(elsewhere), "Windlass-Runner-Epoch: 17", br#"{"seq":1}"#));
        // As it is stored: without what surrounds it in an answer.
        let asked = "$JS.API.DIRECT.GET.OBJ_windlass_night_results";
        assert!(!raw.publish_with(asked, Some(elsewhere), "", br#"{"seq":1}"#));
    }
    let taken = Queue::of(&worker).take(&any, Duration::from_secs(20));
    assert!(matches!(taken, Err(FleetError::Garbled { .. })), "{taken:?}");
    let journal = Journal::of(&runner, &run()).unwrap();
    let appended = journal.append(b"fact", Sequence(0), soon()).unwrap();
    assert!(matches!(appended, Appended::Refused { .. }), "{appended:?}");
    let looked = Leases::of(&runner).look(&LeaseKey::Run(run()), soon()).unwrap().unwrap();
    assert_eq!(looked.tenure, Tenure::Unknown);
}
