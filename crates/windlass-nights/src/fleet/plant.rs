//! Faults that are planted in a fleet to see whether the invariants see them. None of them exists outside this crate.

/// A fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum FleetPlant {
    /// What a worker reports counts although it has lost the lane.
    OldEpochsCount,
    /// A lease is taken over after a quarter of the silence.
    ImpatientWatch,
    /// An outcome that comes twice counts twice.
    UnnumberedOutcomes,
    /// Effects begin before the fleet has their facts.
    AheadOfTheJournal,
    /// The journal is appended to wherever it ends.
    UnexpectedEnd,
    /// A runner that stood still goes on as if nothing had happened.
    StoodStill,
    /// A lane that is lost is not answered.
    UnsaidLoss,
    /// A worker takes a lane that another one has.
    TakenUnfree,
    /// A worker forgets how its last call ended.
    ForgottenEnd,
    /// A worker sends each outcome once.
    SentOnce,
    /// A worker carries an order out as often as it comes.
    RepeatedOrder,
    /// A worker keeps its lane when its task is done.
    KeptLane,
    /// A worker goes on when the run has ended.
    DeafToTheEnd,
    /// A lane that was taken over and not made free stays so.
    UnfreedLane,
    /// What a worker reports is refused where the servers do not say who has the lane.
    RefusedUnseen,
    /// A renewal that follows one of unknown fate writes the same once more, and so nothing.
    SameBeat,
    /// A runner answers what is reported to whoever has the run after it.
    AnsweredByTheOld,
    /// What has landed is not kept by the fleet.
    UnkeptLanding,
    /// What a machine has of the journal is kept although the run went on elsewhere.
    KeptTail,
    /// A commit that nobody had heard of stays on the branch.
    UncountedLanding,
}

impl FleetPlant {
    /// All of them, with a name and a sentence each.
    pub const ALL: &[(FleetPlant, &'static str, &'static str)] = &[
        (
            FleetPlant::OldEpochsCount,
            "old-epochs-count",
            "what a worker reports counts although it has lost the lane",
        ),
        (
            FleetPlant::ImpatientWatch,
            "impatient-watch",
            "a lease is taken over after a quarter of the silence",
        ),
        (FleetPlant::UnnumberedOutcomes, "unnumbered-outcomes", "an outcome that comes twice counts twice"),
        (
            FleetPlant::AheadOfTheJournal,
            "ahead-of-the-journal",
            "effects begin before the fleet has their facts",
        ),
        (FleetPlant::UnexpectedEnd, "unexpected-end", "the journal is appended to wherever it ends"),
        (
            FleetPlant::StoodStill,
            "stood-still",
            "a runner that stood still goes on as if nothing had happened",
        ),
        (FleetPlant::UnsaidLoss, "unsaid-loss", "a lane that is lost is not answered"),
        (FleetPlant::TakenUnfree, "taken-unfree", "a worker takes a lane that another one has"),
        (FleetPlant::ForgottenEnd, "forgotten-end", "a worker forgets how its last call ended"),
        (FleetPlant::SentOnce, "sent-once", "a worker sends each outcome once"),
        (FleetPlant::RepeatedOrder, "repeated-order", "a worker carries an order out as often as it comes"),
        (FleetPlant::KeptLane, "kept-lane", "a worker keeps its lane when its task is done"),
        (FleetPlant::DeafToTheEnd, "deaf-to-the-end", "a worker goes on when the run has ended"),
        (FleetPlant::UnfreedLane, "unfreed-lane", "a lane that was taken over and not made free stays so"),
        (
            FleetPlant::RefusedUnseen,
            "refused-unseen",
            "what a worker reports is refused where the servers do not say who has the lane",
        ),
        (
            FleetPlant::SameBeat,
            "same-beat",
            "a renewal after one that was not answered writes the same, and so nothing",
        ),
        (
            FleetPlant::AnsweredByTheOld,
            "answered-by-the-old",
            "a runner answers what is reported to whoever has the run after it",
        ),
        (FleetPlant::UnkeptLanding, "unkept-landing", "what has landed is not kept by the fleet"),
        (
            FleetPlant::KeptTail,
            "kept-tail",
            "what a machine has of the journal is kept although the run went on elsewhere",
        ),
        (
            FleetPlant::UncountedLanding,
            "uncounted-landing",
            "what a runner landed that was cut off in that moment stays on the branch",
        ),
    ];

    /// By its name.
    pub fn named(name: &str) -> Option<FleetPlant> {
        FleetPlant::ALL.iter().find(|(_, known, _)| *known == name).map(|(plant, ..)| *plant)
    }
}
