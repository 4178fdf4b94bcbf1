//! Worktrees of a repository, with the real git and without a run.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use windlass_core::spec::{BootstrapSpec, PortSpec};

use super::{
    How, Made, Order, Refusal, Removal, Removed, Stage, Worktree, WorktreeError, WorktreeName, base_folder,
    make,
};
use crate::store::Project;
use windlass_git::testing::Scratch;

fn bootstrap() -> BootstrapSpec {
    BootstrapSpec {
        include_file: Some(".worktreeinclude".into()),
        include_bytes: None,
        setup: None,
        setup_timeout: Duration::from_secs(1),
        ports: PortSpec { base: 20_000, size: 10 },
    }
}

fn project(scratch: &Scratch) -> Project {
    Project::locate(&scratch.state, &scratch.top, Some(&scratch.path(".git"))).unwrap()
}

fn base(scratch: &Scratch) -> PathBuf {
    scratch.state.join("trees")
}

fn try_make_in(scratch: &Scratch, name: &str, base: &Path) -> Result<Made, WorktreeError> {
    let name = WorktreeName::parse(name)?;
    make(&Order {
        repository: &scratch.found(),
        project: &project(scratch),
        base,
        name: &name,
        bootstrap: &bootstrap(),
    })
}

fn try_make(scratch: &Scratch, name: &str) -> Result<Made, WorktreeError> {
    try_make_in(scratch, name, &base(scratch))
}

fn made(scratch: &Scratch, name: &str) -> Worktree {
    try_make(scratch, name).unwrap().worktree
}

fn refused(scratch: &Scratch, name: &str) -> String {
    try_make(scratch, name).unwrap_err().to_string()
}

/// How many working trees git knows.
fn trees(scratch: &Scratch) -> usize {
    let list = scratch.git(&["worktree", "list", "--porcelain"]);
    list.lines().filter(|line| line.starts_with("worktree ")).count()
}

fn removal_of(scratch: &Scratch, name: &str) -> Result<Removed, Refusal> {
    let (repository, project) = (scratch.found(), project(scratch));
    let worktree = Worktree::find(&repository, name).unwrap();
    let removal =
        Removal { worktree: &worktree, repository: &repository, project: &project, from: &scratch.top };
    let foreseen = removal.refusal().unwrap();
    let done = removal.carry_out().unwrap();
    assert_eq!(done.as_ref().err(), foreseen.as_ref(), "a look says the same");
    done
}

fn commit_in(scratch: &Scratch, worktree: &Worktree, file: &str) {
    fs::write(worktree.tree.path.join(file), "made in the worktree\n").unwrap();
    scratch.git_in(&worktree.tree.path, &["add", "-A"]);
    scratch.git_in(&worktree.tree.path, &["commit", "-q", "-m", file]);
}

// rows: 87
#[test]
fn a_worktree_is_made_on_a_branch_of_its_own_and_found_again() {
    let scratch = Scratch::committed();
    scratch.write(".worktreeinclude", "my.env\n");
    scratch.write("my.env", "SECRET=1\n");
    let first = try_make(&scratch, "api").unwrap();
    let tree = &first.worktree.tree.path;
    assert_eq!((first.how, tree), (How::Anew, &base(&scratch).join("api")));
    assert_eq!(fs::read_to_string(tree.join("src/b.txt")).unwrap(), "two\n");
    assert_eq!(fs::read_to_string(tree.join("my.env")).unwrap(), "SECRET=1\n");
    assert_eq!(scratch.git_in(tree, &["branch", "--show-current"]).trim(), "windlass/api");
    assert!(!scratch.read(".git/config").contains("branch"), "nothing is configured for it");
    assert_eq!(first.worktree.stage(), Stage::Ready);

    let again = try_make(&scratch, "api").unwrap();
    assert_eq!((again.how, &again.worktree), (How::WasThere, &first.worktree));
    let other = made(&scratch, "other");
    assert_eq!([first.worktree.checkout(), other.checkout()], [1, 2], "ports of its own");
    assert_eq!(Worktree::all(&scratch.found()).unwrap(), [first.worktree.clone(), other]);
    assert_eq!(
        Worktree::at(&first.worktree.repository().unwrap()).map(|found| found.name),
        Some(first.worktree.name)
    );
    assert_eq!(Worktree::at(&scratch.found()), None);
}

