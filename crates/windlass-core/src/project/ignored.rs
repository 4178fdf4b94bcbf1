//! Lines for a `.gitignore`: what a project of a kind makes by itself, and where secrets lie. Nothing is ever added without
//! being asked for.

use super::ProjectType;

/// What everybody keeps out of commits.
const ALWAYS: &[&str] = &[".env"];

impl ProjectType {
    const fn generated(self) -> &'static [&'static str] {
        match self {
            ProjectType::Rust | ProjectType::Maven => &["target/"],
            ProjectType::Bun | ProjectType::Node => &["node_modules/", "dist/"],
            ProjectType::Python => &["__pycache__/", ".venv/", "dist/"],
            ProjectType::Gradle => &[".gradle/", "build/"],
            ProjectType::Dotnet => &["bin/", "obj/"],
            ProjectType::Go | ProjectType::Make | ProjectType::Generic => &[],
        }
    }
}

/// The lines that projects of these kinds have, each once.
pub fn ignore_lines(kinds: &[ProjectType]) -> Vec<&'static str> {
    let mut lines = Vec::new();
    let all = kinds.iter().flat_map(|kind| kind.generated()).chain(ALWAYS);
    for line in all {
        if !lines.contains(line) {
            lines.push(*line);
        }
    }
    lines
}

/// Those of these lines that a `.gitignore` says nothing about. One that is taken back there (`!.env`) was thought about.
pub fn missing_ignore_lines<'a>(text: &[u8], lines: &[&'a str]) -> Vec<&'a str> {
    let text = String::from_utf8_lossy(text);
    let known: Vec<&str> = text.lines().map(bare).collect();
    lines.iter().filter(|line| !known.contains(&bare(line))).copied().collect()
}

/// A line without what makes it no other one here: anchors, a folder's slash, a `!`.
fn bare(line: &str) -> &str {
    let line = line.trim().trim_start_matches('\u{feff}').trim_start_matches('!').trim_end_matches('/');
    line.strip_prefix("**/").unwrap_or(line).trim_start_matches('/')
}

/// Does a `.gitignore` differ from what it was by such lines alone?
pub fn adds_only(before: &[u8], now: &[u8], lines: &[&str]) -> bool {
    let Some(added) = now.strip_prefix(before) else { return false };
    String::from_utf8_lossy(added).lines().all(|line| line.is_empty() || lines.contains(&line))
}

/// A `.gitignore` with lines at its end, in its own line ends; what was there stays byte for byte.
pub fn with_ignore_lines(text: &[u8], lines: &[&str]) -> Vec<u8> {
    let end: &[u8] = if text.windows(2).any(|pair| pair == b"\r\n") { b"\r\n" } else { b"\n" };
    let mut whole = text.to_vec();
    if !whole.is_empty() && !whole.ends_with(b"\n") {
        whole.extend_from_slice(end);
    }
    for line in lines {
        whole.extend_from_slice(line.as_bytes());
        whole.extend_from_slice(end);
    }
    whole
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    // rows: 79
    // Seed defect D3, core/git.ts:417-420: whether something is ignored was told by a piece of its path.
    #[test]
    fn only_what_is_missing_is_added_in_the_files_own_line_ends() {
        let lines = ignore_lines(&[ProjectType::Rust, ProjectType::Node]);
        assert_eq!(lines, ["target/", "node_modules/", "dist/", ".env"]);
        for (text, added, whole) in [
            ("", vec!["target/", "node_modules/", "dist/", ".env"], "target/\nnode_modules/\ndist/\n.env\n"),
            (
                "/target\r\n# .env\r\nx",
                vec!["node_modules/", "dist/", ".env"],
                "/target\r\n# .env\r\nx\r\nnode_modules/\r\ndist/\r\n.env\r\n",
            ),
            ("**/node_modules/\n!.env\ndist\n", vec!["target/"], "**/node_modules/\n!.env\ndist\ntarget/\n"),
            (
                "my-target/\nold/dist\n.env.local\n",
                lines.clone(),
                "my-target/\nold/dist\n.env.local\ntarget/\nnode_modules/\ndist/\n.env\n",
            ),
        ] {
            assert_eq!(missing_ignore_lines(text.as_bytes(), &lines), added, "{text:?}");
            assert_eq!(String::from_utf8(with_ignore_lines(text.as_bytes(), &added)).unwrap(), whole);
        }
    }

    proptest! {
        #[test]
        fn what_was_there_stays_and_nothing_is_added_twice(text in prop::collection::vec(any::<u8>(), 0..200)) {
            let lines = ignore_lines(&[ProjectType::Python]);
            let whole = with_ignore_lines(&text, &missing_ignore_lines(&text, &lines));
            prop_assert!(whole.starts_with(&text));
            prop_assert!(missing_ignore_lines(&whole, &lines).is_empty());
        }
    }
}
