//! What an iteration changed: files with their lines, and the words that differ within them.

use std::convert::Infallible;

use maud::{Markup, html};
use similar::DiffableStr as _;
use similar::algorithms::{DiffHook, myers};
use windlass_app::AppError;
use windlass_app::diff::{DiffRun, RunDiff};
use windlass_ui::format;
use windlass_ui::model::RunSeen;

use super::parts::{self, line, text};
use crate::site::Site;

/// Files that are listed.
const FILES: usize = 500;

/// Lines of one file, and bytes of all, that are shown.
const LINES: usize = 400;
const BYTES: usize = 512 * 1024;

/// Longest lines in which words are compared.
const LONGEST_COMPARED: usize = 2000;

/// The tab's content.
pub fn part(site: &Site, seen: &RunSeen, iteration: u32) -> Markup {
    match look(site, seen, iteration) {
        Ok(diff) => show(seen, iteration, &diff),
        Err(error) => html! {
            p.why { (text(&error.message)) }
            @for hint in &error.hints { p.hint { (text(&hint.to_string())) } }
        },
    }
}

fn look(site: &Site, seen: &RunSeen, iteration: u32) -> Result<RunDiff, AppError> {
    let there = site.app.in_directory(seen.status.directory.as_ref())?;
    let run = seen.status.run.as_ref().map(|run| run.0.clone());
    there.diff(&DiffRun { run, iteration: Some(iteration) })
}

fn show(seen: &RunSeen, iteration: u32, diff: &RunDiff) -> Markup {
    let run = seen.status.run.as_ref().map(|run| run.0.as_str()).unwrap_or_default();
    let mut left = BYTES;
    let shown: Vec<(&[u8], bool)> = files_of(&diff.patch)
        .into_iter()
        .map(|file| {
            let shown = file.get(..file.len().min(left)).unwrap_or_default();
            left = left.saturating_sub(file.len());
            (shown, shown.len() < file.len())
        })
        .filter(|(shown, _)| !shown.is_empty())
        .collect();
    html! {
        p { (parts::count(diff.files.len() as u64, "file")) " changed, " (format::bytes(diff.patch.len() as u64)) " of patch" }
        ul.plain { @for file in diff.files.iter().take(FILES) { li {
            code { (line(&String::from_utf8_lossy(&file.path))) } " "
            @match (file.added, file.removed) {
                (Some(added), Some(removed)) => { span.good { "+" (added) } " " span.bad { "-" (removed) } }
                _ => { "not text" }
            }
        } } }
        @if diff.files.len() > FILES { p { (diff.files.len() - FILES) " more files" } }
        @for (file, is_cut) in shown { (patch(file, is_cut)) }
        @if left == 0 { p { "The rest: " (parts::command(&seen.typed(&format!("windlass diff {run} {iteration}")))) } }
    }
}

/// A patch, file by file.
fn files_of(patch: &[u8]) -> Vec<&[u8]> {
    const HEAD: &[u8] = b"diff --git ";
    let mut starts = Vec::new();
    let mut at = 0;
    for piece in patch.split_inclusive(|byte| *byte == b'\n') {
        if piece.starts_with(HEAD) {
            starts.push(at);
        }
        at += piece.len();
    }
    let ends = starts.iter().skip(1).copied().chain([patch.len()]);
    starts.iter().zip(ends).filter_map(|(start, end)| patch.get(*start..end)).collect()
}

/// A line of a patch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Head,
    Place,
    Same,
    Removed,
    Added,
}

fn kind(line: &str, in_hunk: bool) -> Kind {
    match line.as_bytes().first() {
        Some(b'@') => Kind::Place,
        Some(b'-') if in_hunk => Kind::Removed,
        Some(b'+') if in_hunk => Kind::Added,
        Some(b' ' | b'\\') if in_hunk => Kind::Same,
        _ => Kind::Head,
    }
}

fn patch(bytes: &[u8], is_cut: bool) -> Markup {
    let all = String::from_utf8_lossy(bytes);
    let mut in_hunk = false;
    let mut lines: Vec<(Kind, &str)> = Vec::new();
    for line in all.lines() {
        let kind = kind(line, in_hunk);
        in_hunk |= kind == Kind::Place;
        lines.push((kind, line));
    }
    let name = lines.iter().find_map(|(_, line)| line.strip_prefix("+++ b/").or(line.strip_prefix("--- a/")));
    let name = name.or_else(|| lines.first().map(|(_, line)| *line)).unwrap_or_default();
    let body: Vec<(Kind, &str)> = lines.iter().copied().filter(|(kind, _)| *kind != Kind::Head).collect();
    html! {
        details open[body.len() <= LINES] {
            summary { code { (line(name)) } }
            pre.diff tabindex="0" { (changed(body.get(..LINES).unwrap_or(&body))) }
            @if body.len() > LINES || is_cut { p.more { "More of it is not shown." } }
        }
    }
}

