//! Which subjects a stream has messages of.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::{About, Fleet};
use crate::call::Deadline;
use crate::error::FleetError;

/// A page of what a server says of a stream.
#[derive(Deserialize)]
struct Information {
    state: State,
    #[serde(default)]
    total: usize,
}

#[derive(Deserialize)]
struct State {
    #[serde(default)]
    subjects: BTreeMap<String, u64>,
}

impl Fleet {
    /// What follows `prefix` in the subjects of a stream that begin so.
    pub(crate) fn subjects_of(
        &self,
        stream: &str,
        prefix: &str,
        about: About<'_>,
        deadline: Deadline,
    ) -> Result<Vec<String>, FleetError> {
        let mut found = Vec::new();
        let mut seen = 0;
        loop {
            let which = serde_json::json!({ "subjects_filter": format!("{prefix}>"), "offset": seen });
            let what = format!("STREAM.INFO.{stream}");
            let page: Information = self.wait(self.line.ask(&what, Some(&which), about, deadline))?;
            seen += page.state.subjects.len();
            let named = page.state.subjects.keys().filter_map(|subject| subject.strip_prefix(prefix));
            found.extend(named.map(str::to_owned));
            if page.state.subjects.is_empty() || seen >= page.total {
                return Ok(found);
            }
        }
    }
}
