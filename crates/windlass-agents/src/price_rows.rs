//! Prices of models that those who host them have published, as rows of a table.

use windlass_core::price::Price;
use windlass_core::values::Cost;

/// A model, and what a million tokens cost in dollars: read, written, and read from the cache.
pub(crate) type Row = (&'static str, [f64; 3]);

/// The price that a row says. What is put into the cache costs what is read.
pub(crate) fn price((model, prices): &Row) -> Price {
    let [input, output, cache_read] = prices.map(Cost::from_dollars);
    Price { model: (*model).to_owned(), input, output, cache_write: input, cache_write_1h: input, cache_read }
}

/// For a model of whichever provider that is in no list: that of one of the dearer ones, rather too much than too little.
pub(crate) static USUAL: Price = Price {
    model: String::new(),
    input: Cost::from_micros(5_000_000),
    output: Cost::from_micros(25_000_000),
    cache_write: Cost::from_micros(6_250_000),
    cache_write_1h: Cost::from_micros(10_000_000),
    cache_read: Cost::from_micros(500_000),
};
