//! What `cargo xtask bench` puts in the place of Claude Code: as small as an agent can be, so that what is measured is
//! Windlass. It is also the floor: `bench-agent floor COUNT [FOLDER [FILES]]` is the smallest loop that runs it.
//!
//! Each call appends a row to the file `BENCH_ROWS`: when it began and ended (nanoseconds since 1970), the CPU time it
//! used itself (nanoseconds), and the resident memory of its parent and grandparent (kilobytes): keeper and runner.
//! `BENCH_ACTION` says what else it does.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufRead, BufReader, Read, Write};
use std::os::unix::process::parent_id;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// What an ordinary call says between its first event and its result: three texts of about 1 kB.
const TEXTS: usize = 3;

fn main() -> ExitCode {
    let began = now();
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let done = match arguments.first().map(String::as_str) {
        Some("--version") => say("2.1.330 (Claude Code)\n"),
        Some("auth") => say("{\"loggedIn\":true,\"authMethod\":\"oauth_token\"}\n"),
        Some("floor") => floor(arguments.get(1..).unwrap_or_default()),
        _ => call(began),
    };
    if done.is_ok() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn now() -> u128 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_nanos())
}

fn say(text: &str) -> io::Result<()> {
    io::stdout().write_all(text.as_bytes())
}

/// One call: reads its prompt, does its action, notes its row.
fn call(began: u128) -> io::Result<()> {
    io::stdin().read_to_end(&mut Vec::new())?;
    say(
        "{\"type\":\"system\",\"subtype\":\"init\",\"session_id\":\"s\",\"model\":\"bench\",\"claude_code_version\":\"2.1.330\",\"tools\":[]}\n",
    )?;
    let action = std::env::var("BENCH_ACTION").unwrap_or_default();
    let (action, value) = action.split_once(' ').unwrap_or((&action, ""));
    let number: usize = value.parse().unwrap_or(0);
    match action {
        "stream" => stream(number)?,
        "line" => line(number)?,
        "sleep" => sleep(Duration::from_secs(number as u64)),
        "rest" => sleep(Duration::from_millis(number as u64)),
        "pace" => pace(number)?,
        "tick" => tick(Path::new(value))?,
        "change" => fs::write(value, format!("changed at {began}\n"))?,
        _ => {}
    }
    let text = event(1000, false);
    for _ in 0..TEXTS {
        say(&text)?;
    }
    say(
        "{\"type\":\"result\",\"subtype\":\"success\",\"is_error\":false,\"num_turns\":1,\"result\":\"A step is done.\",\"total_cost_usd\":0.01,\"usage\":{\"input_tokens\":100,\"output_tokens\":20},\"terminal_reason\":\"completed\",\"permission_denials\":[]}\n",
    )?;
    note(began)
}

/// Events of about 1 kB, words and tools' answers by turns, as fast as they are taken.
fn stream(bytes: usize) -> io::Result<()> {
    let pair = event(1000, false) + &event(1000, true);
    let block = pair.repeat(64);
    for _ in 0..bytes / block.len() {
        say(&block)?;
    }
    // What watches the reader's memory looks every few milliseconds.
    sleep(Duration::from_millis(200));
    Ok(())
}

/// So many bytes a second for an hour, as events of about 1 kB, twenty times a second.
fn pace(bytes: usize) -> io::Result<()> {
    const BEATS: u32 = 20;
    let pair = event(1000, false) + &event(1000, true);
    let block = pair.repeat((bytes / BEATS as usize).div_ceil(pair.len()).max(1));
    let began = Instant::now();
    for beat in 1..3600 * BEATS {
        say(&block)?;
        sleep((Duration::from_secs(1) / BEATS * beat).saturating_sub(began.elapsed()));
    }
    Ok(())
}

/// Once the file is there: one letter after another, each twelve times. When each was said stands beside the file.
fn tick(file: &Path) -> io::Result<()> {
    while !file.exists() {
        sleep(Duration::from_millis(5));
    }
    let mut times = File::create(format!("{}.times", file.display()))?;
    for letter in ('A'..='Z').chain('a'..='z') {
        writeln!(times, "{}", now())?;
        let text = letter.to_string().repeat(12);
        say(&format!(
            "{{\"type\":\"assistant\",\"message\":{{\"role\":\"assistant\",\"content\":[{{\"type\":\"text\",\"text\":\"{text}\"}}]}},\"session_id\":\"s\"}}\n"
        ))?;
        // No multiple of the time between two looks of a view.
        sleep(Duration::from_millis(187));
    }
    sleep(Duration::from_secs(2));
    Ok(())
}

