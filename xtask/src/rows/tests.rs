use std::path::Path;

use super::attacks::{self, Attacks};
use super::scan::{Mention, Misplaced, mentions, module_of, paragraphs};
use super::{MARK, Tests, defects, note, read_inventory, table};

/// So that these texts are not themselves taken for rows: the scan looks at this file too.
fn source(text: &str) -> String {
    text.replace("@rows", "// rows")
}

#[test]
fn a_comment_belongs_to_the_test_below_it() {
    let text = source(
        "@rows: 36, 37\n#[test]\nfn shows_text() {}\n\n  @rows: 1\n  /// Why.\n  #[test]\n  #[ignore]\n  fn b(a in 0..3) {}\n",
    );
    let mention =
        |said: &str, test: &str, line| Ok(Mention { said: said.to_owned(), test: test.to_owned(), line });
    assert_eq!(mentions(&text, MARK), [mention("36, 37", "shows_text", 1), mention("1", "b", 5)]);
}

#[test]
fn a_comment_without_a_test_is_misplaced() {
    for text in ["@rows: 1\nfn helper() {}", "@rows: 1\n\n#[test]\nfn a() {}", "@rows: 1"] {
        let problem = "no test follows this comment".to_owned();
        assert_eq!(mentions(&source(text), MARK), [Err(Misplaced { line: 1, problem })], "{text}");
    }
}

#[test]
fn only_rows_that_there_are_can_be_named() {
    let mut tests = Tests::from([(1, Vec::new()), (2, Vec::new())]);
    note("1, 2", "a", &mut tests).unwrap();
    assert_eq!(tests, Tests::from([(1, vec!["a".to_owned()]), (2, vec!["a".to_owned()])]));
    for said in ["", "x", "1 2"] {
        assert_eq!(note(said, "a", &mut tests).unwrap_err(), "numbers separated by commas are expected");
    }
    assert_eq!(note("3", "a", &mut tests).unwrap_err(), "docs/rows.toml has no row 3");
}

#[test]
fn a_defect_is_named_by_its_place() {
    let inventory = defects::read(
        "[[group]]\nlist = 'D1'\nname = 'G'\nrows = [
            {place = 'a.ts:1', defect = 'It fell', instead = 'It stands'},
            {place = 'a.ts:2', defect = 'It slept', instead = 'It wakes'},
        ]",
    )
    .unwrap();
    let mut tests = inventory.without_tests();
    defects::note("D1, a.ts:1: it fell, twice.", "t::u", &mut tests).unwrap();
    let document = defects::render(&inventory, &tests);
    assert!(
        document.ends_with(
            "| D1, `a.ts:1` | It fell | It stands | `t::u` |\n| D1, `a.ts:2` | It slept | It wakes | open |\n"
        ),
        "{document}"
    );
    assert!(document.contains("**2 defects, 1 held off by tests, 1 open.**"), "{document}");
    for said in ["D1, a.ts:3: gone.", "D2, a.ts:1: another's.", "a.ts:1: no list.", "D1, a.ts:1"] {
        assert!(defects::note(said, "t", &mut tests).is_err(), "{said}");
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

#[test]
fn an_attack_is_told_in_as_many_lines_as_it_takes() {
    let text = "@attack(files): a link\n//   in place of the notes\n// holds: it is refused.\n#[test]\nfn refuses() {}\n"
        .replace("@attack", "// attack");
    let found = paragraphs(&text, &["// att", "ack("].concat());
    let [Ok(mention)] = found.as_slice() else { panic!("{found:?}") };
    let mut attacks = Attacks::new();
    attacks::note(&mention.said, "links::refuses", &mut attacks).unwrap();
    let page = attacks::render(&attacks);
    assert!(
        page.contains("\n| a link in place of the notes | it is refused | `links::refuses` |\n"),
        "{page}"
    );
    assert!(page.contains("\n## Files and links in the tree\n"), "{page}");
    assert!(!page.contains("## The repository"), "{page}");
}

#[test]
fn an_attack_names_a_section_and_what_happens() {
    for said in ["files: a link holds: it", "files): a link", "elsewhere): a link holds: it"] {
        attacks::note(said, "test", &mut Attacks::new()).unwrap_err();
    }
}
