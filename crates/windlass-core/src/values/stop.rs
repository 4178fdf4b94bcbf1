//! Why a run ended, and what that means to whoever called it.

use serde::{Deserialize, Serialize};
use strum::{EnumString, IntoStaticStr, VariantNames};

/// What becomes of what is being done when a run cannot go on. Agents are ended in either case.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum UnderWay {
    /// It comes to its end before the run does.
    #[default]
    SeenThrough,
    /// It failed, and will never be answered: a resumed run takes it up again.
    GivenUp,
    /// As before, but nobody can take it up: the run's own folder is gone.
    Lost,
}

impl UnderWay {
    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it with a reference")]
    pub(crate) fn is_seen_through(&self) -> bool {
        *self == UnderWay::SeenThrough
    }
}

/// What kind of ending it is: Fresher's finish types (seed 002, 3.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Done,
    Limit,
    Stuck,
    Person,
    Error,
}

/// What a run that ended needs to go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Needs {
    /// It can simply go on.
    Nothing,
    /// Its limit of iterations, raised.
    Iterations,
    /// Its limit of money, raised.
    Cost,
    /// Its limit of tokens, raised.
    Tokens,
    /// Its limit of time, raised.
    Duration,
    /// Its patience with iterations that bring nothing, raised.
    Stagnation,
    /// It does not: whoever wants more begins another run.
    Another,
}

impl Needs {
    /// The flag that raises what has to be raised.
    pub const fn flag(self) -> Option<&'static str> {
        match self {
            Needs::Nothing | Needs::Another => None,
            Needs::Iterations => Some("--max-iterations"),
            Needs::Cost => Some("--max-cost"),
            Needs::Tokens => Some("--max-tokens"),
            Needs::Duration => Some("--max-duration"),
            Needs::Stagnation => Some("--stagnation-threshold"),
        }
    }
}

/// What is counted from the beginning where a run that ended goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CountedAnew {
    /// Nothing.
    None,
    /// Failures in a row.
    Failures,
    /// Iterations in a row that brought nothing.
    Idle,
    /// Refused claims in a row.
    Refusals,
}

/// All that is said of a stop reason.
struct Row {
    name: &'static str,
    kind: Kind,
    simple: u8,
    detailed: u8,
    needs: Needs,
    anew: CountedAnew,
    few_words: &'static str,
    sentence: &'static str,
}

