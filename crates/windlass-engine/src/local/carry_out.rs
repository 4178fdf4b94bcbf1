//! Carrying out an order in a working tree: each effect's steps, in the order in which they have to come.

use std::ops::ControlFlow;

use windlass_agents::settle_denials;
use windlass_core::report::{self, Report};
use windlass_core::run::{CommitKind, Effect, Occasion, Order, OrderContext, TurnKey};
use windlass_core::values::{
    AgentIndex, CallId, JobStatus, LaneId, Purpose, SnapshotId, StopReason, TaskState,
};

use super::aside::{ParkedTask, PutAside};
use super::boxes;
use super::commit::{self, Subject};
use super::damage;
use super::decisions;
use super::deliver;
use super::guard;
use super::issues;
use super::nested;
use super::prepare::{self, Preparation};
use super::principles;
use super::recover;
use super::refuse;
use super::review::{self, Shown};
use super::standing;
use super::stray_trees;
use super::tasks;
use super::work::{Cause, WorkError, Worked};
use super::working_tree::{Look, WorkingTree};
use windlass_git::inventory;
use windlass_git::inventory::Inventory;
use windlass_git::snapshot::{Side, SnapshotName, changed_since, remove_emptied};
use windlass_host::file::is_without_room;

impl WorkingTree {
    /// Does what an effect says, in a repository that no git that is gone keeps locked.
    pub fn carry_out(&mut self, order: &Order) -> Worked {
        self.carry_out_here(order).map_err(|error| self.with_a_way_back(error))
    }

    fn carry_out_here(&mut self, order: &Order) -> Worked {
        self.put_steering_back()?;
        let mut reports = damage::clear_locks(self, &order.context);
        let answers = self.act(order)?;
        reports.extend(std::mem::take(&mut self.notices).into_iter().map(Report::notice));
        reports.extend(self.ends.take());
        reports.extend(answers);
        Ok(reports)
    }

    fn with_a_way_back(&self, error: WorkError) -> WorkError {
        // Whatever could not be done without the working directory, that it is gone is what there is to say.
        let mut error = match (self.surveyor.find_root(), &self.start) {
            // No iteration has kept it yet.
            (Err(gone), Some(start)) if self.began.is_none() => {
                let gone = WorkError::from(gone);
                let detail = format!(
                    "{}; once it is there again, `{}`, typed in it, brings back what was in it",
                    gone.detail,
                    start.whole_restore()
                );
                WorkError { detail, ..gone }
            }
            (Err(gone), _) => gone.into(),
            (Ok(()), _) => error,
        };
        if error.cause == Cause::BrokenRepository && self.snapshots.is_some() {
            let turn = self.began.unwrap_or(TurnKey { iteration: 1, attempt: 1 });
            let command = damage::command(self, turn);
            error.detail = format!("{}; `{command}` puts back what was there", error.detail);
        }
        error
    }

