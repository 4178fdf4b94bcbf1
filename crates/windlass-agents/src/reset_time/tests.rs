//! Every sentence that was seen in the wild, and nonsense.

use proptest::prelude::*;

use super::*;

fn at(text: &str) -> Timestamp {
    text.parse().unwrap()
}

/// A Saturday.
fn now() -> Timestamp {
    at("2026-11-21T20:30:00Z")
}

fn parsed(text: &str) -> Option<String> {
    parse_reset_time(text, now(), &TimeZone::UTC).map(|time| time.to_string())
}

#[test]
fn times_in_utc() {
    let rows = [
        ("You've hit your 5-hour limit · resets 9:12pm (UTC)", Some("2026-11-21T21:12:00Z")),
        ("You've hit your 5-hour limit · resets 8:06am (UTC)", Some("2026-11-22T08:06:00Z")),
        ("You've hit your weekly limit · resets Nov 25, 8:06am (UTC)", Some("2026-11-25T08:06:00Z")),
        ("Limit reached - resets 3pm", Some("2026-11-22T15:00:00Z")),
        ("Your limit will reset at 11pm.", Some("2026-11-21T23:00:00Z")),
        ("Limit reached · Resets at 21:46 (UTC)", Some("2026-11-21T21:46:00Z")),
        ("resets 12am (UTC)", Some("2026-11-22T00:00:00Z")),
        ("resets 12pm (UTC)", Some("2026-11-22T12:00:00Z")),
        ("resets 12:30 PM (utc)", Some("2026-11-22T12:30:00Z")),
        ("Claude AI usage limit reached|1795300000", Some("2026-11-21T22:26:40Z")),
        ("a reset button; the limit resets Sept. 3 at 8pm", None),
        ("resets Nov 21, 8:29pm (UTC)", None),
        ("resets Nov 21, 8:30pm (UTC)", None), // Now.
        ("resets 8:30pm (UTC)", Some("2026-11-21T20:30:00Z")),
        ("You've hit your limit · resets Dec 5, 3am (UTC)", Some("2026-12-05T03:00:00Z")),
        ("You've hit your limit · resets Dec 25, 8pm (UTC)", Some("2026-12-25T20:00:00Z")),
        ("resets Jan 1, 3am (UTC)", Some("2027-01-01T03:00:00Z")),
        ("resets Jan 22, 8:30pm (UTC)", Some("2027-01-22T20:30:00Z")),
        ("resets Jan 22, 8:31pm (UTC)", None), // Farther ahead than any limit.
        ("resets Nov 20, 8pm (UTC)", None),    // Yesterday, and not in a year.
        ("resets Oct 31, 8pm (UTC)", None),
        ("resets Jan 2, 2027, 3am (UTC)", Some("2027-01-02T03:00:00Z")),
        ("resets Mar 2, 2027 at 3am (UTC)", Some("2027-03-02T03:00:00Z")),
        ("resets Nov 20, 2026, 8pm (UTC)", None),
        ("Claude AI usage limit reached|1762455600", None),
        ("Claude AI usage limit reached|17", None),
        ("resets 13pm", None),
        ("resets 0am", None),
        ("resets 9:75pm", None),
        ("resets 25:00", None),
        ("resets soon", None),
        ("resets Feb 30 at 8pm", None),
        ("resets 9pm (Nowhere/Land)", None),
        ("resets", None),
        ("", None),
    ];
    for (text, expected) in rows {
        assert_eq!(parsed(text).as_deref(), expected, "{text}");
    }
}

#[test]
fn times_in_zones() {
    if TimeZone::get("Asia/Dhaka").is_err() {
        return; // Skipped, because this machine has no time zone database.
    }
    let rows = [
        ("You've hit your limit · resets 1:30am (Asia/Dhaka)", "2026-11-22T19:30:00Z"),
        ("Limit reached · resets 11:30am (Asia/Calcutta) · /upgrade to Max", "2026-11-22T06:00:00Z"),
        ("You've hit your session limit · resets 11:50pm (America/Chicago)", "2026-11-22T05:50:00Z"),
        ("You've hit your weekly limit · resets Nov 24 at 8pm (America/Chicago)", "2026-11-25T02:00:00Z"),
        ("Limit reached · resets 1:30am Asia/Dhaka", "2026-11-22T19:30:00Z"),
        ("Limit reached · resets 3pm America/Port-au-Prince · /upgrade", "2026-11-21T20:00:00Z"),
        (
            "Claude usage limit reached. Your limit will reset at 3pm (America/Bogota).",
            "2026-11-21T20:00:00Z",
        ),
    ];
    for (text, expected) in rows {
        assert_eq!(parsed(text).as_deref(), Some(expected), "{text}");
    }
}

