//! Issues of a forge as tasks: read before a run begins, and kept, so that nothing of it depends on the forge any longer.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use windlass_core::config::{Origin, Resolved, SourceSettings, ValueOrigin};
use windlass_core::forge::{Issue, IssueState, RepositoryName, labels};
use windlass_core::spec::{IssuesSpec, RunSpec};
use windlass_core::values::ExitCodes;
use windlass_core::words::some_of;
use windlass_engine::store::RunFolder;
use windlass_engine::tasks::{self, FoundTasks};
use windlass_forge::{Forge, ForgeError, ForgeFault, IssueList, MOST_ISSUES, Permission, named, reach};
use windlass_host::tree::at;
use windlass_jobs::doc::tasks::sources::{
    ISSUES_FILE, IssueTask, Issues, Reference, references, write_issues,
};
use windlass_jobs::doc::tasks::{TaskFile, TaskList};

use crate::app::App;
use crate::error::AppError;
use crate::here::Here;
use crate::run::request::NamedTasks;
use crate::text::quoted;

/// Below the project: a folder for each repository whose issues are worked off.
const FOLDER: &str = ".windlass/issues";

/// How long a lease lasts. What is killed keeps its issue for at most so long.
const LEASE: Duration = Duration::from_mins(30);

/// So many issues that others depend on, and that are not among them, are looked up.
const MOST_LOOKED_UP: usize = 100;

/// So many issues are named in a sentence.
const NAMED: usize = 5;

/// Which issues are meant; `None` where the tasks are in files.
///
/// # Errors
/// A flag chooses among issues, and nobody says whose.
pub(crate) fn wanted<'a>(named: &NamedTasks, resolved: &'a Resolved) -> Result<Option<Wanted<'a>>, AppError> {
    if named.is_named() {
        return Ok(None);
    }
    let settings = &resolved.source;
    if let Some(source) = &settings.repository {
        return Ok(Some(Wanted { source, settings }));
    }
    let of_issues = |value: &&ValueOrigin| value.name.starts_with("source.");
    let flag = resolved.origins().iter().filter(of_issues).find_map(|value| match &value.origin {
        Origin::Flag(flag) => Some(flag),
        _ => None,
    });
    match flag {
        None => Ok(None),
        Some(flag) => Err(AppError::usage(format!("`{flag}` is about issues, and it is not said whose"))
            .hint("Name their repository: --source github:OWNER/NAME, or source.repository")),
    }
}

/// Issues that are meant.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wanted<'a> {
    /// `github:OWNER/NAME`, or `github:HOST/OWNER/NAME`.
    pub source: &'a str,
    settings: &'a SourceSettings,
}

impl Wanted<'_> {
    /// What says to a command of ours that they are meant.
    fn flags(&self) -> String {
        let SourceSettings { filter, trust_authors, .. } = self.settings;
        let labels = filter.labels.iter().map(|label| ("--label", label.as_str()));
        let others = [("--milestone", &filter.milestone), ("--assignee", &filter.assignee)];
        let others = others.iter().filter_map(|(flag, value)| Some((*flag, value.as_deref()?)));
        let all = std::iter::once(("--source", self.source)).chain(labels).chain(others);
        let mut words: Vec<String> =
            all.map(|(flag, value)| format!("{flag} {}", quoted(value.as_ref()))).collect();
        words.extend(trust_authors.then(|| "--trust-authors".to_owned()));
        words.join(" ")
    }
}

/// What is going to be done with them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Use {
    /// They are shown.
    Look,
    /// They are worked off.
    Work,
}

/// Issues as they were read.
#[derive(Clone, Debug)]
pub(crate) struct ReadIssues {
    flags: String,
    spec: IssuesSpec,
    text: String,
    /// What a person should know of how they were chosen.
    pub notices: Vec<String>,
}

