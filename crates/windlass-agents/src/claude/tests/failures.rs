//! Failures of which there is no recording, from the fields and sentences they are known by.

use windlass_core::values::{Class, Cut, Ended};

use super::recordings::report;
use super::{Decoded, decode};
use crate::{Digest, ResultDigest};

const ERROR: Ended = Ended::Exited(1);

fn failed() -> ResultDigest {
    ResultDigest { is_error: true, subtype: "success".into(), ..ResultDigest::default() }
}

fn status(status: u16, text: &str) -> ResultDigest {
    ResultDigest { status: Some(status), text: text.into(), ..failed() }
}

fn reason(terminal_reason: &str, status: Option<u16>) -> ResultDigest {
    ResultDigest { terminal_reason: terminal_reason.into(), status, ..failed() }
}

fn typed(api_error_type: &str) -> ResultDigest {
    ResultDigest { api_error_type: api_error_type.into(), ..failed() }
}

fn text(text: &str) -> ResultDigest {
    ResultDigest { text: text.into(), ..failed() }
}

/// Failures that are known from fields or sentences only. `marked` is how the message before was marked.
// rows: 65
#[test]
fn failures_without_a_recording_are_judged() {
    for (name, marked, result, class) in failures() {
        let mut found = Decoded::default();
        found.digests.extend((!marked.is_empty()).then(|| Digest::ApiError(marked.into())));
        found.digests.push(Digest::Result(Box::new(result)));
        let report = report(&found, ERROR, None, "");
        assert_eq!(report.class, class, "{name}: {}", report.detail);
        assert!(
            report.limit.is_some() == (class == Class::UsageLimit) && !report.detail.is_empty(),
            "{name}"
        );
    }
}

