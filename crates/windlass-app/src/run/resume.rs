//! `resume`: continues a run.

use std::sync::Arc;
use std::time::Duration;

use windlass_agents::{of, usual};
use windlass_core::config::{Key, Layer, Origin, Resolved, Unlimited, keys};
use windlass_core::fact::{Entry, plan_of};
use windlass_core::notification::link::run_address;
use windlass_core::run::{Phase, Run};
use windlass_core::spec::{BudgetScope, Limits, RunSpec};
use windlass_core::values::{Check, CheckKind, Cost, Needs, StopReason, Suspicion};
use windlass_engine::local::vanished_boxes;
use windlass_engine::store::{Journal, RunFolder, RunSummary, index, journal};
use windlass_engine::supervisor::{Begun, OpenWait, Telling};
use windlass_host::tree;
use windlass_ui::{format, one_line};

use super::going_on::{has_begun, is_open};
use super::request::{ResumeRun, RunEnd};
use crate::agent;
use crate::app::App;
use crate::asked;
use crate::configuration::Configuration;
use crate::error::{AppError, Kind};
use crate::fleet;
use crate::here::Here;
use crate::inspect::which;
use crate::issues;
use crate::run::broken;
use crate::run::budget::{self, HeldBudget, Spenders};
use crate::run::launch::{self, Taken};
use crate::run::lost_workspace;
use crate::run::meanwhile;
use crate::run::moved;
use crate::run::same_job::SameJob;
use crate::run::tasks;
use crate::run::uncommitted;
use crate::run::whole_pipeline;
use crate::sandbox;
use crate::telling;
use crate::text::quoted;
use crate::trusting::{self, Asked, Purpose, TrustAnswers, Trusted};
use crate::worktree;

pub(super) fn resume(app: &App, request: &ResumeRun) -> Result<RunEnd, AppError> {
    let called_in = Here::find_broken(app)?;
    let folder = wanted(&called_in, request)?;
    // Read before the lock is taken, to know whose directory it is.
    let summary = index::summarize(&folder)?;
    let here = where_it_goes_on(called_in, (&folder, &summary), request)?;
    let workspace = summary.workspace.as_ref().map(|workspace| workspace.folder.as_path());
    let (settings, unlimited) = (request.settings.clone(), request.unlimited);
    let configuration = Configuration::load(&here.directory, workspace, summary.mode, settings, unlimited)?;
    let resolved = &configuration.resolved;
    let trusted = trusted(&here, &folder, &summary, &request.trust)?;
    let taken = launch::lock(&here, folder.run(), resolved.exit_codes)?;
    let ((here, mut opened, plan, (sandbox, fleet), (further, _budget)), Taken { lock, mut notices }) =
        launch::with_lock(taken, || {
            let fleet = fleet::for_resumption(&here, resolved, &folder)?;
            // At once: what follows may be a refusal.
            here.app.notices(fleet.iter().filter_map(|(_, last)| last.notice.as_ref()));
            let opened = Journal::open(&folder)?;
            let run = fold(&opened.entries)?;
            let moved = fleet.as_ref().filter(|(_, last)| last.elsewhere).map(|(fleet, _)| fleet);
            // Of one that has ended elsewhere, too: nothing else brings its commits here.
            if let (Some(fleet), Some(main), Some(old)) = (moved, &here.repository, run.spec()) {
                let landed = fleet.bring_landed(&folder, main)?;
                moved::refuse_other_branch(main, old, run.phase(), landed)
                    .map_err(|refusal| moved::unless_driven(&here, &folder, old, refusal))?;
            }
            let mut plan = plan(&run, resolved)?;
            let last = opened.entries.last().map(|last| (last.seq, last.at));
            plan.limits.worked_unseen += last.map_or(Duration::ZERO, |last| folder.worked_unseen(last));
            let budget = of_whole_job(&here, &mut plan, &folder, resolved)?;
            if let (Phase::Ended(reason), Some(old)) = (run.phase(), run.spec()) {
                refuse_ended(&plan, &old.limits, reason)?;
            }
            whole_pipeline::keep_what_is_said(&here, &plan, resolved)?;
            if moved.is_some() {
                plan = moved::here(&here, plan, &folder, resolved)?;
            }
            tree::follow(&plan.links_out);
            check_all_agents(&here.app, &mut plan, &trusted)?;
            if request.accept_findings {
                accept_findings(&run, &folder, &mut plan)?;
            }
            let behind = here.behind(&plan.sandbox.kind)?;
            broken::refuse(&behind, &plan, &opened.entries)?;
            let on_another =
                meanwhile::before_resumption(&behind, (&plan, &folder), (&run, &opened.entries))?;
            lost_workspace::refuse(&behind, &plan)?;
            tasks::refuse_lost_tasks(&behind, &plan)?;
            tasks::refuse_changed_tasks(&behind, &plan)?;
            folder.take_stop_request()?;
            let mut notices = uncommitted::before_resumption(&behind, &plan, &folder, &run)?;
            notices.extend(on_another);
            notices.extend(of_the_wait(&run, request.wait));
            issues::put_back(&behind.directory, &plan, &folder)?;
            let sandbox = sandbox::open(&behind, &plan, &folder)?;
            Ok((behind, opened, plan, (sandbox, fleet), (notices, budget)))
        })?;
    let fleet = fleet.map(|(fleet, _)| fleet);
    notices.extend(further);
    notices.extend(launch::without_git(&here));
    notices.extend(trusted.notices);
    notices.extend(opened.sealed.take().map(|path| {
        format!("the journal's last line was cut off; what was there of it is kept in {}", path.display())
    }));
    let telling = telling(&here, &plan)?;
    if let Some(asked) = &request.asked {
        asked::append(&mut opened, asked)?;
    }
    let begun = Begun {
        folder,
        journal: opened.journal,
        entries: opened.entries,
        lock,
        plan,
        sandbox,
        notices,
        wait: request.wait,
        telling,
    };
    launch::finish(&here, begun, resolved, fleet)
}

