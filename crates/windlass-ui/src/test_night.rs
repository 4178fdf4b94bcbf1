//! A made-up night, shared by tests and by the gallery (`examples/gallery.rs`).

#[path = "../examples/night/mod.rs"]
mod night;

pub(crate) use night::{Night, plan};
