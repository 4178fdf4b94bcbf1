//! `sandbox`: what locks agents in here, and the image of a project's containers.

mod build;
mod init;
mod shell;

use std::path::PathBuf;
use std::process::ExitCode;

use windlass_core::config::{Layer, Resolved, Unlimited, keys};
use windlass_core::spec::{Mode, SandboxKind};
use windlass_engine::sandbox::container::image::Recipe;
use windlass_engine::sandbox::{Probe, probe};
use windlass_engine::trust::IMAGE;
use windlass_engine::workspace::project_folder;
use windlass_ui::{Line, Mark, Tone};

use super::print_lines;
use crate::args::{SandboxArgs, SandboxVerb, TrustHashArgs};
use crate::commands::app;
use crate::commands::from_here;
use windlass_app::configuration::Configuration;
use windlass_app::here::Here;
use windlass_app::sandbox as room;
use windlass_app::trusting::{self, Asked, Purpose, TrustAnswers};
use windlass_app::{AppError, Kind};

/// Does it.
pub fn run(args: &SandboxArgs) -> Result<ExitCode, AppError> {
    match &args.verb {
        None => list(),
        Some(SandboxVerb::Init(args)) => init::run(args),
        Some(SandboxVerb::Build(args)) => build::run(args),
        Some(SandboxVerb::Shell(args)) => shell::run(args),
    }
}

/// The project, and what configuration says about its sandbox.
struct Place {
    directory: PathBuf,
    /// Whose `.windlass` folder counts.
    project: PathBuf,
    configuration: Configuration,
}

impl Place {
    fn find(flags: Layer) -> Result<Place, AppError> {
        let directory = app()?.directory().to_owned();
        let configuration = Configuration::load(&directory, None, Mode::Goal, flags, Unlimited::NotAsked)?;
        Ok(Place { project: project_folder(&directory), directory, configuration })
    }

    /// What configuration says.
    const fn resolved(&self) -> &Resolved {
        &self.configuration.resolved
    }

    /// Makes sure that what is about to be started is trusted.
    fn require_trust(&self, purpose: Purpose, hash: &TrustHashArgs) -> Result<(), AppError> {
        let here = Here::at(&app()?, self.directory.clone())?;
        let answers = TrustAnswers::from(hash);
        let asked = Asked {
            here: &here,
            configuration: &self.configuration,
            purpose,
            reader: None,
            answers: &answers,
        };
        trusting::require(&asked).map(drop)
    }

    /// Records that a person had windlass write the Dockerfile.
    fn trust_image(&self) -> Result<(), AppError> {
        let here = Here::at(&app()?, self.directory.clone())?;
        trusting::trust_files(&here, |item| item.key == IMAGE)
    }

    /// What the project's image is made of.
    fn recipe(&self) -> Result<Recipe, AppError> {
        let settings = &self.resolved().sandbox;
        Recipe::read(&self.project, &settings.presets, settings.setup_script.as_deref())
            .map_err(|error| AppError::new(Kind::Configuration, error.to_string()))
    }
}

fn list() -> Result<ExitCode, AppError> {
    let place = Place::find(Layer::default())?;
    let configured =
        room::with_image(&place.project, place.resolved().sandbox.kind.clone(), &place.resolved().sandbox);
    let kinds =
        [SandboxKind::Bwrap, SandboxKind::Landlock, SandboxKind::Docker(None), SandboxKind::Podman(None)];
    let mut lines: Vec<Line> = kinds.iter().map(|kind| row(&probe(kind))).collect();
    lines.push(Line::new());
    let origin = place.resolved().origin(&keys::SANDBOX_KIND);
    lines.push(labelled("used here", configured.name()).dim(format!(" ({origin})")));
    if let SandboxKind::Docker(_) | SandboxKind::Podman(_) = configured {
        lines.extend(image(&place, &configured)?);
    } else if configured == SandboxKind::None {
        lines.push(Line::new().dim("  next       ").command("windlass config set sandbox.kind bwrap"));
    }
    print_lines(&lines)?;
    Ok(ExitCode::SUCCESS)
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
fn image(place: &Place, kind: &SandboxKind) -> Result<Vec<Line>, AppError> {
    let (SandboxKind::Docker(Some(image)) | SandboxKind::Podman(Some(image))) = kind else {
        // Said by the recipe.
        return place.recipe().map(|_| Vec::new());
    };
    let mut lines = vec![labelled("image", image)];
    if place.resolved().sandbox.kind != *kind {
        let written = place.recipe()?.written;
        let of =
            written.map_or("generated; windlass sandbox init writes it".to_owned(), |path| from_here(&path));
        lines.push(labelled("made of", &of));
    }
    if let Err(why) = probe(kind).works {
        lines.push(Line::hanging(13).plain("  ").mark(Tone::Warn, Mark::Notice).plain(format!(" {why}")));
    }
    Ok(lines)
}

fn labelled(label: &str, text: &str) -> Line {
    Line::hanging(13).dim(format!("  {label:<11}")).plain(text)
}
