//! Tests that are calls: JavaScript, Ruby, PHP and their kin.

use super::word::{Counts, Word};

/// `it(…)`, `test.each(…)(…)`, `it.skip(…)`, `describe.only(…)`, `xit(…)`, `fit(…)`, `{ skip: true }`.
pub(super) fn javascript(word: &Word<'_>, counts: &mut Counts) {
    let owner = word.owner();
    if !owner.is_empty() && !matches!(owner, b"Deno" | b"QUnit") {
        let of_context = matches!(owner, b"this" | b"t" | b"ctx" | b"context" | b"task");
        counts.skips += u32::from(word.is_one_of(&["skip", "todo"]) && of_context && word.is_called());
        return;
    }
    if word.follows("function") || word.follows(".") {
        return;
    }
    let (chain, called) = chain(word.after());
    let has = |names: &[&str]| chain.iter().any(|part| names.iter().any(|name| part == &name.as_bytes()));
    let known = [
        "skip",
        "only",
        "todo",
        "fixme",
        "failing",
        "fails",
        "skipIf",
        "runIf",
        "each",
        "for",
        "concurrent",
        "sequential",
        "serial",
        "ignore",
        "if",
    ];
    let plain = chain.iter().all(|part| known.iter().any(|name| part == &name.as_bytes()));
    let one = ["it", "test", "specify", "testWidgets", "xit", "xtest", "xspecify", "fit"];
    let group = ["describe", "context", "suite", "group", "xdescribe", "xcontext", "fdescribe", "fcontext"];
    if word.is_one_of(&one) || word.is_one_of(&group) {
        if !called {
            return;
        }
        counts.tests += u32::from(word.is_one_of(&one) && plain);
        let skips = ["skip", "todo", "fixme", "failing", "fails", "skipIf", "ignore"];
        counts.skips += u32::from(word.starts_with("x") || has(&skips));
        counts.only += u32::from(word.starts_with("f") || has(&["only"]));
    } else if word.is_one_of(&["skip", "ignore", "only"]) {
        let value = word.after().strip_prefix(b":").unwrap_or_default().trim_ascii_start();
        // What stands in strings is blank: a reason is a reason to skip.
        let set = value.starts_with(b"true") || value.starts_with(b"\"") || value.starts_with(b"'");
        let mark = if word.is("only") { &mut counts.only } else { &mut counts.skips };
        *mark += u32::from(set);
    } else if word.is("pending") && word.is_called() {
        counts.skips += 1;
    }
}

/// `.skip.each` → its parts, and whether something is called in the end.
fn chain(mut rest: &[u8]) -> (Vec<&[u8]>, bool) {
    let mut parts = Vec::new();
    while let Some(after) = rest.strip_prefix(b".") {
        let after = after.trim_ascii_start();
        let length = after.iter().take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'_').count();
        let (part, further) = after.split_at(length);
        if part.is_empty() {
            break;
        }
        parts.push(part);
        rest = further.trim_ascii_start();
    }
    (parts, matches!(rest.first(), Some(b'(' | b'`' | b'<')))
}

/// `RSpec`, minitest, `ExUnit` and bats.
pub(super) fn ruby(word: &Word<'_>, counts: &mut Counts) {
    let after = word.after();
    let quoted = matches!(after.first(), Some(b'"' | b'\'' | b'(' | b'{')) || after.starts_with(b"do");
    let begins = word.begins_line() || word.follows("@");
    let one = ["it", "specify", "scenario", "example", "test", "its", "property"];
    let off = ["xit", "xspecify", "xscenario", "xexample"];
    let focused = ["fit", "fspecify", "fexample"];
    if begins && quoted && (word.is_one_of(&one) || word.is_one_of(&off) || word.is_one_of(&focused)) {
        counts.tests += 1;
    }
    counts.tests += u32::from(word.starts_with("test_") && word.follows("def"));
    let groups_off = ["xdescribe", "xcontext", "xfeature"];
    let called_off = begins && (word.is_one_of(&off) || word.is_one_of(&groups_off));
    let statement = begins && word.is_one_of(&["skip", "pending"]) && !after.starts_with(b"=");
    let keyed = word.is_one_of(&["skip", "pending"])
        && (after.starts_with(b":") && !after.starts_with(b"::") || word.follows(":"));
    counts.skips += u32::from(called_off || statement || keyed);
    let groups_only = ["fdescribe", "fcontext", "ffeature"];
    let called_only = begins && (word.is_one_of(&focused) || word.is_one_of(&groups_only));
    let focus = word.is("focus") && (after.starts_with(b": true") || word.follows(":"));
    counts.only += u32::from(called_only || focus);
}

/// `PHPUnit` and Pest.
pub(super) fn php(word: &Word<'_>, counts: &mut Counts) {
    let method = word.starts_with("test") && word.follows("function") && word.is_called();
    let attribute = word.is("Test") && word.follows("#[");
    let pest = word.is_one_of(&["it", "test"]) && word.is_called() && word.begins_line();
    counts.tests += u32::from(method || attribute || pest);
    let call = word.is_one_of(&["markTestSkipped", "markTestIncomplete"])
        || (word.is_one_of(&["skip", "todo"]) && word.follows("->"));
    counts.skips += u32::from(call && word.is_called());
    counts.only += u32::from(word.is("only") && word.follows("->") && word.is_called());
}
