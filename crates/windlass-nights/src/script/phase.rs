//! Nights in which one document of a pipeline is written, for high numbers only.

use std::path::PathBuf;

use windlass_core::spec::{JobPhase, Mode, PipelinePhase, RunSpec};

use crate::dice::Dice;

/// The first night that may be one.
const FROM: u64 = 700_000;

/// What these dice start from, with the seed.
const PHASE: u64 = 0x7068_6173_6500_0000;

pub(super) fn mode(seed: u64, drawn: Mode) -> Mode {
    let wanted = seed >= FROM && Dice::new(seed ^ PHASE).chance(8);
    if wanted { Mode::Phase } else { drawn }
}

/// Nothing but the document says that it is done.
pub(super) fn draw(plan: &mut RunSpec) {
    plan.checks.clear();
    plan.job.verification = None;
    plan.job.workspace = None;
    plan.job.notes_file = None;
    let folder = PathBuf::from(".windlass/pipelines/night");
    let phase = PipelinePhase::Tasks;
    plan.job.phase = Some(JobPhase { pipeline: "night".to_owned(), phase, folder });
}
