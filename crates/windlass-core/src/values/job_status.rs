//! What the job's own file says of how the job stands.

use serde::{Deserialize, Serialize};
use strum::VariantNames;

/// What a mode reads of its job: the status file of a workspace (`.status.json`), or what stands in for it. A claim of
/// the agent's, nothing more.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct JobStatus {
    /// Where it was read.
    pub source: StatusSource,
    /// A digest of the file's bytes: tells whether it was written since, even with the same content but for a time.
    /// Empty when there is no file.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub mark: String,
    /// The agent says that the job is done.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub complete: bool,
    /// The agent says whether it found work to do (iterative mode).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub worked: Option<bool>,
    /// Items done and items in all, where the agent counts them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub items: Option<Items>,
    /// One line of the agent's, at most 200 characters.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub summary: String,
    /// The phase that the agent says it is in, at most 80 characters.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub phase: String,
    /// What the agent says stands in its way: at most 5, at most 200 characters each. Of a plan: what a person has to mend before
    /// anybody can work on what is left.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub blockers: Vec<String>,
    /// What is wrong with the file, in one sentence; what could be read of it is here all the same.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
}

/// Where a [`JobStatus`] was read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, VariantNames)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum StatusSource {
    /// There is no such file.
    #[default]
    Nowhere,
    /// The status file.
    StatusFile,
    /// The plan of a job in mode plan or build.
    PlanFile,
    /// The task file of a job in mode tasks.
    TaskFile,
    /// The document of a pipeline's phase.
    Document,
    /// The boxes of `TODO.md`, since there is no readable status file (`--todo-fallback`).
    TodoFile,
}

impl StatusSource {
    /// What is counted there, in the plural.
    pub const fn counts(self) -> &'static str {
        match self {
            StatusSource::PlanFile | StatusSource::TaskFile => "tasks",
            StatusSource::Nowhere
            | StatusSource::StatusFile
            | StatusSource::Document
            | StatusSource::TodoFile => "items",
        }
    }
}

/// Items counted by the agent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Items {
    /// Done.
    pub done: u64,
    /// In all.
    pub total: u64,
}

impl Items {
    /// What is left; nothing when more is done than there was.
    pub const fn remaining(self) -> u64 {
        self.total.saturating_sub(self.done)
    }

    /// So many more are done than earlier; negative when it is fewer.
    pub fn since(self, earlier: Items) -> i64 {
        let more = i128::from(self.done) - i128::from(earlier.done);
        i64::try_from(more).unwrap_or(if more < 0 { i64::MIN } else { i64::MAX })
    }
}

impl JobStatus {
    /// Could nothing be read of it? So is a file that somebody is just writing.
    pub fn is_unreadable(&self) -> bool {
        let JobStatus { source, mark, problem, .. } = self.clone();
        let unread = JobStatus { source, mark, problem, ..JobStatus::default() };
        unread.problem.is_some() && *self == unread
    }

    /// So many more items are done than another one counted; `None` where either does not count. Fewer of another total
    /// were counted anew, and cannot be compared.
    pub fn items_since(&self, earlier: Option<&JobStatus>) -> Option<i64> {
        let (now, before) = (self.items?, earlier?.items?);
        Some(now.since(before)).filter(|more| *more >= 0 || now.total == before.total)
    }

    /// Where the job stands, in a line: `35/60 items (+5) - Migrated 35/60 API endpoints`. The number in parentheses is
    /// what [`items_since`](JobStatus::items_since) gives. Empty where the file says nothing of it.
    pub fn line(&self, more: Option<i64>) -> String {
        let counted = self.items.map(|Items { done, total }| {
            let more = more.filter(|more| *more != 0).map(|more| format!(" ({more:+})")).unwrap_or_default();
            format!("{done}/{total} {}{more}", self.source.counts())
        });
        let worked =
            self.worked.map(|worked| if worked { "worked" } else { "found nothing to do" }.to_owned());
        let said: Vec<&str> =
            [&*self.phase, &*self.summary].into_iter().filter(|text| !text.is_empty()).collect();
        let said = (!said.is_empty()).then(|| match self.source {
            StatusSource::PlanFile if !self.summary.is_empty() => format!("next: {}", self.summary),
            _ => said.join(": "),
        });
        counted.or(worked).into_iter().chain(said).collect::<Vec<_>>().join(" - ")
    }

    /// Do they say the same, whenever they were written?
    pub fn says_the_same(&self, other: &JobStatus) -> bool {
        let JobStatus { source, mark: _, complete, worked, items, summary, phase, blockers, problem } = self;
        (source, complete, worked, items, summary, phase, blockers, problem)
            == (
                &other.source,
                &other.complete,
                &other.worked,
                &other.items,
                &other.summary,
                &other.phase,
                &other.blockers,
                &other.problem,
            )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counted(done: u64, total: u64) -> JobStatus {
        JobStatus { items: Some(Items { done, total }), ..JobStatus::default() }
    }

    // rows: 111
    #[test]
    fn a_line_as_the_seed_has_it() {
        let now = JobStatus { summary: "Migrated 35/60 API endpoints".to_owned(), ..counted(35, 60) };
        let more = now.items_since(Some(&counted(30, 60)));
        assert_eq!(now.line(more), "35/60 items (+5) - Migrated 35/60 API endpoints");
        assert_eq!(
            now.line(now.items_since(Some(&counted(36, 60)))),
            "35/60 items (-1) - Migrated 35/60 API endpoints"
        );
        assert_eq!(counted(35, 60).line(now.items_since(Some(&now))), "35/60 items");
        assert_eq!(now.items_since(None), None);
        assert_eq!(counted(1, 6).items_since(Some(&counted(3, 3))), None);
        assert_eq!(counted(4, 6).items_since(Some(&counted(3, 3))), Some(1));
        assert_eq!(counted(u64::MAX, 0).items_since(Some(&counted(0, 0))), Some(i64::MAX));
    }

    // rows: 5
    #[test]
    fn a_plan_counts_tasks_and_says_which_is_next() {
        let plan = JobStatus {
            source: StatusSource::PlanFile,
            phase: "Priority 1".to_owned(),
            summary: "Write the parser".to_owned(),
            ..counted(1, 3)
        };
        assert_eq!(plan.line(Some(1)), "1/3 tasks (+1) - next: Write the parser");
    }

    #[test]
    fn without_items_the_agents_word_on_its_work_stands_there() {
        let worked = |worked| JobStatus { worked: Some(worked), ..JobStatus::default() };
        assert_eq!(worked(true).line(None), "worked");
        assert_eq!(worked(false).line(None), "found nothing to do");
        let phased = JobStatus { phase: "tests".to_owned(), summary: "half".to_owned(), ..worked(true) };
        assert_eq!(phased.line(None), "worked - tests: half");
        assert_eq!(JobStatus::default().line(None), "");
    }

    #[test]
    fn a_file_with_a_problem_is_unreadable_only_if_nothing_was_read() {
        let broken = JobStatus {
            problem: Some("it is not JSON".to_owned()),
            mark: "m".to_owned(),
            ..JobStatus::default()
        };
        assert!(broken.is_unreadable());
        assert!(!JobStatus { complete: true, ..broken }.is_unreadable());
        assert!(!JobStatus::default().is_unreadable(), "there is none");
    }
}
