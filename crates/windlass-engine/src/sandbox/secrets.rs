//! Where a user's secrets are: in the home, and where the environment says that they are instead.

use std::collections::BTreeSet;
use std::env;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::iter;
use std::path::{Path, PathBuf};

use windlass_agents::AGENTS;

/// What of a home holds secrets; what agents keep there for themselves comes to it.
const SECRETS: &[&str] = &[
    // Keys and passwords.
    ".ssh",
    ".gnupg",
    ".netrc",
    ".pgpass",
    ".my.cnf",
    ".git-credentials",
    ".config/git/credentials",
    ".vault-token",
    ".password-store",
    ".local/share/keyrings",
    ".local/share/kwalletd",
    ".pki",
    ".config/op",
    ".config/1Password",
    ".config/Bitwarden",
    ".config/Bitwarden CLI",
    ".config/keepassxc",
    ".config/sops",
    ".config/age",
    ".config/windlass",
    // Clouds and forges.
    ".aws",
    ".azure",
    ".kube",
    ".docker",
    ".s3cfg",
    ".boto",
    ".oci",
    ".fly",
    ".terraform.d",
    ".terraformrc",
    ".config/gcloud",
    ".config/doctl",
    ".config/hcloud",
    ".config/gh",
    ".config/hub",
    ".config/glab-cli",
    ".config/rclone",
    ".config/containers/auth.json",
    ".config/helm/registry",
    ".config/ngrok",
    // Registries of packages and models.
    ".npmrc",
    ".pypirc",
    ".config/pypoetry/auth.toml",
    ".cargo/credentials",
    ".cargo/credentials.toml",
    ".gem/credentials",
    ".m2/settings.xml",
    ".gradle/gradle.properties",
    ".composer/auth.json",
    ".config/composer/auth.json",
    ".nuget/NuGet/NuGet.Config",
    ".huggingface/token",
    ".cache/huggingface/token",
    ".cache/huggingface/stored_tokens",
    ".kaggle",
    // Agents.
    ".codex",
    ".gemini",
    // Browsers and mail.
    ".mozilla",
    ".librewolf",
    ".thunderbird",
    ".config/google-chrome",
    ".config/google-chrome-beta",
    ".config/chromium",
    ".config/BraveSoftware",
    ".config/microsoft-edge",
    ".config/vivaldi",
    ".config/opera",
    "snap/firefox",
    "snap/chromium",
    "snap/brave",
    "snap/opera",
    "snap/thunderbird",
    "snap/bitwarden",
    ".var/app",
    // What was typed.
    ".bash_history",
    ".zsh_history",
    ".zsh_sessions",
    ".zhistory",
    ".histfile",
    ".sh_history",
    ".ksh_history",
    ".local/share/fish",
    ".local/share/atuin",
    ".config/nushell/history.txt",
    ".config/nushell/history.sqlite3",
    ".python_history",
    ".node_repl_history",
    ".irb_history",
    ".psql_history",
    ".mysql_history",
    ".sqlite_history",
    ".rediscli_history",
];

/// What of a home holds secrets.
pub(super) fn secrets_of(home: PathBuf) -> impl Iterator<Item = PathBuf> {
    let of_agents = AGENTS.iter().flat_map(|agent| agent.about().files.of_home);
    SECRETS.iter().chain(of_agents).map(move |below| home.join(below))
}

/// The home that the environment names, and the one that the machine knows: where they differ, secrets lie in either.
pub(super) fn homes(named: &Path) -> impl Iterator<Item = PathBuf> {
    // outside: the machine's own list.
    let users = fs::read_to_string("/etc/passwd").unwrap_or_default();
    let known = home_of(&users, rustix::process::getuid().as_raw());
    iter::once(named.to_owned()).chain(known.filter(|known| known != named))
}

/// A user's home, in a list such as `/etc/passwd`.
fn home_of(users: &str, user: u32) -> Option<PathBuf> {
    let mut homes = users.lines().filter_map(|line| {
        let mut fields = line.split(':').skip(2);
        let (id, home) = (fields.next()?, fields.nth(2)?);
        (id.parse() == Ok(user)).then(|| PathBuf::from(home))
    });
    // That of a user who has none is often `/`.
    homes.next().filter(|home| home.is_absolute() && home.parent().is_some())
}

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
    fn the_home_that_the_machine_knows_is_one_too() {
        let users = "root:x:0:0:root:/root:/bin/bash\nnobody:x:9:9:n:/:/bin/false\nada:x:1000:1:A:/home/ada:/bin/fish\n";
        assert_eq!(home_of(users, 1000).as_deref(), Some(Path::new("/home/ada")));
        assert_eq!((home_of(users, 9), home_of(users, 7)), (None, None));
        let secrets: Vec<PathBuf> = secrets_of("/home/ada".into()).collect();
        for below in [".local/share/fish", "snap/firefox", ".config/sops", ".claude"] {
            assert!(secrets.contains(&Path::new("/home/ada").join(below)), "{below}");
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
