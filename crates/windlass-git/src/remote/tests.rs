use std::time::Instant;

use windlass_core::values::LaneId;

use super::*;
use crate::git::ObjectFormat;
use crate::parcel::{ParcelError, unpack};
use crate::testing::Scratch;

const LIMITS: Limits = Limits { bytes: 100 << 20, objects: 100_000 };
const LANE: Part = Part::Lane(LaneId(1));

/// Two repositories, and a remote that both can reach.
struct Yard {
    from: Scratch,
    into: Scratch,
}

impl Yard {
    fn new() -> Yard {
        Yard::with_format(ObjectFormat::Sha1)
    }

    fn with_format(format: ObjectFormat) -> Yard {
        let (from, into) = (Scratch::with_format(format), Scratch::with_format(format));
        from.write("a.txt", "one\n");
        from.commit_all("first");
        let yard = Yard { from, into };
        let format = format!("--object-format={}", windlass_core::values::Named::name(&format));
        yard.from.git(&["init", "-q", "--bare", &format, &yard.bare().display().to_string()]);
        yard
    }

    fn bare(&self) -> PathBuf {
        self.from.state.join("remote.git")
    }

    fn url(&self) -> RemoteUrl {
        RemoteUrl::parse(&format!("file://{}", self.bare().display())).unwrap()
    }

    fn remote(&self, run: &str) -> RunRemote {
        let run = RunId(run.to_owned());
        RunRemote::of(self.url(), &run, self.from.state.join("scratch"), Interruption::default()).unwrap()
    }

    fn tip(&self) -> ObjectId {
        ObjectId::from_hex(self.from.git(&["rev-parse", "HEAD"]).trim().as_bytes()).unwrap()
    }

    fn next(&self, text: &str) -> ObjectId {
        self.from.write("a.txt", text);
        self.from.commit_all("another");
        self.tip()
    }

    fn in_bare(&self, arguments: &[&str]) -> String {
        self.from.git_in(&self.bare(), arguments)
    }

    /// What the remote has, each name with its commit.
    fn listing(&self) -> String {
        self.in_bare(&["for-each-ref", "--format=%(refname) %(objectname)"])
    }

    fn file(&self) -> PathBuf {
        let file = self.into.state.join("pack");
        let _ = fs::remove_file(&file);
        file
    }

    fn fetch(&self, part: Part, commit: ObjectId, limits: Limits) -> Result<Fetched, RemoteError> {
        let file = self.file();
        self.remote("r-1").fetch(&self.into.found(), part, &[commit], (&file, &limits))
    }

    fn take(&self, commit: ObjectId) {
        assert_eq!(self.fetch(Part::Base, commit, LIMITS).unwrap(), Fetched::Pack);
        let before = self.into.git(&["for-each-ref"]);
        unpack(&self.into.found(), &self.into.state.join("pack"), &[commit], &LIMITS).unwrap();
        assert_eq!(self.into.git(&["for-each-ref"]), before, "no branch is written");
    }
}

fn travels(format: ObjectFormat) {
    let yard = Yard::with_format(format);
    let remote = yard.remote("r-1");
    let first = yard.tip();
    remote.push(&yard.from.found(), Part::Base, &[first]).unwrap();
    assert_eq!(yard.listing(), format!("refs/windlass/r-1/base/{first} {first}\n"));
    yard.take(first);
    assert_eq!(yard.into.git(&["show", &format!("{first}:a.txt")]), "one\n");
    // Later ones bring what is new.
    yard.into.git(&["update-ref", "refs/heads/main", &first.to_string()]);
    yard.from.write("large", vec![b'x'; 100_000]);
    let second = yard.next("two\n");
    remote.push(&yard.from.found(), Part::Base, &[second]).unwrap();
    yard.take(second);
    assert!(yard.into.git(&["fsck", "--full", "--strict", &second.to_string()]).is_empty());
    // Twice is once.
    remote.push(&yard.from.found(), Part::Base, &[first, second]).unwrap();
    assert_eq!(yard.listing().lines().count(), 2);
    assert_eq!(fs::read_dir(yard.from.state.join("scratch")).unwrap().count(), 0, "nothing stays on the way");
}

#[test]
fn commits_travel_by_names_of_the_run_and_write_no_branch() {
    travels(ObjectFormat::Sha1);
}

#[test]
fn the_same_with_long_names_of_objects() {
    travels(ObjectFormat::Sha256);
}

#[test]
fn what_is_all_here_brings_nothing() {
    let yard = Yard::new();
    let first = yard.tip();
    yard.remote("r-1").push(&yard.from.found(), LANE, &[first]).unwrap();
    let file = yard.file();
    let fetched = yard.remote("r-1").fetch(&yard.from.found(), LANE, &[first], (&file, &LIMITS)).unwrap();
    assert_eq!((fetched, file.exists()), (Fetched::Nothing, false));
}

