//! git: guests work on a git directory that they are lent, and the runner's git obeys nothing of theirs.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use rustix::process::Signal;
use windlass_testkit::Outcome;
use windlass_testkit::environment::wait_until;

use super::place::{CLEARED, PATIENCE, Place, kinds, said};

/// Those with mounts.
fn mounting() -> impl Iterator<Item = &'static str> {
    kinds().into_iter().filter(|kind| *kind == "bwrap")
}

fn script(calls: &[&str]) -> String {
    let call = |commands: &&str| {
        format!(
            "[[call]]\nsteps = [ {{ bash = '''\n{commands}\n''' }}, {{ result = {{ text = 'Done.', cost = 0.01 }} }} ]\n"
        )
    };
    calls.iter().map(call).collect()
}

pub fn work(place: &Place, calls: &[&str], flags: &[&str]) -> Outcome {
    let number = calls.len().to_string();
    let fixed = ["-m", &number, "--allow-dirty"];
    let outcome = place.env.run(&mut place.command_of(&script(calls), &[&fixed, flags].concat()), PATIENCE);
    assert!(!outcome.timed_out, "{}", said(&outcome));
    place.env.assert_no_processes(CLEARED);
    outcome
}

/// On one line, as it was before it was wrapped.
pub fn told(outcome: &Outcome) -> String {
    said(outcome).split_whitespace().collect::<Vec<_>>().join(" ")
}

pub fn executable(place: &Place, path: &str, text: &str) {
    let file = place.env.write(path, text);
    fs::set_permissions(file, fs::Permissions::from_mode(0o755)).unwrap();
}

/// What steers the person's git, byte for byte.
fn steering(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let mut found = Vec::new();
    for name in ["config", "config.worktree", "commondir", "HEAD", "info/attributes", "info/exclude"] {
        found.push((name.to_owned(), fs::read(folder.join(name)).unwrap_or_default()));
    }
    found.push((
        "alternates".to_owned(),
        fs::read(folder.join("objects/info/alternates")).unwrap_or_default(),
    ));
    for entry in fs::read_dir(folder.join("hooks")).into_iter().flatten().flatten() {
        found.push((entry.file_name().into_string().unwrap(), fs::read(entry.path()).unwrap_or_default()));
    }
    found.sort();
    found
}

#[test]
fn what_an_agent_commits_inside_arrives_with_the_persons_hooks_run_inside() {
    for kind in mounting() {
        let place = Place::new(kind);
        executable(
            &place,
            ".git/hooks/pre-commit",
            "#!/bin/sh\necho \"$WINDLASS_SANDBOX\" > hook-was-in\ngit add hook-was-in\n",
        );
        let outcome = work(
            &place,
            &[
                "echo one > one && git add one && git commit -qm one && git branch beside && git tag -a v1 -m v1",
                "test \"$(git log -1 --format=%s)\" = one && echo two > two && git add two && git commit -qm two",
            ],
            &["--commit", "agent"],
        );
        assert_eq!(place.env.git(&["log", "--format=%s", "-2"]), "two\none", "{}", said(&outcome));
        assert_eq!(place.env.git(&["log", "-1", "--format=%s", "beside"]), "one");
        assert_eq!(place.env.git(&["cat-file", "-t", "v1"]), "tag");
        assert_eq!(place.env.read("hook-was-in").trim_end(), kind);
        assert_eq!(place.env.git(&["status", "--porcelain"]), "", "{}", said(&outcome));
        assert_eq!(place.env.git(&["fsck", "--strict", "--no-dangling"]), "");
        assert!(!told(&outcome).contains("damaged"), "{}", said(&outcome));
    }
}

#[test]
fn the_runner_commits_what_was_made_inside_and_the_next_guest_sees_it() {
    for kind in mounting() {
        let place = Place::new(kind);
        let outcome = work(
            &place,
            &[
                "echo one > one",
                "git log -1 --format=%s > seen; git status --porcelain >> seen; echo two > two",
            ],
            &["--commit", "runner"],
        );
        assert_eq!(place.env.read("seen"), "Windlass iteration 1: Work\n?? seen\n", "{}", said(&outcome));
        assert_eq!(place.env.git(&["status", "--porcelain"]), "", "{}", said(&outcome));
        assert_eq!(place.env.git(&["rev-list", "--count", "HEAD"]), "3");
    }
}

