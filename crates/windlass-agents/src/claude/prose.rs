//! What Claude Code's sentences mean: the last resort, for results that are errors and for standard error, where no
//! field says it. Never asked about what the model said.

use Class::{Auth, Billing, Config, ContextTooLong, Outage, Permission, UsageLimit};
use Meaning::{Is, LimitIfTimed};
use windlass_core::values::Class;

/// What a sentence says went wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Meaning {
    /// A failure of this class.
    Is(Class),
    /// A usage limit that resets by itself only where a time is named; otherwise a person has to do something.
    LimitIfTimed,
}

/// Sentences that begin with this, in lower case. The first that fits counts.
const BEGINNINGS: &[(&str, Option<Meaning>)] = &[
    // Notices about a limit that was not hit.
    ("you've used", None),
    ("you're close to", None),
    ("now using usage credits", None),
    ("approaching", None),
    // Throttling is not a usage limit, though it speaks of one.
    ("server is temporarily limiting requests", Some(Is(Outage))),
    ("rate limit reached", Some(Is(Outage))),
    ("request rejected (429)", Some(Is(Outage))),
    ("your org is out of usage", Some(Is(Billing))),
    ("your seat type doesn't include usage", Some(Is(Billing))),
    ("your usage allocation has been disabled by your admin", Some(Is(Billing))),
    ("your group's usage limit is set to $0", Some(Is(Billing))),
    ("usage is paused for your organization", Some(Is(Billing))),
    ("you've hit your monthly spend limit", Some(Is(Billing))),
    ("you've reached your monthly spend limit", Some(Is(Billing))),
    ("credit balance is too low", Some(Is(Billing))),
    ("400 third-party apps now draw from your extra usage", Some(Is(Billing))),
    ("you're out of extra usage", Some(LimitIfTimed)),
    ("you're out of usage credits", Some(LimitIfTimed)),
    ("you've hit your", Some(Is(UsageLimit))),
    ("you've reached your", Some(Is(UsageLimit))),
    ("claude ai usage limit reached", Some(Is(UsageLimit))),
    ("claude usage limit reached", Some(Is(UsageLimit))),
    ("limit reached", Some(Is(UsageLimit))),
    ("session limit reached", Some(Is(UsageLimit))),
    ("5-hour limit reached", Some(Is(UsageLimit))),
    ("weekly limit reached", Some(Is(UsageLimit))),
    ("opus limit", Some(Is(UsageLimit))),
    ("529", Some(Is(Outage))),
    ("repeated 529", Some(Is(Outage))),
    ("overloaded", Some(Is(Outage))),
    ("unable to connect to api", Some(Is(Outage))),
    ("connection error", Some(Is(Outage))),
    ("connection refused", Some(Is(Outage))),
    ("request timed out", Some(Is(Outage))),
    ("no messages returned", Some(Is(Outage))),
    ("context low", Some(Is(ContextTooLong))),
    ("conversation too long", Some(Is(ContextTooLong))),
    ("piped stdin input exceeds", Some(Is(ContextTooLong))),
    ("request too large", Some(Is(ContextTooLong))),
    ("invalid api key", Some(Is(Auth))),
    ("invalid auth token", Some(Is(Auth))),
    ("oauth token revoked", Some(Is(Auth))),
    ("login expired", Some(Is(Auth))),
    ("not logged in", Some(Is(Auth))),
    ("401 ", Some(Is(Auth))),
    ("403 ", Some(Is(Permission))),
    ("no conversation found with session id", Some(Is(Config))),
    ("unknown option", Some(Is(Config))),
    ("invalid session id", Some(Is(Config))),
    ("settings file not found", Some(Is(Config))),
    ("append system prompt file not found", Some(Is(Config))),
    ("input must be provided either through stdin", Some(Is(Config))),
    ("--dangerously-skip-permissions cannot be used with root", Some(Is(Config))),
    ("when using --print", Some(Is(Config))),
    ("there's an issue with the selected model", Some(Is(Config))),
    ("configuration error in ", Some(Is(Config))),
    ("claude configuration file at ", Some(Is(Config))),
];

