//! Every Rust file is compiled: one that nobody declared as a module has tests that never run.

mod modules;
mod tokens;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use self::modules::{Module, data, declared};
use self::tokens::tokens;
use super::Complaint;

/// The folders that cargo has code in.
const CODE: &[&str] = &["src", "tests", "benches", "examples"];

/// A folder of files that tests read.
const DATA: &str = "fixtures";

/// Rust files and what they say.
pub type Sources = BTreeMap<PathBuf, String>;

/// The files that no root of a crate leads to.
pub fn check(sources: &Sources, roots: &BTreeSet<PathBuf>) -> Vec<Complaint> {
    let reached = reached(sources, roots);
    let orphans = sources.keys().filter(|file| is_code(file) && !reached.contains(file.as_path()));
    orphans
        .map(|file| {
            let declaration = declaration(sources, file);
            Complaint::of(file, format!("no crate compiles this file: {declaration}, or delete it"))
        })
        .collect()
}

fn is_code(file: &Path) -> bool {
    let lies_in = |folder: &str| file.iter().any(|part| part == folder);
    CODE.iter().any(|folder| lies_in(folder)) && !lies_in(DATA)
}

/// The roots, what they declare, what that declares, and what any of it includes.
fn reached<'a>(sources: &'a Sources, roots: &BTreeSet<PathBuf>) -> BTreeSet<&'a Path> {
    let mut reached = BTreeSet::new();
    let mut looked_at = BTreeSet::new();
    let mut ahead: Vec<Module> = roots.iter().cloned().map(Module::root).collect();
    while let Some(module) = ahead.pop() {
        let Some((file, text)) = sources.get_key_value(&module.file) else { continue };
        if looked_at.contains(&module) {
            continue;
        }
        reached.insert(file.as_path());
        let tokens = tokens(text);
        for file in data(file, &tokens) {
            reached.extend(sources.get_key_value(&file).map(|(file, _)| file.as_path()));
        }
        ahead.extend(declared(&module, &tokens));
        looked_at.insert(module);
    }
    reached
}

/// What there is to write for a file to be compiled, and where.
fn declaration(sources: &Sources, file: &Path) -> String {
    let folder = file.parent().unwrap_or(Path::new(""));
    let (folder, of_module) = match folder.parent() {
        Some(above) if file.ends_with("mod.rs") => (above, folder),
        _ => (folder, file),
    };
    let name = of_module.file_stem().unwrap_or_default().to_string_lossy();
    if let Some(tested) = name.strip_suffix("_tests").map(|name| folder.join(format!("{name}.rs")))
        && sources.contains_key(&tested)
    {
        return format!("write `#[path = \"{name}.rs\"] mod tests;` in {}", tested.display());
    }
    let above = ["mod.rs", "lib.rs", "main.rs"].iter().map(|name| folder.join(name));
    let above = above.chain([folder.with_extension("rs")]).find(|above| sources.contains_key(above));
    let above = above.map_or("the module above it".to_owned(), |above| above.display().to_string());
    format!("write `mod {name};` in {above}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn complaints(files: &[(&str, &str)], roots: &[&str]) -> Vec<(String, String)> {
        let sources = files.iter().map(|(file, text)| (file.into(), (*text).to_owned())).collect();
        let found = check(&sources, &roots.iter().map(PathBuf::from).collect());
        found.into_iter().map(|one| (one.file.display().to_string(), one.problem)).collect()
    }

    #[test]
    fn a_file_is_compiled_if_some_root_leads_to_it() {
        let (lib, test) = (("c/src/lib.rs", "mod a;"), ("c/tests/t.rs", ""));
        for (files, orphans) in [
            (vec![lib, test, ("c/src/a.rs", "")], vec![]),
            (vec![lib, ("c/src/a/mod.rs", "mod b;"), ("c/src/a/b.rs", "")], vec![]),
            (vec![lib, ("c/src/a.rs", "mod b;"), ("c/src/a/b.rs", "")], vec![]),
            (vec![lib, ("c/src/a.rs", "mod b;"), ("c/src/b.rs", "")], vec!["c/src/b.rs"]),
            (vec![lib, ("c/src/a.rs", "// mod b;"), ("c/src/a/b.rs", "")], vec!["c/src/a/b.rs"]),
            (vec![lib, ("c/src/b.rs", "mod c;"), ("c/src/b/c.rs", "")], vec!["c/src/b/c.rs", "c/src/b.rs"]),
            (vec![test, ("c/tests/u.rs", "")], vec!["c/tests/u.rs"]),
            (
                vec![
                    ("c/src/lib.rs", "#[path = \"../../d/examples/e/mod.rs\"] mod e;"),
                    ("d/examples/e/mod.rs", ""),
                ],
                vec![],
            ),
            (
                vec![
                    ("c/src/lib.rs", "include_str!(\"a.rs\");"),
                    ("c/src/a.rs", "mod b;"),
                    ("c/src/b.rs", ""),
                ],
                vec!["c/src/b.rs"],
            ),
            (vec![("c/tests/fixtures/a.rs", ""), ("c/corpus/a.rs", ""), ("c/fixtures/a.rs", "")], vec![]),
        ] {
            let found = complaints(&files, &["c/src/lib.rs", "c/tests/t.rs"]);
            let found: Vec<&str> = found.iter().map(|(file, _)| file.as_str()).collect();
            assert_eq!(found, orphans, "{files:?}");
        }
    }

    #[test]
    fn a_complaint_says_what_to_write_and_where() {
        for (above, orphan, said) in [
            ("c/src/run/mod.rs", "c/src/run/workers.rs", "write `mod workers;` in c/src/run/mod.rs"),
            ("c/src/run.rs", "c/src/run/workers.rs", "write `mod workers;` in c/src/run.rs"),
            ("c/src/main.rs", "c/src/run/mod.rs", "write `mod run;` in c/src/main.rs"),
            ("c/src/a.rs", "c/src/a_tests.rs", "write `#[path = \"a_tests.rs\"] mod tests;` in c/src/a.rs"),
            ("c/src/lib.rs", "c/src/a/b/c.rs", "write `mod c;` in the module above it"),
        ] {
            let found = complaints(&[(above, ""), (orphan, "")], &[above]);
            let problem = format!("no crate compiles this file: {said}, or delete it");
            assert_eq!(found, [(orphan.to_owned(), problem)]);
        }
    }
}
