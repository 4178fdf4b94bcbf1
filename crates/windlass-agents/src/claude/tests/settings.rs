//! Rules and the settings file.

use std::path::Path;

use windlass_core::spec::{LanesSpec, RunSpec};
use windlass_core::values::Denial;

use crate::claude::REAL;
use crate::claude::rule::{denial, gate_rule, gate_rules, rule};
use crate::testing;
use crate::{Agent, Permissions, settle_denials};

fn plan(project: &str) -> RunSpec {
    let mut plan = testing::plan();
    plan.directory = project.into();
    plan.agent.allow = vec!["Bash(make test)".into()];
    let inputs = [
        "/home/dev/.config/windlass/config.toml",
        "/home/dev/p/.windlass/config.toml",
        "/home/dev/p/GOAL.md",
    ];
    plan.inputs = inputs.map(|input| (input.into(), String::new())).to_vec();
    plan
}

fn settings(project: &str, state: &str) -> serde_json::Value {
    let json = REAL.run_settings(&plan(project), Path::new(state));
    assert!(json.ends_with("}\n"));
    serde_json::from_str(&json).unwrap()
}

// rows: 29, 32
#[test]
fn settings_allow_what_is_planned_and_deny_our_files() {
    assert_eq!(
        settings("/home/dev/p", "/home/dev/.local/state/windlass"),
        serde_json::json!({"permissions": {
            "allow": ["Bash(make test)"],
            "deny": [
                "Edit(//home/dev/p/.windlass/*.*)",
                "Edit(//home/dev/p/.windlass/hooks/**)",
                "Edit(//home/dev/p/.windlass/prompts/**)",
                "Edit(//home/dev/p/.windlass/templates/**)",
                "Edit(//home/dev/p/.windlass/archive/**)",
                "Edit(//home/dev/p/.windlass/workspaces/*/INSTRUCTIONS.md)",
                "Edit(//home/dev/p/.windlass/workspaces/*/config.toml)",
                "Edit(//home/dev/p/.windlass/workspaces/*/.metadata.json)",
                "Edit(//home/dev/.config/windlass/config.toml)",
                "Edit(//home/dev/p/.windlass/pipelines/*/goal.md)",
                "Edit(//home/dev/p/.windlass/pipelines/*/prd.md)",
                "Edit(//home/dev/p/.windlass/pipelines/*/architecture.md)",
                "Edit(//home/dev/.local/state/windlass/**)",
                "Edit(//home/dev/p/**/.claude/settings.json)",
                "Edit(//home/dev/p/**/.claude/settings.local.json)",
                "Edit(//home/dev/p/**/.claude/hooks/**)",
                "Edit(//home/dev/p/**/.claude/agents/**)",
                "Edit(//home/dev/p/**/.claude/commands/**)",
                "Edit(//home/dev/p/**/.claude/skills/**)",
                "Monitor",
                "ScheduleWakeup",
                "CronCreate",
                "EnterWorktree",
                "Workflow",
            ],
        }})
    );
}

#[test]
fn tools_that_keep_calls_alive_or_work_elsewhere_are_off_until_a_person_names_them() {
    let denied = |change: &dyn Fn(&mut RunSpec)| {
        let mut plan = plan("/p");
        change(&mut plan);
        let json = REAL.run_settings(&plan, Path::new("/s"));
        let settings: serde_json::Value = serde_json::from_str(&json).unwrap();
        let deny = settings["permissions"]["deny"].as_array().unwrap();
        deny.iter().filter(|rule| !rule.as_str().unwrap().contains('(')).count()
    };
    let by_flags = |flags: &[&str]| {
        let flags: Vec<String> = flags.iter().map(|flag| (*flag).to_owned()).collect();
        denied(&|plan| plan.agent.arguments.clone_from(&flags))
    };
    assert_eq!(denied(&|_| ()), 5);
    assert_eq!(denied(&|plan| plan.agent.allow.push("Monitor".into())), 4);
    assert_eq!(denied(&|plan| plan.agent.allow.push("Workflow".into())), 4);
    assert_eq!(denied(&|plan| plan.agent.background = true), 4, "workflows work in the background");
    assert_eq!(by_flags(&["--allowedTools", "Bash(x)", "CronCreate"]), 4);
    assert_eq!(by_flags(&["--tools=Monitor,EnterWorktree", "--debug"]), 3);
    assert_eq!(by_flags(&["--disallowedTools", "Monitor", "--add-dir", "CronCreate"]), 5);
}

