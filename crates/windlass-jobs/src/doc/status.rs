//! `.status.json`: what the agent says of a workspace's job (seed 000, "Completion Detection"; format in part E1).
//!
//! Read field by field: whatever can be read counts, and what cannot is named, so that the agent can mend it. Only
//! `complete` is essential; `lastUpdated` is never looked at.

use serde_json::{Map, Value};
use windlass_core::typed::whole;
use windlass_core::values::{Items, JobStatus, StatusSource};

use super::plan::{Plan, standing_for_build};
use super::problem::first_of;
use super::tasks::TaskFile;
use super::tasks::sources::Boxes;
use super::text::{cut, one_line};
use super::{Problem, ProblemKind};

/// The longest status file that is read, in bytes.
pub const LONGEST_STATUS: usize = 1024 * 1024;

/// A summary's, a blocker's, a problem's length in characters.
const LINE: usize = 200;

/// A phase's length in characters.
const PHASE: usize = 80;

/// So many blockers are kept.
const BLOCKERS: usize = 5;

/// The list of boxes, as people name it.
const TODO: &str = "TODO.md";

/// A file of the workspace, as it was found.
#[derive(Clone, Copy, Debug)]
pub struct StatusFile<'a> {
    /// Its content, or the beginning of it: one byte more than [`LONGEST_STATUS`] says that it is too long.
    pub bytes: &'a [u8],
    /// A digest of the content.
    pub mark: &'a str,
}

/// What the status file says; where there is none, the boxes of `TODO.md` if that is given (`--todo-fallback`).
pub fn standing(status: Option<StatusFile<'_>>, todo: Option<StatusFile<'_>>) -> JobStatus {
    match (status, todo) {
        (Some(file), _) => read_status(file),
        (None, Some(file)) => read_todo(file),
        (None, None) => JobStatus::default(),
    }
}

/// The part of a status file that says something: everything but when it was written. What cannot be read stands for
/// itself.
pub fn payload(bytes: &[u8]) -> Vec<u8> {
    match object(bytes) {
        Ok(mut fields) => {
            fields.remove("lastUpdated");
            serde_json::to_vec(&fields).unwrap_or_default()
        }
        Err(_) => bytes.to_vec(),
    }
}

fn read_status(file: StatusFile<'_>) -> JobStatus {
    let mut standing =
        JobStatus { source: StatusSource::StatusFile, mark: file.mark.to_owned(), ..JobStatus::default() };
    match object(file.bytes) {
        Ok(fields) => read_fields(&fields, &mut standing),
        Err(problem) => standing.problem = Some(cut(&problem, LINE)),
    }
    standing
}

fn object(bytes: &[u8]) -> Result<Map<String, Value>, String> {
    if bytes.len() > LONGEST_STATUS {
        return Err("it is longer than 1 MB".to_owned());
    }
    let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
    if bytes.trim_ascii().is_empty() {
        return Err("it is empty".to_owned());
    }
    match serde_json::from_slice(bytes) {
        Ok(Value::Object(fields)) => Ok(fields),
        Ok(_) => Err("it is not a JSON object".to_owned()),
        Err(error) => Err(format!("it is not JSON: {error}")),
    }
}

fn read_fields(fields: &Map<String, Value>, standing: &mut JobStatus) {
    let mut problems = Vec::new();
    match fields.get("complete") {
        Some(Value::Bool(complete)) => standing.complete = *complete,
        Some(_) => problems.push("`complete` is neither true nor false".to_owned()),
        None => problems.push("`complete` is missing".to_owned()),
    }
    match fields.get("worked") {
        Some(Value::Bool(worked)) => standing.worked = Some(*worked),
        Some(Value::Null) | None => {}
        Some(_) => problems.push("`worked` is neither true nor false".to_owned()),
    }
    match items(fields.get("progress")) {
        Ok(items) => standing.items = items,
        Err(problem) => problems.push(problem),
    }
    if let Some(Items { done, total }) = standing.items {
        if done > total {
            problems.push(format!("`progress` says {done} of {total} are completed"));
        } else if standing.complete && done < total {
            problems.push(format!("it is complete, but only {done} of {total} are"));
        }
    }
    standing.summary = text(fields.get("summary"), LINE);
    standing.phase = text(fields.get("phase"), PHASE);
    if let Some(Value::Array(blockers)) = fields.get("blockers") {
        let lines = blockers.iter().map(|blocker| text(Some(blocker), LINE));
        standing.blockers = lines.filter(|line| !line.is_empty()).take(BLOCKERS).collect();
    }
    standing.problem = (!problems.is_empty()).then(|| cut(&problems.join("; "), LINE));
}

fn items(progress: Option<&Value>) -> Result<Option<Items>, String> {
    let Some(progress) = progress.filter(|value| !value.is_null()) else { return Ok(None) };
    let number = |name: &str| progress.get(name).and_then(whole);
    match (number("completed"), number("total")) {
        // Nothing of nothing is not a count: nobody has counted yet.
        (Some(0), Some(0)) => Ok(None),
        (Some(done), Some(total)) => Ok(Some(Items { done, total })),
        _ => Err("`progress` needs `completed` and `total` as whole numbers".to_owned()),
    }
}

/// One line of at most so many characters; empty where it is not text.
fn text(value: Option<&Value>, longest: usize) -> String {
    let text = value.and_then(Value::as_str).unwrap_or_default();
    cut(&one_line(text), longest)
}

