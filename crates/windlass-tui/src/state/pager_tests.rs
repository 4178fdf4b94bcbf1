use proptest::prelude::*;

use super::*;

/// Rows of ten bytes each, from this one on.
fn part(from: u64, count: u64, total: u64) -> Part {
    let row = |place: u64| Row { offset: place * 10, ..Row::of(Tone::Plain, format!("row {place}")) };
    Part {
        rows: (from..from + count).map(row).collect(),
        from: from * 10,
        to: (from + count) * 10,
        total: total * 10,
    }
}

fn texts(pager: &Pager) -> Vec<&str> {
    pager.shown().map(|(line, _)| line.text.as_str()).collect()
}

fn followed() -> Pager {
    let mut pager = Pager::following();
    pager.resize(20, 3);
    pager.take(part(90, 10, 100), Placing::End);
    pager
}

#[test]
fn what_is_followed_stays_at_its_end_until_somebody_scrolls() {
    let mut pager = followed();
    assert_eq!(texts(&pager), ["row 97", "row 98", "row 99"]);
    pager.take(part(100, 1, 101), Placing::Behind);
    assert_eq!(texts(&pager), ["row 98", "row 99", "row 100"]);
    pager.scroll(-1);
    assert!(!pager.follows());
    pager.take(part(101, 2, 103), Placing::Behind);
    assert_eq!(texts(&pager), ["row 97", "row 98", "row 99"]);
    pager.grew(2_000);
    assert_eq!(pager.behind(), 2_000 - 1_030);
    pager.scroll(50);
    assert!(!pager.follows(), "there is more behind");
    assert_eq!(pager.last(), Some(Ask::End));
    assert!(pager.follows());
}

#[test]
fn what_lies_before_is_asked_for_once_and_the_view_stays() {
    let mut pager = followed();
    assert_eq!(pager.scroll(-5), Some(Ask::Before(900)));
    assert_eq!(pager.scroll(-1), None, "it was asked for already");
    let shown: Vec<String> = texts(&pager).iter().map(ToString::to_string).collect();
    pager.take(part(80, 10, 100), Placing::Before);
    assert_eq!(texts(&pager), shown);
    pager.scroll(-3);
    assert_eq!(texts(&pager)[0], "row 88");
    assert_eq!(pager.first(), Some(Ask::Beginning));
}

#[test]
fn parts_of_another_place_change_nothing() {
    let mut pager = followed();
    let before = format!("{pager:?}");
    pager.take(part(10, 5, 100), Placing::Before);
    pager.take(part(10, 5, 100), Placing::Behind);
    assert_eq!(format!("{pager:?}"), before);
}

#[test]
fn a_call_says_how_it_was_answered() {
    let at = |second: i64| Timestamp::from_second(second).ok();
    let asked = Row { name: "t1".to_owned(), at: at(10), ..Row::labelled("Bash", Tone::Plain, "cargo test") };
    let answer = ResultMark { to: "t1".to_owned(), word: "ok" };
    let answered = Row { answers: Some(answer), at: at(51), ..Row::of(Tone::Dim, "1 passed") };
    let mut pager = Pager::following();
    pager.resize(40, 9);
    pager.take(Part { rows: vec![asked], to: 10, total: 20, from: 0 }, Placing::End);
    pager.take(Part { rows: vec![answered], from: 10, to: 20, total: 20 }, Placing::Behind);
    assert_eq!(pager.rows()[0].tail, "ok        41s");
}

#[test]
fn a_text_is_found_in_both_directions_and_a_resize_keeps_its_row() {
    let mut pager =
        Pager::whole((0..50).map(|place| Row::of(Tone::Plain, format!("Line {place}"))).collect());
    pager.resize(20, 5);
    pager.needle = "line 3".to_owned();
    assert!(pager.seek(Direction::Forward));
    assert_eq!(texts(&pager)[0], "Line 3");
    assert!(pager.seek(Direction::Forward));
    assert_eq!(texts(&pager)[0], "Line 30");
    pager.resize(4, 5);
    assert_eq!(texts(&pager)[..2], ["Line", "30"]);
    assert!(pager.seek(Direction::Backward));
    assert_eq!(texts(&pager)[..2], ["Line", "3"]);
}

proptest! {
    #[test]
    fn whatever_is_done_what_is_held_is_bounded_and_joined(
        steps in prop::collection::vec((0_usize..6, -40_isize..40, 1_usize..30), 1..60),
    ) {
        let mut pager = Pager::following();
        pager.resize(20, 5);
        let total = 5_000;
        pager.take(part(total - 200, 200, total), Placing::End);
        let mut ask = None;
        for (what, by, height) in steps {
            match (what, ask.take()) {
                (0, _) => ask = pager.scroll(by),
                (1, _) => ask = pager.scroll_pages(by),
                (2, _) => pager.resize(20, height),
                (3, _) => ask = pager.first(),
                (4, _) => ask = pager.last(),
                (_, kept) => ask = kept,
            }
            match ask {
                Some(Ask::Before(byte)) => {
                    let to = byte / 10;
                    let from = to.saturating_sub(200);
                    pager.take(part(from, to - from, total), Placing::Before);
                }
                Some(Ask::Behind(byte)) => {
                    let from = byte / 10;
                    pager.take(part(from, 200.min(total - from), total), Placing::Behind);
                }
                Some(Ask::End) => pager.take(part(total - 200, 200, total), Placing::End),
                Some(Ask::Beginning) => pager.take(part(0, 200, total), Placing::Beginning),
                None => {}
            }
            prop_assert!(pager.rows().len() <= HELD + 200, "{}", pager.rows().len());
            let joined = pager.rows().windows(2).all(|pair| pair[0].offset + 10 == pair[1].offset);
            prop_assert!(joined);
            prop_assert!(pager.shown().count() <= height.max(30));
            prop_assert!(pager.percent() <= 100);
        }
    }
}
