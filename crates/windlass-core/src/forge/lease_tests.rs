//! Leases: the table of steps, and runners that race, are late, and die.

use std::collections::BTreeMap;
use std::time::Duration;

use jiff::Timestamp;
use proptest::prelude::*;

use super::IssueComment;
use super::lease::*;
use crate::values::{LaneId, RunId};

const TERM: Duration = Duration::from_mins(30);

fn at(minutes: i64) -> Timestamp {
    Timestamp::from_second(1_800_000_000 + minutes * 60).unwrap()
}

fn holder(name: &str) -> Leaseholder {
    Leaseholder { run: RunId(format!("r-{name}")), lane: LaneId(0) }
}

fn lease(id: u64, name: &str, until: Option<i64>) -> IssueComment {
    let text = Lease { holder: holder(name), until: until.map(at) }.mark() + "\nfor people";
    IssueComment { id, author: "bot".to_owned(), trusted: true, changed: at(0), text }
}

fn step(comments: &[IssueComment], now: i64) -> LeaseStep {
    next_step(&LeasesSeen { comments, now: at(now), login: "bot" }, &holder("me"), TERM)
}

#[test]
fn each_step_follows_from_what_is_seen() {
    let theirs = |until| LeaseStep::Theirs { holder: holder("other"), until: at(until) };
    let cases: Vec<(&str, Vec<IssueComment>, LeaseStep)> = vec![
        ("nobody", vec![], LeaseStep::Ask),
        ("somebody", vec![lease(1, "other", Some(30))], theirs(30)),
        ("it was given back", vec![lease(1, "other", None)], LeaseStep::Ask),
        ("it is over", vec![lease(1, "other", Some(0))], LeaseStep::Ask),
        ("mine", vec![lease(2, "me", Some(30))], LeaseStep::Held { until: at(30) }),
        ("half of mine is over", vec![lease(2, "me", Some(14))], LeaseStep::Renew { comment: 2 }),
        ("mine is nearly over", vec![lease(2, "me", Some(1))], LeaseStep::GiveBack { comment: 2 }),
        (
            "I was later, whatever the order of the list",
            vec![lease(2, "me", Some(30)), lease(1, "other", Some(30))],
            LeaseStep::GiveBack { comment: 2 },
        ),
        (
            "I was earlier",
            vec![lease(1, "me", Some(30)), lease(2, "other", Some(30))],
            LeaseStep::Held { until: at(30) },
        ),
        (
            "I wrote twice, since an answer was lost",
            vec![lease(1, "me", Some(30)), lease(2, "me", Some(30))],
            LeaseStep::Held { until: at(30) },
        ),
        ("nobody leases for ever", vec![lease(1, "other", Some(60 * 24 * 365))], theirs(60 * 24)),
    ];
    for (what, comments, expected) in cases {
        assert_eq!(step(&comments, 0), expected, "{what}");
    }
}

#[test]
fn only_the_word_of_those_with_a_say_counts() {
    let by = |author: &str, trusted| IssueComment {
        author: author.to_owned(),
        trusted,
        ..lease(1, "other", Some(30))
    };
    assert_eq!(step(&[by("stranger", false)], 0), LeaseStep::Ask);
    assert!(matches!(step(&[by("stranger", true)], 0), LeaseStep::Theirs { .. }));
    assert!(matches!(step(&[by("bot", false)], 0), LeaseStep::Theirs { .. }), "another machine of ours");
    let nobody = IssueComment { author: String::new(), ..by("", false) };
    let seen = LeasesSeen { comments: &[nobody], now: at(0), login: "" };
    assert_eq!(next_step(&seen, &holder("me"), TERM), LeaseStep::Ask, "an account that is gone");
}

#[test]
fn a_mark_counts_where_it_stands_first_and_whole() {
    let mark = Lease { holder: holder("me"), until: Some(at(1)) }.mark();
    assert_eq!(mark, "<!-- windlass-lease run=r-me lane=0 until=2027-01-15T08:01:00Z -->");
    for text in [mark.clone(), format!("{mark}\r\nmore"), format!("{mark}\n\n{mark}")] {
        assert_eq!(Lease::read(&text).map(|lease| lease.mark()), Some(mark.clone()), "{text}");
    }
    for text in [
        format!("> {mark}"),
        format!("\n{mark}"),
        format!("{mark} and more"),
        mark.replace("lane=0", "lane=x"),
        mark.replace("r-me", "r me"),
        mark.replace("r-me", ""),
        mark.replace("until=", ""),
        mark.replace(" -->", " x -->"),
    ] {
        assert_eq!(Lease::read(&text), None, "{text}");
    }
}

