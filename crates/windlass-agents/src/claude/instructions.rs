//! What Claude Code reads by itself before it is told anything. Seen in 2.1.330: `AGENTS.md`, unless there is a `CLAUDE.md`
//! that says something, in the project or in a folder above it; and whatever a `CLAUDE.md` imports, `@path`.

use std::path::{Path, PathBuf};

use windlass_core::dots::without_dots;
use windlass_core::spec::AgentSpec;

use super::{NAME, version};
use crate::{Instructions, Place};

/// The first version that is known to read `AGENTS.md`. Others may; told twice is better than not at all.
const READS_AGENTS: (u32, u32, u32) = (2, 1, 330);

/// The only name under which it does.
const AGENTS: &str = "AGENTS.md";

/// Flags with which it reads nothing of a project, or may not.
const READS_LESS: &[&str] = &["--bare", "--safe-mode", "--setting-sources"];

/// Does the agent read this file of the project, which holds this text, by itself? `found` are all its own files from the
/// folder that it works in upwards.
pub(super) fn reads_by_itself(
    agent: &AgentSpec,
    Place { directory, file }: Place<'_>,
    text: &str,
    found: &[Instructions],
) -> bool {
    let reads_less =
        |argument: &String| READS_LESS.iter().any(|flag| argument.split('=').next() == Some(flag));
    let Some(version) = version::parse(&agent.version) else { return false };
    if agent.name != NAME || agent.arguments.iter().any(reads_less) {
        return false;
    }
    let wanted = without_dots(&directory.join(file));
    let speaking: Vec<&Instructions> = found.iter().filter(|one| !one.text.is_empty()).collect();
    if speaking.is_empty() {
        return version >= READS_AGENTS && file == Path::new(AGENTS);
    }
    speaking.iter().any(|one| one.text == text || imports(one).any(|path| path == wanted))
}

/// What it imports, from where it is: words that begin with `@`, outside of code.
fn imports(of: &Instructions) -> impl Iterator<Item = PathBuf> {
    let folder = of.file.parent().unwrap_or(Path::new("/"));
    let prose = prose(&of.text);
    let paths: Vec<PathBuf> = prose
        .split_whitespace()
        .filter_map(|word| word.strip_prefix('@')?.split('#').next())
        .map(|path| without_dots(&folder.join(path)))
        .collect();
    paths.into_iter()
}

/// The text without code and comments. What is in doubt is left out.
fn prose(text: &str) -> String {
    let mut fenced = false;
    let mut lines = Vec::new();
    for line in text.lines() {
        let begin = line.trim_start();
        if begin.starts_with("```") || begin.starts_with("~~~") {
            fenced = !fenced;
        } else if !fenced && !line.starts_with("    ") && !line.starts_with('\t') && !line.contains('`') {
            lines.push(line);
        }
    }
    let text = lines.join("\n");
    let (before, _) = text.split_once("<!--").unwrap_or((&text, ""));
    before.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing;

    fn reads(version: &str, file: &str, found: &[(&str, &str)]) -> bool {
        let agent = AgentSpec { name: "claude".into(), version: version.into(), ..testing::plan().agent };
        let found: Vec<Instructions> = found
            .iter()
            .map(|(file, text)| Instructions { file: file.into(), text: (*text).to_owned() })
            .collect();
        reads_by_itself(
            &agent,
            Place { directory: Path::new("/p"), file: Path::new(file) },
            "Run `make`.",
            &found,
        )
    }

    // As the real one was seen to do it.
    #[test]
    fn it_reads_the_file_where_nothing_else_speaks_or_what_speaks_imports_it() {
        for (found, expected) in [
            (&[][..], true),
            (&[("/p/CLAUDE.md", "")], true),
            (&[("/p/CLAUDE.md", "hello")], false),
            (&[("/CLAUDE.md", "hello")], false),
            (&[("/p/CLAUDE.local.md", "hello")], false),
            (&[("/p/CLAUDE.md", "@AGENTS.md")], true),
            (&[("/p/CLAUDE.md", "See @./AGENTS.md for more")], true),
            (&[("/p/CLAUDE.md", "@../p/AGENTS.md#all")], true),
            (&[("/p/.claude/CLAUDE.md", "@../AGENTS.md")], true),
            (&[("/p/.claude/CLAUDE.md", "@AGENTS.md")], false),
            (&[("/p/CLAUDE.md", "`@AGENTS.md`")], false),
            (&[("/p/CLAUDE.md", "```\n@AGENTS.md\n```\n")], false),
            (&[("/p/CLAUDE.md", "<!-- @AGENTS.md -->")], false),
            (&[("/p/CLAUDE.md", "me@AGENTS.md")], false),
            // A link to it.
            (&[("/p/CLAUDE.md", "Run `make`.")], true),
        ] {
            assert_eq!(reads("2.1.330", "AGENTS.md", found), expected, "{found:?}");
        }
        assert!(!reads("2.1.330", ".fresher/AGENTS.md", &[]));
        assert!(!reads("2.1.197", "AGENTS.md", &[]));
        assert!(reads("2.1.197", "AGENTS.md", &[("/p/CLAUDE.md", "@AGENTS.md")]));
        assert!(!reads("", "AGENTS.md", &[]));
    }

    #[test]
    fn with_flags_that_make_it_read_less_it_is_told() {
        let mut agent =
            AgentSpec { name: "claude".into(), version: "2.1.330".into(), ..testing::plan().agent };
        let place = Place { directory: Path::new("/p"), file: Path::new("AGENTS.md") };
        assert!(reads_by_itself(&agent, place, "", &[]));
        agent.arguments = vec!["--setting-sources=user".into()];
        assert!(!reads_by_itself(&agent, place, "", &[]));
        agent.arguments.clear();
        agent.name = "mock".into();
        assert!(!reads_by_itself(&agent, place, "", &[]));
    }
}