// attack(git): an agent writes settings and hooks into the git directory of a submodule and of a repository that lies inside the
//   tree, moves them away and replaces them, to be run by the next git
// holds: with mounts a submodule's is read only and stays where it is; a repository inside the tree is named before the first
//   iteration, and no git of the runner's is called in it
#[test]
fn git_directories_of_others_inside_the_tree_start_nothing() {
    for kind in kinds() {
        let place = Place::new(kind);
        place.env.git(&["init", "--quiet", "../other"]);
        place.env.git(&["-C", "../other", "commit", "--quiet", "--allow-empty", "--message", "other"]);
        let add = ["-c", "protocol.file.allow=always", "submodule", "--quiet", "add", "../other", "sub"];
        place.env.git(&add);
        place.env.git(&["commit", "--quiet", "--message", "sub"]);
        place.env.git(&["init", "--quiet", "nested"]);
        place.env.git(&["-C", "nested", "commit", "--quiet", "--allow-empty", "--message", "nested"]);
        let modules = place.env.project().join(".git/modules/sub");
        let before = steering(&modules);
        let out = place.env.root().display();
        let attack = format!(
            "for d in .git/modules/sub nested/.git; do printf '[core]\\n\\tfsmonitor = touch {out}/pwned\\n' >> $d/config; \
             mkdir -p $d/hooks; printf '#!/bin/sh\\ntouch {out}/pwned\\n' > $d/hooks/post-index-change; chmod -R +x $d/hooks; \
             mv $d $d.away && cp -r $d.away $d; done 2>/dev/null; mv .git/modules .git/away; rm -rf .git/modules; \
             echo x > nested/x; echo y > sub/y; echo z > z; rm -f {out}/pwned; true"
        );
        let outcome = work(&place, &[&attack, "echo more > z"], &["--commit", "runner"]);
        let told = told(&outcome);
        assert!(!place.env.root().join("pwned").exists(), "{kind}: {told}");
        assert!(told.contains("there are other repositories inside this one: nested;"), "{kind}: {told}");
        assert!(
            place.env.git(&["log", "-1", "--format=%s"]).starts_with("Windlass"),
            "{kind}: {}",
            said(&outcome)
        );
        if kind == "bwrap" {
            assert_eq!(steering(&modules), before, "{told}");
            assert!(!place.env.project().join(".git/away").exists(), "{told}");
        }
        assert_eq!(place.env.git(&["show", "HEAD:z"]), "more", "{kind}: {told}");
    }
}

#[test]
fn submodules_can_be_read_and_a_linked_working_tree_is_lent_one_too() {
    for kind in mounting() {
        let mut place = Place::new(kind);
        place.env.git(&["init", "--quiet", "../other"]);
        place.env.git(&["-C", "../other", "commit", "--quiet", "--allow-empty", "--message", "other"]);
        let add = ["-c", "protocol.file.allow=always", "submodule", "--quiet", "add", "../other", "sub"];
        place.env.git(&add);
        place.env.git(&["commit", "--quiet", "--message", "sub"]);
        let look = "git -C sub log -1 --format=%s > seen; git submodule status >> seen; \
                    ! git -C sub commit -q --allow-empty -m evil; git add seen && git commit -qm seen";
        let outcome = work(&place, &[look], &["--commit", "agent"]);
        assert!(place.env.read("seen").starts_with("other\n "), "{}", place.env.read("seen"));
        assert_eq!(place.env.git(&["log", "-1", "--format=%s"]), "seen", "{}", said(&outcome));
        assert_eq!(place.env.git(&["-C", "sub", "log", "-1", "--format=%s"]), "other");

        place.env.git(&["worktree", "add", "--quiet", "../linked"]);
        place.directory = place.env.root().join("linked");
        let before = steering(&place.env.project().join(".git"));
        let outcome = work(
            &place,
            &[
                "echo x > x && git add x && git commit -qm linked; echo /nowhere > .git; git config core.fsmonitor x",
            ],
            &["--commit", "agent"],
        );
        assert_eq!(place.env.git(&["log", "-1", "--format=%s", "linked"]), "linked", "{}", said(&outcome));
        assert_eq!(place.env.git(&["-C", "../linked", "status", "--porcelain"]), "");
        assert_eq!(place.env.git(&["log", "-1", "--format=%s", "main"]), "seen");
        assert_eq!(steering(&place.env.project().join(".git")), before);
    }
}