/// One line: a tool's answer of so many bytes.
fn line(bytes: usize) -> io::Result<()> {
    say(&event(bytes, true))?;
    sleep(Duration::from_millis(200));
    Ok(())
}

/// What the agent says, or what a tool answered, as a line of about so many bytes.
fn event(bytes: usize, is_answer: bool) -> String {
    const LINE: &str = "The quick brown fox jumps over the lazy dog, and 42 others follow it.\\n";
    let text = LINE.repeat(bytes.saturating_sub(160).div_ceil(LINE.len()));
    if is_answer {
        format!(
            "{{\"type\":\"user\",\"message\":{{\"role\":\"user\",\"content\":[{{\"type\":\"tool_result\",\"tool_use_id\":\"toolu_1\",\"content\":\"{text}\"}}]}},\"session_id\":\"s\"}}\n"
        )
    } else {
        format!(
            "{{\"type\":\"assistant\",\"message\":{{\"role\":\"assistant\",\"content\":[{{\"type\":\"text\",\"text\":\"{text}\"}}]}},\"session_id\":\"s\"}}\n"
        )
    }
}

fn note(began: u128) -> io::Result<()> {
    let Some(path) = std::env::var_os("BENCH_ROWS") else {
        return Ok(());
    };
    let mut rows = OpenOptions::new().create(true).append(true).open(path)?;
    let keeper = parent_id().to_string();
    let stat = fs::read_to_string(format!("/proc/{keeper}/stat")).unwrap_or_default();
    let runner = stat.rsplit(") ").next().and_then(|rest| rest.split(' ').nth(1)).unwrap_or("0");
    let memory = resident(&keeper) + resident(runner);
    writeln!(rows, "{began} {} {} {memory}", now(), own_cpu())
}

/// Nanoseconds on the CPU so far.
fn own_cpu() -> u64 {
    let text = fs::read_to_string("/proc/self/schedstat").unwrap_or_default();
    text.split(' ').next().and_then(|number| number.parse().ok()).unwrap_or(0)
}

/// A process's resident memory, in kilobytes.
fn resident(process: &str) -> u64 {
    let text = fs::read_to_string(format!("/proc/{process}/statm")).unwrap_or_default();
    let pages: Option<u64> = text.split(' ').nth(1).and_then(|pages| pages.parse().ok());
    pages.unwrap_or(0) * 4
}

/// Spawn, read, wait. With a folder, what keeping a record takes at least as well: before and after each call 300 bytes that are
/// appended to a file and synced; with a number of files, before each call two folders and so many small files.
fn floor(arguments: &[String]) -> io::Result<()> {
    let count: u32 = arguments.first().and_then(|count| count.parse().ok()).unwrap_or(1);
    let mut record = arguments.get(1).map(|folder| Record::begin(Path::new(folder))).transpose()?;
    let files: u32 = arguments.get(2).and_then(|files| files.parse().ok()).unwrap_or(0);
    for number in 0..count {
        if let Some(record) = &mut record {
            record.make_files(number, files)?;
            record.sync()?;
        }
        let mut child =
            Command::new(std::env::current_exe()?).stdin(Stdio::null()).stdout(Stdio::piped()).spawn()?;
        if let Some(output) = child.stdout.take() {
            BufReader::new(output).lines().try_for_each(|line| line.map(drop))?;
        }
        child.wait()?;
        if let Some(record) = &mut record {
            record.sync()?;
        }
    }
    Ok(())
}

/// The least that is kept of calls.
struct Record {
    folder: PathBuf,
    journal: File,
}

impl Record {
    fn begin(folder: &Path) -> io::Result<Self> {
        fs::create_dir(folder)?;
        let journal = OpenOptions::new().create(true).append(true).open(folder.join("journal"))?;
        Ok(Self { folder: folder.to_path_buf(), journal })
    }

    fn make_files(&self, number: u32, files: u32) -> io::Result<()> {
        if files == 0 {
            return Ok(());
        }
        let outer = self.folder.join(number.to_string());
        let inner = outer.join("call");
        fs::create_dir(&outer)?;
        fs::create_dir(&inner)?;
        (0..files).try_for_each(|file| fs::write(inner.join(file.to_string()), [b'x'; 300]))
    }

    fn sync(&mut self) -> io::Result<()> {
        self.journal.write_all(&[b'x'; 300])?;
        self.journal.sync_data()
    }
}
