//! Commits, with the real git.

mod aside;
mod unusual;

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::time::Duration;

use crate::commit::{Candidate, CommitHooks, CommitOutcome, commit, marked_commit, settle, settle_index};
use crate::git::{Head, ObjectId};
use crate::inventory::{Inventory, changes};
use crate::testing::{Scratch, after};

/// An iteration's work, judged and kept: what changed since `before`.
pub(super) struct Judged {
    pub inventory: Inventory,
    pub changed: Vec<Vec<u8>>,
}

pub(super) fn judge(scratch: &Scratch, before: &Inventory) -> Judged {
    let mut surveyor = scratch.surveyor();
    let inventory = surveyor.survey(&[]).unwrap();
    scratch.store().keep(surveyor.place(), &inventory, &after(1)).unwrap();
    let changed = changes(before, &inventory).into_iter().collect();
    Judged { inventory, changed }
}

pub(super) fn commit_it(scratch: &Scratch, judged: &Judged) -> CommitOutcome {
    let candidate = Candidate {
        inventory: &judged.inventory,
        changed: &judged.changed,
        message: "Do it\n\nBody.\n",
        hooks: CommitHooks::Run,
        timeout: Duration::from_mins(1),
    };
    commit(&scratch.found(), &scratch.store(), &candidate, |_| Ok(None)).unwrap()
}

pub(super) fn committed(outcome: &CommitOutcome) -> bool {
    match outcome {
        CommitOutcome::Committed { altered, .. } => !altered.is_empty(),
        other => panic!("{other:?}"),
    }
}

fn hook(scratch: &Scratch, name: &str, script: &str) {
    let path = format!(".git/hooks/{name}");
    scratch.write(&path, format!("#!/bin/sh\n{script}\n"));
    scratch.chmod(&path, 0o755);
}

#[test]
fn exactly_the_changed_paths_are_committed_and_the_rest_stays_as_it_was() {
    let scratch = Scratch::committed();
    scratch.write("staged", "by a person");
    scratch.git(&["add", "staged"]);
    scratch.write("src/b.txt", "dirty by a person\n");
    scratch.write("untracked", "by a person");
    let before = scratch.survey();
    scratch.write("a.txt", "changed\n");
    scratch.write("-new\nfile 🚀", "new");
    let outcome = commit_it(&scratch, &judge(&scratch, &before));
    assert!(!committed(&outcome));
    let shown = scratch.git(&["show", "--format=%B", "--name-status", "-z", "HEAD"]);
    assert_eq!(shown, "Do it\n\nBody.\n\0\nA\0-new\nfile 🚀\0M\0a.txt\0");
    assert_eq!(scratch.git(&["status", "--porcelain"]), " M src/b.txt\nA  staged\n?? untracked\n");
}

#[test]
fn deletions_renames_modes_and_links_are_committed() {
    let scratch = Scratch::committed();
    scratch.write("tool", "#!/bin/sh\n");
    scratch.write("folder/x", "x");
    scratch.commit_all("second");
    let before = scratch.survey();
    fs::rename(scratch.path("a.txt"), scratch.path("renamed.txt")).unwrap();
    fs::remove_file(scratch.path("src/b.txt")).unwrap();
    scratch.chmod("tool", 0o755);
    symlink("tool", scratch.path("link")).unwrap();
    fs::remove_dir_all(scratch.path("folder")).unwrap();
    scratch.write("folder", "a file now");
    committed(&commit_it(&scratch, &judge(&scratch, &before)));
    assert_eq!(scratch.git(&["status", "--porcelain"]), "");
    let tree = scratch.git(&["ls-tree", "-r", "HEAD"]);
    let modes: Vec<_> = tree.lines().map(|line| (&line[..6], line.split('\t').nth(1).unwrap())).collect();
    let expected = [("100644", "folder"), ("120000", "link"), ("100644", "renamed.txt"), ("100755", "tool")];
    assert_eq!(modes, expected);
}