/// What a hostile agent does; each may break what it was lent, and nothing else.
const ATTACKS: &[(&str, &str)] = &[
    ("replaced", "mv .git elsewhere; rm -rf .git; ln -s elsewhere .git; git init -q ."),
    ("emptied", "rm -rf .git/* .git/.[a-z]*"),
    (
        "settings",
        "git config core.fsmonitor \"$PWN\"; git config core.hooksPath hooks; git config core.sshCommand \"$PWN\"; \
         git config core.worktree /; git config include.path ../evil; git config extensions.worktreeConfig true; \
         git config --worktree core.fsmonitor \"$PWN\"; git config filter.x.clean \"$PWN\"; \
         printf '[core]\\n\\tfsmonitor = %s\\n' \"$PWN\" > evil; printf '[core]\\n\\tfsmonitor = x\\n' > .git/config.worktree",
    ),
    (
        "commondir",
        "mkdir -p other && git init -q other && git -C other config core.fsmonitor \"$PWN\"; \
         echo ../other/.git > .git/commondir",
    ),
    (
        "hooks",
        "mkdir -p hooks; for h in pre-commit post-commit post-index-change reference-transaction; do \
         printf '#!/bin/sh\\n%s\\n' \"$PWN\" > hooks/$h; cp hooks/$h .git/hooks/$h; done; chmod -R +x hooks .git/hooks",
    ),
    ("pipes", "for f in HEAD index packed-refs config; do rm -f .git/$f; mkfifo .git/$f; done"),
    ("pipe of a branch", "rm -f .git/refs/heads/main; mkfifo .git/refs/heads/main"),
    (
        "links",
        "for f in HEAD index packed-refs config; do rm -f .git/$f; ln -s /etc/passwd .git/$f; done; \
         rm -rf .git/refs .git/objects; ln -s / .git/refs; ln -s / .git/objects",
    ),
    (
        "folders",
        "for f in HEAD index packed-refs config shallow; do rm -rf .git/$f; mkdir -p .git/$f/x; done",
    ),
    ("objects away", "git commit -q --allow-empty -m gone; rm -rf .git/objects; mkdir .git/objects"),
    (
        "forged",
        "c=$(git commit-tree -p HEAD -m good HEAD^{tree}); d=$(git commit-tree -p HEAD -m evil HEAD^{tree}); \
         f=.git/objects/$(echo $c | cut -c1-2); chmod u+w $f/*; \
         cp .git/objects/$(echo $d | cut -c1-2)/$(echo $d | cut -c3-) $f/$(echo $c | cut -c3-); \
         echo $c > .git/refs/heads/main",
    ),
    ("a tree as branch", "git rev-parse HEAD^{tree} > .git/refs/heads/main"),
    ("nothing as branch", "echo 1234567812345678123456781234567812345678 > .git/refs/heads/main"),
    (
        "another's objects",
        "echo \"$OUT/secret/.git/objects\" >> .git/objects/info/alternates; echo \"$SECRET\" > .git/refs/heads/stolen; \
         git cat-file -p $SECRET || true",
    ),
    (
        "odd names",
        "mkdir -p .git/refs/heads/-x; for n in -evil '..' 'a b' 'x.lock' '@{' '-x/y'; do \
         git rev-parse HEAD > \".git/refs/heads/$n\"; done",
    ),
    (
        "format",
        "git config core.repositoryformatversion 1; git config extensions.refstorage reftable; mkdir .git/reftable",
    ),
];

// attack(git): an agent in a sandbox replaces the git directory, or its settings, hooks, references, index and objects, by its
//   own, by links, by pipes, by forged objects
// holds: it has a git directory that it was lent; nothing of it is obeyed outside, the person's is byte for byte what it was,
//   and the next call is lent a new one in which it can commit
#[test]
fn whatever_is_done_to_the_git_directory_inside_is_nothing_outside() {
    for kind in mounting() {
        for (name, attack) in ATTACKS {
            let place = Place::new(kind);
            executable(&place, ".git/hooks/commit-msg", "#!/bin/sh\nexit 0\n");
            place.env.git(&["commit", "--quiet", "--allow-empty", "--message", "second"]);
            place.env.git(&["init", "--quiet", "../secret"]);
            place.env.git(&["-C", "../secret", "commit", "--quiet", "--allow-empty", "--message", "secret"]);
            let secret = place.env.git(&["-C", "../secret", "rev-parse", "HEAD"]);
            let out = place.env.root().display().to_string();
            let before = (steering(&place.env.project().join(".git")), place.env.git(&["for-each-ref"]));
            let attack = format!("OUT='{out}'; SECRET={secret}; PWN=\"touch $OUT/pwned\"\n{attack}");
            let outcome = work(&place, &[&attack, "echo x > x; echo y > y"], &["--commit", "runner"]);
            let said = format!("{name}: {}", said(&outcome));
            assert!(!place.env.root().join("pwned").exists(), "{said}");
            assert_eq!(steering(&place.env.project().join(".git")), before.0, "{said}");
            let references = place.env.git(&["for-each-ref", "--format=%(refname)"]);
            assert_eq!(references, "refs/heads/main", "{said}");
            // The runner's own commits are all that came.
            let subjects = place.env.git(&["log", "--format=%s"]);
            assert!(!subjects.contains("evil") && !subjects.contains("gone"), "{subjects} {said}");
            assert!(subjects.contains("Windlass iteration 2"), "{subjects} {said}");
            assert_eq!(place.env.git(&["fsck", "--strict", "--no-dangling"]), "", "{said}");
            let mut asked = place.env.command("git");
            asked.args(["cat-file", "-e", &secret]).current_dir(place.env.project());
            assert!(!asked.status().unwrap().success(), "{said}");
        }
    }
}

