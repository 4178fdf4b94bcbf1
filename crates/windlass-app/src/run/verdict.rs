//! What is kept of judgements: the report, and the counters of the workspace.

use std::path::{Path, PathBuf};

use jiff::Timestamp;
use windlass_core::config::Resolved;
use windlass_core::fact::{Entry, Fact};
use windlass_core::spec::Job;
use windlass_core::values::{AnswerForm, Assessed, Assessment, Class, StopReason};
use windlass_core::workspace::VerificationStatus;
use windlass_engine::store::{RunFolder, journal};
use windlass_engine::workspace::{Workspace, Workspaces, write_report};
use windlass_host::tree;
use windlass_jobs::doc::report::{Judged, ReportParts, is_report, report};

use super::request::Verified;
use crate::configuration::Configuration;
use crate::error::AppError;
use crate::here::Here;
use crate::workspaces::{from_here, tell_mended};

/// The longest report that is read.
pub const LONGEST_REPORT: usize = 16 * 1024 * 1024;

/// Where a report goes unless said otherwise.
pub fn report_path(judged: Judged, workspace: &Workspace, resolved: &Resolved) -> PathBuf {
    match judged {
        Judged::Instructions => workspace.validation_report(),
        Judged::Work => workspace.folder().join(&resolved.verify.report),
    }
}

/// A report that is to be written.
pub struct Report<'a> {
    /// Where.
    pub path: &'a Path,
    /// Of what.
    pub judged: Judged,
    /// The workspace.
    pub workspace: &'a Workspace,
}

impl Report<'_> {
    /// Writes it. Also where nobody judged: an older verdict must not be taken for this one.
    pub fn write(&self, folder: &RunFolder, assessment: Option<&Assessment>) -> Result<(), AppError> {
        let text = report(&ReportParts {
            judged: self.judged,
            workspace: self.workspace.name().as_str(),
            run: &folder.run().0,
            time: &Timestamp::now().strftime("%Y-%m-%d %H:%M:%S UTC").to_string(),
            assessment,
        });
        Ok(write_report(self.path, text.as_bytes())?)
    }
}

/// What each call that was asked to judge said, in order.
pub fn assessments(entries: &[Entry]) -> Vec<Option<&Assessment>> {
    let mut judging = std::collections::BTreeSet::new();
    let mut found = Vec::new();
    for entry in entries {
        match &entry.fact {
            Fact::CallReserved { call, purpose, .. } if purpose.answer() == AnswerForm::Assessment => {
                judging.insert(*call);
            }
            // A call that was cut off, or that a limit refused, is repeated and has not judged.
            Fact::CallFinished { call, summary, .. }
                if judging.contains(call)
                    && (summary.assessment.is_some() || summary.class == Class::Success) =>
            {
                found.push(summary.assessment.as_ref());
            }
            _ => {}
        }
    }
    found
}

/// Counts verifications in the workspace's metadata, and how often the work went on because of one.
pub fn count(
    here: &Here,
    workspace: &Workspace,
    verifications: &[Option<&Assessment>],
    resumed: u64,
) -> Result<(), AppError> {
    let now = Timestamp::now();
    let updated = workspace.update_metadata(&here.project, |metadata| {
        for assessment in verifications {
            metadata.after_verification(status(*assessment), now);
        }
        metadata.verification.resume_cycles = metadata.verification.resume_cycles.saturating_add(resumed);
    })?;
    tell_mended(&here.app, workspace, updated.mended.as_ref());
    Ok(())
}

/// Nobody's judgement is a person's to make.
fn status(assessment: Option<&Assessment>) -> VerificationStatus {
    match assessment.map(|found| found.verdict) {
        Some(Assessed::Pass) => VerificationStatus::Pass,
        Some(Assessed::Fail) => VerificationStatus::Fail,
        Some(Assessed::NeedsReview) | None => VerificationStatus::NeedsReview,
    }
}

/// After a run that had its finished work verified: the last verdict becomes the report, all of them are counted.
/// `before` is how many entries the journal had when this session of the run began.
///
/// # Errors
/// Something could not be read or written; the run is over and journalled nevertheless.
pub fn after_run(
    here: &Here,
    job: &Job,
    folder: &RunFolder,
    before: usize,
) -> Result<Option<Verified>, AppError> {
    let Some(of) = job.workspace.as_ref().filter(|_| job.verification.is_some() && !job.mode.judges()) else {
        return Ok(None);
    };
    let entries = journal::read(&folder.journal())?;
    let session = entries.get(before..).unwrap_or_default();
    let verifications = assessments(session);
    let Some(last) = verifications.last() else {
        return Ok(None);
    };
    let workspace = Workspaces::open(&here.directory).find(&of.name)?;
    let loaded = Configuration::read(&here.directory, Some(workspace.folder()), job.mode)?;
    let refused = verifications.iter().filter(|one| one.is_none_or(|found| !found.passes())).count();
    let gave_up = session
        .iter()
        .any(|entry| matches!(entry.fact, Fact::RunFinished { stop_reason: StopReason::NeedsHuman, .. }));
    let resumed = refused.saturating_sub(usize::from(gave_up && refused > 0));
    count(here, &workspace, &verifications, u64::try_from(resumed).unwrap_or(u64::MAX))?;
    let path = report_path(Judged::Work, &workspace, &loaded.resolved);
    if tree::at(&path).read(LONGEST_REPORT).is_ok_and(|bytes| bytes.is_some_and(|bytes| !is_report(&bytes))) {
        here.app.notice(&format!(
            "{} is not a report of windlass: it is left as it is",
            from_here(&here.app, &path)
        ));
        return Ok(None);
    }
    Report { path: &path, judged: Judged::Work, workspace: &workspace }.write(folder, *last)?;
    let passes = last.is_some_and(Assessment::passes);
    Ok(Some(Verified { report: path, passes }))
}
