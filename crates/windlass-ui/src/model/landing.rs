//! Where the work of a run is, and the commands that merge it.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

use serde::Serialize;
use windlass_core::forge::PullRequestState;
use windlass_core::words::{quoted, some_of};

use crate::board::Board;
use crate::document::RunStatus;
use crate::format;
use crate::harmless::one_line;
use crate::narrate::short;

/// What git says today of the places where a run's work is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PlacesSeen {
    /// The branch that is checked out in the run's directory; `None` where none is.
    pub branch: Option<String>,
    /// Paths there that are not committed.
    pub uncommitted: u64,
    /// Of these, the files that only a person can commit: they look like secrets, or are large.
    pub held_back: Vec<PathBuf>,
    /// Of these, the files there that git refuses to merge over; told where the work is to be merged in that directory.
    pub in_the_way: Vec<PathBuf>,
    /// The working tree that the run's own one was made from; `None` where the run worked in that itself.
    pub main: Option<MainTree>,
    /// The run's last commit, seen from where it is to be merged into; `None` where it made none.
    pub head: Option<CommitStanding>,
    /// The branches of parked tasks, seen from the run's directory.
    pub parked: BTreeMap<String, CommitStanding>,
}

/// The working tree that a linked one was made from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MainTree {
    /// Where.
    pub path: PathBuf,
    /// The branch that is checked out there; `None` where none is.
    pub branch: Option<String>,
    /// Paths there that are not committed.
    pub uncommitted: u64,
}

/// How a commit stands to another one that it is to be merged into.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CommitStanding {
    /// It is not there any more.
    Gone,
    /// The fleet that the run worked with has it, and this repository has not.
    OnFleet,
    /// It is in its history.
    Merged,
    /// git merges it without a conflict.
    Clean,
    /// Both changed the same.
    Conflicts,
    /// git cannot say.
    Unknown,
}

impl CommitStanding {
    /// What there is to know before it is merged; `None` where there is nothing to merge.
    pub(super) const fn before_merging(self) -> Option<&'static str> {
        match self {
            CommitStanding::Gone | CommitStanding::OnFleet | CommitStanding::Merged => None,
            CommitStanding::Clean => Some("merges without a conflict"),
            CommitStanding::Conflicts => Some("conflicts, to be put together by hand"),
            CommitStanding::Unknown => Some("not tried out"),
        }
    }
}

/// A command, and what it is for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Step {
    /// As it is typed, wherever one is.
    pub command: String,
    /// What for.
    pub purpose: String,
}

/// Where the work is, and how it is merged.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Landing {
    /// Where it is: a sentence without its full stop.
    pub sentence: String,
    /// What merges it, or shows it where there is nothing to merge.
    pub steps: Vec<Step>,
}

impl Landing {
    fn without_steps(sentence: impl Into<String>) -> Landing {
        Landing { sentence: sentence.into(), steps: Vec::new() }
    }

    fn by(sentence: String, command: String, purpose: impl Into<String>) -> Landing {
        Landing { sentence, steps: vec![Step { command, purpose: purpose.into() }] }
    }

    /// From what the run's facts say, and what git says today.
    pub(super) fn of(board: &Board, status: &RunStatus, places: Option<&PlacesSeen>) -> Landing {
        let pull_requests: Vec<_> = board.delivery.pull_requests().collect();
        if !pull_requests.is_empty() {
            return outside(&pull_requests);
        }
        let Some(places) = places else {
            let directory = one_line(&status.directory);
            return Landing::without_steps(match &status.head.as_deref().map(short) {
                Some(head) => {
                    format!("the last commit was {head} in {directory}, which git cannot look at now")
                }
                None => format!("its files are in {directory}; no repository is there"),
            });
        };
        match (places.head, &places.main) {
            (Some(CommitStanding::OnFleet), _) => on_fleet(status),
            // What their lanes changed and did not land lies in checkouts of their own.
            (None, _) if board.plan.as_ref().is_some_and(|plan| plan.lanes.is_some()) => {
                Landing::without_steps("nothing: none of its lanes has landed a commit")
            }
            (None, _) => uncommitted(board, status, places),
            (Some(head), Some(main)) => onto_main(status, places, head, main),
            (Some(head), None) => here(board, status, places, head),
        }
    }
}

/// Its work is in pull requests: where each is that was not seen to be merged.
fn outside(pull_requests: &[(&str, PullRequestState)]) -> Landing {
    let not_merged = pull_requests.iter().filter(|(_, state)| *state != PullRequestState::Merged);
    let open = not_merged.clone().count();
    let merged = pull_requests.len() - open;
    let sentence = match (pull_requests, open) {
        ([(url, _)], 0) => format!("its pull request is merged: {}", one_line(url)),
        ([(url, _)], _) => format!("its pull request: {}", one_line(url)),
        ([.., (url, _)], 0) => {
            format!("its {merged} pull requests are merged; the last one: {}", one_line(url))
        }
        _ => format!("its {} pull requests, {merged} of them merged", pull_requests.len()),
    };
    let step = |(url, state): &(&str, PullRequestState)| Step {
        command: format!("gh pr view {} --web", quoted(OsStr::new(url))),
        purpose: match state {
            PullRequestState::Closed => "look at it: it was closed there",
            _ => "look at it, and merge it there",
        }
        .to_owned(),
    };
    Landing { sentence, steps: not_merged.map(step).collect() }
}