/// What becomes of a wait, where somebody said so.
fn of_the_wait(run: &Run, wait: OpenWait) -> Option<String> {
    let said = match wait {
        OpenWait::GoesOn => return None,
        OpenWait::IsOver if run.is_waiting() => "what was waited for is tried at once",
        OpenWait::IsOver => "nothing is waited for: the run goes on as without --try-now",
    };
    Some(said.to_owned())
}

/// What the repository would start as its files are now: a guest of the run may have changed them since it began.
fn trusted(
    here: &Here,
    folder: &RunFolder,
    summary: &RunSummary,
    answers: &TrustAnswers,
) -> Result<Trusted, AppError> {
    let workspace = summary.workspace.as_ref().map(|workspace| workspace.folder.as_path());
    let load =
        |flags| Configuration::load(&here.directory, workspace, summary.mode, flags, Unlimited::Allowed);
    let mut configuration = load(Layer::default())?;
    let plan = plan_of(journal::read(&folder.journal())?);
    if let Some(plan) = plan.as_ref().filter(|plan| !trusting::were_configured(here, &plan.checks)) {
        // A person typed them for this run: they go on, as if they had been typed now.
        configuration = load(typed(&plan.checks)?)?;
    }
    // A run that began without the agent's settings goes on without them: they are not asked for.
    let left_out = plan.as_ref().is_some_and(|plan| !plan.agent.repository_settings.are_used());
    let mut answers = answers.clone();
    answers.without_agent_settings |= left_out;
    let mut trusted = trusting::require(&Asked {
        here,
        configuration: &configuration,
        purpose: if summary.mode.judges() { Purpose::Judgement } else { Purpose::Run },
        reader: Some(plan.as_ref().map_or_else(usual, |plan| of(&plan.agent))),
        answers: &answers,
    })?;
    if let Some(plan) = plan.filter(|_| left_out) {
        trusted.settings = plan.agent.repository_settings;
    }
    Ok(trusted)
}

/// Checks as if they had been typed.
fn typed(checks: &[Check]) -> Result<Layer, AppError> {
    let of = |kind| -> Vec<String> {
        checks.iter().filter(|check| check.kind == kind).map(|check| check.command.clone()).collect()
    };
    let mut layer = Layer::default();
    layer.flag_list(&keys::GATES, "--gate", &of(CheckKind::Gate))?;
    layer.flag_list(&keys::UNTIL, "--until", &of(CheckKind::Until))?;
    Ok(layer)
}

