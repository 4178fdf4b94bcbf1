//! Documents that hold, and one thing wrong with each of the others.

use super::*;

const PRD: &str = "# PRD: Lists\n\n## 1. Goals\n- Nothing is forgotten\n\n### Functional requirements\n* R1: A list is kept in 3.5 GB at most\n\
    * **R2**: Entries are ticked off\n\n## Constraints\n1. No network\n\n## Success Criteria:\n- `cargo test` passes\n";

const ARCHITECTURE: &str = "# Architecture\n\n## Components\n\n### Store\nKeeps the list.\n- Files: `src/store.rs`, `src/a..b.rs`\n- Requirements: R1\n\n\
    ### Tick\nTicks entries off, see R2, in `src/tick.rs`.\n\n## File Structure\n```\nsrc/\n  store.rs\n## not a heading\n```\n\n## Technical decisions\n- Plain files\n";

const TASKS: &str = "# Tasks\n\n### T001: Keep the list\n- **Status**: pending\n- **Dependencies**: none\n- **Files**: `src/store.rs`\n- **Complexity**: small\n\
    - **Description**: Write it (R1).\n- **Success Criteria**:\n  - file `src/store.rs` exists\n  - `cargo test` passes\n\n\
    ### T1000: Tick off\n- **Dependencies**: [t001]\n- **Description**: Ticks\n  and more lines.\n\n#### Success criteria\n- [ ] `src/tick.rs` contains `fn tick`\n";

fn document(name: &str, text: &str) -> PhaseDocument {
    PhaseDocument { name: name.to_owned(), content: Some(Ok(text.as_bytes().to_vec())) }
}

fn wrong(phase: PipelinePhase, text: &str) -> Vec<String> {
    let found = problems(phase, &document(phase.document(), text), &document("prd.md", PRD));
    found.iter().map(ToString::to_string).collect()
}

fn valid(phase: PipelinePhase) -> &'static str {
    match phase {
        PipelinePhase::Prd => PRD,
        PipelinePhase::Architecture => ARCHITECTURE,
        PipelinePhase::Tasks => TASKS,
    }
}

const ALL: [PipelinePhase; 3] = [PipelinePhase::Prd, PipelinePhase::Architecture, PipelinePhase::Tasks];

// rows: 97
// Seed defect D4, decomposer/parser.go:13: T1000 was T100, and ids in lower case were ignored.
// Seed defect D4, decomposer/parser.go:16: descriptions and criteria of several lines were dropped.
#[test]
fn documents_as_they_are_asked_for_hold() {
    for phase in ALL {
        assert_eq!(wrong(phase, valid(phase)), [""; 0]);
        assert_eq!(wrong(phase, &valid(phase).replace('\n', "\r\n")), [""; 0]);
    }
    assert_eq!(requirement_ids(&document("prd.md", PRD)), ["R1", "R2"]);
    let unnumbered = "## Requirements\n- runs\n- 3.5 GB stay\n";
    assert_eq!(requirement_ids(&document("prd.md", unnumbered)), ["R1", "R2"]);
}

// rows: 97
#[test]
fn what_only_looks_like_a_document_is_not_one() {
    for phase in ALL {
        let name = phase.document();
        assert_eq!(wrong(phase, " \n"), [format!("{name} is empty")]);
        assert_eq!(
            wrong(phase, "# A\n\n## Goals\n"),
            [format!("{name} has headings and nothing below them")]
        );
        let cut = format!("{}\n```rust\nfn main(", valid(phase));
        assert!(wrong(phase, &cut)[0].contains("never closed"), "{:?}", wrong(phase, &cut));
        let cut = format!("{}\n## And\n", valid(phase));
        assert!(wrong(phase, &cut).iter().any(|said| said.contains("ends with the heading `And`")));
        let cut = format!("{}\n## And\n\n- this,\n", valid(phase));
        assert!(wrong(phase, &cut).iter().any(|said| said.contains("ends in the middle of a sentence")));
        let prd = document("prd.md", PRD);
        let none = PhaseDocument { name: name.to_owned(), content: None };
        assert_eq!(problems(phase, &none, &prd)[0].to_string(), format!("{name} is not there: write it"));
        let bytes = PhaseDocument { content: Some(Ok(b"a\n\xff".to_vec())), ..none.clone() };
        assert_eq!(problems(phase, &bytes, &prd)[0].to_string(), format!("{name}:2: is not UTF-8"));
        let long = PhaseDocument { content: Some(Ok(vec![b'a'; LONGEST_DOCUMENT + 1])), ..none };
        assert!(problems(phase, &long, &prd)[0].to_string().contains("is longer than"));
    }
}

