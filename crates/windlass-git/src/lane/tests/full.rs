//! A main repository on a disk without room.

use std::env;
use std::path::Path;

use super::{Worker, Yard};
use crate::git::{ObjectId, is_disk_full};
use crate::lane::{Landed, land};
use crate::testing::{Scratch, say};

const TEST: &str = "lane::tests::full::a_full_disk_stops_a_landing_before_anybody_sees_it";

/// Tells the process that has a small disk.
const HAS_SMALL_DISK: &str = "WINDLASS_TEST_SMALL_DISK";

/// More than fits, and nothing that could be made smaller.
fn noise() -> Vec<u8> {
    let mut state = 1_u64;
    let next = |_| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        state.to_be_bytes()[0]
    };
    (0..3_000_000).map(next).collect()
}

#[expect(clippy::disallowed_methods, reason = "a disk of its own, in a test")]
fn run(program: &str, arguments: &[&std::ffi::OsStr]) -> std::process::Output {
    std::process::Command::new(program).args(arguments).env(HAS_SMALL_DISK, "yes").output().unwrap()
}

#[test]
fn a_full_disk_stops_a_landing_before_anybody_sees_it() {
    if env::var_os(HAS_SMALL_DISK).is_some() {
        land_on_a_small_disk();
    } else if rustix::process::geteuid().is_root() {
        let program = env::current_exe().unwrap();
        let output =
            run("unshare", &["--mount".as_ref(), program.as_ref(), "--exact".as_ref(), TEST.as_ref()]);
        assert!(
            output.status.success(),
            "{}",
            String::from_utf8_lossy(&[output.stdout, output.stderr].concat())
        );
    } else {
        say("skipped, because only root can mount a small disk");
    }
}

fn land_on_a_small_disk() {
    let scratch = Scratch::plain();
    let mount = |options: &str, top: &Path| {
        let options = options.as_ref();
        let output = run(
            "mount",
            &["-t".as_ref(), "tmpfs".as_ref(), "-o".as_ref(), options, "small".as_ref(), top.as_ref()],
        );
        assert!(output.status.success(), "{output:?}");
    };
    mount("size=2m", &scratch.top);
    scratch.git(&["init", "-q", "-b", "main"]);
    scratch.git(&["config", "user.name", "Someone"]);
    scratch.git(&["config", "user.email", "someone@example.com"]);
    let yard = Yard::of(scratch);
    yard.person("a.txt", "one\n");
    yard.scratch.write("dirty", "a person's");
    // Objects that do not fit; a file that does not, although its object does.
    for content in [noise(), vec![b'x'; 3_000_000]] {
        let worker = yard.open(1);
        worker.write("large", &content);
        worker.write("a.txt", "changed\n");
        let commit = yard.commit(&worker);
        assert_full(&yard, &worker, commit);
    }
    let worker = yard.open(1);
    worker.write("large", "small");
    yard.deliver(&worker);
    // Once there is room, the same landing goes through.
    let worker = yard.open(1);
    worker.write("large", noise());
    let commit = yard.commit(&worker);
    assert_full(&yard, &worker, commit);
    mount("remount,size=64m", &yard.scratch.top);
    let landed = yard.land(&worker, commit, worker.since, &[]);
    assert!(matches!(landed, Landed::Landed { behind: None, .. }), "{landed:?}");
    assert_eq!(yard.status(), "?? dirty\n");
}

fn assert_full(yard: &Yard, worker: &Worker, commit: ObjectId) {
    let (tip, target) = (yard.tip(), yard.target());
    let error = land(&yard.main(), &worker.landing(commit, tip, &target, &[])).unwrap_err();
    assert!(is_disk_full(&error), "{error}");
    // What git had written until then, it does not take away itself.
    yard.scratch.git(&["prune", "--expire=now"]);
    assert_eq!((yard.tip(), yard.status(), yard.is_tidy()), (tip, "?? dirty\n".to_owned(), true));
}
