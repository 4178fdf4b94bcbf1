//! Ending containers by their labels.

use std::time::{Duration, Instant};

use windlass_core::values::{LaneId, Named};

use super::client::{Client, Engine, EngineError};

/// How long containers are ended again and again.
const PATIENCE: Duration = Duration::from_secs(8);

/// How long one question may take meanwhile.
const ANSWER: Duration = Duration::from_secs(5);

/// A label that containers are found by.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label(String);

impl Label {
    /// Of all containers of a run.
    pub fn of_run(run: &str) -> Label {
        Label(format!("{RUN}={run}"))
    }

    /// Of the containers of one of its lanes.
    pub fn of_lane(run: &str, lane: LaneId) -> Label {
        Label(format!("{LANE}={run}.{lane}"))
    }

    /// As it is written on the command line of [`sweep`]'s process; `None` for what is not a label of ours.
    pub fn parse(text: &str) -> Option<Label> {
        let (name, value) = text.split_once('=')?;
        (name == RUN && !value.is_empty()).then(|| Label(text.to_owned()))
    }

    /// `name=value`.
    pub fn text(&self) -> &str {
        &self.0
    }
}

/// The label that says the run.
const RUN: &str = "windlass.run";

/// The label that says the run's lane.
const LANE: &str = "windlass.lane";

/// Kills and removes all containers with this label, also those that ended or never started; says how many there were.
///
/// # Errors
/// The engine does not answer, or some are still there after 8 s.
pub fn sweep(client: &Client, label: &Label) -> Result<usize, EngineError> {
    let deadline = Instant::now() + PATIENCE;
    let mut pause = Duration::from_millis(20);
    let mut most = 0;
    loop {
        let found = list(client, label)?;
        most = most.max(found.len());
        if found.is_empty() {
            return Ok(most);
        }
        // One that is being removed already is not trouble, so that only the list counts.
        let force: &[&str] = match client.engine {
            Engine::Docker => &["rm", "--force"],
            // It would ask politely first.
            Engine::Podman => &["rm", "--force", "--time=0"],
        };
        let removed =
            client.ask_within(ANSWER, force.iter().copied().chain(found.iter().map(String::as_str)));
        if Instant::now() >= deadline {
            removed?;
            let said = format!("{} containers with the label {} are still there", found.len(), label.text());
            return Err(EngineError::Refused { engine: client.engine, said });
        }
        if removed.is_err() {
            // An engine tells nobody of the end of what it removes.
            std::thread::sleep(pause);
            pause = (pause * 2).min(Duration::from_millis(500));
        }
    }
}

fn list(client: &Client, label: &Label) -> Result<Vec<String>, EngineError> {
    let filter = format!("label={}", label.text());
    let answer = client.ask_within(ANSWER, ["ps", "--all", "--quiet", "--no-trunc", "--filter", &filter])?;
    Ok(answer.lines().map(|line| line.trim().to_owned()).filter(|line| !line.is_empty()).collect())
}

/// What a person is told of containers that could not be ended.
pub fn not_ended(engine: Engine, label: &Label, error: &EngineError) -> String {
    let (name, label) = (engine.name(), label.text());
    format!(
        "containers of this run may still be running: {error}; it is tried again, and by hand it is: \
         {name} rm -f $({name} ps -aq --filter label={label})"
    )
}

/// What went wrong, each told once.
#[derive(Debug, Default)]
pub struct Troubles {
    known: Vec<String>,
    told: usize,
}

impl Troubles {
    /// Notes it, where it is not known yet.
    pub fn push(&mut self, trouble: String) {
        if !self.known.contains(&trouble) {
            self.known.push(trouble);
        }
    }

    /// The next that was not told.
    pub fn tell(&mut self) -> Option<String> {
        let next = self.known.get(self.told).cloned()?;
        self.told += 1;
        Some(next)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_our_own_labels_are_swept() {
        let label = Label::of_run("r-1");
        assert_eq!(Label::parse(label.text()), Some(label));
        for text in ["", "=", "windlass.run", "windlass.run=", "other=1", "windlass=1"] {
            assert_eq!(Label::parse(text), None, "{text}");
        }
    }
}
