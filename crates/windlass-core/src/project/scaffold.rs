//! What `init --plan` and `init --tasks` write into a project that has nothing of it yet.

use std::fmt::Write as _;
use std::path::Path;

use jiff::civil::Date;

use super::{CommandKind, Offer};
use crate::values::{HookName, Named};

/// The beginning of an AGENTS.md: how this project is tested, built and linted, and room for what agents learn.
pub fn agents_file(offers: &[Offer]) -> String {
    let mut text = "\
# AGENTS.md

What everybody who works here has to know. It goes into the system prompt of
every call: keep it short, and replace what is no longer true.

## Commands
"
    .to_owned();
    for (kind, title) in
        [(CommandKind::Test, "Testing"), (CommandKind::Build, "Building"), (CommandKind::Lint, "Linting")]
    {
        let commands: Vec<&str> =
            offers.iter().filter(|offer| offer.kind == kind).map(|offer| offer.command).collect();
        if !commands.is_empty() {
            // Writing to a string cannot fail.
            let _ = write!(text, "\n### {title}\n\n```sh\n{}\n```\n", commands.join("\n"));
        }
    }
    if offers.is_empty() {
        text.push_str("\n(Nobody has written down yet how this project is built and tested.)\n");
    }
    text + "\n## Code patterns\n\n## Operational knowledge\n"
}

/// A folder's README that says what specifications are for. It is none itself: there is nothing in it to be fulfilled.
pub fn specs_readme(plan: &Path) -> String {
    let plan = plan.display();
    format!(
        "\
# Specifications

One file for each topic: what it is for, what it does, and how anybody can tell
that it does. Headings, boxes and sentences with the capital words of RFC 2119
count as requirements; tasks of the plan refer to the file they carry out.

1. Write what is wanted into a file beside this one.
2. `windlass plan` reads it all and writes {plan}.
3. `windlass build` carries the plan out, one task after another.
4. `windlass verify --plan` says what no task covers.
"
    )
}

/// A task file without a task: how one is written stands in a comment, so that it is none.
pub fn task_file(title: &str, created: Date) -> String {
    let title = title.split(|letter: char| letter.is_whitespace() || letter.is_control());
    let title = title.filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ");
    format!(
        "\
# {title}

**Project**: {title}
**Created**: {created}

<!--
What is to be done: a heading for each task, and below it what it is about.

### TASK-001: What it is, in a few words
- **Status**: pending
- **Priority**: high
- **Dependencies**: none
- **Description**: What is to be done, and how anybody can tell that it is.

Ids go up: TASK-001, TASK-002. A task takes about 30 minutes. Status is pending,
in-progress or done; priority is high, medium or low; dependencies are none, or
the tasks that have to be done before: TASK-001, TASK-002.
-->
"
    )
}

/// A hook that does nothing yet, to be copied to its name without `.sample`.
pub fn sample_hook(hook: HookName) -> String {
    let when = match hook {
        HookName::Started => "once before anything else; it may stop the run",
        HookName::NextIteration => "before each iteration; it may skip it or stop the run",
        HookName::Finished => "on every way out, with $WINDLASS_HOOK_FINISH_TYPE",
    };
    let name = hook.name();
    let codes = match hook {
        HookName::Started => "0 = go on, 2 = stop the run",
        HookName::NextIteration => "0 = go on, 1 = skip this iteration, 2 = stop the run",
        HookName::Finished => "0; anything else is a warning",
    };
    format!(
        "\
#!/bin/sh
# Called {when}.
# To use it: cp {name}.sample {name} && chmod +x {name}
#
# Exit code: {codes}.
# `env | grep WINDLASS_HOOK_` shows what it is told.

exit 0
"
    )
}

#[cfg(test)]
mod tests {
    use super::super::{Clues, offers};
    use super::*;

    // rows: 18, 138
    #[test]
    fn agents_are_told_the_commands_that_were_found() {
        let clues = Clues { files: vec!["go.mod".to_owned()], ..Clues::default() };
        let text = agents_file(&offers(&clues));
        for part in ["### Testing\n\n```sh\ngo test ./...\n```", "### Linting\n\n```sh\ngo vet ./...\n```"] {
            assert!(text.contains(part), "{text}");
        }
        assert!(agents_file(&[]).contains("Nobody has written down yet"));
    }

    // rows: 19
    #[test]
    fn a_task_file_begins_without_a_task() {
        let text = task_file("Pay\n### TASK-009: by card", jiff::civil::date(2026, 3, 1));
        assert!(
            text.starts_with("# Pay ### TASK-009: by card\n") && text.contains("**Created**: 2026-03-01\n"),
            "{text}"
        );
        let (before, rest) = text.split_once("<!--").unwrap();
        assert!(!before.contains("\n###") && rest.trim_end().ends_with("-->"), "{text}");
    }

    #[test]
    fn the_readme_of_specifications_requires_nothing() {
        let text = specs_readme(Path::new("IMPLEMENTATION_PLAN.md"));
        assert!(text.contains("writes IMPLEMENTATION_PLAN.md"));
        for mark in ["###", "- [", "MUST", "SHALL", "SHOULD", "MAY", "REQUIRED"] {
            assert!(!text.contains(mark), "{mark}");
        }
    }
}
