//! What follows `--` (or stands in `agent.arguments`) goes to the agent as it is, except for flags that windlass gives
//! it itself: those are refused by name.

use std::ffi::OsString;

use windlass_agents::Agent;

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

/// Refuses flags of this agent that windlass owns.
pub(crate) fn refuse_owned(agent: &dyn Agent, arguments: &[String]) -> Result<(), AppError> {
    for argument in arguments {
        if let Some(why) = agent.owned_flag(argument) {
            let flag = argument.split('=').next().unwrap_or(argument);
            return Err(AppError::usage(format!("`{flag}` cannot be given to the agent: {why}")));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use windlass_agents::usual;

    use super::*;

    fn refuse(argument: &str) -> Result<(), AppError> {
        refuse_owned(usual(), &[argument.to_owned()])
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
            assert_eq!(refuse(argument).is_err(), refused, "{argument}");
        }
    }

    #[test]
    fn the_value_of_a_refused_flag_is_not_repeated() {
        let error = refuse("--settings={\"env\":{\"KEY\":\"secret\"}}").unwrap_err();
        assert!(!error.to_string().contains("secret"), "{error}");
    }
}
