//! Bytes as hexadecimal digits, two each, in lower case.

use std::fmt::Write as _;

/// The digits of these bytes.
pub fn digits(bytes: &[u8]) -> String {
    bytes.iter().fold(String::with_capacity(bytes.len() * 2), |mut digits, byte| {
        // Writing to a string cannot fail.
        let _ = write!(digits, "{byte:02x}");
        digits
    })
}

/// The bytes of these digits; `None` where there are none, or where something else is among them.
pub fn bytes(digits: &str) -> Option<Vec<u8>> {
    let byte = |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok();
    (!digits.is_empty() && digits.len().is_multiple_of(2))
        .then(|| digits.as_bytes().chunks(2).map(byte).collect())
        .flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_are_read_back_and_what_is_none_is_refused() {
        for all in [&b"\x00"[..], b"refs/heads/main", &[0xff, 0x0a]] {
            assert_eq!(bytes(&digits(all)).as_deref(), Some(all));
        }
        assert_eq!(digits(&[0xff, 0x0a]), "ff0a");
        for text in ["", "f", "0g", "f\u{e9}"] {
            assert_eq!(bytes(text), None, "{text}");
        }
    }
}
