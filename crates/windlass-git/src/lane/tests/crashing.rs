//! Landings that are cut off after each of their steps, in a process of their own, and called again.

use std::env;
use std::path::PathBuf;

use super::{Worker, Yard};
use crate::git::{FoundRepository, ObjectId, Repository};
use crate::lane::{END_AFTER, ENDED, Landed, Lane, MergeResult, OwnFile, Step, Target, land};

/// Names this test for the process that is to be cut off.
const TEST: &str = "lane::tests::crashing::a_landing_that_is_cut_off_anywhere_is_finished_by_the_next";

/// Tells that process what to land, in variables whose names begin so.
const TELLS: &str = "WINDLASS_TEST_LANDING_";

fn files() -> [OwnFile; 1] {
    [OwnFile { path: b"progress.md".to_vec(), content: b"done".to_vec() }]
}

/// A lane with a merged commit, and a person who has staged and changed other files.
struct Case {
    yard: Yard,
    worker: Worker,
    work: ObjectId,
    commit: ObjectId,
    tip: ObjectId,
}

impl Case {
    fn new() -> Self {
        let yard = Yard::new();
        yard.person("other", "x\n");
        let worker = yard.open(1);
        yard.person("landed", "by somebody else\n");
        for path in ["a.txt", "new/one", "new/two"] {
            worker.write(path, "changed\n");
        }
        worker.remove("src/b.txt");
        let (work, tip) = (yard.commit(&worker), yard.tip());
        yard.scratch.write("staged", "staged");
        yard.scratch.git(&["add", "staged"]);
        yard.scratch.write("other", "changed\n");
        let MergeResult::Clean { commit, .. } = worker.lane.merge(work, tip).unwrap() else { panic!() };
        Self { yard, worker, work, commit, tip }
    }

    /// Lands in another process, which ends after a step.
    #[expect(clippy::disallowed_methods, reason = "a process that is to be cut off, in a test")]
    fn land_until(&self, step: Step) {
        let mut command = std::process::Command::new(env::current_exe().unwrap());
        command.args(["--exact", TEST]).env(END_AFTER, format!("{step:?}"));
        for (name, value) in [
            ("TOP", self.yard.scratch.top.as_os_str().to_owned()),
            ("HOME", self.worker.home.as_os_str().to_owned()),
            ("COMMIT", self.commit.to_string().into()),
            ("TIP", self.tip.to_string().into()),
            ("SINCE", self.worker.since.to_string().into()),
            ("TRAILERS", self.worker.trailers.clone().into()),
        ] {
            command.env(format!("{TELLS}{name}"), value);
        }
        let output = command.output().unwrap();
        assert_eq!(output.status.code(), Some(ENDED), "{step:?}: {output:?}");
    }

    fn land(&self) -> Landed {
        self.yard.land(&self.worker, self.commit, self.tip, &files())
    }

    /// Everything is as after a landing that nothing came between.
    fn assert_landed(&self, landed: &Landed, case: &str) {
        let Landed::Landed { commit, left, behind: None } = landed else { panic!("{case}: {landed:?}") };
        assert!(left.is_empty(), "{case}: {left:?}");
        let yard = &self.yard;
        let subjects = yard.subjects();
        let ours = subjects.iter().filter(|subject| *subject == "Work of a lane").count();
        assert_eq!((ours, yard.is_tidy()), (1, true), "{case}: {subjects:?}");
        let names = yard.scratch.git(&["show", "--format=", "--name-only", &commit.to_string()]);
        assert_eq!(names, "a.txt\nnew/one\nnew/two\nprogress.md\nsrc/b.txt\n", "{case}");
        assert_eq!(yard.status(), " M other\nA  staged\n", "{case}");
        assert_eq!(yard.scratch.read("staged"), "staged", "{case}");
    }
}