macro_rules! stop_reasons {
    ($($(#[doc = $doc:literal])+ $variant:ident: $name:literal, $kind:ident, $simple:literal, $detailed:literal,
       $needs:ident, $anew:ident, $few_words:literal, $sentence:literal;)+) => {
        /// Why a run ended; exactly one per ending.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(rename_all = "snake_case")]
        pub enum StopReason {
            $($(#[doc = $doc])+ $variant,)+
        }

        impl StopReason {
            /// Every stop reason, in the order of the documentation.
            pub const ALL: [StopReason; [$($name),+].len()] = [$(StopReason::$variant),+];

            const fn row(self) -> Row {
                match self {
                    $(StopReason::$variant => Row {
                        name: $name,
                        kind: Kind::$kind,
                        simple: $simple,
                        detailed: $detailed,
                        needs: Needs::$needs,
                        anew: CountedAnew::$anew,
                        few_words: $few_words,
                        sentence: $sentence,
                    },)+
                }
            }
        }
    };
}

// The journal's name is the variant's; then: the name in messages and JSON (Ctrl-C and SIGTERM are both `manual` there), the
// kind, the exit codes (simple, detailed), what it needs to go on, what is counted anew then, a few words, a sentence. The detailed code 33 belongs to a reason that is not there
// yet: engine_unavailable.
stop_reasons! {
    /// The claim stood and every gate was green.
    Complete: "complete", Done, 0, 0, Another, None, "complete", "The job is done.";
    /// There was nothing to do before the first iteration.
    NothingToDo: "nothing_to_do", Done, 0, 0, Another, None, "nothing to do", "There was nothing to do before the first iteration.";
    /// `--max-iterations`.
    MaxIterations: "max_iterations", Limit, 0, 10, Iterations, None, "reached its iteration limit", "The iterations are used up; the job is not shown to be done.";
    /// `--max-cost`, or the agent used up the budget that was left.
    MaxCost: "max_cost", Limit, 0, 11, Cost, None, "its budget is spent", "The money is used up; the job is not shown to be done.";
    /// `--max-tokens`.
    MaxTokens: "max_tokens", Limit, 0, 12, Tokens, None, "its tokens are used up", "The tokens are used up; the job is not shown to be done.";
    /// `--max-duration`.
    MaxDuration: "max_duration", Limit, 0, 13, Duration, None, "its time is up", "The time is used up; the job is not shown to be done.";
    /// Too many iterations in a row without progress.
    Stagnated: "stagnated", Stuck, 0, 14, Stagnation, Idle, "stagnated", "Too many iterations in a row brought nothing new.";
    /// Build mode: neither HEAD nor tree nor plan moved.
    NoChanges: "no_changes", Stuck, 0, 15, Stagnation, None, "stagnated: nothing changes", "The last iteration changed nothing.";
    /// Whatever is open waits for something else, is parked, or is unclear.
    Blocked: "blocked", Stuck, 0, 17, Nothing, None, "blocked", "Whatever is open waits for something else, is parked, or is unclear.";
    /// `windlass stop`.
    StopRequested: "stop_requested", Person, 0, 16, Nothing, None, "stopped by a person", "Stopped after the iteration, as asked.";
    /// Only a person can decide what comes next.
    NeedsHuman: "needs_human", Person, 0, 24, Nothing, Idle, "a person is needed", "Only a person can decide what comes next.";
    /// Ctrl-C.
    Interrupted: "manual", Person, 130, 130, Nothing, None, "stopped by a person", "Stopped by Ctrl-C.";
    /// SIGTERM.
    Terminated: "manual", Person, 143, 143, Nothing, None, "stopped by a person", "Stopped by SIGTERM.";
    /// `--max-failures` iterations in a row failed.
    ConsecutiveFailures: "consecutive_failures", Error, 1, 20, Nothing, Failures, "too many failures in a row", "Too many iterations in a row failed.";
    /// The agent is missing, not logged in, refused, or out of reach for longer than the run may wait.
    AgentUnavailable: "agent_unavailable", Error, 1, 21, Nothing, None, "the agent is unavailable", "The agent cannot be used.";
    /// A usage limit resets later than `--max-wait` allows, or nobody knows when and it is not asked again before that ends.
    LimitWaitExceeded: "limit_wait_exceeded", Error, 1, 22, Nothing, None, "the usage limit lasts too long", "The usage limit would have to be waited for longer than this run may.";
    /// Five claims in a row were refused for the same failures.
    GatesFailing: "gates_failing", Error, 1, 23, Nothing, Refusals, "the checks keep refusing the work", "Five claims in a row were refused for the same failures.";
    /// Another run holds this working directory.
    Locked: "locked", Error, 1, 25, Nothing, None, "another run works there", "Another run holds this directory.";
    /// A hook said abort.
    HookAbort: "hook_abort", Error, 1, 26, Nothing, None, "a hook ended it", "A hook ended the run.";
    /// A hook skipped ten iterations in a row.
    HookSkips: "hook_skips", Error, 1, 27, Nothing, None, "a hook skipped too often", "A hook skipped ten iterations in a row.";
    /// The disk is full.
    DiskFull: "disk_full", Error, 1, 28, Nothing, None, "the disk is full", "There is no room left to write.";
    /// The agent, or what the checks ran, destroyed what must not be touched.
    DestructiveChange: "destructive_change", Error, 1, 29, Nothing, None, "something was destroyed", "Something that must not be touched was destroyed.";
    /// A person closed the run's pull request.
    ClosedByPerson: "closed_by_person", Error, 1, 30, Nothing, None, "its pull request was closed", "A person closed the pull request; the branch is kept.";
    /// The checks of the run's pull request stay red.
    CiFailed: "ci_failed", Error, 1, 31, Nothing, None, "the pull request's checks stay red", "The checks of the pull request stay red.";
    /// The reviewer rejected the work three times for the same findings, or gave three verdicts that could not be used.
    ReviewStalemate: "review_stalemate", Error, 1, 32, Nothing, None, "the reviewer and the agent do not agree", "Three reviews in a row came to the same, or to nothing.";
    /// The project's setup command failed in a fresh checkout.
    SetupFailed: "setup_failed", Error, 1, 34, Nothing, None, "a checkout could not be set up", "The setup command failed.";
    /// A defect of Windlass.
    Internal: "internal", Error, 1, 1, Nothing, None, "a defect of Windlass", "Windlass itself failed; please report it.";
    /// Instructions or plan are missing.
    Missing: "missing", Error, 1, 2, Another, None, "something is missing", "Instructions or plan are missing.";
}

/// What the end of a run rests on, where it ended as complete.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Grounds {
    /// The runner, or a fresh agent, has looked as well.
    #[default]
    Shown,
    /// The claims of the agents that worked, and nothing else.
    Claimed,
}

impl Grounds {
    /// Was it more than claimed?
    pub fn is_shown(&self) -> bool {
        *self == Grounds::Shown
    }
}

/// Which exit codes a run ends with (`--exit-codes`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, EnumString, VariantNames)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum ExitCodes {
    /// 0 for every orderly stop, 1 for errors, 2 for usage, 130 and 143 for signals.
    Simple,
    /// 0 where the job's own rule of completion holds, a code of its own for each other stop reason.
    #[default]
    Detailed,
}

impl StopReason {
    /// Its name in messages and JSON. Ctrl-C and SIGTERM are both `manual` there; the journal tells them apart.
    pub const fn name(self) -> &'static str {
        self.row().name
    }

    /// What a run that ended by it needs to go on.
    pub const fn needs(self) -> Needs {
        self.row().needs
    }

    /// What is counted from the beginning where a run that ended by it goes on.
    pub const fn counted_anew(self) -> CountedAnew {
        self.row().anew
    }

    /// What it means, in a few words.
    pub const fn few_words(self) -> &'static str {
        self.row().few_words
    }

    /// What it means, as a sentence.
    pub const fn sentence(self) -> &'static str {
        self.row().sentence
    }

    /// Is it one that nobody wanted: an error?
    pub const fn is_error(self) -> bool {
        matches!(self.row().kind, Kind::Error)
    }

    /// As people are told it: its name, and that nothing but claims speaks for it where that is so.
    pub const fn told(self, grounds: Grounds) -> &'static str {
        match (self, grounds) {
            (StopReason::Complete, Grounds::Claimed) => "complete (claimed; no gate)",
            _ => self.name(),
        }
    }

    /// Fresher's word for it (seed 002, 3.3), one of five.
    pub const fn finish_type(self) -> &'static str {
        match self.row().kind {
            Kind::Done => "complete",
            Kind::Limit => "max_iterations",
            Kind::Stuck => "no_changes",
            Kind::Person => "manual",
            Kind::Error => "error",
        }
    }

    /// The exit code of a run that ended so.
    pub const fn exit_code(self, codes: ExitCodes) -> u8 {
        match codes {
            ExitCodes::Simple => self.row().simple,
            ExitCodes::Detailed => self.row().detailed,
        }
    }
}