/// Who else is told, as it is configured now: an address that was configured later counts.
fn telling(here: &Here, plan: &RunSpec) -> Result<Telling, AppError> {
    let workspace = plan.job.workspace.as_ref().map(|workspace| workspace.folder.as_path());
    let configuration = Configuration::read(&here.directory, workspace, plan.job.mode)?;
    Ok(telling::of(&configuration.resolved.notify))
}

/// The run that is meant: the one named, or the newest that can go on of this directory; where there is none, of the project. One that
/// ended at a limit goes on where that is raised.
fn wanted(here: &Here, request: &ResumeRun) -> Result<RunFolder, AppError> {
    if let Some(text) = &request.run {
        return which::of_name(here, text);
    }
    let listing = index::list(&here.project)?;
    let live = which::seen_live(&here.project)?;
    let newest = |is_meant: &dyn Fn(&RunSummary) -> bool| newest(here, &listing.runs, request, is_meant);
    let found = newest(&|run| run.directory == here.directory)
        .or_else(|| newest(&|run| run.directory != here.directory && !live.contains(&run.run)));
    match found {
        Some(run) => Ok(RunFolder::of(&here.project, &run.run)),
        None if listing.runs.is_empty() => Err(which::none_to_be_found(here)?),
        None => Err(AppError::usage("there is no unfinished run here")
            .hint("How the newest one could go on: windlass status")
            .hint("All runs: windlass runs")),
    }
}

/// The newest of these runs that can go on, sooner one that has begun; of those that are passed over it is said why.
fn newest<'a>(
    here: &Here,
    newest_first: &'a [Arc<RunSummary>],
    request: &ResumeRun,
    is_meant: &dyn Fn(&RunSummary) -> bool,
) -> Option<&'a RunSummary> {
    let goes_on = |run: &&RunSummary| is_open(run) || is_raised_by(run, &request.settings);
    let open = || newest_first.iter().map(Arc::as_ref).filter(|run| is_meant(run)).filter(goes_on);
    let is_to_be_done = |run: &&RunSummary| {
        let later = done_later(here, newest_first, run);
        here.app.notices(&later);
        later.is_none()
    };
    let begun = open().filter(|run| has_begun(run)).find(is_to_be_done);
    begun.or_else(|| open().filter(|run| !has_begun(run)).find(is_to_be_done))
}

/// What is said of a run that is passed over, since a later one of its job here has done all of it: whoever goes on with it pays for
/// the same again.
fn done_later(here: &Here, newest_first: &[Arc<RunSummary>], run: &RunSummary) -> Option<String> {
    let later = newest_first.iter().take_while(|other| other.run != run.run);
    let is_complete = |other: &&Arc<RunSummary>| {
        let is_done = other.ending.is_some_and(|ending| ending.stop_reason == StopReason::Complete);
        is_done && other.directory == run.directory
    };
    let mut complete = later.filter(is_complete).peekable();
    complete.peek()?;
    let folder = RunFolder::of(&here.project, &run.run);
    let plan = plan_of(journal::read(&folder.journal()).ok()?)?;
    let job = SameJob::of_run(&plan.job, &folder)?;
    let done = complete.find(|other| job.includes(other, &here.project))?;
    Some(format!(
        "run {} is passed over: run {}, begun later, has completed the same job; `windlass resume {}` goes on with it all the same",
        run.run, done.run, run.run
    ))
}

/// Did it end at a limit that these flags name?
fn is_raised_by(run: &RunSummary, settings: &Layer) -> bool {
    let limit = run.ending.and_then(|ending| ending.stop_reason.needs().flag()?.strip_prefix("--"));
    limit.is_some_and(|limit| settings.value(&format!("limits.{}", limit.replace('-', "_"))).is_some())
}

/// Where a run works; one of a fleet that was driven on another machine goes on where it is resumed.
fn where_it_goes_on(
    called_in: Here,
    (folder, summary): (&RunFolder, &RunSummary),
    request: &ResumeRun,
) -> Result<Here, AppError> {
    if fleet::is_copy(folder) {
        return Ok(called_in);
    }
    let followed = worktree::follow(&called_in, summary, request)?;
    let here = followed.unwrap_or(called_in);
    refuse_other_directory(&here, summary, request)?;
    Ok(here)
}

