//! Success criteria of tasks as checks of a run: what is looked up, which commands are run, and what a fresh agent judges.

use std::collections::BTreeSet;
use std::mem;
use std::path::Path;

use windlass_core::project::{CommandKind, offers};
use windlass_core::spec::{Judge, JudgedCriterion};
use windlass_core::trust::Startables;
use windlass_core::values::{Check, CheckKind, CriterionOf, Lookup, TaskId, TaskState};
use windlass_core::words::some_clauses_of;
use windlass_engine::scaffold::clues;
use windlass_engine::tasks::FoundTasks;
use windlass_jobs::doc::tasks::{Criterion, Meaning, Task};
use windlass_ui::one_line;

use crate::error::AppError;
use crate::here::Here;
use crate::run::prepared::Prepared;
use crate::trusting::criteria::{commands, startable, trusted};

/// So many checks a run may have: a fact names one in two bytes.
const MOST: usize = 60_000;

/// So many are named of those that are not checked.
const NAMED: usize = 5;

/// The criteria of a run, and whom else its tasks ask for.
#[derive(Debug, Default)]
pub struct Criteria {
    /// Whom tasks name to work on them.
    pub agents: BTreeSet<String>,
    /// Those that the runner checks.
    pub checks: Vec<Check>,
    /// Those that a fresh agent judges.
    pub judged: Vec<JudgedCriterion>,
    /// What of them it does not check, and why.
    pub notices: Vec<String>,
}

/// The criteria of the tasks that are about to be worked off. Commands are run only where a person trusts them.
///
/// # Errors
/// A person cannot be asked whom there is, or what they said cannot be kept.
pub fn find(here: &Here, request: &Prepared) -> Result<Criteria, AppError> {
    let settings = &request.configuration.resolved.tasks;
    let Some(Ok(FoundTasks { list, .. })) = request.assignment.find_tasks(settings) else {
        return Ok(Criteria::default());
    };
    let open = || list.tasks().iter().filter(|task| task.row.state != TaskState::Done);
    let agents = open().filter_map(|task| task.row.agent.clone()).collect();
    if list.tasks().iter().all(|task| task.criteria.is_empty()) {
        return Ok(Criteria { agents, ..Criteria::default() });
    }
    let commands = commands(here, &list);
    let trusted = trusted(here, &commands)?;
    let mut sorted = Sorted { clues: Offers::of(&here.directory), trusted, ..Sorted::default() };
    for task in open() {
        task.criteria.iter().for_each(|criterion| sorted.take(here, task, criterion));
    }
    Ok(sorted.into_criteria(request, agents))
}

/// The project's own commands.
#[derive(Debug, Default)]
struct Offers {
    test: Option<&'static str>,
    build: Option<&'static str>,
}

impl Offers {
    fn of(directory: &Path) -> Offers {
        let offers = offers(&clues(directory));
        let of = |kind| offers.iter().find(|offer| offer.kind == kind).map(|offer| offer.command);
        Offers { test: of(CommandKind::Test), build: of(CommandKind::Build) }
    }
}

#[derive(Debug, Default)]
struct Sorted {
    clues: Offers,
    trusted: Startables,
    checks: Vec<(TaskId, Option<Lookup>, String)>,
    untrusted: Vec<String>,
    unknown: Vec<String>,
    judged: Vec<JudgedCriterion>,
    beyond: Vec<String>,
}

impl Sorted {
    fn take(&mut self, here: &Here, task: &Task, criterion: &Criterion) {
        let id = &task.row.id;
        let named = || format!("{id}: {}", one_line(&criterion.text));
        let lookup = |lookup| (id.clone(), Some(lookup), criterion.text.clone());
        let command = |command: &str| (id.clone(), None, command.to_owned());
        match criterion.meaning() {
            Meaning::Exists(path) => self.checks.push(lookup(Lookup::Exists { path })),
            Meaning::Contains(path, text) => self.checks.push(lookup(Lookup::Contains { path, text })),
            Meaning::Command(text) => {
                let item = startable(here, task, criterion).into_iter().collect::<Startables>();
                if item.beyond(&self.trusted).is_empty() {
                    self.checks.push(command(&text));
                } else {
                    self.untrusted.push(named());
                }
            }
            Meaning::TestsPass => self.own(self.clues.test, id, named()),
            Meaning::Builds => self.own(self.clues.build, id, named()),
            Meaning::Judged => {
                self.judged.push(JudgedCriterion { task: id.clone(), text: one_line(&criterion.text) });
            }
        }
    }

    /// By the project's own command, never by a guess.
    fn own(&mut self, offer: Option<&'static str>, task: &TaskId, named: String) {
        match offer {
            Some(text) => self.checks.push((task.clone(), None, text.to_owned())),
            None => self.unknown.push(named),
        }
    }

    fn into_criteria(mut self, request: &Prepared, agents: BTreeSet<String>) -> Criteria {
        let resolved = &request.configuration.resolved;
        let room = MOST.saturating_sub(resolved.checks.len());
        let beyond = self.checks.split_off(room.min(self.checks.len()));
        self.beyond.extend(beyond.into_iter().map(|(id, _, text)| format!("{id}: {}", one_line(&text))));
        let beyond = self.judged.split_off(MOST.min(self.judged.len()));
        self.beyond.extend(beyond.iter().map(name_of));
        let unjudged = match resolved.tasks.judge {
            Judge::Agent => Vec::new(),
            Judge::Off => mem::take(&mut self.judged),
        };
        let unjudged: Vec<String> = unjudged.iter().map(name_of).collect();
        let check = |(task, lookup, command)| Check {
            kind: CheckKind::Criterion,
            command,
            timeout: resolved.check_timeout,
            criterion: Some(CriterionOf { task, lookup, to_the_end: true }),
        };
        let notices = [
            told(
                &unjudged,
                "success criteria can only be judged, and nobody does",
                "; tasks.judge = \"agent\" has a fresh agent judge them",
            ),
            told(&self.beyond, "success criteria are more than a run can check, and are not checked", ""),
            told(
                &self.untrusted,
                "success criteria are commands that nobody trusts, and are not checked",
                "; `windlass trust` shows them",
            ),
            told(
                &self.unknown,
                "success criteria need a command that this project is not known to have, and are not checked",
                "",
            ),
        ];
        Criteria {
            agents,
            checks: self.checks.into_iter().map(check).collect(),
            judged: self.judged,
            notices: notices.into_iter().flatten().collect(),
        }
    }
}

fn name_of(criterion: &JudgedCriterion) -> String {
    format!("{}: {}", criterion.task, criterion.text)
}

fn told(named: &[String], what: &str, then: &str) -> Option<String> {
    let count = named.len();
    (count > 0).then(|| format!("{count} {what}: {}{then}", some_clauses_of(named.iter(), NAMED)))
}
