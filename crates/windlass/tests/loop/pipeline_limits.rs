//! What a pipeline may use, whoever works on it and whatever happens between its runs; and that it ends where somebody stops it.

use std::fs;
use std::path::PathBuf;

use windlass_core::fact::{Fact, plan_of};
use windlass_core::spec::Limits;
use windlass_core::values::{Cost, StopReason};
use windlass_engine::store::journal;
use windlass_testkit::environment::{PersonsTerminal, wait_until};
use windlass_testkit::{Outcome, Running};

use super::money::SPENDS;
use super::night::{Night, PATIENCE, calls, every_call};
use super::pipelines::{GOAL, all_facts, command, endings, expect, id, night, pipeline, shown};

/// Writes what it is asked for, for 40 cents and 104,000 tokens.
const DEAR: &str = r#""draft_document", { result = { text = "There.", cost = 0.4, tokens = { input = 100000, output = 4000 } } }"#;

/// The same once somebody lets it.
const WAITS: &str =
    r#"{ bash = "touch ../begun; while ! test -e ../go; do sleep 0.01; done" }, "draft_document""#;

/// Without a scripted agent.
fn bare(night: &Night, arguments: &[&str]) -> Outcome {
    night.env.run(night.windlass(&["pipeline", "--no-delay"]).args(arguments), PATIENCE)
}

/// The limits that each run began with, in the order of their beginning.
fn limits(night: &Night) -> Vec<Limits> {
    let mut runs: Vec<_> =
        night.folders().iter().map(|folder| journal::read(&folder.join("journal.jsonl")).unwrap()).collect();
    runs.sort_by_key(|entries| entries[0].at.wall);
    runs.into_iter().map(|entries| plan_of(entries).unwrap().limits).collect()
}

/// The folder of the run that began last.
fn newest(night: &Night) -> PathBuf {
    let began = |folder: &PathBuf| journal::read(&folder.join("journal.jsonl")).unwrap()[0].at.wall;
    night.folders().into_iter().max_by_key(began).unwrap()
}

fn calls_made(night: &Night) -> usize {
    all_facts(night).iter().filter(|fact| matches!(fact, Fact::CallReserved { .. })).count()
}

fn next(night: &Night) -> String {
    shown(night)["next"].as_str().unwrap().to_owned()
}

/// Types a printed command, with the script where it takes one.
fn typed(night: &Night, printed: &str) -> Outcome {
    let words: Vec<&str> = printed.split_whitespace().skip(1).collect();
    let mut command = night.windlass(&words);
    command.arg("--no-delay");
    if words[0] == "pipeline" {
        command.arg(format!("--mock={}", night.script.display()));
    }
    night.env.run(&mut command, PATIENCE)
}

fn dollars(dollars: f64) -> Cost {
    Cost::from_dollars(dollars)
}

// attack(money): a pipeline is begun with limits where its agent is missing, or where another run holds the checkout; it goes on later
// holds: its limits are kept before it is told of, and hold for its first run, too
#[test]
fn a_pipeline_keeps_the_limits_of_a_run_that_could_not_begin() {
    let limited = [GOAL, "--max-cost", "0.6", "--max-tokens", "150000", "--max-duration", "3h"];
    let without_agent = night(&calls(&[DEAR])).set("WINDLASS_AGENT__COMMAND", "/nonexistent");
    expect(&bare(&without_agent, &limited), 21, "is begun");
    let beside_another = night(&every_call(&format!("{WAITS}, {DEAR}")));
    let other = beside_another.start(&["-m", "1"]);
    beside_another.wait_for_file("../begun");
    expect(&pipeline(&beside_another, &limited), 25, "is begun");
    beside_another.env.write(beside_another.env.root().join("go"), "");
    other.wait(PATIENCE);
    for (night, others) in [(without_agent, 0), (beside_another, 1)] {
        assert_eq!(limits(&night).len(), others, "nothing has begun");
        let outcome = pipeline(&night, &["--resume", "keep"]);
        assert!(matches!(outcome.code, Some(11 | 12)), "{}", outcome.stderr_text());
        let first = &limits(&night)[others];
        assert_eq!((first.cost, first.tokens), (Some(dollars(0.6)), Some(150_000)), "{first:?}");
        assert_eq!(first.duration.map(|most| most.as_secs()), Some(3 * 60 * 60));
    }
}

