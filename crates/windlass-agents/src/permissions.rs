//! What no agent may change, whatever else it may: Windlass's own files, and those of the runner.

use std::path::{Path, PathBuf};

use windlass_core::spec::{GOAL, PipelinePhase, RunSpec};
use windlass_core::values::Denial;

use crate::{Right, git_reading, of};

/// What of a project's `.windlass/` the agent may not change: configuration, hooks, prompts, templates, principles.
/// Of a workspace, what a person wrote and what we count is closed; the rest is the agent's own.
const GUARDED: &[&str] = &[
    "*.*",
    "hooks/**",
    "prompts/**",
    "templates/**",
    "archive/**",
    "workspaces/*/INSTRUCTIONS.md",
    "workspaces/*/config.toml",
    "workspaces/*/.metadata.json",
];

/// What the runner keeps beside lanes' checkouts, from the folder of all projects; nothing of it fits a folder above one.
const BESIDE_LANES: &[&str] = &[
    "*/lock-*",
    "*/*.lock",
    "*/trust.json",
    "*/snapshots.git/**",
    "*/sessions/**",
    "*/runs/*.*",
    "*/runs/*/*.*",
    "*/runs/*/baseline/**",
    "*/runs/*/iterations/**",
    "*/runs/*/reserve",
    "*/runs/*/stop",
    "*/runs/*/uncommitted",
    "*/runs/*/lanes/*/lane.git/**",
];

/// The folder of a lane that holds its checkout.
const LANES_TREE: &str = "tree";

/// The guarded files of each workspace: what a person wrote, and what we count.
pub const GUARDED_IN_WORKSPACES: &[&str] = &["INSTRUCTIONS.md", "config.toml", ".metadata.json"];

/// What of a workspace an interactive session writes.
const WRITTEN: &[&str] = &["INSTRUCTIONS.md", "TODO.md"];

/// What of a workspace only Windlass, or a run's agent, writes.
const RECORDS: &[&str] = &[".status.json", ".metadata.json", "config.toml"];

/// What an agent may do without being asked, and what not at all: a refusal wins over any permission, so Windlass's files
/// stay closed whatever else is allowed. All paths are absolute and canonical: rules are compared with paths as they are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Permissions {
    /// What it may do.
    pub allow: Vec<Right>,
    /// What it may not.
    pub deny: Vec<Right>,
}

impl Permissions {
    /// Those of an interactive session that writes a workspace's instructions: these two files without being asked, git
    /// reading, and nothing else; Windlass's own files not at all.
    pub fn session(directory: &Path, workspace: &Path, state: &Path) -> Permissions {
        let file = |name: &&str| Right::Change(workspace.join(name));
        let mut allow: Vec<Right> = WRITTEN.iter().map(file).collect();
        allow.extend(git_reading());
        let windlass = directory.join(".windlass");
        // Of the workspaces, the instructions are what the session is for.
        let guarded = GUARDED.iter().filter(|below| !below.starts_with("workspaces/"));
        let mut deny: Vec<Right> = guarded.map(|below| below_of(&windlass, below)).collect();
        deny.extend(RECORDS.iter().map(file));
        deny.push(below_of(state, "**"));
        Permissions { allow, deny }
    }

    /// Those of an interactive session that writes one file of the project: this file without being asked, git reading,
    /// and nothing else; Windlass's own files not at all.
    pub fn session_on_file(directory: &Path, file: &Path, state: &Path) -> Permissions {
        let mut allow = vec![Right::Change(file.to_owned())];
        allow.extend(git_reading());
        let deny = vec![below_of(&directory.join(".windlass"), "**"), below_of(state, "**")];
        Permissions { allow, deny }
    }
}

/// What a run's agent may not change, the runner's own files being below `state`.
pub(crate) fn closed_to_runs(plan: &RunSpec, state: &Path) -> Vec<Right> {
    let windlass = plan.directory.join(".windlass");
    let mut closed: Vec<Right> = GUARDED.iter().map(|below| below_of(&windlass, below)).collect();
    let elsewhere = configuration(plan).filter(|file| !file.starts_with(&windlass));
    closed.extend(elsewhere.map(Right::Change));
    closed.extend(documents(plan).map(|name| below_of(&windlass, &format!("pipelines/*/{name}"))));
    closed.extend(runners_own(plan, state));
    closed
}