/// What the process does that is to be cut off.
fn land_what_was_told() -> bool {
    let told = |name: &str| env::var_os(format!("{TELLS}{name}"));
    let Some(top) = told("TOP") else { return false };
    let id = |name: &str| ObjectId::from_hex(told(name).unwrap().to_str().unwrap().as_bytes()).unwrap();
    let FoundRepository::Worktree(main) = Repository::find(&PathBuf::from(top)).unwrap() else { panic!() };
    let home = PathBuf::from(told("HOME").unwrap());
    let lane = Lane::find(&main, &home).unwrap().unwrap();
    let target = Target::of(&main.head().unwrap()).unwrap();
    let trailers = told("TRAILERS").unwrap().into_string().unwrap();
    let worker = Worker { lane, home, since: id("SINCE"), trailers };
    land(&main, &worker.landing(id("COMMIT"), id("TIP"), &target, &files())).unwrap();
    true
}

#[test]
fn a_landing_that_is_cut_off_anywhere_is_finished_by_the_next() {
    if land_what_was_told() {
        return;
    }
    for step in Step::ALL {
        let case = Case::new();
        case.land_until(step);
        let advanced = case.yard.tip() != case.tip;
        let reached = Step::ALL.iter().position(|other| *other == step);
        assert_eq!(
            advanced,
            reached >= Step::ALL.iter().position(|other| *other == Step::Advanced),
            "{step:?}"
        );
        case.assert_landed(&case.land(), &format!("{step:?}"));
        case.assert_landed(&case.land(), &format!("{step:?}, a third time"));
    }
}

#[test]
fn a_landing_that_is_cut_off_again_and_again_is_finished_in_the_end() {
    let case = Case::new();
    for step in Step::ALL {
        case.land_until(step);
    }
    case.assert_landed(&case.land(), "after all of them");
}

#[test]
fn a_person_who_commits_after_the_crash_loses_nothing_and_lands_nothing_twice() {
    for step in
        [Step::Fetched, Step::Committed, Step::Staged, Step::Advanced, Step::OneWritten, Step::Indexed]
    {
        let case = Case::new();
        case.land_until(step);
        // As git tells whoever finds a lock.
        let _ = std::fs::remove_file(case.yard.scratch.path(".git/index.lock"));
        case.yard.scratch.write("by a person", "x");
        case.yard.scratch.git(&["add", "by a person"]);
        case.yard.scratch.git(&["commit", "-q", "-m", "A person's", "--", "by a person"]);
        let landed = match case.land() {
            Landed::Moved { tip } => {
                let outcome = case.worker.lane.merge(case.work, tip).unwrap();
                let MergeResult::Clean { commit, .. } = outcome else { panic!() };
                case.yard.land(&case.worker, commit, tip, &files())
            }
            landed => landed,
        };
        case.assert_landed(&landed, &format!("{step:?}"));
        assert_eq!(case.yard.scratch.git(&["show", "HEAD:a.txt"]), "changed\n", "{step:?}");
        assert_eq!(case.yard.scratch.git(&["show", "HEAD:by a person"]), "x", "{step:?}");
    }
}

#[test]
fn what_a_person_changed_after_the_crash_stays() {
    let case = Case::new();
    case.land_until(Step::Advanced);
    case.yard.scratch.write("a.txt", "a person's\n");
    let Landed::Landed { left, behind: None, .. } = case.land() else { panic!() };
    assert_eq!(left, [b"a.txt".to_vec()]);
    assert_eq!(case.yard.status(), " M a.txt\n M other\nA  staged\n");
    assert_eq!(case.yard.scratch.read("a.txt"), "a person's\n");
}

#[test]
fn a_checkout_that_cannot_follow_yet_is_named() {
    let case = Case::new();
    case.land_until(Step::Advanced);
    std::fs::remove_file(case.yard.scratch.path(".git/index.lock")).unwrap();
    case.yard.scratch.write(".git/index.lock", "a person's");
    let landed = case.land();
    assert!(
        matches!(&landed, Landed::Landed { behind: Some(why), .. } if why.contains("another git is at work")),
        "{landed:?}"
    );
    std::fs::remove_file(case.yard.scratch.path(".git/index.lock")).unwrap();
    case.assert_landed(&case.land(), "after the lock is gone");
}
