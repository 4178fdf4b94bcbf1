use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};

use super::{Worker, Yard, refusal};
use crate::git::{FoundRepository, Head, Repository};
use crate::lane::{Landed, Lane, MergeResult, OwnFile, Target, land};

pub(super) fn ready(yard: &Yard, path: &str, content: &str) -> (Worker, crate::git::ObjectId) {
    let worker = yard.open(1);
    worker.write(path, content);
    let commit = yard.commit(&worker);
    (worker, commit)
}

fn own(path: &str, content: &str) -> OwnFile {
    OwnFile { path: path.as_bytes().to_vec(), content: content.as_bytes().to_vec() }
}

pub(super) fn landed(landed: Landed) -> (crate::git::ObjectId, Vec<Vec<u8>>) {
    match landed {
        Landed::Landed { commit, left, behind: None } => (commit, left),
        other => panic!("{other:?}"),
    }
}

#[test]
fn the_branch_and_its_checkout_get_everything() {
    let yard = Yard::new();
    yard.scratch.write("gone/away", "x");
    yard.scratch.write("tool", "#!/bin/sh\n");
    yard.person("folder/x", "x");
    yard.scratch.git(&["add", "-A"]);
    yard.scratch.git(&["commit", "-q", "-m", "more"]);
    let worker = yard.open(1);
    worker.write("new\nfile 🚀", "new");
    worker.write("deep/er/file", "x");
    worker.remove("gone/away");
    fs::remove_dir_all(worker.lane.top().join("folder")).unwrap();
    worker.write("folder", "a file now");
    worker.remove("src/b.txt");
    fs::remove_dir(worker.lane.top().join("src")).unwrap();
    worker.remove("a.txt");
    worker.write("a.txt/inner", "a folder now");
    symlink("tool", worker.lane.top().join("link")).unwrap();
    fs::set_permissions(worker.lane.top().join("tool"), fs::Permissions::from_mode(0o755)).unwrap();
    let commit = yard.commit(&worker);
    let files = [own("progress.md", "# Progress\n")];
    let (commit, left) = landed(yard.land(&worker, commit, worker.since, &files));
    assert_eq!((commit, left), (yard.tip(), Vec::new()));
    assert_eq!((yard.status(), yard.is_tidy()), (String::new(), true));
    let shown = yard.scratch.git(&["show", "--format=%B", "--no-renames", "--name-status", "-z", "HEAD"]);
    let expected = "Work of a lane\n\nWindlass-Run: r-test\nWindlass-Iteration: 1\n\0\n\
                    D\0a.txt\0A\0a.txt/inner\0A\0deep/er/file\0A\0folder\0D\0folder/x\0D\0gone/away\0A\0link\0\
                    A\0new\nfile 🚀\0A\0progress.md\0D\0src/b.txt\0M\0tool\0";
    assert_eq!(shown, expected);
    assert!(!yard.scratch.has("gone") && !yard.scratch.has("src"));
    assert_eq!(yard.scratch.read("progress.md"), "# Progress\n");
    // git need not look into any file to know that it is as it should be.
    assert_eq!(yard.scratch.git(&["diff-files", "--name-only"]), "");
}

#[test]
fn a_commit_that_is_there_already_is_not_made_again() {
    let yard = Yard::new();
    let (worker, commit) = ready(&yard, "a.txt", "changed\n");
    let files = [own("progress.md", "done")];
    let first = landed(yard.land(&worker, commit, worker.since, &files)).0;
    assert_eq!(landed(yard.land(&worker, commit, worker.since, &files)).0, first);
    yard.person("b", "later");
    assert_eq!(landed(yard.land(&worker, commit, worker.since, &files)).0, first);
    assert_eq!(landed(yard.land(&worker, commit, yard.tip(), &files)).0, first);
    assert_eq!(yard.subjects(), ["A person's", "Work of a lane", "first"]);
    let found = crate::lane::landed(&yard.main(), &yard.target(), worker.since, &worker.trailers).unwrap();
    assert_eq!(found, Some(first));
    assert_eq!(yard.status(), "");
}