/// Lines; a removed one that an added one follows shows which words differ.
fn changed(lines: &[(Kind, &str)]) -> Markup {
    let mut pieces = Vec::new();
    let mut at = 0;
    while let Some((kind, one)) = lines.get(at) {
        let next = lines.get(at + 1);
        let before = at.checked_sub(1).and_then(|before| lines.get(before)).map(|(kind, _)| *kind);
        let is_pair = *kind == Kind::Removed
            && before != Some(Kind::Removed)
            && next.is_some_and(|(kind, _)| *kind == Kind::Added)
            && lines.get(at + 2).is_none_or(|(kind, _)| *kind != Kind::Added);
        if let (true, Some((_, other))) = (is_pair, next)
            && one.len().max(other.len()) <= LONGEST_COMPARED
        {
            pieces.push(words(one, other));
            at += 2;
            continue;
        }
        pieces.push(plain(*kind, one));
        at += 1;
    }
    html! { @for piece in pieces { (piece) } }
}

fn plain(kind: Kind, one: &str) -> Markup {
    let one = text(one);
    match kind {
        Kind::Removed => html! { del { (one) "\n" } },
        Kind::Added => html! { ins { (one) "\n" } },
        Kind::Place => html! { span.place { (one) "\n" } },
        Kind::Same | Kind::Head => html! { (one) "\n" },
    }
}

fn words(old: &str, new: &str) -> Markup {
    let (old, new) = (text(old.get(1..).unwrap_or_default()), text(new.get(1..).unwrap_or_default()));
    let (old, new) = (old.tokenize_words(), new.tokenize_words());
    let differing = DifferingWords::between(&old, &new);
    let marked = |words: &[&str], differing: &[bool]| {
        html! {
            @for (word, differs) in words.iter().zip(differing) {
                @if *differs { mark { (word) } } @else { (word) }
            }
        }
    };
    html! {
        del { "-" (marked(&old, &differing.old)) "\n" }
        ins { "+" (marked(&new, &differing.new)) "\n" }
    }
}

/// Which words of two lines are not in the other: found by one algorithm, since all that there are would be a fiftieth of the program.
struct DifferingWords {
    old: Vec<bool>,
    new: Vec<bool>,
}

impl DifferingWords {
    fn between(old: &[&str], new: &[&str]) -> DifferingWords {
        let mut found = DifferingWords { old: vec![false; old.len()], new: vec![false; new.len()] };
        let Ok(()) = myers::diff_deadline_raw(&mut found, old, 0..old.len(), new, 0..new.len(), None);
        found
    }
}

impl DiffHook for DifferingWords {
    type Error = Infallible;

    fn delete(&mut self, from: usize, count: usize, _: usize) -> Result<(), Infallible> {
        self.old.iter_mut().skip(from).take(count).for_each(|word| *word = true);
        Ok(())
    }

    fn insert(&mut self, _: usize, from: usize, count: usize) -> Result<(), Infallible> {
        self.new.iter_mut().skip(from).take(count).for_each(|word| *word = true);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn files_and_words_of_a_patch_are_told_apart() {
        let both = b"diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-let a = 1;\n+let a = 2;\ndiff --git a/y b/y\n@@ -1 +1,2 @@\n same\n+--- not a head\n";
        let files = files_of(both);
        assert_eq!(files.len(), 2);
        let first = patch(files[0], false).into_string();
        assert!(first.contains("<del>-let a = <mark>1;</mark>"), "{first}");
        assert!(first.contains("<ins>+let a = <mark>2;</mark>"), "{first}");
        assert!(patch(files[1], false).into_string().contains("<ins>+--- not a head"));
    }

    proptest! {
        #[test]
        fn what_is_not_marked_is_the_same_in_both_lines(old in "[ab ]{0,30}", new in "[ab ]{0,30}") {
            let (old, new) = (old.as_str().tokenize_words(), new.as_str().tokenize_words());
            let differing = DifferingWords::between(&old, &new);
            let same = |words: &[&str], differing: &[bool]| -> Vec<String> {
                let pairs = words.iter().zip(differing);
                pairs.filter(|(_, differs)| !**differs).map(|(word, _)| (*word).to_owned()).collect()
            };
            prop_assert_eq!(same(&old, &differing.old), same(&new, &differing.new));
            prop_assert_eq!(old == new, !differing.old.iter().chain(&differing.new).any(|differs| *differs));
        }

        #[test]
        fn whatever_a_patch_holds_is_text(bytes in any::<Vec<u8>>(), lines in "([-+@ ]|diff --git |<script>|\u{202e}|\n){0,60}") {
            for patch_bytes in [bytes.as_slice(), lines.as_bytes()] {
                for file in files_of(patch_bytes) {
                    prop_assert!(!patch(file, false).into_string().contains("<script>"));
                }
            }
        }
    }
}
