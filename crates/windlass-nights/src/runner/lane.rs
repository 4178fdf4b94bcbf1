//! What runs in the lane: an agent, a check, or a hook.

use std::time::Duration;

use windlass_agents::{CallWatch, Digest, Due};
use windlass_core::report;
use windlass_core::run::{EndCall, Input, TurnKey};
use windlass_core::values::{
    Bill, CallClocks, CallId, CallReport, CheckOutcome, CheckResult, CheckStage, Class, Cost, Cut, Ended,
    LaneId, Now, Purpose, Tokens,
};

use super::agent::{Agent, Shown};
use super::bill::bill;
use super::live::{Live, LiveCall, LiveCheck};
use super::{Arrival, Halt, Runner, Step};
use crate::dice::Dice;
use crate::record::What;
use crate::script::{CheckRule, Leaves, SIGNAL};
use crate::world::{Actor, NAMES};

/// Until everything that a call or a check started is gone.
const SWEEP: Duration = Duration::from_millis(5);

impl Runner<'_> {
    pub(super) fn begin_call(
        &mut self,
        call: CallId,
        turn: TurnKey,
        purpose: Purpose,
        budget: Option<Cost>,
    ) -> Step {
        let now = self.world.clock.now();
        let clocks = self.run().call_clocks(now).ok_or(Halt::Broken)?;
        // What agents used is counted at the ends of their calls here: the nights' hashes and their faults' seeds are of that.
        let clocks = CallClocks { tokens: None, ..clocks };
        self.step()?;
        if self.world.disk.is_full() {
            self.fail_full();
            let report =
                Box::new(CallReport { class: Class::Interrupted, cut: Some(Cut::Stop), ..never_started() });
            self.inbox.push_back(Arrival::Worked(Input::from(report::CallEnded {
                lane: self.here,
                call,
                report,
            })));
            return Ok(());
        }
        self.streams.insert(call, Vec::new());
        self.step()?;
        if self.world.no_directory {
            let report = if self.is_lost() {
                // What follows the call finds out, and has the task begun again.
                CallReport { class: Class::Interrupted, cut: Some(Cut::Stop), ..never_started() }
            } else {
                never_started()
            };
            let report = Box::new(report);
            self.inbox.push_back(Arrival::Worked(Input::from(report::CallEnded {
                lane: self.here,
                call,
                report,
            })));
            return Ok(());
        }
        if self.plan.git
            && let Some((file, _)) = self.unprotected_before_a_call()
        {
            self.note(What::Unprotected { file: NAMES[usize::from(file)], before: "an agent starts" });
        }
        let act = if purpose == Purpose::Review {
            self.reviews += 1;
            self.script.reviewers[(self.reviews - 1) % self.script.reviewers.len()].clone()
        } else if purpose == Purpose::Council {
            self.councils += 1;
            self.script.councils[(self.councils - 1) % self.script.councils.len()].clone()
        } else if purpose.judges() {
            self.judgements += 1;
            self.script.verifiers[(self.judgements - 1) % self.script.verifiers.len()].clone()
        } else if purpose.keeps_claim() {
            self.merges += 1;
            self.script.mergers[(self.merges - 1) % self.script.mergers.len()].clone()
        } else {
            self.calls += 1;
            self.script.acts[(self.calls - 1) % self.script.acts.len()].clone()
        };
        self.world.call_begins();
        self.note_boxes();
        let response = Cost::from_micros(act.response);
        self.note(What::AgentStarted { character: act.character, call, turn, budget, response });
        let at = now.monotonic;
        let agent = Agent::new(act, self.script.goal, self.own_task(), budget, at);
        let watch = CallWatch::new(&self.plan.agent, at, clocks);
        self.live = Live::Call(Box::new(LiveCall { call, agent, watch, swept_at: None }));
        self.inbox.push_back(Arrival::Spawned(self.here, call));
        self.step()
    }

    fn fail_full(&mut self) {
        let said = "the disk is full".to_owned();
        self.inbox.push_back(Arrival::WorkFailed(windlass_core::values::StopReason::DiskFull, said));
    }

    /// In a lane's checkout, what checks have made since it was looked at needs no keeping.
    fn unprotected_before_a_call(&self) -> Option<(u8, u32)> {
        if self.has_lanes() { self.world.unprotected_work() } else { self.world.unprotected() }
    }

    pub(super) fn end_call(&mut self, how: EndCall) {
        let cut = self.terminating_cut();
        let now = self.world.clock.monotonic();
        let Live::Call(live) = &mut self.live else { return };
        live.watch.cut(cut);
        match how {
            EndCall::Ask => {
                let shown = live.agent.ask(&self.world);
                self.show(shown);
            }
            EndCall::Kill => {
                live.agent.at = None;
                live.watch.exited(now, Ended::Signalled(9));
                live.watch.pipes_closed(now);
            }
        }
    }

    /// What has become due of what runs in the lane.
    pub(super) fn run_lane(&mut self, now: Duration) -> Step {
        match &mut self.live {
            Live::Call(call) => {
                if call.swept_at.is_some_and(|at| at <= now) {
                    return self.call_over(None);
                }
                if call.agent.at.is_some_and(|at| at <= now) {
                    let shown = call.agent.go_on(&mut self.world);
                    self.show(shown);
                    return self.step();
                }
                Ok(())
            }
            Live::Check(check) if check.ends_at <= now => self.check_over(),
            Live::Hook(hook) if hook.ends_at <= now => self.hook_over(),
            Live::Nothing | Live::Check(_) | Live::Hook(_) => Ok(()),
        }
    }

    fn show(&mut self, shown: Shown) {
        let now = self.world.clock.monotonic();
        if let Some(said) = shown.said {
            self.note(What::AgentDid(said));
            self.status_seen();
        }
        let Live::Call(live) = &mut self.live else { return };
        live.watch.bytes(now);
        for digest in &shown.digests {
            live.watch.observe(now, digest);
        }
        if let Some(stream) = self.streams.get_mut(&live.call) {
            stream.extend(shown.digests);
        }
        if let Some(ended) = shown.ended {
            live.watch.exited(now, ended);
            if !live.agent.act.straggler {
                live.watch.pipes_closed(now);
            }
        }
    }

    /// The runner watches the status file while an agent works.
    fn status_seen(&mut self) {
        let watched = self.plan.job.workspace.as_ref().is_some_and(|workspace| workspace.watch.is_some());
        let standing = self.world.standing(&self.plan.job).filter(|_| watched);
        if let Some(standing) = standing.filter(|standing| standing.problem.is_none()) {
            self.inbox
                .push_back(Arrival::Worked(Input::from(report::StatusChanged { lane: self.here, standing })));
        }
    }

    pub(super) fn poll_lanes(&mut self) -> Step {
        for lane in self.busy() {
            self.enter(lane);
            self.poll_lane()?;
        }
        Ok(())
    }

    /// Clocks of a call that have run out, and its end.
    fn poll_lane(&mut self) -> Step {
        let now = self.world.clock.monotonic();
        let Live::Call(live) = &mut self.live else { return Ok(()) };
        if live.swept_at.is_some() {
            return Ok(());
        }
        match live.watch.due(now) {
            Some(Due::Finished) => {
                live.swept_at = Some(now + SWEEP);
                live.agent.at = None;
                Ok(())
            }
            Some(Due::Cut(cut)) => {
                let call = live.call;
                let calling =
                    self.run().lane(self.here).and_then(|state| state.call()).map(|(_, call)| call.id);
                match calling {
                    Some(id) if id == call => {
                        self.take(Input::from(report::CallDue { lane: self.here, call, cut }))
                    }
                    _ => Ok(()),
                }
            }
            None => Ok(()),
        }
    }

    fn call_over(&mut self, lost: Option<&str>) -> Step {
        let now = self.world.clock.now();
        let Live::Call(live) = std::mem::replace(&mut self.live, Live::Nothing) else { return Ok(()) };
        let mut report = live.watch.report(now, "");
        if let Some(why) = lost {
            report.lost_with_its_keeper(why);
        }
        self.stream_read(live.call);
        self.claim_from_notes(&mut report);
        self.step()?;
        self.take(Input::from(report::CallEnded {
            lane: self.here,
            call: live.call,
            report: Box::new(report),
        }))
    }

    /// What there is to be known of a stream, found out without the code that is under test.
    pub(super) fn stream_read(&mut self, call: CallId) {
        let digests = self.streams.get(&call).map(Vec::as_slice).unwrap_or_default();
        let results = || {
            digests.iter().filter_map(|digest| match digest {
                Digest::Result(result) => Some(result),
                _ => None,
            })
        };
        let bill = bill(digests);
        let refused = digests
            .iter()
            .any(|digest| matches!(digest, Digest::Retry { error, .. } if error == "authentication_failed"));
        let answered = digests.iter().any(|digest| match digest {
            Digest::Activity(activity) => {
                use windlass_agents::Activity;
                !matches!(activity, Activity::Starting | Activity::Thinking | Activity::Retrying)
            }
            _ => false,
        });
        let passes = results().filter_map(|result| result.structured.as_deref()).next_back();
        let passes = passes.map(|json| json.contains(r#""verdict":"pass""#));
        let last = results().rfind(|result| !result.is_error);
        let review = last.and_then(|result| result.structured.as_deref());
        let lets_stand =
            review.is_some_and(|json| !json.contains(r#""reject""#) && !json.contains("blocking"));
        // The last word counts, and in it the last line.
        let claims = results().next_back().is_some_and(|result| {
            let last = result.text.lines().rfind(|line| !line.trim().is_empty());
            !result.is_error && last.is_some_and(|line| line.trim() == SIGNAL)
        });
        let only_refused = refused && !answered;
        self.note(What::StreamRead { call, bill, only_refused, claims, passes, lets_stand });
    }

    fn claim_from_notes(&self, report: &mut CallReport) {
        if self.plant == Some(crate::plant::Plant::ClaimFromYesterday)
            && let Some(notes) = &self.world.notes
        {
            report.results.push(String::from_utf8_lossy(notes).into_owned());
        }
    }

    pub(super) fn keeper_died(&mut self) -> Step {
        self.note(What::Happened("the keeper is killed"));
        let now = self.world.clock.monotonic();
        match &mut self.live {
            Live::Nothing => Ok(()),
            Live::Call(call) => {
                call.watch.exited(now, Ended::Lost);
                self.call_over(Some("the process that keeps watch over the agent was killed"))
            }
            Live::Check(check) => {
                check.result = CheckResult::Lost;
                check.ends_at = now;
                self.check_over()
            }
            Live::Hook(hook) => {
                hook.lost = true;
                self.hook_over()
            }
        }
    }

    /// The runner is dead; for a moment the agent still works, and nobody reads what it prints.
    pub(super) fn outlive(&mut self, time: Duration) {
        let until = self.world.clock.monotonic() + time;
        for lane in self.busy() {
            self.enter(lane);
            self.outlive_here(until);
        }
    }

    fn outlive_here(&mut self, until: Duration) {
        let Live::Call(mut live) = std::mem::replace(&mut self.live, Live::Nothing) else { return };
        while let Some(at) = live.agent.at.filter(|at| *at <= until) {
            let now = self.world.clock.monotonic();
            self.world.clock.pass(at.saturating_sub(now));
            if let Some(said) = live.agent.go_on(&mut self.world).said {
                self.note(What::AgentDid(format!("{said} (the runner is dead)")));
            }
        }
    }

    pub(super) fn begin_check(&mut self, lane: LaneId, stage: CheckStage, check: u16) -> Step {
        self.step()?;
        if self.world.disk.is_full() {
            self.fail_full();
            return Ok(());
        }
        if stage != CheckStage::Baseline && self.is_lost() {
            self.inbox.push_back(Arrival::Worked(Input::from(report::LaneLost::removed(lane))));
            return Ok(());
        }
        // Beside lanes, a person may write in the user's directory at any moment.
        let shared = self.has_lanes() && lane == LaneId::default();
        if self.plan.git
            && !shared
            && let Some((file, _)) = self.world.unprotected_work()
        {
            self.note(What::Unprotected { file: NAMES[usize::from(file)], before: "a check runs" });
        }
        let began = self.world.clock.monotonic();
        let nature = &self.script.checks[usize::from(check)];
        let timeout = self.plan.checks[usize::from(check)].timeout;
        let passed = match nature.rule {
            CheckRule::WhenDone(least) => self.world.tree.done() >= least,
            CheckRule::Always => true,
            CheckRule::Whole => self.world.is_whole(),
            CheckRule::Apart(one, two) => self.world.holds_together(one, two),
            CheckRule::Never | CheckRule::Slow | CheckRule::Lost => false,
            CheckRule::Flaky(percent) => {
                Dice::new(self.script.seed ^ (self.checks_run << 32)).chance(percent.into())
            }
        };
        self.checks_run += 1;
        let (result, takes) = match nature.rule {
            CheckRule::Slow => (CheckResult::TimedOut, timeout),
            CheckRule::Lost => (CheckResult::Lost, Duration::from_millis(5)),
            _ if passed => (CheckResult::Passed, Duration::from_secs(nature.seconds.into())),
            _ => (CheckResult::Failed(1), Duration::from_secs(nature.seconds.into())),
        };
        let epoch = self.world.epoch;
        self.judged.insert((lane, check), (passed, self.world.tree));
        if self.plan.delivery.is_some() {
            self.world.forge.gated.push((check, self.world.tree, passed));
        }
        self.note(What::CheckRan { check, stage, passed, epoch });
        self.live = Live::Check(LiveCheck { lane, stage, check, began, ends_at: began + takes, result });
        self.step()
    }

    fn check_over(&mut self) -> Step {
        let now = self.world.clock.monotonic();
        let Live::Check(check) = std::mem::replace(&mut self.live, Live::Nothing) else {
            return Ok(());
        };
        match self.script.checks[usize::from(check.check)].leaves {
            Leaves::Nothing => {}
            Leaves::Same(file) => self.world.change(Actor::Check, |tree| tree.put(file, 900)),
            Leaves::New(file) => {
                let content = self.world.new_content();
                self.world.change(Actor::Check, |tree| tree.put(file, content));
            }
            Leaves::Removes(file) => self.world.change(Actor::Check, |tree| tree.put(file, 0)),
        }
        self.world.judged();
        self.step()?;
        if check.stage != CheckStage::Baseline && self.is_lost() {
            return self.take(Input::from(report::LaneLost::removed(check.lane)));
        }
        let outcome = CheckOutcome {
            check: check.check,
            result: check.result,
            duration: now.saturating_sub(check.began),
            log: "a log".to_owned(),
            last_line: String::new(),
            telling_line: String::new(),
        };
        let input = Input::from(report::CheckFinished { lane: check.lane, stage: check.stage, outcome });
        self.reports(Some(check.lane), &input);
        self.take(input)
    }

    /// What became of a call whose runner died: what is on the disk of its stream is read.
    pub(super) fn recovered(&mut self, call: CallId) -> CallReport {
        let clocks = CallClocks::ENDLESS;
        let mut watch = CallWatch::new(&self.plan.agent, Duration::ZERO, clocks);
        let stream = self.streams.get(&call).cloned().unwrap_or_default();
        for digest in &stream {
            watch.observe(Duration::ZERO, digest);
        }
        watch.exited(Duration::ZERO, Ended::Lost);
        watch.pipes_closed(Duration::ZERO);
        let now = Now { monotonic: Duration::ZERO, ..self.world.clock.now() };
        let mut report = watch.report(now, "");
        report.lost_with_its_runner(&windlass_agents::unseen(windlass_agents::of(&self.plan.agent).about()));
        report
    }
}

fn never_started() -> CallReport {
    CallReport {
        class: Class::Config,
        detail: String::new(),
        ended: Ended::Lost,
        cut: None,
        cost: Some(Cost::ZERO),
        tokens: Tokens::default(),
        bill: Bill::default(),
        results: Vec::new(),
        tool_uses: 0,
        denials: Vec::new(),
        limit: None,
        elsewhere: false,
        assessment: None,
        review: None,
        decision: None,
        overage: false,
        model: String::new(),
        windows: Vec::new(),
        garbage_lines: 0,
        duration: Duration::ZERO,
    }
}