#[test]
fn names_that_could_lead_elsewhere_or_collide_are_refused() {
    let scratch = Scratch::committed();
    for name in ["", "..", "a/b", "-x", "a b", "x.lock", "a\nb", "@{-1}", &"n".repeat(65)] {
        let error = try_make(&scratch, name).unwrap_err();
        assert!(matches!(error, WorktreeError::Name { .. }), "{name:?}: {error}");
    }
    made(&scratch, "api");
    assert!(refused(&scratch, "API").contains("there is a worktree api already"));
    assert_eq!(fs::read_dir(base(&scratch)).unwrap().count(), 1);
}

#[test]
fn branches_of_somebody_else_are_left_alone() {
    let scratch = Scratch::committed();
    scratch.git(&["branch", "windlass/mine"]);
    scratch.git(&["branch", "windlass/deep/er"]);
    assert!(refused(&scratch, "mine").contains("belongs to no worktree of windlass"));
    assert!(refused(&scratch, "deep").contains("while there is a branch windlass/deep/er"));
    assert!(refused(&scratch, "MINE").contains("windlass/mine already"));
    let scratch = Scratch::committed();
    scratch.git(&["branch", "windlass"]);
    assert!(refused(&scratch, "x").contains("while there is a branch windlass"));
    assert_eq!(trees(&scratch), 1);
}

#[test]
fn there_has_to_be_a_commit_and_room_for_it() {
    let scratch = Scratch::repository();
    assert!(refused(&scratch, "x").contains("no commit yet"));
    let scratch = Scratch::committed();
    let inside = try_make_in(&scratch, "x", &scratch.path("trees")).unwrap_err();
    assert!(matches!(inside, WorktreeError::InsideProject { .. }), "{inside}");
    let in_git = try_make_in(&scratch, "x", &scratch.path(".git/trees")).unwrap_err();
    assert!(matches!(in_git, WorktreeError::InsideProject { .. }), "{in_git}");
    fs::write(scratch.state.join("file"), "").unwrap();
    let no_folder = try_make_in(&scratch, "x", &scratch.state.join("file/trees")).unwrap_err();
    assert!(matches!(no_folder, WorktreeError::NoBase { .. }), "{no_folder}");
    fs::create_dir_all(base(&scratch).join("taken/by")).unwrap();
    assert!(refused(&scratch, "taken").contains("is there already"));
    assert!(!scratch.has("trees"));
    assert_eq!(scratch.git(&["branch"]).lines().count(), 1, "no branch is left of what was refused");
}

#[test]
fn the_base_folder_is_beside_the_first_checkout_unless_somebody_says_where() {
    let scratch = Scratch::committed();
    let (repository, home) = (scratch.found(), Path::new("/home/ada"));
    let beside = base_folder(&repository, None, Some(home));
    assert_eq!(beside.parent(), scratch.top.parent());
    assert!(beside.to_str().unwrap().ends_with("-worktrees"));
    assert_eq!(base_folder(&repository, Some("~/trees"), Some(home)), Path::new("/home/ada/trees"));
    assert_eq!(base_folder(&repository, Some("/srv/trees"), Some(home)), Path::new("/srv/trees"));
    let above = scratch.top.parent().unwrap().join("trees");
    assert_eq!(base_folder(&repository, Some("../trees"), None), above);
    let tree = made(&scratch, "api");
    assert_eq!(base_folder(&tree.repository().unwrap(), None, None), beside, "the same from everywhere");
}

// rows: 87
#[test]
fn a_worktree_whose_folder_is_gone_is_made_again_with_its_commits() {
    let scratch = Scratch::committed();
    let first = made(&scratch, "api");
    commit_in(&scratch, &first, "new.txt");
    fs::remove_dir_all(&first.tree.path).unwrap();
    let again = try_make(&scratch, "api").unwrap();
    assert_eq!(again.how, How::FromItsBranch);
    assert!(again.worktree.tree.path.join("new.txt").exists());
    assert_eq!(again.worktree.checkout(), first.checkout());

    scratch.git(&["worktree", "lock", again.worktree.tree.path.to_str().unwrap()]);
    fs::remove_dir_all(&first.tree.path).unwrap();
    assert!(refused(&scratch, "api").contains("locked"));
    fs::create_dir(&first.tree.path).unwrap();
    assert!(
        refused(&scratch, "api").contains("is not a working tree any more"),
        "what is in its place stays"
    );
}

#[test]
fn what_was_begun_and_not_finished_is_finished() {
    let scratch = Scratch::committed();
    let mut tree = made(&scratch, "api");
    tree.set_stage(Stage::Filling).unwrap();
    fs::remove_file(tree.tree.path.join("a.txt")).unwrap();
    fs::remove_file(tree.tree.git_dir.join("index")).unwrap();
    let again = try_make(&scratch, "api").unwrap();
    assert_eq!((again.how, again.worktree.stage()), (How::WasThere, Stage::Ready));
    assert!(tree.tree.path.join("a.txt").exists());
    assert!(again.worktree.work().unwrap().uncommitted.is_empty());
}

