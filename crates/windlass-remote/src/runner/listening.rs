//! What agents on workers print, for whoever watches the run on this machine.

use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;

use jiff::Timestamp;
use windlass_agents::Detail;
use windlass_engine::executor::Audience;
use windlass_fleet::Deadline;
use windlass_fleet::signals::{Signal, Signals};

use super::room::{CALL, Room, StartError, beside};
use crate::live::HeardCalls;

/// How long one look waits.
const GLANCE: Duration = Duration::from_millis(500);

/// Listens until the run ends.
pub(super) fn begin(room: &Arc<Room>, audience: Arc<dyn Audience>) -> Result<JoinHandle<()>, StartError> {
    let mut ear = Signals::of(&room.fleet).hear_live(&room.run, Deadline::after(CALL))?;
    let mut calls = HeardCalls::of(&room.folder);
    let listening = beside(room, "fleet-live", move |room| {
        let watching = (audience.detail() != Detail::Digests).then_some(&*audience);
        while !room.is_closing() {
            match ear.next(Deadline::after(GLANCE)) {
                Ok(Some(Signal::Live { lane, text })) => calls.take(lane, &text, Timestamp::now(), watching),
                Ok(None) => calls.look(watching),
                // What is garbled is lost, as it may be.
                _ => {}
            }
        }
        calls.look(watching);
    })?;
    Ok(listening)
}
