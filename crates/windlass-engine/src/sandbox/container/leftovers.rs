//! Containers whose runner cannot end them any more.

use std::ffi::OsString;
use std::path::Path;
use std::process::ExitCode;

use windlass_core::values::{Named, RunId};

use super::client::{Client, Engine, EngineError};
use super::sweep::{Label, sweep};
use windlass_host::file::{FileError, read_beginning, replace};

/// The hidden subcommand of `windlass` that must call [`sweep_main`].
pub const SWEEP_COMMAND: &str = "sandbox-sweep";

/// Says whose containers a run had, in its scratch folder, where nobody inside can write.
const NOTE: &str = "engine";

/// Notes whose containers a run has.
pub fn note(scratch: &Path, engine: Engine) -> Result<(), FileError> {
    // outside: the run's folder, above what guests can write.
    replace(&scratch.join(NOTE), engine.name().as_bytes(), 0o600)
}

/// Ends what is left of the containers of a run that was killed together with its keeper; says how many there were.
/// `scratch` is the folder of its sandbox. Nothing is asked of any engine where the run had no containers.
///
/// # Errors
/// The engine does not answer, or does not end them.
pub fn end_leftovers(scratch: &Path, run: &RunId) -> Result<usize, EngineError> {
    // outside: the same.
    let note = read_beginning(&scratch.join(NOTE), 64).ok().flatten().unwrap_or_default();
    let Some(engine) = engine_called(&String::from_utf8_lossy(&note)) else {
        return Ok(0);
    };
    sweep(&Client::find(engine)?, &Label::of_run(&run.0))
}

/// What the process of a keeper's last rites does. `arguments`: the engine and the label.
pub fn sweep_main(arguments: &[OsString]) -> ExitCode {
    let words: Vec<&str> = arguments.iter().filter_map(|word| word.to_str()).collect();
    let [engine, label] = words.as_slice() else {
        return ExitCode::from(2);
    };
    let (Some(engine), Some(label)) = (engine_called(engine), Label::parse(label)) else {
        return ExitCode::from(2);
    };
    match Client::find(engine).and_then(|client| sweep(&client, &label)) {
        Ok(_) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    }
}

fn engine_called(name: &str) -> Option<Engine> {
    [Engine::Docker, Engine::Podman].into_iter().find(|engine| engine.name() == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_without_containers_asks_no_engine() {
        let folder = tempfile::tempdir().unwrap();
        let run = RunId("r-1".to_owned());
        assert_eq!(end_leftovers(folder.path(), &run).unwrap(), 0);
        assert_eq!(end_leftovers(&folder.path().join("none"), &run).unwrap(), 0);
        std::fs::write(folder.path().join(NOTE), "rm -rf").unwrap();
        assert_eq!(end_leftovers(folder.path(), &run).unwrap(), 0);
        note(folder.path(), Engine::Podman).unwrap();
        assert_eq!(
            engine_called(&std::fs::read_to_string(folder.path().join(NOTE)).unwrap()),
            Some(Engine::Podman)
        );
    }

    #[test]
    fn only_our_own_labels_of_known_engines_are_swept() {
        for words in [&[][..], &["docker"], &["docker", "all=1"], &["rm", "windlass.run=r-1"]] {
            let words: Vec<OsString> = words.iter().map(OsString::from).collect();
            assert_eq!(format!("{:?}", sweep_main(&words)), format!("{:?}", ExitCode::from(2)));
        }
    }
}
