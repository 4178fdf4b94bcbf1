//! What is said to `codex app-server`, what it says that no recording has, and when it is not talked with.

use std::path::Path;

use jiff::Timestamp;
use serde_json::{Value, json};
use windlass_core::spec::AgentSpec;
use windlass_core::values::{CallReport, Class, Cut, Ended, Purpose, Tokens};

use crate::codex::conversation::Sandbox;
use crate::codex::{Opening, ServerConversation};
use crate::tests::recorded::{OK, report};
use crate::tests::spoken::{answer, heard, short};
use crate::{CallFiles, Confinement, Conversation, Step};

fn conversation() -> ServerConversation {
    let opening = Opening { directory: "/project".into(), model: None, sandbox: Sandbox::WorkspaceWrite };
    ServerConversation::new(opening, "do it".to_owned())
}

/// One whose turn is under way.
fn at_work() -> ServerConversation {
    let mut conversation = conversation();
    heard(&mut conversation, &answer(1, &json!({})));
    heard(&mut conversation, &answer(2, &json!({"thread": {"id": "t"}})));
    heard(&mut conversation, &answer(3, &json!({"turn": {"id": "u"}})));
    conversation
}

fn ends(thread: &str) -> Value {
    json!({"method": "turn/completed", "params": {"threadId": thread, "turn": {"id": "u", "status": "completed"}}})
}

#[test]
fn a_call_goes_from_a_welcome_to_the_end_of_its_turn() {
    let mut whole = conversation();
    assert_eq!(short(whole.begin()), ["initialize"]);
    assert_eq!(heard(&mut whole, &answer(1, &json!({}))), ["initialized", "thread/start"]);
    assert_eq!(heard(&mut whole, &answer(2, &json!({"thread": {"id": "t"}}))), ["turn/start"]);
    assert_eq!(heard(&mut whole, &answer(3, &json!({"turn": {"id": "u"}}))), [""; 0]);
    // Of an agent that the agent called.
    assert_eq!(heard(&mut whole, &ends("another")), [""; 0]);
    assert!(!whole.is_over());
    assert_eq!(heard(&mut whole, &ends("t")), ["end"]);
    assert!(whole.is_over());
    assert_eq!(heard(&mut whole, &ends("t")), [""; 0]);
}

#[test]
fn it_is_told_that_nobody_can_be_asked_and_what_locks_it_in() {
    let mut conversation = conversation();
    let steps = conversation.heard(answer(1, &json!({})).to_string().as_bytes());
    let Some(Step::Tell(start)) = steps.last() else { panic!("{steps:?}") };
    let params = &serde_json::from_str::<Value>(start).unwrap()["params"];
    assert_eq!(params["approvalPolicy"], "never");
    assert_eq!(params["sandbox"], "workspace-write");
    assert_eq!(params["ephemeral"], true);
    let asks = json!({"id": "q", "method": "item/commandExecution/requestApproval", "params": {}});
    assert_eq!(heard(&mut at_work(), &asks), ["\"q\" null"], "it is refused by its name");
}

#[test]
fn an_error_ends_it_and_so_does_a_thread_without_a_name() {
    for (number, answered) in [(1, 0), (2, 1), (3, 2)] {
        let mut conversation = conversation();
        for (id, result) in [(1, json!({})), (2, json!({"thread": {"id": "t"}}))].iter().take(answered) {
            heard(&mut conversation, &answer(*id, result));
        }
        let error = json!({"id": number, "error": {"code": -32600, "message": "Invalid request"}});
        assert_eq!(heard(&mut conversation, &error), ["end"], "{number}");
    }
    for thread in [json!({}), json!({"thread": {}}), json!({"thread": {"id": ""}}), json!(7), Value::Null] {
        let mut nameless = conversation();
        heard(&mut nameless, &answer(1, &json!({})));
        assert_eq!(heard(&mut nameless, &answer(2, &thread)), ["note windlass/failed", "end"], "{thread}");
    }
}

#[test]
fn somebody_who_wants_an_end_has_the_turn_interrupted() {
    let mut works = at_work();
    assert_eq!(short(works.cancel()), ["turn/interrupt"]);
    assert_eq!(heard(&mut works, &answer(9, &json!({}))), [""; 0]);
    assert_eq!(heard(&mut works, &ends("t")), ["end"]);
    // Nothing is under way.
    assert_eq!(short(conversation().cancel()), ["end"]);
}

/// A turn that said these lines and ended in this way.
fn call(lines: &[Value], ended: Ended, cut: Option<Cut>) -> CallReport {
    let begun = answer(2, &json!({"thread": {"id": "t"}, "model": "gpt-5.5"}));
    let lines: Vec<String> = [&begun].into_iter().chain(lines).map(Value::to_string).collect();
    report("codex", lines.join("\n").as_bytes(), "", ended, cut)
}

fn used(thread: &str, input: u64, output: u64) -> Value {
    let total = json!({"inputTokens": input, "cachedInputTokens": 10, "outputTokens": output});
    json!({"method": "thread/tokenUsage/updated", "params": {"threadId": thread, "tokenUsage": {"total": total}}})
}

fn failed(info: &Value, message: &str) -> Value {
    let error = json!({"message": message, "codexErrorInfo": info});
    let turn = json!({"id": "u", "status": "failed", "error": error});
    json!({"method": "turn/completed", "params": {"threadId": "t", "turn": turn}})
}

