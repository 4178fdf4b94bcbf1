//! The table of recordings: a row for each, and no recording without a row.

use windlass_core::values::{Class, Cut, Ended};

macro_rules! recordings {
    ($($file:literal: $ended:expr, $cut:expr => $class:ident, $results:literal results, $tools:literal tools, $detail:literal;)*) => {
        /// File, content, how the process ended, why the runner ended it; and what has to come of it.
        pub(super) const RECORDINGS: &[(&str, &[u8], Ended, Option<Cut>, Class, usize, u32, &str)] = &[$((
            $file,
            include_bytes!(concat!("../../../../fixtures/claude/", $file)),
            $ended,
            $cut,
            Class::$class,
            $results,
            $tools,
            $detail,
        )),*];
    };
}

pub(super) const OK: Ended = Ended::Exited(0);
pub(super) const ERROR: Ended = Ended::Exited(1);

recordings! {
    "bg-cap.ndjson": OK, None => Success, 2 results, 1 tools, "";
    "bg-disabled.ndjson": OK, None => Success, 1 results, 1 tools, "";
    "bg-json-format.json": OK, None => Success, 1 results, 0 tools, "";
    "bg-natural-sleep20.ndjson": OK, None => Success, 2 results, 1 tools, "";
    "bg-text-format.txt": OK, None => TaskFailure, 0 results, 0 tools, "Claude Code ended without a result (exit code 0)";
    "context-too-long-midway.ndjson": OK, None => Success, 1 results, 2 tools, "";
    "context-too-long.ndjson": ERROR, None => ContextTooLong, 0 results, 0 tools, "The prompt is too long for the model: Prompt is too long";
    "control-interrupt.ndjson": ERROR, None => TaskFailure, 0 results, 1 tools, "Claude Code reported an error: [ede_diagnostic]";
    "empty-response.ndjson": OK, None => Success, 1 results, 0 tools, "";
    "err-400-credit.ndjson": ERROR, None => Billing, 0 results, 0 tools, "The account cannot pay for this: Credit balance is too low. Waiting";
    "err-400-invalid.ndjson": ERROR, None => Unknown, 0 results, 0 tools, "Claude Code failed for a reason that is not known: API Error: 400 messages.1: bad thing";
    "err-401-full.ndjson": ERROR, None => Auth, 0 results, 0 tools, "Claude Code's login is refused: Invalid API key";
    "err-401-oauth.ndjson": ERROR, None => Auth, 0 results, 0 tools, "Claude Code's login is refused: Failed to authenticate. API Error: 401 OAuth token has expired. Run `claude`";
    "err-401-retries0.ndjson": ERROR, None => Auth, 0 results, 0 tools, "Claude Code's login is refused";
    "err-401.ndjson": Ended::Exited(143), Some(Cut::HopelessRetries) => Auth, 0 results, 0 tools, "Claude Code's login is refused: the API answers 401. Run";
    "err-403.ndjson": ERROR, None => Permission, 0 results, 0 tools, "The account may not do this: Failed to authenticate. API Error: 403";
    "err-429-no-header.ndjson": ERROR, None => Outage, 0 results, 0 tools, "The model could not be reached for now: API Error: Request rejected (429)";
    "err-429-retry-after-2.ndjson": ERROR, None => Outage, 0 results, 0 tools, "The model could not be reached";
    "err-429-retry-after-3600.ndjson": ERROR, None => Outage, 0 results, 0 tools, "The model could not be reached";
    "err-429-unified-apikey.ndjson": ERROR, None => Outage, 0 results, 0 tools, "The model could not be reached";
    "err-429-unified-oauth.ndjson": ERROR, None => UsageLimit, 0 results, 0 tools, "A usage limit was reached: You've hit your 5-hour limit · resets 9:12pm (UTC).";
    "err-500-retries2.ndjson": ERROR, None => Outage, 0 results, 0 tools, "The model could not be reached for now: API Error: 500";
    "err-500.ndjson": ERROR, None => Outage, 0 results, 0 tools, "The model could not be reached for now: API Error: 500";
    "err-529-twice-then-ok.ndjson": OK, None => Success, 1 results, 0 tools, "";
    "err-529.ndjson": ERROR, None => Outage, 0 results, 0 tools, "The model could not be reached for now: API Error: 529";
    "err-conn-refused-retries1.ndjson": ERROR, None => Outage, 0 results, 0 tools, "The model could not be reached for now: API Error: Connection refused";
    "err-conn-refused.ndjson": ERROR, None => Outage, 0 results, 0 tools, "The model could not be reached for now: API Error: Connection refused";
    "err-rst-before-headers-once.ndjson": OK, None => Success, 1 results, 0 tools, "";
    "err-rst-midstream-forever.ndjson": OK, None => Success, 1 results, 0 tools, "";
    "err-rst-midstream-once.ndjson": OK, None => Success, 1 results, 0 tools, "";
    "err-sse-overloaded-once.ndjson": OK, None => Success, 1 results, 0 tools, "";
    "err-stall-before-headers-timeout5s.ndjson": ERROR, None => Outage, 0 results, 0 tools, "The model could not be reached for now: Request timed out.";
    "err-stall-before-headers.ndjson": Ended::Signalled(9), Some(Cut::WallClock) => Outage, 0 results, 0 tools, "Claude Code worked for 150 min, longer than a call may; it was retrying a request (unknown).";
    "err-stall-midstream-once.ndjson": OK, None => Success, 1 results, 0 tools, "";
    "err-stall-midstream.ndjson": OK, None => Success, 1 results, 0 tools, "";
    "f-input-stream-json.ndjson": OK, None => Success, 2 results, 0 tools, "";
    "f-json-schema.ndjson": OK, None => Success, 1 results, 1 tools, "";
    "f-mcp.ndjson": OK, None => Success, 1 results, 1 tools, "";
    "f-noadddir.ndjson": OK, None => Success, 1 results, 1 tools, "";
    "f-perm-default-bash.ndjson": OK, None => Success, 1 results, 1 tools, "";
    "f-perm-disallowed.ndjson": OK, None => Success, 1 results, 1 tools, "";
    "f-settings-hooks.ndjson": OK, None => Success, 1 results, 1 tools, "";
    "f-worktree.ndjson": OK, None => Success, 1 results, 1 tools, "";
    "home-proc.ndjson": OK, None => Success, 1 results, 0 tools, "";
    "json-401.json": ERROR, None => Auth, 0 results, 0 tools, "Claude Code's login is refused: Invalid API key";
    "json-verbose.json": OK, None => TaskFailure, 0 results, 0 tools, "Claude Code ended without a result (exit code 0)";
    "limit-apikey-text.txt": ERROR, None => Outage, 0 results, 0 tools, "The model could not be reached";
    "limit-five-hour-text.txt": ERROR, None => UsageLimit, 0 results, 0 tools, "A usage limit was reached";
    "limit-seven-day.ndjson": ERROR, None => UsageLimit, 0 results, 0 tools, "A usage limit was reached: You've hit your weekly limit";
    "max-budget.ndjson": ERROR, None => BudgetExhausted, 0 results, 2 tools, "The call used up its budget: Reached maximum budget ($0.1).";
    "max-turns-2.ndjson": ERROR, None => MaxTurns, 0 results, 2 tools, "The call used up its turns: Reached maximum number of turns (2).";
    "no-api-key.ndjson": ERROR, None => Auth, 0 results, 0 tools, "Claude Code is not logged in. Run `claude` and then /login, or set CLAUDE_CODE_OAUTH_TOKEN.";
    "ok-unified-allowed-oauth.ndjson": OK, None => Success, 1 results, 0 tools, "";
    "ok-unified-warning-apikey.ndjson": OK, None => Success, 1 results, 0 tools, "";
    "partial-messages.ndjson": OK, None => Success, 1 results, 0 tools, "";
    "sig-hup.ndjson": Ended::Exited(129), None => TaskFailure, 0 results, 1 tools, "Claude Code was ended from outside (1, SIGHUP).";
    "sig-int.ndjson": OK, None => TaskFailure, 0 results, 1 tools, "Claude Code reported an error";
    "sig-kill.ndjson": Ended::Signalled(9), None => TaskFailure, 0 results, 1 tools, "Claude Code was ended from outside (9, SIGKILL";
    "sig-term-bgtask.ndjson": Ended::Exited(143), None => TaskFailure, 1 results, 1 tools, "Claude Code was ended from outside (15, SIGTERM).";
    "sig-term.ndjson": Ended::Exited(143), Some(Cut::Stop) => Interrupted, 0 results, 1 tools, "The call was ended because the run was asked to stop.";
    "stall-wd-byte10-en.ndjson": OK, None => Success, 1 results, 0 tools, "";
    "subagent.ndjson": OK, None => Success, 1 results, 2 tools, "";
    "text-401.txt": ERROR, None => Auth, 0 results, 0 tools, "Claude Code's login is refused";
    "text-budget.txt": ERROR, None => TaskFailure, 0 results, 0 tools, "Claude Code ended without a result (exit code 1): Error: Exceeded USD budget";
    "text-json.json": OK, None => Success, 1 results, 0 tools, "";
    "text-maxturns.txt": ERROR, None => TaskFailure, 0 results, 0 tools, "Claude Code ended without a result (exit code 1): Error: Reached max turns (1).";
    "text-nokey.txt": ERROR, None => Auth, 0 results, 0 tools, "Claude Code is not logged in";
    "text-stream-json.ndjson": OK, None => Success, 1 results, 0 tools, "";
    "text-text.txt": OK, None => TaskFailure, 0 results, 0 tools, "Claude Code ended without a result (exit code 0)";
    "tool-fail.ndjson": OK, None => Success, 1 results, 5 tools, "";
    "tools-grep-glob-explicit.ndjson": OK, None => Success, 1 results, 3 tools, "";
    "tools-grep-glob-todo.ndjson": OK, None => Success, 1 results, 4 tools, "";
    "tools-write-edit-bash.ndjson": OK, None => Success, 1 results, 5 tools, "";
    "v2.1.197-tools.ndjson": OK, None => Success, 1 results, 1 tools, "";
}
