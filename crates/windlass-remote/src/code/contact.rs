//! Whether a git remote answers, and since when it does not.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use windlass_git::remote::RemoteError;

/// One that did not answer is left alone for so long: several lanes may want something of it.
const LEFT_ALONE: Duration = Duration::from_secs(2);

/// The most seldom that it is looked at.
const SELDOM: Duration = Duration::from_mins(1);

/// What becomes of a remote.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum News {
    /// It does not answer: what was said.
    Away(String),
    /// It answers again, after so long.
    Back(Duration),
    /// It has not answered for longer than is waited.
    TooLong(Duration),
}

/// How a remote was found, the last time. Pure: times are of a clock that only goes on.
#[derive(Debug, Default)]
struct Found {
    /// When it was asked for something last.
    asked: Option<Duration>,
    /// Since when it does not answer.
    away: Option<Duration>,
    /// What was said of that.
    said: (String, String),
}

/// What an answer says of whoever gave it.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Answer {
    /// It is there, whatever it thinks of the question.
    There,
    /// It is not: what was said.
    Away(String),
    /// It was not asked.
    Unknown,
}

impl Answer {
    fn of<T>(done: &Result<T, RemoteError>) -> Answer {
        match done {
            Err(error @ RemoteError::Unreachable { .. }) => Answer::Away(error.to_string()),
            Err(
                RemoteError::Interrupted
                | RemoteError::Partial(_)
                | RemoteError::Name(_)
                | RemoteError::Git(_)
                | RemoteError::File(_),
            ) => Answer::Unknown,
            Ok(_) | Err(_) => Answer::There,
        }
    }
}

impl Found {
    fn heard(&mut self, now: Duration, answer: Answer, patience: Duration) -> Option<News> {
        match answer {
            Answer::Unknown => None,
            Answer::There => {
                self.asked = Some(now);
                self.away.take().map(|since| News::Back(now.saturating_sub(since)))
            }
            Answer::Away(said) => {
                self.asked = Some(now);
                match self.away {
                    None => {
                        self.away = Some(now);
                        Some(News::Away(said))
                    }
                    Some(since) if now.saturating_sub(since) >= patience => Some(News::TooLong(patience)),
                    Some(_) => None,
                }
            }
        }
    }

    /// Has it just not answered?
    fn is_left_alone(&self, now: Duration) -> bool {
        self.away.is_some() && self.asked.is_some_and(|asked| now.saturating_sub(asked) < LEFT_ALONE)
    }

    /// Has nobody asked for a while?
    fn is_to_be_looked_at(&self, now: Duration, every: Duration) -> bool {
        let every = if self.away.is_some() { LEFT_ALONE } else { every };
        self.asked.is_none_or(|asked| now.saturating_sub(asked) >= every)
    }
}

/// A remote's answers.
pub(super) struct Contact {
    began: Instant,
    patience: Duration,
    found: Mutex<Found>,
    told: Box<dyn Fn(News) + Send + Sync>,
}

impl Contact {
    pub fn new(patience: Duration, told: Box<dyn Fn(News) + Send + Sync>) -> Contact {
        Contact { began: Instant::now(), patience, found: Mutex::default(), told }
    }

    /// Asks it for something; not where it has just not answered.
    pub fn ask<T>(&self, ask: impl FnOnce() -> Result<T, RemoteError>) -> Result<T, RemoteError> {
        let found = || self.found.lock().unwrap_or_else(PoisonError::into_inner);
        {
            let found = found();
            if found.is_left_alone(self.began.elapsed()) {
                let (url, said) = found.said.clone();
                return Err(RemoteError::Unreachable { url, said });
            }
        }
        let done = ask();
        let news = {
            let mut found = found();
            if let Err(RemoteError::Unreachable { url, said }) = &done {
                found.said = (url.clone(), said.clone());
            }
            found.heard(self.began.elapsed(), Answer::of(&done), self.patience)
        };
        news.into_iter().for_each(&self.told);
        done
    }

    /// Has nobody asked it for anything for a while?
    pub fn is_to_be_looked_at(&self) -> bool {
        let every = (self.patience / 10).min(SELDOM);
        let found = self.found.lock().unwrap_or_else(PoisonError::into_inner);
        found.is_to_be_looked_at(self.began.elapsed(), every)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PATIENCE: Duration = Duration::from_mins(1);

    #[test]
    fn what_becomes_of_a_remote_is_said_once() {
        let mut found = Found::default();
        let seconds = Duration::from_secs;
        let mut heard = |at, answer| found.heard(seconds(at), answer, PATIENCE);
        let away = || Answer::Away("no route".to_owned());
        let lost = Some(News::Away("no route".to_owned()));
        assert_eq!(heard(0, Answer::There), None);
        assert_eq!(heard(10, away()), lost);
        assert_eq!(heard(20, away()), None);
        assert_eq!(heard(25, Answer::Unknown), None);
        assert_eq!(heard(30, Answer::There), Some(News::Back(seconds(20))));
        assert_eq!(heard(31, Answer::There), None);
        assert_eq!(heard(40, away()), lost);
        assert_eq!(heard(99, away()), None);
        assert_eq!(heard(100, away()), Some(News::TooLong(PATIENCE)));
    }

    #[test]
    fn one_that_does_not_answer_is_left_alone_for_a_moment_and_looked_at_more_often() {
        let mut found = Found::default();
        let millis = Duration::from_millis;
        assert!(found.is_to_be_looked_at(millis(0), SELDOM) && !found.is_left_alone(millis(0)));
        found.heard(millis(0), Answer::There, PATIENCE);
        assert!(!found.is_left_alone(millis(1)) && !found.is_to_be_looked_at(millis(59_999), SELDOM));
        assert!(found.is_to_be_looked_at(millis(60_000), SELDOM));
        found.heard(millis(60_000), Answer::Away(String::new()), PATIENCE);
        assert!(found.is_left_alone(millis(61_999)) && !found.is_to_be_looked_at(millis(61_999), SELDOM));
        assert!(!found.is_left_alone(millis(62_000)) && found.is_to_be_looked_at(millis(62_000), SELDOM));
    }
}
