//! `sandbox`: what locks agents in here, and the image of a project's containers.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::ExitCode;

use windlass_app::AppError;
use windlass_app::sandbox::{
    ImageCache, ImageFiles, MadeOf, Overwrite, Probe, SandboxOverview, UsedImage, WriteImageFiles, Written,
};
use windlass_core::config::{Layer, keys};
use windlass_core::spec::{Preset, SandboxKind};
use windlass_core::values::{Ended, Named};
use windlass_ui::{Line, Mark, Tone};

use super::{app, done, from_here, print_lines, success};
use crate::args::{SandboxArgs, SandboxBuildArgs, SandboxInitArgs, SandboxShellArgs, SandboxVerb};

/// Does it.
pub fn run(args: &SandboxArgs) -> Result<ExitCode, AppError> {
    match &args.verb {
        None => print_lines(&overview(&app()?.sandboxes()?)).map(success),
        Some(SandboxVerb::Init(args)) => init(args),
        Some(SandboxVerb::Build(args)) => build(args).map(success),
        Some(SandboxVerb::Shell(args)) => shell(args),
    }
}

fn overview(found: &SandboxOverview) -> Vec<Line> {
    let mut lines: Vec<Line> = found.probes.iter().map(row).collect();
    lines.push(Line::new());
    lines.push(labelled("used here", found.used.name()).dim(format!(" ({})", found.origin)));
    lines.extend(found.image.iter().flat_map(image));
    if found.used == SandboxKind::None {
        lines.push(Line::new().dim("  next       ").command("windlass config set sandbox.kind bwrap"));
    }
    lines
}

fn row(probe: &Probe) -> Line {
    let name = format!(" {:<10}", probe.kind.name());
    let line = Line::hanging(12);
    match &probe.works {
        Ok(less) if less.is_empty() => line.mark(Tone::Good, Mark::Passed).plain(name).plain("works"),
        Ok(less) => {
            line.mark(Tone::Warn, Mark::Notice).plain(name).plain(format!("works, but {}", less.join("; ")))
        }
        Err(why) => line.mark(Tone::Bad, Mark::Failed).plain(name).plain(why),
    }
}

/// The image that would be used, and whether it is there.
fn image(image: &UsedImage) -> Vec<Line> {
    let mut lines = vec![labelled("image", &image.name)];
    lines.extend(made_of(&image.made_of, "generated"));
    lines.extend(
        image
            .problem
            .as_ref()
            .map(|why| Line::hanging(13).plain("  ").mark(Tone::Warn, Mark::Notice).plain(format!(" {why}"))),
    );
    lines
}

fn made_of(what: &MadeOf, generated: &str) -> Option<Line> {
    match what {
        MadeOf::Named => None,
        MadeOf::Dockerfile(path) => Some(labelled("made of", &from_here(path))),
        MadeOf::Generated => {
            Some(labelled("made of", &format!("{generated}; `windlass sandbox init` writes it")))
        }
    }
}

fn labelled(label: &str, text: &str) -> Line {
    Line::hanging(13).dim(format!("  {label:<11}")).plain(text)
}

/// `sandbox init`: the project's own Dockerfile. Exit 1 where a file was left alone.
fn init(args: &SandboxInitArgs) -> Result<ExitCode, AppError> {
    let mut settings = Layer::default();
    if !args.preset.is_empty() {
        let names: Vec<String> =
            args.preset.iter().flat_map(|text| text.split(',')).map(|name| name.trim().to_owned()).collect();
        settings.flag_list(&keys::SANDBOX_PRESETS, "--preset", &names)?;
    }
    let files = app()?.write_image_files(&WriteImageFiles {
        settings,
        devcontainer: args.devcontainer,
        overwrite: if args.force { Overwrite::WithBackup } else { Overwrite::Never },
    })?;
    print_lines(&written_files(&files))?;
    Ok(if files.has_kept() { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

fn written_files(files: &ImageFiles) -> Vec<Line> {
    let mut lines: Vec<Line> = files.files.iter().flat_map(|(path, written)| said(path, written)).collect();
    let why = if files.are_detected { ", as the project's files speak for" } else { "" };
    let holds = format!("the agent, {}{why}", named(&files.presets));
    lines.push(Line::hanging(11).dim("  holds    ").plain(holds));
    lines.push(if files.has_kept() {
        Line::new().dim("  replace  ").command("windlass sandbox init --force")
    } else {
        Line::new().dim("  next     ").command("windlass sandbox build")
    });
    lines
}

fn named(presets: &BTreeSet<Preset>) -> String {
    let names: Vec<&str> = presets.iter().map(Named::name).collect();
    if names.is_empty() { "git and node".to_owned() } else { format!("git, {}", names.join(", ")) }
}

fn said(path: &Path, written: &Written) -> Vec<Line> {
    let shown = from_here(path);
    match written {
        Written::Anew => vec![done(&format!("{shown} is written"))],
        Written::Same => vec![done(&format!("{shown} is as it should be"))],
        Written::Replaced(backup) => vec![
            done(&format!("{shown} is replaced")),
            Line::hanging(11).dim("  before   ").plain(from_here(backup)),
        ],
        Written::Kept => vec![
            Line::hanging(2)
                .mark(Tone::Warn, Mark::Notice)
                .plain(format!(" {shown} is there and says something else; it is left alone")),
        ],
    }
}

/// `sandbox build`: the project's image; what the engine prints is shown as it comes.
fn build(args: &SandboxBuildArgs) -> Result<(), AppError> {
    let cache = if args.anew { ImageCache::Ignored } else { ImageCache::Used };
    let build = app()?.image_build(args.engine.as_deref(), cache, &(&args.trust).into())?;
    let image = &build.image;
    let what = if build.is_there {
        "is there, and up to date"
    } else {
        let mut lines = vec![labelled("image", image)];
        lines.extend(made_of(&build.made_of, "a generated Dockerfile"));
        lines.push(labelled("by", build.engine));
        print_lines(&lines)?;
        build.build()?;
        "is made"
    };
    let next = format!("windlass run --sandbox {} …", build.engine);
    print_lines(&[done(&format!("{image} {what}")), Line::new().dim("  next       ").command(next)])
}

/// `sandbox shell`: a person where an agent would work. The exit code is that of what ran inside.
fn shell(args: &SandboxShellArgs) -> Result<ExitCode, AppError> {
    let mut settings = Layer::default();
    if let Some(kind) = &args.sandbox {
        settings.flag(&keys::SANDBOX_KIND, "--sandbox", kind)?;
    }
    if let Some(network) = &args.network {
        settings.flag(&keys::SANDBOX_NETWORK, "--network", network)?;
    }
    Ok(ExitCode::from(match app()?.enter_sandbox(settings, &args.command, &(&args.trust).into())? {
        Ended::Exited(code) => u8::try_from(code).unwrap_or(1),
        Ended::Signalled(signal) => u8::try_from(128 + signal).unwrap_or(1),
        Ended::Lost => 1,
    }))
}