#[test]
fn what_others_did_already_is_nothing() {
    let yard = Yard::new();
    let (worker, commit) = ready(&yard, "a.txt", "changed\n");
    yard.person("a.txt", "changed\n");
    let MergeResult::Clean { commit, .. } = worker.lane.merge(commit, yard.tip()).unwrap() else { panic!() };
    assert_eq!(yard.land(&worker, commit, yard.tip(), &[]), Landed::Nothing);
}

#[test]
fn a_branch_that_somebody_advanced_is_merged_with_again() {
    let yard = Yard::new();
    let (worker, commit) = ready(&yard, "a.txt", "changed\n");
    yard.person("b", "x");
    let tip = yard.tip();
    assert_eq!(yard.land(&worker, commit, worker.since, &[]), Landed::Moved { tip });
    assert_eq!((yard.tip(), yard.status()), (tip, String::new()));
}

/// What a person does.
type Change = fn(&Yard);

// Seed defect D3, later worktree.ts, verification: the main tree was reset hard.
#[test]
fn what_a_person_has_changed_is_never_overwritten() {
    let cases: [(&str, Change); 10] = [
        ("a.txt", |yard| yard.scratch.write("a.txt", "a person's\n")),
        ("a.txt", |yard| {
            yard.scratch.write("a.txt", "a person's\n");
            yard.scratch.git(&["add", "a.txt"]);
            yard.scratch.write("a.txt", "one\n");
        }),
        ("a.txt", |yard| fs::remove_file(yard.scratch.path("a.txt")).unwrap()),
        ("a.txt", |yard| yard.scratch.git(&["rm", "-q", "--cached", "a.txt"]).clear()),
        ("a.txt", |yard| {
            fs::remove_file(yard.scratch.path("a.txt")).unwrap();
            yard.scratch.write("a.txt/inside", "x");
        }),
        ("fine", |yard| {
            yard.scratch.write("fine/inside", "x");
            yard.scratch.git(&["add", "fine"]);
            fs::remove_dir_all(yard.scratch.path("fine")).unwrap();
        }),
        ("new/file", |yard| yard.scratch.write("new/file", "in the way")),
        ("new", |yard| yard.scratch.write("new", "in the way")),
        ("new", |yard| symlink("/tmp", yard.scratch.path("new")).unwrap()),
        ("new/file", |yard| yard.scratch.write("new/file/inside", "in the way")),
    ];
    for (number, (named, change)) in cases.into_iter().enumerate() {
        let yard = Yard::new();
        let worker = yard.open(1);
        worker.write("a.txt", "changed\n");
        worker.write("new/file", "new\n");
        worker.write("fine", "new\n");
        let commit = yard.commit(&worker);
        change(&yard);
        let before = (yard.status(), yard.tip());
        let why = refusal(yard.land(&worker, commit, worker.since, &[]));
        assert!(why.contains(&format!(": {named};")), "{number}: {why}");
        assert_eq!((yard.status(), yard.tip()), before, "{number}");
        assert!(yard.is_tidy() && !yard.scratch.has("fine"), "{number}");
    }
}

#[test]
fn five_of_the_files_in_the_way_are_named_and_the_others_counted() {
    for (count, named) in
        [(5, "1, 2, 3, 4, 5;"), (6, "1, 2, 3, 4, 5, 1 more;"), (8, "1, 2, 3, 4, 5, 3 more;")]
    {
        let yard = Yard::new();
        let worker = yard.open(1);
        for number in 1..=count {
            worker.write(&number.to_string(), "new");
            yard.scratch.write(&number.to_string(), "in the way");
        }
        let commit = yard.commit(&worker);
        let why = refusal(yard.land(&worker, commit, worker.since, &[]));
        assert!(why.contains(&format!(": {named}")), "{why}");
    }
}

