//! Making a project's image.

use windlass_core::spec::SandboxKind;
use windlass_core::values::Ended;

use super::client::{Client, Engine};
use super::image::Recipe;
use super::{reach, trial};
use windlass_host::file::FileError;
use windlass_host::process::ProcessError;

/// An engine that can make images here.
#[derive(Clone, Debug)]
pub struct Builder {
    client: Client,
}

/// What an engine kept of earlier times.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ImageCache {
    /// It is used.
    Used,
    /// It is not, and the base image is fetched again.
    Ignored,
}

impl From<bool> for ImageCache {
    /// Of a switch that says that all is to be made anew.
    fn from(anew: bool) -> ImageCache {
        if anew { ImageCache::Ignored } else { ImageCache::Used }
    }
}

/// Why an image was not made.
#[derive(Debug, thiserror::Error)]
pub enum BuildError {
    /// What it is made of could not be written.
    #[error(transparent)]
    File(#[from] FileError),
    /// The engine could not be started.
    #[error(transparent)]
    Process(#[from] ProcessError),
}

impl Builder {
    /// The engine, where it answers.
    pub fn find(engine: Engine) -> Result<Builder, String> {
        let kind = match engine {
            Engine::Docker => SandboxKind::Docker(None),
            Engine::Podman => SandboxKind::Podman(None),
        };
        reach(&kind).map(|(client, _)| Builder { client })
    }

    /// Which.
    pub const fn engine(&self) -> Engine {
        self.client.engine
    }

    /// Is the image there?
    pub fn has(&self, image: &str) -> Result<bool, String> {
        trial::has_image(&self.client, image).map_err(|error| error.to_string())
    }

    /// Makes it, with our own standard streams; says how the engine ended. Ctrl-C ends it.
    pub fn build(&self, recipe: &Recipe, kept: ImageCache) -> Result<Ended, BuildError> {
        let context = recipe.context()?;
        let mut arguments = vec!["build".into(), "--tag".into(), recipe.image().into()];
        if kept == ImageCache::Ignored {
            arguments.extend(["--no-cache".into(), "--pull".into()]);
        }
        arguments.extend(["--file".into(), context.dockerfile().into_os_string()]);
        arguments.push(context.files().into_os_string());
        let handed_back = self.client.command(&arguments).with_terminal()?;
        Ok(handed_back.ended)
    }
}
