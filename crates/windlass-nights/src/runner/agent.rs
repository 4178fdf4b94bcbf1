//! An agent at work: actions, one after another, and what they print.

use std::time::Duration;

use jiff::Timestamp;
use windlass_agents::{Activity, Digest, MessageId, MessageUsage, ResultDigest};
use windlass_core::price::ModelUsage;
use windlass_core::values::{Cost, Denial, Ended, Tokens, UsageLimit};

use crate::script::{Act, Action, End, Failure, Judgement, Miscount, OnTerm, PlanAction, ResultEvent, Word};
use crate::world::{Actor, Author, Book, NAMES, PLAN, World};

/// The phrase that claims completion.
use crate::script::SIGNAL;

/// Tokens of one response.
pub(crate) const TOKENS_PER_RESPONSE: u64 = 120;

/// Whose response costs so many millionths of a dollar.
pub(crate) fn model_of(response: u64) -> String {
    format!("night-{response}")
}

/// What an agent says that could not settle something.
const CONFLICT: &str =
    r#"{"principle_conflict": {"principles": ["a", "b"], "options": ["x", "y"], "question": "which?"}}"#;

#[derive(Clone, Debug)]
pub(super) struct Agent {
    pub act: Act,
    goal: u32,
    /// The number of the task that it is at.
    task: Option<usize>,
    budget: Option<Cost>,
    next: usize,
    /// When the next action, or the end, is due.
    pub at: Option<Duration>,
    pub spent: Cost,
    responses: u64,
    /// It ends with the next thing that it does.
    ending: Option<Ended>,
}

/// What comes of an action.
#[derive(Debug, Default)]
pub(super) struct Shown {
    pub digests: Vec<Digest>,
    pub ended: Option<Ended>,
    /// A sentence for the story.
    pub said: Option<String>,
}

impl Agent {
    pub fn new(act: Act, goal: u32, task: Option<usize>, budget: Option<Cost>, now: Duration) -> Agent {
        let mut agent = Agent {
            act,
            goal,
            task,
            budget,
            next: 0,
            at: None,
            spent: Cost::ZERO,
            responses: 0,
            ending: None,
        };
        agent.schedule(now);
        agent
    }

    fn schedule(&mut self, now: Duration) {
        let pause = match self.act.actions.get(self.next) {
            _ if self.ending.is_some() => Some(20),
            Some((pause, _)) => Some(*pause),
            None if self.act.end == End::Hangs => None,
            None => Some(150),
        };
        self.at = pause.map(|ms| now + Duration::from_millis(ms.into()));
    }

    /// The next thing that it does.
    pub fn go_on(&mut self, world: &mut World) -> Shown {
        let now = world.clock.monotonic();
        if let Some(ended) = self.ending {
            return self.end(ended);
        }
        let Some((_, action)) = self.act.actions.get(self.next).cloned() else {
            return match self.act.end {
                End::Exits(code) => self.end(Ended::Exited(code)),
                End::Signalled(signal) => self.end(Ended::Signalled(signal)),
                End::Hangs => Shown::default(),
            };
        };
        self.next += 1;
        let shown = self.do_it(&action, world);
        self.schedule(now);
        shown
    }

    fn end(&mut self, ended: Ended) -> Shown {
        self.at = None;
        Shown { ended: Some(ended), ..Shown::default() }
    }

    /// SIGTERM.
    pub fn ask(&mut self, world: &World) -> Shown {
        let now = world.clock.monotonic();
        let mut shown = Shown::default();
        match self.act.on_term {
            OnTerm::Ignores => return shown,
            OnTerm::Dies => self.ending = Some(Ended::Signalled(15)),
            OnTerm::Answers => {
                shown.digests.push(self.answer(&ResultEvent::Fine(Word::DoneIfSo), world));
                self.ending = Some(Ended::Exited(143));
            }
        }
        self.schedule(now);
        shown
    }

