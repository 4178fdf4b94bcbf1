//! What an agent does and says.

use std::ffi::OsString;
use std::fmt;
use std::path::{Path, PathBuf};

use windlass_core::observation::{ToolInput, ToolTrace};
use windlass_core::price::{Price, PriceList};
use windlass_core::spec::{AgentSpec, RunSpec};
use windlass_core::trust::{ApiHost, Startable};
use windlass_core::values::{Cost, Denial, Purpose};

use crate::{About, Decoder, Digest, Judgement, Opening, Permissions, Right, Signs, SourceKind};

/// An agent: how it is called, and what its answers mean.
pub trait Agent: fmt::Debug + Sync {
    /// What it is.
    fn about(&self) -> &'static About;

    /// The command line that asks it this; `None` where it has no answer.
    fn question(&self, _agent: &AgentSpec, _question: Question) -> Option<Invocation> {
        None
    }

    /// Its version, as it answered.
    fn version(&self, _said: &str) -> Result<String, Unfit> {
        Ok(String::new())
    }

    /// Whether it is logged in, as it answered; `None` where it did not say.
    fn login(&self, _said: &str) -> Option<Login> {
        None
    }

    /// The invocation of one call. A fresh session always: nothing is resumed, nothing is kept.
    fn call(&self, agent: &AgentSpec, call: CallFiles<'_>) -> Invocation;

    /// How a call is talked through, where the agent is one that is talked with ([`Conversation`](crate::Conversation));
    /// `None` where its prompt is all that it is told.
    fn opening(&self, _agent: &AgentSpec, _call: CallFiles<'_>, _directory: &Path) -> Option<Opening> {
        None
    }

    /// The invocation of a session with a person: whatever is not allowed is asked.
    fn session(&self, agent: &AgentSpec, files: SessionFiles<'_>) -> Invocation;

    /// Why an argument for it is refused: Windlass gives this flag itself. `None` = it may be passed through.
    fn owned_flag(&self, argument: &str) -> Option<&'static str>;

    /// A right in its own words: rules as `permissions.allow` takes them. Empty where it knows no rules, or not this one.
    fn rules(&self, _right: &Right) -> Vec<String> {
        Vec::new()
    }

    /// The generated settings of a run, the runner's own files being below `state`.
    fn run_settings(&self, _plan: &RunSpec, _state: &Path) -> String {
        String::new()
    }

    /// The generated settings of a session.
    fn session_settings(&self, _permissions: &Permissions) -> String {
        String::new()
    }

    /// The file that a refused call was to change, as it named it; `None` where it was to do something else.
    fn file_to_change<'a>(&self, _denial: &'a Denial) -> Option<&'a str> {
        None
    }

    /// Is it one of the files that steer it?
    fn steers(&self, _file: &Path) -> bool {
        false
    }

    /// What reads its output.
    fn decoder(&self) -> Box<dyn Decoder>;

    /// What a line of its standard error says (without its `\n`), where that tells more than the end of it.
    fn error_line(&self, _line: &[u8]) -> Option<Digest> {
        None
    }

    /// How a call went.
    fn judge(&self, signs: &Signs<'_>) -> Judgement;

    /// What a line says of tool calls.
    fn tool_traces(&self, line: &[u8], found: &mut dyn FnMut(ToolTrace));

    /// What a tool is to do, from its input as it was written.
    fn tool_input(&self, tool: &str, written: &str) -> ToolInput;

    /// What its models cost, after what a person said.
    fn prices<'a>(&self, own: &'a [Price]) -> PriceList<'a>;

    /// Does it read this file of the project, which holds this text, by itself? `found` are all its own instructions from
    /// the folder that it works in upwards. Where nobody knows what it reads, or what it reads differs, it is told.
    fn reads_by_itself(&self, _: &AgentSpec, _: Place<'_>, _text: &str, _found: &[Instructions]) -> bool {
        false
    }

    /// What a file of a repository starts or redirects; `None` where it cannot be read as such a file.
    fn starts(&self, _kind: SourceKind, _name: &str, _bytes: &[u8]) -> Option<Vec<Startable>> {
        Some(Vec::new())
    }

    /// What settings of a repository close: it holds as well where the rest is left out.
    fn denied(&self, _settings: &[u8]) -> Vec<String> {
        Vec::new()
    }

    /// Where settings send its calls.
    fn hosts_in(&self, _settings: &[u8]) -> Vec<ApiHost> {
        Vec::new()
    }

    /// Where variables of the environment send its calls.
    fn hosts_among(&self, _variables: &[(String, String)]) -> Vec<ApiHost> {
        Vec::new()
    }

    /// The words of a command in its settings that may be files of the repository.
    fn words_of_command(&self, _text: &str) -> Vec<String> {
        Vec::new()
    }
}

/// What is asked of an agent before it works.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Question {
    /// Which version it is.
    Version,
    /// Whether it is logged in.
    Login,
}

/// Why an agent cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unfit {
    /// It does not say a version: it may be another program.
    Unclear,
    /// It is too old.
    TooOld {
        /// Its version.
        version: String,
        /// The oldest one that is known to work.
        needed: String,
    },
}

/// Whether an agent is logged in, as it says itself. It looks at what it has and asks nobody, so credentials that were
/// revoked or have expired still count.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Login {
    /// It is.
    pub logged_in: bool,
    /// By what: `none`, `api_key`, `oauth_token`, …; empty where it does not say.
    pub method: String,
}

/// A command line and what is changed in its environment. The prompt of a call goes to standard input: as an argument it
/// could be 128 KiB at most, and one that begins with `-` or `/` would mean something else.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Invocation {
    /// The program.
    pub program: PathBuf,
    /// Its arguments, without its own name.
    pub arguments: Vec<OsString>,
    /// Variables to set, or to remove (`None`).
    pub environment: Vec<(String, Option<String>)>,
}

/// What a call is given besides its plan.
#[derive(Clone, Copy, Debug)]
pub struct CallFiles<'a> {
    /// The file that holds the prompt, which is on standard input as well.
    pub prompt: &'a Path,
    /// The file that holds what is appended to the system prompt.
    pub system_prompt: &'a Path,
    /// The generated settings.
    pub settings: &'a Path,
    /// What this call may cost; `None` = no limit of its own.
    pub budget: Option<Cost>,
    /// What it is for: some are asked for a structured answer, and some may not edit.
    pub purpose: Purpose,
    /// What holds it, beyond its own rules.
    pub confinement: Confinement,
}

/// What holds an agent, beyond its own rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Confinement {
    /// Nothing.
    None,
    /// A sandbox of Windlass's: one of the agent's own would not start within it, and is not needed.
    Sandbox,
}

/// What a session with a person is given besides its agent.
#[derive(Clone, Copy, Debug)]
pub struct SessionFiles<'a> {
    /// The file that holds what is appended to the system prompt.
    pub system_prompt: &'a Path,
    /// The generated settings.
    pub settings: &'a Path,
    /// The first words, as if the person had typed them.
    pub opening: &'a str,
}

/// A file of the project.
#[derive(Clone, Copy, Debug)]
pub struct Place<'a> {
    /// The folder that the agent works in: absolute.
    pub directory: &'a Path,
    /// The file, from there.
    pub file: &'a Path,
}

/// One of an agent's own files of instructions, as it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Instructions {
    /// Where it is: absolute.
    pub file: PathBuf,
    /// What it says.
    pub text: String,
}
