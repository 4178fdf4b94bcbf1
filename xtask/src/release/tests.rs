//! What is typed, what a program needs, and packages around a program that only says its version.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use flate2::Compression;

use super::binary::Needs;
use super::staging::{Staging, set_mode, write_file};
use super::{Release, Wanted, archive, deb, foreign, npm, sbom, sums};
use crate::program::{bytes_of, succeeds};
use crate::workspace::Workspace;

fn release(into: &Path) -> Release {
    Release {
        version: "0.1.0".to_owned(),
        target: "x86_64-unknown-linux-gnu".to_owned(),
        into: into.to_owned(),
        time: 1_763_900_000,
    }
}

fn staging() -> Staging {
    let staging = Staging::empty().unwrap();
    staging.write("bin/windlass", b"#!/bin/sh\necho windlass 0.1.0\n").unwrap();
    set_mode(&staging.path("bin/windlass"), 0o755).unwrap();
    staging.write("share/man/man1/windlass.1", b".TH windlass 1\n").unwrap();
    staging.write("share/zsh/site-functions/_windlass", b"#compdef windlass\n").unwrap();
    staging.write("README.md", b"# Windlass\n").unwrap();
    staging
}

fn printed(command: &mut Command) -> String {
    String::from_utf8(bytes_of(command).unwrap_or_else(|failure| panic!("{failure}"))).unwrap()
}

#[test]
fn an_archive_holds_all_in_one_folder_and_the_same_makes_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let (release, staging) = (release(folder.path()), staging());
    archive::write(&release, &staging, Compression::best()).unwrap();
    let name = folder.path().join("windlass-0.1.0-x86_64-unknown-linux-gnu.tar.gz");
    let first = fs::read(&name).unwrap();
    let listed = printed(Command::new("tar").arg("-tvzf").arg(&name));
    assert!(
        listed.lines().all(|line| line.contains(" windlass-0.1.0-x86_64-unknown-linux-gnu/")),
        "{listed}"
    );
    assert!(listed.contains("-rwxr-xr-x") && listed.contains("bin/windlass"), "{listed}");
    archive::write(&release, &staging, Compression::best()).unwrap();
    assert_eq!(fs::read(&name).unwrap(), first);
    sums::write(folder.path()).unwrap();
    printed(Command::new("sha256sum").args(["--strict", "-c", "SHA256SUMS"]).current_dir(folder.path()));
}

