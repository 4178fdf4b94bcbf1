//! What the scripted agent prints means to Claude Code's decoder what a real agent's words would mean.

use std::time::Duration;

use windlass_agents::{CallWatch, Detail, Digest, Sink, usual};
use windlass_core::observation::Observation;
use windlass_core::spec::AgentSpec;
use windlass_core::values::{CallClocks, CallReport, Class, Cost, Cut, Ended, Now};

use super::Place;

#[derive(Default)]
struct Heard {
    digests: Vec<Digest>,
    observations: Vec<Observation>,
}

impl Sink for Heard {
    fn digest(&mut self, digest: Digest) {
        self.digests.push(digest);
    }
    fn observation(&mut self, observation: Observation) {
        self.observations.push(observation);
    }
}

/// Plays these steps; what the decoder heard, and the report of the call.
fn call(steps: &str) -> (Heard, CallReport) {
    let output = Place::new().agent(steps).output().unwrap();
    let (mut decoder, mut heard) = (usual().decoder(), Heard::default());
    let clocks = CallClocks {
        silence: Duration::from_mins(1),
        wall: Duration::from_mins(1),
        wall_means: Cut::WallClock,
        linger: Duration::from_secs(10),
        linger_background: Duration::from_secs(10),
        tokens: None,
    };
    let mut watch = CallWatch::new(&AgentSpec::new("claude", "claude".into()), Duration::ZERO, clocks);
    for line in output.stdout.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
        decoder.line(line, Detail::Everything, &mut heard);
    }
    for digest in &heard.digests {
        watch.observe(Duration::ZERO, digest);
    }
    watch.exited(Duration::ZERO, Ended::Exited(output.status.code().unwrap()));
    watch.pipes_closed(Duration::ZERO);
    let now = Now { wall: jiff::Timestamp::now(), monotonic: Duration::ZERO };
    (heard, watch.report(now, ""))
}

#[test]
fn each_end_of_a_call_is_of_its_class() {
    for (steps, class) in [
        ("{ result = {} }", Class::Success),
        ("{ usage_limit = { resets_in = '2s' } }", Class::UsageLimit),
        ("{ api_error = { status = 401 } }", Class::Auth),
        ("{ api_error = { status = 403 } }", Class::Permission),
        ("{ api_error = { status = 404 } }", Class::Config),
        (
            "{ api_error = { status = 400, error = 'billing_error', message = 'Credit balance is too low' } }",
            Class::Billing,
        ),
        ("{ api_error = { status = 400, terminal_reason = 'prompt_too_long' } }", Class::ContextTooLong),
        ("{ api_error = { status = 429 } }", Class::Outage),
        ("{ api_error = { status = 529 } }", Class::Outage),
        ("{ api_error = { status = 500 } }", Class::Outage),
        ("{ api_error = { status = 0 } }", Class::Outage),
        ("{ result = { subtype = 'error_max_turns' } }", Class::MaxTurns),
        ("{ result = { subtype = 'error_max_budget_usd' } }", Class::BudgetExhausted),
        ("{ result = { subtype = 'error_during_execution' } }", Class::TaskFailure),
        ("{ exit = 0 }", Class::TaskFailure),
        ("{ exit = 3 }", Class::TaskFailure),
    ] {
        assert_eq!(call(steps).1.class, class, "{steps}");
    }
}

#[test]
fn a_report_has_what_the_script_said() {
    let (heard, report) = call(
        "{ say = 'hello' }, { bash = 'echo out; exit 2' }, { deny = { tool = 'Bash', input = { command = 'touch x' } } },
         { noise = 3000 }, { retry = { status = 529, wait = false } }, { limit_notice = { overage = true } },
         { result = { text = 'one', cost = 0.5, tokens = { input = 700, output = 80 } } }",
    );
    assert_eq!((report.class, report.cost), (Class::Success, Some(Cost::from_dollars(0.5))));
    assert_eq!((report.tokens.input, report.tokens.output, report.tool_uses), (700, 80, 2));
    assert_eq!(report.results, ["one"]);
    assert_eq!((report.denials.len(), report.overage), (1, true));
    assert!(report.garbage_lines > 0);
    let heard = &heard.observations;
    assert!(
        heard
            .iter()
            .any(|seen| matches!(seen, Observation::AgentText { text, nested: false } if text == "hello"))
    );
    assert!(heard.iter().any(
        |seen| matches!(seen, Observation::ToolResult { is_error: true, output, .. } if output.text == "Exit code 2\nout")
    ));
    assert!(heard.iter().any(|seen| matches!(seen, Observation::Retrying { status: Some(529), .. })));
}

#[test]
fn every_event_is_one_the_decoder_knows() {
    let (heard, report) = call(
        "{ think = 'hm' }, { read = 'nothing' }, { tool = { name = 'Grep', nested = true } }, { background = 2 }, 'compact',
         'init', { events = { count = 3, size = 700 } }, { events = { count = 3, size = 700, kind = 'tool_result' } },
         { background = 0 }",
    );
    assert_eq!(report.garbage_lines, 0);
    assert!(heard.digests.contains(&Digest::Background(2)) && heard.digests.contains(&Digest::Background(0)));
    assert!(heard.observations.contains(&Observation::Compacted));
}
