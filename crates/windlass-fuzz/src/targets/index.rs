//! The index of a project's runs, and the name of a lock's holder.

use windlass_engine::store::lock::Holder;
use windlass_engine::testing::run_index;

pub(crate) fn run(data: &[u8]) {
    check_index(data);
    if let Ok(holder) = serde_json::from_slice::<Holder>(data) {
        let again = serde_json::to_vec(&holder).map(|text| serde_json::from_slice::<Holder>(&text).ok());
        assert_eq!(again.ok().flatten(), Some(holder), "written and read");
    }
}

fn check_index(data: &[u8]) {
    let (lines, is_whole) = run_index(data);
    let written = |lines: &[Vec<u8>]| {
        lines.iter().flat_map(|line| [line.as_slice(), b"\n"].concat()).collect::<Vec<_>>()
    };
    assert_eq!(run_index(&written(&lines)), (lines.clone(), true), "written and read");
    // The last word on a run counts, so nothing changes when all is said again.
    let mut twice = data.to_vec();
    if !twice.is_empty() && !twice.ends_with(b"\n") {
        twice.push(b'\n');
    }
    twice.extend_from_within(..);
    let (again, still_whole) = run_index(&twice);
    assert_eq!(again, lines);
    assert!(!still_whole || is_whole || !data.ends_with(b"\n"), "damage was passed over in silence");
}
