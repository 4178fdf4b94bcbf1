//! What a check's command starts: programs by their names, scripts of the project.
//! Commands are for a shell; only their words are looked at.

use std::collections::BTreeSet;

/// A command holds a command that holds a command.
const DEEPEST: usize = 3;

/// The ways to write the working directory.
const HERE: [&str; 7] = ["\"$PWD\"/", "\"$(pwd)\"/", "\"${PWD}\"/", "$PWD/", "${PWD}/", "$(pwd)/", "`pwd`/"];

/// So many words of one text are looked at.
const MOST_WORDS: usize = 4000;

pub(super) const SHELLS: &[&str] = &["sh", "bash", "dash", "zsh", "ksh", "fish", "source", "."];

const INTERPRETERS: &[&str] =
    &["python", "python3", "node", "nodejs", "ruby", "perl", "php", "deno", "bun", "tsx", "ts-node", "uv"];

/// Flags of interpreters whose value is the next word.
const INTERPRETERS_VALUES: &[&str] = &["-X", "-W", "-I", "-r", "--require", "--import", "--loader", "-d"];

/// Tools that go by a file of commands, and the flags that name it.
const READERS: &[&str] = &["awk", "gawk", "mawk", "nawk", "sed", "jq"];
const READERS_FILES: &[&str] = &["-f", "--file", "--from-file"];

/// A word before a command that starts it.
#[derive(Clone, Copy, Debug)]
struct Wrapper {
    name: &'static str,
    /// Its flags whose value is the next word.
    values: &'static [&'static str],
    /// So many words of its own come before the command.
    operands: usize,
}

const fn wrapper(name: &'static str, values: &'static [&'static str], operands: usize) -> Wrapper {
    Wrapper { name, values, operands }
}

const WRAPPERS: &[Wrapper] = &[
    wrapper("env", &["-u", "--unset", "-C", "--chdir"], 0),
    wrapper("timeout", &["-s", "--signal", "-k", "--kill-after"], 1),
    wrapper("nice", &["-n", "--adjustment"], 0),
    wrapper("ionice", &["-c", "--class", "-n", "--classdata"], 0),
    wrapper("chrt", &[], 1),
    wrapper("taskset", &[], 1),
    wrapper("flock", &["-w", "--timeout", "-E"], 1),
    wrapper("stdbuf", &["-i", "-o", "-e"], 0),
    wrapper("time", &["-o", "-f", "--output", "--format"], 0),
    wrapper("xargs", &["-I", "-n", "-P", "-L", "-d", "-a", "-s", "-E"], 0),
    wrapper("sudo", &["-u", "--user", "-g", "--group", "-D", "--chdir", "-p"], 0),
    wrapper("doas", &["-u"], 0),
    wrapper("exec", &["-a"], 0),
    wrapper("strace", &["-o", "-e", "-s"], 0),
    wrapper("nohup", &[], 0),
    wrapper("setsid", &[], 0),
    wrapper("command", &[], 0),
    wrapper("builtin", &[], 0),
    wrapper("eval", &[], 0),
    wrapper("busybox", &[], 0),
    wrapper("!", &[], 0),
    wrapper("if", &[], 0),
    wrapper("then", &[], 0),
    wrapper("else", &[], 0),
    wrapper("elif", &[], 0),
    wrapper("do", &[], 0),
    wrapper("while", &[], 0),
    wrapper("until", &[], 0),
];

impl Wrapper {
    fn called(word: &str) -> Option<&'static Wrapper> {
        WRAPPERS.iter().find(|wrapper| wrapper.name == base(word))
    }

    /// The words of what it starts, and the folder that it goes to before.
    fn started<'a>(&self, words: &'a [String]) -> (&'a [String], Option<&'a str>) {
        let (mut at, mut operands, mut folder) = (1, self.operands, None);
        while let Some(word) = words.get(at) {
            let value = words.get(at + 1).map(String::as_str);
            if self.values.contains(&word.as_str()) {
                folder = value.filter(|_| matches!(word.as_str(), "-C" | "--chdir" | "-D")).or(folder);
                at += 2;
            } else if word.starts_with('-') || is_assignment(word) {
                folder = word.strip_prefix("--chdir=").or(folder);
                at += 1;
            } else if operands > 0 {
                operands -= 1;
                at += 1;
            } else {
                break;
            }
        }
        (words.get(at..).unwrap_or_default(), folder)
    }
}

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
    let Some(first) = words.first().filter(|first| !first.is_empty()) else { return };
    if first == "cd" {
        if let Some(to) = words.get(1) {
            *folder = below(folder, known_end(to));
        }
        return;
    }
    if let Some(wrapper) = Wrapper::called(first) {
        found.push(Simple { words: vec![first.clone()], folder: folder.clone() });
        let (rest, goes_to) = wrapper.started(&words);
        let mut inner = goes_to.map_or_else(|| folder.clone(), |to| below(folder, known_end(to)));
        // What is one word for a shell is a line for whoever is handed it.
        let lines = if wrapper.name == "eval" { split(&rest.join(" ")) } else { vec![rest.to_vec()] };
        for words in lines {
            take_command(words, &mut inner, found, depth);
        }
        if goes_to.is_none() {
            *folder = inner;
        }
        return;
    }
    let within = scripts_within(&words);
    found.push(Simple { words, folder: folder.clone() });
    for script in within.iter().filter(|_| depth < DEEPEST) {
        let mut inner = folder.clone();
        for words in split(script) {
            take_command(words, &mut inner, found, depth + 1);
        }
    }
}

