//! The page: what it costs its server, and what it is in a browser.

use std::time::Duration;

use serde_json::Value;

use super::bed::{Bed, Ground};
use super::browser;
use super::going::{self, Going};
use super::numbers::{median, quantile};
use super::pretended::{self, Recorded};
use super::served::{Following, ServedPage};
use super::start::{folder_named, pretend_runs};
use super::table::Row;
use super::ticks::{self, LETTERS};
use crate::program::Failure;

/// Looks that are measured.
const LOOKS: u32 = 20;

/// Pages that are live at the same time.
const CLIENTS: usize = 8;

/// Seconds for which a tab is told as much as is sent.
const TAB: &str = "60";

/// All rows.
pub fn page(bed: &Bed) -> Result<Vec<Row>, Failure> {
    let mut rows = of_a_long_run(bed)?;
    rows.extend(of_many_runs(bed)?);
    rows.extend(from_the_agent(bed)?);
    rows.extend(of_a_quick_agent(bed)?);
    rows.extend(of_silence(bed)?);
    rows.extend(of_large_files(bed)?);
    Ok(rows)
}

/// A run of 1,000 iterations.
fn of_a_long_run(bed: &Bed) -> Result<Vec<Row>, Failure> {
    let Recorded { ground, run, .. } = pretended::recorded(bed, "", 1000)?;
    let page = ServedPage::start(&ground)?;
    let path = format!("/r/{run}");
    let (cold, _) = page.look(&path)?;
    let before = page.process().processor()?;
    let walls = (0..LOOKS).map(|_| page.look(&path).map(|(wall, _)| wall)).collect::<Result<Vec<_>, _>>()?;
    let each = (page.process().processor()? - before) / f64::from(LOOKS);
    let wall = median(walls);
    let memory = page.process().memory()?;
    let mut rows = vec![
        Row::new("run page, 1,000 iterations: server's CPU", format!("{each:.1} ms"), "30 ms", each <= 30.0),
        Row::told("the same: wall", format!("{wall:.0} ms; the first {cold:.0} ms")),
        Row::new("the same: memory of the server", memory.text(), "20 MB", memory.all <= 20.0),
    ];
    match browser::look(bed, (&ground, &page), "paint", &[&path])? {
        Some(told) => rows.extend(paints(&told)),
        None => rows.push(Row::told("the same in a browser", "skipped: there is no chromium")),
    }
    Ok(rows)
}

fn paints(told: &Value) -> Vec<Row> {
    let of = |name: &str| told[name].as_f64().unwrap_or(f64::INFINITY);
    let row = |what: &str, value: f64, most: f64| {
        Row::new(what, format!("{value:.0} ms"), format!("{most:.0} ms"), value <= most)
    };
    let empty = |name: &str| format!("a page with nothing on it {:.0} ms", of(name));
    vec![
        row("the same: first paint, loopback", of("desk"), 100.0).beside(empty("empty")),
        row("the same: first paint, a phone in a poor network", of("phone"), 1000.0)
            .beside(empty("phoneEmpty")),
        row("the same: from a tap to what it shows", of("longest"), 200.0),
        row("the same, a phone", of("phoneLongest"), 200.0),
    ]
}

/// 10,000 runs.
fn of_many_runs(bed: &Bed) -> Result<Vec<Row>, Failure> {
    let Recorded { ground, .. } = pretended::recorded(bed, "", 1)?;
    let none = || Failure::at(&ground.state(), "holds no runs");
    pretend_runs(&folder_named(&ground.state(), "runs").ok_or_else(none)?, 10_000)?;
    let page = ServedPage::start(&ground)?;
    let (cold, _) = page.look("/")?;
    let looks = (0..LOOKS).map(|_| page.look("/").map(|(wall, _)| wall)).collect::<Result<Vec<_>, _>>()?;
    let warm = median(looks);
    let (all, _) = page.look("/runs")?;
    let memory = page.process().memory()?;
    Ok(vec![
        Row::new("page of 10,000 runs: the first look", format!("{cold:.0} ms"), "100 ms", cold <= 100.0),
        Row::new("the same: then", format!("{warm:.1} ms"), "5 ms", warm <= 5.0),
        Row::told("the same: a hundred of all", format!("{all:.1} ms")),
        Row::new("the same: memory of the server", memory.text(), "20 MB", memory.all <= 20.0),
    ])
}

/// From an agent's line to the page in a browser.
fn from_the_agent(bed: &Bed) -> Result<Vec<Row>, Failure> {
    const WHAT: &str = "agent's line to the page: nineteen of twenty within";
    let ground = bed.ground()?;
    let go = ticks::go(&ground);
    let going = Going::start(&ground, &format!("tick {go}"))?;
    let page = ServedPage::start(&ground)?;
    let path = format!("/r/{}/c/1", going.run);
    let Some(told) = browser::look(bed, (&ground, &page), "ticks", &[&path, &go, LETTERS])? else {
        return Ok(vec![Row::told(WHAT, "skipped: there is no chromium")]);
    };
    let shown: Vec<f64> = LETTERS.chars().filter_map(|letter| told[letter.to_string()].as_f64()).collect();
    let delays = ticks::delays(&ticks::said(&go)?, &shown);
    let late = quantile(delays.clone(), 0.95);
    let middle = median(delays);
    Ok(vec![Row::new(WHAT, format!("{late:.0} ms (half within {middle:.0})"), "500 ms", late <= 500.0)])
}

