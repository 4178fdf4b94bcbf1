//! Making a failing night smaller, as long as it fails in the same way.

use windlass_core::spec::CommitPolicy;

use super::{Action, Hook, Leaves, Script};

/// So many smaller nights are tried at the most.
const MOST_TRIES: usize = 3_000;

impl Script {
    /// A smaller night for which `fails` still holds; itself where there is none.
    pub fn shrunk(&self, fails: impl Fn(&Script) -> bool) -> Script {
        let mut smallest = self.clone();
        let mut tries = 0;
        'again: loop {
            for candidate in smallest.smaller() {
                tries += 1;
                if tries > MOST_TRIES {
                    return smallest;
                }
                if fails(&candidate) {
                    smallest = candidate;
                    continue 'again;
                }
            }
            return smallest;
        }
    }

    /// Nights with one thing less, the largest steps first.
    fn smaller(&self) -> Vec<Script> {
        let mut found = Vec::new();
        self.smaller_forge(&mut found);
        let mut try_with = |change: &dyn Fn(&mut Script)| {
            let mut script = self.clone();
            change(&mut script);
            found.push(script);
        };
        if self.receiver.is_some() {
            try_with(&|script| script.receiver = None);
        }
        for at in 0..self.events.len() {
            try_with(&|script| {
                let _ = script.events.remove(at);
            });
        }
        if self.verifiers.len() > 1 {
            for at in 0..self.verifiers.len() {
                try_with(&|script| {
                    let _ = script.verifiers.remove(at);
                });
            }
        }
        if self.acts.len() > 1 {
            try_with(&|script| script.acts.truncate(script.acts.len() / 2));
            for at in 0..self.acts.len() {
                try_with(&|script| {
                    let _ = script.acts.remove(at);
                });
            }
        }
        for at in 0..self.pauses.len() {
            try_with(&|script| {
                let _ = script.pauses.remove(at);
            });
            if self.pauses[at].edit.is_some() {
                try_with(&|script| script.pauses[at].edit = None);
            }
        }
        for at in 0..self.checks.len() {
            try_with(&|script| {
                script.checks.remove(at);
                script.plan.checks.remove(at);
            });
            if self.checks[at].leaves != Leaves::Nothing {
                try_with(&|script| script.checks[at].leaves = Leaves::Nothing);
            }
        }
        for at in 0..self.hooks.len() {
            try_with(&|script| {
                script.hooks.remove(at);
                script.plan.hooks.remove(at);
            });
            if self.hooks[at].leaves != Leaves::Nothing {
                try_with(&|script| script.hooks[at].leaves = Leaves::Nothing);
            }
            if self.hooks[at].says.len() > 1 {
                try_with(&|script| {
                    let _ = script.hooks[at].says.pop();
                });
            }
        }
        if self.hook != Hook::None {
            try_with(&|script| script.hook = Hook::None);
        }
        if self.plan.commit != CommitPolicy::None {
            try_with(&|script| script.plan.commit = CommitPolicy::None);
        }
        self.smaller_limits(&mut found);
        self.smaller_acts(&mut found);
        found
    }

    fn smaller_forge(&self, found: &mut Vec<Script>) {
        let mut with = |change: &dyn Fn(&mut Script)| {
            let mut script = self.clone();
            change(&mut script);
            found.push(script);
        };
        let Some(forge) = &self.forge else { return };
        with(&|script| (script.forge, script.plan.delivery) = (None, None));
        for at in 0..forge.events.len() {
            with(&|script| {
                if let Some(forge) = &mut script.forge {
                    let _ = forge.events.remove(at);
                }
            });
        }
    }

    fn smaller_limits(&self, found: &mut Vec<Script>) {
        let limits = &self.plan.limits;
        let mut with = |is_set: bool, change: &dyn Fn(&mut Script)| {
            if is_set {
                let mut script = self.clone();
                change(&mut script);
                found.push(script);
            }
        };
        with(limits.cost.is_some(), &|script| script.plan.limits.cost = None);
        with(limits.tokens.is_some(), &|script| script.plan.limits.tokens = None);
        with(limits.duration.is_some(), &|script| script.plan.limits.duration = None);
        with(limits.stagnation.is_some(), &|script| script.plan.limits.stagnation = None);
        with(limits.iterations.is_some_and(|most| most > 1), &|script| {
            script.plan.limits.iterations = script.plan.limits.iterations.map(|most| most - 1);
        });
        with(self.plan.job.verification.is_some(), &|script| script.plan.job.verification = None);
        with(self.status.is_some(), &|script| script.status = None);
        with(self.plan.job.notes_file.is_some(), &|script| script.plan.job.notes_file = None);
        with(self.plan.job.completion_threshold > 1, &|script| script.plan.job.completion_threshold = 1);
    }

    fn smaller_acts(&self, found: &mut Vec<Script>) {
        for (at, act) in self.acts.iter().enumerate() {
            for action in (0..act.actions.len()).filter(|action| act.actions[*action].1 != Action::Starts) {
                let mut script = self.clone();
                script.acts[at].actions.remove(action);
                found.push(script);
            }
            if act.straggler {
                let mut script = self.clone();
                script.acts[at].straggler = false;
                found.push(script);
            }
        }
    }
}
