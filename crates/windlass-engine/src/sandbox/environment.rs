//! What a guest's environment holds.

use std::ffi::{OsStr, OsString};
use std::path::Path;

use windlass_agents::Variables;
use windlass_core::environment::Variable;
use windlass_core::spec::{Network, SandboxSpec};

use super::Guest;
use windlass_host::environment::readable;

/// Variables that are passed on to every guest and say where something is on this machine: programs, tools, certificates.
pub(super) const PLACES: &[&str] = &[
    "PATH",
    "SHELL",
    "RUSTUP_HOME",
    "GOROOT",
    "JAVA_HOME",
    "NVM_DIR",
    "NVM_BIN",
    "PYENV_ROOT",
    "VIRTUAL_ENV",
    "NIX_PROFILES",
    "NIX_SSL_CERT_FILE",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    "NODE_EXTRA_CA_CERTS",
    "REQUESTS_CA_BUNDLE",
    "CURL_CA_BUNDLE",
    "GIT_SSL_CAINFO",
];

/// Variables that are passed on to every guest, where they are set.
const PASSED_ON: &[&str] = &[
    "LANG",
    "LANGUAGE",
    "TERM",
    "COLORTERM",
    "NO_COLOR",
    "FORCE_COLOR",
    "CI",
    "TZ",
    "USER",
    "LOGNAME",
    // How tools work.
    "RUSTUP_TOOLCHAIN",
    "GOFLAGS",
    "GOPROXY",
    // Who commits.
    "GIT_AUTHOR_NAME",
    "GIT_AUTHOR_EMAIL",
    "GIT_COMMITTER_NAME",
    "GIT_COMMITTER_EMAIL",
    // What a run tells whom it starts.
    "WINDLASS_RUN",
    "WINDLASS_CALL",
    "WINDLASS_WORKSPACE",
    "WINDLASS_WORKTREE",
    "WINDLASS_LANE",
    "WINDLASS_PORT_BASE",
    "WINDLASS_PORT_COUNT",
];

/// The machine's own way out: of use to whom the network is open, and misleading to all others, who are led to a proxy
/// of ours, or nowhere.
const WAY_OUT: &[&str] = &[
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "FTP_PROXY",
    "NO_PROXY",
    "ALL_PROXY",
    "http_proxy",
    "https_proxy",
    "ftp_proxy",
    "no_proxy",
    "all_proxy",
];

/// Variables that are passed on to every guest, by how their names begin.
const PASSED_ON_BY_PREFIX: &[&str] = &["LC_", "WINDLASS_HOOK_", "FRESHER_"];

/// Who gets the environment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Holder {
    /// An agent.
    Agent,
    /// A check or a hook.
    Command,
}

/// Who a guest is here, and what it gets beyond the usual variables.
pub(super) fn heir(guest: Guest<'_>, plan: &SandboxSpec) -> (Holder, Vec<String>) {
    match guest {
        Guest::Agent { .. } => (Holder::Agent, plan.environment.clone()),
        Guest::Command { variables } => (Holder::Command, [&plan.environment, variables].concat()),
    }
}

/// What the sandbox says itself.
#[derive(Clone, Copy, Debug)]
pub(super) struct Own<'a> {
    /// The sandbox's kind.
    pub kind: &'static str,
    /// What is said of the environment by the agent that is locked in.
    pub agent: &'static Variables,
    /// The home inside.
    pub home: &'a Path,
    /// Where temporary files go inside.
    pub temporary: &'a Path,
    /// Settings of git.
    pub git: &'a [(String, String)],
    /// Where the user's Rust toolchains are.
    pub toolchains: Option<&'a Path>,
    /// What of the network can be reached.
    pub network: &'a Network,
}

/// The environment of a guest: of what would be passed on outside, what is needed and tells nothing; and what the
/// sandbox says itself. `further` are names that configuration adds.
pub(super) fn environment(
    outside: Vec<(OsString, OsString)>,
    holder: Holder,
    further: &[String],
    own: Own<'_>,
) -> Vec<(OsString, OsString)> {
    let known = readable(&outside);
    let passed = |name: &OsStr| {
        is_passed_on(name, holder, further, own) || is_own_login(name, holder, own.agent, &known)
    };
    let mut inside: Vec<(OsString, OsString)> =
        outside.into_iter().filter(|(name, _)| passed(name)).collect();
    let mut set = |name: &str, value: &OsStr| {
        inside.retain(|(known, _)| known != name);
        inside.push((name.into(), value.to_owned()));
    };
    set("HOME", own.home.as_os_str());
    set("TMPDIR", own.temporary.as_os_str());
    for (name, value) in own.agent.in_sandboxes {
        set(name, value.as_ref());
    }
    set("WINDLASS_SANDBOX", own.kind.as_ref());
    let git: Vec<(&str, &str)> = own
        .git
        .iter()
        .map(|(name, value)| (name.as_str(), value.as_str()))
        // Whoever owns it, it is the one that is to be worked on. The keys to sign with are not inside.
        .chain([("safe.directory", "*"), ("commit.gpgSign", "false"), ("tag.gpgSign", "false")])
        .collect();
    set("GIT_CONFIG_COUNT", git.len().to_string().as_ref());
    for (number, (name, value)) in git.into_iter().enumerate() {
        set(&format!("GIT_CONFIG_KEY_{number}"), name.as_ref());
        set(&format!("GIT_CONFIG_VALUE_{number}"), value.as_ref());
    }
    if let Some(toolchains) = own.toolchains
        && !inside.iter().any(|(name, _)| name == "RUSTUP_HOME")
    {
        inside.push(("RUSTUP_HOME".into(), toolchains.as_os_str().to_owned()));
    }
    inside
}

