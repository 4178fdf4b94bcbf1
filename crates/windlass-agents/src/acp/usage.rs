//! What a turn used: three of the ways in which agents say it.

use windlass_core::price::ModelUsage;
use windlass_core::values::Tokens;

use super::event::{Answer, Meta, Quota, Used, UsedModel};
use crate::json::{self, Field};

/// What an answer says that the turn used, model by model where it says that; nothing where it says nothing.
pub(super) fn of_turn(answer: &Answer<'_>, model: &str) -> Vec<ModelUsage> {
    let meta: Meta<'_> = json::object(answer.meta).unwrap_or_default();
    let quota: Quota<'_> = json::object(meta.quota).unwrap_or_default();
    let mut used = Vec::new();
    json::each(quota.models, |row| {
        let row: UsedModel<'_> = json::object(row).unwrap_or_default();
        used.extend(tokens(row.tokens).map(|tokens| of_model(&json::word(row.model), tokens)));
    });
    if used.is_empty() {
        used.extend(
            tokens(answer.usage).or_else(|| tokens(quota.tokens)).map(|tokens| of_model(model, tokens)),
        );
    }
    used
}

/// Tokens of one model.
pub(super) fn of_model(model: &str, tokens: Tokens) -> ModelUsage {
    ModelUsage { model: model.to_owned(), tokens, ..ModelUsage::default() }
}

/// `None` where the field is no account. What was read from a cache is not in what was read.
pub(super) fn tokens(field: Field<'_>) -> Option<Tokens> {
    let used: Used<'_> = json::object(field)?;
    let number = |field: Field<'_>| json::whole::<u64>(field).unwrap_or(0);
    Some(Tokens {
        input: number(used.input),
        output: number(used.output),
        cache_creation: number(used.cache_write),
        cache_read: number(used.cache_read),
    })
}
