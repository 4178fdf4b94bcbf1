//! Lines about how a run's work leaves this machine, and about the issues that it works off.

use strum::VariantNames as _;
use windlass_core::fact::Fact;
use windlass_core::forge::{CheckTally, MergeBlock, Mergeability, PullRequestState, Review};
use windlass_core::report::{
    DeliveryBasis, DeliveryMove, DeliveryOutcome, DeliveryStep, DeliveryTask, ForgeFinding, IssueMove,
    IssueStep, IssueTask, PullRequestSeen, Returned, WaitsFor,
};
use windlass_core::values::{Evidence, SnapshotId};

use super::Presence::{Always, Sometimes};
use super::Shape::{self, Either, Flag, Integer, List, Object, OneOf, Text, Time};
use super::{EVIDENCE, Field};

/// Made from facts: each type, and what it has beyond the head.
pub(in crate::view) const DELIVERY_FACTS: &[(&str, &[Field])] = &[("delivery", DELIVERY), ("issue", ISSUE)];

/// A step on the way to a merged pull request; what else there is depends on the step.
const DELIVERY: &[Field] = &[
    ("step", OneOf(DeliveryStep::VARIANTS), Always),
    ("part", Integer, Sometimes),
    ("branch", Text, Sometimes),
    // Of a part: the task's id. Of what is ordered or stalled: what is asked of the forge.
    ("task", Text, Sometimes),
    ("base", Text, Sometimes),
    ("evidence", EVIDENCE, Sometimes),
    ("snapshot", Text, Sometimes),
    ("standing", OneOf(DeliveryBasis::VARIANTS), Sometimes),
    ("number", Integer, Sometimes),
    ("url", Text, Sometimes),
    ("found", Flag, Sometimes),
    ("state", OneOf(PullRequestState::VARIANTS), Sometimes),
    ("draft", Flag, Sometimes),
    ("head", Text, Sometimes),
    ("head_parents", List(&Text), Sometimes),
    ("mergeability", OneOf(Mergeability::VARIANTS), Sometimes),
    ("block", OneOf(MergeBlock::VARIANTS), Sometimes),
    ("review", OneOf(Review::VARIANTS), Sometimes),
    ("requested_reviewers", Integer, Sometimes),
    (
        "checks",
        Object(&[
            ("pending", Integer, Always),
            ("passed", Integer, Always),
            ("failed", Integer, Always),
            ("unknown", Integer, Always),
        ]),
        Sometimes,
    ),
    ("failed", List(&Text), Sometimes),
    ("threads", List(&Text), Sometimes),
    ("merge_commit", Text, Sometimes),
    ("next", MOVE, Sometimes),
    ("why", Text, Sometimes),
    ("because", OneOf(Returned::VARIANTS), Sometimes),
    ("findings", List(&Object(&[("title", Text, Always), ("text", Text, Always)])), Sometimes),
    ("commit", Text, Sometimes),
];

/// What follows: one of the three.
const MOVE: Shape = Object(&[
    ("do", OneOf(DeliveryTask::VARIANTS), Sometimes),
    (
        "wait",
        Object(&[
            ("waits_for", OneOf(WaitsFor::VARIANTS), Always),
            ("again", Time, Always),
            ("until", Time, Always),
            ("then", OneOf(DeliveryTask::VARIANTS), Always),
        ]),
        Sometimes,
    ),
    (
        "end",
        Object(&[("outcome", OneOf(DeliveryOutcome::VARIANTS), Always), ("detail", Text, Sometimes)]),
        Sometimes,
    ),
]);

/// A step about an issue; of the end there is no task.
const ISSUE: &[Field] = &[
    ("step", OneOf(IssueStep::VARIANTS), Always),
    ("task", Text, Sometimes),
    ("until", Time, Sometimes),
    ("renew", Time, Sometimes),
    ("by", Text, Sometimes),
    ("what", OneOf(IssueTask::VARIANTS), Sometimes),
    ("why", Text, Sometimes),
    ("next", Either(&[OneOf(&["left_out", "given_up"]), Object(&[("again", Time, Always)])]), Sometimes),
];

/// Every step, with every optional field in use.
pub(super) fn steps() -> Vec<Fact> {
    let delivery = delivery_steps().into_iter().map(Fact::Delivery);
    delivery.chain(issue_steps().into_iter().map(Fact::Issue)).collect()
}

fn delivery_steps() -> Vec<DeliveryStep> {
    let (head, time) = (|| "c0ffee".to_owned(), jiff::Timestamp::UNIX_EPOCH);
    let seen = PullRequestSeen {
        draft: true,
        head: head(),
        head_parents: vec![head()],
        requested_reviewers: 1,
        checks: CheckTally { failed: 1, ..CheckTally::default() },
        failed: vec!["build".to_owned()],
        threads: vec!["T1".to_owned()],
        merge_commit: Some(head()),
        ..PullRequestSeen::default()
    };
    let wait = DeliveryMove::Wait {
        waits_for: WaitsFor::ChecksToEnd,
        again: time,
        until: time,
        then: DeliveryTask::View,
    };
    let end =
        DeliveryMove::End { outcome: DeliveryOutcome::CiFailed, detail: "checks fail: build".to_owned() };
    vec![
        DeliveryStep::PartBegun { part: 1, branch: "windlass/1".to_owned(), task: Some("T1".into()) },
        DeliveryStep::Branched {
            base: "main".to_owned(),
            evidence: Evidence::default(),
            snapshot: Some(SnapshotId("5eed".to_owned())),
        },
        DeliveryStep::PartSeen { part: 1, state: PullRequestState::Open },
        DeliveryStep::Begun { head: head(), basis: DeliveryBasis::AsItStands },
        DeliveryStep::Pushed { head: head() },
        DeliveryStep::Opened { number: 1, url: "https://example.com/1".to_owned(), found: true },
        DeliveryStep::Viewed { seen, next: wait },
        DeliveryStep::Viewed {
            seen: PullRequestSeen::default(),
            next: DeliveryMove::Do(DeliveryTask::Merge),
        },
        DeliveryStep::Stalled { task: DeliveryTask::Open, why: "no network".to_owned(), next: end },
        DeliveryStep::Due,
        DeliveryStep::Ordered { task: DeliveryTask::Push },
        DeliveryStep::Returned {
            because: Returned::Checks,
            findings: vec![ForgeFinding { title: "build".to_owned(), text: "no anvil".to_owned() }],
        },
        DeliveryStep::Merged { commit: head() },
    ]
}

fn issue_steps() -> Vec<IssueStep> {
    let time = jiff::Timestamp::UNIX_EPOCH;
    let stalled = |next| IssueStep::Stalled {
        task: "#1".into(),
        what: IssueTask::Lease,
        why: "no network".to_owned(),
        next,
    };
    vec![
        IssueStep::Wanted { task: "#1".into() },
        IssueStep::Leased { task: "#1".into(), until: time, renew: time },
        IssueStep::Taken { task: "#1".into(), by: "r-1".to_owned(), until: time },
        IssueStep::Closed { task: "#1".into() },
        IssueStep::Ending,
        IssueStep::Told { task: "#1".into(), what: IssueTask::TellDone },
        stalled(IssueMove::Again(time)),
        stalled(IssueMove::LeftOut),
        stalled(IssueMove::GivenUp),
        IssueStep::Due,
    ]
}