fn refuse_other_directory(here: &Here, summary: &RunSummary, request: &ResumeRun) -> Result<(), AppError> {
    if summary.directory == here.directory {
        return Ok(());
    }
    let (shown, typed) =
        (one_line(&summary.directory.display().to_string()), quoted(summary.directory.as_os_str()));
    Err(AppError::usage(format!("run {} works in {shown}", summary.run)).hint(format!(
        "windlass -C {typed} resume {}{}",
        summary.run,
        request.typed_options()
    )))
}

fn fold(entries: &[Entry]) -> Result<Run, AppError> {
    let damaged = |error| AppError::new(Kind::System, format!("the journal is damaged: {error}"));
    Run::folded(entries).map_err(damaged)
}

/// The run's plan, with what the flags raise.
fn plan(run: &Run, resolved: &Resolved) -> Result<RunSpec, AppError> {
    let Some(old) = run.spec() else {
        return Err(AppError::new(Kind::System, "the journal ends before the run has begun")
            .hint("Nothing was done in it; start it anew with windlass run."));
    };
    let mut plan = RunSpec::clone(old);
    plan.limits = raised(&old.limits, resolved);
    // What is configured counts for every verb; what the run was begun with, where nothing is.
    if !resolved.origin(&keys::EXIT_CODES).is_default() {
        plan.exit_codes = resolved.exit_codes;
    }
    if is_flag(resolved, &keys::MODEL) {
        plan.agent.model.clone_from(&resolved.agent.model);
    }
    if is_flag(resolved, &keys::DELAY) {
        plan.clocks.delay = resolved.clocks.delay;
    }
    if run.needs_person_to_commit() {
        // A hook may have refused the wording that it was begun with.
        plan.message.clone_from(&resolved.message);
    }
    plan.page = resolved.notify.page.as_deref().map(|page| run_address(page, &plan.run));
    Ok(plan)
}

/// What other runs have used by now of a budget that is not this run's alone. Nobody else spends of it while what is returned is held.
fn of_whole_job(
    here: &Here,
    plan: &mut RunSpec,
    folder: &RunFolder,
    resolved: &Resolved,
) -> Result<HeldBudget, AppError> {
    let is_said = is_flag(resolved, &keys::BUDGET_SCOPE);
    if let Some(part) = whole_pipeline::of(plan) {
        if is_said {
            return Err(AppError::usage(format!(
                "run {} is a part of the pipeline {}, and its budget is for the whole pipeline",
                plan.run, part.id
            ))
            .hint(format!("Without the flag: windlass resume {}", plan.run)));
        }
        return whole_pipeline::share(here, plan, &part.id, resolved);
    }
    // Journals of old say it by what other runs had spent.
    let was_of_job = !plan.limits.budget_scope.is_run() || !plan.limits.spent_before.is_zero();
    let scope = match is_said {
        true => resolved.limits.budget_scope,
        false if was_of_job => BudgetScope::Job,
        false => BudgetScope::Run,
    };
    (plan.limits.budget_scope, plan.limits.spent_before) = (scope, Cost::ZERO);
    let job = SameJob::of_run(&plan.job, folder).filter(|_| scope == BudgetScope::Job).map(Spenders::Job);
    let held = budget::hold(here, &plan.limits, job.as_ref(), (Some(&plan.run), plan.exit_codes))?;
    if let Some(job) = job {
        plan.limits.spent_before = budget::spent_by(here, &job, Some(&plan.run))?.cost;
    }
    Ok(held)
}

fn check_all_agents(app: &App, plan: &mut RunSpec, trusted: &Trusted) -> Result<(), AppError> {
    if agent::is_scripted(&plan.agent) {
        app.program().clone_into(&mut plan.agent.program);
        return Ok(());
    }
    check_agents(app, plan, trusted)
}

/// One of its agents has to be able to work; which one that is, the run finds out.
fn check_agents(app: &App, plan: &mut RunSpec, trusted: &Trusted) -> Result<(), AppError> {
    let codes = plan.exit_codes;
    let checked = plan.agents_mut().map(|agent| agent::check(app, agent, trusted, codes).map(drop));
    let checked: Vec<Result<(), AppError>> = checked.collect();
    if checked.iter().any(Result::is_ok) { Ok(()) } else { checked.into_iter().collect() }
}

