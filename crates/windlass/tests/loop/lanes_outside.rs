//! What is done outside the lanes while they are at work, by an agent that left its own or by the person: said with the way back.

use std::fs;

use windlass_testkit::{Outcome, TestEnv};

use super::disasters::place::{Layout, Place, Promised};
use super::night::{Night, PATIENCE, expect_end};
use super::tasks::{HONEST, command, requirements, run};

const TASKS: &[(u32, &[u32])] = &[(1, &[]), (2, &[])];

/// A repository in which everything can be lost, with two tasks; the agent of the first one goes there.
fn outside(does: &str, layout: Layout) -> (Night, Place, Promised) {
    let env = TestEnv::new();
    let place = Place::new(&env, layout);
    place.write("requirements.md", requirements(TASKS));
    place.git(&env, &["add", "requirements.md"]);
    place.git(&env, &["commit", "-q", "-m", "Tasks", "--only", "requirements.md"]);
    let leaves = format!(
        "{HONEST}\n[[call]]\ntask = \"TASK-001\"\nsteps = [\n  {{ bash = '''cd {} && {does}''' }},\n  {{ write = {{ path = \
         \"work/1\", text = \"x\" }} }}, \"tick_task\", {{ result = {{ text = \"Done.\" }} }},\n]\n",
        place.top.display()
    );
    let before = place.promised(&env);
    (Night::within(env, &leaves), place, before)
}

fn flags() -> [&'static str; 6] {
    ["-j", "2", "--gate", "true", "--allow-dirty", "--max-iterations=9"]
}

fn run_in(night: &Night, place: &Place) -> Outcome {
    night.env.run(command(night, &flags()).current_dir(&place.top), PATIENCE)
}

/// Types a command that was printed, as it was printed.
fn typed(night: &Night, place: &Place, command: &str) {
    let program = format!("{} ", env!("CARGO_BIN_EXE_windlass"));
    let line = command.strip_prefix("windlass ").map_or_else(|| command.to_owned(), |rest| program + rest);
    let mut shell = night.env.command("sh");
    night.env.run(shell.args(["-c", &line]).current_dir(&place.top), PATIENCE).expect_code(0, command);
}

/// Types each, in its order.
fn type_all(night: &Night, place: &Place) -> usize {
    let notices = night.notices();
    let commands = notices.iter().filter(|text| text.starts_with("outside the lanes"));
    let commands: Vec<&str> = commands.flat_map(|text| text.split('`').skip(1).step_by(2)).collect();
    for command in &commands {
        typed(night, place, command);
    }
    commands.len()
}

// attack(git): an agent leaves its lane, and deletes branches, tags, notes, stashes or uncommitted work of the repository that lanes work for
// holds: without a sandbox it can; each loss is said with commands that bring it back, and the work of the lanes lands
#[test]
fn what_is_gone_outside_is_said_and_the_printed_commands_bring_it_back() {
    for (does, said) in [
        ("git branch -qD other packed; git tag -d v1 v2", "branches or tags were deleted or moved"),
        ("git stash clear", "2 stashes were dropped"),
        ("git update-ref -d refs/mine/x", "references were deleted or moved: mine/x"),
        ("git clean -qfd", "uncommitted work is gone"),
        ("git checkout -q HEAD -- a.txt run.sh", "uncommitted work is gone: a.txt, run.sh"),
    ] {
        for layout in [Layout::Plain, Layout::Linked] {
            let (night, place, before) = outside(does, layout);
            let outcome = run_in(&night, &place);
            expect_end(&outcome, 0, "complete");
            let notices = night.notices();
            assert!(notices.iter().any(|text| text.contains(said)), "{does}: {notices:#?}");
            assert!(type_all(&night, &place) > 0, "{does}: {notices:#?}");
            place.promised(&night.env).assert_has_what_is_elsewhere(&before, does);
        }
    }
}

