//! What verbs print with `--json` is what `docs/json-schema.json` says, and no verb is forgotten.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::PermissionsExt;

use windlass_testkit::contract;
use windlass_testkit::environment::{Outcome, TestEnv};

use super::{PATIENCE, ask, document, finished, told, windlass};

/// Each verb that has `--json`, what else it is told in the project of [`desk`], and the type of the last line that it
/// prints. `ARCHIVE`, `RUN` and `PIPELINE` are the names of those; `work`, `judge` and `draft` of scripts.
const ASKED: &[(&str, &str, &str)] = &[
    ("run", "-p Look --mock=work -m 1 --no-delay", "run_finished"),
    ("run", "-p Look --mock=work --dry-run", "rehearsal"),
    ("plan", "--mock=work --dry-run", "rehearsal"),
    ("plan", "--mock=work -m 1 --no-delay", "run_finished"),
    ("build", "--mock=work -m 1 --no-delay", "run_finished"),
    ("resume", "RUN -m 2", "run_finished"),
    ("demo", "", "run_finished"),
    ("pipeline", "Sing --mock=draft --no-delay", "pipeline"),
    ("pipeline list", "", "pipelines"),
    ("pipeline show", "PIPELINE", "pipeline"),
    ("pipeline validate", "PIPELINE", "pipeline"),
    ("worktree list", "", "worktrees"),
    ("tasks", "", "tasks"),
    ("tasks list", "", "tasks"),
    ("tasks next", "", "next_task"),
    ("tasks graph", "", "tasks"),
    ("tasks validate", "", "tasks"),
    ("runs", "", "runs"),
    ("status", "", "status"),
    ("status", "RUN", "status"),
    ("report", "RUN", "report"),
    ("logs", "RUN", "run_finished"),
    ("logs", "RUN --tools", "tool_call"),
    ("diff", "RUN", "diff"),
    ("validate", "port --mock=judge", "validation"),
    ("verify", "port --mock=judge", "verification"),
    ("verify", "--plan", "plan"),
    ("list", "", "workspaces"),
    ("show", "port", "workspace"),
    ("archive list", "", "archives"),
    ("archive show", "ARCHIVE", "archive"),
    ("template list", "", "templates"),
    ("template show", "port", "template"),
    ("import", "--dry-run", "import"),
    ("config list", "", "config"),
    ("config list", "--set", "config"),
    ("config get", "limits.max_tokens", "config_value"),
    ("config get", "hooks.timeout", "config_value"),
    ("config keys", "", "config_keys"),
    ("config path", "", "config_files"),
    ("principles", "", "principles"),
    ("principles show", "", "principles"),
    ("principles decisions", "", "decisions"),
    ("hooks list", "", "hooks"),
    ("trust", "", "trust"),
    ("trust", "--list", "trust"),
    ("doctor", "", "doctor"),
];

/// Verbs whose documents another suite holds to the schema, with their types.
const ELSEWHERE: &[(&str, &str)] = &[
    // It takes a fleet: tests/fleet/verbs.rs.
    ("fleet status", "fleet"),
];

#[test]
fn every_verb_with_json_is_asked_for_it_and_its_document_is_in_the_schema() {
    let asked = ASKED.iter().map(|(verb, _, kind)| (*verb, *kind));
    let rows: Vec<_> = asked.chain(ELSEWHERE.iter().copied()).collect();
    let types = contract::types();
    for (verb, kind) in &rows {
        assert!(types.contains(kind), "`windlass {verb} --json`: docs/json-schema.json has no {kind}");
    }
    let held: BTreeSet<String> = rows.iter().map(|(verb, _)| (*verb).to_owned()).collect();
    let mut found = BTreeSet::new();
    walk(&TestEnv::new(), &[], &mut found);
    let forgotten: Vec<_> = found.difference(&held).collect();
    assert!(
        forgotten.is_empty(),
        "these verbs have --json, and nothing holds it to docs/json-schema.json: {forgotten:?}\nWrite a row of \
         ASKED for each here, and its document in crates/windlass-ui/src/view/tests/schema/documents.rs"
    );
    // A program that is built without fleets has no such verb.
    let gone: Vec<_> = ASKED.iter().map(|(verb, ..)| *verb).filter(|verb| !found.contains(*verb)).collect();
    assert!(gone.is_empty(), "these verbs have no --json: {gone:?}");
}