// rows: 87
#[test]
fn a_worktree_goes_with_its_branch_once_nothing_would_be_lost() {
    let scratch = Scratch::committed();
    scratch.write(".worktreeinclude", "untracked.txt\n");
    scratch.write("untracked.txt", "copied, and not work\n");
    let tree = made(&scratch, "api");
    assert!(tree.work().unwrap().uncommitted.is_empty());
    commit_in(&scratch, &tree, "new.txt");
    scratch.git_in(&tree.tree.path, &["rm", "-q", "--cached", "untracked.txt"]);
    scratch.git_in(&tree.tree.path, &["commit", "-q", "--amend", "-m", "new"]);
    let unmerged = removal_of(&scratch, "api").unwrap_err();
    assert_eq!(unmerged.to_string(), "its branch windlass/api has 1 commit that main has not");
    assert_eq!(unmerged.remedy("X"), "merge it first: git merge windlass/api");
    scratch.git(&["merge", "-q", "windlass/api"]);
    assert_eq!(removal_of(&scratch, "api"), Ok(Removed { branch: true }));
    assert!(!tree.tree.path.exists() && scratch.has("new.txt"));
    assert_eq!(scratch.git(&["branch"]).lines().count(), 1);
    assert_eq!(trees(&scratch), 1);
    assert_eq!(Worktree::all(&scratch.found()).unwrap(), []);
}

// rows: 84, 87
#[test]
fn what_came_to_its_base_as_one_commit_is_merged_as_long_as_it_stands_there() {
    let scratch = Scratch::committed();
    let tree = made(&scratch, "api");
    commit_in(&scratch, &tree, "new.txt");
    commit_in(&scratch, &tree, "newer.txt");
    scratch.git(&["update-ref", "refs/remotes/origin/windlass/api", "windlass/api"]);
    let unmerged = removal_of(&scratch, "api").unwrap_err();
    assert!(unmerged.remedy("X").contains("git fetch, or remove it yourself: git worktree remove X"));
    scratch.git(&["merge", "-q", "--squash", "windlass/api"]);
    scratch.git(&["commit", "-q", "-m", "as one"]);
    let squashed = tree.standing(&scratch.found()).unwrap();
    assert_eq!((squashed.ahead, squashed.merged), (2, true));
    scratch.git(&["rm", "-q", "newer.txt"]);
    scratch.git(&["commit", "-q", "-m", "half of it is taken back"]);
    assert!(matches!(removal_of(&scratch, "api"), Err(Refusal::Unmerged { ahead: 2, .. })));
    scratch.git(&["revert", "--no-edit", "HEAD"]);
    assert_eq!(removal_of(&scratch, "api"), Ok(Removed { branch: true }));
}

#[test]
fn commits_that_changed_nothing_together_are_not_merged() {
    let scratch = Scratch::committed();
    let tree = made(&scratch, "api");
    commit_in(&scratch, &tree, "new.txt");
    scratch.git_in(&tree.tree.path, &["revert", "--no-edit", "HEAD"]);
    assert!(matches!(removal_of(&scratch, "api"), Err(Refusal::Unmerged { ahead: 2, .. })));
}

#[test]
fn nothing_that_is_in_no_commit_is_ever_removed() {
    let scratch = Scratch::committed();
    scratch.write(".gitignore", ".windlass/\nbuilt/\n");
    scratch.write(".windlass/workspaces/api/TODO.md", "copied");
    scratch.commit_all("ignore");
    let tree = made(&scratch, "api");
    let at = |path: &str| tree.tree.path.join(path);
    fs::create_dir(at("built")).unwrap();
    fs::write(at("built/x"), "ignored: it goes").unwrap();
    fs::write(at(".windlass/workspaces/api/.status.json"), "{}").unwrap();

    for (path, how) in [
        ("untracked.txt", "untracked.txt"),
        ("a.txt", "a.txt"),
        (".windlass/workspaces/api/TODO.md", "in .windlass"),
        (".windlass/workspaces/api/report.md", "in .windlass"),
    ] {
        let before = fs::read(at(path)).ok();
        fs::write(at(path), "work").unwrap();
        let refusal = removal_of(&scratch, "api").unwrap_err().to_string();
        assert!(refusal.contains(how) && refusal.starts_with("1 file"), "{path}: {refusal}");
        assert_eq!(fs::read(at(path)).unwrap(), b"work");
        match before {
            Some(bytes) if path == "a.txt" => fs::write(at(path), bytes).unwrap(),
            Some(_) => {
                let original = scratch.path(path).metadata().unwrap();
                fs::write(at(path), "copied").unwrap();
                let file = fs::File::options().write(true).open(at(path)).unwrap();
                file.set_modified(original.modified().unwrap()).unwrap();
            }
            None => fs::remove_file(at(path)).unwrap(),
        }
    }
    fs::write(at("staged.txt"), "work").unwrap();
    scratch.git_in(&tree.tree.path, &["add", "staged.txt"]);
    assert!(matches!(removal_of(&scratch, "api"), Err(Refusal::Uncommitted { count: 1, .. })));
    scratch.git_in(&tree.tree.path, &["rm", "-q", "-f", "staged.txt"]);
    assert_eq!(removal_of(&scratch, "api"), Ok(Removed { branch: true }));
}

