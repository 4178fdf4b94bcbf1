//! Numbers as machines of many languages write them.

use windlass_core::values::{Cost, Tokens};

/// The zeros of the scripts in which `toLocaleString` writes digits.
const ZEROS: [char; 13] = ['0', '٠', '۰', '߀', '०', '০', '੦', '૦', '୦', '௦', '๐', '༠', '０'];

/// A decimal digit of any of these scripts.
fn digit(letter: char) -> Option<u64> {
    let value = |zero: char| {
        u64::from(u32::from(letter).checked_sub(u32::from(zero))?)
            .lt(&10)
            .then(|| u64::from(u32::from(letter) - u32::from(zero)))
    };
    ZEROS.into_iter().find_map(value)
}

/// Stands between groups of digits, as in `12,345`, `12.345`, `12 345`, `12'345`, `12٬345`.
fn is_group_mark(letter: char) -> bool {
    letter.is_whitespace()
        || matches!(letter, ',' | '.' | '\'' | '’' | '_' | '٬' | '،' | '\u{200e}' | '\u{200f}')
}

/// The whole numbers of a text, each with the word that follows it.
fn numbers_and_words(text: &str) -> Vec<(u64, String)> {
    let mut found = Vec::new();
    let mut number: Option<u64> = None;
    let mut word = String::new();
    for letter in text.chars().chain([')']) {
        if let Some(digit) = digit(letter) {
            if !word.is_empty() {
                (number, word) = (None, String::new());
            }
            number = Some(number.unwrap_or(0).saturating_mul(10).saturating_add(digit));
        } else if letter.is_alphabetic() || (letter == '-' && !word.is_empty()) {
            word.extend(letter.to_lowercase());
        } else if !word.is_empty() {
            found.extend(number.take().map(|number| (number, std::mem::take(&mut word))));
            word.clear();
        } else if !is_group_mark(letter) {
            number = None;
        }
    }
    found
}

/// `1,234 total (1,000 in, 200 out, 30 cache-create, 4 cache-read)`: the total, and what is said of the kinds.
pub(super) fn tokens(text: &str) -> (Option<u64>, Option<Tokens>) {
    let (mut total, mut kinds) = (None, None);
    for (number, word) in numbers_and_words(text) {
        let mut known: Tokens = kinds.unwrap_or_default();
        match &*word {
            "total" => {
                total = Some(number);
                continue;
            }
            "in" | "input" => known.input = number,
            "out" | "output" => known.output = number,
            "cache-create" | "cache-creation" | "cache-write" => known.cache_creation = number,
            "cache-read" => known.cache_read = number,
            _ => continue,
        }
        kinds = Some(known);
    }
    (total, kinds)
}

/// `$0.1234`, `0,1234 $`, `$1,234.50`.
pub(super) fn cost(text: &str) -> Option<Cost> {
    // What of it is an estimate stands behind it.
    let (all, _) = text.split_once('(').unwrap_or((text, ""));
    let plain: String = all
        .chars()
        .filter_map(|letter| match (digit(letter), letter) {
            (Some(digit), _) => u32::try_from(digit).ok().and_then(|digit| char::from_digit(digit, 10)),
            (None, '.' | ',') => Some(letter),
            (None, '٫') => Some('.'),
            _ => None,
        })
        .collect();
    let plain = plain.trim_matches(['.', ',']);
    let (whole, fraction) = match plain.rsplit_once(['.', ',']) {
        // `1,234` alone is a thousand: a price has two digits, or four.
        Some((whole, fraction)) if !(fraction.len() == 3 && plain.contains(',') && !plain.contains('.')) => {
            (whole, fraction)
        }
        _ => (plain, ""),
    };
    let whole = whole.replace(['.', ','], "");
    if whole.is_empty() && fraction.is_empty() || text.contains('-') {
        return None;
    }
    let micros = format!("{fraction:0<6}");
    let micros: u64 = micros.get(..6)?.parse().ok()?;
    let whole: u64 = if whole.is_empty() { 0 } else { whole.parse().ok()? };
    Some(Cost::from_micros(whole.checked_mul(1_000_000)?.checked_add(micros)?))
}

/// `45s`, `2m 5s`, `2.5 minutes`, `1h 2m`: in seconds, rounded down.
pub(super) fn seconds(text: &str) -> Option<u64> {
    let mut rest = text.trim();
    let mut thousandths: u64 = 0;
    let mut any = false;
    while !rest.is_empty() {
        let (amount, after) = decimal(rest)?;
        let after = after.trim_start();
        let end = after.find(|letter: char| !letter.is_alphabetic()).unwrap_or(after.len());
        let (unit, after) = after.split_at(end);
        let factor = match &*unit.to_lowercase() {
            "ms" | "milliseconds" => 1,
            "" | "s" | "sec" | "secs" | "second" | "seconds" => 1000,
            "m" | "min" | "mins" | "minute" | "minutes" => 60_000,
            "h" | "hr" | "hrs" | "hour" | "hours" => 3_600_000,
            _ => return None,
        };
        thousandths = thousandths.checked_add(amount.checked_mul(factor)? / 1000)?;
        rest = after.trim_start_matches([',', ' ', '\t']).trim();
        rest = rest.strip_prefix("and ").unwrap_or(rest).trim_start();
        any = true;
    }
    any.then_some(thousandths / 1000)
}

/// A number at the beginning, in thousandths, and what follows it. A single mark with three digits after it groups them.
fn decimal(text: &str) -> Option<(u64, &str)> {
    let is_part = |letter: char| digit(letter).is_some() || matches!(letter, '.' | ',' | '٫' | '٬');
    let end = text.find(|letter| !is_part(letter)).unwrap_or(text.len());
    let (number, rest) = text.split_at(end);
    let (whole, fraction) = match number.rsplit_once(['.', ',', '٫']) {
        Some((whole, fraction)) if fraction.chars().count() != 3 => (whole, fraction),
        _ => (number, ""),
    };
    let mut value: Option<u64> = None;
    for digit in whole.chars().filter_map(digit) {
        value = Some(value.unwrap_or(0).checked_mul(10)?.checked_add(digit)?);
    }
    let mut thousandths = value?.checked_mul(1000)?;
    for (digit, worth) in fraction.chars().filter_map(digit).zip([100, 10, 1]) {
        thousandths = thousandths.checked_add(digit * worth)?;
    }
    Some((thousandths, rest))
}