#[test]
fn what_was_judged_is_committed_although_a_gate_rewrote_it() {
    let scratch = Scratch::committed();
    let before = scratch.survey();
    scratch.write("a.txt", "judged\n");
    scratch.write("new", "judged\n");
    symlink("judged", scratch.path("link")).unwrap();
    fs::remove_file(scratch.path("src/b.txt")).unwrap();
    let judged = judge(&scratch, &before);
    scratch.write("a.txt", "rewritten\n");
    fs::remove_file(scratch.path("new")).unwrap();
    fs::remove_file(scratch.path("link")).unwrap();
    scratch.write("src/b.txt", "recreated");
    assert!(!committed(&commit_it(&scratch, &judged)));
    assert_eq!(scratch.git(&["show", "HEAD:a.txt"]), "judged\n");
    assert_eq!(scratch.git(&["show", "HEAD:new"]), "judged\n");
    assert_eq!(scratch.git(&["show", "HEAD:link"]), "judged");
    assert_eq!(scratch.read("a.txt"), "rewritten\n");
    assert_eq!(scratch.git(&["status", "--porcelain"]), " M a.txt\n D link\n D new\n?? src/\n");
}

#[test]
fn filters_apply_as_they_do_for_git_add() {
    let scratch = Scratch::committed();
    scratch.write(".gitattributes", "*.txt text eol=crlf\n");
    scratch.commit_all("attributes");
    let before = scratch.survey();
    scratch.write("new.txt", "one\r\n");
    scratch.write("kept.txt", "two\r\n");
    let judged = judge(&scratch, &before);
    scratch.write("kept.txt", "rewritten");
    committed(&commit_it(&scratch, &judged));
    assert_eq!(scratch.git(&["cat-file", "blob", "HEAD:new.txt"]), "one\n");
    assert_eq!(scratch.git(&["cat-file", "blob", "HEAD:kept.txt"]), "two\n");
}

#[test]
fn the_first_commit_and_one_without_a_branch_work() {
    let scratch = Scratch::repository();
    scratch.write("a", "x");
    committed(&commit_it(&scratch, &judge(&scratch, &Inventory::default())));
    assert!(matches!(scratch.found().head().unwrap(), Head::Branch { .. }));
    scratch.git(&["checkout", "-q", "--detach"]);
    let before = scratch.survey();
    scratch.write("b", "y");
    let outcome = commit_it(&scratch, &judge(&scratch, &before));
    let CommitOutcome::Committed { commit, .. } = outcome else { panic!("{outcome:?}") };
    assert_eq!(scratch.found().head().unwrap(), Head::Detached { commit });
    assert_eq!(scratch.git(&["status", "--porcelain"]), "");
}

#[test]
fn nothing_new_is_no_commit() {
    let scratch = Scratch::committed();
    let before = Inventory::default();
    assert_eq!(commit_it(&scratch, &judge(&scratch, &before)), CommitOutcome::NothingToCommit);
    let unborn = Scratch::repository();
    assert_eq!(commit_it(&unborn, &judge(&unborn, &before)), CommitOutcome::NothingToCommit);
}

#[test]
fn hooks_run_and_may_refuse_or_alter() {
    let scratch = Scratch::committed();
    let before = scratch.survey();
    scratch.write("a.txt", "changed\n");
    let judged = judge(&scratch, &before);
    hook(&scratch, "pre-commit", "echo 'lint: a.txt is ugly' >&2; exit 1");
    assert_eq!(commit_it(&scratch, &judged), CommitOutcome::RefusedByHook("lint: a.txt is ugly".into()));
    assert_eq!(scratch.git(&["status", "--porcelain"]), " M a.txt\n", "nothing is staged");
    hook(&scratch, "pre-commit", "echo pretty > a.txt; echo more > more; git add a.txt more");
    hook(&scratch, "commit-msg", "echo 'Checked: yes' >> \"$1\"");
    assert!(committed(&commit_it(&scratch, &judged)));
    assert_eq!(scratch.git(&["show", "HEAD:a.txt"]), "pretty\n");
    assert_eq!(scratch.git(&["show", "HEAD:more"]), "more\n");
    assert!(scratch.git(&["log", "-1", "--format=%B"]).contains("Checked: yes"));
    assert_eq!(scratch.git(&["status", "--porcelain"]), "");
}

