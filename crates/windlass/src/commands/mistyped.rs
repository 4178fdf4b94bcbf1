//! A command line that cannot be read: what is wrong with it in one sentence, and what was most likely meant.

use std::ffi::OsString;
use std::num::ParseIntError;

use clap::CommandFactory;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use windlass_app::AppError;
use windlass_ui::one_line;

use crate::args::Cli;

/// Flags of claude-loop and `DevLoop` that are something else here, and what that is.
const ELSEWHERE: [(&str, &str); 12] = [
    ("--list-worktrees", "Worktrees are listed by: windlass worktree list"),
    ("--cleanup-worktree", "Worktrees that are merged are removed by: windlass worktree clean --all"),
    ("--resume", "A run is continued by: windlass resume"),
    ("--plan", "A goal is planned, and then worked through, by: windlass pipeline GOAL --run"),
    ("--plan-only", "A goal is planned, phase after phase, by: windlass pipeline GOAL"),
    ("--auto-update", "Windlass never updates itself: leave it out."),
    ("-n", "DevLoop's -n counted iterations: -m N, for all of the run and not for further ones"),
    ("-t", "DevLoop's -t was a limit on tokens: --max-tokens N"),
    ("--token-limit", "A limit on tokens is: --max-tokens N"),
    ("-c", "DevLoop's -c was a limit on cost: --max-cost DOLLARS"),
    ("--cost-limit", "A limit on cost is: --max-cost DOLLARS"),
    ("-w", "DevLoop's -w named the folder to work in: windlass -C DIR, before the verb or after it"),
];

/// Verbs that start an agent and take flags for it.
const WITH_AGENT_ARGUMENTS: [&str; 3] = ["run", "plan", "build"];

/// Where the names of what an argument stands for are listed.
const LISTED: [(&str, &str); 6] = [
    ("NAME", "windlass list"),
    ("WORKSPACE", "windlass list"),
    ("RUN", "windlass runs"),
    ("ARCHIVE", "windlass archive list"),
    ("TEMPLATE", "windlass template list"),
    ("KEY", "windlass config keys"),
];

/// What is wrong, for people; `None` where what clap answers is help, or says it best.
pub fn error(answer: &clap::Error, arguments: &[OsString]) -> Option<AppError> {
    let typed = Typed::read(arguments);
    let error = match answer.kind() {
        ErrorKind::UnknownArgument => return unknown(answer, &typed),
        ErrorKind::InvalidSubcommand => {
            let word = text(answer, ContextKind::InvalidSubcommand)?;
            let verb = [&typed.path, word.as_str()].concat();
            let error = AppError::usage(format!("there is no verb `{}`", one_line(&verb)));
            let meant = texts(answer, ContextKind::SuggestedSubcommand);
            let meant: Vec<String> =
                meant.iter().map(|word| format!("windlass {}{word}", typed.path)).collect();
            return Some(match meant.as_slice() {
                [] => error.hint(format!("All that there are: windlass {}--help", typed.path)),
                meant => error.hint(format!("Did you mean: {}?", meant.join(", or "))),
            });
        }
        ErrorKind::MissingRequiredArgument => {
            let missing = texts(answer, ContextKind::InvalidArg).join(" ").replace("...", "");
            let error = AppError::usage(format!("`{}` needs {missing}", typed.shown()));
            let name = missing.trim_matches(['<', '>']);
            let listed = LISTED.iter().find(|(known, _)| *known == name);
            listed.map_or(error.clone(), |(_, verb)| error.hint(format!("All there are: {verb}")))
        }
        ErrorKind::InvalidValue => {
            let name = name_of(&text(answer, ContextKind::InvalidArg)?);
            let value = text(answer, ContextKind::InvalidValue)?;
            let known = texts(answer, ContextKind::ValidValue).join(", ");
            AppError::usage(match (value.as_str(), known.as_str()) {
                ("", "") => format!("{name} needs a value"),
                ("", known) => format!("{name} needs a value: {known}"),
                (value, known) => format!("{name} cannot be `{}`: {known}", one_line(value)),
            })
        }
        ErrorKind::ArgumentConflict => {
            let one = name_of(&text(answer, ContextKind::InvalidArg)?);
            let mut others = texts(answer, ContextKind::PriorArg);
            for other in &mut others {
                *other = name_of(other);
            }
            others.dedup();
            if one == "--plan" && others == ["NAME"] {
                let error = AppError::usage("`verify` takes a workspace or --plan, not both");
                return Some(error.hint("A plan at another place: windlass verify --plan=PATH"));
            }
            AppError::usage(match others.as_slice() {
                [] => format!("{one} excludes what else was typed"),
                [other] if *other == one => format!("{one} was typed twice"),
                others => format!("{one} and {} exclude each other", others.join(", ")),
            })
        }
        ErrorKind::ValueValidation => {
            let name = name_of(&text(answer, ContextKind::InvalidArg)?);
            let value = text(answer, ContextKind::InvalidValue)?;
            let why = std::error::Error::source(answer)?;
            let why =
                if why.is::<ParseIntError>() { "it is no whole number".to_owned() } else { why.to_string() };
            AppError::usage(format!("{name} cannot be `{}`: {why}", one_line(&value)))
        }
        _ => return None,
    };
    Some(error.hint(format!("All that it takes: windlass {}--help", typed.path)))
}

