//! Not a test: prints how long an iteration's survey and snapshot take. Run it with `--release --ignored --nocapture`.

use std::time::{Duration, Instant};

use super::*;

const ITERATIONS: u32 = 30;

#[test]
#[ignore = "prints times, checks nothing"]
fn an_iteration_in_a_repository_of_1000_files() {
    let scratch = Scratch::repository();
    for number in 0..1000 {
        scratch.write(&format!("folder{}/file{number}.txt", number % 50), format!("{number}\n").repeat(200));
    }
    scratch.commit_all("first");
    // sleep: files as young as the clock would be read again
    std::thread::sleep(Duration::from_millis(50));
    let (mut surveyor, mut store) = (scratch.surveyor(), scratch.store());
    let mut rows = Vec::new();
    for iteration in 1..=ITERATIONS {
        for number in 0..3 {
            let name = format!("folder{number}/file{number}.txt");
            scratch.write(&name, format!("iteration {iteration}\n").repeat(200));
        }
        let started = Instant::now();
        let listed = scratch.found_quickly(&surveyor);
        let git = started.elapsed();
        let started = Instant::now();
        let inventory = surveyor.survey(&[]).unwrap();
        let survey = started.elapsed();
        store.keep(surveyor.place(), &inventory, &after(iteration)).unwrap();
        rows.push((git, survey, started.elapsed().saturating_sub(survey), listed));
    }
    say(&format!("first: survey {:?}, snapshot {:?}", rows[0].1, rows[0].2));
    let median = |pick: fn(&(Duration, Duration, Duration, usize)) -> Duration| {
        let mut times: Vec<_> = rows.iter().skip(1).map(pick).collect();
        times.sort_unstable();
        times[times.len() / 2]
    };
    let (git, survey, keep) = (median(|row| row.0), median(|row| row.1), median(|row| row.2));
    let both = survey + keep;
    say(&format!("median: git ls-files alone {git:?}; survey {survey:?}, snapshot {keep:?}, both {both:?}"));
}

impl Scratch {
    fn found_quickly(&self, surveyor: &crate::inventory::Surveyor) -> usize {
        let repository = surveyor.place().repository.as_ref().unwrap();
        assert_eq!(repository.top, self.top);
        repository.list_files().unwrap().len()
    }
}
