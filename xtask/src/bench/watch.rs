//! The terminal view: what it costs, and how soon it shows what there is.

use std::time::{Duration, Instant};

use windlass_testkit::environment::PersonsTerminal;

use super::bed::{Bed, Ground};
use super::going::{self, Going};
use super::numbers::{median, quantile};
use super::pretended::{self, Recorded};
use super::process::Process;
use super::start::{folder_named, pretend_runs};
use super::table::Row;
use super::ticks;
use crate::program::Failure;

/// Longer than any screen takes.
const PATIENCE: Duration = Duration::from_mins(2);

/// A view at a terminal of 80 columns and 24 rows.
pub struct View(PersonsTerminal);

impl View {
    /// Starts one.
    pub fn open(ground: &Ground<'_>, arguments: &[&str]) -> View {
        View(PersonsTerminal::start(ground.windlass("").arg("watch").args(arguments)))
    }

    /// Milliseconds until this stands on the screen.
    fn until(&self, text: &str) -> Result<f64, Failure> {
        let began = Instant::now();
        while !self.0.text().contains(text) {
            if began.elapsed() > PATIENCE {
                return Err(Failure(format!("{text:?} was never shown: {}", self.0.text())));
            }
            std::thread::sleep(Duration::from_millis(2));
        }
        Ok(began.elapsed().as_secs_f64() * 1e3)
    }

    /// The view's process: `setsid` becomes it.
    fn process(&self) -> Process {
        Process(self.0.program())
    }

    fn leave(mut self) {
        self.0.press("q");
        let _ = self.0.wait();
    }
}

/// All rows.
pub fn watch(bed: &Bed) -> Result<Vec<Row>, Failure> {
    let mut rows = first_screens(bed)?;
    rows.extend(from_the_agent(bed)?);
    rows.extend(of_agents(bed)?);
    rows.extend(of_large_files(bed)?);
    Ok(rows)
}

fn first_screens(bed: &Bed) -> Result<Vec<Row>, Failure> {
    let Recorded { ground, .. } = pretended::recorded(bed, "", 1000)?;
    let view = View::open(&ground, &[]);
    let long = view.until("MAX_ITERATIONS")?;
    view.leave();
    let Recorded { ground, .. } = pretended::recorded(bed, "", 1)?;
    let none = || Failure::at(&ground.state(), "holds no runs");
    pretend_runs(&folder_named(&ground.state(), "runs").ok_or_else(none)?, 10_000)?;
    let view = View::open(&ground, &["--all"]);
    let many = view.until("r-0000")?;
    let memory = view.process().memory()?;
    view.leave();
    Ok(vec![
        Row::told("watch, 1,000 iterations: the first screen", format!("{long:.0} ms")),
        Row::new("watch, 10,000 runs: the first screen", format!("{many:.0} ms"), "100 ms", many <= 100.0),
        Row::new("the same: memory", memory.text(), "20 MB", memory.all <= 20.0),
    ])
}

fn from_the_agent(bed: &Bed) -> Result<Vec<Row>, Failure> {
    let ground = bed.ground()?;
    let go = ticks::go(&ground);
    let going = Going::start(&ground, &format!("tick {go}"))?;
    let view = View::open(&ground, &[&going.run]);
    view.until("RUNNING")?;
    std::fs::write(&go, "").map_err(|error| Failure::at(go.as_ref(), error))?;
    let shown = ticks::shown(&view.0)?;
    let delays = ticks::delays(&ticks::said(&go)?, &shown);
    view.leave();
    let late = quantile(delays.clone(), 0.95);
    let middle = median(delays);
    Ok(vec![Row::new(
        "agent's line to the terminal: nineteen of twenty within",
        format!("{late:.0} ms (half within {middle:.0})"),
        "250 ms",
        late <= 250.0,
    )])
}

fn of_agents(bed: &Bed) -> Result<Vec<Row>, Failure> {
    let watched = |action: &str| -> Result<(f64, super::process::Memory), Failure> {
        let ground = bed.ground()?;
        let going = Going::start(&ground, action)?;
        let view = View::open(&ground, &[&going.run]);
        view.until("RUNNING")?;
        std::thread::sleep(Duration::from_secs(1));
        let share = view.process().share(going::WATCHED)?;
        let memory = view.process().memory()?;
        view.leave();
        Ok((share, memory))
    };
    let (quick, memory) = watched(going::QUICK)?;
    let (silent, _) = watched(going::SILENT)?;
    Ok(vec![
        Row::new("watch, 1 MB/s of stream: CPU", going::share(quick), "5 % of a core", quick <= 5.0),
        Row::new("the same: memory", memory.text(), "20 MB", memory.all <= 20.0),
        Row::new("watch of a silent run: CPU", going::share(silent), "0.5 % of a core", silent <= 0.5),
    ])
}

fn of_large_files(bed: &Bed) -> Result<Vec<Row>, Failure> {
    let looked = |ground: &Ground<'_>, run: &str| -> Result<String, Failure> {
        let view = View::open(ground, &[run]);
        let wall = view.until("MAX_ITERATIONS")?;
        // Its transcript, at its end.
        view.0.press("2\r");
        let transcript = view.until("[2 Transcript]")?;
        let memory = view.process().memory()?;
        view.leave();
        Ok(format!("{wall:.0} ms, {transcript:.0} ms; {}", memory.text()))
    };
    let (ground, run, iterations) = going::long_journal(bed)?;
    let journal = looked(&ground, &run)?;
    let (ground, run) = going::long_transcript(bed)?;
    let transcript = looked(&ground, &run)?;
    Ok(vec![
        Row::told(
            format!("watch, a journal of 100 MB ({iterations} iterations): the first screen, a transcript"),
            journal,
        ),
        Row::told("watch, a transcript of 200 MB: the first screen, the transcript", transcript),
    ])
}
