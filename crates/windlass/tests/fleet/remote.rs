//! Commits that travel through a git remote.

use std::fs;
use std::path::PathBuf;

use rustix::process::Signal;
use windlass_testkit::environment::wait_until;
use windlass_testkit::{Nats, Running};

use super::yard::{Elsewhere, HONEST, PATIENCE, Yard, drain};

/// Where packs from workers are, when they travel through the servers.
const RESULTS: &str = "OBJ_windlass_windlass_results";

/// A yard with a remote that has references of its own.
struct Through {
    yard: Yard,
    bare: PathBuf,
    before: String,
}

impl Through {
    fn of(mut yard: Yard) -> Through {
        let bare = yard.env.root().join("remote.git");
        let path = bare.display().to_string();
        yard.env.git(&["init", "--quiet", "--bare", &path]);
        yard.env.git(&["commit", "--quiet", "--allow-empty", "--message", "Beyond the remote's branch"]);
        let own = ["HEAD~1:refs/heads/main", "HEAD:refs/tags/v1", "HEAD~1:refs/windlass/r-other/base/notes"];
        yard.env.git(&[&["push", "--quiet", &path], &own[..]].concat());
        yard.remote = Some(format!("file://{path}"));
        let mut through = Through { yard, bare, before: String::new() };
        through.before = through.listing();
        through
    }

    fn with_waiting_agents(tasks: u32) -> Through {
        Through::of(Yard::with_waiting_agents(Nats::one(), tasks))
    }

    fn listing(&self) -> String {
        self.yard.env.git(&["--git-dir", &self.bare.display().to_string(), "for-each-ref"])
    }

    /// The remote has what it had, and nothing of a run.
    fn assert_untouched(&self) {
        assert_eq!(self.listing(), self.before);
        self.yard.env.git(&["--git-dir", &self.bare.display().to_string(), "fsck", "--no-dangling"]);
    }

    fn take_away(&self) {
        fs::rename(&self.bare, self.bare.with_extension("away")).unwrap();
    }

    fn bring_back(&self) {
        fs::rename(self.bare.with_extension("away"), &self.bare).unwrap();
    }
}

fn all(tasks: u32) -> Vec<String> {
    (1..=tasks).map(|task| format!("T{task}")).collect()
}

#[test]
fn tasks_land_through_a_git_remote_as_they_do_without_one() {
    let through = Through::of(Yard::new(4, HONEST));
    let yard = &through.yard;
    let (one, other) = (yard.worker("one"), yard.worker("other"));
    let run = yard.land(3, &["--gate", "test -d work"]);
    run.expect_success(&run.stderr_text());
    assert_eq!(yard.landed(), all(4), "{}", run.stderr_text());
    yard.assert_whole();
    assert_eq!(yard.of_kind("call_finished").len(), 4, "each task needed one call");
    assert!(!yard.notices().contains("lost lane"), "{}", yard.notices());
    assert_eq!(yard.nats.messages_of(RESULTS), Some(0), "no pack came through the servers");
    through.assert_untouched();
    assert!(!yard.env.git(&["for-each-ref"]).contains("refs/windlass"), "and nothing of it is here");
    for worker in [one, other] {
        drain(worker).expect_success("a worker without lanes is drained at once");
    }
    yard.env.assert_no_processes(PATIENCE);
}

#[test]
fn what_is_left_of_a_parked_task_comes_through_the_remote() {
    let script = r#"
[[call]]
steps = [
  { write = { path = "work/{{task}}", text = "half\n" } },
  { result = { text = "I cannot finish {{task}}.", cost = 0.01 } },
]
"#;
    let through = Through::of(Yard::new(1, script));
    let yard = &through.yard;
    let worker = yard.worker("one");
    let landed =
        yard.env.run(yard.tasks(2, &["--gate", "false"]).env("WINDLASS_TASKS__ATTEMPTS", "1"), PATIENCE);
    assert_ne!(landed.code, Some(0), "{}", landed.stderr_text());
    let branches = yard.env.git(&["for-each-ref", "--format=%(refname:short)", "refs/heads/windlass"]);
    assert!(branches.ends_with("/T1"), "{branches}\n{}", landed.stderr_text());
    assert_eq!(yard.env.git(&["show", &format!("{branches}:work/T1")]), "half");
    through.assert_untouched();
    drain(worker);
}

