//! What `claude --version` and `claude auth status` print.

use windlass_agents::{parse_auth_status, parse_claude_version};

pub(crate) fn run(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    if let Some((major, minor, patch)) = parse_claude_version(&text) {
        let printed = format!("{major}.{minor}.{patch} (Claude Code)\n");
        assert_eq!(parse_claude_version(&printed), Some((major, minor, patch)));
        assert_eq!(parse_claude_version(&format!("a notice\n{text}")), Some((major, minor, patch)));
    }
    if let Some(login) = parse_auth_status(&text) {
        assert!(text.contains(if login.logged_in { "true" } else { "false" }));
        assert_eq!(parse_auth_status(&format!("a notice\n{text}\nanother")).as_ref(), Some(&login));
    }
}
