//! What a person does after a runner was killed beside its agent is theirs, and stays; what the agent did is not, whatever the person does
//! around it.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::time::{Duration, SystemTime};

use windlass_testkit::{Outcome, Running};

use super::night::{Night, PATIENCE, expect_end, files_below};
use super::plans::{self, PLAN};
use super::tasks::{HONEST, command, night, requirements, run};
use super::unjudged::{call, kill, play, said};

const THREE: &[(u32, &[u32])] = &[(1, &[]), (2, &[]), (3, &[])];
const HANGS: &str = "touch ../cut";

/// Its content was written so many minutes ago.
fn written_minutes_ago(file: &Path, minutes: u64) {
    let mode = fs::metadata(file).unwrap().permissions();
    fs::set_permissions(file, PermissionsExt::from_mode(0o600)).unwrap();
    let then = SystemTime::now() - Duration::from_mins(minutes);
    fs::File::options().write(true).open(file).unwrap().set_modified(then).unwrap();
    // As whoever changes the rights of all files does.
    fs::set_permissions(file, mode).unwrap();
}

/// The agent was last heard of a minute ago: what is done from now on is a person's.
fn a_minute_later(night: &Night) {
    let streams = files_below(&night.env.state());
    for stream in streams.iter().filter(|file| file.ends_with("stream.ndjson")) {
        written_minutes_ago(stream, 1);
    }
    // The repository itself is older.
    written_minutes_ago(&night.env.project().join(".git/config"), 2);
}

fn commit(night: &Night, message: &str) {
    night.env.git(&["add", "--all"]);
    night.env.git(&["commit", "--quiet", "--message", message]);
}

fn another(night: &Night, arguments: &[&str]) -> Outcome {
    night.env.run(&mut night.command_for("Something else", &[&["-m", "1"], arguments].concat()), PATIENCE)
}

/// A repository with these files, and a run that was killed a minute ago while its agent had done this.
fn killed(files: &[(&str, &str)], shell: &str, arguments: &[&str]) -> Night {
    let night = Night::with_git(&call(&format!("{shell}; {HANGS}"), "\"hang\""));
    for (file, text) in files {
        night.env.write(file, text);
    }
    commit(&night, "Files");
    kill(&night, night.start(arguments));
    a_minute_later(&night);
    play(&night, &call("echo x >> made", "{ result = { text = \"Done.\" } }"));
    night
}

// attack(files): a person writes a list of tasks anew, or renames it, and commits that, after the runner was killed beside its agent
// holds: no run puts the former list back, works on what the person has taken out of it, or commits it
#[test]
fn the_list_that_a_person_commits_after_a_kill_is_worked_off() {
    for next in ["resume", "--fresh"] {
        let night = night(THREE, &call(HANGS, "\"hang\""));
        kill(&night, Running::start(&mut command(&night, &["--gate", "true"])));
        a_minute_later(&night);
        let mine = requirements(&[(1, &[]), (2, &[]), (4, &[])]).replace("Thing 1", "Thing 1, better");
        let (first, rest) = mine.split_once("### TASK-002").unwrap();
        let mine = format!("{first}### TASK-002{}", rest.replacen("pending", "done", 1));
        night.env.write("requirements.md", &mine);
        commit(&night, "A better plan");
        play(&night, HONEST);
        let outcome =
            if next == "resume" { night.resume(&[]) } else { run(&night, &["--gate", "true", next]) };
        expect_end(&outcome, 0, "complete");
        let made = |task: &str| night.env.project().join("work").join(task).exists();
        let made = ["TASK-001", "TASK-002", "TASK-003", "TASK-004"].map(made);
        assert_eq!(made, [true, false, false, true], "{next}: {}", said(&outcome));
        assert_eq!(night.env.read("requirements.md"), mine.replace("pending", "done"), "{next}");
    }

    let renamed = night(THREE, &call(HANGS, "\"hang\""));
    kill(&renamed, Running::start(&mut command(&renamed, &["--gate", "true"])));
    a_minute_later(&renamed);
    renamed.env.git(&["mv", "requirements.md", "old.md"]);
    commit(&renamed, "The old list");
    play(&renamed, HONEST);
    let outcome = another(&renamed, &[]);
    assert!(!renamed.env.project().join("requirements.md").exists(), "{}", said(&outcome));
    assert_eq!(renamed.env.git(&["diff", "HEAD", "--", "old.md"]), "");
}

