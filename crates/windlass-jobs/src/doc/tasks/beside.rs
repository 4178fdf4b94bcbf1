//! Work that a text tells of in a form that its reader does not read: beside its tasks it would be work that nobody sees.

use windlass_core::values::TaskState;

use super::status::state_of;
use super::unread;

/// What is left to do by the line that a text begins with, where that is in such a form: where it stands in the line, and as what it
/// is shown.
pub(super) fn left(text: &str) -> Option<(usize, &str)> {
    let line = text.split(['\n', '\r']).next().unwrap_or_default().trim_end();
    element(line)
        .or_else(|| org(line))
        .or_else(|| bold(line))
        .or_else(|| word(line))
        .or_else(|| round(line))
        .or_else(|| input(line))
        .or_else(|| not_begun(line))
        .or_else(|| entry(line, text))
}

/// Can a line begin something of that kind? Most cannot, by their first sign.
pub(super) fn may_be(line: &str) -> bool {
    line.trim_start().starts_with(['<', '-', '*', '+'])
}

/// Where the text begins that a file's front matter stands before.
pub(super) fn after_matter(text: &str) -> usize {
    let matter = ["---\n", "---\r\n"].iter().find_map(|fence| text.strip_prefix(fence));
    let end = matter.and_then(|matter| matter.find("\n---").map(|at| text.len() - matter.len() + at));
    end.unwrap_or_default()
}

/// `<task type="auto">`, as GSD has it.
fn element(line: &str) -> Option<(usize, &str)> {
    const BEGIN: &str = "<task";
    unread::element(line)?;
    let at = line.len() - line.trim_start().len();
    let status = line.split_once("status=\"").and_then(|(_, rest)| rest.split_once('"'));
    let is_done = status.is_some_and(|(word, _)| state_of(word) == Some(TaskState::Done));
    line.get(at..at + BEGIN.len()).filter(|_| !is_done).map(|shown| (at, shown))
}

/// `** TODO [#A] Write docs`.
fn org(line: &str) -> Option<(usize, &str)> {
    let (word, title) = unread::org_parts(line)?;
    let is_left = !matches!(word, "DONE" | "CANCELLED");
    line.get(..line.len() - title.len()).filter(|_| is_left).map(|shown| (0, shown.trim_end()))
}

/// `- **Parser** — in progress`, at the margin: what stands below a box belongs to it.
fn bold(line: &str) -> Option<(usize, &str)> {
    let text = line.strip_prefix(['-', '*', '+'])?.strip_prefix(' ')?;
    let (title, rest) = text.strip_prefix("**")?.split_once("**")?;
    let word = rest.trim_start().strip_prefix(['—', '–', '-'])?.trim();
    let is_left = matches!(state_of(word), Some(TaskState::Open | TaskState::InProgress));
    (is_left && !title.eq_ignore_ascii_case("status")).then_some((0, line))
}

/// `- TODO: Parse`, at the margin.
fn word(line: &str) -> Option<(usize, &str)> {
    let text = line.strip_prefix(['-', '*', '+'])?.strip_prefix(' ')?;
    let (word, title) = text.trim_start_matches('*').split_once(':')?;
    let is_left = matches!(word.trim_end_matches('*'), "TODO" | "DOING" | "WIP" | "IN PROGRESS");
    (is_left && !title.trim_matches(['*', ' ']).is_empty()).then_some((0, line))
}

/// `- ( ) Parse`.
fn round(line: &str) -> Option<(usize, &str)> {
    let text = line.trim_start().strip_prefix(['-', '*', '+'])?.trim_start();
    let (within, title) = text.strip_prefix('(')?.split_once(')')?;
    let is_box = !within.is_empty() && within.trim().is_empty();
    let is_left = is_box && title.starts_with(' ') && !title.trim().is_empty();
    let at = line.len() - text.len();
    line.get(at..at + within.len() + 2).filter(|_| is_left).map(|shown| (at, shown))
}

