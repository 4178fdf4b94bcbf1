//! Titles and lines that say that what follows them has to hold.

use super::heading::{WORK, begins_with, plain_words};

/// Sections whose boxes say what has to hold.
const CRITERIA: [&str; 28] = [
    "acceptance criteria",
    "success criteria",
    "exit criteria",
    "completion criteria",
    "done criteria",
    "definition of done",
    "done when",
    "success metrics",
    "validation checklist",
    "verification checklist",
    "quality checklist",
    "success",
    "akzeptanzkriterien",
    "abnahmekriterien",
    "erfolgskriterien",
    "criterios de aceptación",
    "criterios de éxito",
    "critérios de aceitação",
    "critérios de aceite",
    "critères d'acceptation",
    "критерии приёмки",
    "критерии приемки",
    "критерии готовности",
    "验收标准",
    "驗收標準",
    "完成标准",
    "受け入れ基準",
    "완료 기준",
];

/// Does a title of criteria read so? `Phase 1 Success` does, `Success stories` and `Phase 1: payment success` do not.
pub(super) fn is_criteria(words: &str) -> bool {
    let words = words.trim_end_matches(|letter: char| !letter.is_alphanumeric());
    let words = words.split(" (").next().unwrap_or_default().trim_end();
    let work = words.split_once(':').filter(|(before, _)| WORK.iter().any(|name| begins_with(before, name)));
    if let Some((_, title)) = work {
        return CRITERIA.contains(&title.trim());
    }
    let ends = |name: &&str| match (words.strip_suffix(*name), *name) {
        (Some(before), "success") => before.is_empty() || is_numbered_work(before),
        (Some(before), _) => !before.ends_with(char::is_alphanumeric),
        (None, _) => false,
    };
    CRITERIA.iter().any(ends)
}

/// `phase 1`, and nothing more?
fn is_numbered_work(words: &str) -> bool {
    let mut each = words.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty());
    each.next().is_some_and(|word| WORK.contains(&word))
        && each.next().is_some_and(|number| number.starts_with(|first: char| first.is_ascii_digit()))
        && each.all(|word| word.chars().all(|letter| letter.is_ascii_digit()))
}

/// Is a line the title of criteria that follow it: `**Acceptance Criteria**:`?
pub(super) fn is_criteria_label(line: &str) -> bool {
    let words = plain_words(line);
    words.len() < 60 && words.trim_end().ends_with([':', '：']) && is_criteria(&words)
}

/// Is a line what criteria are called, and nothing more?
pub(super) fn is_criteria_name(line: &str) -> bool {
    CRITERIA.contains(&plain_words(line).trim_end())
}
