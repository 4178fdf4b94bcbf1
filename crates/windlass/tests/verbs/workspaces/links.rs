//! What an agent leaves in its workspace and beside it, and a person who keeps, brings back or removes that.

use std::fs;
use std::path::{Path, PathBuf};

use windlass_testkit::environment::TestEnv;

use super::super::{PATIENCE, ask, told, windlass};
use super::{folder, refused};

const SECRET: &str = "PRIVATE-KEY-OF-A-PERSON";

/// A workspace whose agent ran this; a person's folder `$OUT` lies beside the project, with a secret in it.
fn after(hostile: &str) -> TestEnv {
    let env = TestEnv::with_git();
    env.write(out(&env).join("secret"), SECRET);
    env.write(out(&env).join("api/precious"), SECRET);
    told(&env, &["init", "api"]);
    env.write(folder(&env, "api").join("INSTRUCTIONS.md"), "Make it work.\n");
    let bash = format!("OUT={}; cd .windlass/workspaces/api; {hostile}; true", out(&env).display());
    let bash = bash.replace('\\', "\\\\").replace('"', "\\\"");
    let script = format!("[[call]]\nsteps = [ {{ bash = \"{bash}\" }} ]\n");
    let script = env.write(env.root().join("script.toml"), &script);
    let mock = format!("--mock={}", script.display());
    told(&env, &["run", "api", &mock, "--no-delay", "-m", "1"]);
    env
}

fn out(env: &TestEnv) -> PathBuf {
    env.root().join("out")
}

/// The person's folder is what it was.
fn assert_spared(env: &TestEnv, tried: &str) {
    let mut names: Vec<_> = fs::read_dir(out(env))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    assert_eq!(names, ["api", "secret"], "{tried}");
    assert_eq!(env.read(out(env).join("secret")), SECRET, "{tried}");
    assert_eq!(env.read(out(env).join("api/precious")), SECRET, "{tried}");
    assert_eq!(fs::read_dir(out(env).join("api")).unwrap().count(), 1, "{tried}");
}

fn archives(env: &TestEnv) -> Vec<PathBuf> {
    let folder = env.project().join(".windlass/archive");
    fs::read_dir(folder).into_iter().flatten().map(|entry| entry.unwrap().path()).collect()
}

fn unpacked(env: &TestEnv, archive: &Path) -> String {
    env.run(env.command("gzip").arg("-dc").arg(archive), PATIENCE).stdout_text()
}

// attack(files): the agent fills its workspace with links to a person's key, to their folder and to the runner's environment, and
//   the person archives it, brings it back, makes a template of it and removes it
// holds: links are kept as links, refused when they would be brought back unasked, and nothing that they lead to is read or removed
#[test]
fn a_workspace_full_of_links_is_kept_without_what_they_lead_to() {
    let env = after(
        "mkdir -p working; ln -sfn $OUT/secret working/key; ln -sfn $OUT working/home; ln -sfn /proc/self/environ working/environ; ln -sfn $OUT/secret TODO.md; ln -sfn $OUT/secret README.md",
    );
    told(&env, &["archive", "save", "api", "--keep"]);
    let [archive] = archives(&env).try_into().unwrap();
    assert!(!unpacked(&env, &archive).contains(SECRET), "the archive holds what a link leads to");
    let name = archive.file_name().unwrap().to_str().unwrap().to_owned();
    let shown = told(&env, &["archive", "show", &name]);
    assert!(!shown.contains(SECRET), "{shown}");
    let restored = ask(&env, &["archive", "restore", &name, "again"]);
    assert!(restored.stderr_text().contains("leads out of the workspace"), "{}", restored.stderr_text());
    assert!(!folder(&env, "again").exists());
    let saved = ask(&env, &["template", "save", "api", "usual"]);
    assert!(!saved.stderr_text().contains(SECRET) && !saved.stdout_text().contains(SECRET));
    let template = env.project().join(".windlass/templates/usual/README.md");
    assert!(!fs::read_to_string(template).is_ok_and(|text| text.contains(SECRET)));
    told(&env, &["clean", "api", "-f", "--no-archive"]);
    assert!(!folder(&env, "api").exists());
    assert_spared(&env, "clean");
}

// attack(files): the agent leaves a pipe in its workspace, and pipes where archives and templates say what they are
// holds: what cannot be archived is refused by name without a wait, and the workspace is as it was
#[test]
fn pipes_among_what_is_kept_are_not_waited_for() {
    let env = after(
        "mkdir -p working ../../archive/old ../../templates/usual; mkfifo working/pipe ../../archive/old/.archived.json ../../archive/old/.status.json ../../templates/usual/INSTRUCTIONS.md ../../templates/usual/.template.json",
    );
    let said = refused(&env, &["archive", "save", "api"]);
    assert!(said.contains("working/pipe is a pipe"), "{said}");
    assert!(folder(&env, "api").join("INSTRUCTIONS.md").exists());
    assert!(archives(&env).iter().all(|path| path.is_dir()), "nothing half made is left");
    for verb in [
        &["archive", "list"][..],
        &["archive", "show", "old"],
        &["archive", "restore", "old", "again"],
        &["template", "list"],
        &["template", "show", "usual"],
        &["template", "use", "usual", "again"],
        &["list"],
        &["show", "api"],
    ] {
        let outcome = env.run(&mut windlass(&env, verb), PATIENCE);
        assert!(!outcome.timed_out && outcome.duration.as_secs() < 20, "{verb:?}");
    }
}

// attack(files): the agent replaces the folders of archives and templates by links to a person's folder
// holds: nothing is written, listed or removed through them
#[test]
fn folders_that_became_links_are_not_gone_through() {
    let env = after("cd ../..; rm -rf archive templates; ln -sfn $OUT archive; ln -sfn $OUT templates");
    for verb in [
        &["archive", "save", "api"][..],
        &["archive", "list"],
        &["archive", "delete", "api", "-f"],
        &["template", "save", "api", "usual"],
        &["template", "delete", "api", "-f"],
        &["clean", "api", "-f"],
    ] {
        let outcome = ask(&env, verb);
        let said = outcome.stdout_text() + &outcome.stderr_text();
        assert!(outcome.code != Some(0) && !said.contains(SECRET), "{verb:?}: {said}");
        assert_spared(&env, &format!("{verb:?}"));
    }
    assert!(folder(&env, "api").join("INSTRUCTIONS.md").exists());
}

// attack(files): the agent replaces the folder of all workspaces, or its own, by a link to a person's folder
// holds: nothing in there is shown, archived, reset or removed
#[test]
fn workspaces_that_became_links_are_left_alone() {
    for hostile in
        ["cd ../..; rm -rf workspaces; ln -sfn $OUT workspaces", "cd ..; rm -rf api; ln -sfn $OUT/api api"]
    {
        let env = after(hostile);
        for verb in [
            &["show", "api"][..],
            &["archive", "save", "api"],
            &["template", "save", "api", "usual"],
            &["reset", "api", "-y"],
            &["clean", "api", "-f", "--no-archive"],
            &["run", "api", "--mock", "--no-delay", "-m", "1"],
        ] {
            let outcome = ask(&env, verb);
            let said = outcome.stdout_text() + &outcome.stderr_text();
            assert!(!said.contains(SECRET), "{hostile}: {verb:?}: {said}");
            assert_spared(&env, &format!("{hostile}: {verb:?}"));
        }
    }
}
