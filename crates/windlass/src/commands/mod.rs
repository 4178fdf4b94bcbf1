//! One file per verb.
pub mod demo;
