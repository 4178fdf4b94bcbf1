//! Issues, by REST: lists with pages and filters, comments with times of the forge's own clock, labels.

use std::time::Duration;

use jiff::Timestamp;
use serde_json::{Value, json};

use super::answer::ForgeResponse;
use super::state::State;
use super::{NAME, OWNER};

/// Who `gh` is logged in as.
pub const LOGIN: &str = "tess";

/// An issue, as tests make and see it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IssueShown {
    /// Its number.
    pub number: u64,
    /// What it is called.
    pub title: String,
    /// What it says.
    pub body: String,
    /// Whose it is.
    pub author: String,
    /// What they are to the repository: `OWNER`, `NONE`, …
    pub association: String,
    /// It is not closed.
    pub open: bool,
    /// Why it was closed.
    pub reason: Option<String>,
    /// Its labels.
    pub labels: Vec<String>,
    /// Its milestone.
    pub milestone: Option<u64>,
    /// Who is to do it.
    pub assignee: Option<String>,
    /// What was said.
    pub comments: Vec<CommentShown>,
}

impl IssueShown {
    /// An open one of the repository's owner.
    pub fn new(number: u64, title: &str, body: &str) -> IssueShown {
        IssueShown {
            number,
            title: title.to_owned(),
            body: body.to_owned(),
            author: OWNER.to_owned(),
            association: "OWNER".to_owned(),
            open: true,
            reason: None,
            labels: Vec::new(),
            milestone: None,
            assignee: None,
            comments: Vec::new(),
        }
    }

    /// With this label as well.
    pub fn labelled(mut self, label: &str) -> IssueShown {
        self.labels.push(label.to_owned());
        self
    }

    /// By somebody who is that to the repository.
    pub fn by(self, author: &str, association: &str) -> IssueShown {
        IssueShown { author: author.to_owned(), association: association.to_owned(), ..self }
    }
}

/// Something that was said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommentShown {
    /// Its number: later ones have higher ones.
    pub id: u64,
    /// Who.
    pub author: String,
    /// What they are to the repository.
    pub association: String,
    /// When it was written or changed.
    pub changed: Timestamp,
    /// What.
    pub text: String,
}

/// What the forge knows of issues.
#[derive(Debug, Default)]
pub struct Tracker {
    pub issues: Vec<IssueShown>,
    pub milestones: Vec<(u64, String)>,
    /// They are turned off.
    pub off: bool,
    /// So much has passed on the forge's clock beyond what has passed.
    pub passed: Duration,
    comments: u64,
}

impl Tracker {
    /// The forge's clock, in whole seconds.
    pub fn now(&self) -> Timestamp {
        let now = Timestamp::now() + self.passed;
        Timestamp::from_second(now.as_second()).expect("a time of this age")
    }

    pub fn say(&mut self, number: u64, author: &str, association: &str, text: &str) -> Option<u64> {
        self.comments += 1;
        let comment = CommentShown {
            id: self.comments,
            author: author.to_owned(),
            association: association.to_owned(),
            changed: self.now(),
            text: text.to_owned(),
        };
        self.find(number)?.comments.push(comment);
        Some(self.comments)
    }

    pub fn find(&mut self, number: u64) -> Option<&mut IssueShown> {
        self.issues.iter_mut().find(|issue| issue.number == number)
    }
}

/// What is asked of issues; `None` where it is not about one.
pub fn answer(
    state: &mut State,
    method: &str,
    steps: &[&str],
    query: &str,
    body: &Value,
) -> Option<ForgeResponse> {
    if matches!(steps, ["issues", ..] | ["milestones"]) && state.tracker.off {
        return Some(ForgeResponse::refused(410, "Issues are disabled for this repo"));
    }
    Some(match (method, steps) {
        ("GET", ["milestones"]) => milestones(&state.tracker),
        ("GET", ["issues"]) => list(state, query),
        ("GET", ["issues", number]) => state
            .tracker
            .find(number.parse().ok()?)
            .map_or_else(missing, |issue| ForgeResponse::json(200, json_of(issue))),
        ("PATCH", ["issues", "comments", id]) => edit(&mut state.tracker, id.parse().ok()?, text(body)),
        ("PATCH", ["issues", number]) => change(&mut state.tracker, number.parse().ok()?, body),
        ("GET", ["issues", number, "comments"]) => comments(&mut state.tracker, number.parse().ok()?, query),
        ("POST", ["issues", number, "comments"]) => {
            let (number, said) = (number.parse().ok()?, text(body).to_owned());
            state.tracker.find(number)?;
            match state.tracker.say(number, LOGIN, "MEMBER", &said) {
                Some(id) => ForgeResponse::json(201, json!({ "id": id })),
                None => missing(),
            }
        }
        ("POST", ["issues", number, "labels"]) => label(&mut state.tracker, number.parse().ok()?, body),
        ("DELETE", ["issues", number, "labels", name]) => {
            unlabel(&mut state.tracker, number.parse().ok()?, &decoded(name))
        }
        _ => return None,
    })
}

fn missing() -> ForgeResponse {
    ForgeResponse::refused(404, "Not Found")
}

fn text(body: &Value) -> &str {
    body["body"].as_str().unwrap_or_default()
}

