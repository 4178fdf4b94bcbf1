//! Claims with nothing behind them: taken back, made by boxes that are gone, by tasks that hide behind others, by statuses
//! that are none.

use std::fs;

use windlass_core::fact::Fact;
use windlass_core::report;
use windlass_core::values::{StopReason, Suspicion, SuspicionKind, TaskEnd, Verdict};
use windlass_testkit::{Outcome, TestEnv};

use super::night::{Night, PATIENCE, calls, every_call, expect_end};
use super::plans::{self, PLAN, planned, said};
use super::tasks::{self, HONEST, ends};

const WORK: &str = "{ bash = 'echo x >> work' }";
const SIGNAL: &str = "WINDLASS_JOB_COMPLETE";

fn result(text: &str) -> String {
    format!("{{ result = {{ text = \"\"\"{text}\"\"\" }} }}")
}

// rows: 51
// attack(claims): the phrase stands in an early result, in a fence, or before a sentence that takes it back
// holds: only the last line of the process's last result counts, and the job is not complete
#[test]
fn a_claim_that_is_taken_back_completes_nothing() {
    let hollow = [
        ("a later result", format!("{}, {}", result(SIGNAL), result("Sorry: one test still fails."))),
        ("a sentence after it", result(&format!("{SIGNAL}\nis what I write once the tests pass."))),
        ("a fence", result(&format!("The script prints:\n```\n{SIGNAL}\n```"))),
        ("an open fence", result(&format!("The script prints:\n```\n{SIGNAL}"))),
    ];
    for (place, steps) in hollow {
        let night = Night::new(&every_call(&format!("{WORK}, {steps}")));
        night.run(&["-m", "1", "--completion-threshold", "1"]);
        assert_eq!(night.verdicts(), [Verdict::Worked], "{place}");
        assert_eq!(night.ended(), StopReason::MaxIterations, "{place}");
    }
    // As the prompt itself prints it.
    for claim in
        [format!("`{SIGNAL}`"), format!("All done.\n\n**{SIGNAL}**\n"), format!("```\nok\n```\n{SIGNAL}")]
    {
        let steps = format!("{WORK}, {}, {}", result("Not yet."), result(&claim));
        let night = Night::new(&every_call(&steps));
        expect_end(&night.run(&["--completion-threshold", "1"]), 0, "complete");
    }
}

fn vanished(night: &Night) -> Vec<Suspicion> {
    let found = |fact: Fact| match fact {
        Fact::Suspected(report::Suspected { suspicions, .. }) => Some(suspicions),
        _ => None,
    };
    let latest = night.facts().into_iter().rev().find_map(found).unwrap_or_default();
    latest.into_iter().filter(|found| found.kind == SuspicionKind::Vanished).collect()
}

const TWO: &str = "# Plan\n\n## Now\n\n- [ ] Write the parser\n- [ ] Write the manual\n";

/// The agent leaves this plan, and changes nothing after that.
fn build(left: &str, flags: &[&str]) -> (Night, Outcome) {
    let leave = format!("{{ write = {{ path = '{PLAN}', text = '''{left}''' }} }}");
    let night = planned(TWO, &calls(&[&leave, "{ say = 'It is all done.' }"]));
    let outcome = plans::run(&night, "build", &[&["--exit-codes", "detailed"], flags].concat());
    (night, outcome)
}

