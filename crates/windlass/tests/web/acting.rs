//! What can be done through the page: by whom, once, and about the run as it was seen.

use std::fs;

use rustix::process::Signal;
use windlass_testkit::environment::TestEnv;

use super::{Answer, PATIENCE, Page, ask, eventually, facts, finished, patient, patient_at};

const STOP: &str = r#"{"do":"stop-after"}"#;
pub const RAISE: &str = r#"{"do":"raise","limit":"iterations","to":"3"}"#;

pub fn once(number: u32) -> String {
    format!("0123456789abcdef-{number}")
}

#[test]
fn a_run_stops_after_its_iteration_and_says_who_asked() {
    let env = TestEnv::with_git();
    let (mut running, run) = patient(&env);
    let page = Page::serve(&env, &[]);
    let visitor = page.visitor();
    let answer = visitor.act(&run, STOP, visitor.seq(&run), &once(1));
    assert_eq!(answer.status, 200, "{}", answer.body);
    assert!(answer.body.contains("its result is kept"), "{}", answer.body);
    assert!(running.wait_for_stdout("\"stop_requested\"", PATIENCE));
    assert_eq!(facts(&env, "stop_requested")[0]["by"], "page");
    assert!(
        visitor.get(&format!("/r/{run}")).body.contains("stop after this iteration"),
        "who asked is shown"
    );
    env.write("go", "");
    let ended = running.wait(PATIENCE).json_lines().pop().unwrap();
    assert_eq!(ended["stop_reason"], "stop_requested");
}

// attack(page): another server on this machine is sent the page's cookie and posts with it
// holds: refused: acting takes the key that only the page's own scripts have, and the page's own origin
#[test]
fn a_stolen_cookie_looks_and_does_not_act() {
    let env = TestEnv::with_git();
    let run = finished(&env, 1);
    let page = Page::serve(&env, &["--actions"]);
    let visitor = page.visitor();
    let seq = visitor.seq(&run);
    let body = format!("{{\"action\":{RAISE},\"seq\":{seq},\"once\":\"{}\"}}", once(1));
    let (origin, json) = (page.origin(), ("content-type", "application/json"));
    let (cookie, key) = (("cookie", visitor.cookie.as_str()), ("x-windlass-key", visitor.key.as_str()));
    let own = ("origin", origin.as_str());
    let foreign = ("origin", "http://127.0.0.1:3000");
    let wrong = ("x-windlass-key", "00000000000000000000000000000000");
    let cookies_value = ("x-windlass-key", visitor.cookie.split('=').nth(1).unwrap());
    for headers in [
        vec![cookie, own, json],
        vec![cookie, own, json, wrong],
        vec![cookie, own, json, cookies_value],
        vec![key, own, json],
        vec![cookie, key, json],
        vec![cookie, key, json, foreign],
        vec![cookie, key, json, ("origin", "null")],
        vec![cookie, key, own],
        vec![cookie, key, own, ("content-type", "text/plain")],
        vec![cookie, key, own, own, json],
    ] {
        let answer = page.ask("POST", &format!("/r/{run}/act"), &headers, &body);
        assert!([401, 403, 415].contains(&answer.status), "{headers:?}: {}", answer.head);
    }
    assert_eq!(page.ask("GET", &format!("/r/{run}/act"), &[cookie, key], "").status, 405);
    assert!(facts(&env, "run_resumed").is_empty());
}

