use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use windlass_core::spec::Mode;
use windlass_core::workspace::{Beneath, WorkspaceName};

use super::*;
use crate::store::Project;
use crate::workspace::create::Creation;

struct Place {
    top: PathBuf,
    user: PathBuf,
    project: Project,
    _folder: tempfile::TempDir,
}

impl Place {
    fn new() -> Place {
        let folder = tempfile::Builder::new().prefix("windlass-test-").tempdir().unwrap();
        let base = folder.path().canonicalize().unwrap();
        let (top, state, user) = (base.join("project"), base.join("state"), base.join("user"));
        for folder in [&top.join(".windlass"), &state, &user] {
            fs::create_dir_all(folder).unwrap();
        }
        let project = Project::locate(&state, &top, None).unwrap();
        Place { top, user, project, _folder: folder }
    }

    fn workspaces(&self) -> Workspaces {
        Workspaces::open(&self.top)
    }

    fn templates(&self) -> Templates {
        Templates::of(&self.workspaces(), Some(&self.user))
    }

    fn write(&self, path: &str, text: &str) -> PathBuf {
        let path = self.top.join(".windlass").join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        path
    }

    /// An iterative workspace with instructions and options.
    fn demo(&self) {
        let creation = Creation { mode: Some(Mode::Iterative), ..Creation::default() };
        self.workspaces().create(&name("demo"), &self.project, &creation).unwrap();
        self.write("workspaces/demo/INSTRUCTIONS.md", "# Port\n\nAll.\n");
        self.write(
            "workspaces/demo/config.toml",
            "[limits]\nstagnation_threshold = 4 # more\n\n[notify]\nurl = \"https://ntfy.sh/x\"\nsecret = \"hush\"\n",
        );
    }

    fn save(&self, template: &str, scope: Scope, existing: Existing) -> Result<Saved, TemplateError> {
        let workspace = self.workspaces().find("demo").unwrap();
        self.templates().save(&workspace, (template, scope), Details::default(), existing, now())
    }

    fn apply(&self, template: &str, workspace: &str, existing: Existing) -> Result<Applied, TemplateError> {
        let template = self.templates().find(template, None)?;
        template.apply(&self.workspaces(), &self.project, (&name(workspace), &Beneath::default()), existing)
    }
}

fn now() -> Timestamp {
    "2026-03-01T12:00:05Z".parse().unwrap()
}

fn name(text: &str) -> WorkspaceName {
    WorkspaceName::parse(text).unwrap()
}

fn names_in(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).into_iter().flatten();
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

// rows: 127
// Seed defect D1, core/template-manager.ts:82: threshold, notifications and overrides were not saved.
#[test]
fn a_template_holds_all_options_but_the_secret() {
    let place = Place::new();
    place.demo();
    let saved = place.save("port", Scope::Project, Existing::Refuse).unwrap();
    assert!(saved.left_secret && !saved.replaced);
    let applied = place.apply("port", "second", Existing::Refuse).unwrap();
    assert_eq!((applied.mode, applied.was_there, applied.kept.len()), (Mode::Iterative, false, 0));
    assert_eq!(
        fs::read_to_string(applied.workspace.config()).unwrap(),
        "[limits]\nstagnation_threshold = 4 # more\n\n[notify]\nurl = \"https://ntfy.sh/x\"\n"
    );
    assert_eq!(fs::read_to_string(applied.workspace.instructions()).unwrap(), "# Port\n\nAll.\n");
    assert!(applied.workspace.todo().is_file() && applied.workspace.folder().join("working").is_dir());
    // Once more is not trouble: nothing would change.
    assert!(place.apply("port", "second", Existing::Refuse).unwrap().was_there);
}

#[test]
fn the_project_goes_before_the_user_and_the_list_says_so() {
    let place = Place::new();
    place.demo();
    place.save("port", Scope::User, Existing::Refuse).unwrap();
    place.write("workspaces/demo/INSTRUCTIONS.md", "the project's");
    place.save("port", Scope::Project, Existing::Refuse).unwrap();
    place.save("alone", Scope::User, Existing::Refuse).unwrap();
    let rows = place.templates().list().unwrap();
    let seen: Vec<_> =
        rows.iter().map(|row| (row.template.name.as_str(), row.template.scope, row.shadowed)).collect();
    assert_eq!(
        seen,
        [("alone", Scope::User, false), ("port", Scope::Project, false), ("port", Scope::User, true)]
    );
    let found = place.templates().find("port", None).unwrap();
    assert_eq!(found.show().unwrap().instructions, b"the project's");
    let found = place.templates().find("port", Some(Scope::User)).unwrap();
    place.templates().delete(&found).unwrap();
    assert_eq!(names_in(&place.user.join("templates")), ["alone"]);
}

#[test]
fn a_template_is_replaced_only_when_asked_to_and_keeps_what_was_said_of_it() {
    let place = Place::new();
    place.demo();
    place.save("port", Scope::Project, Existing::Refuse).unwrap();
    place.write("templates/port/README.md", "by hand");
    place.write(
        "templates/port/.template.json",
        r#"{"name":"port","description":"old","tags":["a"],"author":"Ada","created":"2025-01-01T00:00:00Z"}"#,
    );
    place.write("workspaces/demo/INSTRUCTIONS.md", "new");
    assert!(matches!(
        place.save("port", Scope::Project, Existing::Refuse),
        Err(TemplateError::Exists { .. })
    ));
    assert!(place.save("port", Scope::Project, Existing::Replace).unwrap().replaced);
    let shown = place.templates().find("port", None).unwrap().show().unwrap();
    assert_eq!(shown.instructions, b"new");
    assert_eq!(shown.record.description.as_deref(), Some("old"));
    assert_eq!(shown.record.other["author"], "Ada");
    assert!(shown.readme.is_some());
    assert_eq!(names_in(&place.top.join(".windlass/templates")), ["port"]);
}

