//! What stands within the brackets of a box.

use windlass_core::values::TaskState;

/// What each sign means. One table: what is not in it is unknown.
const SIGNS: [(TaskState, &[char]); 3] = [
    (TaskState::Open, &[' ']),
    (TaskState::InProgress, &['~', '-', '/']),
    (TaskState::Done, &['x', 'X', '✓', '✔', '✅', '☑']),
];

/// A box at the beginning of a list item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::doc) struct BoxSign {
    /// How far its task is; `None` where the sign is unknown.
    pub state: Option<TaskState>,
    /// How long the sign is, in bytes.
    pub sign: usize,
    /// How long all of it is, in bytes: brackets, and the star of what is optional.
    pub length: usize,
    /// `[ ]*`: it may be left out.
    pub optional: bool,
}

/// The box at this place, whatever stands in it: one sign, or nothing.
pub(in crate::doc) fn any_box_at(text: &str, at: usize) -> Option<BoxSign> {
    let escaped = at.checked_sub(1).and_then(|before| text.as_bytes().get(before)) == Some(&b'\\');
    let within = text.get(at..)?.strip_prefix('[').filter(|_| !escaped)?;
    let mut letters = within.chars();
    let sign = letters.next().filter(|sign| !matches!(sign, '[' | ']' | '\n' | '\r'))?;
    let after = letters.as_str().strip_prefix(']')?;
    let optional = after.starts_with('*') && !after.starts_with("**");
    let rest = if optional { after.get(1..)? } else { after };
    let ended = rest.chars().next().is_none_or(|next| next.is_ascii_whitespace());
    let state = state_of(sign);
    // `[1]` is a note and `[P]` says that something may be done beside others; what is a letter else is somebody's own word.
    let is_sign = state.is_some() || !sign.is_alphanumeric();
    let length = 2 + sign.len_utf8() + usize::from(optional);
    (ended && is_sign).then_some(BoxSign { state, sign: sign.len_utf8(), length, optional })
}

/// The state of the box at this place.
pub(in crate::doc) fn box_at(text: &str, at: usize) -> Option<TaskState> {
    any_box_at(text, at)?.state
}

/// The state that a sign means.
pub(in crate::doc) fn state_of(sign: char) -> Option<TaskState> {
    SIGNS.iter().find(|(_, signs)| signs.contains(&sign)).map(|(state, _)| *state)
}

/// The only sign of a text.
pub(super) fn only_sign(text: &str) -> Option<char> {
    let mut letters = text.chars();
    letters.next().filter(|_| letters.as_str().is_empty())
}
