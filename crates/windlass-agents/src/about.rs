//! What an agent is, whatever it is called for: its names, files, variables, and the words that people are told.

use windlass_core::environment::AgentVariables;

/// What an agent is.
#[derive(Debug)]
pub struct About {
    /// Its name in configuration and journals.
    pub name: &'static str,
    /// Its name for people.
    pub product: &'static str,
    /// Its program's usual name, by which it is chosen.
    pub program: Option<&'static str>,
    /// The version that this version of Windlass was tested with; empty where none was.
    pub tested: &'static str,
    /// What it can.
    pub can: &'static [Ability],
    /// After so many requests in a row that it tried again in vain a call is ended; `None` = it gives up by itself.
    pub retries: Option<u32>,
    /// Variables of the environment that are about it.
    pub variables: &'static Variables,
    /// Its files.
    pub files: &'static Files,
    /// What people are told.
    pub words: &'static Words,
}

impl About {
    /// Can it do this?
    pub fn can(&self, ability: Ability) -> bool {
        self.can.contains(&ability)
    }
}

/// Something that not every agent can.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ability {
    /// To go on with an earlier session.
    ResumeSessions,
    /// To answer as a structure that a schema describes.
    AnswerByASchema,
    /// To end by itself where a call has cost so much.
    KeepToABudget,
    /// To say what a call has cost.
    SayItsCosts,
    /// To take a system prompt beside the prompt. Where it cannot, both are one text.
    TakeASystemPrompt,
    /// To allow single commands and files, and nothing else. Where it cannot, it is told folders, or nothing.
    KeepToRules,
    /// To stay within the folders that it is told, without any rules: a sandbox of its own.
    KeepToFolders,
    /// To leave commands running in the background.
    RunInTheBackground,
    /// To show a message while it is being written.
    ShowPartialMessages,
    /// To talk with a person at a terminal.
    HoldSessions,
    /// To take settings, hooks and servers from the repository that it works in.
    ReadTheRepositorysSettings,
}

/// Variables of the environment that are about an agent.
#[derive(Debug)]
pub struct Variables {
    /// Those that it inherits although they may be secrets.
    pub inherited: AgentVariables,
    /// Those that log it in without a person, the best first.
    pub tokens: &'static [&'static str],
    /// Those whose values are hidden wherever they would be told.
    pub secrets: &'static [&'static str],
    /// How those begin that a sandbox lets in for it …
    pub let_in: &'static [&'static str],
    /// … but for these, which would lead it, or a shell, elsewhere.
    pub kept_out: &'static [&'static str],
    /// What a sandbox says to it.
    pub in_sandboxes: &'static [(&'static str, &'static str)],
    /// The one that names the folder of the person's own settings.
    pub settings_folder: &'static str,
    /// Where its calls go.
    pub hosts: ApiHosts,
}

/// Where an agent's calls go.
#[derive(Debug)]
pub struct ApiHosts {
    /// The host that they go to if nothing else is said.
    pub usual: &'static str,
    /// Variables that name another one: the switch that makes it count (`""`: none is needed), and the variable.
    pub elsewhere: &'static [(&'static str, &'static str)],
}

/// Files of an agent.
#[derive(Debug)]
pub struct Files {
    /// Its folder in a home and in a repository.
    pub folder: &'static str,
    /// What of a home is its own: secrets, and what earlier sessions left.
    pub of_home: &'static [&'static str],
    /// How it is logged in, below a home.
    pub credentials: &'static str,
    /// What of a folder's settings steers those that are started there, file by file or folder by folder.
    pub steering: &'static [&'static str],
    /// What it starts something from, in the order in which that is looked at.
    pub sources: &'static [Source],
    /// Its instructions, in the folder that it works in and in those above.
    pub instructions: &'static [&'static str],
}

/// Files of a repository that an agent starts something from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Source {
    /// The file, or the folder of such files, in each folder that is looked at.
    pub path: &'static str,
    /// What it is.
    pub kind: SourceKind,
    /// Where it counts.
    pub reach: Reach,
}

/// What such a file is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SourceKind {
    /// Settings.
    Settings,
    /// A list of servers.
    Servers,
    /// A folder of texts, in whose heads commands can stand.
    Texts,
}

/// Where such files count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// In the folder that the agent works in and those above it.
    FromAbove,
    /// Also below it.
    Everywhere,
}

/// What people are told of an agent, in whole sentences or halves.
#[derive(Debug)]
pub struct Words {
    /// How it is installed.
    pub install: &'static str,
    /// How it is brought up to date.
    pub update: &'static str,
    /// How to log in.
    pub log_in: &'static str,
    /// What to do where its login is refused.
    pub log_in_anew: &'static str,
    /// How to log in for a sandbox that the credentials are mounted into.
    pub log_in_or_token: &'static str,
    /// The same in half a sentence.
    pub log_in_briefly: &'static str,
    /// How to get a token for the environment.
    pub token: &'static str,
    /// The command that says whether it is logged in.
    pub login_command: &'static str,
    /// What it tells its maker beside its calls, and how that is switched off; empty where nothing is, or nobody knows.
    pub sent_home: &'static str,
    /// Which model it takes where nobody names one and nobody has logged in; empty where it takes none.
    pub hosted: &'static str,
    /// What of a repository is not read where its settings are left out.
    pub left_out: &'static str,
    /// The flag by which a person leaves them out.
    pub leave_out: &'static str,
    /// The heading of its output in a run's log.
    pub log_heading: &'static str,
    /// The lines of an image that install the version that was tested.
    pub image: &'static str,
}