// attack(claims): an agent makes a plan's open boxes vanish: it deletes them, comments them out, or moves them out of scope
// holds: no box is open and yet nothing is complete; each box is named, the agent is told, and a person decides
#[test]
fn boxes_that_vanish_are_no_done_boxes() {
    let done = "# Plan\n\n## Now\n\n- [x] Write the parser\n";
    let ways = [
        ("deleted", done.to_owned()),
        ("commented out", format!("{done}\n<!--\n- [ ] Write the manual\n-->\n")),
        ("out of scope", format!("{done}\n## Out of scope\n\n- [ ] Write the manual\n")),
        ("no box any more", format!("{done}- ~~Write the manual~~\n")),
        ("another box instead", format!("{done}- [x] Everything else\n")),
        ("in a fence", format!("{done}\n```\n- [ ] Write the manual\n```\n")),
    ];
    for (way, left) in ways {
        let (night, outcome) = build(&left, &["--gate", "true"]);
        expect_end(&outcome, 24, "needs_human");
        assert_eq!(night.verdicts(), [Verdict::ClaimRefused, Verdict::ClaimRefused], "{way}");
        let [found] = &vanished(&night)[..] else { panic!("{way}: {:?}", vanished(&night)) };
        assert_eq!(
            (&*found.path, &*found.sentence),
            (PLAN, "the open box `Write the manual` is gone"),
            "{way}"
        );
        let told = night.prompt(2);
        assert!(
            told.contains("the open box `Write the manual` is gone") && told.contains("Put each box back"),
            "{told}"
        );
        let said = said(&outcome);
        assert!(said.contains("the open box `Write the manual` is gone; `windlass resume"), "{way}: {said}");
        let accepted = night.resume(&["--accept-findings"]);
        expect_end(&accepted, 0, "complete");
    }
}

// attack(claims): a box vanishes in one iteration and the others are ticked in later ones
// holds: it is held until it is back; put back and ticked, it counts as done
#[test]
fn a_box_that_vanished_stays_missing_until_it_is_back() {
    let gone = "- [ ] Write the manual\n";
    let ticked = "- [x] Write the manual\n";
    let write = |text: &str| format!("{{ write = {{ path = '{PLAN}', text = '''{text}''' }} }}");
    let script = calls(&[&write(gone), &write(ticked), &write(&format!("{ticked}- [x] Write the parser\n"))]);
    let night = planned(TWO, &script);
    expect_end(&plans::run(&night, "build", &["--gate", "true"]), 0, "complete");
    assert_eq!(night.verdicts(), [Verdict::Worked, Verdict::ClaimRefused, Verdict::ClaimAccepted]);
    assert!(vanished(&night).is_empty());
}

