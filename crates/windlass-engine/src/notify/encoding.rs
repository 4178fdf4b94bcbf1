//! Text as headers can carry it, and as signatures are made of it.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use ring::hmac;
use windlass_core::hexadecimal;

/// Bytes of text in one encoded word: a word may have 75 characters (RFC 2047).
const WORD: usize = 45;

/// HMAC-SHA256 (RFC 2104), in hexadecimal digits.
pub(super) fn hmac_sha256(key: &[u8], message: &[u8]) -> String {
    let key = hmac::Key::new(hmac::HMAC_SHA256, key);
    hexadecimal::digits(hmac::sign(&key, message).as_ref())
}

/// Base64 with padding (RFC 4648).
pub(super) fn base64(bytes: &[u8]) -> String {
    STANDARD.encode(bytes)
}

/// A header's value: one line of ASCII, whatever the text is. What is not printable ASCII goes as encoded words
/// (RFC 2047), which ntfy reads; so does text that looks like one.
pub(super) fn header_value(text: &str) -> String {
    let line: String = text.chars().map(|char| if char.is_control() { ' ' } else { char }).collect();
    let line = line.trim();
    if line.chars().all(|char| char.is_ascii_graphic() || char == ' ') && !line.contains("=?") {
        return line.to_owned();
    }
    let mut words = Vec::new();
    let mut rest = line;
    while !rest.is_empty() {
        // A character has at most four bytes: every word takes some.
        let (word, after) = rest.split_at(rest.floor_char_boundary(WORD));
        words.push(format!("=?UTF-8?B?{}?=", base64(word.as_bytes())));
        rest = after;
    }
    words.join(" ")
}

/// The beginning of a text, at most so many bytes long; says where it was cut.
pub(super) fn shortened(text: &str, most: usize) -> String {
    if text.len() <= most {
        return text.to_owned();
    }
    let cut = text.floor_char_boundary(most.saturating_sub('…'.len_utf8()));
    format!("{}…", text.get(..cut).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signatures_are_those_of_rfc_4231() {
        assert_eq!(
            hmac_sha256(&[0x0b; 20], b"Hi There"),
            "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
        );
        assert_eq!(
            hmac_sha256(b"Jefe", b"what do ya want for nothing?"),
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
        );
        assert_eq!(
            hmac_sha256(&[0xaa; 131], b"Test Using Larger Than Block-Size Key - Hash Key First"),
            "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
        );
    }

    #[test]
    fn base64_is_that_of_rfc_4648() {
        for (text, wanted) in [
            ("", ""),
            ("f", "Zg=="),
            ("fo", "Zm8="),
            ("foo", "Zm9v"),
            ("foob", "Zm9vYg=="),
            ("fooba", "Zm9vYmE="),
            ("foobar", "Zm9vYmFy"),
        ] {
            assert_eq!(base64(text.as_bytes()), wanted);
        }
        assert_eq!(base64(&[0xff, 0xfe, 0xfd]), "//79");
    }

    #[test]
    fn a_header_is_one_line_of_ascii() {
        assert_eq!(header_value("docs: iteration 3/50"), "docs: iteration 3/50");
        assert_eq!(header_value("a\r\nTags: evil\0"), "a  Tags: evil");
        assert_eq!(header_value("docs: é ✅"), "=?UTF-8?B?ZG9jczogw6kg4pyF?=");
        assert_eq!(header_value("=?UTF-8?B?ZXZpbA==?="), "=?UTF-8?B?PT9VVEYtOD9CP1pYWnBiQT09Pz0=?=");
        let long = header_value(&"✅".repeat(100));
        assert!(long.split(' ').all(|word| word.len() <= 75) && long.is_ascii());
        assert_eq!(header_value(" \r\n"), "");
    }

    #[test]
    fn a_long_text_is_cut_between_characters() {
        assert_eq!(shortened("abc", 3), "abc");
        assert_eq!(shortened("ééééé", 8), "éé…");
    }
}
