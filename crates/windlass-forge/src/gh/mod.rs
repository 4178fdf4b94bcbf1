//! GitHub, by its command line program `gh`: whatever login, host, proxy and habits a person has there are used as they are.
//!
//! Everything goes through `gh api`, which is the same in all versions since 2.0: questions as one GraphQL query each, so
//! that what is asked for does not depend on the version; orders by REST, which names what it refuses. Bodies go over its
//! standard input: nothing of them is in a list of processes.

mod call;
mod fault;
mod issues;
mod queries;
mod read;
mod read_issues;
mod response;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::{Value, json};
use windlass_core::forge::{PullRequest, RepositoryName};

use crate::forge::{Account, Forge, JobLog, MergeOrder, NewPullRequest, RepositoryFacts};
use crate::text;
use crate::{ForgeError, ForgeFault};
use call::{Call, Method};

pub use read::{pull_request, pull_requests};
pub use read_issues::{comments, http_date, issue, issues};
pub use response::{ApiResponse, split as split_response};

/// How long one call may take.
pub(crate) const TIMEOUT: Duration = Duration::from_mins(1);

/// The end of a log that is kept, in bytes.
const LOG: usize = 64 * 1024;

/// The longest comment or description that GitHub takes, in bytes.
const LONGEST_BODY: usize = 60_000;

/// The longest title, in characters; GitHub takes 256.
const LONGEST_TITLE: usize = 200;

/// A repository on GitHub.
#[derive(Clone, Debug)]
pub struct Gh {
    repository: RepositoryName,
    directory: PathBuf,
    timeout: Duration,
    variables: Vec<(OsString, OsString)>,
}

impl Gh {
    /// `directory` is where the program is started; it reads nothing there.
    pub fn new(repository: RepositoryName, directory: &Path) -> Gh {
        Gh { repository, directory: directory.to_owned(), timeout: TIMEOUT, variables: Vec::new() }
    }

    /// What it has in its environment instead of what we have in ours: another home, another `PATH`.
    pub fn with_variable(mut self, name: impl Into<OsString>, value: impl Into<OsString>) -> Gh {
        self.variables.push((name.into(), value.into()));
        self
    }

    /// How long one call may take, where that is not a minute.
    pub fn with_timeout(self, timeout: Duration) -> Gh {
        Gh { timeout, ..self }
    }

    /// `doing` completes "cannot …".
    fn call(&self, doing: &str) -> Call<'_> {
        Call { gh: self, doing: format!("{doing} in {}", self.repository) }
    }

    fn query(&self, doing: &str, query: &str, mut variables: Value) -> Result<Value, ForgeError> {
        variables["owner"] = self.repository.owner.clone().into();
        variables["name"] = self.repository.name.clone().into();
        self.call(doing).graphql(query, &variables)
    }

    /// `repos/OWNER/NAME/…`.
    fn path(&self, rest: &str) -> String {
        format!("repos/{}/{}/{rest}", self.repository.owner, self.repository.name)
    }

    fn garbled(&self, doing: &str) -> ForgeError {
        self.call(doing).failed(ForgeFault::Garbled("what was asked for is not in it".to_owned()))
    }
}

impl Forge for Gh {
    fn name(&self) -> &RepositoryName {
        &self.repository
    }

    fn account(&self) -> Result<Account, ForgeError> {
        let doing = "find out who is logged in";
        let data = self.call(doing).graphql(queries::ACCOUNT, &json!({}))?;
        read::account(&data).ok_or_else(|| self.garbled(doing))
    }

    fn repository(&self) -> Result<RepositoryFacts, ForgeError> {
        let doing = "look at the repository";
        let data = self.query(doing, queries::REPOSITORY, json!({}))?;
        read::repository(&data).ok_or_else(|| self.garbled(doing))
    }

    fn of_branch(&self, branch: &str) -> Result<Vec<PullRequest>, ForgeError> {
        let doing = format!("look for pull requests of {}", text::one_line(branch));
        let data = self.query(&doing, &queries::of_branch(), json!({ "branch": branch }))?;
        pull_requests(&data).ok_or_else(|| self.garbled(&doing))
    }

    fn open(&self, new: &NewPullRequest) -> Result<PullRequest, ForgeError> {
        let doing = "open a pull request";
        let title: String = text::one_line(&new.title).chars().take(LONGEST_TITLE).collect();
        let body = json!({
            "title": title,
            "head": new.branch,
            "base": new.base,
            "body": text::beginning_of(&new.body, LONGEST_BODY),
            "draft": new.draft,
        });
        let opened = self.call(doing).rest(Method::Post, &self.path("pulls"), Some(&body))?;
        let number = opened.get("number").and_then(Value::as_u64).ok_or_else(|| self.garbled(doing))?;
        self.view(number)
    }

    fn describe(&self, number: u64, body: &str) -> Result<(), ForgeError> {
        let path = self.path(&format!("pulls/{number}"));
        self.call(&format!("write the text of pull request {number}"))
            .rest(Method::Patch, &path, Some(&json!({ "body": body })))
            .map(drop)
    }

    fn view(&self, number: u64) -> Result<PullRequest, ForgeError> {
        let doing = format!("look at pull request {number}");
        let data = self.query(&doing, &queries::view(), json!({ "number": number }))?;
        pull_request(&data).ok_or_else(|| self.garbled(&doing))
    }

    fn job_log(&self, job: u64) -> Result<JobLog, ForgeError> {
        let call = self.call(&format!("read the log of job {job}"));
        let (text, dropped) = call.log(&self.path(&format!("actions/jobs/{job}/logs")), LOG)?;
        // Where its beginning is missing, its first line is a part of one.
        let whole = if dropped > 0 { text.split_once('\n').map_or("", |(_, rest)| rest) } else { &text };
        let (text, cut) = text::end_of(&without_times(whole), LOG);
        Ok(JobLog { text, cut: cut || dropped > 0 })
    }

    fn update_branch(&self, number: u64, head: &str) -> Result<(), ForgeError> {
        let body = json!({ "expected_head_sha": head });
        let path = self.path(&format!("pulls/{number}/update-branch"));
        self.call(&format!("update the branch of pull request {number}"))
            .rest(Method::Put, &path, Some(&body))
            .map(drop)
    }

    fn mark_ready(&self, pull_request: &PullRequest) -> Result<(), ForgeError> {
        let doing = format!("mark pull request {} as ready", pull_request.number);
        self.call(&doing).graphql(queries::MARK_READY, &json!({ "id": pull_request.id })).map(drop)
    }

    fn merge(&self, order: &MergeOrder) -> Result<String, ForgeError> {
        let MergeOrder { number, head, strategy } = order;
        let doing = format!("merge pull request {number}");
        let body = json!({ "sha": head, "merge_method": strategy.name() });
        let path = self.path(&format!("pulls/{number}/merge"));
        let merged = self.call(&doing).rest(Method::Put, &path, Some(&body))?;
        let commit = merged.get("sha").and_then(Value::as_str).filter(|_| merged["merged"] == json!(true));
        commit.map(str::to_owned).ok_or_else(|| self.garbled(&doing))
    }
}

/// Each line of a job's log begins with its time, which says nothing and costs twenty-eight bytes.
fn without_times(log: &str) -> String {
    let is_time =
        |word: &str| word.len() > 20 && word.ends_with('Z') && word.parse::<jiff::Timestamp>().is_ok();
    let strip = |line: &str| match line.trim_start_matches('\u{feff}').split_once(' ') {
        Some((time, rest)) if is_time(time) => rest.to_owned(),
        _ => line.to_owned(),
    };
    log.lines().map(|line| strip(line) + "\n").collect()
}
