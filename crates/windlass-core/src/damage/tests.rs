use super::*;

const MAIN: &[u8] = b"refs/heads/main";

fn scene() -> Scene {
    Scene {
        branch: Some(MAIN.to_vec()),
        commit: Some("aaaa".to_owned()),
        references: references(&[("main", "aaaa"), ("other", "bbbb")]),
        stashes: vec!["s1".to_owned(), "s2".to_owned()],
        settings: [(b"config".to_vec(), "c".to_owned())].into(),
        ..Scene::default()
    }
}

fn references(all: &[(&str, &str)]) -> std::collections::BTreeMap<Name, String> {
    all.iter().map(|(name, value)| (branch(name), (*value).to_owned())).collect()
}

fn branch(name: &str) -> Name {
    format!("refs/heads/{name}").into_bytes()
}

fn lost(files: &[&str], of: usize, of_a_person: bool) -> Lost {
    Lost { files: files.iter().map(|file| file.as_bytes().to_vec()).collect(), of, of_a_person }
}

fn told(after: &Scene, ancestry: &Ancestry) -> Vec<String> {
    let found = compare(&scene(), after, ancestry).into_iter();
    found.map(|damage| format!("{:?}: {}", damage.kind, damage.sentence)).collect()
}

#[test]
fn what_is_ordinary_work_is_no_damage() {
    let mut after = scene();
    assert_eq!(told(&after, &Ancestry::default()), Vec::<String>::new());
    // A commit, a new branch, a new tag, a further stash.
    after.commit = Some("cccc".to_owned());
    after.references = references(&[("main", "cccc"), ("other", "bbbb"), ("new", "aaaa")]);
    after.references.insert(b"refs/tags/v1".to_vec(), "cccc".to_owned());
    after.stashes.insert(0, "s3".to_owned());
    let carried = Ancestry { carried_on: [MAIN.to_vec()].into(), ..Ancestry::default() };
    assert_eq!(told(&after, &carried), Vec::<String>::new());
    // It tidies up after itself.
    let tidied =
        Ancestry { cleaned: lost(&["a", "b"], 9, false), discarded: lost(&["c"], 1, false), ..carried };
    assert_eq!(told(&after, &tidied), Vec::<String>::new());
    // Without any commit before, there is nothing to lose.
    let unborn = Scene { commit: None, references: references(&[]), ..scene() };
    assert_eq!(compare(&unborn, &scene(), &Ancestry::default()), []);
}

#[test]
fn each_kind_of_damage_is_named() {
    let none = Ancestry::default();
    let with = |change: &dyn Fn(&mut Scene)| {
        let mut after = scene();
        change(&mut after);
        after
    };
    let moved = with(&|after| {
        after.commit = Some("dddd".to_owned());
        after.references.insert(MAIN.to_vec(), "dddd".to_owned());
    });
    let held = Ancestry { held_by: Some(branch("backup")), ..Ancestry::default() };
    let counted = Ancestry { commits_lost: Some(2), ..Ancestry::default() };
    let one = Ancestry { commits_lost: Some(1), ..Ancestry::default() };
    let cases: Vec<(Scene, &Ancestry, &str)> = vec![
        (
            with(&|after| after.unusable = Some("no HEAD".to_owned())),
            &none,
            "RepositoryUnusable: the git repository is gone or broken (no HEAD)",
        ),
        (
            moved.clone(),
            &none,
            "CommitsLost: main was moved from aaaa to dddd: its commits are in no branch any more",
        ),
        (
            moved.clone(),
            &counted,
            "CommitsLost: main was moved from aaaa to dddd: 2 commits are in no branch any more",
        ),
        (
            moved.clone(),
            &one,
            "CommitsLost: main was moved from aaaa to dddd: 1 commit is in no branch any more",
        ),
        (moved, &held, "BranchMovedBack: main was moved from aaaa to dddd; backup still has its commits"),
        (
            with(&|after| drop(after.references.remove(MAIN))),
            &none,
            "CommitsLost: main was deleted: its commits are in no branch any more",
        ),
        (
            with(&|after| after.branch = Some(branch("other"))),
            &none,
            "BranchSwitched: instead of main other is checked out",
        ),
        (
            with(&|after| after.branch = Some(branch("new"))),
            &none,
            "BranchBegun: instead of main new is checked out",
        ),
        (
            with(&|after| after.branch = None),
            &none,
            "HeadDetached: instead of main the commit aaaa is checked out, on no branch",
        ),
        (
            with(&|after| after.under_way.extend([Operation::Merge])),
            &none,
            "UnderWay: a merge was begun and not finished",
        ),
        (
            with(&|after| drop(after.references.remove(&branch("other")))),
            &none,
            "ReferencesLost: branches or tags were deleted or moved: other",
        ),
        (with(&|after| after.stashes.truncate(1)), &none, "StashDropped: 1 stash was dropped"),
        (with(&|after| after.stashes.clear()), &none, "StashDropped: 2 stashes were dropped"),
        (
            with(&|after| drop(after.settings.insert(b"hooks/pre-commit".to_vec(), "h".to_owned()))),
            &none,
            "SettingsChanged: the repository's own settings or hooks were changed: hooks/pre-commit",
        ),
    ];
    for (after, ancestry, sentence) in cases {
        assert_eq!(told(&after, ancestry), [sentence]);
    }
}