#[test]
fn a_hook_that_hangs_is_ended() {
    let scratch = Scratch::committed();
    let before = scratch.survey();
    scratch.write("a.txt", "changed\n");
    let judged = judge(&scratch, &before);
    hook(&scratch, "pre-commit", "sleep 600");
    let candidate = Candidate {
        inventory: &judged.inventory,
        changed: &judged.changed,
        message: "x",
        hooks: CommitHooks::Run,
        timeout: Duration::from_millis(300),
    };
    let outcome = commit(&scratch.found(), &scratch.store(), &candidate, |_| Ok(None));
    assert!(matches!(outcome, Ok(CommitOutcome::RefusedByHook(said)) if said.contains("took longer")));
    assert_eq!(scratch.git(&["status", "--porcelain"]), " M a.txt\n");
}

#[test]
fn a_person_without_a_name_is_told_the_two_commands() {
    let scratch = Scratch::committed();
    scratch.git(&["config", "--unset", "user.name"]);
    scratch.git(&["config", "--unset", "user.email"]);
    scratch.git(&["config", "user.useConfigOnly", "true"]);
    let before = scratch.survey();
    scratch.write("a.txt", "changed\n");
    let outcome = commit_it(&scratch, &judge(&scratch, &before));
    let CommitOutcome::Refused(said) = outcome else { panic!("{outcome:?}") };
    assert!(
        said.contains("git config --global user.name") && said.contains("git config --global user.email"),
        "{said}"
    );
}

#[test]
fn a_merge_a_rebase_a_lock_and_conflicts_refuse() {
    let scratch = Scratch::committed();
    let before = scratch.survey();
    scratch.write("a.txt", "changed\n");
    let judged = judge(&scratch, &before);
    for (obstacle, sign) in
        [("MERGE_HEAD", "a merge"), ("rebase-merge/x", "a rebase"), ("index.lock", "index.lock")]
    {
        scratch.write(&format!(".git/{obstacle}"), "x");
        let outcome = commit_it(&scratch, &judged);
        let CommitOutcome::Refused(said) = outcome else { panic!("{outcome:?}") };
        assert!(said.contains(sign), "{said}");
        let first = scratch.path(".git").join(obstacle.split('/').next().unwrap());
        if first.is_dir() {
            fs::remove_dir_all(first).unwrap();
        } else {
            fs::remove_file(first).unwrap();
        }
    }
    scratch.git(&["stash", "-q"]);
    scratch.write("a.txt", "other\n");
    scratch.git(&["commit", "-q", "-a", "-m", "other"]);
    assert!(!scratch.try_git(&scratch.top, &["stash", "pop", "-q"]).0);
    let outcome = commit_it(&scratch, &judged);
    assert!(matches!(&outcome, CommitOutcome::Refused(said) if said.contains("conflicts")), "{outcome:?}");
}

#[test]
fn ignored_files_are_not_committed_unless_they_are_tracked() {
    let scratch = Scratch::committed();
    scratch.write(".gitignore", "tracked.log\n.windlass/\n");
    scratch.write("tracked.log", "one");
    scratch.git(&["add", "-f", "tracked.log", ".gitignore"]);
    scratch.git(&["commit", "-q", "-m", "second"]);
    let before = scratch.survey();
    scratch.write("tracked.log", "two");
    scratch.write(".windlass/workspaces/x/TODO.md", "ours");
    committed(&commit_it(&scratch, &judge(&scratch, &before)));
    assert_eq!(scratch.git(&["show", "--format=", "--name-only", "HEAD"]), "tracked.log\n");
}

