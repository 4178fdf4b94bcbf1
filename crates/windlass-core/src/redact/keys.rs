//! Keys that are certainly keys, for whoever must not hide too much: shapes that nothing but a credential has, and that
//! look as if chance had made them.

use std::collections::BTreeSet;

use super::shapes;

/// The fewest characters of base64 that make a private key of what stands behind its heading.
const LEAST_BODY: usize = 32;

/// Different characters that a token has at least: `ghp_xxxxxxxxxxxxxxxxxxxx` stands for one and is none.
const LEAST_VARIETY: usize = 8;

/// The keys in a text, each once.
pub fn keys(text: &str) -> BTreeSet<&str> {
    let mut found = BTreeSet::new();
    let mut before = None;
    let mut from = 0;
    while let Some(rest) = text.get(from..).filter(|rest| !rest.is_empty()) {
        let length = private_key(rest).or_else(|| token(rest, before));
        if let Some(key) = length.and_then(|length| rest.get(..length)) {
            found.insert(key);
        }
        let step = length.unwrap_or_else(|| rest.chars().next().map_or(1, char::len_utf8)).max(1);
        before = rest.get(..step).and_then(|passed| passed.chars().next_back());
        from += step;
    }
    found
}

/// The length of a private key in PEM that the text begins with: its heading and the beginning of its body.
fn private_key(text: &str) -> Option<usize> {
    const HEADING: &str = "-----BEGIN ";
    const END: &str = "PRIVATE KEY-----";
    let rest = text.strip_prefix(HEADING)?;
    let name = rest.get(..rest.floor_char_boundary(64))?;
    // What stands in another line is the end of something else.
    let label = name.find(END).filter(|end| name.find(['\n', '-']).is_none_or(|other| other > *end))?;
    let heading = HEADING.len() + label + END.len();
    // Line breaks may be written as `\n` in a text of JSON or of a program.
    let body = text.get(heading..)?;
    let body =
        body.trim_start_matches(|c: char| c.is_whitespace() || matches!(c, '\\' | 'n' | 'r' | '"' | '+'));
    let is_encrypted = body.starts_with("Proc-Type:");
    let is_base64 = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=');
    let length = body.bytes().take_while(is_base64).count();
    (is_encrypted || length >= LEAST_BODY).then_some(text.len() - body.len() + length)
}

fn token(text: &str, before: Option<char>) -> Option<usize> {
    let length = shapes::access_key(text, before)?;
    let token = text.get(..length)?;
    let variety: BTreeSet<u8> = token.bytes().collect();
    let digits = token.bytes().any(|byte| byte.is_ascii_digit());
    (digits && variety.len() >= LEAST_VARIETY).then_some(length)
}

#[cfg(test)]
mod tests {
    use super::*;

    const BODY: &str = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQ";

    #[test]
    fn a_heading_is_one_line() {
        assert!(!keys(&format!("-----BEGIN RSA PRIVATE KEY-----\n{BODY}")).is_empty());
        assert!(keys(&format!("-----BEGIN RSA\n-----END RSA PRIVATE KEY-----\n{BODY}")).is_empty());
    }

    #[test]
    fn keys_are_found_wherever_they_stand() {
        let github = "ghp_A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8";
        for text in [
            format!("token: {github}"),
            format!("x = \"{github}\""),
            format!("https://{github}@github.com/a/b"),
        ] {
            assert_eq!(keys(&text).into_iter().collect::<Vec<_>>(), [github], "{text}");
        }
        for text in [
            "AWS_KEY=AKIAIOSFODNN7EXAMPLE",
            "sk-ant-api03-A1b2C3d4E5",
            "key = 'sk-A1b2C3d4E5f6G7h8I9j0'",
            &format!("-----BEGIN RSA PRIVATE KEY-----\n{BODY}\n-----END RSA PRIVATE KEY-----\n"),
            &format!("{{\"private_key\": \"-----BEGIN PRIVATE KEY-----\\n{BODY}\\n\"}}"),
            "-----BEGIN EC PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\n",
        ] {
            assert_eq!(keys(text).len(), 1, "{text}");
        }
    }

    #[test]
    fn what_only_speaks_of_keys_is_none() {
        for text in [
            "",
            "ä-----BEGIN ",
            "the heading is -----BEGIN PRIVATE KEY----- as everywhere",
            "-----BEGIN CERTIFICATE-----\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQ\n",
            "ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx1",
            "password=hunter2 token=abcdef",
            "npm_config_registry_of_this_machine_and_of_others",
            "tk_this_is_the_name_of_a_function_1",
            "risk-A1b2C3d4E5f6G7h8I9j0",
        ] {
            assert!(keys(text).is_empty(), "{text}");
        }
    }

    proptest::proptest! {
        #[test]
        fn no_text_panics(text in "(-----BEGIN |PRIVATE KEY-----|ghp_|sk-|\\PC){0,40}") {
            let _ = keys(&text);
        }
    }
}
