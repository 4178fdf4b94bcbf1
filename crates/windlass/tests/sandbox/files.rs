//! Files: what may be written, what is hidden, and git.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;

use windlass_testkit::TestEnv;

use super::place::{CLEARED, PATIENCE, Place, is_root, kinds, said};

/// What holds whatever the kind, for a place with a few secrets.
fn expectations(place: &Place) -> String {
    let root = place.env.root().display().to_string();
    let word = place.writing_beside();
    format!(
        r#"
root='{root}'
may 'write here' sh -c 'echo x > made-inside'
may 'write below' mkdir -p deep/below
may 'write at home' sh -c 'echo x > "$HOME/x"'
may 'have temporary files' sh -c 'f=$(mktemp) && echo x > "$f" && rm "$f"'
may 'read programs' ls /usr/bin
may 'use devices' sh -c 'echo x > /dev/null && head -c 1 /dev/urandom'
may 'print on what is open' sh -c 'echo x >> /dev/stderr'
{word} 'write outside' sh -c 'echo x > "$0/outside"' "$root"
{word} 'write into the home' sh -c 'echo x > "$0/home/x"' "$root"
{word} 'remove outside' rm "$root/home/.gitconfig"
may_not 'write into the system' sh -c 'echo x > /etc/windlass-was-here'
may_not 'write to settings of the kernel' sh -c 'cat /proc/sys/kernel/core_pattern > /proc/sys/kernel/core_pattern'
may_not 'read the state' sh -c 'cat "$0"/state/projects/*/runs/*/journal.jsonl' "$root"
may_not 'list the state' sh -c 'ls "$0"/state/projects/*/runs/*/goal.md' "$root"
may_not 'write into the state' sh -c 'echo x > "$0/state/x"' "$root"
may_not 'read a key' cat "$root/home/.ssh/id"
may_not 'read a token' cat "$root/home/.config/gh/hosts.yml"
may_not 'read what was hidden' cat "$root/hidden/x"
may_not 'read through a link' cat link-to-key
may_not 'read the passwords' cat /etc/shadow
may_not 'mount' mount -t tmpfs none /mnt
may_not 'see other environments' sh -c "tr '\0' '\n' < /proc/$PPID/environ | grep -q NEVER_SEEN"
case "$HOME" in "$root/home") echo 'FAILED: the home is the user'"'"'s'; failed=1;; esac
test -z "${{SECRET_OF_MINE:-}}" || {{ echo 'FAILED: the environment is passed on'; failed=1; }}
test "$IS_SANDBOX" = 1 || {{ echo 'FAILED: nobody says that this is a sandbox'; failed=1; }}
may 'commit' sh -c 'git add made-inside && git commit -q --allow-empty -m inside'
test "$(git log -1 --format=%ae)" = tess@example.com || {{ echo "FAILED: $(git log -1 --format=%ae) commits"; failed=1; }}
"#
    )
}

/// Nothing outside was made, whatever it looked like inside.
fn assert_untouched(place: &Place) {
    for path in ["outside", "home/x", "state/x"] {
        assert!(!place.env.root().join(path).exists(), "{}: {path}", place.kind);
    }
    assert!(place.env.home().join(".gitconfig").exists());
}

fn furnished(place: Place) -> Place {
    let env = &place.env;
    env.write(env.home().join(".ssh/id"), "secret");
    env.write(env.home().join(".config/gh/hosts.yml"), "secret");
    env.write(env.root().join("hidden/x"), "secret");
    symlink(env.home().join(".ssh/id"), env.project().join("link-to-key")).unwrap();
    let hidden = env.root().join("hidden").display().to_string();
    place.set("WINDLASS_SANDBOX__HIDDEN", &hidden).set("SECRET_OF_MINE", "x")
}

#[test]
fn the_working_tree_can_be_written_and_little_else_be_seen() {
    for kind in kinds() {
        let place = furnished(Place::new(kind));
        let outcome = place.expect(&[], &expectations(&place));
        let header = format!("sandbox     {kind}, with the network");
        assert!(said(&outcome).contains(&header), "{}", said(&outcome));
        assert_untouched(&place);
        assert_eq!(place.env.git(&["log", "-1", "--format=%s"]), "inside");
        assert!(!place.env.project().join(".windlass").exists(), "{kind}");
        let run = fs::read_dir(place.env.state().join("projects")).unwrap().flatten().next().unwrap().path();
        let run =
            fs::read_dir(run.join("runs")).unwrap().flatten().find(|entry| entry.path().is_dir()).unwrap();
        assert!(!run.path().join("sandbox").exists(), "{kind}: its own files are left");
    }
}

