//! A person's configuration file in which a value is changed. The first line names the key, the second is its value.

use toml::{Table, Value};
use windlass_core::config::edit::{EditError, set, set_list, unset, value_of};

pub(crate) fn run(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let mut parts = text.splitn(3, '\n');
    let key = parts.next().unwrap_or_default();
    let value = parts.next().unwrap_or_default();
    let text = parts.next().unwrap_or_default();
    let value = format!("value = {value}").parse::<Table>().ok().and_then(|mut table| table.remove("value"));
    let value = value.filter(|value| !value.is_table()).unwrap_or(Value::Integer(7));
    if !key.chars().all(|letter| letter.is_ascii_lowercase() || matches!(letter, '_' | '.')) {
        return;
    }
    let name = key.split_once('.').map_or(key, |(_, name)| name);
    if name.is_empty() || key.starts_with('.') || name.contains('.') {
        return;
    }
    match set(text, key, &value) {
        Ok(changed) => {
            assert_same(value_of(&changed, key).ok().flatten().as_ref(), &value, &changed);
            check_others(text, &changed, key);
            assert_eq!(set(&changed, key, &value), Ok(changed.clone()), "said again, it is another text");
            if let Ok(Some(without)) = unset(&changed, key) {
                assert_eq!(value_of(&without, key), Ok(None));
                check_others(text, &without, key);
            }
        }
        Err(error) => check_error(text, &error),
    }
    if let Value::Array(items) = &value
        && let Ok(changed) = set_list(text, key, items)
    {
        assert_same(value_of(&changed, key).ok().flatten().as_ref(), &value, &changed);
        check_others(text, &changed, key);
    }
}

/// Numbers that are none are equal to nothing, themselves included.
fn assert_same(found: Option<&Value>, wanted: &Value, text: &str) {
    let found = found.map(ToString::to_string);
    assert_eq!(found, Some(wanted.to_string()), "{text}");
}

/// Nothing else is said than before.
fn check_others(before: &str, after: &str, key: &str) {
    let others = |text: &str| {
        let mut table: Table = text.parse().unwrap_or_default();
        match key.split_once('.') {
            None => drop(table.remove(key)),
            Some((of, name)) => {
                let within = table.get_mut(of).and_then(Value::as_table_mut);
                let is_empty = within.is_some_and(|within| {
                    within.remove(name);
                    within.is_empty()
                });
                // A table may come with its first key, and go with its last.
                if is_empty {
                    table.remove(of);
                }
            }
        }
        table.to_string()
    };
    assert_eq!(others(before), others(after), "{after}");
}

fn check_error(text: &str, error: &EditError) {
    let sentence = error.to_string();
    assert!(!sentence.trim().is_empty() && !sentence.contains('\n'), "{sentence:?}");
    let lines = text.split('\n').count();
    let line = match error {
        EditError::Broken { line, .. } => line.unwrap_or(1),
        EditError::Intricate { line, .. } => *line,
    };
    assert!((1..=lines).contains(&line), "{error:?}");
}
