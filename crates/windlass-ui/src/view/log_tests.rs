use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex};

use proptest::prelude::*;
use windlass_core::observation::{Excerpt, Observation, ToolInput};
use windlass_core::report::CallSpawned;
use windlass_core::spec::Mode;
use windlass_core::values::{CallId, Class, JobStatus, StopReason};

use super::*;
use crate::harmless::is_harmless;
use crate::testing::{Night, status, workspace_plan};

/// A log that can be taken away.
#[derive(Clone, Default)]
struct Desk(Arc<Mutex<OnDesk>>);

#[derive(Default)]
struct OnDesk {
    text: String,
    writes: usize,
    refuses: Option<&'static str>,
    torn: bool,
}

impl LogSink for Desk {
    fn write(&mut self, text: &[u8]) -> Result<(), String> {
        let mut desk = self.0.lock().unwrap();
        desk.writes += 1;
        if let Some(why) = desk.refuses {
            return Err(why.to_owned());
        }
        desk.text.push_str(std::str::from_utf8(text).unwrap());
        Ok(())
    }

    fn renew(&mut self) -> Result<LogState, String> {
        let mut desk = self.0.lock().unwrap();
        if let Some(why) = desk.refuses {
            return Err(why.to_owned());
        }
        if mem::take(&mut desk.torn) {
            desk.text.clear();
            return Ok(LogState::Blank);
        }
        Ok(LogState::Same)
    }
}

impl Desk {
    fn text(&self) -> String {
        self.0.lock().unwrap().text.clone()
    }

    fn view(&self) -> (LogView, Receiver<String>) {
        let (trouble, told) = channel();
        let parts = LogParts {
            instructions: "Move every endpoint.\n\nOne by one.\n".to_owned(),
            system_prompt: "You work on one item.\n".to_owned(),
            status_instructions: None,
        };
        (LogView::new(parts, Box::new(self.clone()), trouble), told)
    }
}

fn logged(events: &[Event]) -> String {
    let desk = Desk::default();
    let (mut view, _told) = desk.view();
    for event in events {
        view.event(event);
    }
    view.finish();
    desk.text()
}

// rows: 22, 112
#[test]
fn the_layout_is_the_seeds() {
    let mut night = Night::new();
    night.start_workspace(workspace_plan(Mode::Loop), None);
    night.counted(1, status(35, "Migrated 35/60 API endpoints"));
    night.pass(2).iteration(2).pass(3).called(|call| {
        call.class = Class::TaskFailure;
        "the agent crashed: signal 11".clone_into(&mut call.detail);
    });
    night.kept(0).finished(2, Verdict::Failed, Class::TaskFailure, 0.1, 3);
    night.end(StopReason::MaxIterations, "");
    let text = logged(&night.events);
    let ruler = RULER;
    assert_eq!(RULER.len(), 80);
    let expected = format!(
        "{ruler}
WINDLASS - EXECUTION LOG
Started: 2026-03-01T20:00:00.000Z
{ruler}

{ruler}
RUN METADATA
{ruler}
Run: r-k3v9x2aa
Workspace: api
Mode: loop
Max Iterations: 50
Stagnation Threshold: 3
Agent: claude 2.1.330
Directory: /home/ada/ledger
Start Time: 2026-03-01T20:00:00.000Z

{ruler}
INSTRUCTIONS
{ruler}
Move every endpoint.

One by one.

{ruler}
SYSTEM PROMPT
{ruler}
You work on one item.

{ruler}
ITERATION 1
Started: 2026-03-01T20:00:02.000Z
{ruler}

CLAUDE OUTPUT:
    ✎ I move the next endpoints.
      ✎ 35/60 items - Migrated 35/60 API endpoints
   1  ✓ worked    1m 02s    $0.42  2 files changed (25 items remaining)

STATUS: success
Completed: 2026-03-01T20:01:02.000Z
Remaining: 25

{ruler}
ITERATION 2
Started: 2026-03-01T20:01:04.000Z
{ruler}

CLAUDE OUTPUT:
   2  ✗ failed        3s    $0.10  the agent crashed: signal 11 (25 items remaining)

ERROR (Iteration 2):
Time: 2026-03-01T20:01:07.000Z
Message: the agent crashed: signal 11

STATUS: error
Completed: 2026-03-01T20:01:07.000Z
Remaining: 25

{ruler}
RUN FINISHED
Completed: 2026-03-01T20:01:07.000Z
{ruler}

  ⚠ Reached maximum iterations (50)
"
    );
    assert!(text.starts_with(&expected), "{text}");
    assert!(text.ends_with("\nstopped: max_iterations\n"), "{text}");
}