// attack(files): a person deletes, or takes over, protected files and commits that, or has a workspace cleaned, after the runner was killed
// beside its agent
// holds: the next run, of whatever job, leaves it so, and calls none of it an agent's
#[test]
fn what_a_person_commits_of_protected_files_after_a_kill_stays() {
    let files =
        [("tests/old.sh", "true\n"), ("tests/keep.sh", "true\n"), (".github/workflows/ci.yml", "ci\n")];
    let night = killed(&files, "true", &["--gate", "sh tests/old.sh"]);
    night.env.git(&["rm", "--quiet", "-r", "tests/old.sh", ".github"]);
    night.env.git(&["commit", "--quiet", "--message", "Neither"]);
    let outcome = another(&night, &["--gate", "sh tests/keep.sh", "--commit", "runner"]);
    assert_eq!(night.env.git(&["log", "--format=%s", "--", "tests/old.sh"]), "Neither\nFiles");
    assert!(!night.env.project().join(".github").exists(), "{}", said(&outcome));
    assert!(
        !said(&outcome).contains("old.sh") && !said(&outcome).contains("interrupted"),
        "{}",
        said(&outcome)
    );

    let taken = killed(
        &[("check.sh", "true\n")],
        "echo 'test -e w' > check.sh; echo > w",
        &["--gate", "sh check.sh"],
    );
    written_minutes_ago(&taken.env.project().join("check.sh"), 2);
    commit(&taken, "I have looked at it");
    another(&taken, &["--gate", "sh check.sh"]);
    assert_eq!(taken.env.read("check.sh"), "test -e w\n");

    let cleaned = Night::with_git(&call(HANGS, "\"hang\""));
    let windlass = |arguments: &[&str]| {
        cleaned.env.run(&mut cleaned.windlass(arguments), PATIENCE).expect_code(0, arguments[0]);
    };
    windlass(&["init", "ws"]);
    cleaned.env.write(".windlass/workspaces/ws/INSTRUCTIONS.md", "Do it.\n");
    commit(&cleaned, "A workspace");
    let mut of_workspace = cleaned.windlass(&["run", "ws", "--no-delay"]);
    of_workspace.arg(format!("--mock={}", cleaned.script.display()));
    kill(&cleaned, Running::start(&mut of_workspace));
    windlass(&["clean", "ws", "--yes"]);
    play(&cleaned, &call("echo x > made", "{ result = { text = \"Done.\" } }"));
    let outcome = another(&cleaned, &["--commit", "none"]);
    assert!(!cleaned.env.project().join(".windlass/workspaces/ws").exists(), "{}", said(&outcome));
}

// attack(files): an agent changes a check and commits that, or leaves it so; its runner is killed, and a person commits something else, or
// changes the rights of all files
// holds: none of that makes the change a person's: it is undone before the next run
#[test]
fn what_an_agent_left_is_not_a_persons_for_what_they_do_beside_it() {
    for (shell, by_agent) in [("git commit --quiet --all --message mine", true), ("true", false)] {
        let shell = format!("echo 'exit 0 # evil' > check.sh; {shell}");
        let arguments = ["--gate", "sh check.sh", "--commit", "agent"];
        let night = killed(&[("check.sh", "true\n"), ("other", "1\n")], &shell, &arguments);
        written_minutes_ago(&night.env.project().join("check.sh"), 2);
        if by_agent {
            let commit = night.env.git(&["rev-parse", "HEAD"]);
            let (folder, file) = commit.trim().split_at(2);
            written_minutes_ago(&night.env.project().join(".git/objects").join(folder).join(file), 2);
        }
        night.env.write("other", "2\n");
        night.env.git(&["commit", "--quiet", "--message", "Other", "other"]);
        let outcome = another(&night, &arguments);
        assert_eq!(night.env.read("check.sh"), "true\n", "{by_agent}: {}", said(&outcome));
        assert!(
            said(&outcome).contains("made what it was before the interrupted attempt"),
            "{}",
            said(&outcome)
        );
    }
}

