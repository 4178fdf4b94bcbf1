//! What each form reads of one file, and where it is said and tried that it does.

use super::*;
use crate::doc::tasks::sources::{INDEX, form_of, form_of_folder, page};

/// A form's name, one of its files, and `line state id title <dependencies !priority` of each task.
const GOLDEN: &[(&str, &str, &[&str])] = &[
    (
        "markdown",
        include_str!("../sources/markdown/golden.md"),
        &[
            "3 done TASK-001 Set up !1",
            "8 in_progress TASK-002 Cart <TASK-001",
            "16 open FEAT-3 Pay <TASK-002 TASK-001",
        ],
    ),
    (
        "cursor",
        include_str!("../sources/cursor/golden.md"),
        &[
            "4 done table Create the table of users",
            "7 in_progress form Build the form: name, password <table",
            "12 open tests Write tests <table form",
        ],
    ),
    (
        "prd",
        include_str!("../sources/prd/golden.json"),
        &["4 done US-001 Set up !1", "5 open US-002 Cart <US-001", "6 open 3 3 <US-002 US-001 !3"],
    ),
    (
        "front_matter",
        include_str!("../sources/front_matter/golden.md"),
        &["1 in_progress TASK-003 Write the manual <TASK-003b TASK-001 !1"],
    ),
    (
        "task_master",
        include_str!("../sources/task_master/golden.json"),
        &[
            "4 done 1 Set up !1",
            "5 in_progress 2 Pay <1",
            "6 open 2.1 Card",
            "7 in_progress 2.2 Invoice <2.1",
            "11 open later:1 Refund !3",
        ],
    ),
    (
        "feature_list",
        include_str!("../sources/feature_list/golden.json"),
        &["2 done 1 A person can log in", "3 open 2 A person can pay"],
    ),
    (
        "beads",
        include_str!("../sources/beads/golden.jsonl"),
        &["1 done shop-1 Cart !0", "2 open shop-2 Pay <shop-1 !1"],
    ),
    (
        "table",
        include_str!("../sources/table/golden.md"),
        &["5 done T1 Parse the file", "6 in_progress T2 **Draw** the page <T1", "7 open T3 Print it <T1 T2"],
    ),
    (
        "issues",
        include_str!("../sources/issues/golden.md"),
        &["5 done #7 Read numbers", "11 in_progress #12 Say in which column an error is <#7 !1"],
    ),
    (
        "boxes",
        include_str!("../sources/boxes/golden.md"),
        &[
            "3 open  Before all",
            "7 done 1.1 Form",
            "8 in_progress  its fields",
            "9 open 1.2 Send <1.1 Before all",
            "12 done 1.3 Store",
        ],
    ),
];

#[test]
fn each_form_has_a_golden_reading_and_its_row_in_the_docs() {
    for form in SOURCES {
        let golden = GOLDEN.iter().find(|(name, ..)| *name == form.name());
        let Some((name, text, expected)) = golden else {
            panic!("there is no golden reading of the form `{}`", form.name())
        };
        let contents = Contents::read(vec![file("golden", form, text)]);
        let tell = |task: &Task| {
            let TaskRow { id, title, state, priority, .. } = &task.row;
            let names: Vec<&str> = task.dependencies_as_written().collect();
            let after = if names.is_empty() { String::new() } else { format!(" <{}", names.join(" ")) };
            let usual = *priority == TaskRow::USUAL_PRIORITY;
            let priority = if usual { String::new() } else { format!(" !{priority}") };
            format!("{} {} {id} {title}{after}{priority}", task.line, state.name())
        };
        assert_eq!(contents.tasks.iter().map(tell).collect::<Vec<_>>(), *expected, "{name}");
        assert_eq!(contents.problems, [], "{name}");
        for task in &contents.tasks {
            let unchanged = contents.mark(task, task.row.state).map(|splice| splice.is_empty());
            assert_eq!(unchanged, Ok(true), "{name}: {}", task.row.title);
        }
    }
    assert_eq!(GOLDEN.len(), SOURCES.len(), "a golden reading belongs to no form");
}

#[test]
fn the_page_about_forms_says_what_they_say() {
    let written = include_str!("../../../../../../docs/sources.md");
    assert_eq!(written, page(), "renew it: cargo run -q -p windlass-ui --example sources > docs/sources.md");
}

#[test]
fn a_file_is_read_in_the_first_form_that_knows_it() {
    let name = |file: &str, place| form_of(file, place, b"### TASK-1: a\n").map(TaskSource::name);
    for (file, alone, in_folder) in [
        ("tasks.md", "markdown", Some("front_matter")),
        ("requirements", "markdown", None),
        ("prd.JSON", "prd", None),
        (INDEX, "markdown", None),
        ("_old.md", "markdown", None),
        (".hidden.md", "markdown", None),
    ] {
        assert_eq!(
            (name(file, Place::Alone), name(file, Place::InFolder)),
            (Some(alone), in_folder),
            "{file}"
        );
    }
    assert_eq!(form_of_folder().name(), "front_matter");
}
