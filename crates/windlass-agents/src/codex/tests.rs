//! Every recording of Codex 0.169.0, by its app server and by `codex exec`, and what its lines mean.

use windlass_core::values::Ended;

use crate::tests::recorded::{OK, Row, SILENT, play, rows};

mod talk;

const BY_APP_SERVER: &[Row] = rows! {
    "ok-tools": OK, None => Success, 2 tools, 1474 tokens, "";
    "401": OK, None => Auth, 0 tools, 0 tokens, "Codex's login is refused: unexpected status 401 Unauthorized";
    "500-forever": OK, None => Outage, 0 tools, 0 tokens, "The model could not be reached for now: We’re currently expe";
    "503-overloaded": OK, None => Outage, 0 tools, 0 tokens, "The model could not be reached for now: Selected model is at";
    "bad-model": OK, None => Config, 0 tools, 0 tokens, "Codex cannot run as configured: The model `gpt-nope` does no";
    "usage-limit-reset": OK, None => UsageLimit, 0 tools, 0 tokens, "A usage limit was reached: You’ve hit your usage limit. Upgr";
};

const BY_EXEC: &[Row] = rows! {
    "ok-tools": OK, None => Success, 2 tools, 1474 tokens, "";
    "401": Ended::Exited(1), None => Auth, 0 tools, 0 tokens, "Codex's login is refused: unexpected status 401 Unauthorized";
    "403": Ended::Exited(1), None => Permission, 0 tools, 0 tokens, "The account may not do this: unexpected status 403 Forbidden";
    "no-key": Ended::Exited(1), None => Auth, 0 tools, 0 tokens, "Codex's login is refused: Missing environment variable: `FAK";
    "usage-limit-reset": Ended::Exited(1), None => UsageLimit, 0 tools, 0 tokens, "A usage limit was reached: You’ve hit your usage limit. Upgr";
    "usage-limit-reset-days": Ended::Exited(1), None => UsageLimit, 0 tools, 0 tokens, "A usage limit was reached: You’ve hit your usage limit. Visi";
    "usage-limit-no-reset": Ended::Exited(1), None => UsageLimit, 0 tools, 0 tokens, "A usage limit was reached: You’ve hit your usage limit. Upgr";
    "usage-limit-team": Ended::Exited(1), None => UsageLimit, 0 tools, 0 tokens, "A usage limit was reached: You’ve hit your usage limit. To g";
    "usage-not-included": Ended::Exited(1), None => Billing, 0 tools, 0 tokens, "The account cannot pay for this: To use Codex with your Chat";
    "429-insufficient-quota": Ended::Exited(1), None => Billing, 0 tools, 0 tokens, "The account cannot pay for this: Quota exceeded. Check your ";
    "failed-insufficient-quota": Ended::Exited(1), None => Billing, 0 tools, 0 tokens, "The account cannot pay for this: Quota exceeded. Check your ";
    "429-no-header": Ended::Exited(1), None => Outage, 0 tools, 0 tokens, "The model could not be reached for now: exceeded retry limit";
    "429-retry-after-2": OK, None => Success, 0 tools, 1234 tokens, "";
    "429-retry-after-3600": SILENT.0, SILENT.1 => Outage, 0 tools, 0 tokens, "Codex printed nothing for 15 min; it was retrying a request ";
    "failed-rate-limit": OK, None => Success, 0 tools, 1234 tokens, "";
    "500-then-ok": OK, None => Success, 0 tools, 1234 tokens, "";
    "500-forever": Ended::Exited(1), None => Outage, 0 tools, 0 tokens, "The model could not be reached for now: We’re currently expe";
    "503-overloaded": Ended::Exited(1), None => Outage, 0 tools, 0 tokens, "The model could not be reached for now: Selected model is at";
    "503-slow-down": Ended::Exited(1), None => Outage, 0 tools, 0 tokens, "The model could not be reached for now: rate limit exceeded:";
    "failed-overloaded": Ended::Exited(1), None => Outage, 0 tools, 0 tokens, "The model could not be reached for now: Selected model is at";
    "conn-refused": SILENT.0, SILENT.1 => Outage, 0 tools, 0 tokens, "Codex printed nothing for 15 min; it was retrying a request ";
    "stream-cut-once": OK, None => Success, 0 tools, 1234 tokens, "";
    "stream-cut-forever": Ended::Exited(1), None => Outage, 0 tools, 0 tokens, "The model could not be reached for now: stream disconnected ";
    "stall-idle8s": OK, None => Success, 0 tools, 1234 tokens, "";
    "stall-default-60s": SILENT.0, SILENT.1 => TaskFailure, 0 tools, 0 tokens, "Codex printed nothing for 15 min, and was ended.";
    "context-too-long": Ended::Exited(1), None => ContextTooLong, 0 tools, 0 tokens, "The prompt is too long for the model: Codex ran out of room ";
    "context-too-long-400": Ended::Exited(1), None => ContextTooLong, 0 tools, 0 tokens, "The prompt is too long for the model: Codex ran out of room ";
    "bad-model-404": Ended::Exited(1), None => Config, 0 tools, 0 tokens, "Codex cannot run as configured: The model `gpt-nope` does no";
    "bad-model-400": Ended::Exited(1), None => Config, 0 tools, 0 tokens, "Codex cannot run as configured: The requested model 'gpt-nop";
    "refusal-cyber-policy": Ended::Exited(1), None => Unknown, 0 tools, 0 tokens, "Codex failed for a reason that is not known: This request wa";
    "refusal-part": OK, None => TaskFailure, 0 tools, 13 tokens, "Codex ended its turn without a word: the model refused, or i";
    "incomplete-content-filter": Ended::Exited(1), None => TaskFailure, 0 tools, 0 tokens, "Codex reported an error: stream disconnected before completi";
    "no-result-empty": OK, None => TaskFailure, 0 tools, 120 tokens, "Codex ended its turn without a word: the model refused, or i";
    "denied-read-only": OK, None => Success, 0 tools, 1594 tokens, "";
    "default-perms": OK, None => Success, 1 tools, 1354 tokens, "";
    "workspace-write2": OK, None => Success, 1 tools, 1354 tokens, "";
    "huge-output": OK, None => Success, 1 tools, 1354 tokens, "";
    "huge-text": OK, None => Success, 0 tools, 120 tokens, "";
    "non-utf8": OK, None => Success, 1 tools, 1354 tokens, "";
    "bg-left": OK, None => Success, 1 tools, 1354 tokens, "";
    "bg-session-left": OK, None => Success, 1 tools, 1354 tokens, "";
    "sigint": Ended::Exited(1), None => TaskFailure, 1 tools, 0 tokens, "Codex ended without a result (exit code 1): 2026-11-22T18:37";
    "sigterm": Ended::Signalled(15), None => TaskFailure, 1 tools, 0 tokens, "Codex was ended from outside (15, SIGTERM).";
    "sigkill": Ended::Signalled(9), None => TaskFailure, 1 tools, 0 tokens, "Codex was ended from outside (9, SIGKILL, perhaps because me";
    "sighup": Ended::Signalled(1), None => TaskFailure, 1 tools, 0 tokens, "Codex was ended from outside (1, SIGHUP).";
    "sigterm-waiting": Ended::Signalled(15), None => TaskFailure, 0 tools, 0 tokens, "Codex was ended from outside (15, SIGTERM).";
    "sigint-waiting": Ended::Exited(1), None => TaskFailure, 0 tools, 0 tokens, "Codex ended without a result (exit code 1).";
    "prompt-10mb": Ended::Exited(1), None => ContextTooLong, 0 tools, 0 tokens, "The prompt is too long for the model: Error: turn/start: tur";
    "ephemeral": OK, None => Success, 0 tools, 1234 tokens, "";
    "output-schema": OK, None => Success, 0 tools, 120 tokens, "";
    "unknown-flag": Ended::Exited(2), None => Config, 0 tools, 0 tokens, "Codex cannot run as configured: error: unexpected argument '";
    "bad-config-toml": Ended::Exited(1), None => Config, 0 tools, 0 tokens, "Codex cannot run as configured: Error loading config.toml:. ";
    "bad-config-value": Ended::Exited(1), None => Config, 0 tools, 0 tokens, "Codex cannot run as configured: Error loading config.toml: u";
    "not-git-no-skip": Ended::Exited(1), None => Config, 0 tools, 0 tokens, "Codex cannot run as configured: Not inside a trusted directo";
    "empty-stdin": Ended::Exited(1), None => Config, 0 tools, 0 tokens, "Codex cannot run as configured: No prompt provided via stdin";
    "openai-provider-cfg": OK, None => Success, 0 tools, 2 tokens, "";
};

#[test]
fn every_recording_is_judged() {
    play("codex", BY_APP_SERVER);
    play("codex-exec", BY_EXEC);
}
