//! Which tokens a run used.

use maud::html;
use windlass_ui::format;
use windlass_ui::model::RunSeen;
use windlass_ui::report::{Column, Table, own};

use super::bars::Bar;
use super::{Chart, Key, WIDTH};

const HEIGHT: u32 = 28;

/// One bar, divided by classes. `None` where none were used.
pub fn tokens_by_class(run: &RunSeen) -> Option<Chart> {
    let tokens = run.status.tokens;
    let total = tokens.total();
    if total == 0 {
        return None;
    }
    let classes = [
        ("input", "input", tokens.input),
        ("output", "output", tokens.output),
        ("cache-written", "written to the cache", tokens.cache_creation),
        ("cache-read", "read from the cache", tokens.cache_read),
    ];
    let used: Vec<_> = classes.into_iter().filter(|(.., number)| *number > 0).collect();
    let mut x = 0.0;
    let mut placed = Vec::new();
    for (class, name, number) in &used {
        let width = *number as f64 / total as f64 * WIDTH;
        // A line between two, for whoever sees no colours.
        let bar = Bar { x, y: 0.0, width: (width - 2.0).max(1.0), height: f64::from(HEIGHT) };
        placed.push(bar.named(class, &format!("{name}: {number}")));
        x += width;
    }
    let rows = used.iter().map(|(_, name, number)| {
        let share = format!("{:.1}%", *number as f64 / total as f64 * 100.0);
        vec![own(*name), own(number.to_string()), own(share)]
    });
    let columns = vec![Column::Words("class"), Column::Numbers("tokens"), Column::Numbers("share")];
    Some(Chart {
        id: "tokens",
        title: "Tokens by class",
        says: format!("{} in all", format::amount(total)),
        height: HEIGHT,
        drawing: html! { @for bar in placed { (bar) } },
        axis: Vec::new(),
        keys: used
            .iter()
            .map(|(class, name, number)| Key::of(class, format!("{name} {}", format::amount(*number))))
            .collect(),
        table: Table::new("Tokens by class", columns, rows.collect()),
    })
}
