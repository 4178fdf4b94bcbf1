//! What is deployed, as the programs that read it see it.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use super::{Command, Place, answer, text};

fn file(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../deploy").join(name)
}

#[test]
#[expect(clippy::print_stderr, reason = "a test that is skipped says so")]
fn systemd_has_nothing_against_the_unit() {
    if Command::new("systemd-analyze").arg("--version").output().is_err() {
        eprintln!("skipped, because systemd-analyze is not on this machine");
        return;
    }
    let place = Place::new();
    let unit = fs::read_to_string(file("systemd/windlass-worker.service")).unwrap();
    let unit = unit.replace("/usr/local/bin/windlass", env!("CARGO_BIN_EXE_windlass"));
    let verify = |unit: &str| {
        let copy = place.file("windlass-worker.service", unit);
        let said = answer(Command::new("systemd-analyze").arg("verify").arg(copy));
        // Units of the machine may be wrong as well.
        said.stderr
            .lines()
            .filter(|line| line.contains("windlass-worker.service"))
            .collect::<Vec<_>>()
            .join("\n")
    };
    assert_eq!(verify(&unit), "");
    assert_ne!(verify(&unit.replace("KillMode", "KilMode")), "", "it says what is wrong");
}

#[test]
fn the_job_of_slurm_becomes_the_worker() {
    let place = Place::new();
    let stand_in = place.file("programs/windlass", "#!/bin/sh\necho \"$$ $*\"\nenv | grep WINDLASS_\n");
    fs::set_permissions(&stand_in, fs::Permissions::from_mode(0o755)).unwrap();
    let programs = text(stand_in.parent().unwrap());
    let mut job = Command::new("sh");
    job.args(["-c", "echo $$; exec sh \"$0\""]).arg(file("slurm/worker.sh")).env_clear();
    job.env("PATH", format!("{programs}:/usr/bin:/bin")).env("HOME", place.home());
    job.envs([("SLURM_JOB_ID", "77"), ("SLURM_ARRAY_JOB_ID", "70"), ("SLURM_ARRAY_TASK_ID", "3")]);
    let said = answer(&mut job);
    assert_eq!(said.code, Some(0), "{}", said.stderr);
    let (process, rest) = said.stdout.split_once('\n').unwrap();
    // What Slurm signals is the worker itself.
    assert!(rest.starts_with(&format!("{process} worker --name slurm-70-3 --lanes 2\n")), "{rest}");
    let state = "WINDLASS_STATE_DIR=/tmp/windlass-77\n";
    assert!(rest.contains(state) && rest.contains("WINDLASS_FLEET__URL=tls://"), "{rest}");
}
