//! What the hooks of a run are like.

use super::Leaves;

/// One hook of the plan.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct HookNature {
    /// What it says, one call after another, over and over.
    pub says: Vec<HookWord>,
    pub leaves: Leaves,
    /// How long it takes.
    pub seconds: u32,
}

/// What one call of a hook comes to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum HookWord {
    Continues,
    /// It wants the agent to be told something; the completion phrase is among it.
    Prompts,
    Skips,
    Aborts,
    /// It fails, or says what nobody understands.
    Fails,
    /// It does not end by itself.
    Hangs,
}
