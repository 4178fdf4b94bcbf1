//! `watch`: runs on a full screen; and `run --watch`.

use std::process::ExitCode;

use windlass_app::AppError;

#[cfg(feature = "watch")]
pub use view::{can_be_drawn, run_and_watch};

use super::logs;
use crate::args::{LogsArgs, WatchArgs};

/// Does it.
pub fn run(args: &WatchArgs) -> Result<ExitCode, AppError> {
    #[cfg(feature = "watch")]
    if can_be_drawn() {
        return view::run(args);
    }
    logs::run_anywhere(&LogsArgs { run: args.run.clone(), follow: true, ..LogsArgs::default() })
}

/// This build has no view.
#[cfg(not(feature = "watch"))]
pub const fn can_be_drawn() -> bool {
    false
}

/// Is never asked for where nothing can be drawn.
#[cfg(not(feature = "watch"))]
pub fn run_and_watch() -> Result<ExitCode, AppError> {
    Err(AppError::usage("this build of windlass has no terminal view"))
}

#[cfg(feature = "watch")]
mod view {
    use std::env;
    use std::ffi::{OsStr, OsString};
    use std::io::{IsTerminal as _, Write as _};
    use std::path::Path;
    use std::process::ExitCode;

    use windlass_app::inspect::KnownRun;
    use windlass_app::run::{ApartRun, Begun};
    use windlass_app::{App, AppError};
    use windlass_core::values::RunId;
    use windlass_tui::{Activity, First, Left, watch};
    use windlass_ui::Line;

    use super::super::{FROM, app, print_lines, stdout};
    use crate::args::WatchArgs;

    /// The run goes on without the view.
    const STILL_RUNNING: u8 = 3;

    /// Is there a screen, and somebody who wants it drawn on?
    pub fn can_be_drawn() -> bool {
        let accessible = env::var_os("ACCESSIBLE").is_some_and(|value| !value.is_empty() && value != "0");
        std::io::stdin().is_terminal()
            && std::io::stdout().is_terminal()
            && stdout().interactive
            && !accessible
    }

    /// Shows them until somebody leaves.
    pub fn run(args: &WatchArgs) -> Result<ExitCode, AppError> {
        let app = app()?;
        let first = if args.all { First::Night } else { first(&app, args.run.as_deref())? };
        let left = watch(&app, &first, &stdout())?;
        tell(&left)?;
        Ok(ExitCode::from(left.signal.map_or(0, by_signal)))
    }

    /// The run that is named, or the one here; where there is none here the list.
    fn first(app: &App, named: Option<&str>) -> Result<First, AppError> {
        match (named, app.known_run(named)) {
            (_, Ok(known)) => Ok(First::Run(known)),
            (Some(_), Err(error)) => Err(error),
            (None, Err(_)) => Ok(First::Night),
        }
    }

    fn by_signal(signal: i32) -> u8 {
        u8::try_from(128 + signal).unwrap_or(u8::MAX)
    }

    /// That the run goes on, and how one comes back to it.
    fn tell(left: &Left) -> Result<(), AppError> {
        match &left.run {
            Some((run, Activity::GoesOn)) => print_lines(&goes_on(run, left.elsewhere.as_deref())),
            _ => Ok(()),
        }
    }

    fn goes_on(run: &RunId, elsewhere: Option<&str>) -> Vec<Line> {
        let stop = match elsewhere {
            Some(directory) => format!("windlass -C {directory} stop {run}"),
            None => format!("windlass stop {run}"),
        };
        vec![
            Line::hanging(2).strong(run.to_string()).plain(" is still running."),
            Line::hanging(2).dim("  come back  ").command(format!("windlass watch {run}")),
            Line::hanging(2).dim("  stop it    ").command(stop),
        ]
    }

    /// Starts this very command as a process of its own, and watches the run that it is.
    pub fn run_and_watch() -> Result<ExitCode, AppError> {
        let app = app()?;
        let from = FROM.get().cloned().unwrap_or_default();
        let mut apart = app.start_apart(&from, |file| with_file(env::args_os().skip(1), file))?;
        let run = match apart.begun()? {
            Begun::Run(run) => run,
            Begun::Ended(code) => {
                say(&apart.printed());
                return Ok(ExitCode::from(code));
            }
        };
        let known = known(&app, &run)?;
        let left = watch(&app, &First::Run(known), &stdout());
        came_to(&mut apart, &run, left?.signal)
    }

    /// The run has just begun, here or in a worktree of the same project.
    fn known(app: &App, run: &RunId) -> Result<KnownRun, AppError> {
        app.known_run(Some(&run.0))
    }

    /// The run's own exit code where it has ended.
    fn came_to(apart: &mut ApartRun, run: &RunId, signal: Option<i32>) -> Result<ExitCode, AppError> {
        if let Some(code) = apart.ended()? {
            say(&apart.printed());
            print_lines(&[Line::hanging(2)
                .strong(run.to_string())
                .plain(" has ended. ")
                .command(format!("windlass report {run}"))])?;
            return Ok(ExitCode::from(code));
        }
        print_lines(&goes_on(run, None))?;
        Ok(ExitCode::from(signal.map_or(STILL_RUNNING, by_signal)))
    }

    /// What the process of the run had to say, as it said it.
    fn say(printed: &str) {
        // Where standard error is closed nobody is there to be told.
        let _ = std::io::stderr().write_all(printed.as_bytes());
    }

    /// The same arguments, and where the process says which run it is. Behind the verb: what follows `--` is the agent's.
    fn with_file(arguments: impl Iterator<Item = OsString>, file: &Path) -> Vec<OsString> {
        let mut all: Vec<OsString> = arguments.collect();
        let verb = place_of_verb(&all);
        let mut flag = OsString::from("--apart=");
        flag.push(file);
        all.insert((verb + 1).min(all.len()), flag);
        all
    }

    /// The first word that is no flag and no flag's value.
    fn place_of_verb(arguments: &[OsString]) -> usize {
        let mut place = 0;
        while let Some(word) = arguments.get(place) {
            if word == OsStr::new("-C") {
                place += 2;
            } else if word.as_encoded_bytes().starts_with(b"-") {
                place += 1;
            } else {
                break;
            }
        }
        place
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        #[test]
        fn the_flag_stands_behind_the_verb() {
            for (typed, expected) in [
                ("run -p x --watch", "run --apart=/f -p x --watch"),
                ("-C run run --watch -- -x", "-C run run --apart=/f --watch -- -x"),
                ("-Crun build --watch", "-Crun build --apart=/f --watch"),
            ] {
                let words = typed.split(' ').map(OsString::from);
                let all: Vec<String> = with_file(words, Path::new("/f"))
                    .iter()
                    .map(|word| word.to_string_lossy().into_owned())
                    .collect();
                assert_eq!(all.join(" "), expected);
            }
        }
    }
}
