//! Running programs, and saying what went wrong.

use std::fmt;
use std::io::{self, BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};

/// Why a chore did not succeed, in words for a person.
#[derive(Debug)]
pub struct Failure(pub String);

impl fmt::Display for Failure {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl Failure {
    /// Something went wrong at `path`.
    pub fn at(path: &Path, error: impl fmt::Display) -> Self {
        Self(format!("{}: {error}", path.display()))
    }
}

/// The cargo that runs this chore.
pub fn cargo() -> Command {
    Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
}

/// As a person would type it.
pub fn line_of(command: &Command) -> String {
    let program = Path::new(command.get_program()).file_name().unwrap_or(command.get_program());
    let words = std::iter::once(program).chain(command.get_args());
    words.map(|word| word.to_string_lossy().into_owned()).collect::<Vec<_>>().join(" ")
}

/// Runs `command`, its output going where ours goes.
pub fn run(command: &mut Command) -> Result<(), Failure> {
    eprintln!("     $ {}", line_of(command));
    let status = command.status().map_err(|error| Failure(format!("{}: {error}", line_of(command))))?;
    if status.success() { Ok(()) } else { Err(Failure(format!("`{}` failed ({status})", line_of(command)))) }
}

/// Whether `command` can be started and succeeds; what it says is not shown.
pub fn succeeds(command: &mut Command) -> bool {
    command.stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok_and(|status| status.success())
}

/// What `command` prints on stdout.
pub fn output_of(command: &mut Command) -> Result<String, Failure> {
    let output = command
        .stderr(Stdio::inherit())
        .output()
        .map_err(|error| Failure(format!("{}: {error}", line_of(command))))?;
    if output.status.success() {
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    } else {
        Err(Failure(format!("`{}` failed ({})", line_of(command), output.status)))
    }
}

/// What `command` prints, or why it cannot be had.
pub fn bytes_of(command: &mut Command) -> Result<Vec<u8>, Failure> {
    let output = command.output().map_err(|error| Failure(format!("{}: {error}", line_of(command))))?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        return Err(Failure(format!("`{}` failed ({}): {}", line_of(command), output.status, said.trim())));
    }
    Ok(output.stdout)
}

/// Which of its two outputs a program reports in.
#[derive(Clone, Copy)]
pub enum Channel {
    /// Standard output.
    Stdout,
    /// Standard error.
    Stderr,
}

/// Runs `command`, shows all it says, and gives every line of `channel` to `notice` as well.
pub fn run_noticing(
    command: &mut Command,
    channel: Channel,
    mut notice: impl FnMut(&str),
) -> Result<(), Failure> {
    eprintln!("     $ {}", line_of(command));
    let failed = |error: io::Error, command: &Command| Failure(format!("{}: {error}", line_of(command)));
    match channel {
        Channel::Stdout => command.stdout(Stdio::piped()),
        Channel::Stderr => command.stderr(Stdio::piped()),
    };
    let mut child = command.spawn().map_err(|error| failed(error, command))?;
    match channel {
        Channel::Stdout => pass_on(child.stdout.take(), &mut io::stdout(), &mut notice),
        Channel::Stderr => pass_on(child.stderr.take(), &mut io::stderr(), &mut notice),
    }
    .map_err(|error| failed(error, command))?;
    let status = child.wait().map_err(|error| failed(error, command))?;
    if status.success() { Ok(()) } else { Err(Failure(format!("`{}` failed ({status})", line_of(command)))) }
}

fn pass_on(from: Option<impl io::Read>, to: &mut dyn Write, notice: &mut impl FnMut(&str)) -> io::Result<()> {
    let Some(from) = from else { return Ok(()) };
    let mut from = BufReader::new(from);
    let mut line = Vec::new();
    while from.read_until(b'\n', &mut line)? > 0 {
        to.write_all(&line)?;
        notice(String::from_utf8_lossy(&line).trim_end());
        line.clear();
    }
    to.flush()
}