#[test]
fn what_a_single_command_brings_back_is_typed_by_hand() {
    let mut before = scene();
    before.references.insert(b"refs/mine/$(x)".to_vec(), "dddd".to_owned());
    before.references.insert(b"refs/heads/alias".to_vec(), "ref: refs/heads/a;b".to_owned());
    let mut after = Scene { stashes: vec!["s2".to_owned()], ..scene() };
    after.references = references(&[("main", "cccc")]);
    let found = compare(&before, &after, &Ancestry::default());
    let commands: Vec<String> = found.iter().flat_map(|damage| by_hand(&before, &after, damage)).collect();
    assert_eq!(
        commands,
        [
            "git branch was-aaaa aaaa",
            "git symbolic-ref refs/heads/alias 'refs/heads/a;b'",
            "git update-ref refs/heads/other bbbb",
            "git update-ref 'refs/mine/$(x)' dddd",
            "git stash store s1",
        ]
    );
    after.references.remove(MAIN);
    let found = compare(&before, &after, &Ancestry::default());
    assert_eq!(by_hand(&before, &after, &found[0]), ["git update-ref refs/heads/main aaaa"]);
}

#[test]
fn a_persons_files_are_never_lost_unsaid_and_the_runs_own_only_in_bulk() {
    let told = |discarded: Lost, cleaned: Lost| {
        told(&scene(), &Ancestry { discarded, cleaned, ..Ancestry::default() })
    };
    assert_eq!(
        told(lost(&["a"], 5, true), Lost::default()),
        ["ChangesDiscarded: uncommitted changes from before the run are gone: a"]
    );
    assert_eq!(
        told(Lost::default(), lost(&["a", "b", "c", "d", "e"], 5, false)),
        ["FilesCleaned: files that git does not know are gone: a, b, c and 2 more"]
    );
    assert_eq!(told(lost(&["a", "b", "c"], 4, false), lost(&["d", "e"], 2, false)), Vec::<String>::new());
}

#[test]
fn a_repository_inside_that_is_gone_is_said_to_be_lost() {
    let ancestry = Ancestry { nested: vec![b"nested".to_vec()], ..Ancestry::default() };
    let found = compare(&scene(), &scene(), &ancestry);
    let sentence =
        "repositories of their own inside this one are gone, and no snapshot holds them: nested".to_owned();
    assert_eq!(found.iter().map(|damage| &damage.sentence).collect::<Vec<_>>(), [&sentence]);
    assert_eq!(sentences(&found, true), format!("- {sentence}; this cannot be undone.\n"));
}

#[test]
fn a_file_that_no_snapshot_holds_is_said_to_be_lost() {
    let ancestry = Ancestry { unprotected: vec![b"big".to_vec()], ..Ancestry::default() };
    let found = compare(&scene(), &scene(), &ancestry);
    let sentence =
        "uncommitted files from before the run are gone, and no snapshot holds them: big".to_owned();
    assert_eq!(found.iter().map(|damage| &damage.sentence).collect::<Vec<_>>(), [&sentence]);
    assert_eq!(sentences(&found, true), format!("- {sentence}; this cannot be undone.\n"));
}

#[test]
fn a_rebase_that_hangs_is_named_with_the_commit_it_left_checked_out() {
    let mut after = scene();
    after.branch = None;
    after.under_way.insert(Operation::Rebase);
    assert_eq!(
        told(&after, &Ancestry::default()),
        [
            "HeadDetached: instead of main the commit aaaa is checked out, on no branch while that is under way",
            "UnderWay: a rebase was begun and not finished",
        ]
    );
}

