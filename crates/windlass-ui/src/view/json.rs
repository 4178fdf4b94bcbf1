//! One JSON object per line on stdout, for machines. The shape is in `docs/json-schema.json` and only grows.

use jiff::Timestamp;
use serde::Serialize;
use serde_json::{Map, Value, json};
use windlass_core::fact::{Entry, Fact};
use windlass_core::observation::Observation;
use windlass_core::report;
use windlass_core::spec::{ReviewSpec, RunSpec};
use windlass_core::values::{
    CallId, CheckKind, CheckOutcome, CheckResult, CheckStage, Hook, HookCommand, HookName, HookOutcome,
    Items, JobStatus, LaneId, Named, StopReason, TaskEnd,
};

use crate::board::Board;
use crate::document::StatusSuspicion;
use crate::event::{Event, View};
use crate::format;
use crate::json_line::{FORMAT_VERSION, bytes};
use crate::printer::Printer;
use crate::words;

/// Prints facts and observations as JSON.
pub struct JsonView {
    board: Board,
    printer: Printer,
}

impl JsonView {
    /// A view that prints there.
    pub fn new(printer: Printer) -> JsonView {
        JsonView { board: Board::default(), printer }
    }
}

impl View for JsonView {
    fn event(&mut self, event: &Event) {
        self.board.apply(event);
        if let Some(bytes) = line(&self.board, event) {
            self.printer.result_bytes(&bytes);
        }
    }

    fn flush(&mut self) {
        self.printer.flush();
    }

    fn finish(&mut self) {
        self.printer.finish();
    }

    fn is_closed(&self) -> bool {
        self.printer.results_closed()
    }
}

/// What every line begins with.
#[derive(Serialize)]
struct Row<'a> {
    v: u32,
    r#type: &'a str,
    run: Option<&'a str>,
    /// Null where the line is about the whole run.
    lane: Option<LaneId>,
    /// Of an observation: the fact that started its call.
    seq: u64,
    #[serde(serialize_with = "windlass_core::values::wall_time::serialize")]
    time: Timestamp,
    #[serde(flatten)]
    body: Map<String, Value>,
}

/// The line of an event that the board has taken in already; with its newline.
fn line(board: &Board, event: &Event) -> Option<Vec<u8>> {
    let run = board.plan.as_ref().map(|plan| plan.run.0.as_str());
    let header =
        |r#type, lane, seq, time, body| Row { v: FORMAT_VERSION, r#type, run, lane, seq, time, body };
    match event {
        Event::Fact(entry) => {
            let (name, lane, body) = fact(board, entry);
            bytes(&header(name, lane, entry.seq, entry.at.wall, body))
        }
        Event::Observation { lane, call, line, at, observation } => {
            let (name, body) = observed(*call, *line, observation);
            let seq = board.calls.get(call).map_or(board.seq, |call| call.seq);
            bytes(&header(name, Some(*lane), seq, *at, body))
        }
        Event::Dropped { count } => {
            let body = object(json!({ "count": count }));
            bytes(&header("dropped", None, board.seq, board.now, body))
        }
        Event::Past(_) | Event::Tick { .. } => None,
    }
}

/// An observation's type and its own fields.
fn observed(call: CallId, line: u64, observation: &Observation) -> (&'static str, Map<String, Value>) {
    let mut body = serde_json::to_value(observation).map(object).unwrap_or_default();
    body.remove("type");
    body.insert("call".to_owned(), json!(call));
    body.insert("line".to_owned(), json!(line));
    (observation_name(observation), body)
}

const fn observation_name(observation: &Observation) -> &'static str {
    match observation {
        Observation::Started { .. } => "agent_started",
        Observation::AgentText { .. } => "agent_text",
        Observation::ToolUse { .. } => "tool_use",
        Observation::ToolResult { .. } => "tool_result",
        Observation::Denied { .. } => "tool_denied",
        Observation::Retrying { .. } => "agent_retrying",
        Observation::LimitNotice { .. } => "limit_notice",
        Observation::Background { .. } => "agent_background",
        Observation::Compacted => "agent_compacted",
        Observation::Result { .. } => "agent_result",
        Observation::Garbage { .. } => "agent_garbage",
    }
}

/// A fact's type, its lane and its own fields.
fn fact(board: &Board, entry: &Entry) -> (&'static str, Option<LaneId>, Map<String, Value>) {
    let name = fact_name(&entry.fact);
    match &entry.fact {
        Fact::RunStarted { plan } | Fact::RunResumed { plan } => (name, None, plan_body(plan)),
        Fact::CheckFinished(report::CheckFinished { lane, stage, outcome }) => {
            (name, Some(*lane), check_body(board, *stage, outcome))
        }
        Fact::HookFinished(report::HookFinished { lane, hook, outcome }) => {
            (name, Some(*lane), hook_body(*hook, outcome))
        }
        fact => {
            let (lane, body) = other_fact(board, fact);
            (name, lane, body)
        }
    }
}

