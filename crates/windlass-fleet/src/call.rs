//! Deadlines, and trying again until them.

use std::future::Future;
use std::time::{Duration, Instant};

/// The longest that a single try waits for its answer, before it is tried again: a cluster that lost its leader has another one
/// within seconds, and what was sent to the old one may be lost.
pub(crate) const ONE_TRY: Duration = Duration::from_secs(2);

/// Between two tries, at first and at most.
const FIRST_PAUSE: Duration = Duration::from_millis(20);
const LONGEST_PAUSE: Duration = Duration::from_millis(500);

/// Until when something is tried.
#[derive(Clone, Copy, Debug)]
pub struct Deadline {
    began: Instant,
    within: Duration,
}

impl Deadline {
    /// So long from now.
    pub fn after(within: Duration) -> Deadline {
        Deadline { began: Instant::now(), within }
    }

    /// How long it was when it began.
    pub const fn within(&self) -> Duration {
        self.within
    }

    /// How much is left of it.
    pub fn left(&self) -> Duration {
        self.within.saturating_sub(self.began.elapsed())
    }

    /// Is nothing left?
    pub fn is_over(&self) -> bool {
        self.left().is_zero()
    }
}

/// What became of a try.
pub(crate) enum Tried<T, E> {
    Done(T),
    /// Again: it may pass. The error is what is said where the deadline comes first.
    Again(E),
    Failed(E),
}

/// Tries until it is done, fails for good, or the deadline is over. It is tried at least once.
pub(crate) async fn until<T, E, F>(deadline: Deadline, mut attempt: impl FnMut() -> F) -> Result<T, E>
where
    F: Future<Output = Tried<T, E>>,
{
    let mut pause = FIRST_PAUSE;
    loop {
        let error = match attempt().await {
            Tried::Done(done) => return Ok(done),
            Tried::Failed(error) => return Err(error),
            Tried::Again(error) => error,
        };
        if deadline.left() <= pause {
            return Err(error);
        }
        tokio::time::sleep(pause).await;
        pause = (pause * 2).min(LONGEST_PAUSE);
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    fn run<T>(future: impl Future<Output = T>) -> T {
        tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap().block_on(future)
    }

    #[test]
    fn what_may_pass_is_tried_until_it_is_done_or_the_deadline_is_over() {
        let tries = Cell::new(0);
        let third = || {
            tries.set(tries.get() + 1);
            let now = tries.get();
            async move { if now == 3 { Tried::Done(now) } else { Tried::Again("not yet") } }
        };
        assert_eq!(run(until(Deadline::after(Duration::from_mins(1)), third)), Ok(3));
        tries.set(0);
        assert_eq!(run(until(Deadline::after(Duration::ZERO), third)), Err("not yet"));
        assert_eq!(tries.get(), 1);
        let failing = || async { Tried::<(), _>::Failed("for good") };
        assert_eq!(run(until(Deadline::after(Duration::from_mins(1)), failing)), Err("for good"));
    }
}
