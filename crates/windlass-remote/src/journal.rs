//! A run's journal as its fleet has it: the bytes of the one in the run's folder, in pieces that end with a line.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use windlass_core::values::RunId;
use windlass_engine::store::{RunFolder, StoreError, journal};
use windlass_fleet::journal::{Attachment, Journal, LONGEST_LINE, Origin, Sequence};
use windlass_fleet::orders::CodePart;
use windlass_fleet::store::ContentId;
use windlass_fleet::{Deadline, Fleet, FleetError};
use windlass_host::file::{FileError, read_if_there};

use crate::brief::BriefError;
use crate::code::CodeError;

/// How long it may take to read one.
const READING: Duration = Duration::from_mins(2);

/// What a fleet has of a run's journal.
#[derive(Debug, Default)]
pub struct FleetJournal {
    /// All of it, from its first byte; empty where there is none.
    pub bytes: Vec<u8>,
    /// Where it ends.
    pub end: Sequence,
    /// What has to be known of the run.
    pub brief: Option<ContentId>,
    /// The commits of its branch.
    pub code: Vec<CodePart>,
    /// The newest version of each file of the run's folder.
    pub files: BTreeMap<String, ContentId>,
}

impl FleetJournal {
    /// Reads it. What somebody else has had the servers put there is passed over.
    ///
    /// # Errors
    /// The servers cannot be used.
    pub fn read(fleet: &Fleet, run: &RunId) -> Result<FleetJournal, FleetError> {
        let mut read = FleetJournal::default();
        let journal = Journal::of(fleet, run)?;
        read.end =
            journal.read(Sequence::default(), Deadline::after(READING), |piece| match piece.origin {
                Origin::Appended => read.bytes.extend_from_slice(&piece.bytes),
                Origin::Attached => read.attach(Attachment::read(&piece.bytes)),
                Origin::Noise => {}
            })?;
        Ok(read)
    }

    fn attach(&mut self, attachment: Option<Attachment>) {
        match attachment {
            Some(Attachment::Brief(brief)) => self.brief = Some(brief),
            Some(Attachment::Code(code)) => self.code = code,
            Some(Attachment::Files(files)) => {
                self.files.extend(files.into_iter().map(|file| (file.path, file.content)));
            }
            // Of a later version.
            None => {}
        }
    }
}

/// How the journal of this machine stands to the fleet's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// The fleet's lacks what follows so many bytes of this machine's; nothing where they are the same.
    FleetLacks {
        /// How many bytes both have.
        common: usize,
    },
    /// The fleet's goes on where this machine's ends.
    MachineLacks,
    /// They say different things: somebody has gone on with the run elsewhere. The fleet's counts.
    Apart,
}

/// Compares them. A last line that is cut off counts for nothing.
pub fn compare(machine: &[u8], fleet: &[u8]) -> Standing {
    let whole = machine.iter().rposition(|byte| *byte == b'\n').map_or(0, |newline| newline + 1);
    let machine = machine.get(..whole).unwrap_or_default();
    if machine.starts_with(fleet) {
        Standing::FleetLacks { common: fleet.len() }
    } else if fleet.starts_with(machine) {
        Standing::MachineLacks
    } else {
        Standing::Apart
    }
}

/// The journals cannot be brought together.
#[derive(Debug, thiserror::Error)]
pub enum JournalError {
    /// The servers.
    #[error(transparent)]
    Fleet(#[from] FleetError),
    /// A file.
    #[error(transparent)]
    File(#[from] FileError),
    /// The journal of this machine.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// What belongs to it.
    #[error(transparent)]
    Code(#[from] CodeError),
    /// What has to be known of the run.
    #[error(transparent)]
    Brief(#[from] BriefError),
}

/// What the journal of this machine was brought.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Brought {
    /// Nothing: it has all that there is.
    Nothing,
    /// What came after it.
    More,
    /// Another one, since this one said something else from some line on; it is kept in this file.
    Another(PathBuf),
}

impl Brought {
    /// What a person should know.
    pub fn sentence(&self) -> Option<String> {
        let Brought::Another(aside) = self else { return None };
        let aside = aside.display();
        Some(format!("the run went on elsewhere: what this machine had of its journal is kept in {aside}"))
    }
}

/// How the journal in a run's folder stands to the fleet's.
pub(crate) fn standing(there: &FleetJournal, folder: &RunFolder) -> Result<Standing, FileError> {
    let here = read_if_there(&folder.journal())?.unwrap_or_default();
    Ok(compare(&here, &there.bytes))
}

/// Brings the journal of this machine to what the fleet has of the run, to which it stands so. What this one has beyond that stays;
/// where the two say different things, what was here is put aside.
pub(crate) fn put(
    there: &FleetJournal,
    folder: &RunFolder,
    standing: Standing,
) -> Result<Brought, JournalError> {
    if let Standing::FleetLacks { .. } = standing {
        return Ok(Brought::Nothing);
    }
    let aside = journal::replace(folder, &there.bytes)?;
    Ok(aside.map_or(Brought::More, Brought::Another))
}

/// How much of these lines goes into one piece: as many as fit, and at least one.
pub(crate) fn piece_of(lines: &[u8]) -> &[u8] {
    let within = lines.get(..LONGEST_LINE).unwrap_or(lines);
    let end = within.iter().rposition(|byte| *byte == b'\n');
    let end = end.or_else(|| lines.iter().position(|byte| *byte == b'\n'));
    end.and_then(|end| lines.get(..=end)).unwrap_or(lines)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_decided_elsewhere_counts_and_nothing_else_is_dropped() {
        let compared = |machine: &str, fleet: &str| compare(machine.as_bytes(), fleet.as_bytes());
        for (machine, fleet, standing) in [
            ("", "", Standing::FleetLacks { common: 0 }),
            ("a\nb\n", "", Standing::FleetLacks { common: 0 }),
            ("a\nb\n", "a\n", Standing::FleetLacks { common: 2 }),
            ("a\nb\n", "a\nb\n", Standing::FleetLacks { common: 4 }),
            ("a\nb", "a\n", Standing::FleetLacks { common: 2 }),
            ("", "a\n", Standing::MachineLacks),
            ("a\n", "a\nb\n", Standing::MachineLacks),
            ("a\nc", "a\nb\n", Standing::MachineLacks),
            ("a\nc\n", "a\nb\n", Standing::Apart),
            ("b\n", "a\nb\n", Standing::Apart),
        ] {
            assert_eq!(compared(machine, fleet), standing, "{machine:?} {fleet:?}");
        }
    }

    #[test]
    fn a_piece_ends_with_a_line_and_is_as_long_as_it_may_be() {
        assert_eq!(piece_of(b""), b"");
        assert_eq!(piece_of(b"a\nb\n"), b"a\nb\n");
        let line = [vec![b'x'; LONGEST_LINE - 10], b"\n".to_vec()].concat();
        assert_eq!(piece_of(&[line.clone(), line.clone()].concat()).len(), line.len());
        // One that is too long goes by itself, and is refused by its size.
        let long = [vec![b'x'; LONGEST_LINE + 10], b"\n".to_vec()].concat();
        assert_eq!(piece_of(&[long.clone(), line].concat()).len(), long.len());
    }
}