#[test]
fn it_holds_for_an_ordinary_user_as_well() {
    if !is_root() {
        // Then all the other tests are the proof.
        return;
    }
    for kind in kinds() {
        // Below the directory of temporary files, since an ordinary user can get there.
        let place = furnished(Place::at(TestEnv::with_git(), kind)).of_an_ordinary_user();
        place.expect(&[], &expectations(&place));
        assert_untouched(&place);
    }
}

// What the runner or a person does something with later is closed, where a sandbox has mounts.
#[test]
fn what_would_be_run_outside_cannot_be_changed() {
    for kind in kinds().into_iter().filter(|kind| *kind == "bwrap") {
        for with_settings in [true, false] {
            let place = Place::new(kind);
            if with_settings {
                place.env.write(".windlass/config.toml", "[limits]\nmax_failures = 7\n");
                place.env.write(".windlass/hooks/finished", "#!/bin/sh\n");
                place.env.write(".windlass/workspaces/api/config.toml", "");
                place.env.write(".windlass/workspaces/api/TODO.md", "- [ ] x\n");
            } else {
                fs::remove_dir_all(place.env.project().join(".git/hooks")).unwrap();
            }
            place.expect(
                &[],
                r#"
may_not 'change the configuration' sh -c 'echo >> .windlass/config.toml'
may_not 'make a hook' sh -c 'mkdir -p .windlass/hooks && echo > .windlass/hooks/started'
may_not 'replace the folder' mv .windlass elsewhere
git config core.fsmonitor ./evil
sh -c 'mkdir -p .git/hooks && echo > .git/hooks/pre-commit'
may_not 'replace the repository' mv .git elsewhere
test ! -f .windlass/config.toml || may_not 'remove it' rm -rf .windlass/config.toml
rm -rf .git/config .git/hooks
if [ -d .windlass/workspaces/api ]; then
    may_not 'change a workspace'"'"'s configuration' sh -c 'echo >> .windlass/workspaces/api/config.toml'
    may 'tick a box' sh -c 'echo >> .windlass/workspaces/api/TODO.md'
    may 'write a status' sh -c 'echo {} > .windlass/workspaces/api/.status.json'
fi
"#,
            );
            let settings = place.env.read(".git/config");
            assert!(!settings.contains("evil"), "{settings}");
            assert!(!place.env.project().join(".git/hooks/pre-commit").exists());
        }
    }
}

#[test]
fn a_project_among_temporary_files_is_there_and_those_of_others_are_not() {
    for kind in kinds() {
        let place = Place::at(TestEnv::with_git(), kind);
        place.env.write(place.env.root().join("tmp/secret-of-others"), "x");
        let hides = if kind == "bwrap" { "may_not" } else { "may" };
        let outcome = place.expect(
            &[],
            &format!("may 'write' sh -c 'echo x > x'\n{hides} 'read others' cat ../tmp/secret-of-others"),
        );
        let told = said(&outcome).split_whitespace().collect::<Vec<_>>().join(" ");
        let is_said = told.contains("of what lies beside the project nothing is seen");
        assert_eq!(is_said, kind == "bwrap", "{kind}: {told}");
    }
}

#[test]
fn a_linked_working_tree_is_one_too() {
    for kind in kinds() {
        let mut place = Place::new(kind);
        place.env.git(&["worktree", "add", "--quiet", "../linked"]);
        place.directory = place.env.root().join("linked");
        let word = place.writing_beside();
        let commit = "may 'commit' sh -c 'echo x > x && git add x && git commit -q --allow-empty -m linked'";
        place.expect(
            &[],
            &format!("{commit}\n{word} 'write into the other tree' sh -c 'echo x > ../project/x'\n"),
        );
        assert!(!place.env.project().join("x").exists());
        assert_eq!(place.env.git(&["log", "-1", "--format=%s", "linked"]), "linked");
    }
}

#[test]
fn a_part_of_a_repository_is_worked_on_with_all_of_it() {
    for kind in kinds() {
        let mut place = Place::new(kind);
        place.directory = place.env.project().join("part of it");
        fs::create_dir(&place.directory).unwrap();
        place.expect(
            &[],
            "may 'write beside' sh -c 'echo x > ../x && git add .. && git commit -q --allow-empty -m whole'",
        );
    }
}

#[test]
fn a_repository_of_somebody_else_can_be_worked_on() {
    if !is_root() {
        return;
    }
    for kind in kinds() {
        let place = Place::new(kind);
        place.env.git(&["config", "--global", "safe.directory", "*"]);
        let project = place.env.project().to_owned();
        let mut chown = place.env.command("chown");
        place.env.run(chown.args(["-R", "65534:65534"]).arg(&project), PATIENCE).expect_success("chown");
        place.expect(&[], "may 'commit' sh -c 'echo x > x && git add x && git commit -q --allow-empty -m x'");
    }
}

