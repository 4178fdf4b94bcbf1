//! Help as it is printed: defaults of the verb at hand, and paragraphs that are wrapped once, at the width there is.

use clap::{Arg, Command, CommandFactory as _, FromArgMatches as _};

use super::Cli;

/// How the end of a flag's help begins that says its default.
const DEFAULT: &str = "[default: ";

/// What can be typed, with its help.
pub fn command() -> Command {
    unfolded(Cli::command())
}

/// What was typed.
///
/// # Errors
/// It cannot be; or it asks for help or the version.
pub fn parse<T>(typed: impl IntoIterator<Item = T>) -> Result<Cli, clap::Error>
where
    T: Into<std::ffi::OsString> + Clone,
{
    let mut command = command();
    let matches = command.try_get_matches_from_mut(typed)?;
    Cli::from_arg_matches(&matches).map_err(|error| error.format(&mut command))
}

/// The flag, with this default in its help instead of the one of other verbs.
pub(super) fn defaulting(flag: Arg, default: &str) -> Arg {
    let help = flag.get_help().map(ToString::to_string).unwrap_or_default();
    let sentence = help.split(DEFAULT).next().unwrap_or_default().trim_end().to_owned();
    flag.help(format!("{sentence} {DEFAULT}{default}]"))
}

/// Flags whose defaults are those of the run that goes on.
pub(super) fn as_before(flag: Arg) -> Arg {
    defaulting(flag, "the run's")
}

/// The same with paragraphs as one line each: whoever prints them breaks them where the terminal ends.
fn unfolded(command: Command) -> Command {
    let after = command.get_after_help().map(|text| unfold(&text.to_string()));
    let command = match after {
        Some(after) => command.after_help(after),
        None => command,
    };
    command.mut_subcommands(unfolded)
}

/// Joins the lines of paragraphs. What is indented, and what announces it, stays as it is.
fn unfold(text: &str) -> String {
    let mut unfolded = String::with_capacity(text.len());
    let mut joins = false;
    for line in text.lines() {
        let is_prose = !line.is_empty() && !line.starts_with(' ');
        if !unfolded.is_empty() {
            unfolded.push(if joins && is_prose { ' ' } else { '\n' });
        }
        unfolded.push_str(line);
        joins = is_prose && !line.ends_with(':');
    }
    unfolded
}

#[cfg(test)]
#[path = "told_tests.rs"]
mod tests;
