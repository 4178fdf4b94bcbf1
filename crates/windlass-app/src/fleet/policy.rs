//! A worker's policy, as its file and the command line say it.

use std::collections::BTreeSet;
use std::env;
use std::fmt::Display;
use std::path::{Path, PathBuf};

use windlass_core::fleet::policy::{MOST_LANES, Policy};
use windlass_fleet::names::{Account, Label, WorkerName};
use windlass_host::file::read_if_there;

use super::connect::machine_name;
use crate::app::App;
use crate::configuration::user_folder;
use crate::error::{AppError, Kind};

/// The variable that names a policy's file.
const VARIABLE: &str = "WINDLASS_WORKER_POLICY";

/// The policy's file beside the user's configuration.
const USUAL_FILE: &str = "worker.toml";

/// What the command line says of a policy.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PolicyRequest {
    /// The policy's file; `None` = the one that `WINDLASS_WORKER_POLICY` names, else the usual one, where it is there.
    pub file: Option<PathBuf>,
    /// By which the worker is known, before what the policy says.
    pub name: Option<String>,
    /// So many lanes at once, before what the policy says.
    pub lanes: Option<u16>,
}

/// A worker's policy, with the names in it checked.
#[derive(Clone, Debug)]
pub struct WorkerPolicy {
    /// By which the worker is known; the machine's own name where nothing says another one.
    pub name: WorkerName,
    /// So many lanes at once.
    pub lanes: u16,
    /// What it has.
    pub labels: BTreeSet<Label>,
    /// Whose usage limits count for it; `None` = its own.
    pub account: Option<Account>,
    /// Which runs it takes.
    pub policy: Policy,
}

impl App {
    /// Reads a worker's policy.
    ///
    /// # Errors
    /// A file that is named and not there, or anything in it that cannot be: with its place.
    pub fn worker_policy(&self, request: &PolicyRequest) -> Result<WorkerPolicy, AppError> {
        let named = request
            .file
            .clone()
            .or_else(|| env::var_os(VARIABLE).filter(|it| !it.is_empty()).map(PathBuf::from));
        let (place, policy) = match named {
            Some(file) => {
                let file = self.directory().join(file);
                match read(&file)? {
                    Some(policy) => (file, policy),
                    None => return Err(AppError::usage(format!("there is no policy {}", file.display()))),
                }
            }
            None => match user_folder()?.map(|folder| folder.join(USUAL_FILE)) {
                Some(file) => {
                    let policy = read(&file)?.unwrap_or_default();
                    (file, policy)
                }
                None => (PathBuf::from(USUAL_FILE), Policy::default()),
            },
        };
        checked(&place, policy, request)
    }
}

/// `None` where there is no such file.
fn read(file: &Path) -> Result<Option<Policy>, AppError> {
    let Some(bytes) = read_if_there(file).map_err(AppError::system)? else { return Ok(None) };
    let text = String::from_utf8(bytes).map_err(|_| wrong(file, "it is not UTF-8"))?;
    Policy::parse(&text).map(Some).map_err(|problem| wrong(file, problem))
}

fn wrong(file: &Path, problem: impl Display) -> AppError {
    AppError::new(Kind::Configuration, format!("{}: {problem}", file.display()))
}

fn checked(file: &Path, policy: Policy, request: &PolicyRequest) -> Result<WorkerPolicy, AppError> {
    let at = |key: &str, error: &dyn Display| wrong(file, format!("`{key}`: {error}"));
    let name = match (&request.name, &policy.name) {
        (Some(name), _) => name.parse().map_err(|error| AppError::usage(format!("--name: {error}")))?,
        (None, Some(name)) => name.parse().map_err(|error| at("name", &error))?,
        (None, None) => machine_name("")?,
    };
    let lanes = request.lanes.unwrap_or(policy.lanes);
    if !(1..=MOST_LANES).contains(&lanes) {
        return Err(AppError::usage(format!("--lanes {lanes}: a worker has 1 to {MOST_LANES} lanes")));
    }
    let labels: Result<BTreeSet<Label>, _> = policy.labels.iter().map(|label| label.parse()).collect();
    let labels = labels.map_err(|error| at("labels", &error))?;
    let account = policy.account.as_ref().map(|account| account.parse()).transpose();
    let account = account.map_err(|error| at("account", &error))?;
    Ok(WorkerPolicy { name, lanes, labels, account, policy })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str, request: &PolicyRequest) -> Result<WorkerPolicy, String> {
        let policy = Policy::parse(text).unwrap();
        checked(Path::new("worker.toml"), policy, request).map_err(|error| error.message)
    }

    #[test]
    fn the_command_line_goes_before_the_file() {
        let request = PolicyRequest { file: None, name: Some("b".to_owned()), lanes: Some(7) };
        let text = "name = 'a'\nlanes = 2\nlabels = ['gpu', 'os=linux']\naccount = 'team'";
        let policy = of(text, &PolicyRequest::default()).unwrap();
        assert_eq!((policy.name.as_str(), policy.lanes), ("a", 2));
        assert_eq!(policy.labels.len(), 2);
        assert_eq!(policy.account.unwrap().as_str(), "team");
        let policy = of(text, &request).unwrap();
        assert_eq!((policy.name.as_str(), policy.lanes), ("b", 7));
        assert_eq!(of("", &PolicyRequest::default()).unwrap().name, machine_name("").unwrap());
    }

    #[test]
    fn names_that_are_none_are_said_with_their_place() {
        let rule = "letters, digits and";
        for (text, place) in [
            ("name = 'a.b'", "worker.toml: `name`: \"a.b\" is no name of a worker"),
            ("labels = ['a+b']", "worker.toml: `labels`: \"a+b\" is no label"),
            ("account = 'a b'", "worker.toml: `account`: \"a b\" is no name of an account"),
        ] {
            let error = of(text, &PolicyRequest::default()).unwrap_err();
            assert!(error.starts_with(place) && error.contains(rule), "{error}");
        }
        let hostile = PolicyRequest { name: Some("x\n>".to_owned()), ..PolicyRequest::default() };
        let error = of("", &hostile).unwrap_err();
        assert!(error.starts_with("--name: ") && !error.contains('\n'), "{error}");
        for lanes in [0, 257] {
            let error =
                of("", &PolicyRequest { lanes: Some(lanes), ..PolicyRequest::default() }).unwrap_err();
            assert_eq!(error, format!("--lanes {lanes}: a worker has 1 to 256 lanes"));
        }
    }
}