#[test]
fn a_submodules_commit_is_committed_and_an_embedded_repository_is_not() {
    let scratch = Scratch::committed();
    let inner = Scratch::committed();
    scratch.git(&[
        "-c",
        "protocol.file.allow=always",
        "submodule",
        "--quiet",
        "add",
        inner.top.to_str().unwrap(),
        "inner",
    ]);
    scratch.git(&["commit", "-q", "-m", "submodule"]);
    let before = scratch.survey();
    let identity = ["-c", "user.name=x", "-c", "user.email=x@example.com"];
    let again = [&identity[..], &["commit", "-q", "--allow-empty", "-m", "inner"]].concat();
    scratch.git_in(&scratch.path("inner"), &again);
    scratch.git(&["init", "-q", "embedded"]);
    scratch.git_in(&scratch.path("embedded"), &again);
    committed(&commit_it(&scratch, &judge(&scratch, &before)));
    assert_eq!(scratch.git(&["show", "--format=", "--name-only", "HEAD"]), "inner\n");
    assert_eq!(scratch.git(&["status", "--porcelain"]), "?? embedded/\n");
}

#[test]
fn an_index_that_a_crash_left_behind_is_settled() {
    let scratch = Scratch::committed();
    scratch.write("staged", "by a person");
    scratch.git(&["add", "staged"]);
    let before = scratch.found().head().unwrap().commit();
    // A commit that another index made: ours knows nothing of it.
    scratch.write("a.txt", "changed\n");
    let tree = "export GIT_INDEX_FILE=.git/other; git read-tree HEAD && git add a.txt && git commit -q -m x";
    scratch.git(&["-c", &format!("alias.other=!{tree}"), "other"]);
    assert_ne!(scratch.git(&["status", "--porcelain"]), "A  staged\n");
    for _ in 0..2 {
        settle_index(&scratch.found(), before).unwrap();
        assert_eq!(scratch.git(&["status", "--porcelain"]), "A  staged\n");
    }
}

#[test]
fn the_index_of_whoever_committed_meanwhile_stays() {
    let scratch = Scratch::committed();
    let commit = |text: &str| {
        scratch.write("a.txt", text);
        scratch.commit_all(text);
        scratch.found().head().unwrap().commit()
    };
    let (before, ours) = (scratch.found().head().unwrap().commit(), commit("ours\n"));
    let theirs = commit("theirs\n");
    scratch.write("a.txt", "staged\n");
    scratch.git(&["add", "a.txt"]);
    settle(&scratch.found(), before, ours).unwrap();
    assert_eq!(scratch.git(&["show", ":a.txt"]), "staged\n");
    settle(&scratch.found(), before, theirs).unwrap();
    assert_eq!(scratch.git(&["show", ":a.txt"]), "theirs\n");
}

#[test]
fn a_linked_working_tree_commits_to_its_own_branch() {
    let scratch = Scratch::committed();
    let linked = scratch.state.with_file_name("linked");
    scratch.git(&["worktree", "add", "-q", "-b", "side", linked.to_str().unwrap()]);
    let crate::git::FoundRepository::Worktree(repository) = crate::git::Repository::find(&linked).unwrap()
    else {
        panic!()
    };
    let place = crate::inventory::Place::new(&linked, Some(repository.clone()));
    let mut surveyor = crate::inventory::Surveyor::new(place);
    let before = surveyor.survey(&[]).unwrap();
    fs::write(linked.join("a.txt"), "changed\n").unwrap();
    let inventory = surveyor.survey(&[]).unwrap();
    let changed = vec![b"a.txt".to_vec()];
    let candidate = Candidate {
        inventory: &inventory,
        changed: &changed,
        message: "x",
        hooks: CommitHooks::Run,
        timeout: Duration::from_mins(1),
    };
    assert_eq!(changes(&before, &inventory).len(), 1);
    committed(&commit(&repository, &scratch.store(), &candidate, |_| Ok(None)).unwrap());
    assert_eq!(scratch.git_in(&linked, &["status", "--porcelain"]), "");
    assert_eq!(scratch.git(&["log", "--format=%s", "main"]), "first\n");
}

