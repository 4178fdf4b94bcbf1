//! The image of a project's containers: its Dockerfile written, and the image made.

use std::collections::BTreeSet;
use std::path::PathBuf;

use windlass_core::config::Layer;
use windlass_core::spec::Preset;
use windlass_core::values::{Ended, Named};
use windlass_engine::sandbox::container::image::{
    DEVCONTAINER, DOCKERFILE, Recipe, detect, devcontainer, dockerfile, write,
};
use windlass_engine::sandbox::container::{Builder, Engine};
use windlass_engine::trust::IMAGE;

pub use windlass_engine::sandbox::container::ImageCache;
pub use windlass_engine::sandbox::container::image::{Overwrite, Written};

use super::project::{MadeOf, Project};
use crate::app::App;
use crate::error::{AppError, Kind};
use crate::trusting::{self, Purpose, TrustAnswers};

/// Files of an image that are to be written.
#[derive(Clone, Debug)]
pub struct WriteImageFiles {
    /// Values that go before those of the environment and of all files.
    pub settings: Layer,
    /// A `devcontainer.json` as well.
    pub devcontainer: bool,
    /// What is done with a file that says something else.
    pub overwrite: Overwrite,
}

/// Files of an image that were written.
pub struct ImageFiles {
    /// Each, and what became of it.
    pub files: Vec<(PathBuf, Written)>,
    /// What is in the image beside the agent.
    pub presets: BTreeSet<Preset>,
    /// Nobody named those: the project's files speak for them.
    pub are_detected: bool,
}

impl ImageFiles {
    /// Was a file left alone that says something else?
    pub fn has_kept(&self) -> bool {
        self.files.iter().any(|(_, written)| *written == Written::Kept)
    }
}

/// An image that is about to be made.
pub struct ImageBuild {
    /// Its name.
    pub image: String,
    /// What it is made of.
    pub made_of: MadeOf,
    /// The name of the engine that makes it.
    pub engine: &'static str,
    /// It is there, up to date, and not wanted anew.
    pub is_there: bool,
    builder: Builder,
    recipe: Recipe,
    cache: ImageCache,
}

impl App {
    /// Writes the project's own Dockerfile, which is trusted then.
    pub fn write_image_files(&self, request: &WriteImageFiles) -> Result<ImageFiles, AppError> {
        let project = Project::find(self, request.settings.clone())?;
        let settings = project.settings();
        let are_detected = settings.presets.is_empty();
        let presets = if are_detected { detect(&project.folder) } else { settings.presets.clone() };
        let mut texts = vec![(DOCKERFILE, dockerfile(&presets, settings.setup_script.as_deref()))];
        if request.devcontainer {
            texts.push((DEVCONTAINER, devcontainer(DOCKERFILE)));
        }
        let mut files = Vec::new();
        for (name, text) in texts {
            let path = project.folder.join(name);
            let written = write(&path, text.as_bytes(), request.overwrite).map_err(AppError::system)?;
            if name == DOCKERFILE && written != Written::Kept {
                trusting::trust_files(&project.here()?, |item| item.key == IMAGE)?;
            }
            files.push((path, written));
        }
        Ok(ImageFiles { files, presets, are_detected })
    }

    /// The image of the project, ready to be made.
    ///
    /// # Errors
    /// What it is made of is not trusted, or cannot be read; no engine works here.
    pub fn image_build(
        &self,
        engine: Option<&str>,
        cache: ImageCache,
        trust: &TrustAnswers,
    ) -> Result<ImageBuild, AppError> {
        let project = Project::find(self, Layer::default())?;
        let recipe = project.recipe()?;
        project.require_trust(Purpose::Image, trust)?;
        let image = recipe.image();
        let builder = builder(engine, &project)?;
        let has = || builder.has(&image).map_err(|why| AppError::new(Kind::System, why));
        Ok(ImageBuild {
            is_there: cache == ImageCache::Used && has()?,
            made_of: recipe.written.clone().into(),
            engine: builder.engine().name(),
            cache,
            image,
            builder,
            recipe,
        })
    }
}

impl ImageBuild {
    /// Makes it; what the engine prints goes to the standard streams of this process.
    pub fn build(&self) -> Result<(), AppError> {
        let engine = self.engine;
        let problem = match self.builder.build(&self.recipe, self.cache).map_err(AppError::system)? {
            Ended::Exited(0) => return Ok(()),
            Ended::Exited(code) => {
                format!("{engine} could not make the image (exit code {code}); what it said is above")
            }
            Ended::Signalled(_) | Ended::Lost => format!("{engine} was ended before the image was made"),
        };
        Err(AppError::new(Kind::System, problem))
    }
}

/// Who makes it: as said, as configured, or the first that works.
fn builder(named: Option<&str>, project: &Project) -> Result<Builder, AppError> {
    let named = match named {
        Some("docker") => Some(Engine::Docker),
        Some("podman") => Some(Engine::Podman),
        Some(other) => {
            return Err(AppError::usage(format!("`{other}` makes no images; --engine is docker or podman")));
        }
        None => Engine::of(&project.settings().kind).map(|(engine, _)| engine),
    };
    let wanted = named.map_or(vec![Engine::Docker, Engine::Podman], |engine| vec![engine]);
    let mut refused = Vec::new();
    for engine in wanted {
        match Builder::find(engine) {
            Ok(builder) => return Ok(builder),
            Err(why) => refused.push(why),
        }
    }
    let error = AppError::new(Kind::Configuration, format!("no image can be made: {}", refused.join("; ")));
    Err(error.hint("A sandbox without containers needs none: --sandbox bwrap"))
}
