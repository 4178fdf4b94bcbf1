//! Answers, read: what is not understood is unknown. Pure.

use serde::Deserialize;
use serde_json::Value;
use windlass_core::forge::{
    CheckState, ForgeCheck, MergeBlock, MergeStrategy, Mergeability, PullRequest, PullRequestState, Review,
    ReviewComment, ReviewThread,
};

use crate::forge::{Account, Permission, RateLimit, RepositoryFacts};
use crate::text::{beginning_of, one_line};

/// The longest comment that is read, in bytes.
const LONGEST_COMMENT: usize = 8 * 1024;

/// Whose word counts, by what they are to the repository.
const TRUSTED: [&str; 3] = ["OWNER", "MEMBER", "COLLABORATOR"];

/// What runs jobs whose logs can be read.
const ACTIONS: &str = "github-actions";

/// Does the word of somebody count who is this to the repository?
pub fn is_trusted(association: Option<&str>) -> bool {
    association.is_some_and(|association| TRUSTED.contains(&association))
}

/// Who is logged in.
pub fn account(data: &Value) -> Option<Account> {
    let login = data.get("viewer")?.get("login")?.as_str()?;
    let limit = data.get("rateLimit").and_then(|limit| {
        let reset = limit.get("resetAt")?.as_str()?.parse().ok()?;
        Some(RateLimit { remaining: limit.get("remaining")?.as_u64()?, reset })
    });
    Some(Account { login: one_line(login), limit })
}

/// What a repository is and allows.
pub fn repository(data: &Value) -> Option<RepositoryFacts> {
    let repository = data.get("repository").filter(|repository| repository.is_object())?;
    let says = |name: &str| repository.get(name).and_then(Value::as_bool) == Some(true);
    let allowed = [
        ("squashMergeAllowed", MergeStrategy::Squash),
        ("mergeCommitAllowed", MergeStrategy::Merge),
        ("rebaseMergeAllowed", MergeStrategy::Rebase),
    ];
    let branch = repository.get("defaultBranchRef").and_then(|branch| branch.get("name"));
    Some(RepositoryFacts {
        default_branch: branch.and_then(Value::as_str).map(str::to_owned),
        permission: match repository.get("viewerPermission").and_then(Value::as_str) {
            Some("ADMIN" | "MAINTAIN" | "WRITE") => Permission::Write,
            Some("TRIAGE" | "READ") => Permission::Read,
            _ => Permission::Unknown,
        },
        archived: says("isArchived"),
        strategies: allowed
            .into_iter()
            .filter(|(name, _)| says(name))
            .map(|(_, strategy)| strategy)
            .collect(),
    })
}

/// One pull request; `None` where the answer has none.
pub fn pull_request(data: &Value) -> Option<PullRequest> {
    one(data.get("repository")?.get("pullRequest")?)
}

/// Those of a branch of the repository itself; `None` where one cannot be read.
pub fn pull_requests(data: &Value) -> Option<Vec<PullRequest>> {
    let nodes = data.get("repository")?.get("pullRequests")?.get("nodes")?.as_array()?;
    let own = |node: &&Value| node.get("isCrossRepository").and_then(Value::as_bool) != Some(true);
    nodes.iter().filter(own).map(one).collect()
}

/// As it comes. What may be missing has a default; a list may hold `null` for what may not be seen.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Node {
    id: String,
    number: u64,
    url: String,
    body: Option<String>,
    state: Option<String>,
    #[serde(default)]
    is_draft: bool,
    #[serde(default)]
    head_ref_name: String,
    head_ref_oid: String,
    #[serde(default)]
    base_ref_name: String,
    mergeable: Option<String>,
    merge_state_status: Option<String>,
    review_decision: Option<String>,
    merge_commit: Option<Commit>,
    review_requests: Option<Count>,
    commits: Option<List<CommitNode>>,
    review_threads: Option<List<Thread>>,
}

#[derive(Deserialize)]
struct List<T> {
    nodes: Option<Vec<Option<T>>>,
}

