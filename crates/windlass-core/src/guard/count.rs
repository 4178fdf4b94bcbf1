//! How many tests a file has, how many of them are skipped, and how much they assert. Lexical: what is counted is what is
//! written, not what would be run; the same rules hold before and after, and only differences matter.

use super::language::Language;
use super::lexical::code_of;
use super::scripts;
use super::word::{Counts, Word, Words};

/// Counts the tests of a file.
pub fn count(text: &[u8], language: Language) -> Counts {
    let code = code_of(text, language);
    let mut counts = Counts::default();
    for word in Words::new(&code) {
        match language {
            Language::Rust => rust(&word, &mut counts),
            Language::Python => python(&word, &mut counts),
            Language::JavaScript | Language::Dart => scripts::javascript(&word, &mut counts),
            Language::Ruby | Language::Elixir | Language::Bats => scripts::ruby(&word, &mut counts),
            Language::Php => scripts::php(&word, &mut counts),
            Language::Go => go(&word, &mut counts),
            Language::Jvm | Language::Dotnet | Language::Swift => annotated(&word, &mut counts),
            Language::Cpp => macros(&word, &mut counts),
        }
        counts.assertions += u32::from(asserts(&word, language) && !is_trivial(&word));
    }
    if language == Language::Go {
        // A build constraint leaves a whole file out. It is a comment.
        let constraints = text.split(|byte| *byte == b'\n').filter(|line| line.starts_with(b"//go:build"));
        counts.skips += u32::try_from(constraints.count()).unwrap_or(u32::MAX);
    }
    counts
}

/// `#[test]`, `#[tokio::test]`, `#[rstest]`; `#[ignore]`, also by `cfg_attr`; `#[cfg(any())]`, which never holds.
fn rust(word: &Word<'_>, counts: &mut Counts) {
    let attribute = || attribute_before(word.before());
    let names = ["test", "rstest", "test_case", "wasm_bindgen_test", "quickcheck", "googletest"];
    if word.is_one_of(&names) {
        let ends_path = word.after().starts_with(b"]") || (word.is_called() && !word.is("googletest"));
        let is_attribute = word.follows("#[") || (word.follows("::") && attribute().is_some());
        counts.tests += u32::from(ends_path && is_attribute);
    } else if word.is("ignore") {
        let whose = attribute();
        counts.skips +=
            u32::from(whose.is_some_and(|whose| whose.is_empty() || whose.starts_with(b"cfg_attr")));
    } else if word.is("any") && word.after().starts_with(b"()") {
        counts.skips += u32::from(attribute().is_some_and(|whose| whose.starts_with(b"cfg")));
    } else if word.is("should_panic") {
        counts.assertions += u32::from(attribute().is_some());
    }
}

/// What stands before a word in the attribute that it is in; `None` where it is in none.
fn attribute_before(before: &[u8]) -> Option<&[u8]> {
    /// Attributes are short.
    const NEAR: usize = 200;
    let near = before.get(before.len().saturating_sub(NEAR)..)?;
    let open = memchr::memmem::rfind(near, b"#[").map(|at| at + 2);
    let open = open.or_else(|| memchr::memmem::rfind(near, b"#![").map(|at| at + 3))?;
    let inside = near.get(open..)?;
    (!inside.contains(&b']')).then(|| inside.trim_ascii())
}

fn python(word: &Word<'_>, counts: &mut Counts) {
    if word.starts_with("test") && word.is_called() && word.follows("def") {
        counts.tests += 1;
    }
    let mark = word.is_one_of(&["skip", "skipif", "xfail", "skipIf", "skipUnless"])
        && matches!(word.owner(), b"mark" | b"unittest" | b"pytest");
    let bare = word.is_one_of(&["expectedFailure", "skip", "skipIf", "skipUnless"]) && word.follows("@");
    let call = word.is("skipTest") && word.is_called();
    let raised = word.is("SkipTest") && word.follows("raise");
    let unlisted = word.is("__test__") && word.after().starts_with(b"=");
    counts.skips += u32::from(mark || bare || call || raised || unlisted);
    counts.assertions += u32::from(word.is("raises") && word.is_called());
}

fn go(word: &Word<'_>, counts: &mut Counts) {
    let named = ["Test", "Fuzz", "Example"].iter().any(|name| word.starts_with(name));
    counts.tests += u32::from(named && word.is_called() && word.follows("func") && !word.is("TestMain"));
    counts.skips += u32::from(
        word.is_one_of(&["Skip", "Skipf", "SkipNow"]) && word.is_called() && !word.owner().is_empty(),
    );
    let fails = ["Error", "Errorf", "Fatal", "Fatalf", "Fail", "FailNow"];
    counts.assertions +=
        u32::from(word.is_one_of(&fails) && word.is_called() && matches!(word.owner(), b"t" | b"f" | b"tb"));
    counts.assertions += u32::from(word.owner() == b"require" && word.is_called());
}

