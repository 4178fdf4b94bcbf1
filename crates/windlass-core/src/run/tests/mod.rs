//! The rules of a run, as tables and properties.

mod world;

mod completion;
mod limits;
mod nights;
mod retrying;
mod stopping;
