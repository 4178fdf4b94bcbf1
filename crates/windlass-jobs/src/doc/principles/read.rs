//! What the names of a file of principles have to be.

use std::collections::BTreeMap;

use jiff::civil::Date;
use strum::{IntoEnumIterator, VariantNames};
use windlass_core::principles::{Level, Preset, Principle, PrincipleLayer, Principles};
use windlass_core::typed::nearest;
use windlass_core::values::Named;

use super::outline::{Field, Scalar, Value, outline};
use super::{PrinciplesFile, Problem};
use crate::doc::text::quoted;

/// The names of the file beside its layers.
const HEAD: [&str; 3] = ["version", "preset", "created_at"];

/// Reads a file of principles: all of it is there and nothing else.
///
/// # Errors
/// The first thing that is wrong with it.
pub fn read(bytes: &[u8]) -> Result<PrinciplesFile, Problem> {
    let fields = outline(bytes)?;
    let known = || HEAD.into_iter().chain(PrincipleLayer::iter().map(|layer| layer.name()));
    if let Some(field) = fields.iter().find(|field| !known().any(|name| name == field.name)) {
        return Err(unknown(field, "the file", known()));
    }
    let [version, preset, created_at] = HEAD.map(|name| text(&fields, name));
    let (version, preset, created_at) = (version?, preset?, created_at?);
    require_version(version)?;
    let preset = preset_of(preset)?;
    let created_at = day(created_at)?;
    let mut values = BTreeMap::new();
    for layer in PrincipleLayer::iter() {
        values.extend(levels(&fields, layer)?);
    }
    let principles =
        values.into_iter().fold(Principles::of(preset), |all, (principle, level)| all.with(principle, level));
    Ok(PrinciplesFile { principles, version: version.text.clone(), created_at })
}

/// The text of a name that the file must have.
fn text<'a>(fields: &'a [Field], name: &str) -> Result<&'a Scalar, Problem> {
    match fields.iter().find(|field| field.name == name) {
        Some(Field { value: Value::Scalar(scalar), .. }) => Ok(scalar),
        Some(field) => Err(Problem::at(field.line, format!("`{name}` has names below it; it is one word"))),
        None => Err(Problem::whole(format!("`{name}` is missing"))),
    }
}

fn require_version(version: &Scalar) -> Result<(), Problem> {
    let is_number = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    match version.text.split_once('.') {
        Some((major, minor)) if is_number(major) && is_number(minor) => Ok(()),
        _ => Err(Problem::at(
            version.line,
            format!("`version` is `{}`, and has two numbers: \"2.3\"", quoted(&version.text)),
        )),
    }
}

fn preset_of(preset: &Scalar) -> Result<Preset, Problem> {
    Preset::parse(&preset.text).ok_or_else(|| {
        let presets = Preset::VARIANTS.join(", ");
        let text = format!("`preset` is `{}`, and is one of {presets}", quoted(&preset.text));
        Problem::at(preset.line, text)
    })
}

/// A time of that day is taken for the day.
fn day(created_at: &Scalar) -> Result<String, Problem> {
    let day = created_at.text.parse::<Date>().map_err(|_| {
        let text = format!("`created_at` is `{}`, and is a day: 2026-01-31", quoted(&created_at.text));
        Problem::at(created_at.line, text)
    })?;
    Ok(day.to_string())
}

/// The values of a layer: each of its principles once, and nothing else.
fn levels(fields: &[Field], layer: PrincipleLayer) -> Result<Vec<(Principle, Level)>, Problem> {
    let name = layer.name();
    let holder = fields.iter().find(|field| field.name == name);
    let holder = holder.ok_or_else(|| Problem::whole(format!("`{name}` is missing")))?;
    let Value::Fields(values) = &holder.value else {
        return Err(Problem::at(holder.line, format!("`{name}` has no principles below it")));
    };
    let known = || Principle::of_layer(layer).map(|principle| principle.name());
    let mut levels = Vec::new();
    for field in values {
        let principle = Principle::parse(&field.name).filter(|principle| principle.layer() == layer);
        let principle = principle.ok_or_else(|| unknown(field, &format!("`{name}`"), known()))?;
        levels.push((principle, level(field)?));
    }
    let missing: Vec<String> = Principle::of_layer(layer)
        .filter(|principle| !levels.iter().any(|(found, _)| found == principle))
        .map(|principle| format!("`{}`", principle.name()))
        .collect();
    if missing.is_empty() {
        return Ok(levels);
    }
    Err(Problem::at(holder.line, format!("`{name}` does not name {}", missing.join(", "))))
}

fn level(field: &Field) -> Result<Level, Problem> {
    let Value::Scalar(scalar) = &field.value else {
        return Err(Problem::at(field.line, format!("`{}` is not a number from 1 to 10", field.name)));
    };
    Level::parse(&scalar.text).filter(|_| scalar.is_plain).ok_or_else(|| {
        let said = match scalar.text.trim() {
            "" => "is empty".to_owned(),
            text => format!("is `{}`", quoted(text)),
        };
        Problem::at(scalar.line, format!("`{}` {said}, and goes from 1 to 10 in whole numbers", field.name))
    })
}

fn unknown<'a>(field: &Field, of: &str, known: impl Iterator<Item = &'a str>) -> Problem {
    let meant = nearest(&field.name, known).map(|name| format!(": did you mean `{name}`?"));
    let text = format!("{of} does not know `{}`{}", quoted(&field.name), meant.unwrap_or_default());
    Problem::at(field.line, text)
}
