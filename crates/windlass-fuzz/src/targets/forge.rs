//! What a forge answers, a remote's address, and marks of leases.

use windlass_core::forge::lease::Lease;
use windlass_core::forge::{CheckVerdict, PullRequest};
use windlass_forge::gh::{comments, http_date, issue, issues, pull_request, pull_requests, split_response};
use windlass_forge::parse_remote;

pub(crate) fn run(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    if let Ok(name) = parse_remote(&text) {
        assert_eq!(parse_remote(&format!("https://{name}")), Ok(name));
    }
    let _ = http_date(&text);
    if let Some(lease) = Lease::read(&text) {
        assert_eq!(Lease::read(&lease.mark()), Some(lease));
    }
    let body = split_response(data).map_or(data, |answer| {
        assert!((100..600).contains(&answer.status));
        answer.body
    });
    let Ok(answer) = serde_json::from_slice::<serde_json::Value>(body) else { return };
    of_issues(&answer);
    let data = answer.get("data").unwrap_or(&answer);
    let words = data.to_string();
    let one = pull_request(data).into_iter();
    for pull in one.chain(pull_requests(data).into_iter().flatten()) {
        is_sound(&pull, &words);
    }
}

/// Nothing of them steers a terminal, and nobody has a say whom the answer does not say so of.
fn of_issues(answer: &serde_json::Value) {
    let words = answer.to_string();
    let has_say = ["OWNER", "MEMBER", "COLLABORATOR"].iter().any(|word| words.contains(word));
    let is_plain = |text: &str| !text.contains(|c: char| c.is_control() && c != '\n' && c != '\t');
    let listed = issues(answer).map(|(issues, count)| {
        assert!(issues.len() <= count);
        issues
    });
    for issue in listed.into_iter().flatten().chain(issue(answer)) {
        assert!(is_plain(&issue.body) && is_plain(&issue.title) && !issue.title.contains('\n'), "{issue:?}");
        assert!(has_say || !issue.trusted, "{issue:?}");
    }
    for comment in comments(answer).into_iter().flatten() {
        assert!(is_plain(&comment.text) && (has_say || !comment.trusted), "{comment:?}");
    }
}

/// Nothing passes, and nobody has a say, whom the answer does not say so of.
fn is_sound(pull: &PullRequest, words: &str) {
    let says = |word: &str| words.contains(word);
    if pull.tally().verdict() == CheckVerdict::Green {
        assert!(says("SUCCESS") || says("SKIPPED") || says("NEUTRAL"), "{pull:?}");
    }
    if pull.trusted_threads().next().is_some() {
        assert!(says("OWNER") || says("MEMBER") || says("COLLABORATOR"), "{pull:?}");
    }
    let comments = pull.threads.iter().flat_map(|thread| &thread.comments);
    for text in comments.map(|comment| &comment.text).chain(pull.checks.iter().map(|check| &check.name)) {
        assert!(!text.contains(|c: char| c.is_control() && c != '\n' && c != '\t'), "{text:?}");
    }
}
