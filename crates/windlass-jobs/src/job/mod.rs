//! What a mode's job says and asks for, beyond the rules of its run, which are its [`Mode`]'s. One file per mode, one table.

mod build;
mod goal;
mod iterative;
mod r#loop;
mod phase;
mod plan;
mod tasks;
mod validate;
mod verify;

use windlass_core::spec::{Job, Mode};
use windlass_core::values::StopReason;

use crate::doc::report::Judged;
use crate::prompt::{ModeWords, Pace, PromptParts, Texts};

/// What a mode's job says and asks for.
#[derive(Debug)]
pub struct Descriptor {
    /// Both texts of a call.
    pub(crate) prompt: fn(&PromptParts<'_>, &ModeWords) -> Texts,
    /// What it says in them.
    pub words: ModeWords,
    /// What is wanted where nobody says it.
    pub wanted: &'static str,
    /// The script of the scripted agent that plays along.
    pub script: &'static str,
    /// What a claim needs, as it is said before a run begins.
    pub complete_when: fn(&Job) -> Completion,
    /// What a judging agent looks at.
    pub judged: Judged,
    /// What is said when its file claims that it is done.
    pub claimed: &'static str,
    /// What vouches for a finished plan: without gates, and with them.
    pub vouches: Option<[&'static str; 2]>,
    /// How it ended, where it has words of its own for that.
    pub endings: &'static [(StopReason, &'static str)],
    /// What to do next, where it has commands of its own for that.
    pub next: &'static [(StopReason, &'static [Next])],
}

/// What holds of a job where its own file does not say otherwise.
const USUAL: Descriptor = goal::JOB;

/// What a person can do next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// `windlass VERB`, and what it is for.
    Verb(&'static str, &'static str),
    /// The same with the name of the workspace.
    OnWorkspace(&'static str, &'static str),
    /// Going on with more iterations.
    RaiseIterations,
    /// Looking at what was done.
    Look,
}

const ITEM_BY_ITEM: Pace =
    Pace { in_prompts: "loop (one item per iteration)", in_sessions: "loop: one item per iteration" };

/// What a claim needs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Completion {
    /// This, and the checks.
    Claim(String),
    /// This says it all.
    Whole(String),
}

const RUN_ON: &str = "continue: another run with the same limit";

/// The descriptor of a mode.
pub const fn of(mode: Mode) -> &'static Descriptor {
    match mode {
        Mode::Goal => &goal::JOB,
        Mode::Loop => &r#loop::JOB,
        Mode::Iterative => &iterative::JOB,
        Mode::Plan => &plan::JOB,
        Mode::Build => &build::JOB,
        Mode::Tasks => &tasks::JOB,
        Mode::Phase => &phase::JOB,
        Mode::Verify => &verify::JOB,
        Mode::Validate => &validate::JOB,
    }
}

impl Descriptor {
    /// What to do next; empty where there is nothing special.
    pub fn next(&self, reason: StopReason) -> &'static [Next] {
        self.next.iter().find(|(of, _)| *of == reason).map_or(&[], |(_, next)| next)
    }

    /// How it ended, in words of its own.
    pub fn ending(&self, reason: StopReason) -> Option<&'static str> {
        self.endings.iter().find(|(of, _)| *of == reason).map(|(_, sentence)| *sentence)
    }
}
