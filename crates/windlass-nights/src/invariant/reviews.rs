//! Nothing is committed or complete that its reviewer did not let stand.

use windlass_core::fact::Fact;
use windlass_core::report;
use windlass_core::values::{Purpose, StopReason};

use super::Breach;
use crate::record::{Record, What};

/// By what the newest reviewer itself said.
pub(super) fn check(record: &Record) -> Result<(), Breach> {
    let (mut purpose, mut rejected) = (None, false);
    for (at, moment) in record.moments.iter().enumerate() {
        match &moment.what {
            What::StreamRead { lets_stand, .. } if purpose == Some(Purpose::Review) => rejected = !lets_stand,
            What::Fact(entry) => match &entry.fact {
                Fact::CallReserved { purpose: new, .. } => {
                    purpose = Some(*new);
                    // What an agent has worked on since is looked at anew, or not at all.
                    rejected &= matches!(*new, Purpose::Verify | Purpose::Council);
                }
                Fact::Committed(report::Committed { commit: Some(_), .. }) if rejected => {
                    return Err(Breach::at(at, "what its reviewer did not let stand is committed"));
                }
                Fact::RunFinished { stop_reason: StopReason::Complete, .. } if rejected => {
                    return Err(Breach::at(at, "what its reviewer did not let stand is complete"));
                }
                _ => {}
            },
            _ => {}
        }
    }
    Ok(())
}
