//! Recordings of agents that speak ACP: Gemini CLI 0.61.0, Qwen Code 0.24.4, claude-agent-acp 0.101.0, opencode 1.18.33, and
//! codex-acp 2.6.0 as any other. A refused permission stands in them as our side notes it.

use windlass_core::values::{Class, Cut, Denial, Ended};

use crate::tests::recorded::{OK, Row, SILENT, play, report, rows};

mod talk;

/// It was asked to stop, and ended.
const STOPPED: (Ended, Option<Cut>) = (Ended::Exited(143), Some(Cut::Stop));

const GEMINI: &[Row] = rows! {
    "401": OK, None => Auth, 0 tools, 0 tokens, "Gemini CLI's login is refused: Request had invalid authentic";
    "403": OK, None => Permission, 0 tools, 0 tokens, "The account may not do this: Your API key was reported as le";
    "500-then-ok": OK, None => Success, 0 tools, 1234 tokens, "";
    "503-overloaded": OK, None => Outage, 0 tools, 0 tokens, "The model could not be reached for now: The model is overloa";
    "bad-model": OK, None => Config, 0 tools, 0 tokens, "Gemini CLI cannot run as configured: models/gemini-nope is n";
    "cancel-in-tool": STOPPED.0, STOPPED.1 => Interrupted, 1 tools, 0 tokens, "The call was ended because the run was asked to stop.";
    "conn-refused": OK, None => Outage, 0 tools, 0 tokens, "The model could not be reached for now: exception TypeError:";
    "context-too-long": OK, None => ContextTooLong, 0 tools, 0 tokens, "The prompt is too long for the model: The input token count ";
    "huge-output": OK, None => Success, 1 tools, 1354 tokens, "";
    "no-key": OK, None => Auth, 0 tools, 0 tokens, "Gemini CLI's login is refused: Gemini API key is missing or ";
    "no-result-empty": OK, None => TaskFailure, 0 tools, 120 tokens, "Gemini CLI ended its turn without a word: the model refused,";
    "ok-tools": OK, None => Success, 2 tools, 1474 tokens, "";
    "permission-allow": OK, None => Success, 2 tools, 1474 tokens, "";
    "permission-cancelled": OK, None => Success, 1 tools, 1354 tokens, "";
    "permission-reject": OK, None => Success, 2 tools, 1474 tokens, "";
    "prompt-10mb": OK, None => ContextTooLong, 0 tools, 0 tokens, "The prompt is too long for the model. Shorten the prompt or ";
    "quota-per-day": OK, None => UsageLimit, 0 tools, 0 tokens, "A usage limit was reached: You have exhausted your daily quo";
    "refusal-safety": OK, None => TaskFailure, 0 tools, 120 tokens, "Gemini CLI ended its turn without a word: the model refused,";
    "set-mode-yolo": OK, None => Success, 1 tools, 1354 tokens, "";
    "set-model": OK, None => Success, 0 tools, 1234 tokens, "";
    "sigkill-in-tool": Ended::Signalled(9), None => TaskFailure, 1 tools, 0 tokens, "Gemini CLI was ended from outside (9, SIGKILL, perhaps becau";
    "sigterm-in-tool": Ended::Signalled(15), None => TaskFailure, 1 tools, 0 tokens, "Gemini CLI was ended from outside (15, SIGTERM).";
    "stdin-closed-in-tool": STOPPED.0, STOPPED.1 => Interrupted, 1 tools, 0 tokens, "The call was ended because the run was asked to stop.";
    "stream-cut": OK, None => Outage, 0 tools, 0 tokens, "The model could not be reached for now: terminated.";
};

const QWEN: &[Row] = rows! {
    "401": OK, None => Auth, 0 tools, 0 tokens, "Qwen Code's login is refused: 401 Incorrect API key provided";
    "429-forever-30s": STOPPED.0, STOPPED.1 => Interrupted, 0 tools, 0 tokens, "The call was ended because the run was asked to stop.";
    "ok-tools": OK, None => Success, 3 tools, 1594 tokens, "";
};

