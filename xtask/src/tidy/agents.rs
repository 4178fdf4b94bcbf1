//! Who names an agent: `windlass-agents`, and nobody else. Another agent is a folder there and a row of its table.

use std::path::Path;

use super::Complaint;
use super::sources::{Words, check_words, is_test, remaining};

/// What only an agent's own folder knows: its variables, files, rules and tools.
const WORDS: &[&str] = &[
    "ANTHROPIC_",
    "CLAUDE_",
    "CLAUDE.md",
    "ClaudeDecoder",
    "claude::",
    "\"claude\"",
    "\".claude",
    "Bash(",
    "\"Bash\"",
    "\"Read\"",
    "\"Edit\"",
    "\"Write\"",
];

/// Files that may, and why.
const MAY: &[(&str, &str)] = &[
    ("crates/windlass-agents", "the agents' own room"),
    ("crates/windlass-testkit", "plays the API of an agent"),
    ("crates/windlass-nights", "simulates one agent"),
    ("crates/windlass-fuzz", "reads what an agent prints"),
    ("crates/windlass/src/scripted_agent", "plays an agent"),
    ("crates/windlass/src/args", "examples for people"),
    ("crates/windlass-core/src/config/keys.rs", "examples for people"),
    ("crates/windlass-core/src/workspace/seed_options.rs", "keys of another tool's file"),
    ("crates/windlass-core/src/workspace/seed_project.rs", "keys of another tool's file"),
    ("crates/windlass-core/src/principles", "a file of another tool's"),
    ("crates/windlass-app/src/import.rs", "names of other tools' folders"),
    ("crates/windlass-import", "files of other tools"),
    ("crates/windlass-jobs/src/doc/tasks/sources", "files of other tools"),
    ("xtask", "chores"),
];

/// What is not moved yet: so many lines of a file, and no more.
const REMAINING: &[(&str, usize)] =
    &[("crates/windlass-core/src/guard/globs.rs", 3), ("crates/windlass-ui/src/tool.rs", 1)];

/// Checks a Rust file, but for its tests at the end and its comments.
pub fn check(file: &Path, text: &str) -> Vec<Complaint> {
    if is_test(file) || is_example(file) || MAY.iter().any(|(folder, _)| file.starts_with(folder)) {
        return Vec::new();
    }
    let allowed = remaining(REMAINING, file);
    let problem = "only windlass-agents names an agent: ask the run's agent";
    check_words(file, text, &Words { named: WORDS, allowed, problem })
}

/// Tests in files of their own name, and examples.
fn is_example(file: &Path) -> bool {
    let name = file.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    name.ends_with("_tests.rs") || file.iter().any(|part| part == "examples" || part == "testing.rs")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nobody_but_the_agents_names_one() {
        let code = "let rule = \"Bash(make test)\";\n";
        for (file, text, found) in [
            ("crates/windlass-engine/src/local/call.rs", code.to_owned(), 1),
            ("crates/windlass-engine/src/local/call.rs", format!("// {code}"), 0),
            ("crates/windlass-engine/src/local/call.rs", format!("#[cfg(test)]\nmod tests {{\n{code}"), 0),
            ("crates/windlass-agents/src/claude/rule.rs", code.to_owned(), 0),
            ("crates/windlass-core/src/guard/globs.rs", "\".claude/hooks/**\",\n".repeat(4), 1),
            ("crates/windlass-core/src/guard/globs.rs", "\".claude/hooks/**\",\n".to_owned(), 1),
        ] {
            assert_eq!(check(Path::new(file), &text).len(), found, "{file}: {text}");
        }
    }
}
