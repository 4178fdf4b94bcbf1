//! What the system prompt of each mode says of it.

use std::collections::BTreeSet;

use strum::IntoEnumIterator as _;
use windlass_core::spec::Mode;

use super::tests::{parts, plan};
use super::*;
use crate::compose;
use crate::job;

// rows: 12
#[test]
fn each_mode_has_words_of_its_own_in_the_system_prompt() {
    let mut roles = BTreeSet::new();
    for mode in Mode::iter() {
        let mut spec = plan();
        spec.job.mode = mode;
        let role = job::of(mode).words.role;
        let system = compose(&PromptParts { purpose: mode.purpose(), ..parts(&spec, "x") }).system;
        assert!(system.contains(&format!("\n{role}")) && role.ends_with(".\n"), "{mode:?}: {system}");
        assert!(roles.insert(role), "{mode:?}");
    }
}