#[test]
fn a_debian_package_is_owned_by_root_and_says_what_it_needs() {
    if !succeeds(Command::new("dpkg-deb").arg("--version")) {
        println!("skipped: dpkg-deb is not installed");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    deb::write(&release(folder.path()), &staging(), &Needs::Glibc(2, 34)).unwrap();
    let package = folder.path().join("windlass_0.1.0_amd64.deb");
    let control = printed(Command::new("dpkg-deb").arg("--field").arg(&package));
    assert!(control.contains("Depends: libc6 (>= 2.34)"), "{control}");
    let files = printed(Command::new("dpkg-deb").arg("--contents").arg(&package));
    for file in ["./usr/bin/windlass", "./usr/share/man/man1/windlass.1", "vendor-completions/_windlass"] {
        assert!(files.contains(file), "{file}: {files}");
    }
    assert!(files.lines().all(|line| line.contains(" root/root ")), "{files}");
    assert!(
        files.lines().filter(|line| line.starts_with('d')).all(|line| line.starts_with("drwxr-xr-x")),
        "{files}"
    );
    let root = folder.path().join("root");
    // A system of its own, which lacks what it would need of others.
    for (below, text) in
        [("var/lib/dpkg/status", ""), ("var/lib/dpkg/updates/none", ""), ("var/lib/dpkg/info/format", "1\n")]
    {
        write_file(&root.join(below), text.as_bytes()).unwrap();
    }
    fs::remove_file(root.join("var/lib/dpkg/updates/none")).unwrap();
    let mut dpkg = Command::new("dpkg");
    dpkg.args(["--force-not-root", "--force-depends", "--force-bad-path", "--log=/dev/null", "--install"]);
    printed(dpkg.arg("--root").arg(&root).arg(&package));
    assert_eq!(printed(Command::new(root.join("usr/bin/windlass")).arg("--version")), "windlass 0.1.0\n");
}

#[test]
fn the_npm_package_installs_the_program_without_the_network() {
    let workspace = Workspace::find().unwrap();
    let folder = tempfile::tempdir().unwrap();
    npm::write(&workspace, &release(folder.path()), &staging()).unwrap();
    if !succeeds(Command::new("npm").arg("--version")) {
        println!("skipped: npm is not installed");
        return;
    }
    let mut npm = Command::new("npm");
    npm.args(["install", "--global", "--offline", "--no-audit", "--no-fund", "--prefix"])
        .arg(folder.path().join("prefix"))
        .arg(folder.path().join("windlass-linux-x64-0.1.0.tgz"))
        .env("HOME", folder.path())
        .env("npm_config_cache", folder.path().join("cache"));
    printed(&mut npm);
    let installed = folder.path().join("prefix/bin/windlass");
    assert_eq!(printed(Command::new(installed).arg("--version")), "windlass 0.1.0\n");
}

#[test]
fn the_sbom_names_what_is_in_the_program_and_nothing_of_the_tests() {
    let workspace = Workspace::find().unwrap();
    let folder = tempfile::tempdir().unwrap();
    sbom::write(&workspace, &release(folder.path())).unwrap();
    let file = folder.path().join("windlass-0.1.0-x86_64-unknown-linux-gnu.cdx.json");
    let document: serde_json::Value = serde_json::from_slice(&fs::read(file).unwrap()).unwrap();
    assert_eq!(document["bomFormat"], "CycloneDX");
    let names: Vec<_> = document["components"].as_array().unwrap().iter().map(|one| &one["name"]).collect();
    assert!(names.iter().any(|name| **name == "rustls"), "{names:?}");
    assert!(!names.iter().any(|name| **name == "proptest" || **name == "windlass-testkit"), "{names:?}");
    let known = |one: &serde_json::Value| !one["ref"].as_str().unwrap().is_empty();
    assert!(document["dependencies"].as_array().unwrap().iter().all(known));
}

#[test]
fn cargo_binstall_is_told_the_names_that_files_have() {
    let workspace = Workspace::find().unwrap();
    let manifest: toml::Value =
        toml::from_str(&workspace.read("crates/windlass/Cargo.toml").unwrap()).unwrap();
    let said = |key: &str| {
        let text = manifest["package"]["metadata"]["binstall"][key].as_str().unwrap();
        let put = [
            ("version", "0.1.0"),
            ("target", "x86_64-unknown-linux-gnu"),
            ("bin", "windlass"),
            ("binary-ext", ""),
        ];
        put.iter().fold(text.to_owned(), |text, (name, value)| text.replace(&format!("{{ {name} }}"), value))
    };
    let folder = tempfile::tempdir().unwrap();
    let release = release(folder.path());
    archive::write(&release, &staging(), Compression::best()).unwrap();
    let archive = format!("{}.tar.gz", release.stem());
    assert!(release.file(&archive).is_file());
    assert_eq!(said("pkg-url"), format!("{{ repo }}/releases/download/v0.1.0/{archive}"));
    let listed = printed(Command::new("tar").arg("-tzf").arg(release.file(&archive)));
    assert!(listed.lines().any(|line| line == said("bin-dir")), "{listed}");
    assert_eq!(said("pkg-fmt"), "tgz");
}

#[test]
fn what_is_typed_is_taken_or_refused() {
    let read = |line: &str| Wanted::read(&line.split_whitespace().map(str::to_owned).collect::<Vec<_>>());
    assert_eq!(read("").unwrap(), Wanted::default());
    let all = read("--target x86_64-unknown-linux-musl --program w --into out").unwrap();
    assert_eq!(all.target.as_deref(), Some("x86_64-unknown-linux-musl"));
    assert_eq!((all.program, all.into), (Some(PathBuf::from("w")), Some(PathBuf::from("out"))));
    for line in ["--target", "windlass", "--release x"] {
        assert!(read(line).is_err(), "{line}");
    }
}

#[test]
fn the_glibc_that_a_program_needs_is_the_highest_it_names() {
    let dynamic = b"/lib64/ld-linux-x86-64.so.2\0GLIBC_2.2.5\0GLIBC_2.34\0GLIBC_2.9\0GLIBC_PRIVATE\0";
    assert_eq!(Needs::read(dynamic), Needs::Glibc(2, 34));
    assert_eq!(Needs::read(b"GLIBC_2.36\0 in a text of a static program"), Needs::Linux);
}

#[test]
fn a_program_for_another_machine_is_linked_by_the_distributions_cross_compiler() {
    let host = "x86_64-unknown-linux-gnu";
    assert_eq!(foreign::compiler("x86_64-unknown-linux-musl", host), None);
    let target = "aarch64-unknown-linux-musl";
    let compiler = foreign::compiler(target, host).unwrap();
    assert_eq!(compiler, "aarch64-linux-gnu-gcc");
    let names = foreign::variables(target, &compiler).map(|(name, _)| name);
    assert_eq!(names, ["CARGO_TARGET_AARCH64_UNKNOWN_LINUX_MUSL_LINKER", "CC_aarch64_unknown_linux_musl"]);
}

#[test]
fn a_program_that_does_not_run_here_is_called_by_an_emulator_or_refused() {
    let folder = tempfile::tempdir().unwrap();
    let program = folder.path().join("windlass");
    fs::write(&program, "nothing that runs").unwrap();
    set_mode(&program, 0o755).unwrap();
    let failure = foreign::call(&program, "nowhere-unknown-linux-musl").unwrap_err().to_string();
    assert!(failure.contains("does not run here"), "{failure}");
}
