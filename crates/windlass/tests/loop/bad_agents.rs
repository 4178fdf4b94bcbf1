//! Agents that print what no agent should, or nothing.

use windlass_core::values::Class;

use super::night::{Night, PATIENCE, calls, every_call, expect_end, files_below};

/// A first call that misbehaves, and a second one that works.
fn then_works(steps: &str) -> Night {
    Night::new(&calls(&[steps, "{ write = { path = 'work', text = 'x' } }"]))
}

// rows: 45
// Seed defect D1, services/claude-client.ts:141: all output was kept in memory.
// Seed defect D2, v1 run.sh main loop: each line cost a process.
#[test]
fn noise_is_counted_and_kept_and_nothing_else() {
    let night = then_works("{ noise = 200000000 }");
    // In a debug build, beside all the other tests, two hundred megabytes take their time.
    let outcome = night.env.run(&mut night.run_command(&["-m", "2"]), 5 * PATIENCE);
    expect_end(&outcome, 10, "max_iterations");
    let calls = night.calls();
    assert_eq!([calls[0].class, calls[1].class], [Class::Success, Class::Success]);
    assert!(calls[0].garbage_lines > 0);
    let streams = files_below(&night.folder()).into_iter().filter(|path| path.ends_with("stream.ndjson"));
    let bytes: u64 = streams.map(|path| path.metadata().unwrap().len()).sum();
    assert!(bytes >= 200_000_000, "the raw log is not whole: {bytes} bytes");
    night.assert_clean();
}

// Seed defect D2, src/streaming.rs:335: lines had no bound, and one that was not UTF-8 ended the reading.
// Seed defect D3, core/claude.ts:238-242: lines had no bound.
#[test]
fn lines_of_twenty_megabytes_are_read() {
    for kind in ["text", "tool_result", "garbage"] {
        let night = then_works(&format!("{{ long_line = {{ bytes = 20000000, kind = '{kind}' }} }}"));
        expect_end(&night.run(&["-m", "2", "--output", "verbose"]), 10, "max_iterations");
        assert_eq!(
            night.calls().iter().map(|call| call.class).collect::<Vec<_>>(),
            [Class::Success; 2],
            "{kind}"
        );
        night.assert_clean();
    }
}

// rows: 64, 65, 67
// Seed defect D1, commit 10061e8: output without a result was a success.
// Seed defect D2, seed 002 §4.4, exit status: the exit status was that of a pipe's last command.
// Seed defect D3, core/claude.ts:219, 234-236: an agent that did not read its prompt brought the runner down.
#[test]
fn an_agent_that_says_nothing_has_failed() {
    let scripts = [
        every_call("{ exit = 0 }"),
        every_call("{ exit = 3 }"),
        every_call("{ die = 'KILL' }"),
        "[[call]]\ninit = false\nread_prompt = false\nsteps = [ { exit = 0 } ]\n".to_owned(),
        every_call("'close_stdout', { exit = 0 }"),
    ];
    for script in scripts {
        let night = Night::new(&script);
        let outcome = night.run(&["--exit-codes", "detailed"]);
        expect_end(&outcome, 20, "consecutive_failures");
        assert_eq!(night.calls().len(), 3, "{script}");
        let said = outcome.stderr_text() + &outcome.stdout_text();
        let sentence = if script.contains("KILL") { "ended from outside" } else { "without a result" };
        assert!(said.contains(sentence), "{script}: {said}");
        night.assert_clean();
    }
}

// rows: 34
#[test]
fn an_agent_that_cannot_be_started_is_named() {
    let night = Night::new("");
    let broken = night.env.write("broken", "\u{7f}no program");
    let mut mode = std::fs::metadata(&broken).unwrap().permissions();
    std::os::unix::fs::PermissionsExt::set_mode(&mut mode, 0o755);
    std::fs::set_permissions(&broken, mode).unwrap();
    for (command, sentence) in [
        ("no-such-agent", "the agent `no-such-agent` is not installed, or not in PATH"),
        ("./broken", "cannot be started"),
        ("./missing", "is not installed"),
    ] {
        let mut run = night.windlass(&["run", "-p", "x", "--exit-codes", "detailed"]);
        let outcome = night.env.run(run.env("WINDLASS_AGENT__COMMAND", command), PATIENCE);
        outcome.expect_code(21, command);
        assert!(outcome.stderr_text().contains(sentence), "{command}: {}", outcome.stderr_text());
    }
    assert!(night.folders().is_empty(), "a run was begun");
}
