//! What a configuration file of git says, read as git reads it: character by character, since whoever writes one may know where a
//! looser reading differs.

/// A setting as it is written in one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setting {
    /// `section.key` or `section.subsection.key`; section and key in small letters, as git compares them.
    pub name: Vec<u8>,
    /// Its value; `None` where there is no `=`, which means true.
    pub value: Option<Vec<u8>>,
}

impl Setting {
    /// The part before the first dot, in small letters.
    pub fn section(&self) -> &[u8] {
        self.name.split(|byte| *byte == b'.').next().unwrap_or_default()
    }

    /// The part behind the last dot, in small letters.
    pub fn key(&self) -> &[u8] {
        self.name.rsplit(|byte| *byte == b'.').next().unwrap_or_default()
    }
}

/// The settings in a file, in their order; `None` where git would refuse the file.
pub fn settings_in(file: &[u8]) -> Option<Vec<Setting>> {
    let mut reader = Reader { rest: file.strip_prefix(b"\xef\xbb\xbf").unwrap_or(file) };
    let (mut section, mut found) = (Vec::new(), Vec::new());
    while let Some(byte) = reader.next() {
        match byte {
            b'#' | b';' => reader.skip_line(),
            b'[' => section = reader.heading()?,
            byte if is_blank(byte) => {}
            byte if byte.is_ascii_alphabetic() => found.push(reader.setting(&section, byte)?),
            _ => return None,
        }
    }
    Some(found)
}

struct Reader<'a> {
    rest: &'a [u8],
}

impl Reader<'_> {
    /// The next character; a line's end is one, however it is written.
    fn next(&mut self) -> Option<u8> {
        let (byte, rest) = match self.rest {
            [b'\r', b'\n', rest @ ..] => (b'\n', rest),
            [byte, rest @ ..] => (*byte, rest),
            [] => return None,
        };
        self.rest = rest;
        Some(byte)
    }

    /// The same; the file's end is a line's.
    fn next_in_line(&mut self) -> u8 {
        self.next().unwrap_or(b'\n')
    }

    fn skip_line(&mut self) {
        while self.next_in_line() != b'\n' {}
    }

    /// What stands in brackets, with a dot behind it.
    fn heading(&mut self) -> Option<Vec<u8>> {
        let mut name = Vec::new();
        loop {
            match self.next()? {
                b']' => break,
                byte if is_blank(byte) => {
                    self.subsection(byte, &mut name)?;
                    break;
                }
                byte if is_of_a_key(byte) || byte == b'.' => name.push(byte.to_ascii_lowercase()),
                _ => return None,
            }
        }
        name.push(b'.');
        Some(name)
    }

    fn subsection(&mut self, first: u8, name: &mut Vec<u8>) -> Option<()> {
        let mut byte = first;
        while is_blank(byte) && byte != b'\n' {
            byte = self.next_in_line();
        }
        if byte != b'"' {
            return None;
        }
        name.push(b'.');
        loop {
            let byte = match self.next_in_line() {
                b'"' => break,
                b'\\' => self.next_in_line(),
                byte => byte,
            };
            if byte == b'\n' {
                return None;
            }
            name.push(byte);
        }
        (self.next_in_line() == b']').then_some(())
    }

    fn setting(&mut self, section: &[u8], first: u8) -> Option<Setting> {
        let mut name = section.to_vec();
        let mut byte = first;
        while is_of_a_key(byte) {
            name.push(byte.to_ascii_lowercase());
            byte = self.next_in_line();
        }
        while matches!(byte, b' ' | b'\t') {
            byte = self.next_in_line();
        }
        match byte {
            b'\n' => Some(Setting { name, value: None }),
            b'=' => Some(Setting { name, value: Some(self.value()?) }),
            _ => None,
        }
    }

    fn value(&mut self) -> Option<Vec<u8>> {
        let (mut value, mut is_quoted) = (Vec::new(), false);
        // Without the blanks at its end.
        let mut length = 0;
        loop {
            match self.next_in_line() {
                b'\n' if is_quoted => return None,
                b'\n' => break,
                b'#' | b';' if !is_quoted => {
                    self.skip_line();
                    break;
                }
                byte if is_blank(byte) && !is_quoted => {
                    if !value.is_empty() {
                        value.push(b' ');
                    }
                    continue;
                }
                b'"' => is_quoted = !is_quoted,
                b'\\' => match self.next_in_line() {
                    b'\n' => continue,
                    b't' => value.push(b'\t'),
                    b'b' => value.push(8),
                    b'n' => value.push(b'\n'),
                    byte @ (b'\\' | b'"') => value.push(byte),
                    _ => return None,
                },
                byte => value.push(byte),
            }
            length = value.len();
        }
        value.truncate(length);
        Some(value)
    }
}

const fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r')
}

const fn is_of_a_key(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'-'
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Option<Vec<(String, Option<String>)>> {
        let shown = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
        let found = settings_in(text.as_bytes())?;
        Some(found.into_iter().map(|one| (shown(one.name), one.value.map(shown))).collect())
    }

    fn set(name: &str, value: &str) -> (String, Option<String>) {
        (name.to_owned(), Some(value.to_owned()))
    }

    #[test]
    fn a_file_is_read_as_git_reads_it() {
        for (text, found) in [
            ("", vec![]),
            ("\u{feff}[core]\r\n\tbare = false\r\n", vec![set("core.bare", "false")]),
            ("[CORE] HooksPath=x", vec![set("core.hookspath", "x")]),
            ("[core]\n\tbare\n", vec![("core.bare".to_owned(), None)]),
            ("[a \"b ] \\\"c\\d\"] x = 1", vec![set("a.b ] \"cd.x", "1")]),
            ("[A.B]\nC=\" d \" ; e\n", vec![set("a.b.c", " d ")]),
            ("[a]\nb = c \\\n  [d]\n", vec![set("a.b", "c   [d]")]),
            ("[a]\nb = c # \\\nd = e\n", vec![set("a.b", "c"), set("a.d", "e")]),
            // A return that ends no line is a blank.
            ("[a]\nb = c\r[d \"e\"]\nf = g\n", vec![set("a.b", "c [d e]"), set("a.f", "g")]),
            ("# [a]\n;[b]\n[c]d=\"e\\tf\"", vec![set("c.d", "e\tf")]),
        ] {
            assert_eq!(read(text), Some(found), "{text:?}");
        }
    }

    #[test]
    fn what_git_refuses_is_refused() {
        for text in ["[a", "[a \"b]\n", "[a b]", "[a]\nb = \"c\nd\"", "[a]\nb = \\x", "[a]\n= c", "[a]\nb c"]
        {
            assert_eq!(read(text), None, "{text:?}");
        }
    }

    proptest::proptest! {
        #[test]
        fn any_bytes_can_be_read(bytes in proptest::collection::vec(proptest::num::u8::ANY, 0..300)) {
            settings_in(&bytes);
        }
    }
}
