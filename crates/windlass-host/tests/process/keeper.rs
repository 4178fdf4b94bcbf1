//! The keeper while its runner lives.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs::{self, File};
use std::os::fd::AsFd;
use std::os::unix::ffi::OsStringExt;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::time::Duration;

use rustix::process::{Pid, Signal};
use windlass_core::values::Ended;
use windlass_host::process::{Command, KeeperEvent, LastRites, ProcessError, StartFaultKind};

use crate::lane::{
    Lane, eventually, kilobytes, marked, marker, shell, signal, sleepers, stat, state, status,
};

#[rustfmt::skip] // One per line.
pub const TESTS: &[(&str, fn())] = &[
    ("keeper::a_program_gets_exactly_what_it_was_given", a_program_gets_exactly_what_it_was_given),
    ("keeper::ends_are_told_apart", ends_are_told_apart),
    ("keeper::what_cannot_start_says_why", what_cannot_start_says_why),
    ("keeper::children_inherit_nothing_of_the_keeper", children_inherit_nothing_of_the_keeper),
    ("keeper::a_child_has_its_own_group_and_no_terminal", a_child_has_its_own_group_and_no_terminal),
    ("keeper::terminate_reaches_the_group", terminate_reaches_the_group),
    ("keeper::who_ignores_sigterm_is_killed", who_ignores_sigterm_is_killed),
    ("keeper::a_session_of_its_own_that_holds_the_pipe_is_killed", a_session_of_its_own_that_holds_the_pipe_is_killed),
    ("keeper::forks_do_not_escape", forks_do_not_escape),
    ("keeper::an_empty_tree_is_gone_at_once", an_empty_tree_is_gone_at_once),
    ("keeper::pause_and_resume_reach_everybody", pause_and_resume_reach_everybody),
    ("keeper::what_is_paused_can_be_ended", what_is_paused_can_be_ended),
    ("keeper::signals_for_the_runner_do_not_end_it", signals_for_the_runner_do_not_end_it),
    ("keeper::a_lock_is_held_for_the_keepers_life", a_lock_is_held_for_the_keepers_life),
    ("keeper::a_runner_that_stands_still_loses_what_is_below", a_runner_that_stands_still_loses_what_is_below),
    ("keeper::close_leaves_nothing_and_is_no_death", close_leaves_nothing_and_is_no_death),
    ("keeper::a_runner_that_closes_it_keeps_its_own_commands", a_runner_that_closes_it_keeps_its_own_commands),
    ("keeper::last_rites_come_when_nothing_is_left_and_before_the_lock_is_free", last_rites_come_last),
    ("keeper::a_hung_keeper_is_closed_too", a_hung_keeper_is_closed_too),
    ("keeper::a_stopped_keeper_goes_on", a_stopped_keeper_goes_on),
    ("keeper::a_program_that_is_no_keeper_is_refused", a_program_that_is_no_keeper_is_refused),
    ("keeper::it_is_thin", it_is_thin),
];

fn a_program_gets_exactly_what_it_was_given() {
    let lane = Lane::start();
    let folder = tempfile::tempdir().unwrap();
    let strange = |bytes: &[u8]| OsString::from_vec(bytes.to_vec());
    let directory = folder.path().join(strange(b"a b\nc\xff"));
    fs::create_dir(&directory).unwrap();
    let (printed, mut request) = shell(1, "pwd -P; printf '%s|' \"$@\"; echo; env; cat");
    request.arguments.extend([strange(b"name"), strange(b"-x"), strange(b""), strange(b"\xfe\n$HOME")]);
    request.environment =
        vec![("GIVEN".into(), strange(b"\xfd=")), ("PATH".into(), std::env::var_os("PATH").unwrap())];
    request.directory.clone_from(&directory);
    let prompt = folder.path().join("prompt");
    fs::write(&prompt, "from a file\n").unwrap();
    request.stdin = File::open(&prompt).unwrap().into();
    lane.keeper.spawn(request).unwrap();
    assert!(matches!(lane.event(), KeeperEvent::Spawned { id: 1, .. }));
    assert_eq!(lane.event(), KeeperEvent::Exited { id: 1, ended: Ended::Exited(0) });

    let bytes = printed.rest_as_bytes();
    let directory = directory.canonicalize().unwrap().into_os_string().into_vec();
    let text = bytes.strip_prefix(directory.as_slice()).expect("the directory");
    let text = text.strip_prefix(b"\n-x||\xfe\n$HOME|\n").expect("the arguments");
    let text = text.strip_suffix(b"from a file\n").expect("the input");
    let mut names: Vec<_> =
        text.split(|byte| *byte == b'\n').filter_map(|line| line.split(|b| *b == b'=').next()).collect();
    // The shell adds PWD (and its line feed makes a line of its own) and perhaps a few of its own kind.
    names.retain(|name| !matches!(*name, b"" | b"PWD" | b"OLDPWD" | b"_" | b"SHLVL" | b"c\xff"));
    names.sort_unstable();
    assert_eq!(names, [&b"GIVEN"[..], b"PATH"]);
    assert!(text.windows(8).any(|part| part == b"GIVEN=\xfd="));
}