#[test]
fn every_document_that_is_described_is_printed_by_a_verb_that_is_asked() {
    let kinds = ASKED.iter().map(|(_, _, kind)| *kind).chain(ELSEWHERE.iter().map(|(_, kind)| *kind));
    let asked: BTreeSet<&str> = kinds.collect();
    let unasked: Vec<_> = contract::types_of_documents().difference(&asked).copied().collect();
    assert!(
        unasked.is_empty(),
        "docs/json-schema.json describes what no verb is asked for here: {unasked:?}"
    );
}

#[test]
fn what_verbs_print_is_as_the_schema_says() {
    let desk = desk();
    for (verb, more, kind) in ASKED {
        let outcome = asked(&desk, verb, more);
        let lines = outcome.json_lines();
        let last = lines.last().unwrap_or_else(|| panic!("{verb} {more}: {}", outcome.stderr_text()));
        assert_eq!(last["type"], *kind, "{verb} {more}");
        lines.iter().for_each(contract::hold_one);
    }
}

#[test]
fn a_list_of_tasks_stands_in_for_a_status_where_there_was_no_run() {
    let env = TestEnv::with_git();
    env.write("tasks.md", "- [ ] Sing\n- [x] Hum\n");
    let shown = document(&env, &["status", "--json"]);
    assert_eq!((&shown["type"], &shown["done"]), (&"tasks".into(), &1.into()));
}

#[test]
fn lists_of_nothing_are_documents_as_well() {
    let env = TestEnv::with_git();
    for (arguments, kind) in [
        (&["runs"][..], "runs"),
        (&["list"], "workspaces"),
        (&["archive", "list"], "archives"),
        (&["template", "list"], "templates"),
        (&["worktree", "list"], "worktrees"),
        (&["pipeline", "list"], "pipelines"),
        (&["principles", "decisions"], "decisions"),
        (&["trust"], "trust"),
        (&["config", "list", "--set"], "config"),
    ] {
        let shown = document(&env, &[arguments, &["--json"]].concat());
        assert_eq!((&shown["v"], &shown["type"]), (&1.into(), &kind.into()));
    }
}

/// Every verb below these words whose help names `--json`.
fn walk(env: &TestEnv, words: &[&str], found: &mut BTreeSet<String>) {
    let outcome = env.run(&mut windlass(env, &[words, &["--help"]].concat()), PATIENCE);
    outcome.expect_success(&format!("windlass {words:?} --help"));
    let help = outcome.stdout_text();
    if help.lines().any(|line| line.split_whitespace().take(2).any(|word| word == "--json")) {
        found.insert(words.join(" "));
    }
    for verb in verbs_in(&help) {
        walk(env, &[words, &[verb]].concat(), found);
    }
}

/// The verbs that a help lists: all that stands below its usage and before its options, two columns to the right.
fn verbs_in(help: &str) -> impl Iterator<Item = &str> {
    let listed = help.lines().take_while(|line| *line != "Arguments:" && *line != "Options:");
    let rows = listed.filter_map(|line| line.strip_prefix("  ")?.split_once("  "));
    let verbs = rows.map(|(verb, _)| verb).filter(|verb| *verb != "help");
    verbs.filter(|verb| verb.starts_with(|first: char| first.is_ascii_lowercase()) && !verb.contains(' '))
}

/// A project in which there is something of everything.
struct Desk {
    env: TestEnv,
    run: String,
    archive: String,
    pipeline: String,
}

