//! The environment that what a run starts inherits.

use std::collections::BTreeSet;
use std::ffi::OsString;

use windlass_core::environment::{Heir, Variable, withheld};

/// An environment: names and values.
pub type Environment = Vec<(OsString, OsString)>;

/// The names of what this heir does not get of it.
pub fn withheld_from(environment: &[(OsString, OsString)], heir: &Heir) -> BTreeSet<String> {
    withheld(&readable(environment), heir)
}

/// What this heir gets of it.
pub fn inherited(mut environment: Environment, heir: &Heir) -> Environment {
    let withheld = withheld_from(&environment, heir);
    environment.retain(|(name, _)| !withheld.contains(name.to_string_lossy().as_ref()));
    environment
}

/// An environment with this in it; what was called so before is gone.
pub fn with<N: Into<OsString>, V: Into<OsString>>(
    mut environment: Environment,
    told: impl IntoIterator<Item = (N, V)>,
) -> Environment {
    let told: Environment = told.into_iter().map(|(name, value)| (name.into(), value.into())).collect();
    environment.retain(|(name, _)| told.iter().all(|(one, _)| one != name));
    environment.extend(told);
    environment
}

/// As it can be read; what is not UTF-8 is replaced, the same everywhere.
pub fn readable(environment: &[(OsString, OsString)]) -> Vec<Variable> {
    let text = |text: &OsString| text.to_string_lossy().into_owned();
    environment.iter().map(|(name, value)| (text(name), text(value))).collect()
}