fn ends_are_told_apart() {
    let lane = Lane::start();
    let cases =
        [("exit 0", Ended::Exited(0)), ("exit 7", Ended::Exited(7)), ("kill -11 $$", Ended::Signalled(11))];
    for (id, (script, ended)) in (10..).zip(cases) {
        lane.run(id, script);
        assert_eq!(lane.event(), KeeperEvent::Exited { id, ended });
    }
}

fn what_cannot_start_says_why() {
    let lane = Lane::start();
    let fault = |program: &str, directory: &str| {
        let (_, mut request) = shell(3, "");
        request.program = program.into();
        request.directory = directory.into();
        lane.keeper.spawn(request).unwrap();
        match lane.event() {
            KeeperEvent::SpawnFailed { id: 3, fault } => fault,
            other => panic!("{other:?}"),
        }
    };
    let missing = fault("/nowhere/claude", "/");
    assert_eq!(missing.kind, StartFaultKind::NotFound);
    assert_eq!(missing.to_string(), "cannot start /nowhere/claude in /: there is no such program");
    assert_eq!(fault("/bin/sh", "/nowhere").kind, StartFaultKind::DirectoryMissing);
    assert_eq!(fault("/etc/passwd", "/").kind, StartFaultKind::Denied);
    assert_eq!(lane.output(4, "echo still here"), "still here\n");
}

fn children_inherit_nothing_of_the_keeper() {
    let lane = Lane::start();
    let lock = tempfile::tempfile().unwrap();
    lane.keeper.hold(&[lock.as_fd()]).unwrap();
    // Some of what is open may come from whoever started this test.
    let list = "ls /proc/self/fd | tr '\\n' ' '";
    let without_keeper = Command::new("/bin/sh").argument("-c").argument(list).run().unwrap();
    assert_eq!(lane.output(1, list), without_keeper.stdout.text());
    let ignored = "grep -E 'Sig(Ign|Blk)' /proc/self/status";
    let without_keeper = Command::new("/bin/sh").argument("-c").argument(ignored).run().unwrap();
    assert_eq!(lane.output(2, ignored), without_keeper.stdout.text());
}

fn a_child_has_its_own_group_and_no_terminal() {
    let lane = Lane::start();
    let marker = marker();
    let (child, _) = lane.run(1, &format!("exec sleep {marker}"));
    let keeper = Pid::from_raw(lane.keeper.pid()).unwrap();
    let field = |id, index: usize| stat(id).unwrap()[index].clone();
    assert_eq!(field(child, 1), keeper.to_string(), "its parent");
    assert_eq!(field(child, 2), child.to_string(), "its group");
    assert_eq!(field(child, 3), keeper.to_string(), "its session");
    assert_eq!(field(child, 4), "0", "its terminal");
    assert_ne!(field(keeper, 2), field(rustix::process::getpid(), 2), "the keeper's group");
    lane.kill_tree();
}

fn terminate_reaches_the_group() {
    let lane = Lane::start();
    let marker = marker();
    let (_, mut printed) =
        lane.run(1, &format!("trap 'wait; exit 5' TERM; sleep {marker} & echo ready; wait"));
    printed.line();
    eventually("a sleeper", || (sleepers(&marker).len() == 1).then_some(()));
    lane.keeper.terminate(2).unwrap();
    lane.keeper.terminate(1).unwrap();
    assert_eq!(lane.event(), KeeperEvent::Exited { id: 1, ended: Ended::Exited(5) });
    assert_eq!(sleepers(&marker), []);
    // It is gone: nothing happens.
    lane.keeper.terminate(1).unwrap();
    assert_eq!(lane.output(2, "echo on"), "on\n");
}