#[test]
fn what_somebody_has_put_in_a_commits_place_is_not_overwritten_and_not_taken_for_it() {
    let yard = Yard::new();
    let (first, second) = (yard.tip(), yard.next("two\n"));
    yard.remote("r-1").push(&yard.from.found(), Part::Base, &[first]).unwrap();
    // An older commit, and one of another history: neither is what the name says.
    let name = format!("refs/windlass/r-1/base/{second}");
    let other = yard.from.git(&["commit-tree", "-m", "hostile", &format!("{first}^{{tree}}")]);
    yard.from.git(&["push", "-q", yard.url().as_str(), &format!("{}:refs/heads/other", other.trim())]);
    for hostile in [first.to_string(), other.trim().to_owned()] {
        yard.in_bare(&["update-ref", &name, &hostile]);
        let error = yard.remote("r-1").push(&yard.from.found(), Part::Base, &[second]).unwrap_err();
        assert!(matches!(error, RemoteError::Refused { .. }), "{error}");
        assert!(yard.listing().contains(&format!("{name} {hostile}")), "{}", yard.listing());
        assert_eq!(yard.fetch(Part::Base, second, LIMITS).unwrap(), Fetched::Pack);
        let pack = yard.into.state.join("pack");
        let taken = unpack(&yard.into.found(), &pack, &[second], &LIMITS).unwrap_err();
        assert!(matches!(taken, ParcelError::Lacks(id) if id == second), "{taken}");
    }
}

#[test]
fn only_what_the_run_has_there_is_removed() {
    let yard = Yard::new();
    let commit = yard.tip();
    let from = yard.from.found();
    let kept = |commit: ObjectId| {
        [
            "refs/heads/main".to_owned(),
            format!("refs/tags/windlass/r-1/base/{commit}"),
            "refs/windlass/r-1/base/by-hand".to_owned(),
            "refs/windlass/r-1/notes".to_owned(),
            format!("refs/windlass/r-10/base/{commit}"),
        ]
    };
    yard.remote("r-2").push(&from, LANE, &[commit]).unwrap();
    for name in kept(commit) {
        yard.in_bare(&["update-ref", &name, &commit.to_string()]);
    }
    let before = yard.listing();
    yard.remote("r-1").push(&from, Part::Base, &[commit]).unwrap();
    yard.remote("r-1").push(&from, LANE, &[commit]).unwrap();
    assert_eq!(yard.listing().lines().count(), before.lines().count() + 2);
    yard.remote("r-1").remove_all(&from).unwrap();
    assert_eq!(yard.listing(), before);
    // Where there is nothing, nothing is removed.
    yard.remote("r-1").remove_all(&from).unwrap();
    assert_eq!(yard.listing(), before);
}

#[test]
fn a_branch_that_is_called_like_a_reference_of_the_run_is_neither_written_nor_removed() {
    let yard = Yard::new();
    let (first, second, from) = (yard.tip(), yard.next("two\n"), yard.from.found());
    yard.remote("r-1").push(&from, LANE, &[first]).unwrap();
    let name = format!("refs/windlass/r-1/base/{second}");
    let branch = format!("refs/heads/{name}");
    yard.in_bare(&["update-ref", &branch, &first.to_string()]);
    yard.remote("r-1").push(&from, Part::Base, &[second]).unwrap();
    assert!(yard.listing().contains(&format!("{branch} {first}\n")), "{}", yard.listing());
    assert!(yard.listing().contains(&format!("\n{name} {second}\n")), "{}", yard.listing());
    let error = yard.remote("r-1").remove_all(&from).unwrap_err();
    assert!(error.to_string().contains(&format!("{name} is how a branch or a tag ends there")), "{error}");
    assert_eq!(yard.listing(), format!("{branch} {first}\n{name} {second}\n"));
}

#[test]
fn many_are_removed() {
    let yard = Yard::new();
    let commit = yard.tip();
    let names: Vec<String> =
        (0..AT_ONCE + 5).map(|lane| format!("{commit}:refs/windlass/r-1/lane-{lane}/{commit}")).collect();
    let url = yard.url();
    let push: Vec<&str> =
        ["push", "-q", url.as_str()].into_iter().chain(names.iter().map(String::as_str)).collect();
    yard.from.git(&push);
    yard.remote("r-1").push(&yard.from.found(), Part::Base, &[commit]).unwrap();
    assert_eq!(yard.listing().lines().count(), AT_ONCE + 6);
    yard.remote("r-1").remove_all(&yard.from.found()).unwrap();
    assert_eq!(yard.listing(), "");
}

#[test]
fn whether_a_remote_can_be_used_is_asked_without_writing() {
    let yard = Yard::new();
    let (from, scratch) = (yard.from.found(), yard.from.state.join("scratch"));
    try_push(&yard.url(), &from, yard.tip(), &scratch).unwrap();
    yard.remote("r-1").ask(&from).unwrap();
    assert_eq!(yard.listing(), "");
    fs::rename(yard.bare(), yard.bare().with_extension("away")).unwrap();
    for error in [
        try_push(&yard.url(), &from, yard.tip(), &scratch).unwrap_err(),
        yard.remote("r-1").ask(&from).unwrap_err(),
        yard.remote("r-1").push(&from, LANE, &[yard.tip()]).unwrap_err(),
        yard.fetch(LANE, yard.tip(), LIMITS).unwrap_err(),
        yard.remote("r-1").remove_all(&from).unwrap_err(),
    ] {
        assert!(error.may_pass(), "{error}");
        let said = error.to_string();
        assert!(
            said.starts_with(&format!("the git remote {} cannot be reached: ", yard.url().as_str())),
            "{said}"
        );
        assert!(!said.contains('\n') && !said.contains("access rights"), "{said}");
    }
}

