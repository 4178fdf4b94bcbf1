//! What a simulated agent has said of money and tokens.

use windlass_agents::Digest;
use windlass_core::values::Cost;

use super::agent::TOKENS_PER_RESPONSE;
use crate::record::Said;

/// What an agent has said of its money and its tokens, added up without the code that is under test.
pub(super) fn bill(digests: &[Digest]) -> Said {
    let mut said = Said::default();
    let mut seen = Vec::new();
    for digest in digests {
        match digest {
            Digest::Usage(usage) if !seen.contains(&usage.message) => {
                seen.push(usage.message);
                said.since += priced(&usage.model, usage.tokens.input);
                said.tokens_since += usage.tokens.total();
            }
            Digest::Result(result) => {
                let negative = result.cost_usd.is_some_and(|dollars| dollars < 0.0);
                if let Some(dollars) = result.cost_usd.filter(|_| !negative) {
                    let cost = Cost::from_dollars(dollars);
                    said.wrong |= said.reported.is_some_and(|before| cost < before);
                    said.reported = said.reported.max(Some(cost));
                }
                said.wrong |= negative;
                let of_api =
                    result.text.starts_with("API Error") || matches!(result.status, Some(400 | 429 | 529));
                said.refused = result.is_error && of_api;
                if let Some(used) = result.models.first() {
                    (said.worth, said.tokens) = (priced(&used.model, used.tokens.input), used.tokens.total());
                }
                if !result.models.is_empty() || (result.cost_usd.is_some() && !negative) {
                    (said.since, said.tokens_since) = (Cost::ZERO, 0);
                }
            }
            _ => {}
        }
    }
    let cost = said.reported.unwrap_or_default().micros();
    said.wrong |= said.worth.micros() > cost.saturating_mul(10)
        || cost > said.worth.micros().saturating_mul(10) && said.worth > Cost::ZERO;
    said
}

/// What a response costs stands in its model's name.
fn priced(model: &str, tokens: u64) -> Cost {
    let response: u64 = model.rsplit('-').next().and_then(|number| number.parse().ok()).unwrap_or(0);
    Cost::from_micros(tokens / TOKENS_PER_RESPONSE * response)
}
