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
        let found = self.messages_by_subject(stream, prefix, about, deadline)?;
        Ok(found.into_iter().map(|(subject, _)| subject).collect())
    }

    /// The same, with how many messages each has.
    pub(crate) fn messages_by_subject(
        &self,
        stream: &str,
        prefix: &str,
        about: About<'_>,
        deadline: Deadline,
    ) -> Result<Vec<(String, u64)>, FleetError> {
        let mut found = Vec::new();
        let mut seen = 0;
        loop {
            let which = serde_json::json!({ "subjects_filter": format!("{prefix}>"), "offset": seen });
            let what = format!("STREAM.INFO.{stream}");
            let page: Information = self.wait(self.line.ask(&what, Some(&which), about, deadline))?;
            seen += page.state.subjects.len();
            let is_last = page.state.subjects.is_empty() || seen >= page.total;
            let named = page.state.subjects.into_iter();
            found.extend(
                named.filter_map(|(subject, count)| Some((subject.strip_prefix(prefix)?.to_owned(), count))),
            );
            if is_last {
                return Ok(found);
            }
        }
    }
}