#[test]
fn a_remote_that_is_away_for_a_while_costs_nothing_but_time() {
    let through = Through::with_waiting_agents(3);
    let yard = &through.yard;
    let worker = yard.worker("one");
    // It is looked at every other second then.
    let mut run = Running::start(yard.tasks(2, &[]).env("WINDLASS_FLEET__PATIENCE", "1m"));
    yard.wait_for_agents(2);
    through.take_away();
    let is_said = run.wait_for_stderr("cannot be reached", PATIENCE);
    assert!(is_said, "{}", run.stderr_so_far());
    // What is at work comes to its end meanwhile, and nothing new begins.
    yard.let_agents_go_on();
    assert!(wait_until(PATIENCE, || worker.stderr_so_far().contains("it is tried again")));
    yard.wait_for_agents(0);
    through.bring_back();
    let ended = run.wait(PATIENCE);
    ended.expect_success(&ended.stderr_text());
    assert!(ended.stderr_text().contains("the git remote answers again"), "{}", ended.stderr_text());
    assert_eq!(yard.landed(), all(3));
    let calls = yard.of_kind("call_finished");
    assert!(calls.len() == 3 && calls.iter().all(|call| call["estimated"] != true), "{calls:?}");
    through.assert_untouched();
    drain(worker);
    yard.env.assert_no_processes(PATIENCE);
}

#[test]
fn a_remote_that_stays_away_ends_the_run_so_that_it_can_be_resumed() {
    let through = Through::with_waiting_agents(2);
    let yard = &through.yard;
    let worker = yard.worker("one");
    let run = Running::start(yard.tasks(2, &[]).env("WINDLASS_FLEET__PATIENCE", "3s"));
    yard.wait_for_agents(2);
    through.take_away();
    let ended = run.wait(PATIENCE);
    assert!(
        ended.stderr_text().contains("the git remote has not answered for 3 s"),
        "{}",
        ended.stderr_text()
    );
    assert_ne!(ended.code, Some(0));
    assert_eq!(yard.agents(), 2, "what is at work is not thrown away");
    yard.let_agents_go_on();
    yard.wait_for_agents(0);
    let refused = yard.run(&["resume"]);
    assert!(refused.stderr_text().contains("cannot be reached"), "{}", refused.stderr_text());
    through.bring_back();
    let resumed = yard.run(&["resume"]);
    resumed.expect_success(&resumed.stderr_text());
    assert_eq!(yard.landed(), all(2));
    let calls = yard.of_kind("call_finished");
    assert!(calls.len() == 2 && calls.iter().all(|call| call["estimated"] != true), "{calls:?}");
    through.assert_untouched();
    drain(worker);
    yard.env.assert_no_processes(PATIENCE);
}

#[test]
fn a_worker_without_a_remote_leaves_the_run_to_others() {
    let through = Through::of(Yard::new(1, HONEST));
    let yard = &through.yard;
    let without = Yard::begin(yard.worker_command("without", 2).env_remove("WINDLASS_FLEET__REMOTE"));
    let run = Running::start(&mut yard.tasks(2, &[]));
    let refused = "the commits of this run travel through a git remote, and `fleet.remote` names none here";
    assert!(
        wait_until(PATIENCE, || without.stderr_so_far().contains(refused)),
        "{}",
        without.stderr_so_far()
    );
    let with = yard.worker("with");
    let ended = run.wait(PATIENCE);
    ended.expect_success(&ended.stderr_text());
    assert_eq!(yard.landed(), all(1));
    through.assert_untouched();
    for worker in [without, with] {
        drain(worker);
    }
}

#[test]
fn a_worker_whose_remote_is_another_repository_gives_the_lane_up_and_says_why() {
    let through = Through::of(Yard::new(1, HONEST));
    let yard = &through.yard;
    let other = yard.env.root().join("other.git").display().to_string();
    yard.env.git(&["init", "--quiet", "--bare", &other]);
    let command = &mut yard.worker_command("astray", 2);
    let astray = Yard::begin(command.env("WINDLASS_FLEET__REMOTE", format!("file://{other}")));
    let run = Running::start(&mut yard.tasks(2, &[]));
    assert!(wait_until(PATIENCE, || astray.stderr_so_far().contains("does not have refs/windlass/r-")));
    let with = yard.worker("with");
    let ended = run.wait(PATIENCE);
    ended.expect_success(&ended.stderr_text());
    through.assert_untouched();
    for worker in [astray, with] {
        drain(worker);
    }
}

#[test]
fn a_run_does_not_begin_with_a_remote_that_cannot_be_used() {
    let through = Through::of(Yard::new(1, HONEST));
    let yard = &through.yard;
    through.take_away();
    let refused = yard.land(2, &[]);
    assert_eq!(refused.code, Some(1), "{}", refused.stderr_text());
    let said = refused.stderr_text();
    assert!(said.contains("the git remote file://") && said.contains("cannot be reached"), "{said}");
    assert!(said.contains("config unset --user fleet.remote"), "{said}");
    let runs = yard.run(&["runs"]);
    assert!(!runs.stdout_text().contains("r-"), "{}", runs.stdout_text());
    through.bring_back();
    let mut hostile = yard.tasks(2, &[]);
    hostile.env("WINDLASS_FLEET__REMOTE", "ext::sh -c 'touch /tmp/hunter2'");
    let refused = yard.env.run(&mut hostile, PATIENCE);
    assert_eq!(refused.code, Some(2), "{}", refused.stderr_text());
    assert!(refused.stderr_text().contains("is no address of a git remote"), "{}", refused.stderr_text());
    assert!(!refused.stderr_text().contains("hunter2"), "{}", refused.stderr_text());
}

