//! What has to be there for a check to pass at all: the programs and files of the commands that it is certain to run.
//!
//! A shell's line can decide by itself what it runs. So only its beginning is looked at: commands joined by `&&`, up to
//! anything else that a shell could go another way at. What cannot be read (variables, patterns) needs nothing, and neither
//! does what an earlier command of the line may have made: only what is certain may keep a run from beginning.

use super::command::{base, below, is_assignment};

/// Something that a check cannot do without.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Need {
    /// A program that the search path has to have.
    Program(String),
    /// A file that is started: it has to be there and may be started.
    Executable(String),
    /// A file that is read.
    File(String),
    /// A folder that is entered.
    Folder(String),
    /// One of these files, for this tool.
    OneOf(&'static str, Vec<String>),
    /// A word that not every shell knows, and that is no program.
    WordOfShell(String),
}

/// What shells do themselves.
const BUILT_IN: &[&str] = &[
    ".", ":", "[", "alias", "bg", "break", "case", "cd", "command", "continue", "echo", "eval", "exec",
    "exit", "export", "false", "fg", "for", "getopts", "hash", "if", "jobs", "kill", "local", "printf",
    "pwd", "read", "readonly", "return", "set", "shift", "test", "time", "times", "trap", "true", "type",
    "ulimit", "umask", "unalias", "unset", "until", "wait", "while", "!", "{",
];

/// What leaves everything as it is, so that what comes after it finds what is there now.
const ONLY_LOOKS: &[&str] = &[
    ":", "[", "cat", "cd", "cmp", "diff", "echo", "egrep", "export", "false", "fgrep", "grep", "head", "ls",
    "printf", "pwd", "rg", "set", "sleep", "stat", "tail", "test", "true", "type", "umask", "ulimit", "wc",
    "which",
];

/// What may bring a program that is called after it.
const MAY_BRING: &[&str] = &[
    "apt", "apt-get", "brew", "chmod", "cp", "curl", "gem", "gmake", "install", "just", "ln", "make", "mv",
    "nix", "npx", "pip", "pip3", "pipx", "rake", "rsync", "rustup", "tar", "task", "unzip", "uv", "wget",
];

/// Words with which others do.
const TO_BRING: &[&str] =
    &["add", "bootstrap", "ci", "get", "i", "install", "link", "setup", "sync", "update"];

/// What bash, zsh and their kin know, and the plainest shells do not.
const OF_SOME_SHELLS: &[&str] = &["[[", "declare", "let", "pushd", "shopt", "source"];

const SHELLS: &[&str] = &["sh", "bash", "dash", "zsh", "ksh"];

const INTERPRETERS: &[&str] = &["python", "python3", "node", "ruby", "perl", "php"];

/// What an earlier command of a line has left certain about the later ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum After {
    /// All is there as it is now.
    AsNow,
    /// Files and folders may have been made; the search path has the programs that it has now.
    FilesMade,
    /// Nothing is known any more.
    Anything,
}

/// What the command of a check cannot do without, in its order.
pub fn needs(command: &str) -> Vec<Need> {
    let mut found = Vec::new();
    let mut folder = String::new();
    let mut state = After::AsNow;
    for words in certain(command) {
        let at = words.iter().position(|word| !is_assignment(word)).unwrap_or(words.len());
        let (set, words) = words.split_at(at);
        if set.iter().any(|word| sets_the_search_path(word)) {
            break;
        }
        let Some((first, rest)) = words.split_first() else { continue };
        if OF_SOME_SHELLS.contains(&first.as_str()) {
            found.push(Need::WordOfShell(first.clone()));
            break;
        }
        if !is_plain(first) {
            break;
        }
        if first == "cd" {
            match rest.first().filter(|to| is_plain(to) && !to.starts_with('-')) {
                Some(to) => folder = below(&folder, to),
                None => break,
            }
        }
        let all = needs_of(first, rest, &folder);
        found
            .extend(all.into_iter().filter(|need| state == After::AsNow || matches!(need, Need::Program(_))));
        state = state.and_then(first, rest);
        if state == After::Anything {
            break;
        }
    }
    found.dedup();
    found
}

