//! The facts of an attempt: prompt, call, kept tree, checks, commit, verdict.

use std::time::Duration;

use super::Applied;
use crate::claim;
use crate::report::SnapshotTaken;
use crate::run::lane::{AttemptOutcome, Call, Candidate, Checking, Judged, KeptTree, LaneState, Turn};
use crate::run::ledger::Charge;
use crate::run::verdict::Course;
use crate::run::{Council, NotesShare, Run};
use crate::spec::{ClaimSource, Mode};
use crate::values::{
    AnswerForm, CallId, CallSummary, CheckKind, CheckOutcome, CheckStage, Class, Cost, Evidence, HookName,
    JobStatus, LaneId, Named, Now, Purpose, SnapshotId, TaskId, Tokens, Verdict,
};

impl Run {
    pub(super) fn call_reserved(&mut self, lane: LaneId, call: Call, reserved: Cost) -> Applied {
        let turn = self.take_state(lane, "preparing", LaneState::try_as_preparing)?;
        self.expect_agent(call.agent)?;
        self.ledger.reserve(call.id, reserved);
        if let Some(at) = self.lanes.get_mut(&lane).and_then(|held| held.task.as_mut()) {
            at.attempts.push(turn.key());
        }
        self.set_state(lane, LaneState::Calling(turn, call));
        Ok(())
    }

    pub(super) fn iteration_started(
        &mut self,
        now: Now,
        lane: LaneId,
        iteration: u32,
        task: Option<&TaskId>,
    ) -> Applied {
        let asks = self.hook(HookName::NextIteration).is_some();
        let ready = |state: &LaneState| match state {
            LaneState::Idle { .. } => !asks,
            LaneState::Cleared => asks,
            _ => false,
        };
        self.take_state(lane, "free to begin", |state| ready(&state).then_some(()))?;
        if iteration != self.counters.started + 1 {
            return Err(format!("iteration {} was expected", self.counters.started + 1));
        }
        self.task_begun(lane, task)?;
        self.counters.started = iteration;
        let turn = Turn {
            iteration,
            attempt: 1,
            purpose: self.spec.as_ref().map_or(Purpose::Work, |spec| spec.job.mode.purpose()),
            task: task.cloned(),
            began: now.wall,
            active: self.clock.active(now),
            ..Turn::default()
        };
        self.standings.begin();
        let opens = self.has_lanes();
        self.set_state(lane, if opens { LaneState::Opening(turn) } else { LaneState::Preparing(turn) });
        Ok(())
    }

    pub(super) fn call_finished(
        &mut self,
        lane: LaneId,
        mut turn: Turn,
        call: Call,
        claimed: bool,
        summary: &CallSummary,
    ) {
        self.ledger.charge(call.id, turn.iteration, summary);
        turn.cost += summary.cost;
        if summary.estimated {
            turn.estimated += summary.cost;
        }
        turn.tokens += summary.tokens;
        if turn.purpose.answer() == AnswerForm::Assessment {
            self.findings.clone_from(&summary.assessment);
        }
        let (agent, summary) = (call.agent, summary.clone());
        let outcome = AttemptOutcome { agent, summary, claimed, ..AttemptOutcome::default() };
        self.set_state(lane, LaneState::Keeping(turn, outcome));
    }

    /// An estimate is replaced by what is known now; also in the iteration that the call was made for, where that goes on.
    pub(super) fn call_recharged(
        &mut self,
        lane: LaneId,
        call: CallId,
        charge: Charge,
        tokens: Tokens,
    ) -> Applied {
        self.lane(lane).ok_or_else(|| format!("there is no lane {lane}"))?;
        let lost = self
            .ledger
            .recharge(call, charge, tokens)
            .ok_or_else(|| format!("call {call} is not charged as lost"))?;
        let turns = self.lanes.values_mut().filter_map(|lane| lane.state.turn_mut());
        for turn in turns.filter(|turn| turn.iteration == lost.iteration) {
            turn.cost = turn.cost.minus(lost.cost) + charge.cost;
            turn.estimated = turn.estimated.minus(lost.cost) + charge.estimate();
            turn.tokens = turn.tokens.with(tokens, lost.tokens);
        }
        Ok(())
    }

