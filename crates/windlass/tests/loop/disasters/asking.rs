//! `safety.undo = "ask"`, the default: named, and undone by what is printed.

use windlass_core::damage::{DamageCourse, DamageKind};
use windlass_core::fact::Fact;
use windlass_core::report;
use windlass_testkit::TestEnv;

use super::place::{Layout, Place};
use super::{DISASTERS, Night, PATIENCE, damaged, kinds, printed, run, script, typed};

#[test]
fn each_disaster_is_named_and_undone_by_the_printed_command() {
    for (command, expected) in DISASTERS {
        let env = TestEnv::new();
        let place = Place::plain(&env);
        let before = place.promised(&env);
        let night = Night::within(env, &script(command));
        let outcome = run(&night, &place, "1", &[]);
        assert_eq!(kinds(&night), *expected, "{command}: {:#?}", damaged(&night));
        let stops = damaged(&night).iter().any(|(_, course)| *course == DamageCourse::Stop);
        outcome.expect_code(if stops { 29 } else { 10 }, command);
        typed(&night, &place, &printed(&night));
        before.assert_is_back(place.promised(&night.env), command);
    }
}

#[test]
fn in_a_repository_with_a_commit_checked_out_and_no_branch() {
    each_in(Layout::Detached);
}

#[test]
fn in_a_linked_working_tree() {
    each_in(Layout::Linked);
}

#[test]
fn in_a_shallow_clone() {
    each_in(Layout::Shallow);
}

#[test]
fn in_a_repository_with_a_submodule() {
    each_in(Layout::WithSubmodule);
}

fn each_in(layout: Layout) {
    let some = [
        "git reset -q --hard; git clean -qfd; git checkout -qf other",
        "git stash clear; git tag -d v2; git reset -q --hard HEAD~1; git reflog expire --expire=now --all; git gc -q --prune=now",
        "git reset -q --hard; git rebase -q other",
        "rm -rf .git",
    ];
    // Of what lies in `.git` of a submodule nothing is promised, and it would be gone with it.
    for command in
        some.into_iter().filter(|command| layout != Layout::WithSubmodule || !command.starts_with("rm"))
    {
        let env = TestEnv::new();
        let place = Place::new(&env, layout);
        let before = place.promised(&env);
        let night = Night::within(env, &script(command));
        run(&night, &place, "1", &[]);
        assert_ne!(kinds(&night), [], "{layout:?}: {command}");
        typed(&night, &place, &printed(&night));
        before.assert_is_back(place.promised(&night.env), &format!("{layout:?}: {command}"));
    }
}

#[test]
fn what_is_not_promised_was_said_before_the_first_iteration() {
    for (layout, said) in [
        (Layout::Plain, "snapshots do not hold what git ignores: .env;"),
        (Layout::WithSubmodule, "snapshots do not protect module (submodule)"),
    ] {
        let env = TestEnv::new();
        let place = Place::new(&env, layout);
        let night = Night::within(env, &script("git clean -qfdx"));
        run(&night, &place, "2", &[]);
        let facts = night.facts();
        let first = facts.iter().position(|fact| matches!(fact, Fact::IterationStarted { .. })).unwrap();
        let told =
            |fact: &Fact| matches!(fact, Fact::Noticed(report::Noticed { text }) if text.contains(said));
        assert!(facts[..first].iter().any(told), "{said}: {:?}", night.notices());
        assert_eq!(facts.iter().filter(|fact| told(fact)).count(), 1, "{said}");
        typed(&night, &place, &printed(&night));
        assert!(!place.top.join(".env").exists());
    }
}

#[test]
fn ordinary_work_is_no_disaster() {
    let ordinary = [
        "echo more >> deep/b.txt; rm deep/b.txt; mv a.txt c.txt; echo x > made",
        "git add -A; git commit -qm all; git tag mine; git branch mine2; git commit -q --allow-empty -m more",
        "git stash -q -u; git stash pop -q; git fetch -q 2>/dev/null; git gc -q",
        "git rm -q deep/b.txt; git mv link link2; mkdir scratch; touch scratch/x; rm -r scratch",
        "git config branch.main.remote origin; git status -s; git diff; git log -1",
    ];
    for command in ordinary {
        for policy in ["none", "agent"] {
            let env = TestEnv::new();
            let place = Place::plain(&env);
            let night = Night::within(env, &script(command));
            run(&night, &place, "1", &["--commit", policy]).expect_code(10, command);
            assert_eq!(damaged(&night), [], "{command}");
        }
    }
}

