//! How a call went: fields first, sentences last.
//!
//! The order: who ended it (the runner and by which clock, a signal, itself) → is there a result → its fields
//! (`terminal_reason`, status, `api_error`, the error that the message before it was marked with) → the last refusal
//! by a usage limit → sentences → unknown. That exit 0 and `subtype:"success"` prove nothing is the reason for all
//! of it: failed requests are reported with both.

use std::time::Duration;

use windlass_core::values::{Class, Cut, Ended, UsageLimit};

use super::prose::{Meaning, by_status, is_account_limit, is_api_error, meaning};
use crate::reset_time::parse_reset_time;
use crate::{Judgement, ResultDigest, Signs};

/// So many characters of the agent's own sentence are quoted.
const QUOTE: usize = 150;

/// Judges a call.
pub(super) fn judge(signs: &Signs<'_>) -> Judgement {
    if let Some(judgement) = cut_off(signs).or_else(|| signalled(signs)) {
        return judgement;
    }
    match signs.result {
        Some(result) if is_failure(signs, result) => failed(signs, result),
        // Another turn had begun and came to no result.
        Some(_) if signs.working && signs.ended != Ended::Exited(0) => without_result(signs),
        Some(_) => succeeded(signs),
        None => without_result(signs),
    }
}

/// Does the last result say that something failed?
fn is_failure(signs: &Signs<'_>, result: &ResultDigest) -> bool {
    result.is_error || is_marked_error(signs, result)
}

/// The program's own message about an error that it did not call one: the message before it was marked, and its words are
/// the program's, which the model's never are where a message is marked.
fn is_marked_error(signs: &Signs<'_>, result: &ResultDigest) -> bool {
    !signs.api_error.is_empty() && is_api_error(&result.text)
}

/// The runner ended it, and not only because it lingered after its result.
fn cut_off(signs: &Signs<'_>) -> Option<Judgement> {
    if signs.ended == Ended::Lost {
        return Some(
            refused_before(signs)
                .unwrap_or_else(|| Judgement::new(Class::Interrupted, crate::unseen(&super::REAL))),
        );
    }
    match signs.cut? {
        Cut::Stop => {
            Some(Judgement::new(Class::Interrupted, "The call was ended because the run was asked to stop."))
        }
        Cut::HopelessRetries => Some(sentence(Class::Auth, &refusal(signs))),
        cut @ (Cut::Silence | Cut::WallClock | Cut::Duration) if signs.working => Some(by_clock(signs, cut)),
        // Its result was there: that is judged.
        Cut::Lingering | Cut::Silence | Cut::WallClock | Cut::Duration => None,
    }
}

/// What the API had failed at before nobody saw how the call ended, if that was the last that was heard.
fn refused_before(signs: &Signs<'_>) -> Option<Judgement> {
    let judgement = match (signs.retrying, signs.result) {
        (Some(retry), _) => sentence(Class::Outage, &format!("it was retrying a request ({})", retry.error)),
        (None, Some(result)) if is_failure(signs, result) => failed(signs, result),
        _ => return None,
    };
    judgement.class.is_of_api().then_some(judgement)
}

/// Why its credentials are refused; while it retries it has said nothing about that itself.
fn refusal(signs: &Signs<'_>) -> String {
    let status = signs.retrying.and_then(|retry| retry.status);
    status.map_or_else(|| said(signs), |status| format!("the API answers {status}"))
}

fn by_clock(signs: &Signs<'_>, cut: Cut) -> Judgement {
    let why = match cut {
        Cut::Silence => format!("Claude Code printed nothing for {}", words(signs.clocks.silence)),
        Cut::Duration => {
            return Judgement::new(
                Class::TaskFailure,
                "The run's time was used up while Claude Code worked.",
            );
        }
        _ => format!("Claude Code worked for {}, longer than a call may", words(signs.clocks.wall)),
    };
    // A call that did nothing but retry was in an outage, whichever clock ended it.
    match signs.retrying {
        Some(retry) => {
            let status = retry.status.map_or_else(String::new, |status| format!(" {status}"));
            let why = format!("{why}; it was retrying a request ({}{status}).", retry.error);
            Judgement::new(Class::Outage, why)
        }
        None => Judgement::new(Class::TaskFailure, format!("{why}, and was ended.")),
    }
}

/// A signal of somebody else's ended it. A result that is an error says more than that.
fn signalled(signs: &Signs<'_>) -> Option<Judgement> {
    let signal = match signs.ended {
        Ended::Signalled(signal) => signal,
        Ended::Exited(code @ (129 | 130 | 137 | 143)) => code - 128,
        Ended::Exited(_) | Ended::Lost => return None,
    };
    let unexpected = signs.cut.is_none() && !signs.result.is_some_and(|result| is_failure(signs, result));
    unexpected.then(|| {
        let name = match signal {
            1 => "SIGHUP",
            2 => "SIGINT",
            6 => "SIGABRT",
            9 => "SIGKILL, perhaps because memory ran out",
            11 => "SIGSEGV",
            15 => "SIGTERM",
            _ => "a signal",
        };
        Judgement::new(Class::TaskFailure, format!("Claude Code was ended from outside ({signal}, {name})."))
    })
}