    pub(super) fn snapshot_kept(&mut self, taken: &SnapshotTaken) -> Applied {
        let SnapshotTaken { lane, evidence, snapshot, standing, forbidden_changes, .. } = taken;
        let lane = *lane;
        let (turn, mut outcome) = self.take_state(lane, "keeping", LaneState::try_as_keeping)?;
        if let Some(standing) = standing {
            self.standings.read(standing);
            if !self.has_lanes() {
                self.note_hidden_work(standing);
            }
        }
        // What the work did is still to be told, and still held against it, when a council was asked in between.
        if !matches!(turn.council, Council::Asked(_)) {
            self.forbidden_changes.clear();
            self.forget_earlier_damage(lane, &turn);
            self.forget_refused(lane);
        }
        outcome.kept = Some(self.kept_tree(lane, evidence, snapshot.as_ref()));
        if *forbidden_changes > 0 {
            self.set_state(lane, LaneState::Refusing(turn, outcome));
            return Ok(());
        }
        if self.is_undoing_due(lane) {
            self.set_state(lane, LaneState::Undoing(turn, outcome));
            return Ok(());
        }
        // Whoever puts work together that was claimed already need not claim it again.
        let by_file = turn.purpose.keeps_claim() || self.file_claims().unwrap_or(outcome.claimed);
        self.take_in(lane, turn, outcome, by_file);
        Ok(())
    }

    /// What the agent may not change was undone: what is left is the attempt's own. A plan that is written by an agent that
    /// strayed is not a claim, nor is a document where what it did cannot be undone; other claims stand, and are refused when the
    /// checks have judged what is left.
    pub(super) fn refused(
        &mut self,
        lane: LaneId,
        files: &[String],
        undone: bool,
        evidence: &Evidence,
    ) -> Applied {
        let (turn, mut outcome) = self.take_state(lane, "refusing", LaneState::try_as_refusing)?;
        files.clone_into(&mut self.forbidden_changes);
        self.note_refused(lane, files, undone);
        let snapshot = outcome.kept.as_ref().and_then(|kept| kept.snapshot.clone());
        outcome.kept = Some(self.kept_tree(lane, evidence, snapshot.as_ref()));
        if self.is_undoing_due(lane) {
            self.set_state(lane, LaneState::Undoing(turn, outcome));
            return Ok(());
        }
        let may_stand = match self.spec.as_ref().map(|spec| spec.job.mode.claim()) {
            Some(ClaimSource::UnchangedPlan) => false,
            Some(ClaimSource::Document) => undone,
            _ => true,
        };
        let claimed = may_stand && self.file_claims().unwrap_or(outcome.claimed);
        self.take_in(lane, turn, outcome, claimed);
        Ok(())
    }

    pub(super) fn kept_tree(
        &self,
        lane: LaneId,
        evidence: &Evidence,
        snapshot: Option<&SnapshotId>,
    ) -> KeptTree {
        KeptTree {
            evidence: evidence.clone(),
            snapshot: snapshot.cloned(),
            is_new: self.history.is_new(evidence),
            moved: self.latest_evidence(lane) != Some(evidence),
        }
    }

    /// What an attempt left becomes evidence; `claimed` is what its file says, or its last words.
    pub(super) fn take_in(
        &mut self,
        lane: LaneId,
        mut turn: Turn,
        mut outcome: AttemptOutcome,
        claimed: bool,
    ) {
        let Some(KeptTree { evidence, is_new, .. }) = outcome.kept.clone() else { return };
        if turn.purpose.judges() {
            // Whoever judges makes no progress, whatever its tests have written.
            self.history.saw(&evidence);
            self.disown_what_councils_wrote(lane, &turn, &evidence);
            outcome.claimed &= turn.purpose.answer() == AnswerForm::Assessment || self.claim_stands();
        } else {
            turn.progress |= is_new;
            let mode = self.spec.as_ref().map_or(Mode::Goal, |spec| spec.job.mode);
            outcome.claimed = claimed && claim::may_claim(mode, &outcome.summary);
            outcome.no_work = self.found_no_work();
            self.history.reached(&evidence);
            let same = |before: &Evidence| (&before.tree, &before.work) == (&evidence.tree, &evidence.work);
            if !self.latest_evidence(lane).is_some_and(same) {
                self.note_unreviewed(lane, &turn);
            }
        }
        self.remember(lane, &evidence);
        let state = self.after_keeping(lane, turn, outcome);
        self.set_state(lane, state);
    }

    fn after_keeping(&mut self, lane: LaneId, mut turn: Turn, mut outcome: AttemptOutcome) -> LaneState {
        if matches!(turn.council, Council::Asked(_)) {
            return self.after_council(turn, outcome);
        }
        if turn.review.is_some() {
            return self.after_review(lane, turn, outcome);
        }
        // Not only by this attempt: also by one before it that was cut off, or by a person meanwhile.
        let now = outcome.kept.as_ref().map(|kept| &kept.evidence);
        let moved = turn.claim.as_ref().is_some_and(|claim| claim.evidence.as_ref() != now);
        match (self.course(&turn, &outcome), turn.claim.as_deref()) {
            (Course::Repeat(_), _) => LaneState::Judging(turn, outcome, Judged::default()),
            (Course::Finish, Some(claim)) if !moved => {
                let judged = claim.judged.clone();
                LaneState::Judging(turn, outcome, judged)
            }
            (Course::Finish, _) => {
                // What the verifying agent wrote is not what the gates judged: they judge again, and what they said
                // before counts no more, even if a crash comes between and the tree is then as it was.
                if let Some(claim) = &mut turn.claim {
                    outcome.claimed = true;
                    claim.evidence = None;
                }
                let checking = Checking { stage: CheckStage::Candidate, done: Vec::new(), first_pass: false };
                self.next_after_checks(lane, turn, outcome, checking)
            }
        }
    }