/// The documents of pipelines that are not the job's: in a phase all but its own, else all but the tasks, whose agent marks its
/// task as done.
fn documents(plan: &RunSpec) -> impl Iterator<Item = &'static str> {
    let own = plan.job.phase.as_ref().map_or(PipelinePhase::Tasks, |phase| phase.phase);
    let others = PipelinePhase::all().filter(move |phase| *phase != own).map(PipelinePhase::document);
    std::iter::once(GOAL).chain(others)
}

/// The runner's own files. A lane's checkout lies among them: since a refusal wins over any permission, they are closed one
/// by one there, and so are the checkouts of the others.
fn runners_own(plan: &RunSpec, state: &Path) -> Vec<Right> {
    let Some((lanes, own)) = plan.lanes.as_ref().and_then(|lanes| Some((lanes, lane_of(plan)?))) else {
        return vec![below_of(state, "**")];
    };
    let others = (1..=lanes.count).filter(|lane| *lane != own);
    let others = others.map(|lane| below_of(&lanes.folder, &format!("{lane}/**")));
    BESIDE_LANES.iter().map(|below| below_of(state, below)).chain(others).collect()
}

/// The number of the lane whose plan it is; `None` where its agent works in the person's directory.
fn lane_of(plan: &RunSpec) -> Option<u16> {
    let inside = plan.directory.strip_prefix(&plan.lanes.as_ref()?.folder).ok()?;
    inside.components().next()?.as_os_str().to_str()?.parse().ok()
}

/// Is it in a lane's checkout?
fn is_in_lane(plan: &RunSpec, file: &Path) -> bool {
    let inside = plan.lanes.as_ref().and_then(|lanes| file.strip_prefix(&lanes.folder).ok());
    inside.and_then(|inside| inside.components().nth(1)).is_some_and(|part| part.as_os_str() == LANES_TREE)
}

fn below_of(folder: &Path, below: &str) -> Right {
    Right::ChangeBelow(folder.to_owned(), below.to_owned())
}

/// The configuration files that were read when the run started, and its principles. (A goal's file is the person's, and may
/// be worked on.)
fn configuration(plan: &RunSpec) -> impl Iterator<Item = PathBuf> {
    let files = plan.inputs.iter().map(|(file, _)| file).filter(|file| file.ends_with("config.toml"));
    let principles = plan.principles.iter().map(|principles| plan.directory.join(principles.file()));
    files.cloned().chain(principles)
}

/// Takes the rule from denials that no rule would have prevented: a refusal wins over any permission, and what is allowed
/// already was refused for another reason.
pub fn settle_denials(denials: &mut [Denial], plan: &RunSpec, state: &Path) {
    let windlass = plan.directory.join(".windlass");
    let is_own = |file: &Path| {
        let in_workspace = file.strip_prefix(windlass.join("workspaces")).ok();
        let guarded = match in_workspace.map(|inside| inside.components().skip(1).collect::<PathBuf>()) {
            Some(inside) => GUARDED_IN_WORKSPACES.iter().any(|name| inside == Path::new(name)),
            None => file.starts_with(&windlass),
        };
        let of_the_runner = file.starts_with(state) && !is_in_lane(plan, file);
        guarded || of_the_runner || configuration(plan).any(|own| own == file)
    };
    let agent = of(&plan.agent);
    for denial in denials {
        let file = agent.file_to_change(denial).map(|file| plan.directory.join(file));
        if file.is_some_and(|file| is_own(&file) || agent.steers(&file)) {
            denial.rule.clear();
            denial.refused_by.clear();
        } else if let Some(why) = allowed_already(plan, &denial.rule) {
            denial.rule.clear();
            why.clone_into(&mut denial.refused_by);
        }
    }
}

/// Why a rule would not help, since nothing is kept from the agent that it names.
fn allowed_already(plan: &RunSpec, rule: &str) -> Option<&'static str> {
    let tool = rule.split('(').next().unwrap_or(rule);
    if rule.is_empty() {
        None
    } else if plan.agent.skip_permissions {
        Some("the agent itself, though permissions are skipped")
    } else {
        let allows = |allowed: &String| allowed == rule || allowed == tool;
        plan.agent.allow.iter().any(allows).then_some("the agent itself, though a rule allows it already")
    }
}
