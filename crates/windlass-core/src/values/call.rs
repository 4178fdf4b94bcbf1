//! Calls: one agent process with a purpose.

use std::time::Duration;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use strum::{IntoStaticStr, VariantNames};

use super::{Assessment, Class, Conflict, Cost, Decision, Review, Tokens, time::millis};

/// Why an agent is called. Every call is charged, whatever its purpose.
#[derive(
    Clone,
    Copy,
    Debug,
    Default,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    Deserialize,
    IntoStaticStr,
    VariantNames,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum Purpose {
    /// To work on the job.
    #[default]
    Work,
    /// To look over an iteration's work.
    Review,
    /// To settle a conflict of principles.
    Council,
    /// To judge finished work with fresh eyes.
    Verify,
    /// To plan.
    Plan,
    /// To resolve a conflicting merge.
    Merge,
}

/// What a call's answer is, and what follows from that.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AnswerForm {
    /// Whatever it says: it works.
    Free,
    /// A judgement of finished work.
    Assessment,
    /// A verdict on the work of an iteration.
    Review,
    /// A decision about work to come.
    Decision,
}

/// What a run has to know of a purpose.
struct PurposeRules {
    answer: AnswerForm,
    edits: bool,
    keeps_claim: bool,
}

/// What all that work have in common.
const WORKING: PurposeRules = PurposeRules { answer: AnswerForm::Free, edits: true, keeps_claim: false };

impl Purpose {
    const fn rules(self) -> PurposeRules {
        match self {
            Purpose::Work | Purpose::Plan => WORKING,
            Purpose::Merge => PurposeRules { keeps_claim: true, ..WORKING },
            Purpose::Review => PurposeRules { answer: AnswerForm::Review, ..WORKING },
            Purpose::Verify => PurposeRules { answer: AnswerForm::Assessment, edits: false, ..WORKING },
            Purpose::Council => PurposeRules { answer: AnswerForm::Decision, edits: false, ..WORKING },
        }
    }

    /// What its answer is.
    pub const fn answer(self) -> AnswerForm {
        self.rules().answer
    }

    /// Is the answer a judgement of work that is there, or a decision about work to come? What such an agent writes is nobody's progress, and it is told nothing
    /// of how the work was to be done.
    pub const fn judges(self) -> bool {
        !matches!(self.answer(), AnswerForm::Free)
    }

    /// What a journal means that does not name a follow-up call's purpose.
    pub(crate) const fn verify() -> Purpose {
        Purpose::Verify
    }

    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
    pub(crate) const fn is_verify(&self) -> bool {
        matches!(self, Purpose::Verify)
    }

    /// May it change the project's files? A reviewer mends what it can; whoever verifies or decides does not.
    pub const fn edits(self) -> bool {
        self.rules().edits
    }

    /// Does it go on with work that was claimed already, so that the claim need not be made again?
    pub const fn keeps_claim(self) -> bool {
        self.rules().keeps_claim
    }
}

/// How an agent's process ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Ended {
    /// It exited with this code.
    Exited(i32),
    /// A signal ended it.
    Signalled(i32),
    /// Nobody saw its end: the runner or the keeper died first.
    #[default]
    Lost,
}

impl Ended {
    /// By what the system says of a process that has ended: its exit code, or the signal.
    pub const fn of(code: Option<i32>, signal: Option<i32>) -> Ended {
        match (code, signal) {
            (Some(code), _) => Ended::Exited(code),
            (None, Some(signal)) => Ended::Signalled(signal),
            (None, None) => Ended::Lost,
        }
    }

    /// As the end of a sentence.
    pub fn in_words(self) -> String {
        match self {
            Ended::Exited(code) => format!("it ended with {code}"),
            Ended::Signalled(signal) => format!("signal {signal} ended it"),
            Ended::Lost => "nobody knows how it ended".to_owned(),
        }
    }
}

impl Cut {
    /// Was a limit of the run's reached in the middle of the call, so that it is for a person to let it go on?
    pub const fn is_of_run(self) -> bool {
        matches!(self, Cut::Duration | Cut::Tokens)
    }
}

