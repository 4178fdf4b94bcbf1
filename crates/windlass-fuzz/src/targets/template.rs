//! What a template says of itself, and its configuration without what is secret.

use windlass_core::spec::Mode;
use windlass_jobs::doc::template::{TemplateRecord, without_secret};

pub(crate) fn run(data: &[u8]) {
    match TemplateRecord::parse(data) {
        Ok((record, left)) => {
            assert!(left.iter().all(|sentence| !sentence.is_empty() && !sentence.contains(char::is_control)));
            assert!(matches!(record.mode, None | Some(Mode::Loop | Mode::Iterative)));
            let text = record.to_text();
            assert_eq!(TemplateRecord::parse(text.as_bytes()), Ok((record, Vec::new())), "written and read");
        }
        Err(why) => assert!(!why.is_empty() && !why.contains(char::is_control), "{why:?}"),
    }
    if let Ok(config) = std::str::from_utf8(data) {
        check_secret(config);
    }
}

/// The secret goes, and not a byte besides its lines.
fn check_secret(config: &str) {
    let (without, was_there) = match without_secret(config) {
        Ok(read) => read,
        Err(why) => {
            assert!(!why.is_empty() && !why.contains('\n'), "{why:?}");
            return;
        }
    };
    assert_eq!(without_secret(&without), Ok((without.clone(), false)), "something secret is left");
    assert_eq!(was_there, without != config, "it matters who looks");
    let tables = |text: &str| text.parse::<toml::Table>().unwrap_or_default();
    let mut expected = tables(config);
    if let Some(notify) = expected.get_mut("notify").and_then(toml::Value::as_table_mut) {
        notify.remove("secret");
        // Where it stood alone, the table may go with it.
        if notify.is_empty() && !tables(&without).contains_key("notify") {
            expected.remove("notify");
        }
    }
    assert_eq!(tables(&without), expected, "something else is gone:\n{without}");
    let common = config.bytes().zip(without.bytes()).take_while(|(left, right)| left == right).count();
    let rest = without.get(common..).unwrap_or_default();
    assert!(config.ends_with(rest), "more than one piece of it changed");
}
