//! Questions, by GraphQL: those that Windlass asks, by their names, with the fields of GitHub's schema.

use serde_json::{Value, json};

use super::answer::ForgeResponse;
use super::rest;
use super::state::{Pull, State};
use super::story::Conclusion;
use super::{NAME, OWNER};

/// The name behind `query` or `mutation`.
pub fn name_of(body: &Value) -> String {
    let query = body["query"].as_str().unwrap_or_default();
    let name = query.split_whitespace().nth(1).unwrap_or_default();
    name.split(['(', '{']).next().unwrap_or_default().to_owned()
}

pub fn answer(state: &mut State, body: &Value) -> ForgeResponse {
    let name = name_of(body);
    let variables = &body["variables"];
    match name.as_str() {
        "WindlassAccount" => ForgeResponse::data(&json!({
            "viewer": { "login": "tess" },
            "rateLimit": { "remaining": 4990, "resetAt": "2030-01-01T00:00:00Z" },
        })),
        "WindlassMarkReady" => mark_ready(state, variables),
        _ if variables["owner"] != json!(OWNER) || variables["name"] != json!(NAME) => {
            ForgeResponse::error("NOT_FOUND", "Could not resolve to a Repository with that name.")
        }
        "WindlassRepository" => ForgeResponse::data(&json!({ "repository": {
            "isArchived": false,
            "viewerPermission": "WRITE",
            "mergeCommitAllowed": true,
            "squashMergeAllowed": true,
            "rebaseMergeAllowed": true,
            "defaultBranchRef": { "name": "main" },
        } })),
        "WindlassPullRequest" => {
            let number = variables["number"].as_u64().unwrap_or_default();
            state.view(number);
            match state.pulls.iter().find(|pull| pull.shown.number == number) {
                Some(pull) => {
                    ForgeResponse::data(&json!({ "repository": { "pullRequest": shown(state, pull) } }))
                }
                None => {
                    ForgeResponse::error("NOT_FOUND", "Could not resolve to a PullRequest with that number.")
                }
            }
        }
        "WindlassPullRequestsOfBranch" => {
            state.follow_branches();
            let of_it = |pull: &&Pull| json!(pull.shown.branch) == variables["branch"];
            let nodes: Vec<Value> =
                state.pulls.iter().rev().filter(of_it).map(|pull| shown(state, pull)).collect();
            ForgeResponse::data(&json!({ "repository": { "pullRequests": { "nodes": nodes } } }))
        }
        _ => ForgeResponse::error("undefinedField", &format!("the stand-in does not know the query {name}")),
    }
}

fn mark_ready(state: &mut State, variables: &Value) -> ForgeResponse {
    let pull = state.pulls.iter_mut().find(|pull| json!(id(pull)) == variables["id"]);
    let Some(pull) = pull else { return ForgeResponse::error("NOT_FOUND", "Could not resolve to a node.") };
    pull.shown.draft = false;
    ForgeResponse::data(&json!({ "markPullRequestReadyForReview": { "pullRequest": { "isDraft": false } } }))
}

fn id(pull: &Pull) -> String {
    format!("PR_{}", pull.shown.number)
}

fn shown(state: &State, pull: &Pull) -> Value {
    let head = &pull.shown.head;
    let parents: Vec<Value> = state.bare.parents(head).iter().map(|oid| json!({ "oid": oid })).collect();
    let commit =
        json!({ "oid": head, "parents": { "nodes": parents }, "statusCheckRollup": rollup(state, pull) });
    let merge_state = merge_state(state, pull);
    let mergeable = match merge_state {
        "UNKNOWN" => "UNKNOWN",
        "DIRTY" => "CONFLICTING",
        _ => "MERGEABLE",
    };
    json!({
        "id": id(pull),
        "number": pull.shown.number,
        "url": rest::url(pull.shown.number),
        "body": pull.shown.body,
        "state": pull.shown.state,
        "isDraft": pull.shown.draft,
        "isCrossRepository": false,
        "headRefName": pull.shown.branch,
        "headRefOid": head,
        "baseRefName": pull.base,
        "mergeable": mergeable,
        "mergeStateStatus": merge_state,
        "reviewDecision": decision(state, pull),
        "mergeCommit": pull.merge_commit.as_ref().map(|oid| json!({ "oid": oid })),
        "reviewRequests": { "totalCount": 0 },
        "commits": { "nodes": [{ "commit": commit }] },
        "reviewThreads": { "nodes": threads(pull) },
    })
}

