//! What comes of the layers: a value for every key, who said it, and whether they go together.

mod origins;

use std::path::PathBuf;
use std::time::Duration;

use super::error::ConfigError;
use super::fleet::FleetSettings;
use super::issues::SourceSettings;
use super::keys::{self, Key};
use super::layer::{Layer, Origin};
use super::pull_request::PullRequestSettings;
use super::sections::{
    AgentSettings, GuardSettings, HookSettings, NotifySettings, PrinciplesSettings, ReviewSettings,
    RunsSettings, SandboxSettings, TasksSettings, VerifySettings, WorkspaceSettings, WorktreeSettings,
};
use super::setting::{
    AgentChoice, AgentOrNone, ByteCap, CheckSetting, Count, CountCap, FileBelow, FineSpan, Globs, Hosts,
    MoneyCap, NetworkChoice, NotifyEvents, OutputLevel, PageAddress, Pause, Phrase, PositiveSpan, Presets,
    ProcessorCap, ReportName, SecretText, Span, SpanCap, Text, TextOrNothing, TokenCap, WebAddress,
};
use super::values::Values;
use crate::message::Wording;
use crate::spec::{
    BootstrapSpec, Clocks, CommitPolicy, CouncilSpec, JobLog, JobPlan, Limits, Mode, Network, PortSpec,
    SandboxKind, StatusNews, StatusWatch, UndoPolicy, Withholding,
};
use crate::values::{Check, CheckKind, Cost, ExitCodes, HookName, Purpose};

/// All that configuration says about a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Resolved {
    /// When the run has to end.
    pub limits: Limits,
    /// How long to wait for what.
    pub clocks: Clocks,
    /// Checks in the order they are run: `until` first.
    pub checks: Vec<Check>,
    /// Time that a check may take of which nothing else is said.
    pub check_timeout: Duration,
    /// Names of secrets of the environment that checks get all the same.
    pub environment: Vec<String>,
    /// What is guarded.
    pub guard: GuardSettings,
    /// The phrase that claims completion.
    pub completion_signal: String,
    /// In how many iterations in a row.
    pub completion_threshold: u32,
    /// Notes relayed between iterations, relative to the working directory; `None` = no notes.
    pub notes_file: Option<PathBuf>,
    /// By which principles agents decide.
    pub principles: PrinciplesSettings,
    /// The agent.
    pub agent: AgentSettings,
    /// What every agent here is told, relative to the working directory; `None` = nothing.
    pub agents_file: Option<PathBuf>,
    /// How claims of a workspace are read.
    pub workspace: WorkspaceSettings,
    /// Where plans lie.
    pub plan: JobPlan,
    /// Tasks from which a plan in one file is worth a folder.
    pub migrate_at: u32,
    /// Where tasks lie, and how they are worked off.
    pub tasks: TasksSettings,
    /// Whose issues are the tasks.
    pub source: SourceSettings,
    /// What is called at the turns of a run.
    pub hooks: HookSettings,
    /// What locks in what a run starts.
    pub sandbox: SandboxSettings,
    /// Where worktrees are made, and what is done with a fresh checkout.
    pub worktree: WorktreeSettings,
    /// How finished work is verified.
    pub verify: VerifySettings,
    /// How a fresh agent looks over work.
    pub review: ReviewSettings,
    /// How conflicts of principles are settled; `None` = by the agent who meets them.
    pub council: Option<CouncilSpec>,
    /// How the status file is watched.
    pub status: Option<StatusWatch>,
    /// The log of a run in its workspace.
    pub log: Option<JobLog>,
    /// The fleet whose workers have the lanes.
    pub fleet: FleetSettings,
    /// What is kept of ended runs.
    pub runs: RunsSettings,
    /// Who is told what.
    pub notify: NotifySettings,
    /// Who commits.
    pub commit: CommitPolicy,
    /// Branches and pull requests.
    pub pull_request: PullRequestSettings,
    /// How windlass words its commits.
    pub message: Wording,
    /// What is held back from commits.
    pub withholding: Withholding,
    /// What is done about damage to the repository.
    pub undo: UndoPolicy,
    /// Which exit codes the run ends with.
    pub exit_codes: ExitCodes,
    /// How much is shown.
    pub level: OutputLevel,
    /// Symbols beyond ASCII may be shown.
    pub emoji: bool,
    origins: Vec<ValueOrigin>,
}

