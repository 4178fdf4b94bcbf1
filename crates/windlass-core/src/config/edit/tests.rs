//! Every change leaves all other bytes alone.

use proptest::prelude::*;

use super::*;

fn text(text: &str) -> Value {
    Value::String(text.to_owned())
}

fn texts(items: &[&str]) -> Vec<Value> {
    items.iter().map(|item| text(item)).collect()
}

// rows: 125
#[test]
fn a_value_that_is_there_is_replaced_where_it_is() {
    for (before, after) in [
        (
            "# mine\n[limits]  # all\n  max_cost   =  5 # dollars\n\nmax_failures = 2\n",
            "# mine\n[limits]  # all\n  max_cost   =  \"$9\" # dollars\n\nmax_failures = 2\n",
        ),
        ("limits.max_cost = 5 # x", "limits.max_cost = \"$9\" # x"),
        ("limits = { a = 1, max_cost = 5, b = 2 }\n", "limits = { a = 1, max_cost = \"$9\", b = 2 }\n"),
        ("[limits]\r\nmax_cost = 5\r\n# end\r\n", "[limits]\r\nmax_cost = \"$9\"\r\n# end\r\n"),
        ("\u{feff}[limits]\nmax_cost = '''\n5'''\n", "\u{feff}[limits]\nmax_cost = \"$9\"\n"),
        ("['limits']\n\"max_cost\" = 5\n", "['limits']\n\"max_cost\" = \"$9\"\n"),
    ] {
        assert_eq!(set(before, "limits.max_cost", &text("$9")).unwrap(), after, "{before:?}");
    }
}

// rows: 125
#[test]
fn a_new_value_comes_to_its_table() {
    for (before, after) in [
        ("", "[limits]\nmax_cost = 9\n"),
        ("\u{feff}", "\u{feff}[limits]\nmax_cost = 9\n"),
        ("# mine\n", "# mine\n\n[limits]\nmax_cost = 9\n"),
        ("# mine", "# mine\n\n[limits]\nmax_cost = 9\n"),
        ("[git]\r\ncommit = 'agent'\r\n", "[git]\r\ncommit = 'agent'\r\n\r\n[limits]\r\nmax_cost = 9\r\n"),
        ("[limits]", "[limits]\nmax_cost = 9"),
        ("[limits] # all\n[git]\n", "[limits] # all\nmax_cost = 9\n[git]\n"),
        (
            "[limits]\n  a = 1 # one\n  # about the next table\n\n[git]\n",
            "[limits]\n  a = 1 # one\n  max_cost = 9\n  # about the next table\n\n[git]\n",
        ),
        ("[limits]\na = [\n 1,\n]\n", "[limits]\na = [\n 1,\n]\nmax_cost = 9\n"),
        ("limits.a = 1\n[git]\n", "limits.a = 1\nlimits.max_cost = 9\n[git]\n"),
        ("limits = { a = 1 } # x\n", "limits = { a = 1, max_cost = 9 } # x\n"),
        ("limits = {}\n", "limits = { max_cost = 9 }\n"),
    ] {
        assert_eq!(set(before, "limits.max_cost", &Value::Integer(9)).unwrap(), after, "{before:?}");
    }
}

// rows: 125
#[test]
fn a_value_goes_and_comments_of_its_neighbours_stay() {
    for (before, after) in [
        ("[limits]\n# why\nmax_cost = 5 # x\nb = 1\n", Some("[limits]\n# why\nb = 1\n")),
        ("[limits]\nmax_cost = 5", Some("[limits]\n")),
        ("[limits]\r\na = 1\r\nmax_cost = '''\r\n5'''\r\n", Some("[limits]\r\na = 1\r\n")),
        ("\u{feff}limits.max_cost = 5\nlimits.a = 1\n", Some("\u{feff}limits.a = 1\n")),
        ("limits = { max_cost = 5 }\n", Some("limits = {  }\n")),
        ("limits = { max_cost = 5, a = 1 }\n", Some("limits = { a = 1 }\n")),
        ("limits = { a = 1, max_cost = 5 }\n", Some("limits = { a = 1 }\n")),
        ("[limits]\na = 1\n", None),
        ("", None),
    ] {
        assert_eq!(unset(before, "limits.max_cost").unwrap().as_deref(), after, "{before:?}");
    }
}

