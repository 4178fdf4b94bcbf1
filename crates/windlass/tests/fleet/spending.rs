//! What a worker's agents may cost in an hour.

use rustix::process::Signal;
use windlass_testkit::environment::wait_until;
use windlass_testkit::{Nats, Running};

use super::yard::{HONEST, PATIENCE, Yard, drain};

const SPENT: &str = "what its policy allows in an hour is spent";

fn says(worker: &Running, text: &str) {
    assert!(wait_until(PATIENCE, || worker.stderr_so_far().contains(text)), "{}", worker.stderr_so_far());
}

#[test]
fn a_worker_that_starts_again_knows_what_it_spent_within_the_hour() {
    let yard = Yard::new(2, &HONEST.replace("0.01", "2.0"));
    let limit = "most_cost_per_hour = 0.9";
    let first = yard.worker_that_says("one", limit);
    let run = Running::start(&mut yard.tasks(2, &[]));
    says(&first, SPENT);
    drain(first);
    let again = yard.worker_that_says("one", limit);
    says(&again, SPENT);
    assert_eq!(yard.of_kind("call_finished").len(), 1);
    let other = yard.worker("other");
    let ended = run.wait(PATIENCE);
    ended.expect_success(&ended.stderr_text());
    drain(again);
    drain(other);
    yard.env.assert_no_processes(PATIENCE);
}

#[test]
fn money_is_set_aside_for_a_call_under_way_and_is_spent_where_nobody_sees_its_end() {
    let yard = Yard::with_waiting_agents(Nats::one(), 2);
    let limit = "most_cost_per_hour = 0.4";
    let first = yard.worker_that_says("one", limit);
    let run = Running::start(&mut yard.tasks(2, &[]));
    // It has another lane, and no money for that.
    says(&first, "what its policy allows in an hour is set aside for what is at work");
    yard.wait_for_agents(1);
    first.signal(Signal::KILL);
    first.wait(PATIENCE);
    let again = yard.worker_that_says("one", limit);
    says(&again, SPENT);
    assert_eq!(yard.of_kind("call_reserved").len(), 1);
    let other = yard.worker("other");
    yard.let_agents_go_on();
    let ended = run.wait(PATIENCE);
    ended.expect_success(&ended.stderr_text());
    drain(again);
    drain(other);
    yard.env.assert_no_processes(PATIENCE);
}
