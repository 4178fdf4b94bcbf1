//! Durations and money as people write them.

use std::time::Duration;

use windlass_core::config::{parse_duration, parse_fine_duration};
use windlass_core::values::Cost;
use windlass_core::values::parse_money;
use windlass_ui::format;

pub(crate) fn run(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    duration(&text);
    money(&text);
}

fn duration(text: &str) {
    let fine = parse_fine_duration(text);
    if let Err(error) = &fine {
        check_sentence(&error.to_string());
    }
    match parse_duration(text) {
        Ok(duration) => {
            assert_eq!(fine.as_ref(), Ok(&duration), "the finer reading is another one");
            assert!(!duration.is_zero() || is_nothing(text), "`{text}` became nothing");
            let whole = Duration::from_secs(duration.as_secs());
            assert_eq!(parse_duration(&format::flag_duration(whole)), Ok(whole), "printed and read");
            let spaced: String =
                text.chars().flat_map(|character| [character.to_ascii_uppercase(), ' ']).collect();
            assert_eq!(parse_duration(&spaced), Ok(duration), "case or blanks matter");
        }
        Err(error) => check_sentence(&error.to_string()),
    }
}

fn money(text: &str) {
    match parse_money(text) {
        Ok(cost) => {
            assert!(cost <= Cost::from_micros(1_000_000_000_000));
            assert!(!cost.is_zero() || is_nothing(text), "`{text}` became nothing");
            assert_eq!(parse_money(&cost.dollars().to_string()), Ok(cost), "printed and read");
            let json = serde_json::to_string(&cost).map(|json| serde_json::from_str::<Cost>(&json).ok());
            assert_eq!(json.ok().flatten(), Some(cost), "written and read");
        }
        Err(error) => check_sentence(&error.to_string()),
    }
}

/// Every digit is a zero. A limit of nothing means no limit, so nothing else may become that.
fn is_nothing(text: &str) -> bool {
    text.chars().all(|character| !character.is_ascii_digit() || character == '0')
}

fn check_sentence(sentence: &str) {
    assert!(!sentence.is_empty() && !sentence.contains(char::is_control), "{sentence:?}");
    assert!(sentence.len() < 600, "{sentence}");
}
