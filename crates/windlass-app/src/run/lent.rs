//! What a guest of a runner that was killed has committed in the git directory that it was lent: it becomes the repository's before the
//! runner commits what else the guest wrote, which was made on top of it.

use windlass_core::recovery::unsettled;
use windlass_core::run::Run;
use windlass_core::spec::RunSpec;
use windlass_core::values::StopReason;
use windlass_engine::sandbox::SandboxError;
use windlass_engine::store::RunFolder;
use windlass_git::git::Repository;
use windlass_git::loan::Loan;

use crate::error::{AppError, Kind};
use crate::here::Here;

/// Takes it over, and says what became of it. Gives why nothing can be committed on top of it, where a guest has begun a merge, or the like,
/// and has not finished it.
///
/// # Errors
/// It cannot be taken over; or a person has to bring something together first.
pub fn take_over(
    here: &Here,
    repository: &Repository,
    folder: &RunFolder,
    run: &Run,
) -> Result<Option<String>, AppError> {
    let Some(plan) = run.spec().filter(|plan| is_lent(plan, folder)) else { return Ok(None) };
    let loan = Loan::of(repository, folder.loan()).map_err(SandboxError::from)?;
    let what = unsettled(run).map(|unsettled| format!("iteration-{}", unsettled.turn.iteration));
    let taken = loan.take_over(&plan.run.0, what.as_deref().unwrap_or("left")).map_err(|error| {
        AppError::new(Kind::System, format!("what was committed in the sandbox is not taken over: {error}"))
    })?;
    let damage = taken.damage.into_iter().map(|damage| damage.sentence);
    here.app.notices(&damage.chain(taken.notices).collect::<Vec<String>>());
    if let Some(sentence) = taken.needs_person {
        let kind = Kind::stopped(StopReason::NeedsHuman, plan.exit_codes);
        return Err(AppError::new(kind, sentence).hint("Bring both together, then the same command again."));
    }
    loan.half_done().map_err(AppError::system)
}

fn is_lent(plan: &RunSpec, folder: &RunFolder) -> bool {
    // outside: the run's folder.
    plan.sandbox.kind.has_mounts() && folder.loan().exists()
}
