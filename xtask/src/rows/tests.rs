use std::path::Path;

use super::scan::{Mention, Misplaced, mentions, module_of};
use super::{Tests, read_inventory, table};

/// So that these texts are not themselves taken for rows: the scan looks at this file too.
fn source(text: &str) -> String {
    text.replace("@rows", "// rows")
}

#[test]
fn a_comment_belongs_to_the_test_below_it() {
    let text = source(
        "@rows: 36, 37\n#[test]\nfn shows_text() {}\n\n  @rows: 1\n  /// Why.\n  #[test]\n  #[ignore]\n  fn b(a in 0..3) {}\n",
    );
    assert_eq!(
        mentions(&text),
        [
            Ok(Mention { rows: vec![36, 37], test: "shows_text".to_owned(), line: 1 }),
            Ok(Mention { rows: vec![1], test: "b".to_owned(), line: 5 }),
        ]
    );
}

#[test]
fn a_comment_without_numbers_or_test_is_misplaced() {
    let numbers = "numbers separated by commas are expected";
    let test = "no test follows the rows";
    for (text, problem) in [
        ("@rows:\n#[test]\nfn a() {}", numbers),
        ("@rows: x\n#[test]\nfn a() {}", numbers),
        ("@rows: 1\nfn helper() {}", test),
        ("@rows: 1\n\n#[test]\nfn a() {}", test),
        ("@rows: 1", test),
    ] {
        assert_eq!(mentions(&source(text)), [Err(Misplaced { line: 1, problem })], "{text}");
    }
}

#[test]
fn files_have_the_names_of_their_modules() {
    for (file, module) in [
        ("crates/windlass-core/src/run/tests.rs", "windlass-core::run::tests"),
        ("crates/windlass-core/src/run/mod.rs", "windlass-core::run"),
        ("crates/windlass-ui/src/lib.rs", "windlass-ui"),
        ("crates/windlass/tests/goal.rs", "windlass::tests::goal"),
    ] {
        assert_eq!(module_of(Path::new(file)), module);
    }
}

#[test]
fn the_table_counts_what_is_due() {
    let inventory = read_inventory(
        "[[group]]\nname = 'G'\nrows = [
            {number = 1, must = 1, feature = 'One'},
            {number = 3, must = 2, feature = 'Three'},
            {number = 4, must = 3, feature = 'Four'},
            {number = 5, must = 3, feature = 'Five'},
        ]",
    )
    .unwrap();
    let tests = Tests::from([
        (1, vec!["a::b".to_owned(), "c".to_owned()]),
        (3, Vec::new()),
        (5, vec!["d".to_owned()]),
    ]);
    assert_eq!(table::summary(&inventory, &tests), "2 rows, 1 shown by tests, 1 open");
    let document = table::render(&inventory, &tests);
    let lines = "| 1 | 1 | One | `a::b`<br>`c` |\n| 3 | 2 | Three | open |\n| 5 | 3 | Five | `d` |\n";
    assert!(document.ends_with(lines), "{document}");
}

#[test]
fn an_inventory_out_of_order_is_refused() {
    for rows in [
        "{number = 2, must = 1, feature = ''}, {number = 2, must = 1, feature = ''}",
        "{number = 1, must = 4, feature = ''}",
    ] {
        assert!(read_inventory(&format!("[[group]]\nname = 'G'\nrows = [{rows}]")).is_err(), "{rows}");
    }
}
