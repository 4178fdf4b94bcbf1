//! What an agent on a worker cannot get at, locked in as the run says.

use super::kinds::kinds;
use super::yard::{PATIENCE, Yard, drain};

/// Agents do what a file of the repository says, and then their task.
const SCRIPT: &str = r#"
[[call]]
steps = [
  { bash = "bash look.sh; true" },
  { write = { path = "work/{{task}}", text = "done\n" } }, "tick_task",
  { result = { text = "{{task}} is done.", cost = 0.01 } },
]
"#;

/// Whatever lets the worker in is looked for, and the server is talked to without it. A server
/// that hangs up between two lines does not end the shell: what it answered is kept.
const LOOK: &str = r#"
mkdir -p work
{
  cat HOME/secrets/* HOME/.config/windlass/*
  env
  for process in /proc/[0-9]*; do
    tr '\0' ' ' <$process/environ
    tr '\0' ' ' <$process/cmdline
    cat $process/fd/*  </dev/null & wait_for=$!; sleep 0.05; kill $wait_for
  done
} >work/seen 2>/dev/null
trap '' PIPE
exec 3<>/dev/tcp/127.0.0.1/PORT || exit
printf 'CONNECT {"verbose":true}\r\nPUB windlass.windlass.orders.any 2\r\nhi\r\nPING\r\n' >&3
timeout 5 head -n 5 <&3 >work/server
"#;

// attack(fleet): an agent on a worker looks for its worker's credentials in files, environments and open files, and talks to the server without them
// holds: it finds none, and the server lets it do nothing; with `--network off` there is no server
#[test]
fn an_agent_on_a_worker_gets_at_no_credentials_and_no_subjects() {
    for kind in kinds() {
        let yard = Yard::guarded(1, SCRIPT);
        let port = yard.nats.urls()[0].rsplit(':').next().unwrap().to_owned();
        let home = yard.env.home().display().to_string();
        yard.env.write("look.sh", LOOK.replace("HOME", &home).replace("PORT", &port));
        yard.env.git(&["add", "--all"]);
        yard.env.git(&["commit", "--quiet", "--message", "Look"]);
        let worker = yard.worker("one");
        let run = yard.land(2, &["--sandbox", kind]);
        run.expect_success(&run.stderr_text());
        assert_eq!(yard.landed(), ["T1", "seen", "server"], "{kind}");
        let seen = yard.env.git(&["show", "HEAD:work/seen"]);
        assert!(seen.contains("WINDLASS_CALL"), "{kind}: it saw its own environment: {seen}");
        let told: Vec<&str> =
            seen.lines().filter(|line| line.contains("secret-") || line.contains("PASSWORD_FILE")).collect();
        assert_eq!(told, [""; 0], "{kind}");
        let server = yard.env.git(&["show", "HEAD:work/server"]);
        assert!(server.contains("Authorization Violation") && !server.contains("PONG"), "{kind}: {server}");
        // Without a network it does not even come so far.
        yard.env.write("tasks.md", yard.env.read("tasks.md").replace("done", "pending"));
        yard.env.git(&["rm", "--quiet", "-r", "work"]);
        yard.env.git(&["commit", "--quiet", "--all", "--message", "Again"]);
        let run = yard.land(2, &["--sandbox", kind, "--network", "off"]);
        run.expect_success(&run.stderr_text());
        assert_eq!(yard.landed(), ["T1", "seen"], "{kind}");
        drain(worker);
        yard.env.assert_no_processes(PATIENCE);
    }
}
