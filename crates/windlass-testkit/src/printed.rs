//! Commands in a text for people: `windlass …`, as somebody would copy them.
//!
//! Where one begins and ends is a convention that every message keeps to: it begins a line, or stands behind a colon, a
//! comma, a backquote or two spaces, and it ends with the line or before a backquote, a comma, two spaces or a bracket.
//! Words of the sentence that would go on behind a command are kept from it by backquotes.

use std::collections::BTreeSet;
use std::iter::Peekable;
use std::path::Path;
use std::process::{Command, Stdio};
use std::str::CharIndices;
use std::sync::Mutex;

/// A command in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Printed {
    /// What stands there.
    pub text: String,
    /// The words behind `windlass`, as a shell has them.
    pub words: Vec<String>,
}

/// What stands before a command.
const BEFORE: [&str; 12] = [": ", ", ", "`", "or ", "then ", "with ", "and ", "  ", "$ ", "(", "; ", "&& "];

/// What ends one, where it is not in quotes.
const AFTER: [char; 10] = ['`', '|', '>', '<', '&', ';', '(', ')', '#', '\n'];

/// All commands of a text, in its order. What is not a whole command (a quote without an end) is left out.
pub fn commands(text: &str) -> Vec<Printed> {
    text.lines().flat_map(commands_of_line).collect()
}

fn commands_of_line(line: &str) -> Vec<Printed> {
    // The form of a command, not one.
    if line.trim_start().starts_with("Usage:") {
        return Vec::new();
    }
    let starts = line.match_indices("windlass ").map(|(at, _)| at);
    let begins = |at: &usize| {
        let before = &line[..*at];
        before.trim().is_empty() || BEFORE.iter().any(|sign| before.ends_with(sign))
    };
    starts.filter(begins).filter_map(|at| command_at(&line[at..])).collect()
}

/// The command that begins a text.
fn command_at(text: &str) -> Option<Printed> {
    let (mut words, mut word, mut quote) = (Vec::new(), None::<String>, None);
    let mut length = text.len();
    let mut letters = text.char_indices().peekable();
    while let Some((at, letter)) = letters.next() {
        match letter {
            _ if quote == Some(letter) => quote = None,
            '$' if quote.is_none() && letters.next_if(|&(_, next)| next == '\'').is_some() => {
                word.get_or_insert_default().push_str(&escaped(&mut letters)?);
            }
            '\'' | '"' if quote.is_none() => {
                word.get_or_insert_default();
                quote = Some(letter);
            }
            '\\' if quote.is_none() => {
                let (_, escaped) = letters.next()?;
                word.get_or_insert_default().push(escaped);
            }
            ' ' if quote.is_none() => {
                let ends = word.as_ref().is_some_and(|word| word != "..." && word.ends_with(ENDS_A_CLAUSE));
                words.extend(word.take());
                if ends || letters.peek().is_none_or(|&(_, next)| next == ' ') {
                    length = at;
                    break;
                }
            }
            _ if quote.is_none() && AFTER.contains(&letter) => {
                length = at;
                break;
            }
            _ => word.get_or_insert_default().push(letter),
        }
    }
    words.extend(word);
    if quote.is_some() {
        return None;
    }
    if let Some(last) = words.last_mut() {
        *last = last.trim_end_matches(ENDS_A_CLAUSE).to_owned();
    }
    let words: Vec<String> = words.into_iter().skip(1).collect();
    // What begins with another flag is a part of something (`--command windlass --arguments …`), with a point a heading.
    let begins = words.first().is_some_and(|word| word != "·" && (!word.starts_with('-') || word == "-C"));
    begins.then(|| Printed { text: text[..length].trim_end().to_owned(), words })
}

/// What stands in `$'…'`, up to its end, which is taken as well; `None` where it has none.
fn escaped(letters: &mut Peekable<CharIndices<'_>>) -> Option<String> {
    let mut bytes = Vec::new();
    loop {
        match letters.next()?.1 {
            '\'' => return Some(String::from_utf8_lossy(&bytes).into_owned()),
            '\\' => match letters.next()?.1 {
                'n' => bytes.push(b'\n'),
                't' => bytes.push(b'\t'),
                'r' => bytes.push(b'\r'),
                first @ '0'..='7' => {
                    let digits = [first, letters.next()?.1, letters.next()?.1];
                    bytes.push(u8::from_str_radix(&String::from_iter(digits), 8).ok()?);
                }
                other => bytes.extend(other.encode_utf8(&mut [0; 4]).as_bytes()),
            },
            letter => bytes.extend(letter.encode_utf8(&mut [0; 4]).as_bytes()),
        }
    }
}

