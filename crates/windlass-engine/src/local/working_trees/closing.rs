//! Closing a task of a lane: what is left of it in the lane, and how it stands.

use windlass_core::report::{self, Report};
use windlass_core::run::{OrderContext, TurnKey};
use windlass_core::values::{Evidence, LaneId, StopReason, TaskEnd, TaskId};

use super::{WorkingTrees, work_of};
use crate::local::work::{WorkError, Worked};
use windlass_git::git::Repository;
use windlass_git::lane::{Leftover, park, park_leftover};

impl WorkingTrees {
    pub(super) fn close(
        &mut self,
        lane: LaneId,
        turn: TurnKey,
        task: &TaskId,
        end: &TaskEnd,
        context: &OrderContext,
    ) -> Worked {
        let main = self.repository()?;
        let mut reports = Vec::new();
        if self.is_checked_out(&main)? {
            reports = self.main.write_state(context, end.state())?;
            if *end != TaskEnd::Done {
                reports.extend(self.main.note_progress(context, turn, end)?);
            }
        }
        let closed = if self.is_usable(lane)? {
            self.put_aside_at(lane, end).and_then(|said| {
                reports.extend(said);
                self.leave(lane, task, end, context, &main)
            })
        } else {
            Ok(None)
        };
        let closed = match closed {
            Err(error) if error.stop_reason != StopReason::DiskFull && !self.is_there(lane)? => None,
            closed => closed?,
        };
        let (branch, evidence) = if let Some(left) = closed {
            left
        } else {
            self.lanes.remove(&lane);
            if matches!(end, TaskEnd::Parked { .. }) {
                let (run, iteration) = (&self.main.plan.run, turn.iteration);
                let text = format!(
                    "the checkout of lane {lane} was removed: the work on {task} is in no branch; \
                     `windlass restore {run} {iteration}` brings back what is kept of it"
                );
                reports.push(Report::notice(text));
            }
            let look = self.main.look()?;
            (None, self.main.evidence(&look))
        };
        let (task, end, iteration) = (task.clone(), end.clone(), turn.iteration);
        reports
            .push(report::TaskClosed { lane, iteration, task, end, branch, evidence, snapshot: None }.into());
        Ok(reports)
    }

    /// At the end of a task the lane is about to be another one's.
    fn put_aside_at(&mut self, lane: LaneId, end: &TaskEnd) -> Result<Vec<Report>, WorkError> {
        if matches!(end, TaskEnd::Again { .. }) {
            return Ok(Vec::new());
        }
        self.put_unkept_aside(lane)
    }

    /// Puts aside what is left in a lane of a task that is parked: on which branch, and what is there then.
    fn leave(
        &mut self,
        lane: LaneId,
        task: &TaskId,
        end: &TaskEnd,
        context: &OrderContext,
        main: &Repository,
    ) -> Result<Option<(Option<String>, Evidence)>, WorkError> {
        let run = self.main.plan.run.0.clone();
        if let Some(left) = self.leftovers.take(lane) {
            return self.leave_remote(lane, task, &left, end, main).map(Some);
        }
        let checkout = self.checkout(lane)?;
        let mut branch = None;
        if matches!(end, TaskEnd::Parked { .. }) {
            let parked = park(main, &checkout.lane, work_of(context), &run, &task.0)?;
            branch = parked.branch.or(parked.merging);
        }
        checkout.lane.mend()?;
        let evidence = checkout.world.look_again()?;
        Ok(Some((branch, evidence)))
    }

    /// The same of a lane on another machine, whose commits are here.
    fn leave_remote(
        &mut self,
        lane: LaneId,
        task: &TaskId,
        left: &Leftover,
        end: &TaskEnd,
        main: &Repository,
    ) -> Result<(Option<String>, Evidence), WorkError> {
        let run = self.main.plan.run.0.clone();
        let mut branch = None;
        if matches!(end, TaskEnd::Parked { .. }) {
            let parked = park_leftover(main, &self.checkout(lane)?.lane, left, &run, &task.0)?;
            branch = parked.branch.or(parked.merging);
        }
        let look = self.main.look()?;
        Ok((branch, self.main.evidence(&look)))
    }
}
