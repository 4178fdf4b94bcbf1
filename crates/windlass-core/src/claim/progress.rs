//! Workspaces (seed 000): claimed by the status file, which must have been written in this run.

use crate::spec::{ClaimSource, Job, StatusNews};
use crate::values::{JobStatus, StatusSource};

/// What a run has read of its job's own file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    first: String,
    began: String,
    latest: Option<JobStatus>,
    written: bool,
    status_file: bool,
}

impl Progress {
    /// The newest reading; `None` before the first, and in modes that read no file.
    pub fn latest(&self) -> Option<&JobStatus> {
        self.latest.as_ref()
    }

    /// Is it to be told, after what the newest reading said?
    pub fn is_news(&self, standing: &JobStatus, told: StatusNews) -> bool {
        self.latest.as_ref().is_none_or(|latest| match told {
            StatusNews::Meaningful => !latest.says_the_same(standing),
            StatusNews::EveryWrite => latest != standing,
        })
    }

    /// Does the file claim that the job is done? What it said before this run counts only where it is trusted.
    pub fn claims(&self, job: &Job) -> bool {
        let complete = self.latest.as_ref().filter(|latest| latest.complete && latest.problem.is_none());
        match job.mode.claim() {
            // Boxes are the state of the work itself, whoever ticked them and when.
            ClaimSource::Boxes => complete.is_some() && super::ends_by_itself(job),
            // It is good, and a further pass has left it as it was.
            ClaimSource::UnchangedPlan => complete.is_some_and(|latest| latest.mark == self.began),
            // The task at hand is done, its file says; nothing is wrong with the document.
            ClaimSource::Tasks | ClaimSource::Document => complete.is_some(),
            ClaimSource::Phrase | ClaimSource::StatusFile | ClaimSource::Judgement => self.status_claims(job),
        }
    }

    fn status_claims(&self, job: &Job) -> bool {
        let trusted = job.workspace.as_ref().is_some_and(|workspace| workspace.trust_existing_status);
        self.latest
            .as_ref()
            .is_some_and(|latest| latest.complete && self.counts(latest) && (self.written || trusted))
    }

    /// Boxes are a hint: they never complete a run in which there was a status file (rule C13).
    fn counts(&self, standing: &JobStatus) -> bool {
        standing.source == StatusSource::StatusFile || !self.status_file
    }

    /// Does the agent say, in this attempt, that it found nothing to do? What it said in an earlier one is not a word
    /// about this one (seed defect D1, commands/run.ts:431).
    pub fn found_no_work(&self, job: &Job) -> bool {
        let said = |latest: &JobStatus| latest.worked == Some(false) && latest.mark != self.began;
        job.mode.believes_no_work() && self.latest.as_ref().is_some_and(said)
    }

    /// What is there before anything was done.
    pub(crate) fn found(&mut self, standing: &JobStatus) {
        self.first.clone_from(&standing.mark);
        self.written = false;
        self.read(standing);
    }

    /// What is there later.
    pub(crate) fn read(&mut self, standing: &JobStatus) {
        self.status_file |= standing.source == StatusSource::StatusFile;
        // A file that is gone, cut short or not to be read was not written, nor was it by another one that speaks in its
        // place; if it comes back as it was, its words are still those of yesterday.
        let says_something = !standing.mark.is_empty() && !standing.is_unreadable() && self.counts(standing);
        self.written |= says_something && standing.mark != self.first;
        self.latest = Some(standing.clone());
    }

    /// An attempt begins.
    pub(crate) fn begin(&mut self) {
        self.began = self.latest.as_ref().map_or_else(String::new, |latest| latest.mark.clone());
    }
}