/// The run made no commit.
fn uncommitted(board: &Board, status: &RunStatus, places: &PlacesSeen) -> Landing {
    if status.restorable.is_none() || places.uncommitted == 0 {
        return Landing::without_steps("nothing: no commit, and no file that differs");
    }
    let top = top(board);
    let title = quoted(OsStr::new(&one_line(&status.title)));
    let files = format::count(places.uncommitted, "file");
    let mut steps = vec![(format!("windlass diff {}", run(status)), "what the run changed")];
    let is_more_there = places.uncommitted > places.held_back.len() as u64;
    if let Some((paths, what)) = all_but_held_back(&places.held_back).filter(|_| is_more_there) {
        steps.push((format!("git -C {top} add --all{paths} && git -C {top} commit -m {title}"), what));
    }
    let step = |(command, purpose): (String, &str)| Step { command, purpose: purpose.to_owned() };
    Landing {
        sentence: format!("{files} not committed in {}", one_line(&status.directory)),
        steps: steps.into_iter().map(step).collect(),
    }
}

/// What `git add --all` is told, and what that does. `None` where more is held back than can be typed.
fn all_but_held_back(held_back: &[PathBuf]) -> Option<(String, &'static str)> {
    const MOST: usize = 3;
    if held_back.is_empty() {
        return Some((String::new(), "commit all that is there"));
    }
    if held_back.len() > MOST {
        return None;
    }
    let but = held_back.iter().map(|path| {
        let mut pathspec = OsString::from(":(top,exclude,literal)");
        pathspec.push(path);
        format!(" {}", quoted(&pathspec))
    });
    Some((format!(" -- :/{}", but.collect::<String>()), "commit all but what only a person can say"))
}

/// It worked in a tree of its own: its branch is to be merged where that came from.
fn onto_main(status: &RunStatus, places: &PlacesSeen, head: CommitStanding, main: &MainTree) -> Landing {
    let onto = main.branch.as_deref().map_or_else(|| "a detached HEAD".to_owned(), one_line);
    let what = places.branch.clone().or_else(|| status.head.clone()).unwrap_or_default();
    let commits = commits(status);
    let merge = format!("git -C {} merge {}", quoted(main.path.as_os_str()), quoted(OsStr::new(&what)));
    let first = if main.uncommitted > 0 { "; commit or stash what is there first" } else { "" };
    let left = match places.uncommitted {
        0 => String::new(),
        files => {
            format!(", and {} not committed in {}", format::count(files, "file"), one_line(&status.directory))
        }
    };
    let sentence = format!("{commits} on {}{left}", one_line(&what));
    match head.before_merging() {
        Some(known) => Landing::by(sentence, merge, format!("onto {onto}: {known}{first}")),
        None if head == CommitStanding::Merged => {
            Landing::without_steps(format!("{sentence}; merged into {onto} already"))
        }
        None => gone(),
    }
}

/// `3 commits (2 of iterations)`.
fn commits(status: &RunStatus) -> String {
    let made = status.commits_made;
    format!("{}{}", format::count(made, "commit"), format::commits_apart(made, status.commits))
}

fn on_fleet(status: &RunStatus) -> Landing {
    let commits = commits(status);
    let sentence = format!("{commits}, which its fleet keeps and this repository has not");
    Landing::by(sentence, format!("windlass resume {}", run(status)), "brings them here")
}

fn gone() -> Landing {
    Landing::without_steps("its commits are gone")
}

/// It worked where a person does: its commits are on the branch.
fn here(board: &Board, status: &RunStatus, places: &PlacesSeen, head: CommitStanding) -> Landing {
    let commits = commits(status);
    let branch = places.branch.as_deref().map_or_else(|| "a detached HEAD".to_owned(), one_line);
    let top = top(board);
    let last = status.head.clone().unwrap_or_default();
    let left = match places.uncommitted {
        0 => String::new(),
        files => format!(", and {} not committed", format::count(files, "file")),
    };
    let merge = format!("git -C {top} merge {last}");
    match head.before_merging() {
        Some(known) => {
            let sentence = format!("{commits}, which {branch} has not{left}");
            Landing::by(sentence, merge, format!("onto {branch}: {known}{}", out_of_the_way(places)))
        }
        None if head == CommitStanding::Merged => {
            let range =
                status.first_head.as_ref().map_or_else(|| last.clone(), |first| format!("{first}..{last}"));
            let sentence = format!("{commits} on {branch} already: nothing to merge{left}");
            let command = format!("git -C {top} log --oneline {range}");
            Landing::by(sentence, command, format!("what {branch} has of it already"))
        }
        None => gone(),
    }
}

/// What has to be done before git merges at all.
fn out_of_the_way(places: &PlacesSeen) -> String {
    const NAMED: usize = 3;
    if places.in_the_way.is_empty() {
        return String::new();
    }
    let named = places.in_the_way.iter().map(|path| one_line(&path.to_string_lossy()));
    format!("; first commit or stash what is in its way there: {}", some_of(named, NAMED))
}

fn run(status: &RunStatus) -> String {
    status.run.as_ref().map(|run| one_line(&run.0)).unwrap_or_default()
}

/// Where the run works, as a shell takes it.
pub(super) fn top(board: &Board) -> String {
    quoted(board.plan.as_ref().map_or(OsStr::new(""), |plan| plan.directory.as_os_str()))
}
