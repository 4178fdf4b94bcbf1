//! Which variables of the environment are secrets, and who gets them all the same: an agent those of its own login, a
//! check those that a person names for it. Whoever may read an agent's answers, or what a check prints, reads no more.

use crate::words::some_of;
use std::collections::BTreeSet;

use crate::redact::{Redactor, names_password, names_secret};
use crate::spec::RunSpec;

/// Variables that send a git elsewhere than where it is called, or have it make commits of another time: git sets them for hooks
/// and for aliases, and whatever a run starts would then work at another repository than the run itself. How far up git looks
/// for one stays the user's to say (`GIT_CEILING_DIRECTORIES`).
pub const ELSEWHERE: &[&str] = &[
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_OBJECT_DIRECTORY",
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_COMMON_DIR",
    "GIT_NAMESPACE",
    "GIT_PREFIX",
    "GIT_QUARANTINE_PATH",
    "GIT_CONFIG",
    "GIT_ATTR_SOURCE",
    "GIT_SHALLOW_FILE",
    "GIT_GRAFT_FILE",
    "GIT_AUTHOR_DATE",
    "GIT_COMMITTER_DATE",
    "GIT_LITERAL_PATHSPECS",
    "GIT_GLOB_PATHSPECS",
    "GIT_NOGLOB_PATHSPECS",
    "GIT_ICASE_PATHSPECS",
];

/// What is said of those that are set, before the first iteration; `None` where none is.
pub fn elsewhere_notice<'a>(set: impl Iterator<Item = &'a str>) -> Option<String> {
    let found: BTreeSet<String> = set.filter(|name| ELSEWHERE.contains(name)).map(str::to_owned).collect();
    let them = if found.len() == 1 { "it" } else { "them" };
    (!found.is_empty()).then(|| {
        format!(
            "left out of the environment: {}; git would work elsewhere with {them}, and whatever this run starts does not get {them}",
            in_words(&found)
        )
    })
}

/// Names that begin so say how somebody is logged in, whatever follows.
const LOGINS: &[&str] = &["AWS_"];

/// Names that begin like a login's and are none: where certificates lie, and where a service is.
const NO_LOGINS: &[&str] =
    &["AWS_CA_BUNDLE", "AWS_REGION", "AWS_DEFAULT_REGION", "AWS_PAGER", "AWS_DEFAULT_OUTPUT"];

/// What is not a secret whatever it is called: a switch.
const SWITCHES: &[&str] = &["true", "false", "yes", "none", "null", "auto"];

/// The way to a service may hold a password.
const PROXIES: &[&str] = &["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"];

/// Variables by which an agent is logged in, works and finds its service, as the agent says.
#[derive(Debug, PartialEq, Eq)]
pub struct AgentVariables {
    /// How the names of its own begin: its login, how it works, and the way to its service.
    pub own: &'static [&'static str],
    /// Credentials that are charged per token. A person with a subscription who has one of them set for other programs
    /// would pay twice.
    pub api_keys: &'static [&'static str],
    /// Where its models are had from, by the variables that say so, and how the names of that login begin.
    pub providers: &'static [(&'static [&'static str], &'static [&'static str])],
}

/// A variable of the environment, as far as it can be read.
pub type Variable = (String, String);

/// Who inherits an environment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Heir {
    /// An agent, or a judge, or one that a person talks to.
    Agent {
        /// What is its own.
        variables: &'static AgentVariables,
        /// It may have API keys.
        api_keys: bool,
        /// Names that a person lets into its sandbox.
        named: Vec<String>,
    },
    /// A check, or what makes a checkout ready.
    Check {
        /// Names that a person lets it have.
        named: Vec<String>,
    },
}

impl Heir {
    /// A run's agent. What a person lets into its sandbox by name is for it, too.
    pub fn agent(plan: &RunSpec, variables: &'static AgentVariables) -> Heir {
        Heir::Agent { variables, api_keys: plan.agent.api_keys, named: let_in(plan) }
    }

    /// A run's checks, and what makes its checkouts ready.
    pub fn check(plan: &RunSpec) -> Heir {
        Heir::Check { named: [let_in(plan), plan.environment.clone()].concat() }
    }
}

fn let_in(plan: &RunSpec) -> Vec<String> {
    if plan.sandbox.is_on() { plan.sandbox.environment.clone() } else { Vec::new() }
}

/// The names of those variables that this heir does not get.
pub fn withheld(variables: &[Variable], heir: &Heir) -> BTreeSet<String> {
    let kept = variables.iter().filter(|(name, value)| match heir {
        Heir::Agent { named, .. } | Heir::Check { named } if named.contains(name) => false,
        Heir::Agent { variables: own, api_keys, .. } => {
            let is_key = own.api_keys.contains(&name.as_str());
            is_key && !api_keys || is_secret(name, value) && !own.is_login(name, variables)
        }
        Heir::Check { .. } => is_secret(name, value),
    });
    kept.map(|(name, _)| name.clone()).collect()
}

