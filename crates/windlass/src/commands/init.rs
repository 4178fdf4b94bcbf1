//! `init NAME`: makes a workspace, or adopts one that is there.

use std::process::ExitCode;

use windlass_core::config::{ConfigError, FileKind, Layer, Resolved, Unlimited, keys};
use windlass_core::spec::Mode;
use windlass_core::workspace::{OptionValue, WorkspaceName, options_text};
use windlass_engine::workspace::create::{Created, Creation};
use windlass_engine::workspace::{CONFIG_FILE, guard};
use windlass_git::git::Repository;
use windlass_host::file::Made;
use windlass_ui::{Line, Mark, Tone, one_line};

use super::{init_project, init_tasks, print_lines, warn};
use crate::args::{InitArgs, WorkspaceMode};
use crate::commands::app;
use crate::commands::from_here;
use windlass_app::AppError;
use windlass_app::here::Here;
use windlass_app::trusting;
use windlass_app::workspaces::Project;

/// Does it.
pub fn run(args: &InitArgs) -> Result<ExitCode, AppError> {
    if args.task_file.tasks {
        return init_tasks::run(args);
    }
    if args.task_file.trust.is_given() {
        return Err(AppError::usage("--trust and --no-claude-settings are for a session with the agent")
            .hint("There is one with a task file: windlass init --tasks"));
    }
    let Some(name) = &args.name else {
        return init_project::run(args);
    };
    let name = WorkspaceName::parse(name).map_err(|error| AppError::usage(error.to_string()))?;
    let mode = args.mode.map(mode);
    let creation = Creation { mode, options: options(args, mode.unwrap_or(Mode::Loop))? };
    let project = Project::find(&app()?)?;
    // Asked first, so that nothing is made where it has to be refused.
    let guarded =
        args.pre_commit_guard.then(|| guard::install(repository(&project.here)?).map_err(AppError::from));
    let guarded = guarded.transpose()?;
    let created = project.workspaces.create(&name, &project.here.project, &creation)?;
    if let Some(mended) = &created.mended {
        warn(&mended.sentence(&created.workspace.metadata_file()));
    }
    let options = options_text(&creation.options);
    let file = created.workspace.folder().join(CONFIG_FILE);
    trusting::trust_text(&project.here, FileKind::Workspace, &file, &options)?;
    let mut lines = said(&created);
    lines.extend(guarded.iter().map(guard_line));
    lines.extend(next(&created));
    print_lines(&lines)?;
    Ok(ExitCode::SUCCESS)
}

const fn mode(mode: WorkspaceMode) -> Mode {
    match mode {
        WorkspaceMode::Loop => Mode::Loop,
        WorkspaceMode::Iterative => Mode::Iterative,
    }
}

/// The repository that a guard is for.
pub fn repository(here: &Here) -> Result<&Repository, AppError> {
    here.repository.as_ref().ok_or_else(|| {
        AppError::usage(format!(
            "{} is in no git repository, so there is no commit to guard",
            here.directory.display()
        ))
    })
}

/// The options that were given, each checked by the rule of its key.
fn options(args: &InitArgs, mode: Mode) -> Result<Vec<(&'static str, OptionValue)>, AppError> {
    let mut layer = Layer::default();
    let mut problems = Vec::new();
    let mut note =
        |result: Result<(), ConfigError>| problems.extend(result.err().map(|error| error.problems));
    if let Some(text) = &args.max_iterations {
        note(layer.flag(&keys::MAX_ITERATIONS, "--max-iterations", text));
    }
    if let Some(text) = &args.delay {
        note(layer.flag(&keys::DELAY, "--delay", text));
    }
    if let Some(text) = &args.stagnation_threshold {
        note(layer.flag(&keys::STAGNATION_THRESHOLD, "--stagnation-threshold", text));
    }
    if let Some(text) = &args.notify_url {
        note(layer.flag(&keys::NOTIFY_URL, "--notify-url", text));
    }
    if let Some(text) = &args.notify_events {
        let names: Vec<String> = text.split(',').map(|name| name.trim().to_owned()).collect();
        note(layer.flag_list(&keys::NOTIFY_EVENTS, "--notify-events", &names));
    }
    let problems: Vec<String> = problems.into_iter().flatten().collect();
    if !problems.is_empty() {
        return Err(ConfigError { problems }.into());
    }
    // A limit of 0 goes only with another one.
    Resolved::merge(std::slice::from_ref(&layer), mode, Unlimited::Refused)?;
    Ok(layer.values().map(|(key, value)| (key, plain(value))).collect())
}

/// A number is written as one: `--delay 0` becomes `delay = 0`.
fn plain(value: &OptionValue) -> OptionValue {
    value
        .as_str()
        .and_then(|text| text.trim().parse().ok())
        .map_or_else(|| value.clone(), OptionValue::Integer)
}

fn said(created: &Created) -> Vec<Line> {
    let name = created.workspace.name();
    let done = match (created.folder, created.made.is_empty()) {
        (Made::Anew, _) => format!(" workspace {name} is made"),
        (Made::WasThere, false) => format!(" workspace {name} is adopted"),
        (Made::WasThere, true) => format!(" workspace {name} is complete; nothing was missing"),
    };
    let line = Line::hanging(2).mark(Tone::Good, Mark::Passed).plain(done);
    let mut lines = vec![line.dim(format!(" · {}", created.mode.name()))];
    lines.push(labelled("in", &from_here(created.workspace.folder())));
    if created.folder == Made::WasThere {
        lines.extend(listed("added", &created.made));
        lines.extend(listed("kept", &created.kept));
    }
    lines.extend(listed("options", &created.adopted).map(|line| line.dim(" taken over into config.toml")));
    lines.extend(created.left.iter().map(|sentence| notice(sentence)));
    lines.extend(
        created.former_mode.map(|former| {
            notice(&format!("the mode was {}; it is {} now", former.name(), created.mode.name()))
        }),
    );
    lines
}

fn next(created: &Created) -> Vec<Line> {
    let name = created.workspace.name();
    let may = "the agent edits the project's files and runs gates and what `permissions.allow` names; whatever else it \
               tries is refused, and listed after each iteration";
    let mut lines = vec![Line::hanging(11).dim("  allowed  ").plain(may)];
    if created.workspace.has_instructions() {
        lines.push(Line::new().dim("  next     ").command(format!("windlass run {name}")));
    } else {
        lines.push(Line::new().dim("  next     ").command(format!("windlass setup {name}")));
        let path = from_here(&created.workspace.instructions());
        lines.push(Line::new().dim("  or write ").plain(path));
    }
    lines
}

/// What became of the guard.
pub fn guard_line(guard: &guard::Guard) -> Line {
    let done = if guard.changed { "made" } else { "there already" };
    Line::hanging(4)
        .plain("  ")
        .mark(Tone::Good, Mark::Passed)
        .plain(format!(" the pre-commit guard is {done}"))
        .dim(format!(": {}", from_here(&guard.path)))
}

fn labelled(label: &str, text: &str) -> Line {
    Line::new().dim(format!("  {label:<9}")).plain(one_line(text))
}

fn listed(label: &str, names: &[impl AsRef<str>]) -> Option<Line> {
    let names: Vec<&str> = names.iter().map(AsRef::as_ref).collect();
    (!names.is_empty()).then(|| labelled(label, &names.join(", ")).wrapping(11))
}

fn notice(sentence: &str) -> Line {
    Line::hanging(4).plain("  ").mark(Tone::Warn, Mark::Notice).plain(format!(" {}", one_line(sentence)))
}
