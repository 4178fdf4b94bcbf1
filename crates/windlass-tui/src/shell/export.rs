//! What is shown, whole, in a file. It lies in the folder for temporary files: in a run's own directory it would be taken for work.

use std::io::{BufWriter, Write};
use std::path::PathBuf;

use tempfile::NamedTempFile;
use windlass_app::transcript::{Content, Observation, Transcript};
use windlass_app::{AppError, Kind};
use windlass_ui::{harmless, one_line};

use crate::state::Row;
use crate::transcript::subject;

fn failed(error: std::io::Error) -> AppError {
    let folder = std::env::temp_dir();
    AppError::new(Kind::System, format!("cannot write a file in {}: {error}", folder.display()))
        .because(error)
}

/// A new file with a name that begins and ends so; nobody else may read it.
fn begin(name: &str, ending: &str) -> Result<NamedTempFile, AppError> {
    tempfile::Builder::new().prefix(name).suffix(ending).tempfile().map_err(failed)
}

fn keep(file: NamedTempFile) -> Result<PathBuf, AppError> {
    file.keep().map(|(_, path)| path).map_err(|error| failed(error.error))
}

/// These bytes.
pub fn bytes(name: &str, ending: &str, bytes: &[u8]) -> Result<PathBuf, AppError> {
    let mut file = begin(name, ending)?;
    file.write_all(bytes).map_err(failed)?;
    keep(file)
}

/// These rows.
pub fn rows(name: &str, rows: &[Row]) -> Result<PathBuf, AppError> {
    let text: String = rows.iter().flat_map(|row| [row.text.as_str(), "\n"]).collect();
    bytes(name, ".txt", text.as_bytes())
}

/// All that was said and done in a call, nothing of it cut, nothing in it that drives a terminal. Memory is that of a page.
pub fn transcript(name: &str, transcript: &mut Transcript) -> Result<PathBuf, AppError> {
    let mut file = begin(name, ".txt")?;
    let mut out = BufWriter::new(file.as_file_mut());
    let mut next = 0;
    loop {
        let page = transcript.from(next).map_err(AppError::system)?;
        let mut whole = None;
        for row in &page.rows {
            match &row.content {
                Content::Long(_) => {
                    transcript.copy_line(row.offset, &mut out).map_err(AppError::system)?;
                    out.write_all(b"\n").map_err(failed)?;
                }
                // The line is decoded once for all of its rows.
                Content::Observation(_) if row.whole.is_some() => {
                    if whole != Some(row.offset) {
                        for observation in transcript.whole_row(row.offset).map_err(AppError::system)? {
                            write(&mut out, &observation)?;
                        }
                    }
                    whole = Some(row.offset);
                }
                Content::Observation(_) if whole == Some(row.offset) => {}
                Content::Observation(observation) => write(&mut out, observation)?,
            }
        }
        if page.end == next || page.is_last() {
            break;
        }
        next = page.end;
    }
    out.flush().map_err(failed)?;
    drop(out);
    keep(file)
}

fn write(out: &mut impl Write, observation: &Observation) -> Result<(), AppError> {
    let (label, text) = match observation {
        Observation::AgentText { text, .. } => ("text".to_owned(), text.clone()),
        Observation::ToolUse { name, input, .. } => (one_line(name), subject(input, "")),
        Observation::ToolResult { is_error, output, .. } => {
            (if *is_error { "failed" } else { "ok" }.to_owned(), output.text.clone())
        }
        Observation::Denied { name, .. } => ("denied".to_owned(), name.clone()),
        Observation::Result { text, .. } => ("result".to_owned(), text.clone()),
        _ => return Ok(()),
    };
    writeln!(out, "{label}: {}", harmless(&text)).map_err(failed)
}
