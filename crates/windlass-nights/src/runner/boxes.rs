//! The plan's boxes, as the worker remembers and misses them.

use windlass_core::spec::ClaimSource;
use windlass_core::values::{Suspicion, SuspicionKind, TaskState};
use windlass_jobs::doc::plan::{WorkItem, vanished};

use super::Runner;
use crate::record::What;
use crate::world::Remembered;

/// What each box is called to be done.
const TITLES: [&str; 6] = ["parse", "print", "sort", "merge", "search", "document"];

const FILE: &str = "IMPLEMENTATION_PLAN.md";

impl Runner<'_> {
    /// What a person took out since the last session is theirs to take out.
    pub(super) fn begin_session_of_boxes(&mut self) {
        let attempted = self.world.remembered.attempted;
        let Some(items) = self.boxes().filter(|_| !attempted) else { return };
        let missing = vanished(&self.world.remembered.missing, &items).into_iter().cloned().collect();
        self.world.remembered = Remembered { items, missing, attempted: false };
    }

    pub(super) fn begin_attempt_at_boxes(&mut self) {
        if self.boxes().is_some() {
            self.world.remembered.attempted = true;
        }
    }

    /// What was open and is gone.
    pub(super) fn missing_boxes(&mut self) -> Vec<Suspicion> {
        let Some(items) = self.boxes() else { return Vec::new() };
        let Remembered { items: before, missing, .. } = std::mem::take(&mut self.world.remembered);
        let before: Vec<WorkItem> = before.into_iter().chain(missing).collect();
        let missing: Vec<WorkItem> = vanished(&before, &items).into_iter().cloned().collect();
        let found = missing.iter().map(|item| {
            let said = format!("the open box `{}` is gone", item.name());
            Suspicion::new(SuspicionKind::Vanished, FILE, said)
        });
        let found = found.collect();
        self.world.remembered = Remembered { items, missing, attempted: false };
        found
    }

    /// What there is before an agent begins.
    pub(super) fn note_boxes(&mut self) {
        if self.plan.job.mode.claim() == ClaimSource::Boxes
            && let Some((open, done)) = self.world.box_marks()
        {
            self.note(What::BoxesBefore { open, done });
        }
    }

    fn boxes(&self) -> Option<Vec<WorkItem>> {
        let (open, done) =
            self.world.box_marks().filter(|_| self.plan.job.mode.claim() == ClaimSource::Boxes)?;
        let item = |(at, title): (usize, &&str)| {
            let state = match () {
                () if open >> at & 1 == 1 => TaskState::Open,
                () if done >> at & 1 == 1 => TaskState::Done,
                () => return None,
            };
            let text = (*title).to_owned();
            Some(WorkItem { text, id: None, state, heading: false, section: String::new() })
        };
        Some(TITLES.iter().enumerate().filter_map(item).collect())
    }
}

/// The boxes that a person has accepted as gone, one bit each.
pub(crate) fn accepted(findings: &[Suspicion]) -> u32 {
    let is_named = |title: &str| findings.iter().any(|found| found.sentence.contains(&format!("`{title}`")));
    TITLES.iter().enumerate().filter(|(_, title)| is_named(title)).fold(0, |all, (at, _)| all | 1 << at)
}
