//! Claude Code's permission rules: `Tool` or `Tool(content)`, as `permissions.allow` and `permissions.deny` take them.
//!
//! Checked with the real program (2.1.330):
//!
//! - In the content, `\`, `(` and `)` are escaped by a backslash.
//! - `Bash(make test)` allows exactly this command; `Bash(make test:*)` also what follows it after a blank. A list
//!   joined by `&&` or line feeds may be allowed as a whole; of a pipeline every part must be allowed. A leading
//!   `timeout 60`, a redirection within the project and harmless parts (`cd`, `tail`, …) need no rule of their own.
//! - A `*` anywhere else stands for anything. So a command that has one is allowed a little too broadly, and it needs
//!   its backslashes doubled, since a rule with a `*` unescapes once more.
//! - `Edit(//absolute/path)` stands for every tool that changes files, and holds for redirections, `cp` and `rm` in
//!   Bash too. The path is a gitignore pattern. Classes (`[^w]*`) do not work: their `^` and `!` are taken literally.
//! - Deny wins over allow.

use std::borrow::Cow;

use windlass_core::values::Denial;

use super::event::Input;
use super::settings::WORKFLOW;
use super::tools;
use crate::Right;
use crate::json::{self, Field};

/// So many characters of a refused call are kept.
const INPUT: usize = 200;

/// Tools whose rule is that of `Edit`.
const CHANGES_FILES: &[&str] = &["Edit", "Write", "MultiEdit", "NotebookEdit"];

/// Why nobody is advised to allow workflows.
const UNSEEN: &str =
    "a missing permission; what its agents cost is not seen before they end, so no rule is proposed";

/// A right as rules; none where it cannot be said.
pub(super) fn rules(right: &Right) -> Vec<String> {
    let change =
        |pattern: Option<String>| pattern.map(|pattern| rule("Edit", &pattern)).into_iter().collect();
    match right {
        Right::RunCheck(command) => gate_rules(command),
        Right::Run(command) => vec![format!("Bash({command})")],
        Right::RunWithArguments(command) => vec![format!("Bash({command}:*)")],
        Right::Change(file) => change(file.to_str().map(path_pattern)),
        Right::ChangeBelow(folder, below) => {
            change(folder.to_str().map(|folder| format!("{}/{below}", path_pattern(folder))))
        }
    }
}

/// All of these rights as rules.
pub(super) fn rules_of<'a>(rights: impl IntoIterator<Item = &'a Right>) -> Vec<String> {
    rights.into_iter().flat_map(rules).collect()
}

/// The file that a refused call was to change.
pub(super) fn file_to_change(denial: &Denial) -> Option<&str> {
    CHANGES_FILES.contains(&denial.tool.as_str()).then_some(denial.input.as_str())
}

/// The rule that allows exactly this command.
pub(super) fn gate_rule(command: &str) -> String {
    let command = command.trim();
    if has_wildcard(command) { rule("Bash", &command.replace('\\', "\\\\")) } else { rule("Bash", command) }
}

/// The rules that allow this command also where it is a pipeline or a list: the whole, then each part.
///
/// Parts are told apart where that is certain; of a command with quotes, substitutions or groups only the whole is
/// allowed.
pub(super) fn gate_rules(command: &str) -> Vec<String> {
    let mut rules = vec![gate_rule(command)];
    if !command.contains(['"', '\'', '\\', '`', '$', '(', ')', '{', '}', '<', '#']) {
        let parts = command.split(['|', ';', '\n']).flat_map(|part| part.split("&&"));
        let parts = parts.map(|part| part.trim().trim_end_matches("2>&1").trim_end());
        for part in parts.filter(|part| !part.is_empty()) {
            let rule = gate_rule(part);
            if !rules.contains(&rule) {
                rules.push(rule);
            }
        }
    }
    rules
}

/// A refused call, and the rule that would have allowed exactly this.
pub(super) fn denial(tool: &str, input: Field<'_>) -> Denial {
    let json = tools::beginning(input);
    let known = json::object::<Input<'_>>(input);
    let subject = known.as_ref().and_then(|input| match tool {
        "Bash" => string(input.command),
        "WebFetch" => string(input.url),
        "Grep" | "Glob" => string(input.path).or_else(|| string(input.pattern)),
        _ => string(input.file_path).or_else(|| string(input.notebook_path)),
    });
    let rule = match (tool, &subject) {
        (WORKFLOW, _) => String::new(),
        ("Bash", Some(command)) => gate_rule(command),
        (tool, Some(path)) if CHANGES_FILES.contains(&tool) => rule("Edit", &path_pattern(path)),
        ("Read", Some(path)) => rule("Read", &path_pattern(path)),
        ("WebFetch", Some(url)) => {
            host(url).map_or_else(|| tool.to_owned(), |host| rule("WebFetch", &format!("domain:{host}")))
        }
        _ => tool.to_owned(),
    };
    Denial {
        tool: tool.to_owned(),
        input: subject.as_deref().unwrap_or(&json).chars().take(INPUT).collect(),
        rule,
        refused_by: if tool == WORKFLOW { UNSEEN.to_owned() } else { String::new() },
    }
}

fn string(field: Field<'_>) -> Option<Cow<'_, str>> {
    Some(json::word(field)).filter(|word| !word.is_empty())
}

/// A rule, its content escaped.
pub(super) fn rule(tool: &str, content: &str) -> String {
    let content = content.replace('\\', "\\\\").replace('(', "\\(").replace(')', "\\)");
    format!("{tool}({content})")
}

/// A path as a pattern that matches only it: an absolute one begins with two slashes.
fn path_pattern(path: &str) -> String {
    let mut pattern = String::from(if path.starts_with('/') { "/" } else { "" });
    for character in path.chars() {
        if r"\[]()|+^$*?".contains(character) {
            pattern.push('\\');
        }
        pattern.push(character);
    }
    pattern
}

/// Has it a `*` that no backslash takes the meaning from?
fn has_wildcard(command: &str) -> bool {
    let mut backslashes = 0_usize;
    command.bytes().any(|byte| {
        let found = byte == b'*' && backslashes.is_multiple_of(2);
        backslashes = if byte == b'\\' { backslashes + 1 } else { 0 };
        found
    })
}

fn host(url: &str) -> Option<&str> {
    let rest = url.split_once("://")?.1;
    let authority = rest.split(['/', '?', '#']).next()?;
    let host = authority.rsplit('@').next()?;
    let host = host.split(':').next()?;
    (!host.is_empty()).then_some(host)
}
