//! The command line.

use windlass_core::spec::Mode;
use windlass_nights::Plant;

pub(crate) const HELP: &str = "\
cargo xtask nights [--seeds N] [--from S] [--mode MODE] [--story] [--plant NAME] [--threads N] [--enough N] [--list]
                   [--hash] [--renew] [--journal]

  --seeds N      so many nights (10000)
  --from S       the first seed (1)
  --mode MODE    only nights in this mode: goal
  --story        tell the night of the first seed, whatever comes of it
  --plant NAME   plant a fault, to see that it is seen
  --threads N    on so many threads (2)
  --enough N     stop after so many broken nights (3)
  --list         the invariants, and the faults that can be planted
  --hash         compare what journals hold with crates/windlass-nights/hashes.txt (100000)
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

#[derive(Clone, Debug)]
pub(crate) struct Options {
    pub wanted: Wanted,
    pub seeds: Option<u64>,
    pub from: u64,
    pub mode: Option<Mode>,
    pub plant: Option<Plant>,
    pub threads: usize,
    pub enough: usize,
}

impl Options {
    pub fn parse(arguments: &[String]) -> Result<Options, String> {
        let mut options = Options {
            wanted: Wanted::Hunt,
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
                "--plant" => options.plant = Some(plant(value()?)?),
                "--story" => options.wanted = Wanted::Story,
                "--list" => options.wanted = Wanted::Lists,
                "--hash" => options.wanted = Wanted::Hashes,
                "--renew" => options.wanted = Wanted::Renewal,
                "--journal" => options.wanted = Wanted::Journal,
                "-h" | "--help" => options.wanted = Wanted::Help,
                other => return Err(format!("`{other}` is not understood")),
            }
        }
        Ok(options)
    }
}

fn number<T: std::str::FromStr>(flag: &str, text: &str) -> Result<T, String> {
    text.replace('_', "").parse().map_err(|_| format!("{flag} takes a number, not `{text}`"))
}

fn mode(text: &str) -> Result<Mode, String> {
    let known = serde_json::from_value(serde_json::Value::String(text.to_owned()));
    known.map_err(|_| format!("there is no mode `{text}`"))
}

fn plant(text: &str) -> Result<Plant, String> {
    Plant::named(text).ok_or_else(|| format!("there is no fault `{text}`; --list names them"))
}
