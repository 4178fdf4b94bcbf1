//! `windlass-nights`: plays simulated nights and says what they broke. `cargo xtask nights` builds and runs it.

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a chore talks to whoever runs it")]

mod options;

use std::fs;
use std::io::Write;
use std::process::ExitCode;
use std::time::Instant;

use options::{Kind, Options, Wanted};
use windlass_nights::{
    Difference, FLEET_INVARIANTS, FleetPlant, FleetScript, Hashes, Hunt, INVARIANTS, Plant, Quarry, Script,
    broken, broken_fleet, hunt, hunt_fleet, play, play_fleet, tell, tell_fleet,
};

/// What the journals of nights hold, kept.
const HASHES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/hashes.txt");

/// The same of a fleet's nights.
const FLEET_HASHES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/fleet-hashes.txt");

fn hashes_file(kind: Kind) -> &'static str {
    match kind {
        Kind::Alone => HASHES,
        Kind::Fleet => FLEET_HASHES,
    }
}

fn hashes_of(kind: Kind, nights: u64, threads: usize) -> Hashes {
    match kind {
        Kind::Alone => Hashes::play(nights, threads),
        Kind::Fleet => Hashes::play_fleet(nights, threads),
    }
}

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
                said(std::io::stdout().write_all(&journal(&options)).map_err(|error| error.to_string()))
            }
        },
        Err(problem) => {
            eprintln!("error: {problem}\n\n{}", options::HELP);
            ExitCode::from(2)
        }
    }
}

fn journal(options: &Options) -> Vec<u8> {
    match options.kind {
        Kind::Alone => play(&Script::draw(options.from, options.mode), options.plant()).journal().to_vec(),
        Kind::Fleet => play_fleet(&FleetScript::draw(options.from), options.fleet_plant()).journal(),
    }
}

fn said(done: Result<(), String>) -> ExitCode {
    let Err(problem) = done else { return ExitCode::SUCCESS };
    eprintln!("error: {problem}");
    ExitCode::FAILURE
}

fn compare(options: &Options) -> Result<(), String> {
    let file = hashes_file(options.kind);
    let kept = fs::read_to_string(file).map_err(|error| format!("{file}: {error}"))?;
    let kept = Hashes::parse(&kept).map_err(|problem| format!("{file}: {problem}"))?;
    let nights = options.seeds.unwrap_or(kept.nights()).min(kept.nights());
    let now = hashes_of(options.kind, nights, options.threads);
    match now.first_difference(&kept) {
        None => {
            println!("{} nights: their journals hold what {file} says.", now.nights());
            Ok(())
        }
        Some(Difference::Night(seed)) => Err(format!(
            "the journal of seed {seed} is another one; to see it, here and at an earlier commit: \
             cargo xtask nights{} --from {seed} --journal",
            if options.kind == Kind::Fleet { " --fleet" } else { "" }
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
    let file = hashes_file(options.kind);
    let usual = if options.kind == Kind::Fleet { 10_000 } else { 100_000 };
    let now = hashes_of(options.kind, options.seeds.unwrap_or(usual), options.threads);
    fs::write(file, now.to_string()).map_err(|error| format!("{file}: {error}"))?;
    println!("{file}: {} nights", now.nights());
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
    println!("\nInvariants of a fleet's nights (--fleet)");
    for invariant in FLEET_INVARIANTS {
        println!("  {:<24} {}", invariant.name, invariant.sentence);
    }
    println!("\nFaults that can be planted there");
    for (_, name, sentence) in FleetPlant::ALL {
        println!("  {name:<24} {sentence}");
    }
}

fn story(options: &Options) -> ExitCode {
    let (told, holds) = match options.kind {
        Kind::Alone => {
            let script = Script::draw(options.from, options.mode);
            let record = play(&script, options.plant());
            let breach = broken(&record);
            (tell(&script, &record, breach.as_ref()), breach.is_none())
        }
        Kind::Fleet => {
            let record = play_fleet(&FleetScript::draw(options.from), options.fleet_plant());
            let breach = broken_fleet(&record);
            (tell_fleet(&record, breach.as_ref()), breach.is_none())
        }
    };
    print!("{told}");
    if holds { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn search(options: &Options) -> ExitCode {
    let began = Instant::now();
    let seeds = options.from..options.from.saturating_add(options.seeds.unwrap_or(10_000));
    let found = match options.kind {
        Kind::Alone => hunt(&Quarry {
            seeds,
            mode: options.mode,
            plant: options.plant(),
            threads: options.threads,
            enough: options.enough,
        }),
        Kind::Fleet => hunt_fleet(seeds, options.fleet_plant(), options.threads, options.enough),
    };
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