/// What the words of a command hold that is run as well: `sh -c '…'`, `"$(…)"`.
fn scripts_within(words: &[String]) -> Vec<String> {
    let mut behind = words.iter().skip_while(|word| !SHELLS.contains(&base(word)));
    let handed = behind.find(|word| hands_a_line(word)).and_then(|_| behind.next()).cloned();
    handed.into_iter().chain(words.iter().filter_map(|word| substituted(word))).collect()
}

/// `-c`, `-ec`: the next word is a line for the shell.
pub(super) fn hands_a_line(flag: &str) -> bool {
    let letters = flag.strip_prefix('-').unwrap_or_default();
    letters.contains('c') && letters.chars().all(|letter| letter.is_ascii_alphabetic())
}

/// The script that a shell's words name, behind its flags and their values: `-euo pipefail x.sh`.
pub(super) fn script_of_shell(words: &[String]) -> Option<&String> {
    let mut words = words.iter().skip(1);
    while let Some(word) = words.next() {
        let has_value = word.ends_with(['o', 'O']) || matches!(word.as_str(), "--rcfile" | "--init-file");
        match word.strip_prefix(['-', '+']) {
            None => return Some(word),
            Some(_) if hands_a_line(word) => return None,
            Some(flag) if has_value && (!flag.starts_with('-') || flag.ends_with("file")) => {
                words.next();
            }
            Some(_) => {}
        }
    }
    None
}

/// What a quoted word takes from commands: from its first `$(` to its last `)`, or between its first backquotes.
fn substituted(word: &str) -> Option<String> {
    let of = |start, end| word.split_once(start).and_then(|(_, rest): (_, &str)| rest.rsplit_once(end));
    of("$(", ")").or_else(|| of("`", "`")).map(|(inner, _)| inner.to_owned())
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
    let starts_it = |word: &&String| Wrapper::called(word).is_some() || is_assignment(word);
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
    commands_within(text, 0).iter().filter_map(target).map(of).collect()
}