/// A value as it would be written in a file, and who said it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ValueOrigin {
    /// `table.key`.
    pub name: &'static str,
    /// As TOML, a secret as `•••`; `None` where nobody said anything.
    pub value: Option<String>,
    /// Who said it.
    pub origin: Origin,
}

impl ValueOrigin {
    /// The value as JSON; a secret as `•••`, null where nobody said anything.
    pub fn json(&self) -> serde_json::Value {
        let Some(written) = &self.value else { return serde_json::Value::Null };
        written_as_json(written).unwrap_or_else(|| serde_json::Value::String(written.clone()))
    }
}

/// A value as it is written in TOML, as JSON; `None` for what is not TOML.
pub(super) fn written_as_json(written: &str) -> Option<serde_json::Value> {
    let table: toml::Table = format!("value = {written}").parse().ok()?;
    serde_json::to_value(table.get("value")?).ok()
}

/// Is it allowed that nothing limits the run?
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unlimited {
    /// No: of iterations, cost, tokens and duration at least one has a bound.
    Refused,
    /// `--unlimited`: default bounds do not hold, 0 is accepted everywhere.
    Allowed,
    /// Nothing is about to run: the values are only looked at.
    NotAsked,
}

impl Resolved {
    /// Merges layers key by key, the last one wins (user, project, workspace, environment, flags), over the defaults of
    /// this mode.
    pub fn merge(layers: &[Layer], mode: Mode, unlimited: Unlimited) -> Result<Resolved, ConfigError> {
        let mut values = Values::defaults(mode)?;
        for layer in layers {
            values.0.extend(layer.said.iter().map(|(name, said)| (*name, said.clone())));
        }
        if unlimited == Unlimited::Allowed {
            values.lift_default(keys::MAX_ITERATIONS.name);
            values.lift_default(keys::MAX_DURATION.name);
        }
        let resolved = values.resolve()?;
        if unlimited == Unlimited::Refused {
            resolved.require_a_limit()?;
        }
        if unlimited != Unlimited::NotAsked {
            resolved.refuse_walls_without_sandbox()?;
        }
        Ok(resolved)
    }

    /// Every value with who said it, table by table.
    pub fn origins(&self) -> &[ValueOrigin] {
        &self.origins
    }

    /// Who said the value of this key.
    pub fn origin<T>(&self, key: &Key<T>) -> &Origin {
        self.origins
            .iter()
            .find(|value| value.name == key.name)
            .map_or(&Origin::Default, |value| &value.origin)
    }

    /// Whoever says what a sandbox holds means that there is one. That there is none has to be said, not to be left out.
    fn refuse_walls_without_sandbox(&self) -> Result<(), ConfigError> {
        if self.sandbox.kind != SandboxKind::None {
            return Ok(());
        }
        let is_chosen = !self.origin(&keys::SANDBOX_KIND).is_default();
        let is_meant = |value: &&ValueOrigin| match &value.origin {
            Origin::Flag(_) => true,
            origin => !is_chosen && !origin.is_default(),
        };
        let said = self.origins.iter().filter(|value| OF_WALLS.contains(&value.name)).find(is_meant);
        let Some(ValueOrigin { name, origin, .. }) = said else { return Ok(()) };
        let who = match origin {
            Origin::Flag(flag) => flag.clone(),
            origin => format!("{origin}: `{name}`"),
        };
        Err(ConfigError::one(format!(
            "{who} holds nothing without a sandbox: say which (--sandbox bwrap, --sandbox landlock, --sandbox docker), or \
             leave it out{}",
            if is_chosen { "" } else { " (--sandbox none says that there is none)" }
        )))
    }