#[test]
fn hidden_changes_and_references_of_its_own_keep_a_worktree() {
    for flag in ["--skip-worktree", "--assume-unchanged"] {
        let scratch = Scratch::committed();
        let tree = made(&scratch, "api").tree.path;
        scratch.git_in(&tree, &["update-index", flag, "a.txt"]);
        fs::write(tree.join("a.txt"), "mine").unwrap();
        let refusal = removal_of(&scratch, "api").unwrap_err();
        assert!(matches!(&refusal, Refusal::Uncommitted { count: 1, .. }), "{flag}: {refusal:?}");
        assert_eq!(fs::read_to_string(tree.join("a.txt")).unwrap(), "mine");
    }
    let scratch = Scratch::committed();
    let tree = made(&scratch, "api").tree.path;
    scratch.git_in(&tree, &["commit", "-q", "--allow-empty", "-m", "only here"]);
    scratch.git_in(&tree, &["update-ref", "refs/worktree/kept", "HEAD"]);
    scratch.git_in(&tree, &["reset", "-q", "--hard", "HEAD~1"]);
    let refusal = removal_of(&scratch, "api").unwrap_err();
    assert!(matches!(&refusal, Refusal::OwnReference { .. }), "{refusal:?}");
    scratch.git_in(&tree, &["update-ref", "refs/worktree/kept", "HEAD"]);
    assert!(removal_of(&scratch, "api").is_ok());
}

#[test]
fn what_is_under_way_or_elsewhere_or_locked_keeps_a_worktree() {
    let scratch = Scratch::committed();
    let tree = made(&scratch, "api");
    let path = tree.tree.path.to_str().unwrap().to_owned();
    scratch.git(&["worktree", "lock", &path]);
    assert_eq!(removal_of(&scratch, "api"), Err(Refusal::Locked));
    scratch.git(&["worktree", "unlock", &path]);
    fs::create_dir(tree.tree.git_dir.join("rebase-merge")).unwrap();
    assert_eq!(removal_of(&scratch, "api"), Err(Refusal::UnderWay("a rebase")));
    fs::remove_dir(tree.tree.git_dir.join("rebase-merge")).unwrap();
    scratch.git_in(&tree.tree.path, &["checkout", "-q", "--detach"]);
    commit_in(&scratch, &tree, "adrift.txt");
    assert!(matches!(removal_of(&scratch, "api"), Err(Refusal::Detached { .. })));
    scratch.git_in(&tree.tree.path, &["checkout", "-q", "-b", "kept"]);
    let from_inside = {
        let (repository, project) = (scratch.found(), project(&scratch));
        let from = tree.tree.path.join("src");
        Removal { worktree: &tree, repository: &repository, project: &project, from: &from }
            .carry_out()
            .unwrap()
    };
    assert_eq!(from_inside, Err(Refusal::Here));
    assert_eq!(removal_of(&scratch, "api"), Ok(Removed { branch: true }));
    assert!(scratch.git(&["branch"]).contains("kept"), "another branch stays");
}

#[test]
fn a_worktree_that_is_gone_leaves_its_branch_until_that_is_merged() {
    let scratch = Scratch::committed();
    let tree = made(&scratch, "api");
    commit_in(&scratch, &tree, "new.txt");
    fs::remove_dir_all(&tree.tree.path).unwrap();
    assert!(matches!(removal_of(&scratch, "api"), Err(Refusal::Unmerged { ahead: 1, .. })));
    assert!(scratch.git(&["branch"]).contains("windlass/api"));
    scratch.git(&["merge", "-q", "windlass/api"]);
    assert_eq!(removal_of(&scratch, "api"), Ok(Removed { branch: true }));
    assert!(!scratch.git(&["branch"]).contains("windlass/api"));
}

