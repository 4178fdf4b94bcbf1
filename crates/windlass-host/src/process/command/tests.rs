use std::io::{self, Read};

use super::*;

fn shell(script: &str) -> Command {
    Command::new("sh").argument("-c").argument(script)
}

#[test]
fn output_and_end_are_told_apart() {
    let cases = [
        ("echo out; echo err >&2", Ended::Exited(0), "out\n", "err\n"),
        ("exit 3", Ended::Exited(3), "", ""),
        ("kill -9 $$", Ended::Signalled(9), "", ""),
    ];
    for (script, ended, stdout, stderr) in cases {
        let output = shell(script).run().unwrap();
        assert_eq!(
            (output.ended, output.stdout.text(), output.stderr.text()),
            (ended, stdout.into(), stderr.into())
        );
        assert_eq!(output.succeeded(), ended == Ended::Exited(0));
    }
}

// Seed defect D2, src/commands/plan.rs:225-226: the agent's standard input was the terminal.
#[test]
fn without_input_there_is_nothing_to_read() {
    assert_eq!(Command::new("cat").run().unwrap().stdout.text(), "");
}

#[test]
fn much_input_and_much_output_do_not_block_each_other() {
    let input = vec![b'x'; 5_000_000];
    let output = shell("tee /dev/stderr").stdin(input.clone()).run().unwrap();
    assert!(output.stdout.bytes == input && output.stderr.bytes == input);
}

#[test]
fn input_that_nobody_reads_is_no_error() {
    let output = shell("exit 0").stdin(vec![b'x'; 5_000_000]).run().unwrap();
    assert!(output.succeeded());
}

#[test]
fn output_beyond_the_limit_is_dropped_and_said() {
    let output = shell("head -c 300000 /dev/zero; echo end >&2").output_limit(1000).run().unwrap();
    assert_eq!((output.stdout.bytes.len(), output.stdout.dropped), (1000, 299_000));
    assert_eq!((output.stderr.text().as_str(), output.stderr.dropped), ("end\n", 0));
}

#[test]
fn directory_and_environment_are_as_told() {
    let folder = tempfile::tempdir().unwrap();
    let output = shell("pwd -P; echo \"$GIVEN/${HOME-none}\"")
        .directory(folder.path())
        .environment("GIVEN", Some(OsStr::new("a b")))
        .environment("HOME", None)
        .run()
        .unwrap();
    let real = folder.path().canonicalize().unwrap();
    assert_eq!(output.stdout.text(), format!("{}\na b/none\n", real.display()));
}

#[test]
fn a_command_that_takes_too_long_is_killed_with_its_group() {
    let (mut reader, writer) = io::pipe().unwrap();
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("fd"), "").unwrap();
    let held = format!("/proc/{}/fd/{}", std::process::id(), std::os::fd::AsRawFd::as_raw_fd(&writer));
    // Both sleepers hold the pipe: it ends when they are gone.
    let script = format!("exec 3>{held}; echo ready >&3; sleep 1000 & exec sleep 1000");
    let started = Instant::now();
    let error = shell(&script).timeout(Duration::from_millis(300)).run().unwrap_err();
    drop(writer);
    let mut text = String::new();
    reader.read_to_string(&mut text).unwrap();
    assert_eq!(text, "ready\n");
    assert!(
        matches!(&error, ProcessError::TimedOut { program, .. } if program == Path::new("sh")),
        "{error}"
    );
    assert!(started.elapsed() < Duration::from_secs(30));
}

#[test]
fn a_command_that_nobody_needs_any_more_is_ended() {
    let started = Instant::now();
    let due = Interruption::once(move || started.elapsed() > Duration::from_millis(300));
    let error = shell("exec sleep 1000").interrupted_by(&due).run().unwrap_err();
    assert!(matches!(&error, ProcessError::Interrupted(program) if program == Path::new("sh")), "{error}");
    assert!(started.elapsed() < Duration::from_secs(30));
    let never = Interruption::once(|| false);
    assert_eq!(shell("echo whole").interrupted_by(&never).run().unwrap().stdout.text(), "whole\n");
}

#[test]
fn a_grandchild_that_holds_the_pipes_does_not_hold_us() {
    let started = Instant::now();
    let output = shell("sleep 1000 & echo $!").run().unwrap();
    assert!(started.elapsed() < Duration::from_secs(30), "{:?}", started.elapsed());
    let grandchild = Pid::from_raw(output.stdout.text().trim().parse().unwrap()).unwrap();
    rustix::process::kill_process(grandchild, Signal::KILL).unwrap();
}

#[test]
fn an_error_says_what_where_and_why() {
    let folder = tempfile::tempdir().unwrap();
    let script = folder.path().join("script");
    std::fs::write(&script, "#!/nowhere/at-all\n").unwrap();
    let allow =
        |mode| std::fs::set_permissions(&script, std::os::unix::fs::PermissionsExt::from_mode(mode)).unwrap();

    let missing = Command::new("windlass-no-such-program").run().unwrap_err();
    assert!(missing.is_not_found());
    assert_eq!(missing.to_string(), "cannot start windlass-no-such-program in .: there is no such program");
    let reason = |command: Command| command.run().unwrap_err().to_string();
    assert!(
        reason(Command::new("sh").directory("/nowhere")).ends_with("in /nowhere: there is no such directory")
    );
    allow(0o644);
    assert!(reason(Command::new(&script)).ends_with("permission denied"));
    allow(0o755);
    assert!(
        reason(Command::new(&script)).ends_with("the interpreter named in its first line does not exist")
    );
    let long = Command::new("sh").arguments(vec!["x".repeat(100_000); 100]);
    assert!(reason(long).ends_with("its arguments and environment are too long"));
    assert!(reason(Command::new("sh").argument("a\0b")).starts_with("cannot start sh in .: "));
}

#[test]
fn of_a_log_the_end_is_kept() {
    let output = shell("seq 100000").output_end(10).run().unwrap();
    assert_eq!((output.stdout.text().as_str(), output.stdout.dropped), ("99\n100000\n", 588_885));
}
