//! Programs that speak ACP, well and badly.

use rustix::process::Signal;
use windlass_core::values::Class;
use windlass_testkit::Running;
use windlass_testkit::environment::{PersonsTerminal, wait_until};

use super::any_command::Bench;
use super::night::{PATIENCE, expect_end};

/// Up to its prompt, which is in `$prompt` then.
const BEGINNING: &str = r#"
answer() { printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$1" "$2"; }
update() { printf '{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":%s}}\n' "$1"; }
say() { update '{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"'"$1"'"}}'; }
read -r welcome; answer 1 '{"protocolVersion":1}'
read -r session; answer 2 '{"sessionId":"s"}'
read -r prompt
"#;

/// Something new, and the claim that all is done.
const CLAIM: &str = "touch new; say WINDLASS_JOB_COMPLETE; answer 5 '{\"stopReason\":\"end_turn\"}'";

fn bench(script: &str) -> Bench {
    Bench::of("acp", &format!("{BEGINNING}{script}"))
}

#[test]
fn it_is_told_the_prompt_and_what_it_says_is_the_result() {
    let script = format!("echo Ahoy > greeting; printf '%s' \"$prompt\" > prompt; {CLAIM}; cat > rest");
    let bench = bench(&script);
    let outcome = bench.run(&["--gate", "test -f greeting", "--completion-threshold", "1"]);
    expect_end(&outcome, 0, "complete");
    assert_eq!(bench.classes(), [Class::Success]);
    let prompt = bench.night.env.read("prompt");
    assert!(prompt.contains("You work unattended") && prompt.contains("Write a greeting."), "{prompt}");
    assert_eq!(
        bench.night.env.read("rest"),
        "",
        "its standard input ended, and nothing was said before that"
    );
    bench.night.assert_clean();
}

#[test]
fn garbage_news_that_nobody_knows_a_huge_message_and_a_second_answer_do_no_harm() {
    let script = format!(
        r#"
        echo 'npm warn deprecated'; echo '{{"jsonrpc":"2.0","id":5'; printf '\377\376\n'
        update '{{"sessionUpdate":"something_new","x":[1]}}'; echo '{{"jsonrpc":"2.0","method":"_own/news"}}'
        say "$(head -c 2000000 /dev/zero | tr '\0' a)"
        printf '{{"method":"session/update","params":{{"update":{{"sessionUpdate":"tool_call","toolCallId":"t","kind":"read","title":"r"}}}}}}\n'
        head -c 20000000 /dev/zero | tr '\0' b | sed 's/.*/{{"method":"session\/update","params":{{"update":{{"sessionUpdate":"tool_call_update","toolCallId":"t","status":"completed","rawOutput":"&"}}}}}}/'
        echo
        {CLAIM}; answer 5 '{{"stopReason":"refusal"}}'; printf '{{"id":5,"error":{{"code":401}}}}\n'
        "#
    );
    let bench = bench(&script);
    let outcome = bench.run(&["--completion-threshold", "1"]);
    expect_end(&outcome, 0, "complete");
    assert_eq!(bench.classes(), [Class::Success]);
    assert_eq!(bench.night.calls()[0].tool_uses, 1);
}

#[test]
fn files_that_it_asks_for_are_refused() {
    let script = format!(
        r#"printf '{{"id":"f","method":"fs/read_text_file","params":{{"path":"/etc/passwd"}}}}\n'
        read -r refused; printf '%s' "$refused" > refused; {CLAIM}"#
    );
    let bench = bench(&script);
    expect_end(&bench.run(&["--completion-threshold", "1"]), 0, "complete");
    let refused = bench.night.env.read("refused");
    assert!(refused.contains(r#""id":"f""#) && refused.contains("-32601"), "{refused}");
}

#[test]
fn one_that_will_not_end_is_ended_and_its_result_counts() {
    let bench = bench(&format!("trap '' TERM; {CLAIM}; sleep 300"));
    expect_end(&bench.run(&["--completion-threshold", "1"]), 0, "complete");
    assert_eq!(bench.classes(), [Class::Success]);
    bench.night.assert_clean();
}

#[test]
fn one_that_ends_without_an_answer_has_failed() {
    let bench = bench("echo 'no key' >&2; exit 3");
    let outcome = bench.run(&["--max-failures", "1"]);
    expect_end(&outcome, 20, "consecutive_failures");
    let said = outcome.stderr_text();
    assert!(said.contains("ended without a result (exit code 3): no key"), "{said}");
}

#[test]
fn a_model_that_nobody_can_choose_ends_the_run() {
    let bench = bench(CLAIM);
    let outcome = bench.run(&["--model", "m", "--max-failures", "1"]);
    expect_end(&outcome, 21, "agent_unavailable");
    assert!(outcome.stderr_text().contains("leave agent.model out"), "{}", outcome.stderr_text());
}

#[test]
fn its_turn_is_cancelled_before_it_is_ended() {
    let script = "touch begun; read -r cancel; printf '%s' \"$cancel\" > cancel; answer 5 '{\"stopReason\":\"cancelled\"}'";
    let bench = bench(script);
    let running = Running::start(&mut bench.command(&["--dangerously-skip-permissions"]));
    let begun = wait_until(PATIENCE, || bench.night.env.project().join("begun").exists());
    assert!(begun, "{}", running.stderr_so_far());
    running.signal(Signal::TERM);
    let outcome = running.wait(PATIENCE);
    expect_end(&outcome, 143, "manual");
    assert!(bench.night.env.read("cancel").contains("session/cancel"));
    assert_eq!(bench.classes(), [Class::Interrupted]);
    bench.night.assert_clean();
}

#[test]
fn nobody_is_left_alone_with_one_that_talks_with_nobody() {
    let bench = bench(CLAIM);
    let folder = ".windlass/workspaces/api";
    let metadata = r#"{"name":"api","created":"2026-01-01T00:00:00Z","status":"in_progress","mode":"loop",
        "totalIterations":0,"setupIterations":0,"executionIterations":0}"#;
    bench.night.env.write(format!("{folder}/.metadata.json"), metadata);
    let mut terminal = PersonsTerminal::start(&mut bench.night.windlass(&["setup", "api"]));
    assert_eq!(terminal.wait(), 2, "{}", terminal.text());
    assert!(terminal.text().contains("The agent talks with nobody at a terminal"), "{}", terminal.text());
}

/// Says what it has cost so far.
const COSTS: &str =
    r#"costs() { update '{"sessionUpdate":"usage_update","cost":{"amount":'"$1"',"currency":"USD"}}'; }"#;

// attack(money): an agent says while it works that it has cost four dollars, and dies; another one says a smaller total at its end
// holds: each such call is charged four dollars at least, as an estimate, and the run ends at its limit
#[test]
fn what_it_says_while_it_works_is_charged_whatever_becomes_of_it() {
    for (ends, calls) in
        [("kill -9 $$", 2), ("costs 0.01; touch new-$$; say on; answer 5 '{\"stopReason\":\"end_turn\"}'", 2)]
    {
        let bench = bench(&format!("{COSTS}\nsay work; costs 4; {ends}"));
        let outcome = bench.run(&["--max-cost", "5", "--max-failures", "9", "-m", "8"]);
        expect_end(&outcome, 11, "max_cost");
        let charged: Vec<(f64, bool)> =
            bench.night.calls().iter().map(|call| (call.cost.dollars(), call.estimated)).collect();
        assert_eq!(charged, vec![(4.0, true); calls], "{ends}");
    }
}
