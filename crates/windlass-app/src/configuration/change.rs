//! Setting and unsetting one value of one file.

use std::env;
use std::path::Path;

use jiff::Timestamp;
use toml::Value;
use windlass_core::config::edit::{self, EditError};
use windlass_core::config::{FileKind, KeyInfo, Layer, Secrecy, Shape};
use windlass_engine::config_file::{self, Changing, Readers};
use windlass_engine::written::{self, Written};

use super::look::key_named;
use super::scope::{Scope, ScopedFile};
use super::{Source, default_project};
use crate::agent;
use crate::app::App;
use crate::error::{AppError, Kind};
use crate::here::{Here, state_root};
use crate::text::quoted;
use crate::trusting;

/// How a value is set.
#[derive(Clone, Debug)]
pub enum ValueChange {
    /// To these texts: of a list, its items; of a secret, `-` for what the front end reads.
    To(Vec<String>),
    /// A list gets and loses items.
    Items {
        /// What is added, unless it is there.
        add: Vec<String>,
        /// What is taken out.
        remove: Vec<String>,
    },
}

/// A value that a file has now.
#[derive(Clone, Debug)]
pub struct ValueSet {
    /// Its key.
    pub key: &'static KeyInfo,
    /// The value, for people.
    pub shown: String,
    /// The file said so already.
    pub already: bool,
    /// The file.
    pub source: Source,
}

