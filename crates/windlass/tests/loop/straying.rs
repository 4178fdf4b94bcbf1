//! What an agent writes beside the plan while it is to write nothing else.

use std::fs;
use std::os::unix::fs::symlink;
use std::time::Duration;

use rustix::process::Signal;
use windlass_core::fact::Fact;
use windlass_core::report;
use windlass_testkit::{Running, TestEnv};

use super::night::{Night, PATIENCE, calls, expect_end};
use super::plans::{PLAN, THREE, command, planned, refused, run, said};

/// Everything that must not be changed while planning, changed; and a plan. The folder comes with its file in one step: an
/// agent that is killed between the two leaves an empty folder, of which neither git nor a snapshot knows.
const STRAY: &str = "{ write = { path = 'src/main.rs', text = 'fn main() { todo!() }' } }, \
    { bash = 'mkdir ../new; printf x > ../new/deep.rs; mv ../new src/new' }, { bash = 'chmod +x specs/a.md; rm gone; rm link; mkdir link; touch link/in; \
    echo y > untracked; echo z > ignored' }, \
    { write = { path = 'IMPLEMENTATION_PLAN.md', text = '- [ ] One (refs: specs/a.md)' } }";

/// Where that happens.
fn strayed() -> Night {
    // A killed call is not made again; the next one has to leave a plan as well.
    let again = "{ bash = 'test -e IMPLEMENTATION_PLAN.md || echo \"- [ ] One (refs: specs/a.md)\" > IMPLEMENTATION_PLAN.md' }";
    let night = planned("", &calls(&[STRAY, again]));
    let env = &night.env;
    env.write("gone", "still here\n");
    symlink("src/main.rs", env.project().join("link")).unwrap();
    env.write(".gitignore", "ignored\n");
    env.git(&["add", "--all"]);
    env.git(&["commit", "--quiet", "--message", "More"]);
    env.write("untracked", "mine\n");
    night
}

fn is_as_before(night: &Night) {
    let project = night.env.project();
    assert_eq!(night.env.git(&["status", "--porcelain"]), format!("?? {PLAN}\n?? untracked"));
    assert_eq!((&*night.env.read("untracked"), &*night.env.read("gone")), ("mine\n", "still here\n"));
    assert_eq!(fs::read_link(project.join("link")).unwrap().to_str(), Some("src/main.rs"));
    assert!(!project.join("src/new").exists(), "what became empty goes as well");
}

// rows: 98
#[test]
fn what_planning_changes_beyond_the_plan_is_undone_and_kept() {
    let night = strayed();
    let outcome = run(&night, "plan", &[]);
    expect_end(&outcome, 0, "complete");
    is_as_before(&night);
    assert_eq!(night.env.read("ignored"), "z\n", "what git ignores is not looked at");
    let [(7, files, true)] = &refused(&night)[..] else { panic!("{:?}", refused(&night)) };
    assert_eq!(*files, ["gone", "link", "link/in", "specs/a.md", "src/main.rs"]);
    assert!(said(&outcome).contains("undone: 7 files beyond the plan: gone, link"), "{}", said(&outcome));
    let second = fs::read_to_string(night.folder().join("iterations/0002/1-plan/prompt.md")).unwrap();
    assert!(second.contains("## What was refused"), "{second}");
    let id = night.folder().file_name().unwrap().to_string_lossy().into_owned();
    night
        .env
        .run(&mut night.windlass(&["restore", &id, "1"]), PATIENCE)
        .expect_success("what the agent left");
    assert_eq!(night.env.read("src/new/deep.rs"), "x");
    assert_eq!(night.env.read("untracked"), "y\n");
}

// rows: 75, 98
#[test]
fn killed_at_any_write_the_undoing_is_finished_after_the_resume() {
    let unharmed = strayed();
    expect_end(&run(&unharmed, "plan", &[]), 0, "complete");
    let writes = unharmed.entries().len();
    for write in 3..=writes {
        let night = strayed();
        let fault = format!("kill-after-write={write}");
        let killed = night.env.run(command(&night, "plan", &[]).env("WINDLASS_TEST_FAULT", &fault), PATIENCE);
        let over = matches!(night.facts().last(), Some(Fact::RunFinished { .. }));
        if killed.signal != Some(9) || over {
            // Several facts are one write.
            continue;
        }
        night.env.assert_no_processes(super::night::CLEARED);
        let resumed = night.resume(&[]);
        expect_end(&resumed, 0, "complete");
        is_as_before(&night);
        night.assert_clean();
    }
}

// rows: 98
#[test]
fn what_a_person_wrote_while_no_runner_was_there_stays() {
    for write in 5..20 {
        let night = strayed();
        let fault = format!("kill-after-write={write}");
        let _ = night.env.run(command(&night, "plan", &[]).env("WINDLASS_TEST_FAULT", &fault), PATIENCE);
        night.env.assert_no_processes(super::night::CLEARED);
        if !matches!(
            night.facts().last(),
            Some(Fact::SnapshotTaken(report::SnapshotTaken { forbidden_changes: 7, .. }))
        ) {
            continue;
        }
        night.env.write("src/main.rs", "fn main() { mine() }\n");
        night.env.write("new-of-mine", "mine\n");
        expect_end(&night.resume(&[]), 0, "complete");
        assert_eq!(night.env.read("src/main.rs"), "fn main() { mine() }\n");
        assert_eq!((&*night.env.read("new-of-mine"), &*night.env.read("gone")), ("mine\n", "still here\n"));
        let told = |notice: &String| {
            notice.contains("somebody else may have written them: new-of-mine, src/main.rs")
        };
        assert!(night.notices().iter().any(told), "{:?}", night.notices());
        // What the agent had written is still there under a name.
        let id = night.folder().file_name().unwrap().to_string_lossy().into_owned();
        let told = |notice: &String| notice.contains(&format!("`windlass restore {id} before-restore-1`"));
        assert!(night.notices().iter().any(told), "{:?}", night.notices());
        let mut restore = night.windlass(&["restore", &id, "before-restore-1"]);
        night.env.run(&mut restore, PATIENCE).expect_success("what the agent left");
        assert_eq!(night.env.read("src/main.rs"), "fn main() { todo!() }");
        return;
    }
    panic!("no write was the one that names what strayed");
}

