//! What follows `--` (or stands in `agent.arguments`) goes to the agent as it is, except for flags that windlass gives
//! it itself: those are refused by name.

use std::ffi::OsString;

use windlass_agents::Agent;
use windlass_core::config::{Origin, Resolved, keys};

use crate::error::AppError;

/// The arguments as texts.
///
/// # Errors
/// Arguments that are not UTF-8. Whose flags they are, configuration says, which is not read yet.
pub fn texts(arguments: &[OsString]) -> Result<Vec<String>, AppError> {
    let texts = arguments.iter().map(|argument| {
        argument.to_str().map(str::to_owned).ok_or_else(|| {
            AppError::usage(format!("the agent's argument `{}` is not UTF-8", argument.to_string_lossy()))
        })
    });
    texts.collect()
}

/// Refuses flags of this agent that windlass owns, and says where they stand.
pub(crate) fn refuse_owned(agent: &dyn Agent, resolved: &Resolved) -> Result<(), AppError> {
    refuse(agent, &resolved.agent.arguments, resolved.origin(&keys::ARGUMENTS))
}

fn refuse(agent: &dyn Agent, arguments: &[String], origin: &Origin) -> Result<(), AppError> {
    let refused = |argument: &String| {
        let flag = argument.split('=').next().unwrap_or(argument).to_owned();
        agent.owned_flag(argument).map(|why| (flag, why))
    };
    let Some((flag, why)) = arguments.iter().find_map(refused) else { return Ok(()) };
    let sentence = format!("`{flag}` cannot be given to the agent: {why}");
    Err(match origin {
        Origin::Flag(_) => AppError::usage(sentence).hint("What is Windlass's own stands before the `--`"),
        origin => AppError::usage(format!("{}: {origin}: {sentence}", keys::ARGUMENTS.name))
            .hint(format!("Take it out of {} there", keys::ARGUMENTS.name)),
    })
}

#[cfg(test)]
mod tests {
    use windlass_agents::usual;

    use super::*;

    fn refuse_one(argument: &str) -> Result<(), AppError> {
        refuse(usual(), &[argument.to_owned()], &Origin::Flag("--".to_owned()))
    }

    #[test]
    fn only_flags_that_windlass_owns_are_refused() {
        for (argument, refused) in [
            ("--add-dir", false),
            ("--modelling", false),
            ("model", false),
            ("--model", true),
            ("--model=opus", true),
            ("-p", true),
            ("--dangerously-skip-permissions", true),
            ("--resume", true),
        ] {
            assert_eq!(refuse_one(argument).is_err(), refused, "{argument}");
        }
    }

    #[test]
    fn the_value_of_a_refused_flag_is_not_repeated() {
        let error = refuse_one("--settings={\"env\":{\"KEY\":\"secret\"}}").unwrap_err();
        assert!(!error.to_string().contains("secret"), "{error}");
    }
}
