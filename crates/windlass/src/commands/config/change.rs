//! `config set` and `config unset`: one value of one file.

use std::io::{self, Read as _};
use std::path::Path;

use toml::Value;
use windlass_core::config::edit::{self, EditError};
use windlass_core::config::{FileKind, KeyInfo, Layer, Secrecy, Shape};
use windlass_engine::config_file::{self, Readers};
use windlass_ui::Line;

use super::super::{default_project, print_lines, warn};
use super::key_named;
use super::scope::Scope;
use crate::args::{ConfigSetArgs, ConfigUnsetArgs};
use crate::commands::app;
use windlass_app::here::Here;
use windlass_app::trusting;
use windlass_app::{AppError, Kind};

/// The longest secret that is read from standard input, in bytes.
const LONGEST_SECRET: u64 = 64 * 1024;

/// Writes one value into a file.
///
/// # Errors
/// The key or the value is wrong, or the file cannot be changed; then it is as it was.
pub fn set(args: &ConfigSetArgs) -> Result<(), AppError> {
    let key = key_named(&args.key)?;
    let file = OpenFile::read(Scope::find(&args.scope)?)?;
    key.belongs_in(file.scope.source.kind)?;
    let wanted = Wanted::read(key, args, &file)?;
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
        warn(&format!("the list begins with what held until now ({layer}); it no longer follows it"));
    }
    file.write(key, &after)?;
    trust_written(key, &wanted.typed, &file)?;
    warn_of_secrets(key, &file)?;
    file.warn_of_the_rest(&after);
    let said = format!(" = {}", key.shown(&wanted.value));
    let unchanged = if after == file.text && file.existed { " already" } else { "" };
    print_lines(&[Line::hanging(2)
        .strong(key.name)
        .plain(said)
        .dim(format!("{unchanged} in {}", file.path()))])?;
    warn_of_stronger(key, &file)
}

/// What a person has written by a command of theirs is theirs: it needs no question.
fn trust_written(key: &KeyInfo, typed: &Value, file: &OpenFile) -> Result<(), AppError> {
    let source = &file.scope.source;
    if source.kind == FileKind::User {
        return Ok(());
    }
    let Ok(here) = app().and_then(|app| Here::find(&app)) else { return Ok(()) };
    let text = edit::set("", key.name, typed).map_err(|error| file.refusal(error))?;
    trusting::trust_text(&here, source.kind, &source.path, &text)
}

/// Takes one value out of a file.
///
/// # Errors
/// There is no such key, or the file cannot be changed; then it is as it was.
pub fn unset(args: &ConfigUnsetArgs) -> Result<(), AppError> {
    let file = OpenFile::read(Scope::find(&args.scope)?)?;
    // What a file holds can be taken out of it, even where it is no key: that is how it is mended.
    let Some(after) = edit::unset(&file.text, &args.key).map_err(|error| file.refusal(error))? else {
        let key = key_named(&args.key)?;
        return print_lines(&[Line::hanging(2)
            .strong(key.name)
            .dim(format!(" is not set in {}", file.path()))]);
    };
    file.replace(&after, Readers::Usual)?;
    file.warn_of_the_rest(&after);
    let now = match KeyInfo::find(&args.key).ok() {
        Some(key) => file.scope.value_below(key.name)?.map_or_else(
            || "; it has no value below it".to_owned(),
            |(value, layer)| format!("; below it holds {} ({layer})", key.shown(&value)),
        ),
        None => String::new(),
    };
    let said = format!(" is no longer set in {}{now}", file.path());
    print_lines(&[Line::hanging(2).strong(args.key.as_str()).dim(said)])
}

/// A file that is about to be changed.
struct OpenFile {
    scope: Scope,
    text: String,
    existed: bool,
}

impl OpenFile {
    fn read(scope: Scope) -> Result<OpenFile, AppError> {
        let text = config_file::read(&scope.source.path)?;
        Ok(OpenFile { scope, existed: text.is_some(), text: text.unwrap_or_default() })
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
        Ok(config_file::write(&self.scope.source.path, before, after, readers)?)
    }

