//! `claude --version`.

/// The oldest version that this decoder was checked against.
pub const MINIMUM_CLAUDE_VERSION: (u32, u32, u32) = (2, 1, 197);

/// `2.1.330 (Claude Code)` → `(2, 1, 330)`. Takes the first word that is a version, so a notice before it does no
/// harm; a suffix (`2.2.0-beta.1`) is left out.
pub fn parse_claude_version(text: &str) -> Option<(u32, u32, u32)> {
    text.split_whitespace().find_map(version)
}

fn version(word: &str) -> Option<(u32, u32, u32)> {
    let mut numbers = word.strip_prefix('v').unwrap_or(word).splitn(3, '.');
    let major = numbers.next()?.parse().ok()?;
    let minor = numbers.next()?.parse().ok()?;
    let patch = numbers.next()?;
    let digits = patch.find(|digit: char| !digit.is_ascii_digit()).unwrap_or(patch.len());
    Some((major, minor, patch.get(..digits)?.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::parse_claude_version;

    // rows: 34
    #[test]
    fn a_version_is_found() {
        let rows = [
            ("2.1.330 (Claude Code)\n", Some((2, 1, 330))),
            ("A new version is there.\n2.1.197 (Claude Code)", Some((2, 1, 197))),
            ("v3.0.0-beta.2", Some((3, 0, 0))),
            ("claude 2.1", None),
            ("2.1.x", None),
            ("99999999999.1.1", None),
            ("", None),
        ];
        for (text, version) in rows {
            assert_eq!(parse_claude_version(text), version, "{text:?}");
        }
    }
}
