//! What agents on workers print, for whoever watches the run on this machine.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;

use jiff::Timestamp;
use windlass_agents::Detail;
use windlass_engine::executor::Audience;
use windlass_fleet::Deadline;
use windlass_fleet::signals::{Signal, Signals};

use super::room::{CALL, Event, Room, StartError, beside};
use crate::live::{HeardCalls, LeftOrder};

/// How long one look waits.
const GLANCE: Duration = Duration::from_millis(500);

/// So many reasons of workers that leave orders to others are told of a run.
const MOST_LEFT: usize = 32;

/// Listens until the run ends.
pub(super) fn begin(room: &Arc<Room>, audience: Arc<dyn Audience>) -> Result<JoinHandle<()>, StartError> {
    let mut ear = Signals::of(&room.fleet).hear_live(&room.run, Deadline::after(CALL))?;
    let mut calls = HeardCalls::of(&room.folder);
    let mut left = BTreeSet::new();
    let listening = beside(room, "fleet-live", move |room| {
        let watching = (audience.detail() != Detail::Digests).then_some(&*audience);
        while !room.is_closing() {
            match ear.next(Deadline::after(GLANCE)) {
                Ok(Some(Signal::Live { lane, text })) => match LeftOrder::read(&text) {
                    // Once: it is offered to them again and again. Whoever says more than a few is not listened to.
                    Some(order)
                        if left.len() < MOST_LEFT
                            && left.insert((order.worker.clone(), order.why.clone())) =>
                    {
                        room.tell(Event::Notice(order.sentence(lane)));
                    }
                    Some(_) => {}
                    None => calls.take(lane, &text, Timestamp::now(), watching),
                },
                Ok(None) => calls.look(watching),
                // What is garbled is lost, as it may be.
                _ => {}
            }
        }
        calls.look(watching);
    })?;
    Ok(listening)
}
