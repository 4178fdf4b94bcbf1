//! What Claude Code's sentences mean: the last resort, for results that are errors and for standard error, where no
//! field says it. Never asked about what the model said.

/// What a sentence says went wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Meaning {
    /// A usage limit that resets by itself.
    Limit,
    /// A usage limit that resets by itself only where a time is named; otherwise a person has to do something.
    LimitIfTimed,
    /// A usage limit that no waiting heals, or no credit.
    Billing,
    /// Rate limit, overload, server, network.
    Outage,
    /// Not logged in, credentials refused.
    Auth,
    /// The account may not.
    Permission,
    /// Too long for the model.
    Context,
    /// The call cannot work as it is.
    Config,
}

impl Meaning {
    /// What a status of HTTP means, where a sentence begins with it or has it in its body.
    fn of_status(status: u16) -> Option<Meaning> {
        Some(match status {
            401 => Auth,
            402 => Billing,
            403 => Permission,
            404 => Config,
            413 => Context,
            408 | 429 | 500..=599 => Outage,
            _ => return None,
        })
    }
}

use Meaning::{Auth, Billing, Config, Context, Limit, LimitIfTimed, Outage, Permission};

/// Sentences that begin with this, in lower case. The first that fits counts.
const BEGINNINGS: &[(&str, Option<Meaning>)] = &[
    // Notices about a limit that was not hit.
    ("you've used", None),
    ("you're close to", None),
    ("now using usage credits", None),
    ("approaching", None),
    // Throttling is not a usage limit, though it speaks of one.
    ("server is temporarily limiting requests", Some(Outage)),
    ("rate limit reached", Some(Outage)),
    ("request rejected (429)", Some(Outage)),
    ("your org is out of usage", Some(Billing)),
    ("your seat type doesn't include usage", Some(Billing)),
    ("your usage allocation has been disabled by your admin", Some(Billing)),
    ("your group's usage limit is set to $0", Some(Billing)),
    ("usage is paused for your organization", Some(Billing)),
    ("you've hit your monthly spend limit", Some(Billing)),
    ("you've reached your monthly spend limit", Some(Billing)),
    ("credit balance is too low", Some(Billing)),
    ("400 third-party apps now draw from your extra usage", Some(Billing)),
    ("you're out of extra usage", Some(LimitIfTimed)),
    ("you're out of usage credits", Some(LimitIfTimed)),
    ("you've hit your", Some(Limit)),
    ("you've reached your", Some(Limit)),
    ("claude ai usage limit reached", Some(Limit)),
    ("claude usage limit reached", Some(Limit)),
    ("limit reached", Some(Limit)),
    ("session limit reached", Some(Limit)),
    ("5-hour limit reached", Some(Limit)),
    ("weekly limit reached", Some(Limit)),
    ("opus limit", Some(Limit)),
    ("529", Some(Outage)),
    ("repeated 529", Some(Outage)),
    ("overloaded", Some(Outage)),
    ("unable to connect to api", Some(Outage)),
    ("connection error", Some(Outage)),
    ("connection refused", Some(Outage)),
    ("request timed out", Some(Outage)),
    ("no messages returned", Some(Outage)),
    ("context low", Some(Context)),
    ("conversation too long", Some(Context)),
    ("piped stdin input exceeds", Some(Context)),
    ("request too large", Some(Context)),
    ("invalid api key", Some(Auth)),
    ("invalid auth token", Some(Auth)),
    ("oauth token revoked", Some(Auth)),
    ("login expired", Some(Auth)),
    ("not logged in", Some(Auth)),
    ("401 ", Some(Auth)),
    ("403 ", Some(Permission)),
    ("no conversation found with session id", Some(Config)),
    ("unknown option", Some(Config)),
    ("invalid session id", Some(Config)),
    ("settings file not found", Some(Config)),
    ("append system prompt file not found", Some(Config)),
    ("input must be provided either through stdin", Some(Config)),
    ("--dangerously-skip-permissions cannot be used with root", Some(Config)),
    ("when using --print", Some(Config)),
    ("there's an issue with the selected model", Some(Config)),
];

