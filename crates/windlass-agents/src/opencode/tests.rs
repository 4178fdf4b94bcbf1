//! Every recording of opencode 1.18.33, and what its lines mean.

use std::time::Duration;

use windlass_core::spec::AgentSpec;
use windlass_core::values::{CallReport, Class, Cost, Cut, Ended};

use crate::testing::clocks;
use crate::tests::recorded::{Heard, OK, Row, SILENT, play, report, rows};
use crate::{CallWatch, Detail, Due};

/// Those without a word were made without its log, which Windlass has it print: there each try that failed stands.
const RECORDINGS: &[Row] = rows! {
    "ok-tools": OK, None => Success, 3 tools, 1474 tokens, "";
    "401": Ended::Exited(1), None => Auth, 0 tools, 0 tokens, "opencode's login is refused: Incorrect API key";
    "402-billing": Ended::Exited(1), None => Billing, 0 tools, 0 tokens, "The account cannot pay for this: Insufficient credits";
    "usage-limit": SILENT.0, SILENT.1 => TaskFailure, 0 tools, 0 tokens, "opencode printed nothing for 15 min, and was ended.";
    "insufficient-quota": SILENT.0, SILENT.1 => TaskFailure, 0 tools, 0 tokens, "opencode printed nothing for 15 min, and was ended.";
    "429-retry-after-2-then-ok": OK, None => Success, 0 tools, 1234 tokens, "";
    "429-retry-after-3600": SILENT.0, SILENT.1 => TaskFailure, 0 tools, 0 tokens, "opencode printed nothing for 15 min, and was ended.";
    "429-no-header": SILENT.0, SILENT.1 => TaskFailure, 0 tools, 0 tokens, "opencode printed nothing for 15 min, and was ended.";
    "500-then-ok": OK, None => Success, 0 tools, 1234 tokens, "";
    "503-overloaded": SILENT.0, SILENT.1 => Outage, 0 tools, 0 tokens, "opencode printed nothing for 15 min; it was retrying a request (overloaded)";
    "conn-refused": SILENT.0, SILENT.1 => TaskFailure, 0 tools, 0 tokens, "opencode printed nothing for 15 min, and was ended.";
    "stream-cut-once": OK, None => Success, 0 tools, 1234 tokens, "";
    "stream-cut-clean": OK, None => Success, 0 tools, 1234 tokens, "";
    "stall": SILENT.0, SILENT.1 => TaskFailure, 0 tools, 0 tokens, "opencode printed nothing for 15 min, and was ended.";
    "context-too-long": Ended::Exited(143), Some(Cut::HopelessRetries) => ContextTooLong, 0 tools, 24 tokens, "The prompt is too long for the model";
    "bad-model-404": Ended::Exited(1), None => Config, 0 tools, 0 tokens, "opencode cannot run as configured: The model `m1` does not e";
    "bad-model-local": Ended::Exited(1), None => Config, 0 tools, 0 tokens, "opencode cannot run as configured: Unexpected server error";
    "no-provider": SILENT.0, SILENT.1 => TaskFailure, 0 tools, 0 tokens, "opencode printed nothing for 15 min, and was ended.";
    "refusal-content-filter": Ended::Exited(1), None => TaskFailure, 0 tools, 120 tokens, "opencode reported an error: The response was blocked";
    "no-result-empty": OK, None => TaskFailure, 0 tools, 120 tokens, "opencode ended its turn without a word";
    "length": OK, None => Success, 0 tools, 120 tokens, "";
    "denied-rule": OK, None => Success, 2 tools, 1474 tokens, "";
    "ask-rule": OK, None => TaskFailure, 1 tools, 120 tokens, "opencode ended without a result (exit code 0): ! permission";
    "ask-rule-auto": OK, None => Success, 1 tools, 1354 tokens, "";
    "external-dir": OK, None => TaskFailure, 1 tools, 120 tokens, "opencode ended without a result (exit code 0): ! permission";
    "huge-output": OK, None => Success, 1 tools, 1354 tokens, "";
    "non-utf8": OK, None => Success, 1 tools, 1354 tokens, "";
    "bg-left": SILENT.0, SILENT.1 => TaskFailure, 0 tools, 0 tokens, "opencode printed nothing for 15 min, and was ended.";
    "sigint": Ended::Signalled(2), None => TaskFailure, 0 tools, 0 tokens, "opencode was ended from outside (2, SIGINT).";
    "sigterm": Ended::Signalled(15), None => TaskFailure, 0 tools, 0 tokens, "opencode was ended from outside (15, SIGTERM).";
    "sigkill": Ended::Signalled(9), None => TaskFailure, 0 tools, 0 tokens, "opencode was ended from outside (9, SIGKILL, perhaps because";
    "unknown-flag": Ended::Exited(1), None => Config, 0 tools, 0 tokens, "opencode cannot run as configured: it does not know an argum";
    "bad-config": Ended::Exited(1), None => Config, 0 tools, 0 tokens, "opencode cannot run as configured: Error: Config file at";
    "prompt-2mb": OK, None => Success, 0 tools, 1234 tokens, "";
    "env-config": OK, None => Success, 3 tools, 1474 tokens, "";
    "claude-md": OK, None => Success, 0 tools, 1234 tokens, "";
    "prompt-10mb": OK, None => Success, 0 tools, 1234 tokens, "";
};

