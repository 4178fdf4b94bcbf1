//! Setting a run going, and seeing it to its end.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs;
use std::iter;
use std::mem;
use std::os::fd::{BorrowedFd, OwnedFd};
use std::path::PathBuf;
use std::time::Duration;

use windlass_agents::{git_committing, of};
use windlass_core::config::{Resolved, ReviewSettings};
use windlass_core::environment::{Heir, notice_of};
use windlass_core::notification::link::run_address;
use windlass_core::spec::GuardSpec;
use windlass_core::spec::{
    AgentSpec, CommitPolicy, CouncilSpec, JudgedCriterion, LanesSpec, ReviewScope, ReviewSpec, RunSpec,
};
use windlass_core::values::{ExitCodes, Hook, HookCommand, Purpose as CallPurpose, RunId, StopReason};
use windlass_core::words::quoted;
use windlass_engine::guard;
use windlass_engine::hook;
use windlass_engine::sandbox::{Sandbox, container};
use windlass_engine::store::lock::{Acquired, holders};
use windlass_engine::store::{Journal, Lock, RunFolder, journal};
use windlass_engine::supervisor::{
    Begun, EngineError, Finished, OpenWait, Session, agents_file_notice, drive, notes_file_notice,
    put_back_after_kill,
};
use windlass_git::inventory::Surveyor;
use windlass_git::snapshot::Store;
use windlass_host::environment::withheld_from;
use windlass_host::file::digest;
use windlass_host::process::{become_subreaper, leftovers};
use windlass_host::tree;

use crate::agent;
use crate::error::{AppError, Codes, Kind};
use crate::fleet::{self, FleetRun};
use crate::front_end::Watched;
use crate::here::Here;
use crate::inspect::which::holder_in_words;
use crate::run::budget::{self, Spenders, SpentBefore, spent_before};
use crate::run::delivery::{self, WayOut};
use crate::run::log::{RunLog, Watching};
use crate::run::prepared::Prepared;
use crate::run::request::RunEnd;
use crate::run::{
    criteria, held, impossible, links_out, recorded, retention, sandbox_notices, state_inside, tasks,
    uncommitted,
};
use crate::sandbox;
use crate::telling;
use crate::trusting::{self, Asked, Purpose};
use crate::worktree;

/// How long what a killed run left behind may take to be cleaned up by its keeper.
const LEFTOVERS: Duration = Duration::from_secs(5);

/// A new run from a request, driven to its end.
pub fn start(here: &Here, request: &Prepared) -> Result<RunEnd, AppError> {
    let resolved = &request.configuration.resolved;
    let here = &here.behind(&resolved.sandbox.kind)?;
    impossible::refuse_impossible(here, request)?;
    let trusted = trusting::require(&asked(here, request))?;
    impossible::refuse_hopeless(here, request)?;
    let mut criteria = criteria::find(here, request)?;
    let mut agent = agent::plan(&wanted(here, request))?;
    agent::refuse_unbounded(&agent, &resolved.sandbox.kind)?;
    agent::check(&here.app, &mut agent, &trusted, resolved.exit_codes)?;
    let occasions = agent::Occasions {
        purposes: purposes(here, request, &criteria),
        names: mem::take(&mut criteria.agents),
    };
    let others = agent::others(&wanted(here, request), &trusted, &agent, &occasions)?;
    let spenders = Spenders::of(here, request);
    let _budget = budget::hold(here, &resolved.limits, spenders.as_ref(), (None, resolved.exit_codes))?;
    let spent_before = spent_before(here, request)?;
    let way = delivery::find(here, request)?;
    let fleet = fleet::for_run(here, resolved, request.fleet)?;
    if fleet.is_some()
        && let Some(Ok(found)) = request.assignment.find_tasks(&resolved.tasks)
    {
        fleet::refuse_long_list(found.list.rows())?;
    }
    let folder = RunFolder::create(&here.project)?;
    let found = hooks(here, request);
    let plan = plan(here, request, &found, folder.run(), (agent, others), spent_before);
    let mut plan = on_its_way(plan, request, &way);
    if let (Some(lanes), Some(fleet)) = (&mut plan.lanes, &fleet) {
        fleet.takes(lanes);
    }
    plan.checks.extend(criteria.checks);
    plan.review = reviewed(request, criteria.judged);
    // Once they are followed nothing of them leads out any more.
    let leading_out = links_out::notices(&plan);
    match begin(here, &folder, &plan, request, &way) {
        Ok(((journal, sandbox), Taken { lock, mut notices })) => {
            notices.extend(without_git(here));
            notices.extend(leading_out);
            notices.extend(request.assignment.without_verification(resolved));
            notices.extend(tasks::problems(request));
            notices.extend(tasks::open_elsewhere(request));
            notices.extend(agent::unknown(&occasions.names));
            notices.extend(request.assignment.issues.iter().flat_map(|issues| issues.notices.clone()));
            notices.extend(request.principles.notice());
            notices.extend(criteria.notices);
            notices.extend(request.configuration.notices.iter().cloned());
            notices.extend(found.notices);
            notices.extend(trusted.notices);
            let telling = telling::of(&resolved.notify);
            let entries = Vec::new();
            let wait = OpenWait::default();
            let begun = Begun { folder, journal, entries, lock, plan, sandbox, notices, wait, telling };
            finish(here, begun, resolved, fleet)
        }
        Err(error) => {
            // Nothing has happened in it.
            // outside: the state folder.
            let _ = fs::remove_dir_all(folder.path());
            Err(error)
        }
    }
}

