//! What is typed, and what has to be said then.

/// One thing that a stranger does.
pub struct Step {
    pub name: &'static str,
    /// For `sh -eu`, in the folder of the place; `FILES` is where the release lies.
    pub script: &'static str,
    pub says: &'static [&'static str],
}

/// In their order.
pub const STEPS: [Step; 3] = [
    Step {
        name: "install",
        script: r#"
            if command -v cargo || command -v rustc; then echo "there is Rust here"; exit 1; fi
            sh "$FILES/install.sh" --from "file://$FILES" | tee said
            # The line that it asks for, as it was printed.
            grep 'export PATH=' said >"$HOME/.profile"
        "#,
        says: &["windlass ", " is installed: ", "is not on your PATH", "export PATH=", "demo"],
    },
    Step {
        name: "demo",
        script: r#"
            . "$HOME/.profile"
            windlass demo
        "#,
        says: &["gate failed: sh test.sh", "waiting for the usage limit", "stopped: complete"],
    },
    Step {
        name: "first run",
        script: r#"
            . "$HOME/.profile"
            git init --quiet project
            cd project
            echo 'test "$(cat answer)" = 42' >test.sh
            echo 'What is six times seven?' >answer
            git add --all
            git -c user.name=Ada -c user.email=ada@example.org commit --quiet -m Begin
            windlass run -p 'Put the answer into the file answer.' --mock=../agent.toml --gate 'sh test.sh' --max-iterations 6
            test "$(cat answer)" = 42
            windlass runs
            windlass diff
        "#,
        says: &["gate failed: sh test.sh", "stopped: complete", "+42"],
    },
];

/// What the agent of the first run does: it claims too early, then does what it was asked for.
pub const AGENT: &str = r#"
[[call]]
steps = [ { result = { text = "All done.\n\nWINDLASS_JOB_COMPLETE" } } ]
[[call]]
steps = [ { write = { path = "answer", text = "42\n" } }, { result = { text = "Now it is there.\n\nWINDLASS_JOB_COMPLETE" } } ]
[[call]]
steps = [ { result = { text = "It is done.\n\nWINDLASS_JOB_COMPLETE" } } ]
"#;