/// Why the runner ended a call that would have gone on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, VariantNames)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum Cut {
    /// It printed nothing for too long.
    Silence,
    /// It ran longer than a call may.
    WallClock,
    /// The run's duration is used up.
    Duration,
    /// The tokens of the run are used up.
    Tokens,
    /// Its result was there, but the process did not end.
    Lingering,
    /// It kept retrying something that cannot heal (two `authentication_failed`).
    HopelessRetries,
    /// Somebody asked the run to stop.
    Stop,
}

/// The bounds of one call.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CallClocks {
    /// Without a byte from the agent.
    pub silence: Duration,
    /// The whole call.
    pub wall: Duration,
    /// Why the call is cut when `wall` runs out: [`Cut::WallClock`], or [`Cut::Duration`] where the run ends first.
    pub wall_means: Cut,
    /// After the last result, until the process must have ended.
    pub linger: Duration,
    /// The same while background tasks run.
    pub linger_background: Duration,
    /// So many tokens may it use while it works; as many as it likes where nobody says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tokens: Option<u64>,
}

impl CallClocks {
    /// None of them ever runs out.
    pub const ENDLESS: CallClocks = CallClocks {
        silence: Duration::MAX,
        wall: Duration::MAX,
        wall_means: Cut::WallClock,
        linger: Duration::MAX,
        linger_background: Duration::MAX,
        tokens: None,
    };
}

/// A usage limit, as the agent reported it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct UsageLimit {
    /// When it resets, where that is known.
    #[serde(default, with = "crate::values::some_wall_time")]
    pub resets_at: Option<Timestamp>,
    /// Which window: `five_hour`, `seven_day`, …; empty where unknown.
    pub window: String,
}

/// How much of a window of usage is used, as the agent said last.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WindowShare {
    /// Which window: `five_hour`, `seven_day`, …
    pub window: String,
    /// Percent of it, more than 100 where more is used.
    pub used_percent: u16,
    /// When it resets, where that is known.
    #[serde(default, with = "crate::values::some_wall_time", skip_serializing_if = "Option::is_none")]
    pub resets_at: Option<Timestamp>,
}

/// A tool call that the agent's permissions refused.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Denial {
    /// The tool: `Bash`, `Write`, …
    pub tool: String,
    /// What it was to do: the command, the path; cut to 200 characters.
    pub input: String,
    /// The permission rule that would allow exactly this, as `permissions.allow` takes it: `Bash(touch x)`. Empty where
    /// no rule does: Windlass's own files stay closed, and so does what something refuses that is stronger than a permission.
    pub rule: String,
    /// What that is, as the end of a sentence: a hook with its words, a rule that denies. Empty where a permission was
    /// missing, for Windlass's own files, and in journals of old.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub refused_by: String,
}

/// All that a finished call tells the core.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CallReport {
    /// How it went.
    pub class: Class,
    /// One sentence that says so to a person, at most 600 characters; empty for a success that nothing is to be said of.
    pub detail: String,
    /// How the process ended.
    pub ended: Ended,
    /// Why the runner ended it, if it did.
    pub cut: Option<Cut>,
    /// The total that the agent reported; `None` when it died without a result, or reported none.
    pub cost: Option<Cost>,
    /// All that the agent is known to have used.
    pub tokens: Tokens,
    /// What that is made of.
    pub bill: Bill,
    /// The texts of results with `is_error:false`, in order, each cut to 64 KiB (its end is kept). Claims are looked
    /// for here and nowhere else.
    pub results: Vec<String>,
    /// The structured answer to a call that was to judge; `None` when it gave none.
    pub assessment: Option<Assessment>,
    /// The structured answer to a call that was to review; `None` when it gave none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub review: Option<Review>,
    /// The structured answer to a call that was to settle a conflict of principles; `None` when it gave none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decision: Option<Decision>,
    /// Tool calls seen.
    pub tool_uses: u32,
    /// Tool calls refused by permissions, without repetitions, at most 20.
    pub denials: Vec<Denial>,
    /// The usage limit that was hit, for [`Class::UsageLimit`].
    pub limit: Option<UsageLimit>,
    /// The usage limit is of one account of a fleet, and workers with others can go on with the task.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub elsewhere: bool,
    /// The account is being charged beyond its plan (`isUsingOverage`).
    pub overage: bool,
    /// The model that it worked with; empty where it named none.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub model: String,
    /// How much of which windows is used, as it said last.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub windows: Vec<WindowShare>,
    /// Lines that were not JSON.
    pub garbage_lines: u64,
    /// From its start to its end.
    #[serde(rename = "duration_ms", with = "millis")]
    pub duration: Duration,
}

