//! Strings are unescaped as JSON says, and never refused.

use proptest::prelude::*;
use serde_json::value::RawValue;

use super::*;

fn raw(json: &str) -> Box<RawValue> {
    RawValue::from_string(json.to_owned()).unwrap()
}

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
        assert_eq!(word(Some(&raw(json))), text, "{json}");
    }
}

#[test]
fn a_beginning_is_cut_between_characters() {
    let cut = |json, limit| {
        let raw = raw(json);
        let piece = piece(Some(&raw), limit).unwrap();
        (piece.text.into_owned(), piece.whole)
    };
    assert_eq!(cut(r#""abc""#, 3), ("abc".into(), true));
    assert_eq!(cut(r#""abc""#, 2), ("ab".into(), false));
    assert_eq!(cut(r#""aé""#, 2), ("a".into(), false));
    assert_eq!(cut(r#""a\u00e9""#, 2), ("a".into(), false));
    assert_eq!(cut(r#""\n\n\n""#, 2), ("\n\n".into(), false));
    assert_eq!(cut(r#""\nab""#, 2), ("\na".into(), false));
    assert!(piece(Some(&raw("17")), 9).is_none());
}

#[test]
fn numbers_and_flags_are_read_leniently() {
    assert_eq!(whole(Some(&raw("429"))), Some(429_u16));
    assert_eq!(whole(Some(&raw("2.0"))), Some(2_u64));
    assert_eq!(whole::<u16>(Some(&raw("70000"))), None);
    assert_eq!(whole::<u64>(Some(&raw("-1"))), None);
    assert_eq!(whole::<u64>(Some(&raw("\"1\""))), None);
    assert_eq!(number(Some(&raw("1"))), Some(1.0));
    assert_eq!(number(Some(&raw("1e999"))), None);
    assert_eq!(flag(Some(&raw("true"))), Some(true));
    assert_eq!(flag(Some(&raw("\"true\""))), None);
}

#[test]
fn an_array_gives_its_elements_and_nothing_else_does() {
    let mut seen = Vec::new();
    let array = raw(r#"[1,{"a":[2]},"x"]"#);
    assert!(each(Some(&array), |element| seen.push(element.get().to_owned())));
    assert_eq!(seen, ["1", r#"{"a":[2]}"#, "\"x\""]);
    assert!(!each(Some(&raw("{}")), |_| ()));
    assert!(!each(None, |_| ()));
}

proptest! {
    /// What serde_json reads is read alike, whole, by its beginning, by its end and by its size.
    #[test]
    fn any_text_is_read_as_serde_json_reads_it(text in "(?s)[a-c\\\\\"\n\u{0}é🚀\u{2028}]{0,60}", limit in 0_usize..80) {
        let json = raw(&serde_json::to_string(&text).unwrap());
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
        let Ok(json) = RawValue::from_string(format!("\"{inner}\"")) else { return Ok(()) };
        let text = word(Some(&json)).into_owned();
        prop_assert_eq!(size(Some(&json)).unwrap(), Size { bytes: text.len() as u64, lines: lines(&text) });
        let beginning = piece(Some(&json), limit).unwrap();
        prop_assert!(text.starts_with(&*beginning.text));
        prop_assert!(tail(Some(&json), limit).unwrap().len() <= limit);
    }
}
