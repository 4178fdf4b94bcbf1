//! Whom usage limits hold back. Pure.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use jiff::Timestamp;
use windlass_core::values::{CallReport, UsageLimit, between, later};
use windlass_fleet::leases::Payer;
use windlass_fleet::orders::HeldBack;

/// A limit that names no time is thought to last so long, where others can go on meanwhile.
const UNNAMED: Duration = Duration::from_mins(15);

/// Added to the time that a limit names, since two machines never agree about the time.
const MARGIN: Duration = Duration::from_secs(5);

/// The accounts that cannot work now.
#[derive(Debug, Default)]
pub(crate) struct Accounts {
    held_back: BTreeMap<Payer, Timestamp>,
}

impl Accounts {
    /// A usage limit refused a call of this account. `present` are those of all workers that are there. Where one of them can go on,
    /// the run does; else the first to be back is waited for.
    pub fn refused(
        &mut self,
        payer: &Payer,
        report: &mut CallReport,
        present: &BTreeSet<Payer>,
        now: Timestamp,
    ) {
        let named = report.limit.as_ref().and_then(|limit| limit.resets_at).filter(|reset| *reset > now);
        let until = named.map_or_else(|| later(now, UNNAMED), |reset| later(reset, MARGIN));
        self.held_back.insert(payer.clone(), until);
        self.held_back.retain(|_, until| *until > now);
        report.elsewhere = present.iter().any(|other| !self.held_back.contains_key(other));
        let first = present.iter().filter_map(|other| self.held_back.get(other)).min();
        if let Some(first) = first.filter(|first| !report.elsewhere && **first < until) {
            let limit = report.limit.get_or_insert_with(UsageLimit::default);
            limit.resets_at = Some(*first);
        }
    }

    /// Until when an account is held back.
    pub fn until(&self, payer: &Payer) -> Option<Timestamp> {
        self.held_back.get(payer).copied()
    }

    /// Those that are held back now.
    pub fn held_back(&self, now: Timestamp) -> Vec<HeldBack> {
        let held_back = self.held_back.iter().filter(|(_, until)| **until > now);
        let told = held_back.map(|(payer, until)| HeldBack {
            payer: payer.clone(),
            until: *until,
            left_ms: u64::try_from(between(now, *until).as_millis()).unwrap_or(u64::MAX),
        });
        told.take(windlass_fleet::orders::MOST_HELD_BACK).collect()
    }
}

#[cfg(test)]
mod tests {
    use windlass_core::values::Class;

    use super::*;

    fn account(name: &str) -> Payer {
        Payer::Account(name.parse().unwrap())
    }

    fn at(minute: i8) -> Timestamp {
        format!("2026-03-02T03:{minute:02}:00Z").parse().unwrap()
    }

    /// What the run is told when this account is refused until then: can others go on, and when is the first back?
    fn refused(
        accounts: &mut Accounts,
        name: &str,
        resets: Option<i8>,
        now: i8,
    ) -> (bool, Option<Timestamp>) {
        let present = ["a", "b"].map(account).into();
        let limit = UsageLimit { resets_at: resets.map(at), ..UsageLimit::default() };
        let mut report = CallReport { class: Class::UsageLimit, limit: Some(limit), ..CallReport::default() };
        accounts.refused(&account(name), &mut report, &present, at(now));
        (report.elsewhere, report.limit.and_then(|limit| limit.resets_at))
    }

    #[test]
    fn a_limit_of_one_account_holds_nobody_else_back() {
        let mut accounts = Accounts::default();
        assert_eq!(refused(&mut accounts, "a", Some(30), 0), (true, Some(at(30))));
        assert_eq!(refused(&mut accounts, "a", Some(30), 1), (true, Some(at(30))), "another lane meets it");
        // The last one that could work: the first to be back is waited for.
        assert_eq!(refused(&mut accounts, "b", Some(50), 2), (false, Some(later(at(30), MARGIN))));
        // Its time has passed.
        assert_eq!(refused(&mut accounts, "b", Some(50), 40), (true, Some(at(50))));
    }

    #[test]
    fn a_limit_without_a_time_holds_back_for_a_while() {
        let mut accounts = Accounts::default();
        assert_eq!(refused(&mut accounts, "a", None, 0), (true, None));
        assert_eq!(refused(&mut accounts, "b", None, 1), (false, Some(at(15))));
        let mut alone = Accounts::default();
        assert_eq!(refused(&mut alone, "b", None, 0), (true, None));
        let told = alone.held_back(at(14));
        assert_eq!((told.len(), told[0].until, told[0].left_ms), (1, at(15), 60_000));
        assert_eq!(alone.held_back(at(15)), []);
    }

    #[test]
    fn nobody_else_is_there() {
        let mut report = CallReport { class: Class::UsageLimit, ..CallReport::default() };
        Accounts::default().refused(&account("a"), &mut report, &BTreeSet::new(), at(0));
        assert!(!report.elsewhere && report.limit.is_none(), "{report:?}");
    }
}
