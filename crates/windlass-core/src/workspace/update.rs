//! What becomes of a workspace's metadata: after a run, a session, a verification, a reset.

use jiff::Timestamp;

use super::metadata::{CountedRun, Metadata, REMEMBERED, VerificationStatus, WorkspaceStatus};
use crate::spec::Mode;
use crate::values::{ExitCodes, RunId, StopReason};

/// A run of the workspace that ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EndedRun {
    /// The run.
    pub run: RunId,
    /// Its mode; only those that work on the job are counted.
    pub mode: Mode,
    /// All its iterations, those before it was resumed included.
    pub iterations: u32,
    /// When it ended.
    pub ended: Timestamp,
    /// Why.
    pub reason: StopReason,
}

impl Metadata {
    /// Takes in that a run ended; doing so again changes nothing, and a run that was resumed and ended once more counts
    /// with what it did since. What lies before a reset is noted and not counted.
    pub fn after_run(&mut self, run: &EndedRun) {
        if !run.mode.works_on_workspace() {
            return;
        }
        let before_reset = self.runs.reset.is_some_and(|reset| run.ended <= reset);
        let fresh = u64::from(self.count(run));
        if before_reset {
            return;
        }
        self.execution_iterations = self.execution_iterations.saturating_add(fresh);
        self.total_iterations = self.total_iterations.saturating_add(fresh);
        if self.last_run.is_none_or(|last| last <= run.ended) {
            self.last_run = Some(run.ended);
            self.status = status_after(run.reason);
        }
    }

    /// Notes that a run's iterations are counted; how many of them were not.
    fn count(&mut self, run: &EndedRun) -> u32 {
        let before = self.runs.counted.iter().position(|counted| counted.run == run.run);
        let counted = before.map_or(0, |at| self.runs.counted.remove(at).iterations);
        self.runs.counted.push(CountedRun { run: run.run.clone(), iterations: run.iterations.max(counted) });
        let surplus = self.runs.counted.len().saturating_sub(REMEMBERED);
        self.runs.counted.drain(..surplus);
        run.iterations.saturating_sub(counted)
    }

    /// Takes in that a session in which instructions are written ended.
    pub fn after_setup(&mut self) {
        self.setup_iterations = self.setup_iterations.saturating_add(1);
        self.total_iterations = self.total_iterations.saturating_add(1);
    }

    /// Takes in what a verification came to.
    pub fn after_verification(&mut self, status: VerificationStatus, time: Timestamp) {
        self.verification.attempts = self.verification.attempts.saturating_add(1);
        self.verification.last_status = status;
        self.verification.last_time = Some(time);
    }

    /// Sets the counters to zero: the job is in progress again, and nothing that ended before `now` is counted. Iterations
    /// that are known to the history stay known, so that a run that is resumed counts with what it does from now on.
    pub fn reset(&mut self, now: Timestamp) {
        self.total_iterations = 0;
        self.setup_iterations = 0;
        self.execution_iterations = 0;
        self.status = WorkspaceStatus::InProgress;
        self.verification.attempts = 0;
        self.verification.last_status = VerificationStatus::NotRun;
        self.verification.last_time = None;
        self.verification.resume_cycles = 0;
        self.runs.reset = Some(now);
    }
}

/// The metadata of a workspace whose file is lost, from its runs: oldest first. `now` stands for when it was made where
/// there was no run.
pub fn rebuilt(name: &str, began: Option<Timestamp>, runs: &[EndedRun], now: Timestamp) -> Metadata {
    let works = |run: &&EndedRun| run.mode.works_on_workspace();
    let mode = runs.iter().rev().find(works).map_or(Mode::Loop, |run| run.mode);
    let mut metadata = Metadata::new(name, mode, Some(began.unwrap_or(now)));
    for run in runs {
        metadata.after_run(run);
    }
    metadata
}