/// Is it a secret, by its name or by what it holds?
pub fn is_secret(name: &str, value: &str) -> bool {
    if value.is_empty() || NO_LOGINS.contains(&name) {
        return false;
    }
    if LOGINS.iter().any(|begin| name.starts_with(begin)) {
        return true;
    }
    let switch = SWITCHES.iter().any(|word| value.eq_ignore_ascii_case(word));
    let number = value.len() < 12 && value.bytes().all(|byte| byte.is_ascii_digit());
    if (switch || number) && !names_password(name) {
        return false;
    }
    names_secret(name) || says_a_secret(name, value)
}

/// Would it be hidden where it is told?
fn says_a_secret(name: &str, value: &str) -> bool {
    let said = format!("{name}={value}");
    Redactor::new().redact(&said) != said
}

impl AgentVariables {
    /// Is it how the agent gets to its models? API keys are, too.
    fn is_login(&self, name: &str, variables: &[Variable]) -> bool {
        self.own.iter().any(|begin| name.starts_with(begin))
            || PROXIES.iter().any(|proxy| name.eq_ignore_ascii_case(proxy))
            || self.is_providers(name, variables)
    }

    /// Is it part of the login at whoever the agent's models are had from?
    pub fn is_providers(&self, name: &str, variables: &[Variable]) -> bool {
        let begins = |prefixes: &[&str]| prefixes.iter().any(|prefix| name.starts_with(prefix));
        let on = |switch: &&str| variables.iter().any(|(name, value)| name == switch && is_on(value));
        self.providers.iter().any(|(switches, names)| begins(names) && switches.iter().any(on))
    }
}

fn is_on(value: &str) -> bool {
    matches!(value.trim().to_ascii_lowercase().as_str(), "1" | "true" | "yes" | "on")
}

/// The most names in one sentence.
const MOST: usize = 12;

/// Names in one line; of many the first.
pub fn in_words(names: &BTreeSet<String>) -> String {
    some_of(names.iter().map(|name| name.replace(|char: char| char.is_control(), " ")), MOST)
}

/// What is said before the first iteration; `None` where nothing is withheld.
pub fn notice_of(
    from_agent: &BTreeSet<String>,
    from_checks: &BTreeSet<String>,
    of: &AgentVariables,
) -> Option<String> {
    let also = "agent.api_keys lets its API keys through";
    let both: BTreeSet<String> = from_agent.intersection(from_checks).cloned().collect();
    let agent: BTreeSet<String> = from_agent.difference(&both).cloned().collect();
    let checks: BTreeSet<String> = from_checks.difference(&both).cloned().collect();
    let told = [("agent and checks", both), ("the agent", agent), ("checks", checks)];
    let told: Vec<String> = told
        .into_iter()
        .filter(|(_, names)| !names.is_empty())
        .map(|(whom, names)| format!("from {whom}: {}", in_words(&names)))
        .collect();
    let key = of.api_keys.iter().any(|key| from_agent.contains(*key));
    let lets = if from_checks.is_empty() { "" } else { "; environment.allow lets checks have some" };
    let lets_keys = if key { format!("; {also}") } else { String::new() };
    (!told.is_empty()).then(|| format!("secrets withheld {}{lets}{lets_keys}", told.join("; ")))
}

