//! The journal, as the fleet has it.

use windlass_core::run::Run;

use super::Breach;
use crate::fleet::record::{FleetRecord, What};

fn at_the_end(record: &FleetRecord, said: String) -> Breach {
    Breach::at(record.moments.len(), said)
}

pub(super) fn one_story(record: &FleetRecord) -> Result<(), Breach> {
    if let Some(at) = record.moments.iter().position(|moment| matches!(moment.what, What::Illegal(_)))
        && let What::Illegal(said) = &record.moments[at].what
    {
        return Err(Breach::at(at, said.clone()));
    }
    let mut run = Run::new();
    for (entry, expected) in record.entries().zip(1..) {
        if entry.seq != expected {
            let said = format!("fact {} stands where fact {expected} has to be", entry.seq);
            return Err(at_the_end(record, said));
        }
        if let Err(illegal) = run.apply(entry) {
            return Err(at_the_end(record, illegal.to_string()));
        }
    }
    Ok(())
}

pub(super) fn one_writer(record: &FleetRecord) -> Result<(), Breach> {
    let mut newest = 0;
    for piece in &record.journal {
        if piece.writer < newest {
            let said = format!("the runner of epoch {} writes after that of epoch {newest}", piece.writer);
            return Err(at_the_end(record, said));
        }
        newest = piece.writer;
    }
    Ok(())
}
