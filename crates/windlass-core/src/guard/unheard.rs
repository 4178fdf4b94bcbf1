//! What a shell makes of a check's line although something in it failed: the exit code is that of its last command.
//!
//! Only what is plain is said. Words of control (`if`, `for`), here documents and what stands in brackets are not read.

use super::command::base;

/// Why a line may pass although what it checks failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unheard {
    /// It ends as this program does, to which all else is handed.
    Piped(String),
    /// Its end passes whatever came before: `|| true`.
    Excused(String),
    /// It is left running, and nobody waits for it.
    Background,
}

/// Programs that hand on or shorten what they read, and end well whatever it says.
const FILTERS: &[&str] = &[
    "awk", "cat", "column", "cut", "fold", "head", "less", "more", "nl", "sed", "sort", "tail", "tee", "tr",
    "ts", "uniq", "wc",
];

/// Words of control: which command is the last is not seen by reading.
const CONTROL: &[&str] = &[
    "if", "then", "else", "elif", "fi", "for", "while", "until", "do", "done", "case", "esac", "function",
    "select", "[[", "trap",
];

/// How two commands of a line are joined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Join {
    And,
    Or,
    Pipe,
    /// `;`, or a line's end.
    Then,
    Background,
}

/// Looks at the end of a line for a shell; `None` where a failure is heard, or where nobody can tell by reading.
pub fn unheard(command: &str) -> Option<Unheard> {
    let (mut joins, mut commands) = (Vec::new(), vec![Vec::new()]);
    read(command, &mut joins, &mut commands)?;
    if commands.iter().filter_map(|words| words.first()).any(|first| CONTROL.contains(&first.as_str())) {
        return None;
    }
    // What ends a line without anything after it.
    while commands.last().is_some_and(Vec::is_empty) && joins.last() != Some(&Join::Background) {
        joins.pop()?;
        commands.pop();
    }
    let stops_at_failures = commands.iter().any(|words| sets(words, 'e', "errexit"));
    let hears_pipes = command.contains("pipefail");
    let last = commands.last()?;
    match joins.last()? {
        Join::Background if last.is_empty() => Some(Unheard::Background),
        Join::Pipe if !hears_pipes => {
            let program = base(last.first()?);
            FILTERS.contains(&program).then(|| Unheard::Piped(program.to_owned()))
        }
        Join::Or if always_passes(last) => Some(Unheard::Excused(format!("|| {}", last.join(" ")))),
        Join::Then if always_passes(last) && !stops_at_failures => {
            Some(Unheard::Excused(format!("; {}", last.join(" "))))
        }
        _ => None,
    }
}

/// What is said of them before the first iteration; `None` where each failure is heard.
pub fn unheard_notice<'a>(commands: impl Iterator<Item = &'a str>) -> Option<String> {
    let said = |command: &str| {
        let why = match unheard(command)? {
            Unheard::Piped(program) => {
                format!("passes when `{program}` does (`bash -o pipefail -c '…'` hears the rest)")
            }
            Unheard::Excused(end) => format!("passes whatever fails, by its end `{end}`"),
            Unheard::Background => "passes before it has ended, by its end `&`".to_owned(),
        };
        Some(format!("`{command}` {why}"))
    };
    let said: Vec<String> = commands.filter_map(said).collect();
    (!said.is_empty()).then(|| format!("a check shows less than it seems to: {}", said.join("; ")))
}

/// A command that ends with 0 in any case.
fn always_passes(words: &[String]) -> bool {
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    matches!(words.as_slice(), ["true" | ":" | "echo" | "printf", ..] | ["exit" | "return", "0"])
}

/// `set -e`, `set -euo pipefail`, `set -o errexit`
fn sets(words: &[String], letter: char, name: &str) -> bool {
    let is_it = |word: &String| word == name || word.starts_with('-') && word.contains(letter);
    words.first().is_some_and(|first| first == "set") && words.iter().skip(1).any(is_it)
}

