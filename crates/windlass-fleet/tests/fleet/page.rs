//! `docs/fleet.md` says what the code does.

use windlass_fleet::journal::LONGEST_LINE;
use windlass_fleet::layout::LAYOUT;
use windlass_fleet::leases::{DEFAULT_LEASE, RENEWED_EVERY};
use windlass_fleet::orders::LARGEST_ORDER;

#[test]
fn the_page_says_what_is_kept_for_how_long_and_how_large() {
    let page = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/fleet.md")).unwrap();
    let fleet = "night".parse().unwrap();
    for part in LAYOUT {
        let kept =
            part.kept_for().map_or("ever".to_owned(), |kept| format!("{} days", kept.as_secs() / 86_400));
        let row = format!("| `{}` | {} | {kept} |", part.stream_of(&fleet), part.about());
        assert!(page.contains(&row), "{row}");
    }
    for figure in [
        format!(
            "A line of a journal has {} KiB at most, an order or a report {} KiB",
            LONGEST_LINE / 1024,
            LARGEST_ORDER / 1024
        ),
        format!(
            "renewed every {} s, and is stale after {} s",
            RENEWED_EVERY.as_secs(),
            DEFAULT_LEASE.as_secs()
        ),
    ] {
        assert!(page.contains(&figure), "{figure}");
    }
}
