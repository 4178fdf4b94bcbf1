//! The rules of a run, as tables and properties.

pub(crate) mod world;

mod act;
mod after_reviews;
mod asking;
mod claiming;
mod collecting;
mod committing;
mod completion;
mod contexts;
mod councils;
mod counting;
mod criteria;
mod damage;
mod effects;
mod ends_outside;
mod evidence;
mod going_back;
mod going_out;
mod guarding;
mod handing_over;
mod hooks;
mod issues;
mod issues_held;
mod issues_outside;
mod judged_criteria;
mod judging;
mod kept_plans;
mod landing;
mod lanes;
pub mod lanes_world;
mod limits;
mod losing;
mod nights;
mod order;
mod ordering;
pub mod outcomes;
mod outside;
mod parking;
mod parts;
mod parts_again;
mod parts_of_iterations;
mod parts_over;
mod phases;
mod plans;
mod protecting;
mod refusing;
mod restarting;
mod resuming;
mod resuming_outside;
mod retrying;
mod reviewing;
mod reviews;
mod sharing;
mod shown;
mod stopping;
mod told;
mod usual;
mod verification;
mod waking;
mod workers;
mod workspace;

impl super::Run {
    /// Why a task was parked; `None` where it is not.
    fn parked_because(&self, task: &crate::values::TaskId) -> Option<&str> {
        self.tasks.parked.get(task).map(String::as_str)
    }
}