#[test]
fn a_submodule_that_goes_leaves_its_folder_where_something_is_in_it() {
    let set_up = || {
        let yard = Yard::new();
        let inner = yard.scratch.path("deep/inner");
        yard.scratch.git(&["init", "-q", "deep/inner"]);
        let identity = ["-c", "user.name=x", "-c", "user.email=x@example.com"];
        yard.scratch.git_in(&inner, &[&identity[..], &["commit", "-q", "--allow-empty", "-m", "x"]].concat());
        yard.scratch.git(&["add", "deep/inner"]);
        yard.person(".gitmodules", "[submodule \"x\"]\n\tpath = deep/inner\n\turl = /nowhere\n");
        let worker = yard.open(1);
        worker.remove(".gitmodules");
        fs::remove_dir_all(worker.lane.top().join("deep")).unwrap();
        let commit = yard.commit(&worker);
        (yard, worker, commit)
    };
    let (yard, worker, commit) = set_up();
    yard.scratch.write("deep/inner/x", "a person's");
    fs::create_dir(yard.scratch.path("deep/inner/empty")).unwrap();
    landed(yard.land(&worker, commit, worker.since, &[]));
    assert_eq!(yard.scratch.read("deep/inner/x"), "a person's");
    assert!(yard.scratch.has("deep/inner/empty") && yard.scratch.has("deep/inner/.git/refs/heads"));
    // One that is gone already leaves nothing of the folders that it was in.
    let (yard, worker, commit) = set_up();
    fs::remove_dir_all(yard.scratch.path("deep/inner")).unwrap();
    landed(yard.land(&worker, commit, worker.since, &[]));
    assert_eq!((yard.status(), yard.scratch.has("deep")), (String::new(), false));
}

#[test]
fn a_checkout_without_an_index_gets_one() {
    let yard = Yard::new();
    let (worker, commit) = ready(&yard, "new", "new\n");
    fs::remove_file(yard.scratch.path(".git/index")).unwrap();
    landed(yard.land(&worker, commit, worker.since, &[]));
    assert_eq!(yard.scratch.git(&["ls-files"]), "new\n");
    assert_eq!(yard.scratch.read("new"), "new\n");
}

#[test]
fn a_file_that_git_ignores_is_not_overwritten_either() {
    let yard = Yard::new();
    yard.person(".gitignore", ".env\n");
    let worker = yard.open(1);
    fs::remove_file(worker.lane.top().join(".gitignore")).unwrap();
    worker.write(".env", "agent's");
    let commit = yard.commit(&worker);
    yard.scratch.write(".env", "secret");
    let why = refusal(yard.land(&worker, commit, worker.since, &[]));
    assert!(why.contains(".env"), "{why}");
    assert_eq!(yard.scratch.read(".env"), "secret");
}

#[test]
fn what_a_person_has_staged_or_changed_elsewhere_stays() {
    let yard = Yard::new();
    yard.person("other", "x\n");
    let (worker, commit) = ready(&yard, "a.txt", "changed\n");
    yard.scratch.write("staged", "staged");
    yard.scratch.write("src/b.txt", "staged\n");
    yard.scratch.git(&["add", "staged", "src/b.txt"]);
    yard.scratch.write("src/b.txt", "and changed again\n");
    yard.scratch.write("other", "changed\n");
    yard.scratch.write("untracked", "x");
    let before = yard.status();
    landed(yard.land(&worker, commit, worker.since, &[]));
    assert_eq!(yard.status(), before);
    assert_eq!(
        (yard.scratch.read("a.txt"), yard.scratch.read("src/b.txt")),
        ("changed\n".into(), "and changed again\n".into())
    );
    assert_eq!(yard.scratch.git(&["show", ":src/b.txt"]), "staged\n");
}

#[test]
fn what_a_person_has_done_the_same_way_is_no_obstacle() {
    let yard = Yard::new();
    let worker = yard.open(1);
    worker.write("a.txt", "changed\n");
    worker.write("new", "new\n");
    worker.remove("src/b.txt");
    worker.write("src/b.txt/inner", "a folder now\n");
    let commit = yard.commit(&worker);
    yard.scratch.write("a.txt", "changed\n");
    yard.scratch.write("new", "new\n");
    fs::remove_file(yard.scratch.path("src/b.txt")).unwrap();
    yard.scratch.write("src/b.txt/inner", "a folder now\n");
    landed(yard.land(&worker, commit, worker.since, &[]));
    assert_eq!(yard.status(), "");
}