fn who_ignores_sigterm_is_killed() {
    let lane = Lane::start();
    let (child, mut printed) = lane.run(1, "trap '' TERM; echo ready; while :; do sleep 0.01; done");
    printed.line();
    lane.keeper.terminate(1).unwrap();
    // Answered after the request before it.
    assert_eq!(lane.keeper.resume().map_err(|error| error.to_string()), Ok(()));
    lane.run(2, "exit 0");
    assert_eq!(lane.event(), KeeperEvent::Exited { id: 2, ended: Ended::Exited(0) });
    assert!(state(child).is_some_and(|state| state != 'Z'));
    assert_eq!(lane.kill_tree(), [KeeperEvent::Exited { id: 1, ended: Ended::Signalled(9) }]);
    assert_eq!(state(child), None, "killed and reaped");
}

fn a_session_of_its_own_that_holds_the_pipe_is_killed() {
    let lane = Lane::start();
    let marker = marker();
    let (_, mut printed) = lane.run(1, &format!("setsid sleep {marker} & echo ready"));
    assert_eq!(printed.line(), "ready");
    assert_eq!(lane.event(), KeeperEvent::Exited { id: 1, ended: Ended::Exited(0) });
    eventually("a sleeper", || (sleepers(&marker).len() == 1).then_some(()));
    assert!(!printed.is_closed());
    assert_eq!(lane.kill_tree(), []);
    assert!(printed.is_closed(), "at once, not some time later");
}

/// Each generation starts the next one and ends, so that nobody lives for more than a moment; or it starts two. All are
/// bounded: a test that fails must not fill the machine.
fn forks_do_not_escape() {
    let folder = tempfile::tempdir().unwrap();
    let lane = Lane::start();
    let marker = marker();
    let doubling = format!("[ $1 -gt 6 ] && exec sleep {marker}; \"$0\" $(($1+1)) & \"$0\" $(($1+1)) & exit");
    for (id, next) in (1..).zip(["\"$0\" $(($1+1)) & exit", "setsid \"$0\" $(($1+1)) & exit", &doubling]) {
        let script = folder.path().join(format!("family-{id}"));
        fs::write(&script, format!("#!/bin/sh\n[ $1 -gt 3000 ] && exit\necho generation\n{next}\n")).unwrap();
        fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).unwrap();
        let (_, mut printed) = lane.run(id, &format!("exec {} 0", script.display()));
        for _ in 0..20 {
            assert_eq!(printed.line(), "generation", "{next}");
        }
        lane.kill_tree();
        printed.rest();
        assert_eq!(marked(&script.display().to_string()), [], "{next}");
        assert_eq!(marked(&marker), [], "{next}");
    }
}

fn an_empty_tree_is_gone_at_once() {
    let lane = Lane::start();
    assert_eq!(lane.kill_tree(), []);
    lane.output(1, "echo x");
    assert_eq!(lane.kill_tree(), []);
}

fn pause_and_resume_reach_everybody() {
    let lane = Lane::start();
    let marker = marker();
    let (child, _) = lane.run(1, &format!("sleep {marker} & setsid sleep {marker} & wait"));
    eventually("two sleepers", || (sleepers(&marker).len() == 2).then_some(()));
    let everybody = marked(&marker);
    assert!(everybody.len() == 3 && everybody.contains(&child), "{everybody:?}");
    let all = |letter| everybody.iter().all(|id| state(*id) == Some(letter));
    lane.keeper.pause().unwrap();
    eventually("all stopped", || all('T').then_some(()));
    lane.keeper.resume().unwrap();
    eventually("all going on", || all('S').then_some(()));
    lane.kill_tree();
}

