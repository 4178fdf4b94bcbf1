//! What is another thing than it was.

use std::collections::{BTreeMap, BTreeSet};

use super::normal::{Level, normal};
use super::record::{Files, Record};
use crate::program::Failure;

/// Of a long line so much is shown before the first byte that differs, and after it.
const BEFORE: usize = 50;
const AFTER: usize = 110;

/// The folder of a run's second lane.
const SECOND_LANE: &str = "/lanes/2/";

/// One line that is another one: what it was, and what it is.
type Lines = (String, String);

/// One file of a test that is another one.
#[derive(Debug, PartialEq, Eq)]
pub struct Difference {
    pub test: String,
    pub file: String,
    pub lines: Vec<Lines>,
}

#[derive(Debug, Default)]
pub struct Comparison {
    tests: usize,
    /// Files that are the same, by how closely they could be looked at.
    same: BTreeMap<Level, usize>,
    /// Files that differ by themselves.
    unsteady: usize,
    /// Tests that left nothing this time.
    missing: Vec<String>,
    differences: Vec<Difference>,
}

impl Comparison {
    /// Compares with two runs of the earlier program.
    pub fn of(kept: &[&Record; 2], now: &Record) -> Comparison {
        let mut comparison = Comparison::default();
        let nothing = Files::new();
        for (test, first) in &kept[0].tests {
            let Some(now) = now.tests.get(test) else {
                comparison.missing.push(test.clone());
                continue;
            };
            comparison.tests += 1;
            comparison.test(test, [first, kept[1].tests.get(test).unwrap_or(&nothing)], now);
        }
        comparison
    }

    fn test(&mut self, test: &str, kept: [&Files; 2], now: &Files) {
        let steady: BTreeMap<&String, Level> = kept[0]
            .iter()
            .filter_map(|(file, first)| Some((file, level_of(first, kept[1].get(file)?)?)))
            .collect();
        // Lanes take turns in another order each time; what is the same twice is so by chance.
        let has_lanes =
            kept[0].iter().any(|(file, text)| file.contains(SECOND_LANE) || text.contains(SECOND_LANE));
        if has_lanes || steady.len() * 10 < kept[0].len() * 9 {
            self.unsteady += kept[0].len();
            return;
        }
        self.unsteady += kept[0].len() - steady.len();
        for (file, level) in steady {
            let compare = |level| {
                let was = normal(&kept[0][file], level);
                now.get(file).map_or_else(gone, |now| lines_that_differ(&was, &normal(now, level)))
            };
            let mut lines = compare(level);
            if !lines.is_empty() && level < Level::WithoutDurations {
                // Short ones are the same twice by chance.
                lines = compare(Level::WithoutDurations);
            }
            if lines.is_empty() {
                *self.same.entry(level).or_default() += 1;
            } else {
                self.differences.push(Difference { test: test.to_owned(), file: file.clone(), lines });
            }
        }
        self.unsteady += kept[1].keys().filter(|file| !kept[0].contains_key(*file)).count();
        // Where one kept run has files that the other one has not, more files say nothing.
        if kept[0].keys().eq(kept[1].keys()) {
            for file in now.keys().filter(|file| !kept[0].contains_key(*file)) {
                let lines = vec![("(no such file)".to_owned(), "(a file)".to_owned())];
                self.differences.push(Difference { test: test.to_owned(), file: file.clone(), lines });
            }
        }
    }

    /// Names of tests, without their suite.
    pub fn differing_tests(&self) -> BTreeSet<&str> {
        self.differences.iter().filter_map(|one| Some(one.test.split_once(' ')?.1)).collect()
    }

    /// Keeps only what differs in another run as well.
    pub fn differences_too(&mut self, other: &Comparison) {
        let also = |one: &Difference| {
            other.differences.iter().any(|two| (&two.test, &two.file) == (&one.test, &one.file))
        };
        let before = self.differences.len();
        self.differences.retain(also);
        self.unsteady += before - self.differences.len();
    }

    /// Says what differs, each thing once, and fails where something does.
    pub fn report(&self) -> Result<(), Failure> {
        let mut alike: BTreeMap<&Lines, Vec<&Difference>> = BTreeMap::new();
        for difference in &self.differences {
            for lines in &difference.lines {
                alike.entry(lines).or_default().push(difference);
            }
        }
        let mut alike: Vec<_> = alike.into_iter().collect();
        alike.sort_by_key(|(_, where_)| std::cmp::Reverse(where_.len()));
        for ((was, is), places) in alike {
            let first = &places[0];
            println!("- {was}\n+ {is}\n  {} {}, {} places\n", first.test, first.file, places.len());
        }
        for test in &self.missing {
            println!("{test}: left nothing this time");
        }
        println!("{}", self.summary());
        if self.differences.is_empty() && self.missing.is_empty() {
            return Ok(());
        }
        Err(Failure(format!(
            "{} files differ, {} tests left nothing",
            self.differences.len(),
            self.missing.len()
        )))
    }

