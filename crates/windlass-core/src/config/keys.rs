//! Every key there is: its name, its kind, and one sentence that says what it is for.

use std::marker::PhantomData;

use toml::Value;

use super::setting::{
    CheckSetting, Count, CountCap, FileBelow, MoneyCap, OutputLevel, Pause, Phrase, PositiveSpan, Refusal,
    Setting, Span, SpanCap, Text, TokenCap,
};
use crate::fact::ExitCodes;
use crate::run::{BudgetScope, CommitPolicy};

/// A key that holds a `T`.
#[derive(Debug)]
pub struct Key<T> {
    /// `table.key`.
    pub name: &'static str,
    kind: PhantomData<fn() -> T>,
}

/// What there is to know about a key, whatever it holds.
#[derive(Debug)]
pub struct KeyInfo {
    /// `table.key`.
    pub name: &'static str,
    /// One sentence.
    pub help: &'static str,
    /// What is expected, for messages.
    pub expected: &'static str,
    /// Is this value one that the key may hold?
    pub(super) check: fn(&Value) -> Result<(), Refusal>,
    /// What a text from the command line or the environment stands for.
    pub(super) from_text: fn(&str) -> Value,
}

macro_rules! keys {
    ($($id:ident : $kind:ty = $name:literal, $help:literal;)*) => {
        $(#[doc = $help] pub const $id: Key<$kind> = Key { name: $name, kind: PhantomData };)*

        /// Every key, table by table.
        pub const KEYS: &[KeyInfo] = &[$(KeyInfo {
            name: $name,
            help: $help,
            expected: <$kind as Setting>::EXPECTED,
            check: |value| <$kind as Setting>::read(value).map(drop),
            from_text: <$kind as Setting>::from_text,
        }),*];
    };
}

keys! {
    MAX_ITERATIONS: CountCap = "limits.max_iterations", "Iterations of a run; failed ones count.";
    MAX_COST: MoneyCap = "limits.max_cost", "Dollars that a run may cost.";
    MAX_TOKENS: TokenCap = "limits.max_tokens", "Tokens of all kinds that a run may use.";
    MAX_DURATION: SpanCap = "limits.max_duration", "Time a run may take; waits for usage limits do not count.";
    MAX_FAILURES: Count<1> = "limits.max_failures", "Failed iterations in a row that end a run.";
    STAGNATION_THRESHOLD: CountCap = "limits.stagnation_threshold", "Iterations in a row without progress that end a run; 0 = never.";
    MAX_WAIT: Span = "limits.max_wait", "The longest wait for one usage limit.";
    OUTAGE_RETRIES: Count<0> = "limits.outage_retries", "Retries of one outage.";
    OUTAGE_TIME: Span = "limits.outage_time", "Time that one outage may take.";
    BUDGET_SCOPE: BudgetScope = "limits.budget_scope", "What the limit on cost is for: this run, or all runs of the same goal here.";
    OVERAGE: bool = "limits.overage", "Usage beyond the plan is allowed.";

    DELAY: Pause = "clocks.delay", "Pause between two iterations.";
    SILENCE: PositiveSpan = "clocks.silence", "Time without a byte from the agent that ends a call.";
    CALL: PositiveSpan = "clocks.call", "Time that one call of the agent may take.";
    BACKOFF: PositiveSpan = "clocks.backoff", "First pause of an outage; each further one is twice as long.";
    GRACE: Span = "clocks.grace", "Time from SIGTERM to SIGKILL.";
    LINGER: Span = "clocks.linger", "Time from the last result until the agent must have ended.";
    LINGER_BACKGROUND: Span = "clocks.linger_background", "The same while background tasks run.";

    COMMAND: Text = "agent.command", "The agent's program.";
    ARGUMENTS: Vec<String> = "agent.arguments", "Arguments for the agent, before those of windlass.";
    MODEL: Text = "agent.model", "The model; without it the agent chooses.";
    MAX_TURNS: Count<1> = "agent.max_turns", "Turns per call; without it the agent's own limit holds.";
    API_KEYS: bool = "agent.api_keys", "Hand API keys of the environment to the agent.";
    BACKGROUND: bool = "agent.background", "Let the agent start background tasks.";

    ALLOW: Vec<String> = "permissions.allow", "Permission rules for the agent, such as `Bash(make test)`.";

    GATES: Vec<CheckSetting> = "gates.commands", "Commands that must pass before a claim counts.";
    UNTIL: Vec<CheckSetting> = "gates.until", "Commands that decide completion instead of the agent's claim.";
    GATE_TIMEOUT: PositiveSpan = "gates.timeout", "Time that one of these commands may take.";

    COMPLETION_SIGNAL: Phrase = "goal.completion_signal", "The phrase that claims completion.";
    COMPLETION_THRESHOLD: Count<1> = "goal.completion_threshold", "Iterations in a row that must claim it.";
    NOTES_FILE: FileBelow = "goal.notes_file", "Notes relayed between iterations; empty = none.";

    COMMIT: CommitPolicy = "git.commit", "Who commits: nobody, the agent, or windlass after each iteration.";

    LEVEL: OutputLevel = "output.level", "How much is shown of a run.";
    EMOJI: bool = "output.emoji", "Show emoji and other symbols beyond ASCII.";
    EXIT_CODES: ExitCodes = "output.exit_codes", "Exit codes: a few, or one per stop reason.";
}

/// What is known about a key of this name.
pub(super) fn find(name: &str) -> Option<&'static KeyInfo> {
    KEYS.iter().find(|key| key.name == name)
}

/// Why a key of this name may never be saved, where that is so.
pub(super) fn never_saved(name: &str) -> Option<&'static str> {
    match name.rsplit('.').next()? {
        "skip_permissions" | "dangerously_skip_permissions" => Some(
            "skipping permissions is never saved; give `--dangerously-skip-permissions` on the command line each time",
        ),
        "unlimited" => {
            Some("a run without limits is never saved; give `--unlimited` on the command line each time")
        }
        _ => None,
    }
}