fn what_is_paused_can_be_ended() {
    let lane = Lane::start();
    let marker = marker();
    for id in 1..=2 {
        let (child, _) = lane.run(id, &format!("exec sleep {marker}"));
        lane.keeper.pause().unwrap();
        eventually("it is stopped", || (state(child) == Some('T')).then_some(()));
        if id == 1 {
            lane.keeper.terminate(id).unwrap();
            assert_eq!(lane.event(), KeeperEvent::Exited { id, ended: Ended::Signalled(15) });
        } else {
            assert_eq!(lane.kill_tree(), [KeeperEvent::Exited { id, ended: Ended::Signalled(9) }]);
        }
    }
}

fn signals_for_the_runner_do_not_end_it() {
    let lane = Lane::start();
    let keeper = Pid::from_raw(lane.keeper.pid()).unwrap();
    for meant_for_others in [Signal::INT, Signal::TERM, Signal::HUP, Signal::QUIT, Signal::PIPE] {
        signal(keeper, meant_for_others);
    }
    assert_eq!(lane.output(1, "echo alive"), "alive\n");
}

fn a_lock_is_held_for_the_keepers_life() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("lock");
    let ours = File::create(&path).unwrap();
    ours.try_lock().unwrap();
    let lane = Lane::start();
    lane.keeper.hold(&[ours.as_fd()]).unwrap();
    // Answered after it was taken over.
    assert_eq!(lane.output(1, "echo"), "\n");
    drop(ours);
    let other = File::open(&path).unwrap();
    assert!(matches!(other.try_lock(), Err(fs::TryLockError::WouldBlock)));
    lane.keeper.close();
    other.try_lock().unwrap();

    let lane = Lane::start();
    let too_many = vec![other.as_fd(); 33];
    assert!(matches!(lane.keeper.hold(&too_many), Err(ProcessError::TooManyFiles(33))));
}

fn a_runner_that_stands_still_loses_what_is_below() {
    let lane = Lane::start();
    let (_printed, request) = shell(1, "trap '' TERM; setsid sleep 1000 & sleep 1000");
    lane.keeper.spawn(request).unwrap();
    assert!(matches!(lane.event(), KeeperEvent::Spawned { id: 1, .. }));
    // Said once, and not again: as one does who was stopped.
    lane.keeper.pulse().beat(Duration::from_millis(50)).unwrap();
    assert_eq!(lane.event(), KeeperEvent::Exited { id: 1, ended: Ended::Signalled(9) });
    assert_eq!(lane.event(), KeeperEvent::Silenced);
    // It serves on: whoever comes to again finds it.
    let (_printed, request) = shell(2, "exit 3");
    lane.keeper.spawn(request).unwrap();
    assert!(matches!(lane.event(), KeeperEvent::Spawned { id: 2, .. }));
    assert_eq!(lane.event(), KeeperEvent::Exited { id: 2, ended: Ended::Exited(3) });
}

fn close_leaves_nothing_and_is_no_death() {
    let lane = Lane::start();
    let marker = marker();
    lane.run(1, &format!("trap '' TERM; setsid sleep {marker} & sleep {marker}; wait"));
    eventually("two sleepers", || (sleepers(&marker).len() == 2).then_some(()));
    let Lane { keeper, events } = lane;
    let id = Pid::from_raw(keeper.pid()).unwrap();
    keeper.close();
    assert_eq!(marked(&marker), []);
    assert_eq!(state(id), None);
    let last: Vec<_> = events.iter().collect();
    assert!(matches!(last.as_slice(), [KeeperEvent::Exited { id: 1, .. }]), "{last:?}");
}

fn a_runner_that_closes_it_keeps_its_own_commands() {
    let lane = Lane::start();
    let folder = tempfile::tempdir().unwrap();
    let waits = "touch begun; while ! test -e go; do sleep 0.01; done";
    let command = Command::new("/bin/sh").argument("-c").argument(waits).directory(folder.path());
    let command = std::thread::spawn(move || command.run());
    eventually("a command", || folder.path().join("begun").exists().then_some(()));
    lane.keeper.close();
    fs::write(folder.path().join("go"), "").unwrap();
    assert_eq!(command.join().unwrap().unwrap().ended, Ended::Exited(0));
}