impl ReadIssues {
    /// Reads them.
    pub fn read(app: &App, wanted: Wanted<'_>, used: Use, codes: ExitCodes) -> Result<ReadIssues, AppError> {
        let Wanted { source, settings } = wanted;
        let repository = parse(source)?;
        let forge = reach(repository.clone(), app.directory(), None);
        let failed = |error| AppError::of_forge(of_source(error), codes);
        let login = forge.account().map_err(failed)?.login;
        if used == Use::Work {
            let facts = forge.repository().map_err(failed)?;
            if facts.archived {
                return Err(AppError::usage(format!(
                    "{repository} is archived: its issues take no comments"
                )));
            }
            if facts.permission == Permission::Read {
                return Err(AppError::usage(format!("the login may only read {repository}"))
                    .hint("Log in as somebody who may label issues there"));
            }
        }
        let IssueList { issues, cut } = forge.open_issues(&settings.filter).map_err(failed)?;
        let chosen = choose(&issues, &login, settings.trust_authors);
        let tasks = with_dependencies(forge.as_ref(), &chosen.taken, &repository).map_err(failed)?;
        let mut notices = chosen.notices();
        notices.extend(cut.then(|| {
            format!("{repository} has more open issues: the {MOST_ISSUES} oldest are taken; --label or --milestone name fewer")
        }));
        let text = write_issues(&repository, &tasks);
        let spec = IssuesSpec { repository, lease: LEASE, closes: settings.close_issues };
        Ok(ReadIssues { flags: wanted.flags(), spec, text, notices })
    }

    /// The file that they are worked off in, below the working directory.
    pub fn place(&self) -> PathBuf {
        place(&self.spec.repository)
    }

    /// What says to a command of ours that they are meant.
    pub fn flags(&self) -> String {
        self.flags.clone()
    }

    /// What a run has to know of them.
    pub fn spec(&self) -> IssuesSpec {
        self.spec.clone()
    }

    /// As if they had been read from their file.
    pub fn found(&self) -> FoundTasks {
        let place = self.place();
        let file = TaskFile::alone(&place.display().to_string(), &Issues, Ok(self.text.clone().into_bytes()));
        FoundTasks { place, list: Arc::new(TaskList::parse(vec![file])), mark: String::new() }
    }

    /// Keeps them in the run's folder, and makes the file that they are worked off in.
    pub fn put(&self, here: &Here, folder: &RunFolder) -> Result<(), AppError> {
        folder.write_issues(&self.text)?;
        tasks::put_issues(&here.directory, &self.place(), &self.text).map_err(AppError::system)
    }
}

/// Before a run goes on: the file may be gone, or that of another run.
pub(crate) fn put_back(directory: &Path, plan: &RunSpec, folder: &RunFolder) -> Result<(), AppError> {
    let issues = plan.job.tasks.as_ref().and_then(|tasks| tasks.issues.as_ref());
    let Some(IssuesSpec { repository, .. }) = issues else { return Ok(()) };
    let kept = folder.read_issues()?;
    let read = |bytes: Vec<u8>| TaskList::parse(vec![TaskFile::alone(ISSUES_FILE, &Issues, Ok(bytes))]);
    let ids =
        |list: &TaskList| -> Vec<String> { list.tasks().iter().map(|task| task.row.id.0.clone()).collect() };
    let there = at(&directory.join(place(repository))).read(kept.len().saturating_mul(2)).ok().flatten();
    if there.is_some_and(|there| ids(&read(there)) == ids(&read(kept.clone().into_bytes()))) {
        return Ok(());
    }
    tasks::put_issues(directory, &place(repository), &kept).map_err(AppError::system)
}

fn place(repository: &RepositoryName) -> PathBuf {
    Path::new(FOLDER).join(format!("{}-{}", repository.owner, repository.name)).join(ISSUES_FILE)
}

/// Which repository of which forge a source is.
fn parse(source: &str) -> Result<RepositoryName, AppError> {
    let wrong = |why: &str| {
        AppError::usage(format!("`{}` is not a source of tasks{why}", windlass_ui::one_line(source)))
            .hint("Name a repository: --source github:OWNER/NAME, or source.repository")
    };
    let path = source.strip_prefix("github:").ok_or_else(|| wrong(""))?;
    let parts: Vec<&str> = path.split('/').collect();
    let found = match parts.as_slice() {
        [owner, name] => named("github.com", owner, name),
        [host, owner, name] => named(host, owner, name),
        _ => return Err(wrong("")),
    };
    found.map_err(|error| wrong(&format!(": {error}")))
}

/// The same, with advice for who named a source of issues: a pull request's flags say nothing of that.
fn of_source(error: ForgeError) -> ForgeError {
    let hint = match &error.fault {
        ForgeFault::NotFound(_) => {
            "Look at the name, --source github:OWNER/REPO or source.repository, or log in as somebody who may see it"
                .to_owned()
        }
        ForgeFault::Missing { program } => format!("Install `{program}`, which asks the forge for its issues"),
        _ => return error,
    };
    ForgeError { hint, ..error }
}

/// What is taken, and what is not.
#[derive(Debug, Default)]
struct Chosen<'a> {
    taken: Vec<&'a Issue>,
    strangers: Vec<u64>,
    done: Vec<u64>,
}

