use super::{Yard, conflicts};
use crate::lane::{Parked, park};

fn parked(branch: &str) -> Parked {
    Parked { branch: Some(branch.to_owned()), merging: None }
}

// Seed defect D3, later worktree.ts, parked work: branches with unmerged work were deleted by force.
#[test]
fn a_lanes_work_becomes_a_branch_and_none_is_replaced() {
    let yard = Yard::new();
    let worker = yard.open(1);
    worker.write("a.txt", "changed\n");
    let work = yard.commit(&worker);
    let park = |work| park(&yard.main(), &worker.lane, work, "r-1", "TASK-7 of: mine").unwrap();
    for _ in 0..2 {
        assert_eq!(park(Some(work)), parked("windlass/r-1/TASK-7-of-mine"));
    }
    assert_eq!(yard.scratch.git(&["rev-parse", "windlass/r-1/TASK-7-of-mine"]).trim(), work.to_string());
    let worker = yard.open(1);
    worker.write("a.txt", "changed otherwise\n");
    worker.write("new", "not committed\n");
    assert_eq!(park(None), parked("windlass/r-1/TASK-7-of-mine-2"));
    assert_eq!(yard.scratch.git(&["show", "windlass/r-1/TASK-7-of-mine-2:new"]), "not committed\n");
    assert_eq!(yard.status(), "");
    yard.open(1);
    assert_eq!(park(None), Parked::default(), "nothing is not a branch");
}

#[test]
fn work_in_the_middle_of_a_merge_is_kept_beside_the_work_itself() {
    let yard = Yard::new();
    let (one, other) = (yard.open(1), yard.open(2));
    one.write("a.txt", "by one\n");
    other.write("a.txt", "by the other\n");
    yard.deliver(&one);
    let work = yard.commit(&other);
    conflicts(other.lane.merge(work, yard.tip()).unwrap());
    other.write("half", "resolved");
    let parked = park(&yard.main(), &other.lane, Some(work), "r-1", "TASK-1").unwrap();
    let expected = Parked {
        branch: Some("windlass/r-1/TASK-1".to_owned()),
        merging: Some("windlass/r-1/TASK-1-merging".to_owned()),
    };
    assert_eq!(parked, expected);
    assert_eq!(yard.scratch.git(&["show", "windlass/r-1/TASK-1:a.txt"]), "by the other\n");
    assert_eq!(yard.scratch.git(&["show", "windlass/r-1/TASK-1-merging:half"]), "resolved");
    let parent = yard.scratch.git(&["rev-parse", "windlass/r-1/TASK-1-merging~1"]);
    assert_eq!(parent.trim(), yard.tip().to_string());
}

#[test]
fn a_branch_in_the_way_and_an_unknown_person_do_not_keep_work_from_being_kept() {
    let yard = Yard::new();
    let worker = yard.open(1);
    worker.write("a.txt", "changed\n");
    yard.scratch.git(&["branch", "windlass"]);
    for setting in ["user.name", "user.email"] {
        yard.scratch.git(&["config", "--unset", setting]);
    }
    yard.scratch.git(&["config", "user.useConfigOnly", "true"]);
    let lane = crate::lane::Lane::find(&yard.main(), &worker.home).unwrap().unwrap();
    assert_eq!(park(&yard.main(), &lane, None, "r-1", "1").unwrap(), parked("windlass-r-1-1"));
    assert_eq!(yard.scratch.git(&["show", "windlass-r-1-1:a.txt"]), "changed\n");
}