/// Sentences that have this anywhere, in lower case.
const ANYWHERE: &[(&str, Class)] = &[
    ("another claude code process is holding the refresh lock", Outage),
    ("please run /login", Auth),
    ("oauth token has expired", Auth),
    ("oauth token revoked", Auth),
    ("oauth session expired", Auth),
    ("this login reached its time limit", Auth),
    ("failed to authenticate", Auth),
    ("belongs to a disabled organization", Permission),
    ("request blocked before it reached anthropic's api (http 403)", Permission),
    ("requires usage credits", Billing),
    ("reached your specified api usage limits", UsageLimit),
    ("you will regain access", UsageLimit),
    ("limit reached · resets", UsageLimit),
    ("limit reached ∙ resets", UsageLimit),
    ("limit reached - resets", UsageLimit),
    ("overloaded_error", Outage),
    ("rate_limit_error", Outage),
    ("timeout_error", Outage),
    ("\"api_error\"", Outage),
    ("authentication_error", Auth),
    ("permission_error", Permission),
    ("billing_error", Billing),
    ("not_found_error", Config),
    ("is experiencing high load", Outage),
    ("(not your usage limit)", Outage),
    ("socket connection was closed unexpectedly", Outage),
    ("econnreset", Outage),
    ("econnrefused", Outage),
    ("econnaborted", Outage),
    ("epipe", Outage),
    ("etimedout", Outage),
    ("enotfound", Outage),
    ("eai_again", Outage),
    ("ssl certificate", Config),
    ("prompt is too long", ContextTooLong),
    ("input length and `max_tokens` exceed context limit", ContextTooLong),
    ("input length and max_tokens exceed context limit", ContextTooLong),
    ("requires a valid session id", Config),
    ("cannot be launched inside another claude", Config),
    ("[claude-code:unrecognized_model]", Config),
    ("requires --verbose", Config),
];

/// Sentences that have both, in lower case: ports and files are in use as well.
const TOGETHER: &[([&str; 2], Class)] = &[(["session id", "is already in use"], Config)];

/// What passes by itself, of sentences that say of themselves that they are an `API Error`, in lower case: elsewhere such
/// words can mean anything.
const PASSING: &[&str] = &[
    "api returned an empty or malformed response",
    "rate limited",
    "too many requests",
    "internal server error",
    "internal error",
    "bad gateway",
    "service unavailable",
    "gateway timeout",
    "server error",
    "upstream ",
    "fetch failed",
    "socket hang up",
    "premature close",
    "terminated",
    "connection closed",
    "connection reset",
    "connection timed out",
    "network error",
    "stream ended",
    "stream idle timeout",
    "streaming idle timeout",
    "the operation timed out",
    "timeout",
];

/// What stands in front of a sentence, in lower case.
const LEAD_INS: &[&str] = &["api error:", "api error (", "error:", "failed to authenticate."];

/// What an account's own limit is called: its status, 400, says nothing.
const ACCOUNT_LIMIT: &[&str] = &["reached your specified api usage limits", "you will regain access"];

/// Is this the API's refusal by the limit that the account has set itself? It resets by itself.
pub(super) fn is_account_limit(line: &str) -> bool {
    let line = line.to_ascii_lowercase();
    ACCOUNT_LIMIT.iter().any(|part| line.contains(part))
}

/// Does the program itself say that the API refused, in words alone?
pub(super) fn is_api_error(line: &str) -> bool {
    let start = line.trim_start().get(..11).unwrap_or_default();
    ["api error: ", "api error ("].iter().any(|begins| start.eq_ignore_ascii_case(begins))
}