/// What one command needs, where it is started in this folder.
fn needs_of(first: &str, rest: &[String], folder: &str) -> Vec<Need> {
    if first == "cd" {
        return vec![Need::Folder(folder.to_owned())];
    }
    program(first, folder).into_iter().chain(file(first, rest, folder)).collect()
}

impl After {
    /// The same after one more command.
    fn and_then(self, first: &str, rest: &[String]) -> After {
        if ONLY_LOOKS.contains(&first) {
            return if rest.iter().any(|word| sets_the_search_path(word)) { After::Anything } else { self };
        }
        let runs_a_text = first.contains('/') || SHELLS.contains(&first) || INTERPRETERS.contains(&first);
        let may_bring =
            MAY_BRING.contains(&first) || rest.iter().any(|word| TO_BRING.contains(&word.as_str()));
        // What shells do themselves may change the shell: `.`, `eval`, `alias`, `exec`.
        if runs_a_text || may_bring || BUILT_IN.contains(&first) { After::Anything } else { After::FilesMade }
    }
}

/// `PATH=…`: where programs are looked for is another place then.
fn sets_the_search_path(word: &str) -> bool {
    word.starts_with("PATH=")
}

fn program(first: &str, folder: &str) -> Option<Need> {
    if first.contains('/') {
        return Some(Need::Executable(below(folder, first)));
    }
    (!BUILT_IN.contains(&first)).then(|| Need::Program(first.to_owned()))
}

/// The file that a program is told to run.
fn file(first: &str, rest: &[String], folder: &str) -> Option<Need> {
    let named = base(first);
    let argument = rest.first().filter(|word| is_plain(word) && !word.starts_with('-'));
    if named == "make" || named == "gmake" {
        let is_told = |word: &String| word.starts_with('-') || !is_plain(word);
        let makefiles = ["GNUmakefile", "makefile", "Makefile"].map(|name| below(folder, name));
        return (!rest.iter().any(is_told)).then(|| Need::OneOf("make", makefiles.into()));
    }
    if SHELLS.contains(&named) {
        return argument.map(|script| Need::File(below(folder, script)));
    }
    let names_file = |word: &&String| word.contains(['/', '.']) && !word.contains(':');
    let interprets = INTERPRETERS.contains(&named);
    argument.filter(|word| interprets && names_file(word)).map(|script| Need::File(below(folder, script)))
}

/// Nothing that a shell makes something else of.
fn is_plain(word: &str) -> bool {
    !word.is_empty() && !word.contains(['$', '*', '?', '[', '~', '`', '\u{0}']) || word == "["
}

/// The words of the commands that are certain to run, one after another.
#[expect(clippy::match_same_arms, reason = "what comes first decides")]
fn certain(text: &str) -> Vec<Vec<String>> {
    let mut commands = vec![Vec::new()];
    let mut word: Option<String> = None;
    let mut quote = None;
    let mut chars = text.trim().chars().peekable();
    while let Some(char) = chars.next() {
        match (char, quote) {
            // A line that is continued.
            ('\\', None | Some('"')) if chars.next_if_eq(&'\n').is_some() => {}
            ('\\', None | Some('"')) => word.get_or_insert_default().extend(chars.next()),
            (_, Some(open)) if char == open => quote = None,
            (_, Some(_)) => word.get_or_insert_default().push(char),
            ('\'' | '"', None) => {
                quote = Some(char);
                word.get_or_insert_default();
            }
            ('&', None) if chars.next_if_eq(&'&').is_some() => {
                commands.last_mut().into_iter().for_each(|last| last.extend(word.take()));
                commands.push(Vec::new());
            }
            // Whether this one decides, a shell knows: what came before it may be the left side of `||`.
            ('|' | ';' | '&' | '(' | ')' | '{' | '}' | '`' | '\n', None) => return given_up(commands, text),
            ('<' | '>' | '#', None) if word.is_none() || char != '#' => return given_up(commands, text),
            (' ' | '\t', None) => commands.last_mut().into_iter().for_each(|last| last.extend(word.take())),
            _ => word.get_or_insert_default().push(char),
        }
    }
    if quote.is_some() {
        return Vec::new();
    }
    commands.last_mut().into_iter().for_each(|last| last.extend(word.take()));
    commands
}

