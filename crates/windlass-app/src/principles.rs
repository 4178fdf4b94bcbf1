//! The principles of a project: looked at, begun, changed.

use std::path::{Path, PathBuf};

use jiff::Zoned;
use windlass_core::config::PrinciplesSettings;
use windlass_core::council::{DECISION_LOG, FORMER_LOG};
use windlass_core::principles::{Level, Preset, Principle, Principles};
use windlass_core::spec::{Mode, PrinciplesSpec};
use windlass_core::values::Named;
use windlass_engine::decisions::read_decisions;
use windlass_engine::principles::{self, FoundPrinciples, PrinciplesError};
use windlass_host::file::digest;
use windlass_host::tree::at;
use windlass_jobs::doc::principles::PrinciplesFile;
use windlass_ui::{DecisionShown, PrinciplesShown, one_line};

use crate::app::App;
use crate::configuration::Configuration;
use crate::error::{AppError, Kind};
use crate::here::Here;
use crate::inspect::which;
use crate::text::kept_name;

/// Principles that a project is to have.
#[derive(Clone, Debug)]
pub struct NewPrinciples {
    /// The values, and where they come from.
    pub principles: Principles,
    /// What is there may be replaced; it is kept under another name.
    pub replace: bool,
}

/// A file of principles that was made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MadePrinciples {
    /// Where, from the working directory.
    pub file: PathBuf,
    /// Where its former content is.
    pub kept: Option<PathBuf>,
}

/// A value that was written, and the one before it; `None` where that was wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChangedPrinciple {
    /// Which.
    pub principle: Principle,
    /// What it was.
    pub before: Option<Level>,
    /// What it is.
    pub now: Level,
}

impl App {
    /// The principles that hold here.
    ///
    /// # Errors
    /// There are none, or their file is wrong.
    pub fn principles(&self) -> Result<PrinciplesShown, AppError> {
        let found = self.found()?.ok_or_else(|| none(self))?;
        self.notices(&passed_over(&found));
        let PrinciplesFile { principles, version, created_at } = found.read()?;
        Ok(PrinciplesShown { file: found.file.display().to_string(), principles, version, created_at })
    }

    /// What was decided about conflicts here: by the tool that came before, as its log has it, and by councils, as ours does.
    ///
    /// # Errors
    /// A log cannot be read.
    pub fn decisions(&self) -> Result<Vec<DecisionShown>, AppError> {
        let mut shown = Vec::new();
        for file in [FORMER_LOG, DECISION_LOG] {
            let found = read_decisions(self.directory(), Path::new(file)).map_err(AppError::system)?;
            let all = found.map(|found| found.all).unwrap_or_default();
            shown.extend(all.into_iter().map(|decision| DecisionShown { file: file.to_owned(), decision }));
        }
        Ok(shown)
    }

    /// Is there a file of principles here, whatever is in it? Its name.
    pub fn file_of_principles(&self) -> Result<Option<PathBuf>, AppError> {
        Ok(self.found()?.map(|found| found.file))
    }

    /// Begins a file of principles.
    ///
    /// # Errors
    /// There is one already and it may not be replaced, or the file system refuses.
    pub fn init_principles(&self, wanted: &NewPrinciples) -> Result<MadePrinciples, AppError> {
        let today = Zoned::now().date().to_string();
        which::refuse_live(&Here::find(self)?)?;
        let directory = self.directory();
        let Some(found) = self.found()? else {
            let file = principles::place(self.configured()?.as_deref());
            principles::create(directory, &file, &wanted.principles, &today).map_err(AppError::system)?;
            return Ok(MadePrinciples { file, kept: None });
        };
        let file = found.file;
        if !wanted.replace {
            return Err(already(&file));
        }
        let kept = kept_name(&file, "init");
        principles::begin_anew(directory, &file, &kept, &wanted.principles, &today)
            .map_err(AppError::system)?;
        Ok(MadePrinciples { file, kept: Some(kept) })
    }