/// Java, Kotlin, C# and Swift.
fn annotated(word: &Word<'_>, counts: &mut Counts) {
    let marked = word.follows("@") || word.follows("[") || word.follows("@org.junit.jupiter.api.");
    let tests = [
        "Test",
        "ParameterizedTest",
        "RepeatedTest",
        "TestFactory",
        "TestTemplate",
        "Property",
        "Fact",
        "Theory",
        "TestMethod",
        "DataTestMethod",
        "TestCase",
    ];
    // `words[Test]` and `Test[] all` are none.
    let ends = word.after().first().is_none_or(|next| !matches!(next, b'.' | b'['));
    let is_test = marked && word.is_one_of(&tests) && ends;
    let by_name = word.starts_with("test") && word.is_called() && word.follows("func");
    counts.tests += u32::from(is_test || by_name);
    let skips = ["Disabled", "Ignore", "Ignored", "DisabledIf", "DisabledOnOs", "Explicit", "EnabledIf"];
    let skipped = marked && word.is_one_of(&skips);
    let argument = word.is("Skip") && word.after().starts_with(b"=");
    let call = (word.is_one_of(&["Ignore", "Inconclusive"]) && word.owner() == b"Assert")
        || word.is_one_of(&["XCTSkip", "XCTSkipIf", "XCTSkipUnless", "assumeTrue", "assumeFalse"])
        || (word.is("disabled") && word.follows("."));
    let switched = word.is("enabled")
        && word
            .after()
            .strip_prefix(b"=")
            .is_some_and(|value| value.trim_ascii_start().starts_with(b"false"));
    counts.skips += u32::from(skipped || argument || (call && word.is_called()) || switched);
    counts.assertions += u32::from(word.is("Should") && word.is_called());
    counts.assertions += u32::from(word.starts_with("XCTAssert") && word.is_called());
}

fn macros(word: &Word<'_>, counts: &mut Counts) {
    let tests = ["TEST", "TEST_F", "TEST_P", "TYPED_TEST", "TEST_CASE", "SCENARIO", "BOOST_AUTO_TEST_CASE"];
    counts.tests += u32::from(word.is_one_of(&tests) && word.is_called());
    let skips = word.is_one_of(&["GTEST_SKIP", "SKIP"]) && word.is_called();
    counts.skips += u32::from(skips || word.starts_with("DISABLED_"));
    let asserts = ["EXPECT_", "ASSERT_", "REQUIRE", "CHECK", "BOOST_CHECK", "BOOST_REQUIRE"];
    counts.assertions += u32::from(asserts.iter().any(|name| word.starts_with(name)) && word.is_called());
}

/// Does it begin an assertion? What is called so is named so nearly everywhere.
fn asserts(word: &Word<'_>, language: Language) -> bool {
    let after = word.after();
    let named = word.starts_with("assert") || word.starts_with("Assert") || word.starts_with("refute");
    match language {
        Language::Rust => {
            (named || word.starts_with("prop_assert") || word.starts_with("debug_assert"))
                && after.starts_with(b"!")
        }
        Language::Python if word.is("assert") => true,
        Language::Ruby | Language::Elixir | Language::Bats => {
            (named && !word.follows("def"))
                || (word.is("expect") && matches!(after.first(), Some(b'(' | b'{')))
        }
        Language::Cpp => word.is("assert") && word.is_called(),
        _ => {
            let declared = word.follows("def") || word.follows("function") || word.follows("func");
            let owner_counts = word.owner().to_ascii_lowercase().starts_with(b"assert");
            let called = word.is_called() && (named || word.is("expect"));
            (called && !declared) || (owner_counts && word.is_called())
        }
    }
}

/// `assert!(true)`, `assert True`, `expect(true)`, `assertEquals(1, 1)`: nothing that could fail.
fn is_trivial(word: &Word<'_>) -> bool {
    let after = word.after();
    let after = after.strip_prefix(b"!").unwrap_or(after).trim_ascii_start();
    let Some(arguments) = after.strip_prefix(b"(") else {
        let ends = |byte: &u8| matches!(byte, b'\n' | b';' | b'#');
        return cannot_fail(after.split(ends).next().unwrap_or_default());
    };
    let short = arguments.get(..arguments.len().min(80)).unwrap_or_default();
    let close = short.iter().position(|byte| *byte == b')');
    close.is_some_and(|close| cannot_fail(short.get(..close).unwrap_or_default()))
}

/// `true`; `1, 1`; `true, "why"`
fn cannot_fail(arguments: &[u8]) -> bool {
    let mut parts = arguments.split(|byte| *byte == b',').map(<[u8]>::trim_ascii);
    let (first, second) = (parts.next().unwrap_or_default(), parts.next());
    let says_why = |text: &[u8]| matches!(text.first(), None | Some(b'"' | b'\''));
    is_constant(first) && second.is_none_or(|second| second == first || says_why(second))
}

fn is_constant(text: &[u8]) -> bool {
    let text = text.trim_ascii();
    let same = text
        .split(|byte| *byte == b'=')
        .map(<[u8]>::trim_ascii)
        .filter(|side| !side.is_empty())
        .collect::<Vec<_>>();
    let literal = |text: &[u8]| {
        text.eq_ignore_ascii_case(b"true")
            || (!text.is_empty() && text.iter().all(u8::is_ascii_digit) && text != b"0")
    };
    match same.as_slice() {
        [only] => literal(only),
        [left, right] => left == right && (literal(left) || left == b"0"),
        _ => false,
    }
}
