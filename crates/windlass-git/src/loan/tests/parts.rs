//! What git does not take costs nothing of the rest.

use super::*;

impl Guest {
    /// An object, whatever it holds.
    fn object(&self, kind: &str, content: &[u8]) -> String {
        let file = self.scratch.state.join("object");
        fs::write(&file, content).unwrap();
        let write = ["hash-object", "-t", kind, "-w", "--literally", file.to_str().unwrap()];
        self.git(&write).trim().to_owned()
    }

    /// A commit by nobody that git knows.
    fn bad_commit(&self, tree: &str, parent: &str) -> String {
        let content = format!("tree {tree}\nparent {parent}\nauthor x\ncommitter x <x> 1 +0000\n\nbad\n");
        self.object("commit", content.as_bytes())
    }
}

#[test]
fn what_is_sound_before_a_commit_that_git_does_not_take_is_taken() {
    let guest = Guest::of(Scratch::committed());
    let (first, second) = (guest.commit("one more\n"), guest.commit("two more\n"));
    let tree = guest.git(&["rev-parse", "HEAD^{tree}"]);
    let bad = guest.bad_commit(tree.trim(), &second);
    let worse = guest.bad_commit(tree.trim(), &bad);
    guest.git(&["update-ref", "refs/heads/main", &worse]);
    let side = guest.bad_commit(tree.trim(), &first);
    guest.git(&["update-ref", "refs/heads/side", &side]);
    let (kind, sentence) = guest.damage();
    assert_eq!(kind, DamageKind::ReferencesLost);
    assert_eq!(guest.tip(), second);
    assert_eq!(guest.scratch.git(&["show", "main:a.txt"]), "two more\n");
    let (_, aside) = sentence.split_once("is kept as ").unwrap();
    assert!(Path::new(aside).join("objects").is_dir(), "{sentence}");
    guest.loan.lend().unwrap();
    assert_eq!(guest.git(&["rev-parse", "HEAD"]).trim(), second);
    assert_eq!(guest.take_over(), Taken::default());
}

#[test]
fn a_file_that_is_too_large_costs_nothing_of_what_needs_it_not() {
    let guest = Guest::of(Scratch::committed());
    guest.scratch.write("a.txt", "away\n");
    guest.git(&["stash", "-q"]);
    let commit = guest.commit("changed\n");
    let pack = guest.loan.repository().join("objects/pack/pack-00.pack");
    fs::File::create(&pack).unwrap().set_len(20 << 30).unwrap();
    let taken = guest.take_over();
    assert_eq!((taken.damage, taken.notices.len()), (vec![], 1));
    assert_eq!(guest.tip(), commit);
}

#[test]
fn what_only_a_file_that_is_too_large_has_is_kept_with_it() {
    let guest = Guest::of(Scratch::committed());
    guest.commit("changed\n");
    let before = guest.tip();
    guest.git(&["repack", "-q", "-a", "-d", "-l"]);
    for entry in fs::read_dir(guest.loan.repository().join("objects/pack")).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|extension| extension == "pack") {
            fs::set_permissions(&path, std::os::unix::fs::PermissionsExt::from_mode(0o600)).unwrap();
            fs::File::options().write(true).open(&path).unwrap().set_len(20 << 30).unwrap();
        }
    }
    let (_, sentence) = guest.damage();
    assert!(
        sentence.contains("is larger than can be taken in") && sentence.contains("is kept as "),
        "{sentence}"
    );
    assert_eq!(guest.tip(), before);
}

#[test]
fn a_tree_of_more_files_than_an_index_can_follow_stays_a_branch_of_its_own() {
    let guest = Guest::of(Scratch::committed());
    let before = guest.tip();
    let mut below = ("100644", guest.git(&["rev-parse", "HEAD:a.txt"]).trim().to_owned());
    for _ in 0..5 {
        let id: Vec<u8> =
            (0..20).map(|byte| u8::from_str_radix(&below.1[byte * 2..byte * 2 + 2], 16).unwrap()).collect();
        let entry = |number: usize| [format!("{} {number}\0", below.0).as_bytes(), &id].concat();
        below = ("40000", guest.object("tree", &(0..10).flat_map(entry).collect::<Vec<u8>>()));
    }
    let commit = guest.git(&["commit-tree", "-p", "HEAD", "-m", "many", &below.1]);
    guest.git(&["update-ref", "refs/heads/main", commit.trim()]);
    let taken = guest.take_over();
    let said = taken.needs_person.unwrap();
    assert!(said.starts_with("more files were committed than can be taken in, "), "{said}");
    assert_eq!(guest.tip(), before);
    let branch = said.rsplit(' ').next().unwrap();
    assert_eq!(guest.scratch.git(&["rev-parse", branch]), commit);
    guest.loan.lend().unwrap();
    assert_eq!(guest.take_over(), Taken::default());
}