    fn act(&mut self, order: &Order) -> Worked {
        match &order.effect {
            Effect::Survey(Occasion::Start) => self.survey(),
            Effect::Survey(Occasion::Resume) => self.survey_again(),
            Effect::Survey(Occasion::Hook) => self.survey_after_hook(),
            Effect::Prepare { lane, turn, purpose, notes, agent } => {
                if is_without_room(&self.plan.directory) {
                    // Before anybody is paid to write what cannot be written.
                    let said = format!("the disk is full: there is no room in {}", self.plan.directory.display());
                    return Err(WorkError::of(StopReason::DiskFull, &said));
                }
                tasks::refuse_lost(&self.plan, &order.context)?;
                damage::find_repository(self)?;
                self.look_where_nobody_has()?;
                // What checks and hooks did since the last attempt was kept is not the next one's.
                let left = std::mem::take(&mut self.left_behind).into_iter().map(|damage| damage.sentence);
                self.notices.extend(left);
                if refuse::undoes(self) {
                    // What a person wrote since the last look is none of what the agent will have to give back.
                    let look = self.look()?;
                    self.remember(look);
                }
                // In a lane of its own the file is the branch's.
                let mut reports = Vec::new();
                if self.plan.lanes.is_none() && tasks::of(&self.plan).is_some() {
                    reports = self.write_states(&order.context, Some(TaskState::InProgress))?;
                    let look = self.look()?;
                    self.remember(look);
                }
                self.keep_beginning(*turn)?;
                boxes::begin_attempt(self)?;
                let latest = self.latest.as_ref();
                self.nested = latest.map(|look| nested::before(self, &look.inventory)).transpose()?;
                self.began = Some(*turn);
                self.trees = stray_trees::of(self);
                let changes = match *purpose {
                    Purpose::Review => review::shown(self, *turn, *notes, &order.context)?,
                    _ => Shown::Changes(None),
                };
                let changes = match changes {
                    Shown::Changes(changes) => changes,
                    Shown::TooLittle(lines) => {
                        let (lane, iteration, attempt) = (*lane, turn.iteration, turn.attempt);
                        reports.push(report::ReviewSkipped { lane, iteration, attempt, lines }.into());
                        return Ok(reports);
                    }
                };
                let preparation = Preparation {
                    plan: &self.plan.of_call(*purpose, *agent),
                    folder: &self.folder,
                    lane: *lane,
                    turn: *turn,
                    purpose: *purpose,
                    notes: *notes,
                    context: &order.context,
                    changes,
                    tasks: self.tasks_as_read.clone(),
                };
                prepare::write(&preparation)?;
                reports.push(Report::from(report::Prepared { lane: *lane }));
                Ok(reports)
            }
            Effect::Recover { lane, call, turn, purpose, agent } => {
                Ok(self.recover((*lane, *call), *turn, *purpose, *agent))
            }
            Effect::Keep { lane, turn } => self.keep(*lane, *turn, &order.context),
            Effect::Undo { lane, turn } => damage::carry_out(self, *lane, *turn),
            Effect::Settle { lane, turn } => self.settle(*lane, *turn),
            Effect::Commit { lane, turn, since, what } => {
                self.commit((*lane, *turn), since.as_ref(), *what, &order.context)
            }
            Effect::CloseTask { lane, turn, task, end, since, attempts } => {
                let since = since.as_ref();
                let parked = since.map(|since| ParkedTask { task, turn: *turn, attempts, since });
                let aside = self.close_task(&order.context, *turn, end, parked)?;
                let PutAside { mut reports, branch, since: snapshot } = aside;
                let evidence = self.look_again()?;
                let (task, end, iteration) = (task.clone(), end.clone(), turn.iteration);
                reports.push(report::TaskClosed { lane: *lane, iteration, task, end, branch, evidence, snapshot }.into());
                Ok(reports)
            }
            Effect::LogDecision { lane, turn } => decisions::carry_out(self, *lane, *turn, &order.context),
            Effect::Issue { task, what } => Ok(issues::carry_out(self, task, *what, order.context.issue.as_ref())),
            Effect::Deliver { task, head, number, basis, part, asked: _ } => {
                let (task, number, basis) = (*task, *number, *basis);
                let (part, context) = (part.as_ref(), order.context.delivery.as_ref());
                deliver::carry_out(self, &deliver::Subject { task, head, number, basis, part, context })
            }
            Effect::RunCheck { .. }
            | Effect::Call { .. }
            | Effect::EndCall { .. }
            | Effect::Announce
            | Effect::RunHook { .. }
            // Those of lanes with checkouts of their own.
            | Effect::Open { .. }
            | Effect::Merge { .. }
            | Effect::Land { .. } => Ok(Vec::new()),
            Effect::Refuse { lane, turn } => refuse::carry_out(self, *lane, *turn, &order.context),
        }
    }

    fn commit(
        &mut self,
        (lane, turn): (LaneId, TurnKey),
        since: Option<&SnapshotId>,
        kind: CommitKind,
        context: &OrderContext,
    ) -> Worked {
        let mut reports = match damage::after_checks(self, (lane, turn), None)? {
            ControlFlow::Break(reports) => return Ok(reports),
            ControlFlow::Continue(reports) => reports,
        };
        self.leave_out_what_went_back(context, turn, since)?;
        reports.extend(self.write_down_before_commit(context, turn, kind)?);
        let subject = Subject { kind, task: context.task().map(|at| &at.row) };
        let checked = self.take_in_rewritten(context, turn, since)?;
        reports.extend(commit::carry_out(self, (lane, turn), since, subject, checked)?);
        Ok(reports)
    }

    /// Looks at what the checks wrote.
    fn settle(&mut self, lane: LaneId, turn: TurnKey) -> Worked {
        let look = self.look()?;
        let mut reports = match damage::after_checks(self, (lane, turn), Some(&look.inventory))? {
            ControlFlow::Break(reports) => return Ok(reports),
            ControlFlow::Continue(reports) => reports,
        };
        let evidence = self.evidence(&look);
        self.note_checks(&look.inventory)?;
        self.remember(look);
        reports.push(Report::from(report::TreeRechecked { lane, evidence }));
        Ok(reports)
    }

    /// What is still to be known of a call that nobody saw end.
    fn recover(
        &self,
        (lane, call): (LaneId, CallId),
        turn: TurnKey,
        purpose: Purpose,
        agent: AgentIndex,
    ) -> Vec<Report> {
        let call_folder = self.call_folder(turn, purpose);
        let plan = self.plan.of_call(purpose, agent);
        let mut recovered = recover::report(&plan, &call_folder);
        settle_denials(&mut recovered.report.denials, &plan, self.folder.state());
        let ended = report::CallEnded { lane, call, report: Box::new(recovered.report) };
        recovered.notice.map(Report::notice).into_iter().chain([Report::from(ended)]).collect()
    }