// attack(git): an agent in a sandbox makes a tag of the branch's name, which git takes first where a person types it, and branches
//   named like a tag and like a branch of a remote
// holds: the repository has none of them, which is said; what else was committed arrives
#[test]
fn no_name_that_stands_for_another_one_is_taken() {
    for kind in mounting() {
        let place = Place::new(kind);
        place.env.git(&["tag", "v1"]);
        place.env.git(&["update-ref", "refs/remotes/origin/main", "HEAD"]);
        let attack = "echo x > x && git add x && git commit -qm x && git branch v1 && git branch origin/main && \
                      git branch plain && git checkout -q origin/main && git tag main HEAD~1";
        let outcome = work(&place, &[attack], &["--commit", "agent"]);
        let names = place.env.git(&["for-each-ref", "--format=%(refname)"]);
        let expected = "refs/heads/main\nrefs/heads/plain\nrefs/remotes/origin/main\nrefs/tags/v1";
        assert_eq!(names, expected, "{}", said(&outcome));
        assert!(told(&outcome).contains("stand for other ones' names"), "{}", said(&outcome));
        assert_eq!(place.env.git(&["log", "-1", "--format=%s", "main"]), "x", "{}", said(&outcome));
    }
}

// attack(git): an agent in a sandbox moves the branch back, deletes it, or checks out another one
// holds: the person's branches are as they were, the damage is named, and commits that only the agent had are a branch of
//   their own
#[test]
fn branches_only_go_on_and_all_else_is_damage() {
    for kind in mounting() {
        for (attack, word, commit) in [
            ("git reset -q --hard HEAD~1", "main was moved from", "runner"),
            ("git reset -q --hard HEAD~1", "main was moved from", "agent"),
            ("git branch mine; git reset -q --hard HEAD~1", "destructive_change", "agent"),
            ("git commit -q --amend --allow-empty -m amended", "main was moved from", "runner"),
            ("git commit -q --amend --allow-empty -m amended", "destructive_change", "agent"),
            ("git branch -D other", "branches or tags were deleted or moved: other", "runner"),
            ("git checkout -q other", "instead of main other was checked out", "runner"),
            (
                "git checkout -q --detach; git commit -q --allow-empty -m amended",
                "was checked out, on no branch",
                "runner",
            ),
        ] {
            let place = Place::new(kind);
            place.env.git(&["checkout", "--quiet", "-b", "other"]);
            place.env.git(&["commit", "--quiet", "--allow-empty", "--message", "other"]);
            place.env.git(&["checkout", "--quiet", "main"]);
            place.env.git(&["commit", "--quiet", "--allow-empty", "--message", "second"]);
            let before = place.env.git(&["for-each-ref", "refs/heads/main", "refs/heads/other"]);
            let outcome = work(&place, &[attack], &["--commit", commit]);
            assert!(told(&outcome).contains(word), "{attack}: {}", said(&outcome));
            let after = place.env.git(&["for-each-ref", "refs/heads/main", "refs/heads/other"]);
            assert_eq!(after, before, "{attack}: {}", said(&outcome));
            assert_eq!(place.env.git(&["symbolic-ref", "HEAD"]), "refs/heads/main");
            let kept = place.env.git(&["for-each-ref", "--format=%(subject)", "refs/heads/windlass"]);
            assert_eq!(kept, if attack.contains("amended") { "amended" } else { "" }, "{attack}");
        }
    }
}