const CLAUDE: &[Row] = rows! {
    "401": OK, None => Auth, 0 tools, 0 tokens, "Claude Code (by ACP)'s login is refused: Authentication requ";
    "529-forever": OK, None => Outage, 0 tools, 0 tokens, "The model could not be reached for now: API Error: 529 Overl";
    "air-401": OK, None => Auth, 0 tools, 0 tokens, "Claude Code (by ACP)'s login is refused: Authentication requ";
    "bad-model": OK, None => Config, 0 tools, 0 tokens, "Claude Code (by ACP) cannot run as configured: There's an is";
    "cancel-in-tool": STOPPED.0, STOPPED.1 => Interrupted, 1 tools, 120 tokens, "The call was ended because the run was asked to stop.";
    "context-too-long": OK, None => ContextTooLong, 0 tools, 0 tokens, "The prompt is too long for the model: Prompt is too long · t";
    "credit-balance": OK, None => Billing, 0 tools, 0 tokens, "The account cannot pay for this: Credit balance is too low. ";
    "no-result-empty": OK, None => TaskFailure, 0 tools, 240 tokens, "Claude Code (by ACP) ended its turn without a word: the mode";
    "ok-tools": OK, None => Success, 3 tools, 1594 tokens, "";
    "permission-allow": OK, None => Success, 3 tools, 1594 tokens, "";
    "permission-cancelled": OK, None => Success, 3 tools, 1594 tokens, "";
    "permission-reject": OK, None => Success, 3 tools, 1594 tokens, "";
    "prompt-10mb": OK, None => ContextTooLong, 1 tools, 0 tokens, "The prompt is too long for the model: Prompt is too long. Sh";
    "refusal": OK, None => TaskFailure, 0 tools, 240 tokens, "Claude Code (by ACP) reported an error: the model refused to";
    "sigkill-in-tool": Ended::Signalled(9), None => TaskFailure, 1 tools, 0 tokens, "Claude Code (by ACP) was ended from outside (9, SIGKILL, per";
    "sigterm-in-tool": Ended::Signalled(15), None => TaskFailure, 1 tools, 0 tokens, "Claude Code (by ACP) ended its turn without a word: it was c";
    "stdin-closed-in-tool": STOPPED.0, STOPPED.1 => Interrupted, 1 tools, 0 tokens, "The call was ended because the run was asked to stop.";
    "system-prompt": OK, None => Success, 0 tools, 1234 tokens, "";
    "usage-limit-oauth": OK, None => UsageLimit, 0 tools, 0 tokens, "A usage limit was reached: You've hit your 5-hour limit · re";
};

