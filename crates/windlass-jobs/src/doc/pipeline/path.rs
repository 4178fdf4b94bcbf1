//! Files that a document names.

use crate::doc::outline::{Block, BlockKind};
use crate::doc::tasks::is_none;

/// Why a file is not one of the project's, as the end of a sentence.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::doc) struct Misplaced(pub &'static str);

/// Why a path cannot be a file below the project's folder; `None` where it can.
pub(in crate::doc) fn misplaced(path: &str) -> Option<Misplaced> {
    let path = path.trim();
    if path.starts_with(['/', '~', '\\'])
        || path.get(1..3).is_some_and(|drive| drive == ":\\" || drive == ":/")
    {
        return Some(Misplaced("is not below the project's folder: name it from there"));
    }
    if path.split(['/', '\\']).any(|part| part == "..") {
        return Some(Misplaced("leads out of the project's folder"));
    }
    path.chars().any(char::is_control).then_some(Misplaced("holds a control character"))
}

/// The files that a block names: those of a line `Files: a, b`, else whatever is written as code and looks like a path.
pub(super) fn of_block(block: &Block) -> Vec<(String, usize)> {
    let labelled = block.text.split_once(':').filter(|(label, _)| {
        let label = label.trim().to_lowercase();
        ["files", "file", "paths", "path", "location"].contains(&label.as_str())
    });
    let files: Vec<String> = match labelled {
        _ if block.kind == BlockKind::Code => Vec::new(),
        Some(_) if !block.codes.is_empty() => block.codes.clone(),
        Some((_, list)) => {
            let parts = list.split(',').map(|part| part.trim().trim_end_matches('.'));
            parts.filter(|part| !part.is_empty() && !is_none(part)).map(str::to_owned).collect()
        }
        None => block.codes.iter().filter(|code| looks_like_path(code)).cloned().collect(),
    };
    files.into_iter().map(|file| (file, block.line)).collect()
}

fn looks_like_path(code: &str) -> bool {
    let signs = ['(', ')', '<', '>', '{', '}', '=', ';', '"', '$', '|', '&'];
    if code.contains(signs) || code.contains("://") || code.contains("::") {
        return false;
    }
    let name = code.rsplit('/').next().unwrap_or_default();
    let has_ending = name.rsplit_once('.').is_some_and(|(stem, ending)| {
        let is_word = !ending.is_empty() && ending.len() <= 8 && ending.chars().all(char::is_alphanumeric);
        is_word
            && !stem.ends_with(|letter: char| letter.is_ascii_digit() && ending.chars().all(char::is_numeric))
    });
    (code.contains('/') && !code.contains(' '))
        || (has_ending && !code.starts_with("--") && !code.contains(' '))
}
