//! What agents on workers say and do, for whoever watches the run here.

use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;

use jiff::Timestamp;
use windlass_agents::Detail;
use windlass_core::run::Effect;
use windlass_core::values::{CallId, LaneId};
use windlass_engine::executor::{Audience, Place};
use windlass_fleet::Deadline;
use windlass_fleet::signals::{Signal, Signals};

use super::room::{CALL, Room, StartError, beside};
use crate::live::Piece;

/// How long one look waits.
const GLANCE: Duration = Duration::from_millis(500);

/// Listens, where anybody watches.
pub(super) fn begin(
    room: &Arc<Room>,
    audience: Arc<dyn Audience>,
) -> Result<Option<JoinHandle<()>>, StartError> {
    if audience.detail() == Detail::Digests {
        return Ok(None);
    }
    let mut ear = Signals::of(&room.fleet).hear_live(&room.run, Deadline::after(CALL))?;
    let listening = beside(room, "fleet-live", move |room| {
        while !room.is_closing() {
            // What is garbled is lost, as it may be.
            let Ok(Some(Signal::Live { lane, text })) = ear.next(Deadline::after(GLANCE)) else { continue };
            if let Some(Piece { call, line, observation }) = Piece::read(&text)
                && is_under_way(&room, lane, call)
            {
                audience.observation(Place { lane, call, line, at: Timestamp::now() }, observation);
            }
        }
    })?;
    Ok(Some(listening))
}

/// Has a worker been told to make this call, and nothing come of it yet?
fn is_under_way(room: &Room, lane: LaneId, call: CallId) -> bool {
    let placements = room.placements();
    let outstanding = placements.outstanding(lane).map(|order| &order.effect);
    matches!(outstanding, Some(Effect::Call { call: known, .. } | Effect::Recover { call: known, .. }) if *known == call)
}
