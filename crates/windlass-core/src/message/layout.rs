//! Lines of a message: one for the subject, the rest below it.

/// Characters of a subject. Linters of conventional commits refuse longer ones.
const SUBJECT: usize = 100;

/// Columns of a body.
const COLUMNS: usize = 72;

/// Characters of one value; what a file has beyond them helps nobody in a history.
const VALUE: usize = 2_000;

/// One line of plain characters: breaks and tabs become spaces, other control characters and those that turn the
/// direction of text around go.
pub(super) fn cleaned(text: &str) -> String {
    let plain = text.chars().take(VALUE).filter_map(|character| match character {
        _ if character.is_whitespace() => Some(' '),
        '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => None,
        _ if character.is_control() => None,
        _ => Some(character),
    });
    plain.collect::<String>().split(' ').filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
}

/// A filled-in template without what empty values leave behind: brackets around nothing, separators at the ends.
pub(super) fn tidied(line: &str) -> String {
    let mut line = cleaned(line);
    for empty in ["()", "[]"] {
        line = line.replace(empty, "");
    }
    let line = cleaned(&line).replace(" :", ":").replace(": - ", ": ");
    line.trim_matches([' ', '-', '–', ':', ',']).to_owned()
}

/// A line as a subject, and what did not fit.
pub(super) fn cut(line: &str) -> (String, Option<String>) {
    let Some((end, _)) = line.char_indices().nth(SUBJECT) else { return (line.to_owned(), None) };
    // Room for the ellipsis; where a word is very long it is cut in the middle.
    let room = line.char_indices().nth(SUBJECT - 1).map_or(end, |(at, _)| at);
    let (head, _) = line.split_at(room);
    let at = head.rfind(' ').filter(|at| *at > room / 2).unwrap_or(room);
    let (subject, rest) = line.split_at(at);
    (format!("{}…", subject.trim_end()), Some(format!("…{}", rest.trim_start())))
}

/// A paragraph in lines of a body's width. A longer word has a line of its own.
pub(super) fn wrapped(text: &str) -> String {
    let mut lines: Vec<String> = Vec::new();
    let mut width = 0;
    for word in text.split(' ').filter(|word| !word.is_empty()) {
        let length = word.chars().count();
        if let Some(line) = lines.last_mut().filter(|_| width + 1 + length <= COLUMNS) {
            line.push(' ');
            line.push_str(word);
            width += 1 + length;
        } else {
            lines.push(word.to_owned());
            width = length;
        }
    }
    lines.join("\n")
}