// attack(money): an agent raises a limit and calls all tasks done, its runner is killed, and a person changes the rights of all files or adds
// a task
// holds: neither is believed
#[test]
fn rights_and_a_new_task_vouch_for_nothing() {
    let ticks = "sed -i 's/in-progress/done/; s/pending/done/' requirements.md";
    for adds in [false, true] {
        let night = night(THREE, &call(&format!("{ticks}; {HANGS}"), "\"hang\""));
        kill(&night, Running::start(&mut command(&night, &["--gate", "true"])));
        a_minute_later(&night);
        written_minutes_ago(&night.env.project().join("requirements.md"), 2);
        if adds {
            let mut add = night.windlass(&["tasks", "add", "One more"]);
            night.env.run(&mut add, PATIENCE).expect_code(0, "tasks add");
        }
        play(&night, HONEST);
        let outcome = run(&night, &["--gate", "true", "--fresh"]);
        expect_end(&outcome, 0, "complete");
        let made = fs::read_dir(night.env.project().join("work")).unwrap().count();
        assert_eq!(made, if adds { 4 } else { 3 }, "{}", said(&outcome));
    }
    let limits = [(".windlass/config.toml", "[limits]\nmax_cost = 1\n")];
    let night = killed(&limits, "printf '[limits]\\nmax_cost = 100\\n' > .windlass/config.toml", &[]);
    written_minutes_ago(&night.env.project().join(".windlass/config.toml"), 2);
    another(&night, &[]);
    assert_eq!(night.env.read(".windlass/config.toml"), limits[0].1);
}

// attack(files): another repository, or a fresh clone, is put in the place of one where a runner was killed
// holds: nothing of the former one is written or committed there
#[test]
fn another_repository_in_the_same_place_gets_nothing_of_the_former_one() {
    for clones in [false, true] {
        let night = night(THREE, &call(HANGS, "\"hang\""));
        night.env.write(".github/workflows/deploy.yml", "deploy\n");
        kill(&night, Running::start(&mut command(&night, &["--gate", "true", "--allow-dirty"])));
        a_minute_later(&night);
        let (place, aside) = (night.env.project().to_owned(), night.env.root().join("aside"));
        fs::rename(&place, &aside).unwrap();
        fs::create_dir(&place).unwrap();
        if clones {
            night.env.git(&["clone", "--quiet", "../aside", "."]);
        } else {
            night.env.git(&["init", "--quiet"]);
            night.env.write("other", "Another project\n");
            commit(&night, "Another project");
        }
        play(&night, &call("echo x > made", "{ result = { text = \"Done.\" } }"));
        let outcome = another(&night, &["--commit", "runner"]);
        assert!(said(&outcome).contains("another repository is in this place"), "{}", said(&outcome));
        assert!(!place.join(".github").exists() && (clones || !place.join("requirements.md").exists()));
        assert_eq!(night.env.git(&["show", "--format=", "--name-only", "HEAD"]), "made");
    }
}

// attack(files): an agent changes a protected file, its runner is killed, and the next command is refused
// holds: what was put right before that is said
#[test]
fn what_is_put_right_is_said_where_the_command_is_refused() {
    let shell = "echo evil > .github/workflows/ci.yml";
    let night = killed(&[(".github/workflows/ci.yml", "ci\n")], shell, &[]);
    written_minutes_ago(&night.env.project().join(".github/workflows/ci.yml"), 2);
    let outcome = night.env.run(&mut night.windlass(&["run", "nowhere"]), PATIENCE);
    outcome.expect_code(2, "no such workspace");
    let is_put_back = night.env.read(".github/workflows/ci.yml") == "ci\n";
    assert_eq!(is_put_back, said(&outcome).contains("made what it was before the interrupted attempt"));
    another(&night, &[]);
    assert_eq!(night.env.read(".github/workflows/ci.yml"), "ci\n");
}

// attack(endings): objects of the snapshots are gone when another run is to begin after a kill
// holds: it begins, says what nobody has looked at, and says that once
#[test]
fn a_new_run_begins_where_snapshots_are_gone() {
    let night = night(THREE, &call(HANGS, "\"hang\""));
    kill(&night, Running::start(&mut command(&night, &["--gate", "true"])));
    let objects: Vec<_> = files_below(&night.env.state());
    for file in objects.iter().filter(|file| file.to_string_lossy().contains("snapshots.git/objects/")) {
        fs::remove_file(file).unwrap();
    }
    play(&night, HONEST);
    let outcome = night.resume(&[]);
    assert!(said(&outcome).contains("`windlass run --fresh` begins anew"), "{}", said(&outcome));
    let outcome = run(&night, &["--gate", "true", "--fresh"]);
    expect_end(&outcome, 0, "complete");
    assert!(said(&outcome).contains("nobody has looked over"), "{}", said(&outcome));
    let outcome = run(&night, &["--gate", "true", "--fresh"]);
    assert!(!said(&outcome).contains("nobody has looked over"), "{}", said(&outcome));
}

