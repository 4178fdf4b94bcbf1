//! Before anything of a repository is started: is it trusted? One way for all verbs.

pub(crate) mod criteria;
pub(crate) mod inside;
mod repository;

use std::collections::BTreeSet;
use std::env;
use std::path::{Path, PathBuf};

use windlass_agents::{AGENTS, Ability, About, Agent, usual};
use windlass_core::config::{FileKind, Origin, Resolved, ValueOrigin};
use windlass_core::spec::RepositorySettings;
use windlass_core::trust::{ApiHost, Content, Startable, Startables, Starter, TrustHash};
use windlass_core::values::{Check, CheckKind, Named};
use windlass_engine::trust::{self, FoundStartables, IMAGE, Search, Trouble, name_in, store};
use windlass_engine::workspace::PROJECT_FOLDER;
use windlass_ui::{Terminal, format, startable_lines};

pub use inside::{refuse_below_a_keeper, refuse_below_windlass, refuse_inside_a_run};
pub use repository::RepositoryTrust;

use crate::configuration::Configuration;
use crate::error::{AppError, Hint, Kind};
use crate::front_end::{Question, Reply};
use crate::here::{Here, home};

/// Things that are named in an error; `windlass trust` shows all.
const NAMED: usize = 20;

/// What of the repository a verb starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// A run, with everything.
    Run,
    /// An agent that judges: no gates and no hooks.
    Judgement,
    /// An agent and a person at a terminal.
    Session,
    /// A hook.
    Hooks,
    /// What tells somebody.
    Notifications,
    /// A shell where an agent would work.
    Shell,
    /// What an image is made of.
    Image,
}

/// What was said of trust together with a request.
#[derive(Clone, Debug, Default)]
pub struct TrustAnswers {
    /// All that the repository's files start is trusted, if it is what this names.
    pub hash: Option<String>,
    /// What the agent's settings in the repository would start is left out.
    pub without_agent_settings: bool,
}

/// What may be started: only [`require`] makes one.
#[derive(Clone, Debug)]
pub struct Trusted {
    /// What becomes of the agent's settings in the repository.
    pub settings: RepositorySettings,
    /// What a person should know of it before the first iteration.
    pub notices: Vec<String>,
}

/// What a verb is about to start.
#[derive(Clone, Copy)]
pub struct Asked<'a> {
    /// Where.
    pub here: &'a Here,
    /// As it was read: what is asked for is what will be used.
    pub configuration: &'a Configuration,
    /// What for.
    pub purpose: Purpose,
    /// The agent that is started; `None` where none is.
    pub reader: Option<&'static dyn Agent>,
    /// What the command line says.
    pub answers: &'a TrustAnswers,
}

impl Asked<'_> {
    /// The agent that reads settings of the repository.
    fn reading(&self) -> Option<&'static dyn Agent> {
        self.reader.filter(|agent| agent.about().can(Ability::ReadTheRepositorysSettings))
    }

    /// Would an agent that is started here start what this one does?
    fn reads_as(&self, starter: &Starter) -> bool {
        is_read_by_agents(self.purpose)
            && self.reading().is_some_and(|agent| agent.about().name == starter.name())
    }
}

/// What is there, and what of it is not trusted.
pub struct Looked {
    found: FoundStartables,
    trusted: Startables,
    trouble: Option<String>,
    /// What this verb starts of it and nobody has trusted.
    pub pending: Startables,
    /// What cannot be told.
    troubles: Vec<Trouble>,
}

/// Makes sure that what is about to be started of the repository is trusted, by asking where that is possible.
///
/// # Errors
/// It is not, and nobody is there to be asked, or said no. Nothing has been started.
pub(crate) fn require(asked: &Asked<'_>) -> Result<Trusted, AppError> {
    let mut looked = look(asked);
    if let Some(hash) = &asked.answers.hash {
        accept(asked.here, &mut looked, hash)?;
    }
    let left_out = asked.answers.without_agent_settings && asked.reading().is_some();
    if left_out {
        looked.leave_out_agents();
    }
    looked.refuse_troubles()?;
    let mut chosen = if left_out { Settings::LeftOut } else { Settings::Used };
    if !looked.pending.is_empty() {
        refuse_below_windlass()?;
        if !asked.here.app.front_end().has_person() {
            return Err(looked.refusal());
        }
        chosen = looked.ask(asked, chosen)?;
    }
    Ok(looked.trusted(asked, chosen))
}

