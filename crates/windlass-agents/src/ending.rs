//! How a call ended, as far as no words of an agent's own are needed for it: ended by the runner or from outside, with a
//! result or without one. And what a person is told of each class.

use std::time::Duration;

use windlass_core::escapes::without_escapes;
use windlass_core::values::{Class, Cut, Ended};

use crate::{About, Judgement, Signs, unseen};

/// So many characters of the agent's own sentence are quoted.
const QUOTE: usize = 150;

/// The word for a retry whose credentials were refused …
pub(crate) const AUTHENTICATION_FAILED: &str = "authentication_failed";

/// … and for one whose prompt was too long.
pub(crate) const CONTEXT_TOO_LONG: &str = "context_too_long";

/// A call's end, looked at for one agent.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ending<'a> {
    /// Who was called.
    pub about: &'static About,
    /// All that is known.
    pub signs: &'a Signs<'a>,
}

impl Ending<'_> {
    /// The runner ended it, and not only because it lingered after its result. `failure` is what its own result says went
    /// wrong, if it says so; `said` is its own sentence about it.
    pub fn by_runner(self, failure: Option<&Judgement>, said: &str) -> Option<Judgement> {
        if self.signs.ended == Ended::Lost {
            let refused = self.refused_before(failure);
            return Some(refused.unwrap_or_else(|| Judgement::new(Class::Interrupted, unseen(self.about))));
        }
        match self.signs.cut? {
            Cut::Stop => Some(Judgement::new(
                Class::Interrupted,
                "The call was ended because the run was asked to stop.",
            )),
            Cut::HopelessRetries => Some(match self.signs.retrying {
                Some(retry) if retry.error == CONTEXT_TOO_LONG => {
                    sentence(self.about, Class::ContextTooLong, "")
                }
                Some(retry) if retry.error != AUTHENTICATION_FAILED => {
                    sentence(self.about, Class::Outage, &retry.error)
                }
                _ => sentence(self.about, Class::Auth, &self.refusal(said)),
            }),
            cut @ (Cut::Silence | Cut::WallClock | Cut::Duration | Cut::Tokens) if self.signs.working => {
                Some(self.by_clock(cut))
            }
            // Its result was there: that is judged.
            Cut::Lingering | Cut::Silence | Cut::WallClock | Cut::Duration | Cut::Tokens => None,
        }
    }

    /// What the API had failed at before nobody saw how the call ended, if that was the last that was heard.
    fn refused_before(self, failure: Option<&Judgement>) -> Option<Judgement> {
        let judgement = match (self.signs.retrying, failure) {
            (Some(retry), _) => {
                sentence(self.about, Class::Outage, &format!("it was retrying a request ({})", retry.error))
            }
            (None, Some(failure)) => failure.clone(),
            (None, None) => return None,
        };
        judgement.class.is_of_api().then_some(judgement)
    }

    /// Why its credentials are refused; while it retries it has said nothing about that itself.
    fn refusal(self, said: &str) -> String {
        let status = self.signs.retrying.and_then(|retry| retry.status);
        status.map_or_else(|| said.to_owned(), |status| format!("the API answers {status}"))
    }

    fn by_clock(self, cut: Cut) -> Judgement {
        let (product, clocks) = (self.about.product, self.signs.clocks);
        let why = match cut {
            Cut::Silence => format!("{product} printed nothing for {}", words(clocks.silence)),
            Cut::Tokens => {
                let why = format!("The run's tokens were used up while {product} worked.");
                return Judgement::new(Class::TaskFailure, why);
            }
            Cut::Duration => {
                let why = format!("The run's time was used up while {product} worked.");
                return Judgement::new(Class::TaskFailure, why);
            }
            _ => format!("{product} worked for {}, longer than a call may", words(clocks.wall)),
        };
        // A call that did nothing but retry was in an outage, whichever clock ended it.
        match self.signs.retrying {
            Some(retry) => {
                let status = retry.status.map_or_else(String::new, |status| format!(" {status}"));
                let why = format!("{why}; it was retrying a request ({}{status}).", retry.error);
                Judgement::new(Class::Outage, why)
            }
            None => Judgement::new(Class::TaskFailure, format!("{why}, and was ended.")),
        }
    }

    /// A signal of somebody else's ended it.
    pub fn by_signal(self) -> Option<Judgement> {
        let signal = match self.signs.ended {
            Ended::Signalled(signal) => signal,
            Ended::Exited(code @ (129 | 130 | 137 | 143)) => code - 128,
            Ended::Exited(_) | Ended::Lost => return None,
        };
        self.signs.cut.is_none().then(|| {
            let name = match signal {
                1 => "SIGHUP",
                2 => "SIGINT",
                6 => "SIGABRT",
                9 => "SIGKILL, perhaps because memory ran out",
                11 => "SIGSEGV",
                15 => "SIGTERM",
                _ => "a signal",
            };
            let product = self.about.product;
            Judgement::new(
                Class::TaskFailure,
                format!("{product} was ended from outside ({signal}, {name})."),
            )
        })
    }

    /// It gave a result that is no error.
    pub fn with_result(self) -> Judgement {
        match self.signs.ended {
            Ended::Exited(code) if code != 0 && self.signs.cut.is_none() => {
                let (product, quote) = (self.about.product, self.last_error());
                let why = format!("{product} gave a result but exited with code {code}{quote}.");
                Judgement::new(Class::TaskFailure, why)
            }
            _ => Judgement::new(Class::Success, ""),
        }
    }

    /// It ended with this code and gives no results.
    pub fn with_code(self) -> Judgement {
        let (product, quote) = (self.about.product, self.last_error());
        let code = match self.signs.ended {
            Ended::Exited(code) => format!(" with code {code}"),
            Ended::Signalled(_) | Ended::Lost => String::new(),
        };
        Judgement::new(Class::TaskFailure, format!("{product} exited{code}{quote}."))
    }

    /// It gave none, and nothing that it said tells why.
    pub fn without_result(self) -> Judgement {
        let code = match self.signs.ended {
            Ended::Exited(code) => format!(" (exit code {code})"),
            Ended::Signalled(_) | Ended::Lost => String::new(),
        };
        let (product, quote) = (self.about.product, self.last_error());
        Judgement::new(Class::TaskFailure, format!("{product} ended without a result{code}{quote}."))
    }

    /// What a turn came to whose agent says in its result whether it failed, and `said` why: by the runner, which ended it; else
    /// by that `failure`, whatever the exit code; else by a signal; else by the result, where no work went on after it.
    pub fn judged(
        self,
        failure: Option<Judgement>,
        said: &str,
        without_result: impl FnOnce(Ending<'_>) -> Judgement,
    ) -> Judgement {
        let by_runner = self.by_runner(failure.as_ref(), said);
        if let Some(judgement) = by_runner.or(failure).or_else(|| self.by_signal()) {
            return judgement;
        }
        // An interrupt can end it without a word.
        let is_cut_off = self.signs.working && self.signs.ended != Ended::Exited(0);
        if self.signs.result.is_none() || is_cut_off { without_result(self) } else { self.with_result() }
    }

    fn last_error(self) -> String {
        last_line(self.signs.stderr).map_or_else(String::new, |line| format!(": {}", quote(line)))
    }
}