#[test]
fn what_was_under_way_and_is_gone_is_named_beside_what_was_begun() {
    let told = |was: &[Operation], is: &[Operation]| {
        let with =
            |operations: &[Operation]| Scene { under_way: operations.iter().copied().collect(), ..scene() };
        let found = compare(&with(was), &with(is), &Ancestry::default()).into_iter();
        found.map(|damage| format!("{:?}: {}", damage.kind, damage.sentence)).collect::<Vec<_>>()
    };
    for (operation, words) in [
        (Operation::Merge, "a merge"),
        (Operation::Rebase, "a rebase"),
        (Operation::Am, "applying mailed patches (`git am`)"),
        (Operation::CherryPick, "a cherry-pick"),
        (Operation::Revert, "a revert"),
        (Operation::Bisect, "a bisection"),
    ] {
        assert_eq!(told(&[operation], &[operation]), Vec::<String>::new());
        assert_eq!(told(&[operation], &[]), [format!("OperationEnded: {words} was under way and was ended")]);
    }
    assert_eq!(
        told(&[Operation::Merge], &[Operation::Revert]),
        [
            "UnderWay: a revert was begun and not finished",
            "OperationEnded: a merge was under way and was ended",
        ]
    );
}

#[test]
fn a_repository_that_was_broken_before_is_not_the_attempts_damage() {
    let before = Scene { unusable: Some("x".to_owned()), ..Scene::default() };
    assert_eq!(compare(&before, &before, &Ancestry::default()), []);
}

#[test]
fn what_undermines_the_next_iteration_ends_the_run_or_is_undone_whole() {
    use CommitPolicy::{Agent, None, Runner};
    use DamageKind as Kind;
    let follows = |kind, undo, commit| {
        course(&[Damage { kind, sentence: String::new(), names: Vec::new() }], undo, commit)
    };
    let heavy = [Kind::RepositoryUnusable, Kind::CommitsLost, Kind::BranchSwitched, Kind::HeadDetached];
    for (kind, commit) in
        heavy.into_iter().flat_map(|kind| [None, Agent, Runner].map(|commit| (kind, commit)))
    {
        assert_eq!(follows(kind, UndoPolicy::Ask, commit), DamageCourse::Stop, "{kind:?}");
        assert_eq!(follows(kind, UndoPolicy::Auto, commit), DamageCourse::UndoAll, "{kind:?}");
    }
    assert_eq!(follows(Kind::UnderWay, UndoPolicy::Ask, Runner), DamageCourse::GoOn);
    assert_eq!(follows(Kind::UnderWay, UndoPolicy::Auto, Runner), DamageCourse::UndoAll);
    assert_eq!(follows(Kind::OperationEnded, UndoPolicy::Ask, None), DamageCourse::GoOn);
    assert_eq!(follows(Kind::OperationEnded, UndoPolicy::Auto, None), DamageCourse::UndoAll);
    assert_eq!(follows(Kind::OperationEnded, UndoPolicy::Auto, Agent), DamageCourse::GoOn);
    let light = [
        Kind::ChangesDiscarded,
        Kind::FilesCleaned,
        Kind::ReferencesLost,
        Kind::StashDropped,
        Kind::SettingsChanged,
    ];
    for kind in light {
        assert_eq!(follows(kind, UndoPolicy::Ask, Runner), DamageCourse::GoOn, "{kind:?}");
        assert_eq!(follows(kind, UndoPolicy::Auto, Runner), DamageCourse::UndoParts, "{kind:?}");
    }
    // Nothing follows by itself from what nobody can undo.
    assert_eq!(follows(Kind::NestedRepositoriesGone, UndoPolicy::Ask, Runner), DamageCourse::GoOn);
    assert_eq!(follows(Kind::NestedRepositoriesGone, UndoPolicy::Auto, Runner), DamageCourse::GoOn);
    assert_eq!(follows(Kind::UnprotectedFilesGone, UndoPolicy::Auto, Runner), DamageCourse::GoOn);
    // Whoever commits may begin a branch; the runner's commits belong where the person was.
    for undo in [UndoPolicy::Ask, UndoPolicy::Auto] {
        assert_eq!(follows(Kind::BranchBegun, undo, Agent), DamageCourse::GoOn);
        assert_eq!(follows(Kind::BranchBegun, undo, None), DamageCourse::GoOn);
        assert_eq!(follows(Kind::BranchMovedBack, undo, Agent), DamageCourse::GoOn);
    }
    assert!(may_be_wanted(Kind::BranchBegun, Agent) && !may_be_wanted(Kind::BranchBegun, None));
    assert!(!may_be_wanted(Kind::CommitsLost, Agent));
    assert_eq!(follows(Kind::BranchBegun, UndoPolicy::Ask, Runner), DamageCourse::Stop);
    assert_eq!(course(&[], UndoPolicy::Auto, Runner), DamageCourse::GoOn);
}

#[test]
fn a_journal_that_tells_of_a_lock_can_be_read() {
    let line = r#"{"kind":"lock_left","sentence":"a lock was left by a git that is gone: index.lock","names":["index.lock"]}"#;
    let damage: Damage = serde_json::from_str(line).unwrap();
    assert_eq!(damage.kind, DamageKind::LockLeft);
    assert_eq!(course(&[damage], UndoPolicy::Ask, CommitPolicy::Runner), DamageCourse::GoOn);
}