/// The boxes are read as those of a plan are: what is not clear in them is said, and nothing is complete before it is mended.
fn read_todo(file: StatusFile<'_>) -> JobStatus {
    let text = String::from_utf8_lossy(file.bytes).into_owned();
    let plan = Plan::parse(vec![TaskFile::alone(TODO, &Boxes, Ok(text.into_bytes()))]);
    let standing = standing_for_build(&plan, file.mark);
    // A list without boxes, as it is made, says nothing.
    let is_wrong = |problem: &&Problem| problem.kind != ProblemKind::NoTask;
    let wrong: Vec<Problem> = plan.faults().iter().filter(is_wrong).chain(plan.doubts()).cloned().collect();
    JobStatus {
        source: StatusSource::TodoFile,
        mark: file.mark.to_owned(),
        complete: standing.complete,
        items: standing.items,
        problem: first_of(&wrong),
        ..JobStatus::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(bytes: &[u8]) -> JobStatus {
        standing(Some(StatusFile { bytes, mark: "m" }), None)
    }

    // rows: 46
    #[test]
    fn both_forms_of_the_seed() {
        let looped = read(br#"{"complete":false,"progress":{"completed":35,"total":60},"summary":"Migrated 35/60 API endpoints","lastUpdated":"2025-10-16T14:30:00Z"}"#);
        assert_eq!(looped.items.map(Items::remaining), Some(25));
        assert_eq!(looped.summary, "Migrated 35/60 API endpoints");
        assert_eq!((looped.complete, looped.problem), (false, None));
        let iterative = read(br#"{"complete":true,"worked":false,"summary":"nothing left"}"#);
        assert_eq!((iterative.complete, iterative.worked, iterative.problem), (true, Some(false), None));
    }

    // rows: 47
    #[test]
    fn boxes_are_those_of_a_plan() {
        let todo = |text: &str| standing(None, Some(StatusFile { bytes: text.as_bytes(), mark: "m" }));
        let text = "# Work\r\n\r\n- [x] done\r\n- [ ] open\r\n  1. [X] nested\r\n\r\n```\n- [ ] code\n```\n\n\
                    <!--\n- [ ] hidden\n-->\n\n* [ ] star\n+ [x] plus\n\n## Out of scope\n- [ ] later\n";
        assert_eq!(todo(text).items, Some(Items { done: 3, total: 5 }));
        assert!(todo("- [x] a\n").complete);
        for nothing in ["", "All done. 0 remaining. [x]\n"] {
            assert_eq!(
                (todo(nothing).items, todo(nothing).problem, todo(nothing).complete),
                (None, None, false)
            );
        }
        // What only looks like a box, or is none that anybody knows, is work that nobody has seen.
        for unclear in ["- [x] a\n- [?] b\n", "- [x] a\n> - [ ] b\n"] {
            let standing = todo(unclear);
            assert!(
                !standing.complete && standing.problem.is_some_and(|said| said.starts_with("TODO.md:2: "))
            );
        }
    }

    // Seed defect D1, types/status.ts:20: an offset in `lastUpdated` rejected the whole file.
    #[test]
    fn a_bad_timestamp_extra_fields_and_a_byte_order_mark_change_nothing() {
        let status = read(
            "\u{feff}{\"complete\": true, \"lastUpdated\": \"yesterday\", \"next\": [1]}\r\n".as_bytes(),
        );
        assert_eq!((status.complete, status.problem), (true, None));
    }

    #[test]
    fn what_cannot_be_read_is_named_and_the_rest_counts() {
        for (bytes, problem) in [
            (&b""[..], "it is empty"),
            (b"{\"complete\": tr", "it is not JSON"),
            (b"[true]", "it is not a JSON object"),
            (b"{}", "`complete` is missing"),
            (b"{\"complete\":\"true\"}", "`complete` is neither true nor false"),
            (b"{\"complete\":true,\"worked\":1}", "`worked` is neither"),
            (b"{\"complete\":true,\"progress\":{\"completed\":-1,\"total\":2}}", "whole numbers"),
            (b"{\"complete\":true,\"progress\":{\"completed\":1,\"total\":2}}", "only 1 of 2"),
            (b"{\"complete\":false,\"progress\":{\"completed\":3,\"total\":2}}", "3 of 2"),
            (b"\xff\xfe{", "it is not JSON"),
        ] {
            let status = read(bytes);
            let said = status.problem.unwrap_or_default();
            assert!(said.contains(problem), "{said}");
        }
        let partly = read(br#"{"complete":true,"progress":"half","summary":"so\n  far"}"#);
        assert!(partly.complete);
        assert_eq!(partly.summary, "so far");
    }

    #[test]
    fn too_long_a_file_is_not_read() {
        let long = vec![b' '; LONGEST_STATUS + 1];
        assert_eq!(read(&long).problem.as_deref(), Some("it is longer than 1 MB"));
    }

    // rows: 47
    #[test]
    fn boxes_count_only_where_there_is_no_status_file() {
        let todo = StatusFile { bytes: b"- [x] one\n- [x] two\n", mark: "t" };
        let fallen_back = standing(None, Some(todo));
        assert_eq!((fallen_back.source, fallen_back.complete), (StatusSource::TodoFile, true));
        let broken = standing(Some(StatusFile { bytes: b"{", mark: "s" }), Some(todo));
        assert_eq!((broken.source, broken.complete), (StatusSource::StatusFile, false));
        assert_eq!(standing(None, None), JobStatus::default());
    }

    #[test]
    fn only_the_time_is_no_part_of_the_payload() {
        let early = br#"{"complete":false,"lastUpdated":"1","note":"x"}"#;
        let late = br#"{ "note":"x", "lastUpdated":"2", "complete":false }"#;
        assert_eq!(payload(early), payload(late));
        assert_ne!(payload(early), payload(br#"{"complete":false,"note":"y"}"#));
    }
}
