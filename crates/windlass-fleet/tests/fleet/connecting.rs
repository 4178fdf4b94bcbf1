//! Connecting, and what is said where that does not work.

use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::path::PathBuf;
use std::thread;
use std::time::{Duration, Instant};

use windlass_fleet::layout::{Replicas, check, create};
use windlass_fleet::settings::{Login, Role, Settings};
use windlass_fleet::{Deadline, Fleet, FleetError};
use windlass_testkit::Nats;
use windlass_testkit::nats::{Keeps, Setup};
use windlass_testkit::secure::AUTHORITY;

use super::signed::{EXPIRED, LASTING, Signed};
use super::support::{settings, settings_for, short, soon};

fn with_users() -> Nats {
    let more = "authorization { users: [ { user: tess, password: sesame } ] }".to_owned();
    Nats::one_with(&Setup { more, ..Setup::default() })
}

#[test]
fn nobody_there_is_said_within_the_deadline() {
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let url = format!("nats://127.0.0.1:{port}");
    let began = Instant::now();
    let error = Fleet::connect(&settings_for(vec![url.clone()], Role::Runner), short()).unwrap_err();
    assert!(matches!(&error, FleetError::Unreachable { servers, .. } if *servers == url), "{error}");
    assert!(error.may_pass() && !error.hint().is_empty());
    assert!(began.elapsed() < Duration::from_secs(10));
}

#[test]
fn wrong_credentials_are_refused_at_once_and_right_ones_let_in() {
    let nats = with_users();
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str, text: &str| -> PathBuf {
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        path
    };
    let login = |login: Login| Settings { login, ..settings(&nats, Role::Runner) };
    let seed = "SUACSSL3UAHUDXKFSNVUZRF5UHPMWZ6BFDTJ7M6USDXIEDNPPQYYYCU3VY";
    for wrong in [
        Login::Open,
        Login::Password(file("wrong", "tess:hunter2\n")),
        Login::Token(file("token", "hunter2\n")),
        Login::Nkey(file("seed", seed)),
    ] {
        let error = Fleet::connect(&login(wrong.clone()), soon()).unwrap_err();
        assert!(matches!(error, FleetError::BadCredentials { .. }), "{wrong:?}: {error:?}");
        assert!(!format!("{error} {error:?}").contains("hunter2"), "{error:?}");
    }
    let right = login(Login::Password(file("right", "tess:sesame\n")));
    let fleet = Fleet::connect(&right, soon()).unwrap();
    assert!(!format!("{right:?} {fleet:?}").contains("sesame"));
    assert_eq!(fleet.server_version(), windlass_testkit::nats::VERSION);
}

#[test]
fn a_token_and_the_seed_of_an_nkey_are_credentials_as_well() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str, text: String| -> PathBuf {
        let path = folder.path().join(name);
        std::fs::write(&path, text + "\n").unwrap();
        path
    };
    let key = nkeys::KeyPair::new_user();
    for (server, login) in [
        ("token: sesame".to_owned(), Login::Token(file("token", "sesame".to_owned()))),
        (
            format!("users: [ {{ nkey: {} }} ]", key.public_key()),
            Login::Nkey(file("seed", key.seed().unwrap())),
        ),
    ] {
        let more = format!("authorization {{ {server} }}");
        let nats = Nats::one_with(&Setup { more, ..Setup::default() });
        assert!(Fleet::connect(&settings(&nats, Role::Runner), soon()).is_err());
        Fleet::connect(&Settings { login, ..settings(&nats, Role::Runner) }, soon()).unwrap();
    }
}

#[test]
fn signed_credentials_let_in_until_they_expire() {
    let folder = tempfile::tempdir().unwrap();
    let signed = Signed::new();
    let nats = Nats::one_with(&Setup { more: signed.configuration(), ..Setup::default() });
    let with = |login: Login| Settings { login, ..settings(&nats, Role::Administrator) };
    let lasting = with(Login::Credentials(signed.credentials(folder.path(), LASTING)));
    let fleet = Fleet::connect(&lasting, soon()).unwrap();
    create(&fleet, Replicas::One, soon()).unwrap();

    let expired = with(Login::Credentials(signed.credentials(folder.path(), EXPIRED)));
    let foreign = with(Login::Credentials(Signed::new().credentials(folder.path(), LASTING + 1)));
    for refused in [expired, foreign] {
        let error = Fleet::connect(&refused, soon()).unwrap_err();
        assert!(matches!(error, FleetError::BadCredentials { .. }), "{error:?}");
    }
    let path = folder.path().join("none.creds");
    std::fs::write(&path, "-----BEGIN NATS USER JWT-----\nhunter2\n").unwrap();
    let error = Fleet::connect(&with(Login::Credentials(path)), soon()).unwrap_err();
    assert!(matches!(error, FleetError::Setting { key: "credentials", .. }), "{error:?}");
    assert!(!format!("{error} {error:?}").contains("hunter2"), "{error:?}");
}

