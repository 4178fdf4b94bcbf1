//! The run's work on its way out: pushed to the remote, and then what is asked of the forge. Each task looks first whether it
//! is done already, since whoever began it may have been killed.

use jiff::Timestamp;
use windlass_core::forge::{CheckState, PullRequest, PullRequestState, evidence_section};
use windlass_core::redact::Redactor;
use windlass_core::report::{
    DeliveryBasis, DeliveryReport, DeliveryTask, ForgeFinding, PullRequestSeen, Report,
};
use windlass_core::run::{DeliveryContext, DeliveryPart};
use windlass_core::spec::{DeliverySpec, Readiness};
use windlass_core::values::StopReason;
use windlass_forge::{Forge, ForgeError, ForgeFault, MergeOrder, NewPullRequest, reach_within};
use windlass_git::git::{Push, PushHooks, Repository};

use super::part;
use super::remote::{is_same_remote, of_trouble};
use super::updated;
use super::work::WorkError;
use super::work::Worked;
use super::working_tree::WorkingTree;

/// So many failed checks, or conversations, are told the agent.
const MOST_FINDINGS: usize = 10;

/// The end of a log that is told, in bytes.
const LONGEST_FINDING: usize = 16 * 1024;

/// What a task is about.
pub(super) struct Subject<'a> {
    pub task: DeliveryTask,
    pub head: &'a str,
    pub number: Option<u64>,
    pub basis: DeliveryBasis,
    pub part: Option<&'a DeliveryPart>,
    pub context: Option<&'a DeliveryContext>,
}

/// Does one task.
pub(super) fn carry_out(world: &mut WorkingTree, subject: &Subject<'_>) -> Worked {
    let Some(spec) = world.plan.delivery.clone() else { return Ok(Vec::new()) };
    let repository = world.surveyor.place().repository.clone();
    let Some(repository) = repository else {
        return Err(WorkError::of(StopReason::Internal, &"a push needs a git repository"));
    };
    // Of a part, what is a run's otherwise.
    let branch = subject.part.map_or(&spec.branch, |part| &part.branch).clone();
    let spec = DeliverySpec { branch, ..spec };
    let came = match (subject.task, subject.part) {
        (DeliveryTask::Branch, Some(part)) => part::begin(world, &spec, &repository, part)?,
        (DeliveryTask::Push, _) => push(world, &spec, &repository, subject.head)?,
        _ => {
            let (repository_name, run) = (spec.repository.clone(), &world.plan.run);
            let forge = reach_within(spec.checks_wait, repository_name, world.folder.path(), Some(run));
            match asked(forge.as_ref(), &spec, subject).unwrap_or_else(|error| of_error(&error)) {
                DeliveryReport::Viewed(seen) => {
                    updated::looked_into(seen, subject.head, &spec, (&repository, &world.plan.run))?
                }
                came => came,
            }
        }
    };
    Ok(vec![Report::from(came)])
}

fn push(
    world: &WorkingTree,
    spec: &DeliverySpec,
    repository: &Repository,
    head: &str,
) -> Result<DeliveryReport, WorkError> {
    if let Some(refusal) = is_same_remote(spec, repository)? {
        return Ok(refusal);
    }
    let hooks = if world.plan.sandbox.is_on() { PushHooks::Skip } else { PushHooks::Run };
    let outcome = repository.push(&Push {
        remote: &spec.remote,
        commit: head,
        branch: &spec.branch,
        hooks,
        run: &world.plan.run,
    })?;
    Ok(match outcome {
        Ok(()) => DeliveryReport::Pushed { head: head.to_owned() },
        Err(trouble) => of_trouble(&format!("cannot push {} to {}", spec.branch, spec.remote), &trouble),
    })
}

fn asked(
    forge: &dyn Forge,
    spec: &DeliverySpec,
    subject: &Subject<'_>,
) -> Result<DeliveryReport, ForgeError> {
    if subject.task == DeliveryTask::Open {
        return open(forge, spec, subject);
    }
    let number = subject.number.unwrap_or_default();
    let there = forge.view(number)?;
    // Whatever happened meanwhile is decided about first.
    let as_expected = there.state == PullRequestState::Open && there.head == subject.head;
    match subject.task {
        DeliveryTask::ReadLogs => Ok(DeliveryReport::Read { findings: logs(forge, &there) }),
        DeliveryTask::ReadThreads => Ok(DeliveryReport::Read { findings: conversations(&there) }),
        DeliveryTask::Merge if there.state == PullRequestState::Merged && there.head == subject.head => {
            Ok(DeliveryReport::Merged { commit: there.merge_commit.unwrap_or_default() })
        }
        DeliveryTask::MarkReady if as_expected && there.draft => {
            forge.mark_ready(&there).map(|()| DeliveryReport::Done)
        }
        DeliveryTask::Update if as_expected => {
            forge.update_branch(number, subject.head).map(|()| DeliveryReport::Done)
        }
        DeliveryTask::Merge if as_expected && !there.draft => {
            let strategy = spec.merge.unwrap_or_default();
            let order = MergeOrder { number, head: subject.head.to_owned(), strategy };
            forge.merge(&order).map(|commit| DeliveryReport::Merged { commit })
        }
        _ => Ok(DeliveryReport::Viewed(seen(&there))),
    }
}