/// The name of a fact's line: the journal's, but for four that were promised under another one.
fn fact_name(fact: &Fact) -> &'static str {
    match fact {
        Fact::CheckFinished(_) => "gate_finished",
        Fact::BackoffStarted { .. } => "waiting",
        Fact::TaskClosed(_) => "task_finished",
        Fact::NotificationSettled(_) => "notification_sent",
        fact => fact.name(),
    }
}

/// Facts whose journalled form is their public form, but for a field or two.
fn other_fact(board: &Board, fact: &Fact) -> (Option<LaneId>, Map<String, Value>) {
    let mut body = serde_json::to_value(fact).map(object).unwrap_or_default();
    body.remove("fact");
    let lane = body.remove("lane").and_then(|lane| serde_json::from_value(lane).ok());
    for counts in ["tokens", "replaces_tokens"] {
        if let Some(Value::Object(tokens)) = body.get_mut(counts) {
            let total: u64 = tokens.values().filter_map(Value::as_u64).fold(0, u64::saturating_add);
            tokens.insert("total".to_owned(), json!(total));
        }
    }
    match fact {
        Fact::TaskClosed(report::TaskClosed { end, .. }) => {
            body.remove("end");
            let (outcome, reason) = match end {
                TaskEnd::Done => ("done", ""),
                TaskEnd::Again { why } => ("again", why.as_str()),
                TaskEnd::Parked { reason } => ("parked", reason.as_str()),
            };
            body.insert("outcome".to_owned(), json!(outcome));
            if !reason.is_empty() {
                body.insert("reason".to_owned(), json!(reason));
            }
        }
        Fact::StatusChanged(report::StatusChanged { standing, .. }) => {
            body = status_body(standing, board.status.more());
        }
        Fact::BaselineCaptured(report::BaselineCaptured { standing: Some(standing), .. })
        | Fact::SnapshotTaken(report::SnapshotTaken { standing: Some(standing), .. }) => {
            body.insert("standing".to_owned(), Value::Object(status_body(standing, None)));
        }
        Fact::IterationFinished { .. } => {
            if let Some(left) = board.status.remaining() {
                body.insert("remaining".to_owned(), json!(left));
            }
        }
        Fact::IterationStarted { .. } => {
            let most = board.plan.as_ref().and_then(|plan| plan.limits.iterations);
            body.insert("max_iterations".to_owned(), json!(most));
        }
        Fact::CallFinished { summary, .. } => {
            let (exit_code, signal) = words::exit_or_signal(summary.ended);
            body.remove("ended");
            body.insert("exit_code".to_owned(), json!(exit_code));
            body.insert("signal".to_owned(), json!(signal));
        }
        Fact::Suspected(report::Suspected { suspicions, .. }) => {
            body.insert(
                "suspicions".to_owned(),
                json!(suspicions.iter().map(|found| StatusSuspicion::new(board, found)).collect::<Vec<_>>()),
            );
        }
        Fact::CallReserved { agent, .. } if board.has_chain() || !agent.is_first() => {
            body.insert("agent".to_owned(), json!(board.agent_name(*agent)));
        }
        Fact::AgentAway { agent, by, .. } => {
            body.insert("agent".to_owned(), json!(board.agent_name(*agent)));
            body.insert("by".to_owned(), json!(by.map(|by| board.agent_name(by))));
        }
        Fact::AgentBack { agent } => {
            body.insert("agent".to_owned(), json!(board.agent_name(*agent)));
        }
        // Ctrl-C and SIGTERM have one name there.
        Fact::RunFinished { stop_reason: StopReason::Complete, .. }
            if board.plan.as_ref().is_some_and(|plan| !plan.grounds().is_shown()) =>
        {
            body.insert("stop_reason".to_owned(), json!(StopReason::Complete.name()));
            body.insert("claimed".to_owned(), json!(true));
        }
        Fact::RunFinished { stop_reason, .. }
        | Fact::RunEnding { stop_reason, .. }
        | Fact::Failing { stop_reason, .. } => {
            body.insert("stop_reason".to_owned(), json!(stop_reason.name()));
        }
        _ => {}
    }
    (lane, body)
}

/// What the job's own file says; what it does not say is null.
fn status_body(standing: &JobStatus, delta: Option<i64>) -> Map<String, Value> {
    object(json!({
        "source": standing.source,
        "complete": standing.complete,
        "worked": standing.worked,
        "items": standing.items,
        "delta": delta,
        "remaining": standing.items.map(Items::remaining),
        "summary": standing.summary,
        "phase": standing.phase,
        "blockers": standing.blockers,
        "problem": standing.problem,
    }))
}

