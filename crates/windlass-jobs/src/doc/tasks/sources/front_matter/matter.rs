//! Front matter: the lines between two lines of `---`.

use std::ops::Range;

/// Front matter: `key: value` lines between two lines of `---`. What is nested deeper is nobody's concern here.
pub(super) struct Matter<'a> {
    pub entries: Vec<Entry<'a>>,
    /// Where its last line begins.
    pub end: usize,
    /// What comes after it.
    pub body: usize,
}

pub(super) struct Entry<'a> {
    pub key: &'a str,
    /// Where the value stands in its line, without blanks around it.
    pub value: Range<usize>,
    /// The value, or the items of its list, or its lines.
    pub items: Vec<String>,
    pub line: usize,
}

/// Reads what begins after a byte order mark of this length; or says in which line what is wrong.
pub(super) fn read(text: &str, mark: usize) -> Result<Matter<'_>, (usize, String)> {
    let mut matter = Matter { entries: Vec::new(), end: mark, body: mark };
    let lines = text.get(mark..).unwrap_or_default().split_inclusive('\n');
    if lines.clone().next().is_none_or(|line| line.trim_end() != "---") {
        return Err((1, "has no front matter: a task begins with a line `---`".to_owned()));
    }
    for (index, line) in lines.enumerate() {
        (matter.end, matter.body) = (matter.body, matter.body + line.len());
        match line.trim_end() {
            "---" if index == 0 => {}
            "---" | "..." => return Ok(matter),
            braces if matter.entries.is_empty() && braces.starts_with('{') => {
                return Err((
                    index + 1,
                    "has front matter in braces: write each key in a line of its own".to_owned(),
                ));
            }
            _ => matter.take(line.trim_end_matches(['\n', '\r']), index + 1),
        }
    }
    Err((1, "has front matter without an end: it ends with a line `---`".to_owned()))
}

impl<'a> Matter<'a> {
    /// Takes in the line that was come to.
    fn take(&mut self, text: &'a str, line: usize) {
        if let Some(item) = text.trim_start().strip_prefix("- ") {
            return self.add(scalar(item));
        }
        if text.starts_with([' ', '\t']) {
            return self.add(text.trim().to_owned());
        }
        let Some((key, value)) = text.split_once(':').filter(|_| !text.starts_with('#')) else { return };
        let source = without_comment(value.trim());
        let start = self.end + key.len() + 1 + (value.len() - value.trim_start().len());
        let items = match source {
            "" | "|" | ">" | "|-" | ">-" | "[]" => Vec::new(),
            _ => match source.strip_prefix('[').and_then(|list| list.split_once(']')) {
                Some((list, _)) => list.split(',').map(scalar).filter(|item| !item.is_empty()).collect(),
                None => vec![scalar(source)],
            },
        };
        let key = key.trim().trim_matches(['"', '\'']);
        let value = start..start + source.len();
        self.entries.push(Entry { key, value, items, line });
    }

    fn add(&mut self, item: String) {
        if let Some(entry) = self.entries.last_mut().filter(|_| !item.is_empty()) {
            entry.items.push(item);
        }
    }
}

/// A value without quotes and comment.
pub(super) fn scalar(source: &str) -> String {
    let source = without_comment(source.trim());
    if source.starts_with('"') {
        return serde_json::from_str(source).unwrap_or_else(|_| source.trim_matches('"').to_owned());
    }
    match source.strip_prefix('\'') {
        Some(rest) => rest.strip_suffix('\'').unwrap_or(rest).replace("''", "'"),
        None => source.to_owned(),
    }
}

/// Where a list ends, its bracket included; what is in quotes or in brackets of its own does not end it.
fn end_of_list(source: &str) -> Option<usize> {
    let (mut depth, mut quote) = (0_usize, None);
    for (at, letter) in source.char_indices() {
        match letter {
            _ if quote == Some(letter) => quote = None,
            _ if quote.is_some() => {}
            '"' | '\'' => quote = Some(letter),
            '[' => depth += 1,
            ']' if depth == 1 => return Some(at + 1),
            ']' => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    None
}

/// A value up to its end; a comment may follow.
fn without_comment(source: &str) -> &str {
    let closed = |close: &str| {
        let end = source.get(1..).and_then(|rest| rest.find(close)).map(|end| 1 + end + close.len());
        end.unwrap_or(source.len())
    };
    let end = match source.chars().next() {
        Some('"') if source.contains('\\') => source.rfind('"').map_or(source.len(), |end| end + 1),
        Some('"') => closed("\""),
        Some('\'') if source.contains("''") => source.rfind('\'').map_or(source.len(), |end| end + 1),
        Some('\'') => closed("'"),
        Some('[') => end_of_list(source).unwrap_or(source.len()),
        Some('#') => 0,
        _ => source.find(" #").unwrap_or(source.len()),
    };
    source.get(..end).unwrap_or(source).trim_end()
}
