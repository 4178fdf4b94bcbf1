//! A person's prices, and what usage costs by them.

use windlass_agents::usual;
use windlass_core::price::{ModelUsage, Price};
use windlass_core::values::{Cost, Tokens};

/// Models with these names are priced: known, unknown, nearly known, none.
const MODELS: [&str; 4] = ["claude-opus-5-5-20261101", "claude-opus-5-55", "mine", ""];

pub(crate) fn run(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let own: Vec<Price> = text.lines().filter_map(|line| line.parse().ok()).collect();
    for price in &own {
        assert!(!price.model.is_empty() && !price.model.contains('='), "{price:?}");
    }
    // Amounts from the same bytes, the largest among them.
    let amount = |at: usize| {
        let mut bytes = [0; 8];
        let given = data.iter().skip(at * 8).take(8);
        bytes.iter_mut().zip(given).for_each(|(to, byte)| *to = *byte);
        u64::from_le_bytes(bytes)
    };
    let list = usual().prices(&own);
    for model in MODELS {
        let tokens =
            Tokens { input: amount(0), output: amount(1), cache_creation: amount(2), cache_read: amount(3) };
        let used = ModelUsage {
            model: model.to_owned(),
            tokens,
            cached_for_an_hour: amount(4),
            searches: amount(5),
        };
        let cost = list.of(std::slice::from_ref(&used)).cost;
        let mut more = used.clone();
        more.tokens.output = more.tokens.output.saturating_add(1_000_000);
        assert!(list.of(&[more]).cost >= cost, "more tokens cost less: {used:?}");
        assert!(list.of(&[used.clone(), used.clone()]).cost >= cost, "twice is less than once: {used:?}");
        let nothing = ModelUsage { model: model.to_owned(), ..ModelUsage::default() };
        assert_eq!(list.of(&[nothing]).cost, Cost::default());
        let is_listed = own.iter().any(|price| model.contains(&price.model));
        assert!(
            !(list.of(&[used]).guessed
                && is_listed
                && model == "mine"
                && own.iter().any(|price| price.model == "mine"))
        );
    }
}
