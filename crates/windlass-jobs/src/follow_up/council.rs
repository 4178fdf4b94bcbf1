//! A fresh agent settles a conflict of principles.

use windlass_core::values::Conflict;

use super::{Descriptor, review};
use crate::prompt::{Inert, PromptParts, Texts, agents_section, principles, unattended, without_signal};

const TEMPLATE: &str = include_str!("../prompt/templates/council.md");

pub(super) const CALL: Descriptor = Descriptor {
    prompt: |parts, _| compose(parts),
    due: |_| Some("the agent reports a conflict of principles; a fresh agent settles it".to_owned()),
    doing: Some("deciding"),
    log_heading: Some("COUNCIL OUTPUT"),
};

fn compose(parts: &PromptParts<'_>) -> Texts {
    let nothing = Conflict::default();
    let conflict = parts.conflict.unwrap_or(&nothing);
    let said = |text: &str| Inert::block(&without_signal(text, &parts.plan.job.completion_signal));
    let concerned = if conflict.principles.is_empty() {
        Inert::empty()
    } else {
        Inert::fill("\nIt is between: {{names}}.\n", &[("names", Inert::names(&conflict.principles))])
    };
    let (options, choice) = if conflict.options.is_empty() {
        (Inert::empty(), Inert::empty())
    } else {
        let options = Inert::fill(
            "\nThe agent sees these ways:\n\n{{options}}",
            &[("options", said(&numbered(conflict)))],
        );
        (options, Inert::own("; `choice` is the number of the way that you choose among those offered"))
    };
    let values = [
        ("projectRoot", Inert::words(&parts.plan.directory.to_string_lossy())),
        ("principles", principles::known(parts).map_or_else(Inert::empty, principles::values)),
        ("job", review::job(parts)),
        ("question", said(&conflict.question)),
        ("concerned", concerned),
        ("options", options),
        ("choice", choice),
    ];
    let mut system = unattended(parts.plan);
    system.push(&agents_section(parts));
    Texts { system, user: Inert::fill(TEMPLATE, &values) }
}

/// Options as they are counted in an answer.
fn numbered(conflict: &Conflict) -> String {
    let lines = (1..).zip(&conflict.options).map(|(number, option)| format!("{number}. {option}"));
    lines.collect::<Vec<_>>().join("\n")
}