#[test]
fn an_agent_that_is_to_commit_may_begin_a_branch_and_the_runners_commits_stay_where_they_belong() {
    for (policy, code, expected) in [("agent", 10, vec![]), ("none", 10, vec![DamageKind::BranchBegun])] {
        let env = TestEnv::new();
        let place = Place::plain(&env);
        let night = Night::within(env, &script("git switch -q -c feature"));
        run(&night, &place, "1", &["--commit", policy]).expect_code(code, policy);
        assert_eq!(kinds(&night), expected, "{policy}");
    }
    let night = Night::with_git(&script("git switch -q -c feature; echo x > x"));
    let place = Place { top: night.env.project().to_path_buf() };
    run(&night, &place, "1", &["--commit", "runner"]).expect_code(29, "runner");
    assert_eq!(
        night.env.git(&["rev-list", "--count", "--all"]),
        "1",
        "nothing is committed in a wrong place"
    );
    typed(&night, &place, &printed(&night));
    assert_ne!(night.env.git(&["branch", "--show-current"]), "feature");
}

#[test]
fn what_was_told_is_not_told_again_when_a_person_goes_on() {
    let env = TestEnv::new();
    let place = Place::plain(&env);
    let night = Night::within(env, &script("git checkout -q --detach"));
    run(&night, &place, "1", &[]).expect_code(29, "first");
    night.resume(&["--max-iterations", "3"]).expect_code(10, "resumed");
    assert_eq!(kinds(&night), [DamageKind::HeadDetached]);
}

#[test]
fn the_next_agent_is_told_of_what_is_still_under_way() {
    let env = TestEnv::new();
    let place = Place::plain(&env);
    let night = Night::within(env, &script("git reset -q --hard; git merge -q other"));
    run(&night, &place, "2", &[]).expect_code(10, "merge");
    assert!(!night.prompt(1).contains("did to the repository"));
    assert!(night.prompt(2).contains("a merge was begun and not finished; this is still so"));
}

/// A repository inside the place, with work that is nowhere else.
fn with_a_nested_repository() -> (TestEnv, Place) {
    let env = TestEnv::with_git();
    let place = Place { top: env.project().to_path_buf() };
    let nested = Place { top: place.top.join("nested") };
    std::fs::create_dir(&nested.top).unwrap();
    nested.git(&env, &["init", "-q"]);
    nested.write("n", "n\n");
    nested.git(&env, &["add", "n"]);
    nested.git(&env, &["commit", "-qm", "n"]);
    nested.write("n", "precious\n");
    (env, place)
}

// attack(git): an agent deletes the git directory of a repository that lies inside the one it works in
// holds: it is said to be lost, nothing is said to bring it back, and neither a restore nor `safety.undo = "auto"` removes the files that are left
#[test]
fn a_repository_inside_that_is_gone_is_lost_and_its_files_stay() {
    const SAID: &str =
        "repositories of their own inside this one are gone, and no snapshot holds them: nested";
    for (undo, more) in
        [("ask", ""), ("auto", ""), ("auto", "; git tag -d v1"), ("auto", "; git checkout -q --detach")]
    {
        let (env, place) = with_a_nested_repository();
        env.git(&["tag", "v1"]);
        let command = format!("echo 1 >> README.md; rm -rf nested/.git{more}");
        let night = Night::within(env, &script(&command)).set("WINDLASS_SAFETY__UNDO", undo);
        run(&night, &place, "1", &[]).expect_code(10, &command);
        assert!(kinds(&night).contains(&DamageKind::NestedRepositoriesGone), "{undo}{more}");
        let notices = night.notices().join("\n");
        assert!(notices.contains(SAID) && !notices.contains("undoes it"), "{undo}{more}: {notices}");
        assert!(
            more.is_empty() || notices.contains("undone but for what is named below"),
            "{more}: {notices}"
        );
        assert!(more.is_empty() || notices.contains("not undone: "), "{more}: {notices}");
        assert_eq!(night.env.read("nested/n"), "precious\n");
        let id = night.folder().file_name().unwrap().to_string_lossy().into_owned();
        let mut restore = night.windlass(&["restore", &id, "1", "--before", "--repository"]);
        let outcome = night.env.run(&mut restore, PATIENCE);
        let said = outcome.stdout_text();
        outcome.expect_code(1, &said);
        assert!(said.contains("not all files are as they were"), "{said}");
        assert!(said.contains("the repository of its own that was there is gone"), "{said}");
        assert_eq!(night.env.read("nested/n"), "precious\n");
    }
}

