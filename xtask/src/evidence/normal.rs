//! Times, processes, ids and places, made equal; all that is decided stays.

use std::collections::BTreeMap;
use std::fmt::Write;

/// How closely texts are looked at; the first at which two runs of the same program agree is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// With trees' hashes and durations in words.
    Whole,
    /// Without trees' hashes.
    WithoutTrees,
    /// Without durations.
    WithoutDurations,
    /// Without the order of lines.
    WithoutOrder,
}

impl Level {
    pub const ALL: [Level; 4] =
        [Level::Whole, Level::WithoutTrees, Level::WithoutDurations, Level::WithoutOrder];

    pub fn words(self) -> &'static str {
        match self {
            Level::Whole => "with trees and durations",
            Level::WithoutTrees => "without trees",
            Level::WithoutDurations => "without durations",
            Level::WithoutOrder => "without the order of lines",
        }
    }
}

/// Keys of JSON whose numbers are measured.
const MEASURED: [&str; 11] = [
    "\"ms\":",
    "\"pid\":",
    "\"duration_ms\":",
    "\"duration_api_ms\":",
    "\"wait_ms\":",
    "\"at_ms\":",
    "\"resetsAt\":",
    "\"uptime\":",
    "\"recorded\":",
    "\"inode\":",
    "\"device\":",
];

/// Words before the number of a process.
const BEFORE_PROCESSES: [&str; 4] = ["pid ", "process ", "processes ", "port "];

/// The text without what is another thing each time.
pub fn normal(text: &str, level: Level) -> String {
    let mut normal = Normal { text, level, seen: BTreeMap::new(), out: String::with_capacity(text.len()) };
    normal.run();
    if level < Level::WithoutOrder {
        return normal.out;
    }
    let mut lines: Vec<&str> = normal.out.lines().collect();
    lines.sort_unstable();
    lines.join("\n")
}

struct Normal<'a> {
    text: &'a str,
    level: Level,
    /// Ids, in the order in which they came.
    seen: BTreeMap<String, usize>,
    out: String,
}

impl Normal<'_> {
    fn run(&mut self) {
        let mut at = 0;
        while let Some(rest) = self.text.get(at..).filter(|rest| !rest.is_empty()) {
            let length = rest.find(|letter: char| !is_of_word(letter)).unwrap_or(rest.len());
            let length =
                if rest.starts_with(MARKS) { 0 } else { rest[..length].trim_end_matches(MARKS).len() };
            if self.level >= Level::WithoutDurations && rest.starts_with(' ') {
                // Columns are as wide as their durations.
                self.out.push(' ');
                at += rest.len() - rest.trim_start_matches(' ').len();
            } else if length == 0 {
                let letter = rest.chars().next().map_or(1, char::len_utf8);
                self.out.push_str(&rest[..letter]);
                at += letter;
            } else {
                self.word(at, &rest[..length]);
                at += length;
            }
        }
    }

    fn word(&mut self, at: usize, word: &str) {
        let before = &self.text[..at];
        if word == "target" && before.ends_with('/') {
            // Where the checkout is.
            let path =
                self.out.rfind(|letter: char| !is_of_word(letter) && letter != '/').map_or(0, |at| at + 1);
            self.out.truncate(path);
            self.out.push_str("<target>");
            return;
        }
        let is_number = word.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
        if is_number && MEASURED.iter().chain(&BEFORE_PROCESSES).any(|key| before.ends_with(key)) {
            self.out.push_str("<number>");
        } else if self.level >= Level::WithoutDurations && is_duration(word, &self.text[at + word.len()..]) {
            self.out.push_str("<duration>");
        } else if let Some(what) = shape(word) {
            self.out.push_str(what);
        } else {
            self.pieces(before, word);
        }
    }

    /// `project-0123456789ab`, `windlass/r-abcdefgh`, `windlass-aB3dE6`
    fn pieces(&mut self, before: &str, word: &str) {
        let is_tree = before.ends_with("\"tree\":\"") && self.level < Level::WithoutTrees;
        let mut last = "";
        for whole in word.split_inclusive(MARKS) {
            let (piece, mark) = whole.split_at(whole.len() - usize::from(whole.ends_with(MARKS)));
            if last == "r-" && piece.len() == 8 && is_run(piece) {
                self.id("run", piece);
            } else if last == "windlass-"
                && piece.len() == 6
                && piece.bytes().all(|byte| byte.is_ascii_alphanumeric())
            {
                self.out.push_str("<place>");
            } else if is_day(piece) {
                self.out.push_str("<day>");
            } else if last.strip_suffix('-').is_some_and(is_day) {
                self.out.push_str("<clock>");
            } else if is_hash(piece) && !is_tree {
                self.id("id", &piece[..7]);
            } else {
                self.out.push_str(piece);
            }
            self.out.push_str(mark);
            last = whole;
        }
    }

    fn id(&mut self, kind: &str, id: &str) {
        let next = self.seen.len() + 1;
        let number = *self.seen.entry(id.to_owned()).or_insert(next);
        // Snapshots of one second are one commit.
        let _ = if self.level < Level::WithoutDurations {
            write!(self.out, "<{kind} {number}>")
        } else {
            write!(self.out, "<{kind}>")
        };
    }
}