// rows: 29, 32
#[test]
fn no_rule_is_named_for_files_that_stay_closed() {
    let rows = [
        ("/home/dev/p/.windlass/config.toml", true),
        (".windlass/hooks/started", true),
        ("/home/dev/.config/windlass/config.toml", true),
        ("/state/projects/p/runs/r-1/journal.jsonl", true),
        ("/home/dev/p/.windlass/workspaces/w/TODO.md", false),
        ("/home/dev/p/.windlass/workspaces/w/INSTRUCTIONS.md", true),
        ("/home/dev/p/.windlass/workspaces/w/working/INSTRUCTIONS.md", false),
        ("/home/dev/p/GOAL.md", false),
        ("/home/dev/other/.windlass/config.toml", false),
        ("src/main.rs", false),
        (".claude/settings.json", true),
        ("/home/dev/p/web/.claude/hooks/pre.sh", true),
        (".claude/notes.md", false),
    ];
    let denial = |path: &str| Denial {
        tool: "Write".into(),
        input: path.into(),
        rule: rule("Edit", path),
        ..Denial::default()
    };
    let mut denials: Vec<Denial> = rows.iter().map(|(path, _)| denial(path)).collect();
    settle_denials(&mut denials, &plan("/home/dev/p"), Path::new("/state/projects"));
    for ((path, closed), denial) in rows.iter().zip(&denials) {
        assert_eq!(denial.rule.is_empty(), *closed, "{path}");
    }
}

/// What is allowed already was refused for another reason: the command that allows it would change nothing.
#[test]
fn no_rule_is_named_for_what_is_allowed_already() {
    let bash = |rule: &str, by: &str| Denial {
        tool: "Bash".into(),
        input: "x".into(),
        rule: rule.into(),
        refused_by: by.into(),
    };
    let settled = |denial: Denial, change: &dyn Fn(&mut RunSpec)| {
        let mut plan = plan("/home/dev/p");
        change(&mut plan);
        let mut denials = vec![denial];
        settle_denials(&mut denials, &plan, Path::new("/state/projects"));
        denials.remove(0)
    };
    let missing = bash("Bash(make deploy)", "");
    assert_eq!(settled(missing.clone(), &|_| ()), missing);
    let allowed = settled(bash("Bash(make test)", ""), &|_| ());
    assert_eq!((allowed.rule.as_str(), allowed.refused_by.contains("allows it already")), ("", true));
    let whole = settled(missing.clone(), &|plan| plan.agent.allow.push("Bash".into()));
    assert_eq!(whole, bash("", "the agent itself, though a rule allows it already"));
    let skipped = settled(missing, &|plan| plan.agent.skip_permissions = true);
    assert_eq!(skipped, bash("", "the agent itself, though permissions are skipped"));
    let hook = bash("", "a hook of its settings: no");
    assert_eq!(settled(hook.clone(), &|plan| plan.agent.skip_permissions = true), hook);
}

// rows: 32
#[test]
fn a_path_is_matched_as_it_is() {
    // This very rule was seen to hold in a folder of this name.
    let deny = &settings("/p x(1)[a]é", "/s")["permissions"]["deny"][1];
    assert_eq!(deny, r"Edit(//p x\\\(1\\\)\\[a\\]é/.windlass/hooks/**)");
}

