//! Options of another tool, written as a configuration file of ours.

use std::fs;
use std::path::{Path, PathBuf};

use windlass_core::workspace::{OptionValue, imported_options_text, text_says};

use super::{Extent, Item, ItemKind};
use windlass_engine::config_file;
use windlass_host::file::{AtPath as _, Made, create_new};

/// What others may do with a new configuration file.
pub(super) const PERMISSIONS: u32 = 0o644;

/// What there is to say of the exit codes that a project keeps.
const EXIT_CODES: &str = "scripts keep the exit codes that they know: 0 says that a run ended, not that its job is done; \
                          `windlass config unset output.exit_codes` tells these apart";

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
    pub options: &'a [(&'static str, OptionValue)],
    /// What there is to say beyond them, one sentence each.
    pub notes: Vec<String>,
}

impl Configuration<'_> {
    /// Writes them where no such file is; where one is, says what it does not say yet. A project's scripts know the exit codes
    /// of the tool that was used in it: it keeps them.
    pub fn take(self, extent: Extent) -> Item {
        let Configuration { tool, from, to, whose, options, notes } = self;
        let mut options = options.to_vec();
        if whose.is_empty() {
            options.push(("output.exit_codes", OptionValue::String("simple".to_owned())));
        }
        let options = options.as_slice();
        let name = from.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
        let mut item =
            Item { kind: ItemKind::Configuration, name, from: from.to_owned(), to: Some(to.clone()), notes };
        if options.is_empty() {
            item.to = None;
            item.notes.push("it says nothing that is said here in a configuration file".to_owned());
            return item;
        }
        if to.symlink_metadata().is_ok() {
            item.to = None;
            let said = config_file::read(&to).ok().flatten().unwrap_or_default();
            let missing = options.iter().filter(|(key, value)| !text_says(&said, key, value));
            let commands: Vec<String> = missing
                .map(|(key, value)| format!("windlass config set {whose}{key} {}", as_arguments(value)))
                .collect();
            item.notes.push(if commands.is_empty() {
                format!("{} says all of it already", to.display())
            } else {
                format!("{} is there and is not changed; these set the same in it:", to.display())
            });
            item.notes.extend(commands);
            return item;
        }
        if extent == Extent::Act {
            let written = to
                .parent()
                .map_or(Ok(()), |folder| fs::create_dir_all(folder).at("create", folder))
                .and_then(|()| create_new(&to, imported_options_text(tool, options).as_bytes(), PERMISSIONS));
            match written {
                Ok(Made::Anew) => {}
                Ok(Made::WasThere) => {
                    return Item::left(
                        item.kind,
                        &item.name,
                        item.from,
                        "somebody made the same file just now",
                    );
                }
                Err(error) => return Item::left(item.kind, &item.name, item.from, error.to_string()),
            }
        }
        if whose.is_empty() {
            item.notes.push(EXIT_CODES.to_owned());
        }
        item
    }
}

/// A value as `config set` takes it from a shell: a text as it is, a list item by item.
pub(super) fn as_arguments(value: &OptionValue) -> String {
    let plain = |value: &OptionValue| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let texts =
        value.as_array().map_or_else(|| vec![plain(value)], |items| items.iter().map(plain).collect());
    let end_of_flags = if texts.iter().any(|text| text.starts_with('-')) { "-- " } else { "" };
    let quoted: Vec<String> = texts.iter().map(|text| format!("'{}'", text.replace('\'', r"'\''"))).collect();
    format!("{end_of_flags}{}", quoted.join(" "))
}