    pub(super) fn status_changed(&mut self, lane: LaneId, standing: &JobStatus) -> Applied {
        self.lane(lane).ok_or_else(|| format!("there is no lane {lane}"))?;
        self.standings.read(standing);
        Ok(())
    }

    pub(super) fn follow_up_due(&mut self, lane: LaneId, purpose: Purpose) -> Applied {
        if purpose.answer() == AnswerForm::Decision {
            return self.council_due(lane);
        }
        let (turn, outcome, judged) = self.take_state(lane, "judging", |state| {
            state.try_as_judging().filter(|(turn, ..)| turn.claim.is_none())
        })?;
        let evidence = self.latest_evidence(lane).cloned();
        let candidate = Candidate { purpose: turn.purpose, outcome, judged, evidence };
        let turn = turn.follow_up_on(candidate, purpose);
        self.set_state(lane, LaneState::Preparing(turn));
        Ok(())
    }

    fn found_no_work(&self) -> bool {
        self.spec.as_ref().is_some_and(|spec| self.standings.found_no_work(&spec.job))
    }

    /// Does the job's own file claim, now, that it is done? `None` where claims are not read from it.
    pub(in crate::run) fn file_claims(&self) -> Option<bool> {
        let spec = self.spec.as_ref()?;
        let by_check = self.checks(CheckKind::Until).next().is_some();
        (spec.job.mode.reads_file() && !by_check).then(|| self.standings.claims(&spec.job))
    }

    pub(super) fn check_finished(
        &mut self,
        lane: LaneId,
        stage: CheckStage,
        outcome: &CheckOutcome,
    ) -> Applied {
        if !self.expects_check(lane, stage, outcome.check) {
            return Err("this check was not due".to_owned());
        }
        let first_pass = self.history.is_first_pass(std::slice::from_ref(outcome));
        self.history.checked(outcome);
        if stage == CheckStage::Baseline {
            self.baseline.push(outcome.clone());
            self.leave_baseline();
            return Ok(());
        }
        let Some(LaneState::Gating(turn, candidate, checking)) = self.lane(lane).cloned() else {
            return Err("no check was due".to_owned());
        };
        let mut done = checking.done;
        done.push(outcome.clone());
        let checking = Checking { stage, done, first_pass: checking.first_pass || first_pass };
        let next = self.next_after_checks(lane, turn, candidate, checking);
        self.set_state(lane, next);
        Ok(())
    }

    /// The state after the checks run so far: the next check, the commit, a look at what the checks wrote, the verdict.
    pub(super) fn next_after_checks(
        &mut self,
        lane: LaneId,
        turn: Turn,
        mut outcome: AttemptOutcome,
        checking: Checking,
    ) -> LaneState {
        if self.next_check(lane, &outcome, &checking).is_some() {
            return LaneState::Gating(turn, outcome, checking);
        }
        let green = self.is_green(lane, &outcome, &checking.done);
        let judged = Judged { outcomes: checking.done, first_pass: checking.first_pass };
        match checking.stage {
            CheckStage::Merged if green => return LaneState::Landing(turn, outcome, judged),
            CheckStage::Merged => return self.ask_to_merge(lane, turn, outcome, judged, &[]),
            CheckStage::Committed if green && self.has_lanes() && outcome.in_git.refused.is_none() => {
                return LaneState::Queued(turn, outcome, judged);
            }
            CheckStage::Committed | CheckStage::Baseline => return after_checks(turn, outcome, judged),
            CheckStage::Candidate => {}
        }
        if let Some(review) = self.before_review(lane, &turn, &mut outcome, &judged) {
            return review;
        }
        self.after_candidate(lane, turn, outcome, judged)
    }

    /// What follows once all who look at a candidate have had their say: the commit, a look at what the checks wrote, the
    /// verdict.
    pub(super) fn after_candidate(
        &self,
        lane: LaneId,
        turn: Turn,
        mut outcome: AttemptOutcome,
        judged: Judged,
    ) -> LaneState {
        let held = self.held_for_review(lane).is_some();
        let commits = self.commits(lane, &outcome, &judged) || self.keeps_attempt(lane, &turn, &outcome);
        if commits && !held {
            return LaneState::Advancing(turn, outcome, judged);
        }
        // What was refused before a restart is not what is there now.
        outcome.in_git.refused = None;
        after_checks(turn, outcome, judged)
    }

