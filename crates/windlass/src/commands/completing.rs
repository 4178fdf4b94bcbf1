//! What can be typed next, for a shell that asks: verbs and flags from the command line's types, and names of what is here.

use std::env;
use std::ffi::{OsStr, OsString};
use std::path::PathBuf;
use std::sync::Arc;

use clap::{Command, CommandFactory};
use clap_complete::CompleteEnv;
use clap_complete::engine::{ArgValueCandidates, CompletionCandidate};
use clap_complete::env::{Bash, Fish, Shells, Zsh};
use windlass_app::run::NamedTasks;
use windlass_app::{App, AppError, FrontEnd};
use windlass_core::config::{KEYS, Layer};
use windlass_core::values::{Named as _, TaskState};
use windlass_ui::one_line;

use crate::args::Cli;

/// The variable by which a shell asks; it holds the shell's name.
pub const VARIABLE: &str = "WINDLASS_COMPLETE";

/// Nobody is told or asked anything while a person types.
struct Silent;

impl FrontEnd for Silent {}

/// Answers a shell that asks what can be typed; `false` where none does. `arguments`: the program, `--`, and the line so far.
///
/// # Errors
/// The variable names no shell that is known.
pub fn answer(arguments: &[OsString]) -> Result<bool, AppError> {
    if env::var_os(VARIABLE).is_none() {
        return Ok(false);
    }
    let typed = Arc::new(Typed::of(arguments));
    let here = env::current_dir().ok();
    CompleteEnv::with_factory(|| with_names(Cli::command(), "", &typed))
        .var(VARIABLE)
        .completer("windlass")
        .shells(Shells(&[&Bash, &Fish, &Zsh]))
        .try_complete(arguments.iter().cloned(), here.as_deref())
        .map_err(|error| {
            // It comes as it would be printed.
            let cause = error.to_string();
            let cause = cause.strip_prefix("error: ").unwrap_or(&cause).trim_end();
            AppError::usage(format!("cannot complete for {VARIABLE}: {cause}"))
        })
}

/// The command line, with names of what is here. `verb`: that of `command`, below the program.
fn with_names(command: Command, verb: &str, typed: &Arc<Typed>) -> Command {
    // Each in its place: the order of positional arguments is what they mean.
    let command = command.mut_args(|argument| {
        let place = PLACES.iter().find(|place| place.verb == verb && argument.get_id() == place.argument);
        let Some(Place { names, .. }) = place else { return argument };
        let typed = Arc::clone(typed);
        argument.add(ArgValueCandidates::new(move || names(&typed).unwrap_or_default()))
    });
    command.mut_subcommands(|below| {
        let verb = format!("{verb} {}", below.get_name());
        with_names(below, verb.trim_start(), typed)
    })
}

/// What can stand somewhere; `None` where that cannot be found out, which is no reason to disturb whoever types.
type Names = fn(&Typed) -> Option<Vec<CompletionCandidate>>;

/// An argument whose values are names of what is here.
struct Place {
    /// The verb, and that below it.
    verb: &'static str,
    argument: &'static str,
    names: Names,
}

const fn place(verb: &'static str, argument: &'static str, names: Names) -> Place {
    Place { verb, argument, names }
}

const PLACES: &[Place] = &[
    place("run", "source", workspaces),
    place("setup", "name", workspaces),
    place("edit", "name", workspaces),
    place("validate", "name", workspaces),
    place("verify", "name", workspaces),
    place("show", "name", workspaces),
    place("reset", "name", workspaces),
    place("clean", "name", workspaces),
    place("archive save", "workspace", workspaces),
    place("template save", "workspace", workspaces),
    place("config list", "workspace", workspaces),
    place("config get", "workspace", workspaces),
    place("config set", "workspace", workspaces),
    place("config unset", "workspace", workspaces),
    place("config path", "workspace", workspaces),
    place("notify test", "workspace", workspaces),
    place("resume", "run", runs),
    place("stop", "run", runs),
    place("status", "run", runs),
    place("report", "runs", runs),
    place("watch", "run", runs),
    place("logs", "run", runs),
    place("diff", "run", runs),
    place("restore", "run", runs),
    place("config get", "key", keys),
    place("config set", "key", keys),
    place("config unset", "key", keys),
    place("tasks done", "ids", open_tasks),
    place("tasks reopen", "ids", done_tasks),
    place("tasks park", "ids", open_tasks),
    place("tasks park", "run", runs),
    place("tasks add", "depends_on", all_tasks),
    place("archive restore", "archive", archives),
    place("archive show", "archive", archives),
    place("archive delete", "archive", archives),
    place("template use", "name", templates),
    place("template show", "name", templates),
    place("template delete", "name", templates),
    place("pipeline", "resume", pipelines),
    place("pipeline show", "id", pipelines),
    place("pipeline validate", "id", pipelines),
];