fn milestones(tracker: &Tracker) -> ForgeResponse {
    let all: Vec<Value> = tracker
        .milestones
        .iter()
        .map(|(number, title)| json!({ "number": number, "title": title }))
        .collect();
    ForgeResponse::json(200, json!(all))
}

/// As GitHub has it, pull requests are among them.
fn list(state: &State, query: &str) -> ForgeResponse {
    let labels = parameter(query, "labels");
    let wanted: Vec<&str> = labels.as_deref().map(|labels| labels.split(',').collect()).unwrap_or_default();
    let milestone = parameter(query, "milestone");
    let assignee = parameter(query, "assignee");
    let fits = |issue: &&IssueShown| {
        issue.open
            && wanted.iter().all(|label| issue.labels.iter().any(|own| own == label))
            && milestone
                .as_ref()
                .is_none_or(|wanted| issue.milestone.map(|own| own.to_string()).as_ref() == Some(wanted))
            && assignee.as_ref().is_none_or(|wanted| issue.assignee.as_ref() == Some(wanted))
    };
    let issues = state.tracker.issues.iter().filter(fits).map(json_of);
    let pulls = state.pulls.iter().filter(|_| wanted.is_empty()).map(|pull| {
        json!({ "number": pull.shown.number, "title": pull.shown.title, "body": "", "state": "open",
                "pull_request": { "url": "https://api.github.com/" } })
    });
    page(pulls.chain(issues).collect(), query)
}

fn comments(tracker: &mut Tracker, number: u64, query: &str) -> ForgeResponse {
    let since: Option<Timestamp> = parameter(query, "since").and_then(|since| since.parse().ok());
    let Some(issue) = tracker.find(number) else { return missing() };
    let said = issue.comments.iter().filter(|said| since.is_none_or(|since| said.changed >= since));
    let all = said.map(|said| {
        json!({ "id": said.id, "body": said.text, "user": { "login": said.author },
                "author_association": said.association, "created_at": said.changed, "updated_at": said.changed })
    });
    page(all.collect(), query)
}

fn page(all: Vec<Value>, query: &str) -> ForgeResponse {
    let number = |name: &str, usual: usize| {
        parameter(query, name).and_then(|number| number.parse().ok()).unwrap_or(usual)
    };
    let (size, page) = (number("per_page", 30).min(100), number("page", 1).max(1));
    let shown: Vec<Value> = all.into_iter().skip((page - 1) * size).take(size).collect();
    ForgeResponse::json(200, json!(shown))
}

fn edit(tracker: &mut Tracker, id: u64, text: &str) -> ForgeResponse {
    let now = tracker.now();
    let said = tracker.issues.iter_mut().flat_map(|issue| &mut issue.comments).find(|said| said.id == id);
    let Some(said) = said else { return missing() };
    text.clone_into(&mut said.text);
    said.changed = now;
    ForgeResponse::json(200, json!({ "id": id }))
}

fn change(tracker: &mut Tracker, number: u64, body: &Value) -> ForgeResponse {
    let Some(issue) = tracker.find(number) else { return missing() };
    if body["state"] == json!("closed") {
        issue.open = false;
        issue.reason = body["state_reason"].as_str().map(str::to_owned);
    }
    ForgeResponse::json(200, json_of(issue))
}

fn label(tracker: &mut Tracker, number: u64, body: &Value) -> ForgeResponse {
    let Some(issue) = tracker.find(number) else { return missing() };
    for label in body["labels"].as_array().into_iter().flatten().filter_map(Value::as_str) {
        if !issue.labels.iter().any(|own| own == label) {
            issue.labels.push(label.to_owned());
        }
    }
    ForgeResponse::json(200, json!([]))
}

fn unlabel(tracker: &mut Tracker, number: u64, label: &str) -> ForgeResponse {
    let Some(issue) = tracker.find(number) else { return missing() };
    match issue.labels.iter().position(|own| own == label) {
        Some(at) => {
            issue.labels.remove(at);
            ForgeResponse::json(200, json!([]))
        }
        None => ForgeResponse::refused(404, "Label does not exist"),
    }
}

fn json_of(issue: &IssueShown) -> Value {
    let labels: Vec<Value> = issue.labels.iter().map(|name| json!({ "name": name })).collect();
    json!({
        "number": issue.number, "title": issue.title, "body": issue.body,
        "html_url": format!("https://github.com/{OWNER}/{NAME}/issues/{}", issue.number),
        "user": { "login": issue.author }, "author_association": issue.association,
        "state": if issue.open { "open" } else { "closed" }, "labels": labels,
    })
}

/// The value of a parameter of a query.
fn parameter(query: &str, name: &str) -> Option<String> {
    let pairs = query.split('&').filter_map(|pair| pair.split_once('='));
    pairs.into_iter().find(|(known, _)| *known == name).map(|(_, value)| decoded(value))
}

fn decoded(text: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        let digits: Vec<u8> = if byte == b'%' { rest.by_ref().take(2).collect() } else { Vec::new() };
        let read = std::str::from_utf8(&digits).ok().and_then(|digits| u8::from_str_radix(digits, 16).ok());
        bytes.push(read.unwrap_or(byte));
    }
    String::from_utf8_lossy(&bytes).into_owned()
}
