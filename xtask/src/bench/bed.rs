//! Where things are measured: scratch folders on the disk that the project is built on, and the programs.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use tempfile::TempDir;

use crate::program::{Failure, line_of};
use crate::workspace::Workspace;

/// Processor times in `/proc` are in hundredths of a second, on every Linux.
const TICK: Duration = Duration::from_millis(10);

/// The programs, and room for their work. All of it goes away in the end.
pub struct Bed {
    scratch: TempDir,
    windlass: PathBuf,
    agent: PathBuf,
    browser: PathBuf,
}

impl Bed {
    /// Scratch folders below the target directory: what is in memory costs nothing to sync.
    pub fn make(workspace: &Workspace, programs: &(PathBuf, PathBuf)) -> Result<Self, Failure> {
        let folder = workspace.target.join("bench");
        fs::create_dir_all(&folder).map_err(|error| Failure::at(&folder, error))?;
        let scratch = tempfile::Builder::new().prefix("scratch-").tempdir_in(&folder);
        let scratch = scratch.map_err(|error| Failure::at(&folder, error))?;
        spread(scratch.path());
        let browser = workspace.target.join("tools/browser/node_modules");
        Ok(Self { scratch, windlass: programs.0.clone(), agent: programs.1.clone(), browser })
    }

    /// What drives a browser.
    pub fn browser(&self) -> &Path {
        &self.browser
    }

    /// The released program.
    pub fn windlass(&self) -> &Path {
        &self.windlass
    }

    /// The bench agent.
    pub fn agent(&self) -> &Path {
        &self.agent
    }

    /// A new project with a state of its own. It stays until the end: on some file systems, making files is dear
    /// shortly after many were removed.
    pub fn ground(&self) -> Result<Ground<'_>, Failure> {
        let folder = tempfile::Builder::new().prefix("ground-").tempdir_in(self.scratch.path());
        let folder = folder.map_err(|error| Failure::at(self.scratch.path(), error))?.keep();
        for name in ["project", "home"] {
            let path = folder.join(name);
            fs::create_dir(&path).map_err(|error| Failure::at(&path, error))?;
        }
        Ok(Ground { bed: self, folder })
    }
}

/// Has ext4 put each folder in here elsewhere on the disk, as it does at a disk's top. For some minutes after files were removed, by
/// an earlier go or by a build, it looks at each of them whenever it makes one beside them: a gap took three times as long by that.
/// Other file systems know nothing of it.
fn spread(folder: &Path) {
    let mut chattr = Command::new("chattr");
    let _ = chattr.arg("+T").arg(folder).stdout(Stdio::null()).stderr(Stdio::null()).status();
}

/// A project, a home and a state that nobody else uses.
pub struct Ground<'bed> {
    bed: &'bed Bed,
    folder: PathBuf,
}

impl Ground<'_> {
    /// The working directory.
    pub fn project(&self) -> PathBuf {
        self.folder.join("project")
    }

    /// What Windlass keeps.
    pub fn state(&self) -> PathBuf {
        self.folder.join("state")
    }

    /// Another file.
    pub fn file(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    /// `windlass`, whose agent does `action`. Its environment holds nothing else.
    pub fn windlass(&self, action: &str) -> Command {
        let mut command = self.bare(&self.bed.windlass);
        command.env("WINDLASS_AGENT__COMMAND", &self.bed.agent).env("BENCH_ACTION", action);
        command
    }

    /// `windlass run` for so many iterations, one directly after the other.
    pub fn run(&self, action: &str, iterations: u32) -> Command {
        let mut command = self.windlass(action);
        command.args(["run", "-p", GOAL, "--no-delay", "--stagnation-threshold", "0", "-m"]);
        command.arg(iterations.to_string());
        command
    }

    /// Any program, in this project and with an environment of its own.
    pub fn bare(&self, program: &Path) -> Command {
        let mut command = Command::new(program);
        command
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", self.file("home"))
            .env("WINDLASS_STATE_DIR", self.state())
            .env("WINDLASS_CONFIG_DIR", self.file("home"))
            .env("GIT_CONFIG_NOSYSTEM", "1")
            // Where the target directory lies in a checkout, that is none of the project's.
            .env("GIT_CEILING_DIRECTORIES", &self.folder)
            .env("BENCH_ROWS", self.file("rows"))
            .current_dir(self.project())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        command
    }

    /// What the agents noted so far, in the order of their ends.
    pub fn calls(&self) -> Result<Vec<Call>, Failure> {
        let path = self.file("rows");
        let text = fs::read_to_string(&path).map_err(|error| Failure::at(&path, error))?;
        Ok(text.lines().filter_map(Call::parse).collect())
    }

    /// Forgets what the agents noted.
    pub fn forget_calls(&self) {
        // There may be none.
        let _ = fs::remove_file(self.file("rows"));
    }
}

/// The exit code of a run that has made all its iterations.
pub const LIMIT_REACHED: &[i32] = &[10];

