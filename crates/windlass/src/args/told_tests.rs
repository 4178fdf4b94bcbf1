//! That the help says what holds.

use std::collections::BTreeMap;

use windlass_core::config::Layer;
use windlass_core::spec::Mode;
use windlass_core::values::Named as _;

use super::*;

/// Flags, and the keys of the configuration whose defaults they name.
const FLAGS: &[(&str, &str)] = &[
    ("max_iterations", "limits.max_iterations"),
    ("budget_scope", "limits.budget_scope"),
    ("max_duration", "limits.max_duration"),
    ("max_failures", "limits.max_failures"),
    ("max_wait", "limits.max_wait"),
    ("stagnation_threshold", "limits.stagnation_threshold"),
    ("delay", "clocks.delay"),
    ("lanes", "lanes.count"),
    ("commit", "git.commit"),
    ("model", "agent.model"),
    ("max_turns", "agent.max_turns"),
    ("notes_file", "goal.notes_file"),
    ("completion_signal", "goal.completion_signal"),
    ("completion_threshold", "goal.completion_threshold"),
    ("sandbox", "sandbox.kind"),
    ("network", "sandbox.network"),
    ("output", "output.level"),
    ("exit_codes", "output.exit_codes"),
];

/// Modes that `run` has, as its help orders them.
const MODES: &[Mode] = &[Mode::Iterative, Mode::Plan, Mode::Build, Mode::Tasks];

fn default_of(mode: Mode, key: &str) -> String {
    let layer = Layer::defaults(mode).unwrap();
    // Twice the open tasks, which are nobody's to write down.
    if (mode, key) == (Mode::Tasks, "limits.max_iterations") {
        return "twice the open tasks".to_owned();
    }
    match layer.value(key) {
        None => "its own".to_owned(),
        Some(value) => value.as_str().map_or_else(|| value.to_string(), str::to_owned),
    }
}

/// `50; iterative, plan: 20; tasks: twice the open tasks`.
fn in_all_modes(key: &str) -> String {
    let usual = default_of(Mode::Goal, key);
    let mut others: Vec<(String, Vec<&str>)> = Vec::new();
    for mode in MODES {
        let value = default_of(*mode, key);
        if value == usual {
            continue;
        }
        match others.iter_mut().find(|(known, _)| *known == value) {
            Some((_, modes)) => modes.push(mode.name()),
            None => others.push((value, vec![mode.name()])),
        }
    }
    let others = others.iter().map(|(value, modes)| format!("; {}: {value}", modes.join(", ")));
    format!("{usual}{}", others.collect::<String>())
}

fn said(verb: &str) -> BTreeMap<String, String> {
    let command = command();
    let verb = command.get_subcommands().find(|command| command.get_name() == verb).unwrap();
    let helps = verb.get_arguments().filter(|flag| !flag.is_hide_set()).filter_map(|flag| {
        let help = flag.get_help()?.to_string();
        let (_, default) = help.split_once(DEFAULT)?;
        Some((flag.get_id().to_string(), default.trim_end().trim_end_matches(']').to_owned()))
    });
    helps.collect()
}

#[test]
fn defaults_in_the_help_are_those_of_the_configuration() {
    let verbs: [(&str, Option<Mode>); 3] =
        [("run", None), ("plan", Some(Mode::Plan)), ("build", Some(Mode::Build))];
    let mut checked = 0;
    for (verb, mode) in verbs {
        let said = said(verb);
        for (flag, key) in FLAGS {
            let Some(default) = said.get(*flag) else { continue };
            let holds = mode.map_or_else(|| in_all_modes(key), |mode| default_of(mode, key));
            assert_eq!(*default, holds, "windlass {verb}: {flag}");
            checked += 1;
        }
    }
    assert!(checked > 40, "{checked} defaults are checked");
}

#[test]
fn a_run_that_goes_on_keeps_its_own_limits() {
    let said = said("resume");
    for flag in ["max_iterations", "budget_scope", "max_duration", "max_failures", "stagnation_threshold"] {
        assert_eq!(said[flag], "the run's", "{flag}");
    }
}

#[test]
fn flags_that_do_not_apply_are_not_shown() {
    for verb in ["plan", "build"] {
        let help = command().find_subcommand_mut(verb).unwrap().render_help().to_string();
        assert!(!help.contains("--lanes") && help.contains("--max-iterations"), "{verb}: {help}");
    }
    assert!(command().find_subcommand_mut("run").unwrap().render_help().to_string().contains("--lanes"));
}

#[test]
fn help_is_wrapped_once_at_the_width_there_is() {
    fn check(command: &mut Command, width: usize) {
        let help = command.clone().term_width(width).render_long_help().to_string();
        for line in help.lines() {
            // Flags, headings and words that are longer than a line are left whole.
            let is_whole = line.trim_start().starts_with(['-', 'U']) || line.ends_with(':');
            let words = line.split_whitespace().count();
            let fits = line.chars().count() <= width || is_whole || words <= 2;
            assert!(fits, "{} at {width}: {line}", command.get_name());
        }
        let verbs: Vec<String> = command.get_subcommands().map(|verb| verb.get_name().to_owned()).collect();
        for verb in verbs {
            if let Some(verb) = command.find_subcommand_mut(verb) {
                check(verb, width);
            }
        }
    }
    for width in [40, 80, 120] {
        let mut command = command();
        command.build();
        let verbs: Vec<String> = command.get_subcommands().map(|verb| verb.get_name().to_owned()).collect();
        for verb in verbs {
            check(command.find_subcommand_mut(verb).unwrap(), width);
        }
    }
}

#[test]
fn paragraphs_are_joined_and_examples_stay() {
    assert_eq!(
        unfold("One\nparagraph.\n\nExamples:\n  windlass run\n      Says so.\n\nAnother\none."),
        "One paragraph.\n\nExamples:\n  windlass run\n      Says so.\n\nAnother one."
    );
}
