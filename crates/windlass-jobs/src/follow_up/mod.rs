//! What a follow-up call asks for and how it is spoken of; when it is due is the run's ([`Due`](windlass_core::spec::Due)).
//! One file per kind, one table.

mod council;
mod merge;
mod review;
mod verify;

use windlass_core::spec::Job;
use windlass_core::values::Purpose;

use crate::prompt::{ModeWords, PromptParts, Texts};

/// What a kind of follow-up call asks for and how it is spoken of.
#[derive(Debug)]
pub struct Descriptor {
    /// Both texts of its call, with what the job's mode says.
    pub(crate) prompt: fn(&PromptParts<'_>, &ModeWords) -> Texts,
    /// What is said when it is due; `None` where what it is due for says it.
    pub due: fn(&Job) -> Option<String>,
    /// What is done while its agent is at work, in one word; `None` = what is done in any call.
    pub doing: Option<&'static str>,
    /// The heading of its output in a workspace's log; `None` = that of any call.
    pub log_heading: Option<&'static str>,
}

/// The descriptor of the calls of a purpose; `None` for what an iteration's first call is for.
pub const fn of(purpose: Purpose) -> Option<&'static Descriptor> {
    match purpose {
        Purpose::Verify => Some(&verify::CALL),
        Purpose::Merge => Some(&merge::CALL),
        Purpose::Review => Some(&review::CALL),
        Purpose::Council => Some(&council::CALL),
        Purpose::Work | Purpose::Plan => None,
    }
}
