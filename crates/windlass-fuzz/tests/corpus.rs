//! Every input that is kept, and mutants of them, through every target.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use windlass_fuzz::mutation::Mutations;
use windlass_fuzz::{TARGETS, Target, corpus};
use windlass_jobs::doc::tasks::sources::SOURCES;
use windlass_jobs::doc::tasks::{TaskFile, TaskList};

/// Mutants of a target: so many, or fewer where they take longer than [`PATIENCE`].
const MUTANTS: usize = 2000;

/// For the mutants of one target. On a slow machine fewer of them are tried; none is judged differently.
const PATIENCE: Duration = Duration::from_secs(1);

/// All inputs that are kept, in bytes.
const LARGEST_CORPUS: usize = 500_000;

/// Runs inputs up to the first that breaks a property; says which, so that it can be kept.
fn broken(target: &Target, inputs: impl IntoIterator<Item = (String, Vec<u8>)>) -> Option<String> {
    let (name, input) = inputs
        .into_iter()
        .find(|(_, input)| catch_unwind(AssertUnwindSafe(|| (target.run)(input))).is_err())?;
    Some(format!("{}: {name} breaks a property: b\"{}\"", target.name, input.escape_ascii()))
}

fn kept(target: &Target) -> Vec<(String, Vec<u8>)> {
    corpus::inputs(target).unwrap_or_else(|error| panic!("{}: {error}", target.name))
}

#[test]
fn every_target_has_inputs_and_they_are_small() {
    let sizes = TARGETS.iter().flat_map(|target| {
        let inputs = kept(target);
        assert!(!inputs.is_empty(), "{} has no input", target.name);
        inputs.into_iter().map(|(_, input)| input.len())
    });
    let total: usize = sizes.sum();
    assert!(total <= LARGEST_CORPUS, "the corpus has {total} bytes");
    let folders = std::fs::read_dir(corpus::folder(&TARGETS[0]).parent().unwrap()).unwrap();
    assert_eq!(folders.count(), TARGETS.len(), "a folder belongs to no target");
}

#[test]
fn every_form_of_tasks_has_an_input_with_a_task() {
    let target = TARGETS.iter().find(|target| target.name == "tasks").unwrap();
    let texts: Vec<Vec<u8>> = kept(target).into_iter().map(|(_, input)| input).collect();
    for form in SOURCES {
        let read = |input: &Vec<u8>| TaskList::parse(vec![TaskFile::alone("T1.md", form, Ok(input.clone()))]);
        let has_task = texts.iter().any(|input| !read(input).tasks().is_empty());
        assert!(has_task, "no input in corpus/tasks has a task of the form `{}`", form.name());
    }
}

#[test]
fn what_is_kept_breaks_nothing() {
    let nothing = || [("nothing at all".to_owned(), Vec::new())].into_iter();
    let broken: Vec<_> =
        TARGETS.iter().filter_map(|target| broken(target, nothing().chain(kept(target)))).collect();
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}

#[test]
fn mutants_of_what_is_kept_break_nothing() {
    let mutants_of = |target: &Target| {
        let inputs: Vec<_> = kept(target).into_iter().map(|(_, input)| input).collect();
        let began = Instant::now();
        let in_time = Mutations::new(&inputs, 1).take(MUTANTS).take_while(|_| began.elapsed() < PATIENCE);
        broken(target, in_time.enumerate().map(|(index, mutant)| (format!("mutant {index}"), mutant)))
    };
    let broken: Vec<_> = TARGETS.iter().filter_map(mutants_of).collect();
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}