/// The same on the branch that it works on.
fn on_its_way(plan: RunSpec, request: &Prepared, way: &WayOut) -> RunSpec {
    // Lanes know it by its whole name.
    let own = way.own_branch(&plan.run).map(|branch| format!("refs/heads/{branch}"));
    let lanes = plan.lanes.map(|lanes| LanesSpec { branch: own.or(lanes.branch), ..lanes });
    let mut job = plan.job;
    if delivery::has_parts_of_tasks(request) {
        // Entries of several pull requests at the same place would not go together.
        job.tasks.iter_mut().for_each(|tasks| tasks.progress = None);
    }
    RunSpec { delivery: way.spec(request, &plan.run), lanes, job, ..plan }
}

/// What of the repository it starts.
pub fn asked<'a>(here: &'a Here, request: &'a Prepared) -> Asked<'a> {
    let judges = request.assignment.mode.judges();
    Asked {
        here,
        configuration: &request.configuration,
        purpose: if judges { Purpose::Judgement } else { Purpose::Run },
        reader: Some(agent::chosen(&request.configuration.resolved, request.mock.as_deref())),
        answers: &request.trust,
    }
}

/// What is asked of the agent.
pub fn wanted<'a>(here: &'a Here, request: &'a Prepared) -> agent::Wanted<'a> {
    agent::Wanted {
        app: &here.app,
        resolved: &request.configuration.resolved,
        mock: request.mock.as_deref(),
        skip_permissions: request.skip_permissions,
        directory: &here.directory,
    }
}

/// What calls of the run will be for, as far as an agent of their own can be named.
fn purposes(here: &Here, request: &Prepared, criteria: &criteria::Criteria) -> Vec<CallPurpose> {
    let resolved = &request.configuration.resolved;
    let job = request.assignment.job(here, &request.configuration);
    let reviewed = reviewed(request, criteria.judged.clone()).map(|_| CallPurpose::Review);
    let verified = job.verification.map(|_| CallPurpose::Verify);
    let decided = resolved.council.as_ref().map(|_| CallPurpose::Council);
    iter::once(job.mode.purpose()).chain(reviewed).chain(verified).chain(decided).collect()
}

