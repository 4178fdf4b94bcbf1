//! Issues with the real `gh`, against the stand-in forge.
#![expect(clippy::unwrap_used, reason = "a test that cannot be set up has to fail at the spot")]

use std::time::Duration;

use windlass_core::forge::{IssueFilter, IssueState};
use windlass_forge::gh::Gh;
use windlass_forge::{ForgeFault, Issues, MOST_ISSUES, named};
use windlass_testkit::TestEnv;
use windlass_testkit::forge::{IssueShown, LOGIN, StandInForge, Story, TOKEN, Trouble};

struct Bed {
    _env: TestEnv,
    forge: StandInForge,
    gh: Gh,
}

impl Bed {
    fn new() -> Bed {
        let env = TestEnv::with_git();
        let forge = StandInForge::start(&env, Story::default());
        let name = named("github.com", "acme", "anvil").unwrap();
        let gh = Gh::new(name, env.root()).with_variable("HOME", env.home());
        Bed { _env: env, forge, gh }
    }

    fn numbers(&self, filter: &IssueFilter) -> Vec<u64> {
        self.gh.open_issues(filter).unwrap().issues.iter().map(|issue| issue.number).collect()
    }
}

#[test]
fn issues_are_listed_as_they_are_filtered() {
    let bed = Bed::new();
    bed.forge.add_milestone(4, "Second half, & more");
    bed.forge.add_issue(IssueShown::new(11, "One", "a").labelled("good, first").labelled("agent"));
    bed.forge.add_issue(IssueShown {
        milestone: Some(4),
        assignee: Some("tess".to_owned()),
        ..IssueShown::new(12, "Two", "b").labelled("agent")
    });
    bed.forge.add_issue(IssueShown { open: false, ..IssueShown::new(13, "Three", "c") });
    let filter = |labels: &[&str]| IssueFilter {
        labels: labels.iter().map(|label| (*label).to_owned()).collect(),
        ..IssueFilter::default()
    };
    assert_eq!(bed.numbers(&filter(&[])), [11, 12]);
    assert_eq!(bed.numbers(&filter(&["agent"])), [11, 12]);
    assert_eq!(bed.numbers(&filter(&["agent", "other"])), [0_u64; 0]);
    let milestone =
        |milestone: &str| IssueFilter { milestone: Some(milestone.to_owned()), ..IssueFilter::default() };
    assert_eq!(bed.numbers(&milestone("Second half, & more")), [12]);
    assert_eq!(bed.numbers(&milestone("4")), [12]);
    let error = bed.gh.open_issues(&milestone("Third")).unwrap_err().to_string();
    assert!(error.starts_with("cannot find the milestone Third in github.com/acme/anvil: "), "{error}");
    let assignee = IssueFilter { assignee: Some("tess".to_owned()), ..IssueFilter::default() };
    assert_eq!(bed.numbers(&assignee), [12]);
    assert_eq!(bed.gh.issue(13).unwrap().state, IssueState::Closed);
    let error = bed.gh.issue(99).unwrap_err();
    assert!(matches!(error.fault, ForgeFault::NotFound(_)), "{error}");
    assert!(bed.forge.asked().iter().all(|asked| !asked.line.contains(TOKEN)));
}

#[test]
fn long_lists_have_pages_and_an_end() {
    let bed = Bed::new();
    for number in 0..MOST_ISSUES as u64 {
        bed.forge.add_issue(IssueShown::new(1000 + number, "x", ""));
    }
    let list = bed.gh.open_issues(&IssueFilter::default()).unwrap();
    assert_eq!((list.issues.len(), list.cut), (MOST_ISSUES, true));
    bed.forge.change_issue(1000, |issue| issue.open = false);
    let list = bed.gh.open_issues(&IssueFilter::default()).unwrap();
    assert_eq!((list.issues.len(), list.cut), (MOST_ISSUES - 1, false));
}

#[test]
fn comments_labels_and_closing_are_seen_there() {
    let bed = Bed::new();
    bed.forge.add_issue(IssueShown::new(12, "Two", "b"));
    bed.forge.say(12, "mallory", "NONE", "<b>obey</b>\u{1b}[2J");
    let id = bed.gh.add_comment(12, "one `$HOME`\nmore").unwrap();
    bed.gh.edit_comment(id, "two").unwrap();
    let said = bed.gh.comments(12, None).unwrap();
    let shown: Vec<(&str, bool)> = said.comments.iter().map(|said| (&*said.author, said.trusted)).collect();
    assert_eq!(shown, [("mallory", false), (LOGIN, true)]);
    let texts: Vec<&str> = said.comments.iter().map(|said| &*said.text).collect();
    // Newer versions of gh write controls as `^[`.
    assert!(texts[0].starts_with("<b>obey</b>") && !texts[0].contains('\u{1b}'), "{texts:?}");
    assert_eq!(texts[1], "two");
    assert_eq!((said.comments[1].id, said.cut), (id, false));
    bed.forge.let_pass(Duration::from_hours(2));
    let later = bed.gh.comments(12, Some(bed.forge.now() - Duration::from_hours(1))).unwrap();
    assert_eq!(later.comments, []);
    let passed = later.asked.duration_since(said.asked).as_secs();
    assert!((7_190..7_260).contains(&passed), "the forge's clock: {passed} s");
    for _ in 0..2 {
        bed.gh.add_label(12, "windlass:working now").unwrap();
    }
    assert_eq!(bed.forge.issue(12).labels, ["windlass:working now"]);
    for _ in 0..2 {
        bed.gh.remove_label(12, "windlass:working now").unwrap();
    }
    assert_eq!(bed.forge.issue(12).labels, [""; 0]);
    bed.gh.close_issue(12).unwrap();
    let issue = bed.forge.issue(12);
    assert_eq!((issue.open, issue.reason.as_deref()), (false, Some("completed")));
}

#[test]
fn what_goes_wrong_is_told_in_one_sentence() {
    let bed = Bed::new();
    bed.forge.add_issue(IssueShown::new(12, "Big", &"x".repeat(1_000_000)));
    assert_eq!(bed.gh.open_issues(&IssueFilter::default()).unwrap().issues[0].body.len(), 1_000_000);
    let ask = |trouble: Trouble| {
        bed.forge.meet("GET issues", trouble);
        bed.gh.open_issues(&IssueFilter::default()).unwrap_err()
    };
    assert!(matches!(ask(Trouble::Page).fault, ForgeFault::Garbled(_)));
    assert!(matches!(ask(Trouble::Half).fault, ForgeFault::Garbled(_)));
    assert!(matches!(ask(Trouble::RateLimit).fault, ForgeFault::RateLimited { .. }));
    assert!(matches!(ask(Trouble::BadLogin).fault, ForgeFault::LoggedOut));
    assert!(matches!(ask(Trouble::BadGateway).fault, ForgeFault::Unreachable(_)));
    bed.forge.turn_issues_off();
    let error = bed.gh.open_issues(&IssueFilter::default()).unwrap_err().to_string();
    assert_eq!(
        error,
        "cannot list the issues in github.com/acme/anvil: the forge refused it: Issues are disabled for this repo"
    );
}
