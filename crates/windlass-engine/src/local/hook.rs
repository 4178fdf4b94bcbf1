//! Calling hooks below the lanes' keepers, and ending them.

use std::time::Duration;

use windlass_core::hook::HookSetting;
use windlass_core::report::HookFinished;
use windlass_core::run::{Effect, Epoch, HookContext, Order};
use windlass_core::spec::{JobPlan, RunSpec};
use windlass_core::values::{Evidence, HookName, LaneId};
use windlass_host::process::{SpawnId, SpawnRequest};
use windlass_host::tree::at;

use super::LocalLanes;
use super::lane::{Live, LiveLane};
use super::live_hook::{LiveHook, NOT_WAITED_FOR, not_started};
use crate::executor::EngineError;
use crate::hook::{self, HookAttempt, HookRoom};
use crate::sandbox::Guest;
use windlass_git::git::Repository;

/// How long git may take to count commits. Nothing else happens meanwhile.
const COUNTING: Duration = Duration::from_secs(5);

impl LocalLanes {
    /// Calls a hook below the lane's keeper, once what is left of an abandoned check or hook is gone.
    pub(super) fn begin_hook(&mut self, order: &Order) -> Result<(), EngineError> {
        let (Effect::RunHook { lane, hook, .. }, Some(context)) = (&order.effect, &order.context.hook) else {
            return Err(EngineError::Broken);
        };
        let (lane, hook, epoch) = (*lane, *hook, order.epoch);
        if let Some(held) = self.lanes.get_mut(&lane)
            && held.abandon_for(order)?
        {
            return Ok(());
        }
        let id = self.next_command();
        let (live, request) = match self.set_up_hook(hook, context, id) {
            Ok(set_up) => set_up,
            Err(why) => {
                self.hook_not_started(epoch, lane, hook, &why);
                return Ok(());
            }
        };
        match self.lane(lane) {
            Ok(_) => self.spawn(lane, epoch, Live::Hook(live), request),
            // The run has ended, and that is to be written down whatever became of its last hook.
            Err(error) if hook == HookName::Finished => {
                live.abandon();
                self.hook_not_started(epoch, lane, hook, &error.to_string());
                Ok(())
            }
            Err(error) => Err(error),
        }
    }

    /// What was abandoned in a lane is gone: the hook that waited for that is called.
    pub(super) fn begin_waiting_hook(&mut self, lane: LaneId) -> Result<(), EngineError> {
        let waiting = self.lanes.get_mut(&lane).and_then(LiveLane::take_waiting);
        waiting.map_or(Ok(()), |order| self.begin_hook(&order))
    }

    fn hook_not_started(&mut self, epoch: Epoch, lane: LaneId, hook: HookName, why: &str) {
        self.report(epoch, HookFinished { lane, hook, outcome: not_started(why) });
    }

    /// Makes what it needs; a sentence where that cannot be.
    fn set_up_hook(
        &self,
        name: HookName,
        context: &HookContext,
        id: SpawnId,
    ) -> Result<(LiveHook, SpawnRequest), String> {
        let plan = &self.plan;
        let configured = plan.hooks.iter().find(|hook| hook.name == name).ok_or("there is no such hook")?;
        let room = HookRoom {
            hook: name,
            command: hook::program(plan, &self.folder, configured)?,
            environment: hook::with_setting(self.environment.clone(), &self.hook_setting(context)),
            directory: plan.directory.clone(),
            log: context.log.as_ref().map(|log| self.folder.path().join(log)),
            id,
        };
        let (attempt, request) = HookAttempt::set_up(room).map_err(|error| error.to_string())?;
        let request = match self.sandboxes.of_run().enter(Guest::Command { variables: &[] }, request) {
            Ok(request) => request,
            Err(error) => {
                attempt.abandon();
                return Err(error.to_string());
            }
        };
        let log = context.log.clone().unwrap_or_default();
        Ok((LiveHook::new(name, attempt, log, configured.timeout), request))
    }

    /// What a hook is told: what the run knows, and what only git and the disk know.
    fn hook_setting(&self, context: &HookContext) -> HookSetting {
        let mut setting = context.setting.clone();
        self.folder.path().clone_into(&mut setting.log_folder);
        if let Some(job) = &self.plan.job.plan {
            setting.plan_file = Some(plan_file(&self.plan, job));
        }
        let Some(repository) = &self.repository else { return setting };
        if let Some(head) = repository.head().ok().and_then(|head| head.commit()) {
            setting.last_commit = head.to_string();
        }
        let count = |since: Option<&Evidence>| commits_since(repository, since, &setting.last_commit);
        let (total_commits, commits_made) = (count(context.first.as_ref()), count(context.before.as_ref()));
        HookSetting { total_commits, commits_made, ..setting }
    }

    /// Somebody presses Ctrl-C once more: the hook that is under way is ended now. Was there one?
    pub(super) fn cut_live_hooks(&mut self) -> Result<bool, EngineError> {
        let mut cut = false;
        let mut waiting = Vec::new();
        for held in self.lanes.values_mut() {
            match &mut held.live {
                Live::Hook(live) => live.cut(),
                // What is being ended still is; its end means nothing any more.
                Live::Clearing(_) => waiting.extend(held.take_waiting()),
                Live::Nothing | Live::Call(_) | Live::Check(_) | Live::Setup(_) => continue,
            }
            cut = true;
        }
        for order in waiting {
            if let Effect::RunHook { lane, hook, .. } = order.effect {
                self.hook_not_started(order.epoch, lane, hook, NOT_WAITED_FOR);
            }
        }
        self.poll_lanes().map(|()| cut)
    }
}

/// Commits that were made since a look. Where git does not say, none is known of.
fn commits_since(repository: &Repository, since: Option<&Evidence>, head: &str) -> u64 {
    let Some(since) = since else {
        return 0;
    };
    if head.is_empty() || since.head.as_deref() == Some(head) {
        return 0;
    }
    repository.count_commits(since.head.as_deref(), head, COUNTING).unwrap_or(0)
}

/// The plan that holds: the folder's where there is one.
fn plan_file(plan: &RunSpec, job: &JobPlan) -> std::path::PathBuf {
    let in_folder = job.folder.as_ref().map(|folder| folder.join("README.md"));
    in_folder
        .filter(|readme| at(&plan.directory).join(readme).holds_file())
        .unwrap_or_else(|| job.file.clone())
}
