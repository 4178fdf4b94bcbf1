//! Scenarios as JSON, to try things by hand: `cargo xtask api STORY.json`.

use std::time::Duration;

use jiff::Timestamp;
use serde::Deserialize;
use serde_json::Value;

use super::rate_limit::Window;
use super::scenario::{Reply, Scenario};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Story {
    replies: Vec<Step>,
    /// The last reply answers every further request.
    #[serde(default)]
    repeat_last: bool,
}

/// One reply; the names are those of [`Reply`]'s constructors.
#[derive(Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
enum Step {
    Text(String),
    Bash(String),
    Tool { name: String, input: Value },
    Error { status: u16, r#type: String, message: String },
    UsageLimit { window: WindowName, seconds: u32 },
    StallMidStream(String),
    ResetMidStream(String),
    StallBeforeHeaders,
    ResetBeforeHeaders,
    Unauthorized,
    Overloaded,
    ServerError,
    TooManyRequests,
    ContextTooLong,
    OutOfCredit,
    Empty,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "snake_case")]
enum WindowName {
    FiveHour,
    SevenDay,
}

impl Scenario {
    /// Reads a scenario such as `{"replies": [{"bash": "ls"}, "overloaded", {"usage_limit": {"window": "five_hour",
    /// "seconds": 20}}, {"text": "done"}], "repeat_last": false}`. A usage limit lasts so many seconds from when it is
    /// told.
    pub fn from_json(text: &str) -> Result<Self, serde_json::Error> {
        let story: Story = serde_json::from_str(text)?;
        let scenario = Self::new(story.replies.into_iter().map(reply));
        Ok(if story.repeat_last { scenario.repeat_last() } else { scenario })
    }
}

fn reply(step: Step) -> Reply {
    match step {
        Step::Text(text) => Reply::text(text),
        Step::Bash(command) => Reply::bash(&command),
        Step::Tool { name, input } => Reply::tool(&name, input),
        Step::Error { status, r#type, message } => Reply::error(status, &r#type, &message),
        Step::UsageLimit { window, seconds } => {
            let window = match window {
                WindowName::FiveHour => Window::FiveHour,
                WindowName::SevenDay => Window::SevenDay,
            };
            let lasts = Duration::from_secs(seconds.into());
            Reply::computed(move |_| Reply::usage_limit(window, Timestamp::now() + lasts))
        }
        Step::StallMidStream(text) => Reply::stall_mid_stream(text),
        Step::ResetMidStream(text) => Reply::reset_mid_stream(text),
        Step::StallBeforeHeaders => Reply::stall_before_headers(),
        Step::ResetBeforeHeaders => Reply::reset_before_headers(),
        Step::Unauthorized => Reply::unauthorized(),
        Step::Overloaded => Reply::overloaded(),
        Step::ServerError => Reply::server_error(),
        Step::TooManyRequests => Reply::too_many_requests(),
        Step::ContextTooLong => Reply::context_too_long(),
        Step::OutOfCredit => Reply::out_of_credit(),
        Step::Empty => Reply::empty(),
    }
}
