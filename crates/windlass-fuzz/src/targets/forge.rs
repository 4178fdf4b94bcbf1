//! What a forge answers, and a remote's address.

use windlass_core::forge::{CheckVerdict, PullRequest};
use windlass_forge::gh::{pull_request, pull_requests, split_answer};
use windlass_forge::parse_remote;

pub(crate) fn run(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    if let Ok(name) = parse_remote(&text) {
        assert_eq!(parse_remote(&format!("https://{name}")), Ok(name));
    }
    let body = split_answer(data).map_or(data, |answer| {
        assert!((100..600).contains(&answer.status));
        answer.body
    });
    let Ok(answer) = serde_json::from_slice::<serde_json::Value>(body) else { return };
    let data = answer.get("data").unwrap_or(&answer);
    let words = data.to_string();
    let one = pull_request(data).into_iter();
    for pull in one.chain(pull_requests(data).into_iter().flatten()) {
        is_sound(&pull, &words);
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
