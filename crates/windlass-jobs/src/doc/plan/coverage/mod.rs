//! How much of the specs a plan covers.

mod requirement;
#[cfg(test)]
mod tests;

use std::collections::{HashMap, HashSet};

use super::Plan;
use super::specs::{SpecNames, is_index};
use crate::doc::tasks::Task;
use crate::doc::tasks::sources::reference;

pub use requirement::{Requirement, RequirementKind, Spec};

/// How much of a spec a plan covers.
///
/// A requirement is named when a task names it (`specs/auth.md#AUTH-3`, or `AUTH-3` in the text of a task that names the
/// spec), or a section that it stands in (`specs/auth.md#login`). A task that names a spec as a whole says not which
/// requirement it is for; it is taken for one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SpecCoverage {
    /// The spec's path in its folder.
    pub name: String,
    /// Its requirements, and whether each is named.
    pub requirements: Vec<(Requirement, Named)>,
    /// Tasks that name the spec or a part of it.
    pub tasks: u64,
    /// Requirements that are covered: those that are named, and one for each task that names the spec as a whole.
    pub covered: u64,
}

/// Is a requirement named by a task?
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Named {
    /// It is, or a section that it stands in.
    Yes,
    /// It is not.
    No,
}

impl SpecCoverage {
    /// Requirements that are named.
    pub fn named(&self) -> u64 {
        self.requirements.iter().filter(|(_, named)| *named == Named::Yes).count() as u64
    }

    /// What part of the requirements is covered, from 0 to 100, rounded down; 100 where there is none and a task.
    pub fn percent(&self) -> u64 {
        match self.requirements.len() as u64 {
            0 => {
                if self.tasks > 0 {
                    100
                } else {
                    0
                }
            }
            all => self.covered * 100 / all,
        }
    }
}

/// How much of each spec the plan covers, in the order given. The `README.md` of the folder is none.
pub fn coverage(plan: &Plan, names: &SpecNames, specs: &[Spec]) -> Vec<SpecCoverage> {
    let by_spec = tasks_by_spec(plan, names);
    let covered = |spec: &Spec| {
        let index = names.names().iter().position(|name| *name == spec.name);
        let tasks = index.and_then(|index| by_spec.get(&index)).map(Vec::as_slice).unwrap_or_default();
        cover(spec, tasks)
    };
    specs.iter().filter(|spec| !is_index(&spec.name)).map(covered).collect()
}

/// A task, and the parts of the spec that it names; none for the whole.
type Naming<'a> = (&'a Task, Vec<&'a str>);

fn tasks_by_spec<'a>(plan: &'a Plan, names: &SpecNames) -> HashMap<usize, Vec<Naming<'a>>> {
    let mut found: HashMap<usize, Vec<Naming<'a>>> = HashMap::new();
    for task in plan.tasks() {
        let mut own: HashMap<usize, Vec<&str>> = HashMap::new();
        for named in task.refs.iter() {
            if let Some(spec) = names.find(named) {
                own.entry(spec).or_default().extend(reference::part(named));
            }
        }
        for (spec, parts) in own {
            found.entry(spec).or_default().push((task, parts));
        }
    }
    found
}

fn cover(spec: &Spec, tasks: &[Naming<'_>]) -> SpecCoverage {
    let mut named = vec![Named::No; spec.requirements.len()];
    let mut sections = HashSet::new();
    let mut unspecific = 0_u64;
    for (task, parts) in tasks {
        let words = task
            .row
            .title
            .split(|letter: char| !(letter.is_alphanumeric() || letter == '-' || letter == '.'));
        let words =
            words.map(|word| word.trim_matches(['-', '.'])).filter(|word| requirement::is_number(word));
        let mut says_which = false;
        for part in parts.iter().copied().chain(words) {
            let part = part.to_lowercase();
            if let Some(slot) = spec.by_id.get(&part).and_then(|index| named.get_mut(*index)) {
                *slot = Named::Yes;
                says_which = true;
            }
            if let Some(section) = spec.sections.get(&part) {
                sections.insert(*section);
                says_which = true;
            }
        }
        unspecific += u64::from(!says_which);
    }
    let within =
        |requirement: &Requirement| requirement.sections.iter().any(|section| sections.contains(section));
    let requirements: Vec<_> = spec
        .requirements
        .iter()
        .zip(named)
        .map(|(requirement, named)| {
            (requirement.clone(), if within(requirement) { Named::Yes } else { named })
        })
        .collect();
    let all = requirements.len() as u64;
    let mut coverage =
        SpecCoverage { name: spec.name.clone(), requirements, tasks: tasks.len() as u64, covered: 0 };
    coverage.covered = coverage.named().saturating_add(unspecific).min(all);
    coverage
}