// rows: 32
#[test]
fn a_command_is_allowed_exactly() {
    let rows = [
        ("make test", "Bash(make test)"),
        (" make test\n", "Bash(make test)"),
        ("a && b", "Bash(a && b)"),
        (r#"touch "c(1)""#, r#"Bash(touch "c\(1\)")"#),
        (r"touch h\ 1", r"Bash(touch h\\ 1)"),
        (r"grep \( x", r"Bash(grep \\\( x)"),
        // With a `*` in it the rule is a pattern, which unescapes once more.
        (r"ls a\ b*", r"Bash(ls a\\\\ b*)"),
        (r"ls \*", r"Bash(ls \\*)"),
    ];
    for (command, expected) in rows {
        assert_eq!(gate_rule(command), expected, "{command}");
    }
}

// rows: 32
#[test]
fn every_part_of_a_pipeline_is_allowed() {
    assert_eq!(gate_rules("make test"), ["Bash(make test)"]);
    assert_eq!(
        gate_rules("make lint && make test 2>&1 | tail -5"),
        [
            "Bash(make lint && make test 2>&1 | tail -5)",
            "Bash(make lint)",
            "Bash(make test)",
            "Bash(tail -5)"
        ]
    );
    assert_eq!(gate_rules("sh -c 'a | b'"), ["Bash(sh -c 'a | b')"]);
    assert_eq!(gate_rules("a || b"), ["Bash(a || b)", "Bash(a)", "Bash(b)"]);
}

// rows: 29, 32
#[test]
fn a_denial_names_the_rule_that_would_allow_it() {
    let rows = [
        ("Bash", r#"{"command":"touch z","description":"x"}"#, "touch z", "Bash(touch z)"),
        (
            "Write",
            r#"{"file_path":"/home/dev/extra/new.txt","content":"q"}"#,
            "/home/dev/extra/new.txt",
            "Edit(//home/dev/extra/new.txt)",
        ),
        ("Edit", r#"{"file_path":"src/a[1].rs"}"#, "src/a[1].rs", r"Edit(src/a\\[1\\].rs)"),
        ("NotebookEdit", r#"{"notebook_path":"/n.ipynb"}"#, "/n.ipynb", "Edit(//n.ipynb)"),
        ("Read", r#"{"file_path":"/etc/passwd"}"#, "/etc/passwd", "Read(//etc/passwd)"),
        (
            "WebFetch",
            r#"{"url":"https://u@example.org:8080/x?y"}"#,
            "https://u@example.org:8080/x?y",
            "WebFetch(domain:example.org)",
        ),
        ("WebFetch", r#"{"url":"nonsense"}"#, "nonsense", "WebFetch"),
        ("WebSearch", r#"{"query":"abc"}"#, r#"{"query":"abc"}"#, "WebSearch"),
        ("mcp__good__ping", "{}", "{}", "mcp__good__ping"),
        ("Bash", r#"{"nope":1}"#, r#"{"nope":1}"#, "Bash"),
    ];
    for (tool, json, input, rule) in rows {
        let denial = denial(tool, Some(json));
        assert_eq!(
            (denial.tool.as_str(), denial.input.as_str(), denial.rule.as_str()),
            (tool, input, rule),
            "{json}"
        );
    }
    let long = format!("{{\"command\":\"{}\"}}", "é".repeat(300));
    let denial = denial("Bash", Some(&long));
    assert_eq!(denial.input.chars().count(), 200);
    assert_eq!(denial.rule, rule("Bash", &"é".repeat(300)));
}

// rows: 29, 32
#[test]
fn a_session_on_a_file_writes_that_file_and_none_of_ours() {
    let (project, file) = (Path::new("/p"), Path::new("/p/requirements/pay (1).md"));
    let json = REAL.session_settings(&Permissions::session_on_file(project, file, Path::new("/s")));
    let settings: serde_json::Value = serde_json::from_str(&json).unwrap();
    let rules = &settings["permissions"];
    assert_eq!(rules["allow"][0], r"Edit(//p/requirements/pay \\\(1\\\).md)");
    assert_eq!(rules["deny"], serde_json::json!(["Edit(//p/.windlass/**)", "Edit(//s/**)"]));
}

// A refusal wins over any permission: a rule above a lane's checkout would close all of it.
#[test]
fn in_a_lane_no_rule_closes_its_checkout_and_the_runners_files_stay_closed() {
    let state = Path::new("/s/projects");
    let folder = state.join("p-1/runs/r-1/lanes");
    let mut plan = plan("/home/dev/p");
    plan.lanes = Some(LanesSpec::of(3, folder.clone()));
    plan.directory = folder.join("2/tree/p");
    let json = REAL.run_settings(&plan, state);
    let rules: serde_json::Value = serde_json::from_str(&json).unwrap();
    let deny: Vec<&str> =
        rules["permissions"]["deny"].as_array().unwrap().iter().filter_map(|rule| rule.as_str()).collect();
    assert!(!deny.contains(&"Edit(//s/projects/**)"), "{deny:?}");
    for closed in [
        "Edit(//s/projects/*/runs/*/*.*)",
        "Edit(//s/projects/*/runs/*/iterations/**)",
        "Edit(//s/projects/*/snapshots.git/**)",
        "Edit(//s/projects/p-1/runs/r-1/lanes/1/**)",
        "Edit(//s/projects/p-1/runs/r-1/lanes/3/**)",
        "Edit(//s/projects/p-1/runs/r-1/lanes/2/tree/p/**/.claude/settings.json)",
    ] {
        assert!(deny.contains(&closed), "{closed}: {deny:?}");
    }
    assert!(!deny.iter().any(|rule| rule.contains("lanes/2/**")), "{deny:?}");
    let files = ["/s/projects/p-1/runs/r-1/lanes/2/tree/p/a.txt", "/s/projects/p-1/runs/r-1/journal.jsonl"];
    let mut denials = files.map(|file| Denial {
        tool: "Edit".to_owned(),
        input: file.to_owned(),
        rule: rule("Edit", file),
        ..Denial::default()
    });
    settle_denials(&mut denials, &plan, state);
    assert!(!denials[0].rule.is_empty());
    assert!(denials[1].rule.is_empty());
}
