use std::os::unix::fs::symlink;

use super::*;

fn project() -> TempDir {
    tempfile::tempdir().unwrap()
}

fn read(project: &TempDir, script: Option<&str>) -> Result<Recipe, RecipeError> {
    Recipe::read(project.path(), &BTreeSet::from([Preset::Go]), script.map(Path::new))
}

// Seed defect D2, src/docker.rs:246-250: the tag knew neither the Dockerfile nor the setup script, and changed with the compiler.
#[test]
fn an_image_is_called_by_the_digest_of_all_that_it_is_made_of() {
    let recipe = Recipe {
        dockerfile: b"FROM scratch\n".to_vec(),
        written: None,
        script: Some((PathBuf::from("setup.sh"), b"true\n".to_vec())),
    };
    // Not computed here: a machine, a compiler or a version that says something else is to fail.
    assert_eq!(recipe.image(), "localhost/windlass-sandbox:ba3dc93dc9e394b8");
    assert!(is_ours(&recipe.image()));
    assert!(!is_ours("localhost/windlass-sandboxes:1") && !is_ours("debian:13"));
    let mut seen = BTreeSet::from([recipe.image()]);
    let same = Recipe { written: Some(PathBuf::from("/elsewhere/Dockerfile")), ..recipe.clone() };
    assert!(!seen.insert(same.image()), "where it lies is not part of it");
    for other in [
        Recipe { dockerfile: b"FROM scratch \n".to_vec(), ..recipe.clone() },
        Recipe { script: Some((PathBuf::from("setup.sh"), b"false\n".to_vec())), ..recipe.clone() },
        Recipe { script: Some((PathBuf::from("other.sh"), b"true\n".to_vec())), ..recipe.clone() },
        Recipe { script: None, ..recipe.clone() },
        Recipe {
            dockerfile: b"FROM scratch\nsetup.sh".to_vec(),
            script: Some((PathBuf::new(), b"true\n".to_vec())),
            ..recipe
        },
    ] {
        assert!(seen.insert(other.image()), "{other:?}");
    }
}

#[test]
fn a_dockerfile_of_the_projects_own_goes_before_the_generated_one() {
    let project = project();
    let generated = read(&project, None).unwrap();
    assert_eq!(generated.written, None);
    assert!(String::from_utf8(generated.dockerfile.clone()).unwrap().contains("go version"));
    let own = project.path().join(DOCKERFILE);
    let written = write(&own, b"FROM scratch\r\n", Overwrite::Never).unwrap();
    assert_eq!(written, Written::Anew);
    let recipe = read(&project, None).unwrap();
    assert_eq!(
        (recipe.dockerfile.as_slice(), recipe.written.as_ref()),
        (&b"FROM scratch\r\n"[..], Some(&own))
    );
    assert_ne!(recipe.image(), generated.image());
}

// Seed defect D2, src/docker.rs:229-230, 295-303: the script was relative to one folder and the context another.
#[test]
fn the_setup_script_is_in_the_context_by_the_name_that_the_dockerfile_copies() {
    let project = project();
    fs::create_dir(project.path().join("tools")).unwrap();
    fs::write(project.path().join("tools/setup.sh"), "#!/bin/sh\n").unwrap();
    let recipe = read(&project, Some("tools/setup.sh")).unwrap();
    let context = recipe.context().unwrap();
    assert_eq!(fs::read(context.files().join("tools/setup.sh")).unwrap(), b"#!/bin/sh\n");
    let dockerfile = fs::read_to_string(context.dockerfile()).unwrap();
    assert!(dockerfile.contains("COPY [\"tools/setup.sh\","), "{dockerfile}");
    let folder = context.files();
    drop(context);
    assert!(!folder.exists());
}

#[test]
fn a_script_that_is_missing_too_long_or_elsewhere_is_refused() {
    let project = project();
    assert!(matches!(read(&project, Some("none.sh")), Err(RecipeError::NoScript(_))));
    fs::write(project.path().join("file"), "").unwrap();
    assert!(matches!(
        read(&project, Some("file/none.sh")),
        Err(RecipeError::File(_) | RecipeError::NoScript(_))
    ));
    assert!(matches!(read(&project, Some(".")), Err(RecipeError::File(_))));
    fs::write(project.path().join("long.sh"), vec![b'#'; LONGEST + 1]).unwrap();
    assert!(matches!(read(&project, Some("long.sh")), Err(RecipeError::TooLong(_))));
    symlink("/etc/hostname", project.path().join("out.sh")).unwrap();
    assert!(matches!(
        read(&project, Some("out.sh")),
        Err(RecipeError::ScriptOutside(_) | RecipeError::NoScript(_))
    ));
    fs::create_dir_all(project.path().join(DOCKERFILE)).unwrap();
    assert!(matches!(read(&project, None), Err(RecipeError::File(_))));
}

#[test]
fn what_somebody_wrote_is_never_lost() {
    let project = project();
    let path = project.path().join(DOCKERFILE);
    assert_eq!(write(&path, b"one", Overwrite::Never).unwrap(), Written::Anew);
    assert_eq!(write(&path, b"one", Overwrite::Never).unwrap(), Written::Same);
    assert_eq!(write(&path, b"two", Overwrite::Never).unwrap(), Written::Kept);
    assert_eq!(fs::read(&path).unwrap(), b"one");
    for (new, old, backup) in [("two", "one", "Dockerfile.before"), ("three", "two", "Dockerfile.before-2")] {
        let backup = path.with_file_name(backup);
        assert_eq!(
            write(&path, new.as_bytes(), Overwrite::WithBackup).unwrap(),
            Written::Replaced(backup.clone())
        );
        assert_eq!(fs::read(&path).unwrap(), new.as_bytes());
        assert_eq!(fs::read(backup).unwrap(), old.as_bytes());
    }
}
