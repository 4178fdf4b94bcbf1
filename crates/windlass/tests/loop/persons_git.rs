//! What a person does to their repository while a run works there, or between two of its sessions.

use rustix::process::Signal;
use windlass_core::fact::Fact;
use windlass_core::values::StopReason;
use windlass_testkit::Outcome;

use super::night::{Night, PATIENCE, calls, every_call, expect_end};
use super::tasks::{self, HONEST};

/// Always the same in one file, and something new in another one.
const SAME: &str =
    "{ write = { path = 'f.txt', text = \"same\\n\" } }, { bash = 'echo {{call}} >> log.txt' }";

const RUNNER: [&str; 4] = ["--commit", "runner", "--gate", "grep -q same f.txt"];

fn said(outcome: &Outcome) -> String {
    outcome.stdout_text() + &outcome.stderr_text()
}

fn run(night: &Night, flags: &[&str]) -> Outcome {
    night.run(&[&RUNNER[..], flags].concat())
}

/// What a person types.
fn shell(night: &Night, script: &str) {
    let mut command = night.env.command("sh");
    night.env.run(command.args(["-ec", script]), PATIENCE).expect_success(script);
}

fn name(night: &Night) -> String {
    night.folder().file_name().unwrap().to_string_lossy().into_owned()
}

/// What is committed is what the gate passed on, and nothing is left beside it.
fn assert_committed(night: &Night, why: &str) {
    assert_eq!(night.env.git(&["show", "HEAD:f.txt"]), "same", "{why}");
    assert_eq!(night.env.git(&["status", "--porcelain"]), "", "{why}");
}

// attack(claims): while an agent works, a person commits another content of a file that it leaves as the commit before had it
// holds: the commit after it has what the gates judged
#[test]
fn what_a_person_commits_meanwhile_does_not_stay_where_the_agent_wrote_over_it() {
    let waits = format!(
        "{{ write = {{ path = '.git/begun', text = 'x' }} }}, {{ bash = 'until test -e .git/go; do sleep 0.05; done' }}, {SAME}"
    );
    let night = Night::with_git(&calls(&[SAME, &waits]));
    let running = night.start(&[&RUNNER[..], &["-m", "2"]].concat());
    night.wait_for_file(".git/begun");
    night.env.write("f.txt", "mine\n");
    night.env.git(&["commit", "--quiet", "--all", "--message", "Mine"]);
    night.env.write(".git/go", "");
    running.wait(PATIENCE).expect_code(10, "both iterations");
    assert_committed(&night, "mid-run");
    night.assert_clean();
}

// attack(claims): between two sessions a person commits over, reverts or resets what the run has committed, and its agent makes it anew
// holds: what the gates pass on is committed
#[test]
fn what_a_person_undoes_between_two_sessions_is_committed_once_it_is_made_anew() {
    for deed in [
        "echo mine > f.txt; git commit -qam Mine",
        "git revert --no-edit HEAD >/dev/null",
        "git reset --quiet --hard HEAD~1",
        "git rm -q f.txt; git commit -qm Gone",
    ] {
        for work in [SAME, "{ write = { path = 'f.txt', text = \"same\\n\" } }"] {
            let night = Night::with_git(&every_call(work));
            run(&night, &["-m", "1"]).expect_code(10, deed);
            shell(&night, deed);
            expect_end(&night.resume(&["-m", "2"]), 10, "max_iterations");
            assert_committed(&night, deed);
        }
    }
}

// attack(claims): an iteration deletes a file; a person takes that commit back, or commits the file again, and an agent deletes it again
// holds: what the gates pass on, without the file, is committed
#[test]
fn a_deletion_that_a_person_takes_back_is_committed_once_it_is_made_again() {
    for deed in [
        "git reset --quiet --hard HEAD~1",
        "git revert --no-edit HEAD >/dev/null",
        "git checkout --quiet HEAD~1 -- old; git commit -qm Back",
    ] {
        let night = Night::with_git(&every_call("{ bash = 'rm -f old; echo {{call}} >> log.txt' }"));
        shell(&night, "echo old > old; git add old; git commit -qm Old");
        let flags = ["--commit", "runner", "--gate", "test ! -e old"];
        night.run(&[&flags[..], &["-m", "1"]].concat()).expect_code(10, deed);
        shell(&night, deed);
        expect_end(&night.resume(&["-m", "2"]), 10, "max_iterations");
        assert_eq!(night.env.git(&["ls-tree", "--name-only", "HEAD", "old"]), "", "{deed}");
        assert_eq!(night.env.git(&["status", "--porcelain"]), "", "{deed}");
    }
}

