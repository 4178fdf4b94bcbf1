//! What ends a command before its time.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

/// How often it is asked.
const ASKED_EVERY: Duration = Duration::from_millis(200);

/// Whether a command is to end at once: asked several times a second while it runs. Without a question nothing ends it.
#[derive(Clone, Default)]
pub struct Interruption(Option<Arc<dyn Fn() -> bool + Send + Sync>>);

impl Interruption {
    /// Once this is so.
    pub fn once(is_due: impl Fn() -> bool + Send + Sync + 'static) -> Interruption {
        Interruption(Some(Arc::new(is_due)))
    }

    /// Is it so?
    pub fn is_due(&self) -> bool {
        self.0.as_ref().is_some_and(|is_due| is_due())
    }

    pub(super) fn asked_every(&self) -> Option<Duration> {
        self.0.as_ref().map(|_| ASKED_EVERY)
    }
}

impl fmt::Debug for Interruption {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Interruption").finish_non_exhaustive()
    }
}
