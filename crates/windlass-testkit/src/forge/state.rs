//! What the forge knows, and how it changes.

use std::collections::BTreeMap;

use super::http::Request;
use super::issues::Tracker;
use super::repository::Bare;
use super::serve::body_text;
use super::story::{Checks, Event, Remark, Story, Trouble};

/// A request, for the record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Asked {
    /// `push`, `WindlassPullRequest`, `POST pulls`, …
    pub what: String,
    /// Method and path.
    pub line: String,
    /// Its body, as text.
    pub body: String,
}

/// A pull request, as tests see it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PullShown {
    /// From 1.
    pub number: u64,
    /// `OPEN`, `CLOSED`, `MERGED`.
    pub state: &'static str,
    /// A draft.
    pub draft: bool,
    /// Its branch.
    pub branch: String,
    /// The branch's tip, or what it was at the end.
    pub head: String,
    /// What it is called.
    pub title: String,
    /// What it says.
    pub body: String,
    /// How often somebody merged it: nobody may twice.
    pub merges: u32,
}

/// A pull request.
#[derive(Clone, Debug)]
pub struct Pull {
    pub shown: PullShown,
    pub base: String,
    pub merge_commit: Option<String>,
    pub review: Option<&'static str>,
    pub remarks: Vec<Remark>,
}

/// All of it.
#[derive(Debug)]
pub struct State {
    pub bare: Bare,
    pub story: Story,
    pub pulls: Vec<Pull>,
    pub asked: Vec<Asked>,
    pub done: Vec<String>,
    pub troubles: Vec<(String, Trouble)>,
    pub stopping: bool,
    pub hanging: u32,
    pub released: u32,
    pub comments: Vec<(u64, String)>,
    pub tracker: Tracker,
    /// Heads that were seen, in their order, and how often.
    views: BTreeMap<String, u32>,
    heads: Vec<String>,
    viewed: u32,
}

impl State {
    pub fn new(bare: Bare, story: Story) -> State {
        State {
            bare,
            story,
            pulls: Vec::new(),
            asked: Vec::new(),
            done: Vec::new(),
            troubles: Vec::new(),
            stopping: false,
            hanging: 0,
            released: 0,
            comments: Vec::new(),
            tracker: Tracker::default(),
            views: BTreeMap::new(),
            heads: Vec::new(),
            viewed: 0,
        }
    }

    /// Notes a request, and gives the trouble that it meets.
    pub fn record(&mut self, what: &str, request: &Request) -> Option<Trouble> {
        let line = format!("{} {}", request.method, request.path);
        self.asked.push(Asked { what: what.to_owned(), line, body: body_text(request) });
        let at = self.troubles.iter().position(|(name, _)| name == what || name == "*")?;
        Some(self.troubles.remove(at).1)
    }

    pub fn shown(&mut self) -> Vec<PullShown> {
        self.follow_branches();
        self.pulls.iter().map(|pull| pull.shown.clone()).collect()
    }

    /// Open pull requests are about whatever their branch is now.
    pub fn follow_branches(&mut self) {
        for pull in self.pulls.iter_mut().filter(|pull| pull.shown.state == "OPEN") {
            match self.bare.tip(&pull.shown.branch) {
                Some(tip) => pull.shown.head = tip,
                // As GitHub does.
                None => pull.shown.state = "CLOSED",
            }
        }
    }

    /// Somebody looks at a pull request: time passes.
    pub fn view(&mut self, number: u64) {
        self.viewed += 1;
        let viewed = self.viewed;
        let due: Vec<Event> = self
            .story
            .events
            .iter()
            .filter(|(at, _)| *at == viewed)
            .map(|(_, event)| event.clone())
            .collect();
        for event in due {
            self.happen(&event);
        }
        self.follow_branches();
        let head =
            self.pulls.iter().find(|pull| pull.shown.number == number).map(|pull| pull.shown.head.clone());
        let Some(head) = head else { return };
        if !self.heads.contains(&head) {
            self.heads.push(head.clone());
        }
        *self.views.entry(head).or_default() += 1;
    }

    /// How often this commit was looked at as the head of a pull request.
    pub fn views_of(&self, head: &str) -> u32 {
        self.views.get(head).copied().unwrap_or_default()
    }

    /// What is run on this commit.
    pub fn checks_of(&self, head: &str) -> Checks {
        let at = self.heads.iter().position(|known| known == head).unwrap_or(self.heads.len());
        self.story.checks.get(at).or(self.story.checks.last()).cloned().unwrap_or_default()
    }

    pub fn newest(&mut self) -> Option<&mut Pull> {
        self.pulls.last_mut()
    }

    pub fn happen(&mut self, event: &Event) {
        self.follow_branches();
        match event {
            Event::MainMoves(path, text) => {
                self.bare.commit_file("main", path, text);
                return;
            }
            Event::Merge => {
                let number = self.pulls.last().map(|pull| pull.shown.number).unwrap_or_default();
                self.merge(number, "merge");
                return;
            }
            _ => {}
        }
        let branch = self.pulls.last().map(|pull| pull.shown.branch.clone()).unwrap_or_default();
        match event {
            Event::ForcePush => {
                self.bare.commit_file("main", "theirs.txt", "theirs\n");
                let theirs = self.bare.tip("main").expect("main");
                let before = self.bare.parents(&theirs)[0].clone();
                self.bare.set("main", &before);
                self.bare.set(&branch, &theirs);
            }
            Event::MergeWithMore => {
                let ours = self.bare.tip(&branch).expect("the branch");
                let main = self.bare.tip("main").expect("main");
                let theirs = self.bare.commit_file(&branch, "theirs.txt", "theirs\n");
                let merge = self.bare.commit(&format!("{theirs}^{{tree}}"), &[&ours, &main], "Merge main");
                self.bare.set(&branch, &merge);
            }
            Event::DeleteBranch => {
                self.bare.git(&["update-ref", "-d", &format!("refs/heads/{branch}")]);
            }
            _ => {}
        }
        let Some(pull) = self.newest() else { return };
        match event {
            Event::Close => pull.shown.state = "CLOSED",
            Event::Approve => pull.review = Some("APPROVED"),
            Event::RequestChanges => pull.review = Some("CHANGES_REQUESTED"),
            Event::Say(remark) => pull.remarks.push(remark.clone()),
            Event::WriteAbove(text) => pull.shown.body.insert_str(0, text),
            _ => {}
        }
    }

    /// Merges, whatever the rules say. `None` where both do not go together.
    pub fn merge(&mut self, number: u64, strategy: &str) -> Option<String> {
        let at = self.pulls.iter().position(|pull| pull.shown.number == number)?;
        let (head, title) = (self.pulls[at].shown.head.clone(), self.pulls[at].shown.title.clone());
        let base = self.bare.tip("main")?;
        let tree = self.bare.merged_tree(&base, &head)?;
        let subject = format!("{title} (#{number})");
        let commit = match strategy {
            "merge" => self.bare.commit(&tree, &[&base, &head], &format!("Merge pull request #{number}")),
            // One commit each would be a rebase; here one with its own mark is enough to tell it.
            "rebase" => self.bare.commit(&tree, &[&base], &format!("{subject} rebased")),
            _ => self.bare.commit(&tree, &[&base], &subject),
        };
        self.bare.set("main", &commit);
        let pull = &mut self.pulls[at];
        pull.shown.state = "MERGED";
        pull.shown.merges += 1;
        pull.merge_commit = Some(commit.clone());
        Some(commit)
    }
}