/// Why a turn without a word is no success, where nothing else is known.
pub(crate) const LOST: &str = "the model refused, or its answer was lost";

/// A turn that ended without a word.
pub(crate) fn without_a_word(about: &About, why: &str) -> Judgement {
    let why = format!("{} ended its turn without a word: {why}.", about.product);
    Judgement::new(Class::TaskFailure, why)
}

/// What happened and what to do, for a person.
pub(crate) fn sentence(about: &About, class: Class, said: &str) -> Judgement {
    let About { product, words, .. } = about;
    let (what, then) = match class {
        Class::Auth if said.is_empty() || said.contains("Not logged in") => {
            return Judgement::new(class, format!("{product} is not logged in. {}", words.log_in));
        }
        Class::Auth => (format!("{product}'s login is refused"), words.log_in_anew),
        Class::Billing => (
            "The account cannot pay for this".to_owned(),
            "Waiting does not help; see to its credit or its limits.",
        ),
        Class::Permission => {
            ("The account may not do this".to_owned(), "Use another account, or ask its administrator.")
        }
        Class::Config => (
            format!("{product} cannot run as configured"),
            "Check the model, the agent's arguments and its settings.",
        ),
        Class::UsageLimit => ("A usage limit was reached".to_owned(), ""),
        Class::Outage => ("The model could not be reached for now".to_owned(), ""),
        Class::ContextTooLong => {
            ("The prompt is too long for the model".to_owned(), "Shorten the prompt or the notes.")
        }
        Class::MaxTurns => ("The call used up its turns".to_owned(), ""),
        Class::BudgetExhausted => ("The call used up its budget".to_owned(), ""),
        Class::Success | Class::TaskFailure | Class::Interrupted => {
            (format!("{product} reported an error"), "")
        }
        Class::Unknown => (format!("{product} failed for a reason that is not known"), ""),
    };
    told(class, &what, said, then)
}

/// `what` happened, as the agent `said` it, and what to do `then`.
pub(crate) fn told(class: Class, what: &str, said: &str, then: &str) -> Judgement {
    let colon = if said.is_empty() { "" } else { ": " };
    let quote = quote(said);
    let stop = if quote.ends_with('…') { "" } else { "." };
    let detail = format!("{what}{colon}{quote}{stop} {then}");
    Judgement::new(class, detail.trim_end())
}

/// Its beginning, up to a whole word.
fn quote(said: &str) -> String {
    let said = without_escapes(said);
    let said: String = said.trim().chars().filter(|character| !character.is_control()).collect();
    let Some((cut, _)) = said.char_indices().nth(QUOTE) else {
        return said.trim_end_matches('.').to_owned();
    };
    let (beginning, rest) = said.split_at(cut);
    // A word that is longer than all that is quoted has no better place.
    let words = if rest.starts_with(' ') { None } else { beginning.rsplit_once(' ') };
    let whole = words.map_or(beginning, |(words, _)| words);
    format!("{}…", whole.trim_end_matches(['.', ',', ';', ':', ' ']))
}

/// The last line that is not blank.
pub(crate) fn last_line(text: &str) -> Option<&str> {
    text.lines().rev().map(str::trim).find(|line| !line.is_empty())
}

/// `15 min`, `90 s`
fn words(duration: Duration) -> String {
    let seconds = duration.as_secs();
    if seconds >= 120 && seconds.is_multiple_of(60) {
        format!("{} min", seconds / 60)
    } else {
        format!("{seconds} s")
    }
}

#[cfg(test)]
mod tests {
    use super::words;
    use std::time::Duration;

    #[test]
    fn spans_are_said_in_minutes_from_two_on() {
        let rows =
            [(60, "60 s"), (90, "90 s"), (119, "119 s"), (120, "2 min"), (150, "150 s"), (900, "15 min")];
        for (seconds, said) in rows {
            assert_eq!(words(Duration::from_secs(seconds)), said);
        }
    }
}