/// What became too long where it is not the prompt that it was given, in lower case: how that is said, and what helps.
const OUTGROWN: &[(&str, &str, &str)] = &[
    (
        "autocompact is thrashing",
        "What was read filled the model's context again and again",
        "Have large files and outputs read in parts, or make the task smaller.",
    ),
    (
        "request too large",
        "The conversation became too large for one request",
        "Have fewer images and attachments looked at in one iteration, or make the task smaller.",
    ),
];

/// How it is said that the conversation outgrew its bounds by what came into it, and what helps.
pub(super) fn outgrown(line: &str) -> Option<(&'static str, &'static str)> {
    let line = line.to_ascii_lowercase();
    let sentence = without_lead_in(line.trim());
    let found = OUTGROWN.iter().find(|(beginning, ..)| sentence.starts_with(beginning))?;
    Some((found.1, found.2))
}

/// What the program says in the place of an answer where a hook kept the prompt from the model.
const BLOCKED: &[&str] = &["operation blocked by hook:", "operation stopped by hook:"];

/// Did a hook keep the prompt from the model?
pub(super) fn is_blocked(text: &str) -> bool {
    let first = text.trim_start().lines().next().unwrap_or_default().to_ascii_lowercase();
    BLOCKED.iter().any(|words| first.contains(words))
}