    fn keep(&mut self, lane: LaneId, turn: TurnKey, context: &OrderContext) -> Worked {
        let began = damage::beginning(self, turn)?;
        let is_a_persons_list = self.hear_of_tasks(turn)?;
        self.decision_log = context.attempt.as_ref().and_then(|attempt| attempt.decision_log.clone());
        // Before anything is looked at: what was proposed is no work.
        let proposed = principles::take(self, lane, context)?;
        let look = self.look()?;
        let changed = self.latest.as_ref().map_or(0, |before| self.changes(&before.inventory, &look));
        let forbidden_changes = refuse::find(self, turn, &look.inventory, context)?;
        let mut suspicions = guard::suspicions(self, &look.inventory, context)?;
        suspicions.extend(boxes::missing(self, turn)?);
        suspicions.extend(nested::in_lane(self, &look.inventory)?);
        let inside = self.nested.take().filter(|_| self.began == Some(turn));
        let inside = nested::notice(self, inside.as_ref(), &look.inventory)?;
        let moved = refuse::commit_notice(self, turn, &look.inventory);
        let evidence = self.evidence(&look);
        let name = self.name(turn, Side::After);
        let aside = self.set_aside(&name, &look.inventory)?;
        let kept = self.keep_look(&look.inventory, &name)?;
        let found = damage::find(self, turn, began.as_ref(), (&look.inventory, kept.as_ref()), context)?;
        let snapshot = kept.map(|snapshot| snapshot.id);
        self.latest = Some(Look { snapshot: snapshot.clone(), ..look });
        self.kept_last = Some(turn);
        let mut reports = self.say_once(self.changed_inputs());
        if self.began == Some(turn) {
            reports.extend(self.say_once(stray_trees::notices(self, &self.trees)));
        }
        reports.extend(aside.map(Report::notice));
        reports.extend(found.iter().flat_map(|found| damage::reports(self, lane, found)));
        self.damage = found;
        reports.extend(moved.into_iter().chain(inside).map(Report::notice));
        let changed = u32::try_from(changed).unwrap_or(u32::MAX);
        let at = context.task().map(|at| &at.row.id);
        if !is_a_persons_list {
            let foreign = tasks::foreign_changes(&self.plan, context, &self.vouched);
            reports.extend(self.say_once(foreign.into_iter().collect()));
        }
        let gone = tasks::gone(&self.plan, at);
        let standing = tasks::standing(&self.plan, at).or_else(|| standing::read(&self.plan));
        let standing = standing.map(|read| JobStatus { complete: read.complete || gone.is_some(), ..read });
        suspicions.extend(gone);
        // After the claim was read.
        reports.extend(self.put_tasks_back(turn, context)?);
        reports.extend(proposed.map(Report::from));
        reports.push(Report::from(report::Suspected { lane, suspicions }));
        reports.push(Report::from(report::SnapshotTaken {
            lane,
            evidence,
            snapshot,
            changed,
            forbidden_changes,
            standing,
        }));
        Ok(reports)
    }

    /// After a restart an attempt is kept again, and its name goes to what is there then. What it named before differs where
    /// somebody wrote meanwhile, or where refused changes were being undone: it gets a name of its own first.
    pub(super) fn set_aside(
        &self,
        name: &SnapshotName,
        now: &Inventory,
    ) -> Result<Option<String>, WorkError> {
        let Some(store) = &self.snapshots else {
            return Ok(None);
        };
        let Some(former) = store.find_named(name)? else { return Ok(None) };
        let left = store.load(&former)?;
        if changed_since(store, &left, now)?.is_empty() {
            return Ok(None);
        }
        if refuse::undoes(self) {
            // An undoing that was cut off may have removed the last file of a folder, and not the folder.
            remove_emptied(&self.surveyor.place().root, now, &left);
        }
        let own = store.next_before_restore(&name.run)?;
        store.name(&former, &own)?;
        Ok(Some(format!(
            "the files are not as the interrupted attempt had left them; `windlass restore {} {}` brings that back",
            name.run, own.moment
        )))
    }

    /// How many files differ; bookkeeping is none.
    fn changes(&self, before: &Inventory, look: &Look) -> usize {
        let place = self.surveyor.place();
        let changes = inventory::changes(before, &look.inventory).into_iter();
        changes.filter(|path| !standing::is_bookkeeping(path, &self.plan.job, place)).count()
    }

    /// What an attempt begins with has a name of its own, for `restore --before`. Usually it is what the last one left.
    fn keep_beginning(&mut self, turn: TurnKey) -> Result<(), WorkError> {
        let name = self.name(turn, Side::Before);
        let Some(mut look) = self.latest.take() else {
            return Ok(());
        };
        // Somebody may have moved a branch since, which no file shows.
        if let (Some(id), Some(store), Some(repository)) =
            (&look.snapshot, &mut self.snapshots, &self.surveyor.place().repository)
            && !store.is_as_kept(repository, id)?
        {
            look.snapshot = None;
        }
        let named = match (&look.snapshot, &self.snapshots) {
            (Some(id), Some(store)) => store.name(id, &name).map_err(WorkError::from),
            _ => self.keep_look(&look.inventory, &name).map(|kept| {
                look.snapshot = kept.map(|snapshot| snapshot.id);
            }),
        };
        self.latest = Some(look);
        named
    }
}