#[test]
fn working_trees_of_others_are_not_ours() {
    let scratch = Scratch::committed();
    let foreign = scratch.state.join("theirs");
    scratch.git(&["worktree", "add", "-q", "--detach", foreign.to_str().unwrap()]);
    assert_eq!(Worktree::all(&scratch.found()).unwrap(), []);
    let error = Worktree::find(&scratch.found(), "theirs").unwrap_err();
    assert!(matches!(&error, WorktreeError::Foreign(path) if *path == foreign), "{error}");
    let error = Worktree::find(&scratch.found(), "nobodys").unwrap_err();
    assert!(matches!(error, WorktreeError::NotFound(_)), "{error}");
    // A mark that somebody else wrote is not leave to delete a branch.
    let tree = made(&scratch, "api");
    let marker = tree.tree.git_dir.join("windlass.json");
    for wrong in ["", "{}", "[1]", "\u{0}", r#"{"v":2,"name":"api"}"#] {
        fs::write(&marker, wrong).unwrap();
        assert_eq!(Worktree::all(&scratch.found()).unwrap(), [], "{wrong:?}");
    }
}

#[test]
fn a_mark_cannot_make_its_own_branch_the_one_it_is_merged_into() {
    let scratch = Scratch::committed();
    let mut tree = made(&scratch, "api");
    commit_in(&scratch, &tree, "new.txt");
    for base in ["refs/heads/windlass/api", "HEAD", "refs/windlass/x", "--help"] {
        tree.marker.base = Some(base.to_owned());
        tree.set_stage(Stage::Ready).unwrap();
        let refusal = removal_of(&scratch, "api").unwrap_err();
        assert!(matches!(refusal, Refusal::Unmerged { .. }), "{base}: {refusal}");
    }
}

#[test]
fn several_are_made_at_once() {
    let scratch = Scratch::committed();
    std::thread::scope(|scope| {
        let makers: Vec<_> = (0..6)
            .map(|number| {
                scope.spawn({
                    let scratch = &scratch;
                    move || made(scratch, &format!("w{}", number / 2))
                })
            })
            .collect();
        let mut numbers: Vec<u32> =
            makers.into_iter().map(|maker| maker.join().unwrap().checkout()).collect();
        numbers.sort_unstable();
        assert_eq!(numbers, [1, 1, 2, 2, 3, 3]);
    });
    assert!(!scratch.path(".git/worktrees/w0/index.lock").exists());
}

#[test]
fn files_that_a_filter_keeps_from_being_checked_out_are_said() {
    let scratch = Scratch::committed();
    scratch.write(".gitattributes", "*.bin filter=large\n");
    scratch.write("a.bin", "content");
    scratch.commit_all("large");
    scratch.git(&["config", "filter.large.smudge", "no-such-program"]);
    scratch.git(&["config", "filter.large.required", "true"]);
    let said = refused(&scratch, "api");
    assert!(said.contains("cannot be checked out") && said.contains("no-such-program"), "{said}");
    assert!(matches!(removal_of(&scratch, "api"), Err(Refusal::Unfilled { .. })));
    scratch.git(&["config", "filter.large.smudge", "cat"]);
    let tree = made(&scratch, "api");
    assert_eq!(tree.stage(), Stage::Ready, "the next call goes on");
    fs::write(tree.tree.path.join("a.bin"), "changed").unwrap();
    assert!(matches!(removal_of(&scratch, "api"), Err(Refusal::Unreadable(_))));
    scratch.git(&["config", "filter.large.clean", "cat"]);
    fs::write(tree.tree.path.join("a.bin"), "content").unwrap();
    assert_eq!(removal_of(&scratch, "api"), Ok(Removed { branch: true }));
}

#[test]
fn submodules_are_said_to_be_missing() {
    let scratch = Scratch::committed();
    let inner = Scratch::committed();
    let inner_path = inner.top.to_str().unwrap();
    scratch.git(&["-c", "protocol.file.allow=always", "submodule", "--quiet", "add", inner_path, "inner"]);
    scratch.git(&["commit", "-q", "-m", "inner"]);
    let made = try_make(&scratch, "api").unwrap();
    assert!(made.notices[0].contains("git submodule update --init"), "{:?}", made.notices);
    assert_eq!(fs::read_dir(made.worktree.tree.path.join("inner")).unwrap().count(), 0);
    assert_eq!(removal_of(&scratch, "api"), Ok(Removed { branch: true }));
}
