//! The words of a Rust source: those in comments and strings are none.

/// A piece of a source.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Token<'a> {
    /// A name, a keyword or a number; `r#loop` is one, and other than `loop`.
    Word(&'a str),
    /// What stands between the quotes of a string, as it is written.
    Text(&'a str),
    /// Any other letter that is no space.
    Sign(char),
}

/// All pieces of a source. Lifetimes and single letters in quotes are left out: nobody asks for them.
pub fn tokens(text: &str) -> Vec<Token<'_>> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let length = if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if rest.starts_with("/*") {
            comment(rest)
        } else if first == '"' {
            let end = string(rest);
            found.push(Token::Text(rest[1..end].strip_suffix('"').unwrap_or(&rest[1..end])));
            end
        } else if first == '\'' {
            letter_or_lifetime(rest)
        } else if let Some((said, length)) = raw_string(rest) {
            found.push(Token::Text(said));
            length
        } else if is_of_word(first) {
            let length = word(rest);
            found.push(Token::Word(&rest[..length]));
            length
        } else {
            found.extend((!first.is_whitespace()).then_some(Token::Sign(first)));
            first.len_utf8()
        };
        rest = &rest[length..];
    }
    found
}

fn is_of_word(letter: char) -> bool {
    letter.is_alphanumeric() || letter == '_'
}

/// The length of a comment between `/*` and `*/`, with those inside it.
fn comment(text: &str) -> usize {
    let mut depth = 0_usize;
    let mut at = 0;
    while at < text.len() {
        if text[at..].starts_with("/*") {
            depth += 1;
            at += 2;
        } else if text[at..].starts_with("*/") {
            depth -= 1;
            at += 2;
            if depth == 0 {
                return at;
            }
        } else {
            at += text[at..].chars().next().map_or(1, char::len_utf8);
        }
    }
    text.len()
}

/// The length of a string, with its quotes.
fn string(text: &str) -> usize {
    let mut escaped = false;
    for (at, letter) in text.char_indices().skip(1) {
        if letter == '"' && !escaped {
            return at + 1;
        }
        escaped = letter == '\\' && !escaped;
    }
    text.len()
}

/// What a raw string says, and its length: `r"…"`, `br#"…"#`.
fn raw_string(text: &str) -> Option<(&str, usize)> {
    let marked = ["r", "br", "cr"].iter().find_map(|mark| text.strip_prefix(mark))?;
    let opened = marked.trim_start_matches('#');
    let closing = format!("\"{}", "#".repeat(marked.len() - opened.len()));
    let said = opened.strip_prefix('"')?;
    let end = said.find(&closing).unwrap_or(said.len());
    let begins = text.len() - said.len();
    Some((&said[..end], (begins + end + closing.len()).min(text.len())))
}

/// The length of `'a'`, `'\''` or `'a`.
fn letter_or_lifetime(text: &str) -> usize {
    let mut letters = text.char_indices().skip(1);
    match (letters.next(), letters.next()) {
        (Some((_, '\\')), Some((at, escaped))) => {
            let after = at + escaped.len_utf8();
            text[after..].find('\'').map_or(text.len(), |end| after + end + 1)
        }
        (Some(_), Some((at, '\''))) => at + 1,
        _ => 1 + word(&text[1..]),
    }
}

/// The length of the word that a text begins with, with its `r#`.
fn word(text: &str) -> usize {
    let end_of = |text: &str| text.find(|letter| !is_of_word(letter)).unwrap_or(text.len());
    match text.strip_prefix("r#") {
        Some(raw) if raw.starts_with(is_of_word) => 2 + end_of(raw),
        _ => end_of(text),
    }
}

#[cfg(test)]
mod tests {
    use super::Token::{Sign, Text, Word};
    use super::*;

    #[test]
    fn comments_and_strings_have_no_words() {
        for (text, found) in [
            ("mod a;", vec![Word("mod"), Word("a"), Sign(';')]),
            ("// mod a;\nb", vec![Word("b")]),
            ("/* mod /* a */ é; */b", vec![Word("b")]),
            ("/* mod a;", vec![]),
            (r#""mod \" a;" b"#, vec![Text(r#"mod \" a;"#), Word("b")]),
            (r#""\\" b"#, vec![Text(r"\\"), Word("b")]),
            ("\"mod a;", vec![Text("mod a;")]),
            (r##"r#"mod " a;"# b"##, vec![Text("mod \" a;"), Word("b")]),
            (r#"r"\" b"#, vec![Text("\\"), Word("b")]),
            (r#"br"\" b"c""#, vec![Text("\\"), Word("b"), Text("c")]),
            ("r#\"mod a;", vec![Text("mod a;")]),
            ("r#loop r r#", vec![Word("r#loop"), Word("r"), Word("r"), Sign('#')]),
        ] {
            assert_eq!(tokens(text), found, "{text}");
        }
    }

    #[test]
    fn a_quote_in_quotes_begins_no_string() {
        for (text, found) in [
            ("'\"' b", vec![Word("b")]),
            (r"'\'' b", vec![Word("b")]),
            (r"'\\' b", vec![Word("b")]),
            (r"'\u{7f}' b", vec![Word("b")]),
            ("b'\"' c", vec![Word("b"), Word("c")]),
            ("'…' b", vec![Word("b")]),
            ("&'a str, 'b'", vec![Sign('&'), Word("str"), Sign(',')]),
            ("'", vec![]),
        ] {
            assert_eq!(tokens(text), found, "{text}");
        }
    }
}
