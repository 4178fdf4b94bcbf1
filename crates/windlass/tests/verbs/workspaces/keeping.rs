//! Archives and templates, from outside.

use super::super::{document, go, told};
use super::*;

/// A workspace with instructions and options.
fn worked(env: &TestEnv, name: &str) {
    told(env, &["init", name, "--mode", "iterative"]);
    env.write(folder(env, name).join("INSTRUCTIONS.md"), "# Port\n\nAll of it.\n");
    env.write(
        folder(env, name).join("config.toml"),
        "[limits]\nmax_iterations = 9\n\n[notify]\nsecret = \"hush\"\n",
    );
}

/// The only archive's name.
fn archive(env: &TestEnv) -> String {
    let list = document(env, &["archive", "list", "--json"]);
    assert_eq!(
        (&list["v"], &list["type"], list["archives"].as_array().unwrap().len()),
        (&1.into(), &"archives".into(), 1)
    );
    list["archives"][0]["name"].as_str().unwrap().to_owned()
}

// rows: 128
#[test]
fn a_workspace_is_put_away_and_comes_back() {
    let env = TestEnv::new();
    worked(&env, "port");
    let said = told(&env, &["archive", "save", "port"]);
    assert!(said.contains("workspace port is archived and deleted"), "{said}");
    assert!(!folder(&env, "port").exists());
    let name = archive(&env);
    assert!(said.contains(&format!("undo     windlass archive restore {name}")), "{said}");
    let shown = document(&env, &["archive", "show", &name, "--json"]);
    assert_eq!(
        (&shown["workspace"], &shown["mode"], &shown["instructions"][0]),
        (&"port".into(), &"iterative".into(), &"# Port".into())
    );
    assert!(told(&env, &["archive", "show", &name]).contains("all of it was read"));
    told(&env, &["archive", "restore", &format!("{name}.tar.gz")]);
    assert_eq!(env.read(folder(&env, "port").join("INSTRUCTIONS.md")), "# Port\n\nAll of it.\n");
    let said = refused(&env, &["archive", "restore", &name]);
    assert!(
        said.contains("`port-2` is free")
            && said.contains(&format!("windlass archive restore {name} port-2")),
        "{said}"
    );
    told(&env, &["archive", "restore", &name, "again"]);
    assert_eq!(metadata(&env, "again")["name"], "again");
}

// rows: 128
#[test]
fn archives_are_deleted_by_their_names_only_and_not_without_being_asked() {
    let env = TestEnv::new();
    worked(&env, "port");
    let said = told(&env, &["archive", "save", "port", "--keep"]);
    assert!(!said.contains("deleted") && folder(&env, "port").exists(), "{said}");
    let name = archive(&env);
    for wrong in ["..", "../workspaces/port", "/etc", ".", ""] {
        refused(&env, &["archive", "save", wrong]);
        refused(&env, &["archive", "delete", wrong, "-f"]);
        refused(&env, &["archive", "restore", wrong]);
    }
    assert!(refused(&env, &["archive", "restore", "port"]).contains(&name));
    assert!(refused(&env, &["archive", "delete", &name]).contains("there is no terminal to ask on"));
    let mut inside = windlass(&env, &["archive", "delete", &name, "-f"]);
    env.run(inside.env("WINDLASS_RUN", "r-other"), PATIENCE).expect_code(2, "inside a run");
    assert_eq!(archive(&env), name);
    told(&env, &["archive", "delete", &name, "-y"]);
    assert!(told(&env, &["archive", "list"]).contains("no archives yet"));
    assert!(folder(&env, "port").exists());
}

// rows: 128
#[test]
fn a_workspace_that_a_run_works_on_is_not_archived() {
    let env = TestEnv::new();
    worked(&env, "port");
    let (running, run) = start_workspace(&env, "port");
    let outcome = ask(&env, &["archive", "save", "port"]);
    outcome.expect_code(25, "archive save");
    assert!(outcome.stderr_text().contains(&format!("run {run} works on workspace `port`")));
    assert!(folder(&env, "port").exists() && told(&env, &["archive", "list"]).contains("no archives yet"));
    go(&env);
    drop(running);
}

#[test]
fn a_damaged_archive_is_named() {
    let env = TestEnv::new();
    worked(&env, "port");
    told(&env, &["archive", "save", "port"]);
    let name = archive(&env);
    let path = env.project().join(format!(".windlass/archive/{name}.tar.gz"));
    let bytes = std::fs::read(&path).unwrap();
    std::fs::write(&path, &bytes[..bytes.len() - 5]).unwrap();
    let outcome = ask(&env, &["archive", "restore", &name]);
    outcome.expect_code(1, "restore");
    assert!(outcome.stderr_text().contains("is damaged: its end is missing"), "{}", outcome.stderr_text());
    assert!(!folder(&env, "port").exists());
}

// rows: 127
#[test]
fn what_was_set_up_once_is_used_again() {
    let env = TestEnv::new();
    worked(&env, "port");
    let said =
        told(&env, &["template", "save", "port", "-d", "Port a module", "-t", "rust, port", "-e", "12"]);
    assert!(
        said.contains("project template port is saved") && said.contains("notify.secret is not in it"),
        "{said}"
    );
    assert!(
        refused(&env, &["template", "save", "port"]).contains("there is a project template `port` already")
    );
    told(&env, &["template", "save", "port", "--global"]);
    let list = document(&env, &["template", "list", "--json"]);
    assert_eq!(
        (&list["templates"][0]["scope"], &list["templates"][0]["tags"][1]),
        (&"project".into(), &"port".into())
    );
    assert_eq!(
        (&list["templates"][1]["scope"], &list["templates"][1]["shadowed"]),
        (&"user".into(), &true.into())
    );
    let shown = document(&env, &["template", "show", "port", "--json"]);
    assert_eq!(
        (&shown["estimated_iterations"], &shown["options"][0]),
        (&12.into(), &"limits.max_iterations = 9".into())
    );
    told(&env, &["template", "use", "port", "second"]);
    assert_eq!(metadata(&env, "second")["mode"], "iterative");
    env.write(folder(&env, "second").join("INSTRUCTIONS.md"), "mine");
    let said = refused(&env, &["template", "use", "port", "second"]);
    assert!(said.contains("workspace `second` has INSTRUCTIONS.md already"), "{said}");
    told(&env, &["template", "use", "port", "second", "--force"]);
    assert_eq!(env.read(folder(&env, "second").join("INSTRUCTIONS.md.replaced-1")), "mine");
    for wrong in ["..", "a/b", ""] {
        refused(&env, &["template", "save", "port", wrong, "-f"]);
        refused(&env, &["template", "delete", wrong, "-f"]);
    }
    assert!(refused(&env, &["template", "delete", "port"]).contains("there is no terminal to ask on"));
    told(&env, &["template", "delete", "port", "-f"]);
    assert_eq!(document(&env, &["template", "list", "--json"])["templates"][0]["scope"], "user");
}