/// `is_error` is not the only field that tells a failure, and what it left is no claim.
#[test]
fn a_result_is_a_failure_where_any_field_says_so() {
    for (fields, class) in [
        (r#""subtype":"error_during_execution""#, Class::TaskFailure),
        (r#""subtype":"error_max_turns""#, Class::MaxTurns),
        (r#""subtype":"success","terminal_reason":"max_turns""#, Class::MaxTurns),
        (r#""subtype":"success","terminal_reason":"api_error","api_error_status":529"#, Class::Outage),
        (r#""subtype":"success","api_error":"connection_failed""#, Class::Outage),
        (r#""subtype":"success","terminal_reason":"aborted_tools""#, Class::TaskFailure),
        (r#""subtype":"success","terminal_reason":"completed","api_error_status":null"#, Class::Success),
        (r#""subtype":"success""#, Class::Success),
    ] {
        let line = format!(r#"{{"type":"result","is_error":false,"result":"all done",{fields}}}"#);
        let report = report(&decode(line), Ended::Exited(0), None, "");
        let results = usize::from(class == Class::Success);
        assert_eq!((report.class, report.results.len()), (class, results), "{fields}: {}", report.detail);
    }
}

/// What is called no error is one where the message before was marked, and its words are the program's own.
#[test]
fn neither_a_mark_nor_a_sentence_alone_makes_an_error_of_what_is_called_none() {
    let sentence = "API Error: 529 overloaded";
    for (marked, said, class) in [
        ("server_error", sentence, Class::Outage),
        ("", sentence, Class::Success),
        ("server_error", "all done", Class::Success),
    ] {
        let mut found = Decoded::default();
        found.digests.extend((!marked.is_empty()).then(|| Digest::ApiError(marked.into())));
        found.digests.push(Digest::Result(Box::new(ResultDigest { is_error: false, ..text(said) })));
        assert_eq!(report(&found, Ended::Exited(0), None, "").class, class, "{marked:?} {said}");
    }
}

/// What an agent says of files, tests and servers is its answer, however it ends.
// rows: 65
// Seed defect D3, core/claude.ts:38-76: a word in the text stopped the run.
// Seed defect D3, core/claude.ts:337-346: what the agent said when it failed was thrown away.
#[test]
fn words_in_an_answer_are_no_error_of_the_api() {
    for said in [
        "I could not fix 429.ts",
        "the test failed: timeout of 5 s in network.test.ts",
        "API Error handling is missing: 503 and 529 are overloaded",
        "it is unauthorized (401), says the stack trace: connection refused",
        "the quota page shows: usage limit",
        "the server says that it is overloaded",
    ] {
        let mut found = Decoded::default();
        let result = ResultDigest { subtype: "error_during_execution".into(), ..text(said) };
        found.digests.push(Digest::Result(Box::new(result)));
        let report = report(&found, ERROR, None, "");
        assert_eq!(report.class, Class::TaskFailure, "{said}: {}", report.detail);
        assert!(report.detail.contains(said), "{}", report.detail);
    }
}

// rows: 65
// Seed defect D3, core/claude.ts:337-346: what it said there was not looked at.
#[test]
fn a_call_without_a_result_is_judged_by_standard_error() {
    let rows = [
        ("Error: Session ID x is already in use.", Class::Config),
        (
            "Error: Input must be provided either through stdin or as a prompt argument when using --print",
            Class::Config,
        ),
        ("error: unknown option '--no-such-flag'", Class::Config),
        (
            "--dangerously-skip-permissions cannot be used with root/sudo privileges for security reasons",
            Class::Config,
        ),
        ("Error: piped stdin input exceeds 10MB", Class::ContextTooLong),
        ("noise\nNot logged in · Please run /login\nnoise", Class::Auth),
        ("Bun has crashed.", Class::TaskFailure),
        ("", Class::TaskFailure),
    ];
    for (stderr, class) in rows {
        let report = report(&Decoded::default(), ERROR, None, stderr);
        assert_eq!(report.class, class, "{stderr}: {}", report.detail);
        assert!(!report.detail.is_empty());
    }
}

/// Who ended it is said in a person's words.
#[test]
fn a_call_that_was_ended_says_by_what() {
    let signals = [
        (1, "(1, SIGHUP)"),
        (2, "(2, SIGINT)"),
        (6, "(6, SIGABRT)"),
        (9, "(9, SIGKILL, perhaps because memory ran out)"),
        (11, "(11, SIGSEGV)"),
        (15, "(15, SIGTERM)"),
        (10, "(10, a signal)"),
    ];
    for (signal, name) in signals {
        let report = report(&Decoded::default(), Ended::Signalled(signal), None, "");
        assert_eq!(report.class, Class::TaskFailure);
        assert_eq!(report.detail, format!("Claude Code was ended from outside {name}."));
    }
    let retrying = || Digest::Retry { status: Some(529), error: "overloaded".into() };
    let mut found = Decoded::default();
    found.digests.push(retrying());
    let rows = [
        (
            Cut::Silence,
            Class::Outage,
            "Claude Code printed nothing for 15 min; it was retrying a request (overloaded 529).",
        ),
        (
            Cut::WallClock,
            Class::Outage,
            "Claude Code worked for 150 min, longer than a call may; it was retrying a request (overloaded 529).",
        ),
        (Cut::Duration, Class::TaskFailure, "The run's time was used up while Claude Code worked."),
    ];
    for (cut, class, detail) in rows {
        let report = report(&found, Ended::Signalled(15), Some(cut), "");
        assert_eq!((report.class, report.detail.as_str()), (class, detail), "{cut:?}");
    }
}

#[test]
fn a_detail_is_one_line() {
    let mut found = Decoded::default();
    found.digests.push(Digest::Retry { status: None, error: "over\nloa\u{1b}[1mded".into() });
    let report = report(&found, Ended::Signalled(15), Some(Cut::Silence), "");
    assert_eq!(
        report.detail,
        "Claude Code printed nothing for 15 min; it was retrying a request (overloaded)."
    );
}

const ACCOUNT_LIMIT: &str = "API Error: 400 You have reached your specified API usage limits. You will regain access on \
                             2026-12-01 at 00:00 UTC.";

type Failure = (&'static str, &'static str, ResultDigest, Class);

#[expect(clippy::too_many_lines, reason = "a table")]
fn failures() -> Vec<Failure> {
    vec![
        ("request over 32 MB", "", reason("image_error", Some(413)), Class::ContextTooLong),
        (
            "a refusal of the model",
            "",
            ResultDigest { stop_reason: "refusal".into(), ..reason("api_error", None) },
            Class::TaskFailure,
        ),
        ("broken image", "", reason("image_error", Some(400)), Class::TaskFailure),
        ("blocking limit", "", reason("blocking_limit", None), Class::ContextTooLong),
        ("blocking limit of old, a quota", "", reason("blocking_limit", Some(429)), Class::Outage),
        ("refill", "", reason("rapid_refill_breaker", None), Class::ContextTooLong),
        ("model error", "", reason("model_error", None), Class::TaskFailure),
        ("unknown model", "model_not_found", status(404, "There's an issue"), Class::Config),
        (
            "output limit",
            "max_output_tokens",
            text("API Error: Claude's response exceeded"),
            Class::TaskFailure,
        ),
        ("hold", "account_on_hold", text(""), Class::Permission),
        ("organization", "oauth_org_not_allowed", text(""), Class::Permission),
        ("verification", "verification_required", text(""), Class::Permission),
        ("cloud", "cloud_credential_error", text(""), Class::Auth),
        (
            "refresh lock",
            "authentication_failed",
            text("another Claude Code process is holding the refresh lock"),
            Class::Outage,
        ),
        ("marked only", "overloaded", text(""), Class::Outage),
        ("marked only", "rate_limit", text(""), Class::Outage),
        ("unknown word", "brand_new", status(503, ""), Class::Outage),
        ("401", "", status(401, ""), Class::Auth),
        ("402", "", status(402, ""), Class::Billing),
        ("404", "", status(404, ""), Class::Config),
        ("418", "", status(418, ""), Class::Unknown),
        ("marked only", "model_not_found", text(""), Class::Config),
        (
            "subtype only",
            "",
            ResultDigest { subtype: "error_during_execution".into(), ..failed() },
            Class::TaskFailure,
        ),
        (
            "limit by its own word",
            "",
            ResultDigest { api_error: "usage_limit_reached".into(), ..failed() },
            Class::UsageLimit,
        ),
        ("typed", "", typed("authentication_error"), Class::Auth),
        ("typed", "", typed("billing_error"), Class::Billing),
        ("typed", "", typed("permission_error"), Class::Permission),
        ("typed", "", typed("not_found_error"), Class::Config),
        ("typed", "", typed("rate_limit_error"), Class::Outage),
        ("typed", "", typed("overloaded_error"), Class::Outage),
        ("typed", "", typed("timeout_error"), Class::Outage),
        ("403", "", status(403, ""), Class::Permission),
        ("408", "", status(408, ""), Class::Outage),
        (
            "third party",
            "invalid_request",
            status(400, "API Error: 400 Third-party apps now draw from your extra usage"),
            Class::Billing,
        ),
        (
            "too long, of old",
            "invalid_request",
            status(400, "API Error: 400 prompt is too long: 2 tokens > 1 maximum"),
            Class::ContextTooLong,
        ),
        ("limit, of old", "", text("Claude AI usage limit reached|1795300000"), Class::UsageLimit),
        ("limit by sentence", "", status(429, "5-hour limit reached - resets 3pm"), Class::UsageLimit),
        (
            "extra usage, timed",
            "",
            status(429, "You're out of extra usage · resets 5pm (UTC)"),
            Class::UsageLimit,
        ),
        ("extra usage", "", status(429, "You're out of extra usage"), Class::Billing),
        ("credits", "", status(429, "You're out of usage credits"), Class::Billing),
        (
            "spend limit",
            "",
            status(429, "You've hit your monthly spend limit · raise it at x"),
            Class::Billing,
        ),
        ("seat", "", status(429, "Your seat type doesn't include usage"), Class::Billing),
        (
            "throttle",
            "",
            status(429, "Server is temporarily limiting requests (not your usage limit)"),
            Class::Outage,
        ),
        ("no such session", "", text("No conversation found with session ID: x"), Class::Config),
        (
            "the account's own limit",
            "invalid_request",
            ResultDigest { api_error_type: "invalid_request_error".into(), ..status(400, ACCOUNT_LIMIT) },
            Class::UsageLimit,
        ),
        ("the same, marked otherwise", "billing_error", status(400, ACCOUNT_LIMIT), Class::UsageLimit),
        (
            "the same without a time",
            "",
            status(400, "API Error: 400 You have reached your specified API usage limits."),
            Class::UsageLimit,
        ),
        (
            "throttle, as text",
            "",
            text("API Error: 429 {\"error\":{\"type\":\"rate_limit_error\"}}"),
            Class::Outage,
        ),
        ("overload, as text", "", text("API Error: Overloaded"), Class::Outage),
        ("overload, marked", "unknown", text("API Error: Overloaded"), Class::Outage),
        (
            "an error that is called none",
            "unknown",
            ResultDigest { is_error: false, ..text("API Error: 529 {\"type\":\"overloaded_error\"}") },
            Class::Outage,
        ),
        ("a refusal, as text", "", text("API Error: 400 messages.1: bad thing"), Class::Unknown),
        ("no answer that is one, and nothing used", "", reason("api_error", None), Class::Outage),
        (
            "a refusal, by its reason",
            "",
            ResultDigest { text: "API Error: 418 no".into(), ..reason("api_error", None) },
            Class::Unknown,
        ),
        (
            "another program in the API's place",
            "unknown",
            ResultDigest {
                text: "API Error: API returned an empty or malformed response (HTTP 200) — check for a proxy"
                    .into(),
                ..reason("api_error", None)
            },
            Class::Outage,
        ),
        (
            "a start that failed, whatever it was",
            "",
            ResultDigest { startup_failure: "brand_new".into(), turns: Some(0), ..text("It broke.") },
            Class::Config,
        ),
        (
            "nobody was asked anything",
            "",
            ResultDigest {
                subtype: "error_during_execution".into(),
                turns: Some(0),
                cost_usd: Some(0.0),
                ..text("Something is wrong.")
            },
            Class::Unknown,
        ),
        ("a refusal, by its status alone", "", reason("model_error", Some(418)), Class::Unknown),
        (
            "a refusal, by its words alone",
            "",
            ResultDigest { text: "API Error: bad thing".into(), ..reason("model_error", None) },
            Class::Unknown,
        ),
        ("nothing known", "", text("what?"), Class::Unknown),
    ]
}

/// As 2.1.330 says it. What it says to type is told whole: it puts the file right.
#[test]
fn a_broken_file_of_its_own_is_no_failure_of_a_task() {
    let (file, backup) =
        ("/home/dev/.claude/.claude.json", "/home/dev/.claude/backups/.claude.json.backup.1");
    let mend = format!("cp -f \"{backup}\" \"{file}\"");
    let said = format!(
        "Configuration error in {file}: JSON Parse error: Unexpected EOF\nA backup file exists at: {backup}\n\
         You can manually restore it by running: {mend}"
    );
    for reason in [serde_json::json!("config_file_invalid"), serde_json::Value::Null] {
        let line = serde_json::json!({
            "type": "result", "subtype": "error_during_execution", "is_error": true, "num_turns": 0,
            "total_cost_usd": 0, "errors": [&said], "startup_failure_reason": reason,
        });
        let report = report(&decode(line.to_string()), ERROR, None, "");
        assert_eq!(report.class, Class::Config, "{}", report.detail);
        assert!(report.detail.ends_with(&mend), "{}", report.detail);
    }
}

/// As 2.1.330 says it: a success, in whose words the prompt stands, and with it the phrase that claims to be done.
#[test]
fn a_prompt_that_a_hook_kept_from_the_model_is_no_answer() {
    let prompt = format!("Original prompt: {} WINDLASS_JOB_COMPLETE\n", "x".repeat(100_000));
    for (said, words) in [
        (
            format!("UserPromptSubmit operation blocked by hook:\n[exit 2]: policy says no\n\n\n{prompt}"),
            "policy says no",
        ),
        (format!("UserPromptSubmit operation blocked by hook:\npolicy reason\n\n{prompt}"), "policy reason"),
        ("Operation stopped by hook: policy stop".to_owned(), "policy stop"),
    ] {
        let line = |turns: u32| {
            serde_json::json!({
                "type": "result", "subtype": "success", "is_error": false, "num_turns": turns,
                "total_cost_usd": 0, "result": &said,
            })
        };
        let blocked = report(&decode(line(0).to_string()), Ended::Exited(0), None, "");
        assert_eq!((blocked.class, blocked.results.len()), (Class::Config, 0), "{}", blocked.detail);
        assert!(
            blocked.detail.contains(words) && blocked.detail.contains("UserPromptSubmit"),
            "{}",
            blocked.detail
        );
        assert!(!blocked.detail.contains("Original prompt"), "{}", blocked.detail);
        let answered = report(&decode(line(1).to_string()), Ended::Exited(0), None, "");
        assert_eq!(answered.class, Class::Success, "what the model says of hooks is its answer");
    }
}

#[test]
fn a_turn_that_a_hook_ended_is_a_success_that_says_so() {
    for reason in ["hook_stopped", "stop_hook_prevented"] {
        let line = format!(
            r#"{{"type":"result","subtype":"success","is_error":false,"terminal_reason":"{reason}","result":""}}"#
        );
        let report = report(&decode(line), Ended::Exited(0), None, "");
        assert_eq!(report.class, Class::Success);
        assert!(report.detail.contains("a hook of the agent's settings") && report.detail.contains(reason));
    }
}

/// What helps is said where the prompt is not what is too long, and no word of what is quoted is cut in two.
#[test]
fn what_the_conversation_read_is_not_blamed_on_the_notes() {
    let rows = [
        (
            "Autocompact is thrashing: the context refilled to the limit within 3 turns of the previous compact, 3 times in a \
             row. A file being read or a tool output is likely too large for the context window.",
            "A file being read or a tool…",
            "Have large files and outputs read in parts",
        ),
        (
            "Request too large (max 32MB). Accumulated images and attachments in the conversation pushed the request over the \
             limit. Remove older images or compact the conversation.",
            "images or compact…",
            "Have fewer images and attachments looked at",
        ),
    ];
    for (said, quoted, then) in rows {
        let mut found = Decoded::default();
        let result = ResultDigest { text: said.into(), ..reason("rapid_refill_breaker", None) };
        found.digests.push(Digest::Result(Box::new(result)));
        let report = report(&found, ERROR, None, "");
        assert_eq!(report.class, Class::ContextTooLong);
        for part in [quoted, then] {
            assert!(report.detail.contains(part), "{part:?} is not in: {}", report.detail);
        }
        assert!(!report.detail.contains("notes"), "{}", report.detail);
    }
}