/// The words of each command, and what joins them; what stands in brackets is a word. `None` for what is not read.
fn read(text: &str, joins: &mut Vec<Join>, commands: &mut Vec<Vec<String>>) -> Option<()> {
    let (mut word, mut quote, mut depth) = (None::<String>, None, 0_u32);
    let mut chars = text.trim().chars().peekable();
    while let Some(char) = chars.next() {
        let before = word.as_deref().and_then(|word| word.chars().next_back());
        let join = match (char, quote) {
            ('\\', None | Some('"')) => {
                let next = chars.next().filter(|next| *next != '\n');
                word.get_or_insert_default().extend(next);
                continue;
            }
            (_, Some(open)) => {
                quote = quote.filter(|_| char != open);
                word.get_or_insert_default().push(char);
                continue;
            }
            ('\'' | '"' | '`', None) => {
                quote = Some(char);
                word.get_or_insert_default().push(char);
                continue;
            }
            ('<', None) if chars.peek() == Some(&'<') => return None,
            ('#', None) if depth == 0 && word.is_none() => {
                while chars.next_if(|next| *next != '\n').is_some() {}
                continue;
            }
            ('(' | '{', None) => {
                depth += 1;
                word.get_or_insert_default().push(char);
                continue;
            }
            (')' | '}', None) => {
                depth = depth.checked_sub(1)?;
                word.get_or_insert_default().push(char);
                continue;
            }
            (_, None) if depth > 0 => {
                word.get_or_insert_default().push(char);
                continue;
            }
            ('&', None) if chars.next_if_eq(&'&').is_some() => Join::And,
            // Of a redirection.
            ('&', None) if matches!(before, Some('>' | '<')) || chars.peek() == Some(&'>') => {
                word.get_or_insert_default().push(char);
                continue;
            }
            ('&', None) => Join::Background,
            ('|', None) if before == Some('>') => continue,
            ('|', None) if chars.next_if_eq(&'|').is_some() => Join::Or,
            ('|', None) => {
                chars.next_if_eq(&'&');
                Join::Pipe
            }
            (';' | '\n', None) => Join::Then,
            (' ' | '\t' | '\r', None) => {
                commands.last_mut()?.extend(word.take());
                continue;
            }
            _ => {
                word.get_or_insert_default().push(char);
                continue;
            }
        };
        commands.last_mut()?.extend(word.take());
        // An empty line joins nothing, and a line may end after what joins it to the next.
        if join == Join::Then && commands.last()?.is_empty() {
            continue;
        }
        joins.push(join);
        commands.push(Vec::new());
    }
    commands.last_mut()?.extend(word.take());
    (quote.is_none() && depth == 0).then_some(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn what_a_line_s_end_hides() {
        let piped = |program: &str| Some(Unheard::Piped(program.to_owned()));
        let excused = |end: &str| Some(Unheard::Excused(end.to_owned()));
        let rows = [
            ("cargo test | tee log", piped("tee")),
            ("cargo test 2>&1 | /usr/bin/tail -20", piped("tail")),
            ("cargo test |& cat", piped("cat")),
            ("cd app && npm test | tee log", piped("tee")),
            ("make check | grep -v noise | head", piped("head")),
            ("cargo test | tee log;", piped("tee")),
            ("cargo test | tee log # for the record", piped("tee")),
            ("cargo test |\n  tee log", piped("tee")),
            ("cargo test || true", excused("|| true")),
            ("cargo test || :", excused("|| :")),
            ("cargo test || echo failed", excused("|| echo failed")),
            ("cargo test || exit 0", excused("|| exit 0")),
            ("a && b || true", excused("|| true")),
            ("cargo test; true", excused("; true")),
            ("cargo test\necho done\n", excused("; echo done")),
            ("cargo test &", Some(Unheard::Background)),
            ("(a; b) || true", excused("|| true")),
            // A failure is heard.
            ("cargo test", None),
            ("cargo test 2>&1", None),
            ("cargo test &> log", None),
            ("cargo test >| log", None),
            ("cargo test | grep -q ok", None),
            ("! grep -rn FIXME src | head -1 | grep .", None),
            ("bash -o pipefail -c 'cargo test | tee log'", None),
            ("set -o pipefail; cargo test | tee log", None),
            ("set -e; cargo test; echo ok", None),
            ("set -euo pipefail\ncargo test\necho ok", None),
            ("cargo test && echo ok", None),
            ("cargo test || exit 1", None),
            ("cargo test || { echo failed; exit 1; }", None),
            ("cargo test || (echo failed; false)", None),
            ("server & sleep 1; curl -f localhost", None),
            ("test \"$(git status --porcelain | wc -l)\" = 0", None),
            ("test $(cat x | wc -l) -eq 0", None),
            ("diff <(sort a) <(sort b)", None),
            ("grep 'a || true' x", None),
            ("echo a\\|cat", None),
            ("if a; then b; fi; true", None),
            ("cat <<X | sh\nfalse\nX\ntrue", None),
            ("a 'never closed | cat", None),
            ("true", None),
            ("", None),
        ];
        for (command, expected) in rows {
            assert_eq!(unheard(command), expected, "{command}");
        }
    }

    #[test]
    fn all_of_them_are_said_in_one_sentence() {
        let said = |commands: &[&str]| unheard_notice(commands.iter().copied());
        assert_eq!(said(&["cargo test", "grep -q x y"]), None);
        assert_eq!(
            said(&["a | tee log", "b", "c || true", "d &"]).unwrap(),
            "a check shows less than it seems to: `a | tee log` passes when `tee` does (`bash -o pipefail -c '…'` \
             hears the rest); `c || true` passes whatever fails, by its end `|| true`; `d &` passes before it has \
             ended, by its end `&`"
        );
    }

    proptest! {
        #[test]
        fn no_line_of_a_shell_panics(text in "[a-c ./&|;'\"\\\\$(){}<>#\n]{0,40}") {
            let _ = unheard(&text);
        }

        // Whatever a plain command is, it is heard alone.
        #[test]
        fn a_plain_command_is_heard(text in "[a-z]{1,8}( [a-z./-]{1,8}){0,4}") {
            prop_assume!(!CONTROL.iter().any(|word| text.starts_with(word)));
            prop_assert_eq!(unheard(&text), None);
        }
    }
}
