//! What a run started may neither look nor act here, whatever it got hold of.

use std::time::Duration;

use windlass_testkit::environment::{Running, TestEnv};

use super::{PATIENCE, Page, facts, finished};

/// Asks the page, in several disguises.
const ASKING: &str = r#"
[[call]]
steps = [
  { bash = "bash ../talk.sh > plain.txt 2>&1" },
  { bash = "env -i PATH=$PATH setsid bash ../talk.sh > wiped.txt 2>&1" },
  { bash = "( env -i PATH=$PATH setsid bash ../talk.sh > forked.txt 2>&1 & ); while ! grep -q started forked.txt; do sleep 0.05; done" },
  { result = { text = "Asked.", cost = 0.01 } },
]
"#;

// attack(page): an agent has a valid cookie and key, and asks to raise its limits: plainly, with a wiped environment and a session of its own, and from a process that it left behind
// holds: refused each time, by who has the socket
#[test]
fn an_agent_with_a_valid_key_neither_looks_nor_acts() {
    let env = TestEnv::with_git();
    let run = finished(&env, 1);
    let page = Page::serve(&env, &["--actions"]);
    let visitor = page.visitor();
    let seq = visitor.seq(&run);
    let body = format!("{{action:{{do:resume}},seq:{seq},once:x}}");
    let request = format!(
        "POST /r/{run}/act HTTP/1.1\r\nhost: {0}\r\norigin: http://{0}\r\ncontent-type: application/json\r\ncookie: {1}\r\nx-windlass-key: {2}\r\nconnection: close\r\ncontent-length: {3}\r\n\r\n{body}",
        page.at,
        visitor.cookie,
        visitor.key,
        body.len()
    );
    env.write(env.root().join("request"), &request);
    let talk = "exec 3<>/dev/tcp/AT; cat ../request >&3; timeout 20 cat <&3";
    let talk = talk.replace("AT", &page.at.to_string().replace(':', "/"));
    env.write(env.root().join("talk.sh"), talk);
    let script = env.write(env.root().join("asking.toml"), ASKING);
    let mock = format!("--mock={}", script.display());
    let mut command = super::windlass(&env, &["run", "-p", "Ask", &mock, "-m", "1", "--no-delay", "--json"]);
    let outcome = Running::start(&mut command).wait(PATIENCE);
    assert_eq!(outcome.json_lines().pop().unwrap()["type"], "run_finished", "{}", outcome.stderr_text());
    for file in ["plain.txt", "wiped.txt", "forked.txt"] {
        let said = env.read(file);
        assert!(said.contains("403") && said.contains("what a run started"), "{file}: {said}");
    }
    assert!(facts(&env, "run_resumed").is_empty());
    // The same bytes from a person's program get as far as what is wrong with them.
    assert_eq!(page.raw(request.as_bytes()).status, 400);
}

#[test]
fn whoever_carries_the_name_of_a_run_is_one_of_its() {
    let env = TestEnv::new();
    let page = Page::serve(&env, &[]);
    let talk = format!(
        "exec 3<>/dev/tcp/{0}/{1}; printf 'GET / HTTP/1.1\\r\\nhost: {2}\\r\\nconnection: close\\r\\n\\r\\n' >&3; timeout 20 cat <&3",
        page.at.ip(),
        page.at.port(),
        page.at
    );
    for (run, expected) in [("", "401"), ("r-7k2", "403")] {
        let mut command = env.command("bash");
        command.args(["-c", &talk]).env("WINDLASS_RUN", run);
        let outcome = env.run(&mut command, Duration::from_mins(1));
        let first = outcome.stdout_text().lines().next().unwrap_or_default().to_owned();
        assert!(first.contains(expected), "{run:?}: {first}");
    }
}
