//! What a check's command starts: programs by their names, scripts of the project.
//! Commands are for a shell; only their words are looked at.

use std::collections::BTreeSet;

/// So many words of one text are looked at.
const MOST_WORDS: usize = 4000;

/// Words before a command that start it.
const WRAPPERS: &[&str] = &[
    "env", "exec", "time", "nice", "nohup", "command", "timeout", "sudo", "xargs", "setsid", "stdbuf", "!",
    "if", "then", "else", "elif", "do", "while", "until", "eval", "builtin",
];

pub(super) const SHELLS: &[&str] = &["sh", "bash", "dash", "zsh", "ksh", "fish", "source", "."];

const INTERPRETERS: &[&str] =
    &["python", "python3", "node", "nodejs", "ruby", "perl", "php", "deno", "bun", "tsx", "ts-node", "uv"];

/// One command of a shell's line: its words, and where it is started, relative to the working directory.
#[derive(Debug)]
pub(super) struct Simple {
    pub words: Vec<String>,
    pub folder: String,
}

/// The commands of a line or a script, in order, wrappers taken off; those in `sh -c '…'` as well.
pub(super) fn simple_commands(text: &str) -> Vec<Simple> {
    let mut found = Vec::new();
    let mut folder = String::new();
    for words in split(text) {
        take_command(words, &mut folder, &mut found, 0);
    }
    found
}

fn take_command(words: Vec<String>, folder: &mut String, found: &mut Vec<Simple>, depth: usize) {
    // What a makefile writes before a command.
    let mut words = words.into_iter().skip_while(|word| is_assignment(word)).collect::<Vec<_>>();
    if let Some(first) = words.first_mut() {
        *first = first.trim_start_matches(['@', '-', '+']).to_owned();
    }
    let Some(first) = words.first().filter(|first| !first.is_empty()) else {
        return;
    };
    if first == "cd" {
        if let Some(to) = words.get(1) {
            *folder = below(folder, known_end(to));
        }
        return;
    }
    let script = words.iter().position(|word| word == "-c").and_then(|at| words.get(at + 1)).cloned();
    let is_shell = SHELLS.contains(&base(first));
    if WRAPPERS.contains(&first.as_str()) {
        found.push(Simple { words: vec![first.clone()], folder: folder.clone() });
        let rest = words.into_iter().skip(1).skip_while(|word| is_argument(word)).collect();
        take_command(rest, folder, found, depth);
        return;
    }
    found.push(Simple { words, folder: folder.clone() });
    if let Some(script) = script.filter(|_| is_shell && depth < 3) {
        let mut inner = folder.clone();
        for words in split(&script) {
            take_command(words, &mut inner, found, depth + 1);
        }
    }
}

/// A folder that a text goes to and does not name: `cd "$(dirname "$0")"`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum UnnamedFolder {
    /// That of the script itself.
    OfTheScript,
    /// The top of the repository.
    Top,
    /// What a variable or a command says.
    Unknown,
}

/// The folders that a text goes to without naming them: what it starts is to be looked for there.
pub fn unnamed_folders(text: &str) -> BTreeSet<UnnamedFolder> {
    let starts_it = |word: &&String| WRAPPERS.contains(&word.as_str()) || is_assignment(word);
    let target = |words: &Vec<String>| {
        let mut rest = words.iter().skip_while(starts_it);
        // What stands behind `cd` in backquotes, or without quotes, is a command of its own for us.
        let to = (rest.next()? == "cd").then(|| rest.next().map_or("`", String::as_str))?;
        (known_end(to) != to).then(|| if to.len() > 1 { to.to_owned() } else { text.to_owned() })
    };
    let of = |target: String| {
        if target.contains("$0") || target.contains("${0") || target.contains("BASH_SOURCE") {
            UnnamedFolder::OfTheScript
        } else if target.contains("show-toplevel") {
            UnnamedFolder::Top
        } else {
            UnnamedFolder::Unknown
        }
    };
    split(text).iter().filter_map(target).map(of).collect()
}

/// What of a path comes after its last variable or command: `sub` of `$ROOT/sub`.
fn known_end(path: &str) -> &str {
    let closed = path.rsplit_once([')', '}', '`']).map(|(_, rest)| rest.trim_start_matches('/'));
    match path.rsplit_once('$') {
        None if path.contains('`') => closed.unwrap_or_default(),
        None => path,
        Some((_, rest)) => closed.unwrap_or_else(|| rest.split_once('/').map_or("", |(_, end)| end)),
    }
}

