//! Who changes a tree.

/// Who changed a tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Actor {
    Person,
    Agent,
    Check,
    Hook,
    /// What it does to undo what an agent was not to change, and where it merges.
    Runner,
    /// The runner, where it keeps the task file.
    Clerk,
}