/// A run that a limit or a person ended leaves its job in progress.
const fn status_after(reason: StopReason) -> WorkspaceStatus {
    match reason {
        StopReason::Complete | StopReason::NothingToDo => WorkspaceStatus::Completed,
        reason if reason.exit_code(ExitCodes::Simple) == 1 => WorkspaceStatus::Error,
        _ => WorkspaceStatus::InProgress,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(minute: i64) -> Timestamp {
        Timestamp::from_second(1_800_000_000 + 60 * minute).unwrap()
    }

    fn ended(run: &str, iterations: u32, minute: i64, reason: StopReason) -> EndedRun {
        EndedRun { run: RunId(run.to_owned()), mode: Mode::Loop, iterations, ended: at(minute), reason }
    }

    fn fresh() -> Metadata {
        Metadata::new("port", Mode::Loop, Some(at(0)))
    }

    // rows: 126
    // Seed defect D1, commands/run.ts:633: the execution count had the run's iterations twice.
    #[test]
    fn a_run_is_counted_once_however_often_it_is_told() {
        let mut metadata = fresh();
        let run = ended("r-a", 7, 1, StopReason::MaxIterations);
        metadata.after_setup();
        metadata.after_run(&run);
        let once = metadata.clone();
        metadata.after_run(&run);
        assert_eq!(metadata, once);
        assert_eq!((once.execution_iterations, once.setup_iterations, once.total_iterations), (7, 1, 8));
        assert_eq!((once.status, once.last_run), (WorkspaceStatus::InProgress, Some(at(1))));
    }

    #[test]
    fn a_resumed_run_adds_what_it_did_since_even_after_another_one() {
        let mut metadata = fresh();
        metadata.after_run(&ended("r-a", 7, 1, StopReason::MaxIterations));
        metadata.after_run(&ended("r-b", 2, 2, StopReason::Stagnated));
        metadata.after_run(&ended("r-a", 10, 3, StopReason::Complete));
        assert_eq!(metadata.execution_iterations, 12);
        assert_eq!(metadata.status, WorkspaceStatus::Completed);
    }

    #[test]
    fn an_older_ending_that_is_told_late_does_not_change_how_it_stands() {
        let mut metadata = fresh();
        metadata.after_run(&ended("r-b", 2, 5, StopReason::Complete));
        metadata.after_run(&ended("r-a", 3, 1, StopReason::ConsecutiveFailures));
        assert_eq!((metadata.execution_iterations, metadata.status), (5, WorkspaceStatus::Completed));
    }

    // Seed defect D1, commands/run.ts:166: a user's stop marked the workspace as failed.
    #[test]
    fn who_stops_a_run_makes_no_error() {
        for (reason, status) in [
            (StopReason::Interrupted, WorkspaceStatus::InProgress),
            (StopReason::Terminated, WorkspaceStatus::InProgress),
            (StopReason::StopRequested, WorkspaceStatus::InProgress),
            (StopReason::Stagnated, WorkspaceStatus::InProgress),
            (StopReason::NothingToDo, WorkspaceStatus::Completed),
            (StopReason::AgentUnavailable, WorkspaceStatus::Error),
        ] {
            assert_eq!(status_after(reason), status, "{reason:?}");
        }
    }

    #[test]
    fn a_reset_forgets_what_was_and_counts_what_comes() {
        let mut metadata = fresh();
        metadata.after_setup();
        metadata.after_run(&ended("r-a", 7, 1, StopReason::Complete));
        metadata.reset(at(2));
        assert_eq!((metadata.total_iterations, metadata.status), (0, WorkspaceStatus::InProgress));
        // Told late, it still lies before the reset; resumed, it adds what it did since.
        metadata.after_run(&ended("r-old", 9, 1, StopReason::Complete));
        assert_eq!((metadata.execution_iterations, metadata.status), (0, WorkspaceStatus::InProgress));
        metadata.after_run(&ended("r-a", 9, 3, StopReason::Complete));
        assert_eq!((metadata.execution_iterations, metadata.status), (2, WorkspaceStatus::Completed));
    }

    #[test]
    fn judgements_are_no_iterations_of_the_job() {
        let mut metadata = fresh();
        metadata.after_run(&EndedRun { mode: Mode::Verify, ..ended("r-v", 1, 1, StopReason::Complete) });
        assert_eq!(metadata, fresh());
        metadata.after_verification(VerificationStatus::Pass, at(2));
        assert_eq!((metadata.verification.attempts, metadata.total_iterations), (1, 0));
    }

    #[test]
    fn what_is_lost_is_rebuilt_from_the_runs() {
        let runs = [ended("r-a", 7, 1, StopReason::MaxIterations), ended("r-b", 2, 2, StopReason::Complete)];
        let metadata = rebuilt("port", Some(at(0)), &runs, at(9));
        assert_eq!((metadata.execution_iterations, metadata.status), (9, WorkspaceStatus::Completed));
        assert_eq!((metadata.created, metadata.last_run), (Some(at(0)), Some(at(2))));
        assert_eq!(rebuilt("port", None, &[], at(9)).created, Some(at(9)));
    }

    #[test]
    fn only_so_many_runs_are_remembered() {
        let mut metadata = fresh();
        for number in 0..REMEMBERED + 50 {
            metadata.after_run(&ended(
                &format!("r-{number}"),
                1,
                i64::try_from(number).unwrap(),
                StopReason::Complete,
            ));
        }
        assert_eq!(metadata.runs.counted.len(), REMEMBERED);
        assert_eq!(metadata.execution_iterations, REMEMBERED as u64 + 50);
    }
}