const WORKS: &str = "[[call]]\nsteps = [ { bash = 'echo x >> work.txt' }, { result = { text = 'Written.', cost = 0.01 } } ]\n";

const JUDGES: &str = "[[call]]\nsteps = [ { result = { text = 'PASS', structured = { verdict = 'pass', confidence = 'high', \
    summary = 'I looked at it.', findings = [ { title = 'No example', required = false } ], met = [ { title = 'It sings' } ], \
    recommendation = 'Write it.' } } } ]\n";

const FILES: [(&str, &str); 8] = [
    ("specs/auth.md", "# Auth\n\n### Login\n\nIt MUST hash.\n"),
    ("IMPLEMENTATION_PLAN.md", "# Plan\n\n## Priority 1\n\n- [x] Form (refs: specs/auth.md)\n- [ ] Hash\n"),
    (
        "requirements.md",
        "### TASK-001: Sing\n- **Status**: done\n\n### TASK-002: Hum\n- **Status**: pending\n",
    ),
    (".windlass/config.toml", "[hooks]\nstarted = 'true'\ntimeout = '5s'\n"),
    (".windlass/hooks/finished", "#!/bin/sh\n"),
    (".claude-iterate.json", "{}"),
    (
        "claude-iterate/workspaces/api/.metadata.json",
        r#"{"name":"api","created":"2025-10-15T14:23:45.000Z","status":"in_progress","mode":"loop"}"#,
    ),
    ("claude-iterate/workspaces/api/INSTRUCTIONS.md", "Port the endpoints.\n"),
];

fn desk() -> Desk {
    let env = TestEnv::with_git();
    for (name, content) in FILES {
        env.write(name, content);
    }
    let hook = env.project().join(".windlass/hooks/finished");
    fs::set_permissions(hook, fs::Permissions::from_mode(0o755)).unwrap();
    for (name, script) in [("work", WORKS), ("judge", JUDGES), ("draft", DRAFTS)] {
        env.write(env.root().join(name), script);
    }
    told(&env, &["init", "port", "--mode", "iterative"]);
    env.write(".windlass/workspaces/port/INSTRUCTIONS.md", "# Port\n\nAll of it.\n");
    told(&env, &["template", "save", "port"]);
    told(&env, &["archive", "save", "port", "--keep"]);
    told(&env, &["principles", "init", "--preset", "startup"]);
    env.git(&["add", "--all"]);
    env.git(&["commit", "--quiet", "--message", "Something of everything"]);
    let work = format!("--mock={}", env.root().join("work").display());
    let draft = format!("--mock={}", env.root().join("draft").display());
    told(&env, &["run", "-p", "Look", &work, "--no-delay", "-m", "1", "--worktree", "aside"]);
    told(&env, &["pipeline", "Keep a list", &draft, "--no-delay"]);
    let run = finished(&env, "Write", 1);
    let name = |list: &[&str], rows: &str, field: &str| {
        document(&env, list)[rows][0][field].as_str().unwrap().to_owned()
    };
    let archive = name(&["archive", "list", "--json"], "archives", "name");
    let pipeline = name(&["pipeline", "list", "--json"], "pipelines", "id");
    Desk { env, run, archive, pipeline }
}

/// Writes what a phase of a pipeline asks for.
const DRAFTS: &str = "[[call]]\nsteps = [ \"draft_document\" ]\n";

fn asked(desk: &Desk, verb: &str, more: &str) -> Outcome {
    let word = |word: &str| match (word, word.strip_prefix("--mock=")) {
        ("RUN", _) => desk.run.clone(),
        ("ARCHIVE", _) => desk.archive.clone(),
        ("PIPELINE", _) => desk.pipeline.clone(),
        (_, Some(script)) => format!("--mock={}", desk.env.root().join(script).display()),
        _ => word.to_owned(),
    };
    let words: Vec<String> = verb.split(' ').chain(more.split_whitespace()).map(word).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).chain(["--json"]).collect();
    ask(&desk.env, &words)
}
