//! Secrets that the user's environment says are elsewhere.

use std::collections::BTreeSet;
use std::env;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use windlass_agents::AGENTS;

/// Variables that name a file or folder with secrets in place of the usual one.
const MOVED: &[&str] = &[
    "GNUPGHOME",
    "DOCKER_CONFIG",
    "AWS_SHARED_CREDENTIALS_FILE",
    "AWS_CONFIG_FILE",
    "NETRC",
    "GH_CONFIG_DIR",
];

/// The same for several files, separated as in `PATH`.
const MOVED_LISTS: &[&str] = &["KUBECONFIG"];

/// What of the folder of configurations holds secrets, wherever that folder is.
const OF_CONFIGURATIONS: &[&str] = &["windlass", "gh"];

/// The files and folders of secrets that this environment names in place of those of the home. Relative ones name
/// nothing that can be found again, and `/` and devices (`/dev/null` says that there are none) are not hidden. Nothing is
/// looked at: they need not exist.
pub(super) fn moved_secrets(environment: &[(OsString, OsString)]) -> Vec<PathBuf> {
    let values = |name: &'static str| {
        environment.iter().filter(move |(known, _)| known == name).map(|(_, value)| value.as_os_str())
    };
    let of_agents: BTreeSet<&str> =
        AGENTS.iter().map(|agent| agent.about().variables.settings_folder).collect();
    let moved =
        of_agents.into_iter().chain(MOVED.iter().copied()).flat_map(|name| values(name)).map(PathBuf::from);
    let listed = MOVED_LISTS.iter().flat_map(|name| values(name)).flat_map(env::split_paths);
    let below =
        |folder: &OsStr| OF_CONFIGURATIONS.iter().map(|name| PathBuf::from(folder).join(name)).collect();
    let configured = values("XDG_CONFIG_HOME").flat_map(|folder| -> Vec<PathBuf> { below(folder) });
    moved.chain(listed).chain(configured).filter(|path| can_be_hidden(path)).collect()
}

fn can_be_hidden(path: &Path) -> bool {
    path.is_absolute() && path.parent().is_some() && !path.starts_with("/dev")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_environment_moves_is_found() {
        for (name, value, expected) in [
            ("CLAUDE_CONFIG_DIR", "/c/claude", &["/c/claude"][..]),
            ("GNUPGHOME", "/c/keys", &["/c/keys"]),
            ("DOCKER_CONFIG", "/c/docker", &["/c/docker"]),
            ("AWS_SHARED_CREDENTIALS_FILE", "/c/aws", &["/c/aws"]),
            ("AWS_CONFIG_FILE", "/c/aws config", &["/c/aws config"]),
            ("NETRC", "/c/netrc", &["/c/netrc"]),
            ("GH_CONFIG_DIR", "/c/gh", &["/c/gh"]),
            ("KUBECONFIG", "/c/one:/c/two::three:", &["/c/one", "/c/two"]),
            ("XDG_CONFIG_HOME", "/c", &["/c/windlass", "/c/gh"]),
            ("XDG_CONFIG_HOME", "c", &[]),
            ("XDG_CONFIG_HOME", "", &[]),
            ("NETRC", "netrc", &[]),
            ("NETRC", "", &[]),
            ("NETRC", "/dev/null", &[]),
            ("GNUPGHOME", "/", &[]),
            ("HOME", "/home/u", &[]),
            ("netrc", "/c/netrc", &[]),
        ] {
            let found = moved_secrets(&[(name.into(), value.into())]);
            let expected: Vec<&Path> = expected.iter().map(Path::new).collect();
            assert_eq!(found, expected, "{name}={value}");
        }
    }

    #[test]
    fn all_of_an_environment_is_looked_through() {
        let environment =
            [("NETRC", "/n"), ("PATH", "/bin"), ("KUBECONFIG", "/k"), ("XDG_CONFIG_HOME", "/x")];
        let environment = environment.map(|(name, value)| (name.into(), value.into()));
        let expected = ["/n", "/k", "/x/windlass", "/x/gh"].map(PathBuf::from);
        assert_eq!(moved_secrets(&environment), expected);
    }
}
