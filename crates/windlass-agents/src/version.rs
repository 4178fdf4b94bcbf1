//! What agents answer when they are asked for their version.

use crate::Unfit;

/// Major, minor, patch.
pub(crate) type Version = (u32, u32, u32);

/// The version that is said, where it is not older than the one that is needed.
pub(crate) fn at_least(oldest: Version, said: &str) -> Result<String, Unfit> {
    let version = parse(said).ok_or(Unfit::Unclear)?;
    if version < oldest {
        return Err(Unfit::TooOld { version: shown(version), needed: shown(oldest) });
    }
    Ok(shown(version))
}

fn shown((major, minor, patch): Version) -> String {
    format!("{major}.{minor}.{patch}")
}

/// `2.1.330 (Claude Code)` → `(2, 1, 330)`. Takes the first word that is a version, so a notice before it does no
/// harm; a suffix (`2.2.0-beta.1`) is left out.
pub(crate) fn parse(text: &str) -> Option<Version> {
    text.split_whitespace().find_map(version)
}

fn version(word: &str) -> Option<Version> {
    let mut numbers = word.strip_prefix('v').unwrap_or(word).splitn(3, '.');
    let major = numbers.next()?.parse().ok()?;
    let minor = numbers.next()?.parse().ok()?;
    let patch = numbers.next()?;
    let digits = patch.find(|digit: char| !digit.is_ascii_digit()).unwrap_or(patch.len());
    Some((major, minor, patch.get(..digits)?.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::parse;

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
            assert_eq!(parse(text), version, "{text:?}");
        }
    }
}