const OPENCODE: &[Row] = rows! {
    "401": OK, None => Auth, 0 tools, 0 tokens, "opencode (by ACP)'s login is refused: Incorrect API key prov";
    "402-billing": OK, None => Billing, 0 tools, 0 tokens, "The account cannot pay for this: Insufficient credits. Waiti";
    "429-retry-after-3600-15s": SILENT.0, SILENT.1 => TaskFailure, 0 tools, 0 tokens, "opencode (by ACP) printed nothing for 15 min, and was ended.";
    "500-then-ok": OK, None => Success, 0 tools, 1234 tokens, "";
    "bad-model-404": OK, None => Config, 0 tools, 0 tokens, "opencode (by ACP) cannot run as configured: The model `m1` d";
    "cancel-in-tool": STOPPED.0, STOPPED.1 => Interrupted, 1 tools, 0 tokens, "The call was ended because the run was asked to stop.";
    "conn-refused-15s": SILENT.0, SILENT.1 => TaskFailure, 0 tools, 0 tokens, "opencode (by ACP) printed nothing for 15 min, and was ended.";
    "context-too-long": SILENT.0, SILENT.1 => TaskFailure, 0 tools, 0 tokens, "opencode (by ACP) printed nothing for 15 min, and was ended.";
    "no-provider": SILENT.0, SILENT.1 => TaskFailure, 0 tools, 0 tokens, "opencode (by ACP) printed nothing for 15 min, and was ended.";
    "no-result-empty": OK, None => TaskFailure, 0 tools, 120 tokens, "opencode (by ACP) ended its turn without a word: the model r";
    "ok-tools": OK, None => Success, 3 tools, 1234 tokens, "";
    "permission-allow": OK, None => Success, 3 tools, 1234 tokens, "";
    "permission-cancelled": OK, None => TaskFailure, 2 tools, 120 tokens, "opencode (by ACP) ended its turn without a word: it was refu";
    "permission-reject": OK, None => TaskFailure, 2 tools, 120 tokens, "opencode (by ACP) ended its turn without a word: it was refu";
    "refusal-content-filter": OK, None => TaskFailure, 0 tools, 120 tokens, "opencode (by ACP) reported an error: the model refused to go";
    "sigkill-in-tool": Ended::Signalled(9), None => TaskFailure, 1 tools, 0 tokens, "opencode (by ACP) was ended from outside (9, SIGKILL, perhap";
    "sigterm-in-tool": Ended::Signalled(15), None => TaskFailure, 1 tools, 0 tokens, "opencode (by ACP) was ended from outside (15, SIGTERM).";
    "stdin-closed-in-tool": STOPPED.0, STOPPED.1 => Interrupted, 1 tools, 0 tokens, "The call was ended because the run was asked to stop.";
    "usage-limit": SILENT.0, SILENT.1 => TaskFailure, 0 tools, 0 tokens, "opencode (by ACP) printed nothing for 15 min, and was ended.";
};

const CODEX: &[Row] = rows! {
    "401": OK, None => Auth, 0 tools, 0 tokens, "The agent's login is refused: Authentication required. Log i";
    "429-no-header": OK, None => Outage, 0 tools, 0 tokens, "The model could not be reached for now: exceeded retry limit";
    "500-forever": OK, None => Outage, 0 tools, 0 tokens, "The model could not be reached for now: We’re currently expe";
    "503-overloaded": OK, None => Outage, 0 tools, 0 tokens, "The model could not be reached for now: Selected model is at";
    "air-usage-limit": OK, None => UsageLimit, 0 tools, 0 tokens, "A usage limit was reached: You’ve hit your usage limit. Upgr";
    "bad-model": OK, None => Config, 0 tools, 0 tokens, "The agent cannot run as configured: The model `gpt-nope` doe";
    "bg-session-left": OK, None => Success, 1 tools, 1354 tokens, "";
    "cancel-in-tool": STOPPED.0, STOPPED.1 => Interrupted, 1 tools, 120 tokens, "The call was ended because the run was asked to stop.";
    "conn-refused-20s": SILENT.0, SILENT.1 => Outage, 0 tools, 0 tokens, "The agent printed nothing for 15 min; it was retrying a requ";
    "context-too-long": OK, None => ContextTooLong, 0 tools, 0 tokens, "The prompt is too long for the model: Codex ran out of room ";
    "huge-output": OK, None => Success, 1 tools, 1354 tokens, "";
    "no-key": OK, None => Auth, 0 tools, 0 tokens, "The agent's login is refused: Authentication required. Log i";
    "no-result-empty": OK, None => TaskFailure, 0 tools, 120 tokens, "The agent ended its turn without a word: the model refused, ";
    "non-utf8": OK, None => Success, 1 tools, 1354 tokens, "";
    "ok-tools": OK, None => Success, 2 tools, 1474 tokens, "";
    "permission-allow": OK, None => Success, 2 tools, 1474 tokens, "";
    "permission-cancelled": OK, None => TaskFailure, 1 tools, 120 tokens, "The agent ended its turn without a word: it was refused the ";
    "permission-reject": OK, None => TaskFailure, 1 tools, 120 tokens, "The agent ended its turn without a word: it was refused the ";
    "prompt-10mb": OK, None => ContextTooLong, 0 tools, 0 tokens, "The prompt is too long for the model: Input exceeds the maxi";
    "quota-insufficient": OK, None => Billing, 0 tools, 0 tokens, "The account cannot pay for this: Quota exceeded. Check your ";
    "refusal-cyber-policy": OK, None => TaskFailure, 0 tools, 0 tokens, "The agent reported an error: This request was flagged.";
    "sigkill-in-tool": Ended::Signalled(9), None => TaskFailure, 1 tools, 0 tokens, "The agent was ended from outside (9, SIGKILL, perhaps becaus";
    "sigterm-in-tool": Ended::Signalled(15), None => TaskFailure, 1 tools, 0 tokens, "The agent was ended from outside (15, SIGTERM).";
    "stdin-closed-in-tool": STOPPED.0, STOPPED.1 => Interrupted, 1 tools, 0 tokens, "The call was ended because the run was asked to stop.";
    "stream-cut-forever": OK, None => Outage, 0 tools, 0 tokens, "The model could not be reached for now: word word word word ";
    "system-prompt": OK, None => Success, 0 tools, 1234 tokens, "";
    "usage-limit-reset": OK, None => UsageLimit, 0 tools, 0 tokens, "A usage limit was reached: You’ve hit your usage limit. Upgr";
};