/// Of a wrapper, not of what it starts: `-n`, `10`, `5m`, `A=b`.
fn is_argument(word: &str) -> bool {
    word.starts_with('-') || word.starts_with(|first: char| first.is_ascii_digit()) || is_assignment(word)
}

pub(super) fn is_assignment(word: &str) -> bool {
    word.split_once('=').is_some_and(|(name, _)| {
        !name.is_empty() && name.chars().all(|char| char.is_ascii_alphanumeric() || char == '_')
    })
}

/// Words between what ends a command, quotes taken off, comments left out.
fn split(text: &str) -> Vec<Vec<String>> {
    let mut commands = vec![Vec::new()];
    let mut word = String::new();
    let mut quote = None;
    let mut quoted = false;
    let mut number = 0;
    let mut chars = text.chars().peekable();
    let mut take = |word: &mut String, quoted: &mut bool, commands: &mut Vec<Vec<String>>| {
        if (!word.is_empty() || *quoted) && number < MOST_WORDS {
            number += 1;
            commands.last_mut().into_iter().for_each(|last| last.push(word.clone()));
        }
        word.clear();
        *quoted = false;
    };
    while let Some(char) = chars.next() {
        match (char, quote) {
            ('\\', None) => word.extend(chars.next().filter(|next| *next != '\n')),
            ('\'' | '"', None) => {
                quote = Some(char);
                quoted = true;
            }
            (_, Some(open)) if char == open => quote = None,
            (_, Some(_)) => word.push(char),
            ('#', None) if word.is_empty() => while chars.next_if(|next| *next != '\n').is_some() {},
            _ if char == '\n' || ";&|(){}`".contains(char) => {
                take(&mut word, &mut quoted, &mut commands);
                commands.push(Vec::new());
            }
            _ if char.is_whitespace() || "<>".contains(char) => take(&mut word, &mut quoted, &mut commands),
            _ => word.push(char),
        }
    }
    take(&mut word, &mut quoted, &mut commands);
    commands.retain(|words| !words.is_empty());
    commands
}

pub(super) fn base(word: &str) -> &str {
    word.rsplit('/').next().unwrap_or(word)
}

pub(super) fn below(folder: &str, path: &str) -> String {
    if path.starts_with('/') || folder.is_empty() {
        return path.trim_start_matches("./").to_owned();
    }
    format!("{}/{}", folder.trim_end_matches('/'), path.trim_start_matches("./"))
}

/// The programs that are called by their names alone, each once: what the search path decides about.
pub fn tools_called(text: &str) -> Vec<String> {
    let commands = simple_commands(text);
    let names = commands.iter().filter_map(|command| command.words.first());
    let is_name = |name: &&String| {
        !name.contains(['/', '$', '*']) && name.chars().any(|char| char.is_ascii_alphanumeric())
    };
    let mut found: Vec<String> = names.filter(is_name).cloned().collect();
    found.sort();
    found.dedup();
    found
}

/// The scripts that are started, relative to the working directory unless absolute: `./check.sh`, `sh ci/check.sh`,
/// `python scripts/check.py`. What an interpreter of a general language starts is often the program that is worked on: it
/// is a script of the check only where its name or folder says so.
pub fn scripts_started(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for Simple { words, folder } in simple_commands(text) {
        let Some(first) = words.first() else { continue };
        let mut arguments = words.iter().skip(1).filter(|word| !word.starts_with('-'));
        let named = base(first);
        let script = if SHELLS.contains(&named) {
            arguments.next().filter(|_| !words.iter().any(|word| word == "-c"))
        } else if INTERPRETERS.contains(&named) {
            arguments
                .find(|word| *word != "run")
                .filter(|script| script.contains('.') && is_about_checks(script))
        } else {
            Some(first).filter(|first| first.contains('/'))
        };
        found.extend(script.map(|script| below(&folder, script)));
    }
    found.sort();
    found.dedup();
    found
}

/// `scripts/anything.py`, `run_tests.js`
pub(super) fn is_about_checks(path: &str) -> bool {
    let folders = ["scripts", "script", "ci", "tools", "hack", "bin", ".github", ".ci", "build"];
    let names = ["check", "test", "verify", "lint", "gate", "validate", "ci"];
    let name = base(path).to_ascii_lowercase();
    let mut parts = name.split(|char: char| !char.is_ascii_alphanumeric());
    path.split('/').rev().skip(1).any(|folder| folders.contains(&folder))
        || parts.any(|part| names.iter().any(|name| part == *name || part.strip_suffix('s') == Some(name)))
}
