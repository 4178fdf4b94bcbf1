//! What a patch shows: lines that came, lines that went.

use maud::{Markup, html};
use windlass_core::redact::Redactor;
use windlass_ui::{harmless, one_command, one_line};

/// So many bytes of a patch are looked at.
const LONGEST_PATCH: usize = 300_000;

/// So many characters of a line are shown.
const LONGEST_LINE: usize = 400;

/// A part of what was changed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Patch {
    /// What it is of: a task, an iteration.
    pub name: String,
    /// The patch, as `git diff` prints it, or its first lines.
    pub text: String,
    /// Lines of it that are left out.
    pub more: usize,
    /// What shows all of it.
    pub command: String,
}

/// What a line of a patch is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PatchLine {
    /// It names a file or says something of it.
    Head,
    /// Where in a file.
    Place,
    /// It came.
    Added,
    /// It went.
    Removed,
    /// It stands around those.
    Around,
}

impl PatchLine {
    const fn class(self) -> Option<&'static str> {
        match self {
            PatchLine::Head => Some("head"),
            PatchLine::Place => Some("place"),
            PatchLine::Added => Some("added"),
            PatchLine::Removed => Some("removed"),
            PatchLine::Around => None,
        }
    }
}

/// The lines of a patch, each with what it is. Hunks say how many lines they have, so that a line of a file that looks like a heading is none.
pub fn patch_lines(text: &str) -> impl Iterator<Item = (PatchLine, &str)> {
    let (mut old, mut new) = (0_u64, 0_u64);
    text.split_inclusive('\n').map(move |line| {
        let line = line.strip_suffix('\n').unwrap_or(line);
        let kind = match line.bytes().next() {
            Some(b'+') if new > 0 => PatchLine::Added,
            Some(b'-') if old > 0 => PatchLine::Removed,
            Some(b' ') | None if old > 0 || new > 0 => PatchLine::Around,
            Some(b'\\') => PatchLine::Around,
            Some(b'@') if hunk(line).is_some() => PatchLine::Place,
            _ => PatchLine::Head,
        };
        match kind {
            PatchLine::Place => (old, new) = hunk(line).unwrap_or_default(),
            PatchLine::Added => new -= 1,
            PatchLine::Removed => old -= 1,
            PatchLine::Around if !line.starts_with('\\') => {
                (old, new) = (old.saturating_sub(1), new.saturating_sub(1));
            }
            PatchLine::Around => {}
            PatchLine::Head => (old, new) = (0, 0),
        }
        (kind, line)
    })
}

/// How many lines a hunk has before and after: `@@ -1,2 +3,4 @@`.
fn hunk(line: &str) -> Option<(u64, u64)> {
    let (range, _) = line.strip_prefix("@@ ")?.split_once(" @@")?;
    let (old, new) = range.split_once(' ')?;
    let count = |range: &str| match range.split_once(',') {
        Some((_, count)) => count.parse().ok(),
        None => Some(1),
    };
    Some((count(old.strip_prefix('-')?)?, count(new.strip_prefix('+')?)?))
}

impl Patch {
    /// As HTML, folded.
    pub(crate) fn html(&self, redactor: &Redactor) -> Markup {
        let text = redactor.redact(&harmless(beginning(&self.text)));
        let title = format!("Changes of {}", redactor.redact(&one_line(beginning(&self.name))));
        html! {
            details {
                summary { (title) }
                pre.patch tabindex="0" role="region" aria-label=(title) {
                    @for (kind, line) in patch_lines(&text) {
                        span class=[kind.class()] { (shown(line)) }
                    }
                }
                @if self.more > 0 { p.dim { "and " (self.more) " more lines:" } }
                @if !self.command.is_empty() { code.command { (redactor.redact(&one_command(beginning(&self.command)))) } }
            }
        }
    }
}

/// Megabytes are not looked through.
fn beginning(text: &str) -> &str {
    text.get(..text.floor_char_boundary(LONGEST_PATCH)).unwrap_or(text)
}

fn shown(line: &str) -> String {
    let mut shown: String = line.chars().take(LONGEST_LINE).collect();
    if shown.len() < line.len() {
        shown.push('…');
    }
    shown
}