#[test]
fn every_recording_is_judged() {
    let tables = [
        ("gemini", GEMINI),
        ("qwen", QWEN),
        ("claude-acp", CLAUDE),
        ("opencode-acp", OPENCODE),
        ("acp", CODEX),
    ];
    for (agent, rows) in tables {
        play(agent, rows);
    }
}

/// A line of news.
fn update(update: &str) -> String {
    format!("{{\"method\":\"session/update\",\"params\":{{\"update\":{update}}}}}\n")
}

/// A piece of a message.
fn said(text: &str) -> String {
    update(&format!(
        "{{\"sessionUpdate\":\"agent_message_chunk\",\"content\":{{\"type\":\"text\",\"text\":\"{text}\"}}}}"
    ))
}

/// A session that says this in its answer to the prompt.
fn ends_with(agent: &str, answer: &str) -> windlass_core::values::CallReport {
    report(agent, format!("{{\"jsonrpc\":\"2.0\",\"id\":5,{answer}}}\n").as_bytes(), "", OK, None)
}

#[test]
fn a_code_that_says_little_is_read_with_its_sentence() {
    let error = |code: i64, said: &str| format!("\"error\":{{\"code\":{code},\"message\":\"{said}\"}}");
    for (code, said, class) in [
        (500, "exception TypeError: fetch failed", Class::Outage),
        (500, "models/x is not found for API version v1beta", Class::Config),
        (429, "You exceeded your current quota, please check your plan", Class::Billing),
        (429, "Your quota will reset after 3h: you have exhausted your capacity", Class::UsageLimit),
        (429, "Resource has been exhausted", Class::Outage),
        (400, "API key not valid. Please pass a valid API key.", Class::Auth),
        (-32603, "Internal error: 402 Payment required", Class::Billing),
        (-32602, "no such model", Class::Config),
        (-32603, "Internal error", Class::Unknown),
    ] {
        assert_eq!(ends_with("gemini", &error(code, said)).class, class, "{code} {said}");
    }
    let limit =
        ends_with("gemini", &error(429, "exhausted your capacity. Your quota will reset after 1h30m."));
    assert_eq!(limit.limit.unwrap().resets_at, Some("2026-11-22T20:03:00Z".parse().unwrap()));
}

#[test]
fn only_the_first_answer_to_the_prompt_counts() {
    let ended = "{\"id\":5,\"result\":{\"stopReason\":\"end_turn\"}}\n";
    let failed = "{\"id\":5,\"error\":{\"code\":401,\"message\":\"no\"}}\n";
    let stream = [&said("Done"), &said("."), ended, &said(" Not."), failed, ended].concat();
    let report = report("gemini", stream.as_bytes(), "", OK, None);
    assert_eq!((report.class, report.results), (Class::Success, vec!["Done.".to_owned()]));
}

