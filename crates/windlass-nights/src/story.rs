//! A night as a person reads it.

use std::fmt::Write as _;

use jiff::Timestamp;
use windlass_core::fact::Fact;
use windlass_core::report;
use windlass_core::values::{Class, JobStatus, Named, Purpose, StopReason};

use crate::invariant::{Breach, Invariant};
use crate::record::{Out, Record, SessionEnd, What};
use crate::script::Script;

/// The longest line.
const WIDTH: usize = 100;

/// What happened, line by line: time, iteration, what. The breach stands where it was seen.
pub fn tell(script: &Script, record: &Record, broken: Option<&(Invariant, Breach)>) -> String {
    let mut text = setting(script);
    let mut iteration = 0;
    for (at, moment) in record.moments.iter().enumerate() {
        if let What::Fact(entry) = &moment.what
            && let Fact::IterationStarted { iteration: begun, .. } = &entry.fact
        {
            iteration = *begun;
        }
        if let Some(said) = sentence(&moment.what) {
            line(&mut text, &moment.wall.strftime("%H:%M:%S").to_string(), iteration, &said);
        }
        if let Some((invariant, breach)) = broken.filter(|(_, breach)| breach.moment == at) {
            let said = format!("✗ {}: {}", invariant.name, breach.said);
            line(&mut text, "", iteration, &said);
        }
    }
    if let Some((invariant, breach)) = broken.filter(|(_, breach)| breach.moment >= record.moments.len()) {
        line(&mut text, "", iteration, &format!("✗ {}: {}", invariant.name, breach.said));
    }
    text
}

fn setting(script: &Script) -> String {
    let plan = &script.plan;
    let limits = &plan.limits;
    let mut text = format!("  a night in {:?} mode, seed {}\n", plan.job.mode, script.seed);
    let mut add = |said: String| {
        let _ = writeln!(text, "    {said}");
    };
    let some = |name: &str, value: Option<String>| value.map(|value| format!("{name} {value}"));
    let parts: Vec<String> = [
        some("iterations", limits.iterations.map(|most| most.to_string())),
        some("cost", limits.cost.map(|most| most.to_string())),
        some("tokens", limits.tokens.map(|most| most.to_string())),
        some("duration", limits.duration.map(|most| format!("{most:?}"))),
        some("failures", Some(limits.failures.to_string())),
        some("stagnation", limits.stagnation.map(|most| most.to_string())),
    ]
    .into_iter()
    .flatten()
    .collect();
    add(format!("limits: {}", parts.join(", ")));
    add(format!(
        "done at {}; {} claims in a row; commits: {:?}; hook: {:?}; git: {}",
        script.goal, plan.job.completion_threshold, plan.commit, script.hook, plan.git
    ));
    for (hook, nature) in plan.hooks.iter().zip(&script.hooks) {
        add(format!("hook {}: {:?}, leaves {:?}", hook.name.name(), nature.says, nature.leaves));
    }
    if let Some(job) = &plan.job.plan {
        let book = crate::world::Book::read(script.book);
        add(format!("plan before: {book:?}; ends by itself: {}", job.smart_termination));
    }
    if script.status.is_some() || plan.job.verification.is_some() {
        add(format!("status file before: {:?}; verification: {:?}", script.status, plan.job.verification));
    }
    if let Some((forge, spec)) = script.forge.as_ref().zip(plan.delivery.as_ref()) {
        add(format!("merge: {:?}, no checks: {:?}, {} retries", spec.merge, spec.no_checks, spec.ci_retries));
        add(format!("forge: {forge:?}"));
    }
    for (check, nature) in plan.checks.iter().zip(&script.checks) {
        add(format!("{:?} `{}`: {:?}, leaves {:?}", check.kind, check.command, nature.rule, nature.leaves));
    }
    text
}