/// Sentences that have this anywhere, in lower case.
const ANYWHERE: &[(&str, Meaning)] = &[
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
    ("reached your specified api usage limits", Limit),
    ("you will regain access", Limit),
    ("limit reached · resets", Limit),
    ("limit reached ∙ resets", Limit),
    ("limit reached - resets", Limit),
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
    ("prompt is too long", Context),
    ("input length and `max_tokens` exceed context limit", Context),
    ("input length and max_tokens exceed context limit", Context),
    ("is already in use", Config),
    ("requires a valid session id", Config),
    ("cannot be launched inside another claude", Config),
    ("[claude-code:unrecognized_model]", Config),
    ("requires --verbose", Config),
];

/// What passes by itself, of sentences that say of themselves that they are an `API Error`, in lower case: elsewhere such
/// words can mean anything.
const PASSING: &[&str] = &[
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

/// What one line says went wrong.
pub(super) fn meaning(line: &str) -> Option<Meaning> {
    let line = line.trim().replace('\u{2019}', "'").to_ascii_lowercase();
    let sentence = without_lead_in(&line);
    if let Some((_, meaning)) = BEGINNINGS.iter().find(|(beginning, _)| sentence.starts_with(beginning)) {
        return *meaning;
    }
    // With a body its own words say more than its status, which may be that of a proxy.
    if let Some((_, meaning)) = ANYWHERE.iter().find(|(part, _)| line.contains(part)) {
        return Some(*meaning);
    }
    if is_api_error(&line) && PASSING.iter().any(|beginning| sentence.starts_with(beginning)) {
        return Some(Outage);
    }
    if let Some(meaning) = leading_status(sentence).and_then(Meaning::of_status) {
        return Some(meaning);
    }
    if line.starts_with("configuration file at ") && line.contains("is corrupted") {
        return Some(Config);
    }
    None
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

#[cfg(test)]
mod tests {
    use super::*;

    const SENTENCES: &[(&str, Option<Meaning>)] = &[
        ("Claude AI usage limit reached|1762455600", Some(Limit)),
        ("Claude usage limit reached. Your limit will reset at 3pm (America/Bogota).", Some(Limit)),
        ("5-hour limit reached - resets 3pm", Some(Limit)),
        ("Session limit reached ∙ resets 4pm", Some(Limit)),
        ("Sonnet limit reached · resets 4pm", Some(Limit)),
        ("Limit reached · resets 11:30am (Asia/Calcutta) · /upgrade", Some(Limit)),
        ("You've hit your limit · resets 1:30am (Asia/Dhaka)", Some(Limit)),
        ("You\u{2019}ve hit your session limit · resets 11:50pm (America/Chicago)", Some(Limit)),
        ("You've hit your weekly limit · resets Sep 14 at 8pm (America/Chicago)", Some(Limit)),
        ("You've reached your weekly limit", Some(Limit)),
        ("You've hit your monthly spend limit · raise it at x", Some(Billing)),
        ("You're out of extra usage · resets 5pm (America/Los_Angeles)", Some(LimitIfTimed)),
        ("You're out of usage credits", Some(LimitIfTimed)),
        ("Your org is out of usage", Some(Billing)),
        ("Your seat type doesn't include usage", Some(Billing)),
        ("Your usage allocation has been disabled by your admin", Some(Billing)),
        ("Your group's usage limit is set to $0", Some(Billing)),
        ("Opus 5.5 requires usage credits", Some(Billing)),
        ("Usage is paused for your organization.", Some(Billing)),
        ("You've used 90% of your weekly limit", None),
        ("You're close to your weekly limit", None),
        ("Now using usage credits", None),
        ("Approaching 5-hour limit · resets 3pm", None),
        ("Server is temporarily limiting requests (not your usage limit)", Some(Outage)),
        (
            "API Error: Server is temporarily limiting requests (not your usage limit) · Rate limited",
            Some(Outage),
        ),
        ("API Error: Rate limit reached", Some(Outage)),
        (
            "API Error: Request rejected (429) · This request would exceed your account's rate limit.",
            Some(Outage),
        ),
        ("API Error: 529 Overloaded. This is a server-side issue", Some(Outage)),
        ("API Error: Repeated 529 Overloaded errors", Some(Outage)),
        ("{\"type\":\"overloaded_error\"}", Some(Outage)),
        ("Opus is experiencing high load, please use /model", Some(Outage)),
        ("Unable to connect to API (ECONNRESET)", Some(Outage)),
        ("API Error: Connection refused — a proxy may be blocking it (ECONNREFUSED)", Some(Outage)),
        ("Connection error.", Some(Outage)),
        ("Request timed out. If the API is slow to answer, ...", Some(Outage)),
        ("The socket connection was closed unexpectedly.", Some(Outage)),
        ("Error: No messages returned", Some(Outage)),
        ("SSL certificate verification failed", Some(Config)),
        ("Not logged in · Please run /login", Some(Auth)),
        ("Invalid API key · Fix external API key", Some(Auth)),
        ("Invalid auth token", Some(Auth)),
        ("OAuth token revoked · Please run /login", Some(Auth)),
        ("Failed to authenticate. API Error: 401 OAuth token has expired", Some(Auth)),
        ("Failed to authenticate: OAuth session expired and could not be refreshed", Some(Auth)),
        ("Login expired", Some(Auth)),
        ("this login reached its time limit", Some(Auth)),
        ("another Claude Code process is holding the refresh lock", Some(Outage)),
        ("This key belongs to a disabled organization", Some(Permission)),
        ("Failed to authenticate. API Error: 403 Your account does not have permission.", Some(Permission)),
        ("Request blocked before it reached Anthropic's API (HTTP 403)", Some(Permission)),
        ("Credit balance is too low", Some(Billing)),
        ("API Error: 400 Third-party apps now draw from your extra usage", Some(Billing)),
        ("Prompt is too long · the request is ~1250000 tokens", Some(Context)),
        ("API Error: prompt is too long: 210000 tokens > 200000 maximum", Some(Context)),
        ("Context low (0% remaining)", Some(Context)),
        ("Conversation too long", Some(Context)),
        ("input length and `max_tokens` exceed context limit: 1 + 2 > 3", Some(Context)),
        ("Error: piped stdin input exceeds 10MB", Some(Context)),
        ("No conversation found with session ID: x", Some(Config)),
        ("Error: Session ID x is already in use.", Some(Config)),
        ("Error: Invalid session ID. Must be a valid UUID.", Some(Config)),
        ("Error: --resume requires a valid session ID", Some(Config)),
        ("API Error: 400 tool_use ids were found without tool_result blocks", None),
        ("error: unknown option '--no-such-flag'", Some(Config)),
        ("Error: Settings file not found: x", Some(Config)),
        ("Error: Append system prompt file not found: x", Some(Config)),
        ("Error: When using --print, --output-format=stream-json requires --verbose", Some(Config)),
        ("Claude Code cannot be launched inside another Claude Code session", Some(Config)),
        ("Configuration file at /home/dev/.claude.json is corrupted: x", Some(Config)),
        ("Configuration file at /home/dev/.claude.json is read", None),
        ("the archive is corrupted", None),
        ("[claude-code:unrecognized_model] {\"model\":\"x\"}", Some(Config)),
        ("There's an issue with the selected model (x)", Some(Config)),
        (
            "API Error: 400 You have reached your specified API usage limits. You will regain access on 2026-12-01",
            Some(Limit),
        ),
        ("API Error: 429 {\"type\":\"error\",\"error\":{\"type\":\"rate_limit_error\"}}", Some(Outage)),
        ("API Error: 529 {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\"}}", Some(Outage)),
        ("API Error: 500 {\"error\":{\"type\":\"api_error\",\"message\":\"Internal\"}}", Some(Outage)),
        ("API Error: 401 {\"error\":{\"type\":\"authentication_error\"}}", Some(Auth)),
        ("API Error: 400 {\"error\":{\"type\":\"invalid_request_error\"}}", None),
        ("API Error: Overloaded", Some(Outage)),
        ("Overloaded", Some(Outage)),
        ("API Error: Internal server error", Some(Outage)),
        ("API Error: 503", Some(Outage)),
        ("API Error: 502 Bad Gateway", Some(Outage)),
        ("API Error (Request timed out.)", Some(Outage)),
        ("API Error: fetch failed", Some(Outage)),
        ("API Error: terminated", Some(Outage)),
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
