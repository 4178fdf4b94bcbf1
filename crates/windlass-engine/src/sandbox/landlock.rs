//! Rules of the kernel for guests: which files they may open, which ports they may connect to.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use super::inside::{Door, Ports};
use super::view::{Sight, View};
use windlass_host::process::protocol::Text;

/// Devices that programs write to.
const DEVICES: &[&str] = &[
    "/dev/null",
    "/dev/zero",
    "/dev/full",
    "/dev/random",
    "/dev/urandom",
    "/dev/tty",
    "/dev/ptmx",
    "/dev/pts",
];

/// Where devices are. A disk among them has all that is hidden, whoever may read it (as root).
const ALL_DEVICES: &str = "/dev";

/// What programs read there beside those that they write to.
const READ_THERE: &[&str] = &["/dev/shm", "/dev/mqueue", "/dev/dri", "/dev/kfd", "/dev/kvm", "/dev/fuse"];

/// The same by how their names begin: graphics cards that are computed with.
const READ_THERE_BY_NAME: &str = "nvidia";

/// The rules for a view. Rules only ever add: whatever is granted is granted with all below it, so that what lies above
/// something hidden is granted piece by piece.
///
/// # Errors
/// Something hidden lies in what may be written, where files must be made anywhere.
pub(super) fn door(view: &View, ports: Ports) -> Result<Door, String> {
    let mut granted = Granted::default();
    granted.walk(view, Path::new("/"), &Sight::ReadOnly)?;
    granted.writable.extend(DEVICES.iter().map(PathBuf::from));
    let texts = |paths: BTreeSet<PathBuf>| paths.iter().map(|path| Text::from(path.as_os_str())).collect();
    Ok(Door { readable: texts(granted.readable), writable: texts(granted.writable), ports })
}

#[derive(Debug, Default)]
struct Granted {
    readable: BTreeSet<PathBuf>,
    writable: BTreeSet<PathBuf>,
}

impl Granted {
    fn walk(&mut self, view: &View, path: &Path, inherited: &Sight) -> Result<(), String> {
        let sight = view.places.get(path).unwrap_or(inherited);
        let hides = view.below(path).find(|(_, below)| **below == Sight::Hidden);
        match (sight, hides) {
            (Sight::ReadOnly, _) if path == Path::new(ALL_DEVICES) => self.grant_devices(),
            (Sight::Hidden, _) => {}
            (Sight::Writable, Some((hidden, _))) => {
                return Err(format!(
                    "{} lies in {}, which may be written: rules of the kernel cannot hide it there",
                    hidden.display(),
                    path.display()
                ));
            }
            (_, Some(_)) => return self.walk_into(view, path, sight),
            (Sight::Writable, None) => drop(self.writable.insert(path.to_owned())),
            (Sight::ReadOnly | Sight::Other(_), None) => drop(self.readable.insert(path.to_owned())),
            (Sight::Shown(source), None) => drop(self.readable.insert(source.clone())),
        }
        for (below, sight) in view.below(path) {
            self.walk_place(view, below, sight)?;
        }
        Ok(())
    }

    fn grant_devices(&mut self) {
        // outside: the machine's devices.
        let entries = fs::read_dir(ALL_DEVICES).into_iter().flatten().flatten().map(|entry| entry.path());
        let by_name = |path: &PathBuf| {
            path.file_name()
                .is_some_and(|name| name.as_encoded_bytes().starts_with(READ_THERE_BY_NAME.as_bytes()))
        };
        self.readable.extend(READ_THERE.iter().chain(DEVICES).map(PathBuf::from));
        self.readable.extend(entries.filter(by_name));
    }

    /// A place in what was granted, or hidden, as a whole.
    fn walk_place(&mut self, view: &View, path: &Path, sight: &Sight) -> Result<(), String> {
        if *sight == Sight::Hidden { Ok(()) } else { self.walk(view, path, sight) }
    }

    fn walk_into(&mut self, view: &View, path: &Path, sight: &Sight) -> Result<(), String> {
        // outside: names of the whole system, to grant them one by one.
        for entry in fs::read_dir(path).into_iter().flatten().flatten() {
            // A link is what it leads to, and granted there.
            // outside: of such an entry.
            if !entry.file_type().is_ok_and(|kind| kind.is_symlink()) {
                self.walk(view, &entry.path(), sight)?;
            }
        }
        Ok(())
    }
}