#[test]
fn everything_that_people_see_is_in_it() {
    let text = logged(&Night::new().workspace().events);
    for part in [
        "VERIFICATION OUTPUT (attempt 2):\n",
        "      ? the claim is accepted so far; a fresh agent verifies it (standard)\n",
        "          ✗ /v1/export still uses the old router: src/routes/export.rs:14\n",
        "        blocked: the staging database is not reachable\n",
    ] {
        assert!(text.contains(part), "{part} is missing:\n{text}");
    }
    let text = logged(&Night::new().whole().events);
    for part in [
        "    ▸ Read src/parse.rs (lines 10-49)\n",
        "      - ",
        "usage limit to reset at 21:11",
        "gate failed",
    ] {
        assert!(text.contains(part), "{part} is missing:\n{text}");
    }
}

#[test]
fn a_resumed_session_begins_a_log_of_its_own_that_knows_what_was() {
    let mut before = Night::new();
    before.start_workspace(workspace_plan(Mode::Loop), None).counted(1, status(30, ""));
    let mut events: Vec<Event> = before.events.drain(..).collect();
    for event in &mut events {
        if let Event::Fact(entry) = event {
            *event = Event::Past(entry.clone());
        }
    }
    events.retain(|event| matches!(event, Event::Past(_)));
    before.fact(Fact::RunResumed { plan: Box::new(workspace_plan(Mode::Loop)) });
    before.counted(2, status(31, ""));
    events.append(&mut before.events);
    let text = logged(&events);
    assert!(text.starts_with(RULER) && text.contains("\nSession: resumed\n"), "{text}");
    assert!(!text.contains("ITERATION 1") && text.contains("31/60 items (+1)"), "{text}");
}

#[test]
fn only_what_is_written_between_a_question_and_its_answer_parts_them() {
    let log = |between: Option<Event>| {
        let mut night = Night::new();
        night.start_workspace(workspace_plan(Mode::Loop), None).iteration(1);
        night.observe(Observation::ToolUse {
            id: "1".to_owned(),
            name: "Bash".to_owned(),
            input: ToolInput::Bash { command: "make".to_owned(), description: String::new() },
            nested: false,
        });
        night.events.extend(between);
        night.observe(Observation::ToolResult {
            id: "1".to_owned(),
            name: "Bash".to_owned(),
            is_error: true,
            output: Excerpt { text: "no rule".to_owned(), lines: 1, bytes: 7, cut: false },
            nested: false,
        });
        logged(&night.events)
    };
    let mut silent = Night::new();
    silent.fact(Fact::CallSpawned(CallSpawned { lane: LaneId(0), call: CallId(1), pid: 7 }));
    for between in [None, silent.events.pop()] {
        let text = log(between);
        assert!(text.contains("    ▸ Bash make\n      ✗ failed\n      no rule\n"), "{text}");
    }
    let text = log(Some(Event::Dropped { count: 3 }));
    assert!(text.contains("has them\n    ✗ Bash failed make\n      no rule\n"), "{text}");
}

#[test]
fn nothing_in_a_text_begins_a_section() {
    let desk = Desk::default();
    let forged = format!("{RULER}\nITERATION 7\n{RULER}\n\x1b[31mred");
    let parts =
        LogParts { instructions: forged.clone(), system_prompt: forged.clone(), status_instructions: None };
    let mut view = LogView::new(parts, Box::new(desk.clone()), channel().0);
    let mut night = Night::new();
    night.start_workspace(workspace_plan(Mode::Loop), None).iteration(1).says(&forged);
    night.events.iter().for_each(|event| view.event(event));
    view.finish();
    let text = desk.text();
    assert!(!text.contains('\x1b'));
    assert_eq!(text.lines().filter(|line| *line == RULER).count(), 2 * 5, "{text}");
}

// rows: 112
// Seed defect D1, services/file-logger.ts:157: text was dropped or written twice.
#[test]
fn it_is_written_ten_kilobytes_at_a_time_and_at_the_end_of_iterations() {
    let desk = Desk::default();
    let (mut view, _told) = desk.view();
    let mut night = Night::new();
    night.start_workspace(workspace_plan(Mode::Loop), None).iteration(1);
    for _ in 0..300 {
        night.says(
            "A sentence of a hundred characters, more or less, that an agent might well have written there.",
        );
    }
    for event in &night.events {
        view.event(event);
        view.flush();
        assert!(view.held_back.len() < HELD_BACK);
    }
    let writes = desk.0.lock().unwrap().writes;
    assert!((5..=7).contains(&writes), "{writes}");
    night.events.clear();
    night.called(|_| {}).kept(1).finished(1, Verdict::Worked, Class::Success, 0.1, 1);
    night.events.iter().for_each(|event| view.event(event));
    assert!(desk.text().ends_with(":00.000Z\n"), "{}", desk.text());
}