    /// Gives principles other values: `KEY=VALUE`, a whole number from 1 to 10.
    ///
    /// # Errors
    /// There is no file, a key or a value is wrong, the file stays wrong with them, or a run works here; then it is as it was.
    pub fn set_principles(&self, changes: &[String]) -> Result<Vec<ChangedPrinciple>, AppError> {
        let values = changes.iter().map(|text| change(text)).collect::<Result<Vec<_>, _>>()?;
        self.change(&self.found()?.ok_or_else(|| none(self))?, &values)
    }

    /// Gives principles the values of the preset that the file names.
    ///
    /// # Errors
    /// As for setting them; `custom` has no values of its own.
    pub fn reset_principles(&self, keys: &[String]) -> Result<Vec<ChangedPrinciple>, AppError> {
        let found = self.found()?.ok_or_else(|| none(self))?;
        let preset = found.read()?.principles.preset;
        if preset == Preset::Custom {
            return Err(AppError::usage("the preset `custom` has no values to go back to")
                .hint("Name the value: windlass principles set KEY=VALUE"));
        }
        let named = keys.iter().map(|key| principle(key));
        let values = named.map(|found| found.map(|found| (found, found.in_preset(preset))));
        self.change(&found, &values.collect::<Result<Vec<_>, _>>()?)
    }

    fn change(
        &self,
        found: &FoundPrinciples,
        values: &[(Principle, Level)],
    ) -> Result<Vec<ChangedPrinciple>, AppError> {
        which::refuse_live(&Here::find(self)?)?;
        self.notices(&passed_over(found));
        let before = found.read().ok().map(|file| file.principles);
        let now = found.change(self.directory(), values)?.principles;
        let changed = values.iter().map(|(principle, _)| ChangedPrinciple {
            principle: *principle,
            before: before.as_ref().map(|before| before.level(*principle)),
            now: now.level(*principle),
        });
        Ok(changed.collect())
    }

    fn found(&self) -> Result<Option<FoundPrinciples>, AppError> {
        Ok(principles::find(self.directory(), self.configured()?.as_deref())?)
    }

    /// The file that is configured.
    fn configured(&self) -> Result<Option<PathBuf>, AppError> {
        let configuration = Configuration::read(self.directory(), None, Mode::Goal)?;
        Ok(configuration.resolved.principles.file)
    }
}

/// What becomes of the principles of a project when a run begins.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum KeptPrinciples {
    /// They hold.
    #[default]
    AsTheyAre,
    /// They are put aside, and the agent derives others.
    PutAside,
}

/// By which principles the agents of a run decide.
#[derive(Debug)]
pub(crate) enum RunPrinciples {
    /// By none.
    None,
    /// By those of a file.
    Read(FoundPrinciples, PrinciplesFile),
    /// By those that the agent of the first iteration derives.
    Derived {
        /// Where they go, from the working directory.
        file: PathBuf,
        /// What was there before goes to this place.
        aside: Option<PathBuf>,
    },
}

impl RunPrinciples {
    /// What a run in this mode goes by.
    ///
    /// # Errors
    /// The file is wrong, or the one that is configured is not there and nobody is to make it.
    pub fn find(
        directory: &Path,
        mode: Mode,
        wanted: &PrinciplesSettings,
        kept: KeptPrinciples,
    ) -> Result<RunPrinciples, AppError> {
        if mode.judges() {
            return Ok(RunPrinciples::None);
        }
        let derives = mode.has_goal();
        let anew = kept == KeptPrinciples::PutAside;
        if anew && !derives {
            return Err(AppError::usage(
                "`--reset-principles` belongs to goals: in other modes nobody derives principles",
            ));
        }
        let found = principles::find(directory, wanted.file.as_deref())?;
        match (found, &wanted.file) {
            (Some(found), _) if anew => {
                let aside = Some(kept_name(&found.file, "reset"));
                Ok(RunPrinciples::Derived { file: found.file, aside })
            }
            (Some(found), _) => {
                let file = found.read()?;
                Ok(RunPrinciples::Read(found, file))
            }
            (None, _) if derives && (anew || wanted.collect.is_wanted()) => {
                Ok(RunPrinciples::Derived { file: principles::place(wanted.file.as_deref()), aside: None })
            }
            (None, Some(file)) => {
                Err(AppError::new(Kind::Configuration, format!("there is no file {}", file.display()))
                    .hint("Make one: windlass principles init (and leave out --principles-file, if that made the usual file)")
                    .hint("Or have the agent of a goal derive it: --collect-principles"))
            }
            (None, None) => Ok(RunPrinciples::None),
        }
    }