fn line(text: &mut String, time: &str, iteration: u32, said: &str) {
    let iteration = if iteration == 0 { String::new() } else { format!("#{iteration}") };
    let mut first = true;
    for part in wrapped(said, WIDTH - 18) {
        let (time, iteration) = if first { (time, iteration.as_str()) } else { ("", "") };
        let _ = writeln!(text, "  {time:<8}  {iteration:>4}  {part}");
        first = false;
    }
}

fn wrapped(said: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in said.split(' ') {
        let last = lines.last().map_or(0, |line| line.chars().count());
        if last > 0 && last + 1 + word.chars().count() > width {
            lines.push(String::new());
        }
        if let Some(line) = lines.last_mut() {
            if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(word);
        }
    }
    lines
}

fn sentence(what: &What) -> Option<String> {
    Some(match what {
        What::Fact(entry) => fact(&entry.fact)?,
        What::LostFact(entry) => format!("(lost: {})", entry.fact.name()),
        What::FactsLost { count, .. } => format!("— of the journal, {count} facts did not survive"),
        What::SessionBegan { facts: 0 } => "— the run begins".to_owned(),
        What::SessionBegan { facts } => format!("— a session begins with {facts} facts"),
        What::SessionEnded(SessionEnd::Finished) => "— the session ends".to_owned(),
        What::SessionEnded(SessionEnd::Killed) => "— the runner is killed".to_owned(),
        What::SessionEnded(SessionEnd::PowerCut) => "— the power goes".to_owned(),
        What::SessionEnded(SessionEnd::Broken) => "— the runner cannot go on".to_owned(),
        What::AgentStarted { character, call, budget, .. } => {
            let budget = budget.map_or_else(String::new, |budget| format!(" and may spend {budget}"));
            format!("{character} starts (call {call}){budget}")
        }
        What::AgentDid(said) => format!("  the agent {said}"),
        What::StreamRead { bill, claims, passes, .. } => {
            let reported = bill.reported.map_or_else(|| "no cost".to_owned(), |cost| cost.to_string());
            let claims = if *claims { " and says that it is done" } else { "" };
            let passes = match passes {
                Some(true) => " and judges: pass",
                Some(false) => " and judges: no",
                None => "",
            };
            format!("  the agent reports {reported}{claims}{passes}")
        }
        What::CheckRan { check, passed, stage, .. } => {
            let result = if *passed { "will pass" } else { "will not pass" };
            format!("  check {check} ({stage:?}) {result}")
        }
        What::Told { key, repeated } => {
            let again = if *repeated { ", marked as repeated" } else { "" };
            format!("  somebody is told {:?} of fact {}{again}", key.event, key.about)
        }
        What::Out(out) if !matches!(out, Out::Looked(_)) => format!("  at the forge: {out:?}"),
        What::Proposed { sound: true, .. } => "  the agent proposes principles".to_owned(),
        What::Proposed { sound: false, .. } => "  the agent proposes nothing that can be taken".to_owned(),
        What::Committed { commit, .. } => format!("  the runner commits ({commit})"),
        What::Landed { lane, task, .. } => format!("  {task} lands from lane {lane}"),
        What::HookRan(said) => format!("  the commit's hook {said}"),
        What::HookBegan { hook } => format!("  the hook {} is called", hook.name()),
        What::HookSaid { decision } => format!("  the hook says {decision:?}"),
        What::PersonDid(said) => format!("  a person {said}"),
        What::Stopped { by } => format!("somebody asks the run to stop ({by:?})"),
        What::ClockMoved(seconds) => format!("the clock on the wall moves by {seconds} s"),
        What::Happened(said) => (*said).to_owned(),
        What::Unprotected { file, before } => format!("! nothing keeps {file} when {before}"),
        What::BadSnapshot(said) => format!("! snapshot {said} has no contents"),
        What::Stuck(said) | What::Illegal(said) | What::OtherThanOneLane(said) => format!("! {said}"),
        What::Differs => "! the journal folds to another state".to_owned(),
        What::BadPrompt(said) => format!("! the prompt: {said}"),
        What::Prepared { .. }
        | What::Logged { .. }
        | What::JudgedTree { .. }
        | What::Branch { .. }
        | What::BoxesBefore { .. }
        | What::Out(_) => return None,
    })
}

