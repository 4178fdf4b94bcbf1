//! Configuration: what may be set, in which layers, and what comes of it.

mod duration;

pub use duration::{DurationError, parse_duration, parse_fine_duration};