// attack(money): a pipeline with `--run` is stopped, by `windlass stop` and by Ctrl-C, in a phase that then ends complete
// holds: no other phase is begun, and it ends as a run does that somebody stopped; it goes on when that is said
#[test]
fn a_pipeline_that_is_stopped_begins_nothing_more() {
    for by_key in [false, true] {
        let night = night(&every_call(WAITS));
        let mut begun = command(&night, &[GOAL, "--run"]);
        let noted = || all_facts(&night).iter().any(|fact| matches!(fact, Fact::StopRequested { .. }));
        let code = if by_key {
            let mut terminal = PersonsTerminal::start(&mut begun);
            night.wait_for_file("../begun");
            terminal.press("\x03");
            assert!(wait_until(PATIENCE, noted));
            night.env.write(night.env.root().join("go"), "");
            terminal.wait()
        } else {
            let running = Running::start(&mut begun);
            night.wait_for_file("../begun");
            expect(&night.env.run(&mut night.windlass(&["stop"]), PATIENCE), 0, "");
            assert!(wait_until(PATIENCE, noted));
            night.env.write(night.env.root().join("go"), "");
            let outcome = running.wait(PATIENCE);
            let go_on = format!("go on with it: windlass pipeline --resume {} --run", id(&night));
            expect(&outcome, 16, &go_on);
            16
        };
        assert_eq!(code, if by_key { 130 } else { 16 });
        assert_eq!((endings(&night), calls_made(&night)), (vec![Some(StopReason::Complete)], 1));
        expect(&pipeline(&night, &["--resume", "keep"]), 0, " --run");
        assert_eq!(endings(&night).len(), 3);
    }
}

// attack(money): a pipeline of four dollars goes on in two working trees at once; then in the other one, with its tasks half paid for
// holds: the second is told who works on it, and pays for nothing; afterwards it counts what the first has used, and shows it
#[test]
fn two_working_trees_share_what_is_left_of_a_pipeline() {
    let night = night(&every_call(
        r#"{ bash = "touch ../begun; while ! test -e ../go; do sleep 0.01; done" }, { result = { text = "No.", cost = 1.0 } }"#,
    ));
    night.env.write(night.env.root().join("go"), "");
    expect(&pipeline(&night, &[GOAL, "-m", "1", "--max-cost", "4"]), 10, "max_iterations");
    night.env.git(&["add", "--all"]);
    night.env.git(&["commit", "--quiet", "--message", "A pipeline"]);
    let other = night.env.root().join("other");
    night.env.git(&["worktree", "add", "--quiet", other.to_str().unwrap()]);
    let there = |arguments: &[&str]| night.env.run(command(&night, arguments).current_dir(&other), PATIENCE);
    for left in ["go", "begun"] {
        fs::remove_file(night.env.root().join(left)).unwrap();
    }
    let running = Running::start(&mut command(&night, &["--resume", "keep", "-m", "2"]));
    night.wait_for_file("../begun");
    let refused = there(&["--resume", "keep", "-m", "20", "--max-cost", "50"]);
    expect(&refused, 25, "is at work on the same pipeline");
    night.env.write(night.env.root().join("go"), "");
    expect(&running.wait(PATIENCE), 10, "max_iterations");
    let ended = there(&["--resume", "keep", "-m", "20"]);
    expect(&ended, 11, "max_cost");
    assert_eq!(calls_made(&night), 4, "four dollars of four");
    assert_eq!(shown(&night)["cost_usd"], 4.0);
    expect(&there(&["--resume", "keep"]), 2, "is at its limit: $4.00 of $4.00");
}

// attack(money): a pipeline ends in its second phase since its tokens are used up, and what is advised is typed
// holds: it names a limit of the whole pipeline that is enough; it is neither refused, nor no limit at all
#[test]
fn what_is_advised_at_a_limit_of_a_pipeline_can_be_typed_and_is_a_limit() {
    let night = night(&calls(&[DEAR]));
    let outcome = pipeline(&night, &[GOAL, "--max-tokens", "200000"]);
    expect(&outcome, 12, "max_tokens");
    let said = outcome.stdout_text();
    let advised = format!("windlass resume {} --max-tokens", newest(&night).file_name().unwrap().display());
    assert!(said.contains(&format!("{advised} 400000")), "{said}");
    let used_up = pipeline(&night, &["--resume", "keep"]);
    expect(&used_up, 2, "208.0k of 200.0k tokens are used");
    let too_low = typed(&night, &format!("{advised} 205000"));
    expect(&too_low, 2, "Other runs have used 208.0k tokens of it");
    expect(&typed(&night, &format!("{advised} 400000")), 0, "complete");
    let resumed = all_facts(&night).into_iter().find_map(|fact| match fact {
        Fact::RunResumed { plan } => Some(plan.limits),
        _ => None,
    });
    assert_eq!(resumed.unwrap().tokens, Some(192_000), "what is left of the whole");
    // What was said there holds for the pipeline.
    let again = pipeline(&night, &["--resume", "keep", "--redo-from", "prd"]);
    expect(&again, 12, "max_tokens");
    assert!(limits(&night).iter().all(|limits| limits.tokens.is_some()));
}

