//! Where a notification leads: to the page of its run, and from its buttons to a dialog there. A link holds no key: whoever follows it
//! has to be let in by the page, and nothing is done before a person says so there.

use serde::Serialize;

use crate::values::{NotifyEvent, RunId};

/// Where it leads.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Link {
    /// The run's page.
    #[serde(rename = "link")]
    pub address: String,
    /// What else can be opened from it, the most useful first.
    #[serde(rename = "buttons")]
    pub buttons: Vec<Button>,
}

/// What is offered beside the link.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Button {
    /// Its word.
    pub label: &'static str,
    /// What it opens.
    #[serde(rename = "link")]
    pub address: String,
}

/// A dialog of a run's page: it asks, and does nothing by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialog {
    /// Stop after this iteration.
    Stop,
    /// Go on, with a higher limit where one was reached.
    Resume,
}

impl Dialog {
    /// What stands behind the `#` of the page's address: it is never sent to a server.
    pub const fn fragment(self) -> &'static str {
        match self {
            Dialog::Stop => "do=stop",
            Dialog::Resume => "do=resume",
        }
    }
}

/// The address of a run below that of the page: `…/r/RUN`.
pub fn run_address(page: &str, run: &RunId) -> String {
    format!("{}/r/{run}", page.trim_end_matches('/'))
}

impl Link {
    /// Of something that happened in a run.
    pub(super) fn of(page: &str, run: &RunId, event: NotifyEvent) -> Link {
        let address = run_address(page, run);
        let dialog =
            |label, dialog: Dialog| Button { label, address: format!("{address}#{}", dialog.fragment()) };
        let report = || Button { label: "Report", address: format!("{address}/report") };
        let buttons = match event {
            NotifyEvent::NeedsHuman | NotifyEvent::Error => vec![dialog("Resume", Dialog::Resume), report()],
            NotifyEvent::Completion | NotifyEvent::RunEnd => vec![report()],
            NotifyEvent::ExecutionStart
            | NotifyEvent::Iteration
            | NotifyEvent::IterationMilestone
            | NotifyEvent::StatusUpdate
            | NotifyEvent::LimitWait => vec![dialog("Stop", Dialog::Stop)],
            NotifyEvent::SetupComplete => Vec::new(),
        };
        Link { address, buttons }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_event_of_a_run_leads_to_its_page_and_no_button_does_more_than_open_it() {
        use strum::IntoEnumIterator as _;

        let run = RunId("r-7f3a".to_owned());
        for event in NotifyEvent::iter() {
            let link = Link::of("https://night.example.org/windlass/", &run, event);
            assert_eq!(link.address, "https://night.example.org/windlass/r/r-7f3a");
            assert!(link.buttons.len() <= 3, "ntfy shows three");
            assert!(link.buttons.iter().all(|button| button.address.starts_with(&link.address)), "{link:?}");
        }
        let needs = Link::of("http://127.0.0.1:7070", &run, NotifyEvent::NeedsHuman);
        assert_eq!(needs.buttons[0].address, "http://127.0.0.1:7070/r/r-7f3a#do=resume");
    }
}