// attack(git): an agent leaves its lane, and deletes `.git` of the repository that lanes work for, or some or all of its objects
// holds: the run ends with 29; the printed command brings all of it back, and the run goes on
#[test]
fn a_repository_that_is_gone_outside_is_brought_back_and_the_run_goes_on() {
    let all_but_the_commit =
        "c=$(git rev-parse HEAD); chmod -R u+w .git; find .git/objects -type f ! -name ${c#??} -delete";
    let slowly = format!("{all_but_the_commit}; sleep 0.3; rm -rf .git/objects");
    let a_tree = "t=$(git rev-parse HEAD^{tree}); chmod -R u+w .git; find .git/objects -name ${t#??} -delete";
    let objects = "chmod -R u+w .git; rm -rf .git/objects";
    for does in ["rm -rf .git", "rm .git/HEAD", objects, all_but_the_commit, &slowly, a_tree] {
        let (night, place, before) = outside(does, Layout::Plain);
        let outcome = run_in(&night, &place);
        expect_end(&outcome, 29, "destructive_change");
        let told = outcome.stdout_text() + &outcome.stderr_text();
        let restore = told.split('`').find(|part| part.starts_with("windlass restore"));
        typed(&night, &place, restore.unwrap_or_else(|| panic!("{does}: {told}")));
        before.assert_is_back(place.promised(&night.env), does);
        fs::write(&night.script, HONEST).unwrap();
        let resumed =
            night.env.run(night.windlass(&["resume", "--no-delay"]).current_dir(&place.top), PATIENCE);
        expect_end(&resumed, 0, "complete");
    }
}

#[test]
fn what_a_person_does_there_meanwhile_is_no_loss() {
    for does in [
        "git commit -qam mine; git branch new; git tag new-tag; git fetch -q 2>/dev/null; git gc -q",
        "git add -A; git commit -qm all; echo more >> a.txt",
        "echo more >> a.txt; git commit -qm mine a.txt; echo and more >> a.txt; git commit -qm mine a.txt",
        "git stash -q -u; git stash pop -q --index",
        "echo on >> untracked; git checkout -q -b elsewhere; git checkout -q main",
    ] {
        let (night, place, _) = outside(does, Layout::Plain);
        expect_end(&run_in(&night, &place), 0, "complete");
        let notices = night.notices();
        assert!(notices.iter().all(|text| !text.contains("outside the lanes")), "{does}: {notices:#?}");
    }
}

#[test]
fn settings_that_are_put_back_there_are_said() {
    let (night, place, _) = outside("git config core.hooksPath /nowhere", Layout::Plain);
    expect_end(&run_in(&night, &place), 0, "complete");
    let notices = night.notices();
    assert!(notices.iter().any(|text| text.contains("were put back before git was called")), "{notices:#?}");
}

// attack(endings): a run of lanes is resumed where another branch is checked out than the one that its work lands on
// holds: it is refused with the command that goes back; no task that is done is worked on again
#[test]
fn lanes_do_not_go_on_where_another_branch_is_checked_out() {
    let night = super::tasks::night(&[(1, &[]), (2, &[]), (3, &[])], HONEST);
    night.env.git(&["branch", "old"]);
    run(&night, &["-j", "2", "--gate", "true", "-m", "2"]).expect_code(10, "two of three");
    night.env.git(&["switch", "--quiet", "old"]);
    let refused = night.resume(&["-m", "9"]);
    refused.expect_code(24, "on old");
    let told = refused.stdout_text() + &refused.stderr_text();
    assert!(told.contains("lands on main, and old is checked out"), "{told}");
    assert!(told.contains("git switch main\n"), "{told}");
    night.env.git(&["switch", "--quiet", "main"]);
    expect_end(&night.resume(&["-m", "9"]), 0, "complete");
    assert_eq!(super::tasks::subjects(&night).len(), 3, "each landed once");
}

// attack(endings): the directory that lanes work for is moved away while they are at work
// holds: the run says that it is gone and ends with 24; nothing is made in its place, and once it is back the run goes on without paying
//   for what was done
#[test]
fn a_directory_that_is_moved_away_is_said_and_nothing_takes_its_place() {
    for layout in [Layout::Plain, Layout::Linked] {
        let (night, place, _) = outside("cd .. && mv \"$OLDPWD\" moved", layout);
        let outcome = run_in(&night, &place);
        expect_end(&outcome, 24, "needs_human");
        let told = outcome.stdout_text() + &outcome.stderr_text();
        assert!(told.contains("the working directory is not there any more"), "{told}");
        assert!(!place.top.exists(), "something was made in its place");
        fs::rename(night.env.root().join("moved"), &place.top).unwrap();
        fs::write(&night.script, HONEST).unwrap();
        let resumed =
            night.env.run(night.windlass(&["resume", "--no-delay"]).current_dir(&place.top), PATIENCE);
        expect_end(&resumed, 0, "complete");
    }
}
