//! The shape of `--json`'s lines, from which `docs/json-schema.json` is written (`WINDLASS_TEST_RENEW=1`). It only grows: what is here stays.

mod agents;
mod calls;
mod council;
mod delivery;
mod documents;
mod judgements;
mod machine;
mod observations;
mod report;
mod reviews;
mod tasks;
mod workspaces;

use serde_json::{Map, Value, json};
use strum::VariantNames as _;
use windlass_core::principles::Preset;
use windlass_core::spec::{CommitPolicy, Depth};
use windlass_core::values::{
    Assessed, CheckKind, CheckStage, Class, Confidence, Cut, Delivery, HookDecision, HookName, NotifyEvent,
    Purpose, SinkKind, StatusSource, StopReason, StopSource, SuspicionKind, Verdict,
};

use self::Shape::{Flag, Integer, List, Nullable, Number, Object, OneOf, Reason, Text, Time};
use self::delivery::DELIVERY_FACTS;
pub(super) use self::documents::DOCUMENTS;
use self::documents::{DOCUMENT, MODE};
pub(super) use self::observations::{OBSERVATIONS, OBSERVED};
use crate::FORMAT_VERSION;
pub(super) use tasks::TASK_FACTS;

/// What a field holds.
#[derive(Clone, Copy)]
pub(super) enum Shape {
    Text,
    /// A whole number, not negative unless it is an exit code.
    Integer,
    Number,
    Flag,
    /// RFC 3339, UTC.
    Time,
    OneOf(&'static [&'static str]),
    /// A stop reason's name.
    Reason,
    /// How a run stands: `running`, `interrupted`, or a stop reason's name.
    State,
    /// Any JSON.
    Anything,
    Nullable(&'static Shape),
    /// One of these.
    Either(&'static [Shape]),
    List(&'static Shape),
    /// An object whose names are values of their own: modes, keys.
    ByName(&'static Shape),
    Object(&'static [Field]),
    /// An object of several parts.
    Whole(&'static [&'static [Field]]),
}

/// A field: its name, what it holds, whether it is always there.
pub(super) type Field = (&'static str, Shape, Presence);

/// Is a field always there?
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Presence {
    Always,
    /// Left out where it would say nothing: false, zero, empty, unknown.
    Sometimes,
}

use Presence::{Always, Sometimes};

/// What every line begins with.
pub(super) const HEAD: &[Field] = &[
    ("v", Integer, Always),
    ("type", Text, Always),
    ("run", Nullable(&Text), Always),
    ("lane", Nullable(&Integer), Always),
    ("seq", Integer, Always),
    ("time", Time, Always),
];

const CLASS: Shape = OneOf(Class::VARIANTS);

const VERDICT: Shape = OneOf(Verdict::VARIANTS);

const CUT: Shape = OneOf(Cut::VARIANTS);

const CHECK_KIND: Shape = OneOf(CheckKind::VARIANTS);

const TOKENS: Shape = Object(&[
    ("input", Integer, Always),
    ("output", Integer, Always),
    ("cache_creation", Integer, Always),
    ("cache_read", Integer, Always),
    ("total", Integer, Always),
]);

const EVIDENCE: Shape =
    Object(&[("head", Text, Sometimes), ("tree", Text, Always), ("work", Text, Sometimes)]);

const PLAN: &[Field] = &[
    ("mode", MODE, Always),
    ("title", Text, Always),
    ("directory", Text, Always),
    ("git", Flag, Always),
    ("commit", OneOf(CommitPolicy::VARIANTS), Always),
    (
        "agent",
        Object(&[
            ("name", Text, Always),
            ("version", Text, Always),
            ("model", Nullable(&Text), Always),
            ("allow", List(&Text), Always),
            ("skip_permissions", Flag, Always),
        ]),
        Always,
    ),
    (
        "limits",
        Object(&[
            ("iterations", Nullable(&Integer), Always),
            ("cost_usd", Nullable(&Number), Always),
            ("spent_before_usd", Number, Sometimes),
            ("tokens", Nullable(&Integer), Always),
            ("duration_ms", Nullable(&Integer), Always),
            ("failures", Integer, Always),
            ("stagnation", Nullable(&Integer), Always),
            ("wait_ms", Integer, Always),
        ]),
        Always,
    ),
    (
        "checks",
        List(&Object(&[
            ("kind", CHECK_KIND, Always),
            ("command", Text, Always),
            ("timeout_ms", Integer, Always),
        ])),
        Always,
    ),
    (
        "workspace",
        Object(&[("name", Text, Always), ("folder", Text, Always), ("log", Nullable(&Text), Always)]),
        Sometimes,
    ),
    (
        "plan",
        Object(&[
            ("file", Text, Always),
            ("folder", Nullable(&Text), Always),
            ("specs", Nullable(&Text), Always),
            ("smart_termination", Flag, Always),
        ]),
        Sometimes,
    ),
    (
        "principles",
        Object(&[("file", Text, Always), ("preset", Nullable(&OneOf(Preset::VARIANTS)), Always)]),
        Sometimes,
    ),
    (
        "hooks",
        List(&Object(&[("name", HOOK, Always), ("command", Text, Always), ("timeout_ms", Integer, Always)])),
        Sometimes,
    ),
    ("review", Object(reviews::SPEC), Sometimes),
    ("council", council::COUNCIL, Sometimes),
    (
        "verification",
        Object(&[("depth", OneOf(Depth::VARIANTS), Always), ("attempts", Integer, Always)]),
        Sometimes,
    ),
];

/// What the job's own file says.
const STATUS: &[Field] = &[
    ("source", OneOf(StatusSource::VARIANTS), Always),
    ("complete", Flag, Always),
    ("worked", Nullable(&Flag), Always),
    ("items", Nullable(&Object(&[("done", Integer, Always), ("total", Integer, Always)])), Always),
    ("delta", Nullable(&Integer), Always),
    ("remaining", Nullable(&Integer), Always),
    ("summary", Text, Always),
    ("phase", Text, Always),
    ("blockers", List(&Text), Always),
    ("problem", Nullable(&Text), Always),
];

/// What a fresh agent made of work or instructions.
const ASSESSMENT: Shape = Object(&[
    ("verdict", OneOf(Assessed::VARIANTS), Always),
    ("confidence", OneOf(Confidence::VARIANTS), Always),
    ("summary", Text, Always),
    (
        "findings",
        List(&Object(&[("title", Text, Always), ("detail", Text, Sometimes), ("required", Flag, Sometimes)])),
        Sometimes,
    ),
    ("met", List(&Object(&[("title", Text, Always), ("evidence", Text, Sometimes)])), Sometimes),
    ("recommendation", Text, Sometimes),
]);

/// What the guard found; `held`: no claim is accepted while it stands.
pub(super) const SUSPICION: &[Field] = &[
    ("kind", OneOf(SuspicionKind::VARIANTS), Always),
    ("path", Text, Always),
    ("sentence", Text, Always),
    ("held", Flag, Always),
];

const GATE_FINISHED: &[Field] = &[
    ("check", Integer, Always),
    ("kind", CHECK_KIND, Always),
    ("command", Text, Always),
    ("stage", OneOf(CheckStage::VARIANTS), Always),
    ("passed", Flag, Always),
    ("result", OneOf(&["passed", "failed", "signalled", "timed_out", "lost"]), Always),
    ("exit_code", Nullable(&Integer), Always),
    ("signal", Nullable(&Integer), Always),
    ("duration_ms", Integer, Always),
    ("log", Text, Always),
    ("last_line", Text, Always),
    ("telling_line", Text, Always),
];

const HOOK: Shape = OneOf(HookName::VARIANTS);

const HOOK_DECISION: Shape = OneOf(HookDecision::VARIANTS);

const HOOK_FINISHED: &[Field] = &[
    ("hook", HOOK, Always),
    ("decision", HOOK_DECISION, Always),
    ("reason", Text, Always),
    ("prompt", Text, Always),
    ("result", OneOf(&["passed", "failed", "signalled", "timed_out", "lost"]), Always),
    ("exit_code", Nullable(&Integer), Always),
    ("signal", Nullable(&Integer), Always),
    ("duration_ms", Integer, Always),
    ("log", Text, Always),
];

const ITERATION_FINISHED: &[Field] = &[
    ("iteration", Integer, Always),
    ("verdict", VERDICT, Always),
    ("class", CLASS, Always),
    ("progress", Flag, Always),
    ("cost_usd", Number, Always),
    ("estimated_usd", Number, Sometimes),
    ("tokens", TOKENS, Always),
    ("duration_ms", Integer, Always),
    ("remaining", Integer, Sometimes),
];

const RUN_FINISHED: &[Field] = &[
    ("stop_reason", Reason, Always),
    ("claimed", Flag, Sometimes),
    ("detail", Text, Sometimes),
    ("iterations", Integer, Always),
    ("cost_usd", Number, Always),
    ("estimated", Flag, Sometimes),
    ("estimated_usd", Number, Sometimes),
    ("tokens", TOKENS, Always),
    ("duration_ms", Integer, Always),
    ("exit_code", Integer, Always),
];

const NOTIFICATION_SENT: &[Field] = &[
    ("about", Integer, Always),
    ("event", OneOf(NotifyEvent::VARIANTS), Always),
    ("sink", OneOf(SinkKind::VARIANTS), Always),
    ("delivery", OneOf(Delivery::VARIANTS), Always),
    ("status", Integer, Sometimes),
    ("detail", Text, Sometimes),
    ("attempts", Integer, Always),
];

const CALL_RESERVED: &[Field] = &[
    ("call", Integer, Always),
    ("iteration", Integer, Always),
    ("attempt", Integer, Always),
    ("purpose", OneOf(Purpose::VARIANTS), Always),
    // The name of whose it is, in a run with several agents.
    ("agent", Text, Sometimes),
    ("reserved_usd", Number, Always),
    ("budget_usd", Number, Sometimes),
];

/// Made from facts: each type, and what it has beyond the head.
pub(super) const FACTS: &[(&str, &[Field])] = &[
    ("run_started", PLAN),
    ("run_resumed", PLAN),
    (
        "surveyed",
        &[
            ("evidence", EVIDENCE, Always),
            ("snapshot", Text, Sometimes),
            ("left_out", Integer, Always),
            ("standing", Object(STATUS), Sometimes),
        ],
    ),
    ("gate_finished", GATE_FINISHED),
    (
        "iteration_started",
        &[
            ("iteration", Integer, Always),
            ("max_iterations", Nullable(&Integer), Always),
            ("task", Text, Sometimes),
        ],
    ),
    ("call_reserved", CALL_RESERVED),
    ("call_spawned", &[("call", Integer, Always), ("pid", Integer, Always)]),
    ("call_cut", &[("call", Integer, Always), ("cut", CUT, Always), ("now", Flag, Sometimes)]),
    ("call_finished", calls::FINISHED),
    ("call_recharged", calls::RECHARGED),
    (
        "kept",
        &[
            ("evidence", EVIDENCE, Always),
            ("snapshot", Text, Sometimes),
            ("changed", Integer, Always),
            ("strayed", Integer, Sometimes),
            ("standing", Object(STATUS), Sometimes),
        ],
    ),
    (
        "principles_collected",
        &[
            (
                "principles",
                Object(&[("preset", OneOf(Preset::VARIANTS), Always), ("values", Shape::Anything, Always)]),
                Sometimes,
            ),
            ("refused", Text, Sometimes),
            ("left", Integer, Always),
        ],
    ),
    ("suspected", &[("suspicions", List(&Object(SUSPICION)), Always)]),
    (
        "refused",
        &[
            ("count", Integer, Always),
            ("files", List(&Text), Always),
            ("undone", Flag, Always),
            ("evidence", EVIDENCE, Always),
        ],
    ),
    ("status_changed", STATUS),
    (
        "review_skipped",
        &[("iteration", Integer, Always), ("attempt", Integer, Always), ("lines", Integer, Always)],
    ),
    ("decision_logged", council::LOGGED),
    ("verification_due", council::VERIFICATION_DUE),
    (
        "committed",
        &[
            ("commit", Text, Sometimes),
            ("evidence", EVIDENCE, Always),
            ("altered", Flag, Sometimes),
            ("refused", Text, Sometimes),
            ("hook_output", Text, Sometimes),
            ("has_conflict_marks", Flag, Sometimes),
            ("needs_person", Flag, Sometimes),
            ("held_back", List(&Text), Sometimes),
            ("beside", List(&Text), Sometimes),
            ("lacks", List(&Text), Sometimes),
            ("snapshot", Text, Sometimes),
        ],
    ),
    ("settled", &[("evidence", EVIDENCE, Always)]),
    (
        "attempt_repeats",
        &[("iteration", Integer, Always), ("attempt", Integer, Always), ("class", CLASS, Always)],
    ),
    ("hook_due", &[("iteration", Integer, Always)]),
    ("hook_finished", HOOK_FINISHED),
    ("iteration_finished", ITERATION_FINISHED),
    ("waiting", &[("until", Time, Always), ("class", CLASS, Always), ("attempt", Integer, Always)]),
    ("released", &[]),
    ("agent_away", agents::AWAY),
    ("agent_back", &[("agent", Text, Always)]),
    ("stop_requested", &[("by", OneOf(StopSource::VARIANTS), Always), ("stage", Integer, Always)]),
    ("park_requested", &[("by", OneOf(StopSource::VARIANTS), Always), ("task", Text, Always)]),
    (
        "failing",
        &[
            ("stop_reason", Reason, Always),
            ("detail", Text, Always),
            ("under_way", OneOf(&["given_up", "lost"]), Sometimes),
        ],
    ),
    (
        "action_asked",
        &[
            ("by", OneOf(StopSource::VARIANTS), Always),
            ("who", Text, Always),
            ("what", Text, Always),
            ("once", Text, Always),
        ],
    ),
    ("noticed", &[("text", Text, Always)]),
    ("notification_sent", NOTIFICATION_SENT),
    (
        "run_ending",
        &[
            ("stop_reason", Reason, Always),
            ("detail", Text, Sometimes),
            ("iterations", Integer, Always),
            ("cost_usd", Number, Always),
            ("estimated", Flag, Sometimes),
            ("estimated_usd", Number, Sometimes),
        ],
    ),
    ("run_finished", RUN_FINISHED),
    ("dropped", &[("count", Integer, Always)]),
];

/// All that are made from facts.
fn all_facts() -> impl Iterator<Item = &'static (&'static str, &'static [Field])> {
    FACTS.iter().chain(TASK_FACTS).chain(DELIVERY_FACTS)
}

/// The schema of a line of `--json` (JSON Schema 2020-12), as `docs/json-schema.json` holds it.
fn json_schema() -> String {
    let head = HEAD.iter();
    let facts = all_facts().map(|(name, own)| line(name, head.clone().chain(*own)));
    let observed =
        OBSERVATIONS.iter().map(|(name, own)| line(name, head.clone().chain(OBSERVED).chain(*own)));
    let documents = DOCUMENTS.iter().map(|(name, parts)| line(name, fields_of_document(parts)));
    let lines: Vec<Value> = facts.chain(observed).chain(documents).collect();
    let schema = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "A line of what `windlass` prints with `--json`",
        "description": "Types and fields are added, never taken away: ignore those that you do not know.",
        "oneOf": lines,
    });
    let mut text = serde_json::to_string_pretty(&schema).unwrap_or_default();
    text.push('\n');
    text
}

/// All fields of a document, in their order.
fn fields_of_document(parts: &'static [&'static [Field]]) -> impl Iterator<Item = &'static Field> {
    DOCUMENT.iter().chain(parts.iter().copied().flatten())
}

