//! What tokens cost where nobody says what a call cost: prices for a million of each kind, per model.
//!
//! A list is an estimate at best. The run's own calls say more ([`Ledger`](crate::run::Ledger)); the list tells how the
//! kinds of tokens relate, and it shows a reported cost that cannot be true.

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::values::{Cost, Listed, MoneyError, Tokens, parse_money};

#[cfg(test)]
mod tests;

/// What a million tokens of one model cost.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Price {
    /// The model: a part of the name that it goes by, such as `claude-opus-5-5`.
    pub model: String,
    /// Read from the prompt.
    pub input: Cost,
    /// Written by the model.
    pub output: Cost,
    /// Put into the prompt cache for five minutes.
    pub cache_write: Cost,
    /// Put into the prompt cache for an hour.
    pub cache_write_1h: Cost,
    /// Read from the prompt cache.
    pub cache_read: Cost,
}

/// What was used of one model.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ModelUsage {
    /// The model, as the agent calls it.
    pub model: String,
    /// All its tokens.
    pub tokens: Tokens,
    /// How many of those put into the cache were put there for an hour.
    pub cached_for_an_hour: u64,
    /// Searches of the web, which are paid for one by one.
    pub searches: u64,
}

/// A list of prices.
#[derive(Clone, Copy, Debug)]
pub struct PriceList<'a> {
    /// What a person said; it goes before the rest.
    pub own: &'a [Price],
    /// What the agent's maker asks for.
    pub published: &'a [Price],
    /// For models that neither knows.
    pub usual: &'a Price,
    /// What one search of the web costs.
    pub search: Cost,
}

impl PriceList<'_> {
    /// What this usage costs.
    pub fn of(&self, usage: &[ModelUsage]) -> Listed {
        let mut listed = Listed::default();
        for used in usage {
            let price = self.find(&used.model);
            let searches = self.search.micros().saturating_mul(used.searches);
            let cost = price.unwrap_or(self.usual).of(used) + Cost::from_micros(searches);
            listed.cost += cost;
            listed.guessed |= price.is_none();
            listed.known += if price.is_some() { cost } else { Cost::ZERO };
        }
        listed
    }

    /// Has a person said that this model costs nothing?
    pub fn is_free(&self, model: &str) -> bool {
        longest(self.own, model).is_some_and(Price::is_zero)
    }

    /// The row of a model: that of the longest name within its own.
    fn find(&self, model: &str) -> Option<&Price> {
        longest(self.own, model).or_else(|| longest(self.published, model))
    }
}

fn longest<'a>(rows: &'a [Price], model: &str) -> Option<&'a Price> {
    rows.iter().filter(|row| is_named(model, &row.model)).max_by_key(|row| row.model.len())
}

/// Is `name` a part of the model's own name, whole words only? `claude-opus-4-1` is not part of `claude-opus-4-15`.
fn is_named(model: &str, name: &str) -> bool {
    let digit = |character: Option<char>| character.is_some_and(|character| character.is_ascii_digit());
    !name.is_empty()
        && model.match_indices(name).any(|(at, found)| {
            let after = model.get(at + found.len()..).unwrap_or_default();
            !(digit(found.chars().next_back()) && digit(after.chars().next()))
        })
}

impl Price {
    fn is_zero(&self) -> bool {
        let Price { input, output, cache_write, cache_write_1h, cache_read, .. } = self;
        [input, output, cache_write, cache_write_1h, cache_read].iter().all(|price| **price == Cost::ZERO)
    }

    fn of(&self, used: &ModelUsage) -> Cost {
        let Tokens { input, output, cache_creation, cache_read } = used.tokens;
        let hour = used.cached_for_an_hour.min(cache_creation);
        let parts = [
            (input, self.input),
            (output, self.output),
            (cache_creation - hour, self.cache_write),
            (hour, self.cache_write_1h),
            (cache_read, self.cache_read),
        ];
        let sum: u128 =
            parts.iter().map(|(tokens, price)| u128::from(*tokens) * u128::from(price.micros())).sum();
        Cost::from_micros(u64::try_from(sum.div_ceil(1_000_000)).unwrap_or(u64::MAX))
    }
}

/// Why a text is not a price.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum PriceError {
    /// There is no model at its beginning.
    #[error("a price begins with a model's name, as in `{EXAMPLE}`")]
    NoModel,
    /// A kind of tokens without a price, or a word that is none.
    #[error("`{0}` is not a price of a kind of tokens; write it as in `{EXAMPLE}`")]
    NoPrice(String),
    /// Without these nothing can be priced.
    #[error("the price of `{0}` lacks `input` or `output`, as in `{EXAMPLE}`")]
    Incomplete(String),
    /// What stands there is no amount.
    #[error(transparent)]
    Money(#[from] MoneyError),
}

const EXAMPLE: &str = "claude-opus-5-5 input=4 output=20 cache_write=5 cache_write_1h=8 cache_read=0.2";

/// `claude-opus-5-5 input=4 output=20 cache_write=5 cache_write_1h=8 cache_read=0.2`: dollars for a million tokens of each
/// kind. What is not said of the cache is what it usually is: a quarter more than `input`, twice and a tenth of it.
impl std::str::FromStr for Price {
    type Err = PriceError;

    fn from_str(text: &str) -> Result<Price, PriceError> {
        let mut words = text.split_whitespace();
        let model = words.next().filter(|word| !word.contains('=')).ok_or(PriceError::NoModel)?;
        let (mut input, mut output, mut write, mut hour, mut read) = (None, None, None, None, None);
        for word in words {
            let no_price = || PriceError::NoPrice(word.chars().take(60).collect());
            let (kind, dollars) = word.split_once('=').ok_or_else(no_price)?;
            let slot = match kind {
                "input" => &mut input,
                "output" => &mut output,
                "cache_write" => &mut write,
                "cache_write_1h" => &mut hour,
                "cache_read" => &mut read,
                _ => return Err(no_price()),
            };
            *slot = Some(parse_money(dollars)?);
        }
        let (Some(input), Some(output)) = (input, output) else {
            return Err(PriceError::Incomplete(model.chars().take(60).collect()));
        };
        let share = |percent: u64| Cost::from_micros(input.micros().saturating_mul(percent) / 100);
        Ok(Price {
            model: model.to_owned(),
            input,
            output,
            cache_write: write.unwrap_or_else(|| share(125)),
            cache_write_1h: hour.unwrap_or_else(|| share(200)),
            cache_read: read.unwrap_or_else(|| share(10)),
        })
    }
}