#[test]
fn the_runners_own_files_land_even_if_a_person_has_changed_them() {
    let yard = Yard::new();
    yard.person("tasks.md", "- TASK-1 open\n");
    let (worker, commit) = ready(&yard, "a.txt", "changed\n");
    yard.scratch.write("tasks.md", "- TASK-1 open\n- TASK-2 a person's\n");
    let files = [own("tasks.md", "- TASK-1 done\n"), own("progress.md", "done")];
    let (_, left) = landed(yard.land(&worker, commit, worker.since, &files));
    assert_eq!(left, [b"tasks.md".to_vec()]);
    assert_eq!(yard.scratch.git(&["show", "HEAD:tasks.md"]), "- TASK-1 done\n");
    assert_eq!(yard.scratch.read("tasks.md"), "- TASK-1 open\n- TASK-2 a person's\n");
    assert_eq!(
        (yard.scratch.read("progress.md"), yard.scratch.read("a.txt")),
        ("done".into(), "changed\n".into())
    );
    assert_eq!(yard.status(), " M tasks.md\n");
}

#[test]
fn a_branch_that_is_checked_out_elsewhere_or_nowhere_advances() {
    let yard = Yard::new();
    let (worker, commit) = ready(&yard, "a.txt", "changed\n");
    let target = yard.target();
    let linked = yard.scratch.state.with_file_name("linked");
    yard.scratch.git(&["checkout", "-q", "-b", "side"]);
    yard.scratch.git(&["worktree", "add", "-q", linked.to_str().unwrap(), "main"]);
    let main = yard.main();
    landed(land(&main, &worker.landing(commit, worker.since, &target, &[])).unwrap());
    assert_eq!(yard.scratch.read("a.txt"), "one\n");
    assert_eq!(fs::read_to_string(linked.join("a.txt")).unwrap(), "changed\n");
    assert_eq!((yard.status(), yard.scratch.git_in(&linked, &["status", "--porcelain"])), Default::default());

    let since = target.tip(&main).unwrap().unwrap();
    let lane = Lane::open(&main, &yard.home(2), since).unwrap();
    let trailers = "Windlass-Iteration: 2".to_owned();
    let worker = Worker { lane, home: yard.home(2), since, trailers };
    worker.write("a.txt", "again\n");
    let commit = yard.commit(&worker);
    fs::remove_dir_all(&linked).unwrap();
    landed(land(&main, &worker.landing(commit, since, &target, &[])).unwrap());
    assert_eq!(yard.scratch.git(&["show", "main:a.txt"]), "again\n");
}

#[test]
fn a_run_in_a_linked_working_tree_lands_there() {
    let yard = Yard::new();
    let linked = yard.scratch.state.with_file_name("linked");
    yard.scratch.git(&["worktree", "add", "-q", "-b", "side", linked.to_str().unwrap()]);
    let FoundRepository::Worktree(main) = Repository::find(&linked).unwrap() else { panic!() };
    let target = Target::of(&main.head().unwrap()).unwrap();
    let since = target.tip(&main).unwrap().unwrap();
    let lane = Lane::open(&main, &yard.home(1), since).unwrap();
    let worker = Worker { lane, home: yard.home(1), since, trailers: "Windlass-Iteration: 1".to_owned() };
    worker.write("a.txt", "changed\n");
    let commit = yard.commit(&worker);
    landed(land(&main, &worker.landing(commit, since, &target, &[])).unwrap());
    assert_eq!(fs::read_to_string(linked.join("a.txt")).unwrap(), "changed\n");
    assert_eq!(yard.scratch.git_in(&linked, &["status", "--porcelain"]), "");
    assert_eq!((yard.scratch.read("a.txt"), yard.status()), ("one\n".into(), String::new()));
}

