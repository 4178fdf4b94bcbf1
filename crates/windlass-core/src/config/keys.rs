//! Every key there is: its name, its kind, and one sentence that says what it is for.

use std::marker::PhantomData;

use toml::Value;

use super::error::{ConfigError, FileKind};
use super::setting::{
    AgentChoice, AgentOrNone, ByteCap, CheckSetting, Count, CountCap, FileBelow, FineSpan, FleetNameText,
    FolderAnywhere, GitRemote, Globs, Hosts, MoneyCap, NetworkChoice, NotifyEvents, OpenPullRequest,
    OutputLevel, PageAddress, Pause, Phrase, PositiveSpan, Presets, ProcessorCap, Refusal, Replicas,
    ReportName, Secrecy, Secret, SecretText, ServerAddresses, Setting, Shape, Span, SpanCap, Text,
    TextOrNothing, TokenCap, WebAddress,
};
use crate::forge::MergeStrategy;
use crate::message::Wording;
use crate::price::Price;
use crate::principles::Collection;
use crate::spec::{BudgetScope, CommitPolicy, Depth, Judge, NoChecks, SandboxKind, SandboxLogin, UndoPolicy};
use crate::spec::{GuardAction, PullRequestPer, TestsAction};
use crate::typed::{nearest, shown};
use crate::values::ExitCodes;

/// A key that holds a `T`.
#[derive(Debug)]
pub struct Key<T> {
    /// `table.key`.
    pub name: &'static str,
    kind: PhantomData<fn() -> T>,
}

/// What there is to know about a key, whatever it holds.
#[derive(Debug)]
pub struct KeyInfo {
    /// `table.key`.
    pub name: &'static str,
    /// One sentence.
    pub help: &'static str,
    /// What is expected, for messages.
    pub expected: &'static str,
    /// Whether its values may be shown.
    pub secrecy: Secrecy,
    /// One value, or a list.
    pub shape: Shape,
    /// What it holds, as JSON Schema.
    pub(super) schema: fn() -> serde_json::Value,
    /// Is this value one that the key may hold?
    pub(super) judge: fn(&Value) -> Result<(), Refusal>,
    /// What a text from the command line or the environment stands for.
    pub(super) from_text: fn(&str) -> Value,
}

