use std::path::Path;

use super::sources::{check_rust, check_text};

fn lines_complained_about(file: &str, text: &str) -> Vec<Option<usize>> {
    check_rust(Path::new(file), text).into_iter().map(|complaint| complaint.line).collect()
}

#[test]
fn long_files_are_divided() {
    assert_eq!(lines_complained_about("crates/windlass/src/a.rs", &"\n".repeat(501)), [None]);
    assert_eq!(lines_complained_about("crates/windlass/src/a.rs", &"\n".repeat(500)), []);
}

#[test]
fn processes_are_started_in_one_place_and_the_core_has_no_exemptions() {
    let exempt = "#[expect(clippy::disallowed_methods, reason = \"\")]\n";
    let starts = format!("{exempt}fn f() {{ Command::new(\"x\"); }}\n");
    for (file, text, found) in [
        ("crates/windlass-host/src/process/keeper.rs", starts.as_str(), 0),
        ("crates/windlass-git/src/git/mod.rs", &starts, 1),
        ("crates/windlass-git/src/git/mod.rs", exempt, 0),
        ("crates/windlass-core/src/run/mod.rs", exempt, 1),
    ] {
        assert_eq!(lines_complained_about(file, text), vec![Some(1); found], "{file}");
    }
}

#[test]
fn tests_do_not_sleep_for_luck() {
    let sleep = concat!("thread::sl", "eep(x);\n");
    for (file, text, found) in [
        ("crates/windlass/tests/goal.rs", sleep.to_owned(), vec![Some(1)]),
        ("crates/windlass/src/a.rs", sleep.to_owned(), vec![]),
        ("crates/windlass/src/a.rs", format!("#[cfg(test)]\nmod tests {{\n{sleep}"), vec![Some(3)]),
        ("crates/windlass/tests/goal.rs", format!("// sleep: the clock has to move\n{sleep}"), vec![]),
        ("crates/windlass/tests/goal.rs", format!("// {sleep}"), vec![]),
    ] {
        assert_eq!(lines_complained_about(file, &text), found, "{file}: {text}");
    }
}

#[test]
fn no_text_names_a_machine() {
    let (work, root) = (concat!("/wo", "rk/"), concat!("/ro", "ot/"));
    for (text, found) in [
        (format!("see {work}main"), 1),
        (format!("\"{root}x\""), 1),
        (format!("/home/dev{work}z"), 0),
        (format!("$DIR{work}z"), 0),
    ] {
        assert_eq!(check_text(Path::new("a.md"), &text).len(), found, "{text}");
    }
    let lock = Path::new("agents/claude-code/package-lock.json");
    assert_eq!(check_text(lock, "\"resolved\": \"https://…\"").len(), 1);
}
