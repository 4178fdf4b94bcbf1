//! What an agent is seen doing.

use windlass_agents::Activity;
use windlass_core::observation::{Observation, ToolInput};

/// The kind of thing that an observation shows the agent doing.
pub(crate) fn activity(observation: &Observation) -> Option<Activity> {
    match observation {
        Observation::Started { .. } | Observation::ToolResult { .. } => Some(Activity::Thinking),
        Observation::AgentText { .. } => Some(Activity::Writing),
        Observation::ToolUse { input, .. } => Some(match input {
            ToolInput::Read { .. } | ToolInput::Grep { .. } | ToolInput::Glob { .. } => Activity::Reading,
            ToolInput::Edit { .. } | ToolInput::Write { .. } => Activity::Editing,
            ToolInput::Bash { .. } => Activity::Running,
            ToolInput::Agent { .. } => Activity::Delegating,
            ToolInput::Other { .. } => Activity::UsingTool,
        }),
        Observation::Retrying { .. } => Some(Activity::Retrying),
        Observation::Compacted => Some(Activity::Compacting),
        Observation::Denied { .. }
        | Observation::LimitNotice { .. }
        | Observation::Background { .. }
        | Observation::Result { .. }
        | Observation::Garbage { .. } => None,
    }
}