macro_rules! keys {
    ($($id:ident : $kind:ty = $name:literal, $help:literal;)*) => {
        $(#[doc = $help] pub const $id: Key<$kind> = Key { name: $name, kind: PhantomData };)*

        /// Every key, table by table.
        pub const KEYS: &[KeyInfo] = &[$(KeyInfo {
            name: $name,
            help: $help,
            expected: <$kind as Setting>::EXPECTED,
            secrecy: <$kind as Setting>::SECRECY,
            shape: <$kind as Setting>::SHAPE,
            schema: <$kind as Setting>::schema,
            judge: |value| <$kind as Setting>::read(value).map(drop),
            from_text: <$kind as Setting>::from_text,
        }),*];
    };
}

keys! {
    MAX_ITERATIONS: CountCap = "limits.max_iterations", "Iterations of a run; failed ones count.";
    MAX_COST: MoneyCap = "limits.max_cost", "Dollars that a run may cost.";
    MAX_TOKENS: TokenCap = "limits.max_tokens", "Tokens of all kinds that a run may use; a call whose stream shows that they are used up is ended.";
    MAX_DURATION: SpanCap = "limits.max_duration", "Time a run may take; waits for usage limits do not count.";
    MAX_FAILURES: Count<1> = "limits.max_failures", "Failed iterations in a row that end a run.";
    STAGNATION_THRESHOLD: CountCap = "limits.stagnation_threshold", "Iterations in a row without progress that end a run; 0 = never.";
    MAX_WAIT: Span = "limits.max_wait", "The longest wait for one usage limit.";
    OUTAGE_RETRIES: Count<0> = "limits.outage_retries", "Retries of one outage.";
    OUTAGE_TIME: Span = "limits.outage_time", "Time that one outage may take.";
    BUDGET_SCOPE: BudgetScope = "limits.budget_scope", "What the limit on cost is for: this run, or all runs of the same goal, file or workspace here.";
    OVERAGE: bool = "limits.overage", "Usage beyond the plan is allowed.";

    DELAY: Pause = "clocks.delay", "Pause between two iterations.";
    SILENCE: PositiveSpan = "clocks.silence", "Time without a byte from the agent that ends a call.";
    CALL: PositiveSpan = "clocks.call", "Time that one call of the agent may take.";
    BACKOFF: PositiveSpan = "clocks.backoff", "First pause of an outage; each further one is twice as long.";
    GRACE: Span = "clocks.grace", "Time from SIGTERM to SIGKILL.";
    LINGER: Span = "clocks.linger", "Time from the last result until the agent must have ended.";
    LINGER_BACKGROUND: Span = "clocks.linger_background", "The same while background tasks run.";

    AGENT: Vec<AgentChoice> = "agent.use", "Which agent works: `claude`, `codex`, `opencode`, `gemini`, `qwen`, `acp` for any other that speaks the Agent Client Protocol, or `command` for any other program (docs/agents.md has all); of several the next takes over where one cannot work. Without it the program's name tells.";
    COMMAND: Text = "agent.command", "The agent's program; of several agents that of `command`, else of the first.";
    ARGUMENTS: Vec<String> = "agent.arguments", "Arguments for the agent, before those of windlass.";
    MODEL: Text = "agent.model", "The model; without it the agent chooses.";
    MAX_TURNS: Count<1> = "agent.max_turns", "Turns per call; without it the agent's own limit holds.";
    API_KEYS: bool = "agent.api_keys", "Hand API keys of the environment to the agent.";
    AGENTS_FILE: FileBelow = "agent.agents_file", "What every agent here is told: the file goes into the system prompt; empty = none.";
    ADD_DIRS: Vec<String> = "agent.add_dirs", "Folders beyond the project that the agent may work in; `~/` is the user's home.";
    PRICES: Vec<Price> = "agent.prices", "What models cost, in dollars for a million tokens, before the list that is built in: `claude-opus-5-5 input=4 output=20`.";
    BACKGROUND: bool = "agent.background", "Let the agent start background tasks.";

    ALLOW: Vec<String> = "permissions.allow", "Permission rules for the agent, such as `Bash(make test)`.";

    ENVIRONMENT_ALLOW: Vec<String> = "environment.allow", "Names of secrets of the environment that checks and setup commands get all the same.";

    GATES: Vec<CheckSetting> = "gates.commands", "Commands that must pass before a claim counts.";
    UNTIL: Vec<CheckSetting> = "gates.until", "Commands that decide completion instead of the agent's claim.";
    GATE_TIMEOUT: PositiveSpan = "gates.timeout", "Time that one of these commands may take.";

    GUARD_ACTION: GuardAction = "guard.action", "What becomes of an agent's changes to protected files.";
    GUARD_TESTS: TestsAction = "guard.tests", "What becomes of work that leaves fewer tests, or weaker ones.";
    GUARD_PROTECTED: Globs = "guard.protected", "Protected files beyond the usual ones; `!` before a pattern lets through.";

    COMPLETION_SIGNAL: Phrase = "goal.completion_signal", "The phrase that claims completion.";
    COMPLETION_THRESHOLD: Count<1> = "goal.completion_threshold", "Iterations in a row that must claim it.";
    NOTES_FILE: FileBelow = "goal.notes_file", "Notes relayed between iterations; empty = none.";

    PRINCIPLES_FILE: FileBelow = "principles.file", "The file of decision principles; empty = the first that is there of `.windlass/principles.yaml` and `.claude/principles.yaml`.";
    PRINCIPLES_COLLECT: Collection = "principles.collect", "Where a goal has no principles yet: go without them, or have the agent derive them in the first iteration.";

    TRUST_EXISTING_STATUS: bool = "workspace.trust_existing_status", "A status file from before the run counts as well.";
    TODO_FALLBACK: bool = "workspace.todo_fallback", "The boxes of TODO.md count where no status file can be read.";

    PLAN_AGENT: AgentOrNone = "plan.agent", "Which agent plans (`windlass plan`); empty = the one that works, which takes over as well.";
    PLAN_FILE: FileBelow = "plan.file", "The plan, as one file.";
    PLAN_FOLDER: FileBelow = "plan.folder", "The plan as a folder; where its README.md exists it is used and not the file; empty = none.";
    SPECS: FileBelow = "plan.specs", "The folder of the specifications; empty = none.";
    MIGRATE_AT: Count<1> = "plan.migrate_at", "Tasks from which `migrate-plan` makes a folder of a file.";
    ARCHIVE_FINISHED: bool = "plan.archive_finished", "Have the agent move the file of a feature whose tasks are all done to `.archive/` in the plan's folder.";
    SMART_TERMINATION: bool = "build.smart_termination", "A build ends when no box is open, or when an iteration changes nothing.";

    TASKS_FILE: FileBelow = "tasks.file", "The task file, or a folder of them; empty = the first that is there of the usual ones.";
    TASKS_PROGRESS: FileBelow = "tasks.progress", "Where each iteration of tasks is noted for people; empty = nowhere.";
    TASKS_ATTEMPTS: Count<1> = "tasks.attempts", "Iterations that a task may fail before it is parked.";
    TASKS_JUDGE: Judge = "tasks.judge", "Who judges success criteria that are neither looked up nor run: a fresh `agent`, before their task counts as done, or nobody (`off`).";

    SOURCE_REPOSITORY: TextOrNothing = "source.repository", "The repository whose open issues are the tasks, as `github:OWNER/NAME`; empty = tasks are in files.";
    SOURCE_LABELS: Vec<String> = "source.labels", "Only issues that have all of these labels.";
    SOURCE_MILESTONE: TextOrNothing = "source.milestone", "Only issues of this milestone: its title, or its number; empty = any.";
    SOURCE_ASSIGNEE: TextOrNothing = "source.assignee", "Only issues that this person is to do; empty = anybody.";
    SOURCE_TRUST_AUTHORS: bool = "source.trust_authors", "Issues of authors without a say in the repository as well: anybody may write issues, and an agent does what they say.";
    SOURCE_CLOSE_ISSUES: bool = "source.close_issues", "Close issues that are done; with a pull request once it is merged.";

    LANES: Count<1> = "lanes.count", "Tasks that are worked on at once, each in a checkout of its own; 1 = one after another, right here.";

    FLEET_URL: ServerAddresses = "fleet.url", "In your own file: servers of the fleet whose workers have the lanes, such as `tls://nats.example.org:4222`; none = lanes are on this machine.";
    FLEET_NAME: FleetNameText = "fleet.name", "In your own file: what the fleet is called; servers can hold several.";
    FLEET_CREDENTIALS: TextOrNothing = "fleet.credentials", "In your own file: the `.creds` file to log in to the fleet with; `~/` is the user's home; empty = none.";
    FLEET_TOKEN_FILE: TextOrNothing = "fleet.token_file", "In your own file: a file that holds a token for the fleet; empty = none.";
    FLEET_NKEY_FILE: TextOrNothing = "fleet.nkey_file", "In your own file: a file that holds the seed of an nkey for the fleet; empty = none.";
    FLEET_PASSWORD_FILE: TextOrNothing = "fleet.password_file", "In your own file: a file that holds `user:password` for the fleet; empty = none.";
    FLEET_AUTHORITY: TextOrNothing = "fleet.authority", "In your own file: certificates (PEM) that vouch for the fleet's servers; empty = those of this machine.";
    FLEET_LEASE: FineSpan<5000, 600_000> = "fleet.lease", "In your own file: time without a sign of life after which a worker has lost its lanes, and a runner its run; the same on all machines.";
    FLEET_PATIENCE: PositiveSpan = "fleet.patience", "In your own file: time that a run goes on while the fleet's servers do not answer; then it ends, and can be resumed.";
    FLEET_REPLICAS: Replicas = "fleet.replicas", "In your own file: on how many servers the fleet keeps everything: 1 or 3.";
    FLEET_REMOTE: GitRemote = "fleet.remote", "In your own file: a git remote that commits travel through to workers and back, such as `git@example.org:night.git`, below `refs/windlass/`; the same repository on all machines; empty = they travel through the fleet's servers.";

    HOOKS_ENABLED: bool = "hooks.enabled", "Call hooks: commands at the start, before each iteration and at the end of a run.";
    HOOK_TIMEOUT: PositiveSpan = "hooks.timeout", "Time that a hook may take.";
    HOOK_STARTED: TextOrNothing = "hooks.started", "A shell command before anything else; without it the file `.windlass/hooks/started`.";
    HOOK_NEXT_ITERATION: TextOrNothing = "hooks.next_iteration", "A shell command before each iteration; without it the file `.windlass/hooks/next_iteration`.";
    HOOK_FINISHED: TextOrNothing = "hooks.finished", "A shell command on every way out; without it the file `.windlass/hooks/finished`.";

    SANDBOX_KIND: SandboxKind = "sandbox.kind", "What locks in the agent, its checks and its hooks.";
    SANDBOX_NETWORK: NetworkChoice = "sandbox.network", "The network inside: all, nothing, or the hosts of `sandbox.hosts` alone.";
    SANDBOX_UNIX_SOCKETS: bool = "sandbox.unix_sockets", "Unix sockets may be made inside where the network is `off` or `hosts`; those of this machine's services can be reached then.";
    SANDBOX_HOSTS: Hosts = "sandbox.hosts", "Hosts that can be reached from inside; `*.` before a name means all below it.";
    SANDBOX_MEMORY: ByteCap = "sandbox.memory", "Memory that everything inside may use together.";
    SANDBOX_PROCESSES: CountCap = "sandbox.processes", "Processes that may exist inside at once.";
    SANDBOX_PROCESSORS: ProcessorCap = "sandbox.processors", "Processors that everything inside may use together.";
    SANDBOX_ENVIRONMENT: Vec<String> = "sandbox.environment", "Names of variables that are passed on beyond the usual ones.";
    SANDBOX_WRITABLE: Vec<String> = "sandbox.writable", "Paths beyond the project that may be written; `~/` is the user's home.";
    SANDBOX_HIDDEN: Vec<String> = "sandbox.hidden", "Paths that may not even be read, beyond the usual ones; `~/` is the user's home.";
    SANDBOX_PRESETS: Presets = "sandbox.presets", "Tools in the image that `windlass sandbox build` makes: `rust`, `node`, `bun`, `python`, `go`.";
    SANDBOX_SETUP_SCRIPT: FileBelow = "sandbox.setup_script", "A script that is run, as root, when that image is made; empty = none.";
    SANDBOX_LOGIN: SandboxLogin = "sandbox.login", "How the agent inside is logged in: by a token in the environment, or by the user's credentials, mounted.";
    SANDBOX_SKIP_PERMISSIONS: bool = "sandbox.skips_permissions", "The agent inside may do anything without asking.";

    WORKTREE_BASE: TextOrNothing = "worktree.base", "The folder that `run --worktree` makes worktrees in, from the checkout's own; `~/` is the user's home; empty = `../PROJECT-worktrees`.";
    WORKTREE_INCLUDE: FileBelow = "worktree.include", "The file that names what git does not track and every fresh checkout needs; empty = none.";
    WORKTREE_INCLUDE_SIZE: ByteCap = "worktree.include_size", "Bytes that may be copied into a fresh checkout; 0 = no limit.";
    WORKTREE_SETUP: TextOrNothing = "worktree.setup", "A shell command that makes a fresh checkout ready, such as `npm ci`.";
    WORKTREE_SETUP_TIMEOUT: PositiveSpan = "worktree.setup_timeout", "Time that it may take.";
    WORKTREE_PORT_BASE: Count<1024, 65535> = "worktree.port_base", "The first port of the first block: `WINDLASS_PORT_BASE` of the checkout itself.";
    WORKTREE_PORT_COUNT: Count<0, 1000> = "worktree.port_count", "Ports in the block of each worktree and lane; 0 = none.";

    VERIFY_ON_COMPLETION: bool = "verify.on_completion", "Have a fresh agent verify the finished work of a workspace before it counts; for other jobs: `review.enabled`.";
    VERIFY_DEPTH: Depth = "verify.depth", "How closely it looks: at main results, each requirement, edge cases too.";
    VERIFY_ATTEMPTS: Count<1, 10> = "verify.attempts", "Verifications that may refuse the work before a person is needed.";
    VERIFY_AGENT: AgentOrNone = "verify.agent", "Which agent it is; empty = the one that works, which takes over as well.";
    VERIFY_REPORT: ReportName = "verify.report", "The file in the workspace that its report goes to.";

    REVIEW_ENABLED: bool = "review.enabled", "Have a fresh agent look over the work of each iteration before it counts.";
    REVIEW_PROMPT: TextOrNothing = "review.prompt", "What it is to look for, beyond the usual.";
    REVIEW_AGENT: AgentOrNone = "review.agent", "Which agent it is (`codex`, `codex:gpt-5.1-codex`); empty = the one that works, which takes over as well.";
    REVIEW_MODEL: TextOrNothing = "review.model", "Its model; empty = that of the agent who works.";
    REVIEW_SKIP_BELOW_LINES: Count<0> = "review.skip_below_lines", "Changed lines from which it is asked; 0 = always.";

    COUNCIL_ENABLED: bool = "council.enabled", "Have a fresh agent settle conflicts of principles that the agent at work reports.";
    COUNCIL_AGENT: AgentOrNone = "council.agent", "Which agent it is; empty = the one that works, which takes over as well.";
    COUNCIL_MODEL: TextOrNothing = "council.model", "Its model; empty = that of the agent who works.";
    COUNCIL_PER_RUN: Count<0, 100> = "council.per_run", "How often it may be asked in a run; at most once in an iteration.";
    COUNCIL_LOG: bool = "council.log", "Note what it decides in `.windlass/decisions.jsonl` as well.";

    WATCH: bool = "status.watch", "Watch the status file while the agent works.";
    DEBOUNCE: FineSpan<500, 10_000> = "status.debounce", "Time that changes of the status file are gathered for.";
    ONLY_MEANINGFUL: bool = "status.only_meaningful", "Report only changed counts and claims, not every write.";

    LOG_ENABLED: bool = "log.enabled", "Write a log of each run into its workspace.";
    LOG_KEEP: Count<0> = "log.keep", "Logs kept in a workspace; older ones go; 0 = all.";
    LOG_KEEP_SIZE: ByteCap = "log.keep_size", "Room for the logs of a workspace; the oldest go first; 0 = no limit.";

    RUNS_KEEP: Count<0> = "runs.keep", "Ended runs whose recordings are kept; those of older ones go; 0 = all.";
    RUNS_KEEP_SIZE: ByteCap = "runs.keep_size", "Room for the recordings of a project's ended runs; the oldest go first; 0 = no limit.";

    NOTIFY_URL: WebAddress = "notify.url", "The address of an ntfy topic that notifications go to.";
    NOTIFY_WEBHOOK: WebAddress = "notify.webhook", "An address that they are sent to as JSON.";
    NOTIFY_COMMAND: TextOrNothing = "notify.command", "A shell command that gets them as JSON on its standard input.";
    NOTIFY_EVENTS: NotifyEvents = "notify.events", "Which events send a notification.";
    NOTIFY_MILESTONE: Count<0> = "notify.milestone", "Iterations from one `iteration_milestone` to the next; 0 = never.";
    NOTIFY_TIMEOUT: PositiveSpan = "notify.timeout", "Time that one delivery may take.";
    NOTIFY_RETRIES: Count<0, 10> = "notify.retries", "Retries of a delivery that failed.";
    NOTIFY_SECRET: SecretText = "notify.secret", "Signs what is sent; better in the environment or the user's file.";

    WEB_URL: PageAddress = "web.url", "The address at which `windlass web` is reached, which notifications link to.";

    COMMIT: CommitPolicy = "git.commit", "Who commits: nobody, the agent, or windlass after each iteration.";

    PULL_REQUEST_OPEN: OpenPullRequest = "pull_request.open", "Push the run's branch and open a pull request for it: `never`, as a `draft`, or `ready` for review.";
    PULL_REQUEST_PER: PullRequestPer = "pull_request.per", "What has a branch and a pull request of its own: the `run`, each `iteration`, each `task`.";
    PULL_REQUEST_MERGE: bool = "pull_request.merge", "Merge it once its checks passed and the base's rules are met.";
    PULL_REQUEST_MERGE_STRATEGY: MergeStrategy = "pull_request.merge_strategy", "How it is merged.";
    PULL_REQUEST_BRANCH_PREFIX: TextOrNothing = "pull_request.branch_prefix", "What the name of the run's own branch begins with; empty = the branch that is checked out, unless that is the base.";
    PULL_REQUEST_REMOTE: Text = "pull_request.remote", "The remote that is pushed to.";
    PULL_REQUEST_BASE: TextOrNothing = "pull_request.base", "The branch that it is to be merged into; empty = the forge's default branch.";
    PULL_REQUEST_OWNER: TextOrNothing = "pull_request.owner", "Who owns the repository; empty = as the remote says.";
    PULL_REQUEST_REPOSITORY: TextOrNothing = "pull_request.repository", "The repository's name; empty = as the remote says.";
    PULL_REQUEST_NO_CHECKS: NoChecks = "pull_request.no_checks", "What happens where no check ever appears: go on waiting, merge without, or leave it to a person.";
    PULL_REQUEST_CI_RETRIES: Count<0, 20> = "pull_request.ci_retries", "How often the logs of failed checks go back to the agent.";
    PULL_REQUEST_REVIEW_ROUNDS: Count<0, 20> = "pull_request.review_rounds", "How often unresolved review comments go back to the agent.";
    PULL_REQUEST_CHECKS_APPEAR: PositiveSpan = "pull_request.checks_appear", "Time that checks may take to appear after a push.";
    PULL_REQUEST_CHECKS_WAIT: PositiveSpan = "pull_request.checks_wait", "Time that they may take to end.";
    PULL_REQUEST_REVIEW_WAIT: PositiveSpan = "pull_request.review_wait", "Time that a review, or whatever else the base's rules ask for, is waited for.";
    PULL_REQUEST_POLL: FineSpan<20, 600_000> = "pull_request.poll", "The first pause between two looks at it; later ones are longer, up to a minute.";

    COMMIT_MESSAGE: Wording = "commit.message", "How windlass words its commits: `windlass`, `devloop`, `conventional`, or a line with placeholders such as `{action}`.";
    COMMIT_ATTEMPTS: bool = "commit.attempts", "In a run of tasks without lanes, windlass also commits what an attempt that failed has left, and says so.";
    COMMIT_ALLOW: Vec<String> = "commit.allow", "Files that are committed although they look like secrets or are large: patterns as in .gitignore.";
    COMMIT_LARGE_FILE: ByteCap = "commit.large_file", "Files beyond this size are held back from commits; 0 = none.";
    UNDO: UndoPolicy = "safety.undo", "Damage an agent does to the repository: say how to undo it, or undo it at once.";

    DEFAULT_PROJECT: FolderAnywhere = "project.default", "In your own file: the project that tasks are worked on where the current directory has no job; empty = none.";

    UPDATE_URL: WebAddress = "update.url", "In your own file: where releases are that `windlass update` installs; empty = nowhere.";
    UPDATE_CHECK: bool = "update.check", "In your own file: where `update.url` is set, runs at a terminal look there once a day and say when there is a newer version; never in CI.";

    LEVEL: OutputLevel = "output.level", "How much is shown of a run.";
    EMOJI: bool = "output.emoji", "Show emoji and other symbols beyond ASCII.";
    EXIT_CODES: ExitCodes = "output.exit_codes", "Exit codes: a few, or one per stop reason.";
}

impl KeyInfo {
    /// The key of this name.
    ///
    /// # Errors
    /// There is none, or it is one that is never saved: a sentence that says which was meant.
    pub fn find(name: &str) -> Result<&'static KeyInfo, ConfigError> {
        known(name).map_err(ConfigError::one)
    }

    /// The value that texts of a command line stand for: one text, or the items of a list.
    pub fn read_texts(&self, texts: &[String]) -> Result<Value, ConfigError> {
        let value = match (self.shape, texts) {
            (Shape::List, [text]) => whole_list(text).unwrap_or_else(|| list(texts)),
            (Shape::List, _) => list(texts),
            (Shape::One | Shape::Number, [text]) => (self.from_text)(text),
            (Shape::One | Shape::Number, _) => {
                let problem = format!("`{}` holds one value, not {}", self.name, texts.len());
                return Err(ConfigError::one(problem));
            }
        };
        self.check(&value)?;
        Ok(value)
    }

    /// The items of a list that stands somewhere; some keys take a text for it as well.
    pub fn items_of(&self, value: &Value) -> Result<Vec<Value>, ConfigError> {
        self.check(value)?;
        let value = value.as_str().map_or_else(|| value.clone(), |text| (self.from_text)(text));
        Ok(value.as_array().cloned().unwrap_or_default())
    }

    /// May the key hold this value?
    pub(super) fn accept(&self, value: &Value) -> Result<(), String> {
        (self.judge)(value).map_err(|refusal| match refusal {
            Refusal::Because(sentence) => sentence,
            Refusal::Kind => match self.secrecy {
                Secrecy::Open => format!("expected {}, found {}", self.expected, described(value)),
                Secrecy::Address | Secrecy::Secret => {
                    format!("expected {}, found another kind of value", self.expected)
                }
            },
        })
    }

    /// May the key hold this value?
    pub fn check(&self, value: &Value) -> Result<(), ConfigError> {
        self.accept(value).map_err(|problem| ConfigError::one(format!("`{}`: {problem}", self.name)))
    }

    /// May it stand in a file of this kind?
    pub fn belongs_in(&self, kind: FileKind) -> Result<(), ConfigError> {
        self.check_place(kind).map_err(ConfigError::one)
    }

    pub(super) fn check_place(&self, kind: FileKind) -> Result<(), String> {
        // Whoever names a server and a file of credentials has that file sent there: no repository may.
        let is_users = self.name == DEFAULT_PROJECT.name || self.name.starts_with("fleet.");
        if is_users && matches!(kind, FileKind::Project | FileKind::Workspace) {
            let name = self.name;
            return Err(format!(
                "`{name}` is for your own file alone: windlass config set --user {name} VALUE"
            ));
        }
        Ok(())
    }

    /// The variable of the environment that says it: `WINDLASS_<TABLE>__<KEY>`.
    pub fn variable(&self) -> String {
        format!("WINDLASS_{}", self.name.to_ascii_uppercase().replace('.', "__"))
    }

    /// A value of it as TOML, for people.
    pub fn shown(&self, value: &Value) -> String {
        match self.secrecy {
            Secrecy::Open => value.to_string(),
            Secrecy::Address => host_only(value.as_str().unwrap_or_default()),
            Secrecy::Secret => Secret::MASK.to_owned(),
        }
    }
}

