//! One file per verb, and the way there.

mod archive;
mod authoring;
mod clean;
mod completing;
mod completions;
mod config;
mod continuing;
mod conversation;
mod default_project;
mod demo;
mod diff;
mod doctor;
mod dry_run;
mod flags;
#[cfg_attr(not(feature = "fleet"), path = "without_fleet.rs")]
mod fleet;
mod hooks;
mod import;
mod init;
mod init_lines;
mod init_project;
mod init_tasks;
mod judging;
mod list;
mod logs;
mod migrate_plan;
mod mistyped;
mod notify;
mod pipeline;
mod principles;
mod question;
mod questionnaire;
mod report;
mod reset;
mod restore;
mod resume;
mod run;
mod run_apart;
mod runs;
mod sandbox;
mod show;
mod status;
mod status_watch;
mod stop;
mod task_lines;
mod task_session;
mod tasks;
mod template;
mod terminal;
mod trust;
mod update;
mod verify_plan;
mod wanted;
mod watch;
#[cfg_attr(not(feature = "web"), path = "without_page.rs")]
mod web;
#[cfg_attr(not(feature = "fleet"), path = "without_worker.rs")]
mod worker;
mod worktree;

use std::env;
use std::ffi::OsString;
use std::io::{self, Write};
use std::path::{self, Path, PathBuf};
use std::process::ExitCode;
use std::sync::{Arc, OnceLock};

use windlass_core::spec::Mode;
use windlass_ui::{
    Glyphs, Line, Mark, Stream, Terminal, Tone, one_line, render_warning, typed_elsewhere, typed_in,
};

use crate::args::{ConfigVerb, HooksVerb, PrinciplesVerb, Verb};
use crate::scripted_agent;
use terminal::TerminalFront;
use windlass_app::inspect::ways_to_runs_of;
use windlass_app::session::Authoring;
use windlass_app::trusting::{refuse_below_a_keeper, refuse_inside_a_run};
use windlass_app::{App, AppError, Kind, SCRIPTED_AGENT, helper, quoted};

/// Where the program was started, before `-C`.
static FROM: OnceLock<PathBuf> = OnceLock::new();

/// Does what the command line asks. `arguments` begins with the program's own name.
pub fn dispatch(arguments: impl Iterator<Item = OsString>) -> Result<ExitCode, AppError> {
    let arguments: Vec<OsString> = arguments.collect();
    if let Some(code) = hidden_verb(&arguments)? {
        return Ok(code);
    }
    if completing::answer(&arguments)? {
        return Ok(ExitCode::SUCCESS);
    }
    let cli = match crate::args::parse(&arguments) {
        Ok(cli) => cli,
        Err(answer) => {
            if let Some(error) = mistyped::error(&answer, &arguments) {
                return Err(error);
            }
            // Help and version are answers, too. A closed terminal changes nothing about the exit code.
            let _ = answer.print();
            return Ok(ExitCode::from(u8::try_from(answer.exit_code()).unwrap_or(2)));
        }
    };
    let _ = FROM.set(env::current_dir().unwrap_or_default());
    if changes_something(&cli.verb) {
        // `fleet dev` has its workers below a keeper.
        let is_worker = matches!(cli.verb, Verb::Worker(_));
        if is_worker { refuse_inside_a_run()? } else { refuse_below_a_keeper()? }
    }
    if let Some(directory) = &cli.directory {
        enter(directory)?;
        // The demo has a folder of its own.
        if !matches!(cli.verb, Verb::Demo(_)) {
            typed_elsewhere(&quoted(directory.as_os_str()));
        }
    } else if default_project::concerns(&cli.verb) {
        default_project::enter()?;
    }
    // The demo goes to a folder of its own, and says so.
    if let (false, Ok(directory)) = (matches!(cli.verb, Verb::Demo(_)), env::current_dir()) {
        // outside: where a person is.
        typed_in(directory.canonicalize().unwrap_or(directory));
    }
    update::tell(&cli.verb);
    match cli.verb {
        Verb::Run(args) => run::run(&args),
        Verb::Plan(args) => run::in_mode(Mode::Plan, args.file.as_ref(), &args.work),
        Verb::Build(args) => run::in_mode(Mode::Build, args.file.as_ref(), &args.work),
        Verb::Pipeline(args) => pipeline::run(&args),
        Verb::Continue(args) => continuing::run(&args),
        Verb::Resume(args) => resume::run(&args),
        Verb::Stop(args) => stop::run(&args).map(success),
        Verb::Worktree(args) => worktree::run(&args),
        Verb::Init(args) => init::run(&args),
        Verb::List(args) => list::run(&args).map(success),
        Verb::Show(args) => show::run(&args).map(success),
        Verb::Reset(args) => reset::run(&args).map(success),
        Verb::Clean(args) => clean::run(&args).map(success),
        Verb::Setup(args) => authoring::author(Authoring::Setup, &args),
        Verb::Edit(args) => authoring::author(Authoring::Edit, &args),
        Verb::Validate(args) => judging::validate(&args),
        Verb::Verify(args) => judging::verify(&args),
        Verb::Archive(args) => archive::run(&args).map(success),
        Verb::Template(args) => template::run(&args).map(success),
        Verb::Runs(args) => runs::run(&args).map(success),
        Verb::Status(args) => status::run(&args),
        Verb::Watch(args) => watch::run(&args),
        Verb::Report(args) => report::run(&args).map(success),
        Verb::Logs(args) => logs::run(&args),
        Verb::Diff(args) => diff::run(&args).map(success),
        Verb::Web(args) => web::run(&args).map(success),
        Verb::MigratePlan(args) => migrate_plan::run(&args).map(success),
        Verb::Tasks(args) => tasks::run(&args),
        Verb::Import(args) => import::run(&args).map(success),
        Verb::Fleet(args) => fleet::run(&args).map(success),
        Verb::Worker(args) => worker::run(&args).map(success),
        Verb::Restore(args) => restore::run(&args),
        Verb::Config(args) => config::run(&args).map(success),
        Verb::Principles(args) => principles::run(&args).map(success),
        Verb::Hooks(args) => hooks::run(&args),
        Verb::Trust(args) => trust::run(&args),
        Verb::Sandbox(args) => sandbox::run(&args),
        Verb::Notify(args) => notify::run(&args),
        Verb::Doctor(args) => doctor::run(&args),
        Verb::Demo(args) => demo::run(&args),
        Verb::Update(args) => update::run(&args).map(success),
        Verb::Completions(args) => completions::run(&args).map(success),
    }
}