/// In words, not at their ends.
const MARKS: [char; 5] = ['-', '_', '.', ':', '+'];

fn is_of_word(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || MARKS.contains(&letter)
}

/// `x7irzatj` of `r-x7irzatj`.
fn is_run(piece: &str) -> bool {
    piece.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
}

/// `20261123` of `iterate-20261123-031941.log`.
fn is_day(piece: &str) -> bool {
    piece.len() == 8 && piece.starts_with("20") && piece.bytes().all(|byte| byte.is_ascii_digit())
}

fn is_hash(piece: &str) -> bool {
    let digits = piece.bytes().filter(u8::is_ascii_digit).count();
    let is_hex = piece.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b'a'..=b'f'));
    let is_mixed = 0 < digits && digits < piece.len();
    // By chance without a letter, or without a digit: only as long as commits and projects are shown.
    is_hex && (7..=64).contains(&piece.len()) && (is_mixed || matches!(piece.len(), 8 | 9 | 12 | 40 | 64))
}

/// Words that are another one each time as a whole, by what their letters are: `0` a digit, `a` a letter.
fn shape(word: &str) -> Option<&'static str> {
    let shape: String = word
        .chars()
        .map(|letter| match letter {
            '0'..='9' => '0',
            'a'..='z' => 'a',
            other => other,
        })
        .collect();
    let is_time = |rest: &str| rest.starts_with("00:00");
    if shape.strip_prefix("0000-00-00T").is_some_and(is_time) {
        Some("<time>")
    } else if shape.starts_with("0000-00-00") && shape.len() <= 11 {
        Some("<date>")
    } else if (is_time(&shape) && word.len() <= 13) || matches!(&*shape, "0:00aa" | "00:00aa") {
        Some("<clock>")
    } else if shape.starts_with("000.0.0.0:0000") {
        Some("<address>")
    } else if word.strip_suffix(".sock").is_some_and(|number| number.parse::<u32>().is_ok()) {
        Some("<number>.sock")
    } else if word.len() == 36 && word.split('-').map(str::len).eq([8, 4, 4, 4, 12]) {
        Some("<uuid>")
    } else {
        None
    }
}

/// `1.2s`, `350ms`, or a number with its unit after a space.
fn is_duration(word: &str, after: &str) -> bool {
    let is_unit = |unit: &str| matches!(unit, "ms" | "s" | "m" | "min" | "h");
    let digits = word.trim_end_matches(|letter: char| letter.is_ascii_alphabetic());
    let is_number = digits.starts_with(|letter: char| letter.is_ascii_digit())
        && digits.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    let unit = match &word[digits.len()..] {
        "" => {
            after.strip_prefix(' ').and_then(|rest| rest.split(|letter: char| !letter.is_alphabetic()).next())
        }
        unit => Some(unit),
    };
    is_number && unit.is_some_and(is_unit)
}

#[cfg(test)]
mod tests {
    use super::{Level, normal};

    #[test]
    fn times_processes_ids_and_places_are_equal_each_time_and_what_was_decided_stays() {
        let cases = [
            (
                r#"{"seq":2,"wall":"2026-11-23T03:19:41.979Z","ms":25,"pid":7,"lane":0}"#,
                r#"{"seq":2,"wall":"<time>","ms":<number>,"pid":<number>,"lane":0}"#,
            ),
            ("/home/me/windlass/target/debug/windlass", "<target>/debug/windlass"),
            (
                "see /tmp/windlass-aB3dE6/state/projects/p-2bf73d15afdc/runs/r-x7irzatj.",
                "see /tmp/windlass-<place>/state/projects/p-<id 1>/runs/r-<run 2>.",
            ),
            ("2122f506e98b is 2122f506e98b0b101ab6, not 3333f506", "<id 1> is <id 1>, not <id 2>"),
            ("64713339 and ffffdeca, 5242880 bytes", "<id 1> and <id 2>, 5242880 bytes"),
            ("iterate-20261123-031941.log, 03:19:41", "iterate-<day>-<clock>.log, <clock>"),
            ("http://127.0.0.1:41234/v1", "http://<address>/v1"),
            ("waits 300 ms for process 4711, costs $0.50", "waits 300 ms for process <number>, costs $0.50"),
            ("windlass-core ödet 1.5 s", "windlass-core ödet 1.5 s"),
        ];
        for (text, wanted) in cases {
            assert_eq!(normal(text, Level::Whole), wanted);
        }
        let tree = r#"{"tree":"473a0f4c3be8a93681a267"}"#;
        assert_eq!(normal(tree, Level::Whole), tree);
        assert_eq!(normal(tree, Level::WithoutTrees), r#"{"tree":"<id 1>"}"#);
        assert_eq!(
            normal("1.5s, 300 ms, 7 mice", Level::WithoutDurations),
            "<duration>, <duration> ms, 7 mice"
        );
        assert_eq!(normal("b\na", Level::WithoutOrder), "a\nb");
    }
}
