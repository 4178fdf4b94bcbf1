//! What a person wrote, in a message about it.

/// Short, on one line, and without anything that moves a cursor.
pub(crate) fn shown(text: &str) -> String {
    text.trim().chars().filter(|character| !character.is_control()).take(60).collect()
}
