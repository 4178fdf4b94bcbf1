//! What jobs read and say: the documents that people and agents share with Windlass, and the prompts made of them.
//!
//! As in the core, nothing here performs IO: bytes come in, texts and changes to bytes go out.

mod compose;
pub mod doc;
pub mod follow_up;
pub mod job;
pub mod prompt;

pub use compose::{Prompt, compose};
