//! The install script, with releases in folders of this machine whose program only says its version.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use windlass_testkit::receiver::{Receiver, Response};

use super::{Command, CommandOutput, Place, answer, text};

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
fn install(place: &Place, from: &str, prefix: &Path, machine: (&str, &str)) -> CommandOutput {
    answer(&mut command(place, from, prefix, machine))
}

fn command(place: &Place, from: &str, prefix: &Path, (system, processor): (&str, &str)) -> Command {
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
    command
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

/// What stands where a release would go, and what is said of it.
type InTheWay = (&'static str, fn(&Path), &'static str);

// rows: 141
#[test]
fn where_a_release_cannot_be_put_the_program_stays_what_it_was() {
    let in_the_way: [InTheWay; 2] = [
        (
            "a folder",
            |prefix| fs::create_dir_all(prefix.join("bin/windlass")).unwrap(),
            "is a folder, where the program would go",
        ),
        (
            "a file",
            |prefix| {
                fs::create_dir_all(prefix.join("share")).unwrap();
                fs::write(prefix.join("share/man"), "mine").unwrap();
            },
            "The manual pages cannot be written below",
        ),
    ];
    for (what, put, said) in in_the_way {
        let place = Place::new();
        let from = format!("file://{}", text(&release(&place)));
        let prefix = place.root.path().join("a prefix");
        put(&prefix);
        let refused = install(&place, &from, &prefix, HERE);
        assert_eq!(refused.code, Some(1), "{what}");
        assert!(refused.stderr.starts_with("error: ") && refused.stderr.contains(said), "{}", refused.stderr);
        assert_eq!(refused.stderr.lines().count(), 1, "{}", refused.stderr);
        assert!(!prefix.join("bin/windlass").is_file(), "{what}");
        assert!(!prefix.join("bin/.windlass.new").exists(), "{what}");
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

/// A release for this machine, over HTTP: what a server answers, request after request.
fn answers(release: &Path) -> [Response; 2] {
    ["SHA256SUMS", ARCHIVE].map(|name| Response::Bytes(fs::read(release.join(name)).unwrap()))
}

/// A `PATH` with what the script asks for of every machine, and these programs.
fn path_with(place: &Place, name: &str, programs: &[&str]) -> Option<String> {
    let folder = place.root.path().join(name);
    fs::create_dir(&folder).unwrap();
    let path = std::env::var_os("PATH").unwrap();
    let always = [
        "chmod",
        "cp",
        "grep",
        "gzip",
        "head",
        "mkdir",
        "mktemp",
        "mv",
        "rm",
        "sed",
        "sh",
        "sha256sum",
        "tar",
    ];
    for program in always.iter().chain(programs) {
        let found =
            std::env::split_paths(&path).map(|folder| folder.join(program)).find(|file| file.is_file());
        symlink(found?, folder.join(program)).unwrap();
    }
    Some(format!("{}:{}", text(&place.root.path().join("fake")), text(&folder)))
}

// rows: 141
#[test]
#[expect(clippy::print_stderr, reason = "a test that is left out says so")]
fn curl_and_wget_fetch_the_same_and_one_of_them_is_enough() {
    for fetcher in ["curl", "wget"] {
        let place = Place::new();
        let Some(path) = path_with(&place, "programs", &[fetcher]) else {
            eprintln!("skipped: {fetcher} is not installed");
            continue;
        };
        let prefix = place.root.path().join("prefix");
        let server = Receiver::start(answers(&release(&place)));
        let installed = answer(command(&place, &server.url(), &prefix, HERE).env("PATH", &path));
        assert_eq!(installed.code, Some(0), "{fetcher}: {}", installed.stderr);
        assert!(prefix.join("bin/windlass").is_file(), "{fetcher}");
        let paths: Vec<String> = server.letters().into_iter().map(|letter| letter.path).collect();
        assert_eq!(paths, ["/SHA256SUMS".to_owned(), format!("/{ARCHIVE}")], "{fetcher}");
        // An error's page is no release.
        let server = Receiver::start([Response::Answer(404, Vec::new(), "<h1>Not here</h1>".to_owned())]);
        let elsewhere = place.root.path().join("elsewhere");
        let refused = answer(command(&place, &server.url(), &elsewhere, HERE).env("PATH", &path));
        assert_eq!(refused.code, Some(1), "{fetcher}: {}", refused.stdout);
        let last = refused.stderr.lines().next_back().unwrap_or_default();
        assert!(
            last.contains("/SHA256SUMS cannot be fetched: check the address"),
            "{fetcher}: {}",
            refused.stderr
        );
        assert!(!elsewhere.exists(), "{fetcher}");
    }
}

// rows: 141
#[test]
fn without_curl_and_wget_that_is_said() {
    let place = Place::new();
    let path = path_with(&place, "programs", &[]).unwrap();
    let prefix = place.root.path().join("prefix");
    let refused = answer(command(&place, "http://127.0.0.1:1", &prefix, HERE).env("PATH", path));
    assert_eq!(refused.code, Some(1));
    assert_eq!(refused.stderr, "error: Neither curl nor wget is installed: install one, then try again.\n");
}

// rows: 141
#[test]
fn a_version_and_a_digest_that_are_known_from_elsewhere_are_held_to() {
    let place = Place::new();
    let release = release(&place);
    let from = format!("file://{}", text(&release));
    let prefix = place.root.path().join("prefix");
    let digest = answer(Command::new("sha256sum").arg(release.join("SHA256SUMS"))).stdout;
    let digest = digest.split_whitespace().next().unwrap();
    for (pins, code, said) in [
        (["--version", "9.8.6"], 1, "names no archive of version 9.8.6 for x86_64"),
        (["--version", "9x8x7"], 1, "names no archive of version 9x8x7"),
        (["--version", "9.8.7/.."], 1, "is not a version"),
        (["--sums", &"0".repeat(64)], 1, "is not the one of --sums"),
        (["--sums", "nothing"], 1, "is not the one of --sums"),
        (["--sums", digest], 0, ""),
        (["--version", "9.8.7"], 0, ""),
    ] {
        let answer = answer(command(&place, &from, &prefix, HERE).args(pins));
        assert_eq!(answer.code, Some(code), "{pins:?}: {}", answer.stderr);
        assert!(answer.stderr.contains(said), "{pins:?}: {}", answer.stderr);
        assert_eq!(prefix.join("bin/windlass").is_file(), code == 0, "{pins:?}");
        let _ = fs::remove_dir_all(&prefix);
    }
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
fn the_scripts_are_clean_where_shellcheck_is_installed() {
    let action = script().with_file_name("action.sh");
    if let Ok(output) = Command::new("shellcheck").arg(script()).arg(action).output() {
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
    }
}