    fn require_a_limit(&self) -> Result<(), ConfigError> {
        let Limits { iterations, cost, tokens, duration, .. } = &self.limits;
        if iterations.is_some() || cost.is_some() || tokens.is_some() || duration.is_some() {
            return Ok(());
        }
        Err(ConfigError::one(
            "nothing would ever end this run: 0 means unlimited and needs another limit \
             (--max-iterations, --max-cost, --max-tokens, --max-duration) or --unlimited"
                .to_owned(),
        ))
    }
}

/// Keys that say what a sandbox lets through; of no others (images are made without a run) it is expected that they hold.
const OF_WALLS: [&str; 11] = [
    keys::SANDBOX_NETWORK.name,
    keys::SANDBOX_UNIX_SOCKETS.name,
    keys::SANDBOX_HOSTS.name,
    keys::SANDBOX_MEMORY.name,
    keys::SANDBOX_PROCESSES.name,
    keys::SANDBOX_PROCESSORS.name,
    keys::SANDBOX_ENVIRONMENT.name,
    keys::SANDBOX_WRITABLE.name,
    keys::SANDBOX_HIDDEN.name,
    keys::SANDBOX_LOGIN.name,
    keys::SANDBOX_SKIP_PERMISSIONS.name,
];

impl Values {
    fn resolve(&self) -> Result<Resolved, ConfigError> {
        Ok(Resolved {
            limits: self.limits()?,
            clocks: self.clocks()?,
            checks: self.checks()?,
            check_timeout: self.get(&keys::GATE_TIMEOUT).map(|PositiveSpan(span)| span)?,
            environment: self.get(&keys::ENVIRONMENT_ALLOW)?,
            guard: GuardSettings {
                action: self.get(&keys::GUARD_ACTION)?,
                tests: self.get(&keys::GUARD_TESTS)?,
                protected: self.get(&keys::GUARD_PROTECTED).map(|Globs(globs)| globs)?,
            },
            completion_signal: self.get(&keys::COMPLETION_SIGNAL).map(|Phrase(phrase)| phrase)?,
            completion_threshold: self.get(&keys::COMPLETION_THRESHOLD).map(|Count(number)| number)?,
            notes_file: self.get(&keys::NOTES_FILE).map(|FileBelow(path)| path)?,
            principles: PrinciplesSettings {
                file: self.get(&keys::PRINCIPLES_FILE).map(|FileBelow(path)| path)?,
                collect: self.get(&keys::PRINCIPLES_COLLECT)?,
            },
            agent: self.agent()?,
            agents_file: self.get(&keys::AGENTS_FILE).map(|FileBelow(path)| path)?,
            workspace: WorkspaceSettings {
                trust_existing_status: self.get(&keys::TRUST_EXISTING_STATUS)?,
                todo_fallback: self.get(&keys::TODO_FALLBACK)?,
            },
            plan: self.plan()?,
            migrate_at: self.get(&keys::MIGRATE_AT).map(|Count(number)| number)?,
            tasks: self.tasks()?,
            source: self.source()?,
            fleet: self.fleet()?,
            hooks: self.hooks()?,
            sandbox: self.sandbox()?,
            worktree: self.worktree()?,
            verify: self.verify()?,
            review: self.review()?,
            council: self.council()?,
            status: self.status()?,
            log: self.log()?,
            runs: RunsSettings {
                count: self.get(&keys::RUNS_KEEP).map(|Count(number)| positive(number))?,
                bytes: self.get(&keys::RUNS_KEEP_SIZE).map(|ByteCap(bytes)| bytes)?,
            },
            notify: self.notify()?,
            commit: self.get(&keys::COMMIT)?,
            pull_request: self.pull_request()?,
            message: self.get(&keys::COMMIT_MESSAGE)?,
            withholding: Withholding {
                allow: self.get(&keys::COMMIT_ALLOW)?,
                large_file: self.get(&keys::COMMIT_LARGE_FILE).map(|ByteCap(bytes)| bytes)?,
            },
            undo: self.get(&keys::UNDO)?,
            exit_codes: self.get(&keys::EXIT_CODES)?,
            level: self.get(&keys::LEVEL)?,
            emoji: self.get(&keys::EMOJI)?,
            origins: self.origins(),
        })
    }