    fn do_it(&mut self, action: &Action, world: &mut World) -> Shown {
        let mut shown = Shown::default();
        let prints = &mut shown.digests;
        match action {
            Action::Starts => {
                // It names no model: what nights journal stays what it was before calls said theirs, and can be compared.
                prints.push(Digest::Started { model: String::new() });
                prints.push(Digest::Activity(Activity::Starting));
            }
            Action::Prints | Action::Denied => {}
            Action::Thinks => prints.push(Digest::Activity(Activity::Writing)),
            Action::UsesTool => {
                prints.push(Digest::ToolUse);
                prints.push(Digest::Activity(Activity::Running));
            }
            Action::Garbage => prints.push(Digest::Garbage),
            Action::Spends => {
                self.spent += Cost::from_micros(self.act.response);
                self.responses += 1;
                prints.push(Digest::Activity(Activity::Writing));
                // Each message is said twice, as the real program does.
                prints.extend([false, true].map(|whole| self.message(whole)));
                if self.budget.is_some_and(|budget| self.spent >= budget) {
                    prints.push(self.answer(&ResultEvent::Fails(Failure::Budget), world));
                    self.ending = Some(Ended::Exited(1));
                }
            }
            Action::Retries { refused } => {
                let (status, error) =
                    if *refused { (401, "authentication_failed") } else { (529, "overloaded") };
                prints.push(Digest::Retry { status: Some(status), error: error.to_owned() });
            }
            Action::Limited { resets_in } => {
                let resets_at = resets_in.and_then(|seconds| after(world.clock.now().wall, seconds));
                let limit = UsageLimit { resets_at, window: "five_hour".to_owned() };
                prints.push(Digest::Limit { rejected: Some(limit), overage: false });
            }
            Action::Overage => prints.push(Digest::Limit { rejected: None, overage: true }),
            Action::Background(running) => prints.push(Digest::Background(*running)),
            Action::Answers(answer) => prints.push(self.answer(answer, world)),
            Action::Reports(said) => {
                world.report(*said, self.goal);
                shown.said = Some(format!("writes the status file: {said:?}"));
            }
            Action::Tasks(what) => shown.said = world.deal_with_tasks(*what, self.task),
            _ => shown.said = change(action, world),
        }
        shown
    }

    fn answer(&self, answer: &ResultEvent, world: &World) -> Digest {
        let tokens = used(self.responses);
        let model = ModelUsage { model: model_of(self.act.response), tokens, ..ModelUsage::default() };
        let priced = ResultDigest {
            subtype: "success".to_owned(),
            cost_usd: Some(self.spent.dollars()),
            tokens,
            models: if self.responses > 0 { vec![model] } else { Vec::new() },
            denials: self.denials(),
            ..ResultDigest::default()
        };
        Digest::Result(Box::new(match answer {
            ResultEvent::Fine(said) => ResultDigest { text: self.text(*said, world), ..priced },
            ResultEvent::Unpriced(said) => {
                ResultDigest { text: self.text(*said, world), cost_usd: None, ..priced }
            }
            ResultEvent::Fails(Failure::AccountLimit(seconds)) => account_limit(*seconds, world, priced),
            ResultEvent::Fails(failure) => fails(*failure, priced),
            ResultEvent::Miscounts(Miscount::Negative) => ResultDigest { cost_usd: Some(-1.0), ..priced },
            ResultEvent::Miscounts(Miscount::TooLittle) => {
                ResultDigest { cost_usd: Some(self.spent.dollars() / 100.0), ..priced }
            }
            ResultEvent::Judges(judgement) => self.judges(*judgement, world, priced),
        }))
    }

    fn message(&self, whole: bool) -> Digest {
        Digest::Usage(Box::new(MessageUsage {
            message: MessageId(self.responses),
            model: model_of(self.act.response),
            tokens: used(1),
            cached_for_an_hour: 0,
            written: 0,
            whole,
        }))
    }

