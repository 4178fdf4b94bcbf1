//! What a check starts and nobody can follow by reading it: the guard is not a shell. It is said, with what would cover it.

use super::command::{
    SHELLS, Simple, UnnamedFolder, base, commands_within, hands_a_line, is_assignment, operands,
    script_of_shell, simple_commands, unnamed_folders,
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

/// A folder in which a text has programs looked for from there on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SearchedFolder {
    /// What says so: `PATH=./bin:$PATH`.
    pub command: String,
    /// The folder, as seen from where the text is run; `None` where a variable or a command names it.
    pub folder: Option<String>,
}

/// The folders that a text sets its search path to. Whoever can write there says which programs its commands are.
pub fn searched_folders(text: &str) -> Vec<SearchedFolder> {
    let mut found = Vec::new();
    for command in commands_within(text, 0).iter().flat_map(|words| assignments(words)) {
        let Some(value) = command.strip_prefix("PATH=") else { continue };
        for folder in value.split(':').filter(|folder| !is_the_old_path(folder, text)) {
            let folder = match folder {
                "" | "$PWD" | "${PWD}" => Some("."),
                folder if folder.contains(['$', '`']) => None,
                folder => Some(folder),
            };
            found.push(SearchedFolder { command: command.clone(), folder: folder.map(str::to_owned) });
        }
    }
    found
}

/// The words of a command that set variables: those before it, and those that `export` and its kin are handed.
fn assignments(words: &[String]) -> impl Iterator<Item = &String> {
    let before = words.iter().take_while(|word| is_assignment(word)).count();
    let sets = ["export", "env", "readonly", "declare", "typeset", "local"];
    let all = words.get(before).is_some_and(|first| sets.contains(&first.as_str()));
    words.iter().take(if all { words.len() } else { before })
}

/// What stands for the search path as it was, or for a part of such a word; folders of the person's home are no part of a project.
fn is_the_old_path(folder: &str, text: &str) -> bool {
    let is_cut_off = folder.contains('{') != folder.contains('}') || folder == "$" && text.contains("${PATH");
    is_cut_off
        || matches!(folder, "$PATH" | "${PATH}")
        || folder.starts_with(['~'])
        || folder.starts_with("$HOME")
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
    fn folders_of_a_search_path_are_found() {
        let of = |text: &str| {
            let found = searched_folders(text);
            found.into_iter().map(|found| found.folder.unwrap_or("?".to_owned())).collect::<Vec<_>>()
        };
        assert_eq!(of("PATH=.:$PATH; sh chk.sh"), ["."]);
        assert_eq!(of("PATH=$PWD/bin:$PATH; ./chk.sh"), ["./bin"]);
        assert_eq!(of("export PATH=\"$PWD:$PATH\" && x"), ["."]);
        assert_eq!(of("env PATH=node_modules/.bin:/usr/bin x"), ["node_modules/.bin", "/usr/bin"]);
        assert_eq!(of("sh -c 'PATH=:/bin; x'"), [".", "/bin"]);
        assert_eq!(of("PATH=\"$TOOLS/bin:$PATH\" x"), ["?"]);
        assert_eq!(of("PATH=$(npm bin):$PATH x"), ["?"]);
        for kept in ["PATH=${PATH}:$HOME/bin x", "PATH=\"${OLD:-}\"", "PATH=~/bin:$PATH x", "MYPATH=. x", "x"]
        {
            assert_eq!(of(kept), [""; 0], "{kept}");
        }
    }

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