/// Something that the verb does not take.
fn unknown(answer: &clap::Error, typed: &Typed) -> Option<AppError> {
    let word = one_line(&text(answer, ContextKind::InvalidArg)?);
    if !word.starts_with('-') {
        let error = AppError::usage(format!("`{}` takes no `{word}`", typed.shown()));
        return Some(error.hint(format!("All that it takes: windlass {}--help", typed.path)));
    }
    if let Some(flag) = typed.flag_before(&word) {
        let error = AppError::usage(format!("{flag} cannot be `{word}`: that is no number that it takes"));
        return Some(error.hint(format!("All that it takes: windlass {}--help", typed.path)));
    }
    let error = AppError::usage(format!("windlass does not know {word}"));
    if let Some((_, hint)) = ELSEWHERE.iter().find(|(known, _)| *known == word) {
        return Some(error.hint(*hint));
    }
    let meant = typed.flag_with(&word).or_else(|| text(answer, ContextKind::SuggestedArg));
    if let Some(meant) = meant {
        return Some(error.hint(format!("Did you mean {meant}?")));
    }
    let error = error.hint(format!("All that it knows: windlass {}--help", typed.path));
    let takes_agents = WITH_AGENT_ARGUMENTS.iter().any(|verb| typed.path.trim_end() == *verb);
    Some(if takes_agents { error.hint("What is for the agent comes last, after `--`.") } else { error })
}

/// The verb that was typed.
struct Typed {
    /// Its words, each with a blank behind it: `config set `; empty where there is none.
    path: String,
    command: clap::Command,
    words: Vec<String>,
}

impl Typed {
    fn read(arguments: &[OsString]) -> Typed {
        let words = arguments.iter().skip(1).filter_map(|word| word.to_str().map(str::to_owned));
        let mut typed = Typed { path: String::new(), command: Cli::command(), words: words.collect() };
        let all = typed.words.clone();
        let mut words = all.iter().map(String::as_str);
        while let Some(word) = words.next() {
            if word == "-C" {
                words.next();
            } else if let Some(command) = typed.command.find_subcommand(word) {
                typed.path.extend([command.get_name(), " "]);
                typed.command = command.clone();
            } else if !word.starts_with('-') {
                break;
            }
        }
        typed
    }

    /// As it was typed, without what followed.
    fn shown(&self) -> String {
        format!("windlass {}", self.path).trim_end().to_owned()
    }

    /// The flag that a negative number was meant for: `-m` of `-m -1`.
    fn flag_before(&self, number: &str) -> Option<&str> {
        number.parse::<f64>().ok()?;
        let at = self.words.iter().position(|word| word == number)?;
        let flag = self.words.get(at.checked_sub(1)?)?;
        let is_it = |known: &clap::Arg| {
            let short = known.get_short().is_some_and(|short| *flag == format!("-{short}"));
            let long = known.get_long_and_visible_aliases().unwrap_or_default();
            let long = long.iter().any(|long| *flag == format!("--{long}"));
            (short || long) && known.get_action().takes_values()
        };
        self.command.get_arguments().any(is_it).then_some(flag.as_str())
    }

    /// The flag of the verb that has all words of this one, and more: `--iterations` of `--max-iterations`.
    fn flag_with(&self, flag: &str) -> Option<String> {
        let words: Vec<&str> = flag.trim_start_matches('-').split('-').collect();
        let flags = self.command.get_arguments().filter(|known| !known.is_hide_set());
        let mut meant = flags.filter_map(clap::Arg::get_long).filter(|known| {
            words.iter().all(|word| word.len() > 2 && known.split('-').any(|part| part == *word))
        });
        meant.next().map(|known| format!("--{known}"))
    }
}

fn text(answer: &clap::Error, kind: ContextKind) -> Option<String> {
    match answer.get(kind) {
        Some(ContextValue::String(text)) => Some(text.clone()),
        _ => None,
    }
}

fn texts(answer: &clap::Error, kind: ContextKind) -> Vec<String> {
    match answer.get(kind) {
        Some(ContextValue::String(text)) => vec![text.clone()],
        Some(ContextValue::Strings(texts)) => texts.clone(),
        _ => Vec::new(),
    }
}

/// `--gate` of `--gate <CMD>`, `SHELL` of `<SHELL>`, `RUNS` of `[RUNS]...`.
fn name_of(argument: &str) -> String {
    let name = argument.split([' ', '=']).next().unwrap_or(argument);
    one_line(name.trim_matches(['<', '>', '[', ']', '.']))
}
