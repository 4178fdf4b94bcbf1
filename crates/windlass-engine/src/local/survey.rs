//! Looking at the tree before anything is done, when the run goes on, and after a hook.

use windlass_core::damage::unprotected;
use windlass_core::guard::unheard_notice;
use windlass_core::report;
use windlass_core::run::TurnKey;
use windlass_core::spec::SandboxKind;
use windlass_core::values::{Check, Named};
use windlass_core::words::some_of;
use windlass_git::inventory::Inventory;
use windlass_git::snapshot::{LeftOut, Side};

use super::boxes;
use super::damage;
use super::standing;
use super::work::{WorkError, Worked};
use super::working_tree::{Look, WorkingTree};

impl WorkingTree {
    pub(super) fn survey(&mut self) -> Worked {
        boxes::begin_run(self)?;
        let look = self.look()?;
        // Within a session only the checks of the baseline lie between two of these looks.
        self.note_checks(&look.inventory)?;
        let mut said = notices(&look.inventory);
        said.extend(damage::after_baseline(self, &look.inventory)?);
        self.lost_objects()?;
        let evidence = self.evidence(&look);
        let name = self.name(TurnKey { iteration: 1, attempt: 1 }, Side::Before);
        let kept = self.keep_look(&look.inventory, &name)?;
        let left_out = kept.as_ref().map_or(0, |snapshot| snapshot.left_out.len());
        said.extend(kept.as_ref().and_then(|snapshot| left_out_notice(&snapshot.left_out)));
        // It is only a hint: whoever cannot be asked has said so elsewhere.
        let ignored =
            self.surveyor.place().repository.as_ref().and_then(|repository| repository.ignored().ok());
        said.extend(ignored.and_then(|ignored| unprotected(&ignored)));
        let is_run = |check: &&Check| check.criterion.as_ref().is_none_or(|of| of.lookup.is_none());
        let commands = self.plan.checks.iter().filter(is_run).map(|check| check.command.as_str());
        said.extend(unheard_notice(commands));
        said.extend(self.plan.guard.unfollowed_notice());
        let is_open = self.plan.sandbox.kind == SandboxKind::None;
        said.extend(self.plan.guard.outside_notice().filter(|_| is_open));
        // After the checks of the baseline it is looked at once more.
        let mut reports = self.say_once(said);
        let snapshot = kept.map(|snapshot| snapshot.id);
        self.latest = Some(Look { snapshot: snapshot.clone(), ..look });
        if !self.plan.checks.is_empty() {
            self.name_start()?;
        }
        let standing = self.standing(&mut reports);
        let standing = boxes::without_missing(self, standing);
        let left_out = u32::try_from(left_out).unwrap_or(u32::MAX);
        let baseline = report::BaselineCaptured { evidence, snapshot, left_out, standing };
        reports.push(report::Surveyed { baseline, tasks: self.read_tasks() }.into());
        Ok(reports)
    }

    /// What the session's first look has seen gets a name that no later one takes: checks, and agents of lanes that leave them,
    /// may destroy it.
    pub(super) fn name_start(&mut self) -> Result<(), WorkError> {
        if self.start.is_some() {
            return Ok(());
        }
        let place = self.surveyor.place();
        let (Some(store), Some(look)) = (&mut self.snapshots, &mut self.latest) else { return Ok(()) };
        let name = store.next_session_start(&self.plan.run)?;
        match &look.snapshot {
            Some(kept) => store.name(kept, &name)?,
            None => look.snapshot = Some(store.keep(place, &look.inventory, &name)?.id),
        }
        self.start = Some(name);
        Ok(())
    }

    /// What a person changed since the session before. It is kept when the next attempt begins, under its name.
    pub(super) fn survey_again(&mut self) -> Worked {
        boxes::begin_session(self)?;
        self.lost_objects()?;
        let look = self.look()?;
        let mut reports = self.say_once(notices(&look.inventory));
        // Within a session only the checks of the baseline lie between two of these looks.
        self.note_checks(&look.inventory)?;
        let baseline = self.unkept(look);
        reports.push(report::Surveyed { baseline, tasks: self.read_tasks() }.into());
        Ok(reports)
    }

    /// What a hook wrote is as little the agent's as what a check writes: the runner's commits leave it out.
    pub(super) fn survey_after_hook(&mut self) -> Worked {
        damage::find_repository(self)?;
        let look = self.look()?;
        self.note_checks(&look.inventory)?;
        let baseline = self.unkept(look);
        Ok(vec![report::Surveyed { baseline, tasks: None }.into()])
    }

    /// What there is to say of a look that is not kept as a snapshot.
    fn unkept(&mut self, look: Look) -> report::BaselineCaptured {
        let evidence = self.evidence(&look);
        self.remember(look);
        let standing = boxes::without_missing(self, standing::read(&self.plan));
        report::BaselineCaptured { evidence, snapshot: None, left_out: 0, standing }
    }
}

/// What a look could not see, said once.
fn notices(inventory: &Inventory) -> Vec<String> {
    let bound = inventory.bound.map(|bound| {
        format!(
            "without git only the first {} files or {} MB are looked at for progress; there is more",
            bound.files,
            bound.bytes / (1024 * 1024)
        )
    });
    let trouble = inventory
        .trouble
        .as_ref()
        .map(|said| format!("git cannot read its repository ({said}); all files are walked instead"));
    bound.into_iter().chain(trouble).collect()
}

fn left_out_notice(left_out: &[LeftOut]) -> Option<String> {
    const NAMED: usize = 3;
    if left_out.is_empty() {
        return None;
    }
    let name = |left: &LeftOut| format!("{} ({})", String::from_utf8_lossy(&left.path), left.reason.name());
    Some(format!("snapshots do not protect {}", some_of(left_out.iter().map(name), NAMED)))
}