/// The plan of a new run.
pub fn plan(
    here: &Here,
    request: &Prepared,
    found: &hook::FoundHooks,
    run: &RunId,
    (agent, others): (AgentSpec, agent::Others),
    spent_before: SpentBefore,
) -> RunSpec {
    let resolved = &request.configuration.resolved;
    // Whoever judges, or writes a document, runs what it needs itself; what a check says of the work is not what was asked.
    let is_checked = request.assignment.mode.is_checked();
    let commit = if is_checked { delivery::commit(here, request) } else { CommitPolicy::None };
    let plan = RunSpec {
        run: run.clone(),
        directory: here.directory.clone(),
        git: here.repository.is_some(),
        job: request.assignment.job(here, &request.configuration),
        limits: budget::left(request, &tasks::limits(request), spent_before),
        clocks: resolved.clocks.clone(),
        checks: if is_checked { resolved.checks.clone() } else { Vec::new() },
        environment: resolved.environment.clone(),
        hooks: found.hooks(),
        lanes: tasks::lanes(here, request, run),
        guard: guarded(here, request, &found.hooks()),
        sandbox: sandbox::with_folders(sandbox::plan(here, resolved), &agent.add_dirs),
        principles: request.principles.spec(),
        agent: with_committing(agent, commit),
        substitutes: others.substitutes.into_iter().map(|agent| with_committing(agent, commit)).collect(),
        specialists: others.specialists,
        named: others.named.into_iter().map(|agent| with_committing(agent, commit)).collect(),
        review: reviewed(request, Vec::new()),
        council: counselled(here, request, run),
        commit,
        delivery: None,
        message: resolved.message.clone(),
        withholding: resolved.withholding.clone(),
        undo: resolved.undo,
        exit_codes: resolved.exit_codes,
        inputs: inputs(request).chain(found.inputs()).collect(),
        links_out: Vec::new(),
        page: resolved.notify.page.as_deref().map(|page| run_address(page, run)),
    };
    RunSpec { links_out: links_out::followed(&plan, here.repository.as_ref()), ..plan }
}

/// What an agent may not change. Planning writes nothing but the plan, and whoever judges writes nothing that counts.
fn guarded(here: &Here, request: &Prepared, hooks: &[Hook]) -> GuardSpec {
    let mode = request.assignment.mode;
    if mode.judges() || mode.writes_only_plan() {
        return GuardSpec::default();
    }
    let resolved = &request.configuration.resolved;
    let search_path = std::env::var_os("PATH").unwrap_or_default();
    let of_hook = |hook: &Hook| match &hook.command {
        HookCommand::Shell(command) => command.clone(),
        HookCommand::File(path) => quoted(path.as_os_str()),
    };
    let others: Vec<String> =
        hooks.iter().map(of_hook).chain(resolved.notify.command.iter().cloned()).collect();
    guard::inspect(&here.place(), (&resolved.checks, &others), &resolved.guard, &search_path)
}

/// How the work is looked over, and these criteria of tasks are judged. Planning and judging leave none.
fn reviewed(request: &Prepared, criteria: Vec<JudgedCriterion>) -> Option<ReviewSpec> {
    let mode = request.assignment.mode;
    let works = !mode.judges() && !mode.writes_only_plan();
    let ReviewSettings { enabled, spec } = &request.configuration.resolved.review;
    if *enabled && works {
        return Some(ReviewSpec { criteria, ..spec.clone() });
    }
    let scope = ReviewScope::Criteria;
    let model = spec.model.clone();
    (!criteria.is_empty()).then(|| ReviewSpec { scope, criteria, model, ..ReviewSpec::default() })
}

/// How conflicts of principles are settled. Planning and judging report none, and lanes hear nothing of each other.
fn counselled(here: &Here, request: &Prepared, run: &RunId) -> Option<CouncilSpec> {
    let mode = request.assignment.mode;
    let reports = !mode.judges() && !mode.writes_only_plan() && request.principles.spec().is_some();
    let council = request.configuration.resolved.council.clone();
    council.filter(|_| reports && tasks::lanes(here, request, run).is_none())
}

/// The project's hooks. Whoever judges is one call, and no run that a hook could steer.
pub fn hooks(here: &Here, request: &Prepared) -> hook::FoundHooks {
    if request.assignment.mode.judges() {
        return hook::FoundHooks::default();
    }
    hook::find(&here.directory, &request.configuration.resolved.hooks)
}

/// Who is to commit may.
fn with_committing(mut agent: AgentSpec, commit: CommitPolicy) -> AgentSpec {
    if commit == CommitPolicy::Agent {
        let rules = git_committing().into_iter().flat_map(|right| of(&agent).rules(&right));
        let rules: Vec<String> = rules.filter(|rule| !agent.allow.contains(rule)).collect();
        agent.allow.extend(rules);
    }
    agent
}