#[test]
fn without_a_branch_head_itself_advances_until_a_branch_is_checked_out() {
    let yard = Yard::new();
    yard.scratch.git(&["checkout", "-q", "--detach"]);
    let (worker, commit) = ready(&yard, "a.txt", "changed\n");
    let (commit, _) = landed(yard.land(&worker, commit, worker.since, &[]));
    assert_eq!(yard.main().head().unwrap(), Head::Detached { commit });
    assert_eq!((yard.scratch.read("a.txt"), yard.status()), ("changed\n".into(), String::new()));
    assert_eq!(yard.scratch.git(&["log", "--format=%s", "main"]), "first\n");
    yard.scratch.git(&["checkout", "-q", "main"]);
    let landing = worker.landing(commit, commit, &Target::Detached, &[]);
    let why = refusal(land(&yard.main(), &landing).unwrap());
    assert!(why.contains("main is checked out now"), "{why}");
}

#[test]
fn a_person_in_the_middle_of_something_is_waited_for() {
    let yard = Yard::new();
    let (worker, commit) = ready(&yard, "a.txt", "changed\n");
    for (obstacle, sign) in [("MERGE_HEAD", "a merge is under way"), ("index.lock", "another git is at work")]
    {
        yard.scratch.write(&format!(".git/{obstacle}"), "x");
        let why = refusal(yard.land(&worker, commit, worker.since, &[]));
        assert!(why.contains(sign), "{why}");
        assert_eq!(yard.tip(), worker.since);
        fs::remove_file(yard.scratch.path(".git").join(obstacle)).unwrap();
    }
    landed(yard.land(&worker, commit, worker.since, &[]));
    yard.scratch.git(&["branch", "-q", "-m", "main", "other"]);
    let target = Target::Branch(b"refs/heads/main".to_vec());
    let why = refusal(land(&yard.main(), &worker.landing(commit, worker.since, &target, &[])).unwrap());
    assert!(why.contains("the branch main is gone"), "{why}");
}

#[test]
fn whoever_commits_must_be_known_and_a_signature_must_work() {
    let yard = Yard::new();
    let (worker, commit) = ready(&yard, "a.txt", "changed\n");
    yard.scratch.git(&["config", "commit.gpgSign", "yes"]);
    yard.scratch.git(&["config", "gpg.program", "false"]);
    let why = refusal(yard.land(&worker, commit, worker.since, &[]));
    assert!(why.contains("the commit could not be signed") && why.contains("gpg failed"), "{why}");
    let signs = "#!/bin/sh\ncat >/dev/null; echo '[GNUPG:] SIG_CREATED x' >&2\n\
                 printf '%s\\n' '-----BEGIN PGP SIGNATURE-----' '' x '-----END PGP SIGNATURE-----'\n";
    yard.scratch.write(".git/signs", signs);
    yard.scratch.chmod(".git/signs", 0o755);
    yard.scratch.git(&["config", "gpg.program", yard.scratch.path(".git/signs").to_str().unwrap()]);
    landed(yard.land(&worker, commit, worker.since, &[]));
    assert!(yard.scratch.git(&["cat-file", "commit", "HEAD"]).contains("\ngpgsig -----BEGIN"));

    let yard = Yard::new();
    let (worker, commit) = ready(&yard, "a.txt", "changed\n");
    for setting in ["user.name", "user.email"] {
        yard.scratch.git(&["config", "--unset", setting]);
    }
    yard.scratch.git(&["config", "user.useConfigOnly", "true"]);
    let why = refusal(yard.land(&worker, commit, worker.since, &[]));
    assert!(why.contains("git config --global user.name"), "{why}");
    let worker = yard.open(2);
    worker.write("b", "x");
    let outcome = yard.squash(&worker);
    assert!(
        matches!(&outcome, crate::commit::CommitOutcome::Refused(why) if why.contains("git config --global")),
        "{outcome:?}"
    );
}