#[test]
fn a_time_of_day_that_has_just_passed_is_not_tomorrow() {
    let rows = [
        ("resets 8:30pm (UTC)", "2026-11-21T20:30:14Z", "2026-11-21T20:30:00Z"),
        ("resets 8:30pm (UTC)", "2026-11-21T21:29:59Z", "2026-11-21T20:30:00Z"),
        ("resets 8:30pm (UTC)", "2026-11-21T21:30:00Z", "2026-11-22T20:30:00Z"),
        ("resets 8:30pm (UTC)", "2026-11-21T20:29:59Z", "2026-11-21T20:30:00Z"),
        ("resets 11:59pm (UTC)", "2026-11-22T00:00:20Z", "2026-11-21T23:59:00Z"),
        // A window of five hours cannot end tomorrow afternoon.
        ("5-hour limit reached ∙ resets 9pm", "2026-11-21T21:06:00Z", "2026-11-21T21:00:00Z"),
        ("5-hour limit reached - resets 3pm", "2026-11-21T20:30:00Z", "2026-11-21T15:00:00Z"),
        ("Session limit reached ∙ resets 4pm", "2026-11-21T20:30:00Z", "2026-11-21T16:00:00Z"),
        ("Session limit reached ∙ resets 1am", "2026-11-21T20:30:00Z", "2026-11-22T01:00:00Z"),
        ("Weekly limit reached ∙ resets 4pm", "2026-11-21T20:30:00Z", "2026-11-22T16:00:00Z"),
    ];
    for (text, now, expected) in rows {
        assert_eq!(parse_reset_time(text, at(now), &TimeZone::UTC), Some(at(expected)), "{text} at {now}");
    }
}

#[test]
fn a_time_without_a_zone_is_of_the_machine_that_says_it() {
    let plus = |hours: i8| TimeZone::fixed(jiff::tz::offset(hours));
    let rows = [
        ("resets 3pm", plus(-8), Some("2026-11-21T23:00:00Z")),
        ("resets 3pm · /upgrade to Max", plus(-8), Some("2026-11-21T23:00:00Z")),
        ("resets 3pm /upgrade to Max", plus(-8), Some("2026-11-21T23:00:00Z")),
        ("resets 3pm tomorrow", plus(-8), Some("2026-11-21T23:00:00Z")),
        ("resets Nov 24 at 3pm.", plus(-8), Some("2026-11-24T23:00:00Z")),
        ("resets 3pm - see /usage", plus(-8), Some("2026-11-21T23:00:00Z")),
        ("resets 3pm UTC", plus(-8), Some("2026-11-22T15:00:00Z")),
        ("resets 3pm GMT.", plus(-8), Some("2026-11-22T15:00:00Z")),
        ("resets 3pm UTC+02:00", plus(-8), Some("2026-11-22T13:00:00Z")),
        ("resets 3pm UTC+2", plus(-8), None),
        ("resets 15:00Z", plus(-8), Some("2026-11-22T15:00:00Z")),
        ("resets 15:00-03:00", plus(2), Some("2026-11-22T18:00:00Z")),
        ("resets 3pm PST", plus(2), None),
        ("resets 3pm (PST)", plus(2), None),
        ("resets 3pm Nowhere/Land", plus(2), None),
        // What an account regains, the API says, in its own time.
        ("You will regain access on 2026-12-01.", plus(-8), Some("2026-12-01T00:00:00Z")),
    ];
    for (text, zone, expected) in rows {
        assert_eq!(parse_reset_time(text, now(), &zone), expected.map(at), "{text}");
    }
}

