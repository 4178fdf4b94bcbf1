//! One run per working directory, between processes.

use std::fs;
use std::io::Read as _;
use std::time::{Duration, Instant};

use windlass_core::values::RunId;

use super::{Child, Fixture};
use crate::store::lock::{Acquired, HeldBy, Holder, Lock, holder, holder_of};
use crate::store::paths::Project;

const PART: &str = "store::tests::lock::part_hold_the_lock";

fn run(name: &str) -> RunId {
    RunId(name.to_owned())
}

fn acquire(fixture: &Fixture, patience: Duration) -> Acquired {
    Lock::acquire(&fixture.project, &fixture.directory, &run("r-new"), patience).unwrap()
}

fn take(fixture: &Fixture) -> Lock {
    match acquire(fixture, Duration::ZERO) {
        Acquired::Taken(lock) => lock,
        Acquired::Held(held) => panic!("{held:?}"),
    }
}

/// Another process that holds the fixture's lock.
fn another(fixture: &Fixture) -> Child {
    let mut child = Child::start(PART, fixture.root.path(), &[]);
    child.wait_for("locked");
    child
}

#[test]
#[ignore = "a part of another test"]
#[expect(clippy::print_stdout, reason = "that is how it tells")]
fn part_hold_the_lock() {
    let Some(root) = Child::root() else { return };
    let directory = fs::canonicalize(root.join("work")).unwrap();
    let project = Project::locate(&root.join("state"), &directory, None).unwrap();
    let lock = Lock::acquire(&project, &directory, &run("r-other"), Duration::ZERO).unwrap();
    let Acquired::Taken(lock) = lock else { panic!("{lock:?}") };
    println!("\nlocked");
    // Until the test closes the other end.
    std::io::stdin().read_to_end(&mut Vec::new()).unwrap();
    lock.release().unwrap();
}

#[test]
fn a_second_run_is_told_who_holds_the_directory() {
    let fixture = Fixture::new();
    let other = another(&fixture);
    let began = Instant::now();
    let Acquired::Held(HeldBy::Live(held)) = acquire(&fixture, Duration::from_mins(1)) else {
        panic!("taken");
    };
    assert!(began.elapsed() < Duration::from_secs(30), "patience is for dead holders only");
    assert_eq!((held.run.clone(), held.pid), (run("r-other"), other.id()));
    assert_eq!(held.directory, fixture.directory);
    assert_eq!(holder(&fixture.project, &fixture.directory).unwrap(), Some(held));
    assert!(other.end().success());
    assert_eq!(holder(&fixture.project, &fixture.directory).unwrap(), None);
    assert_eq!(take(&fixture).replaced, None);
}

#[test]
fn another_directory_of_the_project_is_free() {
    let fixture = Fixture::new();
    let _other = another(&fixture);
    let elsewhere = tempfile::tempdir().unwrap();
    let elsewhere = Lock::acquire(&fixture.project, elsewhere.path(), &run("r-x"), Duration::ZERO).unwrap();
    assert!(matches!(elsewhere, Acquired::Taken(_)));
}

#[test]
fn a_killed_holder_is_replaced_and_named() {
    let fixture = Fixture::new();
    let mut other = another(&fixture);
    let named = holder(&fixture.project, &fixture.directory).unwrap().unwrap();
    assert!(named.is_alive());
    other.kill();
    assert!(!named.is_alive(), "a zombie is dead");
    let lock = take(&fixture);
    assert_eq!(lock.replaced.as_ref().map(|holder| holder.pid), Some(other.id()));
    let now = holder(&fixture.project, &fixture.directory).unwrap().unwrap();
    assert_eq!((now.pid, now.is_alive()), (std::process::id(), true));
}

#[test]
fn leftovers_of_a_dead_holder_are_waited_for_and_then_named() {
    let fixture = Fixture::new();
    let keeper = leave_behind(&fixture);
    let patience = Duration::from_millis(80);
    let began = Instant::now();
    let Acquired::Held(HeldBy::Leftovers(held, _)) = acquire(&fixture, patience) else {
        panic!("no leftovers");
    };
    assert!(began.elapsed() >= patience);
    assert!(!held.is_alive());
    let waiting = std::thread::scope(|scope| {
        let waiting = scope.spawn(|| acquire(&fixture, Duration::from_mins(1)));
        drop(keeper);
        waiting.join().unwrap()
    });
    assert!(matches!(waiting, Acquired::Taken(_)));
}

