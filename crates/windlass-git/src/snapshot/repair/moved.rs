//! References that were put back: which, from where, to where.

use std::fmt;

use windlass_core::words::short_commit;

use super::RepairStep;
use super::standing::shown;

/// A reference that says again what it had said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MovedReference {
    /// Its full name, `refs/heads/main`.
    pub name: Vec<u8>,
    /// What it had said, if anything: an object, or `ref: …`.
    pub from: Option<String>,
    /// What it says now.
    pub to: String,
}

impl MovedReference {
    /// The one that this step has put back.
    pub(super) fn by(step: &RepairStep) -> Option<MovedReference> {
        match step {
            RepairStep::WriteReference { name, from, to, .. } => {
                Some(MovedReference { name: name.clone(), from: from.clone(), to: to.clone() })
            }
            _ => None,
        }
    }
}

/// `main 1234567ab -> 89abcdef0`; of one that was gone where it is again.
impl fmt::Display for MovedReference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let value = |said: &str| match said.strip_prefix("ref:") {
            Some(other) => shown(other.trim().as_bytes()),
            None => short_commit(said),
        };
        let (name, to) = (shown(&self.name), value(&self.to));
        match &self.from {
            Some(from) => write!(f, "{name} {} -> {to}", value(from)),
            None => write!(f, "{name} (gone) -> {to}"),
        }
    }
}
