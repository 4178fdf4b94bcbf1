//! The loop with the real binary and the scripted agent: processes, signals, kills at every write, bad input.
#![expect(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot go on has failed")]

mod bad_agents;
mod bad_input;
mod bad_places;
mod budgets;
mod cheating;
mod claims;
mod clocks;
mod committing;
mod dead_ends;
mod disasters;
mod full_disk;
mod gates;
mod hooks;
mod interrupted;
mod kills;
mod lanes;
mod lanes_full;
mod lanes_setup;
mod night;
mod notifications;
mod parking;
mod plans;
mod protecting;
mod queue_kills;
mod repositories;
mod run_log;
mod signals;
mod straying;
mod tasks;
mod tasks_beginning;
mod tasks_looking;
mod tasks_lost;
mod terminal;
mod waiting;
mod workspaces;