impl<T> List<T> {
    fn items(list: Option<List<T>>) -> impl Iterator<Item = T> {
        list.and_then(|list| list.nodes).into_iter().flatten().flatten()
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Count {
    total_count: u32,
}

#[derive(Deserialize)]
struct CommitNode {
    commit: Commit,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Commit {
    oid: String,
    parents: Option<List<Parent>>,
    status_check_rollup: Option<Rollup>,
}

#[derive(Deserialize)]
struct Parent {
    oid: String,
}

#[derive(Deserialize)]
struct Rollup {
    contexts: Contexts,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Contexts {
    total_count: u64,
    nodes: Option<Vec<Option<Context>>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Context {
    #[serde(rename = "__typename")]
    kind: Option<String>,
    database_id: Option<u64>,
    name: Option<String>,
    status: Option<String>,
    conclusion: Option<String>,
    title: Option<String>,
    check_suite: Option<Suite>,
    #[serde(rename = "context")]
    label: Option<String>,
    state: Option<String>,
    description: Option<String>,
}

#[derive(Deserialize)]
struct Suite {
    app: Option<App>,
}

#[derive(Deserialize)]
struct App {
    slug: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Thread {
    id: String,
    /// What does not say that it is resolved is not.
    #[serde(default)]
    is_resolved: bool,
    path: Option<String>,
    line: Option<u64>,
    comments: Option<List<Comment>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Comment {
    author: Option<Author>,
    author_association: Option<String>,
    body: Option<String>,
}

#[derive(Deserialize)]
struct Author {
    login: String,
}

fn one(node: &Value) -> Option<PullRequest> {
    let node = Node::deserialize(node).ok()?;
    let newest = List::items(node.commits).last().map(|node| node.commit);
    // The list of commits may lag behind the branch: checks of another commit say nothing of this one.
    let newest = newest.filter(|commit| commit.oid == node.head_ref_oid);
    let (parents, rollup) =
        newest.map_or((None, None), |newest| (newest.parents, newest.status_check_rollup));
    let (checks, has_more_checks) = rollup.map_or((Vec::new(), false), |rollup| checks(rollup.contexts));
    Some(PullRequest {
        number: node.number,
        id: node.id,
        url: one_line(&node.url),
        body: node.body.unwrap_or_default(),
        state: state(node.state.as_deref()),
        draft: node.is_draft,
        branch: node.head_ref_name,
        head: node.head_ref_oid,
        head_parents: List::items(parents).map(|parent| parent.oid).collect(),
        base: node.base_ref_name,
        mergeability: mergeability(node.mergeable.as_deref()),
        block: block(node.merge_state_status.as_deref()),
        review: review(node.review_decision.as_deref()),
        requested_reviewers: node.review_requests.map_or(0, |requests| requests.total_count),
        checks,
        has_more_checks,
        threads: List::items(node.review_threads).filter(|thread| !thread.is_resolved).map(thread).collect(),
        merge_commit: node.merge_commit.map(|commit| commit.oid),
    })
}

fn checks(contexts: Contexts) -> (Vec<ForgeCheck>, bool) {
    let nodes = contexts.nodes.unwrap_or_default();
    // One that may not be seen is one that nobody knows.
    let checks: Vec<ForgeCheck> = nodes.into_iter().map(|node| node.map(check).unwrap_or_default()).collect();
    let has_more = contexts.total_count > checks.len() as u64;
    (checks, has_more)
}

fn check(context: Context) -> ForgeCheck {
    let is_action = context.check_suite.and_then(|suite| suite.app).and_then(|app| app.slug);
    match context.kind.as_deref() {
        Some("CheckRun") => ForgeCheck {
            name: one_line(&context.name.unwrap_or_default()),
            state: run_state(context.status.as_deref(), context.conclusion.as_deref()),
            job: context.database_id.filter(|_| is_action.as_deref() == Some(ACTIONS)),
            description: one_line(&context.title.unwrap_or_default()),
        },
        Some("StatusContext") => ForgeCheck {
            name: one_line(&context.label.unwrap_or_default()),
            state: status_state(context.state.as_deref()),
            job: None,
            description: one_line(&context.description.unwrap_or_default()),
        },
        _ => ForgeCheck::default(),
    }
}

fn run_state(status: Option<&str>, conclusion: Option<&str>) -> CheckState {
    match (status, conclusion) {
        (Some("COMPLETED"), Some("SUCCESS")) => CheckState::Passed,
        (Some("COMPLETED"), Some("SKIPPED" | "NEUTRAL")) => CheckState::Skipped,
        (Some("COMPLETED"), Some("FAILURE" | "TIMED_OUT" | "STARTUP_FAILURE" | "ACTION_REQUIRED")) => {
            CheckState::Failed
        }
        (Some("COMPLETED"), Some("CANCELLED" | "STALE")) => CheckState::Cancelled,
        (Some("QUEUED" | "IN_PROGRESS" | "WAITING" | "PENDING" | "REQUESTED"), _) => CheckState::Pending,
        _ => CheckState::Unknown,
    }
}

fn status_state(state: Option<&str>) -> CheckState {
    match state {
        Some("SUCCESS") => CheckState::Passed,
        Some("FAILURE" | "ERROR") => CheckState::Failed,
        Some("PENDING" | "EXPECTED") => CheckState::Pending,
        _ => CheckState::Unknown,
    }
}

fn state(state: Option<&str>) -> PullRequestState {
    match state {
        Some("OPEN") => PullRequestState::Open,
        Some("CLOSED") => PullRequestState::Closed,
        Some("MERGED") => PullRequestState::Merged,
        _ => PullRequestState::Unknown,
    }
}

fn mergeability(mergeable: Option<&str>) -> Mergeability {
    match mergeable {
        Some("MERGEABLE") => Mergeability::Mergeable,
        Some("CONFLICTING") => Mergeability::Conflicting,
        _ => Mergeability::Unknown,
    }
}

fn block(status: Option<&str>) -> MergeBlock {
    match status {
        Some("CLEAN" | "HAS_HOOKS") => MergeBlock::Clear,
        Some("UNSTABLE") => MergeBlock::Unstable,
        Some("BEHIND") => MergeBlock::Behind,
        Some("BLOCKED") => MergeBlock::Blocked,
        Some("DIRTY") => MergeBlock::Conflicting,
        Some("DRAFT") => MergeBlock::Draft,
        _ => MergeBlock::Unknown,
    }
}

/// Without any review, and where none is asked for, there is no decision.
fn review(decision: Option<&str>) -> Review {
    match decision {
        None => Review::NotRequired,
        Some("APPROVED") => Review::Approved,
        Some("CHANGES_REQUESTED") => Review::ChangesRequested,
        Some("REVIEW_REQUIRED") => Review::Required,
        Some(_) => Review::Unknown,
    }
}

fn thread(thread: Thread) -> ReviewThread {
    ReviewThread {
        id: thread.id,
        path: one_line(&thread.path.unwrap_or_default()),
        line: thread.line,
        comments: List::items(thread.comments).map(comment).collect(),
    }
}

fn comment(comment: Comment) -> ReviewComment {
    let association = comment.author_association.unwrap_or_default();
    ReviewComment {
        author: one_line(&comment.author.map(|author| author.login).unwrap_or_default()),
        trusted: is_trusted(Some(&association)),
        text: beginning_of(&comment.body.unwrap_or_default(), LONGEST_COMMENT),
    }
}
