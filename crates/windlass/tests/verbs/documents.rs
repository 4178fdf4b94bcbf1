//! What the documents say to type works, as it stands there. Fences `sh account` need an agent's login or a forge, `sh person`
//! asks somebody or installs something: they are only parsed (`src/args/tests/typed.rs`).

use std::fs;
use std::path::{Path, PathBuf};

use super::typist::{Typist, said};

#[test]
fn what_the_guides_and_recipes_say_to_type_works() {
    for page in pages("docs/guides").into_iter().chain(pages("docs/recipes")) {
        type_all_of(&page);
    }
}

#[test]
fn what_the_other_pages_say_to_type_works() {
    for page in pages("docs").into_iter().chain([root().join("README.md")]) {
        type_all_of(&page);
    }
}

fn type_all_of(page: &Path) {
    let text = fs::read_to_string(page).unwrap_or_else(|error| panic!("{}: {error}", page.display()));
    let fences = fences(&text);
    if fences.is_empty() {
        return;
    }
    let typist = Typist::new();
    let run = typist.has_run();
    typist.env.git(&["branch", "windlass/night"]);
    for fence in fences {
        let outcome = typist.types(typist.env.project(), &fence.replace("RUN", &run));
        assert_eq!(outcome.code, Some(0), "{}:\n{fence}\n{}", page.display(), said(&outcome));
    }
}

/// What stands in fences of shell without a further word.
fn fences(text: &str) -> Vec<String> {
    let parts = text.split("\n```sh\n").skip(1);
    parts.map(|rest| rest.split("\n```").next().unwrap_or_default().to_owned()).collect()
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The pages of a folder, without those below it.
fn pages(folder: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(root().join(folder)).unwrap().map(|entry| entry.unwrap().path());
    let mut pages: Vec<PathBuf> =
        entries.filter(|path| path.extension().is_some_and(|kind| kind == "md")).collect();
    pages.sort();
    pages
}
