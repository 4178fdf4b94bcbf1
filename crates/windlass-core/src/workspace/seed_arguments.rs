//! Arguments that claude-iterate gave to the agent: what has a key of ours becomes that, and what a run would refuse is
//! left out, or each one would end at its start.

use toml::Value as Toml;

use super::SeedOptions;
use super::seed_options::{list, shown};

/// Why a run refuses an argument for the agent of a program; `None` where it goes through.
pub type Refuses = fn(program: &str, argument: &str) -> Option<&'static str>;

/// What comes next is theirs, whatever it is.
const WITH_A_VALUE: [&str; 13] = [
    "--model",
    "-m",
    "--max-turns",
    "--max-budget-usd",
    "--permission-mode",
    "--settings",
    "--output-format",
    "--input-format",
    "--append-system-prompt",
    "--append-system-prompt-file",
    "--system-prompt",
    "--system-prompt-file",
    "--session-id",
];

/// Skipping permissions is never saved here.
const SKIPPING: &str = "it is never saved; give --dangerously-skip-permissions to `windlass run` each time";

impl SeedOptions {
    /// Takes them over.
    pub(super) fn arguments(&mut self, arguments: Vec<String>, program: &str, refuses: Refuses) {
        let mut kept = Vec::new();
        let mut rest = arguments.into_iter().peekable();
        while let Some(argument) = rest.next() {
            let Some(why) = refuses(program, &argument) else {
                kept.push(argument);
                continue;
            };
            let (flag, value) = if let Some((flag, value)) = argument.split_once('=') {
                (flag.to_owned(), Some(value.to_owned()))
            } else {
                let takes = WITH_A_VALUE.contains(&argument.as_str());
                let value = rest.next_if(|next| takes || !next.starts_with('-'));
                (argument, value)
            };
            if !self.translate(&flag, value.as_deref()) {
                self.leave_argument(&flag, value.as_deref(), why);
            }
            if flag == "--" {
                // All of it would be a prompt.
                break;
            }
        }
        if !kept.is_empty() {
            self.options.push(("agent.arguments", list(kept)));
        }
    }

    /// Does a key of ours say it?
    fn translate(&mut self, flag: &str, value: Option<&str>) -> bool {
        let option = match (flag, value) {
            ("--model" | "-m", Some(model)) if !model.trim().is_empty() => {
                ("agent.model", Toml::String(model.to_owned()))
            }
            ("--max-turns", Some(turns)) => match turns.parse::<u32>() {
                Ok(turns) if turns > 0 => ("agent.max_turns", Toml::Integer(i64::from(turns))),
                _ => return false,
            },
            _ => return false,
        };
        // The last one counts, as it did.
        self.options.retain(|(key, _)| *key != option.0);
        self.options.push(option);
        true
    }

    fn leave_argument(&mut self, flag: &str, value: Option<&str>, why: &str) {
        let skips = match flag {
            "--dangerously-skip-permissions" => true,
            "--permission-mode" => value == Some("bypassPermissions"),
            _ => false,
        };
        let with = if value.is_some() { ", with its value" } else { "" };
        let why = if skips { SKIPPING } else { why };
        self.left.push(format!("beware: `{}` of claude.args is left out{with}: {why}", shown(flag)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refuses(program: &str, argument: &str) -> Option<&'static str> {
        let name = argument.split('=').next().unwrap_or_default();
        let refused = [
            "--model",
            "--max-turns",
            "--permission-mode",
            "--dangerously-skip-permissions",
            "--append-system-prompt",
            "--print",
            "--",
        ];
        assert_eq!(program, "program");
        refused.contains(&name).then_some("why")
    }

    fn taken(arguments: &[&str]) -> SeedOptions {
        let mut found = SeedOptions::default();
        found.arguments(arguments.iter().map(|one| (*one).to_owned()).collect(), "program", refuses);
        found
    }

    // rows: 33, 129
    #[test]
    fn what_has_a_key_becomes_it_and_what_is_refused_is_left_out_with_its_value() {
        let found =
            taken(&["--model", "opus", "--add-dir", "../lib", "--max-turns=5", "--model=sonnet", "-d"]);
        assert_eq!(
            found.options,
            [
                ("agent.max_turns", Toml::Integer(5)),
                ("agent.model", Toml::String("sonnet".to_owned())),
                ("agent.arguments", list(["--add-dir", "../lib", "-d"].map(str::to_owned).into())),
            ]
        );
        assert_eq!(found.left, [""; 0]);
        let skipped = |flag: &str| format!("beware: `{flag}: {SKIPPING}");
        for (arguments, kept, left) in [
            (
                &["--max-turns", "many"][..],
                &[][..],
                "beware: `--max-turns` of claude.args is left out, with its value: why".to_owned(),
            ),
            (&["--model"], &[], "beware: `--model` of claude.args is left out: why".to_owned()),
            (
                &["--append-system-prompt", "- Be brief", "-d"],
                &["-d"],
                "beware: `--append-system-prompt` of claude.args is left out, with its value: why".to_owned(),
            ),
            (&["-d", "--", "--debug"], &["-d"], "beware: `--` of claude.args is left out: why".to_owned()),
            (&["--print", "-d"], &["-d"], "beware: `--print` of claude.args is left out: why".to_owned()),
            (
                &["--dangerously-skip-permissions"],
                &[],
                skipped("--dangerously-skip-permissions` of claude.args is left out"),
            ),
            (
                &["--permission-mode", "bypassPermissions"],
                &[],
                skipped("--permission-mode` of claude.args is left out, with its value"),
            ),
        ] {
            let found = taken(arguments);
            let expected: Vec<(&str, Toml)> = match kept {
                [] => Vec::new(),
                kept => vec![("agent.arguments", list(kept.iter().map(|one| (*one).to_owned()).collect()))],
            };
            assert_eq!((found.options, found.left), (expected, vec![left]), "{arguments:?}");
        }
    }
}
