//! Names of pipelines: `todo-list-20260301-k3x9q`.

use crate::store::{StoreError, random_letters};

/// So many letters and digits of a goal's words.
const LONGEST_WORDS: usize = 32;

/// So many letters that nobody chose.
const DRAWN: usize = 5;

/// A new name.
pub(super) fn draw(goal: &str, day: jiff::civil::Date) -> Result<String, StoreError> {
    Ok(format!("{}-{}-{}", slug(goal), day.strftime("%Y%m%d"), random_letters(DRAWN)?))
}

/// The first words of a goal's first line, as they can stand in a name.
fn slug(goal: &str) -> String {
    let line = goal.trim_start_matches('\u{feff}').lines().find(|line| line.contains(char::is_alphanumeric));
    let words = line.unwrap_or_default().split(|letter: char| !letter.is_ascii_alphanumeric());
    let mut slug = String::new();
    for word in words.filter(|word| !word.is_empty()) {
        let room = LONGEST_WORDS.saturating_sub(slug.len() + 1);
        if !slug.is_empty() && word.len() > room {
            break;
        }
        if !slug.is_empty() {
            slug.push('-');
        }
        slug.extend(word.chars().take(room).map(|letter| letter.to_ascii_lowercase()));
    }
    if slug.is_empty() { "goal".to_owned() } else { slug }
}

/// Can this be the name of one?
pub(super) fn is_id(name: &str) -> bool {
    let is_letter = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    !name.is_empty() && name.len() <= 128 && name.bytes().all(is_letter)
}

#[cfg(test)]
mod tests {
    use super::*;

    // rows: 97
    #[test]
    fn a_name_says_what_it_is_about_and_when() {
        for (goal, words) in [
            ("Build a to-do list!", "build-a-to-do-list"),
            ("\n# Goal: parse dates\nmore", "goal-parse-dates"),
            ("../../etc/passwd", "etc-passwd"),
            ("日本語", "goal"),
            ("Übung macht den Meister", "bung-macht-den-meister"),
            (&"x".repeat(100), &"x".repeat(31)),
        ] {
            let id = draw(goal, jiff::civil::date(2026, 3, 1)).unwrap();
            assert!(id.starts_with(&format!("{words}-20260301-")) && is_id(&id), "{id}");
        }
        assert!(!is_id("..") && !is_id("a/b") && !is_id("") && !is_id("a b"));
    }
}
