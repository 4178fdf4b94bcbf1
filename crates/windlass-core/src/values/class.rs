//! How a call went, and what the runner made of an iteration.

use serde::{Deserialize, Serialize};
use strum::VariantNames;

/// How a call went, judged by fields and never by prose (`docs/agents.md` has the table).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, VariantNames)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum Class {
    /// A result with `is_error:false`. It proves that the agent ended its turn, nothing more.
    Success,
    /// The agent is not logged in or its credentials are refused.
    Auth,
    /// No credit, no subscription, a spend cap: waiting does not help.
    Billing,
    /// The account may not do this (403).
    Permission,
    /// The call cannot work as configured: unknown model, a flag the agent does not know, a broken settings file.
    Config,
    /// A usage limit of the plan; it usually names the time at which it resets.
    UsageLimit,
    /// Rate limit without a time, overload, server errors, network.
    Outage,
    /// The prompt or the conversation does not fit into the model's context.
    ContextTooLong,
    /// The call used up its turns (`--max-turns`).
    MaxTurns,
    /// The call used up the budget it was given.
    BudgetExhausted,
    /// The agent reported an error of its own, crashed, fell silent or was cut off by a clock.
    TaskFailure,
    /// The runner ended the call because somebody asked the run to stop, or the runner itself died.
    Interrupted,
    /// None of these: among them what the API refuses for a reason that is not known.
    #[default]
    Unknown,
}

impl Class {
    /// Will no repetition help until a person has done something?
    pub const fn is_fatal(self) -> bool {
        matches!(self, Class::Auth | Class::Billing | Class::Permission | Class::Config)
    }
}

impl Class {
    /// Did the call not get through, for a while?
    pub const fn is_of_reach(self) -> bool {
        matches!(self, Class::UsageLimit | Class::Outage)
    }

    /// Is it the API that failed, and neither the agent nor its task? A limit, an outage, a refusal that nobody knows.
    pub const fn is_of_api(self) -> bool {
        self.is_fatal() || self.is_of_reach() || matches!(self, Class::Unknown)
    }
}

/// What the runner concluded about an iteration.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, VariantNames)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum Verdict {
    /// The evidence is one that this run had not seen.
    Worked,
    /// The evidence was known: no progress.
    Idle,
    /// The call failed.
    Failed,
    /// The claim stood and every gate was green.
    ClaimAccepted,
    /// A claim was made and a gate was red.
    ClaimRefused,
    /// A claim was made, but nothing has changed since the run began and no gate vouches for it.
    ClaimUnsupported,
}
