//! Who wants that a pipeline begins nothing more.

use std::sync::{Arc, Mutex, PoisonError};

use windlass_core::values::StopSource;
use windlass_engine::store::RunFolder;
use windlass_host::process::signals::{self, Signal, SignalWatch};

use crate::error::AppError;
use crate::run::RunEnd;

/// What was asked for while the runs of a pipeline follow each other.
#[derive(Debug, Default)]
pub(super) struct Stops {
    heard: Arc<Mutex<Option<StopSource>>>,
    watch: Option<SignalWatch>,
}

impl Stops {
    /// Who asked for it, by the end of this run or since. From the first run's end on nobody but us hears a signal between two runs.
    pub fn asked_by(&mut self, end: &RunEnd) -> Result<Option<StopSource>, AppError> {
        if self.watch.is_none() {
            let heard = Arc::clone(&self.heard);
            let watch = signals::watch(move |signal| {
                let by = match signal {
                    Signal::Interrupt => StopSource::Interrupt,
                    Signal::Terminate => StopSource::Terminate,
                    _ => return,
                };
                heard.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(by);
            });
            self.watch = Some(watch.map_err(AppError::system)?);
        }
        // Somebody may have asked while it gave its directory back.
        let asked = end.asked.or_else(|| RunFolder::of(&end.there.project, &end.run).stop_request());
        Ok(asked.or(*self.heard.lock().unwrap_or_else(PoisonError::into_inner)))
    }
}
