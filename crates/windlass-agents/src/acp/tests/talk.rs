//! What is said to an agent, step by step.

use proptest::prelude::*;
use serde_json::{Value, json};

use crate::acp::{AcpConversation, Opening};
use crate::tests::spoken::{answer, heard, short};
use crate::{Conversation, Step};

fn opening() -> Opening {
    Opening { directory: "/project".into(), mode: None, model: None, refuses: Vec::new() }
}

fn conversation(opening: Opening) -> AcpConversation {
    AcpConversation::new(opening, "do it".to_owned())
}

#[test]
fn a_call_goes_from_a_welcome_to_the_answer() {
    let mut plain = conversation(opening());
    assert_eq!(short(plain.begin()), ["initialize"]);
    assert_eq!(heard(&mut plain, &answer(1, &json!({"protocolVersion": 1}))), ["session/new"]);
    assert_eq!(heard(&mut plain, &answer(2, &json!({"sessionId": "s"}))), ["session/prompt"]);
    assert_eq!(heard(&mut plain, &json!({"method": "session/update", "params": {}})), [""; 0]);
    assert!(!plain.is_over());
    assert_eq!(heard(&mut plain, &answer(5, &json!({"stopReason": "end_turn"}))), ["end"]);
    assert!(plain.is_over());
    assert_eq!(heard(&mut plain, &answer(5, &json!({"stopReason": "end_turn"}))), [""; 0]);
}

#[test]
fn another_version_of_the_protocol_is_not_spoken() {
    for version in [json!(2), json!(0), json!("1")] {
        let mut other = conversation(opening());
        let welcome = answer(1, &json!({"protocolVersion": version}));
        assert_eq!(heard(&mut other, &welcome), ["note windlass/failed", "end"], "{version}");
        assert!(other.is_over());
    }
}

#[test]
fn a_mode_and_a_model_are_asked_for_as_the_session_lets_them_be_chosen() {
    let wanted = || Opening { mode: Some("default".into()), model: Some("m".into()), ..opening() };
    let begun = |session: Value| {
        let mut conversation = conversation(wanted());
        heard(&mut conversation, &answer(1, &json!({})));
        let mode = heard(&mut conversation, &answer(2, &session));
        (mode, heard(&mut conversation, &answer(3, &json!({}))), conversation)
    };
    let (mode, model, mut conversation) = begun(json!({"sessionId": "s", "models": {"currentModelId": "x"}}));
    assert_eq!((mode, model), (vec!["session/set_mode".to_owned()], vec!["session/set_model".to_owned()]));
    assert_eq!(heard(&mut conversation, &answer(4, &json!({}))), ["session/prompt"]);
    let (_, model, _) = begun(json!({"sessionId": "s", "configOptions": [{"id": "mode"}, {"id": "model"}]}));
    assert_eq!(model, ["session/set_config_option"]);
    let (_, model, conversation) = begun(json!({"sessionId": "s", "configOptions": [{"id": "mode"}]}));
    assert_eq!(model, ["note windlass/failed", "end"]);
    assert!(conversation.is_over());
}

#[test]
fn an_error_ends_it_and_so_does_a_session_without_a_name() {
    let mut refused = conversation(opening());
    let error = json!({"id": 1, "error": {"code": -32000, "message": "Authentication required"}});
    assert_eq!(heard(&mut refused, &error), ["end"]);
    for session in [json!({}), json!({"sessionId": ""}), json!({"sessionId": 7}), json!("s"), Value::Null] {
        let mut nameless = conversation(opening());
        heard(&mut nameless, &answer(1, &json!({})));
        assert_eq!(heard(&mut nameless, &answer(2, &session)), ["note windlass/failed", "end"], "{session}");
    }
}

fn permission(kind: &str, options: &Value) -> Value {
    let call = json!({"toolCallId": "c", "title": "notes.txt", "kind": kind});
    json!({"id": "p7", "method": "session/request_permission", "params": {"toolCall": call, "options": options}})
}

#[test]
fn what_it_asks_is_allowed_once_and_edits_are_refused_to_one_that_judges() {
    let all = json!([
        {"optionId": "always", "kind": "allow_always"},
        {"optionId": "once", "kind": "allow_once"},
        {"optionId": "no", "kind": "reject_once"},
    ]);
    let mut works = conversation(opening());
    assert_eq!(heard(&mut works, &permission("edit", &all)), ["\"p7\" \"once\""]);
    let mut judges = conversation(Opening { refuses: vec!["edit".into()], ..opening() });
    assert_eq!(heard(&mut judges, &permission("edit", &all)), ["note windlass/refused", "\"p7\" \"no\""]);
    assert_eq!(heard(&mut judges, &permission("execute", &all)), ["\"p7\" \"once\""]);
    // Nothing that fits: it is answered all the same.
    for options in [json!([]), json!(null), json!([{"optionId": "no", "kind": "reject_once"}])] {
        assert_eq!(
            heard(&mut works, &permission("edit", &options)),
            ["note windlass/refused", "\"p7\" null"]
        );
    }
}

#[test]
fn requests_for_what_is_not_offered_are_refused_by_their_name() {
    let mut conversation = conversation(opening());
    let request = br#"{"jsonrpc":"2.0","id":9,"method":"fs/read_text_file","params":{"path":"/etc/shadow"}}"#;
    let steps = conversation.heard(request);
    let [Step::Tell(answer)] = steps.as_slice() else { panic!("{steps:?}") };
    let answer: Value = serde_json::from_str(answer).unwrap();
    assert_eq!((answer["id"].as_u64(), answer["error"]["code"].as_i64()), (Some(9), Some(-32601)));
}

#[test]
fn somebody_who_wants_an_end_has_the_turn_cancelled() {
    let mut early = conversation(opening());
    assert_eq!(short(early.cancel()), ["end"]);
    let mut working = conversation(opening());
    heard(&mut working, &answer(1, &json!({})));
    heard(&mut working, &answer(2, &json!({"sessionId": "s"})));
    assert_eq!(short(working.cancel()), ["session/cancel"]);
    assert_eq!(heard(&mut working, &answer(5, &json!({"stopReason": "cancelled"}))), ["end"]);
}

proptest! {
    /// Whatever comes, nothing is said twice: the prompt goes out once at most, and nothing but answers after the end.
    #[test]
    fn a_conversation_never_runs_in_circles(
        lines in proptest::collection::vec(
            prop_oneof![
                (0u64..7).prop_map(|id| answer(id, &json!({"sessionId": "s", "models": {}})).to_string()),
                (0u64..7).prop_map(|id| json!({"id": id, "error": {}}).to_string()),
                Just(permission("edit", &json!([])).to_string()),
                ".{0,40}",
            ],
            0..40,
        )
    ) {
        let wanted = Opening { mode: Some("m".into()), model: Some("m".into()), ..opening() };
        let mut conversation = conversation(wanted);
        let mut said = short(conversation.begin());
        for line in &lines {
            said.extend(short(conversation.heard(line.as_bytes())));
        }
        let mut requests: Vec<&str> =
            said.iter().map(String::as_str).filter(|step| step.contains('/') && !step.contains("note")).collect();
        let count = requests.len();
        requests.sort_unstable();
        requests.dedup();
        prop_assert_eq!(requests.len(), count, "{:?}", said);
        prop_assert!(said.iter().filter(|step| *step == "end").count() <= 1);
    }
}