/// A runner: what it last saw and means to do, and until when it takes the issue for its own.
#[derive(Default)]
struct Runner {
    means: Option<(LeaseStep, Timestamp)>,
    held: Option<Timestamp>,
}

/// An issue with its comments, and runners that want it.
#[derive(Default)]
struct World {
    now: i64,
    comments: BTreeMap<u64, IssueComment>,
    runners: Vec<Runner>,
}

impl World {
    fn new(runners: usize) -> World {
        World { runners: (0..runners).map(|_| Runner::default()).collect(), ..World::default() }
    }

    fn me(runner: usize) -> Leaseholder {
        holder(&runner.to_string())
    }

    fn write(&mut self, id: u64, runner: usize, until: Option<Timestamp>) {
        let text = Lease { holder: World::me(runner), until }.mark();
        let author = "bot".to_owned();
        self.comments.insert(id, IssueComment { id, author, trusted: true, changed: at(self.now), text });
    }

    /// Looks, or does what it meant to when it looked.
    fn go_on(&mut self, runner: usize) {
        let me = World::me(runner);
        let Some((step, looked)) = self.runners[runner].means.take() else {
            let comments: Vec<IssueComment> = self.comments.values().cloned().collect();
            let seen = LeasesSeen { comments: &comments, now: at(self.now), login: "bot" };
            let step = next_step(&seen, &me, TERM);
            match step {
                LeaseStep::Held { until } => self.runners[runner].held = Some(until),
                LeaseStep::Theirs { .. } => self.runners[runner].held = None,
                // Nobody goes on working who has to ask anew, or gives back.
                LeaseStep::Ask | LeaseStep::GiveBack { .. } => {
                    self.runners[runner].held = None;
                    self.runners[runner].means = Some((step, at(self.now)));
                }
                LeaseStep::Renew { .. } => self.runners[runner].means = Some((step, at(self.now))),
            }
            return;
        };
        // No call takes longer: it is ended.
        if at(self.now).duration_since(looked).as_secs() >= 120 {
            return;
        }
        let until = Some(looked + TERM);
        match step {
            LeaseStep::Ask => {
                let id = self.comments.keys().last().map_or(1, |last| last + 1);
                self.write(id, runner, until);
            }
            LeaseStep::Renew { comment } => self.write(comment, runner, until),
            LeaseStep::GiveBack { comment } => self.write(comment, runner, None),
            LeaseStep::Held { .. } | LeaseStep::Theirs { .. } => {}
        }
    }

    /// How many take it for their own.
    fn holders(&self) -> usize {
        self.runners.iter().filter(|runner| runner.held.is_some_and(|until| until > at(self.now))).count()
    }
}

#[derive(Clone, Debug)]
enum Happens {
    GoesOn(usize),
    Dies(usize),
    Minutes(i64),
}

fn happens(runners: usize) -> impl Strategy<Value = Happens> {
    prop_oneof![
        8 => (0..runners).prop_map(Happens::GoesOn),
        1 => (0..runners).prop_map(Happens::Dies),
        2 => prop_oneof![Just(1_i64), Just(1), 2..40_i64].prop_map(Happens::Minutes),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, ..ProptestConfig::default() })]

    #[test]
    fn never_do_two_have_it(story in prop::collection::vec(happens(3), 1..80)) {
        let mut world = World::new(3);
        for event in story {
            match event {
                Happens::GoesOn(runner) => world.go_on(runner),
                Happens::Dies(runner) => world.runners[runner] = Runner::default(),
                Happens::Minutes(minutes) => world.now += minutes,
            }
            prop_assert!(world.holders() <= 1, "{:?}", world.comments);
        }
        // Whoever is left gets it once all leases are over.
        world.now += 60;
        for _ in 0..6 {
            world.go_on(0);
        }
        prop_assert_eq!(world.holders(), 1);
    }
}

/// Every order in which the steps of two runners can follow each other.
#[test]
fn of_two_that_race_one_works() {
    const STEPS: u32 = 14;
    for order in 0..1_u32 << STEPS {
        let mut world = World::new(2);
        for turn in 0..STEPS {
            world.go_on((order >> turn & 1) as usize);
            assert!(world.holders() <= 1, "{order:b}");
        }
        for _ in 0..6 {
            world.go_on(0);
            world.go_on(1);
        }
        assert_eq!(world.holders(), 1, "{order:b}");
    }
}
