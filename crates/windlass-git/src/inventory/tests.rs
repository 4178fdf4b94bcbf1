//! Looking at working trees, with the real git and real files.

use std::fs;
use std::os::unix::fs::symlink;
use std::time::{Duration, Instant};

use super::*;
use crate::testing::{Scratch, paths};
use windlass_host::tree::Stamps;

/// Waits until the clock that stamps files has moved on, so that what was written is known to be settled.
fn settle(scratch: &Scratch) {
    let probe = scratch.state.join("probe");
    fs::write(&probe, "").unwrap();
    let stamps = Stamps::of(&probe.metadata().unwrap());
    let deadline = Instant::now() + Duration::from_secs(10);
    while stamps.are_fresh(std::time::SystemTime::now()) {
        assert!(Instant::now() < deadline);
        std::thread::yield_now();
    }
}

#[test]
fn unchanged_files_are_read_once_and_changed_ones_again() {
    let scratch = Scratch::committed();
    let mut surveyor = scratch.surveyor();
    settle(&scratch);
    let first = surveyor.survey(&[]).unwrap();
    assert_eq!(surveyor.files_read(), 2);
    assert_eq!(surveyor.survey(&[]).unwrap(), first);
    assert_eq!(surveyor.files_read(), 2);
    scratch.write("a.txt", "two\n");
    let second = surveyor.survey(&[]).unwrap();
    assert_eq!(surveyor.files_read(), 3);
    assert_ne!(second.entry(b"a.txt"), first.entry(b"a.txt"));
    assert_eq!(second.entry(b"src/b.txt"), first.entry(b"src/b.txt"));
}

#[test]
fn a_change_that_leaves_size_and_times_as_they_were_is_seen() {
    let scratch = Scratch::committed();
    let mut surveyor = scratch.surveyor();
    let times = fs::FileTimes::new().set_modified(std::time::UNIX_EPOCH + Duration::from_secs(1_000_000_000));
    let mut seen = BTreeSet::new();
    // As fast as possible: often within one tick of the clock that stamps files.
    for number in 0..30 {
        fs::write(scratch.path("a.txt"), format!("{number:02}")).unwrap();
        fs::File::options().write(true).open(scratch.path("a.txt")).unwrap().set_times(times).unwrap();
        seen.insert(surveyor.survey(&[]).unwrap().entry(b"a.txt").unwrap().content);
    }
    assert_eq!(seen.len(), 30);
}

#[test]
fn deleted_and_hidden_files_are_not_listed_and_nothing_behind_a_link_is() {
    let scratch = Scratch::committed();
    scratch.write(".gitignore", "ignored\n");
    scratch.write("ignored", "x");
    fs::remove_file(scratch.path("a.txt")).unwrap();
    fs::rename(scratch.path("src"), scratch.state.join("elsewhere")).unwrap();
    symlink(scratch.state.join("elsewhere"), scratch.path("src")).unwrap();
    let inventory = scratch.survey();
    assert_eq!(paths(&inventory), [".gitignore", "src"]);
    assert_eq!(inventory.entry(b"src").unwrap().kind, EntryKind::Symlink);
    let asked = scratch.surveyor().survey(&[b"ignored".to_vec()]).unwrap();
    assert!(asked.entry(b"ignored").unwrap().ignored);
}

#[test]
fn a_run_in_a_folder_below_the_top_sees_the_whole_repository_and_both_own_folders() {
    let scratch = Scratch::committed();
    scratch.write(".gitignore", ".windlass\n");
    scratch.write(".windlass/config.toml", "");
    scratch.write("src/.windlass/config.toml", "");
    let place = Place::new(&scratch.path("src"), Some(scratch.found()));
    assert_eq!(place.relative(Path::new("NOTES.md")), Some(b"src/NOTES.md".to_vec()));
    assert_eq!(place.relative(Path::new("/elsewhere")), None);
    let inventory = Surveyor::new(place).survey(&[]).unwrap();
    let expected = [".gitignore", ".windlass/config.toml", "a.txt", "src/.windlass/config.toml", "src/b.txt"];
    assert_eq!(paths(&inventory), expected);
}