/// Who asked a run to stop.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, VariantNames, EnumString, IntoStaticStr,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum StopSource {
    /// Ctrl-C.
    Interrupt,
    /// SIGTERM.
    Terminate,
    /// `windlass stop`.
    Command,
    /// The web page.
    Page,
    /// The terminal view.
    Watch,
}

impl StopSource {
    /// It asks by a file: once, and for the end of the iteration. The others are signals, which press harder each time.
    pub const fn is_request(self) -> bool {
        matches!(self, StopSource::Command | StopSource::Page | StopSource::Watch)
    }

    /// What whoever stops for its sake stops with.
    pub const fn stop_reason(self) -> StopReason {
        match self {
            StopSource::Interrupt => StopReason::Interrupted,
            StopSource::Terminate => StopReason::Terminated,
            StopSource::Command | StopSource::Page | StopSource::Watch => StopReason::StopRequested,
        }
    }

    /// `interrupt`, `terminate`, `command`, `page`, `watch`.
    pub fn name(self) -> &'static str {
        self.into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The rows of the page's table: stop reasons, and their codes in both ways.
    fn rows() -> impl Iterator<Item = [&'static str; 3]> {
        let page = include_str!("../../../../docs/runs.md");
        let (_, table) = page.split_once("| stop reason | exit code |").unwrap();
        table.lines().skip(2).take_while(|line| line.starts_with('|')).map(|line| {
            let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
            cells.try_into().unwrap()
        })
    }

