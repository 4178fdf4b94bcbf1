//! `completions`: what a shell has to know to ask this program for what can be typed.

use std::io;

use clap_complete::env::{Bash, EnvCompleter, Fish, Zsh};

use super::{completing, print};
use crate::args::{CompletionsArgs, Shell};
use windlass_app::{AppError, Kind};

/// The program, as a shell finds it on its search path: the script outlives a move.
const PROGRAM: &str = "windlass";

/// Prints the script.
pub fn run(args: &CompletionsArgs) -> Result<(), AppError> {
    let script = script(args.shell)
        .map_err(|error| AppError::new(Kind::System, format!("cannot write the script: {error}")))?;
    print(&script)
}

fn script(shell: Shell) -> io::Result<String> {
    let completer: &dyn EnvCompleter = match shell {
        Shell::Bash => &Bash,
        Shell::Zsh => &Zsh,
        Shell::Fish => &Fish,
    };
    let mut bytes = Vec::new();
    completer.write_registration(completing::VARIABLE, PROGRAM, PROGRAM, PROGRAM, &mut bytes)?;
    let script = String::from_utf8_lossy(&bytes);
    Ok(match shell {
        // A file that zsh loads by itself defines the function and must call it, the first time it is loaded.
        Shell::Zsh => format!("{}\n{ZSH_FIRST_CALL}", script.trim_end()),
        Shell::Bash | Shell::Fish => script.trim_start().to_owned(),
    })
}

/// `compinit` loads the file as the function `_windlass`; read by `source` there is nothing to complete yet.
const ZSH_FIRST_CALL: &str = "\
if [[ \"$funcstack[1]\" = _windlass ]]; then
    _clap_dynamic_completer_windlass \"$@\"
fi
";