#[test]
fn every_recording_is_judged() {
    play("opencode", RECORDINGS);
}

fn tried_again(cause: &str) -> CallReport {
    let line = format!(
        "level=ERROR message=\"stream error\" small=false error.error=\"AI_APICallError: {cause}\"\n"
    );
    report("opencode", b"", &line.repeat(8), Ended::Exited(143), Some(Cut::HopelessRetries))
}

#[test]
fn what_it_tries_again_is_judged_by_its_sentence() {
    for (cause, class) in [
        ("overloaded", Class::Outage),
        ("This request would exceed your account's rate limit", Class::Outage),
        ("Cannot connect to API: Unable to connect", Class::Outage),
        ("Claude usage limit reached. Your limit will reset at 9pm", Class::UsageLimit),
        ("You exceeded your current quota", Class::Billing),
    ] {
        assert_eq!(tried_again(cause).class, class, "{cause}");
    }
    let limit = tried_again("Claude usage limit reached. Your limit will reset at 9pm").limit.unwrap();
    assert_eq!(limit.resets_at, Some("2026-11-22T21:00:00Z".parse().unwrap()));
}

#[test]
fn its_steps_are_added_up_and_a_model_that_it_has_no_price_for_is_an_estimate() {
    let step = |cost: &str| {
        format!(
            "{{\"type\":\"text\",\"part\":{{\"text\":\"done\"}}}}\n{{\"type\":\"step_finish\",\"part\":{{\"id\":\"{cost}\",\"reason\":\"stop\",\
             \"tokens\":{{\"input\":100,\"output\":20}},\"cost\":{cost}}}}}\n"
        )
    };
    let priced = report("opencode", (step("0.25") + &step("0.5")).as_bytes(), "", OK, None);
    assert_eq!((priced.cost, priced.tokens.total()), (Some(Cost::from_micros(750_000)), 240));
    let unknown = report("opencode", step("0").as_bytes(), "", OK, None);
    assert_eq!((unknown.cost, unknown.bill.reported.cost), (None, Cost::from_micros(1000)));
}

#[test]
fn what_its_steps_cost_is_known_where_it_dies_between_them() {
    let step = |id: &str| {
        format!(
            "{{\"type\":\"step_finish\",\"part\":{{\"id\":\"{id}\",\"reason\":\"tool-calls\",\"tokens\":{{\"input\":100}},\"cost\":3.6}}}}\n"
        )
    };
    let died = report("opencode", (step("a") + &step("b")).as_bytes(), "", Ended::Signalled(9), None);
    assert_eq!((died.cost, died.bill.named), (None, Cost::from_micros(7_200_000)));
}

// 277 requests in half a minute were seen, all of them billed.
#[test]
fn a_prompt_that_is_too_long_twice_ends_the_call() {
    let overflow = b"{\"type\":\"error\",\"error\":{\"name\":\"ContextOverflowError\",\"data\":{\"message\":\"too long\"}}}";
    let summary: [&[u8]; 3] = [
        b"{\"type\":\"step_start\",\"part\":{}}",
        b"{\"type\":\"text\",\"part\":{\"text\":\"ok\"}}",
        b"{\"type\":\"step_finish\",\"part\":{\"reason\":\"stop\"}}",
    ];
    let mut watch = CallWatch::new(&AgentSpec::new("opencode", "o".into()), Duration::ZERO, clocks());
    let (mut decoder, mut heard) = (crate::named("opencode").decoder(), Heard::default());
    let mut due = |line: &[u8]| {
        decoder.line(line, Detail::Digests, &mut heard);
        heard.0.drain(..).for_each(|digest| watch.observe(Duration::from_secs(1), &digest));
        watch.due(Duration::from_secs(1))
    };
    assert_eq!(due(overflow), None);
    assert_eq!(summary.map(&mut due), [None; 3]);
    assert_eq!(due(overflow), Some(Due::Cut(Cut::HopelessRetries)));
}