fn succeeded(signs: &Signs<'_>) -> Judgement {
    match signs.ended {
        Ended::Exited(code) if code != 0 && signs.cut.is_none() => {
            let quote = last_line(signs.stderr).map_or_else(String::new, |line| format!(": {}", quote(line)));
            let why = format!("Claude Code gave a result but exited with code {code}{quote}.");
            Judgement::new(Class::TaskFailure, why)
        }
        _ => Judgement::new(Class::Success, ""),
    }
}

/// A result that is an error.
fn failed(signs: &Signs<'_>, result: &ResultDigest) -> Judgement {
    let said = said(signs);
    if let Some(class) = ended_by_limit(result) {
        return sentence(class, &said);
    }
    let throttled = result.status == Some(429)
        || result.api_error == "usage_limit_reached"
        || result.api_error_type == "rate_limit_error"
        || signs.api_error == "rate_limit";
    if throttled {
        return usage_limit(signs, &said).unwrap_or_else(|| sentence(Class::Outage, &said));
    }
    if is_account_limit(&said) {
        // A request that is refused as wrong, by its status and its type: only its words say that it is none.
        return usage_limit(signs, &said).unwrap_or_else(|| sentence(Class::UsageLimit, &said));
    }
    if said.contains("holding the refresh lock") {
        return sentence(Class::Outage, &said); // Marked as authentication_failed, but over in a moment.
    }
    by_fields(signs.api_error, result)
        .map(|class| sentence(class, &said))
        .or_else(|| signs.rejected.and_then(|_| usage_limit(signs, &said)))
        .or_else(|| by_prose(signs, &result.text))
        .unwrap_or_else(|| sentence(unexplained(result, &said), &said))
}

/// Limits of the call itself.
fn ended_by_limit(result: &ResultDigest) -> Option<Class> {
    match (result.terminal_reason.as_str(), result.subtype.as_str()) {
        ("max_turns", _) | (_, "error_max_turns") => Some(Class::MaxTurns),
        ("budget_exhausted", _) | (_, "error_max_budget_usd") => Some(Class::BudgetExhausted),
        _ => None,
    }
}

fn by_fields(marked: &str, result: &ResultDigest) -> Option<Class> {
    by_reason(&result.terminal_reason)
        // What the model will not answer is the task's, whatever else the program calls it.
        .or_else(|| (result.stop_reason == "refusal").then_some(Class::TaskFailure))
        .or_else(|| by_word(marked, result.status))
        .or_else(|| by_word(&result.api_error, result.status))
        .or_else(|| result.status.and_then(by_status))
        .or_else(|| by_type(&result.api_error_type))
}

/// In Claude Code's own mapping all three belong to the context, not to quota.
fn by_reason(terminal_reason: &str) -> Option<Class> {
    matches!(terminal_reason, "prompt_too_long" | "blocking_limit" | "rapid_refill_breaker")
        .then_some(Class::ContextTooLong)
}

/// An open set: words that are not known say nothing.
fn by_word(word: &str, status: Option<u16>) -> Option<Class> {
    Some(match word {
        "authentication_failed" if status == Some(403) => Class::Permission,
        "authentication_failed" | "cloud_credential_error" => Class::Auth,
        "oauth_org_not_allowed" | "account_on_hold" | "verification_required" => Class::Permission,
        "billing_error" => Class::Billing,
        "model_not_found" => Class::Config,
        "rate_limit" | "overloaded" | "server_error" | "connection_failed" => Class::Outage,
        "max_output_tokens" => Class::TaskFailure,
        _ => return None,
    })
}

fn by_type(api_error_type: &str) -> Option<Class> {
    Some(match api_error_type {
        "authentication_error" => Class::Auth,
        "billing_error" => Class::Billing,
        "permission_error" => Class::Permission,
        "not_found_error" => Class::Config,
        "api_error" | "overloaded_error" | "timeout_error" => Class::Outage,
        _ => return None,
    })
}

/// What the API refuses is not a failure of the task; an image that it cannot read is.
fn unexplained(result: &ResultDigest, said: &str) -> Class {
    let refused = result.status.is_some() || result.terminal_reason == "api_error" || is_api_error(said);
    let its_own = result.subtype.starts_with("error_") || !result.terminal_reason.is_empty();
    match result.terminal_reason.as_str() {
        "image_error" => Class::TaskFailure,
        _ if refused || !its_own => Class::Unknown,
        _ => Class::TaskFailure,
    }
}

/// Nothing was reported: what is on standard error, and what came before.
fn without_result(signs: &Signs<'_>) -> Judgement {
    let said = said(signs);
    let marked = match signs.api_error {
        "rate_limit" => usage_limit(signs, &said).or_else(|| Some(sentence(Class::Outage, &said))),
        word => by_word(word, None).map(|class| sentence(class, &said)),
    };
    marked
        .or_else(|| signs.rejected.and_then(|_| usage_limit(signs, &said)))
        .or_else(|| by_prose(signs, signs.stderr))
        .unwrap_or_else(|| {
            let code = match signs.ended {
                Ended::Exited(code) => format!(" (exit code {code})"),
                Ended::Signalled(_) | Ended::Lost => String::new(),
            };
            let quote = last_line(signs.stderr).map_or_else(String::new, |line| format!(": {}", quote(line)));
            Judgement::new(Class::TaskFailure, format!("Claude Code ended without a result{code}{quote}."))
        })
}

