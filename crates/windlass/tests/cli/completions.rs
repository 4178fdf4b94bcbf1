//! Completions: shells that are here are asked what they would offer, and learn it from the program.

use std::env;
use std::path::Path;

use super::{Command, Place, answer, text};

/// A place with two workspaces and a task file, and the shells' scripts.
fn place() -> Place {
    let place = Place::new();
    for workspace in ["api", "web"] {
        assert_eq!(place.ask(&["init", workspace]).code, Some(0));
    }
    place.file("work/tasks.md", TASKS);
    for shell in ["bash", "zsh", "fish"] {
        let script = place.ask(&["completions", shell]);
        assert_eq!(script.code, Some(0), "{shell}");
        place.file(&format!("scripts/{shell}"), &script.stdout);
    }
    place.file("scripts/_windlass", place.ask(&["completions", "zsh"]).stdout);
    place
}

const TASKS: &str = "\
# Tasks

### T-001: Say hello

**Status**: done

### T-002: Say goodbye

**Status**: pending
";

/// What this shell offers after these words; `None` where it is not installed.
#[expect(clippy::print_stderr, reason = "a shell that was not asked is not shown to work")]
fn offered(place: &Place, shell: &str, words: &[&str]) -> Option<String> {
    let quoted: Vec<String> = words.iter().map(|word| format!("'{word}'")).collect();
    let (line, last) = (quoted.join(" "), words.last().unwrap());
    let scripts = text(&place.root.path().join("scripts"));
    let index = words.len() - 1;
    let asked = match shell {
        "bash" => format!(
            "source {scripts}/bash; COMP_WORDS=({line}); COMP_CWORD={index}; \
             _clap_complete_windlass windlass '{last}' ''; printf '%s\\n' \"${{COMPREPLY[@]}}\""
        ),
        // As `compinit` has it loaded, with all that draws a menu replaced by printing.
        "zsh" => format!(
            "fpath=({scripts} $fpath); autoload -U compinit; compinit -D; \
             _describe() {{ print -l -- \"${{(@P)3}}\" }}; \
             words=({line}); CURRENT={}; $_comps[windlass]",
            index + 1
        ),
        "fish" => format!("source {scripts}/fish; complete -C \"{}\"", words.join(" ")),
        other => unreachable!("{other}"),
    };
    let mut command = Command::new(shell);
    if shell == "zsh" {
        command.arg("-f");
    }
    let program = Path::new(env!("CARGO_BIN_EXE_windlass")).parent().unwrap();
    let path = env::var_os("PATH").unwrap_or_default();
    let path = env::join_paths([program.to_owned()].into_iter().chain(env::split_paths(&path))).unwrap();
    command
        .args(["-c", &asked])
        .current_dir(place.work())
        .env_clear()
        .env("PATH", path)
        .env("HOME", place.home())
        .env("LC_ALL", "C.UTF-8");
    if command.get_program() != "bash" && Command::new(shell).arg("--version").output().is_err() {
        eprintln!("skipped: {shell} is not installed");
        return None;
    }
    let answer = answer(&mut command);
    assert_eq!(answer.stderr, "", "{shell}: {words:?}");
    Some(answer.stdout)
}

#[test]
fn shells_offer_verbs_flags_and_the_names_of_what_is_here() {
    let place = place();
    for shell in ["bash", "zsh", "fish"] {
        for (words, wanted, unwanted) in [
            (&["windlass", "re"][..], &["resume", "restore", "reset"][..], &["pipeline", "__agent"][..]),
            (&["windlass", "run", "--max-i"], &["--max-iterations"], &["--max-cost"]),
            (&["windlass", "show", ""], &["api", "web"], &["T-001"]),
            (&["windlass", "run", "w"], &["web"], &["api"]),
            (&["windlass", "config", "get", "limits.max_c"], &["limits.max_cost"], &["clocks.delay"]),
            (&["windlass", "config", "set", "-w", "a"], &["api"], &["web"]),
            (&["windlass", "tasks", "done", "T"], &["T-002"], &["T-001"]),
            (&["windlass", "tasks", "reopen", "T"], &["T-001"], &["T-002"]),
            (&["windlass", "completions", ""], &["bash", "zsh", "fish"], &[]),
        ] {
            let Some(offered) = offered(&place, shell, words) else { break };
            for name in wanted {
                assert!(offered.contains(name), "{shell}: {words:?} offers no {name}, but: {offered}");
            }
            for name in unwanted {
                assert!(!offered.contains(name), "{shell}: {words:?} offers {name}: {offered}");
            }
        }
    }
}

#[test]
fn runs_are_offered_and_another_directory_is_looked_at_where_it_is_named() {
    let place = place();
    let run = place.ask(&["run", "-p", "goal", "--mock", "-m", "1"]);
    assert_eq!(run.code, Some(10), "{}", run.stderr);
    let listed = place.ask(&["runs", "--json"]).stdout;
    let listed: serde_json::Value = serde_json::from_str(&listed).unwrap();
    let name = listed["runs"][0]["run"].as_str().unwrap();
    for shell in ["bash", "zsh", "fish"] {
        for words in [&["windlass", "logs", ""][..], &["windlass", "-C", "../work", "status", "r-"]] {
            let Some(offered) = offered(&place, shell, words) else { break };
            assert!(offered.contains(name), "{shell}: {words:?}: {offered}");
        }
    }
    let elsewhere = offered(&place, "bash", &["windlass", "-C", "/", "show", ""]).unwrap();
    assert!(!elsewhere.contains("api"), "{elsewhere}");
}

#[test]
fn a_shell_that_is_not_known_is_refused_in_one_sentence() {
    let place = Place::new();
    let mut command = place.plain(&["--", "windlass", ""]);
    let answer = answer(command.env("WINDLASS_COMPLETE", "tcsh"));
    assert_eq!(answer.code, Some(2));
    let expected = "error: cannot complete for WINDLASS_COMPLETE: unknown shell `tcsh`";
    assert!(answer.stderr.starts_with(expected), "{}", answer.stderr);
}