/// The same without asking: what is not trusted is left to whoever looks.
pub fn look(asked: &Asked<'_>) -> Looked {
    let found = find(asked.here, &asked.configuration.files);
    let store::Trusted { items, trouble } = store::trusted(&asked.here.project);
    let used = found.items.which(|item| is_started(asked, item));
    let pending = used.beyond(&items);
    let troubles = found.troubles.iter().filter(|trouble| concerns(asked, trouble)).cloned().collect();
    Looked { trusted: items, trouble, pending, troubles, found }
}

/// Did the repository name the checks of a run, so that they have to be trusted?
pub(crate) fn were_configured(here: &Here, checks: &[Check]) -> bool {
    // What is trusted no longer stands in the files.
    let named = find(here, &[]).items.with(&store::trusted(&here.project).items);
    checks.iter().filter(|check| check.kind != CheckKind::Criterion).all(|check| {
        let is_it = |item: &Startable| {
            item.key.starts_with("gates.") && item.content == Content::Text { text: check.command.clone() }
        };
        named.iter().any(is_it)
    })
}

/// All that the repository's files start, whatever verb would.
pub fn find(here: &Here, loaded: &[(PathBuf, Vec<u8>)]) -> FoundStartables {
    find_with(here, loaded, &[])
}

fn find_with(here: &Here, loaded: &[(PathBuf, Vec<u8>)], coming: &[(PathBuf, PathBuf)]) -> FoundStartables {
    let own: Vec<PathBuf> = AGENTS.into_iter().filter_map(own_settings).collect();
    let mut found = trust::find(&Search { place: &here.place(), loaded, coming, own_settings: &own });
    found.items = found.items.with(&criteria::startables(here));
    found
}

/// Records as trusted what a person has just had windlass write into this file: what the text says, not what else stands
/// there, and the scripts that it names.
pub(crate) fn trust_text(here: &Here, kind: FileKind, file: &Path, text: &str) -> Result<(), AppError> {
    trust_written(here, &trust::started_by_text(&here.place(), kind, file, text))
}

/// Records as trusted whole files that a person has just had windlass write.
pub(crate) fn trust_files(here: &Here, wrote: impl Fn(&Startable) -> bool) -> Result<(), AppError> {
    let wrote = |item: &Startable| item.starter == Starter::Windlass && wrote(item);
    trust_written(here, &find(here, &[]).items.which(wrote))
}

/// Files that are not there yet, and are judged as if they were.
#[derive(Debug, Default)]
pub(crate) struct Coming {
    /// Files of configuration, with what will stand in them.
    pub texts: Vec<(PathBuf, Vec<u8>)>,
    /// Files and folders that will be copied: where they will be, and where they are.
    pub copies: Vec<(PathBuf, PathBuf)>,
}

/// How much of these that Windlass would start nobody has trusted.
pub(crate) fn untrusted(here: &Here, coming: &Coming, wrote: impl Fn(&Startable) -> bool) -> usize {
    let wrote = |item: &Startable| item.starter == Starter::Windlass && wrote(item);
    let found = find_with(here, &coming.texts, &coming.copies);
    found.items.which(wrote).beyond(&store::trusted(&here.project).items).len()
}

fn trust_written(here: &Here, items: &Startables) -> Result<(), AppError> {
    // What an agent has windlass write was not written at a person's command.
    if refuse_below_windlass().is_err() {
        return Ok(());
    }
    Ok(store::trust(&here.project, items)?)
}

/// The folder of the user's own settings of an agent.
fn own_settings(agent: &dyn Agent) -> Option<PathBuf> {
    let About { files, variables, .. } = agent.about();
    let configured = env::var_os(variables.settings_folder).filter(|folder| !folder.is_empty());
    configured.map(PathBuf::from).or_else(|| home().map(|home| home.join(files.folder)))
}

/// Does this verb start it?
fn is_started(asked: &Asked<'_>, item: &Startable) -> bool {
    match &item.starter {
        agent @ Starter::Agent(_) => asked.reads_as(agent),
        Starter::Windlass => fits(asked.purpose, &item.key) && holds(asked, item),
    }
}

const fn is_read_by_agents(purpose: Purpose) -> bool {
    matches!(purpose, Purpose::Run | Purpose::Judgement | Purpose::Session)
}

fn concerns(asked: &Asked<'_>, trouble: &Trouble) -> bool {
    trouble.starter == Starter::Windlass || asked.reads_as(&trouble.starter)
}

