//! What reviewers said of tasks' success criteria, as far as they came to a verdict.

use std::collections::BTreeMap;

use windlass_core::fact::Fact;
use windlass_core::values::{CriterionJudged, LaneId, Reviewed, TaskId};

/// The last verdict about each criterion.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct JudgedCriteria {
    /// The task that each lane is at.
    at: BTreeMap<LaneId, TaskId>,
    said: BTreeMap<TaskId, Vec<CriterionJudged>>,
}

impl JudgedCriteria {
    /// Takes a fact in.
    pub(crate) fn take(&mut self, fact: &Fact) {
        match fact {
            Fact::IterationStarted { lane, task: Some(task), .. } => {
                self.at.insert(*lane, task.clone());
            }
            Fact::CallFinished { lane, summary, .. } if Reviewed::of(summary) != Reviewed::Unusable => {
                let criteria = summary.review.as_ref().map(|review| review.criteria.as_slice());
                let said = criteria.filter(|said| !said.is_empty()).zip(self.at.get(lane));
                if let Some((said, task)) = said {
                    self.said.insert(task.clone(), said.to_vec());
                }
            }
            _ => {}
        }
    }

    /// All of them, in the order of their tasks' ids.
    pub(crate) fn all(&self) -> impl Iterator<Item = (&TaskId, &CriterionJudged)> {
        self.said.iter().flat_map(|(task, said)| said.iter().map(move |one| (task, one)))
    }
}