/// What became of a key that was to be taken out of a file.
#[derive(Clone, Debug)]
pub enum ValueUnset {
    /// The file did not say anything about it.
    NotThere,
    /// It is gone; this holds now and which layer says so. `None` where nothing does.
    Below(Option<(String, &'static str)>),
    /// It is gone, and was not a key.
    NotAKey,
}

impl App {
    /// Writes one value into a file of configuration, and leaves the rest of it as it is.
    ///
    /// # Errors
    /// The key or the value is wrong, or the file cannot be changed; then it is as it was.
    pub fn set_value(&self, key: &str, change: &ValueChange, scope: &Scope) -> Result<ValueSet, AppError> {
        let key = key_named(key)?;
        let file = OpenFile::read(self, scope)?;
        key.belongs_in(file.scope.source.kind)?;
        let wanted = Wanted::read(key, change, &file)?;
        agent::refuse_unknown_in(key.name, &wanted.value)?;
        if let (default_project::KEY, Some(path)) =
            (key.name, wanted.value.as_str().filter(|path| !path.is_empty()))
        {
            default_project::check(Path::new(path))?;
        }
        let after = match (&wanted.value, key.shape) {
            (Value::Array(items), Shape::List) => edit::set_list(&file.text, key.name, items),
            (value, _) => edit::set(&file.text, key.name, value),
        };
        let after = after.map_err(|error| file.refusal(error))?;
        if let Some(layer) = wanted.taken_over {
            self.notice(&format!(
                "the list begins with what held until now ({layer}); it no longer follows it"
            ));
        }
        file.write(key, &after)?;
        trust_written(key, &wanted.typed, &file)?;
        tell_of_secrets(key, &file)?;
        file.tell_of_the_rest(&after);
        let already = after == file.text && file.existed;
        Ok(ValueSet { key, shown: key.shown(&wanted.value), already, source: file.scope.source })
    }

    /// What goes before a value that was written, so that it does not hold: a sentence.
    pub fn stronger_than(&self, set: &ValueSet) -> Result<Option<String>, AppError> {
        let variable = set.key.variable();
        if env::var_os(&variable).is_some_and(|value| !value.is_empty()) {
            return Ok(Some(format!("{variable} is set in your environment and overrides it")));
        }
        if set.source.kind != FileKind::User {
            return Ok(None);
        }
        let project = ScopedFile::find(self, &Scope::Project)?.source;
        let says_so = project.layer()?.is_some_and(|layer| layer.value(set.key.name).is_some());
        Ok(says_so.then(|| format!("the project's file overrides yours here: {}", project.path.display())))
    }

    /// Takes one value out of a file of configuration; the file, and what became of the key.
    ///
    /// # Errors
    /// There is no such key, or the file cannot be changed; then it is as it was.
    pub fn unset_value(&self, key: &str, scope: &Scope) -> Result<(Source, ValueUnset), AppError> {
        let file = OpenFile::read(self, scope)?;
        // What a file holds can be taken out of it, even where it is not a key: that is how it is mended.
        let Some(after) = edit::unset(&file.text, key).map_err(|error| file.refusal(error))? else {
            key_named(key)?;
            return Ok((file.scope.source, ValueUnset::NotThere));
        };
        file.replace(&after, Readers::Usual)?;
        file.tell_of_the_rest(&after);
        let unset = match KeyInfo::find(key).ok() {
            Some(key) => {
                let below = file.scope.value_below(key.name)?;
                ValueUnset::Below(below.map(|(value, layer)| (key.shown(&value), layer)))
            }
            None => ValueUnset::NotAKey,
        };
        Ok((file.scope.source, unset))
    }
}

/// What a person has written by a command of theirs is theirs: it needs no question.
fn trust_written(key: &KeyInfo, typed: &Value, file: &OpenFile<'_>) -> Result<(), AppError> {
    let source = &file.scope.source;
    if source.kind == FileKind::User {
        return Ok(());
    }
    let Ok(here) = Here::find(file.app) else { return Ok(()) };
    let text = edit::set("", key.name, typed).map_err(|error| file.refusal(error))?;
    trusting::trust_text(&here, source.kind, &source.path, &text)
}

/// A file that is about to be changed.
struct OpenFile<'a> {
    app: &'a App,
    scope: ScopedFile,
    text: String,
    existed: bool,
    /// Nobody else changes one meanwhile.
    _changing: Changing,
}

impl OpenFile<'_> {
    fn read<'a>(app: &'a App, scope: &Scope) -> Result<OpenFile<'a>, AppError> {
        let scope = ScopedFile::find(app, scope)?;
        let changing = Changing::begin(&state_root()?)?;
        let text = config_file::read(&scope.source.path)?;
        let existed = text.is_some();
        Ok(OpenFile { app, scope, existed, text: text.unwrap_or_default(), _changing: changing })
    }

    fn path(&self) -> String {
        self.scope.source.path.display().to_string()
    }

    fn write(&self, key: &KeyInfo, after: &str) -> Result<(), AppError> {
        let readers = match key.secrecy {
            Secrecy::Open | Secrecy::Address => Readers::Usual,
            Secrecy::Secret => Readers::Owner,
        };
        if after == self.text && self.existed { Ok(()) } else { self.replace(after, readers) }
    }

    fn replace(&self, after: &str, readers: Readers) -> Result<(), AppError> {
        let before = self.existed.then_some(self.text.as_str());
        self.note(before, after)?;
        Ok(config_file::write(&self.scope.source.path, before, after, readers)?)
    }

    /// A run that is at work leaves as it is what a person has written, and undoes what its agent has.
    fn note(&self, before: Option<&str>, after: &str) -> Result<(), AppError> {
        let source = &self.scope.source;
        if source.kind == FileKind::User || trusting::refuse_below_windlass().is_err() {
            return Ok(());
        }
        // No run without a project that is known.
        let Ok(here) = Here::find(self.app) else { return Ok(()) };
        // outside: the state folder.
        if !here.project.path().is_dir() {
            return Ok(());
        }
        let format = here.place().object_format();
        let named = |text: &str| format.of_file(text.as_bytes()).to_string();
        let (path, before) = (source.path.clone(), before.map(named));
        let (after, at) = (Some(named(after)), Some(Timestamp::now()));
        Ok(written::note(&here.project, Written { path, before, after, task: None, at })?)
    }

    fn refusal(&self, error: EditError) -> AppError {
        let path = self.path();
        match error {
            EditError::Broken { line, message } => {
                let place = line.map_or_else(|| path.clone(), |line| format!("{path}:{line}"));
                AppError::new(Kind::Configuration, format!("{place}: {message}"))
                    .hint("The file is as it was. Fix it by hand, then try again.")
            }
            EditError::Intricate { line, .. } => {
                AppError::new(Kind::Configuration, format!("{path}:{line}: {error}"))
                    .hint("The file is as it was. Change it by hand.")
            }
        }
    }

    /// What else is wrong in the file keeps nobody from mending it step by step.
    fn tell_of_the_rest(&self, after: &str) {
        let source = &self.scope.source;
        if let Err(error) = Layer::parse(source.kind, &source.path, after) {
            self.app.notices(&error.problems);
        }
    }
}