/// A dead runner whose keeper still has the lock: the descriptor lives on, and the name is a dead process's.
fn leave_behind(fixture: &Fixture) -> Vec<std::os::fd::OwnedFd> {
    let lock = take(fixture);
    let keeper = inherited(&lock);
    let name = fs::read(lock.path()).unwrap();
    let mut dead: Holder = serde_json::from_slice(&name).unwrap();
    dead.start_time = dead.start_time.map(|start| start + 1);
    fs::write(lock.path(), serde_json::to_vec(&dead).unwrap()).unwrap();
    keeper
}

#[test]
fn releasing_counts_for_everybody_who_got_the_descriptor() {
    let fixture = Fixture::new();
    let lock = take(&fixture);
    let _keeper = inherited(&lock);
    lock.release().unwrap();
    assert_eq!(take(&fixture).replaced, None);
}

#[test]
fn dropping_is_what_a_crash_looks_like() {
    let fixture = Fixture::new();
    drop(take(&fixture));
    assert!(take(&fixture).replaced.is_some());
}

#[test]
fn content_that_is_no_name_is_overwritten() {
    let fixture = Fixture::new();
    for nonsense in [&b"{"[..], b"\xff\0", b"{}", b"[1]\n"] {
        fs::write(fixture.project.lock(&fixture.directory), nonsense).unwrap();
        assert_eq!(holder(&fixture.project, &fixture.directory).unwrap(), None);
        let lock = take(&fixture);
        assert_eq!(lock.replaced, None);
        assert!(holder(&fixture.project, &fixture.directory).unwrap().is_some());
        lock.release().unwrap();
    }
}

#[test]
fn a_holder_without_a_name_is_said_to_be_one() {
    let fixture = Fixture::new();
    let lock = take(&fixture);
    fs::write(lock.path(), "").unwrap();
    let held = acquire(&fixture, Duration::ZERO);
    assert!(matches!(held, Acquired::Held(HeldBy::Nameless)), "{held:?}");
}

#[test]
fn alive_by_table() {
    let fixture = Fixture::new();
    let lock = take(&fixture);
    let me = holder(&fixture.project, &fixture.directory).unwrap().unwrap();
    lock.release().unwrap();
    let with = |change: &dyn Fn(&mut Holder)| {
        let mut holder = me.clone();
        change(&mut holder);
        holder.is_alive()
    };
    assert!(with(&|_| {}));
    assert!(!with(&|holder| holder.pid = 0x7fff_ffff));
    assert!(!with(&|holder| holder.start_time = Some(1)));
    assert!(with(&|holder| holder.start_time = None));
    assert!(with(&|holder| (holder.host, holder.pid) = ("elsewhere".to_owned(), 0x7fff_ffff)));
}

/// What a process that inherits the lock has.
fn inherited(lock: &Lock) -> Vec<std::os::fd::OwnedFd> {
    lock.descriptors().iter().map(|held| held.try_clone_to_owned().unwrap()).collect()
}

#[test]
fn a_directory_is_locked_whatever_the_state_folder() {
    let fixture = Fixture::new();
    let other = tempfile::tempdir().unwrap();
    let other = Project::locate(other.path(), &fixture.directory, None).unwrap();
    let lock = Lock::acquire(&fixture.project, &fixture.directory, &run("r-1"), Duration::ZERO).unwrap();
    let Acquired::Taken(lock) = lock else { panic!("{lock:?}") };
    let second = Lock::acquire(&other, &fixture.directory, &run("r-2"), Duration::ZERO).unwrap();
    assert!(matches!(second, Acquired::Held(HeldBy::Elsewhere(_))), "{second:?}");
    // What the first one started still has it.
    let keeper = inherited(&lock);
    drop(lock);
    let second = Lock::acquire(&other, &fixture.directory, &run("r-2"), Duration::ZERO).unwrap();
    assert!(matches!(second, Acquired::Held(HeldBy::Elsewhere(_))), "{second:?}");
    drop(keeper);
    let second = Lock::acquire(&other, &fixture.directory, &run("r-2"), Duration::ZERO).unwrap();
    assert!(matches!(second, Acquired::Taken(_)), "{second:?}");
}

#[test]
fn whoever_has_a_directory_is_told_from_whoever_has_another_lock() {
    let places = [(); 2].map(|()| tempfile::tempdir().unwrap());
    let [held, free] = places.each_ref().map(|place| fs::File::open(place.path()).unwrap());
    held.try_lock().unwrap();
    assert_eq!(holder_of(&free), None);
    assert_eq!(holder_of(&held), Some(std::process::id()));
}
