//! Flags as a layer of configuration: the one that wins.

use std::path::Path;

use windlass_core::config::{ConfigError, Key, Layer, Setting, keys};

use crate::args::{
    InitArgs, IssuesArgs, JudgeArgs, LimitArgs, OutputArgs, PullRequestArgs, ResumeArgs, RunArgs, WorkArgs,
};
use windlass_app::AppError;
use windlass_app::passthrough;

/// The flags of `run`.
///
/// # Errors
/// Values that are wrong: all of them. Arguments for the agent that are windlass's own business.
pub fn run(args: &RunArgs) -> Result<Layer, AppError> {
    let mut flags = Flags::default();
    flags.text(&keys::NOTES_FILE, "--notes-file", args.notes_file.as_ref());
    flags.text(&keys::PRINCIPLES_FILE, "--principles-file", args.principles_file.as_ref());
    flags.switch(&keys::PRINCIPLES_COLLECT, "--collect-principles", "agent", args.collect_principles);
    flags.text(&keys::COMPLETION_SIGNAL, "--completion-signal", args.completion_signal.as_ref());
    flags.text(&keys::COMPLETION_THRESHOLD, "--completion-threshold", args.completion_threshold.as_ref());
    flags.switch(&keys::TRUST_EXISTING_STATUS, "--trust-existing-status", "true", args.trust_existing_status);
    flags.switch(&keys::TODO_FALLBACK, "--todo-fallback", "true", args.todo_fallback);
    if matches!(args.mode.as_deref(), Some("plan" | "build")) {
        flags.plan(args.file.as_deref());
    }
    flags.issues(&args.issues.which);
    flags.switch(&keys::SOURCE_CLOSE_ISSUES, "--close-issues", "true", args.issues.close_issues);
    flags.work(&args.work)?;
    Ok(flags.finish()?)
}

/// The flags of `tasks` that say whose issues are meant.
///
/// # Errors
/// Values that are wrong.
pub fn issues(args: &IssuesArgs) -> Result<Layer, AppError> {
    let mut flags = Flags::default();
    flags.issues(args);
    Ok(flags.finish()?)
}

/// The flags of `pipeline`.
///
/// # Errors
/// The same as of `run`.
pub fn work(args: &WorkArgs) -> Result<Layer, AppError> {
    let mut flags = Flags::default();
    flags.work(args)?;
    Ok(flags.finish()?)
}

/// The flags of `resume`.
pub fn resume(args: &ResumeArgs) -> Result<Layer, AppError> {
    let mut flags = Flags::default();
    flags.limits(&args.limits);
    flags.output(&args.output);
    flags.text(&keys::MODEL, "--model", args.model.as_ref());
    flags.text(&keys::DELAY, "--delay", args.delay.as_ref());
    flags.switch(&keys::DELAY, "--no-delay", "0", args.no_delay);
    Ok(flags.finish()?)
}

/// `--model` alone: the flags of a session.
pub fn model(model: Option<&String>) -> Result<Layer, AppError> {
    let mut flags = Flags::default();
    flags.text(&keys::MODEL, "--model", model);
    Ok(flags.finish()?)
}

/// The flags of `validate` and `verify`.
pub fn judge(args: &JudgeArgs, depth: Option<&String>) -> Result<Layer, AppError> {
    let mut flags = Flags::default();
    flags.text(&keys::MODEL, "--model", args.model.as_ref());
    flags.text(&keys::VERIFY_DEPTH, "--depth", depth);
    Ok(flags.finish()?)
}

/// The options of `init`.
pub fn options(args: &InitArgs) -> Result<Layer, AppError> {
    let mut flags = Flags::default();
    flags.text(&keys::MAX_ITERATIONS, "--max-iterations", args.max_iterations.as_ref());
    flags.text(&keys::DELAY, "--delay", args.delay.as_ref());
    flags.text(&keys::STAGNATION_THRESHOLD, "--stagnation-threshold", args.stagnation_threshold.as_ref());
    flags.text(&keys::NOTIFY_URL, "--notify-url", args.notify_url.as_ref());
    if let Some(text) = &args.notify_events {
        let names: Vec<String> = text.split(',').map(|name| name.trim().to_owned()).collect();
        flags.list(&keys::NOTIFY_EVENTS, "--notify-events", &names);
    }
    Ok(flags.finish()?)
}