/// The words of all commands of a text, and of what is run within them.
pub(super) fn commands_within(text: &str, depth: usize) -> Vec<Vec<String>> {
    let mut all = split(text);
    let within = all.iter().filter(|_| depth < DEEPEST).flat_map(|words| scripts_within(words));
    let within: Vec<_> = within.flat_map(|script| commands_within(&script, depth + 1)).collect();
    all.extend(within);
    all
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

pub(super) fn is_assignment(word: &str) -> bool {
    word.split_once('=').is_some_and(|(name, _)| {
        !name.is_empty() && name.chars().all(|char| char.is_ascii_alphanumeric() || char == '_')
    })
}

/// Words between what ends a command, quotes taken off, comments left out.
fn split(text: &str) -> Vec<Vec<String>> {
    // Wherever a command is started, that is where it is started.
    let text = HERE.iter().fold(text.to_owned(), |text, here| text.replace(here, "./"));
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
            ('$', Some('"')) if chars.peek() == Some(&'(') => {
                word.push(char);
                take_substitution(&mut chars, &mut word);
            }
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

/// `(…)` to the parenthesis that closes it, as it stands: quotes begin anew there.
fn take_substitution(chars: &mut impl Iterator<Item = char>, word: &mut String) {
    let mut open = 0_usize;
    for char in chars {
        word.push(char);
        match char {
            '(' => open += 1,
            ')' => open = open.saturating_sub(1),
            _ => continue,
        }
        if open == 0 {
            return;
        }
    }
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

/// All words of the commands of a text, and of what is run within them.
pub fn words_of(text: &str) -> BTreeSet<String> {
    simple_commands(text).into_iter().flat_map(|command| command.words).collect()
}

/// The scripts that are started, relative to the working directory unless absolute: `./check.sh`, `sh ci/check.sh`,
/// `python scripts/check.py`. What an interpreter of a general language starts is often the program that is worked on: it
/// is a script of the check only where its name or folder says so.
pub fn scripts_started(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for Simple { words, folder } in simple_commands(text) {
        let Some(first) = words.first() else { continue };
        let named = base(first);
        if READERS.contains(&named) {
            found.extend(values(&words, READERS_FILES).iter().map(|file| below(&folder, file)));
        }
        let script = if SHELLS.contains(&named) {
            script_of_shell(&words)
        } else if INTERPRETERS.contains(&named) {
            let is_check =
                |script: &&String| script.contains('.') && is_about_checks(&below(&folder, script));
            operands(&words, INTERPRETERS_VALUES).into_iter().find(|word| *word != "run").filter(is_check)
        } else {
            Some(first).filter(|first| first.contains('/'))
        };
        found.extend(script.map(|script| below(&folder, script)));
    }
    found.sort();
    found.dedup();
    found
}

/// The words behind the first that are neither flags nor values of these flags.
pub(super) fn operands<'a>(words: &'a [String], with_values: &[&str]) -> Vec<&'a String> {
    let mut before = "";
    let mut found = Vec::new();
    for word in words.iter().skip(1) {
        if !word.starts_with('-') && !with_values.contains(&before) {
            found.push(word);
        }
        before = word;
    }
    found
}

/// The values of flags: `-f x`, `-fx`, `-sf x`, `--file x`, `--file=x`.
pub(super) fn values(words: &[String], flags: &[&str]) -> Vec<String> {
    let mut found = Vec::new();
    let mut words = words.iter().skip(1);
    while let Some(word) = words.next() {
        for flag in flags {
            let is_last_of_several = || {
                let letters = word.strip_prefix('-').unwrap_or_default();
                flag.strip_prefix('-').is_some_and(|flag| flag.len() == 1 && letters.ends_with(flag))
                    && letters.chars().all(|letter| letter.is_ascii_alphabetic())
            };
            let attached = match word.strip_prefix(flag) {
                Some("") => words.next().cloned(),
                Some(rest) if flag.starts_with("--") => rest.strip_prefix('=').map(str::to_owned),
                Some(rest) => Some(rest.to_owned()),
                None if is_last_of_several() => words.next().cloned(),
                None => continue,
            };
            found.extend(attached);
            break;
        }
    }
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