/// `https://ada:secret@ntfy.sh/topic` → `https://ntfy.sh/…`: whoever knows the rest can read along or write.
fn host_only(address: &str) -> String {
    let Some((scheme, rest)) = address.trim().split_once("://") else { return "\"\"".to_owned() };
    let host = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let host = host.rsplit('@').next().unwrap_or_default();
    if rest.len() > host.len() { format!("{scheme}://{host}/…") } else { format!("{scheme}://{host}") }
}

fn list(texts: &[String]) -> Value {
    Value::Array(texts.iter().cloned().map(Value::String).collect())
}

/// A list as it is written in a file: `["a", "b"]`.
fn whole_list(text: &str) -> Option<Value> {
    let table: toml::Table = format!("list = {text}").parse().ok()?;
    table.get("list").filter(|value| value.is_array() && table.len() == 1).cloned()
}

/// A value for a message: its kind, and itself where it is short.
pub(crate) fn described(value: &Value) -> String {
    match value {
        Value::String(text) => format!("the text `{}`", shown(text)),
        Value::Integer(number) => format!("the number {number}"),
        Value::Float(number) => format!("the number {number}"),
        Value::Boolean(switch) => format!("`{switch}`"),
        Value::Datetime(_) => "a date".to_owned(),
        Value::Array(_) => "a list".to_owned(),
        Value::Table(_) => "a table".to_owned(),
    }
}

