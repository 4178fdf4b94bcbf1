//! Updates from releases on 127.0.0.1, signed with a key of the test.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use minisign::KeyPair;
use sha2::{Digest, Sha256};
use windlass_testkit::SecureFront;
use windlass_testkit::environment::PersonsTerminal;
use windlass_testkit::receiver::{Receiver, Response};
use windlass_testkit::secure::AUTHORITY;

use super::{Command, CommandOutput, Place, answer, text};

/// A place with a program of its own, and a release for it.
struct Releases {
    place: Place,
    program: PathBuf,
    key: KeyPair,
    archive: Vec<u8>,
    sums: String,
}

/// The newest version there could be, whose program only says so.
const PROGRAM: &str = "#!/bin/sh\necho windlass 99.0.0\n";

impl Releases {
    fn new() -> Releases {
        Releases::with_program(PROGRAM)
    }

    fn with_program(new: &str) -> Releases {
        let place = Place::new();
        let program = place.file("prefix/bin/windlass", "");
        fs::remove_file(&program).unwrap();
        // Another name for the same file where that is possible: the program is large.
        let built = Path::new(env!("CARGO_BIN_EXE_windlass"));
        if fs::hard_link(built, &program).is_err() {
            fs::copy(built, &program).unwrap();
        }
        let stem = format!("windlass-99.0.0-{}-unknown-linux-musl", std::env::consts::ARCH);
        let packed = place.file(&format!("{stem}/bin/windlass"), new);
        fs::set_permissions(&packed, fs::Permissions::from_mode(0o755)).unwrap();
        let archive = place.root.path().join("archive");
        let tar =
            answer(Command::new("tar").arg("-C").arg(place.root.path()).arg("-czf").arg(&archive).arg(&stem));
        assert_eq!(tar.code, Some(0), "{}", tar.stderr);
        let archive = fs::read(archive).unwrap();
        let sum = windlass_core::hexadecimal::digits(&Sha256::digest(&archive));
        let sums = format!("{sum}  {stem}.tar.gz\n");
        Releases { place, program, key: KeyPair::generate_unencrypted_keypair().unwrap(), archive, sums }
    }

    fn signature(&self, signed: &str) -> String {
        minisign::sign(Some(&self.key.pk), &self.key.sk, signed.as_bytes(), None, None).unwrap().into_string()
    }

    /// What a server of this release answers, request after request.
    fn answers(&self) -> [Response; 3] {
        [
            Response::Bytes(self.signature(&self.sums).into_bytes()),
            Response::Bytes(self.sums.clone().into_bytes()),
            Response::Bytes(self.archive.clone()),
        ]
    }

    fn command(&self, url: &str, arguments: &[&str]) -> Command {
        let mut command = Command::new(&self.program);
        command
            .args(arguments)
            .current_dir(self.place.work())
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", self.place.home())
            .env("WINDLASS_TEST_RELEASE_KEY", self.key.pk.to_base64())
            .env("WINDLASS_UPDATE__URL", url);
        command
    }

    fn update(&self, url: &str, arguments: &[&str]) -> CommandOutput {
        answer(&mut self.command(url, &[&["update"], arguments].concat()))
    }

    /// Refused, and the program is the one that it was.
    fn assert_refused(&self, answer: &CommandOutput, said: &str) {
        assert_ne!(answer.code, Some(0), "{said}: {}", answer.stdout);
        assert!(answer.stderr.contains(said), "{said}: {}", answer.stderr);
        assert_eq!(self.version(), format!("windlass {}\n", env!("CARGO_PKG_VERSION")), "{said}");
        assert_eq!(fs::read_dir(self.program.parent().unwrap()).unwrap().count(), 1, "{said}");
    }

    fn version(&self) -> String {
        answer(Command::new(&self.program).arg("--version")).stdout
    }
}

