//! `init` without a name: the project's own folder, and what plans begin with.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use windlass_core::config::{Layer, Resolved, Unlimited, commented_file};
use windlass_core::project::{Offer, ProjectType, offers, scaffold as texts, types};
use windlass_core::spec::Mode;
use windlass_core::values::HookName;
use windlass_engine::scaffold::{self, Appended};
use windlass_engine::workspace::{PROJECT_FOLDER, guard};
use windlass_host::file::Made;
use windlass_host::tree;
use windlass_ui::{Line, Mark, Tone, one_line};

use super::init::{guard_line, repository};
use super::print_lines;
use crate::args::InitArgs;
use crate::commands::app;
use crate::commands::from_here;
use windlass_app::beginning;
use windlass_app::configuration::Configuration;
use windlass_app::workspaces::Project;
use windlass_app::{AppError, Kind};

/// Does it.
pub fn run(args: &InitArgs) -> Result<ExitCode, AppError> {
    let project = Project::find(&app()?)?;
    let root = project.workspaces.project().to_owned();
    if args.repository.git {
        beginning::make_repository(&app()?, &root)?;
    }
    // The guard needs the repository that was made.
    let project = if args.repository.git { Project::find(&app()?)? } else { project };
    let ignored = args.repository.gitignore.then(|| beginning::add_missing(&root)).transpose()?;
    let clues = scaffold::clues(&root);
    let offered = offers(&clues);
    // Asked first, so that nothing is made where it has to be refused.
    let planned = args.plan.then(|| resolved(&root)).transpose()?;
    let guarded =
        args.pre_commit_guard.then(|| guard::install(repository(&project.here)?).map_err(AppError::from));
    let guarded = guarded.transpose()?;
    let commands: Vec<&str> = offered.iter().map(|offer| offer.command).collect();
    let done = project.workspaces.make_project(&commented_file(&commands)?)?;
    let (mut made, mut kept) = (named(&done.made), named(&done.kept));
    if let Some(resolved) = &planned {
        let files = scaffold::make(&root, files(resolved, &offered))
            .map_err(|error| AppError::new(Kind::System, error.to_string()))?;
        for (path, was) in files {
            let list = if was == Made::Anew { &mut made } else { &mut kept };
            list.push(path.display().to_string());
        }
    }
    // With all that was made above in it.
    let begun = if args.repository.git { beginning::begin(&root, &resolved(&root)?)? } else { None };
    let what = if made.is_empty() { "is complete; nothing was missing" } else { "is ready" };
    let shown = from_here(&root.join(PROJECT_FOLDER));
    let mut lines = vec![Line::hanging(2).mark(Tone::Good, Mark::Passed).plain(format!(" {shown} {what}"))];
    for (label, names) in [("added", &made), ("kept", &kept)] {
        if !names.is_empty() {
            lines.push(labelled(label).plain(one_line(&names.join(", "))));
        }
    }
    lines.extend(guarded.iter().map(guard_line));
    lines.extend(ignore_line(ignored.as_ref(), &root));
    lines.extend(begun.iter().map(|begun| labelled("git").plain(one_line(&beginning::sentence(begun)))));
    let names: Vec<&str> =
        types(clues.files.iter().map(String::as_str)).into_iter().map(ProjectType::name).collect();
    lines.push(labelled("project").plain(names.join(", ")));
    lines.extend(gates(&root, &commands));
    lines.extend(next(planned.as_ref(), &root));
    print_lines(&lines)?;
    Ok(ExitCode::SUCCESS)
}

/// What was added to `.gitignore`, or how what is missing there would be; only where there is a repository.
fn ignore_line(ignored: Option<&Appended>, root: &Path) -> Option<Line> {
    if let Some(ignored) = ignored {
        return Some(ignored_line(ignored));
    }
    let missing = beginning::missing(root);
    let wanted = tree::at(root).join(".git").is_taken() && !missing.is_empty();
    wanted.then(|| {
        labelled("ignore").plain(missing.join(", ")).dim("  by  ").command("windlass init --gitignore")
    })
}

/// What was added to `.gitignore`.
pub fn ignored_line(Appended { lines }: &Appended) -> Line {
    let said = if lines.is_empty() { "nothing was missing".to_owned() } else { lines.join(", ") };
    labelled("ignored").plain(said).dim("  in .gitignore")
}

/// The configuration of a project, limits not looked at.
pub fn resolved(root: &Path) -> Result<Resolved, AppError> {
    let configuration = Configuration::load(root, None, Mode::Build, Layer::default(), Unlimited::NotAsked)?;
    Ok(configuration.resolved)
}

/// What plans begin with. A plan is not among it: `windlass plan` writes it, and an empty one cannot be worked off.
fn files(resolved: &Resolved, offered: &[Offer]) -> Vec<(PathBuf, String)> {
    let mut files = Vec::new();
    if let Some(specs) = &resolved.plan.specs {
        files.push((specs.join("README.md"), texts::specs_readme(&resolved.plan.file)));
    }
    if let Some(agents) = &resolved.agents_file {
        files.push((agents.clone(), texts::agents_file(offered)));
    }
    for hook in [HookName::Started, HookName::NextIteration, HookName::Finished] {
        let path = Path::new(PROJECT_FOLDER).join("hooks").join(format!("{}.sample", hook.name()));
        files.push((path, texts::sample_hook(hook)));
    }
    files
}

fn labelled(label: &str) -> Line {
    Line::hanging(11).dim(format!("  {label:<9}"))
}

fn named(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

/// What the project can be checked with, and how that becomes a gate; not where gates are chosen already.
fn gates(root: &Path, commands: &[&str]) -> Vec<Line> {
    let Some(first) = commands.first() else { return Vec::new() };
    if resolved(root).is_ok_and(|resolved| !resolved.checks.is_empty()) {
        return Vec::new();
    }
    let set = format!("windlass config set gates.commands --add '{first}'");
    vec![labelled("checks").plain(commands.join(", ")), labelled("").dim("as gates  ").command(set)]
}

fn next(planned: Option<&Resolved>, root: &Path) -> Vec<Line> {
    let Some(resolved) = planned else {
        return vec![labelled("next").command("windlass init NAME").dim("  makes a workspace")];
    };
    let folder = resolved.plan.folder.as_ref().map(|folder| folder.join("README.md"));
    let has_plan =
        folder.iter().chain([&resolved.plan.file]).any(|plan| tree::at(root).join(plan).is_taken());
    let mut lines = Vec::new();
    if let Some(specs) = resolved.plan.specs.as_ref().filter(|_| !has_plan) {
        let specs = format!("{}/", one_line(&specs.display().to_string()));
        lines.push(labelled("next").plain("write what is wanted into ").plain(specs));
        lines.push(labelled("then").command("windlass plan").dim("  then ").command("windlass build"));
    } else {
        let verb = if has_plan { "windlass build" } else { "windlass plan" };
        lines.push(labelled("next").command(verb));
    }
    lines
}