/// What the guard found until now is none of its business any more; what it finds later is.
fn accept_findings(run: &Run, folder: &RunFolder, plan: &mut RunSpec) -> Result<(), AppError> {
    let mut found: Vec<Suspicion> = run.lanes().flat_map(|(lane, _)| run.suspicions(lane)).cloned().collect();
    found.extend(vanished_boxes(folder));
    if found.is_empty() {
        return Err(AppError::usage(format!("the guard has found nothing in run {}", plan.run))
            .hint(format!("windlass resume {}", plan.run)));
    }
    plan.guard.accepted.extend(found);
    plan.guard.accepted.sort();
    plan.guard.accepted.dedup();
    Ok(())
}

fn refuse_ended(plan: &RunSpec, before: &Limits, reason: StopReason) -> Result<(), AppError> {
    let run = &plan.run;
    let needs = reason.needs();
    let Some(flag) = needs.flag() else {
        return match needs {
            Needs::Another => Err(AppError::usage(format!("run {run} is done ({})", reason.name()))
                .hint("For more work, start a new one: windlass run -p …")),
            _ => Ok(()),
        };
    };
    if is_raised(needs, &plan.limits, before) {
        return Ok(());
    }
    let error = AppError::usage(format!("run {run} ended at its limit ({})", reason.name()));
    let error = used_by_others(needs, &plan.limits).into_iter().fold(error, AppError::hint);
    Err(error.hint(format!("Raise it: windlass resume {run} {flag} …")))
}

/// What others have used of the limit that has to be raised.
fn used_by_others(needs: Needs, limits: &Limits) -> Option<String> {
    let whole = limits.whole_pipeline();
    match needs {
        Needs::Cost => Some(limits.spent_before)
            .filter(|cost| !cost.is_zero())
            .map(|cost| format!("Other runs have spent {} of this budget.", format::money(cost))),
        Needs::Tokens => whole.filter(|whole| whole.tokens_before > 0).map(|whole| {
            format!("Other runs have used {} tokens of it.", format::amount(whole.tokens_before))
        }),
        Needs::Duration => whole
            .filter(|whole| !whole.duration_before.is_zero())
            .map(|whole| format!("Other runs have used {} of it.", format::duration(whole.duration_before))),
        _ => None,
    }
}

/// Is the limit that ended the run higher now, or gone?
fn is_raised(needs: Needs, now: &Limits, before: &Limits) -> bool {
    fn higher<T: PartialOrd>(now: Option<T>, before: Option<T>) -> bool {
        before.is_some_and(|before| now.is_none_or(|now| now > before))
    }
    match needs {
        Needs::Nothing | Needs::Another => true,
        Needs::Iterations => higher(now.iterations, before.iterations),
        Needs::Cost => higher(now.budget(), before.budget()),
        Needs::Tokens => higher(now.tokens, before.tokens),
        Needs::Duration => higher(now.duration, before.duration),
        Needs::Stagnation => higher(now.stagnation, before.stagnation),
    }
}

pub(super) fn is_flag<T>(resolved: &Resolved, key: &Key<T>) -> bool {
    matches!(resolved.origin(key), Origin::Flag(_))
}

fn raised(old: &Limits, resolved: &Resolved) -> Limits {
    fn chosen<K, T: Clone>(resolved: &Resolved, key: &Key<K>, old: &T, new: &T) -> T {
        if is_flag(resolved, key) { new.clone() } else { old.clone() }
    }
    let new = &resolved.limits;
    Limits {
        iterations: chosen(resolved, &keys::MAX_ITERATIONS, &old.iterations, &new.iterations),
        cost: chosen(resolved, &keys::MAX_COST, &old.cost, &new.cost),
        tokens: chosen(resolved, &keys::MAX_TOKENS, &old.tokens, &new.tokens),
        duration: chosen(resolved, &keys::MAX_DURATION, &old.duration, &new.duration),
        failures: chosen(resolved, &keys::MAX_FAILURES, &old.failures, &new.failures),
        wait: chosen(resolved, &keys::MAX_WAIT, &old.wait, &new.wait),
        stagnation: chosen(resolved, &keys::STAGNATION_THRESHOLD, &old.stagnation, &new.stagnation),
        overage: chosen(resolved, &keys::OVERAGE, &old.overage, &new.overage),
        ..old.clone()
    }
}