// rows: 97
#[test]
fn the_form_itself_is_not_a_document() {
    for (phase, form) in [
        (PipelinePhase::Prd, include_str!("../../prompt/templates/phase_prd.md")),
        (PipelinePhase::Architecture, include_str!("../../prompt/templates/phase_architecture.md")),
        (PipelinePhase::Tasks, include_str!("../../prompt/templates/phase_tasks.md")),
    ] {
        let form: String =
            form.lines().filter_map(|line| line.strip_prefix("    ")).flat_map(|line| [line, "\n"]).collect();
        let said = wrong(phase, &form);
        assert!(!said.is_empty(), "{form}");
    }
    for (text, is) in [
        ("TODO", true),
        ("R1: TBD", true),
        ("[TODO]: ask Bob", true),
        ("TODO lists are kept in a file", false),
        ("A todo app", false),
        ("<what it does>", true),
        ("...", true),
        ("Lorem ipsum dolor", true),
        ("[link](x)", false),
        ("`Vec<T>` holds them", false),
        ("GET /todos returns [{id}]", false),
    ] {
        assert_eq!(filler::is_placeholder(text), is, "{text}");
    }
}

// rows: 97
#[test]
fn what_each_document_must_have_is_missed_by_name() {
    use PipelinePhase::{Architecture, Prd, Tasks};

    let without = |phase: PipelinePhase, from: &str, to: &str| {
        let text = valid(phase).replacen(from, to, 1);
        assert_ne!(text, valid(phase), "{from}");
        wrong(phase, &text).join("; ")
    };
    for (phase, from, to, said) in [
        (Prd, "Goals", "Things", "prd.md has no goals"),
        (Prd, "Goals", "Non-goals", "prd.md has no goals"),
        (Prd, "Functional requirements", "What it does", "prd.md has no requirements"),
        (Prd, "Success Criteria", "Finally", "prd.md has no success criteria"),
        (Prd, "**R2**", "**R1**", "prd.md:8: has the id R1 of line 7"),
        (Prd, "**R2**: Entries are ticked off", "**R2**:", "does not say what is required"),
        (Architecture, "Components", "Things", "has no components"),
        (Architecture, "File Structure", "Tree", "has no file structure"),
        (Architecture, "Technical decisions", "Because", "has no technical decisions"),
        (
            Architecture,
            "in `src/tick.rs`",
            "somewhere",
            "architecture.md:10: the component Tick names no file",
        ),
        (
            Architecture,
            "src/a..b.rs",
            "../b.rs",
            "architecture.md:7: the component Store names the file ../b.rs, which leads out",
        ),
        (Architecture, "src/a..b.rs", "/etc/b", "which is not below the project's folder"),
        (Architecture, "see R2", "see R20", "does not say where the requirement R2 is met"),
        (
            Architecture,
            "Requirements: R1",
            "Requirements: R1, R9",
            "architecture.md:8: refers to the requirement R9, which is not in the PRD",
        ),
        (Tasks, "T1000:", "T001:", "has the id T001 of line 3"),
        (Tasks, "[t001]", "[T002]", "T1000 depends on `T002`, which is not a task of this list"),
        (Tasks, "**Dependencies**: none", "**Dependencies**: T1000", "these wait for one another"),
        (Tasks, "- **Description**: Write it (R1).\n", "", "tasks.md:3: T001 has no description"),
        (Tasks, "Write it (R1).", "TODO", "T001 has a description that says nothing"),
        (Tasks, "#### Success criteria\n- [ ] ", "", "T1000 has no success criterion"),
        (
            Tasks,
            "`src/store.rs`\n- **Comp",
            "`../store.rs`\n- **Comp",
            "T001 names the file ../store.rs, which leads out",
        ),
        (Tasks, " Tick off", "", "T1000 has no title"),
    ] {
        let found = without(phase, from, to);
        assert!(found.contains(said), "{from} → {to}: {found:?}");
    }
}

#[test]
fn a_table_of_requirements_and_components_in_a_list_are_read() {
    let table = "## Goals\n- a\n## Requirements\n| Id | What |\n|----|------|\n| R1 | it runs |\n| R2 | it ends |\n## Success criteria\n- b\n";
    assert_eq!(wrong(PipelinePhase::Prd, table), [""; 0]);
    assert_eq!(requirement_ids(&document("prd.md", table)), ["R1", "R2"]);
    let list = "## Components\n- **Store**: keeps R1\n  - `src/store.rs`\n- **Tick**: does R2 in `src/tick.rs`\n## File structure\nAll in src.\n\
        ## Technical decisions\nPlain files.\n";
    assert_eq!(wrong(PipelinePhase::Architecture, list), [""; 0]);
}

#[test]
fn how_it_stands_is_told_with_the_first_problem_and_how_many_there_are() {
    let bad = document("prd.md", "## Goals\n- TODO\n");
    let found = problems(PipelinePhase::Prd, &bad, &bad);
    let told = standing(PipelinePhase::Prd, &bad, &found, "m");
    assert!(!told.complete && !told.is_unreadable());
    assert!(told.problem.as_deref().is_some_and(|said| said.contains("(and ")), "{told:?}");
    assert!(standing(PipelinePhase::Prd, &document("prd.md", PRD), &[], "m").complete);
}
