//! The install script, with releases in folders of this machine whose program only says its version.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use super::{Answer, Command, Place, answer, text};

const ARCHIVE: &str = "windlass-9.8.7-x86_64-unknown-linux-musl.tar.gz";

fn script() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../dist/install.sh")
}

/// A release for this machine and another one, as it is published.
fn release(place: &Place) -> PathBuf {
    let release = place.root.path().join("a release");
    let stem = ARCHIVE.trim_end_matches(".tar.gz");
    let program = place.file(&format!("{stem}/bin/windlass"), "#!/bin/sh\necho windlass 9.8.7\n");
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    place.file(&format!("{stem}/share/man/man1/windlass.1"), ".TH windlass 1\n");
    fs::create_dir_all(&release).unwrap();
    let packed = answer(
        Command::new("tar").arg("-C").arg(place.root.path()).arg("-czf").arg(release.join(ARCHIVE)).arg(stem),
    );
    assert_eq!(packed.code, Some(0), "{}", packed.stderr);
    let sums = answer(Command::new("sha256sum").arg(ARCHIVE).current_dir(&release)).stdout;
    let other = format!("{}  windlass-9.8.7-riscv64-unknown-linux-musl.tar.gz\n", "0".repeat(64));
    fs::write(release.join("SHA256SUMS"), other + &sums).unwrap();
    release
}

/// Runs the script as a person without root would; `machine` is what `uname` says.
fn install(place: &Place, from: &str, prefix: &Path, machine: (&str, &str)) -> Answer {
    let (system, processor) = machine;
    let uname = format!("#!/bin/sh\n[ \"$1\" = -s ] && echo {system} || echo {processor}\n");
    let uname = place.file("fake/uname", uname);
    fs::set_permissions(&uname, fs::Permissions::from_mode(0o755)).unwrap();
    let path = std::env::var("PATH").unwrap();
    let mut command = Command::new("sh");
    command
        .arg(script())
        .args(["--from", from, "--prefix"])
        .arg(prefix)
        .env_clear()
        .env("HOME", place.home())
        .env("PATH", format!("{}:{path}", text(uname.parent().unwrap())))
        .current_dir(place.work());
    answer(&mut command)
}

const HERE: (&str, &str) = ("Linux", "x86_64");

// rows: 141
#[test]
fn a_release_is_checked_and_installed_below_a_prefix() {
    let place = Place::new();
    let from = format!("file://{}", text(&release(&place)));
    let prefix = place.root.path().join("a prefix");
    let installed = install(&place, &from, &prefix, HERE);
    assert_eq!(installed.code, Some(0), "{}", installed.stderr);
    assert!(installed.stdout.starts_with("windlass 9.8.7 is installed: "), "{}", installed.stdout);
    assert!(installed.stdout.contains("is not on your PATH"), "{}", installed.stdout);
    let program = prefix.join("bin/windlass");
    assert_eq!(answer(Command::new(&program).arg("--version")).stdout, "windlass 9.8.7\n");
    assert!(prefix.join("share/man/man1/windlass.1").is_file());
    let again = install(&place, &from, &prefix, HERE);
    assert_eq!(again.code, Some(0), "{}", again.stderr);
    assert_eq!(fs::read_dir(prefix.join("bin")).unwrap().count(), 1);
}

/// What is done to a release, and what is said of it.
type Break = (&'static str, fn(&Path), &'static str);

// rows: 141
#[test]
fn what_is_wrong_with_a_download_is_said_in_one_sentence_and_nothing_is_installed() {
    let broken: [Break; 5] = [
        ("changed", |release| append(&release.join(ARCHIVE), b"x"), "is not what SHA256SUMS says"),
        ("half", |release| halve(&release.join(ARCHIVE)), "is not what SHA256SUMS says"),
        ("gone", |release| fs::remove_file(release.join(ARCHIVE)).unwrap(), "cannot be read"),
        ("no sums", |release| fs::remove_file(release.join("SHA256SUMS")).unwrap(), "cannot be read"),
        (
            "empty",
            |release| fs::write(release.join("SHA256SUMS"), "").unwrap(),
            "names no archive for x86_64",
        ),
    ];
    for (what, break_it, said) in broken {
        let place = Place::new();
        let release = release(&place);
        break_it(&release);
        refused(&place, &format!("file://{}", text(&release)), HERE, said, what);
    }
}

// rows: 141
#[test]
fn other_systems_and_addresses_are_refused_in_one_sentence() {
    let place = Place::new();
    let from = format!("file://{}", text(&release(&place)));
    refused(&place, &from, ("Darwin", "arm64"), "Windlass runs on Linux only", "another system");
    refused(&place, &from, ("Linux", "armv7l"), "There is no Windlass for armv7l", "another machine");
    refused(&place, &from, ("Linux", "aarch64"), "names no archive for aarch64", "not built");
    refused(&place, "ftp://example.org", HERE, "is not an address", "another scheme");
}

fn refused(place: &Place, from: &str, machine: (&str, &str), said: &str, what: &str) {
    let prefix = place.root.path().join("prefix");
    let refused = install(place, from, &prefix, machine);
    assert_eq!(refused.code, Some(1), "{what}: {}", refused.stdout);
    assert!(
        refused.stderr.starts_with("error: ") && refused.stderr.contains(said),
        "{what}: {}",
        refused.stderr
    );
    assert_eq!(refused.stderr.lines().count(), 1, "{what}: {}", refused.stderr);
    assert!(!prefix.exists(), "{what}");
}

fn append(file: &Path, bytes: &[u8]) {
    let mut all = fs::read(file).unwrap();
    all.extend_from_slice(bytes);
    fs::write(file, all).unwrap();
}

fn halve(file: &Path) {
    let all = fs::read(file).unwrap();
    fs::write(file, &all[..all.len() / 2]).unwrap();
}

#[test]
fn the_script_is_clean_where_shellcheck_is_installed() {
    if let Ok(output) = Command::new("shellcheck").arg(script()).output() {
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
    }
}
