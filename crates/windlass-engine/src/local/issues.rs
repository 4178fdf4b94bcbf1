//! Issues of a forge: leased, told what became of them, given back. Each step looks first whether it is done already, since
//! whoever began it may have been killed.

use std::time::Duration;

use jiff::Timestamp;
use windlass_core::forge::labels::{DONE, PARKED, WORKING};
use windlass_core::forge::lease::{
    LONGEST_LEASE, Lease, LeaseStep, Leaseholder, LeasesSeen, next_step, own_leases,
};
use windlass_core::forge::{Issue, IssueComment, IssueState};
use windlass_core::redact::Redactor;
use windlass_core::report::{IssueReport, IssueTask, Report};
use windlass_core::run::IssueContext;
use windlass_core::spec::IssuesSpec;
use windlass_core::values::{LaneId, RunId, TaskId, between, later};
use windlass_forge::{CommentList, Forge, ForgeError, ForgeFault, reach};

use super::working_tree::WorkingTree;

/// So many steps lead to a lease at most: one's own of a killed session given back, asked anew, looked at.
const MOST_STEPS: usize = 8;

/// How far this machine's clock may be from the forge's, where comments are asked for since a time.
const CLOCKS_DIFFER: Duration = Duration::from_hours(1);

/// Does one thing with an issue.
pub(super) fn carry_out(
    world: &WorkingTree,
    task: &TaskId,
    what: IssueTask,
    context: Option<&IssueContext>,
) -> Vec<Report> {
    let spec = world.plan.job.tasks.as_ref().and_then(|tasks| tasks.issues.as_ref());
    let (Some(spec), Some(number)) = (spec, IssuesSpec::number(task)) else { return Vec::new() };
    let forge = reach(spec.repository.clone(), world.folder.path(), Some(&world.plan.run));
    let desk = Desk { forge: forge.as_ref(), spec, run: &world.plan.run, task, number };
    let came = match what {
        IssueTask::Lease => desk.lease(),
        IssueTask::GiveBack => desk.give_back(),
        IssueTask::TellDone | IssueTask::TellParked => desk.tell(what, &context.cloned().unwrap_or_default()),
    };
    vec![Report::from(came.unwrap_or_else(|error| of_error(task, what, &error)))]
}

/// One issue, and who asks.
struct Desk<'a> {
    forge: &'a dyn Forge,
    spec: &'a IssuesSpec,
    run: &'a RunId,
    task: &'a TaskId,
    number: u64,
}

