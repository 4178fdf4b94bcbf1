//! What a check starts and nobody can follow by reading it: the guard is not a shell. It is said, with what would cover it.

use super::command::{
    SHELLS, Simple, UnnamedFolder, base, hands_a_line, operands, script_of_shell, simple_commands,
    unnamed_folders,
};
use crate::spec::Unfollowed;

/// The commands of a text that start something by a variable (`sh "$PWD/x"`, `$DIR/check`), or from what is handed to a shell
/// (`cat x | sh`).
pub fn unfollowed(text: &str) -> Vec<Unfollowed> {
    let commands = simple_commands(text);
    let mut found = Vec::new();
    for (index, Simple { words, .. }) in commands.iter().enumerate() {
        let Some(first) = words.first() else { continue };
        let is_shell = SHELLS.contains(&base(first));
        let argument = if is_shell { script_of_shell(words) } else { None };
        let pattern = match argument {
            _ if is_variable(first) && first != "$" => literal(first),
            _ if base(first) == "run-parts" => {
                operands(words, &[]).last().map(|folder| format!("{}/**", folder.trim_end_matches('/')))
            }
            _ if words.iter().any(|word| hands_a_line(word)) => continue,
            Some(script) if is_shell && is_variable(script) => literal(script),
            // What it is to run comes from the command before it.
            None if is_shell => {
                let before = index.checked_sub(1).and_then(|before| commands.get(before));
                let words = before.into_iter().flat_map(|before| before.words.iter().skip(1));
                let mut files = words.filter(|word| !word.starts_with('-') && !is_variable(word));
                files.next().cloned()
            }
            _ => continue,
        };
        found.push(Unfollowed { command: words.join(" "), pattern });
    }
    // Where a text finds its own folder, that is likely what its variables hold.
    if unnamed_folders(text).into_iter().eq([UnnamedFolder::Unknown]) {
        let command = text.lines().find(|line| line.contains("cd ")).unwrap_or(text).trim().to_owned();
        found.push(Unfollowed { command, pattern: None });
    }
    found
}

fn is_variable(word: &str) -> bool {
    word.contains(['$', '*', '?'])
}

/// What of a word comes after its variables: `ci/x` of `$PWD/ci/x`.
fn literal(word: &str) -> Option<String> {
    let after = word.rsplit('$').next()?;
    let (_, path) = after.split_once('/')?;
    (!path.is_empty()).then(|| path.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_no_reader_can_follow_is_named_with_what_it_likely_means() {
        let of = |text: &str| {
            let found = unfollowed(text);
            found
                .into_iter()
                .map(|found| (found.command, found.pattern.unwrap_or_default()))
                .collect::<Vec<_>>()
        };
        let one = |command: &str, pattern: &str| vec![(command.to_owned(), pattern.to_owned())];
        assert_eq!(of("sh \"$DIR/ci/x.sh\""), one("sh $DIR/ci/x.sh", "ci/x.sh"));
        assert_eq!(of("run-parts --regex . ci/"), one("run-parts --regex . ci/", "ci/**"));
        assert_eq!(of("cat ci/x | sh"), one("sh", "ci/x"));
        assert_eq!(of("cat ci/x | bash -s -- all"), []);
        assert_eq!(of("$CHECKS/all.sh --quick"), one("$CHECKS/all.sh --quick", "all.sh"));
        assert_eq!(of("$RUNNER"), one("$RUNNER", ""));
        assert_eq!(of("eval \"$X\""), one("$X", ""));
        assert_eq!(of(". \"$HOME/env\" && make"), one(". $HOME/env", "env"));
        assert_eq!(of("cd \"$ROOT\" && make"), one("cd \"$ROOT\" && make", ""));
        for followed in [
            "make test",
            "cd ci && make",
            "cd \"$(dirname \"$0\")\"; sh x.sh",
            "sh ci/x.sh",
            "cargo test",
            "sh -c 'make test'",
            "./check.sh \"$PWD\"",
            "sh \"$PWD/ci/x.sh\"",
            "$(pwd)/ci/x.sh",
            "bash -euo pipefail ci/x.sh",
            "",
        ] {
            assert_eq!(of(followed), [], "{followed}");
        }
    }
}