/// Is it an agent's login at whoever its models are had from?
fn is_own_login(name: &OsStr, holder: Holder, agent: &Variables, known: &[Variable]) -> bool {
    holder == Holder::Agent && name.to_str().is_some_and(|name| agent.inherited.is_providers(name, known))
}

fn is_passed_on(name: &OsStr, holder: Holder, further: &[String], own: Own<'_>) -> bool {
    let Own { agent, network, .. } = own;
    let Some(name) = name.to_str() else {
        return false;
    };
    let begins = |prefixes: &[&str]| prefixes.iter().any(|prefix| name.starts_with(prefix));
    if WAY_OUT.contains(&name) {
        return *network == Network::On;
    }
    further.iter().any(|known| known == name)
        || PASSED_ON.contains(&name)
        || PLACES.contains(&name)
        || begins(PASSED_ON_BY_PREFIX)
        || (holder == Holder::Agent && begins(agent.let_in) && !agent.kept_out.contains(&name))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn inside(outside: &[(&str, &str)], holder: Holder, further: &[&str]) -> Vec<(String, String)> {
        with_network(&Network::On, outside, holder, further)
    }

    fn with_network(
        network: &Network,
        outside: &[(&str, &str)],
        holder: Holder,
        further: &[&str],
    ) -> Vec<(String, String)> {
        let own = Own {
            kind: "bwrap",
            agent: windlass_agents::usual().about().variables,
            home: Path::new("/own/home"),
            temporary: Path::new("/tmp"),
            git: &[("user.name".to_owned(), "N".to_owned())],
            toolchains: Some(Path::new("/home/u/.rustup")),
            network,
        };
        let outside = outside.iter().map(|(name, value)| (name.into(), value.into())).collect();
        let further: Vec<String> = further.iter().map(|name| (*name).to_owned()).collect();
        let text = |os: OsString| os.into_string().unwrap();
        let environment = environment(outside, holder, &further, own);
        environment.into_iter().map(|(name, value)| (text(name), text(value))).collect()
    }

    #[test]
    fn what_is_not_on_the_list_stays_outside() {
        for (name, agent, command) in [
            ("PATH", true, true),
            ("LC_ALL", true, true),
            ("WINDLASS_HOOK_STAGE", true, true),
            ("WINDLASS_RUN", true, true),
            ("WINDLASS_NOTIFY__URL", false, false),
            ("ANTHROPIC_API_KEY", true, false),
            ("CLAUDE_CODE_OAUTH_TOKEN", true, false),
            ("CLAUDE_CONFIG_DIR", false, false),
            ("BASH_ENV", false, false),
            ("AWS_SECRET_ACCESS_KEY", false, false),
            ("GITHUB_TOKEN", false, false),
            ("SSH_AUTH_SOCK", false, false),
            ("XDG_RUNTIME_DIR", false, false),
            ("GIT_DIR", false, false),
            ("LD_PRELOAD", false, false),
            ("NODE_OPTIONS", false, false),
            ("MY_OWN", true, true),
        ] {
            for (holder, expected) in [(Holder::Agent, agent), (Holder::Command, command)] {
                let found = inside(&[(name, "value")], holder, &["MY_OWN"]);
                assert_eq!(found.iter().any(|(known, _)| known == name), expected, "{name} {holder:?}");
            }
        }
    }

    // A proxy's address may hold a password, too.
    #[test]
    fn the_machines_own_way_out_is_only_for_whom_the_network_is_open() {
        let hosts = Network::Hosts(vec!["example.com".to_owned()]);
        for (network, expected) in [(Network::On, true), (Network::Off, false), (hosts, false)] {
            for name in WAY_OUT {
                let found = with_network(&network, &[(name, "http://u:p@proxy")], Holder::Agent, &[name]);
                assert_eq!(found.iter().any(|(known, _)| known == name), expected, "{name} {network:?}");
            }
        }
    }

    #[test]
    fn the_sandbox_has_the_last_word() {
        let outside =
            [("HOME", "/home/u"), ("IS_SANDBOX", "0"), ("RUSTUP_HOME", "/r"), ("GIT_CONFIG_COUNT", "9")];
        let found = inside(&outside, Holder::Command, &["HOME", "IS_SANDBOX"]);
        let value = |name: &str| {
            let values: Vec<&str> =
                found.iter().filter(|(known, _)| known == name).map(|(_, value)| value.as_str()).collect();
            values.join("|")
        };
        assert_eq!(value("HOME"), "/own/home");
        assert_eq!(value("TMPDIR"), "/tmp");
        assert_eq!(value("IS_SANDBOX"), "1");
        assert_eq!(value("RUSTUP_HOME"), "/r");
        assert_eq!(value("GIT_CONFIG_COUNT"), "4");
        assert_eq!(
            (value("GIT_CONFIG_KEY_0"), value("GIT_CONFIG_VALUE_0")),
            ("user.name".into(), "N".into())
        );
        assert_eq!(
            (value("GIT_CONFIG_KEY_1"), value("GIT_CONFIG_VALUE_1")),
            ("safe.directory".into(), "*".into())
        );
    }
}
