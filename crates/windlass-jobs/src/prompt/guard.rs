//! What the guard holds against the work: the agent may put it right.

use windlass_core::inert::Inert;
use windlass_core::values::{Suspicion, SuspicionKind};

use super::parts::PromptParts;

/// So many findings are named.
const MOST: usize = 12;

/// The longest of them, in characters.
const LONGEST: usize = 300;

/// The section, or nothing.
pub(crate) fn section(parts: &PromptParts<'_>) -> Inert {
    if parts.held.is_empty() {
        return Inert::empty();
    }
    let mut text = Inert::own(
        "\n## What the guard holds against the work\n\nNo claim is accepted while this stands:\n\n",
    );
    for found in parts.held.iter().take(MOST) {
        text.push(&finding(found));
    }
    let more = parts.held.len().saturating_sub(MOST);
    if more > 0 {
        text.push(&Inert::fill("- and {{more}} more\n", &[("more", Inert::count(more))]));
    }
    let undone = parts.held.iter().any(|found| found.kind == SuspicionKind::Undone);
    let of_itself =
        [SuspicionKind::Undone, SuspicionKind::Vanished, SuspicionKind::Nested, SuspicionKind::TaskGone];
    let stands = parts.held.iter().any(|found| !of_itself.contains(&found.kind));
    text.say("\n");
    if parts.held.iter().any(|found| found.kind == SuspicionKind::Vanished) {
        text.say(
            "Put each box back where the others stand: ticked where it is done, open where it is not. Where it is to be dropped, \
             say why, and claim again: a person will decide.\n",
        );
    }
    if parts.held.iter().any(|found| found.kind == SuspicionKind::TaskGone) {
        text.say(
            "Leave each task where it stands in its file, also once it is done: its status there is all that says so. It is back \
             there now, and open.\n",
        );
    }
    if parts.held.iter().any(|found| found.kind == SuspicionKind::Nested) {
        text.say(
            "Only files of this repository can be committed. Let what belongs to the work be such files: remove the `.git` within. \
             Take out what does not belong to it.\n",
        );
    }
    if stands {
        text.say(
            "Put it right: bring back what was there, and make the checks pass by the work itself. Where the job really asks \
             for it, leave it as it is, say why, and claim again: a person will decide.\n",
        );
    }
    if undone {
        text.say(
            "Protected files are the runner's: work without changing them. Where the job cannot be done so, say which one \
             would have to change and how.\n",
        );
    }
    text
}

fn finding(found: &Suspicion) -> Inert {
    let short = |text: &str| text.chars().take(LONGEST).collect::<String>();
    let path = Inert::name(&short(&found.path));
    Inert::fill(
        "- {{path}}: {{sentence}}\n",
        &[("path", path), ("sentence", Inert::words(&short(&found.sentence)))],
    )
}
