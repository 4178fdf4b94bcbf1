//! Partial clones: repositories whose objects are in part on a server.

use std::fs;

use windlass_testkit::Outcome;

use super::night::{Night, PATIENCE, every_call, expect_end};
use super::tasks;

fn said(outcome: &Outcome) -> String {
    (outcome.stdout_text() + &outcome.stderr_text()).split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Makes the project a partial clone, without what a sparse checkout leaves out; its server stays where it is.
fn make_partial(night: &Night) {
    let project = night.env.project().to_owned();
    night.env.write("here/file", "here\n");
    night.env.write("away/file", "away\n");
    night.env.git(&["add", "--all"]);
    night.env.git(&["commit", "--quiet", "--message", "Two folders"]);
    night.env.git(&["config", "uploadpack.allowFilter", "true"]);
    let (server, clone) = (night.env.root().join("server"), night.env.root().join("clone"));
    fs::rename(&project, &server).unwrap();
    fs::create_dir(&project).unwrap();
    let (url, clone) = (format!("file://{}", server.display()), clone.to_str().unwrap().to_owned());
    night.env.git(&["clone", "--quiet", "--filter=blob:none", "--no-checkout", &url, &clone]);
    fs::remove_dir(&project).unwrap();
    fs::rename(&clone, &project).unwrap();
    night.env.git(&["sparse-checkout", "set", "--cone", "here"]);
    night.env.git(&["checkout", "--quiet", "main"]);
}

// attack(endings): a partial clone with a sparse checkout whose server is out of reach
// holds: work is committed, and nothing is fetched
#[test]
fn a_commit_in_a_partial_clone_fetches_nothing() {
    let night = Night::with_git(&every_call("{ bash = 'echo w > w' }"));
    make_partial(&night);
    night.env.git(&["remote", "set-url", "origin", "file:///nowhere"]);
    expect_end(&night.run(&["-m", "1", "--commit", "runner"]), 10, "max_iterations");
    assert_eq!(night.env.git(&["show", "--format=", "--name-only", "HEAD"]), "w");
    assert_eq!(night.env.git(&["ls-tree", "-r", "--name-only", "HEAD", "away"]), "away/file");
    assert_eq!(night.env.git(&["ls-files", "-t", "away"]), "S away/file");
    assert_eq!(night.env.git(&["status", "--porcelain"]), "");
}

// attack(endings): lanes in a partial clone, where objects of the last commit are on the server alone
// holds: refused before anything is begun, with the command that fetches them; then they work
#[test]
fn lanes_in_a_partial_clone_want_its_objects_first() {
    let night = tasks::night(&[(1, &[]), (2, &[])], tasks::HONEST);
    make_partial(&night);
    let flags = ["-j", "2", "--gate", "true"];
    let refused = tasks::run(&night, &flags);
    refused.expect_code(2, "lanes");
    let fetch = "git diff --shortstat $(git hash-object -t tree /dev/null) HEAD";
    assert!(
        said(&refused).contains("1 object is not here") && said(&refused).contains(fetch),
        "{}",
        said(&refused)
    );
    let mut shell = night.env.command("sh");
    shell.args(["-c", fetch]).current_dir(night.env.project());
    night.env.run(&mut shell, PATIENCE).expect_code(0, fetch);
    tasks::run(&night, &flags).expect_code(0, "once they are here");
    assert_eq!(tasks::subjects(&night).len(), 2);
}