    fn judges(&self, judgement: Judgement, world: &World, priced: ResultDigest) -> ResultDigest {
        let verdict = match judgement {
            Judgement::PassIfSo if world.tree.done() >= self.goal => "pass",
            Judgement::Pass => "pass",
            Judgement::Review => "needs_review",
            Judgement::PassIfSo | Judgement::Fail => "fail",
            Judgement::Prose => {
                return ResultDigest { text: "VERDICT: PASS".to_owned(), ..priced };
            }
            Judgement::LetsStand => return reviews("pass", None, priced),
            Judgement::Mends => return reviews("changed", None, priced),
            Judgement::Rejects(what) => return reviews("reject", Some(what), priced),
            Judgement::Contradicts => return reviews("pass", Some(0), priced),
            Judgement::RejectsNothing => return reviews("reject", None, priced),
            Judgement::Chooses(choice) => {
                let structured =
                    format!(r#"{{"decision":"go this way","rationale":"undone soon","choice":{choice}}}"#);
                return ResultDigest {
                    structured: Some(structured),
                    text: format!("So be it.\n{SIGNAL}"),
                    ..priced
                };
            }
        };
        let structured = format!(r#"{{"verdict":"{verdict}","confidence":"high","summary":"looked at"}}"#);
        ResultDigest { structured: Some(structured), ..priced }
    }

    fn denials(&self) -> Vec<Denial> {
        let denied = self.act.actions.iter().any(|(_, action)| *action == Action::Denied);
        let denial = Denial {
            tool: "Bash".to_owned(),
            input: "make deploy".to_owned(),
            rule: "Bash(make deploy)".to_owned(),
            ..Denial::default()
        };
        denied.then_some(denial).into_iter().collect()
    }

    fn text(&self, said: Word, world: &World) -> String {
        match said {
            Word::Nothing => String::new(),
            Word::Done => format!("All done.\n{SIGNAL}\n"),
            Word::DoneIfSo if world.tree.done() >= self.goal => format!("It is done.\n{SIGNAL}"),
            Word::DoneIfSo | Word::MoreToDo => "There is more to do.".to_owned(),
            Word::Conflict => CONFLICT.to_owned(),
            Word::ConflictAndDone => format!("{CONFLICT}\n{SIGNAL}\n"),
            Word::Mentions => format!("I shall say {SIGNAL} when it is done."),
        }
    }
}

fn reviews(verdict: &str, blocking: Option<u8>, priced: ResultDigest) -> ResultDigest {
    let finding =
        blocking.map(|what| format!(r#"{{"severity":"blocking","file":"a","text":"wrong {what}"}}"#));
    let findings = finding.unwrap_or_default();
    let structured = format!(r#"{{"verdict":"{verdict}","summary":"looked at","findings":[{findings}]}}"#);
    ResultDigest { structured: Some(structured), text: format!("All fine.\n{SIGNAL}"), ..priced }
}

fn used(responses: u64) -> Tokens {
    Tokens { input: responses * TOKENS_PER_RESPONSE, output: responses, ..Tokens::default() }
}

fn account_limit(seconds: u32, world: &World, priced: ResultDigest) -> ResultDigest {
    let at = after(world.clock.now().wall, i32::try_from(seconds).unwrap_or(60));
    let at = at.map_or_else(String::new, |at| format!(" You will regain access on {at:.0}."));
    ResultDigest {
        is_error: true,
        status: Some(400),
        api_error_type: "invalid_request_error".to_owned(),
        text: format!("API Error: 400 You have reached your specified API usage limits.{at}"),
        ..priced
    }
}

fn after(wall: Timestamp, seconds: i32) -> Option<Timestamp> {
    let ms = wall.as_millisecond() + i64::from(seconds) * 1_000;
    Timestamp::from_millisecond(ms).ok()
}

fn fails(failure: Failure, priced: ResultDigest) -> ResultDigest {
    let failed = ResultDigest { is_error: true, subtype: "error_during_execution".to_owned(), ..priced };
    match failure {
        Failure::MaxTurns => ResultDigest {
            subtype: "error_max_turns".to_owned(),
            terminal_reason: "max_turns".to_owned(),
            ..failed
        },
        Failure::Budget => ResultDigest {
            subtype: "error_max_budget_usd".to_owned(),
            terminal_reason: "budget_exhausted".to_owned(),
            ..failed
        },
        Failure::TooLong => ResultDigest { terminal_reason: "prompt_too_long".to_owned(), ..failed },
        Failure::NotLoggedIn => {
            ResultDigest { api_error: "authentication_failed".to_owned(), status: Some(401), ..failed }
        }
        Failure::NoCredit => ResultDigest { api_error: "billing_error".to_owned(), ..failed },
        Failure::Overloaded => {
            ResultDigest { api_error: "overloaded".to_owned(), status: Some(529), ..failed }
        }
        Failure::Throttled => ResultDigest { status: Some(429), ..failed },
        Failure::Refused => {
            ResultDigest { status: Some(400), text: "API Error: 400 no".to_owned(), ..failed }
        }
        Failure::OverloadedInWords => ResultDigest { text: "API Error: Overloaded".to_owned(), ..failed },
        Failure::Unexplained | Failure::AccountLimit(_) => failed,
    }
}

/// What changes files or history; a sentence says what it was.
fn change(action: &Action, world: &mut World) -> Option<String> {
    let by = Actor::Agent;
    match action {
        Action::Works => {
            world.change(by, |tree| tree.put(0, tree.done() + 1));
            Some(format!("does a piece of the work: {} is at {}", NAMES[0], world.tree.done()))
        }
        Action::Writes(file) => {
            let content = world.new_content();
            world.change(by, |tree| tree.put(*file, content));
            Some(format!("writes {}", NAMES[usize::from(*file)]))
        }
        Action::Flips(file) => {
            let content = world.flip();
            world.change(by, |tree| tree.put(*file, content));
            Some(format!("writes {} as it was the time before last", NAMES[usize::from(*file)]))
        }
        Action::Deletes(file) => {
            world.change(by, |tree| tree.put(*file, 0));
            Some(format!("deletes {}", NAMES[usize::from(*file)]))
        }
        Action::DeletesAll => {
            world.change(by, |tree| *tree = crate::world::Tree::default());
            Some("deletes every file".to_owned())
        }
        Action::Plans(what) => {
            let content = planned(*what, world);
            world.change(by, |tree| tree.put(PLAN, content));
            let plan = Book::read(content).unwrap_or_default();
            Some(format!("{what:?} in the plan: {} of {} boxes are open", plan.open(), plan.total()))
        }
        Action::Notes { bytes, phrase } => {
            let mut notes = "x".repeat(usize::try_from(*bytes).unwrap_or(0)).into_bytes();
            if *phrase {
                notes.extend_from_slice(format!("\n{SIGNAL}\n").as_bytes());
            }
            world.notes = Some(notes);
            Some("writes notes".to_owned())
        }
        Action::Commits if world.git.exists() => {
            let commit = world.git.commit(world.tree, Author::Agent);
            Some(format!("commits ({commit})"))
        }
        Action::Resets if world.git.exists() => {
            let tree = world.git.reset()?;
            world.change(by, |now| *now = tree);
            Some("says git reset --hard HEAD~1".to_owned())
        }
        Action::DestroysGit if world.git.exists() => {
            world.git.destroy();
            Some("removes .git".to_owned())
        }
        Action::DestroysAll => {
            world.no_directory = true;
            world.git.destroy();
            world.change(by, |tree| *tree = crate::world::Tree::default());
            Some("removes the working directory".to_owned())
        }
        _ => None,
    }
}

/// The plan after that.
fn planned(what: PlanAction, world: &mut World) -> u32 {
    let plan = Book::read(world.tree.get(PLAN)).unwrap_or_default();
    let after = match what {
        PlanAction::TicksAll => plan.tick_all(),
        PlanAction::Hides => plan.hide(),
        PlanAction::HidesAndTicks => plan.hide().tick_all(),
        PlanAction::PutsBack => plan.put_back(),
        PlanAction::Unticks => plan.untick(),
        PlanAction::Flips if plan.open() == 0 => plan.untick(),
        PlanAction::Ticks | PlanAction::Flips => plan.tick(),
        PlanAction::Adds => plan.add(),
        PlanAction::Rewords => plan.reworded(),
        PlanAction::Writes { boxes, sound } => Book::new(boxes, 0, world.new_content(), sound),
        PlanAction::Empties => Book::new(0, 0, 0, false),
    };
    after.content()
}
