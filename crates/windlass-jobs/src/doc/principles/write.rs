//! A file of principles: made, and changed value by value.

use std::fmt::Write as _;
use std::sync::Arc;

use strum::IntoEnumIterator;
use windlass_core::principles::{Level, Principle, PrincipleLayer, Principles, VERSION};
use windlass_core::values::Named;

use super::outline::{Scalar, Value, outline};
use super::{Problem, read};
use crate::doc::Splice;

/// A whole file, with what each value means beside it. `created_at` is a day: `YYYY-MM-DD`.
pub fn written(principles: &Principles, created_at: &str) -> String {
    let preset = principles.preset.name();
    filled(preset, created_at, |principle| principles.level(principle).to_string())
}

/// The same without values, for whoever is to find them.
pub fn with_blanks(created_at: &str) -> String {
    filled("custom", created_at, |_| "…".to_owned())
}

fn filled(preset: &str, created_at: &str, value: impl Fn(Principle) -> String) -> String {
    let mut text = format!(
        "# How this project decides where several ways are open: each value goes from 1, the first words, to 10, the last.\n\
         version: \"{VERSION}\"\npreset: {preset}\ncreated_at: \"{created_at}\"\n"
    );
    for layer in PrincipleLayer::iter() {
        let _ = write!(text, "\n# {}\n{}:\n", layer.title(), layer.name());
        for principle in Principle::of_layer(layer) {
            let line = format!("  {}: {}", principle.name(), value(principle));
            let _ = writeln!(text, "{line:<29} # {} … {}", principle.low(), principle.high());
        }
    }
    text
}

/// The file with other values; every other byte stays. It may be wrong before, and is sound after it.
///
/// # Errors
/// It does not have such a value, or is not sound with it.
pub fn change(bytes: &[u8], values: &[(Principle, Level)]) -> Result<Vec<u8>, Problem> {
    let mut splices = Vec::new();
    for (principle, level) in values {
        let Scalar { range, .. } = place(bytes, *principle)?;
        splices.push(Splice { file: Arc::from(""), range, text: level.to_string() });
    }
    // From the end, so that no place moves before its turn.
    splices.sort_by_key(|splice| std::cmp::Reverse(splice.range.start));
    let changed = splices.iter().try_fold(bytes.to_vec(), |bytes, splice| splice.apply(&bytes));
    let changed = changed.ok_or_else(|| Problem::whole("it cannot be changed value by value"))?;
    let found = read(&changed)?.principles;
    match values.iter().find(|(principle, level)| found.level(*principle) != *level) {
        Some((principle, _)) => {
            Err(Problem::whole(format!("`{}` cannot be changed where it is", principle.name())))
        }
        None => Ok(changed),
    }
}

/// Where the value of a principle stands.
fn place(bytes: &[u8], principle: Principle) -> Result<Scalar, Problem> {
    let layer = principle.layer().name();
    let holder = outline(bytes)?.into_iter().find(|field| field.name == layer);
    let fields = match holder.map(|holder| holder.value) {
        Some(Value::Fields(fields)) => fields,
        _ => Vec::new(),
    };
    let field = fields.into_iter().find(|field| field.name == principle.name());
    match field.map(|field| (field.line, field.value)) {
        // What is empty has no place of its own.
        Some((_, Value::Scalar(scalar))) if !scalar.range.is_empty() => Ok(scalar),
        Some((line, _)) => {
            Err(Problem::at(line, format!("`{}` does not have a value to change", principle.name())))
        }
        None => Err(Problem::whole(format!(
            "`{layer}` does not name `{}`: add a line for it, or begin anew with windlass principles init --force",
            principle.name()
        ))),
    }
}
