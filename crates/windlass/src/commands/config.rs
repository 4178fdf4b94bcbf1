//! `config`: shows and changes the configuration.

use windlass_app::configuration::{Scope, ValueChange, ValueUnset, key_named};
use windlass_app::{AppError, Kind};
use windlass_core::config::{ValueOrigin, key_reference};
use windlass_ui::{
    Line, OriginTold, config_files_json, config_files_text, config_json, config_table, config_value,
    config_value_json, keys_json, keys_text,
};

use super::{Shape, app, print, print_bytes, print_lines, stdout, warn};
use crate::args::{
    ConfigArgs, ConfigGetArgs, ConfigKeysArgs, ConfigListArgs, ConfigPathArgs, ConfigSetArgs,
    ConfigUnsetArgs, ConfigVerb, ScopeArgs,
};

/// Does it.
pub fn run(args: &ConfigArgs) -> Result<(), AppError> {
    match &args.verb {
        ConfigVerb::List(args) => list(args),
        ConfigVerb::Get(args) => get(args),
        ConfigVerb::Set(args) => set(args),
        ConfigVerb::Unset(args) => unset(args),
        ConfigVerb::Keys(args) => keys(args),
        ConfigVerb::Path(args) => path(args),
    }
}

fn list(args: &ConfigListArgs) -> Result<(), AppError> {
    let resolved = app()?.configuration(args.workspace.as_deref())?;
    let wanted = |value: &&ValueOrigin| !(args.set && value.origin.is_default());
    let values: Vec<ValueOrigin> = resolved.origins().iter().filter(wanted).cloned().collect();
    Shape::of(args.json).print(|| config_json(&values), || config_table(&values, &stdout()))
}

fn get(args: &ConfigGetArgs) -> Result<(), AppError> {
    let key = key_named(&args.key)?;
    let resolved = app()?.configuration(args.workspace.as_deref())?;
    let Some(value) = resolved.origins().iter().find(|value| value.name == key.name) else {
        return Err(AppError::new(Kind::Internal, format!("`{}` is in no layer", key.name)));
    };
    if args.json {
        return print_bytes(&config_value_json(value));
    }
    let terminal = stdout();
    let told = if args.origin || terminal.interactive { OriginTold::Yes } else { OriginTold::No };
    match config_value(value, told, &terminal) {
        Some(text) => print(&text),
        None => Err(AppError::new(Kind::System, format!("`{}` has no value", key.name))
            .hint(format!("Set it: windlass config set {} VALUE", key.name))),
    }
}

fn keys(args: &ConfigKeysArgs) -> Result<(), AppError> {
    let keys = key_reference()?;
    Shape::of(args.json).print(|| keys_json(&keys), || keys_text(&keys, &stdout()))
}

fn path(args: &ConfigPathArgs) -> Result<(), AppError> {
    let files = app()?.configuration_files(args.workspace.as_deref())?;
    Shape::of(args.json).print(|| config_files_json(&files), || config_files_text(&files, &stdout()))
}

fn set(args: &ConfigSetArgs) -> Result<(), AppError> {
    let change = if args.add.is_empty() && args.remove.is_empty() {
        ValueChange::To(args.value.clone())
    } else {
        ValueChange::Items { add: args.add.clone(), remove: args.remove.clone() }
    };
    let app = app()?;
    let set = app.set_value(&args.key, &change, &scope(&args.scope))?;
    let already = if set.already { " already" } else { "" };
    print_lines(&[Line::hanging(2)
        .strong(set.key.name)
        .plain(format!(" = {}", set.shown))
        .dim(format!("{already} in {}", set.source.path.display()))])?;
    app.stronger_than(&set)?.iter().for_each(|sentence| warn(sentence));
    Ok(())
}

fn unset(args: &ConfigUnsetArgs) -> Result<(), AppError> {
    let (source, unset) = app()?.unset_value(&args.key, &scope(&args.scope))?;
    let file = source.path.display();
    let said = match unset {
        ValueUnset::NotThere => format!(" is not set in {file}"),
        ValueUnset::NotAKey => format!(" is no longer set in {file}"),
        ValueUnset::Below(None) => format!(" is no longer set in {file}; it has no value below it"),
        ValueUnset::Below(Some((value, layer))) => {
            format!(" is no longer set in {file}; below it holds {value} ({layer})")
        }
    };
    print_lines(&[Line::hanging(2).strong(args.key.as_str()).dim(said)])
}

fn scope(args: &ScopeArgs) -> Scope {
    match &args.workspace {
        Some(name) => Scope::Workspace(name.clone()),
        None if args.user => Scope::User,
        None => Scope::Project,
    }
}
