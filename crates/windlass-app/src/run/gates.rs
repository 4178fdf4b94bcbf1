//! Checks that cannot pass, found before anything is paid for: their own program or file is not there.

use std::env;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use windlass_core::guard::{Need, needs};
use windlass_core::spec::SandboxKind;
use windlass_core::values::{Check, CheckKind};

use crate::error::{AppError, Kind};

/// Refuses to begin where a check can never pass as things are.
///
/// # Errors
/// The program or the file of a check is missing, or may not be started.
pub fn refuse_hopeless(directory: &Path, checks: &[Check], sandbox: &SandboxKind) -> Result<(), AppError> {
    let found = checks.iter().find_map(|check| Some((check, missing(directory, check, sandbox)?)));
    let Some((check, what)) = found else { return Ok(()) };
    let kind = match check.kind {
        CheckKind::Gate => "gate",
        CheckKind::Until => "--until",
        CheckKind::Criterion => "criterion",
    };
    Err(AppError::new(Kind::Usage, format!("the {kind} `{}` cannot pass: {what}", check.command))
        .hint("Correct the command, or make what it needs; nothing was paid for yet.")
        .hint("If the job is to make it: the same command with --gate-later"))
}

/// What this check lacks, in words.
fn missing(directory: &Path, check: &Check, sandbox: &SandboxKind) -> Option<String> {
    // What is in an image cannot be seen from here.
    let elsewhere = matches!(sandbox, SandboxKind::Docker(_) | SandboxKind::Podman(_));
    needs(&check.command).into_iter().find_map(|need| match need {
        Need::Program(name) => (!elsewhere && !is_on_path(directory, &name))
            .then(|| format!("there is no program `{name}` on the search path")),
        Need::Executable(path) => {
            let outside = elsewhere && path.starts_with('/');
            not_executable(&directory.join(&path)).filter(|_| !outside).map(|why| format!("`{path}` {why}"))
        }
        Need::File(path) => {
            let is_elsewhere = elsewhere && path.starts_with('/');
            (!is_elsewhere && !directory.join(&path).exists()).then(|| format!("there is no file `{path}`"))
        }
        Need::Folder(path) => {
            let is_elsewhere = elsewhere && path.starts_with('/');
            (!is_elsewhere && !directory.join(&path).is_dir()).then(|| format!("there is no folder `{path}`"))
        }
        Need::OneOf(tool, files) => {
            let last = files.last().cloned().unwrap_or_default();
            let gone = !files.iter().any(|file| directory.join(file).exists());
            gone.then(|| format!("there is no `{last}` for {tool}"))
        }
        Need::WordOfShell(word) => {
            let shell = plainest_shell().filter(|_| !elsewhere && !is_on_path(directory, &word))?;
            Some(format!("/bin/sh, which runs it, is {} here and has no `{word}`", shell.display()))
        }
    })
}

/// The shell that checks are handed to, where it is one that knows nothing beyond the standard. Of others that is not certain.
fn plainest_shell() -> Option<PathBuf> {
    let shell = Path::new("/bin/sh").canonicalize().ok()?;
    (shell.file_name()? == "dash").then_some(shell)
}

fn is_on_path(directory: &Path, name: &str) -> bool {
    let list = env::var_os("PATH").unwrap_or_default();
    env::split_paths(&list).any(|folder| not_executable(&directory.join(folder).join(name)).is_none())
}

fn not_executable(path: &Path) -> Option<&'static str> {
    match fs::metadata(path) {
        Err(_) => Some("is not there"),
        Ok(metadata) if metadata.is_dir() => Some("is a folder"),
        Ok(metadata) if metadata.permissions().mode() & 0o111 == 0 => {
            Some("may not be executed (chmod +x makes it so)")
        }
        Ok(_) => None,
    }
}
