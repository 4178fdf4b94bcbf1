//! What starts something, what names it, and what differs.

use std::path::Path;

use proptest::prelude::*;

use super::*;
use crate::config::{FileKind, KEYS, Layer};

fn configuration(text: &str) -> Vec<(String, String)> {
    let layer = Layer::parse(FileKind::Project, Path::new(".windlass/config.toml"), text).unwrap();
    pairs(configured(".windlass/config.toml", &layer))
}

fn pairs(items: Vec<Startable>) -> Vec<(String, String)> {
    items.into_iter().map(|item| (item.key.clone(), item.shown())).collect()
}

fn pair(key: &str, text: &str) -> (String, String) {
    (key.to_owned(), text.to_owned())
}

#[test]
fn of_a_configuration_commands_walls_and_addresses_count_and_limits_do_not() {
    for (text, expected) in [
        ("[limits]\nmax_iterations = 3\n[permissions]\nallow = [\"Bash\"]", vec![]),
        (
            "[gates]\ncommands = [\"a\", { command = \"b\", timeout = \"5m\" }]\ntimeout = \"1m\"",
            vec![pair("gates.commands", "a"), pair("gates.commands", "b")],
        ),
        (
            "[hooks]\nstarted = \"\"\nfinished = \"say\"\ntimeout = \"1s\"",
            vec![pair("hooks.finished", "say")],
        ),
        ("[sandbox]\nkind = \"bwrap\"\nnetwork = \"off\"\nmemory = \"1GB\"", vec![]),
        (
            "[sandbox]\nkind = \"docker:x\"\nnetwork = \"on\"",
            vec![pair("sandbox.kind", "docker:x"), pair("sandbox.network", "on")],
        ),
        // What takes a wall away that the person has.
        ("[sandbox]\nkind = \"none\"", vec![pair("sandbox.kind", "none")]),
        ("[agent]\napi_keys = false\nmodel = \"opus\"", vec![]),
        (
            "[agent]\napi_keys = true\ncommand = \"./x\"\nadd_dirs = [\"~/\"]",
            vec![pair("agent.add_dirs", "~/"), pair("agent.api_keys", "true"), pair("agent.command", "./x")],
        ),
        (
            "[notify]\nurl = \"https://evil.example/x\"\nmilestone = 5",
            vec![pair("notify.url", "https://evil.example/…")],
        ),
    ] {
        assert_eq!(configuration(text), expected, "{text}");
    }
}

#[test]
fn keys_that_are_inert_are_keys() {
    for inert in configuration::inert() {
        let is_known = KEYS.iter().any(|key| key.name == *inert || key.name.starts_with(inert));
        assert!(is_known || *inert == "agent.prices", "{inert}");
    }
}

#[test]
fn what_differs_is_added_changed_or_removed() {
    let text = |key: &str, text: &str| Startable::text(Starter::Windlass, "f", key, text);
    let of = |items: &[Startable]| items.iter().cloned().collect::<Startables>();
    let trusted = of(&[text("a", "1"), text("b", "1"), text("gone", "1")]);
    let now = of(&[text("a", "1"), text("b", "2"), text("c", "1")]);
    assert_eq!(
        differences(&now, &trusted),
        [
            Difference::Changed { now: text("b", "2"), before: text("b", "1") },
            Difference::Added(text("c", "1")),
            Difference::Removed(text("gone", "1")),
        ]
    );
    assert_eq!(now.beyond(&trusted), of(&[text("b", "2"), text("c", "1")]));
    assert_eq!(differences(&trusted, &trusted), []);
}

#[test]
fn a_hash_is_read_as_it_is_printed() {
    let hash = Startables::default().hash();
    assert_eq!(TrustHash::parse(&format!(" {} ", hash.to_string().to_uppercase())), Ok(hash));
    for wrong in ["", "yes", "0123", &"g".repeat(32), &"0".repeat(64)] {
        assert!(TrustHash::parse(wrong).is_err(), "{wrong}");
    }
}

fn any_item() -> impl Strategy<Value = Startable> {
    let starter = prop_oneof![Just(Starter::Windlass), Just(Starter::Agent("a".to_owned()))];
    (starter, "[ab]{0,2}", "[ab]{0,2}", "[ab]{0,2}", prop::option::of("[ab]{0,2}")).prop_map(
        |(starter, file, key, text, digest)| match digest {
            Some(digest) => Startable::file(starter, &file, &key, &text, &digest),
            None => Startable::text(starter, &file, &key, &text),
        },
    )
}

proptest! {
    #[test]
    fn only_the_same_content_has_the_same_hash(
        one in prop::collection::vec(any_item(), 0..5),
        other in prop::collection::vec(any_item(), 0..5),
    ) {
        let (one, other): (Startables, Startables) = (one.into_iter().collect(), other.into_iter().collect());
        prop_assert_eq!(one == other, one.hash() == other.hash());
        let all = one.with(&other);
        prop_assert!(one.beyond(&all).is_empty() && other.beyond(&all).is_empty());
        prop_assert!(all.beyond(&one).beyond(&other).is_empty());
    }
}
