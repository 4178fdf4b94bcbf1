//! Options of other tools, written as a configuration file of ours.

use std::fs;
use std::path::{Path, PathBuf};

use windlass_core::words;
use windlass_core::workspace::{OptionValue, imported_options_text, text_says};

use super::plan::{Planned, Work};
use super::{Item, ItemKind};
use windlass_engine::config_file;
use windlass_host::file::{AtPath as _, Made, create_new};

/// What others may do with a new configuration file.
pub(super) const PERMISSIONS: u32 = 0o644;

/// What there is to say of the exit codes that a project keeps.
const EXIT_CODES: &str = "scripts keep the exit codes that they know: 0 says that a run ended, not that its job is done; \
                          `windlass config unset output.exit_codes` tells these apart";

/// A key of ours and its value.
type Pair = (&'static str, OptionValue);

/// Options that were found, and where they go.
#[derive(Debug)]
pub(super) struct Configuration<'a> {
    /// The tool whose they were.
    pub tool: &'static str,
    /// Where they were found.
    pub from: &'a Path,
    /// The file that they go to.
    pub to: PathBuf,
    /// What `windlass config set` needs to mean that file: `""` or `"--user "`.
    pub whose: &'static str,
    /// Keys of ours and their values.
    pub options: &'a [Pair],
    /// What there is to say beyond them, one sentence each.
    pub notes: Vec<String>,
}

/// What a tool has to say for a file.
#[derive(Debug)]
pub(super) struct Options {
    tool: &'static str,
    whose: &'static str,
    pairs: Vec<Pair>,
}

/// A file of configuration that is made of what the tools say.
#[derive(Debug)]
pub(super) struct NewFile {
    /// Where it goes.
    pub to: PathBuf,
    tools: Vec<&'static str>,
    pairs: Vec<Pair>,
}

/// What becomes of all that the tools have to say.
#[derive(Debug, Default)]
pub(super) struct Settled {
    /// Files that are not there yet.
    pub files: Vec<NewFile>,
    /// A file that is there does not say all of it.
    pub is_open: bool,
}

impl Configuration<'_> {
    /// An item of a plan. A project's scripts know the exit codes of the tool that was used in it: it keeps them.
    pub fn planned(self) -> Planned {
        let Configuration { tool, from, to, whose, options, notes } = self;
        let mut pairs = options.to_vec();
        if whose.is_empty() {
            pairs.push(("output.exit_codes", OptionValue::String("simple".to_owned())));
        }
        let name = from.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
        let item = Item { kind: ItemKind::Configuration, name, from: from.to_owned(), to: Some(to), notes };
        Planned { item, work: Work::Configuration(Options { tool, whose, pairs }) }
    }
}

/// What several tools say for one file goes into one: the first that speaks of a key has its way, and the others are told how to have
/// theirs. Where such a file is, it is not changed, and what it does not say yet is told.
pub(super) fn settle(entries: &mut [Planned]) -> Settled {
    let mut settled = Settled::default();
    let mut taken: Vec<(PathBuf, &'static str, Pair)> = Vec::new();
    for Planned { item, work } in entries {
        let (Work::Configuration(options), Some(to)) = (work, item.to.clone()) else { continue };
        if options.pairs.is_empty() {
            item.to = None;
            item.notes.push("it says nothing that is said here in a configuration file".to_owned());
            continue;
        }
        let (mut agreed, mut against) = (Vec::new(), Vec::new());
        for pair in &options.pairs {
            let before = taken.iter().find(|(file, _, (key, _))| *file == to && *key == pair.0);
            match before {
                None => {
                    taken.push((to.clone(), options.tool, pair.clone()));
                    agreed.push(pair.clone());
                }
                Some((.., said)) if said == pair => agreed.push(pair.clone()),
                Some((_, tool, _)) => against.push(options.against(pair, tool)),
            }
        }
        if to.symlink_metadata().is_ok() {
            item.to = None;
            let (notes, is_open) = options.beside(&to, &agreed);
            item.notes.extend(notes);
            settled.is_open |= is_open;
        } else {
            let is_first = settled.add(options, to, agreed);
            if is_first && options.whose.is_empty() {
                item.notes.push(EXIT_CODES.to_owned());
            }
        }
        item.notes.extend(against);
    }
    settled
}

impl Settled {
    /// Is it the first of its file? What several say alike stands there once.
    fn add(&mut self, options: &Options, to: PathBuf, pairs: Vec<Pair>) -> bool {
        let Some(file) = self.files.iter_mut().find(|file| file.to == to) else {
            self.files.push(NewFile { to, tools: vec![options.tool], pairs });
            return true;
        };
        file.tools.push(options.tool);
        for pair in pairs {
            if !file.pairs.contains(&pair) {
                file.pairs.push(pair);
            }
        }
        false
    }
}

impl Options {
    fn command(&self, (key, value): &Pair) -> String {
        format!("windlass config set {}{key} {}", self.whose, as_arguments(value))
    }

    /// What there is to say of an option that another tool has otherwise.
    fn against(&self, pair: &Pair, other: &str) -> String {
        format!(
            "{other} says something else of `{}`, which is taken; what {} said: `{}`",
            pair.0,
            self.tool,
            self.command(pair)
        )
    }

    /// What there is to say where the file is there; and does it say less than this?
    fn beside(&self, file: &Path, pairs: &[Pair]) -> (Vec<String>, bool) {
        let said = config_file::read(file).ok().flatten().unwrap_or_default();
        let missing = pairs.iter().filter(|(key, value)| !text_says(&said, key, value));
        let commands: Vec<String> = missing.map(|pair| self.command(pair)).collect();
        if commands.is_empty() {
            return (vec![format!("{} says all of it already", file.display())], false);
        }
        let why = format!("{} is there and is not changed; these set the same in it:", file.display());
        (std::iter::once(why).chain(commands).collect(), true)
    }
}

impl NewFile {
    /// What will stand in it.
    pub fn text(&self) -> String {
        imported_options_text(&self.tools.join(", "), &self.pairs)
    }

    /// Makes it.
    ///
    /// # Errors
    /// Why it is not there, as a sentence.
    pub fn write(&self) -> Result<(), String> {
        let folder = self.to.parent().unwrap_or(Path::new("."));
        let made = fs::create_dir_all(folder)
            .at("create", folder)
            .and_then(|()| create_new(&self.to, self.text().as_bytes(), PERMISSIONS));
        match made {
            Ok(Made::Anew) => Ok(()),
            Ok(Made::WasThere) => Err("somebody made the same file just now".to_owned()),
            Err(error) => Err(error.to_string()),
        }
    }
}

/// A value as `config set` takes it from a shell: a text as it is, a list item by item.
pub(super) fn as_arguments(value: &OptionValue) -> String {
    let plain = |value: &OptionValue| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let texts =
        value.as_array().map_or_else(|| vec![plain(value)], |items| items.iter().map(plain).collect());
    let end_of_flags = if texts.iter().any(|text| text.starts_with('-')) { "-- " } else { "" };
    let quoted: Vec<String> = texts.iter().map(|text| words::quoted(text.as_ref())).collect();
    format!("{end_of_flags}{}", quoted.join(" "))
}