/// The flags of `demo`.
pub fn output(args: &OutputArgs) -> Result<Layer, AppError> {
    let mut flags = Flags::default();
    flags.output(args);
    Ok(flags.finish()?)
}

/// A layer being filled; what is wrong is collected, so that it is said at once.
#[derive(Default)]
struct Flags {
    layer: Layer,
    problems: Vec<String>,
}

impl Flags {
    /// The plan that is named: a file, or a folder with an index, and then nothing else is the plan.
    fn plan(&mut self, place: Option<&Path>) {
        let Some(place) = place else { return };
        // outside: a plan that a person named, seen from where they are.
        let is_folder = place.join("README.md").is_file();
        let text = place.display().to_string();
        let text = text.trim_end_matches('/').to_owned();
        let (file, folder) = if is_folder { (None, text) } else { (Some(text), String::new()) };
        self.text(&keys::PLAN_FILE, "-f", file.as_ref());
        self.text(&keys::PLAN_FOLDER, "-f", Some(&folder));
    }

    fn issues(&mut self, args: &IssuesArgs) {
        self.text(&keys::SOURCE_REPOSITORY, "--source", args.issues.as_ref());
        self.list(&keys::SOURCE_LABELS, "--label", &args.labels);
        self.text(&keys::SOURCE_MILESTONE, "--milestone", args.milestone.as_ref());
        self.text(&keys::SOURCE_ASSIGNEE, "--assignee", args.assignee.as_ref());
        self.switch(&keys::SOURCE_TRUST_AUTHORS, "--trust-authors", "true", args.trust_authors);
    }

    fn work(&mut self, args: &WorkArgs) -> Result<(), AppError> {
        self.limits(&args.limits);
        self.output(&args.output);
        self.list(&keys::GATES, "--gate", &args.gates);
        self.list(&keys::UNTIL, "--until", &args.until);
        self.text(&keys::DELAY, "--delay", args.delay.as_ref());
        self.switch(&keys::DELAY, "--no-delay", "0", args.no_delay);
        self.text(&keys::LANES, "-j", args.lanes.as_ref());
        self.text(&keys::WORKTREE_BASE, "--worktree-base-dir", args.worktree_base.as_ref());
        self.text(&keys::COMMIT, "--commit", args.commit.as_ref());
        self.pull_request(&args.pull_request);
        self.text(&keys::SANDBOX_KIND, "--sandbox", args.sandbox.as_ref());
        self.text(&keys::SANDBOX_NETWORK, "--network", args.network.as_ref());
        self.text(&keys::MODEL, "--model", args.model.as_ref());
        self.text(&keys::MAX_TURNS, "--max-turns", args.max_turns.as_ref());
        self.review(args);
        self.switch(&keys::COUNCIL_LOG, "--log-decisions", "true", args.log_decisions);
        self.list(&keys::ADD_DIRS, "--add-dir", &args.add_dirs);
        let agent_arguments = passthrough::texts(&args.agent_arguments)?;
        self.list(&keys::ARGUMENTS, "--", &agent_arguments);
        Ok(())
    }

