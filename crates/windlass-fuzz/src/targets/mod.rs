//! One file per target. What a file calls `run` takes any bytes and panics where a property is broken.

mod amounts;
mod config;
mod git;
mod index;
mod journal;
mod keeper;
mod login;
mod prompt;
mod reset_time;
mod rule;
mod script;
mod snapshot;
mod status;
mod stream;
mod times;
mod workspace;

pub(crate) use amounts::run as amounts;
pub(crate) use config::{run_environment as config_environment, run_file as config_file};
pub(crate) use git::run as git;
pub(crate) use index::run as index;
pub(crate) use journal::run as journal;
pub(crate) use keeper::run as keeper;
pub(crate) use login::run as login;
pub(crate) use prompt::run as prompt;
pub(crate) use reset_time::run as reset_time;
pub(crate) use rule::run as rule;
pub(crate) use script::run as script;
pub(crate) use snapshot::run as snapshot;
pub(crate) use status::run as status;
pub(crate) use stream::run as stream;
pub(crate) use times::run as times;
pub(crate) use workspace::run as workspace;