    pub(super) fn attempt_repeats(&mut self, now: Now, lane: LaneId, class: Class) -> Applied {
        if class == Class::Interrupted && self.may_lose(lane) {
            return self.begin_again(lane);
        }
        if class == Class::Outage && self.may_be_unfilled(lane) {
            return self.fill_again(lane);
        }
        let (turn, outcome, _) = self.take_state(lane, "judging", LaneState::try_as_judging)?;
        if self.goes_elsewhere(lane, &turn, &outcome) {
            self.begin_anew(lane, &turn);
            return Ok(());
        }
        let agent = outcome.agent;
        self.standings.begin();
        let notes = if class == Class::ContextTooLong { NotesShare::Little } else { turn.notes };
        self.set_state(lane, LaneState::Preparing(turn.next_attempt(notes)));
        self.count_reach(now, agent, class);
        Ok(())
    }

    pub(super) fn iteration_finished(
        &mut self,
        now: Now,
        lane: LaneId,
        verdict: Verdict,
        class: Class,
        progress: bool,
    ) -> Applied {
        let (turn, outcome, judged) = self.take_state(lane, "judging", LaneState::try_as_judging)?;
        self.count_reach(now, outcome.agent, class);
        self.count_verdict(lane, verdict, class, progress);
        self.count_answer(turn.claim.as_deref(), verdict);
        self.count_held(lane, verdict);
        self.count_uncommitted(lane, verdict, &outcome);
        self.count_claim(lane, verdict, (&outcome, turn.claim.as_deref()), &judged.outcomes);
        self.count_shown(lane, turn.claim.as_deref(), &outcome, &judged);
        self.counters.finished += 1;
        self.hooks.greeting.clear();
        self.hooks.advice.clear();
        // In one of several lanes only its share is used up.
        self.counters.budget_exhausted |= class == Class::BudgetExhausted && !self.has_lanes();
        let state = self.after_iteration(now, lane, turn, &outcome, verdict, progress);
        if let Some(held) = self.lanes.get_mut(&lane).filter(|held| held.task.is_some()) {
            held.refused = judged.outcomes;
        }
        self.set_state(lane, state);
        Ok(())
    }

    /// What an iteration of tasks means for its task is written down before anything else begins in its lane.
    fn after_iteration(
        &mut self,
        now: Now,
        lane: LaneId,
        turn: Turn,
        outcome: &AttemptOutcome,
        verdict: Verdict,
        progress: bool,
    ) -> LaneState {
        let delay = self.spec.as_ref().map_or(Duration::ZERO, |spec| spec.clocks.delay);
        let Some(task) = turn.task.clone() else {
            return LaneState::Idle { not_before: now.monotonic.saturating_add(delay) };
        };
        let end = self.task_end(lane, &turn, &task, outcome, verdict, progress);
        self.count_task((lane, &task), verdict, outcome, progress);
        LaneState::Closing(turn, end)
    }

    pub(super) fn expect_call(&self, lane: LaneId, call: CallId) -> Result<(Turn, Call), String> {
        match self.lane(lane).and_then(LaneState::call) {
            Some((turn, running)) if running.id == call => Ok((turn.clone(), running)),
            _ => Err(format!("call {call} is not under way in lane {lane}")),
        }
    }

    pub(in crate::run) fn take_state<T>(
        &self,
        lane: LaneId,
        wanted: &str,
        pick: impl FnOnce(LaneState) -> Option<T>,
    ) -> Result<T, String> {
        let state = self.lane(lane).ok_or_else(|| format!("there is no lane {lane}"))?;
        pick(state.clone()).ok_or_else(|| format!("lane {lane} is {}, not {wanted}", state.name()))
    }

    pub(in crate::run) fn set_state(&mut self, lane: LaneId, state: LaneState) {
        if let Some(held) = self.lanes.get_mut(&lane) {
            held.state = state;
        }
    }

    /// What checks wrote is nothing to commit: where there was nothing before them, there is nothing now.
    pub(in crate::run) fn disown(&mut self, lane: LaneId, evidence: &Evidence) {
        if let Some(held) = self.lanes.get_mut(&lane) {
            held.disown(evidence);
        }
    }

    pub(super) fn remember(&mut self, lane: LaneId, evidence: &Evidence) {
        if let Some(held) = self.lanes.get_mut(&lane) {
            held.latest = Some(evidence.clone());
        }
    }
}

/// The verdict, once what the checks wrote was looked at.
fn after_checks(turn: Turn, outcome: AttemptOutcome, judged: Judged) -> LaneState {
    if judged.outcomes.is_empty() {
        LaneState::Judging(turn, outcome, judged)
    } else {
        LaneState::Settling(turn, outcome, judged)
    }
}
