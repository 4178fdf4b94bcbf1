//! What a call that dies has used, where the model wrote fast or worked for a workflow.

use serde_json::json;
use windlass_core::values::{Cost, Ended};

use super::decode;
use super::recordings::report;

fn message(speed: &str) -> String {
    let usage = json!({"input_tokens": 1_000_000, "output_tokens": 100_000, "speed": speed});
    let message = json!({
        "id": format!("msg_{speed}"), "model": "claude-opus-5-5", "content": [], "stop_reason": "end_turn", "usage": usage,
    });
    json!({"type": "assistant", "message": message, "parent_tool_use_id": null}).to_string()
}

fn result(dollars: f64) -> String {
    let used = json!({"claude-opus-5-5": {"inputTokens": 1_000_000, "outputTokens": 100_000}});
    let line = json!({
        "type": "result", "subtype": "success", "is_error": false, "result": "", "total_cost_usd": dollars,
        "modelUsage": used,
    });
    line.to_string()
}

// attack(money): a call whose model writes fast, at twice the price, dies without a result
// holds: it is charged at the fast price, and calls that end well are held against that price, too
#[test]
fn what_is_written_fast_has_its_own_price() {
    for (speed, dollars) in [("standard", 6.0), ("fast", 12.0)] {
        let dead = report(&decode(message(speed)), Ended::Signalled(9), None, "");
        assert_eq!(dead.bill.unreported.cost, Cost::from_dollars(dollars), "{speed}");
        let ended = report(&decode(message(speed) + "\n" + &result(dollars)), Ended::Exited(0), None, "");
        assert_eq!(ended.bill.reported.cost, Cost::from_dollars(dollars), "{speed}");
        assert!(!ended.bill.reported.guessed && ended.bill.unreported.cost == Cost::ZERO, "{speed}");
    }
}

// attack(money): agents of a workflow work in the background, nothing that they say is in the stream, and the call dies
// holds: what each is said to have read is charged, at its model's price, and once
#[test]
fn agents_of_a_workflow_are_charged_what_is_said_of_them() {
    let agent = |id: &str, tokens: u64| json!({"type": "workflow_agent", "agentId": id, "model": "claude-opus-5-5", "state": "progress", "tokens": tokens});
    let progress = |agents: serde_json::Value| {
        json!({
            "type": "system", "subtype": "task_progress", "task_id": "w", "usage": {"total_tokens": 400_002},
            "workflow_progress": agents,
        })
    };
    let lines = [
        progress(json!([agent("a", 200_001), {"type": "workflow_agent", "agentId": "b", "state": "start"}])),
        progress(json!([agent("a", 200_001), agent("b", 200_001)])),
        json!({"type": "system", "subtype": "task_progress", "task_id": "w", "usage": {"total_tokens": 400_002}}),
    ];
    let stream = lines.each_ref().map(ToString::to_string).join("\n");
    let report = report(&decode(stream), Ended::Signalled(9), None, "");
    assert_eq!(report.tokens.total(), 400_002);
    assert_eq!(report.bill.unreported.cost, Cost::from_micros(1_600_008));
}
