//! Objects that are gone, and those that are only packed anew or needed by nothing.

use std::fs;
use std::path::PathBuf;

use crate::git::ObjectFiles;
use crate::testing::Scratch;

/// Seen once: three commits, the first two in a pack, and a file that is only in the index.
fn seen() -> (Scratch, ObjectFiles) {
    let scratch = Scratch::committed();
    scratch.write("src/main.rs", "second\n");
    scratch.commit_all("second");
    scratch.git(&["repack", "-q", "-a", "-d"]);
    scratch.write("src/main.rs", "third\n");
    scratch.commit_all("third");
    scratch.write("staged", "staged\n");
    scratch.git(&["add", "staged"]);
    let mut objects = ObjectFiles::default();
    assert_eq!(objects.find_loss(&scratch.found()).unwrap(), None);
    (scratch, objects)
}

fn packs(scratch: &Scratch) -> Vec<PathBuf> {
    let files = fs::read_dir(scratch.path(".git/objects/pack")).unwrap();
    files
        .map(|file| file.unwrap().path())
        .filter(|path| path.extension().is_some_and(|end| end == "pack"))
        .collect()
}

fn loose(scratch: &Scratch, name: &str) -> PathBuf {
    let object = scratch.git(&["rev-parse", name]);
    let (folder, file) = object.trim().split_at(2);
    scratch.path(".git/objects").join(folder).join(file)
}

#[test]
fn what_is_packed_anew_or_needed_by_nothing_is_no_loss() {
    let (scratch, mut objects) = seen();
    for does in [
        &["gc", "-q"][..],
        &["repack", "-q", "-a", "-d"],
        &["hash-object", "-w", "src/main.rs"],
        &["commit-graph", "write", "--reachable"],
        &["commit", "-q", "-m", "fourth"],
        &["reset", "-q", "--hard", "HEAD~2"],
        &["reflog", "expire", "--all", "--expire=now"],
        &["gc", "-q", "--prune=now"],
    ] {
        scratch.git(does);
        assert_eq!(objects.find_loss(&scratch.found()).unwrap(), None, "{does:?}");
    }
}

#[test]
fn what_history_or_the_index_needs_is_missed_until_it_is_back() {
    for is_graphed in [false, true] {
        let (scratch, mut objects) = seen();
        if is_graphed {
            scratch.git(&["commit-graph", "write", "--reachable"]);
        }
        let [pack] = &packs(&scratch)[..] else { panic!("one pack") };
        for file in [
            pack.clone(),
            loose(&scratch, ":staged"),
            loose(&scratch, "HEAD"),
            loose(&scratch, "HEAD^{tree}"),
        ] {
            let aside = scratch.state.join("aside");
            fs::rename(&file, &aside).unwrap();
            for _ in 0..2 {
                let lost = objects.find_loss(&scratch.found()).unwrap();
                assert!(lost.is_some_and(|said| !said.is_empty()), "{}", file.display());
            }
            fs::rename(&aside, &file).unwrap();
            assert_eq!(objects.find_loss(&scratch.found()).unwrap(), None, "{}", file.display());
        }
    }
}

#[test]
fn a_folder_of_objects_that_is_gone_is_missed() {
    let (scratch, mut objects) = seen();
    fs::rename(scratch.path(".git/objects/pack"), scratch.state.join("pack")).unwrap();
    assert!(objects.find_loss(&scratch.found()).unwrap().is_some());
}

#[test]
fn nothing_is_asked_of_git_while_no_file_is_gone() {
    let (scratch, mut objects) = seen();
    let repository = scratch.found();
    scratch.write("src/main.rs", "fourth\n");
    scratch.commit_all("fourth");
    let before = crate::git::calls_made();
    assert_eq!(objects.find_loss(&repository).unwrap(), None);
    assert_eq!(crate::git::calls_made(), before);
}
