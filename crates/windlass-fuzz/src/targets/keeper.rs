//! What a keeper is sent, and what the system says about processes.

use windlass_engine::testing::process_status;

use crate::parsers::keeper_requests;

use crate::dice::Dice;

pub(crate) fn run(data: &[u8]) {
    let whole = keeper_requests(&[data]);
    assert_eq!(keeper_requests(&Dice::of(data).pieces(data)), whole, "it matters how the bytes are cut");
    for request in whole.iter().flatten() {
        let length = u32::try_from(request.len()).unwrap_or(0).to_le_bytes();
        let again = keeper_requests(&[&length, request.as_bytes()]);
        assert_eq!(again, [Some(request.clone())], "written and read");
    }
    if let Some((id, _)) = process_status(data) {
        assert!(id > 0, "no process has the number {id}");
    }
}
