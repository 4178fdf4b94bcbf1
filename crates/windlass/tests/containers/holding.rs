//! What is held in, and what goes on as outside.

use std::fs;
use std::os::unix::fs::MetadataExt;

use crate::engines::with_each;

// rows: 136
// Seed defect D2, src/docker.rs:69: a container was said to be enforced, and nothing enforced it.
// Seed defect D2, templates.rs run.sh: in the container ran one call instead of the loop.
#[test]
#[ignore = "it takes a minute and needs an engine: cargo xtask containers"]
fn an_agent_works_in_the_tree_and_reaches_nothing_else() {
    with_each(|machine| {
        let env = &machine.env;
        let secret = env.write(env.home().join(".ssh/id"), "a secret of the user");
        env.write(".windlass/config.toml", "[limits]\nmax_failures = 1\n");
        env.write(".windlass/hooks/finished", "#!/bin/sh\n");
        env.git(&["add", "--all"]);
        env.git(&["commit", "--quiet", "--message", "Configure"]);
        let script = format!(
            r#"
[[call]]
steps = [
  {{ write = {{ path = "done.txt", text = "done\n" }} }},
  {{ bash = "id -u > who.txt; env > environment.txt; ls / > root.txt" }},
  {{ bash = "cat {secret} > stolen.txt 2>&1; ls -R {state} > state.txt 2>&1" }},
  {{ bash = "echo x > /etc/outside && echo x > {root}/outside; true" }},
  {{ bash = "echo x > .windlass/config.toml; echo x > .windlass/hooks/finished; rm -rf .windlass/hooks; true" }},
  {{ bash = "cat /proc/net/dev > network.txt; ls /var/run/docker.sock > socket.txt 2>&1" }},
  {{ bash = "mkdir -p $HOME/below && touch $HOME/below/a $TMPDIR/b && echo fine > home.txt" }},
  {{ bash = "git add done.txt && git commit -q -m 'From inside'" }},
  {{ bash = "echo x > .git/config; mkdir -p .git/hooks; echo x > .git/hooks/evil; mv .git elsewhere; true" }},
  {{ result = {{ text = "Done.\n\nWINDLASS_JOB_COMPLETE" }} }},
]
"#,
            secret = secret.display(),
            state = env.state().display(),
            root = env.root().display(),
        );
        let flags =
            ["--completion-threshold", "1", "--gate", "test -f done.txt && test -d bin -o ! -e /home"];
        let outcome = machine.run(&script, &flags);
        outcome.expect_code(0, machine.engine);
        // As outside: whose files they are, who committed, what the runner makes of it.
        let done = fs::metadata(env.project().join("done.txt")).unwrap();
        assert_eq!(done.uid(), rustix::process::geteuid().as_raw());
        assert_eq!(env.git(&["log", "-1", "--format=%s by %an"]), "From inside by Tess Ter");
        assert_eq!(env.read("home.txt"), "fine\n");
        assert_eq!(env.read("who.txt").trim(), rustix::process::geteuid().as_raw().to_string());
        // Held in.
        for (file, must_not) in [
            ("stolen.txt", "a secret"),
            ("state.txt", "journal.jsonl"),
            ("environment.txt", "WINDLASS_STATE_DIR"),
        ] {
            assert!(!env.read(file).contains(must_not), "{}: {file}: {}", machine.engine, env.read(file));
        }
        assert!(env.read("environment.txt").contains("IS_SANDBOX=1"));
        assert!(env.read("socket.txt").contains("cannot access"), "{}", env.read("socket.txt"));
        assert!(!env.root().join("outside").exists() && !fs::exists("/etc/outside").unwrap());
        assert_eq!(env.read(".windlass/config.toml"), "[limits]\nmax_failures = 1\n");
        assert_eq!(env.read(".windlass/hooks/finished"), "#!/bin/sh\n");
        assert!(env.read(".git/config").contains("[core]"));
        assert!(
            !env.project().join(".git/hooks/evil").exists() && !env.project().join("elsewhere/HEAD").exists()
        );
        let devices = env.read("network.txt").lines().skip(2).count();
        assert_eq!(devices, 1, "loopback alone: {}", env.read("network.txt"));
        assert_eq!(machine.containers(), Vec::<String>::new(), "{}", machine.engine);
    });
}

#[test]
#[ignore = "it takes a minute and needs an engine: cargo xtask containers"]
fn an_exit_code_and_the_streams_come_through() {
    with_each(|machine| {
        let sandbox = format!("{}:{}", machine.engine, crate::engines::IMAGE);
        let shell = |script: &str| {
            machine.windlass(&[
                "sandbox",
                "shell",
                "--sandbox",
                &sandbox,
                "--network",
                "off",
                "--",
                "sh",
                "-c",
                script,
            ])
        };
        let outcome = shell("echo out; echo err >&2; exit 7");
        outcome.expect_code(7, machine.engine);
        assert_eq!((outcome.stdout_text().as_str(), outcome.stderr_text().as_str()), ("out\n", "err\n"));
        assert_eq!(machine.containers(), Vec::<String>::new());
        // Its own files are gone with it.
        let left = machine.env.run(
            machine.env.command("find").args([machine.env.state().to_str().unwrap(), "-name", "sandbox"]),
            crate::engines::PATIENCE,
        );
        assert_eq!(left.stdout_text(), "");
    });
}

// rows: 137
#[test]
#[ignore = "it takes a minute and needs an engine: cargo xtask containers"]
fn hosts_that_are_not_allowed_are_refused_by_the_proxy() {
    with_each(|machine| {
        machine.env.write(".windlass/config.toml", "[sandbox]\nhosts = [\"allowed.invalid\"]\n");
        let sandbox = format!("{}:{}", machine.engine, crate::engines::IMAGE);
        let outcome = machine.windlass(&[
            "sandbox",
            "shell",
            "--sandbox",
            &sandbox,
            "--network",
            "hosts",
            "--",
            "sh",
            "-c",
            "env | grep -i ^https_proxy=; git ls-remote https://denied.invalid/x",
        ]);
        let said = outcome.stdout_text() + &outcome.stderr_text();
        assert!(said.contains("127.0.0.1"), "the way to the proxy: {said}");
        assert_ne!(outcome.code, Some(0));
    });
}

// attack(sandbox): an agent in a container lets a program run as whoever it belongs to, which outside would be the user or root.
// holds: the mark is taken from it after the attempt, wherever it lies, and that is said.
#[test]
#[ignore = "it takes a minute and needs an engine: cargo xtask containers"]
fn no_program_that_runs_as_somebody_else_is_left() {
    with_each(|machine| {
        let env = &machine.env;
        let script = r#"
[[call]]
steps = [
  { bash = "mkdir -p node_modules/x && cp /bin/sh node_modules/x/tool && chmod 4755 node_modules/x/tool" },
  { bash = "cp /bin/sh group && chmod 2755 group" },
  { result = { text = "Done.", cost = 0.01 } },
]
"#;
        let outcome = machine.run(script, &[]);
        let said = format!("{}{}", outcome.stdout_text(), outcome.stderr_text());
        for path in ["node_modules/x/tool", "group"] {
            let found = fs::metadata(env.project().join(path)).map(|found| found.mode() & 0o7777).ok();
            assert_eq!(found, Some(0o755), "{}: {path}: {said}", machine.engine);
        }
        let told = said.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(told.contains("made node_modules/x/tool run as whoever it belongs to"), "{told}");
    });
}
