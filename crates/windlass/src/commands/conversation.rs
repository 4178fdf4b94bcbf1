//! An agent and a person at this terminal: the working directory is locked meanwhile, the files are kept before and after,
//! and what came of it is said.

use std::collections::BTreeSet;
use std::fs;
use std::io::{self, IsTerminal as _};
use std::path::PathBuf;

use jiff::Timestamp;
use windlass_agents::{Permissions, SessionFiles, of};
use windlass_core::environment::notice_of;
use windlass_core::spec::AgentSpec;
use windlass_core::values::{Ended, RunId};
use windlass_engine::interactive::{self, Interactive, Keeping};
use windlass_engine::store::SessionFolder;
use windlass_engine::store::session_folder::SessionRecord;
use windlass_git::inventory::{Change, Surveyor, as_path};
use windlass_host::environment::withheld_from;
use windlass_jobs::prompt::SessionPrompt;
use windlass_ui::{Line, Mark, Tone, one_line, terminal_reset};

use super::{print, print_lines, warn};
use windlass_app::agent;
use windlass_app::here::Here;
use windlass_app::run::launch;
use windlass_app::{AppError, Codes};

/// Files that are named of those that changed beside the expected ones; the others are counted.
const NAMED: usize = 5;

/// A conversation that is about to begin.
pub struct Conversation<'a> {
    /// Where.
    pub here: &'a Here,
    /// With whom.
    pub agent: &'a AgentSpec,
    /// The verb that it is held for.
    pub verb: &'a str,
    /// What it is about, as the verb names it.
    pub about: &'a str,
    /// What the agent is told.
    pub prompt: SessionPrompt,
    /// What it may do.
    pub permissions: Permissions,
    /// Variables beyond the usual ones.
    pub environment: Vec<(String, Option<String>)>,
}

/// A conversation that was held.
pub struct Held {
    /// Its id.
    pub session: RunId,
    /// What came of it.
    pub ended: interactive::Ended,
}

/// Is there a person to talk to?
pub fn has_terminal() -> bool {
    io::stdin().is_terminal() && io::stdout().is_terminal()
}

impl Conversation<'_> {
    /// Holds it. What has to be noted of it is noted while the directory is still locked.
    pub fn hold<T>(&self, note: impl FnOnce() -> T) -> Result<(Held, T), AppError> {
        let record = SessionRecord {
            verb: self.verb.to_owned(),
            about: self.about.to_owned(),
            directory: self.here.directory.clone(),
            started: Timestamp::now(),
        };
        let folder = SessionFolder::create(&self.here.project, &record)?;
        let taken = match launch::lock(self.here, folder.session(), Codes::AsConfigured) {
            Ok(taken) => taken,
            Err(error) => {
                // Nothing has happened in it.
                // outside: the state folder.
                let _ = fs::remove_dir_all(folder.path());
                return Err(error);
            }
        };
        taken.notices.iter().for_each(|notice| warn(notice));
        let (ended, taken) = launch::with_lock(taken, || self.talk(&folder))?;
        let noted = note();
        taken.lock.release()?;
        Ok((Held { session: folder.session().clone(), ended }, noted))
    }

    /// Hands the terminal over, and has it back.
    fn talk(&self, folder: &SessionFolder) -> Result<interactive::Ended, AppError> {
        let speaker = of(self.agent);
        folder.write(&self.prompt.system, &speaker.session_settings(&self.permissions))?;
        let (system, settings) = (folder.system(), folder.settings());
        let files =
            SessionFiles { system_prompt: &system, settings: &settings, opening: &self.prompt.opening };
        let mut invocation = speaker.session(self.agent, files);
        invocation.environment.extend(self.environment.iter().cloned());
        invocation.environment.extend(agent::secret_variables().into_iter().map(|name| (name, None)));
        let withheld = withheld_from(&agent::environment(), &agent::heir(self.agent));
        let variables = &speaker.about().variables.inherited;
        if let Some(said) = notice_of(&withheld, &BTreeSet::new(), variables) {
            warn(&said);
        }
        invocation.environment.extend(withheld.into_iter().map(|name| (name, None)));
        let store = launch::snapshots(self.here, folder.session())?;
        if let Some(without) = launch::without_git(self.here) {
            warn(&without);
        }
        print_lines(&[self.opening()])?;
        let keeping = store.map(|store| Keeping { surveyor: Surveyor::new(self.here.place()), store });
        let interactive = Interactive {
            session: folder.session(),
            invocation: &invocation,
            directory: &self.here.directory,
            keeping,
        };
        let ended = interactive.hold()?;
        if matches!(ended.handed_back.ended, Ended::Signalled(_)) {
            print(terminal_reset())?;
        }
        Ok(ended)
    }

    fn opening(&self) -> Line {
        let agent = match self.agent.version.as_str() {
            "" => self.agent.name.clone(),
            version => format!("{} {version}", self.agent.name),
        };
        Line::hanging(2)
            .strong(one_line(&format!("{} {}", self.verb, self.about)))
            .dim(format!(" · the terminal is {agent}'s until you leave it"))
    }
}