    #[test]
    fn each_reason_stands_on_the_page_with_its_exit_codes() {
        let mut told = Vec::new();
        for [reasons, detailed, simple] in rows() {
            let codes: Vec<u8> = detailed.split(" · ").map(|code| code.parse().unwrap()).collect();
            let names: Vec<&str> =
                reasons.split(": ").next().unwrap().split([',', '·']).map(str::trim).collect();
            for at in 0..names.len().max(codes.len()) {
                let one = |many: usize| if many == 1 { 0 } else { at };
                let code = codes[one(codes.len())];
                told.push((names[one(names.len())], code, simple.parse().unwrap_or(code)));
            }
        }
        for reason in StopReason::ALL {
            let codes = [ExitCodes::Detailed, ExitCodes::Simple].map(|codes| reason.exit_code(codes));
            let row = (reason.name(), codes[0], codes[1]);
            assert!(told.contains(&row), "docs/runs.md does not say {row:?}");
        }
    }

    #[test]
    fn a_service_takes_each_reason_for_what_it_is() {
        let page = include_str!("../../../../docs/runs.md");
        let listed = |key: &str| -> Vec<u8> {
            let line = page.lines().find_map(|line| line.strip_prefix(key)).unwrap();
            line.split(' ').map(|code| code.parse().unwrap()).collect()
        };
        let (fine, final_) = (listed("SuccessExitStatus="), listed("RestartPreventExitStatus="));
        for reason in StopReason::ALL {
            let code = reason.exit_code(ExitCodes::Detailed);
            // Signals and 0 are fine by themselves, and a defect may be gone after a restart.
            let expected = (!matches!(code, 0 | 1 | 130 | 143)).then_some(reason.is_error());
            let found =
                [(&fine, false), (&final_, true)].into_iter().find(|(codes, _)| codes.contains(&code));
            assert_eq!(found.map(|(_, is_error)| is_error), expected, "{reason:?} in docs/runs.md");
        }
    }

    #[test]
    fn each_reason_stands_on_the_page_of_hooks_with_its_finish_type() {
        let page = include_str!("../../../../docs/hooks.md");
        for reason in StopReason::ALL {
            let row = format!("| `{}` | ", reason.finish_type());
            let row = page.lines().find_map(|line| line.strip_prefix(&row)).unwrap();
            let is_named = row.split([',', ' ', '|']).any(|word| word == reason.name());
            assert!(is_named || row.starts_with("all others"), "{reason:?} in docs/hooks.md");
        }
    }

    #[test]
    fn no_two_reasons_end_with_the_same_code() {
        let mut codes: Vec<u8> = StopReason::ALL
            .iter()
            .map(|reason| reason.exit_code(ExitCodes::Detailed))
            .filter(|code| *code != 0)
            .collect();
        codes.sort_unstable();
        let all = codes.len();
        codes.dedup();
        assert_eq!(codes.len(), all);
    }
}
