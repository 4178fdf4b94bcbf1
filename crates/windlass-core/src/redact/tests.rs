use proptest::prelude::*;

use super::*;

fn clean(text: &str) -> String {
    Redactor::new().redact(text)
}

#[test]
fn shapes_of_secrets_are_hidden_wherever_they_stand() {
    for (text, wanted) in [
        ("key sk-ant-api03-AbC_dEf-123456 end", "key [redacted] end"),
        ("xsk-ant-api03-AbC_dEf-123456", "x[redacted]"),
        ("ghp_0123456789abcdefghijABCDEFGHIJ012345.", "[redacted]."),
        ("github_pat_11ABCDEFG0123456789_abcdefgh", "[redacted]"),
        ("sk-0123456789abcdefghij", "[redacted]"),
        ("(AKIAIOSFODNN7EXAMPLE)", "([redacted])"),
        ("Authorization: Bearer abc.def-ghi/jkl=", "Authorization: Bearer [redacted]"),
        ("authorization: bEARER abcdefgh", "authorization: bEARER [redacted]"),
        ("https://me:hunter2@example.org/x", "https://[redacted]@example.org/x"),
        ("https://x/y?auth=QmVhcmVy&x=1", "https://x/y?auth=[redacted]&x=1"),
        ("ANTHROPIC_API_KEY=abcd1234 make", "ANTHROPIC_API_KEY=[redacted] make"),
        ("é eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.sig-n é", "é [redacted] é"),
        ("a -----BEGIN RSA PRIVATE KEY-----\nMIIE\nxyz\n-----END RSA PRIVATE KEY-----\nb", "a [redacted]\nb"),
        ("-----BEGIN PRIVATE KEY-----\ncut off 🙂", "[redacted]"),
    ] {
        assert_eq!(clean(text), wanted, "{text}");
    }
}

#[test]
fn ordinary_text_is_left_alone() {
    for text in [
        "",
        "The bearer of bad news; basic tests; token budget",
        "https://example.org/a@b?x=1",
        "-----BEGIN CERTIFICATE-----\nMIIE\n-----END CERTIFICATE-----",
        "monkey=banana, max_tokens=100, key=1",
        "sk-1, ghp_short, AKIA, eyJ, eyJhbGciOiJIUzI1NiJ9",
        "35/60 items (+5) - Migrated 35/60 API endpoints ✅ Complete!",
    ] {
        assert_eq!(clean(text), text);
    }
}

#[test]
fn known_values_are_hidden_longest_first() {
    let redactor = Redactor::new().with_value("hunter2").with_value(" hunter2-and-more\n").with_value("abc");
    assert_eq!(redactor.redact("xhunter2-and-morehunter2 abc"), "x[redacted][redacted] abc");
    assert_eq!(format!("{redactor:?}"), "Redactor(2 values)");
}

#[test]
fn a_known_secret_goes_whole_wherever_another_one_begins() {
    let redactor = Redactor::new().with_value("token").with_value("abc def").with_value("efgh");
    assert_eq!(redactor.redact("my_token=xyz1 token"), "my_[redacted] [redacted]");
    assert_eq!(redactor.redact("key=abc def!"), "key=[redacted]!");
    assert_eq!(redactor.redact("abc defgh!"), "[redacted]!");
}

#[test]
fn an_address_gives_away_none_of_its_secrets() {
    let address = "https://me:p%40ssword@hooks.example.org/services/T000/B000?k=v4lue&x=#end";
    let redactor = Redactor::new().with_address(address);
    for secret in [address, "p%40ssword", "p@ssword", "v4lue"] {
        assert_eq!(redactor.redact(&format!("<{secret}>")), "<[redacted]>");
    }
    assert_eq!(redactor.redact("hooks.example.org"), "hooks.example.org");
}

#[test]
fn hostile_text_is_no_slower_than_its_length() {
    // Quadratic work on these would take minutes, not milliseconds.
    let redactor = Redactor::new().with_value("aaaaaaab");
    for piece in ["eyJ", "-----BEGIN ", "://", "a", "sk-", "Bearer ", "=", "AKIA", "token=", "ghp_"] {
        let text = piece.repeat(200_000 / piece.len());
        assert!(redactor.redact(&text).len() <= text.len() + MARK.len());
    }
}

#[test]
fn percent_signs_that_mean_nothing_stay() {
    assert_eq!(percent_decoded("a%41%4"), "aA%4");
    assert_eq!(percent_decoded("%zz%"), "%zz%");
    assert_eq!(percent_decoded("%ff"), "");
}

proptest! {
    #[test]
    fn no_text_is_too_strange(text in any::<String>(), value in "[a-zé🙂]{4,8}") {
        let redactor = Redactor::new().with_value(&value);
        let hidden = redactor.redact(&format!("{text}{value}{text}"));
        prop_assert!(!hidden.contains(&value));
    }
}
