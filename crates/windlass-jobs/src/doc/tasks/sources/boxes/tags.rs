//! Sections between tags, `<success_criteria>` … `</success_criteria>`: so prompts are parted, and plans that are written as prompts.

use std::borrow::Cow;
use std::ops::Range;

use super::heading::{self, Holds};

/// Names of such sections whose boxes say what has to hold, beside those that a heading has.
const CRITERIA: [&str; 4] = ["verification", "verify", "acceptance", "criteria"];

/// Names of those whose boxes show how something is written.
const SHOWN: [&str; 6] = ["example", "examples", "template", "format", "output", "output format"];

/// What stands in HTML is no section of ours.
const HTML: [&str; 24] = [
    "a",
    "b",
    "blockquote",
    "body",
    "br",
    "center",
    "code",
    "dd",
    "details",
    "div",
    "dl",
    "em",
    "hr",
    "i",
    "kbd",
    "li",
    "ol",
    "p",
    "pre",
    "script",
    "span",
    "style",
    "summary",
    "ul",
];

/// What is folded on a page: it is HTML, and has a title.
const FOLDED: &str = "details";

/// A tag whose section is not over.
struct Open<'a> {
    name: &'a str,
    /// Where it stands.
    tag: Range<usize>,
    holds: Holds,
}

/// So many tags are open at once.
const DEEPEST: usize = 32;

/// The sections of a text whose boxes are no tasks, none within another, in their order.
#[derive(Debug, Default)]
pub(super) struct Tagged(Vec<(Range<usize>, Holds)>);

/// Reads a text: its sections, and the same text, byte for byte as long, without the tags that stand alone in a line, so that what
/// is between them is Markdown. Only tags that are closed part it.
pub(super) fn read(text: &str) -> (Tagged, Cow<'_, str>) {
    if memchr::memmem::find(text.as_bytes(), b"</").is_none() {
        return (Tagged::default(), Cow::Borrowed(text));
    }
    let mut open: Vec<Open<'_>> = Vec::new();
    let (mut tags, mut sections) = (Vec::new(), Vec::new());
    let mut begins = 0;
    for line in text.split_inclusive('\n') {
        let at = begins;
        begins += line.len();
        let here = at..at + line.trim_end().len();
        if let (Some(title), Some(last)) = (summary(line.trim()), open.last_mut()) {
            last.holds = last.holds.max(heading::read(title).holds);
        }
        let Some((name, is_end)) = tag(line.trim()) else { continue };
        if !is_end {
            open.truncate(DEEPEST);
            open.push(Open { name, tag: here, holds: holds(name) });
        } else if let Some(index) = open.iter().rposition(|known| known.name == name) {
            let Some(first) = open.drain(index..).next() else { continue };
            sections.push((first.tag.end..here.start, first.holds));
            tags.extend([first.tag, here].into_iter().filter(|_| name != FOLDED));
        }
    }
    let shown = if tags.is_empty() { Cow::Borrowed(text) } else { Cow::Owned(without(text, tags)) };
    (Tagged::of(sections), shown)
}

impl Tagged {
    fn of(sections: Vec<(Range<usize>, Holds)>) -> Tagged {
        let mut all: Vec<_> = sections.into_iter().filter(|(_, holds)| *holds >= Holds::Criteria).collect();
        all.sort_by_key(|(range, _)| range.start);
        // What stands within another is what that is.
        let mut end = 0;
        all.retain(|(range, _)| {
            let is_within = range.start < end;
            end = end.max(range.end);
            !is_within
        });
        Tagged(all)
    }

    /// What the section around a place says of it.
    pub(super) fn holds(&self, at: usize) -> Holds {
        let before = self.0.partition_point(|(range, _)| range.start <= at);
        let last = before.checked_sub(1).and_then(|last| self.0.get(last));
        last.filter(|(range, _)| at < range.end).map_or(Holds::Anything, |(_, holds)| *holds)
    }
}

/// The name of a tag that is a whole line, and whether it ends its section.
fn tag(line: &str) -> Option<(&str, bool)> {
    let inner = line.strip_prefix('<')?.strip_suffix('>')?;
    if inner == FOLDED || inner == "details open" {
        return Some((FOLDED, false));
    } else if inner == "/details" {
        return Some((FOLDED, true));
    }
    let name = inner.strip_prefix('/').unwrap_or(inner);
    let is_name = name.starts_with(|first: char| first.is_ascii_alphabetic())
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'));
    let is_html = HTML.iter().any(|known| name.eq_ignore_ascii_case(known));
    (is_name && !is_html).then_some((name, name.len() < inner.len()))
}

/// The title of what is folded, where it is a line: `<summary>Acceptance criteria</summary>`.
fn summary(line: &str) -> Option<&str> {
    let title = line.strip_prefix("<summary>")?.strip_suffix("</summary>")?.trim();
    let bold = ["b", "strong"]
        .iter()
        .find_map(|name| title.strip_prefix(&format!("<{name}>"))?.strip_suffix(&format!("</{name}>")));
    Some(bold.unwrap_or(title).trim())
}

fn holds(name: &str) -> Holds {
    let words = name.replace(['-', '_'], " ").to_lowercase();
    match words.as_str() {
        name if CRITERIA.contains(&name) => Holds::Criteria,
        name if SHOWN.contains(&name) => Holds::Aside,
        name => heading::read(name).holds,
    }
}

/// A text with blanks in place of these parts of it.
fn without(text: &str, mut parts: Vec<Range<usize>>) -> String {
    parts.sort_by_key(|part| part.start);
    let (mut bare, mut from) = (String::with_capacity(text.len()), 0);
    for part in parts {
        bare.push_str(text.get(from..part.start).unwrap_or_default());
        bare.extend(std::iter::repeat_n(' ', part.len()));
        from = part.end;
    }
    bare.push_str(text.get(from..).unwrap_or_default());
    bare
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_alone_in_a_line_part_a_text_and_others_do_not() {
        for (text, expected) in [
            ("<success_criteria>\n@\n</success_criteria>\n", Holds::Criteria),
            ("<acceptance-criteria>\n@\n</acceptance-criteria>\n", Holds::Criteria),
            ("\t<verification>\r\n@\r\n\t</verification>\r\n", Holds::Criteria),
            ("<plan>\n<verify>\n<a_b>\n@\n</a_b>\n</verify>\n</plan>\n", Holds::Criteria),
            ("<out_of_scope>\n@\n</out_of_scope>\n", Holds::Aside),
            ("<example>\n<criteria>\n@\n</criteria>\n</example>\n", Holds::Aside),
            ("<details>\n<summary><b>Done when</b></summary>\n\n@\n</details>\n", Holds::Criteria),
            ("<details open>\n<summary>Phase 1</summary>\n\n@\n</details>\n", Holds::Anything),
            ("<tasks>\n@\n</tasks>\n", Holds::Anything),
            ("<criteria>\n@\n", Holds::Anything),
            ("<criteria>\n</criteria>\n@\n", Holds::Anything),
            ("a <criteria>\n@\n</criteria>\n", Holds::Anything),
            ("<criteria id=\"a\">\n@\n</criteria>\n", Holds::Anything),
        ] {
            let (tagged, shown) = read(text);
            assert_eq!(tagged.holds(text.find('@').unwrap_or_default()), expected, "{text}");
            assert_eq!(shown.len(), text.len());
        }
        assert_eq!(read("<x_y>\nö\n</x_y>").1, "     \nö\n      ");
        assert_eq!(read("<details>\n<p>\n</p>\n</details>").1, "<details>\n<p>\n</p>\n</details>");
    }
}