#[test]
fn what_nobody_has_pushed_is_named() {
    let yard = Yard::new();
    let error = yard.fetch(LANE, yard.tip(), LIMITS).unwrap_err();
    let name = format!("refs/windlass/r-1/lane-1/{}", yard.tip());
    assert!(matches!(&error, RemoteError::Lacks { reference, .. } if *reference == name), "{error}");
}

#[test]
fn a_remote_that_refuses_says_why() {
    use std::os::unix::fs::PermissionsExt;
    let yard = Yard::new();
    let hook = yard.bare().join("hooks/pre-receive");
    fs::create_dir_all(hook.parent().unwrap()).unwrap();
    fs::write(&hook, "#!/bin/sh\necho nobody writes here >&2\nexit 1\n").unwrap();
    fs::set_permissions(&hook, fs::Permissions::from_mode(0o755)).unwrap();
    let error = yard.remote("r-1").push(&yard.from.found(), LANE, &[yard.tip()]).unwrap_err();
    assert!(
        matches!(&error, RemoteError::Refused { said, .. } if said.contains("nobody writes here")),
        "{error}"
    );
    assert_eq!(yard.listing(), "");
}

#[test]
fn more_than_is_taken_is_ended() {
    let yard = Yard::new();
    let noise: Vec<u8> =
        (0..400_000_u32).flat_map(|number| number.wrapping_mul(2_654_435_761).to_le_bytes()).collect();
    yard.from.write("noise", noise);
    let tip = yard.next("two\n");
    yard.remote("r-1").push(&yard.from.found(), LANE, &[tip]).unwrap();
    let error = yard.fetch(LANE, tip, Limits { bytes: 10_000, ..LIMITS }).unwrap_err();
    assert!(matches!(error, RemoteError::TooLarge { limit: 10_000, .. }), "{error}");
    assert!(!yard.into.state.join("pack").exists());
}

#[test]
fn nothing_is_waited_for_that_nobody_needs_any_more() {
    let yard = Yard::new();
    let due = Interruption::once(|| true);
    let run = RunId("r-1".to_owned());
    let remote = RunRemote::of(yard.url(), &run, yard.from.state.join("scratch"), due).unwrap();
    let started = Instant::now();
    // It does not answer by itself.
    let hook = yard.bare().join("hooks/pre-receive");
    fs::create_dir_all(hook.parent().unwrap()).unwrap();
    fs::write(&hook, "#!/bin/sh\nsleep 100\n").unwrap();
    fs::set_permissions(&hook, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let pushed = remote.push(&yard.from.found(), LANE, &[yard.tip()]);
    assert!(matches!(pushed, Err(RemoteError::Interrupted)), "{pushed:?}");
    assert!(started.elapsed() < Duration::from_mins(1));
}

#[test]
fn a_clone_that_lacks_some_of_its_commits_gives_none() {
    let yard = Yard::new();
    yard.next("two\n");
    let tip = yard.tip().to_string();
    fs::write(yard.from.path(".git/shallow"), format!("{tip}\n")).unwrap();
    let error = yard.remote("r-1").push(&yard.from.found(), LANE, &[yard.tip()]).unwrap_err();
    assert!(error.to_string().contains("git fetch --unshallow"), "{error}");
    fs::remove_file(yard.from.path(".git/shallow")).unwrap();
    yard.from.git(&["config", "core.repositoryFormatVersion", "1"]);
    yard.from.git(&["config", "extensions.partialClone", "origin"]);
    let error = yard.remote("r-1").push(&yard.from.found(), LANE, &[yard.tip()]).unwrap_err();
    assert!(error.to_string().contains("partial clone"), "{error}");
}

#[test]
fn settings_of_the_repository_have_no_say() {
    let yard = Yard::new();
    let trace = yard.from.state.join("started");
    let command = format!("touch '{}'; false", trace.display());
    let elsewhere = format!("file://{}", yard.from.state.join("elsewhere").display());
    for (name, value) in [
        (format!("url.{elsewhere}.insteadOf"), yard.url().as_str().to_owned()),
        ("core.sshCommand".to_owned(), command.clone()),
        ("credential.helper".to_owned(), format!("!{command}")),
        ("core.hooksPath".to_owned(), "hooks".to_owned()),
        (format!("remote.{}.receivepack", yard.url().as_str()), command),
    ] {
        yard.from.git(&["config", &name, &value]);
    }
    yard.remote("r-1").push(&yard.from.found(), LANE, &[yard.tip()]).unwrap();
    assert_eq!(yard.listing().lines().count(), 1);
    assert!(!trace.exists());
}