fn begin(
    here: &Here,
    folder: &RunFolder,
    plan: &RunSpec,
    request: &Prepared,
    way: &WayOut,
) -> Result<((Journal, Sandbox), Taken), AppError> {
    tree::follow(&plan.links_out);
    let taken = lock(here, folder.run(), plan.exit_codes)?;
    let held: std::io::Result<Vec<OwnedFd>> =
        taken.lock.descriptors().iter().map(BorrowedFd::try_clone_to_owned).collect();
    let prepared = || {
        way.refuse_existing(here, folder.run())?;
        let uncommitted = uncommitted::before_run(here, plan, folder, request)?;
        folder.write_goal(&request.assignment.goal.text)?;
        folder.write_templates(request.assignment.templates())?;
        if let Some(issues) = &request.assignment.issues {
            issues.put(here, folder)?;
        }
        hook::keep(folder, &plan.hooks)?;
        let aside = request.principles.put_aside(&here.directory)?;
        // Before the run is on record: one that could not begin is none.
        let sandbox = sandbox::open(here, plan, folder)?;
        worktree::set_up(here, plan, &sandbox, held.as_deref().unwrap_or_default())?;
        // Last, so that a run that cannot begin leaves the checkout as it was.
        let branch = way.begin_branch(here, folder.run())?;
        let said = uncommitted.into_iter().chain(aside).chain(branch);
        Ok((Journal::create(folder)?, sandbox, said.collect::<Vec<_>>()))
    };
    let ((journal, sandbox, uncommitted), mut taken) = with_lock(taken, prepared)?;
    taken.notices.extend(uncommitted);
    Ok(((journal, sandbox), taken))
}

/// Does something that is refused at times; the directory is given back then. Left in the lock, our name would look
/// like that of a run that was killed.
pub fn with_lock<T>(
    taken: Taken,
    attempt: impl FnOnce() -> Result<T, AppError>,
) -> Result<(T, Taken), AppError> {
    match attempt() {
        Ok(done) => Ok((done, taken)),
        Err(error) => {
            // The refusal is what a person should read.
            let _ = taken.lock.release();
            Err(error)
        }
    }
}

/// A working directory that is ours, and free of what a killed run left at work in it.
pub struct Taken {
    /// Its lock.
    pub lock: Lock,
    /// What a person should know of how it was found.
    pub notices: Vec<String>,
}

/// What it means for the run that there is no git.
pub fn without_git(here: &Here) -> Option<String> {
    let why = match (&here.repository, here.git_missing) {
        (Some(_), _) => return None,
        (None, true) => "git is not installed",
        (None, false) => "this is not a git repository",
    };
    Some(format!("{why}: there are no snapshots, and progress is read from file contents"))
}

/// Drives a session to its end.
pub fn finish(
    here: &Here,
    mut begun: Begun,
    resolved: &Resolved,
    fleet: Option<FleetRun>,
) -> Result<RunEnd, AppError> {
    become_subreaper()?;
    begun.notices.extend(state_inside::notice(here));
    begun.notices.extend(retention::apply(here, resolved.runs));
    begun.notices.extend(sandbox_notices::notices(here, &begun.plan));
    let environment = worktree::environment(here);
    begun.notices.extend(agent::elsewhere());
    begun.notices.extend(withheld(&environment, &begun.plan));
    begun.notices.extend(agents_file_notice(&begun.plan));
    begun.notices.extend(notes_file_notice(&begun.plan));
    let remote = fleet.map(|fleet| fleet::remote(here, &begun.plan, &begun.folder, fleet)).transpose()?;
    let log = RunLog::begin(&mut begun.plan, &begun.folder, &mut begun.notices);
    let watched = Watched { level: resolved.level, emoji: resolved.emoji, past: &begun.entries };
    let watching = Watching::begin(here.app.front_end().watch(&watched)?, log, &begun.entries)?;
    let (run, folder) = (begun.folder.run().clone(), begun.folder.clone());
    let (job, before) = (begun.plan.job.clone(), begun.entries.len());
    let codes = begun.plan.exit_codes;
    let session = Session {
        program: here.app.program().to_owned(),
        project: here.project.clone(),
        begun,
        surveyor: Surveyor::new(here.place()),
        snapshots: snapshots(here, &run)?,
        environment,
        terminal: here.app.front_end().stops_by_steps(),
        audience: watching.clone(),
        remote,
    };
    let finished = drive(session);
    watching.finish(&here.app);
    recorded::in_workspace(here, job.workspace.as_ref(), &folder);
    let verification = recorded::verification(here, &job, &folder, before);
    match finished {
        Ok(Finished { stop_reason, exit_code, asked }) => {
            Ok(RunEnd { run, stop_reason, exit_code, asked, there: here.clone(), verification })
        }
        Err(error) => Err(broken(&folder, error, codes)),
    }
}

