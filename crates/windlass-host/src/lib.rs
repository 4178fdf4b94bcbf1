//! What Windlass has to do with the machine: processes and their keepers, files, and the one room for whatever a guest can
//! write. It knows nothing of runs, git or sandboxes.

pub mod environment;
pub mod file;
pub mod limit;
pub mod note;
pub mod process;
pub mod tree;