/// Is a key one that this verb goes by? Whatever is new belongs to runs.
fn fits(purpose: Purpose, key: &str) -> bool {
    let is_of = |tables: &[&str]| tables.iter().any(|table| key.starts_with(table));
    let is_of_image = key == IMAGE || key.starts_with("sandbox.setup_script");
    match purpose {
        Purpose::Run => !is_of_image,
        Purpose::Judgement => !is_of_image && !is_of(&["gates.", "hooks.", "worktree."]),
        Purpose::Session => is_of(&["agent.", "notify.", "web."]),
        Purpose::Hooks => is_of(&["hooks.", "sandbox.", "environment."]) && !is_of_image,
        Purpose::Notifications => is_of(&["notify.", "web."]),
        Purpose::Shell => is_of(&["sandbox.", "environment."]) && !is_of_image,
        Purpose::Image => is_of_image,
    }
}

/// Does it hold, or does something of the person's own go before it: a flag, a variable, their own file?
fn holds(asked: &Asked<'_>, item: &Startable) -> bool {
    let resolved = &asked.configuration.resolved;
    // `gates.commands (test)` came of `gates.commands`.
    let key = item.key.split(" (").next().unwrap_or(&item.key);
    if item.file.contains(&format!("{PROJECT_FOLDER}/hooks/")) {
        let named = resolved.hooks.commands.iter().any(|(hook, _)| key == format!("hooks.{}", hook.name()));
        return resolved.hooks.enabled && !named;
    }
    if key == IMAGE {
        return true;
    }
    origin(resolved, key).is_some_and(|path| name_in(&asked.here.place(), path) == item.file)
}

/// The file of the repository that said what holds of a key.
fn origin<'a>(resolved: &'a Resolved, key: &str) -> Option<&'a Path> {
    let said = |value: &&ValueOrigin| value.name == key;
    match &resolved.origins().iter().find(said)?.origin {
        Origin::File(FileKind::Project | FileKind::Workspace, path, _) => Some(path),
        _ => None,
    }
}

/// What becomes of the agent's settings in the repository.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Settings {
    Used,
    LeftOut,
}

/// `--trust=HASH`: the whole of it, or nothing.
fn accept(here: &Here, looked: &mut Looked, text: &str) -> Result<(), AppError> {
    refuse_below_windlass()?;
    let hash = TrustHash::parse(text).map_err(|why| AppError::usage(format!("--trust: {why}")))?;
    let items = &looked.found.items;
    // Of a pipeline's tasks nobody could know the content before it was planned.
    let configured = items.which(|item| item.key != criteria::KEY);
    let named = [items, &configured].into_iter().find(|items| items.hash() == hash);
    let Some(named) = named else { return Err(other_hash(looked, &hash)) };
    store::trust(&here.project, named)?;
    looked.pending = Startables::default();
    Ok(())
}

fn other_hash(looked: &Looked, hash: &TrustHash) -> AppError {
    let said = repository::other_hash(hash, &looked.found.items.hash());
    let lines = looked.lines(&looked.found.items.beyond(&looked.trusted));
    lines.into_iter().fold(said, AppError::hint).hint("Look at it: windlass trust")
}

impl Looked {
    /// What is there, in words; used where not a person but another verb asks.
    pub fn count_in_words(&self) -> String {
        format!("{} that you have not trusted", format::count(self.pending.len() as u64, "thing"))
    }

    /// May the agent's program be started as it is configured?
    pub fn trusted_so_far(&self, asked: &Asked<'_>) -> Option<Trusted> {
        let untrusted = self.pending.iter().any(|item| item.starter.is_agent());
        let left_out = untrusted || self.troubles.iter().any(|one| one.starter.is_agent());
        let chosen = if left_out { Settings::LeftOut } else { Settings::Used };
        let by_windlass = self.pending.iter().any(|item| !item.starter.is_agent());
        (!by_windlass).then(|| self.trusted(asked, chosen))
    }

    fn leave_out_agents(&mut self) {
        self.pending = self.pending.which(|item| !item.starter.is_agent());
        self.troubles.retain(|trouble| !trouble.starter.is_agent());
    }

    /// What cannot be looked at cannot be trusted.
    fn refuse_troubles(&self) -> Result<(), AppError> {
        let Some(first) = self.troubles.first() else { return Ok(()) };
        let message = format!("what {} starts is not known: {}", first.file, first.why);
        let said = AppError::new(Kind::Configuration, message);
        Err(match first.starter {
            Starter::Agent(_) => said.hint("Remove it or make it a plain file.").hint(leave_out()),
            Starter::Windlass => said.hint("Remove it or make it a plain file."),
        })
    }