#[test]
fn a_filter_that_fails_stops_a_landing_before_anything_has_changed() {
    let yard = Yard::new();
    yard.person(".gitattributes", "*.big filter=big\n");
    for (name, value) in [("clean", "cat"), ("smudge", "cat"), ("required", "true")] {
        yard.scratch.git(&["config", &format!("filter.big.{name}"), value]);
    }
    let (worker, commit) = ready(&yard, "file.big", "x\n");
    yard.scratch.git(&["config", "filter.big.smudge", "false"]);
    let why = refusal(yard.land(&worker, commit, worker.since, &[]));
    assert!(why.contains("the files cannot be written") && why.contains("file.big"), "{why}");
    assert_eq!((yard.tip(), yard.status(), yard.is_tidy()), (worker.since, String::new(), true));
}

// rows: 10
#[test]
fn lanes_that_land_at_the_same_time_all_land() {
    const LANES: u32 = 5;
    let yard = Yard::new();
    let workers: Vec<Worker> = (0..LANES).map(|number| yard.open(number)).collect();
    let (main, target) = (yard.main(), yard.target());
    std::thread::scope(|scope| {
        for (number, worker) in workers.iter().enumerate() {
            worker.write(&format!("by {number}"), "x");
            let work = yard.commit(worker);
            let (main, target) = (&main, &target);
            scope.spawn(move || {
                let mut tip = worker.since;
                loop {
                    let MergeResult::Clean { commit, .. } = worker.lane.merge(work, tip).unwrap() else {
                        panic!()
                    };
                    match land(main, &worker.landing(commit, tip, target, &[])).unwrap() {
                        Landed::Moved { tip: now } => tip = now,
                        Landed::Landed { behind: None, left, .. } if left.is_empty() => break,
                        other => panic!("{other:?}"),
                    }
                }
            });
        }
    });
    assert_eq!(yard.subjects().len(), 1 + LANES as usize);
    assert_eq!((yard.status(), yard.is_tidy()), (String::new(), true));
    assert!((0..LANES).all(|number| yard.scratch.has(&format!("by {number}"))));
}

#[test]
fn a_task_that_changed_nothing_lands_with_the_runners_files_alone() {
    let yard = Yard::new();
    yard.person("tasks.md", "- TASK-1 open\n");
    let worker = yard.open(1);
    assert_eq!(yard.squash(&worker), crate::commit::CommitOutcome::NothingToCommit);
    let since = worker.lane.since(None).unwrap();
    assert_eq!(since, worker.since);
    let (main, target, files) = (yard.main(), yard.target(), [own("tasks.md", "- TASK-1 done\n")]);
    let message = format!("Nothing to do for TASK-1\n\n{}\n", worker.trailers);
    let landing = worker.landing(since, since, &target, &files);
    let landing = crate::lane::Landing { commit: None, message: &message, ..landing };
    let (commit, _) = landed(land(&main, &landing).unwrap());
    assert_eq!(landed(land(&main, &landing).unwrap()).0, commit);
    assert_eq!(yard.subjects(), ["Nothing to do for TASK-1", "A person's", "first"]);
    assert_eq!((yard.scratch.read("tasks.md"), yard.status()), ("- TASK-1 done\n".into(), String::new()));
}

#[test]
fn a_landing_is_found_by_what_its_work_was_made_on_before_and_after_a_merge() {
    let yard = Yard::new();
    let (worker, work) = ready(&yard, "a.txt", "changed\n");
    yard.person("b", "x");
    let tip = yard.tip();
    let MergeResult::Clean { commit: merged, .. } = worker.lane.merge(work, tip).unwrap() else { panic!() };
    let (commit, _) = landed(yard.land(&worker, merged, tip, &[]));
    for work in [work, merged] {
        let since = worker.lane.since(Some(work)).unwrap();
        let found = crate::lane::landed(&yard.main(), &yard.target(), since, &worker.trailers).unwrap();
        assert_eq!(found, Some(commit));
    }
}
