//! Strings are unescaped as JSON says, and never refused.

use proptest::prelude::*;
use serde_json::{Map, Value};

use super::*;

#[test]
fn a_string_is_unescaped() {
    let rows = [
        (r#""""#, ""),
        (r#""plain é 🚀""#, "plain é 🚀"),
        (r#""a\nb\t\"\\\/\r\b\f""#, "a\nb\t\"\\/\r\u{8}\u{c}"),
        (r#""\u0041\u00e9\u2028\u0000""#, "Aé\u{2028}\0"),
        (r#""\ud83d\ude80""#, "🚀"),
        (r#""a\ud800b""#, "a\u{fffd}b"),
        (r#""\udc00\ud800\ud800\udc00""#, "\u{fffd}\u{fffd}\u{10000}"),
        (r#""\ud800\n""#, "\u{fffd}\n"),
    ];
    for (json, text) in rows {
        assert_eq!(word(Some(json)), text, "{json}");
    }
}

#[test]
fn a_beginning_is_cut_between_characters() {
    let cut = |json, limit| {
        let piece = piece(Some(json), limit).unwrap();
        (piece.text.into_owned(), piece.whole)
    };
    assert_eq!(cut(r#""abc""#, 3), ("abc".into(), true));
    assert_eq!(cut(r#""abc""#, 2), ("ab".into(), false));
    assert_eq!(cut(r#""aé""#, 2), ("a".into(), false));
    assert_eq!(cut(r#""a\u00e9""#, 2), ("a".into(), false));
    assert_eq!(cut(r#""\n\n\n""#, 2), ("\n\n".into(), false));
    assert_eq!(cut(r#""\nab""#, 2), ("\na".into(), false));
    assert!(piece(Some("17"), 9).is_none());
}

#[test]
fn numbers_and_flags_are_read_leniently() {
    assert_eq!(whole(Some("429")), Some(429_u16));
    assert_eq!(whole(Some("2.0")), Some(2_u64));
    assert_eq!(whole::<u16>(Some("70000")), None);
    assert_eq!(whole::<u64>(Some("-1")), None);
    assert_eq!(whole::<u64>(Some("\"1\"")), None);
    assert_eq!(number(Some("1")), Some(1.0));
    assert_eq!(number(Some("1e999")), None);
    assert_eq!(flag(Some("true")), Some(true));
    assert_eq!(flag(Some("\"true\"")), None);
}

#[test]
fn an_array_gives_its_elements_and_nothing_else_does() {
    let mut seen = Vec::new();
    let array = r#" [1, {"a":[2]},"x" , null] "#;
    assert!(each(Some(array), |element| seen.push(element)));
    assert_eq!(seen, [Some("1"), Some(r#"{"a":[2]}"#), Some("\"x\""), None]);
    assert!(!each(Some("{}"), |_| ()));
    assert!(!each(None, |_| ()));
}

proptest! {
    /// What serde_json reads is read alike, whole, by its beginning, by its end and by its size.
    #[test]
    fn any_text_is_read_as_serde_json_reads_it(text in "(?s)[a-c\\\\\"\n\u{0}é🚀\u{2028}]{0,60}", limit in 0_usize..80) {
        let json = serde_json::to_string(&text).unwrap();
        prop_assert_eq!(&word(Some(&json)), &text);
        let beginning = piece(Some(&json), limit).unwrap();
        prop_assert_eq!(&beginning.text, first_bytes(&text, limit));
        prop_assert_eq!(beginning.whole, text.len() <= limit);
        prop_assert_eq!(tail(Some(&json), limit).unwrap(), last_bytes(&text, limit));
        prop_assert_eq!(size(Some(&json)).unwrap(), Size { bytes: text.len() as u64, lines: lines(&text) });
    }

    /// Escapes of any kind, lone surrogates included, never panic, and the size is the one of the text.
    #[test]
    fn any_escapes_are_read(inner in "(\\\\u[0-9a-fA-F]{4}|\\\\ud[89a-f][0-9a-f]{2}|\\\\[nrtbf\\\\/\"]|[a-zé]){0,40}", limit in 0_usize..40) {
        let json = format!("\"{inner}\"");
        let text = word(Some(&json)).into_owned();
        prop_assert_eq!(size(Some(&json)).unwrap(), Size { bytes: text.len() as u64, lines: lines(&text) });
        let beginning = piece(Some(&json), limit).unwrap();
        prop_assert!(text.starts_with(&*beginning.text));
        prop_assert!(tail(Some(&json), limit).unwrap().len() <= limit);
    }

    /// An object is taken apart as serde_json does it, however it is written.
    #[test]
    fn any_object_is_taken_apart_as_serde_json_does(object in any_object(), pretty in any::<bool>()) {
        let value = Value::Object(object.clone());
        let json = if pretty { serde_json::to_string_pretty(&value) } else { serde_json::to_string(&value) }.unwrap();
        let mut seen = Map::new();
        let whole = members(&json, |name, value| {
            let value = value.map_or(Value::Null, |value| serde_json::from_str(value).unwrap());
            seen.insert(word(Some(&format!("\"{name}\""))).into_owned(), value);
        });
        prop_assert!(whole);
        prop_assert_eq!(&seen, &object);
        // Cut off anywhere it is not an object, and with something behind it neither.
        for end in (0..json.len()).filter(|end| json.is_char_boundary(*end)) {
            let whole = members(&json[..end], |_, _| ());
            prop_assert!(!whole);
        }
        let whole = members(&format!("{json}x"), |_, _| ());
        prop_assert!(!whole);
    }

    #[test]
    fn no_text_does_harm(text in "[\\[\\]{}:,\"\\\\a1é \n]{0,60}") {
        members(&text, |_, _| ());
        members(&format!("{{\"a\":{text}"), |_, _| ());
        each(Some(&text), |_| ());
    }
}

fn any_object() -> impl Strategy<Value = Map<String, Value>> {
    let text = "(?s)([a-c\\\\\"\n\\[{}\\],é🚀]{0,6}|[a-z\"]{20,60})";
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i32>().prop_map(Value::from),
        text.prop_map(Value::from),
    ];
    let value = leaf.prop_recursive(3, 24, 4, move |value| {
        prop_oneof![
            proptest::collection::vec(value.clone(), 0..4).prop_map(Value::from),
            proptest::collection::btree_map(text, value, 0..4)
                .prop_map(|members| members.into_iter().collect()),
        ]
    });
    proptest::collection::btree_map(text, value, 0..5).prop_map(|members| members.into_iter().collect())
}
