//! Text without its secrets. The first line is a secret that is known, the second an address, the rest is the text.

use windlass_core::redact::{MARK, Redactor, keys};

pub(crate) fn run(data: &[u8]) {
    let whole = String::from_utf8_lossy(data);
    let mut parts = whole.splitn(3, '\n');
    let (secret, address) = (parts.next().unwrap_or_default().trim(), parts.next().unwrap_or_default());
    let text = parts.next().unwrap_or_default();
    let plain = Redactor::new();
    let clean = plain.redact(text);
    assert_eq!(text == clean, !differs(text, &clean), "{clean:?}");
    for key in keys(text) {
        assert!(!clean.contains(key) || MARK.contains(key), "a key is left: {clean:?}");
    }
    let knowing = Redactor::new().with_value(secret).with_address(address);
    for secret in [secret, address.trim()] {
        check_known(secret, &knowing.redact(text));
        check_known(secret, &knowing.redact(&format!("{text}{secret} token={secret}{secret}")));
    }
}

/// Where something was hidden, the mark says so.
fn differs(text: &str, clean: &str) -> bool {
    clean.matches(MARK).count() > 0 && text != clean
}

/// What is known is in no text, but for what the marks themselves make of it.
fn check_known(secret: &str, clean: &str) {
    let is_looked_for = secret.len() >= 4 && !secret.contains(['[', ']']) && !MARK.contains(secret);
    assert!(!is_looked_for || !clean.contains(secret), "{secret:?} is left in {clean:?}");
}