#[test]
fn a_person_who_commits_meanwhile_keeps_the_branch_and_the_work_is_another_one() {
    for kind in mounting() {
        let place = Place::new(kind);
        let calls = [
            "echo x > x && git add x && git commit -qm work && touch ready; while [ ! -e go ]; do sleep 0.05; done",
        ];
        let running = place.start(&script(&calls), &["-m", "3", "--allow-dirty", "--commit", "agent"]);
        assert!(wait_until(PATIENCE, || place.env.project().join("ready").exists()), "nobody is at work");
        place.env.git(&["commit", "--quiet", "--allow-empty", "--message", "a person's"]);
        place.env.write("go", "");
        let outcome = running.wait(PATIENCE);
        assert!(told(&outcome).contains("needs_human"), "{}", said(&outcome));
        assert!(
            told(&outcome).contains("a branch was moved while the agent was at work"),
            "{}",
            said(&outcome)
        );
        assert_eq!(place.env.git(&["log", "-1", "--format=%s", "main"]), "a person's");
        let kept = place.env.git(&["for-each-ref", "--format=%(subject)", "refs/heads/windlass"]);
        assert_eq!(kept, "work", "{}", said(&outcome));
    }
}

/// What a guest that can write the git directory itself puts into it.
const STEERING: &[(&str, &str)] = &[
    (
        "settings",
        "git config core.fsmonitor \"$PWN\"; git config core.sshCommand \"$PWN\"; git config include.path \"$PWD/evil\"; \
         git config extensions.worktreeConfig true; printf '[core]\\n\\tfsmonitor = %s\\n' \"$PWN\" > .git/config.worktree; \
         git config filter.x.clean \"$PWN\"; echo '* filter=x' > .git/info/attributes",
    ),
    (
        "commondir",
        "git init -q other; git -C other config core.fsmonitor \"$PWN\"; echo ../other/.git > .git/commondir",
    ),
    (
        "alternates",
        "mkdir -p .git/objects/info; echo \"$OUT/secret/.git/objects\" > .git/objects/info/alternates",
    ),
    (
        "hooks",
        "for h in pre-commit post-commit post-index-change reference-transaction; do \
         printf '#!/bin/sh\\n%s\\n' \"$PWN\" > .git/hooks/$h; done; chmod -R +x .git/hooks",
    ),
    ("links", "for f in HEAD index; do cp .git/$f $f.copy; rm .git/$f; ln -s \"$PWD/$f.copy\" .git/$f; done"),
    ("pipes", "for f in HEAD index config; do rm -f .git/$f; mkfifo .git/$f; done"),
    ("a linked folder", "mv .git/info elsewhere; ln -s \"$PWD/elsewhere\" .git/info"),
];

// attack(git): an agent under landlock, which cannot mount, writes settings, hooks, attributes, alternates, commondir, links and
//   pipes into the person's git directory
// holds: what steers git is put back before any git of the runner's is called, and said; nothing of it was run
#[test]
fn what_steers_git_is_put_back_where_nothing_can_be_mounted() {
    for kind in kinds().into_iter().filter(|kind| *kind == "landlock") {
        for (name, attack) in STEERING {
            let place = Place::new(kind);
            place.env.write(".git/hooks/pre-push", "mine");
            let before = steering(&place.env.project().join(".git"));
            let out = place.env.root().display().to_string();
            let attack = format!("OUT='{out}'; PWN=\"touch $PWD/pwned\"\n{attack}\nrm -f pwned; echo x > x");
            let outcome = work(&place, &[&attack], &["--commit", "runner"]);
            let said = format!("{name}: {}", said(&outcome));
            assert!(!place.env.project().join("pwned").exists(), "{said}");
            let mut after = steering(&place.env.project().join(".git"));
            after.retain(|(name, _)| name != "HEAD");
            let before: Vec<_> = before.into_iter().filter(|(name, _)| name != "HEAD").collect();
            assert_eq!(after, before, "{said}");
            let words = ["were put back before git was called", "which diverts git; it was removed"];
            assert!(words.iter().any(|word| told(&outcome).contains(word)), "{said}");
            assert_eq!(place.env.git(&["log", "-1", "--format=%s"]), "Windlass iteration 1: Work", "{said}");
        }
    }
}

