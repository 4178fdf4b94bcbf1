//! What can be typed, and what the help says.

mod deploy;
mod typed;

use clap::{CommandFactory, Parser};

use super::*;

#[test]
fn the_types_are_consistent() {
    Cli::command().debug_assert();
}

#[test]
fn the_grouped_help_names_every_verb_with_its_own_sentence() {
    for verb in Cli::command().get_subcommands() {
        let about = verb.get_about().unwrap().to_string();
        let row = VERBS.lines().find(|line| line.split_whitespace().next() == Some(verb.get_name()));
        assert!(row.is_some_and(|row| row.ends_with(&about)), "{}: {about}", verb.get_name());
    }
    let rows = VERBS.lines().filter(|line| line.starts_with("  ")).count();
    assert_eq!(rows, Cli::command().get_subcommands().count());
}

#[test]
fn the_first_help_fits_80_columns() {
    let help = command().term_width(80).render_help().to_string();
    assert!(help.lines().all(|line| line.chars().count() <= 80), "{help}");
}

#[test]
fn help_says_of_a_verb_what_its_own_flag_says() {
    let said = |line: &str| parse(line.split(' ')).unwrap_err().to_string();
    for (verb, flag) in [
        ("windlass help run", "windlass run --help"),
        ("windlass help tasks", "windlass tasks --help"),
        ("windlass help archive save", "windlass archive save --help"),
    ] {
        assert_eq!(said(verb), said(flag));
    }
}

// rows: 43
#[test]
fn command_lines_are_accepted_or_refused() {
    for (line, accepted) in [
        ("run -p goal", true),
        ("run -p -starts-with-a-dash", true),
        ("run -f goal.md", true),
        ("run -", true),
        ("run", true),
        ("run -p a -f b", false),
        ("run -p a -", false),
        ("run -p a --max-runs 5", true),
        ("run -p a -m 5 --gate x --gate y --until z", true),
        ("run -p a --mode goal", true),
        ("run a --mode loop", true),
        ("run a --mode lop", false),
        ("run -p a -d 3 --no-delay", false),
        ("run -p a -q -v", false),
        ("run -p a -q --output verbose", false),
        ("run -p a -v --output verbose", false),
        ("run -p a -v --json", true),
        ("run -p a --mock", true),
        ("run -p a --mock=script.toml", true),
        ("run -p a --mock script.toml", false),
        ("run -p a -- --add-dir x", true),
        ("run a --todo-fallback", true),
        ("-C there run -p a", true),
        ("run -p a -C there", true),
        ("resume --max-cost 5", true),
        ("restore r 1 --before", true),
        ("restore r 0", false),
        ("restore r before-restore-1", true),
        ("restore r 3-1-after --repository", true),
        ("restore r after", false),
        ("logs -f --tools", true),
        ("logs r --tools=Bash,Edit --iteration 3 --json", true),
        ("logs --tools -v", false),
        ("logs --iteration 0", false),
        ("config list --set --json", true),
        ("config get limits.max_cost", true),
        ("config set limits.max_cost 5 -w api", true),
        ("config set limits.max_cost 5 --global", true),
        ("config set limits.max_cost 5 --user --project", false),
        ("config set limits.max_cost", false),
        ("config set agent.arguments --add --verbose", true),
        ("config set agent.arguments x --add y", false),
        ("config unset limits.max_cost -g", true),
        ("config", false),
        ("completions fish", true),
        ("completions tcsh", false),
        ("plan", true),
        ("plan x", false),
        ("build -m 3 --gate x --commit runner -- --add-dir y", true),
        ("run --mode build", true),
        ("verify api --depth deep", true),
        ("verify --plan", true),
        ("verify --plan=other.md --json", true),
        ("verify", false),
        ("verify api --plan", false),
        ("verify --plan --depth deep", false),
        ("migrate-plan --to file --dry-run", true),
        ("migrate-plan --to tree", false),
        ("tasks", true),
        ("tasks ls --json", true),
        ("tasks list --file a.md --feature b", false),
        ("tasks graph --format dot", true),
        ("tasks graph --format png", false),
        ("tasks graph --format dot --json", false),
        ("tasks validate -q --json", false),
        ("tasks add", false),
        ("tasks add x --title y", false),
        ("tasks add --title y --depends-on T1,T2 --depends-on T3", true),
        ("tasks done", false),
        ("tasks done T1 T2 --file a.md", true),
    ] {
        let words = ["windlass"].into_iter().chain(line.split(' '));
        assert_eq!(Cli::try_parse_from(words).is_ok(), accepted, "{line}");
    }
}

#[test]
fn a_bare_mock_plays_the_default_script() {
    let cli = Cli::try_parse_from(["windlass", "run", "-p", "a", "--mock"]).unwrap();
    let Verb::Run(args) = cli.verb else { panic!("{cli:?}") };
    assert_eq!(args.work.mock.as_deref(), Some("builtin:default"));
}

#[test]
fn each_verb_has_a_manual_page_that_says_what_its_help_says() {
    let folder = tempfile::tempdir().unwrap();
    clap_mangen::generate_to(command(), folder.path()).unwrap();
    let run = std::fs::read_to_string(folder.path().join("windlass-run.1")).unwrap();
    for word in [r"\-\-max\-cost", r"\-\-gate", "Iterate on a goal or a workspace"] {
        assert!(run.contains(word), "{word}");
    }
    for verb in command().get_subcommands().filter(|verb| !verb.is_hide_set()) {
        let page = folder.path().join(format!("windlass-{}.1", verb.get_name()));
        assert!(page.is_file(), "{}", page.display());
    }
}
