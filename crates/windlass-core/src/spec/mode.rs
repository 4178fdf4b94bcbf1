//! The modes, and what a run has to know of each. What they read, say and ask for is `windlass-jobs`'.

use serde::{Deserialize, Serialize};
use strum::{EnumIter, IntoEnumIterator as _, IntoStaticStr, VariantNames};

use crate::values::{Named, Purpose};

/// How an iteration is prompted and how progress is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[derive(EnumIter, IntoStaticStr, VariantNames)]
#[strum(serialize_all = "snake_case")]
pub enum Mode {
    /// A free goal (seed 004).
    Goal,
    /// A workspace, one item per iteration (seed 000).
    Loop,
    /// A workspace, as much as possible per iteration (seed 000).
    Iterative,
    /// Specifications become a plan; nothing but the plan is written (seed 002).
    Plan,
    /// A plan is worked off, one open task per iteration (seed 002).
    Build,
    /// A file of tasks is worked off, by their dependencies and priorities (seed 003).
    Tasks,
    /// One document of a pipeline is written, and nothing else (seed 004).
    Phase,
    /// A workspace's finished work is judged by a fresh agent.
    Verify,
    /// A workspace's instructions are judged.
    Validate,
}

/// What a run has to know of a mode.
#[derive(Clone, Copy, Debug)]
pub struct Rules {
    /// What an iteration's first call is for.
    purpose: Purpose,
    /// Where a claim that the job is done is read.
    claim: ClaimSource,
    /// Where its files are.
    place: Place,
    /// Is an agent believed that says it found nothing to do?
    believes_no_work: bool,
    /// The keys whose default is another than the one of `defaults.toml`.
    defaults: &'static [(&'static str, ModeDefault)],
}

/// Where a claim that a job is done is read. Each mode has one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClaimSource {
    /// An agent's last words: a phrase on a line of its own, in several iterations in a row.
    Phrase,
    /// A workspace's status file, which must have been written in this run.
    StatusFile,
    /// A plan that is sound, and that a further pass has left as it was.
    UnchangedPlan,
    /// A document of a pipeline in which nothing is wrong after a pass.
    Document,
    /// A plan of which no box is open, whoever ticked them and when.
    Boxes,
    /// A list of tasks, each of which is claimed and judged for itself.
    Tasks,
    /// The judgement that is all the call is for.
    Judgement,
}

/// Where a mode's files are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// In the project.
    Project,
    /// In a workspace's folder.
    Workspace,
}

/// A default of one mode.
#[derive(Clone, Copy, Debug)]
pub enum ModeDefault {
    /// A number.
    Number(i64),
    /// A word.
    Word(&'static str),
}

/// What most modes have in common: work on the project, with the usual limits.
const USUAL: Rules = Rules {
    purpose: Purpose::Work,
    claim: ClaimSource::Phrase,
    place: Place::Project,
    believes_no_work: false,
    defaults: &[],
};

/// What all that judge have in common.
const JUDGING: Rules = Rules {
    purpose: Purpose::Verify,
    claim: ClaimSource::Judgement,
    place: Place::Workspace,
    // A judgement is given at once; one that failed is asked for once more. It changes nothing, which is not a standstill.
    defaults: &[(ITERATIONS, ModeDefault::Number(2)), (STAGNATION, ModeDefault::Number(0))],
    ..USUAL
};

const ITERATIONS: &str = "limits.max_iterations";
const STAGNATION: &str = "limits.stagnation_threshold";

impl ModeDefault {
    /// As it would stand in a file.
    pub fn value(self) -> toml::Value {
        match self {
            ModeDefault::Number(number) => toml::Value::Integer(number),
            ModeDefault::Word(word) => toml::Value::String(word.to_owned()),
        }
    }
}

impl Mode {
    /// Those that a person can name for a run; the others have verbs of their own.
    pub fn for_runs() -> impl Iterator<Item = Mode> + Clone {
        Mode::iter().filter(|mode| !mode.judges() && !mode.writes_document())
    }