/// What was typed so far that says where names are looked for.
#[derive(Debug, Default, PartialEq, Eq)]
struct Typed {
    directory: Option<PathBuf>,
    file: Option<PathBuf>,
    feature: Option<String>,
}

impl Typed {
    /// From the program, `--`, the program as it was typed, and the words after it.
    fn of(arguments: &[OsString]) -> Typed {
        let start = arguments.iter().position(|word| word == "--").map_or(arguments.len(), |at| at + 1);
        let words = arguments.get(start..).unwrap_or_default();
        let value = |short: Option<&str>, long: Option<&str>| {
            words.iter().enumerate().find_map(|(at, word)| value_of(word, words.get(at + 1), short, long))
        };
        Typed {
            directory: value(Some("-C"), None).map(PathBuf::from),
            file: value(Some("-f"), Some("--file")).map(PathBuf::from),
            feature: value(None, Some("--feature")).and_then(|name| name.into_string().ok()),
        }
    }

    /// The application, about the directory that was typed.
    fn app(&self) -> Option<App> {
        let app = App::here(Arc::new(Silent)).ok()?;
        self.directory.as_ref().map_or(Some(app.clone()), |directory| app.in_directory(directory).ok())
    }

    fn tasks(&self) -> NamedTasks {
        NamedTasks { file: self.file.clone(), feature: self.feature.clone() }
    }
}

/// What `word` says of a flag: `-f X`, `--file X` or `--file=X`.
fn value_of(
    word: &OsStr,
    next: Option<&OsString>,
    short: Option<&str>,
    long: Option<&str>,
) -> Option<OsString> {
    let is = |flag: Option<&str>| flag.is_some_and(|flag| word == flag);
    if is(short) || is(long) {
        return next.cloned();
    }
    word.to_str()?.strip_prefix(long?)?.strip_prefix('=').map(OsString::from)
}

fn named(name: impl Into<OsString>, help: &str) -> CompletionCandidate {
    let help = one_line(help);
    CompletionCandidate::new(name).help((!help.is_empty()).then(|| help.into()))
}

fn workspaces(typed: &Typed) -> Option<Vec<CompletionCandidate>> {
    let rows = typed.app()?.workspaces().ok()?;
    // With a word on each, or zsh has the flags before them.
    Some(
        rows.iter()
            .map(|row| named(row.name.clone(), &format!("a workspace, {} mode", row.mode.name())))
            .collect(),
    )
}

fn runs(typed: &Typed) -> Option<Vec<CompletionCandidate>> {
    let runs = typed.app()?.runs().ok()?;
    Some(runs.rows.iter().map(|row| named(row.run.to_string(), &row.title)).collect())
}

#[expect(clippy::unnecessary_wraps, reason = "one of many that have the same type")]
fn keys(_typed: &Typed) -> Option<Vec<CompletionCandidate>> {
    Some(KEYS.iter().map(|key| named(key.name, key.help)).collect())
}

fn open_tasks(typed: &Typed) -> Option<Vec<CompletionCandidate>> {
    tasks(typed, |state| state != TaskState::Done)
}

fn done_tasks(typed: &Typed) -> Option<Vec<CompletionCandidate>> {
    tasks(typed, |state| state == TaskState::Done)
}

fn all_tasks(typed: &Typed) -> Option<Vec<CompletionCandidate>> {
    tasks(typed, |_| true)
}