/// An agent that says a megabyte a second.
fn of_a_quick_agent(bed: &Bed) -> Result<Vec<Row>, Failure> {
    let ground = bed.ground()?;
    let going = Going::start(&ground, going::QUICK)?;
    let page = ServedPage::start(&ground)?;
    let path = format!("/live/r/{}/c/1?from=0", going.run);
    let follow = |count: usize| -> Result<Vec<Following>, Failure> {
        (0..count).map(|_| page.follow(&path)).collect()
    };
    let without = page.process().memory()?;
    let one = follow(1)?;
    let alone = page.process().share(going::WATCHED)?;
    drop(one);
    std::thread::sleep(Duration::from_secs(2));
    let all = follow(CLIENTS)?;
    let together = page.process().share(going::WATCHED)?;
    let with = page.process().memory()?;
    let bytes: u64 = all.into_iter().map(Following::end).sum();
    let most = 3.0 + CLIENTS as f64;
    let each = (with.all - without.all) / CLIENTS as f64;
    let sent = bytes as f64 / going::WATCHED.as_secs_f64() / CLIENTS as f64 / 1e3;
    let mut rows = vec![
        Row::new(
            "page, 1 MB/s of stream, one client: CPU",
            going::share(alone),
            "4 % of a core",
            alone <= 4.0,
        ),
        Row::new("the same, 8 clients", going::share(together), "11 % of a core", together <= most),
        Row::told("the same: sent to each", format!("{sent:.0} kB/s")),
        Row::new("the same: memory of the server", with.text(), "28 MB", with.all <= 28.0),
        Row::new("the same: memory a client", format!("{each:.2} MB"), "1 MB", each <= 1.0),
    ];
    std::thread::sleep(Duration::from_secs(2));
    let path = format!("/r/{}/c/1", going.run);
    if let Some(told) = browser::look(bed, (&ground, &page), "tab", &[&path, TAB])? {
        let of = |when: &str, what: &str| told[when][what].as_f64().unwrap_or(f64::INFINITY);
        let (half, after) = (of("half", "tab"), of("after", "tab"));
        rows.push(
            Row::new(
                format!("a tab after {TAB} s of that"),
                format!("{after:.0} MB (script {:.1}); half-way {half:.0} MB", of("after", "heap")),
                "60 MB",
                after <= 60.0,
            )
            .beside(format!("an empty list of runs {:.0} MB", of("before", "tab"))),
        );
    }
    Ok(rows)
}

/// An agent that says nothing.
fn of_silence(bed: &Bed) -> Result<Vec<Row>, Failure> {
    let ground = bed.ground()?;
    let going = Going::start(&ground, going::SILENT)?;
    let page = ServedPage::start(&ground)?;
    let live = page.follow(&format!("/live/r/{}", going.run))?;
    std::thread::sleep(Duration::from_secs(1));
    let idle = page.process().share(going::WATCHED)?;
    drop(live);
    Ok(vec![Row::new("page of a silent run: CPU", going::share(idle), "0.5 % of a core", idle <= 0.5)])
}

/// A journal of 100 MB, and a transcript of 200 MB.
fn of_large_files(bed: &Bed) -> Result<Vec<Row>, Failure> {
    let (ground, run, iterations) = going::long_journal(bed)?;
    let mut rows = Vec::new();
    {
        let page = ServedPage::start(&ground)?;
        let path = format!("/r/{run}");
        let (cold, _) = page.look(&path)?;
        let (warm, _) = page.look(&path)?;
        let memory = page.process().memory()?;
        rows.push(Row::told(
            format!("page, a journal of 100 MB ({iterations} iterations)"),
            format!("{cold:.0} ms, then {warm:.0} ms; {}", memory.text()),
        ));
    }
    let (ground, run) = going::long_transcript(bed)?;
    let page = ServedPage::start(&ground)?;
    let path = format!("/r/{run}/c/1");
    page.look(&format!("/r/{run}"))?;
    let (last, text) = page.look(&path)?;
    let (first, _) = page.look(&format!("{path}?from=0"))?;
    let (middle, _) = page.look(&format!("{path}?from=100000000"))?;
    let memory = page.process().memory()?;
    rows.push(Row::told(
        "page, a transcript of 200 MB: its end, its beginning, its middle",
        format!("{last:.0} ms, {first:.0} ms, {middle:.0} ms; {} kB each", text.len() / 1000),
    ));
    rows.push(Row::new("the same: memory of the server", memory.text(), "20 MB", memory.all <= 20.0));
    Ok(rows)
}

/// Lives as long as something of a ground is followed.
pub type Followers = Vec<Following>;

/// Eight pages of a run that are live.
pub fn eight(ground: &Ground<'_>, run: &str) -> Result<(ServedPage, Followers), Failure> {
    let page = ServedPage::start(ground)?;
    let all = (0..CLIENTS).map(|_| page.follow(&format!("/live/r/{run}"))).collect::<Result<_, _>>()?;
    Ok((page, all))
}