/// The commit with these trailers that was made before a crash.
fn marked(scratch: &Scratch, key: &str, since: Option<&str>) -> Option<ObjectId> {
    match marked_commit(&scratch.found(), key, since, |_| Ok(None)).unwrap() {
        Some(CommitOutcome::Committed { commit, .. }) => Some(commit),
        None => None,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_commit_that_was_made_before_a_crash_is_known_by_its_trailers_and_its_index_settled() {
    let scratch = Scratch::committed();
    assert_eq!(marked(&scratch, "Windlass-Run: r-1", None), None);
    scratch.write("a.txt", "changed\n");
    let steps = "export GIT_INDEX_FILE=.git/other; git read-tree HEAD && git add a.txt && git commit -q -F .git/message";
    scratch.write(".git/message", "Do it\n\nWindlass-Run: r-1\n");
    scratch.git(&["-c", &format!("alias.other=!{steps}"), "other"]);
    let found = marked(&scratch, "Windlass-Run: r-1", None);
    assert_eq!(found, scratch.found().head().unwrap().commit());
    assert_eq!(scratch.git(&["status", "--porcelain"]), "");
    assert_eq!(marked(&scratch, "Windlass-Run: r-2", None), None);
    // What was there before the commit was begun is somebody else's, whatever it says.
    let stood = scratch.git(&["rev-parse", "HEAD"]);
    assert_eq!(marked(&scratch, "Windlass-Run: r-1", Some(stood.trim())), None);
    // Somebody committed something else before the run went on.
    scratch.write("b.txt", "a person's\n");
    scratch.git(&["add", "b.txt"]);
    scratch.git(&["commit", "-q", "-m", "Something else"]);
    assert_eq!(marked(&scratch, "Windlass-Run: r-1", None), found);
}

#[test]
fn a_commit_that_was_made_before_a_crash_is_known_where_signatures_are_shown() {
    let scratch = Scratch::committed();
    let signs = "#!/bin/sh\ncase \"$*\" in\n*--verify*) echo 'gpg: good' >&2; echo '[GNUPG:] GOODSIG x y' ;;\n\
                 *) cat >/dev/null; echo '[GNUPG:] SIG_CREATED x' >&2\n\
                 printf '%s\\n' '-----BEGIN PGP SIGNATURE-----' '' x '-----END PGP SIGNATURE-----' ;;\nesac\n";
    scratch.write(".git/signs", signs);
    fs::set_permissions(scratch.path(".git/signs"), fs::Permissions::from_mode(0o755)).unwrap();
    scratch.git(&["config", "gpg.program", scratch.path(".git/signs").to_str().unwrap()]);
    scratch.git(&["config", "log.showSignature", "true"]);
    scratch.git(&["commit", "-q", "-S", "--allow-empty", "-m", "Do it\n\nWindlass-Run: r-1"]);
    assert!(scratch.git(&["log", "-1"]).contains("gpg: good"));
    let found = marked(&scratch, "Windlass-Run: r-1", None);
    assert_eq!(found, scratch.found().head().unwrap().commit());
}

#[test]
fn a_commit_is_known_although_a_hook_added_to_its_message_and_a_longer_number_is_another() {
    let scratch = Scratch::committed();
    let message = "Do it\n\nWindlass-Run: r-1\nWindlass-Iteration: 12\nWindlass-Task: TASK-1\nChange-Id: I1";
    scratch.git(&["commit", "-q", "--allow-empty", "-m", message]);
    let marked = |key: &str| marked(&scratch, key, None);
    assert_eq!(marked("Windlass-Run: r-1\nWindlass-Iteration: 12"), scratch.found().head().unwrap().commit());
    assert_eq!(marked("Windlass-Run: r-1\nWindlass-Iteration: 1"), None);
    assert_eq!(marked("indlass-Run: r-1\nWindlass-Iteration: 12"), None);
}