    const fn rules(self) -> Rules {
        use ModeDefault::{Number, Word};
        const MODEL: &str = "agent.model";
        const TURNS: &str = "agent.max_turns";
        const COMMIT: &str = "git.commit";
        match self {
            Mode::Goal => USUAL,
            Mode::Loop => Rules { claim: ClaimSource::StatusFile, place: Place::Workspace, ..USUAL },
            Mode::Iterative => Rules {
                believes_no_work: true,
                defaults: &[(ITERATIONS, Number(20)), (STAGNATION, Number(2))],
                ..Mode::Loop.rules()
            },
            Mode::Plan => Rules {
                purpose: Purpose::Plan,
                claim: ClaimSource::UnchangedPlan,
                defaults: &[(ITERATIONS, Number(20)), (MODEL, Word("sonnet")), (TURNS, Number(50))],
                ..USUAL
            },
            Mode::Build => Rules {
                claim: ClaimSource::Boxes,
                defaults: &[
                    (STAGNATION, Number(1)),
                    (MODEL, Word("sonnet")),
                    (TURNS, Number(50)),
                    (COMMIT, Word("agent")),
                ],
                ..USUAL
            },
            // Each result is kept in git when it holds (rule C18).
            Mode::Tasks => {
                Rules { claim: ClaimSource::Tasks, defaults: &[(COMMIT, Word("runner"))], ..USUAL }
            }
            Mode::Phase => Rules {
                purpose: Purpose::Plan,
                claim: ClaimSource::Document,
                defaults: &[(ITERATIONS, Number(5))],
                ..USUAL
            },
            Mode::Verify | Mode::Validate => JUDGING,
        }
    }

    /// Its name for the hooks of Fresher.
    pub fn name_for_fresher(self) -> &'static str {
        match self {
            Mode::Plan => "planning",
            Mode::Build => "building",
            _ => self.name(),
        }
    }

    /// What an iteration's first call is for.
    pub const fn purpose(self) -> Purpose {
        self.rules().purpose
    }

    /// Where a claim that the job is done is read.
    pub const fn claim(self) -> ClaimSource {
        self.rules().claim
    }

    /// The keys whose default in this mode is another than the usual one.
    pub const fn defaults(self) -> &'static [(&'static str, ModeDefault)] {
        self.rules().defaults
    }

    /// Is an agent believed that says it found nothing to do?
    pub const fn believes_no_work(self) -> bool {
        self.rules().believes_no_work
    }

    /// Is it about a workspace: worked on, or judged?
    pub const fn has_workspace(self) -> bool {
        matches!(self.rules().place, Place::Workspace)
    }

    /// Is a workspace worked on, and not only judged?
    pub const fn works_on_workspace(self) -> bool {
        self.has_workspace() && matches!(self.purpose(), Purpose::Work)
    }

    /// Is the agent asked for a judgement, and for nothing else?
    pub const fn judges(self) -> bool {
        matches!(self.claim(), ClaimSource::Judgement)
    }

    /// Is what it works on a goal that somebody says?
    pub const fn has_goal(self) -> bool {
        matches!(self.rules().place, Place::Project) && matches!(self.claim(), ClaimSource::Phrase)
    }

    /// May the agent change nothing but the plan, or the document?
    pub const fn writes_only_plan(self) -> bool {
        matches!(self.purpose(), Purpose::Plan)
    }

    /// Is a document of a pipeline written?
    pub const fn writes_document(self) -> bool {
        matches!(self.claim(), ClaimSource::Document)
    }

    /// Do the project's checks have a say? Of a judgement, and of a document, they say nothing.
    pub const fn is_checked(self) -> bool {
        !self.judges() && !self.writes_document()
    }

    /// Are tasks worked off, each of which is judged, committed and given up for itself?
    pub const fn has_tasks(self) -> bool {
        matches!(self.claim(), ClaimSource::Tasks)
    }

    /// Is work compared with what was committed before it, and not with what the run began with? So it is where each commit
    /// is a piece of work of its own.
    pub const fn is_judged_by_commit(self) -> bool {
        self.has_tasks()
    }

    /// Is the state of the job in a plan?
    pub const fn has_plan(self) -> bool {
        matches!(self.claim(), ClaimSource::UnchangedPlan | ClaimSource::Boxes)
    }

    /// Are claims read from the job's own file?
    pub const fn reads_file(self) -> bool {
        match self.claim() {
            ClaimSource::StatusFile
            | ClaimSource::UnchangedPlan
            | ClaimSource::Document
            | ClaimSource::Boxes
            | ClaimSource::Tasks => true,
            ClaimSource::Phrase | ClaimSource::Judgement => false,
        }
    }
}

impl ClaimSource {
    /// Is it an agent's own word, that checks or a judgement have to show? A plan is looked at itself.
    pub const fn is_an_agents_word(self) -> bool {
        match self {
            ClaimSource::Phrase | ClaimSource::StatusFile | ClaimSource::Boxes | ClaimSource::Tasks => true,
            ClaimSource::UnchangedPlan | ClaimSource::Document | ClaimSource::Judgement => false,
        }
    }

    /// May a claim stand before anybody has worked? A document is looked at after a pass.
    pub const fn may_stand_at_first(self) -> bool {
        !matches!(self, ClaimSource::Document)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_mode_is_in_the_list_by_its_name_in_journals() {
        let unknown = serde_json::from_str::<Mode>("\"?\"").unwrap_err().to_string();
        let names = Mode::VARIANTS.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
        assert!(unknown.contains(&format!("expected one of {names} at")), "{unknown}");
    }
}