/// The scripted agent and the processes it leaves behind. They are not part of the command line that people see, and
/// take arguments as an agent gets them, so they are recognised before it.
fn hidden_verb(arguments: &[OsString]) -> Result<Option<ExitCode>, AppError> {
    if let Some(code) = helper(arguments.iter().cloned()) {
        return Ok(Some(code));
    }
    let (Some(verb), Some(operand)) = (arguments.get(1), arguments.get(2)) else {
        return Ok(None);
    };
    let operand = operand.to_string_lossy();
    if verb == SCRIPTED_AGENT {
        let rest = arguments.get(3..).unwrap_or_default();
        let played = scripted_agent::play(&operand, rest);
        let code = played.map_err(|error| AppError::of(Kind::Configuration, error))?;
        return Ok(Some(ExitCode::from(code)));
    }
    if verb == scripted_agent::CHILD_VERB {
        return Ok(Some(ExitCode::from(scripted_agent::obey(&operand))));
    }
    Ok(None)
}

/// Would this verb change anything on this machine?
fn changes_something(verb: &Verb) -> bool {
    match verb {
        Verb::Run(args) => !args.work.dry_run,
        Verb::Plan(args) => !args.work.dry_run,
        Verb::Build(args) => !args.work.dry_run,
        Verb::Pipeline(args) => args.verb.is_none() && !args.work.dry_run,
        Verb::Import(args) => !args.dry_run,
        Verb::MigratePlan(args) => !args.dry_run,
        Verb::Verify(args) => args.plan.is_none(),
        Verb::Archive(args) => args.verb.changes_something(),
        Verb::Template(args) => args.verb.changes_something(),
        Verb::Sandbox(args) => args.verb.is_some(),
        Verb::Worktree(args) => args.verb.changes_something(),
        Verb::Tasks(args) => matches!(&args.verb, Some(verb) if verb.changes_something()),
        Verb::Continue(args) => args.what.is_some(),
        Verb::Update(args) => !args.check,
        Verb::Resume(_)
        | Verb::Stop(_)
        | Verb::Restore(_)
        | Verb::Worker(_)
        | Verb::Demo(_)
        | Verb::Init(_)
        | Verb::Setup(_)
        | Verb::Edit(_)
        | Verb::Validate(_)
        | Verb::Notify(_)
        | Verb::Reset(_)
        | Verb::Clean(_)
        // It may act, and it lets in.
        | Verb::Web(_) => true,
        Verb::List(_)
        | Verb::Show(_)
        | Verb::Runs(_)
        | Verb::Status(_)
        | Verb::Watch(_)
        | Verb::Report(_)
        | Verb::Logs(_)
        | Verb::Diff(_)
        | Verb::Doctor(_)
        | Verb::Completions(_) => false,
        Verb::Trust(args) => !(args.list || args.json),
        Verb::Principles(args) => args.verb.as_ref().is_some_and(PrinciplesVerb::changes_something),
        Verb::Fleet(args) => args.verb.changes_something(),
        Verb::Hooks(args) => matches!(args.verb, HooksVerb::Test { .. }),
        Verb::Config(args) => matches!(args.verb, ConfigVerb::Set(_) | ConfigVerb::Unset(_)),
    }
}

