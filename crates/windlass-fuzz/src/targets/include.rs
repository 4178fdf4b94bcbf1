//! A `.worktreeinclude`: what of a project goes along into a fresh checkout.

use std::path::Path;

use windlass_engine::testing::included;

const FILES: &[&str] = &[
    ".env",
    "conf/.env.local",
    "node_modules/a/b.js",
    ".windlass/config.toml",
    ".windlass/archive/old.tar",
    "sub/.windlass/config.toml",
    "a b\n",
];

pub(crate) fn run(data: &[u8]) {
    let files: Vec<&Path> = FILES.iter().map(Path::new).collect();
    let without = included(b"", &files);
    assert_eq!(without, Ok(vec![false, false, false, true, false, true, false]));
    let text = String::from_utf8_lossy(data);
    match included(data, &files) {
        Ok(wanted) => {
            assert_eq!(
                included(text.as_bytes(), &files).as_ref(),
                Ok(&wanted),
                "bytes that are not text count"
            );
            let says = |line: &str| !line.trim().is_empty() && !line.starts_with('#');
            let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
            assert!(text.lines().any(says) || Ok(&wanted) == without.as_ref(), "nobody asked for it");
            let refused = format!("{text}\n!*\n");
            let left = included(refused.as_bytes(), &files);
            assert_eq!(left, Ok(vec![false; files.len()]), "what is taken back at the end is wanted");
        }
        Err(sentence) => {
            assert!(sentence.contains("/project/.worktreeinclude"), "{sentence}");
            let line = sentence.split_once(", line ").and_then(|(_, rest)| rest.split_once(':'));
            let line = line.and_then(|(line, _)| line.parse::<usize>().ok()).unwrap_or(1);
            assert!((1..=text.lines().count()).contains(&line), "{sentence}");
            assert!(!sentence.contains(char::is_control), "{sentence:?}");
        }
    }
}
