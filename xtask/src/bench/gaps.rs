//! What lies between two agents.

use std::fs;
use std::path::Path;
use std::time::Duration;

use super::bed::{Bed, Call, Ground, LIMIT_REACHED, Spent, measured};
use super::numbers::{median, ms, quantile};
use super::table::Row;
use crate::program::{Failure, run};

/// Others on the machine make everything longer, processor time too, and nothing makes it shorter: the least counts.
const ROUNDS: usize = 3;

/// Start-up and shut-down are in a short run as much as in a long one.
const SHORT: u32 = 20;

/// Milliseconds.
struct Gap {
    /// The median.
    wall: f64,
    /// What a tenth of them stays below: less disturbed by others.
    best: f64,
    cpu: f64,
}

impl Gap {
    const fn worst() -> Self {
        Self { wall: f64::INFINITY, best: f64::INFINITY, cpu: f64::INFINITY }
    }

    /// The least of what was known and one more round.
    fn take(&mut self, calls: &[Call], spent: Spent) {
        let gaps = gaps_of(calls);
        self.wall = self.wall.min(median(gaps.clone()));
        self.best = self.best.min(quantile(gaps, 0.1));
        self.cpu = self.cpu.min(ms(spent.cpu.saturating_sub(agents_cpu(calls))));
    }

    fn wall_text(&self) -> String {
        format!("{:.1} ms (best tenth {:.1})", self.wall, self.best)
    }
}

/// The gap without git.
pub fn outside_git(bed: &Bed) -> Result<Vec<Row>, Failure> {
    let ground = bed.ground()?;
    let ours = gap(&ground, "", 220)?;
    let floor = |floor| floor_gap(bed, floor);
    let (bare, synced, files) = (floor(Floor::Bare)?, floor(Floor::Synced)?, floor(Floor::Files)?);
    let floors = |of: fn(&Gap) -> f64| {
        format!("{:.1} ms; synced {:.1} ms; with files, too, {:.1} ms", of(&bare), of(&synced), of(&files))
    };
    let ratio = ours.wall / synced.wall;
    Ok(vec![
        Row::new("gap between two agents, outside git: wall", ours.wall_text(), "3 ms", ours.wall <= 3.0)
            .beside(floors(|gap| gap.wall)),
        Row::new(
            "gap between two agents, outside git: CPU",
            format!("{:.1} ms", ours.cpu),
            "1.5 ms",
            ours.cpu <= 1.5,
        )
        .beside(floors(|gap| gap.cpu)),
        Row::new(
            "the same beside the least loop that syncs",
            format!("{ratio:.1} times"),
            "2 times",
            ratio <= 2.0,
        )
        .beside(format!("synced {:.1} ms", synced.wall)),
    ])
}

/// What the gap in a small repository may be, in milliseconds, where the least loop that syncs its state takes the second.
const SMALL: (f64, f64) = (4.0, 1.1);

/// The gap in a repository of one file, which no iteration changes.
pub fn in_a_small_repository(bed: &Bed) -> Result<Vec<Row>, Failure> {
    let ground = bed.ground()?;
    let file = ground.project().join("file.txt");
    fs::write(&file, "One line.\n").map_err(|error| Failure::at(&file, error))?;
    commit_all(&ground)?;
    let ours = gap(&ground, "", 100)?;
    let synced = floor_gap(bed, Floor::Synced)?;
    let ratio = ours.wall / synced.wall;
    let holds = ours.wall <= SMALL.0 || ratio <= SMALL.0 / SMALL.1;
    let aim = format!("{} ms, or {:.1} times the floor", SMALL.0, SMALL.0 / SMALL.1);
    Ok(vec![
        Row::new("the same in git, one file: wall", ours.wall_text(), &aim, holds)
            .beside(format!("the least loop that syncs {:.1} ms: {ratio:.1} times", synced.wall)),
        Row::told("the same in git, one file: CPU", format!("{:.1} ms", ours.cpu)),
    ])
}

/// The gap with a snapshot in a repository of 1,000 files, of which each iteration changes one.
pub fn in_a_repository(bed: &Bed) -> Result<Vec<Row>, Failure> {
    let ground = bed.ground()?;
    make_repository(&ground)?;
    let changed = ground.project().join("folder-7/file-7.txt");
    let action = format!("change {}", changed.display());
    let ours = gap(&ground, &action, 100)?;
    let git = git_alone(&ground)?;
    Ok(vec![
        Row::new(
            "the same with a snapshot, 1,000 files in git: wall",
            ours.wall_text(),
            "15 ms",
            ours.wall <= 15.0,
        )
        .beside(format!("`git ls-files` alone {git:.1} ms")),
        Row::told("the same with a snapshot, 1,000 files in git: CPU", format!("{:.1} ms", ours.cpu)),
    ])
}

/// How long the runs are whose late gaps are compared with their early ones.
const LONG: u32 = 1000;

/// A machine that has become slower or quicker during a run of seconds says nothing of what grows: the middle one of these runs
/// counts.
const LONG_RUNS: usize = 5;

