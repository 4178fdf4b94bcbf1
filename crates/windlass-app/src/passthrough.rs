//! What follows `--` (or stands in `agent.arguments`) goes to the agent as it is, except for flags that windlass gives
//! it itself: those are refused by name.

use std::ffi::OsString;

use windlass_agents::{AGENTS, Agent, usual};

use crate::error::AppError;

/// The arguments as texts.
///
/// # Errors
/// Arguments that are not UTF-8, and flags that windlass owns.
pub fn texts(arguments: &[OsString]) -> Result<Vec<String>, AppError> {
    let texts = arguments.iter().map(|argument| {
        argument.to_str().map(str::to_owned).ok_or_else(|| {
            AppError::usage(format!("the agent's argument `{}` is not UTF-8", argument.to_string_lossy()))
        })
    });
    let texts: Vec<String> = texts.collect::<Result<_, _>>()?;
    // Configuration, which is not read yet, may name any agent.
    let of_all = |argument: &&String| AGENTS.iter().all(|agent| agent.owned_flag(argument).is_some());
    if let Some(argument) = texts.iter().find(of_all) {
        refuse_owned(usual(), std::slice::from_ref(argument))?;
    }
    Ok(texts)
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
    use super::*;

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
            assert_eq!(texts(&[argument.into()]).is_err(), refused, "{argument}");
        }
    }

    #[test]
    fn the_value_of_a_refused_flag_is_not_repeated() {
        let error = texts(&["--settings={\"env\":{\"KEY\":\"secret\"}}".into()]).unwrap_err();
        assert!(!error.to_string().contains("secret"), "{error}");
    }
}
