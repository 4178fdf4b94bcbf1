//! The words of fields: priorities, types, dependencies. Those of statuses: [`status`](super::status).

use std::ops::Range;

use windlass_core::values::TaskRow;

use crate::doc::text::one_line;

/// The types of conventional commits. Any other is a `chore`, as `DevLoop` has it.
const KINDS: &[&str] =
    &["feat", "fix", "docs", "style", "refactor", "perf", "test", "build", "ci", "chore", "revert"];

/// What a field with dependencies may be called.
pub(in crate::doc) const DEPENDENCY_NAMES: &[&str] = &[
    "dependencies",
    "dependency",
    "depends on",
    "depends_on",
    "dependson",
    "depends",
    "deps",
    "dep",
    "blockedby",
    "blocked by",
    "blocked_by",
    "prerequisites",
    "prerequisite",
    "abhängigkeiten",
    "abhängig von",
    "hängt ab von",
    "dépendances",
    "dépend de",
    "dependencias",
    "depende de",
    "dependências",
    "依赖",
    "依賴",
    "依存",
];

/// Other names of types.
const KIND_NAMES: &[(&str, &str)] = &[
    ("feature", "feat"),
    ("bugfix", "fix"),
    ("bug", "fix"),
    ("documentation", "docs"),
    ("tests", "test"),
    ("performance", "perf"),
];

/// Without decoration around it, and without a remark in parentheses.
fn bare(line: &str) -> &str {
    let trim = |text: &'_ str| -> Range<usize> {
        let start = text.len() - text.trim_start_matches(|letter: char| !letter.is_alphanumeric()).len();
        let end = text.trim_end_matches(|letter: char| !letter.is_alphanumeric()).len();
        start.min(end)..end
    };
    let bare = line.get(trim(line)).unwrap_or_default();
    let words = bare.split('(').next().unwrap_or_default();
    words.get(trim(words)).unwrap_or_default()
}

/// A priority: a word, or a number; what is too large for a byte comes last.
pub(super) fn priority(value: &str) -> Option<u8> {
    let word = bare(value.trim()).to_lowercase();
    match word.as_str() {
        "critical" | "urgent" | "blocker" | "highest" => Some(0),
        "high" => Some(1),
        "medium" | "normal" => Some(TaskRow::USUAL_PRIORITY),
        "low" => Some(3),
        "lowest" => Some(4),
        number => {
            let digits = number.strip_prefix('p').unwrap_or(number);
            let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
            is_number.then(|| digits.parse().unwrap_or(u8::MAX))
        }
    }
}

/// The type of a change.
pub(super) fn kind(value: &str) -> Option<String> {
    let word = bare(value).to_lowercase();
    if word.is_empty() || is_none(&word) {
        return None;
    }
    let known = KIND_NAMES.iter().find(|(name, _)| *name == word).map_or(word.as_str(), |(_, kind)| kind);
    Some(if KINDS.contains(&known) { known } else { "chore" }.to_owned())
}

/// The longest name of an agent and its model, in bytes.
const AGENT: usize = 200;

/// Who is to work on a task: an agent's name, perhaps with a model behind a colon. What is no such name is text for whoever works.
pub(super) fn agent(value: &str) -> Option<String> {
    let name = value.trim().trim_matches('`');
    let is_name = !name.is_empty() && name.len() <= AGENT && !is_none(name);
    let is_word = !name.chars().any(|letter| letter.is_whitespace() || letter.is_control());
    (is_name && is_word).then(|| name.to_owned())
}

/// So many labels has a task at most, and so long is each: what a fleet's servers take.
const LABELS: (usize, usize) = (7, 31);

/// What a worker has to have for a task: labels with commas or blanks. What are no such labels is text for whoever works.
pub(super) fn requires(value: &str) -> Vec<String> {
    let is_inside = |letter: char| letter.is_ascii_lowercase() || letter.is_ascii_digit();
    let is_label = |label: &str| {
        label.len() <= LABELS.1
            && label.starts_with(is_inside)
            && label.chars().all(|letter| is_inside(letter) || "-_=".contains(letter))
    };
    let parts = value.split([',', ' ', '\t', '\n']).map(|part| part.trim_matches('`'));
    let labels: Vec<&str> = parts.filter(|part| !part.is_empty()).collect();
    let are_labels =
        labels.len() <= LABELS.0 && labels.iter().all(|label| is_label(label) && !is_none(label));
    if are_labels { labels.into_iter().map(str::to_owned).collect() } else { Vec::new() }
}