/// What of the environment neither the agent nor the checks are given.
pub fn withheld(environment: &[(OsString, OsString)], plan: &RunSpec) -> Option<String> {
    let from_checks =
        if plan.checks.is_empty() { BTreeSet::new() } else { withheld_from(environment, &Heir::check(plan)) };
    let variables = &of(&plan.agent).about().variables.inherited;
    notice_of(&withheld_from(environment, &Heir::agent(plan, variables)), &from_checks, variables)
}

/// The project's snapshots. What killed writers left in them is cleared away while no other run of the project is live.
pub fn snapshots(here: &Here, run: &RunId) -> Result<Option<Store>, AppError> {
    let store = here.snapshots()?;
    let alone = holders(&here.project)?.iter().all(|holder| holder.run == *run || !holder.is_alive());
    if let Some(store) = store.as_ref().filter(|_| alone) {
        store.tidy();
    }
    Ok(store)
}

fn broken(folder: &RunFolder, error: EngineError, codes: ExitCodes) -> AppError {
    if matches!(error, EngineError::RecordLost(_)) {
        return AppError::of(Kind::stopped(StopReason::NeedsHuman, codes), error);
    }
    let error = AppError::system(error).with_codes(Some(codes));
    match journal::read(&folder.journal()) {
        Ok(entries) if !entries.is_empty() => error.hint(format!(
            "The run's journal is whole; once this is fixed: windlass resume {}",
            folder.run()
        )),
        Err(unreadable) if !unreadable.is_nothing_yet() => error.hint(unreadable.to_string()),
        // It never began.
        _ => error.hint("Nothing was begun; once this is fixed, begin anew."),
    }
}

/// Takes the working directory for a run, and with it the checkout that it is a folder of.
pub fn lock(here: &Here, run: &RunId, codes: impl Into<Codes>) -> Result<Taken, AppError> {
    match Lock::acquire_within(&here.place().root, &here.project, &here.directory, run, LEFTOVERS)? {
        Acquired::Taken(lock) => Ok(end_leftovers(here, lock)),
        Acquired::Held(by) => Err(held::error(&here.directory, by, Kind::stopped(StopReason::Locked, codes))),
    }
}

/// Where runner and keeper were killed at the same moment, an agent or a check may still be at work in this directory.
/// It must be gone before anything is begun here, whether the same run goes on or another one begins.
fn end_leftovers(here: &Here, lock: Lock) -> Taken {
    let Some(run) = lock.replaced.as_ref().map(|holder| holder.run.clone()) else {
        return Taken { lock, notices: Vec::new() };
    };
    let found = leftovers::find(&run).len();
    let left = leftovers::end(&run);
    let what = holder_in_words(&run);
    let killed = format!("{what} ended here without giving the directory back; it was probably killed");
    let ended = (found > 0).then(|| match left.first() {
        None => format!("{found} processes of {what} were still alive; they were ended"),
        Some(leftovers::Leftover { command, pid }) => {
            format!("of {found} processes of {what} {} cannot be ended: {command} ({pid})", left.len())
        }
    });
    let folder = RunFolder::of(&here.project, &run);
    let containers = end_containers(&folder, &what);
    // Until just now they may have written it.
    let steering =
        put_back_after_kill(&folder, &here.directory).unwrap_or_else(|error| Some(error.to_string()));
    Taken { lock, notices: iter::once(killed).chain(ended).chain(containers).chain(steering).collect() }
}

/// The same for what is below no process of ours.
fn end_containers(folder: &RunFolder, what: &str) -> Option<String> {
    match container::end_leftovers(&folder.sandbox(), folder.run()) {
        Ok(0) => None,
        Ok(1) => Some(format!("a container of {what} was still there; it was ended")),
        Ok(found) => Some(format!("{found} containers of {what} were still there; they were ended")),
        Err(error) => Some(format!("whether containers of {what} are left cannot be known: {error}")),
    }
}

/// What was read when the run started: changes to it are announced and apply to the next run.
fn inputs(request: &Prepared) -> impl Iterator<Item = (PathBuf, String)> {
    let configuration = request.configuration.files.iter().map(|(path, bytes)| (path.clone(), digest(bytes)));
    let job = request.assignment.files().map(|(path, bytes)| (path, digest(bytes)));
    let principles = request.principles.input(&request.assignment.directory);
    configuration.chain(job).chain(principles)
}
