//! What snapshots write about themselves: paths on lines, what was left out, what was uncommitted, where all of it
//! belongs, names.

use windlass_engine::testing::uncommitted_record;

use crate::parsers::{kept_place, left_out_list, quote, unquote};
use windlass_git::snapshot::Moment;

pub(crate) fn run(data: &[u8]) {
    let quoted = quote(data);
    assert!(!quoted.contains(char::is_control), "{quoted:?}");
    assert_eq!(unquote(&quoted), data, "quoted and read");
    let text = String::from_utf8_lossy(data);
    let written = left_out_list(&text);
    assert_eq!(left_out_list(&written), written, "written and read");
    let record = uncommitted_record(&text);
    assert_eq!(uncommitted_record(&record), record, "written and read");
    if let Some(place) = kept_place(&text) {
        assert_eq!(kept_place(&place), Some(place.clone()), "written and read");
    }
    if let Ok(moment) = text.parse::<Moment>() {
        assert_eq!(moment.to_string().parse(), Ok(moment), "printed and read");
    }
}