    fn summary(&self) -> String {
        let same: Vec<String> =
            self.same.iter().map(|(level, count)| format!("{count} {}", level.words())).collect();
        format!(
            "{} tests. Files that are the same: {}. Left out, since they differ by themselves: {}.",
            self.tests,
            same.join(", "),
            self.unsteady
        )
    }
}

/// The closest look at which both are the same.
fn level_of(first: &str, second: &str) -> Option<Level> {
    Level::ALL.into_iter().find(|level| normal(first, *level) == normal(second, *level))
}

fn gone() -> Vec<Lines> {
    vec![("(the file)".to_owned(), "(no such file)".to_owned())]
}

fn lines_that_differ(was: &str, is: &str) -> Vec<Lines> {
    let (was, is): (Vec<&str>, Vec<&str>) = (was.lines().collect(), is.lines().collect());
    let mut pairs = was.iter().zip(&is).filter(|(was, is)| was != is).map(|(was, is)| excerpt(was, is));
    if was.len() == is.len() {
        return pairs.collect();
    }
    // What follows a line too much is another one in each line.
    let first = pairs.next().unwrap_or_else(|| {
        let end = was.len().min(is.len());
        let line = |lines: &[&str]| lines.get(end).map_or("(the end)".to_owned(), |line| cut(line, 0));
        (line(&was), line(&is))
    });
    vec![first]
}

/// The part of two lines in which they begin to differ.
fn excerpt(was: &str, is: &str) -> Lines {
    let same = was.chars().zip(is.chars()).take_while(|(was, is)| was == is).count();
    (cut(was, same), cut(is, same))
}

fn cut(line: &str, differs_at: usize) -> String {
    line.chars().skip(differs_at.saturating_sub(BEFORE)).take(BEFORE + AFTER).collect()
}

#[cfg(test)]
mod tests {
    use super::{Comparison, Record, lines_that_differ};

    fn record(files: &[(&str, &str)]) -> Record {
        let files = files.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect();
        Record { tests: [("loop a::test".to_owned(), files)].into() }
    }

    #[test]
    fn what_differs_by_itself_is_left_out_and_what_differs_besides_is_named() {
        let more: Vec<String> = (0..20).map(|number| format!("more {number}")).collect();
        let with = |files: &[(&str, &str)]| {
            let more: Vec<(&str, &str)> = more.iter().map(|name| (name.as_str(), "")).collect();
            record(&[files, &more].concat())
        };
        let first = with(&[("journal", "iterations 3\n"), ("stderr", "one\n"), ("gone", "x")]);
        let second = with(&[("journal", "iterations 3\n"), ("stderr", "two\n"), ("gone", "x")]);
        let now = with(&[("journal", "iterations 4\n"), ("stderr", "three\n")]);
        let comparison = Comparison::of(&[&first, &second], &now);
        let files: Vec<&str> = comparison.differences.iter().map(|one| one.file.as_str()).collect();
        assert_eq!(files, ["gone", "journal"]);
        assert_eq!(comparison.unsteady, 1);
        assert_eq!(comparison.differing_tests().into_iter().collect::<Vec<_>>(), ["a::test"]);
        let mut again = Comparison::of(&[&first, &second], &now);
        again.differences_too(&Comparison::of(&[&first, &second], &first));
        assert!(again.differences.is_empty());
    }

    #[test]
    fn a_new_file_is_a_difference() {
        let kept = record(&[("journal", "a")]);
        let now = record(&[("journal", "a"), ("more", "b")]);
        assert_eq!(Comparison::of(&[&kept, &kept], &now).differences.len(), 1);
    }

    #[test]
    fn each_line_is_compared_where_there_are_as_many() {
        let pair = |was: &str, is: &str| (was.to_owned(), is.to_owned());
        assert_eq!(lines_that_differ("a\nb\nc", "a\nx\ny"), [pair("b", "x"), pair("c", "y")]);
        assert_eq!(lines_that_differ("a\nb", "a\nx\ny"), [pair("b", "x")]);
        assert_eq!(lines_that_differ("a", "a\nx"), [pair("(the end)", "x")]);
    }
}