    fn limits(&self) -> Result<Limits, ConfigError> {
        Ok(Limits {
            iterations: self.get(&keys::MAX_ITERATIONS).map(|CountCap(cap)| cap)?,
            cost: self.find(&keys::MAX_COST)?.and_then(|MoneyCap(cap)| cap),
            tokens: self.find(&keys::MAX_TOKENS)?.and_then(|TokenCap(cap)| cap),
            duration: self.get(&keys::MAX_DURATION).map(|SpanCap(cap)| cap)?,
            failures: self.get(&keys::MAX_FAILURES).map(|Count(number)| number)?,
            stagnation: self.get(&keys::STAGNATION_THRESHOLD).map(|CountCap(cap)| cap)?,
            wait: self.span(&keys::MAX_WAIT)?,
            outage_retries: self.get(&keys::OUTAGE_RETRIES).map(|Count(number)| number)?,
            outage_time: self.span(&keys::OUTAGE_TIME)?,
            overage: self.get(&keys::OVERAGE)?,
            spent_before: Cost::ZERO,
            worked_unseen: Duration::ZERO,
            budget_scope: self.get(&keys::BUDGET_SCOPE)?,
        })
    }

    fn clocks(&self) -> Result<Clocks, ConfigError> {
        Ok(Clocks {
            delay: self.get(&keys::DELAY).map(|Pause(pause)| pause)?,
            backoff: self.get(&keys::BACKOFF).map(|PositiveSpan(span)| span)?,
            silence: self.get(&keys::SILENCE).map(|PositiveSpan(span)| span)?,
            call: self.get(&keys::CALL).map(|PositiveSpan(span)| span)?,
            grace: self.span(&keys::GRACE)?,
            linger: self.span(&keys::LINGER)?,
            linger_background: self.span(&keys::LINGER_BACKGROUND)?,
        })
    }

    fn span(&self, key: &Key<Span>) -> Result<Duration, ConfigError> {
        self.get(key).map(|Span(span)| span)
    }

    fn agent(&self) -> Result<AgentSettings, ConfigError> {
        Ok(AgentSettings {
            choices: self.find(&keys::AGENT)?.unwrap_or_default(),
            specialists: self.specialists()?,
            command: self.get(&keys::COMMAND).map(|Text(text)| text)?,
            arguments: self.get(&keys::ARGUMENTS)?,
            model: self.find(&keys::MODEL)?.map(|Text(text)| text),
            max_turns: self.find(&keys::MAX_TURNS)?.map(|Count(number)| number),
            allow: self.get(&keys::ALLOW)?,
            api_keys: self.get(&keys::API_KEYS)?,
            background: self.get(&keys::BACKGROUND)?,
            add_dirs: self.get(&keys::ADD_DIRS)?,
            prices: self.get(&keys::PRICES)?,
        })
    }

    fn specialists(&self) -> Result<Vec<(Purpose, AgentChoice)>, ConfigError> {
        let keys = [
            (Purpose::Plan, &keys::PLAN_AGENT),
            (Purpose::Review, &keys::REVIEW_AGENT),
            (Purpose::Verify, &keys::VERIFY_AGENT),
            (Purpose::Council, &keys::COUNCIL_AGENT),
        ];
        let mut specialists = Vec::new();
        for (purpose, key) in keys {
            let AgentOrNone(choice) = self.get(key)?;
            specialists.extend(choice.map(|choice| (purpose, choice)));
        }
        Ok(specialists)
    }

