//! The script's format, and what the player prints.
