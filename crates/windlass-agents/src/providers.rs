//! Sentences of those who host models, as agents of several providers pass them on.

use Class::{Auth, Billing, Config, ContextTooLong, Outage, TaskFailure, UsageLimit};
use windlass_core::values::{Class, Cut, UsageLimit as Limit};

use crate::ending::sentence;
use crate::reset_time::parse_wait;
use crate::{About, Judgement, Signs, parse_reset_time};

/// Parts of sentences, in lower case and with plain apostrophes. The first that fits counts.
const PARTS: &[(&str, Class)] = &[
    ("usage limit", UsageLimit),
    ("hit your limit", UsageLimit),
    ("-hour limit", UsageLimit),
    ("weekly limit", UsageLimit),
    ("daily quota", UsageLimit),
    ("exhausted your capacity", UsageLimit),
    // A quota of an hour or a day says when it is over; one of a plan does not.
    ("suggested retry after", UsageLimit),
    ("resource has been exhausted", Outage),
    ("quota", Billing),
    ("credit", Billing),
    ("billing", Billing),
    ("input token count", ContextTooLong),
    ("prompt is too long", ContextTooLong),
    ("context length", ContextTooLong),
    ("context window", ContextTooLong),
    ("input exceeds the maximum length", ContextTooLong),
    ("ran out of room", ContextTooLong),
    ("api key not valid", Auth),
    ("incorrect api key", Auth),
    ("authentication required", Auth),
    ("does not exist", Config),
    ("is not found for api version", Config),
    ("reason: content_filter", TaskFailure),
    ("fetch failed", Outage),
    ("overloaded", Outage),
    ("high demand", Outage),
    ("at capacity", Outage),
    ("last status: 429", Outage),
    ("stream disconnected", Outage),
];

/// What a sentence says went wrong.
pub(crate) fn of_sentence(said: &str) -> Option<Class> {
    class_by(PARTS, said)
}

/// The same by these parts: in lower case and with plain apostrophes, the first that fits.
pub(crate) fn class_by(parts: &[(&str, Class)], said: &str) -> Option<Class> {
    let said = said.replace('\u{2019}', "'").to_lowercase();
    parts.iter().find(|(part, _)| said.contains(part)).map(|(_, class)| *class)
}

/// A request that was tried again until the runner ended it: of a limit that only its sentence tells.
pub(crate) fn in_vain(about: &'static About, signs: &Signs<'_>) -> Option<Judgement> {
    let retry = signs.retrying.filter(|_| {
        matches!(
            signs.cut,
            Some(Cut::HopelessRetries | Cut::Silence | Cut::WallClock | Cut::Duration | Cut::Tokens)
        )
    })?;
    let class = of_sentence(&retry.error).filter(|class| matches!(class, UsageLimit | Billing))?;
    Some(judged(about, class, &retry.error, signs))
}

/// A class with the sentence that led to it, and of a usage limit when it ends.
pub(crate) fn judged(about: &'static About, class: Class, said: &str, signs: &Signs<'_>) -> Judgement {
    let judgement = sentence(about, class, said);
    if class != UsageLimit {
        return judgement;
    }
    let from_now = || signs.now.checked_add(parse_wait(said)?).ok();
    let resets_at = parse_reset_time(said, signs.now, signs.zone).or_else(from_now);
    Judgement { limit: Some(Limit { resets_at, window: String::new() }), ..judgement }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotas_that_pass_are_told_from_those_that_do_not() {
        for (said, class) in [
            ("You exceeded your current quota.\nSuggested retry after 3600s.", UsageLimit),
            ("Resource has been exhausted (e.g. check quota).", Outage),
            ("You exceeded your current quota, please check your plan and billing details.", Billing),
            ("You have exhausted your daily quota on this model.", UsageLimit),
        ] {
            assert_eq!(of_sentence(said), Some(class), "{said}");
        }
    }
}
