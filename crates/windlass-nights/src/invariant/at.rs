//! What is counted of one lane's iteration.

use windlass_core::values::{CheckOutcome, Class, Evidence, Purpose, Suspicion, TaskId};

/// The iteration of a lane that is under way, or its latest one.
#[derive(Clone, Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "independent things that are true or not")]
pub(super) struct At {
    pub open: bool,
    pub progress: bool,
    pub claimed: bool,
    pub newest: Option<Evidence>,
    pub outcomes: Vec<CheckOutcome>,
    pub began: String,
    pub by_file: bool,
    pub no_work: bool,
    /// The newest call went well and did or said something.
    pub worked: bool,
    // Judgements.
    pub judging: bool,
    pub verifying: bool,
    /// What was there when a claim was judged, and what the checks said.
    pub claim: Option<(Option<Evidence>, Vec<CheckOutcome>)>,
    pub assessment: Option<bool>,
    pub reviews: Reviews,
    /// The newest call is a council's.
    pub deciding: bool,
    /// What it left is kept.
    pub kept_decider: bool,
    /// Before the reviewer that is at work was called.
    pub before_review: Option<Box<Reviews>>,
    pub latest: Option<Evidence>,
    /// What was there when the newest commit was made.
    pub committed: Option<Evidence>,
    /// A hook of the run was called, and nobody has looked at what it left.
    pub hooked: bool,
    /// There were files that are in no commit.
    pub beside: bool,
    /// What is verified was to go out before whoever verifies it was called.
    pub claim_shown: bool,
    /// What is verified is in a commit.
    pub claim_committed: bool,
    // Its task.
    pub task: Option<TaskId>,
    /// What was there when that was taken up.
    pub task_began: Option<Evidence>,
    /// Its latest attempt is repeated, and has not begun again yet.
    pub repeats: bool,
    /// The end of its iteration is still to be written down.
    pub closes: bool,
    /// The newest call's class.
    pub class: Option<Class>,
    /// It was to put work together.
    pub merging: bool,
    /// An agent has begun to put this work together, and it was not tried since.
    pub merge_begun: bool,
    /// What it left could not be committed, merged or landed.
    pub stuck: bool,
    /// It was committed as an attempt that failed.
    pub attempted: bool,
    /// What speaks against its checks.
    pub suspicions: Vec<Suspicion>,
    // In a row, since it took up its task.
    pub failures: u32,
    pub idle: u32,
    /// Refused claims, and by which checks.
    pub refused: (u32, Vec<u16>),
}

/// What a reviewer said.
#[derive(Clone, Debug)]
pub(super) enum ReviewAnswer {
    /// Nothing that can be used.
    Unusable,
    /// What must be mended; nothing = the work may stand.
    Mend(Vec<String>),
}

/// What is counted of reviews.
#[expect(clippy::struct_excessive_bools, reason = "independent things that are true or not")]
#[derive(Clone, Debug, Default)]
pub(super) struct Reviews {
    /// The newest call is a reviewer's.
    pub under_way: bool,
    /// What was there when it was called.
    pub began: Option<Evidence>,
    /// What the checks said of what was there when a reviewer was first called: it holds where a later one leaves that again.
    pub judged: Option<(Evidence, Vec<CheckOutcome>)>,
    /// Its answer, until what it left is kept.
    pub answer: Option<ReviewAnswer>,
    /// Files have changed since a reviewer last let the work stand.
    pub lacking: bool,
    /// What the files were before that.
    pub before: Option<String>,
    /// The work of this iteration may stand.
    pub lets_stand: bool,
    /// Somebody was asked in this iteration.
    pub asked: bool,
    /// What was rejected, for what, and how often in a row.
    pub rejected: Option<Evidence>,
    pub found: Vec<String>,
    pub in_a_row: u32,
    /// The newest answer was none that could be used.
    pub unusable: bool,
    /// The newest reviewer was not cut off.
    pub ended: bool,
    /// What the newest call at work left was rejected before, and that was counted.
    pub stood: bool,
}

impl At {
    /// What checks and hooks wrote is nothing to commit.
    pub fn disown(&mut self, evidence: &Evidence) {
        let (Some(before), Some(committed)) = (&self.latest, &mut self.committed) else { return };
        if before.tree == committed.tree {
            *committed = Evidence { head: committed.head.clone(), ..evidence.clone() };
        }
    }

    /// A call is made for this.
    pub fn reserved_for(&mut self, purpose: Purpose) {
        self.judging = purpose.judges();
        (self.deciding, self.kept_decider) = (purpose == Purpose::Council, false);
        self.merging = purpose.keeps_claim();
        // What is decided changes nothing about the work.
        self.stuck &= self.deciding;
        self.repeats = false;
    }

    /// Another task begins with nothing held against it.
    pub fn forget_rows(&mut self) {
        (self.failures, self.idle, self.refused) = (0, 0, (0, Vec::new()));
    }

    /// What was said of earlier work is over: what comes now is looked over for itself.
    pub fn forget_reviews(&mut self) {
        let reviews = &mut self.reviews;
        (reviews.lacking, reviews.before) = (false, None);
        (reviews.rejected, reviews.in_a_row) = (None, 0);
        reviews.found.clear();
    }
}