// Seed defect D1, services/file-logger.ts:230: one failed write ended the log of a whole night in silence.
#[test]
fn a_log_that_cannot_be_written_is_said_once_and_tried_again_at_each_iteration() {
    let desk = Desk::default();
    let (mut view, told) = desk.view();
    let mut night = Night::new();
    let mut go = |night: &mut Night| night.events.drain(..).for_each(|event| view.event(&event));
    night.start_workspace(workspace_plan(Mode::Loop), None).counted(1, status(1, ""));
    go(&mut night);
    desk.0.lock().unwrap().refuses = Some("cannot write x.log: no space left");
    night.counted(2, status(2, "")).counted(3, status(3, ""));
    go(&mut night);
    desk.0.lock().unwrap().refuses = None;
    night.counted(4, status(4, ""));
    go(&mut night);
    let notices: Vec<String> = told.try_iter().collect();
    assert_eq!(
        notices,
        [
            "the run's log is not written any more: cannot write x.log: no space left; the run goes on, and each \
          iteration tries again"
        ]
    );
    let text = desk.text();
    let at = |part: &str| text.find(part).unwrap_or_else(|| panic!("{part} is missing:\n{text}"));
    assert!(at("ITERATION 1") < at("a part of this log is missing") && at("missing") < at("ITERATION 4"));
    assert!(!text.contains("ITERATION 3"));
}

#[test]
fn a_log_that_was_taken_away_begins_anew_with_its_head() {
    let desk = Desk::default();
    let (mut view, _told) = desk.view();
    let mut night = Night::new();
    night.start_workspace(workspace_plan(Mode::Loop), None).counted(1, status(1, ""));
    night.events.drain(..).for_each(|event| view.event(&event));
    desk.0.lock().unwrap().torn = true;
    night.counted(2, status(2, ""));
    night.events.drain(..).for_each(|event| view.event(&event));
    let text = desk.text();
    assert!(
        text.starts_with(RULER) && text.contains("\nINSTRUCTIONS\n") && text.contains("missing"),
        "{text}"
    );
    assert!(text.contains("ITERATION 2") && !text.contains("ITERATION 1"));
}

/// What an agent may say, escape sequences and rulers among it.
fn said() -> impl Strategy<Value = Observation> {
    let text = prop_oneof![
        any::<String>(),
        "(=|\n|\r|\x1b|\\[|ITERATION 1|STATUS: success|é|\t)*",
        Just(RULER.to_owned())
    ];
    (text, any::<bool>(), 0_u8..3).prop_map(|(text, is_error, kind)| match kind {
        0 => Observation::AgentText { text, nested: is_error },
        1 => Observation::ToolUse {
            id: "1".to_owned(),
            name: text.clone(),
            input: ToolInput::Bash { command: text, description: String::new() },
            nested: false,
        },
        _ => Observation::ToolResult {
            id: "1".to_owned(),
            name: "Bash".to_owned(),
            is_error,
            output: Excerpt { bytes: text.len() as u64, lines: 1, text, cut: is_error },
            nested: false,
        },
    })
}

proptest! {
    // rows: 22, 112
    #[test]
    fn whatever_is_said_the_log_is_harmless_and_its_sections_are_ours(
        said in proptest::collection::vec(said(), 0..20),
        summary in any::<String>(),
        instructions in any::<String>(),
    ) {
        let mut night = Night::new();
        night.start_workspace(workspace_plan(Mode::Iterative), None).iteration(1);
        for one in said {
            night.observe(one);
        }
        night.status(JobStatus { summary: summary.clone(), blockers: vec![summary], ..status(3, "") });
        night.called(|_| {}).kept(1).finished(1, Verdict::Worked, Class::Success, 0.1, 1);
        night.end(StopReason::Interrupted, &instructions);
        let desk = Desk::default();
        let parts = LogParts { instructions, system_prompt: String::new(), status_instructions: None };
        let mut view = LogView::new(parts, Box::new(desk.clone()), channel().0);
        night.events.iter().for_each(|event| view.event(event));
        view.finish();
        let text = desk.text();
        prop_assert!(text.chars().all(is_harmless));
        let lines: Vec<&str> = text.lines().collect();
        let titles = lines.windows(2).filter(|pair| pair[0] == RULER && !pair[1].is_empty());
        let titles: Vec<&str> = titles.map(|pair| pair[1]).collect();
        for title in ["RUN METADATA", "INSTRUCTIONS", "SYSTEM PROMPT", "ITERATION 1", "RUN FINISHED"] {
            prop_assert_eq!(titles.iter().filter(|found| **found == title).count(), 1, "{}", title);
        }
        prop_assert_eq!(lines.iter().filter(|line| **line == RULER).count(), 2 * 6);
    }
}
