//! Plays one call of a script.

use std::io::{self, Write};
use std::ops::ControlFlow;
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

use super::actions::{self, ToolOutput};
use super::script::Call;
use super::steps::{Bash, CallResult, FileText, Step, Tool};
use super::stream::Stream;
use super::task_actions::NamedTask;
use super::{Setting, bulk, child, phase_actions, plan_actions, refusals, review_actions, signals};

/// The longest that [`Step::Hang`] lasts: nothing a test forgets may stay for ever.
pub(super) const HANG: Duration = Duration::from_hours(1);

/// A call being played.
pub struct Player<'a, W: Write> {
    setting: &'a Setting,
    stream: Stream<W>,
    /// The exit code of a call that comes to its end.
    code: u8,
}

impl<'a, W: Write> Player<'a, W> {
    /// Gets ready.
    pub fn new(setting: &'a Setting, out: W, model: &str) -> Player<'a, W> {
        let session = format!("00000000-0000-4000-9000-{:012}", setting.ordinal);
        let model = setting.model.clone().unwrap_or_else(|| model.to_owned());
        Player { setting, stream: Stream::new(out, session, model), code: 0 }
    }

    /// Plays the call to its end; the exit code.
    pub fn play(mut self, call: &Call) -> u8 {
        if call.init {
            self.stream.init(&self.setting.permission_mode);
            self.stream.flush();
        }
        for step in &call.steps {
            let flow = self.step(step);
            self.stream.flush();
            if let ControlFlow::Break(code) = flow {
                return code;
            }
        }
        if self.stream.results() == 0 {
            self.result(&CallResult::default());
            self.stream.flush();
        }
        self.code
    }

    fn step(&mut self, step: &Step) -> ControlFlow<u8> {
        match step {
            // In a call nobody answers.
            Step::Say(text) | Step::Ask(text) => self.block("text", text),
            Step::Think(text) => self.block("thinking", text),
            Step::Tool(tool) => self.tool(tool),
            Step::Read(path) => self.use_tool("Read", &json!({"file_path": path}), || actions::read(path)),
            Step::Write(_) | Step::Append(_) | Step::Edit(_) | Step::Delete(_) | Step::Move(_) => {
                self.change_files(step);
            }
            Step::Bash(bash) => self.bash(bash),
            Step::DraftPlan | Step::DraftDocument | Step::TickTask | Step::CommitTask => self.plan(step),
            Step::Sleep(pause) => thread::sleep(pause.0),
            Step::Spawn(_) | Step::Ignore(_) | Step::Trap(_) | Step::Die(_) | Step::CloseStdout => {
                self.stream.flush();
                return misbehave(step, close_stdout);
            }
            Step::Hang => {
                thread::sleep(HANG);
                return ControlFlow::Break(70);
            }
            Step::RawTerminal | Step::Suspend => {
                complain("this step is for interactive sessions");
                return ControlFlow::Break(70);
            }
            Step::Raw(_) | Step::Stderr(_) | Step::Noise(_) | Step::LongLine(_) | Step::Events(_) => {
                self.print(step);
            }
            Step::Init | Step::LimitNotice(_) | Step::Retry(_) | Step::Background(_) | Step::Compact => {
                self.announce(step);
            }
            Step::Deny(deny) => self.stream.denial(deny),
            Step::Result(outcome) => self.result(outcome),
            Step::UsageLimit(limit) => {
                refusals::usage_limit(&mut self.stream, limit);
                return ControlFlow::Break(1);
            }
            Step::ApiError(error) => {
                refusals::api_error(&mut self.stream, error);
                return ControlFlow::Break(1);
            }
            Step::Exit(code) => return ControlFlow::Break(*code),
        }
        ControlFlow::Continue(())
    }

    fn block(&mut self, kind: &str, text: &str) {
        let text = self.setting.fill_in(text);
        self.stream.block(&json!({"type": kind, kind: text}), None);
    }

    fn result(&mut self, outcome: &CallResult) {
        let text = self.setting.fill_in(&outcome.text);
        self.code = u8::from(outcome.failed());
        let said = review_actions::with_criteria(outcome.structured.as_ref(), &self.setting.prompt);
        let structured = said.or_else(|| outcome.structured.clone());
        self.stream.result(&CallResult { text, structured, ..outcome.clone() });
    }

    fn tool(&mut self, tool: &Tool) {
        let parent = tool.nested.then_some("toolu_parent");
        let input = if tool.input.is_null() { json!({}) } else { tool.input.clone() };
        let id = self.stream.tool_use(&tool.name, &input, parent);
        let output = self.setting.fill_in(&tool.output);
        self.stream.tool_result(&id, &output, tool.is_error, parent);
    }

    /// Calls a tool, really does what it says, and gives its answer.
    fn use_tool(&mut self, tool: &str, input: &Value, act: impl FnOnce() -> ToolOutput) {
        let id = self.stream.tool_use(tool, input, None);
        self.stream.flush();
        match act() {
            Ok(output) => self.stream.tool_result(&id, &output, false, None),
            Err(error) => self.stream.tool_result(&id, &error, true, None),
        }
    }

    fn change_files(&mut self, step: &Step) {
        match step {
            Step::Write(file) => {
                let (path, text) = (self.setting.fill_in(&file.path), self.setting.fill_in(&file.text));
                let input = json!({"file_path": path, "content": text});
                self.change(file.silent, "Write", &input, || actions::write(&path, &text));
            }
            Step::Append(FileText { path, text, silent }) => {
                let (path, text) = (self.setting.fill_in(path), self.setting.fill_in(text));
                let input = json!({"file_path": path, "old_string": "", "new_string": text});
                self.change(*silent, "Edit", &input, || actions::append(&path, &text));
            }
            Step::Edit(edit) => {
                let input = json!({
                    "file_path": edit.path, "old_string": edit.old, "new_string": edit.new, "replace_all": false,
                });
                self.change(false, "Edit", &input, || actions::edit(edit));
            }
            Step::Delete(step) => {
                let input = json!({"command": format!("rm -r -- {}", step.path), "description": "Delete it"});
                self.change(step.silent, "Bash", &input, || actions::delete(&step.path));
            }
            Step::Move(step) => {
                let command = format!("mv -- {} {}", step.from, step.to);
                let input = json!({"command": command, "description": "Move it"});
                self.change(step.silent, "Bash", &input, || actions::rename(&step.from, &step.to));
            }
            _ => {}
        }
    }

    /// A use of a tool, or the same behind the stream's back.
    fn change(&mut self, silent: bool, tool: &str, input: &Value, act: impl FnOnce() -> ToolOutput) {
        if !silent {
            return self.use_tool(tool, input, act);
        }
        if let Err(error) = act() {
            complain(&error);
        }
    }

    fn plan(&mut self, step: &Step) {
        let prompt = &self.setting.prompt;
        let named = |file: Option<&str>| json!({"file_path": file});
        if let (Step::TickTask, Some(task)) = (step, NamedTask::read(prompt)) {
            return self.use_tool("Edit", &named(Some(task.file)), || task.tick());
        }
        match step {
            Step::DraftPlan => {
                self.use_tool("Write", &named(plan_actions::asked_for(prompt)), || {
                    plan_actions::draft(prompt)
                });
            }
            Step::DraftDocument => {
                self.use_tool("Write", &named(phase_actions::asked_for(prompt)), || {
                    phase_actions::draft(prompt)
                });
            }
            Step::TickTask => {
                let file = plan_actions::named(prompt).map(|(file, _)| file);
                self.use_tool("Edit", &named(file), || plan_actions::tick(prompt));
            }
            _ => self.bash(&plan_actions::committing(prompt)),
        }
    }

    fn bash(&mut self, bash: &Bash) {
        let input = json!({"command": bash.command, "description": bash.description});
        self.change(bash.silent, "Bash", &input, || actions::bash(bash));
    }

    fn print(&mut self, step: &Step) {
        match step {
            Step::Raw(line) => {
                let line = self.setting.fill_in(line);
                self.stream.bytes(line.as_bytes());
                self.stream.bytes(b"\n");
            }
            Step::Stderr(text) => complain(&self.setting.fill_in(text)),
            Step::Noise(bytes) => bulk::noise(&mut self.stream, *bytes),
            Step::LongLine(line) => bulk::long_line(&mut self.stream, *line),
            Step::Events(events) => bulk::events(&mut self.stream, *events),
            _ => {}
        }
    }

    fn announce(&mut self, step: &Step) {
        match step {
            Step::Init => self.stream.init(&self.setting.permission_mode),
            Step::LimitNotice(notice) => refusals::limit_notice(&mut self.stream, notice),
            Step::Retry(retry) => refusals::retry(&mut self.stream, retry),
            Step::Background(running) => self.background(*running),
            Step::Compact => self.stream.event(json!({
                "type": "system", "subtype": "compact_boundary",
                "compact_metadata": {"trigger": "auto", "pre_tokens": 900_000, "post_tokens": 20_000},
            })),
            _ => {}
        }
    }

    fn background(&mut self, running: u32) {
        let tasks: Vec<Value> = (1..=running)
            .map(|number| json!({"task_id": format!("b{number}"), "task_type": "local_bash", "description": "scripted"}))
            .collect();
        self.stream.event(json!({"type": "system", "subtype": "background_tasks_changed", "tasks": tasks}));
    }
}

/// What well-behaved agents do not do, or else this; a failure here is a defect of the test, hence exit 70.
pub(super) fn misbehave(step: &Step, otherwise: impl FnOnce() -> io::Result<()>) -> ControlFlow<u8> {
    let done = match step {
        Step::Spawn(order) => child::spawn(order),
        Step::Ignore(these) => signals::ignore(these),
        Step::Trap(trap) => signals::trap(*trap),
        Step::Die(by) => signals::die(*by),
        _ => otherwise(),
    };
    match done {
        Ok(()) => ControlFlow::Continue(()),
        Err(error) => {
            complain(&error.to_string());
            ControlFlow::Break(70)
        }
    }
}

fn close_stdout() -> io::Result<()> {
    let nothing = std::fs::OpenOptions::new().write(true).open("/dev/null")?;
    Ok(rustix::stdio::dup2_stdout(&nothing)?)
}

/// Says it on standard error; where that is gone too, nobody is there to be told.
pub(super) fn complain(text: &str) {
    let _ = writeln!(io::stderr(), "{text}");
}
