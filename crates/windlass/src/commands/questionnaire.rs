//! Asking a person for a project's principles, as claude-loop does: its kind, then what matters most for that kind.

use strum::IntoEnumIterator as _;
use windlass_app::AppError;
use windlass_core::principles::{Level, Preset, Principle, Principles};
use windlass_core::values::Named;

use super::question;

/// So often a question is asked again.
const TRIES: u32 = 3;

/// What a person answers; an empty answer to a value leaves what the preset says.
///
/// # Errors
/// There is no end to wrong answers, or the terminal is closed: nothing is taken for an answer then.
pub fn answered() -> Result<Principles, AppError> {
    let kinds: Vec<(usize, Preset)> = (1..).zip(Preset::iter()).collect();
    let listed: Vec<String> =
        kinds.iter().map(|(number, preset)| format!("{number} {}", preset.name())).collect();
    let preset = asked(&format!("What kind of project is it? {} > ", listed.join(", ")), |answer| {
        let meant =
            |(number, preset): &&(usize, Preset)| answer == number.to_string() || answer == preset.name();
        kinds.iter().find(meant).map(|(_, preset)| *preset)
    })?;
    preset.questions().into_iter().try_fold(Principles::of(preset), |principles, principle| {
        let level = level(principle, principles.level(principle))?;
        Ok(principles.with(principle, level))
    })
}

fn level(principle: Principle, usual: Level) -> Result<Level, AppError> {
    let (name, low, high) = (principle.name(), principle.low(), principle.high());
    asked(&format!("{name}: from 1 ({low}) to 10 ({high}) [{usual}] > "), |answer| {
        if answer.is_empty() { Some(usual) } else { Level::parse(answer) }
    })
}

fn asked<T>(question: &str, read: impl Fn(&str) -> Option<T>) -> Result<T, AppError> {
    for _ in 0..TRIES {
        let answer = question::typed_line(question)?;
        let answer = answer.ok_or_else(|| gave_up("the terminal was closed before all was answered"))?;
        if let Some(read) = read(&answer) {
            return Ok(read);
        }
    }
    Err(gave_up("that was not one of the answers"))
}

fn gave_up(why: &str) -> AppError {
    AppError::usage(format!("{why}; nothing was written"))
        .hint("Without a question: windlass principles init --preset startup")
}
