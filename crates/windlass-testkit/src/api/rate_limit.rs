//! The `anthropic-ratelimit-unified-*` headers. Claude Code reads them with an OAuth token only: with an API key it
//! prints no `rate_limit_event` and knows no reset time.

use jiff::Timestamp;

/// How the plan stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RateLimitStatus {
    /// Within the plan.
    Allowed,
    /// Within the plan, close to its end.
    Warning,
    /// Used up.
    Rejected,
}

impl RateLimitStatus {
    fn wire(self) -> &'static str {
        match self {
            Self::Allowed => "allowed",
            Self::Warning => "allowed_warning",
            Self::Rejected => "rejected",
        }
    }
}

/// The window of a plan that a limit belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Window {
    /// Five hours, all models.
    FiveHour,
    /// Seven days, all models.
    SevenDay,
    /// Seven days, Opus only.
    SevenDayOpus,
    /// Seven days, Sonnet only.
    SevenDaySonnet,
}

impl Window {
    /// The name in the header `…-representative-claim`, and in `rateLimitType` of the agent's stream.
    pub fn claim(self) -> &'static str {
        match self {
            Self::FiveHour => "five_hour",
            Self::SevenDay => "seven_day",
            Self::SevenDayOpus => "seven_day_opus",
            Self::SevenDaySonnet => "seven_day_sonnet",
        }
    }

    fn abbreviation(self) -> &'static str {
        match self {
            Self::FiveHour => "5h",
            Self::SevenDay | Self::SevenDayOpus | Self::SevenDaySonnet => "7d",
        }
    }
}

/// What the service says about the plan along with an answer.
#[derive(Clone, Debug)]
pub struct RateLimit {
    status: RateLimitStatus,
    window: Window,
    resets_at: Timestamp,
    utilization: f64,
    in_overage: bool,
}

impl RateLimit {
    /// The `status` of `window`, which starts anew at `resets_at` (whole seconds on the wire).
    pub fn new(status: RateLimitStatus, window: Window, resets_at: Timestamp) -> Self {
        let utilization = match status {
            RateLimitStatus::Allowed => 0.1,
            RateLimitStatus::Warning => 0.92,
            RateLimitStatus::Rejected => 1.02,
        };
        Self { status, window, resets_at, utilization, in_overage: false }
    }

    /// How much of the window is used; 1 is all of it.
    pub fn utilization(mut self, share: f64) -> Self {
        self.utilization = share;
        self
    }

    /// The plan is used up and the account is charged beyond it (`isUsingOverage`).
    pub fn in_overage(mut self) -> Self {
        self.in_overage = true;
        self
    }

    /// The headers, names in lower case.
    pub(super) fn headers(&self) -> Vec<(String, String)> {
        let resets_at = self.resets_at.as_second().to_string();
        let window = self.window.abbreviation();
        let mut headers: Vec<(String, String)> = Vec::new();
        let mut add = |name: &str, value: &str| {
            headers.push((format!("anthropic-ratelimit-unified-{name}"), value.to_owned()));
        };
        add("status", self.status.wire());
        add("reset", &resets_at);
        add("representative-claim", self.window.claim());
        add(&format!("{window}-status"), self.status.wire());
        add(&format!("{window}-reset"), &resets_at);
        add(&format!("{window}-utilization"), &self.utilization.to_string());
        if self.status == RateLimitStatus::Warning {
            add(&format!("{window}-surpassed-threshold"), "0.9");
        }
        if self.in_overage {
            add("overage-status", "allowed");
            add("overage-reset", &resets_at);
            add("overage-in-use", "true");
        } else {
            add("overage-status", "rejected");
            add("overage-disabled-reason", "org_level_disabled");
        }
        headers
    }
}
