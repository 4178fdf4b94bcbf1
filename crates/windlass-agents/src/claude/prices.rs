//! What Claude's models cost, as Claude Code 2.1.330 (November 2026) has it built in: dollars for a million tokens.

use windlass_core::price::{Price, PriceList};
use windlass_core::values::Cost;

/// A model, and the prices of input, output, cache writes of five minutes and of an hour, and cache reads.
type Row = (&'static str, [f64; 5]);

/// For a model that is not here Claude Code itself takes this row.
const USUAL: Row = ("", [5.0, 25.0, 6.25, 10.0, 0.5]);

const ROWS: &[Row] = &[
    ("claude-3-5-haiku", [0.8, 4.0, 1.0, 1.6, 0.08]),
    ("claude-haiku-4-5", [1.0, 5.0, 1.25, 2.0, 0.1]),
    // Five times as much where a prompt is beyond 100,000 tokens; the run's own calls show it.
    ("claude-haiku-5-5", [0.1, 0.5, 0.125, 0.2, 0.01]),
    ("claude-3-5-sonnet", [3.0, 15.0, 3.75, 6.0, 0.3]),
    ("claude-3-7-sonnet", [3.0, 15.0, 3.75, 6.0, 0.3]),
    ("claude-sonnet-4", [3.0, 15.0, 3.75, 6.0, 0.3]),
    ("claude-sonnet-5", [2.0, 10.0, 2.5, 4.0, 0.2]),
    ("claude-sonnet-5-5", [2.0, 10.0, 2.5, 4.0, 0.1]),
    ("claude-opus-4", [15.0, 75.0, 18.75, 30.0, 1.5]),
    ("claude-opus-4-1", [15.0, 75.0, 18.75, 30.0, 1.5]),
    ("claude-opus-4-5", [5.0, 25.0, 6.25, 10.0, 0.5]),
    ("claude-opus-4-6", [5.0, 25.0, 6.25, 10.0, 0.5]),
    ("claude-opus-4-7", [5.0, 25.0, 6.25, 10.0, 0.5]),
    ("claude-opus-4-8", [5.0, 25.0, 6.25, 10.0, 0.5]),
    ("claude-opus-5", [5.0, 25.0, 6.25, 10.0, 0.5]),
    ("claude-opus-5-5", [4.0, 20.0, 5.0, 8.0, 0.2]),
    ("claude-fable-5", [10.0, 50.0, 12.5, 20.0, 1.0]),
    ("claude-fable-5-1", [10.0, 50.0, 12.5, 20.0, 0.25]),
    ("claude-fable-5-2", [8.0, 40.0, 10.0, 16.0, 0.2]),
    ("claude-mythos-5", [10.0, 50.0, 12.5, 20.0, 1.0]),
    ("claude-mythos-5-1", [10.0, 50.0, 12.5, 20.0, 0.25]),
    ("claude-mythos-5-2", [8.0, 40.0, 10.0, 16.0, 0.2]),
    // Those that write fast on request (`/fast`, `fastMode`).
    ("fast claude-opus-4-6", [30.0, 150.0, 37.5, 60.0, 3.0]),
    ("fast claude-opus-4-7", [30.0, 150.0, 37.5, 60.0, 3.0]),
    ("fast claude-opus-4-8", [10.0, 50.0, 12.5, 20.0, 1.0]),
    ("fast claude-opus-5", [10.0, 50.0, 12.5, 20.0, 1.0]),
    ("fast claude-opus-5-5", [8.0, 40.0, 10.0, 16.0, 0.4]),
    ("fast claude-fable-5-2", [16.0, 80.0, 20.0, 32.0, 0.4]),
    ("fast claude-mythos-5-2", [16.0, 80.0, 20.0, 32.0, 0.4]),
];

static PUBLISHED: std::sync::LazyLock<Vec<Price>> =
    std::sync::LazyLock::new(|| ROWS.iter().map(price).collect());
static FALLBACK: std::sync::LazyLock<Price> = std::sync::LazyLock::new(|| price(&USUAL));

fn price((model, prices): &Row) -> Price {
    let [input, output, cache_write, cache_write_1h, cache_read] = prices.map(Cost::from_dollars);
    Price { model: (*model).to_owned(), input, output, cache_write, cache_write_1h, cache_read }
}

/// The list, after what a person said.
pub(super) fn prices(own: &[Price]) -> PriceList<'_> {
    PriceList { own, published: &PUBLISHED, usual: &FALLBACK, search: Cost::from_micros(10_000) }
}

#[cfg(test)]
mod tests;
