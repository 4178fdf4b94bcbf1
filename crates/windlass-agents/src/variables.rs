//! Variables of an agent's environment that a start changes.

use windlass_core::spec::AgentSpec;

/// Variables to set, or to remove (`None`).
pub(crate) type Changes = Vec<(String, Option<String>)>;

/// As they were, without the keys that are charged per token where a person has not allowed them.
pub(crate) fn without_keys(agent: &AgentSpec, keys: &[&str], mut variables: Changes) -> Changes {
    let withheld = if agent.api_keys { &[] } else { keys };
    variables.extend(withheld.iter().map(|name| ((*name).to_owned(), None)));
    variables
}

/// Each of these set.
pub(crate) fn set(variables: &[(&str, &str)]) -> Changes {
    variables.iter().map(|(name, value)| ((*name).to_owned(), Some((*value).to_owned()))).collect()
}