    /// One line for each, with its difference to what was trusted.
    fn lines(&self, of: &Startables) -> Vec<String> {
        let lines = startable_lines(of, &self.found.items, &self.trusted);
        let more = lines.len().saturating_sub(NAMED);
        let shown = lines.iter().take(NAMED).map(|line| line.render(&Terminal::plain()));
        shown.chain((more > 0).then(|| format!("  and {more} more: windlass trust"))).collect()
    }

    fn refusal(&self) -> AppError {
        let message = format!("this repository's own files would start {}", self.count_in_words());
        let said = self.lines(&self.pending).into_iter().fold(AppError::usage(message), AppError::hint);
        let flag = format!("--trust={}", self.found.items.hash());
        let said = said.hint("Look at all of it, and trust it: windlass trust");
        let said = said.hint(Hint::Again { why: "Without a terminal: ", flag });
        if self.pending.iter().all(|item| item.starter.is_agent()) {
            return said.hint(leave_out());
        }
        said
    }

    /// Asks a person, first for what windlass would start, then for what the agent would.
    fn ask(&self, asked: &Asked<'_>, mut settings: Settings) -> Result<Settings, AppError> {
        let app = &asked.here.app;
        app.notices(&self.trouble);
        let starters: BTreeSet<Starter> = self.pending.iter().map(|item| item.starter.clone()).collect();
        for starter in &starters {
            let items = self.pending.which(|item| item.starter == *starter);
            let question =
                Question::Trust { starter, items: &items, all: &self.found.items, trusted: &self.trusted };
            match (app.front_end().ask(&question)?, starter) {
                (Reply::Yes, _) => store::trust(&asked.here.project, &items)?,
                (Reply::Without, Starter::Agent(_)) => settings = Settings::LeftOut,
                (Reply::No | Reply::Without, _) => {
                    return Err(AppError::usage("not trusted: nothing was started")
                        .hint("What it was, and what else there is: windlass trust --list"));
                }
            }
        }
        Ok(settings)
    }

    fn trusted(&self, asked: &Asked<'_>, chosen: Settings) -> Trusted {
        let of_agent = self.found.items.which(|item| asked.reads_as(&item.starter));
        let mut notices: Vec<String> = self.trouble.iter().cloned().collect();
        let Some(agent) = asked.reading() else {
            return Trusted { settings: RepositorySettings::Used, notices };
        };
        let settings = match chosen {
            Settings::Used => RepositorySettings::Used,
            Settings::LeftOut => {
                let what = agent.about().words.left_out;
                notices.push(format!("{what} are left out; what its permissions deny stays denied"));
                RepositorySettings::LeftOut { deny: self.found.denied.clone() }
            }
        };
        if settings.are_used() && !of_agent.is_empty() {
            let things = format::count(of_agent.len() as u64, "thing");
            notices.push(format!(
                "trusted: {things} that the agent starts by the repository's settings (windlass trust --list)"
            ));
        }
        notices.extend(self.hosts(agent, &settings));
        Trusted { settings, notices }
    }

    /// Where the agent's calls go, if not where they usually go, and whoever said so; whether the person's own settings
    /// hold.
    fn hosts(&self, agent: &dyn Agent, settings: &RepositorySettings) -> Vec<String> {
        let said = |host: &ApiHost, from: &str| {
            format!("the agent's calls go to {} ({} in {from})", host.address, host.variable)
        };
        let mut hosts = Vec::new();
        let variables: Vec<(String, String)> = env::vars_os()
            .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
            .collect();
        hosts.extend(agent.hosts_among(&variables).iter().map(|host| said(host, "your environment")));
        if let Some(folder) = own_settings(agent) {
            let path = folder.join("settings.json");
            let own = trust::hosts_in(agent, &path);
            hosts.extend(own.iter().map(|host| said(host, &path.display().to_string())));
            hosts.extend(trust::is_ignored(agent, &path).then(|| ignored(agent, &path)));
        }
        if settings.are_used() {
            hosts.extend(self.found.hosts.iter().map(|(file, host)| said(host, file)));
        }
        hosts
    }
}

fn ignored(agent: &dyn Agent, settings: &Path) -> String {
    let (product, settings) = (agent.about().product, settings.display());
    format!(
        "{settings} is no object of JSON, so {product} ignores all of it: what it denies and its hooks do not hold until it is mended"
    )
}

fn leave_out() -> Hint {
    Hint::Again { why: "Or leave it out: ", flag: usual().about().words.leave_out.to_owned() }
}