/// Runs of a thousand iterations.
pub fn flatness(bed: &Bed) -> Result<Vec<Row>, Failure> {
    let ground = bed.ground()?;
    let mut changes = Vec::new();
    let mut growth = 0.0_f64;
    for _ in 0..LONG_RUNS {
        ground.forget_calls();
        measured(ground.run("", LONG).arg("-q"), LIMIT_REACHED)?;
        let calls = ground.calls()?;
        changes.push(change_of(&gaps_of(&calls)));
        let memory = |index: usize| calls.get(index).map_or(0.0, |call| call.memory_kb as f64 / 1000.0);
        growth = growth.max(memory(calls.len().saturating_sub(1)) - memory(10));
    }
    let journal = journal_bytes(&ground.state())? / (u64::from(LONG) * LONG_RUNS as u64);
    let (least, change, most) =
        (quantile(changes.clone(), 0.0), median(changes.clone()), quantile(changes, 1.0));
    Ok(vec![
        Row::new(
            "iteration 10 to 1,000: gap",
            format!("{change:+.0} % ({LONG_RUNS} runs: {least:+.0} to {most:+.0} %)"),
            "±10 %",
            change.abs() <= 10.0,
        ),
        Row::new("iteration 10 to 1,000: memory", format!("{growth:+.1} MB"), "±2 MB", growth.abs() <= 2.0),
        Row::new("journal per iteration", format!("{journal} B"), "2,000 B", journal <= 2000),
    ])
}

/// By how many per cent late gaps are longer than early ones. The quickest tenth of both: what others do to the machine comes
/// and goes, what grows is in every gap.
fn change_of(gaps: &[f64]) -> f64 {
    let early = quantile(gaps.iter().skip(10).take(200).copied().collect(), 0.1);
    let late = quantile(gaps.iter().rev().take(200).copied().collect(), 0.1);
    (late / early - 1.0) * 100.0
}

/// Long runs and short ones: what the long ones took more, per iteration, without what the agents took.
fn gap(ground: &Ground<'_>, action: &str, iterations: u32) -> Result<Gap, Failure> {
    // The first run of a project keeps the whole tree; later ones only what changes.
    measured(ground.run(action, 2).arg("-q"), LIMIT_REACHED)?;
    let (mut short, mut long) = (Gap::worst(), Gap::worst());
    for _ in 0..ROUNDS {
        for (least, count) in [(&mut short, SHORT), (&mut long, iterations)] {
            ground.forget_calls();
            let spent = measured(ground.run(action, count).arg("-q"), LIMIT_REACHED)?;
            least.take(&ground.calls()?, spent);
        }
    }
    let cpu = (long.cpu - short.cpu) / f64::from(iterations - SHORT);
    Ok(Gap { cpu, ..long })
}

/// What the smallest loop that calls the agent keeps.
#[derive(Clone, Copy)]
enum Floor {
    /// Nothing.
    Bare,
    /// A journal, synced before and after each call.
    Synced,
    /// The same, and so many folders and files for each call as Windlass makes.
    Files,
}

fn floor_gap(bed: &Bed, floor: Floor) -> Result<Gap, Failure> {
    const COUNT: u32 = 300;
    let mut least = Gap::worst();
    for _ in 0..ROUNDS {
        let ground = bed.ground()?;
        let mut command = ground.bare(bed.agent());
        command.args(["floor", &COUNT.to_string()]);
        match floor {
            Floor::Bare => {}
            Floor::Synced => drop(command.arg(ground.file("record"))),
            Floor::Files => drop(command.arg(ground.file("record")).arg("4")),
        }
        let spent = measured(&mut command, &[0])?;
        least.take(&ground.calls()?, spent);
    }
    Ok(Gap { cpu: least.cpu / f64::from(COUNT), ..least })
}

fn gaps_of(calls: &[Call]) -> Vec<f64> {
    calls.iter().zip(calls.iter().skip(1)).map(|(call, next)| call.gap_ms(next)).collect()
}

fn agents_cpu(calls: &[Call]) -> Duration {
    calls.iter().map(|call| call.cpu).sum()
}

/// A repository of 1,000 files of 2 kB in 20 folders, committed.
pub(super) fn make_repository(ground: &Ground<'_>) -> Result<(), Failure> {
    for number in 0..1000 {
        let folder = ground.project().join(format!("folder-{}", number / 50));
        let file = folder.join(format!("file-{}.txt", number % 50));
        let text = format!("This is line number {number} of a file of two kilobytes.\n").repeat(40);
        let written = fs::create_dir_all(&folder).and_then(|()| fs::write(&file, text));
        written.map_err(|error| Failure::at(&file, error))?;
    }
    commit_all(ground)
}

/// Makes a repository of what is there.
fn commit_all(ground: &Ground<'_>) -> Result<(), Failure> {
    for arguments in [&["init", "-q"][..], &["add", "."], &["commit", "-qm", "Begin"]] {
        run(git(ground).args(["-c", "user.name=Bench", "-c", "user.email=bench@localhost"]).args(arguments))?;
    }
    Ok(())
}

fn git(ground: &Ground<'_>) -> std::process::Command {
    ground.bare(Path::new("git"))
}

fn git_alone(ground: &Ground<'_>) -> Result<f64, Failure> {
    let mut walls = Vec::new();
    for _ in 0..20 {
        let arguments = ["ls-files", "-z", "--cached", "--others", "--exclude-standard"];
        walls.push(ms(measured(git(ground).args(arguments), &[0])?.wall));
    }
    Ok(median(walls))
}

fn journal_bytes(folder: &Path) -> Result<u64, Failure> {
    let mut bytes = 0;
    for entry in fs::read_dir(folder).map_err(|error| Failure::at(folder, error))? {
        let path = entry.map_err(|error| Failure::at(folder, error))?.path();
        if path.is_dir() {
            bytes += journal_bytes(&path)?;
        } else if path.ends_with("journal.jsonl") {
            bytes += path.metadata().map_or(0, |metadata| metadata.len());
        }
    }
    Ok(bytes)
}