#[test]
fn what_spends_or_changes_takes_leave() {
    let env = TestEnv::with_git();
    let run = finished(&env, 1);
    let actions = [
        RAISE,
        r#"{"do":"resume"}"#,
        r#"{"do":"accept"}"#,
        r#"{"do":"stop-now"}"#,
        r#"{"do":"reopen","task":"T1"}"#,
        r#"{"do":"park","task":"T1"}"#,
        r#"{"do":"allow","rule":"Bash(touch denied)"}"#,
        r#"{"do":"restore","iteration":1,"before":true}"#,
    ];
    {
        let page = Page::serve(&env, &[]);
        let visitor = page.visitor();
        let seq = visitor.seq(&run);
        for action in actions {
            let answer = visitor.act(&run, action, seq, &once(1));
            assert_eq!(answer.status, 403, "{action}: {}", answer.body);
            assert!(answer.body.contains("--actions"), "{}", answer.body);
        }
        assert!(!visitor.get(&format!("/r/{run}")).body.contains("raise"), "no button that does nothing");
        assert_eq!(visitor.act(&run, r#"{"do":"seen"}"#, seq, &once(2)).status, 200);
    }
    let page = Page::serve(&env, &["--read-only"]);
    let visitor = page.visitor();
    for action in actions.into_iter().chain([STOP, r#"{"do":"seen"}"#]) {
        assert_eq!(visitor.act(&run, action, visitor.seq(&run), &once(3)).status, 403, "{action}");
    }
    assert!(!visitor.get(&format!("/r/{run}")).body.contains("data-action"));
}

#[test]
fn what_fails_early_has_failed_and_is_not_being_done_for_ever() {
    let env = TestEnv::with_git();
    let run = finished(&env, 1);
    let page = Page::serve(&env, &["--actions"]);
    let visitor = page.visitor();
    let seq = visitor.seq(&run);
    let away = env.root().join("moved-away");
    fs::rename(env.project(), &away).unwrap();
    let restore = r#"{"do":"restore","iteration":1,"before":true}"#;
    for _ in 0..2 {
        let answer = visitor.act(&run, restore, seq, &once(7));
        assert_eq!(answer.status, 422, "{}", answer.body);
        assert!(answer.body.contains("cannot work in"), "{}", answer.body);
    }
    assert!(!visitor.get(&format!("/r/{run}")).body.contains("begun, and cut off"));
    fs::rename(&away, env.project()).unwrap();
}

// attack(page): a person taps four times at once, again later, and on a page that is old
// holds: done once, told the same each time; nothing is done about a run that has moved
#[test]
fn a_second_click_is_one_and_a_stale_page_does_nothing() {
    let env = TestEnv::with_git();
    let run = finished(&env, 1);
    let page = Page::serve(&env, &["--actions"]);
    let visitor = page.visitor();
    let seq = visitor.seq(&run);
    assert_eq!(visitor.act(&run, RAISE, seq - 1, &once(1)).status, 409, "an older page");
    assert!(facts(&env, "run_resumed").is_empty());
    let clicks: Vec<_> = std::thread::scope(|scope| {
        let clicks = (0..4).map(|_| scope.spawn(|| visitor.act(&run, RAISE, seq, &once(2))));
        let clicks: Vec<_> = clicks.collect();
        clicks.into_iter().map(|click| click.join().unwrap()).collect()
    });
    assert!(clicks.iter().all(|click| [200, 202].contains(&click.status)), "{clicks:?}");
    eventually("it goes on to its new limit", || facts(&env, "run_finished").len() == 2);
    let again = visitor.act(&run, RAISE, seq, &once(2));
    assert_eq!((again.status, again.body.contains("It goes on")), (200, true), "{}", again.body);
    assert_eq!(facts(&env, "run_resumed").len(), 1, "once");
    assert_eq!(facts(&env, "iteration_started").len(), 3);
    assert_eq!(
        visitor.act(&run, r#"{"do":"resume"}"#, visitor.seq(&run), &once(2)).status,
        422,
        "a key is for one thing"
    );
    let refused = visitor.act(&run, r#"{"do":"resume"}"#, visitor.seq(&run), &once(3));
    assert_eq!(refused.status, 422, "{}", refused.body);
    assert!(refused.body.contains("ended at its limit"), "what the verb says: {}", refused.body);
}

/// One click on an action, which can be made again, of another server at the same place as well.
pub struct Click {
    path: String,
    body: String,
    headers: [(&'static str, String); 4],
}

impl Click {
    /// By a visitor who has just seen the run.
    pub fn prepared(page: &Page, run: &str, action: &str) -> Click {
        let visitor = page.visitor();
        let seq = visitor.seq(run);
        Click {
            path: format!("/r/{run}/act"),
            body: format!("{{\"action\":{action},\"seq\":{seq},\"once\":\"{}\"}}", once(1)),
            headers: [
                ("cookie", visitor.cookie.clone()),
                ("origin", page.origin()),
                ("content-type", "application/json".to_owned()),
                ("x-windlass-key", visitor.key.clone()),
            ],
        }
    }

    /// Makes it.
    pub fn on(&self, page: &Page) -> Answer {
        let headers = self.headers.each_ref().map(|(name, value)| (*name, value.as_str()));
        page.ask("POST", &self.path, &headers, &self.body)
    }
}

// attack(page): the server is killed after an action was written down, and the browser asks again
// holds: it was done once or not at all
#[test]
fn a_server_that_is_killed_in_between_does_it_once_or_not_at_all() {
    let env = TestEnv::with_git();
    let run = finished(&env, 1);
    let mut page = Page::serve(&env, &["--actions"]);
    let click = Click::prepared(&page, &run, RAISE);
    let asked = env.state().join("web/asked");
    std::thread::scope(|scope| {
        let clicking = scope.spawn(|| click.on(&page));
        // Written down before anything is done.
        eventually("it is written down", || {
            fs::read_dir(&asked).is_ok_and(|mut files| files.next().is_some())
        });
        page.running.as_ref().unwrap().signal(Signal::KILL);
        let _ = clicking.join();
    });
    page.kill();
    let page = Page::serve_at(&env, &page.at.to_string(), &["--actions"]);
    let again = click.on(&page);
    assert!([200, 409].contains(&again.status), "{}", again.body);
    eventually("nothing is at work", || ask(&env, &["runs"]).stdout_text().matches("running").count() == 0);
    assert!(facts(&env, "run_resumed").len() <= 1);
}

#[test]
fn files_are_put_back_and_a_denied_command_is_allowed() {
    let env = TestEnv::with_git();
    let run = finished(&env, 2);
    let page = Page::serve(&env, &["--actions"]);
    let visitor = page.visitor();
    let seq = visitor.seq(&run);
    assert_eq!(env.read("work.txt"), "call 2\n");
    let answer = visitor.act(&run, r#"{"do":"restore","iteration":1,"before":false}"#, seq, &once(1));
    assert_eq!(answer.status, 200, "{}", answer.body);
    assert!(answer.body.contains("Undo: windlass restore"), "{}", answer.body);
    assert_eq!(env.read("work.txt"), "call 1\n");
    let answer = visitor.act(&run, r#"{"do":"allow","rule":"Bash(rm -rf /)"}"#, visitor.seq(&run), &once(2));
    assert_eq!(answer.status, 422, "only what was denied: {}", answer.body);
    let seq = visitor.seq(&run);
    let answer = visitor.act(&run, r#"{"do":"allow","rule":"Bash(touch denied)"}"#, seq, &once(3));
    assert_eq!(answer.status, 200, "{}", answer.body);
    let asked = facts(&env, "action_asked");
    let whats: Vec<&str> = asked.iter().filter_map(|fact| fact["what"].as_str()).collect();
    assert_eq!(whats, ["restore after iteration 1", "allow Bash(rm -rf /)", "allow Bash(touch denied)"]);
    assert!(
        asked.iter().all(|fact| fact["by"] == "page" && fact["who"].as_str().unwrap().contains("127.0.0.1"))
    );
    let stale = visitor.act(&run, r#"{"do":"restore","iteration":1,"before":true}"#, seq, &once(4));
    assert_eq!(stale.status, 409, "the run has moved by what was asked: {}", stale.body);
    assert_eq!(facts(&env, "action_asked").len(), 3, "what is not done is not written down");
    // A run that was asked for something after its end goes on from where it was.
    let answer = visitor.act(&run, RAISE, visitor.seq(&run), &once(5));
    assert_eq!(answer.status, 200, "{}", answer.body);
    eventually("it goes on to its new limit", || facts(&env, "run_finished").len() == 2);
    assert_eq!(facts(&env, "action_asked").len(), 4);
    assert!(env.read(".windlass/config.toml").contains("Bash(touch denied)"));
}

#[test]
fn a_run_leaves_a_task_that_is_parked_on_its_board() {
    let env = TestEnv::with_git();
    env.write(
        "requirements.md",
        "### T1: One\n- **Status**: pending\n\n### T2: Two\n- **Status**: pending\n",
    );
    env.git(&["add", "."]);
    env.git(&["commit", "--quiet", "--message", "Tasks"]);
    let (running, run) = patient_at(&env, &["--mode", "tasks", "-m", "1"]);
    let page = Page::serve(&env, &["--actions"]);
    let visitor = page.visitor();
    let board = || visitor.get(&format!("/r/{run}/tasks")).body;
    assert_eq!(board().matches(">Park</button>").count(), 2, "{}", board());
    let park = |task: &str, number| {
        let action = format!(r#"{{"do":"park","task":"{task}"}}"#);
        visitor.act(&run, &action, visitor.seq(&run), &once(number))
    };
    let parked = park("T2", 1);
    assert_eq!(parked.status, 200, "{}", parked.body);
    assert!(parked.body.contains("It is parked; the run goes on with the others"), "{}", parked.body);
    assert_eq!(board().matches(">Park</button>").count(), 1, "{}", board());
    assert!(park("T1", 2).body.contains("after the attempt under way"));
    assert_eq!(park("T3", 3).status, 422);
    let asked: Vec<_> = facts(&env, "park_requested");
    assert_eq!(asked.len(), 2);
    assert!(asked.iter().all(|fact| fact["by"] == "page"), "{asked:?}");
    env.write("go", "");
    let ended = running.wait(PATIENCE).json_lines().pop().unwrap();
    assert_eq!(ended["stop_reason"], "blocked", "{ended}");
}

// attack(page): the page is killed while a run goes on
// holds: the run does not notice
#[test]
fn a_run_goes_on_when_the_page_is_killed() {
    let env = TestEnv::with_git();
    let (running, run) = patient(&env);
    let mut page = Page::serve(&env, &["--actions"]);
    let seq = page.visitor().seq(&run);
    assert!(seq > 0);
    page.kill();
    env.write("go", "");
    let ended = running.wait(PATIENCE);
    assert_eq!(ended.json_lines().pop().unwrap()["type"], "run_finished");
}

#[test]
fn a_running_agent_is_ended_now() {
    let env = TestEnv::with_git();
    let (running, run) = patient(&env);
    let page = Page::serve(&env, &["--actions"]);
    let visitor = page.visitor();
    let answer = visitor.act(&run, r#"{"do":"stop-now"}"#, visitor.seq(&run), &once(1));
    assert_eq!(answer.status, 200, "{}", answer.body);
    let ended = running.wait(PATIENCE).json_lines().pop().unwrap();
    assert_eq!((&ended["stop_reason"], &ended["exit_code"]), (&"manual".into(), &143.into()));
    assert_eq!(facts(&env, "stop_requested")[0]["by"], "page", "who asked stands first");
}
