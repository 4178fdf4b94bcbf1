//! The configuration that each start of opencode is given. It goes before a person's own, and the repository's is not read.

use std::path::Path;

use serde_json::json;
use windlass_core::spec::AgentSpec;

use crate::Confinement;
use crate::variables::{Changes, set};

/// How it is given.
const CONTENT: &str = "OPENCODE_CONFIG_CONTENT";

/// Set for each start: a session that is kept nowhere, no newer version of itself, no list of models from elsewhere, and
/// nothing of the repository's own, which can start servers and load code: its instructions are in the prompt.
const SWITCHES: &[(&str, &str)] = &[
    ("OPENCODE_DISABLE_AUTOUPDATE", "1"),
    ("OPENCODE_DISABLE_MODELS_FETCH", "1"),
    ("OPENCODE_DISABLE_PROJECT_CONFIG", "1"),
    ("OPENCODE_DB", ":memory:"),
];

/// What a call may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rights {
    /// A session: whatever is not allowed is asked.
    Asks,
    /// All but what lies elsewhere.
    Edits,
    /// The same, and it changes no files with its tools.
    Reads,
    /// All that a sandbox lets it.
    All,
}

impl Rights {
    pub(crate) fn of(agent: &AgentSpec, edits: bool, confinement: Confinement) -> Rights {
        match () {
            () if !edits => Rights::Reads,
            () if agent.skip_permissions || confinement == Confinement::Sandbox => Rights::All,
            () => Rights::Edits,
        }
    }
}

/// The variables of a start.
pub(crate) fn environment(system_prompt: &Path, rights: Rights) -> Changes {
    let mut variables = set(SWITCHES);
    variables.push((CONTENT.to_owned(), Some(content(system_prompt, rights))));
    variables
}

/// A request that asks for a title is none of the job's. A prompt that is too long ends the call: compacted by itself, it
/// was seen to ask 277 times in half a minute, all of them billed.
fn content(system_prompt: &Path, rights: Rights) -> String {
    let mut config = json!({
        "share": "disabled",
        "autoupdate": false,
        "snapshot": false,
        "compaction": {"auto": false},
        "agent": {"title": {"disable": true}},
        "instructions": [system_prompt.to_string_lossy()],
    });
    // What would be asked is refused unattended, and ends the call without a word.
    let permission = match rights {
        Rights::Asks => None,
        Rights::Edits => Some(json!({"*": "allow", "external_directory": "deny"})),
        Rights::Reads => Some(json!({"*": "allow", "external_directory": "deny", "edit": "deny"})),
        Rights::All => Some(json!({"*": "allow"})),
    };
    if let Some(permission) = permission {
        config["permission"] = permission;
    }
    config.to_string()
}
