//! What a person had not committed when a run began: in no commit of the runner, until somebody has committed it.

use super::night::{Night, calls};
use super::pull_requests::said;

const LEFT_OUT: [&str; 6] = ["-m", "1", "--commit", "runner", "--allow-dirty", "--fresh"];

fn night(calls_of_it: &[&str], files: &[&str]) -> Night {
    let night = Night::with_git(&calls(calls_of_it));
    for file in files {
        night.env.write(file, "committed\n");
    }
    night.env.git(&["add", "--all"]);
    night.env.git(&["commit", "--quiet", "-m", "files"]);
    night
}

// attack(git): what a person has not committed is in the index or in permissions alone, and the agent writes into these files
// holds: they are in no commit of the runner, the index stays, and nobody is said to have committed them
#[test]
fn what_is_uncommitted_in_the_index_or_in_permissions_alone_is_a_persons() {
    let work = "{ bash = 'for f in staged untracked permitted added; do echo agent >> $f; done; echo agent > made' }";
    let night = night(&[work], &["staged", "untracked", "permitted"]);
    let git = |words: &[&str]| night.env.git(words);
    night.env.write("staged", "mine\n");
    git(&["add", "staged"]);
    night.env.write("staged", "committed\n");
    git(&["rm", "--quiet", "--cached", "untracked"]);
    git(&["update-index", "--chmod=+x", "permitted"]);
    night.env.write("added", "mine\n");
    git(&["add", "added"]);
    std::fs::remove_file(night.env.project().join("added")).unwrap();
    let outcome = night.run(&LEFT_OUT);
    outcome.expect_code(10, "max_iterations");
    assert!(!said(&outcome).contains("committed meanwhile"), "{}", said(&outcome));
    assert_eq!(git(&["show", "--format=", "--name-only", "HEAD"]), "made");
    assert_eq!((git(&["show", ":staged"]), git(&["show", ":added"])), ("mine".to_owned(), "mine".to_owned()));
    assert_eq!(git(&["ls-files", "untracked"]), "");
}

#[test]
fn once_a_person_has_committed_it_all_commits_have_what_follows() {
    let work = ["echo x > x", "echo two >> a.txt", "echo three >> a.txt", "echo four >> a.txt"];
    let work: Vec<String> = work.iter().map(|work| format!("{{ bash = '{work}' }}")).collect();
    let night = night(&work.iter().map(String::as_str).collect::<Vec<_>>(), &["a.txt"]);
    night.env.write("a.txt", "committed\nmine\n");
    night.run(&LEFT_OUT).expect_code(10, "one iteration");
    night.env.git(&["commit", "--quiet", "--all", "-m", "mine"]);
    night.resume(&["-m", "3"]).expect_code(10, "two more");
    let outcome = night.resume(&["-m", "4"]);
    outcome.expect_code(10, "one in a session of its own");
    assert!(!said(&outcome).contains("not committed, since"), "{}", said(&outcome));
    assert_eq!(night.env.git(&["status", "--porcelain"]), "");
    assert_eq!(night.env.git(&["show", "HEAD:a.txt"]), "committed\nmine\ntwo\nthree\nfour");
}

#[test]
fn a_commit_that_has_a_persons_changes_and_an_agents_frees_them_as_well() {
    let work = ["echo two >> a.txt; git commit -qam both", "echo three >> a.txt", "echo four >> a.txt"];
    let work: Vec<String> = work.iter().map(|work| format!("{{ bash = '{work}' }}")).collect();
    let night = night(&work.iter().map(String::as_str).collect::<Vec<_>>(), &["a.txt"]);
    night.env.write("a.txt", "committed\nmine\n");
    night.run(&[&LEFT_OUT[..], &["-m", "3"]].concat()[2..]).expect_code(10, "max_iterations");
    assert_eq!(night.env.git(&["show", "HEAD:a.txt"]), "committed\nmine\ntwo\nthree\nfour");
}
