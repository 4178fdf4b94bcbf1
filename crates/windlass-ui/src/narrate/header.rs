//! What is said before a run begins: what runs, within which bounds, and what it may do.

use windlass_agents::{Ability, git_reading, of};
use windlass_core::spec::{
    AgentSpec, CommitPolicy, Limits, Network, ReviewScope, ReviewSpec, RunSpec, SandboxKind, Specialist,
    Verification,
};
use windlass_core::values::{CheckKind, Cost, Named, Purpose, Spent};
use windlass_jobs::doc::report::Judged;
use windlass_jobs::job::{self, Completion};

use super::council;
use super::lines::labelled;
use crate::board::Board;
use crate::format;
use crate::harmless::one_line;
use crate::line::{Line, Mark, Tone};

/// Rules that are shown; the others are counted.
const SHOWN_RULES: usize = 8;

pub(super) fn started(board: &Board) -> Vec<Line> {
    let Some(plan) = &board.plan else { return Vec::new() };
    let mut lines = vec![
        Line::hanging(2).strong("windlass").dim(format!(" · {} · {}", plan.job.mode.name(), plan.run)),
        Line::hanging(2).plain("  ").strong(one_line(&plan.job.title)),
        Line::new(),
    ];
    lines.extend(workspace(plan));
    lines.extend(plan_file(plan));
    lines.extend(task_file(plan));
    lines.extend(lanes(plan));
    lines.extend([
        labelled("agent").plain(agents(plan)),
        labelled("in").plain(one_line(&plan.directory.to_string_lossy())),
        labelled("at most").plain(limits(&plan.limits)),
    ]);
    lines.extend(principles(plan));
    lines.extend(council::header(plan));
    lines.extend(sandbox(plan));
    lines.extend(permissions(plan));
    lines.push(labelled("done when").plain(completion(plan)));
    lines.extend(verification(plan));
    lines.extend(review(plan));
    lines.extend(checks(plan, CheckKind::Until, "until"));
    lines.extend(checks(plan, CheckKind::Gate, "gate"));
    lines.extend(criteria(plan));
    lines.push(labelled("commits").plain(commits(plan)));
    lines.extend(page(plan));
    lines.push(Line::new());
    lines
}

/// Where the run is looked at from elsewhere.
fn page(plan: &RunSpec) -> Option<Line> {
    plan.page.as_ref().map(|page| labelled("page").command(one_line(page)).unbroken())
}

pub(super) fn resumed(board: &Board) -> Vec<Line> {
    let Some(plan) = &board.plan else { return Vec::new() };
    let done = board.tally.total();
    let so_far = format!(
        "resumed after {}, {} spent",
        format::count(u64::from(done), "iteration"),
        // A call that was cut off may have spent all that it might.
        format::charged(board.spent().with(Spent::of(board.unsettled(), true), Cost::ZERO))
    );
    let mut lines = vec![
        Line::hanging(2)
            .strong("windlass")
            .dim(format!(" · {} · {} · ", plan.job.mode.name(), plan.run))
            .plain(so_far),
        Line::hanging(2).plain("  ").strong(one_line(&plan.job.title)),
        Line::new(),
    ];
    lines.extend(workspace(plan));
    lines.extend(task_file(plan));
    lines.extend(lanes(plan));
    lines.push(labelled("at most").plain(limits(&plan.limits)));
    lines.extend(sandbox(plan));
    lines.extend(permissions(plan));
    lines.extend(page(plan));
    lines.push(Line::new());
    lines
}

/// Where the plan is, and what it is made from.
fn plan_file(plan: &RunSpec) -> Option<Line> {
    let places = plan.job.plan.as_ref()?;
    let path = |path: &std::path::Path| one_line(&path.to_string_lossy());
    let folder = places.folder.as_ref().map(|folder| format!(", or {}/ where it is there", path(folder)));
    let specs = places.specs.as_ref().map(|specs| format!(" · from {}/", path(specs)));
    let dim = format!("{}{}", folder.unwrap_or_default(), specs.unwrap_or_default());
    Some(labelled("plan").plain(path(&places.file)).dim(dim))
}

/// Where the tasks are, and where each iteration is noted.
fn task_file(plan: &RunSpec) -> Option<Line> {
    let tasks = plan.job.tasks.as_ref()?;
    let path = |path: &std::path::Path| one_line(&path.to_string_lossy());
    let progress = tasks.progress.as_ref().map(|file| format!(" · noted in {}", path(file)));
    Some(labelled("tasks").plain(path(&tasks.file)).dim(progress.unwrap_or_default()))
}

/// How many tasks are worked on at once, and where what holds goes.
fn lanes(plan: &RunSpec) -> Option<Line> {
    let lanes = plan.lanes.as_ref()?;
    let branch = lanes.branch.as_ref().map(|name| one_line(name.strip_prefix("refs/heads/").unwrap_or(name)));
    let goal = branch.map_or_else(|| "here".to_owned(), |branch| format!("into {branch}"));
    let place = match &lanes.fleet {
        Some(fleet) => format!("on workers of the fleet {}", one_line(fleet)),
        None => "each in a clone of its own".to_owned(),
    };
    Some(
        labelled("lanes")
            .plain(format!("{} at once, {place}", lanes.count))
            .dim(format!(" · finished work is merged {goal}")),
    )
}

