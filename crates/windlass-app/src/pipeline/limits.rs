//! The limits of a pipeline: they hold for all of its runs, and stay when it goes on.

use std::time::Duration;

use windlass_core::config::{Layer, keys};
use windlass_core::fact::{Entry, Fact};
use windlass_core::spec::Limits;
use windlass_core::values::Cost;
use windlass_engine::pipeline::Pipeline;
use windlass_engine::store::{RunFolder, RunSummary, index, journal};
use windlass_ui::format;

use crate::error::AppError;
use crate::here::Here;
use crate::run::StartRun;
use crate::run::budget::{SpentBefore, spent_by};

/// What holds for a whole pipeline, as it was last said, and what its runs have used of that.
#[derive(Debug, Default)]
pub(super) struct Kept {
    pipeline: String,
    cost: Option<Cost>,
    tokens: Option<u64>,
    duration: Option<Duration>,
    used: SpentBefore,
}

impl Kept {
    /// Of a pipeline that may have runs.
    pub fn of(here: &Here, pipeline: &Pipeline) -> Result<Kept, AppError> {
        let all = index::look(&here.project)?;
        let is_its = |run: &&RunSummary| run.pipeline.as_ref().is_some_and(|part| part.id == pipeline.id);
        let its: Vec<&RunSummary> = all.iter().filter(is_its).collect();
        let kept = Kept { pipeline: pipeline.id.clone(), ..Kept::default() };
        let Some((newest, earlier)) = its.split_first() else { return Ok(kept) };
        let entries = journal::read(&RunFolder::of(&here.project, &newest.run).journal()).unwrap_or_default();
        let Some(limits) = last_limits(&entries) else { return Ok(kept) };
        // Its own were what was left of the pipeline's.
        let before = spent_by(here, earlier.iter().copied());
        Ok(Kept {
            cost: limits.cost,
            tokens: limits.tokens.map(|most| most.saturating_add(before.tokens)),
            duration: limits.duration.map(|most| most.saturating_add(before.duration)),
            used: spent_by(here, its.iter().copied()),
            ..kept
        })
    }

    /// A run that is started like this one, within these limits where nothing else is said.
    pub fn holds_for(&self, like: &StartRun) -> Result<StartRun, AppError> {
        let mut start = like.clone();
        let settings = &mut start.settings;
        let is_said = |settings: &Layer, key: &str| settings.value(key).is_some();
        if let Some(cost) = self.cost.filter(|_| !is_said(settings, keys::MAX_COST.name)) {
            settings.flag(&keys::MAX_COST, "--max-cost", &format!("{:.6}", cost.dollars()))?;
        }
        if let Some(tokens) = self.tokens.filter(|_| !is_said(settings, keys::MAX_TOKENS.name)) {
            settings.flag(&keys::MAX_TOKENS, "--max-tokens", &tokens.to_string())?;
        }
        if let Some(duration) = self.duration.filter(|_| !is_said(settings, keys::MAX_DURATION.name)) {
            settings.flag(
                &keys::MAX_DURATION,
                "--max-duration",
                &format!("{}s", duration.as_secs().max(1)),
            )?;
        }
        Ok(start)
    }

    /// Refuses to go on where nothing is left and nothing higher is said: as a run that ended at its limit.
    pub fn refuse_used_up(&self, like: &StartRun) -> Result<(), AppError> {
        let is_said = |key: &str| like.settings.value(key).is_some();
        let SpentBefore { cost, tokens, duration } = self.used;
        let used_up = [
            (self.cost.filter(|most| cost >= *most && !is_said(keys::MAX_COST.name)))
                .map(|most| ("--max-cost", format!("{} of {}", format::money(cost), format::money(most)))),
            (self.tokens.filter(|most| tokens >= *most && !is_said(keys::MAX_TOKENS.name))).map(|most| {
                let (tokens, most) = (format::amount(tokens), format::amount(most));
                ("--max-tokens", format!("{tokens} of {most} tokens"))
            }),
            (self.duration.filter(|most| duration >= *most && !is_said(keys::MAX_DURATION.name))).map(
                |most| {
                    ("--max-duration", format!("{} of {}", format::duration(duration), format::bound(most)))
                },
            ),
        ];
        match used_up.into_iter().flatten().next() {
            None => Ok(()),
            Some((flag, of)) => {
                Err(AppError::usage(format!("the pipeline {} is at its limit: {of} are used", self.pipeline))
                    .hint(format!("Raise it: windlass pipeline --resume {} {flag} …", self.pipeline)))
            }
        }
    }
}

/// The limits that a run was begun with, or last went on with.
fn last_limits(entries: &[Entry]) -> Option<&Limits> {
    entries.iter().rev().find_map(|entry| match &entry.fact {
        Fact::RunStarted { plan } | Fact::RunResumed { plan } => Some(&plan.limits),
        _ => None,
    })
}
