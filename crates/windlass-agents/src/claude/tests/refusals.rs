//! What refused a call of a tool, by lines of the real program (2.1.330).

use serde_json::{Value, json};
use windlass_core::values::{Denial, Ended};

use super::decode;
use super::recordings::report;

/// One refused call: the `permission_denied` line, the answer of the tool, and who decided.
struct Refused {
    tool: &'static str,
    input: Value,
    decided: Option<(&'static str, &'static str)>,
    answer: &'static str,
    decision: Value,
}

impl Refused {
    fn lines(&self) -> String {
        let decided = self.decided.map(|(kind, message)| {
            json!({
                "type": "system", "subtype": "permission_denied", "tool_name": self.tool, "tool_use_id": "t",
                "decision_reason_type": kind, "message": message,
            })
        });
        let answer = json!({
            "type": "user", "parent_tool_use_id": null,
            "message": {"role": "user", "content": [
                {"type": "tool_result", "tool_use_id": "t", "is_error": true, "content": self.answer},
            ]},
            "tool_result_meta": [{"id": "t", "permission_decision": self.decision}],
        });
        let listed = json!({"tool_name": self.tool, "tool_use_id": "t", "tool_input": self.input});
        let result = json!({
            "type": "result", "subtype": "success", "is_error": false, "result": "I may not.",
            "permission_denials": [listed],
        });
        let lines = decided.into_iter().chain([answer, result]);
        lines.map(|line| line.to_string() + "\n").collect()
    }

    fn denial(&self) -> Denial {
        let mut report = report(&decode(self.lines()), Ended::Exited(0), None, "");
        assert_eq!(report.denials.len(), 1);
        report.denials.remove(0)
    }
}

// attack(trust): a person's own rule denies a command, or asks for it each time, or a hook of theirs refuses it
// holds: who refused it is said, with the hook's words, and no command that would allow it; a permission that is missing is
//   still named with its rule
#[test]
fn only_a_missing_permission_is_named_with_the_rule_that_allows() {
    let bash = |command: &str| json!({"command": command, "description": "step"});
    let denied = "Permission to use Bash with command make test has been denied.";
    let asks = "Claude requested permissions to use Bash, but you haven't granted it yet.";
    let by_rule = json!({"decision": "reject", "source": "user_reject", "reason_type": "rule"});
    let by_hook = json!({"decision": "reject", "source": "hook", "reason_type": "hook"});
    let config = json!({"decision": "reject", "source": "config"});
    let rows = [
        (
            Refused {
                tool: "Bash",
                input: bash("make test"),
                decided: Some(("rule", denied)),
                answer: denied,
                decision: by_rule.clone(),
            },
            ("", "a rule of its settings that denies it"),
        ),
        (
            // A part of a list is denied.
            Refused {
                tool: "Bash",
                input: bash("a && b"),
                decided: Some(("subcommandResults", denied)),
                answer: denied,
                decision: Value::Null,
            },
            ("", "a rule of its settings that denies it"),
        ),
        (
            Refused {
                tool: "Write",
                input: json!({"file_path": "/p/secret.txt", "content": "x"}),
                decided: None,
                answer: "<tool_use_error>File is in a directory that is denied by your permission settings.</tool_use_error>",
                decision: by_rule,
            },
            ("", "a rule of its settings that denies it"),
        ),
        (
            Refused {
                tool: "Bash",
                input: bash("ask-me"),
                decided: Some(("rule", asks)),
                answer: asks,
                decision: config.clone(),
            },
            ("", "a rule of its settings that has it asked for"),
        ),
        (
            Refused {
                tool: "Write",
                input: json!({"file_path": "/p/hook.txt", "content": "x"}),
                decided: None,
                answer: "PreToolUse:Write hook error: [grep -q x && exit 2]: policy forbids it\n",
                decision: by_hook.clone(),
            },
            ("", "a hook of its settings: policy forbids it"),
        ),
        (
            Refused {
                tool: "Bash",
                input: bash("x"),
                decided: None,
                answer: "Not in this house.",
                decision: by_hook,
            },
            ("", "a hook of its settings: Not in this house."),
        ),
        (
            Refused {
                tool: "Bash",
                input: bash("git push"),
                decided: Some(("other", "This command requires approval")),
                answer: "This command requires approval",
                decision: config,
            },
            ("Bash(git push)", ""),
        ),
    ];
    for (refused, (rule, by)) in rows {
        let denial = refused.denial();
        assert_eq!(denial.rule, rule, "{}", refused.answer);
        assert!(
            denial.refused_by.starts_with(by) && denial.refused_by.is_empty() == by.is_empty(),
            "{denial:?}"
        );
    }
}

#[test]
fn a_tool_that_is_off_is_named_and_nobody_is_advised_to_allow_workflows() {
    let answer = |text: &str| {
        json!({"type": "user", "message": {"content": [
            {"type": "tool_result", "tool_use_id": "t", "is_error": true, "content": text},
        ]}})
    };
    let off = "<tool_use_error>Error: No such tool available: Monitor. Monitor is disabled for this session, in subagents as \
               well as here.</tool_use_error>";
    let result = json!({
        "type": "result", "subtype": "success", "is_error": false, "result": "",
        "permission_denials": [{"tool_name": "Workflow", "tool_use_id": "w", "tool_input": {"script": "x"}}],
    });
    let lines = [answer(off), answer(off), answer("No such tool available: Nope"), result];
    let stream = lines.each_ref().map(ToString::to_string).join("\n");
    let denials = report(&decode(stream), Ended::Exited(0), None, "").denials;
    let told: Vec<(&str, &str)> =
        denials.iter().map(|denial| (denial.tool.as_str(), denial.rule.as_str())).collect();
    assert_eq!(told, [("Workflow", ""), ("Monitor", "")]);
    assert!(denials[0].refused_by.contains("no rule is proposed"), "{denials:?}");
    assert!(denials[1].refused_by.contains("this tool is off"), "{denials:?}");
}