// rows: 139
#[test]
fn a_signed_release_replaces_the_program_and_the_former_one_is_kept() {
    let releases = Releases::new();
    let server = Receiver::start(releases.answers());
    let looked = releases.update(&server.url(), &["--check"]);
    assert_eq!(looked.code, Some(0), "{}", looked.stderr);
    assert!(looked.stdout.contains("windlass 99.0.0 is out, this is"), "{}", looked.stdout);
    // By name as well as by address.
    let server = Receiver::start(releases.answers());
    let url = server.url().replace("127.0.0.1", "localhost");
    let updated = releases.update(&url, &[]);
    assert_eq!(updated.code, Some(0), "{}", updated.stderr);
    assert!(updated.stdout.contains("windlass 99.0.0 is installed"), "{}", updated.stdout);
    assert_eq!(releases.version(), "windlass 99.0.0\n");
    let previous = releases.program.with_file_name("windlass.previous");
    let former = answer(Command::new(&previous).arg("--version")).stdout;
    assert_eq!(former, format!("windlass {}\n", env!("CARGO_PKG_VERSION")));
    let paths: Vec<String> = server.letters().into_iter().map(|letter| letter.path).collect();
    assert_eq!(paths.first().unwrap(), "/SHA256SUMS.minisig");
    assert!(paths.last().unwrap().starts_with("/windlass-99.0.0-"), "{paths:?}");
}

#[test]
fn behind_a_companys_own_authority_the_file_that_names_it_is_enough() {
    let releases = Releases::new();
    let server = Receiver::start(releases.answers());
    let front = SecureFront::of(server.address());
    releases.assert_refused(
        &releases.update(&front.url(), &[]),
        "SSL_CERT_FILE names a file with your company's",
    );
    let authority = releases.place.file("company.pem", AUTHORITY);
    let update = |file: &Path| answer(releases.command(&front.url(), &["update"]).env("SSL_CERT_FILE", file));
    let gone = authority.with_file_name("gone.pem");
    releases.assert_refused(&update(&gone), &format!("SSL_CERT_FILE names {}: ", gone.display()));
    assert!(server.letters().is_empty(), "nothing was asked for before the server was trusted");
    let updated = update(&authority);
    assert_eq!(updated.code, Some(0), "{}", updated.stderr);
    assert_eq!(releases.version(), "windlass 99.0.0\n");
}

// rows: 139
#[test]
fn what_is_not_signed_or_not_whole_is_never_installed() {
    let releases = Releases::new();
    let [signature, sums, archive] = releases.answers();
    let other = Releases::new();
    let changed = [releases.archive.as_slice(), b"x"].concat();
    let half = releases.archive[..releases.archive.len() / 2].to_vec();
    let newer = releases.sums.replace("99.0.0", "99.0.1");
    for (answers, said) in [
        (vec![other.answers()[0].clone(), sums.clone(), archive.clone()], "not signed as it has to be"),
        (vec![signature.clone(), Response::Bytes(newer.into_bytes())], "not signed as it has to be"),
        (vec![Response::Bytes(b"no signature".to_vec()), sums.clone()], "not signed as it has to be"),
        (vec![Response::status(404)], "there is no such file"),
        (vec![Response::Close], "cannot fetch"),
        (vec![signature.clone(), sums.clone(), Response::Bytes(changed)], "is not what its checksum says"),
        (vec![signature, sums, Response::Bytes(half)], "is not what its checksum says"),
    ] {
        let server = Receiver::start(answers);
        releases.assert_refused(&releases.update(&server.url(), &[]), said);
    }
}

// rows: 139
#[test]
fn a_program_that_does_not_run_here_replaces_nothing() {
    let releases = Releases::with_program("#!/bin/sh\necho no glibc >&2; exit 1\n");
    let server = Receiver::start(releases.answers());
    releases.assert_refused(&releases.update(&server.url(), &[]), "does not run on this machine");
}

// rows: 139
#[test]
fn without_a_place_or_with_an_older_release_nothing_happens() {
    let releases = Releases::new();
    releases.assert_refused(&releases.update("", &[]), "update.url is empty");
    // What a repository says is nobody's own word.
    releases.place.file("work/.windlass/config.toml", "[update]\nurl = \"http://127.0.0.1:1\"\n");
    releases.assert_refused(&releases.update("", &[]), "update.url is empty");
    let mut old = Releases::new();
    old.sums = old.sums.replace("99.0.0", "0.0.1");
    let server = Receiver::start(old.answers());
    let answer = old.update(&server.url(), &[]);
    assert_eq!(answer.code, Some(0), "{}", answer.stderr);
    assert!(answer.stdout.contains("is the newest"), "{}", answer.stdout);
    assert_eq!(server.letters().len(), 2);
}

