//! `cargo xtask places`: the tests in places that are not where they were written.
//!
//! Each place is a checkout of the last commit, built there, so that paths within programs are of that place. `--smoke` makes none of
//! them: it runs some tests of what is built already in other surroundings, which takes less than two minutes.

mod checkout;
mod smoke;
mod surroundings;

use std::path::PathBuf;
use std::time::Instant;

use crate::agents;
use crate::nats;
use crate::program::{Failure, cargo, line_of, run, succeeds};
use crate::workspace::Workspace;

use checkout::{Checkout, Kind};
use surroundings::Surroundings;

/// Where tests are run, and how that is unlike where they were written.
struct Place {
    name: &'static str,
    about: &'static str,
    kind: Kind,
    surroundings: Surroundings,
}

/// All that there are.
const PLACES: [Place; 7] = [
    Place {
        name: "home",
        about: "below the home directory",
        kind: Kind::Clone,
        surroundings: Surroundings::USUAL,
    },
    Place { name: "tmp", about: "below /tmp", kind: Kind::Clone, surroundings: Surroundings::USUAL },
    Place {
        name: "spaces",
        about: "in a path with spaces",
        kind: Kind::Clone,
        surroundings: Surroundings::USUAL,
    },
    Place {
        name: "link",
        about: "through a symbolic link",
        kind: Kind::Linked,
        surroundings: Surroundings::USUAL,
    },
    Place {
        name: "worktree",
        about: "in a linked checkout of git",
        kind: Kind::Worktree,
        surroundings: Surroundings::USUAL,
    },
    Place { name: "user", about: "as an ordinary user", kind: Kind::Clone, surroundings: Surroundings::USER },
    Place {
        name: "without-bwrap",
        about: "where bwrap is missing",
        kind: Kind::Clone,
        surroundings: Surroundings::WITHOUT_BWRAP,
    },
];

const USAGE: &str = "usage: cargo xtask places [--smoke | NAME…] [-- FILTER…]";

/// The chore.
pub fn run_chore(workspace: &Workspace, arguments: &[String]) -> Result<(), Failure> {
    let (names, filters) = match arguments.iter().position(|argument| argument == "--") {
        Some(at) => (&arguments[..at], &arguments[at + 1..]),
        None => (arguments, &[][..]),
    };
    if names == ["--smoke"] && filters.is_empty() {
        return smoke::run(workspace);
    }
    let chosen = chosen(names)?;
    println!(
        "{} places, each built anew: a quarter of an hour and 7 GB for each on two cores; what is not committed is not in them",
        chosen.len()
    );
    agents::install(workspace)?;
    nats::install(workspace)?;
    let mut failed = Vec::new();
    for place in chosen {
        let began = Instant::now();
        let ended = try_out(workspace, place, filters);
        let word = if ended.is_ok() { "passed" } else { "FAILED" };
        println!("{} ({}): {word} after {} s", place.name, place.about, began.elapsed().as_secs());
        if let Err(failure) = ended {
            println!("  {failure}");
            failed.push(place.name);
        }
    }
    if failed.is_empty() {
        Ok(())
    } else {
        Err(Failure(format!("places that failed: {}", failed.join(", "))))
    }
}

fn chosen(names: &[String]) -> Result<Vec<&'static Place>, Failure> {
    if names.is_empty() {
        return Ok(PLACES.iter().collect());
    }
    let find = |name: &String| {
        PLACES.iter().find(|place| place.name == name).ok_or_else(|| {
            let known: Vec<&str> = PLACES.iter().map(|place| place.name).collect();
            Failure(format!("there is no place `{name}`: {}\n{USAGE}", known.join(", ")))
        })
    };
    names.iter().map(find).collect()
}

fn try_out(workspace: &Workspace, place: &Place, filters: &[String]) -> Result<(), Failure> {
    place.surroundings.can_be_had()?;
    let checkout = Checkout::make(workspace, place.kind, &folder(place.name)?)?;
    if place.surroundings.is_foreign() {
        surroundings::give_away(checkout.root())?;
    }
    let mut command = cargo();
    if succeeds(cargo().args(["nextest", "--version"])) {
        command.args(["nextest", "run", "--no-fail-fast"]);
    } else {
        command.args(["test", "--no-fail-fast"]);
    }
    command.args(["--workspace", "--locked", "--manifest-path"]).arg(checkout.manifest());
    command.args(filters).env_remove("CARGO_TARGET_DIR").current_dir(checkout.directory());
    eprintln!("     $ {}", line_of(&command));
    run(&mut place.surroundings.around(&command, checkout.root())?)
}

/// Where a place is made: a new folder, which is named when it cannot be.
fn folder(name: &str) -> Result<PathBuf, Failure> {
    let above = match name {
        "home" => std::env::home_dir().ok_or_else(|| Failure("there is no home directory".to_owned()))?,
        _ => PathBuf::from("/tmp"),
    };
    let prefix = if name == "spaces" { "windlass in a path with spaces " } else { "windlass-place-" };
    let made = tempfile::Builder::new().prefix(prefix).tempdir_in(&above);
    Ok(made.map_err(|error| Failure::at(&above, error))?.keep())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_chosen_by_name() {
        let names = |words: &[&str]| {
            let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
            chosen(&words).map(|places| places.iter().map(|place| place.name).collect::<Vec<_>>())
        };
        assert_eq!(names(&[]).unwrap().len(), PLACES.len());
        assert_eq!(names(&["user", "tmp"]).unwrap(), ["user", "tmp"]);
        assert!(names(&["moon"]).unwrap_err().to_string().contains("there is no place `moon`: home, tmp"));
    }
}