/// `<li><input type="checkbox"> Parse</li>`, not ticked.
fn input(line: &str) -> Option<(usize, &str)> {
    const BEGIN: &str = "<input";
    let item = line.trim_start_matches(['-', '*', '+', ' ', '\t']);
    let text =
        ["<li>", "<p>", "<label>"].iter().fold(item, |text, tag| text.strip_prefix(tag).unwrap_or(text));
    let (tag, title) = text.strip_prefix(BEGIN)?.split_once('>')?;
    let is_left = tag.contains("checkbox") && !tag.contains("checked") && !title.trim().is_empty();
    let at = line.len() - text.len();
    line.get(at..at + BEGIN.len()).filter(|_| is_left).map(|shown| (at, shown))
}

/// `- Parse: not started`, at the margin. Other words for what is left are said of other things as well.
fn not_begun(line: &str) -> Option<(usize, &str)> {
    let text = line.strip_prefix(['-', '*', '+'])?.strip_prefix(' ')?;
    let (title, word) = text.rsplit_once(':')?;
    let word = word.trim_matches([' ', '*', '_', '.']).to_lowercase();
    let is_left = matches!(word.as_str(), "not started" | "not yet started" | "not done" | "not begun");
    let is_own = |name: &str| title.trim_matches(['*', '_', ' ']).eq_ignore_ascii_case(name);
    let is_work = title.contains(char::is_alphabetic) && !title.contains('`') && !title.contains('[');
    (is_left && is_work && !["status", "state", "phase", "progress"].into_iter().any(is_own))
        .then_some((0, line))
}

/// `- id: T1`, and members below it of which none says that it is done.
fn entry<'a>(line: &'a str, text: &'a str) -> Option<(usize, &'a str)> {
    let item = line.trim_start();
    let depth = line.len() - item.len();
    item.strip_prefix("- id:").filter(|id| !id.trim().is_empty())?;
    let is_deeper = |member: &&str| {
        let bare = member.trim_start();
        !bare.is_empty() && member.len() - bare.len() > depth
    };
    let mut members = text.lines().skip(1).take_while(is_deeper);
    (!members.any(says_done)).then_some((depth, item))
}

fn says_done(member: &str) -> bool {
    let Some((key, value)) = member.trim().split_once(':') else { return false };
    let value = value.trim().trim_matches(['"', '\'']);
    match key {
        "status" | "state" => state_of(value) == Some(TaskState::Done),
        "done" | "passes" | "completed" => value == "true",
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_in_another_form_is_seen_and_what_is_done_is_not() {
        for (text, expected) in [
            ("<task type=\"auto\">\n", Some((0, "<task"))),
            ("  <task>", Some((2, "<task"))),
            ("* TODO Parse", Some((0, "* TODO"))),
            ("** WAITING  Ship\n", Some((0, "** WAITING"))),
            ("- **Parser** — in progress\r\n", Some((0, "- **Parser** — in progress"))),
            ("* **Parser** - pending", Some((0, "* **Parser** - pending"))),
            ("- TODO: Parse", Some((0, "- TODO: Parse"))),
            ("* **DOING:** Print", Some((0, "* **DOING:** Print"))),
            ("  - id: T1\n    status: pending\n", Some((2, "- id: T1"))),
            ("- id: T1\n- id: T2\n  status: done\n", Some((0, "- id: T1"))),
        ] {
            assert_eq!(left(text), expected, "{text}");
        }
        for text in [
            "<task status=\"done\">",
            "<tasks>",
            "* DONE Parse",
            "* todo Parse",
            "- TODO Parse",
            "- TODO:",
            "- DONE: Parse",
            "  - TODO: Parse",
            "- **Parser** — done",
            "- **Status** — pending",
            "- **Note**: pending",
            "  - **Parser** — pending",
            "- id: T1\n  title: a\n  status: done\n",
            "- id: T1\n  passes: true\n",
            "- id:\n",
            "",
        ] {
            assert_eq!(left(text), None, "{text}");
        }
        assert_eq!(after_matter("---\na: b\n---\ntext"), 8);
        assert_eq!(after_matter("text\n---\n"), 0);
    }
}