// rows: 139
#[test]
fn a_program_that_others_look_after_or_that_is_at_work_is_left_alone() {
    let releases = Releases::new();
    let server = Receiver::start(releases.answers());
    let script = releases.place.file("script.toml", "[[call]]\nsteps = [ { sleep = \"1h\" } ]\n");
    let mut working = releases.command("", &["__agent", &text(&script), "-p"]);
    let mut working = working.stdin(Stdio::null()).stdout(Stdio::null()).spawn().unwrap();
    let refused = releases.update(&server.url(), &[]);
    working.kill().unwrap();
    working.wait().unwrap();
    releases.assert_refused(&refused, &format!("is at work (process {})", working.id()));
    let server = Receiver::start(releases.answers());
    let managed = releases.place.root.path().join("node_modules/windlass-linux-x64/bin");
    fs::create_dir_all(&managed).unwrap();
    let program = managed.join("windlass");
    fs::hard_link(&releases.program, &program)
        .or_else(|_| fs::copy(&releases.program, &program).map(drop))
        .unwrap();
    let mut command = Command::new(&program);
    command
        .arg("update")
        .current_dir(releases.place.work())
        .env_clear()
        .env("HOME", releases.place.home())
        .env("WINDLASS_TEST_RELEASE_KEY", releases.key.pk.to_base64())
        .env("WINDLASS_UPDATE__URL", server.url());
    let refused = answer(&mut command);
    releases.assert_refused(&refused, "was installed by npm, which updates it");
}

// rows: 139
#[test]
fn a_folder_that_cannot_be_written_is_said_and_everything_stays() {
    let releases = Releases::new();
    let server = Receiver::start(releases.answers());
    let folder = releases.program.parent().unwrap();
    let set_mode = |path: &Path, mode| fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    set_mode(folder, 0o555);
    let own = releases.command(&server.url(), &["update"]);
    let refused = if rustix::process::geteuid().is_root() {
        // Permissions do not hold root back: an ordinary user tries it, with a home and a working directory of theirs.
        set_mode(releases.place.root.path(), 0o755);
        for own in [releases.place.home(), releases.place.work()] {
            std::os::unix::fs::chown(own, Some(65534), Some(65534)).unwrap();
        }
        let mut command = Command::new("setpriv");
        command.args(["--reuid=65534", "--regid=65534", "--clear-groups"]).arg(own.get_program());
        command.args(own.get_args()).current_dir(releases.place.work()).env_clear();
        command.envs(own.get_envs().filter_map(|(name, value)| Some((name, value?))));
        answer(&mut command)
    } else {
        let mut own = own;
        answer(&mut own)
    };
    set_mode(folder, 0o755);
    releases.assert_refused(&refused, "cannot be replaced: ");
    assert!(refused.stderr.contains("Permission denied"), "{}", refused.stderr);
}

/// Where what was seen is noted.
fn seen(releases: &Releases) -> PathBuf {
    releases.place.home().join(".local/state/windlass/release.json")
}

fn run_at_a_terminal(releases: &Releases, url: &str, more: &[(&str, &str)]) -> String {
    let mut command = releases.command(url, &["run", "-p", "goal", "--mock", "-m", "1"]);
    command.envs(more.iter().copied());
    let mut terminal = PersonsTerminal::start(&mut command);
    terminal.wait();
    terminal.text()
}

// rows: 139
#[test]
fn a_newer_version_is_looked_for_and_told_at_a_terminal_alone() {
    let releases = Releases::new();
    // A server that never answers keeps nobody waiting.
    let silent = Receiver::start([Response::Hang]);
    let shown = run_at_a_terminal(&releases, &silent.url(), &[]);
    assert!(!shown.contains("is out"), "{shown}");
    assert!(silent.wait_for(1, Duration::from_secs(20)), "it was looked for");
    run_at_a_terminal(&releases, &silent.url(), &[]);
    assert_eq!(silent.letters().len(), 1, "once a day");
    fs::write(seen(&releases), "{\"looked\":\"2026-01-01T00:00:00Z\",\"newest\":\"99.0.0\"}").unwrap();
    for (name, value) in [("CI", "true"), ("WINDLASS_UPDATE__CHECK", "false"), ("WINDLASS_UPDATE__URL", "")] {
        let shown = run_at_a_terminal(&releases, &silent.url(), &[(name, value)]);
        assert!(!shown.contains("is out"), "{name}: {shown}");
    }
    let piped = answer(&mut releases.command(&silent.url(), &["run", "-p", "goal", "--mock", "-m", "1"]));
    assert!(!(piped.stdout + &piped.stderr).contains("is out"));
    assert_eq!(silent.letters().len(), 1);
    let shown = run_at_a_terminal(&releases, &silent.url(), &[]);
    assert!(shown.contains("windlass 99.0.0 is out"), "{shown}");
}
