//! What a fresh agent said of tasks' success criteria, in a status and at the end of a run.

use serde::Serialize;
use windlass_core::values::{CriterionJudged, TaskId};

use crate::board::Board;
use crate::harmless::one_line;
use crate::line::{Line, Mark, Tone};
use crate::narrate::labelled;

/// So many are shown to people; JSON has all.
const MOST: usize = 12;

/// A success criterion that was judged.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct StatusJudged {
    /// Whose it is.
    pub task: TaskId,
    /// Its words.
    pub criterion: String,
    /// Is it met?
    pub met: bool,
    /// Why, in the words of the agent who judged it.
    pub because: String,
}

impl StatusJudged {
    /// As they were judged last; what is not met comes first.
    pub(crate) fn all(board: &Board) -> Vec<StatusJudged> {
        let mut all: Vec<StatusJudged> =
            board.seen.judged.all().filter_map(|(task, judged)| StatusJudged::new(task, judged)).collect();
        all.sort_by_key(|one| one.met);
        all
    }

    fn new(task: &TaskId, judged: &CriterionJudged) -> Option<StatusJudged> {
        let CriterionJudged { criterion, met, because, .. } = judged.clone();
        Some(StatusJudged { task: task.clone(), criterion, met: met?, because })
    }

    /// For people.
    pub(crate) fn lines(all: &[StatusJudged]) -> Vec<Line> {
        let mut lines: Vec<Line> = all.iter().take(MOST).map(StatusJudged::line).collect();
        let more = all.len().saturating_sub(MOST);
        if more > 0 {
            lines.push(labelled("").dim(format!("and {more} more")));
        }
        lines
    }

    fn line(&self) -> Line {
        let (tone, mark) = if self.met { (Tone::Good, Mark::Passed) } else { (Tone::Bad, Mark::Failed) };
        let because = one_line(&self.because);
        let because = if because.is_empty() { because } else { format!(" ({because})") };
        let text = format!(" {}: {}", one_line(&self.task.0), one_line(&self.criterion));
        labelled("judged").mark(tone, mark).plain(text).dim(because)
    }
}
