//! What the agent really does to files and with commands. One that fails is a tool's error, not the agent's end.

use std::fs;
use std::io::{self, Read, Seek, Write};
use std::path::Path;
use std::process::Stdio;

use super::child;
use super::steps::{Bash, Edit};

/// What a tool answered: its output, or its error.
pub type ToolOutput = Result<String, String>;

/// Writes a file, and the directories it needs.
pub fn write(path: &str, text: &str) -> ToolOutput {
    let created = !Path::new(path).exists();
    make_room_for(path).and_then(|()| fs::write(path, text)).map_err(|error| told(path, &error))?;
    let verb = if created { "created" } else { "updated" };
    Ok(format!("File {verb} successfully at: {path}"))
}

/// Appends to a file, and makes it where it is missing.
pub fn append(path: &str, text: &str) -> ToolOutput {
    make_room_for(path)
        .and_then(|()| fs::OpenOptions::new().append(true).create(true).open(path))
        .and_then(|mut file| file.write_all(text.as_bytes()))
        .map_err(|error| told(path, &error))?;
    Ok(format!("The file {path} has been updated successfully."))
}

/// Replaces the first occurrence of a text.
pub fn edit(edit: &Edit) -> ToolOutput {
    let path = edit.path.as_str();
    let text = fs::read_to_string(path).map_err(|error| told(path, &error))?;
    if !text.contains(&edit.old) {
        return Err(format!("String to replace not found in file.\nString: {}", edit.old));
    }
    fs::write(path, text.replacen(&edit.old, &edit.new, 1)).map_err(|error| told(path, &error))?;
    Ok(format!("The file {path} has been updated successfully."))
}

/// Reads a file, with line numbers as Claude Code's Read shows them.
pub fn read(path: &str) -> ToolOutput {
    let bytes = fs::read(path).map_err(|error| told(path, &error))?;
    let text = String::from_utf8_lossy(&bytes);
    let numbered = text.split('\n').enumerate().map(|(index, line)| format!("{}\t{line}", index + 1));
    Ok(numbered.collect::<Vec<_>>().join("\n"))
}

/// Deletes a file or a directory with all that is in it.
pub fn delete(path: &str) -> ToolOutput {
    let is_directory = fs::symlink_metadata(path).map_err(|error| told(path, &error))?.is_dir();
    if is_directory { fs::remove_dir_all(path) } else { fs::remove_file(path) }
        .map(|()| String::new())
        .map_err(|error| told(path, &error))
}

/// Moves a file or a directory.
pub fn rename(from: &str, to: &str) -> ToolOutput {
    make_room_for(to)
        .and_then(|()| fs::rename(from, to))
        .map(|()| String::new())
        .map_err(|error| told(from, &error))
}

/// Runs a shell command to its end. Its output goes through a file, so that what it leaves running holds no pipe.
pub fn bash(bash: &Bash) -> ToolOutput {
    let failed = |error: io::Error| format!("cannot run the command: {error}");
    let mut output = tempfile::tempfile().map_err(failed)?;
    let (out, err) = (output.try_clone().map_err(failed)?, output.try_clone().map_err(failed)?);
    let mut command = if bash.setsid {
        child::in_own_session(&bash.command).map_err(failed)?
    } else {
        child::shell(&bash.command)
    };
    let status = command.stdin(Stdio::null()).stdout(out).stderr(err).status().map_err(failed)?;
    let mut bytes = Vec::new();
    output.rewind().and_then(|()| output.read_to_end(&mut bytes)).map_err(failed)?;
    let text = String::from_utf8_lossy(&bytes).trim_end_matches('\n').to_owned();
    if status.success() {
        return Ok(text);
    }
    let code = status.code().map_or_else(|| "137".to_owned(), |code| code.to_string());
    Err(format!("Exit code {code}\n{text}").trim_end().to_owned())
}

fn make_room_for(path: &str) -> io::Result<()> {
    match Path::new(path).parent() {
        Some(parent) if !parent.as_os_str().is_empty() => fs::create_dir_all(parent),
        _ => Ok(()),
    }
}

fn told(path: &str, error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => format!("File does not exist: {path}"),
        _ => format!("{path}: {error}"),
    }
}