/// Who cannot work, or can again.
fn agents(fact: &Fact) -> String {
    match fact {
        Fact::AgentAway { agent, class, until, by, .. } => {
            let until = until.map_or_else(|| "for good".to_owned(), |until| format!("until {until}"));
            let by = by.map_or_else(|| "nobody".to_owned(), |by| format!("agent {by}"));
            format!("agent {agent} cannot work ({class:?}) {until}; {by} takes over")
        }
        Fact::AgentBack { agent } => format!("agent {agent} can work again"),
        _ => String::new(),
    }
}

fn charged(fact: &Fact) -> String {
    match fact {
        Fact::CallFinished { summary, claimed, .. } => {
            let estimated = if summary.estimated { " (estimated)" } else { "" };
            let claimed = if *claimed { ", a claim" } else { "" };
            format!("the call ended: {:?}, {}{estimated}{claimed}", summary.class, summary.cost)
        }
        Fact::CallRecharged { call, cost, replaces, .. } => {
            format!("lost call {call} cost {cost}, and was charged {replaces}")
        }
        _ => String::new(),
    }
}

fn fact(fact: &Fact) -> Option<String> {
    Some(match fact {
        Fact::RunStarted { .. } | Fact::CallSpawned(_) | Fact::NotificationSettled(_) => return None,
        Fact::StatusChanged(report::StatusChanged { standing, .. }) => {
            format!("the status file says: {}", status(standing))
        }
        Fact::DecisionLogged(_) => "what was decided is in the log".to_owned(),
        Fact::ReviewSkipped(report::ReviewSkipped { lines, .. }) => {
            format!("{lines} changed lines are not looked over")
        }
        Fact::FollowUpDue { purpose: Purpose::Council, .. } => "a council is to be asked".to_owned(),
        Fact::FollowUpDue { .. } => "a fresh agent is to be asked about the claim".to_owned(),
        Fact::RunResumed { .. } => "the run is resumed".to_owned(),
        Fact::BaselineCaptured(report::BaselineCaptured { evidence, .. }) => {
            format!("the tree is looked at: {}", short(&evidence.tree))
        }
        Fact::CheckFinished(report::CheckFinished { outcome, .. }) => {
            format!("check {} ended: {:?}", outcome.check, outcome.result)
        }
        Fact::IterationStarted { iteration, task: Some(task), lane } => {
            format!("iteration {iteration} begins {task} in lane {lane}")
        }
        Fact::IterationStarted { iteration, .. } => format!("iteration {iteration} begins"),
        Fact::TasksRead { tasks } => format!("{} tasks are read", tasks.len()),
        Fact::LaneOpened(report::LaneOpened { lane, base, .. }) => {
            format!("lane {lane} is open at {}", short(base))
        }
        Fact::Merged(report::Merged { lane, tip, outcome, .. }) => {
            format!("lane {lane} is merged with {}: {outcome:?}", short(tip))
        }
        Fact::Landed(report::Landed { lane, outcome }) => format!("lane {lane} lands: {outcome:?}"),
        Fact::TaskClosed(report::TaskClosed { task, end, .. }) => format!("task {task}: {end:?}"),
        Fact::CallReserved { call, attempt, reserved, .. } => {
            format!("{reserved} is set aside for call {call}, attempt {attempt}")
        }
        Fact::CallCut { cut, now, .. } => {
            format!("the call is ended: {cut:?}{}", if *now { ", by force" } else { "" })
        }
        Fact::CallFinished { .. } | Fact::CallRecharged { .. } => charged(fact),
        Fact::SnapshotTaken(report::SnapshotTaken { evidence, changed, .. }) => {
            format!("the tree is kept: {}, {changed} files changed", short(&evidence.tree))
        }
        Fact::Suspected(report::Suspected { suspicions, .. }) => {
            format!("the guard finds {} things", suspicions.len())
        }
        Fact::PrinciplesCollected { principles: Some(_), .. } => {
            "the agent's principles are taken".to_owned()
        }
        Fact::PrinciplesCollected { refused, .. } => {
            format!("the agent's principles are not taken: {refused}")
        }
        Fact::ForbiddenChangesReverted(report::ForbiddenChangesReverted { count, evidence, .. }) => {
            format!("{count} files are made what they were: {}", short(&evidence.tree))
        }
        Fact::Damaged(report::Damaged { found, course, .. }) => {
            format!("the repository is damaged: {found:?}, {course:?}")
        }
        Fact::Undone(report::Undone { evidence, .. }) => format!("that is undone: {}", short(&evidence.tree)),
        Fact::HookDue { iteration, .. } => format!("a hook is asked about iteration {iteration}"),
        Fact::HookFinished(report::HookFinished { hook, outcome, .. }) => {
            format!("the hook {} says {:?}", hook.name(), outcome.decision)
        }
        Fact::Committed(report::Committed { commit: Some(commit), altered, .. }) => {
            let altered = if *altered { ", and its hook changed what was judged" } else { "" };
            format!("it is committed as {commit}{altered}")
        }
        Fact::Committed(report::Committed { refused: Some(refused), .. }) => {
            format!("there is no commit: {refused}")
        }
        Fact::Committed(_) => "there was nothing to commit".to_owned(),
        Fact::TreeRechecked(report::TreeRechecked { evidence, .. }) => {
            format!("the tree after the checks: {}", short(&evidence.tree))
        }
        Fact::AttemptRepeats { attempt, class, .. } => {
            format!("attempt {attempt} ended ({class:?}) and is repeated")
        }
        Fact::IterationFinished { iteration, verdict, progress, .. } => {
            let progress = if *progress { ", with progress" } else { "" };
            format!("iteration {iteration} ended: {verdict:?}{progress}")
        }
        Fact::BackoffStarted { until, class, .. } => waits(*until, *class),
        Fact::Issue(step) => format!("an issue: {step:?}"),
        Fact::Delivery(step) => format!("on its way out: {step:?}"),
        Fact::BackoffEnded => "the wait is over".to_owned(),
        Fact::AgentAway { .. } | Fact::AgentBack { .. } => agents(fact),
        Fact::StopRequested { stage, by } => format!("a stop is noted: {by:?}, stage {stage}"),
        Fact::ParkRequested { by, task } => format!("{task} is to be left: {by:?}"),
        Fact::Failing { stop_reason, detail, .. } => {
            format!("it cannot go on: {} ({detail})", stop_reason.name())
        }
        Fact::RunEnding { stop_reason, .. } => format!("it is to end: {}", name(*stop_reason)),
        Fact::ActionAsked(asked) => format!("asked: {}", asked.what),
        Fact::Noticed(report::Noticed { text }) => format!("notice: {text}"),
        Fact::RunFinished { stop_reason, cost, iterations, .. } => {
            format!("the run ends: {} after {iterations} iterations, {cost}", name(*stop_reason))
        }
    })
}

fn waits(until: Timestamp, class: Class) -> String {
    format!("the run waits until {} ({class:?})", until.strftime("%H:%M:%S"))
}

fn status(standing: &JobStatus) -> String {
    let complete = if standing.complete { "complete" } else { "more to do" };
    let worked = if standing.worked == Some(false) { ", no work found" } else { "" };
    let problem = if standing.problem.is_some() { ", unreadable" } else { "" };
    format!("{complete}{worked}{problem}")
}

fn name(reason: StopReason) -> String {
    format!("{} ({reason:?})", reason.name())
}

fn short(digest: &str) -> &str {
    digest.get(..6).unwrap_or(digest)
}
