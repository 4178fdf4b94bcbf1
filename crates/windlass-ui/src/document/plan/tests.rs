use windlass_jobs::doc::plan::{Spec, coverage};
use windlass_jobs::doc::tasks::TaskFile;
use windlass_jobs::doc::tasks::sources::Boxes;

use super::*;
use crate::testing::columns;

fn read(files: &[(&str, FileRole, &str)]) -> Plan {
    let file = |(name, role, text): &(&str, FileRole, &str)| TaskFile {
        role: *role,
        ..TaskFile::alone(name, &Boxes, Ok(text.as_bytes().to_vec()))
    };
    Plan::parse(files.iter().map(file).collect())
}

fn told<T>(plan: &Plan, place: &str, tell: impl Fn(&PlanShown) -> T) -> T {
    let specs = SpecNames::new("specs", vec!["auth.md".to_owned(), "mail.md".to_owned()]);
    let auth = Spec::parse("auth.md", "### Login\n- [ ] form\n\nIt MUST hash.\n### Logout\n");
    let coverage = coverage(plan, &specs, &[auth, Spec::parse("mail.md", "### Send\n")]);
    let problems = plan.problems(&specs);
    tell(&PlanShown {
        place: place.to_owned(),
        plan: Arc::new(plan.clone()),
        specs,
        coverage,
        exit_code: u8::from(!problems.is_empty()),
        problems,
        skipped: vec!["specs/logo.png is not a Markdown file".to_owned()],
    })
}

fn single() -> Plan {
    read(&[(
        "IMPLEMENTATION_PLAN.md",
        FileRole::Single,
        "- [x] 1.1 Form (refs: specs/auth.md#login)\n- [~] Logout\n  Dependencies: 1.1, 9.9\n- [ ] Later\u{1b}[31m (ref: specs/auht.md)\n\
         ## Out of scope\n- [ ] x\n",
    )])
}

fn folder() -> Plan {
    read(&[
        ("plan/README.md", FileRole::Index, "## Cross-cutting tasks\n- [ ] docs\n"),
        (
            "plan/auth.md",
            FileRole::Part,
            "# Users and how they get in and out of here again\n**Spec:** ../specs/auth.md\n- [x] a\n- [ ] b\n",
        ),
        ("plan/mail.md", FileRole::Part, "**Spec:** specs/mail.md\n- [ ] Write to them all\n"),
    ])
}

// rows: 134
#[test]
fn a_plan_with_problems() {
    assert_eq!(
        told(&single(), "IMPLEMENTATION_PLAN.md", |shown| plan_text(shown, &columns(80))),
        "\
✗ 3 problems  IMPLEMENTATION_PLAN.md
  3 tasks · 1 done · 1 in progress · 1 open · 33 % · 1 set aside

spec     tasks  requirements  named  covered
auth.md      1             4      3     75 %
mail.md      0             1      0      0 %
  ! no task names it

  ✗ IMPLEMENTATION_PLAN.md:4: names the spec `specs/auht.md`, which is not
    there; did you mean `specs/auth.md`?
  ✗ IMPLEMENTATION_PLAN.md:2: names no spec: end the task with `(refs:
    specs/auth.md)`
  ✗ IMPLEMENTATION_PLAN.md:2: depends on `9.9`, which is not a task of this plan
  ! skipped: specs/logo.png is not a Markdown file
  ○ 3 boxes taken for tasks
  ○ 1 open box below headings such as Archive or Out of scope not taken for work

  no spec     1 task
  next task   Logout  IMPLEMENTATION_PLAN.md:2
"
    );
}

// rows: 95, 134
#[test]
fn a_folder_that_is_valid() {
    assert_eq!(
        told(&folder(), "plan", |shown| plan_text(shown, &columns(80))),
        "\
✓ valid  plan
  4 tasks · 1 done · 3 open · 25 %

feature                           done  of  state        file
Users and how they get in and o…     1   2  in progress  plan/auth.md
mail                                 0   1  pending      plan/mail.md
across all                           0   1  pending      plan/README.md

spec     tasks  requirements  named  covered
auth.md      2             4      0     50 %
mail.md      1             1      0    100 %

  ! skipped: specs/logo.png is not a Markdown file
  ○ 4 boxes taken for tasks

  next task   b  plan/auth.md:4
  next        windlass build
"
    );
}

// rows: 134
#[test]
fn the_document_has_all_keys_of_the_seed() {
    let json = |plan: &Plan, place| -> serde_json::Value {
        told(plan, place, |shown| {
            crate::view::check_document("plan", &plan_json(shown));
            serde_json::from_slice(&plan_json(shown)).unwrap()
        })
    };
    let one = json(&single(), "IMPLEMENTATION_PLAN.md");
    assert_eq!(
        (&one["total_tasks"], &one["pending_tasks"], &one["in_progress_tasks"]),
        (&3.into(), &1.into(), &1.into())
    );
    assert_eq!(
        (&one["completed_tasks"], &one["tasks_with_refs"], &one["orphan_tasks"]),
        (&1.into(), &2.into(), &1.into())
    );
    let covered = &one["coverage"][0];
    assert_eq!((&covered["spec_name"], &covered["requirement_count"]), (&"auth.md".into(), &4.into()));
    assert_eq!((&covered["task_count"], &covered["coverage_percent"]), (&1.into(), &75.into()));
    let task = &one["tasks"][1];
    assert_eq!(
        (&task["description"], &task["status"], &task["line_number"]),
        (&"Logout".into(), &"in_progress".into(), &2.into())
    );
    assert_eq!(task["dependencies"], serde_json::json!(["1.1", "9.9"]));
    for key in ["spec_refs", "priority", "complexity"] {
        assert!(task.get(key).is_some(), "{key}");
    }
    let many = json(&folder(), "plan");
    assert_eq!(
        (&many["plan_type"], &many["impl_dir"], &many["is_complete"]),
        (&"hierarchical".into(), &"plan".into(), &false.into())
    );
    assert_eq!((&many["current_focus"], &many["totals"]["total"]), (&"plan/auth.md".into(), &4.into()));
    assert_eq!((&many["cross_cutting"]["pending"], &many["valid"]), (&1.into(), &true.into()));
    let feature = &many["features"][0];
    assert_eq!((&feature["completion_percent"], &feature["status"]), (&50.into(), &"in_progress".into()));
    assert_eq!((&feature["spec_ref"], &feature["completed_tasks"]), (&"../specs/auth.md".into(), &1.into()));
}
