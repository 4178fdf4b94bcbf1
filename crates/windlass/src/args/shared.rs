//! Flags that several verbs take.

use clap::Args;
use windlass_app::trusting::TrustAnswers;

/// When a run has to end.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Limits (0 = unlimited, with another limit or --unlimited)")]
pub struct LimitArgs {
    /// Stop after N iterations; failed ones count [default: 50; iterative, plan: 20; tasks: twice the open tasks]
    #[arg(short = 'm', long, alias = "max-runs", value_name = "N")]
    pub max_iterations: Option<String>,
    /// Stop at this cost in dollars: 5, 5.50, '$5'
    #[arg(long, value_name = "USD", allow_hyphen_values = true)]
    pub max_cost: Option<String>,
    /// What --max-cost is for: run, or job (all runs of this goal here) [default: run]
    #[arg(long, value_name = "SCOPE")]
    pub budget_scope: Option<String>,
    /// Stop at this many tokens of all kinds
    #[arg(long, value_name = "N")]
    pub max_tokens: Option<String>,
    /// Stop after this time, waits for usage limits not counted: 90m, 1h30m [default: 12h]
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    pub max_duration: Option<String>,
    /// Stop after N failed iterations in a row [default: 3]
    #[arg(long, value_name = "N")]
    pub max_failures: Option<String>,
    /// Wait at most this long for one usage limit to reset [default: 6h]
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    pub max_wait: Option<String>,
    /// Stop after N iterations in a row without progress; 0 = never [default: 3; iterative: 2; build: 1]
    #[arg(long, value_name = "N")]
    pub stagnation_threshold: Option<String>,
    /// Go on when the account is charged beyond its plan
    #[arg(long)]
    pub allow_overage: bool,
    /// Lift the default limits, and accept 0 for all of them
    #[arg(long)]
    pub unlimited: bool,
}

/// How much is shown.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Output")]
pub struct OutputArgs {
    /// Show every tool call and its result
    #[arg(short, long, alias = "stream", conflicts_with_all = ["quiet", "output"])]
    pub verbose: bool,
    /// Show errors only
    #[arg(short, long, conflicts_with = "output")]
    pub quiet: bool,
    /// Show this much: quiet, progress, verbose [default: progress]
    #[arg(long, value_name = "LEVEL")]
    pub output: Option<String>,
    /// Print one JSON object per line on stdout, and nothing else there
    #[arg(long)]
    pub json: bool,
    /// Exit with a few codes or with one per stop reason: simple, detailed [default: detailed]
    #[arg(long, value_name = "CODES")]
    pub exit_codes: Option<String>,
}

/// What of the repository windlass may start.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Trust (docs/trust.md)")]
pub struct TrustHashArgs {
    /// Trust what this repository's files start, if it is what HASH names: windlass trust prints it
    #[arg(long, value_name = "HASH")]
    pub trust: Option<String>,
}

/// What of the repository windlass and the agent may start.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Trust (docs/trust.md)")]
pub struct TrustArgs {
    /// By its content
    #[command(flatten)]
    pub hash: TrustHashArgs,
    /// Leave out the repository's .claude settings, hooks and MCP servers
    #[arg(long = "no-claude-settings")]
    pub no_agent_settings: bool,
}

impl From<&TrustHashArgs> for TrustAnswers {
    /// Of a verb that starts no agent.
    fn from(args: &TrustHashArgs) -> TrustAnswers {
        TrustAnswers { hash: args.trust.clone(), without_agent_settings: false }
    }
}

impl From<&TrustArgs> for TrustAnswers {
    fn from(args: &TrustArgs) -> TrustAnswers {
        TrustAnswers { hash: args.hash.trust.clone(), without_agent_settings: args.no_agent_settings }
    }
}

impl TrustArgs {
    /// Was anything said?
    pub const fn is_given(&self) -> bool {
        self.hash.trust.is_some() || self.no_agent_settings
    }
}