/// Whoever has no say in a repository may write issues there, and in them what they like.
fn choose<'a>(issues: &'a [Issue], login: &str, trust_authors: bool) -> Chosen<'a> {
    let mut chosen = Chosen::default();
    for issue in issues {
        let is_trusted = trust_authors || issue.trusted || (!login.is_empty() && issue.author == login);
        if issue.labels.iter().any(|label| label == labels::DONE) {
            chosen.done.push(issue.number);
        } else if is_trusted {
            chosen.taken.push(issue);
        } else {
            chosen.strangers.push(issue.number);
        }
    }
    chosen
}

impl Chosen<'_> {
    fn notices(&self) -> Vec<String> {
        let named = |numbers: &[u64]| {
            let names: Vec<String> = numbers.iter().map(|number| format!("#{number}")).collect();
            some_of(names.iter(), NAMED)
        };
        let strangers = (!self.strangers.is_empty()).then(|| {
            let named = named(&self.strangers);
            format!("left out, since whoever wrote them has no say in the repository: {named}; --trust-authors takes them")
        });
        let done = (!self.done.is_empty())
            .then(|| format!("left out, since they are labelled {}: {}", labels::DONE, named(&self.done)));
        strangers.into_iter().chain(done).collect()
    }
}

/// What they depend on: those among them, and others that are not closed, which makes them wait.
fn with_dependencies<'a>(
    forge: &dyn Forge,
    issues: &[&'a Issue],
    repository: &RepositoryName,
) -> Result<Vec<IssueTask<'a>>, ForgeError> {
    let mut closed: BTreeMap<u64, bool> = issues.iter().map(|issue| (issue.number, false)).collect();
    let mut tasks = Vec::new();
    for issue in issues {
        let mut dependencies = Vec::new();
        for reference in references(&issue.body, repository) {
            let number = match reference {
                Reference::Foreign(word) => {
                    dependencies.push(word);
                    continue;
                }
                Reference::Own(number) => number,
            };
            let is_closed = match closed.get(&number) {
                Some(known) => *known,
                None if closed.len() >= issues.len() + MOST_LOOKED_UP => false,
                None => is_closed(forge, number)?,
            };
            closed.insert(number, is_closed);
            if !is_closed {
                dependencies.push(format!("#{number}"));
            }
        }
        tasks.push(IssueTask { issue, dependencies });
    }
    Ok(tasks)
}

/// What is not there, or is a pull request, is nothing that anybody closed.
fn is_closed(forge: &dyn Forge, number: u64) -> Result<bool, ForgeError> {
    match forge.issue(number) {
        Ok(issue) => Ok(issue.state == IssueState::Closed),
        Err(error) if matches!(error.fault, ForgeFault::NotFound(_) | ForgeFault::Garbled(_)) => Ok(false),
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sources_are_repositories_of_a_forge() {
        for (source, expected) in [
            ("github:acme/anvil", "github.com/acme/anvil"),
            ("github:git.example.org/acme/anvil", "git.example.org/acme/anvil"),
        ] {
            assert_eq!(parse(source).unwrap().to_string(), expected);
        }
        for source in
            ["acme/anvil", "github:anvil", "github:a/b/c/d", "github:a/..", "github:-a/b", "linear:x"]
        {
            let error = parse(source).unwrap_err().to_string();
            assert!(error.starts_with(&format!("`{source}` is not a source of tasks")), "{error}");
        }
    }

    #[test]
    fn issues_of_strangers_and_what_is_done_are_left_out_and_said() {
        let issue = |number, author: &str, trusted| Issue {
            number,
            author: author.to_owned(),
            trusted,
            ..Issue::default()
        };
        let mut issues = vec![
            issue(1, "acme", true),
            issue(2, "mallory", false),
            issue(3, "tess", false),
            issue(4, "", false),
        ];
        issues.push(Issue { labels: vec![labels::DONE.to_owned()], ..issue(5, "acme", true) });
        let numbers = |chosen: &Chosen<'_>| chosen.taken.iter().map(|issue| issue.number).collect::<Vec<_>>();
        let chosen = choose(&issues, "tess", false);
        assert_eq!(numbers(&chosen), [1, 3]);
        assert_eq!(
            chosen.notices(),
            [
                "left out, since whoever wrote them has no say in the repository: #2, #4; --trust-authors takes them",
                "left out, since they are labelled windlass:done: #5",
            ]
        );
        assert_eq!(numbers(&choose(&issues, "", false)), [1]);
        assert_eq!(numbers(&choose(&issues, "tess", true)), [1, 2, 3, 4]);
    }
}
