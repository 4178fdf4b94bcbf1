//! What configuration says about a fleet.

use super::*;

fn fleet_of(text: &str) -> FleetSettings {
    merge(&[user(text)]).fleet
}

#[test]
fn without_a_word_there_is_no_fleet_and_what_it_would_be_is_that_of_the_design() {
    let fleet = merge(&[]).fleet;
    assert_eq!((fleet.urls.len(), fleet.name.as_str(), fleet.replicas), (0, "windlass", Replicas::One));
    assert_eq!((fleet.login, fleet.authority, fleet.remote), (FleetLogin::Open, None, None));
    assert_eq!((fleet.lease, fleet.patience), (Duration::from_secs(9), Duration::from_mins(10)));
}

#[test]
fn servers_are_one_text_or_a_list_and_in_the_environment_have_commas_between_them() {
    let both = ["nats://a:1", "tls://b"];
    assert_eq!(fleet_of("[fleet]\nurl = 'nats://a:1'").urls, both[..1]);
    assert_eq!(fleet_of("[fleet]\nurl = ['nats://a:1', 'tls://b']").urls, both);
    for text in ["nats://a:1,tls://b", "nats://a:1, tls://b,", "nats://a:1\ntls://b\n"] {
        let layer = environment(&[("WINDLASS_FLEET__URL", text)]).unwrap();
        assert_eq!(merge(&[layer]).fleet.urls, both, "{text:?}");
    }
}

#[test]
fn an_address_that_holds_a_password_is_refused_and_never_repeated() {
    for address in ["nats://tess:hunter2@host:4222", "hunter2@host", "tls://hunter2/x", "https://hunter2"] {
        let said = [
            Layer::parse(FileKind::User, Path::new("user.toml"), &format!("[fleet]\nurl = '{address}'")),
            Layer::parse(
                FileKind::User,
                Path::new("user.toml"),
                &format!("[fleet]\nurl = ['a', '{address}']"),
            ),
            environment(&[("WINDLASS_FLEET__URL", address)]),
        ];
        for layer in said {
            let message = layer.unwrap_err().to_string();
            assert!(message.contains("fleet.url") || message.contains("FLEET__URL"), "{message}");
            assert!(message.contains("address ") && !message.contains("hunter2"), "{message}");
        }
    }
}

#[test]
fn a_git_remote_is_one_that_git_may_be_told_and_holds_no_password() {
    let remote = fleet_of("[fleet]\nremote = ' git@example.org:night.git'").remote.unwrap();
    assert_eq!(remote.as_str(), "git@example.org:night.git");
    for address in ["https://tess:hunter2@example.org/x", "ext::sh -c hunter2", "--upload-pack=hunter2"] {
        let file = format!("[fleet]\nremote = '{address}'");
        let said = [
            Layer::parse(FileKind::User, Path::new("user.toml"), &file),
            environment(&[("WINDLASS_FLEET__REMOTE", address)]),
        ];
        for layer in said {
            let message = layer.unwrap_err().to_string();
            assert!(message.contains("fleet.remote") || message.contains("FLEET__REMOTE"), "{message}");
            assert!(!message.contains("hunter2"), "{message}");
        }
    }
}

#[test]
fn a_fleet_is_the_users_own_affair() {
    // A repository that named a server and a file would have that file sent there.
    for key in KEYS.iter().filter(|key| key.name.starts_with("fleet.")) {
        let (_, last) = key.name.split_once('.').unwrap();
        let error = project(&format!("[fleet]\n{last} = 'x'")).unwrap_err().to_string();
        let said = format!(
            "config.toml:2: `{0}` is for your own file alone: windlass config set --user {0} VALUE",
            key.name
        );
        assert_eq!(error, said);
    }
}

#[test]
fn there_is_one_way_to_log_in() {
    for (key, login) in [
        ("credentials", FleetLogin::Credentials("f".to_owned())),
        ("token_file", FleetLogin::Token("f".to_owned())),
        ("nkey_file", FleetLogin::Nkey("f".to_owned())),
        ("password_file", FleetLogin::Password("f".to_owned())),
    ] {
        assert_eq!(fleet_of(&format!("[fleet]\n{key} = 'f'")).login, login);
    }
    let two = user("[fleet]\ntoken_file = 'a'\npassword_file = 'b'");
    let error =
        Resolved::merge(std::slice::from_ref(&two), Mode::Goal, Unlimited::Refused).unwrap_err().to_string();
    assert_eq!(
        error,
        "`fleet.token_file` and `fleet.password_file` both say how to log in to the fleet: keep one, and set the other to \"\""
    );
    let mut over = environment(&[]).unwrap();
    over.flag(&keys::FLEET_TOKEN_FILE, "--token-file", "").unwrap();
    assert_eq!(merge(&[two, over]).fleet.login, FleetLogin::Password("b".to_owned()));
}

#[test]
fn what_no_fleet_can_be_is_refused() {
    for (text, message) in [
        (
            "name = 'Night'",
            "`fleet.name`: `Night` is not a name of a fleet: it has 1 to 32 lower case letters, digits and `-` `_`, and begins with a letter or digit",
        ),
        ("replicas = 2", "`fleet.replicas`: `2` is not 1 or 3: a fleet has one server or three"),
        ("lease = '3s'", "`fleet.lease`: `3s` is out of range; it must be from 5000ms to 600000ms"),
        ("patience = '0s'", "`fleet.patience`: it must be longer than nothing"),
    ] {
        let layer = Layer::parse(FileKind::User, Path::new("user.toml"), &format!("[fleet]\n{text}"));
        assert_eq!(layer.unwrap_err().to_string(), format!("user.toml:2: {message}"));
    }
}