    fn refusal(&self, error: EditError) -> AppError {
        let path = self.path();
        match error {
            EditError::Broken { line, message } => {
                let place = line.map_or_else(|| path.clone(), |line| format!("{path}:{line}"));
                AppError::new(Kind::Configuration, format!("{place}: {message}"))
                    .hint("The file is as it was. Mend it by hand, then try again.")
            }
            EditError::Intricate { line, .. } => {
                AppError::new(Kind::Configuration, format!("{path}:{line}: {error}"))
                    .hint("The file is as it was. Change it by hand.")
            }
        }
    }

    /// What else is wrong in the file keeps nobody from mending it step by step.
    fn warn_of_the_rest(&self, after: &str) {
        let source = &self.scope.source;
        if let Err(error) = Layer::parse(source.kind, &source.path, after) {
            error.problems.iter().for_each(|problem| warn(problem));
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
    fn read(key: &KeyInfo, args: &ConfigSetArgs, file: &OpenFile) -> Result<Wanted, AppError> {
        if args.add.is_empty() && args.remove.is_empty() {
            let value = match (key.secrecy, args.value.as_slice()) {
                (Secrecy::Secret, [dash]) if dash == "-" => key.read_texts(&[secret_from_stdin()?])?,
                (_, texts) => key.read_texts(texts)?,
            };
            return Ok(Wanted { typed: value.clone(), value, taken_over: None });
        }
        if key.shape != Shape::List {
            return Err(AppError::usage(format!(
                "`{}` takes a single value: --add and --remove are for lists",
                key.name
            ))
            .hint(format!("windlass config set {} VALUE", key.name)));
        }
        let own = edit::value_of(&file.text, key.name).map_err(|error| file.refusal(error))?;
        let (there, taken_over) = match own {
            Some(value) => (value, None),
            None => match file.scope.value_below(key.name)? {
                Some((value, layer)) => {
                    let says_something = value.as_array().is_some_and(|items| !items.is_empty());
                    (value, says_something.then_some(layer))
                }
                None => (Value::Array(Vec::new()), None),
            },
        };
        key.check(&there)?;
        let mut items = there.as_array().cloned().unwrap_or_default();
        // Below the project's file there is nothing but the person's own.
        let is_own = taken_over.is_some() && file.scope.source.kind == FileKind::Project;
        let mut typed = if is_own { items.clone() } else { Vec::new() };
        for text in &args.remove {
            take_out(key, &mut items, text)?;
        }
        if let Value::Array(added) = key.read_texts(&args.add)? {
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

/// One line from standard input, so that a secret is in no list of processes and in no shell's history.
fn secret_from_stdin() -> Result<String, AppError> {
    let trouble = |error: &io::Error| {
        AppError::new(Kind::System, format!("cannot read the secret from standard input: {error}"))
    };
    let mut text = String::new();
    io::stdin().lock().take(LONGEST_SECRET).read_to_string(&mut text).map_err(|error| trouble(&error))?;
    let secret = text.trim_end_matches(['\r', '\n']);
    if secret.trim().is_empty() {
        return Err(AppError::usage("there is no secret on standard input"));
    }
    Ok(secret.to_owned())
}

fn warn_of_secrets(key: &KeyInfo, file: &OpenFile) -> Result<(), AppError> {
    if key.secrecy != Secrecy::Secret {
        return Ok(());
    }
    let (path, name) = (file.path(), key.name);
    if file.scope.source.kind != FileKind::User {
        warn(&format!(
            "{path} may be committed, and the secret with it; keep it in your own file \
             (`windlass config set --user {name} -`) or in {}",
            key.variable()
        ));
    }
    if config_file::is_readable_by_others(&file.scope.source.path)? {
        warn(&format!("others can read {path}; withdraw it from them: chmod 600 '{path}'"));
    }
    Ok(())
}

/// What was written may not be what holds.
fn warn_of_stronger(key: &KeyInfo, file: &OpenFile) -> Result<(), AppError> {
    if std::env::var_os(key.variable()).is_some_and(|value| !value.is_empty()) {
        warn(&format!("{} is set in your environment and goes before it", key.variable()));
    } else if file.scope.source.kind == FileKind::User {
        let project = Scope::find(&crate::args::ScopeArgs::default())?;
        if project.source.layer()?.is_some_and(|layer| layer.value(key.name).is_some()) {
            warn(&format!("the project's file goes before yours here: {}", project.source.path.display()));
        }
    }
    Ok(())
}
