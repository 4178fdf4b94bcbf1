//! What lanes are good for: forty tasks, one after another and eight at once.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use super::bed::{Bed, Ground, Spent, watched};
use super::gaps::make_repository;
use super::table::Row;
use crate::program::{Failure, run};

/// So many tasks.
pub const TASKS: u32 = 40;

/// So many lanes.
pub const LANES: u32 = 8;

/// How long the agent of one task sleeps. Real ones take minutes, so the factor here is less than theirs will be: what is
/// done beside the agents takes the same time however long they sleep.
pub const SLEEP: Duration = Duration::from_secs(3);

/// Forty tasks whose agents sleep, in a repository of 1,000 files: their work is merged, and checked on the merged tree.
pub fn speed_up(bed: &Bed) -> Result<Vec<Row>, Failure> {
    let one = worked_off(bed, 1)?;
    let many = worked_off(bed, LANES)?;
    let factor = one.wall.as_secs_f64() / many.wall.as_secs_f64();
    let asleep = SLEEP.as_secs_f64() * f64::from(TASKS);
    let text = |lanes: u32, spent: Spent| {
        let cpu = spent.cpu.as_secs_f64() / f64::from(TASKS) * 1000.0;
        let waiting = asleep / f64::from(lanes);
        format!("{:.1} s ({cpu:.0} ms of CPU a task; {waiting:.0} s of it sleep)", spent.wall.as_secs_f64())
    };
    Ok(vec![
        Row::new(
            format!("{TASKS} tasks, agents sleep {} s: {LANES} lanes", SLEEP.as_secs()),
            format!("{factor:.1} times as fast as one"),
            "4 times",
            factor >= 4.0,
        )
        .beside(format!("no work but sleep: {LANES} times")),
        Row::told("the same: one lane", text(1, one)),
        Row::told(format!("the same: {LANES} lanes"), text(LANES, many)),
    ])
}

/// Tasks of which each writes a file of its own.
#[derive(Clone, Copy)]
pub struct Plan {
    /// So many.
    pub tasks: u32,
    /// How long the agent of each sleeps.
    pub asleep: Duration,
    /// Which of them can be worked on at once.
    pub order: TaskOrder,
    /// Where they are worked on.
    pub repository: Repository,
}

/// Which tasks can be worked on at once.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum TaskOrder {
    /// All.
    Any,
    /// One: each depends on the one before it.
    Chain,
}

/// How large a repository is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Repository {
    /// 1,000 files.
    Usual,
    /// The tasks and nothing else.
    Small,
}

/// Forty tasks whose agents sleep.
pub const USUAL: Plan =
    Plan { tasks: TASKS, asleep: SLEEP, order: TaskOrder::Any, repository: Repository::Usual };

/// A run of all tasks, which must be done and landed in the end.
pub fn worked_off(bed: &Bed, lanes: u32) -> Result<Spent, Failure> {
    let ground = planned(bed, &USUAL)?;
    let spent = watched(&mut run_of(bed.windlass(), &ground, lanes), &[0])?;
    landed(&ground, &USUAL)?;
    Ok(spent)
}

/// A repository with tasks.
pub fn planned<'bed>(bed: &'bed Bed, plan: &Plan) -> Result<Ground<'bed>, Failure> {
    let ground = bed.ground()?;
    if plan.repository == Repository::Usual {
        make_repository(&ground)?;
    }
    let steps = format!(
        "[[call]]\nsteps = [{{ sleep = \"{}ms\" }}, {{ write = {{ path = \"work/{{{{task}}}}\", text = \"done\" }} }}, \"tick_task\"]\n",
        plan.asleep.as_millis()
    );
    write(&ground.file("script.toml"), &steps)?;
    let tasks = (1..=plan.tasks).map(|number| heading(number, plan.order)).collect::<Vec<_>>().join("\n");
    write(&ground.project().join("tasks.md"), &format!("# Tasks\n\n{tasks}"))?;
    for arguments in [
        &["init", "-q"][..],
        &["config", "user.name", "Bench"],
        &["config", "user.email", "bench@localhost"],
        &["add", "."],
        &["commit", "-qm", "Plan the tasks"],
    ] {
        run(git(&ground).args(arguments))?;
    }
    Ok(ground)
}

fn heading(number: u32, order: TaskOrder) -> String {
    let task = format!("### TASK-{number:03}: Write file {number}\n- **Status**: pending\n");
    if order == TaskOrder::Any || number == 1 {
        return task;
    }
    format!("{task}- **Dependencies**: TASK-{:03}\n", number - 1)
}

/// Works them off.
pub fn run_of(windlass: &Path, ground: &Ground<'_>, lanes: u32) -> Command {
    let mut command = ground.bare(windlass);
    command.arg("run").arg(format!("--mock={}", ground.file("script.toml").display()));
    command.args(["--mode", "tasks", "--no-delay", "-q", "--gate", "test -f tasks.md"]);
    command.args(["-j", &lanes.to_string()]);
    command
}

/// Are all of them done?
pub fn landed(ground: &Ground<'_>, plan: &Plan) -> Result<(), Failure> {
    let landed = fs::read_dir(ground.project().join("work")).map_or(0, Iterator::count);
    if landed != plan.tasks as usize {
        return Err(Failure(format!("{landed} of {} tasks landed", plan.tasks)));
    }
    Ok(())
}

fn git(ground: &Ground<'_>) -> Command {
    ground.bare(Path::new("git"))
}

fn write(path: &Path, text: &str) -> Result<(), Failure> {
    fs::write(path, text).map_err(|error| Failure::at(path, error))
}