/// A line that goes on in ways that are not read: its whole commands so far count where nothing can stand in for them.
fn given_up(mut commands: Vec<Vec<String>>, text: &str) -> Vec<Vec<String>> {
    if text.contains("||") || text.contains(';') || text.contains('\n') {
        return Vec::new();
    }
    commands.pop();
    commands
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn program(name: &str) -> Need {
        Need::Program(name.to_owned())
    }

    fn executable(path: &str) -> Need {
        Need::Executable(path.to_owned())
    }

    fn file(path: &str) -> Need {
        Need::File(path.to_owned())
    }

    #[test]
    fn what_a_check_cannot_do_without() {
        let rows: &[(&str, &[Need])] = &[
            ("cargo test", &[program("cargo")]),
            ("./check.sh", &[executable("check.sh")]),
            ("RUST_LOG=1 ./ci/check.sh --all", &[executable("ci/check.sh")]),
            ("/opt/tool x", &[executable("/opt/tool")]),
            ("sh check.sh", &[program("sh"), file("check.sh")]),
            ("bash -c 'x'", &[program("bash")]),
            ("python3 tests/run.py", &[program("python3"), file("tests/run.py")]),
            ("python3 -m pytest", &[program("python3")]),
            ("node --test", &[program("node")]),
            ("cd app && npm test", &[Need::Folder("app".into()), program("npm")]),
            ("cd app && ls && ./x && ls", &[Need::Folder("app".into()), program("ls"), executable("app/x")]),
            ("test -f done", &[]),
            ("! grep -q x file", &[]),
            ("'./my check'", &[executable("my check")]),
            ("\"./my\\\" check\" a", &[executable("my\" check")]),
            (
                "make",
                &[
                    program("make"),
                    Need::OneOf("make", ["GNUmakefile", "makefile", "Makefile"].map(String::from).into()),
                ],
            ),
            ("make -C app test", &[program("make")]),
            ("make -f x", &[program("make")]),
            ("test -f a && ./b", &[executable("b")]),
            ("set -e && export A=1 && grep -q x y && sh b", &[program("grep"), program("sh"), file("b")]),
            ("make \\\n-C app", &[program("make")]),
            // What the search path has stays, and files may have been made.
            ("mkdir -p out && cd out && sh x && y", &[program("mkdir"), program("sh")]),
            ("cargo fmt --check && missing", &[program("cargo"), program("missing")]),
            // After these, anything may be there, or may be another thing.
            ("make -C app && ./a.out", &[program("make")]),
            ("./make-it && missing", &[executable("make-it")]),
            ("sh build.sh && ./a.out", &[program("sh"), file("build.sh")]),
            ("cp t y && sh y && missing", &[program("cp")]),
            ("cargo install x && x", &[program("cargo")]),
            (". .venv/bin/activate && missing", &[]),
            ("eval x && missing", &[]),
            ("! ./make-it && missing", &[]),
            ("PATH=$PWD/bin:$PATH missing", &[]),
            ("PATH=bin && missing", &[]),
            ("export PATH=bin && missing", &[]),
            // What the plainest shells do not know.
            ("[[ -f x && -f y ]]", &[Need::WordOfShell("[[".into())]),
            ("source x && missing", &[Need::WordOfShell("source".into())]),
            ("[[ -f x ]] || true", &[]),
            // What may go another way is not judged.
            ("missing || true", &[]),
            ("missing; true", &[]),
            ("if missing; then exit 1; fi", &[]),
            ("$TOOL check", &[]),
            ("cd $DIR && ./x", &[]),
            ("~/bin/x", &[]),
            ("x | y", &[]),
            ("a && b | c", &[program("a")]),
            ("a && (b)", &[program("a")]),
            ("a > log", &[]),
            ("a 'never closed", &[]),
            ("", &[]),
        ];
        for (command, expected) in rows {
            assert_eq!(needs(command), *expected, "{command}");
        }
    }

    proptest! {
        #[test]
        fn no_text_panics(text in ".{0,60}") {
            let _ = needs(&text);
        }

        #[test]
        fn no_line_of_a_shell_panics(text in "[a-c ./&|;'\"\\\\$(){}\n]{0,40}") {
            let _ = needs(&text);
        }
    }
}
