//! What an agent is told in modes plan and build.

use windlass_core::run::TurnKey;
use windlass_core::spec::{CommitPolicy, JobPlan, Mode, RunSpec};

use super::tests::{outcome, parts, plan};
use super::*;
use crate::compose;
use crate::doc::plan::Plan;
use crate::doc::tasks::TaskFile;
use crate::doc::tasks::sources::Boxes;

fn planned(mode: Mode) -> RunSpec {
    let mut spec = RunSpec { commit: CommitPolicy::Agent, ..plan() };
    (spec.job.mode, spec.job.notes_file) = (mode, None);
    spec.job.plan = Some(JobPlan {
        file: "IMPLEMENTATION_PLAN.md".into(),
        folder: Some("plan".into()),
        specs: Some("specs".into()),
        smart_termination: true,
        archives_finished: false,
    });
    spec
}

fn work(text: &str) -> PlanWork<'static> {
    let name = "IMPLEMENTATION_PLAN.md".to_owned();
    let file = TaskFile::alone(&name, &Boxes, Ok(text.as_bytes().to_vec()));
    PlanWork { file: name, next: Plan::parse(vec![file]).next_task(), ..PlanWork::default() }
}

fn told(plan: &RunSpec, work: PlanWork<'_>) -> String {
    compose(&PromptParts { plan_work: Some(work), ..parts(plan, "Work through the plan.") }).user
}

const THREE: &str = "# Plan\n\n## Priority 2: Later\n\n- [ ] 2.1 Write the manual (refs: specs/manual.md)\n\n\
    ## Priority 1: Parser\n\n- [x] 1.1 Read numbers (refs: specs/numbers.md)\n\
    - [ ] 1.2 Name the column (refs: specs/errors.md)\n  - Dependencies: 1.1\n  - Complexity: low\n  ~~~\n  no fence\n";

// rows: 5
#[test]
fn a_build_is_told_one_task_with_all_that_is_known_of_it() {
    let user = told(&planned(Mode::Build), work(THREE));
    assert!(
        user.contains(
            "Do exactly this one task:\n\n~~~\n1.2 Name the column (IMPLEMENTATION_PLAN.md:10; section: Priority 1: Parser; \
             refs: specs/errors.md; depends on: 1.1; complexity: low)\n~~~\n\nAs it stands in the plan:\n\n~~~~\n- [ ] 1.2 Name"
        ),
        "{user}"
    );
    assert!(!user.contains("the manual") && !user.contains("Work through the plan."), "{user}");
    let begun = THREE.replace("- [ ] 2.1", "- [~] 2.1");
    let user = told(&planned(Mode::Build), work(&begun));
    assert!(
        user.contains("2.1 Write the manual (IMPLEMENTATION_PLAN.md:5; begun by an earlier iteration;"),
        "{user}"
    );
}

// rows: 5
#[test]
fn a_build_without_an_open_box_is_told_to_mend_what_the_checks_say() {
    let (plan, outcome) = (planned(Mode::Build), outcome());
    let mut parts = parts(&plan, "Work through the plan.");
    parts.plan_work = Some(work("- [x] done\n"));
    let tail = "one test failed".to_owned();
    parts.refused =
        vec![FailedCheck { command: "make test", outcome: &outcome, tail, earlier: Earlier::Nothing }];
    let user = compose(&parts).user;
    assert!(user.contains("No box of the plan is open") && user.contains("one test failed"), "{user}");
    assert!(!user.contains("Do exactly this one task"), "{user}");
}

// rows: 81, 84
// Seed defect D2, src/commands/plan.rs:152-158: planning was forbidden to commit, and ended since nothing was committed.
#[test]
fn who_commits_is_said_and_a_plan_is_never_committed_by_the_agent() {
    for (commit, said) in [
        (CommitPolicy::Agent, "Commit the work and the plan together"),
        (CommitPolicy::None, "5. Do not commit.\n"),
        (CommitPolicy::Runner, "Do not commit: that is done for you."),
    ] {
        let plan = RunSpec { commit, ..planned(Mode::Build) };
        assert!(told(&plan, work(THREE)).contains(said), "{said}");
    }
    assert!(told(&planned(Mode::Plan), work("")).contains("no implementation, no other file, no commit"));
}

