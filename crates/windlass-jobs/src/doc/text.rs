//! What documents ask of texts: one line of them, the beginning of them, the names of files.

/// A text in one line, its blanks single.
pub(super) fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The first characters of a text, without those that control.
pub(super) fn cut(text: &str, longest: usize) -> String {
    text.chars().filter(|letter| !letter.is_control()).take(longest).collect()
}

/// Some of a text, in one line, as it can be quoted in a sentence.
pub(super) fn quoted(text: &str) -> String {
    cut(&one_line(text), 80)
}

/// A text without its byte order mark, and the mark's length.
pub(super) fn without_mark(text: &str) -> (&str, usize) {
    let bare = text.trim_start_matches('\u{feff}');
    (bare, text.len() - bare.len())
}

/// How the lines of a text end.
pub(super) fn line_end(text: &str) -> &'static str {
    let crlf = text.find('\n').is_some_and(|at| text.get(..at).is_some_and(|line| line.ends_with('\r')));
    if crlf { "\r\n" } else { "\n" }
}

/// The last part of a path.
pub(super) fn base_name(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}

/// The last part of a path, without its ending.
pub(super) fn stem(path: &str) -> &str {
    let name = base_name(path);
    name.rsplit_once('.').map_or(name, |(stem, _)| stem)
}

/// Has a file this ending, in any case?
pub(super) fn ends_in(file: &str, ending: &str) -> bool {
    std::path::Path::new(file).extension().is_some_and(|its| its.eq_ignore_ascii_case(ending))
}
