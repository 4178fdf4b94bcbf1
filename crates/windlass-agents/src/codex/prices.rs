//! What models that Codex calls cost, as their maker listed it in 2025: dollars for a million tokens. Codex itself knows no
//! prices, so each cost is an estimate; `agent.prices` goes before this list.

use windlass_core::price::{Price, PriceList};
use windlass_core::values::Cost;

use crate::price_rows::{Row, price};

/// For a model that is not here: rather too much than too little.
const USUAL: Row = ("", [2.5, 20.0, 0.25]);

const ROWS: &[Row] = &[
    ("gpt-5", [1.25, 10.0, 0.125]),
    ("gpt-5-codex", [1.25, 10.0, 0.125]),
    ("gpt-5-mini", [0.25, 2.0, 0.025]),
    ("gpt-5-nano", [0.05, 0.4, 0.005]),
    ("gpt-5.1", [1.25, 10.0, 0.125]),
    ("gpt-5.1-codex", [1.25, 10.0, 0.125]),
    ("gpt-5.1-codex-mini", [0.25, 2.0, 0.025]),
    ("codex-mini", [1.5, 6.0, 0.375]),
    ("o3", [2.0, 8.0, 0.5]),
    ("o4-mini", [1.1, 4.4, 0.275]),
];

static PUBLISHED: std::sync::LazyLock<Vec<Price>> =
    std::sync::LazyLock::new(|| ROWS.iter().map(price).collect());
static FALLBACK: std::sync::LazyLock<Price> = std::sync::LazyLock::new(|| price(&USUAL));

/// The list, after what a person said.
pub(super) fn prices(own: &[Price]) -> PriceList<'_> {
    PriceList { own, published: &PUBLISHED, usual: &FALLBACK, search: Cost::from_micros(10_000) }
}