fn assert_no_damage(night: &Night) {
    let damaged = night.facts().into_iter().filter(|fact| matches!(fact, Fact::Damaged(_)));
    assert_eq!(damaged.count(), 0, "{:#?}", night.notices());
}

// attack(claims): an agent makes right again what an iteration before it had broken, or what the guard had put back over a commit of its own
// holds: nothing of a person's was there: that is no damage, and is not undone
#[test]
fn what_no_person_had_uncommitted_is_no_persons_loss() {
    let breaks = "{ write = { path = 'f.txt', text = \"broken\\n\" } }";
    let mends = "{ write = { path = 'f.txt', text = \"same\\n\" } }";
    for flags in [&[][..], &["--commit", "runner"]] {
        let night = Night::with_git(&calls(&[breaks, mends, breaks, mends]));
        night.env.write(".windlass/config.toml", "[safety]\nundo = \"auto\"\n");
        shell(&night, "echo same > f.txt; git add .; git commit -qm Begin");
        let gate = ["--gate", "grep -q same f.txt", "-m", "4", "--stagnation-threshold", "0"];
        expect_end(&night.run(&[flags, &gate[..]].concat()), 10, "max_iterations");
        assert_no_damage(&night);
        shell(&night, "grep -q same f.txt");
    }
    let weakens = "{ bash = 'echo \"test: ; true\" > Makefile; git commit -qam one' }";
    let goes_back = "{ bash = 'git checkout -q Makefile; echo y > good; git add good; git commit -qm two' }";
    let night = Night::with_git(&calls(&[weakens, goes_back]));
    shell(&night, "echo 'test: ; test -e good' > Makefile; git add .; git commit -qm Begin");
    night.run(&["--commit", "agent", "--gate", "make test", "-m", "2"]).expect_code(10, "two");
    assert_no_damage(&night);
}

#[test]
fn what_a_person_commits_stays_as_it_is_where_no_agent_touches_it() {
    let night = Night::with_git(&calls(&[SAME, "{ bash = 'echo more >> other.txt' }"]));
    run(&night, &["-m", "1"]).expect_code(10, "the first");
    shell(&night, "echo same and mine > f.txt; git rm -q log.txt; git commit -qam Mine");
    expect_end(&night.resume(&["-m", "2"]), 10, "max_iterations");
    assert_eq!(night.env.git(&["show", "HEAD:f.txt"]), "same and mine");
    assert_eq!(night.env.git(&["ls-tree", "--name-only", "HEAD", "log.txt"]), "");
}

// attack(claims): an agent commits its work in a submodule
// holds: the commit here names that commit, as the gates judged it
#[test]
fn work_in_a_submodule_is_committed_as_the_commit_that_is_checked_out_there() {
    let night = Night::with_git(&every_call(
        "{ bash = 'cd inner; echo same >> f.txt; git add f.txt; git commit -qm Work' }",
    ));
    let others = night.env.root().join("others");
    let others = others.display();
    shell(&night, &format!("git init -q {others}; git -C {others} commit -q --allow-empty -m Others"));
    shell(
        &night,
        &format!(
            "git -c protocol.file.allow=always submodule --quiet add {others} inner; git commit -qm Inner"
        ),
    );
    let flags = ["-m", "1", "--commit", "runner", "--gate", "grep -q same inner/f.txt"];
    expect_end(&night.run(&flags), 10, "max_iterations");
    assert_eq!(night.env.git(&["status", "--porcelain"]), "");
    assert_eq!(
        night.env.git(&["rev-parse", "HEAD:inner"]),
        night.env.git(&["-C", "inner", "rev-parse", "HEAD"])
    );
}

// rows: 75
#[test]
fn what_restore_has_put_back_is_the_runs_as_before() {
    for repository in [&[][..], &["--repository"]] {
        let night = Night::with_git(&every_call(
            "{ bash = 'echo x >> log.txt; lines=$(wc -l < log.txt); echo same $lines > f.txt; cp log.txt f$lines.txt' }",
        ));
        run(&night, &["-m", "2"]).expect_code(10, "two iterations");
        let id = name(&night);
        let restored =
            night.env.run(&mut night.windlass(&[&["restore", &id, "1"], repository].concat()), PATIENCE);
        restored.expect_code(0, "restore");
        let outcome = night.resume(&["-m", "3"]);
        expect_end(&outcome, 10, "max_iterations");
        assert!(!said(&outcome).contains("leave out"), "{}", said(&outcome));
        assert_eq!(night.env.git(&["status", "--porcelain"]), "", "{repository:?}");
        assert_eq!(night.env.git(&["show", "HEAD:f.txt"]), "same 2");
    }
}