#[test]
fn whoever_is_locked_out_later_is_told_so() {
    let mut nats = with_users();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("password");
    std::fs::write(&path, "tess:sesame").unwrap();
    let fleet =
        Fleet::connect(&Settings { login: Login::Password(path), ..settings(&nats, Role::Runner) }, soon())
            .unwrap();
    nats.server(0).kill();
    nats.server(0).reconfigure("sesame", "another");
    nats.server(0).start();
    nats.wait_until_ready();
    let mut said = None;
    windlass_testkit::environment::wait_until(Duration::from_secs(30), || {
        said = check(&fleet, Replicas::One, short()).err();
        matches!(said, Some(FleetError::BadCredentials { .. }))
    });
    assert!(matches!(said, Some(FleetError::BadCredentials { .. })), "{said:?}");
}

#[test]
fn a_server_without_jetstream_is_said() {
    let nats = Nats::one_with(&Setup { keeps: Keeps::Nothing, ..Setup::default() });
    let error = Fleet::connect(&settings(&nats, Role::Runner), soon()).unwrap_err();
    assert!(matches!(error, FleetError::NoJetStream { .. }), "{error:?}");
    assert_eq!(error.hint(), "Start the server with JetStream: `nats-server -js`");
}

/// Says that it is an old server, and answers nothing but pings.
fn old_server(version: &str) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("nats://{}", listener.local_addr().unwrap());
    let info = format!(
        "INFO {{\"server_id\":\"X\",\"server_name\":\"x\",\"version\":\"{version}\",\"go\":\"go1\",\"host\":\"127.0.0.1\",\
         \"port\":4222,\"headers\":true,\"max_payload\":1048576,\"proto\":1,\"jetstream\":true}}\r\n"
    );
    thread::spawn(move || {
        for stream in listener.incoming().map_while(Result::ok) {
            let mut answers = stream.try_clone().unwrap();
            answers.write_all(info.as_bytes()).unwrap();
            for line in BufReader::new(stream).lines().map_while(Result::ok) {
                assert!(!line.contains("$JS.API"), "JetStream was asked before the version was looked at");
                if line.starts_with("PING") && answers.write_all(b"PONG\r\n").is_err() {
                    break;
                }
            }
        }
    });
    url
}

#[test]
fn an_old_server_is_named_before_it_is_asked_anything() {
    for version in ["2.9.10", "1.4.1", "nonsense"] {
        let settings = settings_for(vec![old_server(version)], Role::Runner);
        let error = Fleet::connect(&settings, soon()).unwrap_err();
        let sentence = format!("the fleet's server is version {version}, and windlass needs 2.10 or newer");
        assert_eq!(error.to_string(), sentence);
    }
}

#[test]
fn encrypted_connections_need_an_authority_that_vouches() {
    let folder = tempfile::tempdir().unwrap();
    let source = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../windlass-testkit/src/secure");
    let more = format!(
        "tls {{ cert_file: \"{0}/server.pem\", key_file: \"{0}/server.key\" }}",
        source.canonicalize().unwrap().display()
    );
    let nats = Nats::one_with(&Setup { more, ..Setup::default() });
    let error = Fleet::connect(&settings(&nats, Role::Runner), soon()).unwrap_err();
    assert!(matches!(error, FleetError::Insecure { .. }), "{error:?}");

    let authority = folder.path().join("authority.pem");
    std::fs::write(&authority, AUTHORITY).unwrap();
    let known = Settings { authority: Some(authority), ..settings(&nats, Role::Runner) };
    Fleet::connect(&known, soon()).unwrap();
    let missing = folder.path().join("missing.pem");
    let lost = Settings { authority: Some(missing.clone()), ..settings(&nats, Role::Runner) };
    let error = Fleet::connect(&lost, soon()).unwrap_err();
    assert!(matches!(&error, FleetError::File { path, .. } if *path == missing), "{error:?}");
}

#[test]
fn a_plain_server_is_not_taken_for_an_encrypted_one() {
    let nats = Nats::one();
    let folder = tempfile::tempdir().unwrap();
    let authority = folder.path().join("authority.pem");
    std::fs::write(&authority, AUTHORITY).unwrap();
    let wanted = Settings { authority: Some(authority), ..settings(&nats, Role::Runner) };
    assert!(Fleet::connect(&wanted, Deadline::after(Duration::from_secs(2))).is_err());
}

#[test]
fn a_server_that_went_away_is_said_and_comes_back_by_itself() {
    let mut nats = Nats::one();
    let fleet = Fleet::connect(&settings(&nats, Role::Runner), soon()).unwrap();
    create(&fleet, Replicas::One, soon()).unwrap();
    nats.server(0).kill();
    let leases = windlass_fleet::leases::Leases::of(&fleet);
    let key = windlass_fleet::leases::LeaseKey::Run(super::support::run());
    let error = leases.look(&key, short()).unwrap_err();
    assert!(matches!(error, FleetError::Unreachable { .. }), "{error:?}");
    nats.server(0).start();
    nats.wait_until_ready();
    assert_eq!(leases.look(&key, soon()).unwrap(), None);
}