// attack(git): an agent deletes a person's file that is too large for snapshots, in its first call or a later one, alone and beside others
// holds: the loss is said, and that nothing brings that file back; what can be brought back is
#[test]
fn a_file_that_no_snapshot_holds_is_missed() {
    const SAID: &str = "uncommitted files from before the run are gone, and no snapshot holds them: big.bin";
    let rows = [
        ("first", "ask", &["rm big.bin"][..]),
        ("later", "ask", &["echo 1 > one", "rm big.bin"]),
        ("beside", "ask", &["rm big.bin small"]),
        ("undone", "auto", &["rm big.bin small"]),
        ("tracked", "ask", &["git checkout -q README.md"]),
    ];
    for (row, undo, commands) in rows {
        let env = TestEnv::with_git();
        let place = Place { top: env.project().to_path_buf() };
        let name = if row == "tracked" { "README.md" } else { "big.bin" };
        std::fs::File::create(place.top.join(name)).unwrap().set_len(60 << 20).unwrap();
        place.write("small", "small\n");
        let acts: Vec<String> = commands.iter().map(|command| format!("{{ bash = '{command}' }}")).collect();
        let acts: Vec<&str> = acts.iter().map(String::as_str).collect();
        let night = Night::within(env, &super::super::night::calls(&acts)).set("WINDLASS_SAFETY__UNDO", undo);
        let calls = commands.len().to_string();
        run(&night, &place, &calls, &["--allow-dirty"]).expect_code(10, row);
        let notices = night.notices().join("\n");
        assert!(notices.contains(&SAID.replace("big.bin", name)), "{row}: {notices}");
        let also = commands[0].ends_with("small");
        assert_eq!(kinds(&night).contains(&DamageKind::FilesCleaned), also, "{row}: {notices}");
        let back = undo == "auto";
        assert_eq!(place.top.join("small").exists(), back || !also, "{row}: {notices}");
        assert_eq!(notices.contains("undoes"), also && !back, "{row}: {notices}");
    }
}

// A build that begins with what it made before, and a server's socket, come and go.
#[test]
fn a_large_file_of_the_agent_s_own_is_not_missed() {
    let acts = ["{ bash = 'truncate -s 60M big.bin' }", "{ bash = 'rm big.bin; echo x > x' }"];
    let night = Night::with_git(&super::super::night::calls(&acts));
    let place = Place { top: night.env.project().to_path_buf() };
    run(&night, &place, "2", &[]).expect_code(10, "run");
    assert!(kinds(&night).is_empty(), "{:#?}", night.notices());
}

#[test]
fn what_a_command_of_git_brings_back_needs_no_work_to_be_given_back() {
    let env = TestEnv::with_git();
    let place = Place { top: env.project().to_path_buf() };
    place.git(&env, &["tag", "-a", "-m", "annotated", "v1"]);
    let tag = env.git(&["rev-parse", "v1"]);
    let acts = ["{ bash = 'git tag -d v1; echo y > y' }", "{ bash = 'echo x > x' }"];
    let night = Night::within(env, &super::super::night::calls(&acts));
    run(&night, &place, "2", &["--commit", "runner"]).expect_code(10, "run");
    let head = night.env.git(&["rev-parse", "HEAD"]);
    let notices = night.notices();
    let mut commands = notices.iter().flat_map(|notice| notice.split('`').skip(1).step_by(2));
    let command = commands.find(|command| command.starts_with("git ")).expect("a command of git").to_owned();
    assert_eq!(command, format!("git update-ref refs/tags/v1 {tag}"));
    assert!(
        notices.iter().any(|notice| notice.contains("undoes it with all that came after")),
        "{notices:#?}"
    );
    night.env.git(&command.split(' ').skip(1).collect::<Vec<_>>());
    assert_eq!(night.env.git(&["rev-parse", "v1"]), tag);
    assert_eq!(night.env.git(&["rev-parse", "HEAD"]), head);
}

// attack(git): an agent deletes a tag, and the objects that it alone had
// holds: no command is printed that git could not carry out; the whole restore brings it back
#[test]
fn no_command_of_git_is_printed_for_what_git_has_no_more() {
    let env = TestEnv::with_git();
    let place = Place { top: env.project().to_path_buf() };
    let commit = env.git(&["commit-tree", "-m", "alone", "HEAD^{tree}"]);
    env.git(&["tag", "v1", &commit]);
    let night = Night::within(env, &script("git tag -d v1; git gc -q --prune=now"));
    run(&night, &place, "1", &[]).expect_code(10, "run");
    let notices = night.notices().join("\n");
    assert!(!notices.contains("`git ") && notices.contains("undoes it"), "{notices}");
    typed(&night, &place, &printed(&night));
    assert_eq!(night.env.git(&["rev-parse", "v1"]), commit);
}