/// Of what says more, most is not for copying.
const LONGEST: usize = 128 << 10;

/// Holds Windlass to what it prints: each command in it is one that this very program takes. Objects of JSON are passed over.
///
/// # Panics
/// Where it would refuse one, with the command and why.
pub fn hold(program: &Path, said: &[u8]) {
    static HELD: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());
    if program.file_name().is_none_or(|name| name != "windlass") || said.len() > LONGEST {
        return;
    }
    let said = String::from_utf8_lossy(said);
    for command in said.lines().filter(|line| !line.starts_with('{')).flat_map(commands_of_line) {
        let is_new = HELD.lock().is_ok_and(|mut held| held.insert(command.text.clone()));
        if is_new && let Some(why) = refusal(program, &command) {
            panic!("this was printed and cannot be typed: {}\n{why}\n--- it stands in\n{said}", command.text);
        }
    }
}

/// What the program has against it. With `--help` it reads verbs, flags and values, and does nothing. No verb: a sentence.
fn refusal(program: &Path, command: &Printed) -> Option<String> {
    if command.words.first().is_some_and(|word| word == "help") {
        return None;
    }
    let why = command.readings().map(|mut words| {
        let end = words.iter().position(|word| *word == "--").unwrap_or(words.len());
        words.insert(end, "--help");
        let mut asked = Command::new(program);
        let answer = asked.args(words).env_clear().stdin(Stdio::null()).output();
        let answer = answer.expect("the program that was just run");
        (!answer.status.success()).then(|| String::from_utf8_lossy(&answer.stderr).into_owned())
    });
    let [Some(why), Some(_)] = why else { return None };
    (!why.contains("there is no verb")).then_some(why)
}

impl Printed {
    /// How it may be meant, where words in it stand for others (`[RUN]`, `NAME…`, `N`): `…` is a word, or whatever else.
    pub fn readings(&self) -> [Vec<&str>; 2] {
        let all = self.words.iter().map(|word| match word.trim_matches(['[', ']']).trim_end_matches('…') {
            "N" | "ITERATION" | "..." | "" => "1",
            other => other,
        });
        let some =
            self.words.iter().zip(all.clone()).filter(|(word, _)| !["…", "..."].contains(&word.as_str()));
        [all.collect(), some.map(|(_, meant)| meant).collect()]
    }
}

/// What ends a command at the end of one of its words.
const ENDS_A_CLAUSE: [char; 4] = [',', '.', ':', '?'];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_found_as_a_shell_would_split_them() {
        for (line, expected) in [
            ("windlass status", &[&["status"][..]][..]),
            ("  next  windlass run api  works on it", &[&["run", "api"]]),
            ("Make one: windlass init N, then windlass run N", &[&["init", "N"], &["run", "N"]]),
            ("begin one: `windlass pipeline 'a b; c'` does", &[&["pipeline", "a b; c"]]),
            ("hint: windlass config set limits.max_cost 5.", &[&["config", "set", "limits.max_cost", "5"]]),
            ("this was started by windlass itself", &[]),
            ("windlass run -p 'not ended", &[]),
            ("windlass run … -- --add-dir ../a", &[&["run", "…", "--", "--add-dir", "../a"]]),
            ("windlass tasks list | head", &[&["tasks", "list"]]),
            ("(windlass trust --list)", &[&["trust", "--list"]]),
            ("`windlass run -p \"what is\"`", &[&["run", "-p", "what is"]]),
            ("--command windlass --arguments x", &[]),
            ("windlass · plan · r-k3v9x2aa", &[]),
            ("Usage: windlass init [OPTIONS] [NAME]", &[]),
            ("windlass build ... -- --foo", &[&["build", "...", "--", "--foo"]]),
            (r"windlass -C a\ b runs", &[&["-C", "a b", "runs"]]),
            (r"windlass -C $'/x\nb \303\244\'' runs  then", &[&["-C", "/x\nb ä'", "runs"]]),
            (r"windlass -C $'not ended", &[]),
        ] {
            let found: Vec<Vec<String>> = commands(line).into_iter().map(|printed| printed.words).collect();
            assert_eq!(found, expected, "{line}");
        }
        assert_eq!(commands("x: windlass runs, or y")[0].text, "windlass runs,");
    }
}
