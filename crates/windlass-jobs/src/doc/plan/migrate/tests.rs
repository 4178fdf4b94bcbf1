//! Nothing is lost on the way to a folder, or back.

use super::super::tests::{single, specs};
use super::*;

const PLAN: &str = "# The plan (v2)\r\n\r\n**Generated:** today\r\n\r\nWhy we do this.\r\n\r\n## Priority 1: Core (first)\r\n\r\nProse of core.\r\n\r\n\
    - [ ] 1.1 Form (refs: specs/auth.md)\r\n  - **Dependencies:** none\r\n  - Complexity: low\r\n    ```\r\n    - [ ] code\r\n    ```\r\n\
    - [~] 1.2 Send (refs: specs/README.md)\r\n- [x] 1.3 Tidy\r\n\r\n## Priority 2\r\n\r\n1. [ ] 2.1 Users (refs: specs/api/users.md, specs/auth.md)\r\n   - [x] table (refs: specs/auth.md)\r\n\
    2. [ ] 2.2 Out (refs: specs/auth.md)\r\n   Dependencies: 1.1\r\n\r\n### 2.3 Head (refs: specs/auth.md) ✅\r\n\r\n**Complexity:** high\r\n\r\n\
    ### Empty section\r\n\r\n## Out of scope\r\n\r\n- [ ] the moon\r\n\r\n## Notes\r\n\r\n> quoted\r\n";

fn names() -> SpecNames {
    specs(&["README.md", "api/users.md", "auth.md"])
}

fn folder(plan: &Plan) -> Vec<NewFile> {
    to_folder(plan, &names()).unwrap_or_else(|error| panic!("{error}"))
}

fn read_folder(files: &[NewFile]) -> Plan {
    let role = |name: &str| if name == "README.md" { FileRole::Index } else { FileRole::Part };
    let file = |file: &NewFile| TaskFile {
        role: role(&file.name),
        ..TaskFile::alone(&format!("plan/{}", file.name), &Boxes, Ok(file.text.clone().into_bytes()))
    };
    Plan::parse(files.iter().map(file).collect())
}

// Seed defect D2, src/impl_plan.rs:427-443: a spec called README overwrote the index, headings were cut at a parenthesis, prose was lost.
// rows: 96
#[test]
fn each_spec_gets_a_file_and_all_else_the_readme() {
    let files = folder(&single(PLAN));
    let counts: Vec<_> = files.iter().map(|file| (&*file.name, file.tasks)).collect();
    assert_eq!(counts, [("auth.md", 3), ("spec-README.md", 1), ("api-users.md", 2), ("README.md", 1)]);
    assert_eq!(
        files[0].text.replace("\r\n", "\n"),
        "# auth\n\n**Spec:** [auth.md](../specs/auth.md)\n\n## Priority 1: Core (first)\n\n- [ ] 1.1 Form (refs: specs/auth.md)\n  - **Dependencies:** none\n\
         \x20 - Complexity: low\n    ```\n    - [ ] code\n    ```\n\n## Priority 2\n\n2. [ ] 2.2 Out (refs: specs/auth.md)\n   Dependencies: 1.1\n\n\
         ### 2.3 Head (refs: specs/auth.md) ✅\n\n**Complexity:** high\n"
    );
    let readme = files[3].text.replace("\r\n", "\n");
    assert_eq!(
        readme,
        "# The plan (v2)\n\n**Generated:** today\n\nWhy we do this.\n\n## Priority 1: Core (first)\n\nProse of core.\n\n## Priority 2\n\n### Empty section\n\n\
         ## Out of scope\n\n- [ ] the moon\n\n## Notes\n\n> quoted\n\n## Status Overview\n\n| Feature | Status | Progress | Spec |\n|---|---|---|---|\n\
         | [auth.md](./auth.md) | 🔄 In Progress | 1/3 | [auth.md](../specs/auth.md) |\n\
         | [spec-README.md](./spec-README.md) | 🔄 In Progress | 0/1 | [README.md](../specs/README.md) |\n\
         | [api-users.md](./api-users.md) | ⏳ Pending | 0/1 | [api/users.md](../specs/api/users.md) |\n\n\
         # Cross-Cutting Tasks\n\n## Priority 1: Core (first)\n\n- [x] 1.3 Tidy\n"
    );
    assert!(files.iter().all(|file| !file.text.replace("\r\n", "").contains('\n')), "the ends of lines stay");
}

// rows: 96
#[test]
fn there_and_back_the_tasks_are_the_same() {
    let before = single(PLAN);
    let files = folder(&before);
    let back = to_file(&read_folder(&files), "PLAN.md", &names()).unwrap();
    assert_eq!(back.tasks, before.tasks().len());
    let again = folder(&single(&back.text));
    assert_eq!(again.iter().map(|file| file.tasks).sum::<usize>(), before.tasks().len());
    for line in ["Why we do this.", "Prose of core.", "- [ ] the moon", "> quoted", "### Empty section"] {
        assert!(back.text.contains(line) && again.iter().any(|file| file.text.contains(line)), "{line}");
    }
    assert!(!back.text.contains("Status Overview"), "{}", back.text);
}

#[test]
fn what_cannot_be_migrated_is_refused() {
    let refused = |plan: &Plan| to_folder(plan, &names()).unwrap_err().to_string();
    assert_eq!(
        refused(&single("nothing\n")),
        "PLAN.md has no task: write each as `- [ ] what is to be done` or `### TASK-001: What is to be done`"
    );
    assert_eq!(refused(&Plan::parse(Vec::new())), "the plan is not one file");
    let readme = |text: &str| NewFile { name: "README.md".to_owned(), text: text.to_owned(), tasks: 0 };
    let feature = NewFile { name: "a.md".to_owned(), text: "- [ ] a\n".to_owned(), tasks: 1 };
    let odd = read_folder(&[feature, readme("# x\n\n## Ideas\n\n- [ ] no task here\n")]);
    let said = to_file(&odd, "PLAN.md", &names()).unwrap_err().to_string();
    assert_eq!(said, "PLAN.md:5: this task would not be the same afterwards: no task here");
}
