//! A text without its comments and without what stands in its strings: both can hold anything.

use super::language::Language;

/// What comments and strings look like.
#[derive(Clone, Copy, Debug)]
struct Syntax {
    /// What begins a comment that ends with its line.
    line: &'static [&'static str],
    /// `/* … */`.
    block: bool,
    /// `/* /* */ */` is one comment.
    nested: bool,
    /// What strings stand between, on one line.
    quotes: &'static [u8],
    /// What strings stand between that may go over lines.
    long_quotes: &'static [&'static str],
    /// Strings end only at their quote.
    over_lines: bool,
}

fn syntax(language: Language) -> Syntax {
    let c = Syntax {
        line: &["//"],
        block: true,
        nested: false,
        quotes: b"\"'",
        long_quotes: &[],
        over_lines: false,
    };
    let hash = Syntax { line: &["#"], block: false, ..c };
    match language {
        Language::Rust => Syntax { nested: true, quotes: b"\"", over_lines: true, ..c },
        Language::JavaScript | Language::Go => Syntax { long_quotes: &["`"], ..c },
        Language::Jvm | Language::Dotnet | Language::Swift => Syntax { long_quotes: &["\"\"\""], ..c },
        Language::Dart => Syntax { long_quotes: &["\"\"\"", "'''"], ..c },
        Language::Cpp => c,
        Language::Php => Syntax { line: &["//", "# "], ..c },
        Language::Python | Language::Elixir => Syntax { long_quotes: &["\"\"\"", "'''"], ..hash },
        Language::Ruby | Language::Bats => hash,
    }
}

/// The code alone: as long as the text, with blanks for comments and for what stands in strings. Their quotes stay.
pub(super) fn code_of(text: &[u8], language: Language) -> Vec<u8> {
    let mut reader = Reader { text, at: 0, code: text.to_vec(), syntax: syntax(language), language };
    while reader.at < text.len() {
        reader.step();
    }
    reader.code
}

struct Reader<'a> {
    text: &'a [u8],
    at: usize,
    code: Vec<u8>,
    syntax: Syntax,
    language: Language,
}

impl Reader<'_> {
    fn step(&mut self) {
        let rest = self.rest();
        let Some(first) = rest.first().copied() else { return };
        if self.syntax.line.iter().any(|mark| rest.starts_with(mark.as_bytes())) {
            self.blank_to(self.line_end());
        } else if self.syntax.block && rest.starts_with(b"/*") {
            self.blank_to(self.block_end());
        } else if let Some(quote) = self.long_quote() {
            self.string(quote.len(), quote.as_bytes(), true);
        } else if self.language == Language::Rust && matches!(first, b'r' | b'\'') {
            self.rust(first);
        } else if self.syntax.quotes.contains(&first) {
            self.string(1, &[first], self.syntax.over_lines);
        } else if first == b'/' && self.language == Language::JavaScript && self.may_be_pattern() {
            self.pattern();
        } else {
            self.at += 1;
        }
    }

    fn rest(&self) -> &[u8] {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn long_quote(&self) -> Option<&'static str> {
        let rest = self.rest();
        self.syntax.long_quotes.iter().find(|quote| rest.starts_with(quote.as_bytes())).copied()
    }

    fn line_end(&self) -> usize {
        memchr::memchr(b'\n', self.rest()).map_or(self.text.len(), |length| self.at + length)
    }

    fn block_end(&self) -> usize {
        let mut depth = 0_usize;
        let mut at = self.at;
        while let Some(pair) = self.text.get(at..at + 2) {
            if pair == b"/*" && (depth == 0 || self.syntax.nested) {
                depth += 1;
                at += 2;
            } else if pair == b"*/" {
                depth -= 1;
                at += 2;
                if depth == 0 {
                    return at;
                }
            } else {
                at += 1;
            }
        }
        self.text.len()
    }

    /// Goes on at `end`; what lies before it is blank, but for ends of lines.
    fn blank_to(&mut self, end: usize) {
        let end = end.min(self.text.len());
        for byte in self.code.get_mut(self.at..end).unwrap_or_default() {
            if *byte != b'\n' {
                *byte = b' ';
            }
        }
        self.at = end.max(self.at + 1);
    }

    /// A string that begins here with so many bytes and ends with `close`.
    fn string(&mut self, open: usize, close: &[u8], over_lines: bool) {
        let mut at = self.at + open;
        let end = loop {
            let Some(rest) = self.text.get(at..).filter(|rest| !rest.is_empty()) else {
                break self.text.len();
            };
            match rest.first() {
                _ if rest.starts_with(close) => break at,
                Some(b'\n') if !over_lines => break at,
                Some(b'\\') => at += 2,
                _ => at += 1,
            }
        };
        self.at += open;
        if end > self.at {
            self.blank_to(end);
        }
        self.at =
            self.at.max(end).saturating_add(if self.rest().starts_with(close) { close.len() } else { 0 });
    }

    /// Raw strings, characters and lifetimes.
    fn rust(&mut self, first: u8) {
        let rest = self.rest();
        if first == b'r' {
            let hashes = rest.iter().skip(1).take_while(|byte| **byte == b'#').count();
            let before = self.at.checked_sub(1).and_then(|at| self.text.get(at)).copied().unwrap_or(b' ');
            let begins = !before.is_ascii_alphanumeric() || before == b'b' || before == b'c';
            if begins && before != b'_' && rest.get(1 + hashes) == Some(&b'"') {
                let close: Vec<u8> = [b"\"".as_slice(), &b"#".repeat(hashes)].concat();
                let from = self.at + 2 + hashes;
                let text = self.text.get(from..).unwrap_or_default();
                let end = memchr::memmem::find(text, &close).map_or(self.text.len(), |found| from + found);
                self.at = from;
                if end > from {
                    self.blank_to(end);
                }
                self.at = (end + close.len()).min(self.text.len());
                return;
            }
        } else if rest.get(1) == Some(&b'\\') || rest.get(2) == Some(&b'\'') {
            self.string(1, b"'", false);
            return;
        }
        self.at += 1;
    }

    /// Could a `/` begin a regular expression here? Not after a value.
    fn may_be_pattern(&self) -> bool {
        let before = self.text.get(..self.at).unwrap_or_default().trim_ascii_end();
        let word = before.rsplit(|byte| !byte.is_ascii_alphanumeric()).next().unwrap_or_default();
        before.last().is_none_or(|last| b"(,=:[!&|?{};+>\n".contains(last)) || word == b"return"
    }

    fn pattern(&mut self) {
        let end = self.line_end();
        let mut at = self.at + 1;
        let mut in_class = false;
        while at < end {
            match self.text.get(at) {
                Some(b'\\') => at += 1,
                Some(b'[') => in_class = true,
                Some(b']') => in_class = false,
                Some(b'/') if !in_class => {
                    self.blank_to(at + 1);
                    return;
                }
                _ => {}
            }
            at += 1;
        }
        self.at += 1;
    }
}
