//! The beginning and the end of a session: the journal's bytes, and what a crash leaves of everything.

use std::path::Path;

use windlass_core::fact::Entry;
use windlass_core::run::{Input, Phase, Run};
use windlass_core::values::{LaneId, Suspicion};
use windlass_engine::store::journal;

use super::{Halt, Live, Runner};
use crate::core::Core;
use crate::plant::Plant;
use crate::record::What;
use crate::runner::tell::NotificationModel;
use crate::runner::worker::Memory;

/// What a journal is called in what it says about itself.
const PATH: &str = "journal.jsonl";

pub(super) fn lines_of(entries: &[Entry]) -> Vec<u8> {
    let mut lines = Vec::with_capacity(entries.len() * 256);
    for entry in entries {
        // The shapes are those of the real journal; none of them can fail to be written.
        let _ = serde_json::to_writer(&mut lines, entry);
        lines.push(b'\n');
    }
    lines
}

impl Runner<'_> {
    /// Opens the journal and folds it; gives what the session begins with.
    pub(super) fn open(&mut self) -> Result<Input, Halt> {
        self.world.clock.new_session();
        self.begun.clear();
        self.live = Live::Nothing;
        self.elsewhere.clear();
        self.jobs.clear();
        self.inbox.clear();
        self.memory = Memory::default();
        self.writing = false;
        self.disk_is_full = false;
        self.terminal = true;
        self.look_at = None;
        self.rounds = 0;
        self.late_lines.clear();
        self.world.stop_file = false;
        let mut entries = self.read_journal()?;
        if self.plant == Some(Plant::LineTooMuch) && entries.len() > 2 {
            entries.pop();
            let kept = entries.iter().map(|entry| lines_of(std::slice::from_ref(entry)).len()).sum::<usize>();
            self.world.disk.truncate(journal::header(&self.plan.run).len() + kept);
        }
        self.reconcile(&entries);
        self.note(What::SessionBegan { facts: entries.len() as u64 });
        if let Some((name, side)) = self.world.snapshots.dangling() {
            let said = format!("{}-{} ({side:?})", name.iteration, name.attempt);
            self.note(What::BadSnapshot(said));
        }
        self.notifications = NotificationModel::new(&entries, self.plant);
        self.core = Core::new(self.plant);
        for entry in &entries {
            if let Err(illegal) = self.core.apply(entry) {
                self.note(What::Illegal(format!("at recovery: {illegal}")));
                return Err(Halt::Broken);
            }
        }
        self.begin_post();
        // What was on the disk before may or may not have been synced: it is not taken for certain.
        self.synced = 0;
        self.step()?;
        let plan = Box::new(self.plan.clone());
        Ok(if entries.is_empty() { Input::Start(plan) } else { Input::Resume(plan) })
    }

    fn read_journal(&mut self) -> Result<Vec<Entry>, Halt> {
        let scanned = match journal::scan(Path::new(PATH), self.world.disk.bytes()) {
            Ok(scanned) => scanned,
            Err(error) => {
                self.note(What::Illegal(format!("the journal cannot be read: {error}")));
                return Err(Halt::Broken);
            }
        };
        self.world.disk.truncate(scanned.consumed);
        if scanned.consumed == 0 {
            let header = journal::header(&self.plan.run);
            self.world.disk.append(&header).map_err(|_| Halt::Broken)?;
        }
        Ok(scanned.entries)
    }

    /// The record of the night is that of the facts which survived: a power cut may have taken the last ones, and a
    /// write that nobody saw the end of may be whole.
    fn reconcile(&mut self, entries: &[Entry]) {
        let survived = entries.len() as u64;
        let mut lost = 0;
        let mut known = 0;
        for moment in &mut self.moments {
            if let What::Fact(entry) = &moment.what {
                if entry.seq > survived {
                    lost += 1;
                    moment.what = What::LostFact(entry.clone());
                } else {
                    known = entry.seq;
                }
            }
        }
        if lost > 0 {
            let synced = self.synced > survived;
            let cut = matches!(self.last_end(), Some(crate::record::SessionEnd::PowerCut));
            self.note(What::FactsLost { count: lost, allowed: cut && !synced });
        }
        for entry in entries.iter().filter(|entry| entry.seq > known) {
            self.note(What::Fact(Box::new(entry.clone())));
        }
    }

    fn last_end(&self) -> Option<crate::record::SessionEnd> {
        self.moments.iter().rev().find_map(|moment| match &moment.what {
            What::SessionEnded(end) => Some(*end),
            _ => None,
        })
    }

    /// Where the run stands by what is on the disk.
    pub(crate) fn phase_on_disk(&self) -> Phase {
        self.core_on_disk().phase()
    }

    /// What speaks against the checks there.
    pub(crate) fn found_on_disk(&self) -> Vec<Suspicion> {
        self.core_on_disk().run.suspicions(LaneId::default()).into_iter().cloned().collect()
    }

    fn core_on_disk(&self) -> Core {
        let mut core = Core::new(self.plant);
        if let Ok(scanned) = journal::scan(Path::new(PATH), self.world.disk.bytes()) {
            let _ = scanned.entries.iter().try_for_each(|entry| core.apply(entry));
        }
        core
    }

    /// The power goes: what is not synced is lost, in part or as a whole.
    pub(super) fn power_cut(&mut self, survives: u8, zeros: bool) {
        self.world.disk.cut(survives, zeros);
        self.world.snapshots.cut();
        self.lose_post();
        for lane in self.busy() {
            self.enter(lane);
            if let Live::Call(call) = std::mem::take(&mut self.live)
                && let Some(stream) = self.streams.get_mut(&call.call)
            {
                let kept = stream.len() * usize::from(survives) / 256;
                stream.truncate(kept);
            }
            self.live = Live::Nothing;
        }
    }

    /// Does the journal fold to the state that the runner has?
    pub(super) fn compare_with_journal(&mut self) {
        let Ok(scanned) = journal::scan(Path::new(PATH), self.world.disk.bytes()) else {
            self.note(What::Differs);
            return;
        };
        let mut core = Core::new(self.plant);
        let folds = scanned.entries.iter().all(|entry| core.apply(entry).is_ok());
        if !folds || core.run != self.core.run {
            self.note(What::Differs);
        }
    }

    /// The state of a runner that was just killed, before it is gone: it must be what the journal says, or a beginning
    /// of that.
    pub(super) fn run(&self) -> &Run {
        &self.core.run
    }
}