#[test]
fn files_of_a_workspace_are_replaced_only_when_asked_to_and_copies_are_kept() {
    let place = Place::new();
    place.demo();
    place.save("port", Scope::Project, Existing::Refuse).unwrap();
    place.workspaces().create(&name("other"), &place.project, &Creation::default()).unwrap();
    let mine = place.write("workspaces/other/INSTRUCTIONS.md", "mine");
    let options = place.write("workspaces/other/config.toml", "[log]\nkeep = 3\n");
    let error = place.apply("port", "other", Existing::Refuse).unwrap_err().to_string();
    assert!(error.contains("config.toml and INSTRUCTIONS.md"), "{error}");
    assert_eq!(fs::read_to_string(&mine).unwrap(), "mine");
    let applied = place.apply("port", "other", Existing::Replace).unwrap();
    assert_eq!(applied.kept.len(), 2);
    assert_eq!(fs::read_to_string(&applied.kept[1].1).unwrap(), "mine");
    assert_eq!(fs::read_to_string(&applied.kept[0].1).unwrap(), "[log]\nkeep = 3\n");
    assert!(fs::read_to_string(options).unwrap().contains("stagnation_threshold"));
}

// Seed defect D1, core/template-manager.ts:49: names were not looked at, and `-f` removed what they led to.
#[test]
fn nothing_outside_is_ever_touched() {
    let place = Place::new();
    place.demo();
    for wrong in ["..", ".", "", "../workspaces", "a/b", "/tmp/x", "-f", "ä", ".port", "con"] {
        let saved = place.save(wrong, Scope::Project, Existing::Replace);
        assert!(matches!(saved, Err(TemplateError::BadName(_))), "{wrong}");
        assert!(matches!(place.templates().find(wrong, None), Err(TemplateError::BadName(_))), "{wrong}");
    }
    assert!(place.workspaces().find("demo").unwrap().has_instructions());
    place.save("port", Scope::Project, Existing::Refuse).unwrap();
    let store = place.top.join(".windlass/templates");
    symlink(place.top.join(".windlass/workspaces/demo"), store.join("linked")).unwrap();
    place.write("templates/file", "x");
    for wrong in ["linked", "file"] {
        assert!(
            matches!(place.templates().find(wrong, None), Err(TemplateError::NoTemplate { .. })),
            "{wrong}"
        );
        assert!(place.save(wrong, Scope::Project, Existing::Replace).is_err(), "{wrong}");
    }
    let rows = place.templates().list().unwrap();
    assert_eq!(rows.iter().filter(|row| row.problem.is_some()).count(), 1);
    fs::rename(&store, place.top.join("moved")).unwrap();
    symlink(place.top.join("moved"), &store).unwrap();
    assert!(place.templates().find("port", None).is_err());
    assert!(place.save("new", Scope::Project, Existing::Refuse).is_err());
}

#[test]
fn links_in_a_template_are_not_followed() {
    let place = Place::new();
    let secret = place.write("secret", "hush");
    fs::create_dir_all(place.top.join(".windlass/templates/evil")).unwrap();
    symlink(secret, place.top.join(".windlass/templates/evil/INSTRUCTIONS.md")).unwrap();
    assert!(matches!(place.apply("evil", "w", Existing::Refuse), Err(TemplateError::Unusable { .. })));
    assert!(place.workspaces().look(&name("w")).unwrap().is_none());
}

// rows: 127
// Seed defect D1, types/template.ts:19: markers were kept that mean nothing.
#[test]
fn templates_of_claude_iterate_are_used_with_the_options_in_their_record() {
    let place = Place::new();
    place.write("templates/old/INSTRUCTIONS.md", "do it");
    place.write(
        "templates/old/.template.json",
        r#"{"name":"old","tags":[],"mode":"loop","maxIterations":7,"delay":5,"completionMarkers":["DONE"]}"#,
    );
    let applied = place.apply("old", "w", Existing::Refuse).unwrap();
    assert_eq!((applied.mode, applied.has_options, applied.left.len()), (Mode::Loop, true, 1));
    let config = fs::read_to_string(applied.workspace.config()).unwrap();
    assert!(config.contains("max_iterations = 7") && config.contains("delay = \"5s\""), "{config}");
    for (record, said) in [("{", "is not JSON"), ("[]", "is not a JSON object")] {
        place.write("templates/old/.template.json", record);
        assert!(place.apply("old", "x", Existing::Refuse).unwrap_err().to_string().contains(said));
    }
}

#[test]
fn a_workspace_without_instructions_is_no_template() {
    let place = Place::new();
    place.workspaces().create(&name("demo"), &place.project, &Creation::default()).unwrap();
    let error = place.save("port", Scope::Project, Existing::Refuse).unwrap_err();
    assert_eq!(error.to_string(), "Instructions not found. Run setup first: windlass setup demo");
    assert!(!place.top.join(".windlass/templates").exists());
    let no_home = Templates::of(&place.workspaces(), None);
    assert!(matches!(no_home.find("port", Some(Scope::User)), Err(TemplateError::NotFound { .. })));
    assert!(no_home.list().unwrap().is_empty());
}

#[test]
fn an_unknown_template_brings_one_that_is_like_it() {
    let place = Place::new();
    place.demo();
    place.save("port", Scope::User, Existing::Refuse).unwrap();
    let error = place.templates().find("prot", None).unwrap_err().to_string();
    assert_eq!(error, "there is no template `prot`; did you mean `port`?");
}