/// Only what lies in files: a forge is not asked while somebody types.
fn tasks(typed: &Typed, wanted: fn(TaskState) -> bool) -> Option<Vec<CompletionCandidate>> {
    let app = typed.app()?;
    let named_tasks = typed.tasks();
    if app.source_of_tasks(&named_tasks).ok()?.is_some() {
        return None;
    }
    let tasks = app.tasks(&named_tasks, Layer::default()).ok()?;
    let wanted = tasks.list.tasks().iter().filter(|task| wanted(task.row.state));
    Some(wanted.filter_map(|task| Some(named(task.id()?.to_string(), &task.row.title))).collect())
}

fn archives(typed: &Typed) -> Option<Vec<CompletionCandidate>> {
    let rows = typed.app()?.archives().ok()?;
    Some(rows.iter().map(|row| named(row.name.clone(), "an archive")).collect())
}

fn templates(typed: &Typed) -> Option<Vec<CompletionCandidate>> {
    let rows = typed.app()?.templates().ok()?;
    Some(
        rows.iter()
            .map(|row| named(row.name.clone(), row.description.as_deref().unwrap_or("a template")))
            .collect(),
    )
}

fn pipelines(typed: &Typed) -> Option<Vec<CompletionCandidate>> {
    let shown = typed.app()?.pipelines().ok()?;
    Some(shown.iter().map(|pipeline| named(pipeline.id.clone(), &pipeline.goal)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is given a name that need not be there yet.
    const NEW_NAMES: &[(&str, &str)] = &[("template use", "workspace")];

    fn collect(command: &Command, above: &str, found: &mut Vec<(String, String)>) {
        for argument in command.get_arguments().filter(|argument| argument.get_action().takes_values()) {
            let id = argument.get_id().as_str();
            let help = argument.get_help().map(ToString::to_string).unwrap_or_default();
            let names = ["run", "workspace", "key", "ids", "archive"].contains(&id)
                || (id == "name" && ["The workspace", "The template"].contains(&help.as_str()));
            if names {
                found.push((above.to_owned(), id.to_owned()));
            }
        }
        for verb in command.get_subcommands() {
            collect(verb, format!("{above} {}", verb.get_name()).trim(), found);
        }
    }

    #[test]
    fn whatever_takes_the_name_of_something_here_offers_it() {
        let mut found = Vec::new();
        collect(&Cli::command(), "", &mut found);
        found.retain(|(verb, argument)| !NEW_NAMES.contains(&(verb.as_str(), argument.as_str())));
        assert!(found.len() > 20, "{found:?}");
        for (verb, argument) in found {
            assert!(
                PLACES.iter().any(|place| place.verb == verb && place.argument == argument),
                "{verb}: {argument}"
            );
        }
    }

    #[test]
    fn every_place_is_one_of_the_command_line() {
        for place in PLACES {
            let mut command = Cli::command();
            let verb =
                place.verb.split(' ').try_fold(&mut command, |above, verb| above.find_subcommand_mut(verb));
            let is_there = verb
                .is_some_and(|verb| verb.get_arguments().any(|argument| argument.get_id() == place.argument));
            assert!(is_there, "{}: {}", place.verb, place.argument);
        }
    }

    #[test]
    fn where_names_are_looked_for_is_read_from_the_line() {
        let typed = |line: &str| Typed::of(&line.split(' ').map(OsString::from).collect::<Vec<_>>());
        let some = |directory: &str, file: &str, feature: &str| Typed {
            directory: (!directory.is_empty()).then(|| directory.into()),
            file: (!file.is_empty()).then(|| file.into()),
            feature: (!feature.is_empty()).then(|| feature.to_owned()),
        };
        for (line, expected) in [
            ("windlass -- windlass tasks done", some("", "", "")),
            ("windlass -- windlass -C sub tasks done", some("sub", "", "")),
            ("windlass -- windlass tasks -f a.md done", some("", "a.md", "")),
            ("windlass -- windlass tasks --file=a.md --feature login done", some("", "a.md", "login")),
            ("windlass -- windlass tasks -f", some("", "", "")),
            ("windlass", Typed::default()),
        ] {
            assert_eq!(typed(line), expected, "{line}");
        }
    }
}