/// Its name, where it is, and where this session is logged.
fn workspace(plan: &RunSpec) -> Vec<Line> {
    let Some(workspace) = &plan.job.workspace else { return Vec::new() };
    let folder = workspace.folder.strip_prefix(&plan.directory).unwrap_or(&workspace.folder);
    let folder = one_line(&folder.to_string_lossy());
    let mut lines = vec![labelled("workspace").plain(one_line(&workspace.name)).dim(format!(" · {folder}"))];
    let log = workspace.log.as_ref().and_then(|log| log.file.as_ref());
    lines.extend(log.map(|log| labelled("log").plain(one_line(log))));
    lines
}

fn verification(plan: &RunSpec) -> Option<Line> {
    let Verification { depth, attempts } =
        plan.job.verification.filter(|_| job::of(plan.job.mode).judged == Judged::Work)?;
    let depth = depth.name();
    Some(labelled("verified").plain(if plan.job.mode.judges() {
        format!("{depth} depth")
    } else {
        let attempts = format::count(u64::from(attempts), "attempt");
        format!("by a fresh agent before it counts: {depth} depth, {attempts}")
    }))
}

fn review(plan: &RunSpec) -> Option<Line> {
    let ReviewSpec { model, skip_below_lines, scope, .. } = plan.review.as_ref()?;
    let model = model.as_ref().map(|model| format!(", model {}", one_line(model))).unwrap_or_default();
    let least = match skip_below_lines {
        0 => String::new(),
        lines => format!(", from {} on", format::count(u64::from(*lines), "changed line")),
    };
    let what = match scope {
        ReviewScope::EachIteration => "each iteration",
        ReviewScope::Criteria => "each task with success criteria to be judged",
    };
    Some(labelled("reviewed").plain(format!("by a fresh agent, {what}{model}{least}")))
}

/// Who works, and who takes over.
fn agents(plan: &RunSpec) -> String {
    let substitutes = plan.substitutes.iter().map(|substitute| format!("; then {}", agent(substitute)));
    let specialists = plan
        .specialists
        .iter()
        .map(|Specialist { purpose, agent: own }| format!("; {} by {}", calls_for(*purpose), agent(own)));
    let named = plan.named.iter().map(|own| format!("; tasks that name it by {}", agent(own)));
    agent(&plan.agent) + &substitutes.chain(specialists).chain(named).collect::<String>()
}

fn calls_for(purpose: Purpose) -> &'static str {
    match purpose {
        Purpose::Work | Purpose::Merge => "work",
        Purpose::Plan => "plans",
        Purpose::Review => "reviews",
        Purpose::Verify => "verifications",
        Purpose::Council => "decisions",
    }
}

fn agent(agent: &AgentSpec) -> String {
    let model =
        agent.model.as_ref().map_or("its own choice of model".to_owned(), |model| format!("model {model}"));
    // The scripted agent has no version.
    let name = if agent.version.is_empty() {
        agent.name.clone()
    } else {
        format!("{} {}", agent.name, agent.version)
    };
    one_line(&format!("{name}, {model}"))
}