/// What a change breaks; the title where the field only says that it breaks something.
pub(super) fn breaking(value: &str, title: &str) -> Option<String> {
    let value = one_line(value);
    match value.to_lowercase().as_str() {
        "" | "no" | "false" => None,
        "yes" | "true" => Some(title.to_owned()),
        word if is_none(word) => None,
        _ => Some(value),
    }
}

/// Words that say that there is nothing.
const NONE: &[&str] = &[
    "none", "n/a", "nothing", "-", "–", "—", "null", "nil", "無", "无", "なし", "없음", "keine", "keiner",
    "ninguna", "ninguno", "nenhuma", "nenhum", "aucune", "aucun", "nessuna", "нет",
];

/// Does a word say that there is nothing?
pub(in crate::doc) fn is_none(word: &str) -> bool {
    let word = word.trim_end_matches('.');
    NONE.iter().any(|none| word.eq_ignore_ascii_case(none))
}

/// The tasks that a text names: a list with commas, blanks, `and`, brackets, remarks in parentheses. What is not an id is
/// there as it is written, so that it can be named as unknown.
pub(in crate::doc) fn dependencies(value: &str) -> Vec<String> {
    let spaced = value.replace(" and ", ",").replace(" And ", ",").replace(" AND ", ",");
    let mut found = Vec::new();
    for part in spaced.split([',', ';', '\n', '\r', '&']) {
        let part = part.trim().trim_matches(is_around).trim();
        let part = match part.split_once('(') {
            Some((before, remark)) if !before.trim().is_empty() && !names_more(before, remark) => {
                before.trim().trim_matches(is_around)
            }
            _ => part,
        };
        let part = part.strip_prefix("and ").unwrap_or(part).trim();
        if part.is_empty() || is_none(part) || is_none(part.split_whitespace().next().unwrap_or_default()) {
            continue;
        }
        found.extend(ids_of(part));
    }
    found
}

/// Does a remark behind an id name another of its kind: `TASK-002 (and TASK-004)`?
fn names_more(before: &str, remark: &str) -> bool {
    let kind = |id: &str| kind_of_id(id).to_lowercase();
    let known: Vec<String> =
        before.split_whitespace().map(bare_id).filter(|word| is_id(word)).map(kind).collect();
    let mut words =
        remark.split(|letter: char| letter.is_whitespace() || matches!(letter, ',' | '/' | '+')).map(bare_id);
    words.any(|word| is_id(word) && known.contains(&kind(word)))
}

/// What stands between the first and the last of many, as a word of its own or between their signs.
const THROUGH: &[&str] = &["to", "through", "thru", "until", "till", "bis"];
const DASHES: &[&str] = &["...", "…", "..", "–", "—", "-"];

/// Two ids, and what stands between them.
const LONGEST_RANGE: usize = 160;

/// What a text may name as the first and the last of many, ids all: `T001 - T003`, `TASK-1 to TASK-5`, `T001–003`. A dash is part of
/// many an id, so that one text may be read in several ways.
pub(super) fn ranges(text: &str) -> Vec<(String, String)> {
    if text.len() > LONGEST_RANGE {
        return Vec::new();
    }
    let spaced = THROUGH.iter().map(|word| format!(" {word} "));
    let between: Vec<String> = spaced.chain(DASHES.iter().map(|dash| (*dash).to_owned())).collect();
    let small = text.to_ascii_lowercase();
    let splits = between.iter().flat_map(|between| {
        small.match_indices(between.as_str()).map(|(at, sign)| (text.get(..at), text.get(at + sign.len()..)))
    });
    let ends = splits.filter_map(|(first, last)| {
        let (first, last) = (bare_id(first?.trim()), bare_id(last?.trim()));
        let is_number = !last.is_empty() && last.bytes().all(|byte| byte.is_ascii_digit());
        let last = if is_number { format!("{}{last}", kind_of_id(first)) } else { last.to_owned() };
        (is_id(first) && is_id(&last)).then(|| (first.to_owned(), last))
    });
    ends.collect()
}

