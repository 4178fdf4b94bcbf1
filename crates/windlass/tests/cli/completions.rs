//! Completion scripts: there, complete, and silent about what is hidden. Shells that are here read them.

use super::{Command, Place};

#[test]
fn each_shell_has_a_script_that_knows_every_verb_and_hides_the_agent() {
    let place = Place::new();
    for shell in ["bash", "zsh", "fish"] {
        let answer = place.ask(&["completions", shell]);
        assert_eq!(answer.code, Some(0), "{shell}");
        for word in
            ["run", "resume", "stop", "runs", "status", "logs", "restore", "doctor", "demo", "max-iterations"]
        {
            assert!(answer.stdout.contains(word), "{shell}: {word}");
        }
        assert!(!answer.stdout.contains("__agent"), "{shell}");
    }
}

#[test]
fn the_shells_that_are_here_accept_their_script() {
    let place = Place::new();
    for shell in ["bash", "zsh", "fish"] {
        let script = place.file("script", place.ask(&["completions", shell]).stdout);
        // A shell that is not installed cannot be asked.
        if let Ok(output) = Command::new(shell).arg("-n").arg(script).output() {
            assert!(output.status.success(), "{shell}: {}", String::from_utf8_lossy(&output.stderr));
        }
    }
}
