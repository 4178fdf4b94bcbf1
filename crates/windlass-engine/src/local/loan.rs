//! Taking over what guests left in the git directory that they are lent, before the runner looks.

use std::io::ErrorKind;
use std::sync::{Arc, Mutex, PoisonError};
use windlass_core::words::{short_commit, some_of};

use windlass_core::damage::{Damage, DamageKind};
use windlass_core::report::{self, Report};
use windlass_core::spec::{CommitPolicy, SandboxKind};
use windlass_core::values::StopReason;

use super::LocalLanes;
use super::damage;
use super::work::WorkError;
use super::working_tree::WorkingTree;
use crate::executor::EngineError;
use crate::store::noted;
use windlass_git::git::{Head, Manner, PutBack, Steering, SteeringError, Strictness};
use windlass_host::file::FileError;

/// So many files are named in one sentence.
const NAMED: usize = 3;

/// How much of what steers git is put back; nothing where guests cannot write it.
pub(super) const fn strictness(kind: &SandboxKind) -> Option<Strictness> {
    match kind {
        SandboxKind::Landlock => Some(Strictness::Everything),
        SandboxKind::None => Some(Strictness::WhatSteers),
        SandboxKind::Bwrap | SandboxKind::Docker(_) | SandboxKind::Podman(_) => None,
    }
}

/// What was put back, as one sentence; `None` where nothing had to be.
pub(super) fn said(changed: &[PutBack]) -> Option<String> {
    if changed.is_empty() {
        return None;
    }
    let kept: Vec<_> = changed.iter().filter_map(|put| put.aside.as_ref()).collect();
    let kept = match kept.as_slice() {
        [] => String::new(),
        kept => {
            format!("; what they said is kept in {}", some_of(kept.iter().map(|path| path.display()), NAMED))
        }
    };
    Some(format!(
        "the repository's own settings or hooks were changed, and were put back before git was called: {}{kept}",
        some_of(changed.iter().map(|put| put.path.display()), NAMED)
    ))
}

impl WorkingTree {
    /// What steers git as it is before anybody else is at work; or as it was, where a session was cut off.
    pub(super) fn keep_steering(&mut self) -> Result<(), EngineError> {
        let Some(repository) = self.surveyor.place().repository.clone() else { return Ok(()) };
        let Some(strictness) = strictness(&self.plan.sandbox.kind) else { return Ok(()) };
        let note = self.folder.steering();
        let folders = repository.folders();
        let steering = if let Some(kept) = Steering::read(&note, &folders, strictness)? {
            kept
        } else {
            let kept = Steering::keep(&folders, strictness);
            noted::write(self.folder.path(), || Ok::<_, EngineError>(kept.write(&note)?))?;
            kept
        };
        self.steering = Some(Arc::new(Mutex::new(steering)));
        Ok(())
    }

    /// No git runs before this where a guest may have been at work.
    pub(super) fn put_steering_back(&mut self) -> Result<(), WorkError> {
        let Some(steering) = &self.steering else { return Ok(()) };
        let aside = self.folder.put_aside();
        let manner = Manner { aside: &aside, persons_since: None };
        let put_back = steering.lock().unwrap_or_else(PoisonError::into_inner).put_back(manner);
        let changed = put_back.map_err(|error| match error {
            SteeringError::Replaced(_) => WorkError::of(StopReason::DestructiveChange, &error),
            SteeringError::File(error) => self.shut(error),
        })?;
        let Some(sentence) = said(&changed) else { return Ok(()) };
        self.leave_behind(vec![Damage { kind: DamageKind::SettingsChanged, sentence, names: Vec::new() }]);
        Ok(())
    }

    /// Without permissions nothing of git can be looked at, nor put back: an attempt that took them has destroyed the repository.
    fn shut(&self, error: FileError) -> WorkError {
        let taken = error.source.kind() == ErrorKind::PermissionDenied;
        let Some(turn) = self.began.filter(|_| taken) else { return error.into() };
        let command = damage::command(self, turn);
        let said = format!("the agent damaged the repository: {error}; `{command}` undoes it");
        WorkError::of(StopReason::DestructiveChange, &said)
    }

    /// It is the attempt's until that is kept; before the first one, and of what checks did, nobody else says it.
    fn leave_behind(&mut self, damage: Vec<Damage>) {
        if self.began.is_some() && self.began != self.kept_last {
            self.left_behind.extend(damage);
        } else {
            self.notices.extend(damage.into_iter().map(|one| one.sentence));
        }
    }

    /// What was left since the last look becomes the repository's, as far as it may.
    pub(super) fn take_over(&mut self) -> Result<(), WorkError> {
        let Some(loan) = &self.loan else { return Ok(()) };
        let what =
            self.began.map_or_else(|| "left".to_owned(), |turn| format!("iteration-{}", turn.iteration));
        let taken = loan.take_over(&self.plan.run.0, &what)?;
        self.leave_behind(taken.damage);
        self.notices.extend(taken.notices);
        if let Some(sentence) = taken.needs_person {
            let detail = format!("{sentence}: bring both together, then `windlass resume`");
            self.ends = Some(Report::from(report::Failed { stop_reason: StopReason::NeedsHuman, detail }));
        }
        Ok(())
    }
}

impl LocalLanes {
    /// What checks or hooks changed after the last look. Only a session that is cut off, or that can put nothing back, leaves
    /// its record.
    fn put_back_at_last(&self) -> Option<String> {
        let note = self.folder.steering();
        let folders = self.repository.as_ref()?.folders();
        let kept = Steering::read(&note, &folders, strictness(&self.plan.sandbox.kind)?);
        let aside = self.folder.put_aside();
        let put_back = kept.ok()??.put_back(Manner { aside: &aside, persons_since: None });
        if put_back.is_ok() {
            self.folder.forget_steering();
        }
        put_back.map_or_else(|error| Some(error.to_string()), |changed| said(&changed))
    }

    /// What checks or hooks did after the last look.
    pub(super) fn take_over_at_last(&mut self) {
        if let Some(notice) = self.put_back_at_last() {
            self.notice(notice);
        }
        self.take_over_loan_at_last();
        if let Some(notice) = self.commits_of_no_branch() {
            self.notice(notice);
        }
        noted::forget_without_notes(&self.folder);
    }

    /// What has been committed and is on no branch: the next checkout would leave it behind.
    fn commits_of_no_branch(&self) -> Option<String> {
        let repository = self.repository.as_ref().filter(|_| self.plan.commit != CommitPolicy::None)?;
        let Head::Detached { commit } = repository.head().ok()? else { return None };
        let commit = commit.to_string();
        if repository.holder(&commit).ok()?.is_some() {
            return None;
        }
        let short = short_commit(&commit);
        Some(format!("the commit {short} is on no branch: `git branch NAME {short}` keeps it"))
    }

    fn take_over_loan_at_last(&mut self) {
        let Some(loan) = self.sandboxes.of_run().loan().cloned() else { return };
        let notices: Vec<String> = match loan.take_over(&self.folder.run().0, "left") {
            Ok(taken) => {
                let damage = taken.damage.into_iter().map(|damage| damage.sentence);
                damage.chain(taken.notices).chain(taken.needs_person).collect()
            }
            Err(error) => {
                vec![format!("what was committed in the sandbox at last is not taken over: {error}")]
            }
        };
        loan.close();
        for notice in notices {
            self.notice(notice);
        }
    }
}