fn enter(directory: &Path) -> Result<(), AppError> {
    env::set_current_dir(directory).map_err(|error| {
        let gone = path::absolute(directory).ok().filter(|_| error.kind() == io::ErrorKind::NotFound);
        AppError::usage(format!("cannot work in {}: {error}", directory.display()))
            .with_hints(gone.and_then(|gone| ways_to_runs_of(&gone)))
    })
}

/// What is asked at this terminal goes through it.
fn app() -> Result<App, AppError> {
    App::here(Arc::new(TerminalFront::new(false)))
}

/// A path for people: from the current directory, where it is below that.
fn from_here(path: &Path) -> String {
    // outside: where a person is.
    let here = env::current_dir().and_then(|directory| directory.canonicalize()).ok();
    let below = here.as_deref().and_then(|here| path.strip_prefix(here).ok());
    one_line(&below.unwrap_or(path).display().to_string())
}

/// Standard output, for people.
fn stdout() -> Terminal {
    Terminal::detect(Stream::Stdout, Glyphs::Unicode)
}

/// Prints lines on standard output.
fn print_lines(lines: &[Line]) -> Result<(), AppError> {
    let terminal = stdout();
    let text: Vec<String> = lines.iter().map(|line| format!("{}\n", line.render(&terminal))).collect();
    print(&text.concat())
}

/// What was done, with its mark.
fn done(sentence: &str) -> Line {
    Line::hanging(2).mark(Tone::Good, Mark::Passed).plain(format!(" {sentence}"))
}

/// What a person should see among what was done.
fn notice(sentence: &str) -> Line {
    Line::hanging(4).plain("  ").mark(Tone::Warn, Mark::Notice).plain(format!(" {}", one_line(sentence)))
}

/// A verb whose only exit code of its own is that it was done.
const fn success((): ()) -> ExitCode {
    ExitCode::SUCCESS
}

/// A person who was asked did not want it.
fn nothing_deleted() -> Result<(), AppError> {
    print_lines(&[Line::new().dim("nothing was deleted")])
}

/// What a verb prints.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shape {
    /// Lines for people.
    Text,
    /// One JSON document.
    Json,
}

impl Shape {
    const fn of(json: bool) -> Shape {
        if json { Shape::Json } else { Shape::Text }
    }

    /// Prints the document in it.
    fn print(self, json: impl FnOnce() -> Vec<u8>, text: impl FnOnce() -> String) -> Result<(), AppError> {
        match self {
            Shape::Json => print_bytes(&json()),
            Shape::Text => print(&text()),
        }
    }
}

/// Says on standard error what is odd but keeps nothing from being done.
fn warn(text: &str) {
    // Where standard error is closed nobody is there to be told.
    let _ = io::stderr()
        .write_all(render_warning(text, &Terminal::detect(Stream::Stderr, Glyphs::Unicode)).as_bytes());
}

/// Prints a result on standard output. A reader that has seen enough (`| head`) is not an error.
fn print(text: &str) -> Result<(), AppError> {
    print_bytes(text.as_bytes())
}

/// The same with bytes.
fn print_bytes(bytes: &[u8]) -> Result<(), AppError> {
    let mut out = io::stdout().lock();
    match out.write_all(bytes).and_then(|()| out.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(unwritten(&error)),
        _ => Ok(()),
    }
}

/// A result is lost.
fn unwritten(error: &io::Error) -> AppError {
    AppError::new(Kind::System, format!("cannot write to standard output: {error}"))
}
