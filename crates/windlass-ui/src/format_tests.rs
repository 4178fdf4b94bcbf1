use super::*;

fn at(text: &str) -> Timestamp {
    text.parse().unwrap()
}

#[test]
fn durations_have_at_most_two_units() {
    for (millis, expected) in [
        (0, "0s"),
        (400, "0.4s"),
        (3_000, "3s"),
        (9_960, "9.9s"),
        (12_400, "12s"),
        (72_000, "1m 12s"),
        (3_780_000, "1h 03m"),
        (100_000_000, "1d 3h"),
    ] {
        assert_eq!(duration(Duration::from_millis(millis)), expected, "{millis}");
    }
}

#[test]
fn limits_are_written_without_zeros() {
    for (seconds, expected) in [(43_200, "12h"), (5_400, "1h 30m"), (90, "1m 30s"), (86_400, "1d"), (0, "0s")]
    {
        assert_eq!(bound(Duration::from_secs(seconds)), expected);
    }
    assert_eq!(flag_duration(Duration::from_mins(90)), "1h30m");
}

#[test]
fn money_shows_small_sums_finely() {
    for (micros, expected) in [
        (0, "$0.00"),
        (800, "$0.0008"),
        (9_999, "$0.0100"),
        (10_000, "$0.01"),
        (99_999, "$0.10"),
        (424_242, "$0.42"),
        (12_300_000, "$12.30"),
    ] {
        assert_eq!(money(Cost::from_micros(micros)), expected);
    }
    let five = Cost::from_micros(5_000_000);
    assert_eq!(charged(Spent::of(five, false)), "$5.00");
    assert_eq!(charged(Spent::of(five, true)), "≈$5.00");
    let partly = Spent { cost: five, estimated: Cost::from_micros(1_200_000) };
    assert_eq!(charged(partly), "$5.00 (≈$1.20 estimated)");
}

#[test]
fn amounts_and_sizes() {
    for (number, expected) in
        [(0, "0"), (999, "999"), (12_345, "12.3k"), (999_960, "1.0M"), (2_500_000_000, "2.5G")]
    {
        assert_eq!(amount(number), expected);
    }
    assert_eq!(bytes(512), "512 B");
    assert_eq!(bytes(1_234), "1.2 kB");
    assert_eq!(count(1, "file"), "1 file");
    assert_eq!(count(0, "file"), "0 files");
}

#[test]
fn moments_are_as_short_as_they_are_clear() {
    let now = at("2026-03-01T20:09:00Z");
    let zone = TimeZone::UTC;
    for (moment, expected) in [
        ("2026-03-01T20:09:30Z", "20:09:30"),
        ("2026-03-01T21:12:00Z", "21:12"),
        ("2026-03-04T07:00:00Z", "Wed 07:00"),
        ("2026-04-04T07:00:00Z", "2026-04-04 07:00"),
    ] {
        assert_eq!(clock(at(moment), now, &zone), expected);
    }
    for (moment, expected) in [
        ("2026-03-01T20:08:30Z", "just now"),
        ("2026-03-01T20:10:00Z", "just now"),
        ("2026-03-01T19:59:00Z", "10m ago"),
        ("2026-03-01T01:00:00Z", "19h ago"),
        ("2026-02-20T01:00:00Z", "9d ago"),
        ("2025-02-20T01:00:00Z", "2025-02-20"),
    ] {
        assert_eq!(relative(at(moment), now, &zone), expected);
    }
}