/// What is said where a check fails before the first iteration, and it may be for want of a variable: those that it
/// speaks of, or else the first.
pub fn hint(withheld: &BTreeSet<String>, command: &str, said: &str) -> Option<String> {
    let spoken = |name: &&String| said.contains(name.as_str()) || command.contains(name.as_str());
    let name = withheld.iter().find(spoken).or(withheld.first())?;
    let names = in_words(withheld);
    Some(format!(
        "checks do not get {names}; if one needs it: windlass config set environment.allow --add {name}"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    static OWN: AgentVariables = AgentVariables {
        own: &["AGENT_"],
        api_keys: &["AGENT_API_KEY"],
        providers: &[(&["AGENT_USE_CLOUD"], &["AWS_"])],
    };

    fn variables(of: &[(&str, &str)]) -> Vec<Variable> {
        of.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
    }

    #[test]
    fn secrets_are_known_by_their_names_and_by_what_they_hold() {
        for (name, value) in [
            ("OPENAI_API_KEY", "abcd"),
            ("GITHUB_TOKEN", "x"),
            ("GH_TOKEN_2", "abcd"),
            ("AWS_PROFILE", "prod"),
            ("AWS_ACCESS_KEY_ID", "AKIA"),
            ("SECRET_KEY_BASE", "abcdef"),
            ("db_password", "hunter2"),
            ("DB_PASSWORD", "12345678"),
            ("ADMIN_PIN", "4711"),
            ("VAULT_PASSPHRASE", "none"),
            ("GOOGLE_APPLICATION_CREDENTIALS", "/home/u/key.json"),
            ("DATABASE_URL", "postgres://me:hunter2@db/x"),
            ("MY_SETTING", "ghp_A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8"),
            ("CI_JOB_JWT", "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.sig-n"),
        ] {
            assert!(is_secret(name, value), "{name}");
        }
        for (name, value) in [
            ("AWS_CA_BUNDLE", "/etc/ssl/certs/ca-certificates.crt"),
            ("AWS_REGION", "eu-central-1"),
            ("PATH", "/usr/bin:/bin"),
            ("PWD", "/home/u/token"),
            ("SSH_AUTH_SOCK", "/run/x"),
            ("GIT_ASKPASS", "/usr/bin/x"),
            ("MAX_THINKING_TOKENS", "8000"),
            ("USE_AUTH", "true"),
            ("TOKEN_LIFETIME_TOKEN", "3600"),
            ("API_KEY", ""),
            ("LS_COLORS", "rs=0:di=01;34:*.key=00;36"),
            ("HTTPS_PROXY", "http://proxy:3128"),
            ("MONKEY", "banana"),
        ] {
            assert!(!is_secret(name, value), "{name}");
        }
    }

    #[test]
    fn an_agent_gets_its_own_login_and_a_check_what_is_named() {
        let plain = variables(&[
            ("AGENT_API_KEY", "sk-ant-1"),
            ("AGENT_LOGIN_TOKEN", "oat"),
            ("AWS_SECRET_ACCESS_KEY", "abcd"),
            ("GITHUB_TOKEN", "abcd"),
            ("HTTPS_PROXY", "http://u:password@proxy:3128"),
            ("PATH", "/bin"),
        ]);
        let agent = |api_keys, variables: &[Variable]| {
            in_words(&withheld(variables, &Heir::Agent { variables: &OWN, api_keys, named: Vec::new() }))
        };
        assert_eq!(agent(false, &plain), "AGENT_API_KEY, AWS_SECRET_ACCESS_KEY, GITHUB_TOKEN");
        assert_eq!(agent(true, &plain), "AWS_SECRET_ACCESS_KEY, GITHUB_TOKEN");
        for (switch, expected) in [("1", "GITHUB_TOKEN"), ("0", "AWS_SECRET_ACCESS_KEY, GITHUB_TOKEN")] {
            let on = [plain.clone(), variables(&[("AGENT_USE_CLOUD", switch)])].concat();
            assert_eq!(agent(true, &on), expected);
        }
        let named = vec!["GITHUB_TOKEN".to_owned()];
        let check = withheld(&plain, &Heir::Check { named: named.clone() });
        assert_eq!(in_words(&check), "AGENT_API_KEY, AGENT_LOGIN_TOKEN, AWS_SECRET_ACCESS_KEY, HTTPS_PROXY");
        let inside = withheld(&plain, &Heir::Agent { variables: &OWN, api_keys: true, named });
        assert_eq!(in_words(&inside), "AWS_SECRET_ACCESS_KEY");
    }

    #[test]
    fn what_sends_git_elsewhere_is_named() {
        assert_eq!(elsewhere_notice(["PATH", "GIT_EDITOR"].into_iter()), None);
        let said = elsewhere_notice(["PATH", "GIT_WORK_TREE", "GIT_DIR"].into_iter()).unwrap();
        assert!(said.starts_with("left out of the environment: GIT_DIR, GIT_WORK_TREE; "), "{said}");
    }

    #[test]
    fn what_is_withheld_is_said_once_and_how_to_let_it_through() {
        let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<BTreeSet<_>>();
        assert_eq!(notice_of(&names(&[]), &names(&[]), &OWN), None);
        assert_eq!(
            notice_of(&names(&["A_TOKEN"]), &names(&["A_TOKEN", "B_KEY"]), &OWN).unwrap(),
            "secrets withheld from agent and checks: A_TOKEN; from checks: B_KEY; environment.allow lets checks have some"
        );
        let of_agent = notice_of(&names(&["AGENT_API_KEY"]), &names(&[]), &OWN).unwrap();
        assert!(of_agent.ends_with("AGENT_API_KEY; agent.api_keys lets its API keys through"), "{of_agent}");
        let many: BTreeSet<String> = (10..40).map(|number| format!("T{number}")).collect();
        assert!(in_words(&many).ends_with("T21 and 18 more"));

        let both = names(&["A_TOKEN", "B_KEY"]);
        let said = hint(&both, "make test", "B_KEY is not set").unwrap();
        assert!(said.ends_with("windlass config set environment.allow --add B_KEY"), "{said}");
        assert!(hint(&both, "make test", "").unwrap().ends_with("--add A_TOKEN"));
        assert_eq!(hint(&names(&[]), "make test", "B_KEY"), None);
    }
}
