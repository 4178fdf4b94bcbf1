//! The command line.

use windlass_core::spec::Mode;
use windlass_nights::{FleetPlant, Plant};

pub(crate) const HELP: &str = "\
cargo xtask nights [--fleet] [--seeds N] [--from S] [--mode MODE] [--story] [--plant NAME] [--threads N] [--enough N]
                   [--list] [--hash] [--renew] [--journal]

  --fleet        nights of a run whose lanes are on the workers of a fleet
  --seeds N      so many nights (10000)
  --from S       the first seed (1)
  --mode MODE    only nights in this mode: goal
  --story        tell the night of the first seed, whatever comes of it
  --plant NAME   plant a fault, to see that it is seen
  --threads N    on so many threads (2)
  --enough N     stop after so many broken nights (3)
  --list         the invariants, and the faults that can be planted
  --hash         compare what journals hold with crates/windlass-nights/hashes.txt (100000), with --fleet fleet-hashes.txt
  --renew        write that file
  --journal      print the journal of the first seed's night";

/// What is to be done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wanted {
    Hunt,
    Story,
    Lists,
    Hashes,
    Renewal,
    Journal,
    Help,
}

/// Which nights.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Those of a run on one machine.
    Alone,
    /// Those of a run on a fleet.
    Fleet,
}

/// A fault that is planted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Planted {
    Alone(Plant),
    Fleet(FleetPlant),
}

#[derive(Clone, Debug)]
pub(crate) struct Options {
    pub wanted: Wanted,
    pub kind: Kind,
    pub seeds: Option<u64>,
    pub from: u64,
    pub mode: Option<Mode>,
    plant: Option<String>,
    pub threads: usize,
    pub enough: usize,
}

impl Options {
    pub fn parse(arguments: &[String]) -> Result<Options, String> {
        let mut options = Options {
            wanted: Wanted::Hunt,
            kind: Kind::Alone,
            seeds: None,
            from: 1,
            mode: None,
            plant: None,
            threads: 2,
            enough: 3,
        };
        let mut rest = arguments.iter();
        while let Some(argument) = rest.next() {
            let mut value = || rest.next().ok_or_else(|| format!("{argument} needs a value"));
            match argument.as_str() {
                "--seeds" => options.seeds = Some(number(argument, value()?)?),
                "--from" => options.from = number(argument, value()?)?,
                "--threads" => options.threads = number(argument, value()?)?,
                "--enough" => options.enough = number(argument, value()?)?,
                "--mode" => options.mode = Some(mode(value()?)?),
                "--plant" => options.plant = Some(value()?.clone()),
                "--fleet" => options.kind = Kind::Fleet,
                "--story" => options.wanted = Wanted::Story,
                "--list" => options.wanted = Wanted::Lists,
                "--hash" => options.wanted = Wanted::Hashes,
                "--renew" => options.wanted = Wanted::Renewal,
                "--journal" => options.wanted = Wanted::Journal,
                "-h" | "--help" => options.wanted = Wanted::Help,
                other => return Err(format!("`{other}` is not understood")),
            }
        }
        options.planted()?;
        Ok(options)
    }

    /// The fault, among those of these nights.
    fn planted(&self) -> Result<Option<Planted>, String> {
        let Some(name) = &self.plant else { return Ok(None) };
        let found = match self.kind {
            Kind::Alone => Plant::named(name).map(Planted::Alone),
            Kind::Fleet => FleetPlant::named(name).map(Planted::Fleet),
        };
        found.map(Some).ok_or_else(|| format!("there is no fault `{name}`; --list names them"))
    }

    /// The fault in nights of a run on one machine.
    pub fn plant(&self) -> Option<Plant> {
        match self.planted() {
            Ok(Some(Planted::Alone(plant))) => Some(plant),
            _ => None,
        }
    }

    /// The fault in nights of a fleet.
    pub fn fleet_plant(&self) -> Option<FleetPlant> {
        match self.planted() {
            Ok(Some(Planted::Fleet(plant))) => Some(plant),
            _ => None,
        }
    }
}

fn number<T: std::str::FromStr>(flag: &str, text: &str) -> Result<T, String> {
    text.replace('_', "").parse().map_err(|_| format!("{flag} takes a number, not `{text}`"))
}

fn mode(text: &str) -> Result<Mode, String> {
    let known = serde_json::from_value(serde_json::Value::String(text.to_owned()));
    known.map_err(|_| format!("there is no mode `{text}`"))
}
