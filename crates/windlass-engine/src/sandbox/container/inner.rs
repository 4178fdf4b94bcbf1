//! What a guest finds inside: its places and its variables.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use super::command::{Access, Mount};
use crate::sandbox::environment::PLACES;
use crate::sandbox::view::{Sight, View};

/// The places that make this view inside a container, where nothing of this machine is unless it is put there: what can
/// be written, what is shown or hidden within that, and these files.
pub fn mounts(view: &View, files: &[PathBuf]) -> Vec<Mount> {
    let mut placed = Placed::default();
    for (path, sight) in &view.places {
        placed.place(path, sight);
    }
    for file in files {
        placed.show(file);
    }
    placed.0.into_iter().filter_map(|(path, what)| what.mount(&path)).collect()
}

/// What is at a place inside, by the place. Outer places come before inner ones.
#[derive(Default)]
struct Placed(BTreeMap<PathBuf, What>);

#[derive(Clone, Debug, PartialEq, Eq)]
enum What {
    From(PathBuf, Access),
    Nothing,
}

impl Placed {
    fn place(&mut self, path: &Path, sight: &Sight) {
        let what = match (sight, self.seen(path)) {
            // What is so already; and what cannot be seen inside has neither to be guarded nor to be hidden.
            (Sight::Writable, Some(Access::Write))
            | (Sight::ReadOnly, Some(Access::Read) | None)
            | (Sight::Hidden, None) => return,
            (Sight::Writable, _) => What::From(path.to_owned(), Access::Write),
            (Sight::ReadOnly, Some(Access::Write)) => What::From(path.to_owned(), Access::Read),
            (Sight::Hidden, Some(_)) => What::Nothing,
            (Sight::Other(folder), _) => What::From(folder.clone(), Access::Write),
            (Sight::Shown(file), _) => What::From(file.clone(), Access::Read),
        };
        self.0.insert(path.to_owned(), what);
    }

    fn show(&mut self, file: &Path) {
        // outside: only where it leads is asked.
        let Ok(source) = file.canonicalize() else { return };
        if self.seen(file).is_none() {
            self.0.insert(file.to_owned(), What::From(source, Access::Read));
        }
    }

    /// What can be done inside with what is at this path outside; `None` where it cannot be seen under its own name.
    fn seen(&self, path: &Path) -> Option<Access> {
        let innermost = path.ancestors().find_map(|above| self.0.get_key_value(above));
        match innermost? {
            (place, What::From(source, access)) if place == source => Some(*access),
            _ => None,
        }
    }
}

impl What {
    fn mount(self, path: &Path) -> Option<Mount> {
        let target = path.to_owned();
        match self {
            What::From(source, access) => Some(Mount::Bind { source, target, access }),
            // outside: what is there of the whole system; nothing of it is opened.
            What::Nothing if path.is_dir() => Some(Mount::Hidden(target)),
            // outside: the same.
            What::Nothing if path.symlink_metadata().is_ok() => {
                Some(Mount::Bind { source: "/dev/null".into(), target, access: Access::Read })
            }
            What::Nothing => None,
        }
    }
}

/// The variables of a guest for the command line: those that the engine's client has itself, with the same value, by
/// their name alone. What says where something is on this machine says nothing inside. `wanted` are names that configuration adds, whatever they say.
pub fn variables(
    inside: Vec<(OsString, OsString)>,
    client: &[(OsString, OsString)],
    wanted: &[String],
) -> Vec<(OsString, Option<OsString>)> {
    let is_place = |name: &OsStr| {
        PLACES.iter().any(|place| name == *place) && !wanted.iter().any(|wanted| name == wanted.as_str())
    };
    inside
        .into_iter()
        .filter(|(name, _)| !is_place(name))
        .map(|(name, value)| {
            let same = client.iter().any(|(known, its)| *known == name && *its == value);
            (name, (!same).then_some(value))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn view(places: &[(&Path, Sight)]) -> View {
        View { places: places.iter().map(|(path, sight)| (path.to_path_buf(), sight.clone())).collect() }
    }

    // rows: 136
    #[test]
    fn only_what_lies_inside_is_guarded_hidden_or_shown() {
        let folder = tempfile::tempdir().unwrap();
        let base = folder.path().canonicalize().unwrap();
        for below in ["tree/.windlass/workspaces", "tree/.git", "tree/state", "own/tmp", "home/.ssh"] {
            std::fs::create_dir_all(base.join(below)).unwrap();
        }
        for file in ["tree/secret", "call", "tree/inside"] {
            std::fs::write(base.join(file), "").unwrap();
        }
        let at = |path: &str| base.join(path);
        let view = view(&[
            (&at("tree"), Sight::Writable),
            (&at("tree/.git"), Sight::Writable),
            (&at("tree/.windlass"), Sight::ReadOnly),
            (&at("tree/.windlass/workspaces"), Sight::Writable),
            (&at("tree/state"), Sight::Hidden),
            (&at("tree/secret"), Sight::Hidden),
            (&at("tree/gone"), Sight::Hidden),
            (&at("home/.ssh"), Sight::Hidden),
            (Path::new("/run/current-system"), Sight::ReadOnly),
            (Path::new("/tmp"), Sight::Other(at("own/tmp"))),
        ]);
        let files = [at("call"), at("tree/inside"), at("none")];
        let mounts = mounts(&view, &files);
        let bind = |source: &str, target: &str, access| Mount::Bind {
            source: if source.starts_with('/') { source.into() } else { at(source) },
            target: if target.starts_with('/') { target.into() } else { at(target) },
            access,
        };
        let expected = [
            bind("tree", "tree", Access::Write),
            bind("tree/.windlass", "tree/.windlass", Access::Read),
            bind("tree/.windlass/workspaces", "tree/.windlass/workspaces", Access::Write),
            Mount::Hidden(at("tree/state")),
            bind("/dev/null", "tree/secret", Access::Read),
            bind("own/tmp", "/tmp", Access::Write),
            bind("call", "call", Access::Read),
        ];
        for mount in &expected {
            assert!(mounts.contains(mount), "{mount:?} is not in {mounts:?}");
        }
        assert_eq!(mounts.len(), expected.len(), "{mounts:?}");
    }

    #[test]
    fn a_tree_below_the_outer_tmp_is_there_although_tmp_is_another_one() {
        let folder = tempfile::tempdir_in("/tmp").unwrap();
        let tree = folder.path().canonicalize().unwrap();
        let own = Path::new("/own/tmp").to_owned();
        let view = view(&[(Path::new("/tmp"), Sight::Other(own)), (&tree, Sight::Writable)]);
        let mounts = mounts(&view, &[]);
        assert!(mounts.contains(&Mount::Bind { source: tree.clone(), target: tree, access: Access::Write }));
    }

    #[test]
    fn a_value_is_on_the_command_line_only_where_the_client_has_another() {
        let pair = |name: &str, value: &str| (OsString::from(name), OsString::from(value));
        let client =
            [pair("HOME", "/home/u"), pair("TOKEN", "secret"), pair("PATH", "/bin"), pair("SHELL", "/z")];
        let inside =
            vec![pair("HOME", "/inside"), pair("TOKEN", "secret"), pair("PATH", "/bin"), pair("SHELL", "/z")];
        let said = variables(inside, &client, &["SHELL".to_owned()]);
        assert_eq!(
            said,
            [("HOME".into(), Some("/inside".into())), ("TOKEN".into(), None), ("SHELL".into(), None)]
        );
    }
}
