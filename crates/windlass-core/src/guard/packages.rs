//! Scripts of `package.json` files that a text calls, and in which packages.

use super::command::{Simple, base, below, simple_commands};

/// Tools that run such scripts by their names.
const RUNNERS: &[&str] = &["npm", "yarn", "pnpm", "bun", "npm-run-all", "npm-run-all2", "run-s", "run-p"];

/// Tools that run one in every package that has it.
const OF_ALL: &[&str] = &["turbo", "lerna", "nx"];

/// Flags with the folder of the package.
const FOLDERS: &[&str] = &["--prefix", "--cwd", "-C", "--dir"];

/// Flags, or verbs, with the name or the path of a workspace.
const ONE: &[&str] = &["-w", "--workspace", "--filter", "-F", "workspace", "--scope"];

/// Flags that mean all of them.
const ALL: &[&str] = &["-ws", "--workspaces", "-r", "--recursive", "workspaces"];

/// Scripts that are called in one place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PackageCall {
    /// Their names, with those that npm runs before and after; `*` stands for any end of a name.
    pub scripts: Vec<String>,
    /// The folder of the package, relative to the working directory.
    pub folder: String,
    /// In which of its workspaces.
    pub workspaces: Workspaces,
}

/// Which workspaces of a package are meant besides itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Workspaces {
    /// None.
    None,
    /// Those with one of these names or paths.
    Named(Vec<String>),
    /// Every one.
    All,
}

impl Workspaces {
    /// Is the one in this folder with this name meant?
    pub fn has(&self, folder: &str, name: Option<&str>) -> bool {
        let is_meant = |wanted: &String| {
            let plain = wanted.trim_start_matches("./").trim_end_matches('/');
            // Filters can say more than is read here: what is not plain means any.
            plain.contains(['*', '{', '!', '^', '['])
                || plain.contains("...")
                || Some(plain) == name
                || folder.ends_with(plain)
        };
        match self {
            Workspaces::None => false,
            Workspaces::Named(names) => names.iter().any(is_meant),
            Workspaces::All => true,
        }
    }
}

/// What a text calls of such scripts: `npm test` is `test`, `pretest` and `posttest`.
pub fn package_calls(text: &str) -> Vec<PackageCall> {
    let calls = simple_commands(text).into_iter().filter_map(|Simple { words, folder }| {
        let (first, rest) = words.split_first()?;
        let named = base(first);
        let of_all = OF_ALL.contains(&named);
        (of_all || RUNNERS.contains(&named)).then(|| call(rest, &folder, of_all))
    });
    calls.filter(|call| !call.scripts.is_empty()).collect()
}

fn call(words: &[String], folder: &str, of_all: bool) -> PackageCall {
    let (mut scripts, mut at, mut named, mut all) = (Vec::new(), folder.to_owned(), Vec::new(), of_all);
    let mut words = words.iter();
    while let Some(word) = words.next() {
        let (flag, value) = match word.split_once('=') {
            Some((flag, value)) if word.starts_with('-') => (flag, Some(value.to_owned())),
            _ => (word.as_str(), None),
        };
        if flag == "--" {
            break;
        } else if FOLDERS.contains(&flag) {
            at = value.or_else(|| words.next().cloned()).map_or(at, |to| below(folder, &to));
        } else if ONE.contains(&flag) {
            named.extend(value.or_else(|| words.next().cloned()));
        } else if ALL.contains(&flag) {
            all = true;
        } else if !flag.starts_with('-') && !matches!(flag, "run" | "run-script" | "foreach" | "exec") {
            let name = if matches!(flag, "t" | "tst") { "test" } else { flag };
            scripts.extend([name.to_owned(), format!("pre{name}"), format!("post{name}")]);
        }
    }
    scripts.sort();
    scripts.dedup();
    let workspaces = match (all, named.is_empty()) {
        (true, _) => Workspaces::All,
        (false, true) => Workspaces::None,
        (false, false) => Workspaces::Named(named),
    };
    PackageCall { scripts, folder: at, workspaces }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scripts_are_called_in_packages_and_their_workspaces() {
        let named = |names: &[&str]| Workspaces::Named(names.iter().map(|name| (*name).to_owned()).collect());
        for (text, script, folder, workspaces) in [
            ("npm run -s lint", "lint", "", Workspaces::None),
            ("npm t -- --run lint", "test", "", Workspaces::None),
            ("cd web && npm test", "test", "web", Workspaces::None),
            ("npm --prefix web test", "test", "web", Workspaces::None),
            ("yarn --cwd=web test", "test", "web", Workspaces::None),
            ("npm test -w packages/a --workspace=b", "test", "", named(&["packages/a", "b"])),
            ("yarn workspace a test", "test", "", named(&["a"])),
            ("pnpm --filter ./packages/a test", "test", "", named(&["./packages/a"])),
            ("npm run test --workspaces", "test", "", Workspaces::All),
            ("pnpm -r test", "test", "", Workspaces::All),
            ("npx turbo run test; turbo run test", "test", "", Workspaces::All),
            ("run-s lint:*", "lint:*", "", Workspaces::None),
        ] {
            let found = package_calls(text);
            assert_eq!(found.len(), 1, "{text}: {found:?}");
            assert!(found[0].scripts.contains(&script.to_owned()), "{text}: {found:?}");
            assert_eq!((found[0].folder.as_str(), &found[0].workspaces), (folder, &workspaces), "{text}");
        }
        assert_eq!(package_calls("cargo test; npm"), []);
        let a = named(&["./packages/a"]);
        assert!(
            a.has("packages/a", Some("x"))
                && !a.has("packages/b", Some("b"))
                && named(&["b"]).has("p/q", Some("b"))
        );
        assert!(
            named(&["...b"]).has("p/q", None)
                && Workspaces::All.has("x", None)
                && !Workspaces::None.has("x", None)
        );
    }
}