#[test]
fn tokens_are_those_of_all_threads_each_counted_once() {
    let lines = [used("t", 100, 5), used("t", 100, 5), used("other", 50, 1), used("t", 300, 9)];
    let expected = Tokens { input: 330, output: 10, cache_creation: 0, cache_read: 20 };
    let cut = call(&lines, Ended::Exited(143), Some(Cut::Stop));
    assert_eq!(cut.tokens, expected, "of a call that died without a result");
    let mut whole = lines.to_vec();
    whole.push(failed(&json!("serverOverloaded"), "at capacity"));
    assert_eq!(call(&whole, OK, None).tokens, expected);
}

#[test]
fn a_failure_is_judged_by_its_kind_and_its_status() {
    let status = |kind: &str, status: u16| json!({kind: {"httpStatusCode": status}});
    let rows = [
        (status("httpConnectionFailed", 401), "no", Class::Auth),
        (status("responseStreamDisconnected", 403), "no", Class::Permission),
        (status("responseTooManyFailedAttempts", 429), "no", Class::Outage),
        (json!({"httpConnectionFailed": {"httpStatusCode": null}}), "no", Class::Outage),
        (json!("unauthorized"), "no", Class::Auth),
        (json!("contextWindowExceeded"), "no", Class::ContextTooLong),
        (json!("modelNotFound"), "no", Class::Config),
        (json!("cyberPolicy"), "no", Class::TaskFailure),
        (json!("rateLimitExceeded"), "no", Class::Outage),
        (json!("internalServerError"), "no", Class::Outage),
        (json!("usageLimitExceeded"), "no", Class::UsageLimit),
        (json!("usageLimitExceeded"), "Quota exceeded. Check your plan", Class::Billing),
        (json!("other"), "stream disconnected before completion", Class::Outage),
        (json!("other"), "no", Class::Unknown),
        (json!(["odd"]), "no", Class::Unknown),
        (Value::Null, "no", Class::Unknown),
    ];
    for (info, message, class) in rows {
        assert_eq!(call(&[failed(&info, message)], OK, None).class, class, "{info} {message}");
    }
}

#[test]
fn a_usage_limit_ends_with_the_window_that_is_used_up() {
    let window = |percent: u64, minutes: u64, resets_at: i64| json!({"usedPercent": percent, "windowDurationMins": minutes, "resetsAt": resets_at});
    let limits = |primary: Value, secondary: Value| {
        let limits = json!({"primary": primary, "secondary": secondary});
        json!({"method": "account/rateLimits/updated", "params": {"rateLimits": limits}})
    };
    let limit = |lines: &[Value], said: &str| {
        let mut lines = lines.to_vec();
        lines.push(failed(&json!("usageLimitExceeded"), said));
        let limit = call(&lines, OK, None).limit.unwrap();
        (limit.resets_at.map(Timestamp::as_second), limit.window)
    };
    let (soon, late) = (1_795_381_833, 1_795_774_333);
    let five = limits(window(100, 300, soon), window(40, 10_080, late));
    assert_eq!(limit(&[five], "no"), (Some(soon), "five_hour".to_owned()));
    let both = limits(window(100, 300, soon), window(100, 10_080, late));
    assert_eq!(limit(&[both], "no"), (Some(late), "seven_day".to_owned()));
    assert_eq!(limit(&[], "no"), (None, String::new()));
    let said = "try again at Nov 27th, 2026 9:39 AM.";
    assert_eq!(limit(&[], said).0, Some(1_795_772_340));
}

#[test]
fn what_the_server_does_not_take_is_a_matter_of_configuration() {
    let error = json!({"id": 2, "error": {"code": -32600, "message": "Invalid request: unknown variant"}});
    let refused = call(&[error], OK, None);
    assert_eq!(refused.class, Class::Config);
    assert!(refused.detail.contains("unknown variant"), "{}", refused.detail);
    let note =
        json!({"method": "windlass/failed", "params": {"message": "the agent gave its thread no name"}});
    assert_eq!(call(&[note], OK, None).class, Class::Config);
}

#[test]
fn a_profile_has_it_called_by_exec() {
    let files = CallFiles {
        prompt: Path::new("/s/prompt.md"),
        system_prompt: Path::new("/s/system.md"),
        settings: Path::new("/s/settings.json"),
        budget: None,
        purpose: Purpose::Work,
        confinement: Confinement::None,
    };
    let rows: [(&str, &[&str], &str); 6] = [
        ("codex", &[], "app-server"),
        ("codex", &["-c", "model_provider=x", "--enable=search"], "app-server"),
        ("codex", &["-cmodel_provider=x", "--disable", "search"], "app-server"),
        ("codex", &["--profile", "night"], "exec"),
        ("codex", &["-c", "model_provider=x", "--oss"], "exec"),
        ("codex-exec", &[], "exec"),
    ];
    for (name, arguments, way) in rows {
        let arguments = arguments.iter().map(|argument| (*argument).to_owned()).collect();
        let spec = AgentSpec { arguments, ..AgentSpec::new(name, "/opt/codex".into()) };
        let agent = crate::named(name);
        assert_eq!(agent.call(&spec, files).arguments[0], way, "{name} {:?}", spec.arguments);
        let talked_with = agent.opening(&spec, files, Path::new("/project")).is_some();
        assert_eq!(talked_with, way == "app-server", "{name} {:?}", spec.arguments);
    }
}