/// What all runs here are for.
pub const GOAL: &str = "Make the numbers small";

/// One call of the agent, as it noted it.
#[derive(Clone, Copy, Debug)]
pub struct Call {
    began_ns: u128,
    ended_ns: u128,
    /// The processor time that it used itself.
    pub cpu: Duration,
    /// Resident memory of keeper and runner together, in kilobytes.
    pub memory_kb: u64,
}

impl Call {
    fn parse(line: &str) -> Option<Self> {
        let mut fields = line.split(' ');
        Some(Self {
            began_ns: fields.next()?.parse().ok()?,
            ended_ns: fields.next()?.parse().ok()?,
            cpu: Duration::from_nanos(fields.next()?.parse().ok()?),
            memory_kb: fields.next()?.parse().ok()?,
        })
    }

    /// Milliseconds from this call's end to the next one's beginning.
    pub fn gap_ms(&self, next: &Self) -> f64 {
        (next.began_ns.saturating_sub(self.ended_ns)) as f64 / 1e6
    }
}

/// What a program took.
#[derive(Clone, Copy, Debug)]
pub struct Spent {
    /// Time.
    pub wall: Duration,
    /// Processor time, that of all its descendants included.
    pub cpu: Duration,
    /// The most memory it ever held itself, in kilobytes; 0 where nobody looked.
    pub peak_kb: u64,
    /// The most that was not pages of programs and libraries, as it was seen.
    pub own_peak_kb: u64,
}

/// Runs a program to its end, which must be one of these exit codes.
pub fn measured(command: &mut Command, codes: &[i32]) -> Result<Spent, Failure> {
    let (before, began) = (children_cpu()?, Instant::now());
    let status = spawn(command)?.wait().map_err(|error| failed(command, error))?;
    let wall = began.elapsed();
    expect(command, status, codes)?;
    Ok(Spent { wall, cpu: children_cpu()?.saturating_sub(before), peak_kb: 0, own_peak_kb: 0 })
}

/// The same with a look at its memory every few milliseconds.
pub fn watched(command: &mut Command, codes: &[i32]) -> Result<Spent, Failure> {
    let (before, began) = (children_cpu()?, Instant::now());
    let mut child = spawn(command)?;
    let (mut peak_kb, mut own_peak_kb) = (0, 0);
    let status = loop {
        let [most, own] = memory_of(child.id());
        (peak_kb, own_peak_kb) = (most.max(peak_kb), own.max(own_peak_kb));
        match child.try_wait().map_err(|error| failed(command, error))? {
            Some(status) => break status,
            None => sleep(Duration::from_millis(3)),
        }
    };
    let wall = began.elapsed();
    expect(command, status, codes)?;
    Ok(Spent { wall, cpu: children_cpu()?.saturating_sub(before), peak_kb, own_peak_kb })
}

/// Starts it.
pub fn spawn(command: &mut Command) -> Result<Child, Failure> {
    command.spawn().map_err(|error| failed(command, error))
}

fn failed(command: &Command, error: impl std::fmt::Display) -> Failure {
    Failure(format!("{}: {error}", line_of(command)))
}

fn expect(command: &Command, status: ExitStatus, codes: &[i32]) -> Result<(), Failure> {
    if status.code().is_some_and(|code| codes.contains(&code)) {
        return Ok(());
    }
    Err(Failure(format!("`{}` ended unexpectedly ({status})", line_of(command))))
}

/// The processor time of all our children that ended, and of theirs.
fn children_cpu() -> Result<Duration, Failure> {
    let path = Path::new("/proc/self/stat");
    let stat = fs::read_to_string(path).map_err(|error| Failure::at(path, error))?;
    let fields: Vec<&str> = stat.rsplit(") ").next().unwrap_or_default().split(' ').collect();
    let ticks = |index: usize| fields.get(index).and_then(|field| field.parse::<u32>().ok());
    match (ticks(13), ticks(14)) {
        (Some(user), Some(system)) => Ok(TICK * (user + system)),
        _ => Err(Failure::at(path, "holds no times")),
    }
}

/// The most memory that a process ever held, and what of that is not pages of files now, in kilobytes.
fn memory_of(process: u32) -> [u64; 2] {
    let status = fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    ["VmHWM:", "RssAnon:"].map(|name| {
        let line = status.lines().find_map(|line| line.strip_prefix(name));
        let number = line.and_then(|line| line.trim().trim_end_matches(" kB").trim().parse().ok());
        number.unwrap_or(0)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gap_lies_between_an_end_and_the_next_beginning() {
        let [first, next] =
            ["1000000 3000000 500 2048", "5500000 6000000 700 2050"].map(|line| Call::parse(line).unwrap());
        assert!((first.gap_ms(&next) - 2.5).abs() < 1e-9);
        assert_eq!((first.cpu, next.memory_kb), (Duration::from_nanos(500), 2050));
        assert!(Call::parse("1 2 3").is_none());
    }
}