    /// As a run's plan has it.
    pub fn spec(&self) -> Option<PrinciplesSpec> {
        match self {
            RunPrinciples::None => None,
            RunPrinciples::Read(found, file) => Some(PrinciplesSpec::File {
                file: found.file.clone(),
                digest: digest(&found.bytes),
                principles: file.principles.clone(),
            }),
            RunPrinciples::Derived { file, .. } => Some(PrinciplesSpec::Collected { file: file.clone() }),
        }
    }

    /// The file that was read, with its digest: a change to it is told.
    pub fn input(&self, directory: &Path) -> Option<(PathBuf, String)> {
        let RunPrinciples::Read(found, _) = self else { return None };
        Some((directory.join(&found.file), digest(&found.bytes)))
    }

    /// What a person should know of where they are read.
    pub fn notice(&self) -> Option<String> {
        let RunPrinciples::Read(found, _) = self else { return None };
        passed_over(found)
    }

    /// Puts aside what is to be derived anew; says where it is.
    ///
    /// # Errors
    /// The file system refuses.
    pub fn put_aside(&self, directory: &Path) -> Result<Option<String>, AppError> {
        let RunPrinciples::Derived { file, aside: Some(aside) } = self else { return Ok(None) };
        let directory = at(directory);
        directory.join(file).rename_to_free(&directory.join(aside)).map_err(AppError::system)?;
        Ok(Some(format!("{} is put aside as {}", file.display(), aside.display())))
    }
}

/// That a file is there which does not count.
fn passed_over(found: &FoundPrinciples) -> Option<String> {
    let other = found.passed_over.as_ref()?;
    Some(format!("principles are read from {}, and not from {}", found.file.display(), other.display()))
}

fn change(text: &str) -> Result<(Principle, Level), AppError> {
    let Some((key, value)) = text.split_once('=') else {
        return Err(AppError::usage(format!("`{}` does not name a value", one_line(text)))
            .hint("windlass principles set speed_correctness=8"));
    };
    let principle = principle(key.trim())?;
    let level = Level::parse(value.trim()).ok_or_else(|| {
        let (name, value) = (principle.name(), one_line(value.trim()));
        AppError::usage(format!(
            "`{name}` goes from 1 to 10 in whole numbers, and `{value}` is not one of them"
        ))
        .hint(format!("1 is {}, 10 is {}.", principle.low(), principle.high()))
    })?;
    Ok((principle, level))
}

fn principle(name: &str) -> Result<Principle, AppError> {
    Principle::parse(name).ok_or_else(|| {
        let error = AppError::usage(format!("`{}` is not a principle", one_line(name)));
        match Principle::nearest(name) {
            Some(meant) => error.hint(format!("Did you mean {}?", meant.name())),
            None => error.hint("All of them: windlass principles"),
        }
    })
}

fn none(app: &App) -> AppError {
    let directory = app.directory().display();
    AppError::usage(format!("there is no file of principles in {directory}"))
        .hint("Make one: windlass principles init --preset startup (or enterprise, opensource, custom)")
}

/// There is one already.
pub fn already(file: &Path) -> AppError {
    AppError::usage(format!("there are principles here already: {}", file.display()))
        .hint("Look at them: windlass principles")
        .hint("Begin anew, and keep this file under another name: windlass principles init --force")
}

impl From<PrinciplesError> for AppError {
    fn from(error: PrinciplesError) -> AppError {
        match error {
            PrinciplesError::File(error) => AppError::system(error),
            unreadable @ PrinciplesError::Unreadable { .. } => AppError::of(Kind::Configuration, unreadable)
                .hint("Remove it, or put a file in its place: windlass principles init"),
            wrong @ PrinciplesError::Wrong { .. } => AppError::of(Kind::Configuration, wrong)
                .hint("Fix that in an editor, or a value with windlass principles set KEY=VALUE")
                .hint(
                    "Or begin anew, and keep this file under another name: windlass principles init --force",
                ),
        }
    }
}