/// `50 iterations, 12h, $5.00, 3 failures in a row, 3 iterations in a row without progress`.
fn limits(limits: &Limits) -> String {
    let counted = |number: u32, noun| format::count(u64::from(number), noun);
    let parts = [
        limits.iterations.map(|iterations| counted(iterations, "iteration")),
        limits.duration.map(format::bound),
        limits.cost.map(|limit| match format::money(limit) {
            whole if limits.spent_before.is_zero() => whole,
            whole => format!("{whole} with {} spent by other runs", format::money(limits.spent_before)),
        }),
        limits.tokens.map(|tokens| format!("{} tokens", format::amount(tokens))),
        Some(format!("{} in a row", counted(limits.failures, "failure"))),
        limits.stagnation.map(|idle| format!("{idle} in a row without progress")),
    ];
    parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

/// By which principles its agents decide.
fn principles(plan: &RunSpec) -> Option<Line> {
    let spec = plan.principles.as_ref()?;
    let file = one_line(&spec.file().to_string_lossy());
    let line = labelled("principles");
    Some(match spec.known() {
        Some(principles) => line.plain(principles.preset.name()).dim(format!(" · {file}")),
        None => line.plain("derived by the agent in the first iteration").dim(format!(" · {file}")),
    })
}

/// What locks in whatever the run starts, and the network that is seen from there.
fn sandbox(plan: &RunSpec) -> Option<Line> {
    let sandbox = &plan.sandbox;
    let image = match &sandbox.kind {
        SandboxKind::None => return None,
        SandboxKind::Docker(image) | SandboxKind::Podman(image) => image.as_deref(),
        SandboxKind::Landlock | SandboxKind::Bwrap => None,
    };
    let network = match &sandbox.network {
        Network::On => "with the network".to_owned(),
        Network::Off => "without network".to_owned(),
        Network::Hosts(hosts) => format!("reaching {}", one_line(&hosts.join(", "))),
    };
    let image = image.map(|image| format!(" ({})", one_line(image))).unwrap_or_default();
    Some(labelled("sandbox").plain(format!("{}{image}, {network}", sandbox.kind.name())))
}

fn permissions(plan: &RunSpec) -> Vec<Line> {
    let agent = &plan.agent;
    if agent.skip_permissions && plan.sandbox.is_on() {
        return vec![
            labelled("may do")
                .plain("anything, inside its sandbox")
                .dim(": whatever that does not let through fails"),
        ];
    }
    if agent.skip_permissions {
        return vec![
            labelled("may do")
                .mark(Tone::Bad, Mark::Notice)
                .tone(Tone::Bad, " anything at all")
                .plain(": permissions are skipped (--dangerously-skip-permissions)"),
        ];
    }
    let speaker = of(agent);
    if !speaker.about().can(Ability::KeepToRules) {
        return vec![held_by_sandbox(plan)];
    }
    let reading: Vec<String> = git_reading().iter().flat_map(|right| speaker.rules(right)).collect();
    let reads_git = reading.iter().all(|rule| agent.allow.contains(rule));
    let others: Vec<&String> =
        agent.allow.iter().filter(|rule| !(reads_git && reading.contains(rule))).collect();
    let shown: Vec<String> = others.iter().take(SHOWN_RULES).map(|rule| one_line(rule)).collect();
    let hidden = others.len().saturating_sub(SHOWN_RULES);
    // Whoever judges is given no tool that edits.
    let judges = plan.job.mode.judges();
    let mut text = if judges { "read files here" } else { "edit files here" }.to_owned();
    if reads_git {
        text.push_str(", look into git");
    }
    if !shown.is_empty() {
        text = format!("{text}; {}", shown.join(", "));
    }
    if hidden > 0 {
        text = format!("{text} and {hidden} more");
    }
    vec![labelled("may do").plain(text).dim("; anything else is refused and listed here")]
}

/// What an agent may do that knows no rules for single commands: its own sandbox holds it, or the one that it is locked into.
fn held_by_sandbox(plan: &RunSpec) -> Line {
    let product = of(&plan.agent).about().product;
    let edits = if plan.job.mode.judges() { "read files here" } else { "edit files here" };
    if plan.sandbox.is_on() {
        return labelled("may do")
            .plain("anything, inside its sandbox")
            .dim(": whatever that does not let through fails");
    }
    labelled("may do")
        .plain(format!("{edits}, run commands in {product}'s own sandbox"))
        .dim("; no commits, no network")
}

fn completion(plan: &RunSpec) -> String {
    let gated = plan.checks.iter().any(|check| check.kind == CheckKind::Gate);
    let until = plan.checks.iter().any(|check| check.kind == CheckKind::Until);
    let claim = if until {
        "every until command passes".to_owned()
    } else {
        match (job::of(plan.job.mode).complete_when)(&plan.job) {
            Completion::Whole(text) => return text,
            Completion::Claim(text) => text,
        }
    };
    match (gated, until) {
        (true, _) => format!("{claim} and every gate passes"),
        (false, true) => claim,
        (false, false) => format!("{claim}; no gate checks it (--gate CMD)"),
    }
}

/// How many success criteria of tasks are checked, and how; each is named where it does not hold.
fn criteria(plan: &RunSpec) -> Option<Line> {
    let criteria = plan.checks.iter().filter(|check| check.kind == CheckKind::Criterion);
    let (looked_up, run): (Vec<_>, Vec<_>) =
        criteria.partition(|check| check.criterion.as_ref().is_some_and(|of| of.lookup.is_some()));
    let judged = plan.review.as_ref().map_or(0, |review| review.criteria.len());
    let kinds = [(looked_up.len(), "looked up"), (run.len(), "run"), (judged, "judged by a fresh agent")];
    let words = kinds.iter().filter(|(count, _)| *count > 0).map(|(count, how)| format!("{count} {how}"));
    let words: Vec<String> = words.collect();
    (!words.is_empty()).then(|| labelled("criteria").plain(words.join(", ")))
}

fn checks(plan: &RunSpec, kind: CheckKind, label: &str) -> Vec<Line> {
    let of_kind = plan.checks.iter().filter(|check| check.kind == kind);
    of_kind.map(|check| labelled(label).command(one_line(&check.command))).collect()
}

fn commits(plan: &RunSpec) -> &'static str {
    match (plan.git, plan.commit) {
        (false, _) => "none: this is not a git repository; no snapshots either",
        (true, CommitPolicy::None) => "none; every iteration is kept as a snapshot",
        (true, CommitPolicy::Agent) => "the agent's own; every iteration is kept as a snapshot",
        (true, CommitPolicy::Runner) => "one per iteration with changes",
    }
}
