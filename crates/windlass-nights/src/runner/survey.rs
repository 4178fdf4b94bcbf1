//! Looking at the tree before anything is done, when the run goes on, and after a hook.

use windlass_core::report;
use windlass_core::run::{Input, TurnKey};

use super::Runner;
use super::worker::{Look, Worked};
use crate::world::Side;

impl Runner<'_> {
    pub(super) fn survey(&mut self) -> Worked {
        let look = self.look()?;
        self.begin_session_of_boxes();
        self.note_dirty(&look);
        let evidence = look.evidence.clone();
        let snapshot = self.keep_look(&look, TurnKey { iteration: 1, attempt: 1 }, Side::Before)?;
        self.memory.latest = Some(Look { snapshot: snapshot.clone(), ..look });
        let standing = self.standing();
        Ok(vec![Input::from(report::Surveyed {
            baseline: report::BaselineCaptured { evidence, snapshot, left_out: 0, standing },
            tasks: self.task_rows(),
        })])
    }

    /// What somebody has not committed before the run begins is in none of its commits.
    fn note_dirty(&mut self, look: &Look) {
        let head = self.world.git.head_tree();
        let dirty = head.changes(&look.tree).map(|file| (file, look.tree.get(file)));
        self.world.forge.dirty = dirty.collect();
    }

    pub(super) fn survey_again(&mut self) -> Worked {
        let look = self.look()?;
        self.begin_session_of_boxes();
        let evidence = look.evidence.clone();
        self.remember(look);
        let standing = self.standing();
        Ok(vec![Input::from(report::Surveyed {
            baseline: report::BaselineCaptured { evidence, snapshot: None, left_out: 0, standing },
            tasks: self.task_rows(),
        })])
    }

    /// What a hook wrote is as little the agent's as what a check writes: the runner's commits leave it out.
    pub(super) fn survey_after_hook(&mut self) -> Worked {
        let look = self.look()?;
        self.note_checks(&look);
        let evidence = look.evidence.clone();
        self.remember(look);
        let standing = self.standing();
        Ok(vec![Input::from(report::Surveyed {
            baseline: report::BaselineCaptured { evidence, snapshot: None, left_out: 0, standing },
            tasks: None,
        })])
    }
}
