//! `worker`: takes orders of a fleet.

use windlass_app::AppError;
use windlass_app::fleet::{PolicyRequest, WorkRequest, WorkerEnd, WorkerEnded};

use super::{app, done, print_lines};
use crate::args::WorkerArgs;

/// Does it, until it is drained or stopped.
pub fn run(args: &WorkerArgs) -> Result<(), AppError> {
    let WorkerArgs { policy, name, lanes, health } = args.clone();
    let policy = PolicyRequest { file: policy, name, lanes };
    let WorkerEnded { end, name } = app()?.work(&WorkRequest { policy, health })?;
    let how = match end {
        WorkerEnd::Drained => "was drained: its lanes are given back",
        WorkerEnd::Stopped => "was stopped: what its agents were at is begun anew elsewhere",
    };
    print_lines(&[done(&format!("worker {name} {how}"))])
}
