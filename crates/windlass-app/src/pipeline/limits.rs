//! The limits of a pipeline: they hold for all of its runs, and stay when it goes on.

use windlass_core::config::{Layer, Resolved, keys};
use windlass_core::fact::{Entry, Fact};
use windlass_core::spec::Limits;
use windlass_engine::pipeline::Pipeline;
use windlass_engine::store::pipelines::{self, PipelineLimits};
use windlass_engine::store::{RunFolder, RunSummary, index, journal};
use windlass_ui::{format, raise};

use crate::error::AppError;
use crate::here::Here;
use crate::run::StartRun;
use crate::run::budget::{self, Spenders, SpentBefore};
use crate::run::whole_pipeline;

/// What holds for a whole pipeline, as it was last said, and what its runs have used of that.
#[derive(Debug, Default)]
pub(super) struct Kept {
    pipeline: String,
    whole: PipelineLimits,
    used: SpentBefore,
}

/// A limit that is used up.
struct UsedUp {
    key: &'static str,
    /// What of what is used: `$5.10 of $5.00`.
    of: String,
    /// The flag that raises it.
    raised: String,
}

impl Kept {
    /// Of a pipeline without runs.
    pub fn of_new(pipeline: &Pipeline, whole: PipelineLimits) -> Kept {
        Kept { pipeline: pipeline.id.clone(), whole, used: SpentBefore::default() }
    }

    /// Of one that goes on within these limits.
    ///
    /// # Errors
    /// What its runs have used cannot be read, and there is a limit on what is paid for.
    pub fn of(
        here: &Here,
        pipeline: &Pipeline,
        (whole, resolved): (PipelineLimits, &Resolved),
    ) -> Result<Kept, AppError> {
        let bounds = budget::left_in_pipeline(&resolved.limits, &whole, SpentBefore::default());
        let used = budget::spent_within(here, &spenders(pipeline), &bounds, None)?;
        Ok(Kept { used, ..Kept::of_new(pipeline, whole) })
    }

    /// The same for whoever only looks, as far as it can be read.
    pub fn seen(here: &Here, pipeline: &Pipeline) -> Kept {
        let whole = known(here, pipeline).ok().flatten().unwrap_or_default();
        let used = budget::as_far_as_known(here, &spenders(pipeline), None).unwrap_or_default();
        Kept { used, ..Kept::of_new(pipeline, whole) }
    }

    /// The limits.
    pub const fn whole(&self) -> &PipelineLimits {
        &self.whole
    }

    /// A run that is started like this one, within these limits where nothing else is said.
    pub fn holds_for(&self, like: &StartRun) -> Result<StartRun, AppError> {
        let mut start = like.clone();
        let settings = &mut start.settings;
        if let Some(cost) = self.whole.cost.filter(|_| !is_said(settings, keys::MAX_COST.name)) {
            settings.flag(&keys::MAX_COST, "--max-cost", &format!("{:.6}", cost.dollars()))?;
        }
        if let Some(tokens) = self.whole.tokens.filter(|_| !is_said(settings, keys::MAX_TOKENS.name)) {
            settings.flag(&keys::MAX_TOKENS, "--max-tokens", &tokens.to_string())?;
        }
        if let Some(duration) = self.whole.duration.filter(|_| !is_said(settings, keys::MAX_DURATION.name)) {
            settings.flag(
                &keys::MAX_DURATION,
                "--max-duration",
                &format!("{}s", duration.as_secs().max(1)),
            )?;
        }
        Ok(start)
    }

    /// Refuses to go on where nothing is left and nothing higher is said: as a run that ended at its limit.
    pub fn refuse_used_up(&self, like: &StartRun, and: &str) -> Result<(), AppError> {
        let used_up = self.used_up();
        match used_up.iter().find(|limit| !is_said(&like.settings, limit.key)) {
            None => Ok(()),
            Some(UsedUp { of, .. }) => {
                Err(AppError::usage(format!("the pipeline {} is at its limit: {of} are used", self.pipeline))
                    .hint(format!(
                        "Raise it: windlass pipeline --resume {}{and}{}",
                        self.pipeline,
                        self.raised()
                    )))
            }
        }
    }

    /// The flags that raise what is used up; each begins with a blank.
    pub fn raised(&self) -> String {
        self.used_up().into_iter().map(|limit| limit.raised).collect()
    }

