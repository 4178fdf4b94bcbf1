//! Runs by principles, for high numbers only: those of a file, or those that an agent is asked to derive.

use windlass_core::principles::{Preset, Principles};
use windlass_core::spec::PrinciplesSpec;

use super::Script;
use crate::dice::Dice;

/// The first night that may have some.
const FROM: u64 = 700_000;

/// What these dice start from, with the seed.
const PRINCIPLES: u64 = 0x7072_696E_6369_0000;

/// Where they are.
const FILE: &str = ".windlass/principles.yaml";

pub(super) fn draw(script: &mut Script) {
    let mut dice = Dice::new(script.seed ^ PRINCIPLES);
    let has_some = script.plan.principles.is_some();
    if script.seed < FROM || has_some || script.mode().judges() || script.commutes || !dice.chance(40) {
        return;
    }
    let known = PrinciplesSpec::File {
        file: FILE.into(),
        digest: "a digest".to_owned(),
        principles: Principles::of(Preset::Startup),
    };
    let collected = PrinciplesSpec::Collected { file: FILE.into() };
    script.plan.principles = Some(dice.pick(&[(1, known), (3, collected)]));
}