// attack(endings): a person restores the files of an iteration, takes that back with the printed command, and resumes the run
// holds: what is theirs stays theirs, in no commit of the run
#[test]
fn what_is_a_persons_stays_theirs_after_a_restore_that_was_taken_back() {
    for paths in [&[][..], &["--", "README.md", "notes.txt"]] {
        let night = Night::with_git(&every_call(SAME));
        run(&night, &["-m", "2"]).expect_code(10, "two iterations");
        let id = name(&night);
        night.env.write("README.md", "half done, mine\n");
        night.env.write("notes.txt", "private\n");
        let restore = |to: &str, paths: &[&str]| {
            let mut command = night.windlass(&[&["restore", &id, to], paths].concat());
            night.env.run(&mut command, PATIENCE).expect_code(0, to);
        };
        restore("1", paths);
        assert!(!night.env.project().join("notes.txt").exists());
        restore("before-restore-1", &[]);
        let outcome = night.resume(&["-m", "3"]);
        expect_end(&outcome, 10, "max_iterations");
        let committed = night.env.git(&["log", "--name-only", "--format="]);
        assert!(!committed.contains("notes.txt"), "{committed}");
        assert_eq!(night.env.git(&["status", "--porcelain"]), " M README.md\n?? notes.txt", "{paths:?}");
    }
}

// attack(endings): a run is resumed where another branch is checked out than the one that has its work
// holds: it is refused with the command that goes back; where the branch has its work it goes on
#[test]
fn a_run_does_not_go_on_where_its_work_is_not() {
    let night = Night::with_git(&every_call(SAME));
    night.env.git(&["switch", "--quiet", "-c", "feat/x"]);
    run(&night, &["-m", "1"]).expect_code(10, "on feat/x");
    night.env.git(&["switch", "--quiet", "main"]);
    let refused = night.resume(&["-m", "2"]);
    refused.expect_code(24, "on main");
    let told = said(&refused);
    assert!(told.contains("worked on feat/x, and main is checked out"), "{told}");
    assert!(told.contains("git switch feat/x"), "{told}");
    assert_eq!(
        night.env.git(&["log", "--format=%s", "main"]).lines().count(),
        1,
        "nothing is committed there"
    );
    night.env.git(&["merge", "--quiet", "feat/x"]);
    let outcome = night.resume(&["-m", "2"]);
    expect_end(&outcome, 10, "max_iterations");
    assert!(said(&outcome).contains("worked on feat/x, and goes on on main"), "{}", said(&outcome));
    night.env.git(&["branch", "-D", "feat/x"]);
    night.env.git(&["switch", "--quiet", "--detach", "HEAD~2"]);
    let refused = said(&night.resume(&["-m", "3"]));
    assert!(refused.contains("worked on main, and a commit on no branch is checked out"), "{refused}");
}

#[test]
fn a_branch_that_is_gone_is_named_with_its_commit() {
    let night = Night::with_git(&every_call(SAME));
    night.env.git(&["switch", "--quiet", "-c", "feat/x"]);
    run(&night, &["-m", "1"]).expect_code(10, "on feat/x");
    let commit = night.env.git(&["rev-parse", "HEAD"]);
    night.env.git(&["switch", "--quiet", "main"]);
    night.env.git(&["branch", "--quiet", "-D", "feat/x"]);
    let told = said(&night.resume(&["-m", "2"]));
    assert!(told.contains(&format!("git switch -c feat/x {commit}")), "{told}");
}

// attack(money): a run is resumed while a merge of a person's is under way
// holds: it is refused before anybody is paid, as a new one is
#[test]
fn nobody_is_paid_while_a_merge_is_under_way() {
    let night = Night::with_git(&every_call(SAME));
    night.env.git(&["branch", "other"]);
    run(&night, &["-m", "1"]).expect_code(10, "the first");
    shell(
        &night,
        "git switch -q other; echo other > f.txt; git add f.txt; git commit -qm Other; git switch -q main",
    );
    shell(&night, "git merge other >/dev/null || true");
    let refused = night.resume(&["-m", "2"]);
    refused.expect_code(2, "a merge is under way");
    assert!(said(&refused).contains("a merge is under way"), "{}", said(&refused));
    assert_eq!(night.calls().len(), 1);
    night.env.git(&["merge", "--abort"]);
    expect_end(&night.resume(&["-m", "2"]), 10, "max_iterations");
    assert_committed(&night, "after it");
}

