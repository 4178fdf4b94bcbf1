//! Who else is told what happens.

use std::env;
use std::path::Path;
use std::thread;
use std::time::Duration;

use windlass_agents::AGENTS;
use windlass_core::config::NotifySettings;
use windlass_core::notification::Notification;
use windlass_core::redact::Redactor;
use windlass_core::values::{Delivery, Named};
use windlass_engine::notify::{CommandRoom, Dispatcher, NotificationSettled};
use windlass_engine::supervisor::Telling;

use crate::agent;
use crate::app::App;
use crate::error::AppError;

/// Variables whose values are secrets, whatever they look like; those of agents come to it.
const SECRET_VARIABLES: [&str; 6] = [
    "AWS_BEARER_TOKEN_BEDROCK",
    "AWS_SECRET_ACCESS_KEY",
    "AWS_SESSION_TOKEN",
    "GITHUB_TOKEN",
    "GH_TOKEN",
    "OPENAI_API_KEY",
];

/// So long a verb that is done waits for its notification to be delivered.
const PATIENCE: Duration = Duration::from_secs(15);

/// How often it looks.
const LOOK: Duration = Duration::from_millis(20);

/// What is configured, and what must not leave.
pub fn of(settings: &NotifySettings) -> Telling {
    Telling { settings: settings.clone(), redactor: redactor() }
}

/// Knows the secrets of this process's environment.
pub fn redactor() -> Redactor {
    let of_agents = AGENTS.iter().flat_map(|agent| agent.about().variables.secrets);
    let values = of_agents.chain(&SECRET_VARIABLES).filter_map(|name| env::var(name).ok());
    values.fold(Redactor::new(), |redactor, value| redactor.with_value(&value))
}

/// Where commands that tell somebody are run.
pub fn room(app: &App, directory: &Path) -> CommandRoom {
    CommandRoom {
        program: app.program().to_owned(),
        environment: agent::environment(),
        directory: directory.to_owned(),
        project: None,
    }
}

/// Tells something that happened outside of runs, and waits until it is told or is not worth waiting for; what could
/// not be delivered is said. Without anybody to tell it to, nothing is done.
pub fn tell(
    app: &App,
    settings: &NotifySettings,
    directory: &Path,
    told: &Notification,
) -> Result<(), AppError> {
    if !settings.events.contains(&told.key.event) {
        return Ok(());
    }
    let dispatcher = Dispatcher::start(settings, &redactor(), &room(app, directory), || ())?;
    dispatcher.send(told, |_| true);
    let mut waited = Duration::ZERO;
    while !dispatcher.is_idle() && waited < PATIENCE {
        // sleep: nothing else is going on here that could wake it.
        thread::sleep(LOOK);
        waited += LOOK;
    }
    dispatcher.close();
    for NotificationSettled { sink, delivery, detail, .. } in dispatcher.settled() {
        if delivery != Delivery::Sent {
            app.notice(&format!("the notification by {} failed: {detail}", sink.name()));
        }
    }
    Ok(())
}
