//! A plan to ask an agent about, and the clocks of a call.

use std::time::Duration;

use windlass_core::spec::RunSpec;
use windlass_core::values::{CallClocks, Cut};

/// A job in `/project`, as a journal of this release has it.
const PLAN: &str = r#"{"run":"r-test0000","directory":"/project","git":true,"job":{"mode":"goal","title":"a job","completion_signal":"WINDLASS_JOB_COMPLETE","completion_threshold":3,"notes_file":"SHARED_TASK_NOTES.md","agents_file":"AGENTS.md"},"limits":{"iterations":50,"cost_usd":null,"tokens":null,"duration":{"secs":43200,"nanos":0},"failures":3,"stagnation":3,"wait":{"secs":21600,"nanos":0},"outage_retries":20,"outage_time":{"secs":7200,"nanos":0},"overage":false},"clocks":{"delay":{"secs":2,"nanos":0},"backoff":{"secs":10,"nanos":0},"silence":{"secs":900,"nanos":0},"call":{"secs":9000,"nanos":0},"grace":{"secs":5,"nanos":0},"linger":{"secs":10,"nanos":0},"linger_background":{"secs":600,"nanos":0}},"checks":[],"agent":{"name":"claude","program":"/usr/bin/claude","version":"2.1.330","model":null,"max_turns":null,"arguments":[],"skip_permissions":false,"allow":[],"api_keys":false,"background":false},"commit":"none","withholding":{"large_file":5242880},"exit_codes":"detailed"}"#;

pub fn plan() -> RunSpec {
    serde_json::from_str(PLAN).unwrap()
}

/// The clocks that a call usually has.
pub fn clocks() -> CallClocks {
    CallClocks {
        silence: Duration::from_mins(15),
        wall: Duration::from_mins(150),
        wall_means: Cut::WallClock,
        linger: Duration::from_secs(10),
        linger_background: Duration::from_mins(10),
        tokens: None,
    }
}
