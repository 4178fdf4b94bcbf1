use proptest::prelude::*;

use super::*;

fn object(question: &str) -> String {
    format!(
        r#"{{"principle_conflict": {{"principles": ["speed", "safety"], "options": ["a", "b"], "question": "{question}"}}}}"#
    )
}

#[test]
fn the_last_object_counts_wherever_it_stands() {
    for text in [
        object("Ship?"),
        format!("I am stuck.\n```json\n{}\n```\nThat is all.", object("Ship?")),
        format!("{} and then {}", object("Other?"), object("Ship?")),
        format!("{{ \n {} {{\"principle_conflict\": \"prose\"}}", &object("Ship?")[1..]),
        format!("{} {{\"principle_conflict\": {{\"question\": \"cut off", object("Ship?")),
    ] {
        let conflict = conflict_in(&text).unwrap_or_else(|| panic!("{text}"));
        assert_eq!(conflict.question, "Ship?", "{text}");
        assert_eq!((conflict.principles.len(), conflict.options.len()), (2, 2));
    }
}

// The words of claude-loop (seed 004, E4), whatever their case.
#[test]
fn the_words_of_the_seed_count_where_there_is_no_object() {
    for (text, question) in [
        ("PRINCIPLE_CONFLICT_UNRESOLVED", "PRINCIPLE_CONFLICT_UNRESOLVED"),
        (
            "Done.\nprinciple_conflict_unresolved: *speed* or safety?",
            "principle_conflict_unresolved: *speed* or safety?",
        ),
        (
            "I cannot resolve this between the principles. More.",
            "I cannot resolve this between the principles.",
        ),
        (
            "There are Conflicting Principles here that stay unresolved",
            "There are Conflicting Principles here that stay unresolved",
        ),
    ] {
        assert_eq!(conflict_in(text).map(|conflict| conflict.question).as_deref(), Some(question), "{text}");
    }
    for text in [
        "",
        "All principles hold.",
        "I cannot resolve this. The principles are fine.",
        "unresolved: conflicting principles",
        "the principle_conflict is resolved",
        r#"{"principle_conflict": {}}"#,
        r#"{"principle_conflict": {"principles": ["one"], "question": " "}}"#,
    ] {
        assert_eq!(conflict_in(text), None, "{text}");
    }
}

#[test]
fn what_is_quoted_of_the_prompt_is_no_report() {
    let quoted = object("Ship?");
    for text in [
        format!("You said:\n> {quoted}\nIt is clear."),
        format!("You said:\n~~~\n{quoted}\n~~~\nIt is clear."),
        format!("~~~~\n~~~\n{quoted}\nPRINCIPLE_CONFLICT_UNRESOLVED\n~~~~\nfine"),
        "> PRINCIPLE_CONFLICT_UNRESOLVED".to_owned(),
    ] {
        assert_eq!(conflict_in(&text), None, "{text}");
    }
}

#[test]
fn what_is_reported_is_bounded_and_has_no_control_characters() {
    let long = "x".repeat(5000);
    let list = vec![format!("\"{long}\\u001b\""); 20].join(",");
    let text = format!(
        r#"{{"principle_conflict":{{"principles":[{list}],"options":[{list}],"question":"a\nb\u0007{long}"}}}}"#
    );
    let conflict = conflict_in(&text).unwrap();
    assert_eq!((conflict.principles.len(), conflict.options.len()), (6, 6));
    assert!(conflict.principles.iter().all(|text| text.chars().count() == 80));
    assert_eq!(conflict.question.chars().count(), 1000);
    assert!(conflict.question.starts_with("a bx"), "{}", &conflict.question[..10]);
}

proptest! {
    #[test]
    fn no_words_panic(text in "(\\{|\\}|\"principle_conflict\"|:|\\[|~~~|>|\\n|question|cannot resolve|principle|\\PC){0,40}") {
        if let Some(conflict) = conflict_in(&text) {
            prop_assert!(!conflict.question.contains(char::is_control));
        }
    }
}