/// The ids of a part: each of several, a stage, the first before a remark, or all of it.
fn ids_of(part: &str) -> Vec<String> {
    if let Some((id, _)) = stage(part).filter(|(_, rest)| rest.is_empty()) {
        return vec![id];
    }
    let words: Vec<&str> = part.split_whitespace().map(bare_id).filter(|word| !word.is_empty()).collect();
    let called = words.first().is_some_and(|word| word.eq_ignore_ascii_case("task"));
    let words = words.get(usize::from(called && words.len() > 1)..).unwrap_or_default();
    let ids = words.iter().filter(|word| is_id(word)).count();
    let names_more = words.get(1).is_some_and(|word| THROUGH.contains(&word.to_lowercase().as_str()))
        && words.get(2).is_some_and(|word| word.contains(|letter: char| letter.is_ascii_digit()));
    match words.first() {
        // `TASK-1 to TASK-5` names more than it says.
        Some(_) if names_more || !ranges(part).is_empty() => vec![part.to_owned()],
        Some(_) if ids == words.len() => words.iter().map(|word| (*word).to_owned()).collect(),
        Some(first) if ids == 1 && is_id(first) => vec![(*first).to_owned()],
        _ => vec![part.to_owned()],
    }
}

/// What a step on the way may be called that has a number of its own.
const STAGES: [&str; 5] = ["Stage", "Phase", "Task", "Step", "Milestone"];

/// The id of a stage as a text begins with one, and what follows: `Stage 1: Title` is `Stage-1`.
pub(in crate::doc) fn stage(text: &str) -> Option<(String, &str)> {
    let (word, rest) = text.split_once(' ')?;
    let word = STAGES.iter().find(|stage| stage.eq_ignore_ascii_case(word))?;
    let end =
        rest.find(|letter: char| !letter.is_ascii_alphanumeric() && letter != '.').unwrap_or(rest.len());
    let (number, rest) = rest.split_at_checked(end)?;
    let number = number.trim_end_matches('.');
    let is_number = number.starts_with(|first: char| first.is_ascii_digit());
    is_number.then(|| (format!("{word}-{number}"), rest))
}

/// The letters that an id begins with, which others of its list share: `T` of `T021`, `TASK-` of `TASK-7`.
pub(super) fn kind_of_id(id: &str) -> &str {
    id.split(|letter: char| letter.is_ascii_digit()).next().unwrap_or(id)
}

pub(super) fn bare_id(word: &str) -> &str {
    word.trim_matches(|letter: char| is_around(letter) || matches!(letter, ':' | '.' | '#' | '-' | '–' | '—'))
}

const fn is_around(letter: char) -> bool {
    matches!(letter, '[' | ']' | '(' | ')' | '{' | '}' | '`' | '"' | '\'' | '*' | '<' | '>')
}

/// Is this written as an id: letters, then perhaps other signs, with a digit among them?
pub(in crate::doc) fn is_id(word: &str) -> bool {
    word.starts_with(|first: char| first.is_ascii_alphabetic())
        && word.bytes().any(|byte| byte.is_ascii_digit())
        && word.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.'))
        && word.len() <= 64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_list_of_dependencies_names_is_there_whole() {
        let table: &[(&str, &[&str])] = &[
            ("TASK-001, TASK-002 and TASK-003", &["TASK-001", "TASK-002", "TASK-003"]),
            ("TASK-002 (the form)", &["TASK-002"]),
            ("TASK-002 (version 2)", &["TASK-002"]),
            ("TASK-002 (and TASK-004)", &["TASK-002 (and TASK-004"]),
            ("TASK-002 through 003", &["TASK-002 through 003"]),
            ("TASK-1 to TASK-5", &["TASK-1 to TASK-5"]),
            ("T001 - T003, T007", &["T001 - T003", "T007"]),
            ("T001 – T003", &["T001 – T003"]),
            ("T001 - the form", &["T001"]),
            ("T001 T003", &["T001", "T003"]),
            ("Phase 1", &["Phase-1"]),
            ("stage 2, Milestone 1.1", &["Stage-2", "Milestone-1.1"]),
            ("Task T001", &["T001"]),
            ("none", &[]),
        ];
        for (text, expected) in table {
            assert_eq!(dependencies(text), *expected, "{text}");
        }
    }
}