#[test]
fn a_run_through_a_remote_goes_on_elsewhere_where_the_remote_is_known() {
    let through = Through::with_waiting_agents(3);
    let yard = &through.yard;
    let elsewhere = Elsewhere::of(yard);
    let worker = yard.worker("one");
    let run = Running::start(&mut yard.tasks(2, &[]));
    yard.wait_for_agents(2);
    yard.let_an_agent_go_on();
    assert!(wait_until(PATIENCE, || !yard.of_kind("landed").is_empty()));
    yard.wait_for_agents(2);
    run.signal(Signal::KILL);
    run.wait(PATIENCE);
    assert!(through.listing().contains("/base/"), "it was left as it was: {}", through.listing());
    let name = yard.facts()[0]["run"].as_str().unwrap().to_owned();
    yard.let_agents_go_on();
    let mut without = elsewhere.windlass(&["resume", &name]);
    let refused = yard.env.run(without.env_remove("WINDLASS_FLEET__REMOTE"), PATIENCE);
    assert!(refused.stderr_text().contains("fleet.remote names none here"), "{}", refused.stderr_text());
    elsewhere.merge(&elsewhere.run(&["resume", &name]).stderr_text());
    let resumed = elsewhere.run(&["resume", &name]);
    resumed.expect_success(&resumed.stderr_text());
    assert_eq!(elsewhere.git(&["ls-tree", "--name-only", "HEAD", "work/"]).lines().count(), 3);
    let calls = fs::read_to_string(elsewhere.journal()).unwrap();
    assert_eq!(calls.matches("\"call_finished\"").count(), 3, "no call is made or paid twice");
    through.assert_untouched();
    drain(worker);
    yard.env.assert_no_processes(PATIENCE);
}

/// A connection as of SSH, on this machine: the first one is cut off in the middle, or all of them are refused.
fn connection(through: &Through, script: &str) -> String {
    let file = through.yard.env.write(through.yard.env.root().join("ssh.sh"), script);
    format!("sh '{}'", file.display())
}

#[test]
fn a_connection_that_is_cut_off_is_made_again() {
    let through = Through::of(Yard::new(1, HONEST));
    let yard = &through.yard;
    let mark = yard.env.root().join("cut");
    // Nobody holds the connection open any longer then.
    let cut = format!(
        "if mkdir '{}' 2> /dev/null; then eval \"$2\" | {{ dd bs=1 count=600 2> /dev/null; kill -9 $$; }}; else eval \"$2\"; fi\n",
        mark.display()
    );
    let mut command = yard.worker_command("one", 2);
    command
        .env("GIT_SSH_COMMAND", connection(&through, &cut))
        .env("GIT_SSH_VARIANT", "simple")
        .env("WINDLASS_FLEET__REMOTE", format!("ssh://git@anywhere.example.org{}", through.bare.display()));
    let worker = Yard::begin(&mut command);
    let run = yard.land(2, &[]);
    run.expect_success(&run.stderr_text());
    assert_eq!(yard.landed(), all(1));
    assert!(mark.exists());
    let said = worker.stderr_so_far();
    assert!(said.contains("anywhere.example.org") && said.contains("it is tried again"), "{said}");
    assert!(!yard.notices().contains("lost lane"), "{}", yard.notices());
    through.assert_untouched();
    drain(worker);
    yard.env.assert_no_processes(PATIENCE);
}

#[test]
fn a_remote_that_would_ask_for_a_password_is_refused_at_once() {
    let through = Through::of(Yard::new(1, HONEST));
    let yard = &through.yard;
    // As the real one: where nobody may be asked, the program that asks says no.
    let asks =
        "\"$SSH_ASKPASS\" 'Password: ' || echo 'git@host: Permission denied (password).' >&2\nexit 255\n";
    let mut run = yard.tasks(2, &[]);
    run.env("GIT_SSH_COMMAND", connection(&through, asks))
        .env("GIT_SSH_VARIANT", "simple")
        .env("WINDLASS_FLEET__REMOTE", "git@anywhere.example.org:night.git");
    let refused = yard.env.run(&mut run, PATIENCE);
    assert_eq!(refused.code, Some(1), "{}", refused.stderr_text());
    let said = refused.stderr_text();
    assert!(
        said.contains("lets nobody in who is not asked: git@host: Permission denied (password)."),
        "{said}"
    );
    assert!(said.contains("a credential helper, or a key in the agent of SSH"), "{said}");
    through.assert_untouched();
}