impl CallReport {
    /// Its process ended with its keeper: a failure of the task, since without a bound an agent that kills its keeper again and
    /// again would be repeated for ever. What the API failed at has bounds of its own, and stays that; so does what a person
    /// or the run's own clock had ended.
    pub fn lost_with_its_keeper(&mut self, why: &str) {
        let was_over = matches!(self.cut, Some(Cut::Stop | Cut::Duration | Cut::Tokens));
        if !was_over && !self.class.is_of_api() {
            self.class = Class::TaskFailure;
            why.clone_into(&mut self.detail);
        }
    }

    /// The runner ended first, and somebody has resumed the run since: whatever the agent had said before, it is asked again.
    pub fn lost_with_its_runner(&mut self, why: &str) {
        self.class = Class::Interrupted;
        self.limit = None;
        why.clone_into(&mut self.detail);
    }
}

/// What a list of prices says about some usage.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Listed {
    /// What it costs.
    pub cost: Cost,
    /// A model is on no list, so that its price is a guess.
    pub guessed: bool,
    /// What those models cost that are on the list.
    #[serde(default)]
    pub known: Cost,
}

impl Listed {
    /// Of models that are all on the list.
    pub const fn known(cost: Cost) -> Listed {
        Listed { cost, guessed: false, known: cost }
    }
}

/// What the agent's list of prices says of a call, and how much of it is in what the call reported.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Bill {
    /// What its last totals have in them.
    pub reported: Listed,
    /// What came after those, or all of it where there were none: as its stream says.
    pub unreported: Listed,
    /// The greatest total that was named while the call worked.
    #[serde(default, skip_serializing_if = "Cost::is_zero")]
    pub named: Cost,
    /// A total was negative, or less than one before it.
    pub doubted: bool,
}

/// The part of a [`CallReport`] that is journalled.
#[expect(clippy::struct_excessive_bools, reason = "independent things that are true of a call or not")]
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CallSummary {
    /// How it went.
    pub class: Class,
    /// One sentence that says so to a person; empty for a success.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub detail: String,
    /// How the process ended.
    pub ended: Ended,
    /// Why the runner ended it, if it did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cut: Option<Cut>,
    /// What is charged.
    #[serde(rename = "cost_usd")]
    pub cost: Cost,
    /// The charge is an estimate, since the agent reported nothing, not all, or what cannot be.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub estimated: bool,
    /// What the list of prices says about it: how the run's own calls relate to that prices those that die.
    #[serde(rename = "listed_usd", default, skip_serializing_if = "Cost::is_zero")]
    pub listed: Cost,
    /// What the agent reported, or what its stream says.
    pub tokens: Tokens,
    /// Tool calls seen.
    pub tool_uses: u32,
    /// The agent's final words were empty.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub empty: bool,
    /// Tool calls refused by permissions.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub denials: Vec<Denial>,
    /// The usage limit that was hit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<UsageLimit>,
    /// The usage limit is of one account of a fleet, and workers with others can go on with the task.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub elsewhere: bool,
    /// The account is being charged beyond its plan.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub overage: bool,
    /// The model that it worked with; empty where it named none, and in journals of old.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub model: String,
    /// How much of which windows is used, as it said last.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub windows: Vec<WindowShare>,
    /// Lines that were not JSON.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub garbage_lines: u64,
    /// From its start to its end.
    #[serde(rename = "duration_ms", with = "millis")]
    pub duration: Duration,
    /// The structured answer to a call that was to judge.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub assessment: Option<Assessment>,
    /// The structured answer to a call that was to review.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub review: Option<Review>,
    /// The conflict of principles that an agent at work could not settle.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub conflict: Option<Box<Conflict>>,
    /// The structured answer to a call that was to settle one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decision: Option<Box<Decision>>,
}

impl CallSummary {
    /// A call that ended well, took no time, cost nothing and said nothing: what examples begin from.
    pub fn uneventful() -> CallSummary {
        CallSummary { class: Class::Success, ended: Ended::Exited(0), ..CallSummary::default() }
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it with a reference")]
fn is_zero(number: &u64) -> bool {
    *number == 0
}
