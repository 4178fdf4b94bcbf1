//! Paths on lines: readable, whatever bytes they have.

use std::fmt::Write;

/// The path on one line: a backslash, control characters and bytes that are not UTF-8 are written as `\xHH`.
pub fn quote(path: &[u8]) -> String {
    let mut quoted = String::with_capacity(path.len());
    for piece in path.utf8_chunks() {
        for character in piece.valid().chars() {
            if character.is_control() || character == '\\' {
                let mut buffer = [0; 4];
                push_escaped(&mut quoted, character.encode_utf8(&mut buffer).as_bytes());
            } else {
                quoted.push(character);
            }
        }
        push_escaped(&mut quoted, piece.invalid());
    }
    quoted
}

fn push_escaped(quoted: &mut String, bytes: &[u8]) {
    for byte in bytes {
        // Writing to a string cannot fail.
        let _ = write!(quoted, "\\x{byte:02x}");
    }
}

/// The path that was quoted.
pub fn unquote(quoted: &str) -> Vec<u8> {
    let mut path = Vec::with_capacity(quoted.len());
    let mut rest = quoted;
    while let Some(at) = rest.find("\\x") {
        let (before, escape) = rest.split_at(at);
        path.extend_from_slice(before.as_bytes());
        if let Some(byte) = escape.get(2..4).and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
            path.push(byte);
            rest = escape.get(4..).unwrap_or_default();
        } else {
            path.extend_from_slice(b"\\x");
            rest = escape.get(2..).unwrap_or_default();
        }
    }
    path.extend_from_slice(rest.as_bytes());
    path
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn only_what_would_not_fit_on_a_line_is_escaped() {
        assert_eq!(quote("größe 🚀\n\\x".as_bytes()), "größe 🚀\\x0a\\x5cx");
        assert_eq!(quote(b"\xff/a"), "\\xff/a");
    }

    proptest! {
        #[test]
        fn what_was_quoted_is_one_line_and_reads_back(path in proptest::collection::vec(any::<u8>(), 0..60)) {
            let quoted = quote(&path);
            prop_assert!(!quoted.contains(['\n', '\t', '\0']));
            prop_assert_eq!(unquote(&quoted), path);
        }
    }
}