#[test]
fn planning_is_told_what_is_wrong_and_what_was_undone_within_bounds() {
    let strays = vec!["src/main.rs".to_owned(), "notes/new.md".to_owned()];
    let problems = (0..100).map(|line| format!("P.md:{line}: {}", "x".repeat(5000))).collect();
    let user = told(&planned(Mode::Plan), PlanWork { strays: &strays, problems, ..work("") });
    assert!(user.contains("among others `src/main.rs`, `notes/new.md`. That was undone."), "{user}");
    assert!(
        user.contains("- P.md:11: xx") && !user.contains("P.md:12:") && user.contains("- and 88 more\n"),
        "{user}"
    );
    assert!(user.len() < 7000, "{}", user.len());
    let nothing = told(&planned(Mode::Plan), work(""));
    assert!(
        !nothing.contains("was refused") && !nothing.contains("wrong with the plan as it is"),
        "{nothing}"
    );
}

#[test]
fn little_is_added_to_the_task() {
    for mode in [Mode::Plan, Mode::Build] {
        let added = told(&planned(mode), work("- [ ] x\n")).len();
        assert!(added <= 2048, "{mode:?}: {added} bytes");
    }
}

#[test]
fn a_plan_in_a_folder_says_so() {
    let folder = PlanWork { file: "plan/README.md".to_owned(), layout: PlanLayout::Folder, ..work("") };
    let user = told(&planned(Mode::Plan), folder);
    assert!(
        user.contains("write the plan, `plan/README.md`") && user.contains("The plan is a folder"),
        "{user}"
    );
}

#[test]
fn finished_features_are_archived_where_that_is_configured_and_work_goes_on() {
    let folder = || PlanWork { file: "plan/README.md".to_owned(), layout: PlanLayout::Folder, ..work("") };
    let mut plan = planned(Mode::Build);
    assert!(!told(&plan, folder()).contains(".archive/"));
    if let Some(places) = &mut plan.job.plan {
        places.archives_finished = true;
    }
    let user = told(&plan, folder());
    assert!(user.contains("`.archive/`") && user.contains("unless it is the only one left"), "{user}");
    plan.job.mode = Mode::Plan;
    assert!(!told(&plan, folder()).contains(".archive/"), "a planner only plans");
}

#[test]
fn without_specifications_it_says_so() {
    let mut plan = planned(Mode::Plan);
    assert!(told(&plan, work("")).contains("specifications (`specs/`)"));
    if let Some(places) = &mut plan.job.plan {
        places.specs = None;
    }
    assert!(told(&plan, work("")).contains("none are configured"));
}

// rows: 25
#[test]
fn a_project_replaces_the_prompt_and_the_task_is_put_in_or_added() {
    let plan = planned(Mode::Build);
    for (template, wanted) in [
        ("Own text. {{task}} End of {{planFile}}, {{specs}}.", "End of IMPLEMENTATION_PLAN.md, `specs/`."),
        (
            "Own text, choose what matters.",
            "choose what matters.\nDo exactly this one task:\n\n~~~\n1.2 Name",
        ),
    ] {
        let mut parts = parts(&plan, "Work through the plan.");
        parts.plan_work = Some(work(THREE));
        parts.templates = Templates { user: Some(template), system: Some("In {{projectRoot}}: {{task}}") };
        let prompt = compose(&parts);
        assert!(prompt.user.starts_with("Own text") && prompt.user.contains(wanted), "{}", prompt.user);
        assert_eq!(prompt.user.matches("Do exactly this one task").count(), 1, "{}", prompt.user);
        // What differs from iteration to iteration is not put into what is to be cached.
        assert!(prompt.system.contains(": {{task}}\n"), "{}", prompt.system);
    }
}

// rows: 18, 22
#[test]
fn agents_md_ends_a_system_prompt_that_stays_the_same() {
    let plan = planned(Mode::Build);
    let mut first = parts(&plan, "x");
    first.agents_file = Some("Run `make` before you commit.");
    first.plan_work = Some(work(THREE));
    let later = PromptParts {
        turn: TurnKey { iteration: 9, attempt: 2 },
        plan_work: Some(work("- [ ] another\n")),
        ..first.clone()
    };
    assert_eq!(compose(&first).system, compose(&later).system);
    assert!(compose(&first).system.ends_with("\n~~~\nRun `make` before you commit.\n~~~\n"));
}