fn plan_body(plan: &RunSpec) -> Map<String, Value> {
    let limits = &plan.limits;
    let checks: Vec<Value> = plan
        .checks
        .iter()
        .map(|check| json!({ "kind": check.kind, "command": check.command, "timeout_ms": format::millis(check.timeout) }))
        .collect();
    let mut body = object(json!({
        "mode": plan.job.mode,
        "title": plan.job.title,
        "directory": plan.directory.to_string_lossy(),
        "git": plan.git,
        "commit": plan.commit,
        "agent": {
            "name": plan.agent.name,
            "version": plan.agent.version,
            "model": plan.agent.model,
            "allow": plan.agent.allow,
            "skip_permissions": plan.agent.skip_permissions,
        },
        "limits": {
            "iterations": limits.iterations,
            "cost_usd": limits.cost,
            "tokens": limits.tokens,
            "duration_ms": limits.duration.map(format::millis),
            "failures": limits.failures,
            "stagnation": limits.stagnation,
            "wait_ms": format::millis(limits.wait),
        },
        "checks": checks,
    }));
    if let Some(Value::Object(said)) = body.get_mut("limits").filter(|_| !limits.spent_before.is_zero()) {
        said.insert("spent_before_usd".to_owned(), json!(limits.spent_before));
    }
    if let Some(workspace) = &plan.job.workspace {
        let folder = workspace.folder.to_string_lossy();
        let log = workspace.log_file().map(|log| log.to_string_lossy().into_owned());
        let named = json!({ "name": workspace.name, "folder": folder, "log": log });
        body.insert("workspace".to_owned(), named);
    }
    if let Some(places) = &plan.job.plan {
        let text = |path: &std::path::PathBuf| path.to_string_lossy().into_owned();
        let named = json!({
            "file": text(&places.file),
            "folder": places.folder.as_ref().map(text),
            "specs": places.specs.as_ref().map(text),
            "smart_termination": places.smart_termination,
        });
        body.insert("plan".to_owned(), named);
    }
    if let Some(spec) = &plan.principles {
        let (file, preset) =
            (spec.file().to_string_lossy(), spec.known().map(|principles| principles.preset));
        body.insert("principles".to_owned(), json!({ "file": file, "preset": preset }));
    }
    if !plan.hooks.is_empty() {
        body.insert("hooks".to_owned(), plan.hooks.iter().map(hook_value).collect());
    }
    if let Some(verification) = &plan.job.verification {
        body.insert("verification".to_owned(), json!(verification));
    }
    if let Some(council) = plan.council.as_ref().filter(|_| plan.principles.is_some()) {
        let (model, most, logs) = (&council.model, council.per_run, council.logs);
        body.insert("council".to_owned(), json!({ "model": model, "per_run": most, "logs": logs }));
    }
    if let Some(review) = &plan.review {
        let ReviewSpec { model, skip_below_lines, scope, criteria, .. } = review;
        let said = json!({ "scope": scope, "model": model, "skip_below_lines": skip_below_lines, "criteria": criteria });
        body.insert("review".to_owned(), said);
    }
    body
}

fn check_body(board: &Board, stage: CheckStage, outcome: &CheckOutcome) -> Map<String, Value> {
    let check = board.plan.as_ref().and_then(|plan| plan.checks.get(usize::from(outcome.check)));
    let (result, exit_code, signal) = ended(outcome.result);
    object(json!({
        "check": outcome.check,
        "kind": check.map_or(CheckKind::Gate, |check| check.kind),
        "command": check.map_or("", |check| &check.command),
        "stage": stage,
        "passed": outcome.passed(),
        "result": result,
        "exit_code": exit_code,
        "signal": signal,
        "duration_ms": format::millis(outcome.duration),
        "log": outcome.log,
        "last_line": outcome.last_line,
        "telling_line": outcome.told(),
    }))
}

fn hook_value(hook: &Hook) -> Value {
    let command = match &hook.command {
        HookCommand::Shell(command) => command.clone(),
        HookCommand::File(path) => path.to_string_lossy().into_owned(),
    };
    json!({ "name": hook.name, "command": command, "timeout_ms": format::millis(hook.timeout) })
}

fn hook_body(hook: HookName, outcome: &HookOutcome) -> Map<String, Value> {
    let (result, exit_code, signal) = ended(outcome.result);
    object(json!({
        "hook": hook,
        "decision": outcome.decision,
        "reason": outcome.reason,
        "prompt": outcome.prompt,
        "result": result,
        "exit_code": exit_code,
        "signal": signal,
        "duration_ms": format::millis(outcome.duration),
        "log": outcome.log,
    }))
}

/// How a command ended: a word, its exit code, the signal.
const fn ended(result: CheckResult) -> (&'static str, Option<i32>, Option<i32>) {
    match result {
        CheckResult::Passed => ("passed", Some(0), None),
        CheckResult::Failed(code) => ("failed", Some(code), None),
        CheckResult::Signalled(signal) => ("signalled", None, Some(signal)),
        CheckResult::TimedOut => ("timed_out", None, None),
        CheckResult::Lost => ("lost", None, None),
    }
}

fn object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(map) => map,
        _ => Map::new(),
    }
}

#[cfg(test)]
#[path = "json_tests.rs"]
mod tests;