/// One pull request for a branch: the one that is open, or that was about this very commit.
fn open(forge: &dyn Forge, spec: &DeliverySpec, subject: &Subject<'_>) -> Result<DeliveryReport, ForgeError> {
    let there = forge.of_branch(&spec.branch)?;
    let redactor = Redactor::new();
    let text = subject.context.cloned().unwrap_or_default();
    let evidence = redactor.redact(&text.body);
    let is_open = |pull: &&PullRequest| pull.state == PullRequestState::Open && pull.base == spec.base;
    let found = there.iter().find(is_open).or_else(|| there.iter().find(|pull| pull.head == subject.head));
    if let Some(PullRequest { number, url, state, body, .. }) = found {
        // What it says was true of an earlier commit.
        let newer = evidence_section::with_evidence(body, &evidence);
        if let Some(body) = newer.filter(|_| *state == PullRequestState::Open) {
            forge.describe(*number, &body)?;
        }
        return Ok(DeliveryReport::Opened { number: *number, url: url.clone(), found: true });
    }
    let waits = spec.readiness == Readiness::Draft && spec.merge.is_none();
    let new = NewPullRequest {
        branch: spec.branch.clone(),
        base: spec.base.clone(),
        title: redactor.redact(&text.title),
        body: evidence_section::section(&evidence),
        draft: waits || subject.basis == DeliveryBasis::AsItStands,
    };
    match forge.open(&new) {
        Ok(PullRequest { number, url, .. }) => Ok(DeliveryReport::Opened { number, url, found: false }),
        Err(ForgeError { fault: ForgeFault::Refused(said), .. }) if said.contains("No commits between") => {
            let why = format!("{} has nothing that {} does not have", spec.branch, spec.base);
            Ok(DeliveryReport::Nothing { why })
        }
        Err(error) => Err(error),
    }
}

fn seen(there: &PullRequest) -> PullRequestSeen {
    PullRequestSeen {
        state: there.state,
        draft: there.draft,
        head: there.head.clone(),
        head_parents: there.head_parents.clone(),
        mergeability: there.mergeability,
        block: there.block,
        review: there.review,
        requested_reviewers: there.requested_reviewers,
        checks: there.tally(),
        failed: failed(there).map(|check| check.name.clone()).take(MOST_FINDINGS).collect(),
        threads: there.trusted_threads().map(|thread| thread.id.clone()).collect(),
        merge_commit: there.merge_commit.clone(),
    }
}

fn failed(there: &PullRequest) -> impl Iterator<Item = &windlass_core::forge::ForgeCheck> {
    let is_red = |state| matches!(state, CheckState::Failed | CheckState::Cancelled);
    there.checks.iter().filter(move |check| is_red(check.state))
}

/// What the failed checks say. One whose log cannot be read is named all the same.
fn logs(forge: &dyn Forge, there: &PullRequest) -> Vec<ForgeFinding> {
    let redactor = Redactor::new();
    let finding = |check: &windlass_core::forge::ForgeCheck| {
        let log = match check.job {
            Some(job) => forge.job_log(job).map_or_else(|error| error.to_string(), |log| log.text),
            None => check.description.clone(),
        };
        ForgeFinding { title: check.name.clone(), text: end_of(&redactor.redact(&log), LONGEST_FINDING) }
    };
    failed(there).take(MOST_FINDINGS).map(finding).collect()
}

/// The unresolved conversations that somebody with a say is part of: what those said, and nobody else.
fn conversations(there: &PullRequest) -> Vec<ForgeFinding> {
    let threads = there.trusted_threads().take(MOST_FINDINGS);
    let finding = |thread: &windlass_core::forge::ReviewThread| {
        let line = thread.line.map(|line| format!(":{line}")).unwrap_or_default();
        let said = thread.comments.iter().filter(|comment| comment.trusted);
        let text: Vec<String> = said.map(|comment| format!("{}: {}", comment.author, comment.text)).collect();
        ForgeFinding {
            title: format!("{}{line}", thread.path),
            text: end_of(&text.join("\n\n"), LONGEST_FINDING),
        }
    };
    threads.map(finding).collect()
}

/// The last bytes of a text, from the beginning of a character on.
fn end_of(text: &str, most: usize) -> String {
    let over = text.len().saturating_sub(most);
    let from = (over..=text.len()).find(|at| text.is_char_boundary(*at)).unwrap_or(0);
    text.get(from..).unwrap_or_default().to_owned()
}

fn of_error(error: &ForgeError) -> DeliveryReport {
    let hint = if error.hint.is_empty() { String::new() } else { format!(". {}", error.hint) };
    let why = format!("{error}{hint}");
    match &error.fault {
        ForgeFault::Refused(_) | ForgeFault::NotFound(_) | ForgeFault::Forbidden(_) => {
            DeliveryReport::Refused { why }
        }
        fault => {
            let again = fault.again(Timestamp::now());
            DeliveryReport::Unreachable { why, passes: fault.may_pass(), again }
        }
    }
}
