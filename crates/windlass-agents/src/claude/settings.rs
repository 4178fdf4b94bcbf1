//! The generated settings file.

use std::path::{Path, PathBuf};

use serde::Serialize;
use windlass_core::spec::{AgentSpec, RepositorySettings, RunSpec};
use windlass_core::values::Denial;

use super::project::git_reading_rules;
use super::rule::{path_pattern, rule};

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

/// What of `.claude/` steers agents: this one's next call, and those that a person starts here. The rest of the folder is
/// the project's.
const STEERING: &[&str] =
    &["settings.json", "settings.local.json", "hooks/**", "agents/**", "commands/**", "skills/**"];

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

/// Tools that keep a call alive after its work, or put work where nobody looks: they wait for something, come back later,
/// or work in a checkout of their own. They are off until a person names one of them.
const ELSEWHERE: &[&str] = &["Monitor", "ScheduleWakeup", "CronCreate", "EnterWorktree"];

/// Flags by which a person names tools that the agent shall have.
const GIVES_TOOLS: &[&str] = &["--allowedTools", "--allowed-tools", "--tools"];

/// Settings of one run, for `--settings`. They add to the user's and the project's own; a refusal wins over any
/// permission, so Windlass's files stay closed whatever else is allowed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ClaudeSettings {
    permissions: Permissions,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
struct Permissions {
    allow: Vec<String>,
    deny: Vec<String>,
}

impl ClaudeSettings {
    /// Settings for the calls of a run, the runner's own files being below `state`. All paths are absolute and
    /// canonical: the rules are compared with paths as they are. A path that is not UTF-8 cannot be guarded.
    pub fn new(plan: &RunSpec, state: &Path) -> ClaudeSettings {
        let windlass = plan.directory.join(".windlass");
        let mut deny: Vec<String> = GUARDED.iter().filter_map(|below| guard(&windlass, below)).collect();
        let elsewhere = configuration(plan).filter(|file| !file.starts_with(&windlass));
        deny.extend(elsewhere.filter_map(|file| Some(rule("Edit", &path_pattern(file.to_str()?)))));
        deny.extend(runners_own(plan, state));
        let folders = [&plan.directory].into_iter().chain(&plan.agent.add_dirs);
        deny.extend(folders.flat_map(|folder| steering(folder)));
        let unasked = ELSEWHERE.iter().filter(|tool| !is_asked_for(tool, &plan.agent));
        deny.extend(unasked.map(|tool| (*tool).to_owned()));
        if let RepositorySettings::LeftOut { deny: closed } = &plan.agent.repository_settings {
            deny.extend(closed.iter().cloned());
        }
        ClaudeSettings { permissions: Permissions { allow: plan.agent.allow.clone(), deny } }
    }

    /// Settings of an interactive session that writes a workspace's instructions: these two files without being asked,
    /// git reading, and nothing else; Windlass's own files not at all. Paths as above.
    pub fn session(directory: &Path, workspace: &Path, state: &Path) -> ClaudeSettings {
        let file = |name: &&str| Some(rule("Edit", &path_pattern(workspace.join(name).to_str()?)));
        let mut allow: Vec<String> = WRITTEN.iter().filter_map(file).collect();
        allow.extend(git_reading_rules());
        let windlass = directory.join(".windlass");
        // Of the workspaces, the instructions are what the session is for.
        let guarded = GUARDED.iter().filter(|below| !below.starts_with("workspaces/"));
        let mut deny: Vec<String> = guarded.filter_map(|below| guard(&windlass, below)).collect();
        deny.extend(RECORDS.iter().filter_map(file));
        deny.extend(guard(state, "**"));
        ClaudeSettings { permissions: Permissions { allow, deny } }
    }

    /// Settings of an interactive session that writes one file of the project: this file without being asked, git reading,
    /// and nothing else; Windlass's own files not at all. Paths as above.
    pub fn session_on_file(directory: &Path, file: &Path, state: &Path) -> ClaudeSettings {
        let mut allow: Vec<String> =
            file.to_str().map(|file| rule("Edit", &path_pattern(file))).into_iter().collect();
        allow.extend(git_reading_rules());
        let mut deny: Vec<String> = guard(&directory.join(".windlass"), "**").into_iter().collect();
        deny.extend(guard(state, "**"));
        ClaudeSettings { permissions: Permissions { allow, deny } }
    }

    /// The file's content: JSON, with a line feed at its end.
    pub fn to_json(&self) -> String {
        let mut json = serde_json::to_string_pretty(self).unwrap_or_default();
        json.push('\n');
        json
    }
}

/// The rules that close the runner's own files. A lane's checkout lies among them: since a refusal wins over any
/// permission, they are closed one by one there, and so are the checkouts of the others.
fn runners_own(plan: &RunSpec, state: &Path) -> Vec<String> {
    let Some((lanes, own)) = plan.lanes.as_ref().and_then(|lanes| Some((lanes, lane_of(plan)?))) else {
        return guard(state, "**").into_iter().collect();
    };
    let others = (1..=lanes.count).filter(|lane| *lane != own);
    let others = others.filter_map(|lane| guard(&lanes.folder, &format!("{lane}/**")));
    BESIDE_LANES.iter().filter_map(|below| guard(state, below)).chain(others).collect()
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

/// The rules that close what steers agents in a folder, at any depth: Claude Code reads it below where it works as well.
fn steering(folder: &Path) -> Vec<String> {
    STEERING.iter().filter_map(|below| guard(folder, &format!("**/.claude/{below}"))).collect()
}

/// Is it one of the files that steer agents?
fn steers(file: &Path) -> bool {
    let mut parts = file.components().skip_while(|part| part.as_os_str() != ".claude").skip(1);
    let below = parts.next().and_then(|part| part.as_os_str().to_str());
    below.is_some_and(|below| STEERING.iter().any(|known| known.trim_end_matches("/**") == below))
}

/// Did the person name this tool, in `permissions.allow` or by a flag of the agent's own?
fn is_asked_for(tool: &str, agent: &AgentSpec) -> bool {
    let names = |rule: &str| rule.split('(').next().is_some_and(|name| name.trim() == tool);
    let mut gives = false;
    let by_flag = agent.arguments.iter().any(|argument| {
        let (flag, value) = argument.split_once('=').unwrap_or((argument, ""));
        let value = if flag.starts_with('-') {
            gives = GIVES_TOOLS.contains(&flag);
            value
        } else {
            argument
        };
        gives && value.split([',', ' ']).any(names)
    });
    by_flag || agent.allow.iter().any(|rule| names(rule))
}

fn guard(folder: &Path, below: &str) -> Option<String> {
    Some(rule("Edit", &format!("{}/{below}", path_pattern(folder.to_str()?))))
}

/// The configuration files that were read when the run started. (A goal's file is the person's, and may be worked on.)
fn configuration(plan: &RunSpec) -> impl Iterator<Item = &PathBuf> {
    let files = plan.inputs.iter().map(|(file, _)| file);
    files.filter(|file| file.ends_with("config.toml"))
}

/// Takes the rule from denials that no rule would have prevented, since a refusal wins over any permission.
pub fn close_own_files(denials: &mut [Denial], plan: &RunSpec, state: &Path) {
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
    for denial in denials.iter_mut().filter(|denial| denial.rule.starts_with("Edit(")) {
        let file = plan.directory.join(&denial.input);
        if is_own(&file) || steers(&file) {
            denial.rule.clear();
        }
    }
}