// attack(files): a person deletes and renames files, and commits that, after the runner was killed beside a planning agent
// holds: that stays, what the agent wrote is undone, and the command that is printed brings it back
#[test]
fn what_a_person_took_away_while_no_runner_was_there_stays_gone() {
    let first = "'draft_plan', { bash = 'echo agent > stray; touch ../cut' }, 'hang'";
    let night = planned("", &calls(&[first, "'draft_plan'"]));
    let env = &night.env;
    for file in ["notes/old.md", "old-name", "uncommitted"] {
        env.write(file, "# X\n\nR1: do\n");
    }
    env.git(&["add", "--all"]);
    env.git(&["commit", "--quiet", "--message", "More"]);
    let running = Running::start(&mut command(&night, "plan", &[]));
    night.wait_for_file("../cut");
    running.signal(Signal::KILL);
    assert_eq!(running.wait(PATIENCE).signal, Some(9));
    env.assert_no_processes(super::night::CLEARED);
    // sleep: what is written for a while after the agent was last heard of counts as its own
    std::thread::sleep(Duration::from_secs(6));
    env.git(&["rm", "--quiet", "notes/old.md"]);
    env.git(&["mv", "old-name", "new-name"]);
    env.git(&["commit", "--quiet", "--message", "Mine"]);
    fs::remove_file(env.project().join("uncommitted")).unwrap();
    let outcome = night.resume(&[]);
    expect_end(&outcome, 0, "complete");
    let is_there = |file: &str| env.project().join(file).exists();
    let there = ["notes/old.md", "old-name", "uncommitted", "new-name", "stray"].map(is_there);
    assert_eq!(there, [false, false, false, true, false], "{}", said(&outcome));
    let told = |notice: &String| {
        notice.contains("somebody else may have written them") && notice.contains("uncommitted")
    };
    assert!(night.notices().iter().any(told), "{:?}", night.notices());
    let id = night.folder().file_name().unwrap().to_string_lossy().into_owned();
    let text = said(&outcome).split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        text.contains(&format!("1 file beyond the plan: stray; kept: windlass restore {id} 1-1-after")),
        "{text}"
    );
    env.run(&mut night.windlass(&["restore", &id, "1-1-after"]), PATIENCE).expect_code(0, "restore");
    assert_eq!(env.read("stray"), "agent\n");
}

// rows: 98
#[test]
fn what_a_person_writes_between_two_calls_is_not_the_agents() {
    let night = planned(
        THREE,
        &calls(&["{ usage_limit = { resets_in = '2s' } }", "{ bash = 'echo x > stray' }", "{ bash = 'ls' }"]),
    );
    let running = Running::start(&mut command(&night, "plan", &[]));
    night.wait_for_fact("the wait", |fact| matches!(fact, Fact::AttemptRepeats { .. }));
    night.env.write("specs/new.md", "# New\n");
    night.env.write("src/main.rs", "fn main() { mine() }\n");
    expect_end(&running.wait(PATIENCE), 0, "complete");
    assert_eq!(night.env.read("specs/new.md"), "# New\n");
    assert_eq!(night.env.read("src/main.rs"), "fn main() { mine() }\n");
    assert_eq!(refused(&night), [(1, vec!["stray".to_owned()], true)]);
}

// rows: 98
#[test]
fn a_commit_while_planning_is_said_and_without_git_nothing_can_be_undone() {
    let stray = "{ write = { path = 'src/main.rs', text = 'x' } }, { write = { path = 'IMPLEMENTATION_PLAN.md', text = '- [ ] One' } }";
    let commit = format!("{stray}, {{ bash = 'git commit --quiet --all --message Oops' }}");
    let night = planned("", &calls(&[&commit, "{ bash = 'ls' }"]));
    run(&night, "plan", &["-m", "2"]).expect_code(10, "planned");
    assert_eq!(night.env.read("src/main.rs"), "fn main() {}\n");
    let told = |notice: &String| notice.contains(" 1 --before --repository` takes that back");
    assert!(night.notices().iter().any(told), "{:?}", night.notices());

    let env = TestEnv::new();
    env.write("specs/README.md", "none yet\n");
    let night = Night::within(env, &calls(&[stray, "{ bash = 'ls' }"]));
    let outcome = run(&night, "plan", &[]);
    expect_end(&outcome, 0, "complete");
    assert_eq!(refused(&night), [(1, vec!["src/main.rs".to_owned()], false)]);
    assert_eq!(night.env.read("src/main.rs"), "x");
    assert!(said(&outcome).contains("not all of it can be undone: src/main.rs"), "{}", said(&outcome));
}
