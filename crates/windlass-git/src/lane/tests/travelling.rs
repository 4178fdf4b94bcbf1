//! Lanes on other machines: made from packs there, and landed here from packs.

use std::fs;
use std::path::PathBuf;

use super::{Worker, Yard};
use crate::git::{ObjectFormat, ObjectId};
use crate::lane::{
    Landed, Lane, Leftover, MergeResult, MirrorError, Replica, park_leftover, travelling_settings,
};
use crate::parcel::{Limits, ParcelError, pack, unpack};
use crate::testing::Scratch;

const LIMITS: Limits = Limits { bytes: 100 << 20, objects: 100_000 };

#[test]
fn commands_and_files_of_this_machine_do_not_travel() {
    let yard = Yard::new();
    let set = |name: &str, value: &str| yard.scratch.git(&["config", name, value]);
    set("filter.a.clean", "clean-up");
    set("merge.ours.driver", "true");
    set("core.attributesFile", "/etc/attributes");
    set("core.autocrlf", "input");
    let settings = travelling_settings(&yard.main()).unwrap();
    let names: Vec<&str> = settings.iter().map(|(name, _)| name.as_str()).collect();
    assert!(names.contains(&"core.autocrlf"), "{names:?}");
    for stays in ["filter.a.clean", "merge.ours.driver", "core.attributesfile"] {
        assert!(!names.contains(&stays), "{names:?}");
    }
}

/// Another machine: it knows of the main repository what packs brought.
struct Machine {
    replica: Replica,
    folder: PathBuf,
}

impl Machine {
    fn of(yard: &Yard) -> Machine {
        let main = yard.main();
        let folder = yard.scratch.state.join("elsewhere");
        let settings = travelling_settings(&main).unwrap();
        let replica =
            Replica::begin(&folder.join("code"), main.object_format, Some("refs/heads/main"), &settings)
                .unwrap();
        Machine { replica, folder }
    }

    /// Brings the branch's tip, to one that has those before.
    fn bring(&self, yard: &Yard, has: &[ObjectId]) -> ObjectId {
        let (tip, file) = (yard.tip(), self.file("branch.pack"));
        pack(&yard.main(), &[tip], has, &file).unwrap();
        unpack(self.replica.repository(), &file, &[tip], &LIMITS).unwrap();
        self.replica.advance(tip).unwrap();
        tip
    }

    fn file(&self, name: &str) -> PathBuf {
        let file = self.folder.join(name);
        let _ = fs::remove_file(&file);
        file
    }

    fn open(&self, number: u32, since: ObjectId) -> Worker {
        let home = self.folder.join(format!("lanes/{number}"));
        let lane = Lane::open(self.replica.repository(), &home, since).unwrap();
        let trailers = format!("Windlass-Run: r-test\nWindlass-Iteration: {number}");
        Worker { lane, home, since, trailers }
    }

    /// What a lane has made, on its way; `has` is known on both sides.
    fn made(&self, worker: &Worker, commits: &[ObjectId], has: &[ObjectId]) -> PathBuf {
        let file = self.file("made.pack");
        pack(worker.lane.repository(), commits, has, &file).unwrap();
        file
    }
}

fn mirrored(yard: &Yard, number: u32, commit: ObjectId, file: &std::path::Path) -> Worker {
    let lane = Lane::mirror(&yard.main(), &yard.home(number), commit, Some((file, &[commit], &LIMITS)));
    let trailers = format!("Windlass-Run: r-test\nWindlass-Iteration: {number}");
    let lane = lane.unwrap();
    let since = lane.since(Some(commit)).unwrap();
    Worker { lane, home: yard.home(number), since, trailers }
}

fn lands_what_was_made_elsewhere(format: ObjectFormat) {
    let scratch = Scratch::with_format(format);
    scratch.write("a.txt", "one\n");
    scratch.commit_all("first");
    let yard = Yard::of(scratch);
    let machine = Machine::of(&yard);
    let first = machine.bring(&yard, &[]);
    let worker = machine.open(1, first);
    worker.write("new/c.txt", "three\n");
    let work = yard.commit(&worker);
    // Meanwhile somebody else landed.
    yard.person("b.txt", "a person's\n");
    let tip = machine.bring(&yard, &[first]);
    let MergeResult::Clean { commit, .. } = worker.lane.merge(work, tip).unwrap() else {
        panic!("a conflict")
    };

    let file = machine.made(&worker, &[commit], &[tip]);
    let here = mirrored(&yard, 1, commit, &file);
    assert!(Lane::is_whole(&yard.main(), &here.home).unwrap());
    assert!(Lane::find(&yard.main(), &here.home).unwrap().is_some());
    let landed = yard.land(&here, commit, tip, &[]);
    assert!(matches!(landed, Landed::Landed { behind: None, .. }), "{landed:?}");
    assert_eq!(yard.scratch.read("new/c.txt"), "three\n");
    assert_eq!(yard.scratch.read("b.txt"), "a person's\n");
    assert_eq!(yard.status(), "");
    assert_eq!(
        yard.scratch.git(&["log", "-1", "--format=%an <%ae>"]).trim(),
        "Someone <someone@example.com>"
    );
}

