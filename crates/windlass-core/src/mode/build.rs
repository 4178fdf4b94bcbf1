//! A plan that is worked off (seed 002): claimed by its boxes, of which none is open.

use crate::spec::Job;
use crate::values::{Standing, StandingSource};

/// Why the plan is none: it is gone, empty, or cannot be read.
pub(super) fn missing(job: &Job, standing: &Standing) -> Option<String> {
    if let Some(problem) = &standing.problem {
        return Some(problem.clone());
    }
    let tasks = standing.items.is_some_and(|items| items.total > 0);
    if standing.source == StandingSource::PlanFile && tasks {
        return None;
    }
    let file =
        job.plan.as_ref().map_or_else(|| "the plan".to_owned(), |plan| plan.file.display().to_string());
    Some(match standing.source {
        StandingSource::PlanFile => format!("{file} has no task"),
        _ => format!("{file} is missing"),
    })
}
