//! Images: made, named, missing, incomplete.

use std::os::unix::fs::PermissionsExt;

use crate::engines::{IMAGE, with_each};

// rows: 136
#[test]
#[ignore = "it takes a minute and needs an engine: cargo xtask containers"]
fn the_projects_image_is_made_once_and_again_when_it_changes() {
    with_each(|machine| {
        let env = &machine.env;
        env.write(
            ".windlass/sandbox/Dockerfile",
            format!("FROM {IMAGE}\nCOPY [\"tools/set up.sh\", \"/s.sh\"]\nRUN [\"/bin/sh\", \"/s.sh\"]\n"),
        );
        env.write("tools/set up.sh", "echo first > /made\n");
        env.write(
            ".windlass/config.toml",
            "[sandbox]\nsetup_script = \"tools/set up.sh\"\nnetwork = \"off\"\n",
        );
        let build = || {
            let outcome = machine.windlass(&["sandbox", "build", "--engine", machine.engine]);
            outcome.expect_success(machine.engine);
            outcome.stdout_text()
        };
        assert!(build().contains(" is made"));
        assert!(build().contains("is there, and up to date"));
        let made = || {
            let outcome =
                machine.windlass(&["sandbox", "shell", "--sandbox", machine.engine, "--", "cat", "/made"]);
            outcome.stdout_text() + &outcome.stderr_text()
        };
        assert_eq!(made(), "first\n");
        env.write("tools/set up.sh", "echo second > /made\n");
        let stale = made();
        assert!(stale.contains("is not built: windlass sandbox build"), "{stale}");
        build();
        assert_eq!(made(), "second\n");
    });
}

#[test]
#[ignore = "it takes a minute and needs an engine: cargo xtask containers"]
fn an_image_that_is_missing_or_lacks_the_agent_is_said_before_the_first_call() {
    with_each(|machine| {
        for (image, why) in
            [("localhost/none:1", "there is no image localhost/none:1 here"), (IMAGE, "holds no claude")]
        {
            // The real agent's name; it is never started.
            let agent = machine
                .env
                .write(machine.env.root().join("bin/claude"), "#!/bin/sh\necho '2.1.330 (Claude Code)'\n");
            std::fs::set_permissions(&agent, std::fs::Permissions::from_mode(0o755)).unwrap();
            let mut command = machine.command(env!("CARGO_BIN_EXE_windlass"), &["run", "-p", "x", "-m", "1"]);
            command.arg("--sandbox").arg(format!("{}:{image}", machine.engine));
            command.env("WINDLASS_AGENT__COMMAND", &agent).env("CLAUDE_CODE_OAUTH_TOKEN", "none");
            let outcome = machine.env.run(&mut command, crate::engines::PATIENCE);
            assert_eq!(outcome.code, Some(2), "{}", outcome.stderr_text());
            assert!(outcome.stderr_text().contains(why), "{}", outcome.stderr_text());
        }
        assert_eq!(machine.containers(), Vec::<String>::new());
    });
}
