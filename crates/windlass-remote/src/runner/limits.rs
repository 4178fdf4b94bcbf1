//! What a usage limit means in a fleet: it holds back the workers of one account.

use std::collections::BTreeSet;

use jiff::Timestamp;
use windlass_core::report::Report;
use windlass_core::run::Reported;
use windlass_core::values::{Class, LaneId};
use windlass_fleet::Deadline;
use windlass_fleet::leases::{Holder, Lease, LeaseKey, Payer};

use super::room::{CALL, Event, Room};

/// Has the run know of a call that a usage limit refused whether others can go on.
pub(super) fn weigh(room: &Room, lane: LaneId, reported: &mut [Reported]) {
    for reported in reported {
        let Report::CallEnded(ended) = &mut reported.report else { continue };
        if ended.report.class != Class::UsageLimit {
            continue;
        }
        // Where the servers do not say who is there, the run waits as one without a fleet does.
        let deadline = Deadline::after(CALL);
        let Ok(Some(lease)) = room.leases.look(&LeaseKey::Lane(room.run.clone(), lane), deadline) else {
            continue;
        };
        let Some(payer) = lease.holder().map(Holder::payer) else { continue };
        let present = room.leases.all(deadline).map(|leases| payers(&leases)).unwrap_or_default();
        let mut accounts = room.accounts();
        let known = accounts.until(&payer);
        accounts.refused(&payer, &mut ended.report, &present, Timestamp::now());
        if ended.report.elsewhere && accounts.until(&payer) != known {
            room.tell(Event::Notice(format!(
                "a usage limit holds {payer} back for a while: others of the fleet take its tasks"
            )));
        }
    }
}

/// Those of all workers that are there, or were a moment ago.
fn payers(leases: &[(LeaseKey, Lease)]) -> BTreeSet<Payer> {
    let workers = leases.iter().filter(|(key, _)| matches!(key, LeaseKey::Worker(_)));
    workers.filter_map(|(_, lease)| Some(lease.holder()?.payer())).collect()
}