    /// The flags that hold a run within what is left, each beginning with a blank; `None` where a limit is used up.
    pub fn left(&self) -> Option<String> {
        if !self.used_up().is_empty() {
            return None;
        }
        let PipelineLimits { cost, tokens, duration } = self.whole;
        let SpentBefore { cost: spent, tokens: used, duration: worked } = self.used;
        let cost = cost.map(|most| format!(" --max-cost {}", most.minus(spent).dollars()));
        let tokens = tokens.map(|most| format!(" --max-tokens {}", most.saturating_sub(used)));
        let duration =
            duration.map(|most| format!(" --max-duration {}s", most.saturating_sub(worked).as_secs().max(1)));
        Some([cost, tokens, duration].into_iter().flatten().collect())
    }

    fn used_up(&self) -> Vec<UsedUp> {
        let PipelineLimits { cost, tokens, duration } = self.whole;
        let SpentBefore { cost: spent, tokens: used, duration: worked } = self.used;
        let of_cost = cost.filter(|most| spent >= *most).map(|most| UsedUp {
            key: keys::MAX_COST.name,
            of: format!("{} of {}", format::money(spent), format::money(most)),
            raised: raise::cost(spent, most),
        });
        let of_tokens = tokens.filter(|most| used >= *most).map(|most| UsedUp {
            key: keys::MAX_TOKENS.name,
            of: format!("{} of {} tokens", format::amount(used), format::amount(most)),
            raised: raise::tokens(used, most),
        });
        let of_duration = duration.filter(|most| worked >= *most).map(|most| UsedUp {
            key: keys::MAX_DURATION.name,
            of: format!("{} of {}", format::duration(worked), format::bound(most)),
            raised: raise::duration(worked, most),
        });
        [of_cost, of_tokens, of_duration].into_iter().flatten().collect()
    }
}

fn is_said(settings: &Layer, key: &str) -> bool {
    settings.value(key).is_some()
}

pub(super) fn spenders(pipeline: &Pipeline) -> Spenders {
    Spenders::Pipeline(pipeline.id.clone())
}

/// Those of a pipeline that goes on, with what is said now.
pub(super) fn said_now(
    here: &Here,
    pipeline: &Pipeline,
    resolved: &Resolved,
) -> Result<PipelineLimits, AppError> {
    let known = known(here, pipeline)?;
    if known.is_none() {
        here.app.notice(&format!(
            "no limits of the pipeline {} are known on this machine: what is said or configured now holds for it",
            pipeline.id
        ));
    }
    Ok(whole_pipeline::with_said(known.unwrap_or_else(|| PipelineLimits::said(&resolved.limits)), resolved))
}

/// Those that are kept; of a pipeline that was begun by an older version, those of its newest run. `None` where nobody has said any here.
///
/// # Errors
/// They cannot be read.
fn known(here: &Here, pipeline: &Pipeline) -> Result<Option<PipelineLimits>, AppError> {
    if let Some(kept) = pipelines::limits(&here.project, &pipeline.id)? {
        return Ok(Some(kept));
    }
    // Of a run that cannot be read nobody knows whether it is one of them.
    budget::spent_by(here, &spenders(pipeline), None)?;
    let all = index::look(&here.project)?;
    let is_its = |run: &&RunSummary| run.is_in_pipeline(&pipeline.id);
    let its: Vec<&RunSummary> = all.iter().filter(is_its).collect();
    let Some((newest, earlier)) = its.split_first() else { return Ok(None) };
    let folder = RunFolder::of(&here.project, &newest.run);
    let unknown = |error| budget::unknown(&folder, &spenders(pipeline), &error);
    let entries = journal::read(&folder.journal()).map_err(unknown)?;
    let before = earlier.iter().fold(SpentBefore::default(), |spent, run| spent.and(here, run));
    Ok(last_limits(&entries).map(|limits| whole_pipeline::of_run(limits, before)))
}

/// The limits that a run was begun with, or last went on with.
fn last_limits(entries: &[Entry]) -> Option<&Limits> {
    entries.iter().rev().find_map(|entry| match &entry.fact {
        Fact::RunStarted { plan } | Fact::RunResumed { plan } => Some(&plan.limits),
        _ => None,
    })
}
