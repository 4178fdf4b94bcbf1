//! Reset times in prose.