// rows: 125
#[test]
fn items_come_and_go_and_the_others_stay_as_they_are() {
    let all = "[gates]\ncommands = [\n  \"a\", # one\n  'b' # two\n]\n";
    for (before, items, after) in [
        ("", &["a", "b"][..], "[gates]\ncommands = [\"a\", \"b\"]\n"),
        ("[gates]\ncommands = [ 'a' ]\n", &["a", "b"], "[gates]\ncommands = [ 'a', \"b\" ]\n"),
        ("[gates]\ncommands = ['a',]\n", &["a", "b"], "[gates]\ncommands = ['a', \"b\",]\n"),
        ("[gates]\ncommands = []\n", &["b"], "[gates]\ncommands = [\"b\"]\n"),
        ("[gates]\ncommands = ['a', 'b', 'c']\n", &["a", "c"], "[gates]\ncommands = ['a', 'c']\n"),
        ("[gates]\ncommands = ['a', 'b', 'c']\n", &["a", "b"], "[gates]\ncommands = ['a', 'b']\n"),
        ("[gates]\ncommands = ['a']\n", &[], "[gates]\ncommands = []\n"),
        ("[gates]\ncommands = ['a',]\n", &[], "[gates]\ncommands = []\n"),
        ("[gates]\ncommands = ['a', 'a', 'b']\n", &["b"], "[gates]\ncommands = ['b']\n"),
        (all, &["a", "b", "c"], "[gates]\ncommands = [\n  \"a\", # one\n  'b', # two\n  \"c\",\n]\n"),
        (all, &["a"], "[gates]\ncommands = [\n  \"a\", # one\n]\n"),
        (all, &["b"], "[gates]\ncommands = [\n  'b' # two\n]\n"),
        (
            "[gates]\r\ncommands = [\r\n\t'a', # one, two\r\n]\r\n",
            &["a", "b"],
            "[gates]\r\ncommands = [\r\n\t'a', # one, two\r\n\t\"b\",\r\n]\r\n",
        ),
        ("gates = { commands = ['a'] }\n", &["a", "b"], "gates = { commands = ['a', \"b\"] }\n"),
    ] {
        assert_eq!(set_list(before, "gates.commands", &texts(items)).unwrap(), after, "{before:?}");
    }
    let table = "[gates]\ncommands = [\n  { command = 'x', timeout = '1m' }, # slow\n]\n";
    let kept = [toml::toml! { item = { command = "x", timeout = "1m" } }["item"].clone(), text("y")];
    assert_eq!(
        set_list(table, "gates.commands", &kept).unwrap(),
        "[gates]\ncommands = [\n  { command = 'x', timeout = '1m' }, # slow\n  \"y\",\n]\n"
    );
}

#[test]
fn what_is_broken_or_too_intricate_stays_as_it_is() {
    for broken in ["[limits\n", "[limits]\na = 1\n[limits]\n", "[limits]\na = \n", "a = 1\na = 2\n"] {
        assert!(matches!(set(broken, "limits.b", &text("x")), Err(EditError::Broken { line: Some(_), .. })));
        assert!(matches!(unset(broken, "limits.b"), Err(EditError::Broken { .. })));
    }
    for (intricate, line) in [
        ("[[gates.commands]]\ncommand = 'a'\n", 1),
        ("gates = 5\n", 1),
        ("[git]\n[gates.commands]\nx = 1\n", 2),
        ("[[gates]]\nx = 1\n", 1),
    ] {
        let error = EditError::Intricate { key: "gates.commands".to_owned(), line };
        assert_eq!(set_list(intricate, "gates.commands", &texts(&["x"])).unwrap_err(), error, "{intricate}");
    }
}

/// Small files of all kinds of lines.
fn document() -> impl Strategy<Value = String> {
    let line = prop_oneof![
        Just("# comment"),
        Just(""),
        Just("[limits]"),
        Just("[gates] # header"),
        Just("max_cost = 5"),
        Just("  max_failures=2 # why"),
        Just("commands = [ 'a', \"b\" ]"),
        Just("commands = [\n  'a', # one\n  # two\n  'b'\n]"),
        Just("limits.max_cost = '$3'"),
        Just("gates = { until = ['x'] }"),
        Just("limits = { max_cost = 1, max_failures = 2 }"),
    ];
    let end = prop_oneof![Just("\n"), Just("\r\n")];
    (prop::collection::vec(line, 0..8), end, any::<bool>()).prop_map(|(lines, end, closed)| {
        let text = lines.join("\n").replace('\n', end);
        if closed { text + end } else { text }
    })
}

proptest! {
    #[test]
    fn only_lines_of_the_change_differ(text in document(), number in 0i64..100) {
        let Ok(changed) = set(&text, "limits.max_cost", &Value::Integer(number)) else { return Ok(()) };
        let kept = |line: &&str| {
            let touched = line.contains("max_cost") || line.starts_with("limits =") || *line == "[limits]";
            !touched && !line.trim().is_empty()
        };
        let lines = |text: &str| text.lines().filter(kept).map(str::to_owned).collect::<Vec<_>>();
        prop_assert_eq!(lines(&text), lines(&changed));
        prop_assert_eq!(text.matches("\r\n").count() > 0 && !text.replace("\r\n", "").contains('\n'),
            changed.matches("\r\n").count() > 0 && !changed.replace("\r\n", "").contains('\n'));
        prop_assert_eq!(value_of(&changed, "limits.max_cost"), Ok(Some(Value::Integer(number))));
        let without = unset(&changed, "limits.max_cost").unwrap().unwrap();
        prop_assert_eq!(lines(&text), lines(&without));
    }

    #[test]
    fn any_list_is_reached_or_refused(text in document(), items in prop::collection::vec("[a-d]", 0..4)) {
        let mut items: Vec<Value> = items.into_iter().map(Value::String).collect();
        items.dedup();
        if let Ok(changed) = set_list(&text, "gates.commands", &items) {
            prop_assert_eq!(value_of(&changed, "gates.commands"), Ok(Some(Value::Array(items))));
        }
    }

    #[test]
    fn no_text_panics(text in ".{0,80}", key in "[a-z.]{0,8}") {
        let _ = set(&text, &key, &Value::Integer(1));
        let _ = unset(&text, &key);
        let _ = set_list(&text, &key, &texts(&["a"]));
    }
}
