//! What can go wrong with a forge, and what to do about it.

use std::fmt;
use std::time::Duration;

use jiff::Timestamp;
use windlass_host::process::ProcessError;

/// Something that a forge did not do.
#[derive(Debug, thiserror::Error)]
#[error("cannot {doing}: {fault}")]
pub struct ForgeError {
    /// What was tried, with its place: `open a pull request in github.com/o/r`.
    pub doing: String,
    /// Which of the things that happen it is.
    pub fault: ForgeFault,
    /// What to do about it: one sentence or command; empty where there is nothing.
    pub hint: String,
    /// Of the program that was to do it.
    #[source]
    pub source: Option<Box<ProcessError>>,
}

/// Which of the things that happen with forges it is. What is said is one line, without secrets and control characters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ForgeFault {
    /// The program that talks to the forge is not installed.
    Missing {
        /// Which.
        program: String,
    },
    /// Nobody is logged in there, or the login is not valid any more.
    LoggedOut,
    /// Whoever is logged in may not do that.
    Forbidden(String),
    /// There is no such thing, or whoever is logged in may not see it.
    NotFound(String),
    /// Asked too often.
    RateLimited {
        /// When it answers again.
        reset: Option<Timestamp>,
        /// After how long it answers again, where it said that.
        after: Option<Duration>,
    },
    /// It understood, and does not do it: a rule, a conflict, a head that is another one.
    Refused(String),
    /// It cannot be reached, or fails by itself.
    Unreachable(String),
    /// No answer within the deadline.
    TimedOut(Duration),
    /// The answer is not one: a page, half an answer, more than can be taken in.
    Garbled(String),
    /// Anything else.
    Other(String),
}

impl fmt::Display for ForgeFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ForgeFault::Missing { program } => write!(f, "{program} is not installed"),
            ForgeFault::LoggedOut => {
                f.write_str("nobody is logged in there, or the login is not valid any more")
            }
            ForgeFault::Forbidden(said) => write!(f, "it is not allowed: {said}"),
            ForgeFault::NotFound(said) => {
                write!(f, "it is not there, or not to be seen with this login: {said}")
            }
            ForgeFault::RateLimited { reset: Some(reset), .. } => {
                write!(f, "the forge was asked too often, and answers again at {reset}")
            }
            ForgeFault::RateLimited { after: Some(after), .. } => {
                write!(f, "the forge was asked too often, and answers again in {} s", after.as_secs())
            }
            ForgeFault::RateLimited { .. } => f.write_str("the forge was asked too often"),
            ForgeFault::Refused(said) => write!(f, "the forge refused it: {said}"),
            ForgeFault::Unreachable(said) => write!(f, "the forge cannot be reached: {said}"),
            ForgeFault::TimedOut(after) => write!(f, "no answer within {} s", after.as_secs()),
            ForgeFault::Garbled(said) => write!(f, "the answer is not one: {said}"),
            ForgeFault::Other(said) => f.write_str(said),
        }
    }
}

impl ForgeFault {
    /// May the same question be answered later, without anybody doing anything?
    pub const fn may_pass(&self) -> bool {
        matches!(
            self,
            ForgeFault::RateLimited { .. }
                | ForgeFault::Unreachable(_)
                | ForgeFault::TimedOut(_)
                | ForgeFault::Garbled(_)
        )
    }
    /// When it answers again, where it said that. `now` is the time of its answer.
    pub fn again(&self, now: Timestamp) -> Option<Timestamp> {
        let ForgeFault::RateLimited { reset, after } = self else { return None };
        let after = after.and_then(|after| now.checked_add(after).ok());
        (*reset).max(after)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_or_a_pause_that_it_names_is_when_it_answers_again() {
        let now = Timestamp::UNIX_EPOCH;
        let at = |seconds: i64| Timestamp::from_second(seconds).ok();
        for (reset, after, expected) in [
            (None, None, None),
            (at(90), None, at(90)),
            (None, Some(60), at(60)),
            (at(90), Some(60), at(90)),
            (at(90), Some(120), at(120)),
        ] {
            let fault = ForgeFault::RateLimited { reset, after: after.map(Duration::from_secs) };
            assert_eq!(fault.again(now), expected, "{reset:?} {after:?}");
        }
        assert_eq!(ForgeFault::LoggedOut.again(now), None);
    }
}
