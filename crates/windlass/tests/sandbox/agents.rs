//! Several agents in one sandbox.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;

use super::place::{CLEARED, PATIENCE, Place, kinds, said};

/// Each agent puts down which logins it can read. Claude Code's is refused, so Codex works.
const CLAUDE: &str = r#"
case "$1 $2" in --version*) echo '2.1.330 (Claude Code)'; exit;; auth*) echo '{"loggedIn":true,"authMethod":"oauth"}'; exit;; esac
cat > /dev/null
cat "$HOME/.claude/.credentials.json" "$HOME/.codex/auth.json" > seen-by-claude 2> /dev/null
echo '{"type":"result","subtype":"success","is_error":true,"result":"Not logged in · Please run /login","total_cost_usd":0,"num_turns":1,"usage":{"input_tokens":0,"output_tokens":0},"permission_denials":[]}'
exit 1"#;

const CODEX: &str = r#"
case "$1 $2" in --version*) echo 'codex-cli 0.169.0'; exit;; login*) echo 'Logged in'; exit;; esac
cat > /dev/null
cat "$HOME/.claude/.credentials.json" "$HOME/.codex/auth.json" > seen-by-codex 2> /dev/null
echo "$*" > arguments-of-codex
echo '{"type":"thread.started","thread_id":"t"}'
echo '{"type":"item.completed","item":{"id":"i","type":"agent_message","text":"A step is done."}}'
echo '{"type":"turn.completed","usage":{"input_tokens":100,"cached_input_tokens":0,"output_tokens":20}}'"#;

fn place(kind: &'static str) -> Place {
    let place = Place::new(kind);
    let (home, agents) = (place.env.home().clone(), place.env.root().join("agents"));
    place.env.write(home.join(".claude/.credentials.json"), "the login of Claude Code\n");
    place.env.write(home.join(".codex/auth.json"), "the login of Codex\n");
    for (name, script) in [("claude", CLAUDE), ("codex", CODEX)] {
        let program = place.env.write(agents.join(name), format!("#!/bin/sh\n{script}\n"));
        fs::set_permissions(&program, Permissions::from_mode(0o755)).unwrap();
    }
    let path = format!("{}:{}", agents.display(), std::env::var("PATH").unwrap());
    place
        .set("PATH", &path)
        .set("WINDLASS_SANDBOX__LOGIN", "mount")
        .set("WINDLASS_AGENT__USE", "claude,codex-exec")
}

// attack(sandbox): an agent that was taken in reads the login of another agent of the run.
// holds: each agent finds its own login alone.
#[test]
fn one_takes_over_from_the_other_inside_and_each_has_its_own_login() {
    for kind in kinds() {
        let place = place(kind);
        let run = ["run", "-p", "Work.", "--no-delay", "--sandbox", kind, "--until", "test -e seen-by-codex"];
        let outcome = place.env.run(&mut place.windlass(&run), PATIENCE);
        let said = said(&outcome);
        assert_eq!(outcome.code, Some(0), "{kind}: {said}");
        assert!(said.contains("codex-exec takes over"), "{kind}: {said}");
        let seen = |name: &str| fs::read_to_string(place.directory.join(name)).unwrap();
        assert_eq!(seen("seen-by-claude"), "the login of Claude Code\n", "{kind}");
        assert_eq!(seen("seen-by-codex"), "the login of Codex\n", "{kind}");
        // One of its own would not start within this one.
        assert!(seen("arguments-of-codex").contains("--dangerously-bypass-approvals-and-sandbox"), "{kind}");
        place.env.assert_no_processes(CLEARED);
    }
}
