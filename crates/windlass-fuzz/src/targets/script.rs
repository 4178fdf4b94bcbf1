//! A script of the scripted agent.

use crate::scripted::script::{AfterLast, Script, ScriptError};

const NAME: &str = "script.toml";

pub(crate) fn run(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    match Script::parse(text, NAME) {
        Ok(script) => {
            assert!(script.call(1).is_some(), "a script without a call");
            let repeats = script.options.after_last == AfterLast::Repeat;
            assert_eq!(script.call(u32::MAX).is_some(), repeats);
            assert_eq!(Script::parse(text, NAME).ok(), Some(script));
        }
        Err(ScriptError::Wrong { place, message }) => {
            let line = place.strip_prefix(NAME).map(|rest| rest.strip_prefix(':').unwrap_or("1").parse());
            let lines = text.bytes().filter(|byte| *byte == b'\n').count() + 1;
            assert!(matches!(line, Some(Ok(line)) if (1..=lines).contains(&line)), "{place}");
            assert!(!message.trim().is_empty() && !message.contains(char::is_control), "{message:?}");
        }
        Err(other) => panic!("{other}"),
    }
}
