//! One call of `gh`: a program with arguments, shielded from prompts, pagers and colours.

use std::ffi::OsStr;

use jiff::Timestamp;
use serde_json::{Value, json};
use windlass_core::values::Ended;
use windlass_host::process::{Command, Output, ProcessError};

use super::fault::PROGRAM;
use super::{Gh, fault, read_issues, response};
use crate::{ForgeError, ForgeFault};

/// More of an answer is not taken in, in bytes: fifty conversations of long comments fit.
const LONGEST_ANSWER: usize = 16 * 1024 * 1024;

/// What would make it print otherwise, ask somebody, or look at another place than it is told.
const MISLEADING: &[&str] =
    &["GH_DEBUG", "DEBUG", "GH_FORCE_TTY", "CLICOLOR_FORCE", "GH_REPO", "GH_HOST", "GH_PAGER", "PAGER"];

/// How something is asked for.
#[derive(Clone, Copy, Debug)]
pub(super) enum Method {
    Post,
    Put,
    Patch,
    Delete,
}

impl Method {
    const fn name(self) -> &'static str {
        match self {
            Method::Post => "POST",
            Method::Put => "PUT",
            Method::Patch => "PATCH",
            Method::Delete => "DELETE",
        }
    }
}

/// What was read, and when.
pub(super) struct Read {
    pub value: Value,
    /// The forge's clock; `None` where it does not say.
    pub date: Option<Timestamp>,
}

/// A call that is being put together.
pub(super) struct Call<'a> {
    pub gh: &'a Gh,
    /// Completes "cannot …".
    pub doing: String,
}

impl Call<'_> {
    /// A question, or an order that REST does not have. Gives `data`.
    pub fn graphql(&self, query: &str, variables: &Value) -> Result<Value, ForgeError> {
        let body = json!({ "query": query, "variables": variables });
        let answer = self.json(self.command(["graphql"]), Some(&body))?.value;
        if let Some(fault) = fault::of_graphql(&answer) {
            return Err(self.failed(fault));
        }
        match answer {
            Value::Object(mut answer) => Ok(answer.remove("data").unwrap_or(Value::Null)),
            _ => Err(self.failed(ForgeFault::Garbled("it is JSON of another shape".to_owned()))),
        }
    }

    /// An order by REST.
    pub fn rest(&self, method: Method, path: &str, body: Option<&Value>) -> Result<Value, ForgeError> {
        self.json(self.command(["--method", method.name(), path]), body).map(|read| read.value)
    }

    /// A question by REST.
    pub fn get(&self, path: &str) -> Result<Read, ForgeError> {
        self.json(self.command(["--method", "GET", path]), None)
    }

    /// The end of a text, and how many bytes before it are left out.
    pub fn log(&self, path: &str, most: usize) -> Result<(String, u64), ForgeError> {
        // Colours and times go out of it yet.
        let output = self.run(self.command([path]).output_end(most.saturating_mul(2)))?;
        if output.succeeded() {
            return Ok((output.stdout.text(), output.stdout.dropped));
        }
        let status = fault::status_in(&output.stderr.text());
        Err(self.failed(fault::of(status, &response::ApiResponse::default(), &output)))
    }

    fn json(&self, command: Command, body: Option<&Value>) -> Result<Read, ForgeError> {
        let command = command.argument("--include").output_limit(LONGEST_ANSWER);
        let command = match body {
            Some(body) => command.arguments(["--input", "-"]).stdin(body.to_string()),
            None => command,
        };
        let output = self.run(command)?;
        if output.stdout.dropped > 0 {
            return Err(self.failed(ForgeFault::Garbled("it is longer than can be taken in".to_owned())));
        }
        let Some(answer) = response::split(&output.stdout.bytes) else {
            return Err(self.failed(fault::of(None, &response::ApiResponse::default(), &output)));
        };
        if !(200..300).contains(&answer.status) {
            return Err(self.failed(fault::of(Some(answer.status), &answer, &output)));
        }
        // Orders may be answered by nothing at all.
        if answer.body.trim_ascii().is_empty() {
            return Ok(Read { value: Value::Null, date: None });
        }
        let date = answer.header("date").and_then(read_issues::http_date);
        serde_json::from_slice(answer.body)
            .map(|value| Read { value, date })
            .map_err(|_| self.failed(ForgeFault::Garbled(fault::shape_of(answer.body))))
    }

    fn command<'a>(&self, arguments: impl IntoIterator<Item = &'a str>) -> Command {
        let command = Command::new(PROGRAM)
            .argument("api")
            .arguments(["--hostname", &self.gh.repository.host])
            .arguments(["--header", "Accept: application/vnd.github+json"])
            .arguments(arguments)
            .directory(&self.gh.directory)
            .timeout(self.gh.timeout);
        let command = MISLEADING.iter().fold(command, |command, name| command.environment(name, None));
        let settings = [("GH_PROMPT_DISABLED", "1"), ("GH_NO_UPDATE_NOTIFIER", "1"), ("NO_COLOR", "1")];
        let command = settings
            .into_iter()
            .fold(command, |command, (name, value)| command.environment(name, Some(OsStr::new(value))));
        let variables = &self.gh.variables;
        variables.iter().fold(command, |command, (name, value)| command.environment(name, Some(value)))
    }

    fn run(&self, command: Command) -> Result<Output, ForgeError> {
        let output = command.run().map_err(|error| self.not_run(error))?;
        match output.ended {
            Ended::Exited(_) => Ok(output),
            Ended::Signalled(signal) => {
                Err(self.failed(ForgeFault::Other(format!("{PROGRAM} was ended by signal {signal}"))))
            }
            Ended::Lost => Err(self.failed(ForgeFault::Other(format!("nobody saw how {PROGRAM} ended")))),
        }
    }

    fn not_run(&self, error: ProcessError) -> ForgeError {
        let fault = match &error {
            ProcessError::TimedOut { after, .. } => ForgeFault::TimedOut(*after),
            error if error.is_not_found() => ForgeFault::Missing { program: PROGRAM.to_owned() },
            error => ForgeFault::Other(error.to_string()),
        };
        ForgeError { source: Some(Box::new(error)), ..self.failed(fault) }
    }

    pub fn failed(&self, fault: ForgeFault) -> ForgeError {
        let hint = fault::hint(&fault, &self.gh.repository.host);
        ForgeError { doing: self.doing.clone(), fault, hint, source: None }
    }
}
