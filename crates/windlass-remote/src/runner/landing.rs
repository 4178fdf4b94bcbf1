//! What has landed: its commits are in the fleet before the fact that says so, for whoever goes on with the run elsewhere.

use std::sync::Arc;

use windlass_core::report::Report;
use windlass_core::run::Reported;
use windlass_fleet::journal::Attachment;
use windlass_fleet::orders::CodePart;
use windlass_host::process::ProcessError;

use super::post::{PAUSE, is_hopeless};
use super::room::{Event, Room, beside};
use crate::code::CodeError;

/// Is it that something has landed?
pub(super) fn is_landing(reported: &Reported) -> bool {
    matches!(reported.report, Report::Landed(_))
}

/// Stores the branch as it is now, and gives the report on after that. Nothing else waits for it.
pub(super) fn store(room: &Arc<Room>, reported: Reported) -> Result<(), ProcessError> {
    let storing = move |room: Arc<Room>| {
        if store_branch(&room) == Stored::Yes {
            room.tell(Event::Reported(vec![reported]));
        }
    };
    beside(room, "fleet-landing", storing).map(drop)
}

/// Is it in the fleet, or on its way there before the fact?
#[derive(PartialEq, Eq)]
enum Stored {
    Yes,
    No,
}

fn store_branch(room: &Room) -> Stored {
    while !room.is_closing() {
        match kept(room) {
            Ok(parts) => {
                room.publications.attach(Attachment::Code(parts));
                return Stored::Yes;
            }
            Err(error) if is_hopeless(&error) => {
                let detail = format!("what has landed cannot be kept in the fleet: {error}");
                room.tell(Event::Failed(detail));
                return Stored::No;
            }
            // The watch says that the servers are away.
            Err(_) => room.wait(PAUSE),
        }
    }
    Stored::No
}

/// The branch as it is now, in the fleet.
pub(super) fn kept(room: &Room) -> Result<Vec<CodePart>, CodeError> {
    let Some(tip) = room.tip()? else { return Ok(Vec::new()) };
    room.large.send(&room.main, tip)?;
    room.code.keep_landed(tip)
}
