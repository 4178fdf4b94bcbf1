//! Prints the report of simulated nights, to be looked at: `cargo run -p windlass-html --example report -- 17 42 > report.html`.

use jiff::Timestamp;
use jiff::tz::TimeZone;
use windlass_core::fact::Entry;
use windlass_core::redact::Redactor;
use windlass_html::{Patch, RunPatches, report_html};
use windlass_nights::{Script, play};
use windlass_ui::RunState;
use windlass_ui::model::{Course, Night, PlacesSeen, RunSeen};

/// A change of every kind of line.
const PATCH: &str = "diff --git a/src/api.rs b/src/api.rs\nindex 1f2e..9a8b 100644\n--- a/src/api.rs\n+++ b/src/api.rs\n@@ -1,4 +1,5 @@ \
                     fn serve\n fn serve() {\n-    listen(80);\n+    listen(port());\n+    // as configured\n }\n";

fn seen(seed: u64, now: Timestamp) -> RunSeen {
    let record = play(&Script::draw(seed, None), None);
    let lines = record.journal().split(|byte| *byte == b'\n').skip(1).filter(|line| !line.is_empty());
    let entries: Vec<Entry> = lines.map_while(|line| serde_json::from_slice(line).ok()).collect();
    Course::of(&entries).seen((RunState::Interrupted, None), Some(&PlacesSeen::default()), now)
}

#[expect(clippy::print_stdout, reason = "that is what it is for")]
fn main() {
    let made = Timestamp::UNIX_EPOCH;
    let seeds = std::env::args().skip(1).filter_map(|seed| seed.parse().ok());
    let runs: Vec<RunSeen> = seeds.map(|seed| seen(seed, made)).collect();
    let patch = Patch {
        name: "T-1 Listen on the port that is configured".to_owned(),
        text: PATCH.to_owned(),
        ..Patch::default()
    };
    let patches: Vec<RunPatches> = runs
        .iter()
        .map(|run| RunPatches { run: windlass_ui::report::name(run), patches: vec![patch.clone()] })
        .collect();
    let night = Night { made, since: None, runs, unreadable: Vec::new() };
    println!("{}", report_html(&night, &patches, &Redactor::new(), &TimeZone::UTC));
}