/// What the hook said, without the prompt that is repeated after it.
pub(super) fn blocked_by(text: &str) -> String {
    let (_, said) = text.split_once("by hook:").unwrap_or(("", text));
    let said = said.split("\nOriginal prompt:").next().unwrap_or_default();
    said.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Does a sentence begin with a status of HTTP, whatever that means?
pub(super) fn names_a_status(line: &str) -> bool {
    leading_status(without_lead_in(&line.trim().to_ascii_lowercase())).is_some()
}

/// What one line says went wrong.
pub(super) fn meaning(line: &str) -> Option<Meaning> {
    let line = line.trim().replace('\u{2019}', "'").to_ascii_lowercase();
    let sentence = without_lead_in(&line);
    if let Some((_, meaning)) = BEGINNINGS.iter().find(|(beginning, _)| sentence.starts_with(beginning)) {
        return *meaning;
    }
    // With a body its own words say more than its status, which may be that of a proxy.
    if let Some((_, class)) = ANYWHERE.iter().find(|(part, _)| line.contains(part)) {
        return Some(Is(*class));
    }
    if let Some((_, class)) = TOGETHER.iter().find(|(parts, _)| parts.iter().all(|part| line.contains(part)))
    {
        return Some(Is(*class));
    }
    if is_api_error(&line) && PASSING.iter().any(|beginning| sentence.starts_with(beginning)) {
        return Some(Is(Outage));
    }
    if let Some(class) = leading_status(sentence).and_then(by_status) {
        return Some(Is(class));
    }
    (line.starts_with("configuration file at ") && line.contains("is corrupted")).then_some(Is(Config))
}

/// `429 {…`, `503 Service Unavailable`, `503.`
fn leading_status(sentence: &str) -> Option<u16> {
    let digits = sentence.get(..3).filter(|digits| digits.bytes().all(|byte| byte.is_ascii_digit()))?;
    let ends = sentence.get(3..)?.chars().next().is_none_or(|next| !next.is_alphanumeric());
    digits.parse().ok().filter(|_| ends)
}

fn without_lead_in(line: &str) -> &str {
    let mut rest = line;
    while let Some(shorter) = LEAD_INS.iter().find_map(|lead_in| rest.strip_prefix(lead_in)) {
        rest = shorter.trim_start();
    }
    rest
}

/// What a status of HTTP means.
pub(super) fn by_status(status: u16) -> Option<Class> {
    Some(match status {
        401 => Auth,
        402 => Billing,
        403 => Permission,
        404 => Config,
        413 => ContextTooLong,
        408 | 429 | 500..=599 => Outage,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const SENTENCES: &[(&str, Option<Meaning>)] = &[
        ("Claude AI usage limit reached|1762455600", Some(Is(UsageLimit))),
        ("Claude usage limit reached. Your limit will reset at 3pm (America/Bogota).", Some(Is(UsageLimit))),
        ("5-hour limit reached - resets 3pm", Some(Is(UsageLimit))),
        ("Session limit reached ∙ resets 4pm", Some(Is(UsageLimit))),
        ("Sonnet limit reached · resets 4pm", Some(Is(UsageLimit))),
        ("Limit reached · resets 11:30am (Asia/Calcutta) · /upgrade", Some(Is(UsageLimit))),
        ("You've hit your limit · resets 1:30am (Asia/Dhaka)", Some(Is(UsageLimit))),
        ("You\u{2019}ve hit your session limit · resets 11:50pm (America/Chicago)", Some(Is(UsageLimit))),
        ("You've hit your weekly limit · resets Sep 14 at 8pm (America/Chicago)", Some(Is(UsageLimit))),
        ("You've reached your weekly limit", Some(Is(UsageLimit))),
        ("You've hit your monthly spend limit · raise it at x", Some(Is(Billing))),
        ("You're out of extra usage · resets 5pm (America/Los_Angeles)", Some(LimitIfTimed)),
        ("You're out of usage credits", Some(LimitIfTimed)),
        ("Your org is out of usage", Some(Is(Billing))),
        ("Your seat type doesn't include usage", Some(Is(Billing))),
        ("Your usage allocation has been disabled by your admin", Some(Is(Billing))),
        ("Your group's usage limit is set to $0", Some(Is(Billing))),
        ("Opus 5.5 requires usage credits", Some(Is(Billing))),
        ("Usage is paused for your organization.", Some(Is(Billing))),
        ("You've used 90% of your weekly limit", None),
        ("You're close to your weekly limit", None),
        ("Now using usage credits", None),
        ("Approaching 5-hour limit · resets 3pm", None),
        ("Server is temporarily limiting requests (not your usage limit)", Some(Is(Outage))),
        (
            "API Error: Server is temporarily limiting requests (not your usage limit) · Rate limited",
            Some(Is(Outage)),
        ),
        ("API Error: Rate limit reached", Some(Is(Outage))),
        (
            "API Error: Request rejected (429) · This request would exceed your account's rate limit.",
            Some(Is(Outage)),
        ),
        ("API Error: 529 Overloaded. This is a server-side issue", Some(Is(Outage))),
        ("API Error: Repeated 529 Overloaded errors", Some(Is(Outage))),
        ("{\"type\":\"overloaded_error\"}", Some(Is(Outage))),
        ("Opus is experiencing high load, please use /model", Some(Is(Outage))),
        ("Unable to connect to API (ECONNRESET)", Some(Is(Outage))),
        ("API Error: Connection refused — a proxy may be blocking it (ECONNREFUSED)", Some(Is(Outage))),
        ("Connection error.", Some(Is(Outage))),
        ("Request timed out. If the API is slow to answer, ...", Some(Is(Outage))),
        ("The socket connection was closed unexpectedly.", Some(Is(Outage))),
        ("Error: No messages returned", Some(Is(Outage))),
        ("SSL certificate verification failed", Some(Is(Config))),
        ("Not logged in · Please run /login", Some(Is(Auth))),
        ("Invalid API key · Fix external API key", Some(Is(Auth))),
        ("Invalid auth token", Some(Is(Auth))),
        ("OAuth token revoked · Please run /login", Some(Is(Auth))),
        ("Failed to authenticate. API Error: 401 OAuth token has expired", Some(Is(Auth))),
        ("Failed to authenticate: OAuth session expired and could not be refreshed", Some(Is(Auth))),
        ("Login expired", Some(Is(Auth))),
        ("this login reached its time limit", Some(Is(Auth))),
        ("another Claude Code process is holding the refresh lock", Some(Is(Outage))),
        ("This key belongs to a disabled organization", Some(Is(Permission))),
        (
            "Failed to authenticate. API Error: 403 Your account does not have permission.",
            Some(Is(Permission)),
        ),
        ("Request blocked before it reached Anthropic's API (HTTP 403)", Some(Is(Permission))),
        ("Credit balance is too low", Some(Is(Billing))),
        ("API Error: 400 Third-party apps now draw from your extra usage", Some(Is(Billing))),
        ("Prompt is too long · the request is ~1250000 tokens", Some(Is(ContextTooLong))),
        ("API Error: prompt is too long: 210000 tokens > 200000 maximum", Some(Is(ContextTooLong))),
        ("Context low (0% remaining)", Some(Is(ContextTooLong))),
        ("Conversation too long", Some(Is(ContextTooLong))),
        ("input length and `max_tokens` exceed context limit: 1 + 2 > 3", Some(Is(ContextTooLong))),
        ("Error: piped stdin input exceeds 10MB", Some(Is(ContextTooLong))),
        ("No conversation found with session ID: x", Some(Is(Config))),
        ("Error: Session ID x is already in use.", Some(Is(Config))),
        ("Port 3000 is already in use; start the server on another one.", None),
        ("Error: Invalid session ID. Must be a valid UUID.", Some(Is(Config))),
        ("Error: --resume requires a valid session ID", Some(Is(Config))),
        ("API Error: 400 tool_use ids were found without tool_result blocks", None),
        ("error: unknown option '--no-such-flag'", Some(Is(Config))),
        ("Error: Settings file not found: x", Some(Is(Config))),
        ("Error: Append system prompt file not found: x", Some(Is(Config))),
        ("Error: When using --print, --output-format=stream-json requires --verbose", Some(Is(Config))),
        ("Claude Code cannot be launched inside another Claude Code session", Some(Is(Config))),
        ("Configuration file at /home/dev/.claude.json is corrupted: x", Some(Is(Config))),
        ("Configuration file at /home/dev/.claude.json is read", None),
        ("the archive is corrupted", None),
        ("[claude-code:unrecognized_model] {\"model\":\"x\"}", Some(Is(Config))),
        ("There's an issue with the selected model (x)", Some(Is(Config))),
        (
            "API Error: 400 You have reached your specified API usage limits. You will regain access on 2026-12-01",
            Some(Is(UsageLimit)),
        ),
        ("API Error: 429 {\"type\":\"error\",\"error\":{\"type\":\"rate_limit_error\"}}", Some(Is(Outage))),
        ("API Error: 529 {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\"}}", Some(Is(Outage))),
        ("API Error: 500 {\"error\":{\"type\":\"api_error\",\"message\":\"Internal\"}}", Some(Is(Outage))),
        ("API Error: 401 {\"error\":{\"type\":\"authentication_error\"}}", Some(Is(Auth))),
        ("API Error: 400 {\"error\":{\"type\":\"invalid_request_error\"}}", None),
        ("API Error: Overloaded", Some(Is(Outage))),
        ("Overloaded", Some(Is(Outage))),
        ("API Error: Internal server error", Some(Is(Outage))),
        ("API Error: 503", Some(Is(Outage))),
        ("API Error: 502 Bad Gateway", Some(Is(Outage))),
        ("API Error (Request timed out.)", Some(Is(Outage))),
        ("API Error: fetch failed", Some(Is(Outage))),
        ("API Error: terminated", Some(Is(Outage))),
        (
            "API Error: API returned an empty or malformed response (HTTP 200) — check for a proxy or gateway",
            Some(Is(Outage)),
        ),
        ("Configuration error in /home/dev/.claude.json: JSON Parse error: Unexpected EOF", Some(Is(Config))),
        ("Claude configuration file at /home/dev/.claude.json is corrupted: x", Some(Is(Config))),
        ("API Error: 5000 lines", None),
        ("Terminated", None),
        ("all tests pass", None),
        ("", None),
    ];

    // rows: 65
    #[test]
    fn every_sentence_that_was_seen() {
        for (line, expected) in SENTENCES {
            assert_eq!(meaning(line), *expected, "{line}");
        }
    }
}