/// A refusal by a usage limit, if it is one: what waiting does not heal is a matter of billing.
fn usage_limit(signs: &Signs<'_>, said: &str) -> Option<Judgement> {
    let meaning = meaning(said);
    let named = signs.rejected.and_then(|limit| limit.resets_at);
    let resets_at = named.or_else(|| parse_reset_time(said, signs.now));
    let reported = signs.rejected.is_some()
        || signs.result.is_some_and(|result| result.api_error == "usage_limit_reached");
    match meaning {
        Some(Meaning::Is(Class::Billing)) => return Some(sentence(Class::Billing, said)),
        Some(Meaning::LimitIfTimed) if resets_at.is_none() => return Some(sentence(Class::Billing, said)),
        Some(Meaning::Is(Class::UsageLimit) | Meaning::LimitIfTimed) => {}
        _ if reported => {}
        _ => return None,
    }
    let window = signs.rejected.map_or_else(String::new, |limit| limit.window.clone());
    let limit = Some(UsageLimit { resets_at, window });
    Some(Judgement { limit, ..sentence(Class::UsageLimit, said) })
}

/// The first line of a text that means something; on standard error too, where noise comes first and last.
fn by_prose(signs: &Signs<'_>, text: &str) -> Option<Judgement> {
    text.lines().find_map(|line| match meaning(line)? {
        Meaning::Is(Class::UsageLimit) | Meaning::LimitIfTimed => usage_limit(signs, line),
        Meaning::Is(class) => Some(sentence(class, line)),
    })
}

/// The agent's own sentence about its failure: the first line of its result, else the last of standard error.
fn said(signs: &Signs<'_>) -> String {
    let failed = |result: &&ResultDigest| result.is_error || is_marked_error(signs, result);
    let result = signs.result.filter(failed).map_or("", |result| &result.text);
    let line = result.lines().map(str::trim).find(|line| !line.is_empty());
    line.or_else(|| last_line(signs.stderr)).unwrap_or_default().to_owned()
}

/// What happened and what to do, for a person.
fn sentence(class: Class, said: &str) -> Judgement {
    const LOGIN: &str = "Run `claude` and then /login, or set CLAUDE_CODE_OAUTH_TOKEN.";
    let (what, then) = match class {
        Class::Auth if said.is_empty() || said.contains("Not logged in") => {
            return Judgement::new(class, format!("Claude Code is not logged in. {LOGIN}"));
        }
        Class::Auth => (
            "Claude Code's login is refused",
            "Run `claude` and then /login, or renew the token or the API key that it is given.",
        ),
        Class::Billing => {
            ("The account cannot pay for this", "Waiting does not help; see to its credit or its limits.")
        }
        Class::Permission => {
            ("The account may not do this", "Use another account, or ask its administrator.")
        }
        Class::Config => (
            "Claude Code cannot run as configured",
            "Check the model, the agent's arguments and its settings.",
        ),
        Class::UsageLimit => ("A usage limit was reached", ""),
        Class::Outage => ("The model could not be reached for now", ""),
        Class::ContextTooLong => ("The prompt is too long for the model", "Shorten the prompt or the notes."),
        Class::MaxTurns => ("The call used up its turns", ""),
        Class::BudgetExhausted => ("The call used up its budget", ""),
        Class::Success | Class::TaskFailure | Class::Interrupted => ("Claude Code reported an error", ""),
        Class::Unknown => ("Claude Code failed for a reason that is not known", ""),
    };
    let colon = if said.is_empty() { "" } else { ": " };
    let detail = format!("{what}{colon}{}. {then}", quote(said));
    Judgement::new(class, detail.trim_end())
}

fn quote(said: &str) -> String {
    let quote: String = said.trim().chars().filter(|character| !character.is_control()).take(QUOTE).collect();
    quote.trim_end_matches('.').to_owned()
}

fn last_line(text: &str) -> Option<&str> {
    text.lines().rev().map(str::trim).find(|line| !line.is_empty())
}

/// `15 min`, `90 s`
fn words(duration: Duration) -> String {
    let seconds = duration.as_secs();
    if seconds >= 120 && seconds.is_multiple_of(60) {
        format!("{} min", seconds / 60)
    } else {
        format!("{seconds} s")
    }
}

#[cfg(test)]
mod tests {
    use super::words;
    use std::time::Duration;

    #[test]
    fn spans_are_said_in_minutes_from_two_on() {
        let rows =
            [(60, "60 s"), (90, "90 s"), (119, "119 s"), (120, "2 min"), (150, "150 s"), (900, "15 min")];
        for (seconds, said) in rows {
            assert_eq!(words(Duration::from_secs(seconds)), said);
        }
    }
}
