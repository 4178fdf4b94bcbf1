//! opencode's own log, on standard error: the only place where it says what it tries again.

use crate::Digest;

/// What a line says of a request that failed, and is tried again.
pub(crate) fn retry(line: &[u8]) -> Option<Digest> {
    let line = String::from_utf8_lossy(line);
    let failed = line.contains("level=ERROR") && line.contains("message=\"stream error\"");
    // A request that is none of the job's, such as for a title.
    if !failed || line.contains(" small=true ") {
        return None;
    }
    let (_, cause) = line.split_once(" error.error=")?;
    let cause = cause.trim().trim_matches('"');
    let cause = ["AI_APICallError: ", "AI_RetryError: "]
        .iter()
        .find_map(|name| cause.strip_prefix(name))
        .unwrap_or(cause);
    Some(Digest::Retry { status: None, error: cause.chars().take(200).collect() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_tried_again_is_told_with_its_cause() {
        let line = |small: &str, cause: &str| {
            format!(
                "timestamp=x level=ERROR run=1 message=\"stream error\" small={small} agent=build error.error=\"{cause}\""
            )
        };
        let found = |line: String| match retry(line.as_bytes()) {
            Some(Digest::Retry { status: None, error }) => Some(error),
            _ => None,
        };
        assert_eq!(found(line("false", "AI_APICallError: overloaded")).as_deref(), Some("overloaded"));
        assert_eq!(found(line("true", "AI_APICallError: overloaded")), None);
        assert_eq!(found("level=ERROR message=process error=\"x\"".to_owned()), None);
        assert_eq!(found(String::new()), None);
    }
}
