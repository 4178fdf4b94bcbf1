//! The guard: checks that an agent could make pass by changing the checks prove nothing. Some files are protected; tests
//! are counted before and after. Pure: whoever has the bytes hands them in.

mod build_file;
mod command;
mod configuration;
mod count;
mod examine;
mod globs;
mod language;
mod lexical;
mod make_targets;
mod needs;
mod packages;
mod scripts;
mod unfollowed;
mod unheard;
mod word;

#[cfg(test)]
mod tests;

pub use build_file::{BuildFile, BuildTool, Inclusion, build_files};
pub use command::{UnnamedFolder, scripts_started, tools_called, unnamed_folders, words_of};
pub use count::count;
pub use examine::{Content, Examination, is_of_interest};
pub use globs::{BUILT_IN, BadGlob, Protected};
pub use language::{Language, language_of};
pub use make_targets::unwritten_targets;
pub use needs::{Need, needs};
pub use packages::{PackageCall, Workspaces, package_calls};
pub use unfollowed::{SearchedFolder, searched_folders, unfollowed};
pub use unheard::{Unheard, unheard, unheard_notice};
pub use word::Counts;