#[test]
fn evidence_is_the_same_for_the_same_tree_and_differs_for_any_change_that_counts() {
    let scratch = Scratch::committed();
    scratch.write("NOTES.md", "notes");
    let excluded = [b"NOTES.md".to_vec(), b"logs".to_vec()];
    let look = || evidence(&scratch.survey(), &excluded);
    let first = look();
    assert_eq!(first.head.as_deref(), Some(scratch.git(&["rev-parse", "HEAD"]).trim()));
    for path in ["NOTES.md", "logs/today", ".windlass/workspaces/x/TODO.md", "src/.windlass/x"] {
        scratch.write(path, "does not count");
        assert_eq!(look(), first, "{path}");
    }
    let mut seen = vec![first];
    let steps: [(&str, &dyn Fn()); 6] = [
        ("content", &|| scratch.write("a.txt", "other")),
        ("mode", &|| scratch.chmod("a.txt", 0o755)),
        ("name", &|| {
            fs::rename(scratch.path("a.txt"), scratch.path("c.txt")).unwrap();
        }),
        ("link", &|| symlink("c.txt", scratch.path("a.txt")).unwrap()),
        ("almost an excluded name", &|| scratch.write("NOTES.md2", "x")),
        ("commit", &|| {
            drop(scratch.git(&["commit", "-q", "--allow-empty", "-m", "x"]));
        }),
    ];
    for (what, step) in steps {
        step();
        let now = look();
        assert!(!seen.contains(&now), "{what}");
        seen.push(now);
    }
}

#[test]
fn two_files_cannot_look_like_one_with_a_cunning_name() {
    let entry = |path: &[u8]| Entry {
        path: path.to_vec(),
        kind: EntryKind::File,
        size: 0,
        content: ObjectId::from_bytes(&[b'x'; 20]).unwrap(),
        ignored: false,
    };
    let two = Inventory { entries: vec![entry(b"a"), entry(b"b")], ..Inventory::default() };
    let cunning = [b"a100644 ".as_slice(), &[b'x'; 20], b"b"].concat();
    let one = Inventory { entries: vec![entry(&cunning)], ..Inventory::default() };
    assert_ne!(evidence(&two, &[]), evidence(&one, &[]));
}

#[test]
fn changes_are_what_was_added_modified_and_removed() {
    let scratch = Scratch::committed();
    scratch.write("stays", "x");
    let before = scratch.survey();
    scratch.write("b", "new");
    scratch.chmod("a.txt", 0o755);
    fs::remove_file(scratch.path("src/b.txt")).unwrap();
    let found = changes(&before, &scratch.survey());
    assert_eq!(found, [&b"a.txt"[..], b"b", b"src/b.txt"]);
    assert!(changes(&before, &before).is_empty());
}

#[test]
fn a_walk_without_git_stops_at_its_bound_and_says_so() {
    let scratch = Scratch::plain();
    for name in ["a", "b", "c"] {
        scratch.write(name, "four");
    }
    let survey = |limits: Bound| scratch.surveyor().with_limits(limits).survey(&[]).unwrap();
    assert_eq!(survey(Bound { files: 3, bytes: 12 }).bound, None);
    let by_files = survey(Bound { files: 2, bytes: 100 });
    assert_eq!(
        (by_files.bound, paths(&by_files)),
        (Some(Bound { files: 2, bytes: 8 }), vec!["a".into(), "b".into()])
    );
    assert_eq!(survey(Bound { files: 10, bytes: 5 }).bound, Some(Bound { files: 1, bytes: 4 }));
}

#[test]
fn a_root_that_is_gone_is_an_error_that_names_it() {
    let scratch = Scratch::plain();
    let mut surveyor = scratch.surveyor();
    fs::remove_dir(&scratch.top).unwrap();
    let error = surveyor.survey(&[]).unwrap_err();
    assert!(matches!(error, SurveyError::Root { .. }), "{error}");
}

#[test]
fn a_repository_without_a_commit_has_evidence_without_a_head() {
    let scratch = Scratch::repository();
    scratch.write("a", "x");
    let inventory = scratch.survey();
    assert_eq!(inventory.head, Some(Head::Unborn { branch: b"refs/heads/main".to_vec() }));
    assert_eq!(evidence(&inventory, &[]).head, None);
}

#[test]
fn however_many_bytes_a_guest_promises_they_are_not_all_read() {
    const MEBIBYTE: u64 = 1 << 20;
    let scratch = Scratch::repository();
    let promise =
        |name: &str, bytes| fs::File::create(scratch.top.join(name)).unwrap().set_len(bytes).unwrap();
    let content = |name: &str| content_now(&scratch.top, ObjectFormat::Sha1, name.as_bytes()).unwrap().1;
    let seen = |inventory: &Inventory, name: &str| inventory.entry(name.as_bytes()).unwrap().content;
    promise("endless", 4 << 40);
    for name in ["one", "three", "two"] {
        promise(name, 51 * MEBIBYTE);
    }
    let survey = || scratch.surveyor().with_most_of_large(110 * MEBIBYTE).survey(&[]).unwrap();
    let before = survey();
    assert_eq!(before.entries, survey().entries, "what is unchanged looks unchanged");
    assert_eq!(seen(&before, "endless"), content("endless"));
    assert_eq!(seen(&before, "one"), seen(&before, "three"), "read, and the same");
    assert_ne!(seen(&before, "one"), seen(&before, "two"), "not read any more");
    promise("endless", 5 << 40);
    promise("two", 52 * MEBIBYTE);
    assert_eq!(changes(&before, &survey()), [b"endless".as_slice(), b"two"]);
}