// attack(claims): a person takes an open box out of the plan and commits that, after the runner was killed beside its agent
// holds: the next run is not held for it
#[test]
fn a_box_that_a_person_takes_out_after_a_kill_is_not_missed() {
    let plan = "- [ ] One (refs: specs/a.md)\n- [ ] Two (refs: specs/a.md)\n";
    let night = plans::planned(plan, &call(HANGS, "\"hang\""));
    kill(&night, Running::start(&mut plans::command(&night, "build", &[])));
    a_minute_later(&night);
    night.env.write(PLAN, plan.replace("Two", "Something quite different"));
    commit(&night, "Another plan");
    play(
        &night,
        &call("sed -i '0,/\\[ \\]/s//[x]/' IMPLEMENTATION_PLAN.md; date +%N >> made", "\"commit_task\""),
    );
    let outcome = plans::run(&night, "build", &["--fresh", "--gate", "true"]);
    assert!(!said(&outcome).contains("is gone"), "{}", said(&outcome));
    expect_end(&outcome, 0, "complete");
}

// attack(money): an agent raises the limits of its workspace's project, its runner is killed, and the workspace is judged
// holds: the judgement goes by the person's limits, and so does the next run
#[test]
fn a_judgement_settles_what_was_cut_off_before_it() {
    for verb in ["verify", "validate"] {
        let raises = "sed -i 's/= 1/= 100/' .windlass/config.toml; echo evil > .windlass/workspaces/ws/INSTRUCTIONS.md";
        let night = Night::with_git(&call(&format!("{raises}; {HANGS}"), "\"hang\""));
        let mut init = night.windlass(&["init", "ws"]);
        night.env.run(&mut init, PATIENCE).expect_code(0, "init");
        night.env.write(".windlass/workspaces/ws/INSTRUCTIONS.md", "Do it.\n");
        night.env.write(".windlass/config.toml", "[limits]\nmax_cost = 1\n");
        commit(&night, "A workspace");
        let mut of_workspace = night.windlass(&["run", "ws", "--no-delay"]);
        of_workspace.arg(format!("--mock={}", night.script.display()));
        kill(&night, Running::start(&mut of_workspace));
        let outcome = night.env.run(&mut night.windlass(&[verb, "ws", "--mock"]), PATIENCE);
        assert!(
            said(&outcome).contains("made what it was before the interrupted attempt"),
            "{}",
            said(&outcome)
        );
        assert_eq!(night.env.read(".windlass/config.toml"), "[limits]\nmax_cost = 1\n", "{verb}");
        assert_eq!(night.env.read(".windlass/workspaces/ws/INSTRUCTIONS.md"), "Do it.\n", "{verb}");
    }
}

// A judgement that was refused, or cut off itself, hides no run that was cut off before it.
#[test]
fn a_judgement_hides_nothing_that_was_cut_off() {
    let night = Night::with_git(&call(HANGS, "\"hang\""));
    let mut init = night.windlass(&["init", "ws"]);
    night.env.run(&mut init, PATIENCE).expect_code(0, "init");
    night.env.write(".windlass/workspaces/ws/INSTRUCTIONS.md", "Do it.\n");
    night.env.write(".windlass/config.toml", "[limits]\nmax_cost = 1\n");
    commit(&night, "A workspace");
    let start = |arguments: &[&str]| {
        let mut command = night.windlass(arguments);
        command.arg(format!("--mock={}", night.script.display()));
        kill(&night, Running::start(&mut command));
    };
    start(&["verify", "ws"]);
    play(&night, &call(&format!("sed -i 's/= 1/= 100/' .windlass/config.toml; {HANGS}"), "\"hang\""));
    start(&["verify", "ws"]);
    play(&night, &call("echo x > made", "{ result = { text = \"Done.\" } }"));
    let outcome = another(&night, &[]);
    assert!(said(&outcome).contains("made what it was before the interrupted attempt"), "{}", said(&outcome));
    assert_eq!(night.env.read(".windlass/config.toml"), "[limits]\nmax_cost = 1\n");
}