#[test]
fn a_project_without_git_or_with_an_odd_name_is_locked_in_as_well() {
    for kind in kinds() {
        let place = Place::at(
            TestEnv::below(Path::new(env!("CARGO_TARGET_TMPDIR")), "it's \u{e4} \"project\"\nof two lines"),
            kind,
        );
        let word = place.writing_beside();
        place.expect(
            &[],
            &format!("may 'write' sh -c 'echo x > x'\n{word} 'write beside' sh -c 'echo x > ../x'"),
        );
        assert!(!place.env.root().join("x").exists());
    }
}

#[test]
fn further_paths_can_be_written_where_configuration_says_so() {
    for kind in kinds() {
        let place = Place::new(kind);
        place.env.write(place.env.home().join("cache/x"), "");
        let place = place.set("WINDLASS_SANDBOX__WRITABLE", "~/cache");
        place.expect(&[], "may 'write there' sh -c 'echo x > \"../home/cache/y\"'");
        assert!(place.env.home().join("cache/y").exists());
    }
}

// Hooks of a repository, and what they start, may be a guest's own work.
#[test]
fn hooks_run_inside_and_those_of_git_not_at_all() {
    for kind in kinds() {
        let place = Place::new(kind);
        let hook = place.env.write(
            ".windlass/hooks/finished",
            "#!/bin/sh\necho \"$WINDLASS_SANDBOX\" > hook-was-in\ntouch ../outside\n",
        );
        let evil = place.env.write(".git/hooks/pre-commit", "#!/bin/sh\ntouch ../outside\n");
        for file in [&hook, &evil] {
            fs::set_permissions(file, fs::Permissions::from_mode(0o755)).unwrap();
        }
        let script = "[[call]]\nsteps = [ { write = { path = 'x', text = 'x' } }, { result = { text = 'Done.', cost = 0.01 } } ]\n";
        let flags = ["-m", "1", "--commit", "runner", "--allow-dirty"];
        let outcome = place.env.run(&mut place.command_of(script, &flags), PATIENCE);
        assert_eq!(place.env.read("hook-was-in").trim_end(), kind, "{}", said(&outcome));
        assert!(!place.env.root().join("outside").exists(), "{kind}");
        assert!(
            place.env.git(&["log", "-1", "--format=%s"]).starts_with("Windlass iteration 1"),
            "{}",
            said(&outcome)
        );
    }
}

// rows: 108
#[test]
fn a_trial_of_a_hook_is_in_the_sandbox_as_well() {
    for kind in kinds() {
        let place = furnished(Place::new(kind)).set("WINDLASS_SANDBOX__KIND", kind);
        let key = place.env.home().join(".ssh/id").display().to_string();
        let script = format!(
            "#!/bin/sh\nif cat '{key}'; then echo SEEN; else echo \"not seen in $WINDLASS_SANDBOX\"; fi\ntouch ../outside\nexit 0\n"
        );
        let hook = place.env.write(".windlass/hooks/started", &script);
        fs::set_permissions(&hook, fs::Permissions::from_mode(0o755)).unwrap();
        let outcome = place.env.run(&mut place.windlass(&["hooks", "test", "started"]), PATIENCE);
        outcome.expect_code(0, kind);
        assert!(said(&outcome).contains(&format!("not seen in {kind}")), "{}", said(&outcome));
        assert!(!place.env.root().join("outside").exists(), "{kind}");
        place.env.assert_no_processes(CLEARED);
    }
}

#[test]
fn a_hook_is_not_tried_outside_a_sandbox_that_cannot_be_made() {
    let place = Place::at(TestEnv::with_git(), "bwrap").set("WINDLASS_SANDBOX__KIND", "podman:none");
    let hook = place.env.write(".windlass/hooks/started", "#!/bin/sh\ntouch called\n");
    fs::set_permissions(&hook, fs::Permissions::from_mode(0o755)).unwrap();
    let mut command = place.windlass(&["hooks", "test", "started"]);
    // Without an engine.
    let outcome = place.env.run(command.env("PATH", "/nowhere"), PATIENCE);
    outcome.expect_code(2, "no sandbox");
    assert!(outcome.stderr_text().contains("`podman` cannot be used here"), "{}", outcome.stderr_text());
    assert!(!place.env.project().join("called").exists());
}

// What a guest puts there the runner, or a person, would start outside.
#[test]
fn a_folder_of_programs_that_can_be_written_is_named_at_the_beginning() {
    for kind in kinds() {
        let place = Place::new(kind);
        let folder = place.env.project().join("node_modules/.bin").display().to_string();
        let place = place.set("PATH", &format!("{folder}:{}", std::env::var("PATH").unwrap()));
        let outcome = place.expect(&[], "may 'write' sh -c 'echo x > x'");
        // Wrapped where the line ends.
        let told = said(&outcome).split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(told.contains("PATH names `") && told.contains("node_modules/.bin`"), "{told}");
    }
}