#[test]
fn access_is_regained_at_a_date() {
    let (first, noon) = (Some("2026-12-01T00:00:00Z"), Some("2026-12-01T12:30:00Z"));
    let rows = [
        ("You will regain access on 2026-12-01 at 00:00 UTC.", first),
        ("You will regain access on 2026-12-01 at 00:00 UTC\"}}", first),
        ("You will regain access on 2026-12-01.", first),
        ("You will regain access on December 1, 2026.", first),
        ("You will regain access on Dec 1st 2026 at 12:30pm", noon),
        ("You will regain access on Dec 1 at 12:30pm (UTC)", noon),
        ("you will regain access at 2026-12-01T12:30:00Z", noon),
        ("you will regain access at 2026-12-01T12:30:00.250Z.", noon),
        ("You will regain access on 2026-11-21T20:30:40Z.", Some("2026-11-21T20:30:40Z")),
        ("you will regain access on 2026-12-01 14:30:00+02:00", noon),
        ("you will regain access on 2026-12-01 14:30:00.250+02:00", noon),
        ("you will regain access on 2026-12-01 11:30:00-0100", noon),
        ("you will regain access on 2026-12-01 09:00:00-0330", noon),
        ("You will regain access on 2027-01-20 at 00:00 UTC.", Some("2027-01-20T00:00:00Z")),
        ("You will regain access on 2027-02-20 at 00:00 UTC.", Some("2027-02-20T00:00:00Z")),
        ("You will regain access on 2026-11-21 at 00:00 UTC.", None),
        ("You will regain access on 2026-13-01 at 00:00 UTC.", None),
        ("You will regain access on Dec 1.", None),
        ("You will regain access at 9pm (UTC).", Some("2026-11-21T21:00:00Z")),
        ("You will regain access soon.", None),
        ("You will regain access on 2026-12-01 at 00:00+99:00", None),
        ("regain access", None),
        ("resets 2026-12-01 at 00:00 UTC", first),
        ("resets 2026-11-24 at 00:00 UTC", Some("2026-11-24T00:00:00Z")),
    ];
    for (text, expected) in rows {
        assert_eq!(parsed(text).as_deref(), expected, "{text}");
    }
}

#[test]
fn the_year_turns() {
    let now = at("2026-12-30T10:00:00Z");
    assert_eq!(
        parse_reset_time("resets Jan 2, 8am (UTC)", now, &TimeZone::UTC),
        Some(at("2027-01-02T08:00:00Z"))
    );
}

proptest! {
    #[test]
    fn no_sentence_panics(text in "(?s).{0,60}", seconds in -377_705_023_201_i64..=253_402_207_200) {
        let now = Timestamp::from_second(seconds).unwrap();
        let _ = parse_reset_time(&text, now, &TimeZone::UTC);
        let _ = parse_reset_time(&format!("resets {text}"), now, &TimeZone::UTC);
        let _ = parse_reset_time(&format!("resets 3pm {text}"), now, &TimeZone::UTC);
    }

    /// Whatever is understood lies ahead, and not farther than the longest limit, or has just passed.
    #[test]
    fn a_time_lies_ahead_or_has_just_passed(
        text in "[ \\-·]?resets? (at )?((nov|Dec|jan) [0-9]{1,2},? (at )?)?[0-9]{1,2}(:[0-9]{2})? ?(am|pm|PM)?( \\((UTC|Asia/Dhaka|x)\\))?",
        seconds in 0_i64..4_000_000_000,
    ) {
        let now = Timestamp::from_second(seconds).unwrap();
        if let Some(time) = parse_reset_time(&text, now, &TimeZone::UTC) {
            let ahead = time.duration_since(now);
            prop_assert!(ahead > -JUST_PASSED && ahead <= FARTHEST);
        }
    }
}

#[test]
fn a_time_from_now() {
    let rows = [
        ("Your quota will reset after 3h12m5s.. Retrying after 12231418ms...", Some(11_525)),
        ("Suggested retry after 3600s.", Some(3600)),
        ("Reset after 2d", None),
        ("retry after 300h", Some(1_080_000)),
        ("retry after 1488h", Some(5_356_800)),
        ("retry after 1489h", None),
        ("retry after 0s", None),
        ("retry after 99999999999999999999h", None),
        ("will reset after a while", None),
        ("reset after -5m", None),
        ("", None),
    ];
    for (text, seconds) in rows {
        assert_eq!(parse_wait(text).map(|wait| wait.as_secs()), seconds, "{text}");
    }
}
