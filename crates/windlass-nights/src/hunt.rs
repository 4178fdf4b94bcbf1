//! Many nights, on several threads.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use windlass_core::fact::Fact;
use windlass_core::spec::Mode;

use crate::invariant::broken;
use crate::night::play;
use crate::plant::Plant;
use crate::record::Record;
use crate::script::Script;
use crate::story::tell;

/// Which nights are played, and how.
#[derive(Clone, Debug)]
pub struct Quarry {
    /// Their seeds.
    pub seeds: Range<u64>,
    /// Only nights in this mode.
    pub mode: Option<Mode>,
    /// A fault that is planted in each.
    pub plant: Option<Plant>,
    /// How many threads.
    pub threads: usize,
    /// The hunt is over after so many catches.
    pub enough: usize,
}

/// What was found.
#[derive(Clone, Debug, Default)]
pub struct Hunt {
    /// Nights that were played.
    pub nights: u64,
    /// Their steps.
    pub steps: u64,
    /// How sessions ended, by the stop reason's name as the journal has it; crashes are not among them.
    pub endings: BTreeMap<String, u64>,
    /// Nights that broke an invariant, by seed.
    pub catches: Vec<Catch>,
}

/// A night that broke an invariant.
#[derive(Clone, Debug)]
pub struct Catch {
    /// Its seed.
    pub seed: u64,
    /// The invariant's name.
    pub invariant: &'static str,
    /// What was wrong.
    pub said: String,
    /// The smallest night that breaks it in the same way, told.
    pub story: String,
}

/// Seeds that a thread takes at a time.
const BATCH: u64 = 64;

/// Plays nights.
pub fn hunt(quarry: &Quarry) -> Hunt {
    over_seeds(quarry.seeds.clone(), quarry.threads, quarry.enough, |mine, seed| mine.play(seed, quarry))
}

/// Plays the nights of some seeds, on so many threads, until so many of one thread's were broken.
pub(crate) fn over_seeds(
    seeds: Range<u64>,
    threads: usize,
    enough: usize,
    play: impl Fn(&mut Hunt, u64) + Sync,
) -> Hunt {
    let next = AtomicU64::new(seeds.start);
    let over = AtomicBool::new(false);
    let total = Mutex::new(Hunt::default());
    std::thread::scope(|scope| {
        for _ in 0..threads.max(1) {
            scope.spawn(|| {
                let mut mine = Hunt::default();
                while !over.load(Ordering::Relaxed) {
                    let from = next.fetch_add(BATCH, Ordering::Relaxed);
                    let to = from.saturating_add(BATCH).min(seeds.end);
                    if from >= to {
                        break;
                    }
                    for seed in from..to {
                        play(&mut mine, seed);
                        if mine.catches.len() >= enough {
                            over.store(true, Ordering::Relaxed);
                            break;
                        }
                    }
                }
                if let Ok(mut total) = total.lock() {
                    total.add(mine);
                }
            });
        }
    });
    let mut hunt = total.into_inner().unwrap_or_default();
    hunt.catches.sort_by_key(|one| one.seed);
    hunt
}

impl Hunt {
    fn play(&mut self, seed: u64, quarry: &Quarry) {
        let script = Script::draw(seed, quarry.mode);
        let record = play(&script, quarry.plant);
        self.nights += 1;
        self.steps += u64::from(record.steps);
        self.count_endings(&record);
        let Some((invariant, breach)) = broken(&record) else { return };
        let fails = |script: &Script| {
            broken(&play(script, quarry.plant)).is_some_and(|(again, _)| again.name == invariant.name)
        };
        let smallest = script.shrunk(fails);
        let record = play(&smallest, quarry.plant);
        let story = tell(&smallest, &record, broken(&record).as_ref());
        self.catches.push(Catch { seed, invariant: invariant.name, said: breach.said, story });
    }

    fn count_endings(&mut self, record: &Record) {
        for entry in record.facts() {
            if let Fact::RunFinished { stop_reason, .. } = &entry.fact {
                *self.endings.entry(format!("{stop_reason:?}")).or_default() += 1;
            }
        }
    }

    fn add(&mut self, other: Hunt) {
        self.nights += other.nights;
        self.steps += other.steps;
        for (ending, count) in other.endings {
            *self.endings.entry(ending).or_default() += count;
        }
        self.catches.extend(other.catches);
    }
}
