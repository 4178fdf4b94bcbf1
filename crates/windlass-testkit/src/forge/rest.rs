//! Orders, by REST, refused with the statuses and words of GitHub.

use serde_json::{Value, json};

use super::answer::{Body, ForgeResponse};
use super::graphql;
use super::issues;
use super::state::{Pull, PullShown, State};
use super::{NAME, OWNER};

pub fn answer(state: &mut State, method: &str, path: &str, query: &str, body: &Value) -> ForgeResponse {
    state.follow_branches();
    let steps: Vec<&str> = path.split('/').collect();
    if let Some(answer) = issues::answer(state, method, &steps, query, body) {
        return answer;
    }
    match (method, steps.as_slice()) {
        ("POST", ["pulls"]) => open(state, body),
        ("PATCH", ["pulls", number]) => describe(state, number_of(number), body),
        ("PUT", ["pulls", number, "merge"]) => merge(state, number_of(number), body),
        ("PUT", ["pulls", number, "update-branch"]) => update(state, number_of(number), body),
        ("POST", ["issues", number, "comments"]) => {
            let text = body["body"].as_str().unwrap_or_default().to_owned();
            state.comments.push((number_of(number), text));
            ForgeResponse::json(201, json!({ "id": state.comments.len() }))
        }
        ("GET", ["actions", "jobs", job, "logs"]) => ForgeResponse {
            status: 302,
            body: Body::Elsewhere(format!("https://logs.example.com/elsewhere/{job}")),
        },
        _ => ForgeResponse::refused(404, "Not Found"),
    }
}

fn number_of(step: &str) -> u64 {
    step.parse().unwrap_or_default()
}

fn text<'a>(body: &'a Value, name: &str) -> &'a str {
    body.get(name).and_then(Value::as_str).unwrap_or_default()
}

fn open(state: &mut State, body: &Value) -> ForgeResponse {
    let (branch, base) = (text(body, "head"), text(body, "base"));
    let Some(head) = state.bare.tip(branch) else {
        return ForgeResponse::json(
            422,
            json!({ "message": "Validation Failed", "errors": [{ "resource": "PullRequest", "field": "head", "code": "invalid" }] }),
        );
    };
    if state.bare.tip(base).is_none() {
        return ForgeResponse::json(
            422,
            json!({ "message": "Validation Failed", "errors": [{ "resource": "PullRequest", "field": "base", "code": "invalid" }] }),
        );
    }
    if state.pulls.iter().any(|pull| pull.shown.branch == branch && pull.shown.state == "OPEN") {
        return ForgeResponse::invalid(&format!("A pull request already exists for {OWNER}:{branch}."));
    }
    if !state.bare.is_ahead(branch, base) {
        return ForgeResponse::invalid(&format!("No commits between {base} and {branch}"));
    }
    let number = state.pulls.len() as u64 + 1;
    let shown = PullShown {
        number,
        state: "OPEN",
        draft: body["draft"] == json!(true),
        branch: branch.to_owned(),
        head,
        title: text(body, "title").to_owned(),
        body: text(body, "body").to_owned(),
        merges: 0,
    };
    let (base, remarks) = (base.to_owned(), Vec::new());
    state.pulls.push(Pull { shown, base, merge_commit: None, review: None, remarks });
    ForgeResponse::json(201, json!({ "number": number, "html_url": url(number) }))
}

fn describe(state: &mut State, number: u64, body: &Value) -> ForgeResponse {
    let Some(pull) = state.pulls.iter_mut().find(|pull| pull.shown.number == number) else {
        return ForgeResponse::refused(404, "Not Found");
    };
    // As its page does with what is written there.
    pull.shown.body = text(body, "body").replace('\n', "\r\n");
    ForgeResponse::json(200, json!({ "number": number }))
}

pub fn url(number: u64) -> String {
    format!("https://github.com/{OWNER}/{NAME}/pull/{number}")
}

fn merge(state: &mut State, number: u64, body: &Value) -> ForgeResponse {
    let Some(pull) = state.pulls.iter().find(|pull| pull.shown.number == number).cloned() else {
        return ForgeResponse::refused(404, "Not Found");
    };
    if pull.shown.state != "OPEN" {
        return ForgeResponse::refused(405, "Pull Request is not mergeable");
    }
    if pull.shown.draft {
        return ForgeResponse::refused(405, "Pull Request is still a draft");
    }
    if text(body, "sha") != pull.shown.head {
        return ForgeResponse::refused(409, "Head branch was modified. Review and try the merge again.");
    }
    match graphql::merge_state(state, &pull) {
        "BLOCKED" => {
            return ForgeResponse::refused(
                405,
                "At least 1 approving review is required by reviewers with write access.",
            );
        }
        "BEHIND" => return ForgeResponse::refused(405, "Head branch is out of date with the base branch."),
        "DIRTY" | "UNKNOWN" => return ForgeResponse::refused(405, "Pull Request is not mergeable"),
        _ => {}
    }
    match state.merge(number, text(body, "merge_method")) {
        Some(sha) => ForgeResponse::json(
            200,
            json!({ "sha": sha, "merged": true, "message": "Pull Request successfully merged" }),
        ),
        None => ForgeResponse::refused(405, "Pull Request is not mergeable"),
    }
}

fn update(state: &mut State, number: u64, body: &Value) -> ForgeResponse {
    let Some(pull) = state.pulls.iter().find(|pull| pull.shown.number == number).cloned() else {
        return ForgeResponse::refused(404, "Not Found");
    };
    let head = pull.shown.head.clone();
    if text(body, "expected_head_sha") != head {
        return ForgeResponse::refused(422, "expected head sha didn’t match current head ref.");
    }
    let base = state.bare.tip(&pull.base).unwrap_or_default();
    let Some(tree) = state.bare.merged_tree(&head, &base) else {
        return ForgeResponse::refused(422, "merge conflict between base and head");
    };
    let commit = state.bare.commit(&tree, &[&head, &base], &format!("Merge branch '{}'", pull.base));
    state.bare.set(&pull.shown.branch, &commit);
    ForgeResponse::json(202, json!({ "message": "Updating pull request branch." }))
}

/// The log of a job, by its number: that of the pull request, and of the check.
pub fn log(state: &State, job: &str) -> ForgeResponse {
    let job: u64 = job.parse().unwrap_or_default();
    let log = state.pulls.iter().find(|pull| pull.shown.number == job / 100).and_then(|pull| {
        let checks = state.checks_of(&pull.shown.head);
        checks.ends.get(usize::try_from(job % 100).ok()?).map(|(_, _, log)| log.clone())
    });
    let stamp = "2026-11-23T10:00:00.0000000Z";
    let stamped = |log: String| {
        let lines: Vec<String> = log.lines().map(|line| format!("{stamp} {line}")).collect();
        lines.join("\n") + "\n"
    };
    match log {
        Some(log) => ForgeResponse { status: 200, body: Body::Text(stamped(log)) },
        None => ForgeResponse::refused(404, "Not Found"),
    }
}
