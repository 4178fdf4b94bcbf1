//! What is in a file's place, and what stays of it when it is replaced.

use std::fs;
use std::fs::Permissions;
use std::os::unix::fs::MetadataExt as _;
use std::os::unix::fs::{PermissionsExt as _, symlink};

use super::*;

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().mode() & 0o777
}

#[test]
fn permissions_stay_and_a_link_is_followed() {
    let folder = tempfile::tempdir().unwrap();
    let (real, link) = (folder.path().join("real.toml"), folder.path().join("config.toml"));
    fs::write(&real, "a = 1\n").unwrap();
    fs::set_permissions(&real, Permissions::from_mode(0o640)).unwrap();
    symlink("real.toml", &link).unwrap();
    write(&link, Some("a = 1\n"), "a = 2\n", Readers::Usual).unwrap();
    assert!(link.symlink_metadata().unwrap().is_symlink());
    assert_eq!((fs::read_to_string(&real).unwrap().as_str(), mode(&real)), ("a = 2\n", 0o640));
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2, "nothing is left beside it");
}

#[test]
fn a_new_file_is_private_when_it_holds_a_secret() {
    let folder = tempfile::tempdir().unwrap();
    let (open, secret) = (folder.path().join("a/b/config.toml"), folder.path().join("c/config.toml"));
    write(&open, None, "x", Readers::Usual).unwrap();
    write(&secret, None, "x", Readers::Owner).unwrap();
    assert_eq!(mode(&secret), 0o600);
    assert_eq!(mode(&open) & 0o600, 0o600);
    assert!(!is_readable_by_others(&secret).unwrap());
    assert_eq!(is_readable_by_others(&open).unwrap(), mode(&open) & 0o077 != 0);
}

#[test]
fn what_somebody_else_wrote_meanwhile_is_not_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("config.toml");
    fs::write(&path, "theirs").unwrap();
    for before in [None, Some("mine")] {
        assert!(matches!(write(&path, before, "x", Readers::Usual), Err(ConfigFileError::Changed(_))));
    }
    assert_eq!(fs::read_to_string(&path).unwrap(), "theirs");
}

#[test]
fn what_is_no_text_is_said() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let said =
        |name: &str| read(&path(name)).unwrap_err().to_string().replace(folder.path().to_str().unwrap(), "");
    assert_eq!(read(&path("none")).unwrap(), None);
    fs::write(path("latin"), b"a = 1\nb = '\xe4'\n").unwrap();
    assert_eq!(said("latin"), "/latin:2: the file is not UTF-8 text");
    assert_eq!(read(&path("latin/below")).unwrap(), None);
    fs::write(path("long"), vec![b'#'; LONGEST + 1]).unwrap();
    assert_eq!(said("long"), "/long is longer than 1 MiB: that is not a configuration");
    fs::create_dir(path("folder")).unwrap();
    assert_eq!(said("folder"), "/folder is not a file");
    symlink("nowhere", path("dangling")).unwrap();
    assert_eq!(said("dangling"), "/dangling is a link to nowhere, which is not there");
    symlink("loop", path("loop")).unwrap();
    assert!(read(&path("loop")).is_err());
    // A pipe that nobody writes to would keep the reader for ever.
    rustix::fs::mknodat(rustix::fs::CWD, path("pipe"), rustix::fs::FileType::Fifo, 0o600.into(), 0).unwrap();
    assert_eq!(said("pipe"), "/pipe is not a file");
}
