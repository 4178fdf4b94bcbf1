//! The image that a project's containers are made from, when none is named.
//!
//! It is made of a Dockerfile (the project's own, or one that is generated) and a setup script; its name is their digest,
//! so that an image is what is written down, and one that is out of date is never taken for it.

mod detect;
mod devcontainer;
mod dockerfile;
mod files;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};
use tempfile::TempDir;
use windlass_core::hexadecimal;
use windlass_core::spec::Preset;

pub use detect::detect;
pub use devcontainer::{DEVCONTAINER, devcontainer};
pub use dockerfile::dockerfile;
pub use files::{Overwrite, Written, write};

use windlass_host::file::{AtPath, FileError};
use windlass_host::tree::at;

/// Where a project's own Dockerfile lies, relative to it.
pub const DOCKERFILE: &str = ".windlass/sandbox/Dockerfile";

/// The name of every image that is made here; the tag behind it is a digest.
const NAME: &str = "localhost/windlass-sandbox";

/// Digits of the digest that are in the tag: 64 bits, short enough to be read.
const TAG_DIGITS: usize = 16;

/// Neither file is ever this large, in bytes.
const LONGEST: usize = 1024 * 1024;

/// Is it the name of an image that is made here?
pub fn is_ours(image: &str) -> bool {
    image.strip_prefix(NAME).is_some_and(|rest| rest.starts_with(':'))
}

/// What an image is made of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recipe {
    /// The Dockerfile.
    pub dockerfile: Vec<u8>,
    /// Where it was read; `None` where it was generated.
    pub written: Option<PathBuf>,
    /// The setup script: relative to the project, and what is in it.
    pub script: Option<(PathBuf, Vec<u8>)>,
}

/// Why there is no recipe.
#[derive(Debug, thiserror::Error)]
pub enum RecipeError {
    /// A file cannot be read.
    #[error(transparent)]
    File(#[from] FileError),
    /// A file is too long.
    #[error("{} is larger than a mebibyte", .0.display())]
    TooLong(PathBuf),
    /// The script is not there.
    #[error("the setup script {} (sandbox.setup_script) is not there", .0.display())]
    NoScript(PathBuf),
    /// The script is a link that leads out of the project.
    #[error("the setup script {} (sandbox.setup_script) lies outside the project", .0.display())]
    ScriptOutside(PathBuf),
}

impl Recipe {
    /// What the project's image is made of: its own Dockerfile where there is one, otherwise one for these tools.
    ///
    /// `setup_script` is relative to the project.
    ///
    /// # Errors
    /// A file cannot be read, is too long, missing, or outside the project.
    pub fn read(
        project: &Path,
        presets: &BTreeSet<Preset>,
        setup_script: Option<&Path>,
    ) -> Result<Recipe, RecipeError> {
        let own = project.join(DOCKERFILE);
        let script = setup_script.map(|script| read_script(project, script)).transpose()?;
        Ok(match bounded(&own)? {
            Some(bytes) => Recipe { dockerfile: bytes, written: Some(own), script },
            None => {
                Recipe { dockerfile: dockerfile(presets, setup_script).into_bytes(), written: None, script }
            }
        })
    }

    /// The image's name: the same for the same content, on every machine and with every version.
    pub fn image(&self) -> String {
        let mut hash = Sha256::new();
        // Lengths go first, so that nothing can move from one part to the next.
        let mut part = |bytes: &[u8]| {
            hash.update((bytes.len() as u64).to_le_bytes());
            hash.update(bytes);
        };
        part(b"windlass sandbox 1");
        part(&self.dockerfile);
        if let Some((path, bytes)) = &self.script {
            part(path.as_os_str().as_encoded_bytes());
            part(bytes);
        }
        let hash = hash.finalize();
        format!("{NAME}:{}", hexadecimal::digits(hash.get(..TAG_DIGITS / 2).unwrap_or(&hash)))
    }

    /// Writes what the engine is given: a folder with the setup script where the Dockerfile expects it, and the
    /// Dockerfile beside it.
    pub fn context(&self) -> Result<Context, FileError> {
        let temporary = std::env::temp_dir();
        let folder =
            tempfile::Builder::new().prefix("windlass-image-").tempdir().at("write in", &temporary)?;
        let context = Context { folder };
        let files = context.files();
        // outside: a folder of our own for the engine, before any guest.
        fs::create_dir(&files).at("create", &files)?;
        // outside: a folder of our own for the engine, before any guest.
        fs::write(context.dockerfile(), &self.dockerfile).at("write", &context.dockerfile())?;
        if let Some((path, bytes)) = &self.script {
            let path = files.join(path);
            let above = path.parent().unwrap_or(&files);
            // outside: a folder of our own for the engine, before any guest.
            fs::create_dir_all(above).at("create", above)?;
            // outside: a folder of our own for the engine, before any guest.
            fs::write(&path, bytes).at("write", &path)?;
        }
        Ok(context)
    }
}

/// What is given to an engine that builds; gone when it is dropped.
#[derive(Debug)]
pub struct Context {
    folder: TempDir,
}

impl Context {
    /// The Dockerfile.
    pub fn dockerfile(&self) -> PathBuf {
        self.folder.path().join("Dockerfile")
    }

    /// All that it can copy.
    pub fn files(&self) -> PathBuf {
        self.folder.path().join("context")
    }
}

fn read_script(project: &Path, script: &Path) -> Result<(PathBuf, Vec<u8>), RecipeError> {
    let path = project.join(script);
    // outside: only where it leads is asked.
    let inside = match (path.canonicalize(), project.canonicalize()) {
        (Ok(real), Ok(project)) => real.starts_with(project),
        _ => at(&path).look().is_ok_and(|found| found.is_none()),
    };
    if !inside {
        return Err(RecipeError::ScriptOutside(path));
    }
    let bytes = bounded(&path)?.ok_or_else(|| RecipeError::NoScript(path.clone()))?;
    Ok((script.to_owned(), bytes))
}

fn bounded(path: &Path) -> Result<Option<Vec<u8>>, RecipeError> {
    match at(path).read_beginning(LONGEST)? {
        Some(bytes) if bytes.len() > LONGEST => Err(RecipeError::TooLong(path.to_owned())),
        other => Ok(other),
    }
}

#[cfg(test)]
mod tests;