/// The value that is to be written.
struct Wanted {
    value: Value,
    /// What of it a person has just typed, or has in a file of their own: not what else the list holds.
    typed: Value,
    /// The layer that a list begins with.
    taken_over: Option<&'static str>,
}

impl Wanted {
    fn read(key: &KeyInfo, change: &ValueChange, file: &OpenFile<'_>) -> Result<Wanted, AppError> {
        let (add, remove) = match change {
            ValueChange::To(texts) => {
                let value = match (key.secrecy, texts.as_slice()) {
                    (Secrecy::Secret, [dash]) if dash == "-" => {
                        key.read_texts(&[file.app.front_end().secret()?])?
                    }
                    (_, texts) => key.read_texts(texts)?,
                };
                return Ok(Wanted { typed: value.clone(), value, taken_over: None });
            }
            ValueChange::Items { add, remove } => (add, remove),
        };
        if key.shape != Shape::List {
            return Err(AppError::usage(format!(
                "`{}` takes a single value: --add and --remove are for lists",
                key.name
            ))
            .hint(format!("windlass config set {} VALUE", key.name)));
        }
        let own = edit::value_of(&file.text, key.name).map_err(|error| file.refusal(error))?;
        let (there, layer) = match own {
            Some(value) => (Some(value), None),
            None => file
                .scope
                .value_below(key.name)?
                .map_or((None, None), |(value, layer)| (Some(value), Some(layer))),
        };
        // Where nothing is, the list begins empty, also one that has to hold something in the end.
        let mut items = there.map_or_else(|| Ok(Vec::new()), |value| key.items_of(&value))?;
        let taken_over = layer.filter(|_| !items.is_empty());
        // Below the project's file there is nothing but the person's own.
        let is_own = taken_over.is_some() && file.scope.source.kind == FileKind::Project;
        let mut typed = if is_own { items.clone() } else { Vec::new() };
        for text in remove {
            take_out(key, &mut items, text)?;
        }
        if let Value::Array(added) = key.read_texts(add)? {
            typed.extend(added.iter().cloned());
            let new: Vec<Value> = added.into_iter().filter(|item| !items.contains(item)).collect();
            items.extend(new);
        }
        let value = Value::Array(items);
        key.check(&value)?;
        Ok(Wanted { value, typed: Value::Array(typed), taken_over })
    }
}

/// Takes a text, or the table of a command with this text, out of a list.
fn take_out(key: &KeyInfo, items: &mut Vec<Value>, text: &str) -> Result<(), AppError> {
    let is_meant = |item: &Value| item.as_str().or_else(|| item.get("command")?.as_str()) == Some(text);
    let before = items.len();
    items.retain(|item| !is_meant(item));
    if items.len() < before {
        return Ok(());
    }
    let list = Value::Array(items.clone());
    Err(AppError::usage(format!("`{text}` is not in `{}`", key.name)).hint(format!("It holds {list}")))
}

fn tell_of_secrets(key: &KeyInfo, file: &OpenFile<'_>) -> Result<(), AppError> {
    if key.secrecy != Secrecy::Secret {
        return Ok(());
    }
    let (path, name) = (file.path(), key.name);
    if file.scope.source.kind != FileKind::User {
        file.app.notice(&format!(
            "{path} may be committed, and the secret with it; keep it in your own file \
             (`windlass config set --user {name} -`) or in {}",
            key.variable()
        ));
    }
    if config_file::is_readable_by_others(&file.scope.source.path)? {
        let typed = quoted(file.scope.source.path.as_os_str());
        file.app.notice(&format!("other users can read {path}; make it yours alone: chmod 600 {typed}"));
    }
    Ok(())
}
