//! `windlass-nights`: plays simulated nights and says what they broke. `cargo xtask nights` builds and runs it.

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a chore talks to whoever runs it")]

mod options;

use std::fs;
use std::io::Write;
use std::process::ExitCode;
use std::time::Instant;

use options::{Options, Wanted};
use windlass_nights::{
    Difference, Hashes, Hunt, INVARIANTS, Plant, Quarry, Script, broken, hunt, play, tell,
};

/// What the journals of nights hold, kept.
const HASHES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/hashes.txt");

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match Options::parse(&arguments) {
        Ok(options) => match options.wanted {
            Wanted::Help => {
                println!("{}", options::HELP);
                ExitCode::SUCCESS
            }
            Wanted::Lists => {
                list();
                ExitCode::SUCCESS
            }
            Wanted::Story => story(&options),
            Wanted::Hunt => search(&options),
            Wanted::Hashes => said(compare(&options)),
            Wanted::Renewal => said(renew(&options)),
            Wanted::Journal => {
                let night = play(&Script::draw(options.from, options.mode), options.plant);
                said(std::io::stdout().write_all(night.journal()).map_err(|error| error.to_string()))
            }
        },
        Err(problem) => {
            eprintln!("error: {problem}\n\n{}", options::HELP);
            ExitCode::from(2)
        }
    }
}

fn said(done: Result<(), String>) -> ExitCode {
    let Err(problem) = done else { return ExitCode::SUCCESS };
    eprintln!("error: {problem}");
    ExitCode::FAILURE
}

fn compare(options: &Options) -> Result<(), String> {
    let kept = fs::read_to_string(HASHES).map_err(|error| format!("{HASHES}: {error}"))?;
    let kept = Hashes::parse(&kept).map_err(|problem| format!("{HASHES}: {problem}"))?;
    let now = Hashes::play(options.seeds.unwrap_or(kept.nights()).min(kept.nights()), options.threads);
    match now.first_difference(&kept) {
        None => {
            println!("{} nights: their journals hold what {HASHES} says.", now.nights());
            Ok(())
        }
        Some(Difference::Night(seed)) => Err(format!(
            "the journal of seed {seed} is another one; to see it, here and at an earlier commit: \
             cargo xtask nights --from {seed} --journal"
        )),
        Some(Difference::Among(seeds)) => Err(format!(
            "the journal of one of the seeds {} to {} is another one",
            seeds.start,
            seeds.end - 1
        )),
    }
}

#[expect(clippy::disallowed_methods, reason = "the file is the chore's, and no night's")]
fn renew(options: &Options) -> Result<(), String> {
    let now = Hashes::play(options.seeds.unwrap_or(100_000), options.threads);
    fs::write(HASHES, now.to_string()).map_err(|error| format!("{HASHES}: {error}"))?;
    println!("{HASHES}: {} nights", now.nights());
    Ok(())
}

fn list() {
    println!("Invariants");
    for invariant in INVARIANTS {
        println!("  {:<24} {}", invariant.name, invariant.sentence);
    }
    println!("\nFaults that can be planted");
    for (_, name, sentence) in Plant::ALL {
        println!("  {name:<24} {sentence}");
    }
}

fn story(options: &Options) -> ExitCode {
    let script = Script::draw(options.from, options.mode);
    let record = play(&script, options.plant);
    let breach = broken(&record);
    print!("{}", tell(&script, &record, breach.as_ref()));
    if breach.is_some() { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

fn search(options: &Options) -> ExitCode {
    let began = Instant::now();
    let seeds = options.from..options.from.saturating_add(options.seeds.unwrap_or(10_000));
    let found = hunt(&Quarry {
        seeds: seeds.clone(),
        mode: options.mode,
        plant: options.plant,
        threads: options.threads,
        enough: options.enough,
    });
    let seconds = began.elapsed().as_secs_f64();
    report(&found, seconds);
    if found.catches.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn report(found: &Hunt, seconds: f64) {
    let rate = found.nights as f64 / seconds.max(1e-9);
    println!("{} nights in {seconds:.1} s ({rate:.0} a second), {} steps", found.nights, found.steps);
    println!("\nHow their sessions ended");
    let mut endings: Vec<_> = found.endings.iter().collect();
    endings.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
    for (ending, count) in endings {
        println!("  {ending:<24} {count:>9}");
    }
    if found.catches.is_empty() {
        println!("\nNo invariant broke.");
        return;
    }
    println!("\nBroken: {}", found.catches.len());
    for one in &found.catches {
        println!("\n✗ {} (seed {}): {}\n\n{}", one.invariant, one.seed, one.said, one.story);
    }
}
