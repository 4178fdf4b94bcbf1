//! Issues and comments, read from what REST answers. Pure.

use jiff::Timestamp;
use jiff::fmt::rfc2822;
use serde::Deserialize;
use serde_json::Value;
use windlass_core::forge::{Issue, IssueComment, IssueState};

use super::read::is_trusted;
use crate::text::{beginning_of, one_line};

/// The longest body that is read, in bytes. GitHub takes 65,536 characters.
const LONGEST_ISSUE: usize = 1024 * 1024;

/// The longest comment that is read, in bytes: those that mean something to us begin with a mark.
const LONGEST_COMMENT: usize = 4 * 1024;

/// As it comes. What may be missing has a default.
#[derive(Deserialize)]
struct IssueNode {
    number: u64,
    title: Option<String>,
    body: Option<String>,
    user: Option<User>,
    author_association: Option<String>,
    state: Option<String>,
    #[serde(default)]
    labels: Vec<Label>,
    /// Pull requests are issues as well, and have this.
    pull_request: Option<Value>,
}

#[derive(Deserialize)]
struct User {
    login: Option<String>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Label {
    Name(String),
    Node { name: Option<String> },
}

#[derive(Deserialize)]
struct CommentNode {
    id: u64,
    user: Option<User>,
    author_association: Option<String>,
    updated_at: Timestamp,
    body: Option<String>,
}

#[derive(Deserialize)]
struct Milestone {
    number: u64,
    title: String,
}

/// A page of issues without the pull requests among them, and how many there were with these; `None` where it cannot be read.
pub fn issues(answer: &Value) -> Option<(Vec<Issue>, usize)> {
    let nodes = Vec::<IssueNode>::deserialize(answer).ok()?;
    let count = nodes.len();
    let issues = nodes.into_iter().filter(|node| node.pull_request.is_none()).map(issue_of).collect();
    Some((issues, count))
}

/// One issue; `None` where it cannot be read, or is a pull request.
pub fn issue(answer: &Value) -> Option<Issue> {
    let node = IssueNode::deserialize(answer).ok()?;
    node.pull_request.is_none().then(|| issue_of(node))
}

/// A page of comments; `None` where one cannot be read.
pub fn comments(answer: &Value) -> Option<Vec<IssueComment>> {
    let nodes = Vec::<CommentNode>::deserialize(answer).ok()?;
    Some(nodes.into_iter().map(comment_of).collect())
}

/// The number of the milestone of this title; `None` where there is none.
pub fn milestone(answer: &Value, title: &str) -> Option<u64> {
    let milestones = Vec::<Milestone>::deserialize(answer).ok()?;
    milestones.into_iter().find(|milestone| milestone.title == title).map(|milestone| milestone.number)
}

/// The number of what was made.
pub fn number_of(answer: &Value) -> Option<u64> {
    answer.get("id")?.as_u64()
}

/// A time as HTTP has it: `Mon, 23 Nov 2026 10:00:00 GMT`.
pub fn http_date(header: &str) -> Option<Timestamp> {
    rfc2822::DateTimeParser::new().relaxed_weekday(true).parse_timestamp(header).ok()
}

fn issue_of(node: IssueNode) -> Issue {
    let name = |label: Label| match label {
        Label::Name(name) => Some(name),
        Label::Node { name } => name,
    };
    Issue {
        number: node.number,
        title: one_line(&node.title.unwrap_or_default()),
        body: beginning_of(&node.body.unwrap_or_default(), LONGEST_ISSUE),
        author: login_of(node.user),
        trusted: is_trusted(node.author_association.as_deref()),
        state: match node.state.as_deref() {
            Some("open") => IssueState::Open,
            Some("closed") => IssueState::Closed,
            _ => IssueState::Unknown,
        },
        labels: node.labels.into_iter().filter_map(name).map(|name| one_line(&name)).collect(),
    }
}

fn comment_of(node: CommentNode) -> IssueComment {
    IssueComment {
        id: node.id,
        author: login_of(node.user),
        trusted: is_trusted(node.author_association.as_deref()),
        changed: node.updated_at,
        text: beginning_of(&node.body.unwrap_or_default(), LONGEST_COMMENT),
    }
}

fn login_of(user: Option<User>) -> String {
    one_line(&user.and_then(|user| user.login).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn pull_requests_are_no_issues_and_nothing_steers_a_terminal() {
        let page = json!([
            { "number": 3, "title": "a\u{1b}[31m\nb", "body": "x\r\ny\u{0}", "state": "open",
              "author_association": "MEMBER", "user": { "login": "tess" }, "labels": ["bug", { "name": "p1" }, {}] },
            { "number": 4, "title": "b", "pull_request": { "url": "u" }, "state": "open" },
            { "number": 5, "title": null, "body": null, "user": null, "state": "what", "author_association": "NONE" },
        ]);
        let (read, count) = issues(&page).unwrap();
        assert_eq!((read.len(), count), (2, 3));
        let first = Issue {
            number: 3,
            title: "a b".to_owned(),
            body: "x\ny".to_owned(),
            author: "tess".to_owned(),
            trusted: true,
            state: IssueState::Open,
            labels: vec!["bug".to_owned(), "p1".to_owned()],
        };
        assert_eq!(read[0], first);
        assert_eq!(read[1], Issue { number: 5, ..Issue::default() });
        assert_eq!(issue(&page[1]), None);
        for other in [json!({ "message": "Not Found" }), json!([{ "title": "x" }]), json!([[]]), json!(null)]
        {
            assert_eq!(issues(&other), None, "{other}");
            assert_eq!(issue(&other), None, "{other}");
        }
    }

    #[test]
    fn comments_have_their_times() {
        let page = json!([{ "id": 7, "updated_at": "2026-11-23T10:00:00Z", "body": "x", "author_association": "NONE" }]);
        let read = comments(&page).unwrap();
        assert_eq!((read[0].id, read[0].changed.as_second(), read[0].trusted), (7, 1_795_428_000, false));
        assert_eq!(
            comments(&json!([{ "id": 7, "body": "x" }])),
            None,
            "without a time nobody knows what holds"
        );
        assert_eq!(http_date("Mon, 23 Nov 2026 10:00:00 GMT"), Some(read[0].changed));
        assert_eq!(http_date("yesterday"), None);
    }
}
