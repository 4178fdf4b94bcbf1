//! Comparing what an agent changed with what was there before.

use std::collections::BTreeMap;

use super::configuration::{self, kind_of};
use super::count::count;
use super::language::{Language, language_of};
use super::word::Counts;
use crate::values::{Named, Suspicion, SuspicionKind};

/// The bytes of a file at one of the two times.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Content<'a> {
    /// It is not there.
    Absent,
    /// All of it.
    Bytes(&'a [u8]),
    /// It is there, and larger than what is looked at, or not to be read.
    Unread,
}

/// Could a file with this path say anything about tests?
pub fn is_of_interest(path: &str) -> bool {
    language_of(path).is_some() || kind_of(path).is_some()
}

/// What was seen of the changed files so far.
#[derive(Clone, Debug, Default)]
pub struct Examination {
    /// The scripts of a `package.json` that checks call.
    scripts: Vec<String>,
    sums: BTreeMap<Language, Sums>,
    found: Vec<Suspicion>,
    unexamined: Vec<String>,
}

/// The counts of one language over all changed files, before and now.
#[derive(Clone, Debug, Default)]
struct Sums {
    before: Counts,
    now: Counts,
    files: Vec<File>,
}

#[derive(Clone, Debug)]
struct File {
    path: String,
    before: Counts,
    now: Counts,
    is_gone: bool,
}

impl Examination {
    /// Nothing was seen yet.
    pub fn new(scripts: &[String]) -> Examination {
        Examination { scripts: scripts.to_vec(), ..Examination::default() }
    }

    /// Takes in a file that was changed, added or removed.
    pub fn take(&mut self, path: &str, before: Content<'_>, now: Content<'_>) {
        if let Some(language) = language_of(path) {
            self.take_tests(path, language, before, now);
        }
        if let Some(kind) = kind_of(path) {
            let said = |content: Content<'_>| {
                configuration::said(kind, &String::from_utf8_lossy(bytes_of(content)), &self.scripts)
            };
            let was = (before != Content::Absent).then(|| said(before));
            let sentence = configuration::worse(kind, was.as_ref(), &said(now));
            self.found.extend(sentence.map(|text| Suspicion::new(SuspicionKind::Deselected, path, text)));
        }
    }

    /// Takes in a file that may be changed as its task likes: what it gains counts, since tests may have moved there, and
    /// what it loses does not.
    pub fn take_let_through(&mut self, path: &str, before: Content<'_>, now: Content<'_>) {
        let Some(language) = language_of(path) else { return };
        let (old, new) = (counted(before, language), counted(now, language));
        let least = Counts {
            tests: old.tests.min(new.tests),
            skips: old.skips.min(new.skips),
            only: old.only.min(new.only),
            assertions: old.assertions.min(new.assertions),
        };
        let old = Counts { tests: least.tests, assertions: least.assertions, ..old };
        let new = Counts { skips: least.skips, only: least.only, ..new };
        self.sum(path, language, (old, new), false);
    }

    /// There were more files than could be looked at.
    pub fn left_out(&mut self, path: &str) {
        self.unexamined.push(path.to_owned());
    }

    fn take_tests(&mut self, path: &str, language: Language, before: Content<'_>, now: Content<'_>) {
        let old = counted(before, language);
        let new = match (now, is_text(now)) {
            (Content::Absent, _) => Some(Counts::default()),
            (Content::Bytes(bytes), true) => Some(count(bytes, language)),
            _ => None,
        };
        let Some(new) = new else {
            let text = format!("held {}; it can no longer be read as text", tests(old.tests));
            if old.tests > 0 {
                self.found.push(Suspicion::new(SuspicionKind::Tests, path, text));
            } else {
                self.left_out(path);
            }
            return;
        };
        self.sum(path, language, (old, new), now == Content::Absent);
    }

    fn sum(&mut self, path: &str, language: Language, (old, new): (Counts, Counts), is_gone: bool) {
        let sums = self.sums.entry(language).or_default();
        sums.before += old;
        sums.now += new;
        if old != new {
            sums.files.push(File { path: path.to_owned(), before: old, now: new, is_gone });
        }
    }

    /// What is suspicious about it, in order of kind and path.
    pub fn suspicions(self) -> Vec<Suspicion> {
        let mut found = self.found;
        for (language, sums) in &self.sums {
            found.extend(sums.suspicions(*language));
        }
        if let (Some(first), most) = (self.unexamined.first(), self.unexamined.len()) {
            let more = if most > 1 { format!(" and {} more", most - 1) } else { String::new() };
            let text = format!("not looked at for tests{more}: too large, or no text");
            found.push(Suspicion::new(SuspicionKind::Unexamined, first, text));
        }
        found.sort();
        found.dedup();
        found
    }
}

impl Sums {
    fn suspicions(&self, language: Language) -> Vec<Suspicion> {
        let mut found = Vec::new();
        let (before, now) = (self.before, self.now);
        if now.tests < before.tests
            && let Some(file) = self.worst(|counts| i64::from(counts.tests))
        {
            let fewer = tests(before.tests - now.tests);
            let gone = if file.is_gone { "deleted; " } else { "" };
            let text = format!(
                "{gone}{fewer} fewer in {} than before ({}, now {})",
                language.name(),
                before.tests,
                now.tests
            );
            found.push(Suspicion::new(SuspicionKind::Tests, &file.path, text));
        }
        let more = [
            (before.skips, now.skips, "skipped, ignored or expected to fail"),
            (before.only, now.only, "marked as the only ones to run"),
        ];
        for (index, (was, is, what)) in more.into_iter().enumerate() {
            let of = |counts: &Counts| -i64::from(if index == 0 { counts.skips } else { counts.only });
            if is > was
                && let Some(file) = self.worst(of)
            {
                let text = format!("{} more {what} (marks: {was}, now {is})", tests(is - was));
                found.push(Suspicion::new(SuspicionKind::Skipped, &file.path, text));
            }
        }
        // Fewer tests assert less: that is said already.
        if now.assertions < before.assertions
            && now.tests >= before.tests
            && before.tests > 0
            && let Some(file) = self.worst(|counts| i64::from(counts.assertions))
        {
            let text = format!(
                "the tests assert less than before ({} assertions, now {})",
                before.assertions, now.assertions
            );
            found.push(Suspicion::new(SuspicionKind::Assertions, &file.path, text));
        }
        found
    }

    /// The file that lost most of it.
    fn worst(&self, of: impl Fn(&Counts) -> i64) -> Option<&File> {
        self.files.iter().max_by_key(|file| (of(&file.before) - of(&file.now), std::cmp::Reverse(&file.path)))
    }
}

fn counted(content: Content<'_>, language: Language) -> Counts {
    match content {
        Content::Bytes(bytes) if is_text(content) => count(bytes, language),
        _ => Counts::default(),
    }
}

fn bytes_of(content: Content<'_>) -> &[u8] {
    match content {
        Content::Bytes(bytes) if is_text(content) => bytes,
        _ => &[],
    }
}

/// Text has no zeros, or not at its beginning.
fn is_text(content: Content<'_>) -> bool {
    matches!(content, Content::Bytes(bytes) if memchr::memchr(0, bytes.get(..bytes.len().min(8192)).unwrap_or_default()).is_none())
}

fn tests(number: u32) -> String {
    if number == 1 { "1 test".to_owned() } else { format!("{number} tests") }
}