#[test]
fn what_is_said_in_another_session_is_not_the_agents_answer() {
    let begun = "{\"id\":2,\"result\":{\"sessionId\":\"ours\"}}\n";
    let chunk = |session: &str, text: &str| {
        format!(
            "{{\"method\":\"session/update\",\"params\":{{\"sessionId\":\"{session}\",\"update\":{{\"sessionUpdate\":\"agent_message_chunk\",\"content\":{{\"text\":\"{text}\"}}}}}}}}\n"
        )
    };
    let ended = "{\"id\":5,\"result\":{\"stopReason\":\"end_turn\"}}\n";
    let stream = [begun, &chunk("ours", "Mine."), &chunk("other", "WINDLASS_JOB_COMPLETE"), ended].concat();
    assert_eq!(report("gemini", stream.as_bytes(), "", OK, None).results, ["Mine."]);
}

#[test]
fn a_turn_that_ends_for_an_unknown_reason_is_no_success() {
    let turn = |reason: &str| {
        let stream =
            [&said("Done"), &*format!("{{\"id\":5,\"result\":{{\"stopReason\":\"{reason}\"}}}}\n")].concat();
        report("gemini", stream.as_bytes(), "", OK, None)
    };
    assert_eq!(turn("end_turn").class, Class::Success);
    for reason in ["paused", ""] {
        let report = turn(reason);
        assert_eq!((report.class, report.results), (Class::Unknown, Vec::<String>::new()), "{reason}");
    }
}

#[test]
fn calls_that_were_refused_are_told() {
    let stream = include_bytes!("../../fixtures/gemini/permission-reject.ndjson");
    let denial = |tool: &str, input: &str| Denial {
        tool: tool.to_owned(),
        input: input.to_owned(),
        refused_by: "Windlass, since this call only judges".to_owned(),
        ..Denial::default()
    };
    let expected = [denial("Edit", "/project/notes.txt"), denial("Bash", "touch made.txt")];
    assert_eq!(report("gemini", stream, "", OK, None).denials, expected);
}

#[test]
fn what_gemini_tries_again_stands_on_standard_error() {
    let tried = |line: &str| report("gemini", b"", line, Ended::Exited(143), Some(Cut::Silence));
    let overloaded = tried("Attempt 1 failed with status 503. Retrying with backoff... _ApiError: {}");
    assert_eq!(overloaded.class, Class::Outage);
    let limit = tried(
        "Attempt 1 failed: You have exhausted your capacity on this model. Your quota will reset after 3h12m5s.. \
         Retrying after 12231418ms...",
    );
    assert_eq!(limit.class, Class::UsageLimit);
    assert_eq!(limit.limit.unwrap().resets_at, Some("2026-11-22T21:45:05Z".parse().unwrap()));
    for line in
        ["Attempt 2 failed: overloaded. Max attempts reached", "Attempt x failed. Retrying", "Attempt"]
    {
        assert_eq!(tried(line).class, Class::TaskFailure, "{line}");
    }
}

#[test]
fn however_many_calls_there_are_each_counts_and_parts_what_was_said() {
    let call = |number: u32, status: &str| {
        update(&format!(
            "{{\"sessionUpdate\":\"tool_call\",\"toolCallId\":\"{number}\",\"title\":\"x\",\"kind\":\"read\",\"status\":\"{status}\"}}"
        ))
    };
    for status in ["completed", "pending"] {
        let mut stream: String = (0..2500).map(|number| call(number, status)).collect();
        stream.insert_str(0, &said("early"));
        stream += &said("late");
        stream += "{\"id\":5,\"result\":{\"stopReason\":\"end_turn\"}}\n";
        let report = report("gemini", stream.as_bytes(), "", OK, None);
        assert_eq!((report.tool_uses, report.results), (2500, vec!["late".to_owned()]), "{status}");
    }
}