#[test]
fn what_was_made_on_another_machine_lands() {
    lands_what_was_made_elsewhere(ObjectFormat::Sha1);
}

#[test]
fn the_same_with_long_names_of_objects() {
    lands_what_was_made_elsewhere(ObjectFormat::Sha256);
}

#[test]
fn a_mirror_follows_its_lane_and_stays_the_same_folder() {
    use std::os::unix::fs::MetadataExt;
    let yard = Yard::new();
    let machine = Machine::of(&yard);
    let first = machine.bring(&yard, &[]);
    let before = Lane::mirror(&yard.main(), &yard.home(1), first, None).unwrap();
    let folder = before.top().metadata().unwrap().ino();
    let worker = machine.open(1, first);
    worker.write("c.txt", "three\n");
    let work = yard.commit(&worker);
    let here = mirrored(&yard, 1, work, &machine.made(&worker, &[work], &[first]));
    assert_eq!(here.lane.top().metadata().unwrap().ino(), folder);
    assert_eq!(here.lane.stands_at(), Some(work));
    let unknown = ObjectId::from_hex(&[b'a'; 40]).unwrap();
    let error = Lane::mirror(&yard.main(), &yard.home(1), unknown, None).unwrap_err();
    assert!(matches!(error, MirrorError::Parcel(ParcelError::Lacks(commit)) if commit == unknown), "{error}");
    assert_eq!(Lane::expected_at(&yard.main(), &yard.home(1)).stands_at(), Some(work));
}

#[test]
fn what_is_left_of_a_task_elsewhere_is_parked_here() {
    let yard = Yard::new();
    let machine = Machine::of(&yard);
    let first = machine.bring(&yard, &[]);
    let worker = machine.open(1, first);
    worker.write("a.txt", "half of it\n");
    let left = worker.lane.leftover(None, "T1").unwrap();
    let Leftover { work: Some(work), merging: None } = left else { panic!("{left:?}") };
    let file = machine.made(&worker, &[work], &[first]);
    let lane = Lane::mirror(&yard.main(), &yard.home(1), first, Some((&file, &[work], &LIMITS))).unwrap();
    let parked = park_leftover(&yard.main(), &lane, &left, "r-test", "T1").unwrap();
    assert_eq!(parked.branch.as_deref(), Some("windlass/r-test/T1"));
    assert_eq!(yard.scratch.git(&["show", "windlass/r-test/T1:a.txt"]), "half of it\n");
    assert_eq!(yard.tip(), first);

    // In the middle of a merge there are two: the work, and both sides in one.
    let worker = machine.open(2, first);
    worker.write("a.txt", "the lane's\n");
    let work = yard.commit(&worker);
    yard.person("a.txt", "a person's\n");
    let tip = machine.bring(&yard, &[first]);
    assert!(matches!(worker.lane.merge(work, tip).unwrap(), MergeResult::Conflict(_)));
    let left = worker.lane.leftover(Some(work), "T2").unwrap();
    let Leftover { work: Some(_), merging: Some(merging) } = left else { panic!("{left:?}") };
    let file = machine.made(&worker, &[work, merging], &[tip]);
    let lane =
        Lane::mirror(&yard.main(), &yard.home(2), tip, Some((&file, &[work, merging], &LIMITS))).unwrap();
    let parked = park_leftover(&yard.main(), &lane, &left, "r-test", "T2").unwrap();
    assert_eq!(parked.merging.as_deref(), Some("windlass/r-test/T2-merging"));
    assert!(yard.scratch.git(&["show", "windlass/r-test/T2-merging:a.txt"]).contains("<<<<<<<"));
}

#[test]
fn a_shallow_clone_is_refused_by_name() {
    let yard = Yard::new();
    yard.person("b.txt", "more\n");
    let shallow = yard.scratch.state.join("shallow");
    let from = format!("file://{}", yard.scratch.top.display());
    let (worked, _) = yard
        .scratch
        .try_git(&yard.scratch.state, &["clone", "-q", "--depth=1", &from, &shallow.to_string_lossy()]);
    if !worked {
        // The folder's name has a line's end in it, which addresses cannot have: a link stands for it.
        std::os::unix::fs::symlink(&yard.scratch.top, yard.scratch.state.join("link")).unwrap();
        let from = format!("file://{}", yard.scratch.state.join("link").display());
        let arguments = ["clone", "-q", "--depth=1", &from, &shallow.to_string_lossy()];
        yard.scratch.git_in(&yard.scratch.state, &arguments);
    }
    let crate::git::FoundRepository::Worktree(found) = crate::git::Repository::find(&shallow).unwrap() else {
        panic!("no clone")
    };
    let error = pack(&found, &[yard.tip()], &[], &yard.scratch.state.join("pack")).unwrap_err();
    assert!(error.to_string().contains("git fetch --unshallow"), "{error}");
}