impl Desk<'_> {
    fn me(&self) -> Leaseholder {
        Leaseholder { run: self.run.clone(), lane: LaneId::default() }
    }

    /// Until this run has it, or somebody else does. Each step is followed by another look.
    fn lease(&self) -> Result<IssueReport, ForgeError> {
        let (me, task) = (self.me(), self.task.clone());
        let login = self.forge.account()?.login;
        let issue = self.forge.issue(self.number)?;
        if is_over(&issue) {
            self.give_back()?;
            return Ok(IssueReport::Closed { task });
        }
        for _ in 0..MOST_STEPS {
            let CommentList { comments, cut, asked } = self.recent_comments()?;
            if cut {
                return Ok(
                    self.refused(IssueTask::Lease, "too much is said there for one to see who works on it")
                );
            }
            let seen = LeasesSeen { comments: &comments, now: asked, login: &login };
            match next_step(&seen, &me, self.spec.lease) {
                LeaseStep::Ask => {
                    self.forge
                        .add_comment(self.number, &self.lease_text(Some(later(asked, self.spec.lease))))?;
                }
                LeaseStep::Renew { comment } => {
                    let until = later(asked, self.spec.lease);
                    self.forge.edit_comment(comment, &self.lease_text(Some(until)))?;
                }
                LeaseStep::GiveBack { comment } => {
                    self.forge.edit_comment(comment, &self.lease_text(None))?;
                }
                LeaseStep::Held { until } => {
                    self.label(&issue, &[WORKING], &[PARKED])?;
                    return Ok(IssueReport::Leased { task, lasts: between(asked, until) });
                }
                LeaseStep::Theirs { holder, until } => {
                    return Ok(IssueReport::Taken {
                        task,
                        by: holder.to_string(),
                        lasts: between(asked, until),
                    });
                }
            }
        }
        Ok(self.refused(IssueTask::Lease, "others write there again and again"))
    }

    fn give_back(&self) -> Result<IssueReport, ForgeError> {
        let login = self.forge.account()?.login;
        self.give_back_as(&login)?;
        let issue = self.forge.issue(self.number)?;
        let theirs = self.recent_comments()?;
        let seen = LeasesSeen { comments: &theirs.comments, now: theirs.asked, login: &login };
        // Whoever has taken it up meanwhile wants the label.
        if next_step(&seen, &self.me(), self.spec.lease) == LeaseStep::Ask {
            self.label(&issue, &[], &[WORKING])?;
        }
        Ok(IssueReport::Done { task: self.task.clone(), what: IssueTask::GiveBack })
    }

    fn give_back_as(&self, login: &str) -> Result<(), ForgeError> {
        let there = self.recent_comments()?;
        let seen = LeasesSeen { comments: &there.comments, now: there.asked, login };
        for comment in own_leases(&seen, &self.me()) {
            self.forge.edit_comment(comment, &self.lease_text(None))?;
        }
        Ok(())
    }

    /// One comment for each run: where it is there, it says what is told now.
    fn tell(&self, what: IssueTask, context: &IssueContext) -> Result<IssueReport, ForgeError> {
        let login = self.forge.account()?.login;
        let issue = self.forge.issue(self.number)?;
        let mark = format!("<!-- windlass-result run={} -->", self.run);
        let text = format!("{mark}\n{}", Redactor::new().redact(&context.text));
        let there = self.forge.comments(self.number, None)?;
        let is_ours = |said: &&IssueComment| said.author == login && said.text.lines().next() == Some(&*mark);
        match there.comments.iter().find(is_ours) {
            Some(said) if said.text.trim() == text.trim() => {}
            Some(said) => self.forge.edit_comment(said.id, &text)?,
            None => drop(self.forge.add_comment(self.number, &text)?),
        }
        let (now, before) = if what == IssueTask::TellDone { (DONE, PARKED) } else { (PARKED, DONE) };
        self.label(&issue, &[now], &[WORKING, before])?;
        self.give_back_as(&login)?;
        if context.closes && issue.state == IssueState::Open {
            self.forge.close_issue(self.number)?;
        }
        Ok(IssueReport::Done { task: self.task.clone(), what })
    }

    /// What leases are written in: one that holds was written or renewed in its time.
    fn recent_comments(&self) -> Result<CommentList, ForgeError> {
        let since = Timestamp::now().saturating_sub(LONGEST_LEASE + CLOCKS_DIFFER).ok();
        self.forge.comments(self.number, since)
    }

    fn label(&self, issue: &Issue, on: &[&str], off: &[&str]) -> Result<(), ForgeError> {
        let has = |label: &str| issue.labels.iter().any(|own| own == label);
        for label in on.iter().filter(|label| !has(label)) {
            self.forge.add_label(self.number, label)?;
        }
        for label in off {
            self.forge.remove_label(self.number, label)?;
        }
        Ok(())
    }

    fn lease_text(&self, until: Option<Timestamp>) -> String {
        let mark = Lease { holder: self.me(), until }.mark();
        match until {
            Some(until) => format!(
                "{mark}\nWindlass works on this issue: run `{}`, until {until}. It renews that while it works; whoever is \
                 killed holds nothing beyond it.\n",
                self.run
            ),
            None => format!(
                "{mark}\nWindlass worked on this issue: run `{}`. It does not any longer.\n",
                self.run
            ),
        }
    }

    fn refused(&self, what: IssueTask, why: &str) -> IssueReport {
        IssueReport::Refused { task: self.task.clone(), what, why: why.to_owned() }
    }
}

/// Nobody waits for it any longer.
fn is_over(issue: &Issue) -> bool {
    issue.state == IssueState::Closed || issue.labels.iter().any(|label| label == DONE)
}

fn of_error(task: &TaskId, what: IssueTask, error: &ForgeError) -> IssueReport {
    let hint = if error.hint.is_empty() { String::new() } else { format!(". {}", error.hint) };
    let (task, why) = (task.clone(), format!("{error}{hint}"));
    match &error.fault {
        ForgeFault::Refused(_) | ForgeFault::NotFound(_) | ForgeFault::Forbidden(_) => {
            IssueReport::Refused { task, what, why }
        }
        fault => {
            let again = fault.again(Timestamp::now());
            IssueReport::Unreachable { task, what, why, passes: fault.may_pass(), again }
        }
    }
}