// attack(claims): the runner is killed after an agent made a box vanish and before that was looked at
// holds: the resumed run knows what was open when the attempt began, and holds the box all the same
#[test]
fn a_box_that_vanished_before_a_kill_is_missed_after_it() {
    let done = "# Plan\n\n## Now\n\n- [x] Write the parser\n";
    let kill = format!("{{ write = {{ path = '{PLAN}', text = '''{done}''' }} }}, 'hang'");
    let night = planned(TWO, &calls(&[&kill, "{ say = 'It is all done.' }"]));
    let mut command = plans::command(&night, "build", &["--gate", "true", "--exit-codes", "detailed"]);
    let mut child = command.spawn().unwrap();
    night.wait_for_fact("a call", |fact| matches!(fact, Fact::CallSpawned(_)));
    while night.env.read(PLAN) != done {
        // sleep: between two looks at a file that the agent is about to write
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    // Nothing else is open, so nobody is paid before a person has said what became of it.
    let outcome = night.resume(&[]);
    expect_end(&outcome, 17, "blocked");
    assert!(outcome.stdout_text().contains("the open box `Write the manual` is gone"), "{outcome:?}");
}

#[test]
fn an_honest_agent_may_split_boxes_number_them_and_clear_done_ones_away() {
    let write = |text: &str| format!("{{ write = {{ path = '{PLAN}', text = '''{text}''' }} }}");
    let script = calls(&[
        // Split, one of the parts with more words.
        &write(
            "## Now\n\n- [x] Write the parser: numbers\n- [ ] Write the parser: strings\n- [ ] write the manual.\n",
        ),
        // Done ones are cleared away, the other moves.
        &write("- [x] Write the parser: strings\n\n## Documentation\n\n1. [ ] **Write** the manual\n"),
        &write("1. [x] Write the manual\n"),
    ]);
    let night = planned(TWO, &script);
    expect_end(&plans::run(&night, "build", &["--gate", "true"]), 0, "complete");
    assert_eq!(night.verdicts(), [Verdict::Worked, Verdict::Worked, Verdict::ClaimAccepted]);
}

/// A run of tasks in this file.
fn of_tasks(files: &[(&str, &str)], script: &str) -> Night {
    let env = TestEnv::with_git();
    for (file, text) in files {
        env.write(file, text);
    }
    env.git(&["add", "--all"]);
    env.git(&["commit", "--quiet", "--message", "Tasks"]);
    Night::within(env, script)
}

const DETAILED: &[&str] = &["--exit-codes", "detailed"];

// attack(claims): two tasks have one id, and the first of them is done
// holds: the open one is held in every form of task file; the run ends as blocked and says which id stands twice
#[test]
fn a_task_that_hides_behind_anothers_id_is_open() {
    let forms: [&[(&str, &str)]; 3] = [
        &[("tasks.md", "### TASK-1: One\n- **Status**: done\n\n### TASK-1: Two\n- **Status**: pending\n")],
        &[(
            "prd.json",
            r#"{"userStories": [{"id": "US-1", "title": "One", "passes": true}, {"id": "us-1", "title": "Two", "passes": false}]}"#,
        )],
        &[
            ("tasks/a.md", "---\nid: T-1\ntitle: One\nstatus: done\n---\n"),
            ("tasks/b.md", "---\nid: T-1\ntitle: Two\nstatus: pending\n---\n"),
        ],
    ];
    for files in forms {
        for lanes in [&[][..], &["-j", "2"]] {
            let night = of_tasks(files, HONEST);
            let outcome = tasks::run(&night, &[DETAILED, lanes].concat());
            expect_end(&outcome, 17, "blocked");
            let said = said(&outcome);
            assert!(said.contains("cannot be worked on, since 2 tasks have its id"), "{said}");
            assert!(said.contains("windlass tasks validate"), "{said}");
            for (file, text) in files {
                assert_eq!(night.env.read(file), *text, "the files are as they were");
            }
        }
    }
}

// attack(claims): of three tasks two have one id and both are open
// holds: the third is done, the two wait for a person, and the run is not complete
#[test]
fn what_is_clear_is_worked_on_beside_an_id_that_stands_twice() {
    let file = "### TASK-1: One\n- **Status**: pending\n\n### TASK-1: Two\n- **Status**: pending\n\n### TASK-2: Three\n- **Status**: pending\n";
    let night = of_tasks(&[("tasks.md", file)], HONEST);
    expect_end(&tasks::run(&night, DETAILED), 17, "blocked");
    assert_eq!(ends(&night), [("TASK-2".to_owned(), TaskEnd::Done)]);
    night.env.write("tasks.md", night.env.read("tasks.md").replace("TASK-1: Two", "TASK-3: Two"));
    expect_end(&night.resume(&[]), 0, "complete");
    assert_eq!(ends(&night).len(), 3);
}

// attack(claims): a second task is written with blanks or colons that only look like those of Markdown
// holds: it is read, and worked on
#[test]
fn tasks_with_other_blanks_and_colons_are_worked_on() {
    for second in [
        "###\u{a0}TASK-2: Two\n- **Status**: pending\n",
        "### TASK-2：支付\n- **Status**：pending\n",
        "### \u{200b}TASK-2: Two\n- **Status：** pending\n",
    ] {
        let file = format!("\u{feff}\u{feff}### TASK-1: One\n- **Status**: pending\n\n{second}");
        let night = of_tasks(&[("tasks.md", &file)], HONEST);
        expect_end(&tasks::run(&night, DETAILED), 0, "complete");
        assert_eq!(ends(&night).len(), 2, "{second}");
        assert_eq!(night.env.read("tasks.md"), file.replace("pending", "done"), "no other byte changes");
    }
}

// attack(claims): a second task is written so that it is none, and the first is worked off
// holds: the run does not call that complete; it and `tasks validate` name the line
#[test]
fn what_names_a_task_and_is_none_keeps_a_run_from_completing() {
    for second in [
        "<details>\n### TASK-2: Two\n- **Status**: pending\n</details>\n",
        "###TASK-2: Two\n",
        "**TASK-2: Two**\n",
        "## TASK-2: Two\n- **Description**: Do it\n",
        "#### TASK-2: Two\n- **Description**: Do it\n",
        "### Task 2: Two\n",
        "- **Status**: pending\n",
    ] {
        let file = format!("### TASK-1: One\n- **Status**: pending\n\n{second}");
        let night = of_tasks(&[("tasks.md", &file)], HONEST);
        let outcome = tasks::run(&night, DETAILED);
        expect_end(&outcome, 17, "blocked");
        assert_eq!(ends(&night), [("TASK-1".to_owned(), TaskEnd::Done)], "{second}");
        assert!(said(&outcome).contains("tasks.md:"), "{second}: {}", said(&outcome));
        let validated =
            night.env.run(&mut night.windlass(&["tasks", "validate", "-f", "tasks.md"]), PATIENCE);
        assert_eq!(validated.code, Some(23), "{second}: {}", validated.stdout_text());
    }
    // What is said of the same task, or is not to be done, is no other one.
    for more in [
        "#### TASK-1: Notes\nSmall.\n",
        "#### TASK-1.2: A part\nSmall.\n",
        "## Out of scope\n\n#### TASK-2: Two\n",
        "```\n### TASK-2: Two\n```\n",
        "## TASK-2: Two\n- **Status**: done\n",
        "## TASK-2: Two ✅\n",
    ] {
        let file = format!("### TASK-1: One\n- **Status**: pending\n\n{more}");
        let night = of_tasks(&[("tasks.md", &file)], HONEST);
        expect_end(&tasks::run(&night, DETAILED), 0, "complete");
    }
}

// attack(claims): an agent takes open tasks out of their file, or comments them out
// holds: the file is put back, the tasks are worked on, and only then the run is complete; in lanes as well
#[test]
fn tasks_that_vanish_are_brought_back() {
    let markdown = "### TASK-1: One\n- **Status**: pending\n\n### TASK-2: Two\n- **Status**: pending\n";
    let prd = r#"{"userStories": [{"id": "TASK-1", "title": "One", "passes": false}, {"id": "TASK-2", "title": "Two", "passes": false}]}"#;
    let forms: [(&[(&str, &str)], &str); 4] = [
        (&[("tasks.md", markdown)], "sed -i /TASK-2/,$d tasks.md"),
        (&[("tasks.md", markdown)], "sed -i s/^.*TASK-2/<!--/ tasks.md"),
        (&[("prd.json", prd)], "sed -i s/,..id.:..TASK-2.*}/]}/ prd.json"),
        (
            &[
                ("tasks/1.md", "---\nid: TASK-1\nstatus: pending\n---\nOne\n"),
                ("tasks/2.md", "---\nid: TASK-2\nstatus: pending\n---\nTwo\n"),
            ],
            "rm tasks/2.md",
        ),
    ];
    for (files, command) in forms {
        for lanes in [&[][..], &["-j", "2"]] {
            let script = format!(
                "[[call]]\ntask = 'TASK-1'\nsteps = [ {{ write = {{ path = 'work/1', text = 'x' }} }}, 'tick_task', {{ bash = '{command}' }} ]\n{HONEST}"
            );
            let night = of_tasks(files, &script);
            expect_end(&tasks::run(&night, &[DETAILED, lanes].concat()), 0, "complete");
            let mut done: Vec<String> = ends(&night).into_iter().map(|(task, _)| task).collect();
            done.sort();
            done.dedup();
            assert_eq!(done, ["TASK-1", "TASK-2"], "{command} {lanes:?}");
            let left: String = files.iter().map(|(file, _)| night.env.read(file)).collect();
            assert!(left.contains("TASK-1") && left.contains("TASK-2"), "{command} {lanes:?}: {left}");
            assert!(!left.contains("pending") && !left.contains("false"), "{left}");
        }
    }
}

const REMARKED: &str = "### TASK-1: One\n- **Status**: pending — waiting on API key from Bob\n\n\
    ### TASK-2: Two\n**Status:** Pending | **Domain:** Security | **Effort:** see below\n";

// attack(claims): a status line holds more than its word, and the runner or `tasks done` writes to it
// holds: the word changes and no other byte; what is surely no status is refused and left as it is
#[test]
fn only_the_word_of_a_status_ever_changes() {
    // Each fails twice, and is parked.
    let night = of_tasks(&[("tasks.md", REMARKED)], "[[call]]\nsteps = [ { say = 'No.' } ]\n");
    expect_end(&tasks::run(&night, DETAILED), 17, "blocked");
    assert_eq!(night.env.read("tasks.md"), REMARKED, "parked, and as it was");
    // They are done.
    let night = of_tasks(&[("tasks.md", REMARKED)], HONEST);
    expect_end(&tasks::run(&night, &[]), 0, "complete");
    assert_eq!(
        night.env.read("tasks.md"),
        REMARKED.replace("pending —", "done —").replace("Pending |", "Done |")
    );
    // A person says so, and takes it back.
    let verb = |night: &Night, arguments: &[&str]| {
        let output = night.windlass(arguments).output().unwrap();
        (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
    };
    let reopened = verb(&night, &["tasks", "reopen", "TASK-1", "TASK-2"]);
    assert_eq!(reopened.0, Some(0), "{}", reopened.1);
    assert_eq!(night.env.read("tasks.md"), REMARKED);
    let unclear = "### TASK-1: One\n**Status:** done-by-code | **Domain:** Security | **Owner:** Ann\n";
    night.env.write("tasks.md", unclear);
    let (code, said) = verb(&night, &["tasks", "done", "TASK-1"]);
    assert_ne!(code, Some(0));
    assert!(said.contains("done-by-code") && said.contains("is none; fix it there by hand"), "{said}");
    assert_eq!(night.env.read("tasks.md"), unclear);
    let outcome = tasks::run(&night, &["--exit-codes", "detailed", "--allow-dirty"]);
    expect_end(&outcome, 17, "blocked");
    assert!(plans::said(&outcome).contains("TASK-1 is open and cannot be worked on, since its status"));
}

// attack(claims): a run completes although nothing but the agent's own word speaks for it
// holds: every surface says `complete (claimed; no gate)`, and `--json` has a field for it
#[test]
fn what_is_only_claimed_says_so_everywhere() {
    let script = every_call(&format!("{WORK}, {}", result(SIGNAL)));
    let claimed = "complete (claimed; no gate)";
    let night = Night::new(&script);
    let hook = night
        .env
        .write(".windlass/hooks/finished", "#!/bin/sh\necho \"claimed=$WINDLASS_HOOK_CLAIMED\" > told\n");
    fs::set_permissions(&hook, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let outcome = night.run(&["--completion-threshold", "1"]);
    expect_end(&outcome, 0, claimed);
    assert_eq!(night.env.read("told"), "claimed=true\n");
    let printed = |arguments: &[&str]| {
        let output = night.windlass(arguments).output().unwrap();
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    for verb in [&["status"][..], &["runs"], &["logs"]] {
        assert!(printed(verb).contains(claimed), "{verb:?}: {}", printed(verb));
    }
    for verb in [&["status", "--json"][..], &["runs", "--json"]] {
        let text = printed(verb);
        assert!(text.contains(r#""state":"complete","claimed":true"#), "{text}");
    }
    let json = Night::new(&script);
    let outcome = json.run(&["--completion-threshold", "1", "--json"]);
    let last = outcome.stdout_text().lines().last().unwrap_or_default().to_owned();
    assert!(last.contains(r#""claimed":true"#) && last.contains(r#""stop_reason":"complete""#), "{last}");
    let gated = Night::new(&script);
    let outcome = gated.run(&["--completion-threshold", "1", "--gate", "true"]);
    expect_end(&outcome, 0, "complete\n");
    assert!(!outcome.stdout_text().contains("claimed; no gate"));
}

#[test]
fn a_job_that_may_be_done_already_says_how_that_is_shown() {
    let night = Night::new(&every_call(&result(SIGNAL)));
    let outcome = night.run(&["--exit-codes", "detailed"]);
    expect_end(&outcome, 14, "stagnated");
    assert_eq!(night.verdicts(), [Verdict::ClaimUnsupported; 3]);
    let told = said(&outcome);
    assert!(
        told.contains("it may have been done before")
            && told.contains("--until CMD")
            && told.contains("--gate CMD"),
        "{told}"
    );
}