fn last_rites_come_last() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("lock");
    let ours = File::create(&path).unwrap();
    ours.try_lock().unwrap();
    let lane = Lane::start();
    lane.keeper.hold(&[ours.as_fd()]).unwrap();
    let marker = marker();
    lane.run(1, &format!("trap '' TERM; setsid sleep {marker} & wait"));
    eventually("a sleeper", || (sleepers(&marker).len() == 1).then_some(()));
    let told = folder.path().join("told");
    let rites = |script: String| LastRites {
        program: "/bin/sh".into(),
        arguments: vec!["-c".into(), script.into()],
        environment: vec![
            ("PATH".into(), std::env::var_os("PATH").unwrap()),
            ("TOLD".into(), told.clone().into()),
            ("LOCK".into(), path.clone().into()),
            ("MARK".into(), marker.clone().into()),
        ],
    };
    lane.keeper.set_last_rites(&rites("echo never > \"$TOLD\"".to_owned())).unwrap();
    // What it leaves running is ended as well.
    let script = "exec 9< \"$LOCK\"; flock -n 9 && echo free >> \"$TOLD\"
         grep -l \"[s]leep.$MARK\" /proc/[0-9]*/cmdline >> \"$TOLD\" 2>&1
         setsid sleep $MARK & env | sort | cut -d= -f1 | tr '\\n' ' ' >> \"$TOLD\""
        .to_owned();
    lane.keeper.set_last_rites(&rites(script)).unwrap();
    drop(ours);
    lane.keeper.close();
    let told = fs::read_to_string(&told).unwrap();
    assert!(!told.contains("never") && !told.contains("free"), "{told}");
    assert!(!told.lines().any(|line| line.ends_with("cmdline")), "{told}");
    assert!(told.contains("LOCK ") && !told.contains("HOME "), "{told}");
    assert_eq!(sleepers(&marker), []);
    File::open(&path).unwrap().try_lock().unwrap();
}

fn a_hung_keeper_is_closed_too() {
    let lane = Lane::start();
    let keeper = Pid::from_raw(lane.keeper.pid()).unwrap();
    signal(keeper, Signal::STOP);
    lane.keeper.close();
    assert_eq!(state(keeper), None);
}

fn a_stopped_keeper_goes_on() {
    let lane = Lane::start();
    let keeper = Pid::from_raw(lane.keeper.pid()).unwrap();
    let (_, _) = lane.run(1, "exec sleep 1000");
    for number in 0..2 {
        signal(keeper, Signal::STOP);
        eventually("it is stopped", || (state(keeper) == Some('T')).then_some(()));
        if number == 0 {
            lane.keeper.wake();
        } else {
            lane.keeper.terminate(7).unwrap();
        }
        eventually("it goes on", || (state(keeper) != Some('T')).then_some(()));
    }
    signal(keeper, Signal::STOP);
    assert_eq!(lane.kill_tree(), [KeeperEvent::Exited { id: 1, ended: Ended::Signalled(9) }]);
}

fn a_program_that_is_no_keeper_is_refused() {
    let start = |program: &str| windlass_host::process::Keeper::start(program.as_ref(), |_| {}).unwrap_err();
    assert!(matches!(start("/bin/true"), ProcessError::KeeperMute(_)));
    assert!(start("/nowhere/windlass").is_not_found());
    // Speaks, but not our language.
    assert!(matches!(start("/bin/cat"), ProcessError::KeeperMute(_)));
}

fn it_is_thin() {
    let lane = Lane::start();
    for id in 0..50 {
        assert_eq!(lane.output(id, "echo x"), "x\n");
        lane.kill_tree();
    }
    let keeper = Pid::from_raw(lane.keeper.pid()).unwrap();
    assert_eq!(status(keeper, "Threads"), "1");
    // What it shares with other processes of the same program costs nothing.
    let own = kilobytes(keeper, "RssAnon");
    assert!(own < 1024, "{own} kB of its own, {} kB in all", kilobytes(keeper, "VmRSS"));
    // But for what whoever runs the tests left open for us both.
    let inherited = open_files(rustix::process::getpid());
    let open = open_files(keeper).difference(&inherited).count();
    assert!(open <= 8, "{open} open files");
}

/// Their numbers and what they are.
fn open_files(process: Pid) -> BTreeSet<(OsString, PathBuf)> {
    let entries = fs::read_dir(format!("/proc/{process}/fd")).unwrap().map(Result::unwrap);
    entries.filter_map(|entry| Some((entry.file_name(), fs::read_link(entry.path()).ok()?))).collect()
}