fn decision(state: &State, pull: &Pull) -> Option<&'static str> {
    pull.review.or(state.story.protection.review.then_some("REVIEW_REQUIRED"))
}

fn threads(pull: &Pull) -> Vec<Value> {
    let thread = |(at, remark): (usize, &super::story::Remark)| {
        json!({
            "id": format!("T_{at}"), "isResolved": false, "path": "README.md", "line": 1,
            "comments": { "nodes": [{
                "author": { "login": remark.author },
                "authorAssociation": remark.association,
                "body": remark.text,
            }] },
        })
    };
    pull.remarks.iter().enumerate().map(thread).collect()
}

/// Where the checks of a head stand at this view.
fn ends(state: &State, pull: &Pull) -> Option<Vec<(String, Option<Conclusion>)>> {
    let checks = state.checks_of(&pull.shown.head);
    let views = state.views_of(&pull.shown.head);
    if views <= checks.absent || checks.ends.is_empty() {
        return None;
    }
    let over = views > checks.absent + checks.pending;
    let end = |end: Conclusion| (over && end != Conclusion::NeverEnds).then_some(end);
    Some(checks.ends.into_iter().map(|(name, conclusion, _)| (name, end(conclusion))).collect())
}

fn rollup(state: &State, pull: &Pull) -> Option<Value> {
    let ends = ends(state, pull)?;
    let node = |(at, (name, end)): (usize, &(String, Option<Conclusion>))| {
        let conclusion = end.map(|end| match end {
            Conclusion::Passes => "SUCCESS",
            Conclusion::Fails => "FAILURE",
            Conclusion::IsCancelled => "CANCELLED",
            Conclusion::IsSkipped => "SKIPPED",
            Conclusion::IsUnheardOf | Conclusion::NeverEnds => "PERHAPS",
        });
        json!({
            "__typename": "CheckRun",
            "databaseId": pull.shown.number * 100 + at as u64,
            "name": name,
            "status": if end.is_some() { "COMPLETED" } else { "IN_PROGRESS" },
            "conclusion": conclusion,
            "title": null,
            "checkSuite": { "app": { "slug": "github-actions" } },
        })
    };
    let nodes: Vec<Value> = ends.iter().enumerate().map(node).collect();
    Some(json!({ "contexts": { "totalCount": nodes.len(), "nodes": nodes } }))
}

/// What GitHub calls `mergeStateStatus`.
pub fn merge_state(state: &State, pull: &Pull) -> &'static str {
    let head = &pull.shown.head;
    if pull.shown.state != "OPEN" || state.views_of(head) <= state.story.unknown_mergeability {
        return "UNKNOWN";
    }
    let Some(base) = state.bare.tip(&pull.base) else { return "UNKNOWN" };
    if state.bare.merged_tree(&base, head).is_none() {
        return "DIRTY";
    }
    let rules = state.story.protection;
    let ends = ends(state, pull).unwrap_or_default();
    let passed = |(_, end): &(String, Option<Conclusion>)| {
        matches!(end, Some(Conclusion::Passes | Conclusion::IsSkipped))
    };
    let green = ends.iter().all(passed);
    if rules.review && pull.review != Some("APPROVED") || rules.checks && (ends.is_empty() || !green) {
        return "BLOCKED";
    }
    if pull.review == Some("CHANGES_REQUESTED") && rules.review {
        return "BLOCKED";
    }
    if rules.up_to_date && !state.bare.has(head, &base) {
        return "BEHIND";
    }
    if pull.shown.draft {
        return "DRAFT";
    }
    if green { "CLEAN" } else { "UNSTABLE" }
}
