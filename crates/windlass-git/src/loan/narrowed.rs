//! A checkout that a guest has narrowed (`git sparse-checkout`): the files that are away are not deleted, and come back.

use std::collections::BTreeSet;

use windlass_core::damage::{Damage, DamageKind};
use windlass_core::words::some_of;

use super::Loan;
use crate::git::call::{Call, zero_ended};
use crate::git::{GitError, as_path, listing};
use windlass_host::tree::at;

/// So many files are named in one sentence.
const NAMED: usize = 3;

impl Loan {
    /// Puts back the files that are away since a guest narrowed its checkout; the person's is as wide as it was.
    pub(super) fn widen(&self) -> Result<Option<Damage>, GitError> {
        let left = self.left();
        if !left.join("info/sparse-checkout").holds_file() {
            return Ok(None);
        }
        let top = at(&self.main.top);
        let hidden = self.main.hidden_files()?;
        let on_purpose = hidden.skipped();
        let narrowed = self.left_out_by_a_guest();
        let tracked = Call::within(&self.main).args(["ls-files", "-z"]).output()?;
        let is_away = |path: &&[u8]| {
            let by_a_guest = narrowed.as_ref().is_none_or(|narrowed| narrowed.contains(*path));
            by_a_guest && !on_purpose.contains(path) && !top.join(as_path(path)).is_taken()
        };
        let away: Vec<&[u8]> = zero_ended(&tracked).filter(is_away).collect();
        if away.is_empty() {
            return Ok(None);
        }
        let listing: Vec<u8> = away.iter().flat_map(|path| [*path, b"\0"].concat()).collect();
        Call::within(&self.main).args(["checkout-index", "--quiet", "-z", "--stdin"]).input(listing).run()?;
        // The next guest has the whole checkout.
        self.forget();
        let sentence = format!(
            "the checkout was narrowed (`git sparse-checkout`); the files that were away are there again: {}",
            some_of(away.iter().map(|path| path.escape_ascii()), NAMED)
        );
        Ok(Some(Damage { kind: DamageKind::SettingsChanged, sentence, names: Vec::new() }))
    }

    /// The paths that a guest's index leaves out; `None` where it names whole folders, or cannot be read: then nobody knows
    /// which of the files that are gone were deleted.
    fn left_out_by_a_guest(&self) -> Option<BTreeSet<Vec<u8>>> {
        let index = self.left().join("index").read(listing::LONGEST_INDEX).ok()??;
        listing::left_out(&index, self.main.object_format)
    }
}