// attack(money): the journal of a pipeline's newest run, or of all of them, is emptied before it goes on
// holds: nothing of its limits is spent where what was used cannot be read
#[test]
fn a_pipeline_of_which_a_journal_is_lost_spends_nothing() {
    let night = night(&calls(&[DEAR]));
    expect(&pipeline(&night, &[GOAL, "--max-cost", "0.7"]), 11, "max_cost");
    let made = calls_made(&night);
    let folders = night.folders();
    let journals: Vec<_> = folders.iter().map(|folder| folder.join("journal.jsonl")).collect();
    for emptied in [vec![newest(&night).join("journal.jsonl")], journals] {
        let before: Vec<_> = emptied.iter().map(|journal| fs::read(journal).unwrap()).collect();
        for journal in &emptied {
            fs::write(journal, "").unwrap();
        }
        for more in [&["--resume", "keep"][..], &["--resume", "keep", "--max-cost", "5"]] {
            expect(&pipeline(&night, more), 2, "has cost cannot be read");
        }
        assert_eq!(night.folders().len(), folders.len(), "nothing has begun");
        for (journal, before) in emptied.iter().zip(before) {
            fs::write(journal, before).unwrap();
        }
    }
    assert_eq!(calls_made(&night), made);
}

// attack(money): a pipeline is at its limit of money, or of tokens and money, and the next command is typed
// holds: it has the flags that raise what is used up, and is not refused
#[test]
fn the_next_command_of_a_pipeline_at_its_limit_raises_it() {
    for (limits, raised) in [
        (&["--max-cost", "0.6"][..], "--max-cost 1.2"),
        (&["--max-cost", "0.6", "--max-tokens", "150000"], "--max-cost 1.2 --max-tokens 300000"),
    ] {
        let night = night(&calls(&[DEAR]));
        let ended = pipeline(&night, &[&[GOAL], limits].concat());
        assert!(matches!(ended.code, Some(11 | 12)), "{}", ended.stderr_text());
        let next = next(&night);
        assert_eq!(next, format!("windlass pipeline --resume {} {raised}", id(&night)));
        let said = ended.stdout_text().split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(said.contains(&next), "{said}");
        let refused = pipeline(&night, &["--resume", "keep", "--run"]);
        expect(&refused, 2, &format!("--run {raised}"));
        expect(&typed(&night, &next), 0, " --run");
    }
}

// attack(money): a pipeline with a limit is planned, and what is printed next is typed; its tasks end blocked by a gate, and what is
// printed then is typed; a document is edited, and one of the two commands of the refusal is taken
// holds: each of them keeps the limits of the pipeline and the gates of its tasks
#[test]
fn what_a_pipeline_prints_next_keeps_its_limits_and_gates() {
    let night = night(&calls(&[r#""draft_document", { result = { text = "There.", cost = 0.4 } }"#]));
    expect(&pipeline(&night, &[GOAL, "--max-cost", "2"]), 0, "windlass pipeline --resume keep-a-list");
    let id = id(&night);
    assert_eq!(next(&night), format!("windlass pipeline --resume {id} --run"));

    let works = night.env.write(
        night.env.root().join("works.toml"),
        every_call(r#"{ append = { path = "w.txt", text = "x\n" } }, "tick_task""#),
    );
    let execute = |more: &[&str]| {
        let mut command = night.windlass(&["pipeline", "--no-delay", "--run", "--resume", &id]);
        night.env.run(command.arg(format!("--mock={}", works.display())).args(more), PATIENCE)
    };
    let blocked = execute(&["--gate", "test -f never"]);
    let gated = format!("windlass pipeline --resume {id} --run --gate 'test -f never'");
    let said = blocked.stdout_text().split_whitespace().collect::<Vec<_>>().join(" ");
    assert_eq!(said.matches(&gated).count(), 2, "{said}");
    assert_ne!(blocked.code, Some(0));
    assert_eq!(next(&night), gated);
    assert_eq!(limits(&night).last().unwrap().cost, Some(dollars(2.0)));

    let prd = format!(".windlass/pipelines/{id}/prd.md");
    night.env.write(&prd, night.env.read(&prd).replace("The first file is there.", "It is there."));
    let stale = execute(&["--gate", "true"]);
    expect(&stale, 2, &format!("--resume {id} --redo-from architecture --run --gate true"));
    // What is left of two dollars: planning took three times 40 cents.
    expect(&stale, 2, "tasks.md --gate true --max-cost 0.7");
}

// attack(money): a phase's agent dies before it says what it has cost
// holds: wherever the pipeline's money is shown, what is estimated of it is told apart
#[test]
fn what_is_estimated_of_a_pipeline_is_told_apart() {
    let night = night(&calls(&[&format!("{SPENDS} {{ die = 'KILL' }}"), DEAR]));
    expect(&pipeline(&night, &[GOAL]), 0, "$16.20 (≈$15.00 estimated)");
    let looked = |arguments: &[&str]| night.env.run(&mut night.windlass(arguments), PATIENCE).stdout_text();
    for verb in [&["pipeline", "show", "keep"][..], &["pipeline", "list"]] {
        let said = looked(verb);
        assert!(said.contains("$16.20 (≈$15.00 estimated)"), "{said}");
    }
    assert!(looked(&["pipeline", "show", "keep"]).contains("$5.40 (≈$5.00 estimated)"));
    let shown = shown(&night);
    assert_eq!((&shown["estimated_usd"], &shown["phases"][0]["estimated_usd"]), (&15.0.into(), &5.0.into()));
}
