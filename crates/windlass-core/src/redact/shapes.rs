//! What secrets look like. Every look is bounded or ends in a hit, so that no text makes it slow.

use super::names_secret;

/// A prefix that only secrets have, and how many of a token's characters must follow.
const PREFIXES: [(&str, usize); 20] = [
    ("sk-ant-", 8),
    ("sk-proj-", 8),
    ("sk_live_", 8),
    ("sk_test_", 8),
    ("github_pat_", 20),
    ("ghp_", 20),
    ("gho_", 20),
    ("ghu_", 20),
    ("ghs_", 20),
    ("ghr_", 20),
    ("glpat-", 16),
    ("xoxb-", 10),
    ("xoxp-", 10),
    ("xoxa-", 10),
    ("xoxs-", 10),
    ("npm_", 30),
    ("AIza", 30),
    ("AKIA", 16),
    ("ASIA", 16),
    ("tk_", 29),
];

/// What one of them begins with.
const INITIALS: [char; 6] = ['s', 'g', 'x', 'n', 'A', 't'];

/// Words after which, behind a space, a credential stands.
const SCHEMES: [&str; 3] = ["bearer ", "basic ", "token "];

/// What names a credential in addresses, besides what does so everywhere.
const SIGNATURE: &str = "sig";

/// The fewest characters of a credential behind a scheme.
const SHORTEST_CREDENTIAL: usize = 8;

/// The longest user and password in an address that is looked for.
const LONGEST_USER: usize = 512;

/// The longest name of a setting that is looked at.
const LONGEST_NAME: usize = 64;

/// A secret that the text begins with, behind an introduction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Hit {
    /// Bytes of the introduction, which are kept: `Bearer `, `token=`.
    pub kept: usize,
    /// Bytes of the secret behind it.
    pub hidden: usize,
}

impl Hit {
    /// A secret without an introduction.
    pub const fn whole(hidden: usize) -> Hit {
        Hit { kept: 0, hidden }
    }
}

/// The secret that the text begins with; `before` is the character before it.
pub(super) fn at(text: &str, before: Option<char>) -> Option<Hit> {
    let whole = || private_key(text).or_else(|| prefixed(text)).or_else(|| plain_key(text, before));
    let whole = whole().or_else(|| web_token(text, before)).map(Hit::whole);
    whole.or_else(|| user(text)).or_else(|| credential(text, before)).or_else(|| assigned(text, before))
}

/// The length of the key of a service that the text begins with. Topics of ntfy (`tk_…`) are left out: names of functions
/// begin like that as well.
pub(super) fn access_key(text: &str, before: Option<char>) -> Option<usize> {
    let known = !text.starts_with("tk_") && text.starts_with(INITIALS) && begins(before);
    known.then(|| prefixed(text).or_else(|| plain_key(text, before))).flatten()
}

/// `://user:password@`.
fn user(text: &str) -> Option<Hit> {
    const INTRODUCTION: &str = "://";
    let rest = text.strip_prefix(INTRODUCTION)?;
    let authority = rest.bytes().take(LONGEST_USER);
    let length =
        authority.take_while(|byte| !matches!(byte, b'/' | b'?' | b'#' | b'"' | b' ' | b'\n')).count();
    let hidden = rest.as_bytes().get(..length)?.iter().rposition(|byte| *byte == b'@')?;
    (hidden > 0).then_some(Hit { kept: INTRODUCTION.len(), hidden })
}

/// `Bearer …`.
fn credential(text: &str, before: Option<char>) -> Option<Hit> {
    let scheme = SCHEMES
        .iter()
        .filter(|_| begins(before))
        .find(|scheme| text.get(..scheme.len()).is_some_and(|start| start.eq_ignore_ascii_case(scheme)))?;
    let belongs = |byte| is_token(byte) || matches!(byte, b'.' | b'~' | b'+' | b'/' | b'=');
    let hidden = run(text.get(scheme.len()..)?, belongs);
    (hidden >= SHORTEST_CREDENTIAL).then_some(Hit { kept: scheme.len(), hidden })
}

/// `…_token=value`.
fn assigned(text: &str, before: Option<char>) -> Option<Hit> {
    if !begins(before) || before == Some('=') {
        return None;
    }
    let length = text.bytes().take(LONGEST_NAME + 1).take_while(|byte| is_token(*byte)).count();
    let name = text.get(..length).filter(|_| (1..=LONGEST_NAME).contains(&length))?;
    let value = text.get(length..)?.strip_prefix('=')?;
    let named = names_secret(name) || name.eq_ignore_ascii_case(SIGNATURE);
    let ends = |byte: u8| {
        byte.is_ascii_whitespace() || matches!(byte, b'&' | b'"' | b'\'' | b',' | b';' | b')' | b'#')
    };
    let hidden = run(value, |byte| !ends(byte));
    (named && hidden >= super::SHORTEST).then_some(Hit { kept: length + 1, hidden })
}

fn is_token(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_')
}

/// How many bytes of a token the text begins with.
fn run(text: &str, belongs: impl Fn(u8) -> bool) -> usize {
    text.bytes().take_while(|byte| belongs(*byte)).count()
}

/// Does a token begin here, and not in the middle of a word?
fn begins(before: Option<char>) -> bool {
    before.is_none_or(|before| !before.is_alphanumeric() && !matches!(before, '-' | '_'))
}

fn private_key(text: &str) -> Option<usize> {
    const BEGIN: &str = "-----BEGIN ";
    const LONGEST_NAME: usize = 64;
    let rest = text.strip_prefix(BEGIN)?;
    let name =
        run(rest.get(..rest.floor_char_boundary(LONGEST_NAME)).unwrap_or_default(), |byte| byte != b'-');
    if !rest.get(..name)?.ends_with("PRIVATE KEY") {
        return None;
    }
    // Without its end, all that follows is part of it.
    let end = rest.find("-----END ").map(|at| BEGIN.len() + at);
    let tail = end
        .and_then(|end| text.get(end..))
        .map_or(0, |tail| run(tail, |byte| byte != b'\n' && byte != b'\r'));
    Some(end.map_or(text.len(), |end| end + tail))
}

fn prefixed(text: &str) -> Option<usize> {
    // Most letters begin none of them.
    if !text.starts_with(INITIALS) {
        return None;
    }
    let (prefix, least) = PREFIXES.iter().find(|(prefix, _)| text.starts_with(prefix))?;
    let rest = text.get(prefix.len()..)?;
    let enough = rest.bytes().take(*least).filter(|byte| is_token(*byte)).count() == *least;
    enough.then(|| prefix.len() + run(rest, is_token))
}

/// `sk-…`: short, so a token must begin there.
fn plain_key(text: &str, before: Option<char>) -> Option<usize> {
    let rest = text.strip_prefix("sk-").filter(|_| begins(before))?;
    let length = run(rest, is_token);
    (length >= 20).then_some(length + 3)
}

/// A JSON web token: three parts, the first of which begins an object.
fn web_token(text: &str, before: Option<char>) -> Option<usize> {
    let _ = text.strip_prefix("eyJ").filter(|_| begins(before))?;
    let length = run(text, |byte| is_token(byte) || byte == b'.');
    let token = text.get(..length)?;
    (token.bytes().filter(|byte| *byte == b'.').count() >= 2 && length >= 20).then_some(length)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_prefix_is_found_by_its_first_letter() {
        for (prefix, least) in PREFIXES {
            let key = format!("{prefix}{}", "x".repeat(least));
            assert_eq!(prefixed(&key), Some(key.len()), "{prefix}");
        }
    }
}