    fn plan(&self) -> Result<JobPlan, ConfigError> {
        let FileBelow(file) = self.get(&keys::PLAN_FILE)?;
        Ok(JobPlan {
            file: file.ok_or_else(|| ConfigError::one("`plan.file` cannot be empty".to_owned()))?,
            folder: self.get(&keys::PLAN_FOLDER).map(|FileBelow(path)| path)?,
            specs: self.get(&keys::SPECS).map(|FileBelow(path)| path)?,
            smart_termination: self.get(&keys::SMART_TERMINATION)?,
            archives_finished: self.get(&keys::ARCHIVE_FINISHED)?,
        })
    }

    fn tasks(&self) -> Result<TasksSettings, ConfigError> {
        Ok(TasksSettings {
            file: self.get(&keys::TASKS_FILE).map(|FileBelow(path)| path)?,
            progress: self.get(&keys::TASKS_PROGRESS).map(|FileBelow(path)| path)?,
            attempts: self.get(&keys::TASKS_ATTEMPTS).map(|Count(number)| number)?,
            commits_attempts: self.get(&keys::COMMIT_ATTEMPTS)?,
            judge: self.get(&keys::TASKS_JUDGE)?,
            lanes: self.get(&keys::LANES).map(|Count(number)| number)?,
        })
    }

    fn hooks(&self) -> Result<HookSettings, ConfigError> {
        let mut commands = Vec::new();
        for (hook, key) in [
            (HookName::Started, &keys::HOOK_STARTED),
            (HookName::NextIteration, &keys::HOOK_NEXT_ITERATION),
            (HookName::Finished, &keys::HOOK_FINISHED),
        ] {
            let command = self.find(key)?.and_then(|TextOrNothing(command)| command);
            commands.extend(command.map(|command| (hook, command)));
        }
        let PositiveSpan(timeout) = self.get(&keys::HOOK_TIMEOUT)?;
        Ok(HookSettings { enabled: self.get(&keys::HOOKS_ENABLED)?, timeout, commands })
    }

    fn sandbox(&self) -> Result<SandboxSettings, ConfigError> {
        let Hosts(hosts) = self.get(&keys::SANDBOX_HOSTS)?;
        let network = match self.get(&keys::SANDBOX_NETWORK)? {
            NetworkChoice::On => Network::On,
            NetworkChoice::Off => Network::Off,
            NetworkChoice::Hosts => Network::Hosts(hosts),
        };
        Ok(SandboxSettings {
            kind: self.get(&keys::SANDBOX_KIND)?,
            network,
            unix_sockets: self.get(&keys::SANDBOX_UNIX_SOCKETS)?,
            memory: self.get(&keys::SANDBOX_MEMORY).map(|ByteCap(bytes)| bytes)?,
            processes: self.get(&keys::SANDBOX_PROCESSES).map(|CountCap(cap)| cap)?,
            millicpus: self.get(&keys::SANDBOX_PROCESSORS).map(|ProcessorCap(millis)| millis)?,
            environment: self.get(&keys::SANDBOX_ENVIRONMENT)?,
            writable: self.get(&keys::SANDBOX_WRITABLE)?,
            hidden: self.get(&keys::SANDBOX_HIDDEN)?,
            presets: self.get(&keys::SANDBOX_PRESETS).map(|Presets(presets)| presets)?,
            setup_script: self.get(&keys::SANDBOX_SETUP_SCRIPT).map(|FileBelow(path)| path)?,
            login: self.get(&keys::SANDBOX_LOGIN)?,
            skips_permissions: self.get(&keys::SANDBOX_SKIP_PERMISSIONS)?,
        })
    }