#[test]
fn a_git_directory_that_was_replaced_is_none_to_run_git_on() {
    for kind in kinds().into_iter().filter(|kind| *kind == "landlock") {
        let place = Place::new(kind);
        let outcome = work(&place, &["mv .git elsewhere; ln -s elsewhere .git"], &["--commit", "runner"]);
        assert!(told(&outcome).contains("was replaced while a guest was at work"), "{}", said(&outcome));
        assert!(told(&outcome).contains("destructive_change"), "{}", said(&outcome));
    }
}

#[test]
fn large_files_are_copied_if_they_hold_what_their_names_say() {
    for kind in mounting() {
        let place = Place::new(kind);
        let script = "big=$(echo big | sha256sum | cut -c1-64); \
             d=.git/lfs/objects/$(echo $big | cut -c1-2)/$(echo $big | cut -c3-4); mkdir -p $d; echo big > $d/$big; \
             echo $big > name; mkdir -p .git/lfs/objects/00/00; \
             echo evil > .git/lfs/objects/00/00/$(printf '0%.0s' $(seq 64)); git add name; git commit -qm large";
        let outcome = work(&place, &[script], &["--commit", "agent"]);
        assert_eq!(place.env.git(&["log", "-1", "--format=%s"]), "large", "{}", said(&outcome));
        let name = place.env.read("name");
        let name = name.trim();
        let folder = place.env.project().join(".git/lfs/objects");
        assert_eq!(
            fs::read_to_string(folder.join(&name[..2]).join(&name[2..4]).join(name)).unwrap(),
            "big\n"
        );
        assert!(!folder.join("00").join("00").join("0".repeat(64)).exists());
    }
}

// A runner that is killed takes over, once it is resumed, what its agent had committed.
#[test]
fn what_was_committed_inside_outlives_a_runner_that_is_killed() {
    for kind in mounting() {
        let place = Place::new(kind);
        let calls = [
            "echo x > x && git add x && git commit -qm work && touch ready; sleep 60",
            "git log -1 --format=%s > seen",
        ];
        let running = place.start(&script(&calls), &["-m", "2", "--allow-dirty", "--commit", "agent"]);
        assert!(wait_until(PATIENCE, || place.env.project().join("ready").exists()), "nobody is at work");
        running.signal(Signal::KILL);
        drop(running.wait(PATIENCE));
        place.env.assert_no_processes(CLEARED);
        assert_ne!(place.env.git(&["log", "-1", "--format=%s"]), "work");
        let outcome = place.env.run(&mut place.windlass(&["resume"]), PATIENCE);
        assert_eq!(place.env.git(&["log", "-1", "--format=%s"]), "work", "{}", said(&outcome));
        assert_eq!(place.env.read("seen"), "work\n", "{}", said(&outcome));
    }
}

// attack(git): an agent, or the install script of a tool (husky), points `core.hooksPath` to a folder of the working tree, where it
//   was set to another one before the run, or to none.
// holds: what was set stays and is used for the agent's commits; the change is undone, and said where it could reach the
//   person's settings.
#[test]
fn a_hooks_folder_that_was_set_stays_and_another_one_does_not() {
    for kind in kinds().into_iter().chain(["none"]) {
        for was in [Some(".husky"), None] {
            let place = Place::new(kind);
            executable(&place, ".husky/pre-commit", "#!/bin/sh\ntouch husky-was-here\n");
            place.env.git(&["add", "--all"]);
            place.env.git(&["commit", "--quiet", "--message", "Husky"]);
            if let Some(was) = was {
                place.env.git(&["config", "core.hooksPath", was]);
            }
            let folder = || place.env.git(&["config", "--default", "nothing", "core.hooksPath"]);
            let before = folder();
            // The same again is not a change.
            let again = was.map_or("true".to_owned(), |was| format!("git config core.hooksPath {was}"));
            let script = |line: &str| work(&place, &[line], &["--commit", "agent"]);
            let outcome = script(&format!("{again}; echo x > x && git add x && git commit -qm inside"));
            assert!(!told(&outcome).contains("put back"), "{kind} {was:?}: {}", said(&outcome));
            assert_eq!(place.env.project().join("husky-was-here").exists(), was.is_some(), "{kind} {was:?}");
            assert_eq!(folder(), before, "{kind} {was:?}: {}", said(&outcome));
            let outcome = script("mkdir -p evil && git config core.hooksPath evil");
            assert_eq!(folder(), before, "{kind} {was:?}: {}", said(&outcome));
            let reaches = !mounting().any(|mounting| mounting == kind);
            assert_eq!(told(&outcome).contains("put back"), reaches, "{kind} {was:?}: {}", said(&outcome));
        }
    }
}
