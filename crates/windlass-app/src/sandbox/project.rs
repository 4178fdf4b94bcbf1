//! What configuration says about the sandbox of a project, and which kinds work here.

use std::path::PathBuf;

use windlass_core::config::{Layer, Origin, Resolved, SandboxSettings, Unlimited, keys};
use windlass_core::spec::{Mode, SandboxKind};
use windlass_engine::sandbox::container::image::Recipe;
use windlass_engine::workspace::project_folder;

pub use windlass_engine::sandbox::{Probe, probe};

use super::with_image;
use crate::app::App;
use crate::configuration::Configuration;
use crate::error::{AppError, Kind};
use crate::here::Here;
use crate::trusting::{self, Asked, Purpose, TrustAnswers};

/// The sandboxes of this machine, and that of a project.
pub struct SandboxOverview {
    /// Each kind, tried.
    pub probes: Vec<Probe>,
    /// The one that is used here, with the image of the project.
    pub used: SandboxKind,
    /// Who says so.
    pub origin: Origin,
    /// Its image, where it has one.
    pub image: Option<UsedImage>,
}

/// The image of a project's containers.
pub struct UsedImage {
    /// Its name.
    pub name: String,
    /// What it is made of.
    pub made_of: MadeOf,
    /// Why it cannot be used.
    pub problem: Option<String>,
}

/// What an image is made of.
pub enum MadeOf {
    /// It is somebody else's: the configuration names it.
    Named,
    /// The project's own Dockerfile.
    Dockerfile(PathBuf),
    /// A generated Dockerfile.
    Generated,
}

impl From<Option<PathBuf>> for MadeOf {
    fn from(written: Option<PathBuf>) -> MadeOf {
        written.map_or(MadeOf::Generated, MadeOf::Dockerfile)
    }
}

impl App {
    /// Which sandboxes work on this machine, and which one is used here.
    pub fn sandboxes(&self) -> Result<SandboxOverview, AppError> {
        let project = Project::find(self, Layer::default())?;
        let settings = project.settings();
        let used = with_image(&project.folder, settings.kind.clone(), settings);
        let kinds =
            [SandboxKind::Bwrap, SandboxKind::Landlock, SandboxKind::Docker(None), SandboxKind::Podman(None)];
        Ok(SandboxOverview {
            probes: kinds.iter().map(probe).collect(),
            origin: project.resolved().origin(&keys::SANDBOX_KIND).clone(),
            image: project.image(&used)?,
            used,
        })
    }
}

/// A project, and what configuration says about its sandbox.
pub(super) struct Project {
    app: App,
    /// Whose `.windlass` folder counts.
    pub folder: PathBuf,
    configuration: Configuration,
}

impl Project {
    pub fn find(app: &App, flags: Layer) -> Result<Project, AppError> {
        let directory = app.directory();
        let configuration = Configuration::load(directory, None, Mode::Goal, flags, Unlimited::NotAsked)?;
        Ok(Project { app: app.clone(), folder: project_folder(directory), configuration })
    }

    pub fn here(&self) -> Result<Here, AppError> {
        Here::find(&self.app)
    }

    pub const fn resolved(&self) -> &Resolved {
        &self.configuration.resolved
    }

    pub const fn settings(&self) -> &SandboxSettings {
        &self.configuration.resolved.sandbox
    }

    /// Makes sure that what is about to be started is trusted.
    pub fn require_trust(&self, purpose: Purpose, answers: &TrustAnswers) -> Result<(), AppError> {
        let (here, configuration) = (&self.here()?, &self.configuration);
        trusting::require(&Asked { here, configuration, purpose, reader: None, answers }).map(drop)
    }

    /// What the project's image is made of.
    pub fn recipe(&self) -> Result<Recipe, AppError> {
        let settings = self.settings();
        Recipe::read(&self.folder, &settings.presets, settings.setup_script.as_deref())
            .map_err(|error| AppError::of(Kind::Configuration, error))
    }

    /// The image that would be used, and whether it is there.
    fn image(&self, used: &SandboxKind) -> Result<Option<UsedImage>, AppError> {
        let name = match used {
            SandboxKind::Docker(Some(image)) | SandboxKind::Podman(Some(image)) => image.clone(),
            // Said by the recipe.
            SandboxKind::Docker(None) | SandboxKind::Podman(None) => return self.recipe().map(|_| None),
            _ => return Ok(None),
        };
        let is_named = self.settings().kind == *used;
        let made_of = if is_named { MadeOf::Named } else { self.recipe()?.written.into() };
        Ok(Some(UsedImage { name, made_of, problem: probe(used).works.err() }))
    }
}