    fn pull_request(&mut self, args: &PullRequestArgs) {
        self.switch(&keys::COMMIT, "--disable-commits", "none", args.disable_commits);
        self.text(&keys::PULL_REQUEST_BRANCH_PREFIX, "--branch-prefix", args.branch_prefix.as_ref());
        self.switch(&keys::PULL_REQUEST_BRANCH_PREFIX, "--disable-branches", "", args.disable_branches);
        self.switch(&keys::PULL_REQUEST_OPEN, "--pr", "draft", args.pr);
        self.switch(&keys::PULL_REQUEST_OPEN, "--pr-ready", "ready", args.pr_ready);
        self.switch(&keys::PULL_REQUEST_OPEN, "--merge", "ready", args.merge);
        self.switch(&keys::PULL_REQUEST_MERGE, "--merge", "true", args.merge);
        self.text(&keys::PULL_REQUEST_PER, "--pr-per", args.pr_per.as_ref());
        self.text(&keys::PULL_REQUEST_MERGE_STRATEGY, "--merge-strategy", args.merge_strategy.as_ref());
        self.text(&keys::PULL_REQUEST_CI_RETRIES, "--ci-retry-max", args.ci_retry_max.as_ref());
        self.switch(&keys::PULL_REQUEST_CI_RETRIES, "--disable-ci-retry", "0", args.disable_ci_retry);
        self.text(&keys::PULL_REQUEST_OWNER, "--owner", args.owner.as_ref());
        self.text(&keys::PULL_REQUEST_REPOSITORY, "--repo", args.repo.as_ref());
    }

    /// Whoever says how it is done wants it done.
    fn review(&mut self, args: &WorkArgs) {
        self.switch(&keys::REVIEW_ENABLED, "--review", "true", args.review);
        self.switch(&keys::REVIEW_ENABLED, "--review-prompt", "true", args.review_prompt.is_some());
        self.switch(&keys::REVIEW_ENABLED, "--review-model", "true", args.review_model.is_some());
        self.text(&keys::REVIEW_PROMPT, "--review-prompt", args.review_prompt.as_ref());
        self.text(&keys::REVIEW_MODEL, "--review-model", args.review_model.as_ref());
    }

    fn limits(&mut self, limits: &LimitArgs) {
        self.text(&keys::MAX_ITERATIONS, "--max-iterations", limits.max_iterations.as_ref());
        self.text(&keys::MAX_COST, "--max-cost", limits.max_cost.as_ref());
        self.text(&keys::BUDGET_SCOPE, "--budget-scope", limits.budget_scope.as_ref());
        self.text(&keys::MAX_TOKENS, "--max-tokens", limits.max_tokens.as_ref());
        self.text(&keys::MAX_DURATION, "--max-duration", limits.max_duration.as_ref());
        self.text(&keys::MAX_FAILURES, "--max-failures", limits.max_failures.as_ref());
        self.text(&keys::MAX_WAIT, "--max-wait", limits.max_wait.as_ref());
        let stagnation = limits.stagnation_threshold.as_ref();
        self.text(&keys::STAGNATION_THRESHOLD, "--stagnation-threshold", stagnation);
        self.switch(&keys::OVERAGE, "--allow-overage", "true", limits.allow_overage);
    }

    fn output(&mut self, output: &OutputArgs) {
        self.text(&keys::LEVEL, "--output", output.output.as_ref());
        self.switch(&keys::LEVEL, "--quiet", "quiet", output.quiet);
        self.switch(&keys::LEVEL, "--verbose", "verbose", output.verbose);
        self.text(&keys::EXIT_CODES, "--exit-codes", output.exit_codes.as_ref());
    }

    fn text<T: Setting>(&mut self, key: &Key<T>, flag: &str, text: Option<&String>) {
        if let Some(text) = text {
            let result = self.layer.flag(key, flag, text);
            self.note(result);
        }
    }

    fn switch<T: Setting>(&mut self, key: &Key<T>, flag: &str, means: &str, given: bool) {
        self.text(key, flag, given.then(|| means.to_owned()).as_ref());
    }

    fn list<T: Setting>(&mut self, key: &Key<T>, flag: &str, texts: &[String]) {
        let result = self.layer.flag_list(key, flag, texts);
        self.note(result);
    }

    fn note(&mut self, result: Result<(), ConfigError>) {
        if let Err(error) = result {
            self.problems.extend(error.problems);
        }
    }

    fn finish(self) -> Result<Layer, ConfigError> {
        if self.problems.is_empty() { Ok(self.layer) } else { Err(ConfigError { problems: self.problems }) }
    }
}
