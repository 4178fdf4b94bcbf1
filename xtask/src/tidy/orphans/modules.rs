//! Which files a source has compiled, or read as data while it is compiled.

use std::path::{Component, Path, PathBuf};

use super::tokens::Token::{self, Sign, Text, Word};

/// A file that is compiled.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Module {
    pub file: PathBuf,
    /// The files of its own modules lie beside it: so it is with the root of a crate, a `mod.rs` and a file that is
    /// named by `#[path]`. Those of any other file lie in a folder of its name.
    pub beside: bool,
}

impl Module {
    /// The root of a crate, or what is included like it.
    pub fn root(file: PathBuf) -> Self {
        Self { file, beside: true }
    }
}

/// The modules that a source declares, wherever their files may be, and the code that it includes.
pub fn declared(module: &Module, tokens: &[Token<'_>]) -> Vec<Module> {
    let mut found: Vec<Module> =
        included(&module.file, tokens, &["include"]).into_iter().map(Module::root).collect();
    let mut scope = Scope::of(module);
    let mut around = Vec::new();
    let mut paths = Paths::default();
    let mut rest = tokens;
    while let [first, after @ ..] = rest {
        rest = after;
        match (first, after) {
            (Sign('#'), [Sign('['), inside @ ..]) => {
                let (attribute, after) = inside.split_at(end_of_attribute(inside));
                paths.add(attribute);
                rest = after;
            }
            (Word("mod"), [Word(name), Sign(';'), after @ ..]) => {
                found.extend(scope.files(name, &std::mem::take(&mut paths)));
                rest = after;
            }
            (Word("mod"), [Word(name), Sign('{'), after @ ..]) => {
                let inner = scope.inner(name, &std::mem::take(&mut paths));
                around.push(std::mem::replace(&mut scope, inner));
                rest = after;
            }
            (Sign('{'), _) => {
                paths = Paths::default();
                around.push(scope.clone());
            }
            (Sign('}'), _) => {
                paths = Paths::default();
                scope = around.pop().unwrap_or(scope);
            }
            (Sign(';'), _) => paths = Paths::default(),
            _ => {}
        }
    }
    found
}

/// The files that a source reads as data while it is compiled.
pub fn data(file: &Path, tokens: &[Token<'_>]) -> Vec<PathBuf> {
    included(file, tokens, &["include_str", "include_bytes"])
}

/// The files that these macros are given by name.
fn included(file: &Path, tokens: &[Token<'_>], macros: &[&str]) -> Vec<PathBuf> {
    let folder = file.parent().unwrap_or(Path::new(""));
    let named = tokens.windows(4).filter_map(|tokens| match tokens {
        [Word(name), Sign('!'), Sign(_), Text(path)] if macros.contains(name) => Some(path),
        _ => None,
    });
    named.map(|path| resolved(folder, path)).collect()
}

/// Where the brackets of an attribute are closed, counted from behind the one that opens it.
fn end_of_attribute(inside: &[Token<'_>]) -> usize {
    let mut depth = 1_usize;
    for (at, token) in inside.iter().enumerate() {
        match token {
            Sign('[') => depth += 1,
            Sign(']') => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return at;
        }
    }
    inside.len()
}

/// What the attributes in front of an item say of its path.
#[derive(Default)]
struct Paths<'a> {
    certain: Option<&'a str>,
    /// By `cfg_attr`: in some builds.
    possible: Vec<&'a str>,
}

impl<'a> Paths<'a> {
    fn add(&mut self, attribute: &[Token<'a>]) {
        match attribute {
            [Word("path"), Sign('='), Text(path)] => self.certain = Some(path),
            [Word("cfg_attr"), condition @ ..] => {
                self.possible.extend(condition.windows(3).filter_map(|tokens| match tokens {
                    [Word("path"), Sign('='), Text(path)] => Some(*path),
                    _ => None,
                }));
            }
            _ => {}
        }
    }
}

/// Where the files of modules are looked for.
#[derive(Clone)]
struct Scope {
    /// What a `#[path]` begins at.
    folder: PathBuf,
    /// The folder in it for modules without one, if there is one.
    below: Option<PathBuf>,
}

impl Scope {
    fn of(module: &Module) -> Self {
        let folder = module.file.parent().unwrap_or(Path::new("")).to_owned();
        let below = if module.beside { None } else { module.file.file_stem().map(PathBuf::from) };
        Self { folder, below }
    }

    fn without_path(&self) -> PathBuf {
        self.below.iter().fold(self.folder.clone(), |folder, below| folder.join(below))
    }

    /// Within `mod name { … }`.
    fn inner(&self, name: &str, paths: &Paths<'_>) -> Self {
        let folder = match paths.certain {
            Some(path) => resolved(&self.folder, path),
            None => self.without_path().join(plain(name)),
        };
        Self { folder, below: None }
    }

    /// Where the file of `mod name;` may be.
    fn files(&self, name: &str, paths: &Paths<'_>) -> Vec<Module> {
        let by_path = paths.possible.iter().chain(&paths.certain);
        let mut files: Vec<Module> = by_path.map(|path| Module::root(resolved(&self.folder, path))).collect();
        if paths.certain.is_none() {
            let (folder, name) = (self.without_path(), plain(name));
            files.push(Module { file: folder.join(format!("{name}.rs")), beside: false });
            files.push(Module::root(folder.join(name).join("mod.rs")));
        }
        files
    }
}

/// A name as files have it.
fn plain(name: &str) -> &str {
    name.strip_prefix("r#").unwrap_or(name)
}

/// A path from a folder, without `.` and `..`.
fn resolved(folder: &Path, path: &str) -> PathBuf {
    let mut found = PathBuf::new();
    for part in folder.join(path).components() {
        match part {
            Component::ParentDir => {
                found.pop();
            }
            Component::CurDir => {}
            part => found.push(part),
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::super::tokens::tokens;
    use super::*;

    fn files(module: &Module, text: &str) -> Vec<String> {
        let found = declared(module, &tokens(text)).into_iter();
        found
            .map(|module| format!("{}{}", module.file.display(), if module.beside { "" } else { " +" }))
            .collect()
    }

    #[test]
    fn a_module_is_declared_by_its_name_or_its_path() {
        let root = Module::root("c/src/lib.rs".into());
        let x = ["c/src/x.rs +", "c/src/x/mod.rs"].as_slice();
        for (text, found) in [
            ("mod x;", x),
            ("pub(in crate::a) mod x;", x),
            ("#[cfg(test)]\n#[allow(dead_code)] // mod y;\nmod x;", x),
            ("mod r#x;", x),
            ("mod // why\n x;", x),
            ("fn f() { g::<'x'>() } mod x;", x),
            ("a! { mod x; }", x),
            ("#[path = \"y.rs\"]\nfn f() {}\nmod x;", x),
            ("#[path = \"y.rs\"] mod x;", &["c/src/y.rs"]),
            ("#[cfg(test)]\n#[path = \"../tests/./y.rs\"]\npub mod x;", &["c/tests/y.rs"]),
            ("#[cfg_attr(a[0], path = \"y.rs\")] mod x;", &["c/src/y.rs", x[0], x[1]]),
            ("include!(\"y.rs\");", &["c/src/y.rs"]),
            ("// mod x;\n/* mod x; */ const A: &str = \"mod x;\"; const B: &str = r#\"\"mod x;\"#;", &[]),
            ("macro_rules! a { ($x:ident) => { mod $x; mod $x { } } }", &[]),
            ("mod x { } let r#mod = x;", &[]),
            ("include_str!(\"y.rs\");", &[]),
            ("#[doc = \"mod x;\"]", &[]),
            ("} mod x", &[]),
            ("#[path = \"y.rs\"", &[]),
        ] {
            assert_eq!(files(&root, text), found, "{text}");
        }
    }

    #[test]
    fn a_module_is_looked_for_where_its_parent_has_its_modules() {
        for (file, beside, text, found) in [
            ("s/a.rs", false, "mod x;", &["s/a/x.rs +", "s/a/x/mod.rs"] as &[_]),
            ("s/a.rs", true, "mod x;", &["s/x.rs +", "s/x/mod.rs"]),
            ("s/a.rs", false, "#[path = \"y.rs\"] mod x;", &["s/y.rs"]),
            ("s/a.rs", false, "mod b { mod x; }", &["s/a/b/x.rs +", "s/a/b/x/mod.rs"]),
            ("s/a.rs", true, "mod b { mod c { mod x; } }", &["s/b/c/x.rs +", "s/b/c/x/mod.rs"]),
            ("s/a.rs", false, "mod b { fn f() {} } mod x;", &["s/a/x.rs +", "s/a/x/mod.rs"]),
            ("s/a.rs", false, "mod b { fn f() {} mod x; }", &["s/a/b/x.rs +", "s/a/b/x/mod.rs"]),
            ("s/a.rs", false, "mod b { #[path = \"y.rs\"] mod x; }", &["s/a/b/y.rs"]),
            ("s/a.rs", true, "mod b { #[path = \"y.rs\"] mod x; }", &["s/b/y.rs"]),
            ("s/a.rs", false, "#[path = \"d\"] mod b { mod x; }", &["s/d/x.rs +", "s/d/x/mod.rs"]),
        ] {
            assert_eq!(files(&Module { file: file.into(), beside }, text), found, "{file} {beside}: {text}");
        }
    }

    #[test]
    fn what_is_included_as_text_is_data() {
        let file = Path::new("c/src/lib.rs");
        for (text, found) in [
            ("include_str!(\"y.rs\")", &["c/src/y.rs"] as &[_]),
            ("#![doc = include_str!(\"../examples/y.rs\")]", &["c/examples/y.rs"]),
            ("include_bytes![\"y.rs\"]", &["c/src/y.rs"]),
            ("include!(\"y.rs\")", &[]),
            ("// include_str!(\"y.rs\")", &[]),
        ] {
            let found: Vec<&Path> = found.iter().map(Path::new).collect();
            assert_eq!(data(file, &tokens(text)), found, "{text}");
        }
    }
}