fn line<'a>(name: &str, fields: impl Iterator<Item = &'a Field>) -> Value {
    let mut schema = object(fields);
    if let Some(Value::Object(properties)) = schema.get_mut("properties") {
        properties.insert("type".to_owned(), json!({ "const": name }));
        properties.insert("v".to_owned(), json!({ "const": FORMAT_VERSION }));
    }
    schema
}

fn object<'a>(fields: impl Iterator<Item = &'a Field>) -> Value {
    let mut properties = Map::new();
    let mut required = Vec::new();
    for (name, shape, presence) in fields {
        properties.insert((*name).to_owned(), shape_schema(shape));
        if *presence == Always {
            required.push(json!(name));
        }
    }
    json!({ "type": "object", "properties": properties, "required": required })
}

fn shape_schema(shape: &Shape) -> Value {
    match shape {
        Text => json!({ "type": "string" }),
        Integer => json!({ "type": "integer" }),
        Number => json!({ "type": "number" }),
        Flag => json!({ "type": "boolean" }),
        Time => json!({ "type": "string", "format": "date-time" }),
        OneOf(names) => json!({ "enum": names }),
        Reason => json!({ "enum": reasons() }),
        Shape::State => {
            let states: Vec<&str> = ["running", "interrupted"].into_iter().chain(reasons()).collect();
            json!({ "enum": states })
        }
        Shape::Anything => json!({}),
        Nullable(shape) => json!({ "anyOf": [shape_schema(shape), { "type": "null" }] }),
        Shape::Either(shapes) => json!({ "anyOf": shapes.iter().map(shape_schema).collect::<Vec<_>>() }),
        List(shape) => json!({ "type": "array", "items": shape_schema(shape) }),
        Shape::ByName(shape) => json!({ "type": "object", "additionalProperties": shape_schema(shape) }),
        Object(fields) => object(fields.iter()),
        Shape::Whole(parts) => object(parts.iter().copied().flatten()),
    }
}

/// The names of all stop reasons; two reasons share one.
pub(super) fn reasons() -> Vec<&'static str> {
    let mut names: Vec<&str> = StopReason::ALL.iter().map(|reason| reason.name()).collect();
    names.dedup();
    names
}

pub(in crate::view) mod tests;
