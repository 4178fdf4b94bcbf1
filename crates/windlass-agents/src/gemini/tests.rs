//! Every recording of `gemini --output-format stream-json` (0.61.0).

use windlass_core::values::Ended;

use crate::tests::recorded::{OK, Row, SILENT, play, rows};

const RECORDINGS: &[Row] = rows! {
    "ok-tools": OK, None => Success, 2 tools, 1474 tokens, "";
    "401": Ended::Exited(145), None => Auth, 0 tools, 0 tokens, "Gemini CLI's login is refused: Request had invalid authentic";
    "400-api-key-invalid": Ended::Exited(144), None => Auth, 0 tools, 0 tokens, "Gemini CLI's login is refused: API key not valid. Please pas";
    "403-permission": Ended::Exited(147), None => Permission, 0 tools, 0 tokens, "The account may not do this: Your API key was reported as le";
    "no-key": Ended::Exited(41), None => Auth, 0 tools, 0 tokens, "Gemini CLI's login is refused: Update your environment and t";
    "no-key-no-settings": Ended::Exited(41), None => Auth, 0 tools, 0 tokens, "Gemini CLI's login is refused: Please set an Auth method in ";
    "untrusted-default": Ended::Exited(55), None => Config, 0 tools, 0 tokens, "Gemini CLI cannot run as configured: Gemini CLI is not runni";
    "quota-per-day": Ended::Exited(173), None => UsageLimit, 0 tools, 0 tokens, "A usage limit was reached: You have exhausted your daily quo";
    "429-retry-3600": Ended::Exited(173), None => UsageLimit, 0 tools, 0 tokens, "A usage limit was reached: You exceeded your current quota, ";
    "quota-exhausted-code-assist": SILENT.0, SILENT.1 => UsageLimit, 0 tools, 0 tokens, "A usage limit was reached: You have exhausted your capacity ";
    "429-per-minute-2s-then-ok": OK, None => Success, 0 tools, 1234 tokens, "";
    "429-bare": Ended::Exited(173), None => Outage, 0 tools, 0 tokens, "The model could not be reached for now: Resource has been ex";
    "500-then-ok": OK, None => Success, 0 tools, 1234 tokens, "";
    "500-forever": Ended::Exited(244), None => Outage, 0 tools, 0 tokens, "The model could not be reached for now: An internal error ha";
    "503-overloaded": Ended::Exited(247), None => Outage, 0 tools, 0 tokens, "The model could not be reached for now: The model is overloa";
    "conn-refused": Ended::Exited(1), None => Outage, 0 tools, 0 tokens, "The model could not be reached for now: exception TypeError:";
    "stream-cut-once": Ended::Exited(1), None => Outage, 0 tools, 0 tokens, "The model could not be reached for now: terminated.";
    "stream-cut-clean": Ended::Exited(1), None => Outage, 0 tools, 0 tokens, "The model could not be reached for now: terminated.";
    "stall-15s": SILENT.0, SILENT.1 => TaskFailure, 0 tools, 0 tokens, "Gemini CLI printed nothing for 15 min, and was ended.";
    "bad-model-404": Ended::Exited(1), None => Config, 0 tools, 0 tokens, "Gemini CLI cannot run as configured: models/gemini-nope is n";
    "context-too-long": Ended::Exited(144), None => ContextTooLong, 0 tools, 0 tokens, "The prompt is too long for the model: The input token count ";
    "refusal-safety": OK, None => TaskFailure, 0 tools, 480 tokens, "Gemini CLI reported an error: The model response was blocked";
    "refusal-prompt-blocked": OK, None => TaskFailure, 0 tools, 480 tokens, "Gemini CLI reported an error: Model stream ended without a f";
    "no-result-empty": OK, None => TaskFailure, 0 tools, 480 tokens, "Gemini CLI reported an error: The model returned an empty re";
    "max-tokens": OK, None => Success, 0 tools, 120 tokens, "";
    "denied-default": OK, None => Success, 2 tools, 1474 tokens, "";
    "max-turns": Ended::Exited(53), None => MaxTurns, 2 tools, 240 tokens, "The call used up its turns.";
    "huge-output": OK, None => TaskFailure, 1 tools, 0 tokens, "Gemini CLI ended without a result (exit code 0): Ripgrep is ";
    "non-utf8": OK, None => Success, 1 tools, 1354 tokens, "";
    "bg-left": OK, None => Success, 1 tools, 1354 tokens, "";
    "sigint": OK, None => TaskFailure, 1 tools, 0 tokens, "Gemini CLI ended without a result (exit code 0): Ripgrep is ";
    "sigterm": OK, None => TaskFailure, 1 tools, 0 tokens, "Gemini CLI ended without a result (exit code 0): [STARTUP] C";
    "sigkill": Ended::Signalled(9), None => TaskFailure, 1 tools, 0 tokens, "Gemini CLI was ended from outside (9, SIGKILL, perhaps becau";
    "sigterm-group": OK, None => TaskFailure, 1 tools, 0 tokens, "Gemini CLI ended without a result (exit code 0): Ripgrep is ";
    "prompt-10mb": OK, None => ContextTooLong, 0 tools, 0 tokens, "The prompt is too long for the model. Shorten the prompt or ";
    "unknown-flag": Ended::Exited(1), None => Config, 0 tools, 0 tokens, "Gemini CLI cannot run as configured: it does not know an arg";
    "bad-settings": Ended::Exited(52), None => Config, 0 tools, 0 tokens, "Gemini CLI cannot run as configured: Error in /home/user/.ge";
    "system-md": OK, None => Success, 0 tools, 1234 tokens, "";
};

#[test]
fn every_recording_is_judged() {
    play("gemini-stream", RECORDINGS);
}
