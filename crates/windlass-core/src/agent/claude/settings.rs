//! The generated settings file.

use std::path::Path;

use serde::Serialize;

use super::rule::{path_pattern, rule};
use crate::run::AgentPlan;

/// What of a project's `.windlass/` the agent may not change: configuration, hooks, prompts, templates, principles.
/// `workspaces/` is the agent's own.
const GUARDED: &[&str] = &["*.*", "hooks/**", "prompts/**", "templates/**"];

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
    /// Settings for calls in `project`, the runner's own files being below `state`. Both absolute and canonical: the
    /// rules are compared with paths as they are. A path that is not UTF-8 cannot be guarded.
    #[must_use]
    pub fn new(agent: &AgentPlan, project: &Path, state: &Path) -> ClaudeSettings {
        let windlass = project.join(".windlass");
        let mut deny: Vec<String> = GUARDED
            .iter()
            .filter_map(|below| guard(&windlass, below))
            .collect();
        deny.extend(guard(state, "**"));
        ClaudeSettings {
            permissions: Permissions {
                allow: agent.allow.clone(),
                deny,
            },
        }
    }

    /// The file's content: JSON, with a line feed at its end.
    #[must_use]
    pub fn to_json(&self) -> String {
        let mut json = serde_json::to_string_pretty(self).unwrap_or_default();
        json.push('\n');
        json
    }
}

fn guard(folder: &Path, below: &str) -> Option<String> {
    Some(rule(
        "Edit",
        &format!("{}/{below}", path_pattern(folder.to_str()?)),
    ))
}