// It is told to the next agent, which may end it.
#[test]
fn a_merge_that_an_agent_has_left_does_not_keep_a_run_from_going_on() {
    let merges = "{ bash = 'git merge other >/dev/null || true' }";
    let ends = "{ bash = 'git merge --abort; echo x > more.txt' }";
    let night = Night::with_git(&calls(&[SAME, merges]));
    shell(
        &night,
        "git switch -qc other; echo other > f.txt; git add f.txt; git commit -qm Other; git switch -q main",
    );
    run(&night, &["-m", "2"]).expect_code(10, "a merge is left");
    night.env.write(&night.script, every_call(ends));
    expect_end(&night.resume(&["-m", "3"]), 10, "max_iterations");
    assert_committed(&night, "it is ended");
}

// rows: 49, 75
// attack(claims): a task that is done is opened again between two sessions: by `tasks reopen`, by hand, by taking its commit back
// holds: it is worked on again
#[test]
fn a_task_that_was_opened_again_is_worked_on_again() {
    let reopened = |night: &Night| {
        night
            .env
            .run(&mut night.windlass(&["tasks", "reopen", "TASK-001"]), PATIENCE)
            .expect_code(0, "reopen");
        shell(night, "git commit -qam Reopened");
    };
    let by_hand = |night: &Night| {
        shell(
            night,
            "sed -i 's/: done/: pending/' requirements.md; rm work/TASK-001; git commit -qam Reopened",
        );
    };
    let reset = |night: &Night| shell(night, "git reset --quiet --hard HEAD~1");
    for (lanes, deed) in
        [("1", &reopened as &dyn Fn(&Night)), ("2", &reopened), ("1", &by_hand), ("1", &reset)]
    {
        let night = tasks::night(&[(1, &[]), (2, &[1])], HONEST);
        let flags = ["--gate", "true", "--commit", "runner", "-j", lanes];
        tasks::run(&night, &[&flags[..], &["-m", "1"]].concat()).expect_code(10, "the first task");
        deed(&night);
        let outcome = night.resume(&["-m", "6"]);
        expect_end(&outcome, 0, "complete");
        assert_eq!(night.ended(), StopReason::Complete);
        let worked: Vec<String> = tasks::ends(&night).into_iter().map(|(task, _)| task).collect();
        assert_eq!(worked, ["TASK-001", "TASK-001", "TASK-002"], "{}", said(&outcome));
        assert_eq!(
            night.env.git(&["ls-tree", "--name-only", "HEAD", "work/"]),
            "work/TASK-001\nwork/TASK-002"
        );
    }
}

// attack(endings): verbs that change what steers agents, typed by a person while a run works there
// holds: they are refused; otherwise the run would undo them as its agent's
#[test]
fn verbs_that_a_run_would_undo_are_refused_while_it_works() {
    let night = Night::with_git(&every_call(
        "{ write = { path = '.git/begun', text = 'x' } }, { bash = 'until test -e .git/go; do sleep 0.05; done' }",
    ));
    night.env.run(&mut night.windlass(&["init", "ws"]), PATIENCE).expect_code(0, "init");
    night.env.write(".windlass/workspaces/ws/INSTRUCTIONS.md", "Do it\n");
    let principles = ["principles", "init", "--preset", "startup", "--force"];
    night.env.run(&mut night.windlass(&principles[..4]), PATIENCE).expect_code(0, "principles");
    shell(&night, "git add -A; git commit -qm Workspace");
    let running = night.start(&["-m", "1"]);
    night.wait_for_file(".git/begun");
    for verb in [
        &["init", "other"][..],
        &["init", "--plan"],
        &["archive", "save", "ws"],
        &["clean", "ws", "--yes"],
        &["reset", "ws", "--yes"],
        &["template", "save", "ws"],
        &principles,
        &["principles", "set", "blast_radius=9"],
        &["principles", "reset", "blast_radius"],
    ] {
        let refused = night.env.run(&mut night.windlass(verb), PATIENCE);
        refused.expect_code(25, &verb.join(" "));
        assert!(said(&refused).contains("windlass stop r-"), "{}", said(&refused));
    }
    assert_eq!(night.env.git(&["status", "--porcelain"]), "");
    running.signal(Signal::INT);
    running.wait(PATIENCE).expect_code(130, "ended");
}
