//! What agents leave in the git directories of lanes.

use super::*;
use crate::git::ObjectId;
use crate::lane::Lane;

struct InLane {
    scratch: Scratch,
    lane: Lane,
}

impl InLane {
    fn new() -> InLane {
        let scratch = Scratch::committed();
        let found = scratch.found();
        let commit = scratch.git(&["rev-parse", "HEAD"]);
        let commit = ObjectId::from_hex(commit.trim().as_bytes()).unwrap();
        let lane = Lane::open(&found, &scratch.state.join("lane"), commit).unwrap();
        InLane { scratch, lane }
    }

    fn git(&self, arguments: &[&str]) -> String {
        self.scratch.git_in(self.lane.top(), arguments)
    }

    fn commit(&self, message: &str) -> String {
        self.git(&["commit", "-q", "--allow-empty", "-m", message]);
        self.git(&["rev-parse", "HEAD"])
    }

    fn keep(&self) -> PutAway {
        keep_put_away(&self.scratch.found(), &self.lane, ("r-test", "lane-1")).unwrap()
    }
}

#[test]
fn what_an_agent_commits_beside_its_work_is_kept() {
    let lane = InLane::new();
    lane.git(&["checkout", "-q", "-b", "side"]);
    let side = lane.commit("on a branch of its own");
    lane.git(&["checkout", "-q", "--detach", "HEAD~1"]);
    let tagged = lane.commit("tagged");
    lane.git(&["tag", "v1"]);
    lane.git(&["checkout", "-q", "--detach", "HEAD~1"]);
    lane.commit("the work");
    lane.git(&["branch", "work"]);
    lane.commit("more work");
    let PutAway { said, unkept } = lane.keep();
    assert_eq!((said.len(), unkept), (2, None), "{said:?}");
    assert_eq!(lane.scratch.git(&["rev-parse", "windlass/r-test/lane-1-heads-side"]), side, "{said:?}");
    assert_eq!(lane.scratch.git(&["rev-parse", "windlass/r-test/lane-1-tags-v1"]), tagged);
    assert_eq!(lane.keep().said, said);
}

#[test]
fn the_work_of_a_lane_is_nothing_beside_it() {
    let lane = InLane::new();
    lane.git(&["checkout", "-q", "-b", "feature"]);
    lane.commit("the work");
    lane.git(&["branch", "same"]);
    assert!(!has_put_away(&lane.lane));
    let main = lane.scratch.found();
    let calls = crate::git::call::calls_made();
    assert_eq!(keep_put_away(&main, &lane.lane, ("r-test", "lane-1")).unwrap(), PutAway::default());
    assert_eq!(crate::git::call::calls_made(), calls, "no git is asked");
}

#[test]
fn a_lanes_git_directory_that_is_broken_is_put_aside() {
    for spoil in ["echo garbage > packed-refs; rm HEAD", "rm HEAD", "rm HEAD; mkfifo HEAD", "rm config"] {
        let lane = InLane::new();
        lane.scratch.write("x", "x");
        fs::write(lane.lane.top().join("a.txt"), "away\n").unwrap();
        lane.git(&["stash", "-q"]);
        let run =
            Command::new("sh").argument("-c").argument(spoil).directory(lane.lane.top().join(".git")).run();
        assert!(run.unwrap().succeeded(), "{spoil}");
        if spoil == "rm config" {
            lane.lane.mend().unwrap();
        } else {
            let PutAway { unkept, .. } = lane.keep();
            assert!(unkept.unwrap().starts_with("it is broken: HEAD: "), "{spoil}");
        }
        let kept = lane.lane.broken_ones();
        assert_eq!(kept.len(), 1, "{spoil}");
        assert!(kept[0].join("refs/stash").holds_file(), "{spoil}");
        lane.lane.mend().unwrap();
        assert_eq!(lane.git(&["status", "--porcelain"]), "", "{spoil}");
    }
}

#[test]
fn a_list_of_names_that_is_no_list_hides_nothing() {
    let lane = InLane::new();
    fs::write(lane.lane.top().join("a.txt"), "away\n").unwrap();
    lane.git(&["stash", "-q"]);
    fs::write(lane.lane.top().join(".git/packed-refs"), "garbage\n").unwrap();
    assert_eq!(lane.keep().said.len(), 1);
}
