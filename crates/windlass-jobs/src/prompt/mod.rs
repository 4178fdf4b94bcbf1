//! What an agent is told: the system prompt, which stays the same from iteration to iteration, and the user's prompt.

#[cfg(test)]
mod check_tests;
pub(crate) mod commit;
pub(crate) mod council;
pub(crate) mod damage;
pub(crate) mod goal;
pub(crate) mod guard;
pub(crate) mod hook;
mod notes;
mod parts;
#[cfg(test)]
mod phase_tests;
pub(crate) mod phases;
#[cfg(test)]
mod plan_tests;
pub(crate) mod plans;
pub(crate) mod principles;
#[cfg(test)]
mod principles_tests;
pub(crate) mod returned;
pub(crate) mod review;
#[cfg(test)]
mod role_tests;
mod session;
mod task_session;
pub(crate) mod tasks;
#[cfg(test)]
mod tests;
mod text;
pub(crate) mod workspace;

pub(crate) use text::{Texts, agents_section, unattended, without_signal};
pub(crate) use windlass_core::inert::Inert;

pub use notes::{NOTES_LITTLE, NOTES_USUAL, Notes};
pub use parts::{
    Changes, Earlier, FailedCheck, ModeWords, Pace, PhaseWork, PlanLayout, PlanWork, PromptParts, ReviewWork,
    TaskWork, Templates,
};
pub use session::{Authoring, SessionParts, SessionPrompt, session};
pub use task_session::{TaskSessionParts, task_session};
pub use text::{LONGEST_AGENTS_FILE, LONGEST_GOAL, agents_text, holds_signal, result_in_words};