/// The key of this name, or a sentence that says which was meant.
pub(super) fn known(name: &str) -> Result<&'static KeyInfo, String> {
    if let Some(why) = never_saved(name) {
        return Err(format!("`{}`: {why}", shown(name)));
    }
    KEYS.iter().find(|key| key.name == name).ok_or_else(|| match suggestion(name) {
        Some(meant) => format!("unknown key `{}`; did you mean `{meant}`?", shown(name)),
        None => format!("unknown key `{}`", shown(name)),
    })
}

/// The key that is spelt alike, or has the same last word in another table.
fn suggestion(name: &str) -> Option<&'static str> {
    let last = |name: &'static str| name.rsplit('.').next().unwrap_or(name);
    let typed = name.rsplit('.').next().unwrap_or(name);
    let names = || KEYS.iter().map(|key| key.name);
    names().find(|known| last(known) == typed).or_else(|| nearest(name, names())).or_else(|| {
        nearest(typed, names().map(last)).and_then(|near| names().find(|known| last(known) == near))
    })
}

/// Why a key of this name may never be saved, where that is so.
fn never_saved(name: &str) -> Option<&'static str> {
    match name.rsplit('.').next()? {
        "skip_permissions" | "dangerously_skip_permissions" => Some(
            "skipping permissions is never saved; give `--dangerously-skip-permissions` on the command line each time",
        ),
        "unlimited" => {
            Some("a run without limits is never saved; give `--unlimited` on the command line each time")
        }
        _ => None,
    }
}
