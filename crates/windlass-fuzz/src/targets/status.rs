//! A workspace's status file and its list of boxes.

use windlass_core::values::{JobStatus, StatusSource};
use windlass_jobs::doc::status::{StatusFile, payload, standing};

pub(crate) fn run(data: &[u8]) {
    let file = || Some(StatusFile { bytes: data, mark: "m" });
    let status = standing(file(), file());
    assert_eq!(status, standing(file(), None), "the boxes count although there is a status file");
    check(&status, StatusSource::StatusFile);
    assert!(!status.complete || says_complete(data), "complete, and nothing says so");
    let said = payload(data);
    assert_eq!(payload(&said), said, "what says something says it again");
    let boxes = standing(None, file());
    check(&boxes, StatusSource::TodoFile);
    let is_done = boxes.items.is_some_and(|items| items.done == items.total && items.total > 0);
    assert!(
        !boxes.complete || (is_done && boxes.problem.is_none()),
        "complete, and something is left: {boxes:?}"
    );
}

/// The documented bounds; every text is one line.
fn check(standing: &JobStatus, source: StatusSource) {
    assert_eq!(standing.source, source);
    assert!(standing.summary.chars().count() <= 200 && standing.phase.chars().count() <= 80);
    assert!(standing.blockers.len() <= 5 && standing.blockers.iter().all(|line| line.chars().count() <= 200));
    let texts =
        [&standing.summary, &standing.phase].into_iter().chain(&standing.blockers).chain(&standing.problem);
    for text in texts {
        assert!(!text.contains(char::is_control), "{text:?}");
    }
    let json = serde_json::to_vec(standing).map(|json| serde_json::from_slice::<JobStatus>(&json).ok());
    assert_eq!(json.ok().flatten().as_ref(), Some(standing), "written and read");
}

fn says_complete(data: &[u8]) -> bool {
    data.windows(4).any(|word| word == b"true")
}
