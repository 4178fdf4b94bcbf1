//! The principles of a project.

use serde::Serialize;
use strum::IntoEnumIterator;
use windlass_core::principles::{Principle, PrincipleLayer, Principles};
use windlass_core::values::Named;

use crate::document::document;
use crate::harmless::one_line;
use crate::line::{Line, rendered, width};
use crate::terminal::Terminal;

/// A file of principles that was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PrinciplesShown {
    /// Where it is.
    pub file: String,
    /// What it says.
    pub principles: Principles,
    /// The format's version.
    pub version: String,
    /// The day it was made.
    pub created_at: String,
}

/// Both layers in columns: the value of each principle, and what the ends of its scale mean.
pub fn principles_text(shown: &PrinciplesShown, terminal: &Terminal) -> String {
    let widest = |text: fn(Principle) -> &'static str| Principle::iter().map(|one| width(text(one))).max();
    let (names, lows) = (widest(|one| one.name()).unwrap_or(0), widest(Principle::low).unwrap_or(0));
    let mut lines = vec![Line::hanging(2).strong(one_line(&shown.file)).dim(format!(
        "  {}, {}",
        shown.principles.preset.name(),
        one_line(&shown.created_at)
    ))];
    for layer in PrincipleLayer::iter() {
        let title = format!("{} ({})", layer.title(), layer.name());
        lines.push(Line::new());
        lines.push(
            Line::new()
                .plain(format!("{title:<names$}"))
                .dim(format!("  {:>5}  {:<lows$}  {}", "value", "1 means", "10 means")),
        );
        lines.extend(Principle::of_layer(layer).map(|principle| {
            let value = shown.principles.level(principle).to_string();
            Line::hanging(names + 9)
                .plain(format!("{:<names$}", principle.name()))
                .strong(format!("  {value:>5}"))
                .dim(format!("  {:<lows$}  {}", principle.low(), principle.high()))
        }));
    }
    rendered(&lines, terminal)
}

/// The same as one line of JSON.
pub fn principles_json(shown: &PrinciplesShown) -> Vec<u8> {
    #[derive(Serialize)]
    struct Row {
        layer: &'static str,
        name: &'static str,
        value: u8,
        low: &'static str,
        high: &'static str,
    }
    #[derive(Serialize)]
    struct Fields<'a> {
        file: &'a str,
        version: &'a str,
        preset: &'static str,
        created_at: &'a str,
        principles: Vec<Row>,
    }
    let row = |(principle, level): (Principle, windlass_core::principles::Level)| Row {
        layer: principle.layer().name(),
        name: principle.name(),
        value: level.get(),
        low: principle.low(),
        high: principle.high(),
    };
    let PrinciplesShown { file, principles, version, created_at } = shown;
    let preset = principles.preset.name();
    document(
        "principles",
        &Fields { file, version, preset, created_at, principles: principles.iter().map(row).collect() },
    )
}

#[cfg(test)]
mod tests {
    use windlass_core::principles::Preset;

    use super::*;
    use crate::testing::columns;

    // rows: 100
    #[test]
    fn both_layers_stand_in_the_same_columns_within_80() {
        let shown = PrinciplesShown {
            file: ".windlass/principles.yaml".to_owned(),
            principles: Principles::of(Preset::Startup),
            version: "2.3".to_owned(),
            created_at: "2026-11-23".to_owned(),
        };
        let text = principles_text(&shown, &columns(80));
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 1 + 2 * 11, "{text}");
        let rows: Vec<&&str> =
            lines.iter().filter(|line| line.contains('_') && !line.contains('/')).collect();
        assert_eq!(rows.len(), 16, "auditability and interoperability are the others: {text}");
        assert!(lines.iter().all(|line| width(line) <= 80), "{text}");
        assert!(
            lines.contains(&"scope_philosophy            3  the least that works  rich in features"),
            "{text}"
        );
        crate::view::check_document("principles", &principles_json(&shown));
        let json: serde_json::Value = serde_json::from_slice(&principles_json(&shown)).unwrap();
        assert_eq!((&json["type"], &json["principles"][2]["value"]), (&"principles".into(), &3.into()));
    }
}
