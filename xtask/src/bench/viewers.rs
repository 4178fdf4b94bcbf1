//! A run does not notice who looks at it.

use super::bed::{Bed, Call, Ground, LIMIT_REACHED, spawn};
use super::numbers::quantile;
use super::page;
use super::pretended;
use super::table::Row;
use super::watch::View;
use crate::program::Failure;

/// What each agent of a run does: a tenth of a second, then it says its three texts.
const AGENT: &str = "rest 100";

/// Iterations of one go.
const ITERATIONS: u32 = 40;

/// Goes with viewers, and as many without, in turn.
const ROUNDS: usize = 3;

/// Views at terminals; beside them eight pages are live.
const VIEWS: usize = 8;

/// The gap without viewers and with sixteen: eight pages and eight terminals.
pub fn viewers(bed: &Bed) -> Result<Vec<Row>, Failure> {
    let (mut without, mut pages, mut terminals) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        without.push(gap(bed, Viewers::None)?);
        pages.push(gap(bed, Viewers::Pages)?);
        terminals.push(gap(bed, Viewers::Terminals)?);
    }
    let least = |gaps: &[f64]| gaps.iter().copied().fold(f64::INFINITY, f64::min);
    let most = without.iter().copied().fold(0.0, f64::max);
    let (alone, pages, terminals) = (least(&without), least(&pages), least(&terminals));
    let floor = format!("without {alone:.1} to {most:.1} ms");
    let row = |what: &str, gap: f64| {
        // As far apart as goes without viewers are, or a millisecond.
        Row::new(what, format!("{gap:.1} ms"), "no more than without", gap <= most.max(alone + 1.0))
            .beside(&*floor)
    };
    Ok(vec![
        row("gap of a run that 8 live pages show: quickest quarter", pages),
        row("gap of a run that 8 terminals show: quickest quarter", terminals),
    ])
}

#[derive(Clone, Copy)]
enum Viewers {
    None,
    Pages,
    Terminals,
}

/// Milliseconds: the gap below which a quarter of them lies.
fn gap(bed: &Bed, viewers: Viewers) -> Result<f64, Failure> {
    let ground = bed.ground()?;
    let mut runner = spawn(ground.run(AGENT, ITERATIONS).arg("-q"))?;
    let run = named(&ground)?;
    let (page, views) = match viewers {
        Viewers::None => (None, Vec::new()),
        Viewers::Pages => (Some(page::eight(&ground, &run)?), Vec::new()),
        Viewers::Terminals => (None, (0..VIEWS).map(|_| View::open(&ground, &[&run])).collect()),
    };
    let ended = runner.wait().map_err(|error| Failure(format!("the run: {error}")))?;
    drop((page, views));
    if ended.code().is_none_or(|code| !LIMIT_REACHED.contains(&code)) {
        return Err(Failure(format!("the run ended unexpectedly ({ended})")));
    }
    // Those that came while the viewers were starting do not count.
    let calls: Vec<Call> = ground.calls()?.into_iter().skip(ITERATIONS as usize / 3).collect();
    let gaps = calls.windows(2).filter_map(|pair| match pair {
        [call, next] => Some(call.gap_ms(next)),
        _ => None,
    });
    Ok(quantile(gaps.collect(), 0.25))
}

/// The run that has just begun.
fn named(ground: &Ground<'_>) -> Result<String, Failure> {
    let began = std::time::Instant::now();
    loop {
        match pretended::the_run(ground) {
            Ok((run, _)) => return Ok(run),
            Err(failure) if began.elapsed().as_secs() > 60 => return Err(failure),
            Err(_) => std::thread::sleep(std::time::Duration::from_millis(5)),
        }
    }
}
