//! Which mutant is wanted. Written into each crate that has mutants: their functions ask here, with the numbers of their own.
//!
//! Instead of a mutant the reach can be wanted. Then nothing is changed, and each function notes once in each process which test it was
//! reached by. What cannot be noted (behind walls, on a full disk) is not: no test may fail by it.

use std::fs;
use std::io::Write as _;
use std::ops::RangeInclusive;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicBool, Ordering};

/// Names what is wanted. A file, no variable: tests clear the environment of what they start.
const WANTED: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../which-mutant");

/// Where the reach is noted: a test, a tab, the first and the last number of a function.
const REACH: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../reach");

/// More than there are mutants.
const MANY: usize = 100_000;

/// The functions that were noted, by the first of their numbers. No lock: this may be asked anywhere.
static NOTED: [AtomicBool; MANY] = [const { AtomicBool::new(false) }; MANY];

/// A mutant; or that the reach is wanted, and by which test this process was reached.
enum Wanted {
    Mutant(usize),
    Reach(String),
}

static WHICH: LazyLock<Wanted> = LazyLock::new(|| match fs::read_to_string(WANTED) {
    Ok(word) if word == "reach" => Wanted::Reach(test()),
    word => Wanted::Mutant(word.ok().and_then(|word| word.parse().ok()).unwrap_or(0)),
});

/// The mutant that is wanted; 0: none.
pub(crate) fn mutant(numbers: RangeInclusive<usize>) -> usize {
    match &*WHICH {
        Wanted::Mutant(number) => *number,
        Wanted::Reach(test) => {
            note(test, &numbers);
            0
        }
    }
}

fn note(test: &str, numbers: &RangeInclusive<usize>) {
    if NOTED.get(*numbers.start()).is_some_and(|noted| !noted.swap(true, Ordering::Relaxed)) {
        let line = format!("{test}\t{} {}\n", numbers.start(), numbers.end());
        // In one piece, since others write as well.
        let _ = fs::OpenOptions::new()
            .append(true)
            .open(REACH)
            .and_then(|mut file| file.write_all(line.as_bytes()));
    }
}

/// The test that this process belongs to, as nextest names it: its own, or that of the nearest process above it that knows of one, since
/// tests clear the environment of what they start. `?`: there is none any more.
fn test() -> String {
    let mut process = "self".to_owned();
    loop {
        let environment = fs::read(format!("/proc/{process}/environ")).unwrap_or_default();
        let names = ["NEXTEST_BINARY_ID", "NEXTEST_TEST_NAME"].map(|name| variable(&environment, name));
        if let [Some(binary), Some(test)] = names {
            return format!("{binary} {test}");
        }
        let stat = fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
        match parent(&stat) {
            Some(above) => process = above,
            None => return "?".to_owned(),
        }
    }
}

fn variable(environment: &[u8], name: &str) -> Option<String> {
    let mut lines = environment.split(|byte| *byte == 0);
    let value = lines.find_map(|line| line.strip_prefix(name.as_bytes())?.strip_prefix(b"="))?;
    Some(String::from_utf8_lossy(value).into_owned())
}

/// Who started a process, by its `stat`: the second word behind its name, which can have blanks and brackets.
fn parent(stat: &str) -> Option<String> {
    let word = stat.rsplit_once(')')?.1.split_whitespace().nth(1)?;
    (word != "0").then(|| word.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_knows_its_own_test() {
        let environment = b"PATH=/bin\0NEXTEST_TEST_NAME_X=y\0NEXTEST_TEST_NAME=a::b\0";
        assert_eq!(variable(environment, "NEXTEST_TEST_NAME").as_deref(), Some("a::b"));
        assert_eq!(variable(environment, "NEXTEST_BINARY_ID"), None);
        assert_eq!(variable(b"", "PATH"), None);
    }

    #[test]
    fn a_process_names_who_started_it() {
        assert_eq!(parent("12 (a) b) S 7 12 12 0").as_deref(), Some("7"));
        assert_eq!(parent("1 (init) S 0 1 1 0"), None);
        assert_eq!(parent(""), None);
    }

    #[test]
    fn without_a_wanted_one_there_is_none() {
        assert_eq!(mutant(1..=3), 0);
    }
}
