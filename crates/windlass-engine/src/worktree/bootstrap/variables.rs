//! What whoever works in a checkout is told of it.

use std::ffi::OsString;

use windlass_core::spec::{PortPlace, PortSpec};

/// The environment variable that holds a lane's number: 0 for the checkout itself.
pub const LANE_VARIABLE: &str = "WINDLASS_LANE";

/// The environment variable that holds the first port of a checkout's or lane's own.
pub const PORT_BASE_VARIABLE: &str = "WINDLASS_PORT_BASE";

/// The environment variable that holds how many ports there are from the first one on.
pub const PORT_COUNT_VARIABLE: &str = "WINDLASS_PORT_COUNT";

/// Variables for what is started in a checkout or a lane of it: what it is called by, and which ports no other has. Without
/// a block of ports there is nothing about ports.
pub fn variables(ports: PortSpec, place: PortPlace) -> Vec<(OsString, OsString)> {
    let said = |name: &str, value: String| (OsString::from(name), OsString::from(value));
    let mut told = vec![said(LANE_VARIABLE, place.lane.to_string())];
    if let Some(first) = ports.first(place) {
        told.push(said(PORT_BASE_VARIABLE, first.to_string()));
        told.push(said(PORT_COUNT_VARIABLE, ports.size.to_string()));
    }
    told
}