    fn worktree(&self) -> Result<WorktreeSettings, ConfigError> {
        let Count(base) = self.get(&keys::WORKTREE_PORT_BASE)?;
        let Count(size) = self.get(&keys::WORKTREE_PORT_COUNT)?;
        Ok(WorktreeSettings {
            base: self.get(&keys::WORKTREE_BASE).map(|TextOrNothing(path)| path)?,
            bootstrap: BootstrapSpec {
                include_file: self.get(&keys::WORKTREE_INCLUDE).map(|FileBelow(path)| path)?,
                include_bytes: self.get(&keys::WORKTREE_INCLUDE_SIZE).map(|ByteCap(bytes)| bytes)?,
                setup: self.get(&keys::WORKTREE_SETUP).map(|TextOrNothing(command)| command)?,
                setup_timeout: self.get(&keys::WORKTREE_SETUP_TIMEOUT).map(|PositiveSpan(span)| span)?,
                ports: PortSpec {
                    base: base.try_into().unwrap_or(u16::MAX),
                    size: size.try_into().unwrap_or(u16::MAX),
                },
            },
        })
    }

    fn verify(&self) -> Result<VerifySettings, ConfigError> {
        Ok(VerifySettings {
            on_completion: self.get(&keys::VERIFY_ON_COMPLETION)?,
            depth: self.get(&keys::VERIFY_DEPTH)?,
            attempts: self.get(&keys::VERIFY_ATTEMPTS).map(|Count(number)| number)?,
            report: self.get(&keys::VERIFY_REPORT).map(|ReportName(name)| name)?,
        })
    }

    fn status(&self) -> Result<Option<StatusWatch>, ConfigError> {
        let FineSpan(debounce) = self.get(&keys::DEBOUNCE)?;
        let is_meaningful = self.get(&keys::ONLY_MEANINGFUL)?;
        let news = if is_meaningful { StatusNews::Meaningful } else { StatusNews::EveryWrite };
        Ok(self.get(&keys::WATCH)?.then_some(StatusWatch { debounce, news }))
    }

    fn log(&self) -> Result<Option<JobLog>, ConfigError> {
        let keep = self.get(&keys::LOG_KEEP).map(|Count(number)| positive(number))?;
        let ByteCap(keep_bytes) = self.get(&keys::LOG_KEEP_SIZE)?;
        Ok(self.get(&keys::LOG_ENABLED)?.then_some(JobLog { keep, keep_bytes, file: None }))
    }

    fn notify(&self) -> Result<NotifySettings, ConfigError> {
        Ok(NotifySettings {
            url: self.find(&keys::NOTIFY_URL)?.and_then(|WebAddress(url)| url),
            webhook: self.find(&keys::NOTIFY_WEBHOOK)?.and_then(|WebAddress(url)| url),
            command: self.find(&keys::NOTIFY_COMMAND)?.and_then(|TextOrNothing(command)| command),
            events: self.get(&keys::NOTIFY_EVENTS).map(|NotifyEvents(events)| events)?,
            milestone: self.get(&keys::NOTIFY_MILESTONE).map(|Count(number)| positive(number))?,
            timeout: self.get(&keys::NOTIFY_TIMEOUT).map(|PositiveSpan(span)| span)?,
            retries: self.get(&keys::NOTIFY_RETRIES).map(|Count(number)| number)?,
            secret: self.find(&keys::NOTIFY_SECRET)?.and_then(|SecretText(secret)| secret),
            page: self.find(&keys::WEB_URL)?.and_then(|PageAddress(address)| address),
        })
    }

    fn checks(&self) -> Result<Vec<Check>, ConfigError> {
        let PositiveSpan(usual) = self.get(&keys::GATE_TIMEOUT)?;
        let of_kind = |kind: CheckKind, checks: Vec<CheckSetting>| {
            checks.into_iter().map(move |CheckSetting { command, timeout }| {
                Check::new(kind, command, timeout.unwrap_or(usual))
            })
        };
        let until = of_kind(CheckKind::Until, self.get(&keys::UNTIL)?);
        Ok(until.chain(of_kind(CheckKind::Gate, self.get(&keys::GATES)?)).collect())
    }
}

/// A number that means nothing where it is 0.
fn positive(number: u32) -> Option<u32> {
    (number > 0).then_some(number)
}