impl Held {
    /// What went wrong in it.
    pub fn troubles(&self) -> Vec<Line> {
        let left = &self.ended.handed_back.left;
        let mut lines: Vec<Line> = how_it_ended(self.ended.handed_back.ended).into_iter().collect();
        lines.extend(left.first().map(|pid| {
            notice(&format!("{} processes it started cannot be ended; the first is {pid}", left.len()))
        }));
        let kept = |trouble: &String| notice(&format!("the files were not kept afterwards: {trouble}"));
        lines.extend(self.ended.trouble.as_ref().map(kept));
        lines
    }

    /// Of the changed files those that it was for (`None`: nobody looked), and all others but its own bookkeeping.
    pub fn changes(&self, here: &Here, ours: &[PathBuf]) -> (Option<Vec<PathBuf>>, Vec<PathBuf>) {
        let Some(changes) = &self.ended.changes else {
            return (None, Vec::new());
        };
        let root = here.place().root;
        let path = |change: &Change| root.join(as_path(&change.path));
        let (own, others) = changes.iter().map(path).partition::<Vec<_>, _>(|path| ours.contains(path));
        (Some(own), others)
    }

    /// What it did to other files, which nobody expected.
    pub fn beside(what: &str, others: &[PathBuf]) -> Option<Line> {
        let said = || format!("{} beside {what}: {}", changed(others.len()), named(others));
        (!others.is_empty()).then(|| notice(&said()))
    }

    /// The command that undoes all of it, where there is something to undo.
    pub fn undo(&self, here: &Here) -> Option<Line> {
        let changed = self.ended.changes.as_ref().is_some_and(|changes| !changes.is_empty());
        let unknown = self.ended.trouble.is_some() && here.repository.is_some();
        let command = || format!("windlass restore {} 1 --before", self.session);
        (changed || unknown).then(|| Line::new().dim("  undo  ").command(command()))
    }
}

fn how_it_ended(ended: Ended) -> Option<Line> {
    match ended {
        Ended::Exited(0) => None,
        Ended::Exited(code) => Some(notice(&format!("the agent ended with exit code {code}"))),
        Ended::Signalled(signal) => Some(notice(&format!("the agent was ended by signal {signal}"))),
        Ended::Lost => Some(notice("the agent's end was not seen")),
    }
}

fn notice(sentence: &str) -> Line {
    Line::hanging(2).mark(Tone::Warn, Mark::Notice).plain(format!(" {}", one_line(sentence)))
}

fn changed(count: usize) -> String {
    if count == 1 { "1 file changed".to_owned() } else { format!("{count} files changed") }
}

fn named(paths: &[PathBuf]) -> String {
    let mut names: Vec<String> = paths.iter().take(NAMED).map(|path| path.display().to_string()).collect();
    if paths.len() > NAMED {
        names.push(format!("{} more", paths.len() - NAMED));
    }
    names.join(", ")
}
