//! `fleet`: lanes on many machines.

use windlass_app::fleet::{DevFleet, DevNews, DevRequest, FleetInit, MadePart};
use windlass_app::{AppError, quoted};
use windlass_core::config::Replicas;
use windlass_ui::{Line, fleet_json, fleet_text, one_line};

use super::{Shape, app, done, notice, print, print_lines, stdout};
use crate::args::{FleetArgs, FleetDevArgs, FleetServers, FleetVerb};

/// Does it.
pub fn run(args: &FleetArgs) -> Result<(), AppError> {
    match &args.verb {
        FleetVerb::Init { show_permissions: true } => print(&app()?.fleet_permissions()?),
        FleetVerb::Init { show_permissions: false } => print_lines(&made(&app()?.init_fleet()?)),
        FleetVerb::Status { json } => {
            let status = app()?.fleet_status()?;
            Shape::of(*json).print(|| fleet_json(&status), || fleet_text(&status, &stdout()))
        }
        FleetVerb::Drain { worker } => {
            app()?.drain_worker(worker)?;
            print_lines(&[done(&format!(
                "worker {worker} takes no further orders, and ends when it has none"
            ))])
        }
        FleetVerb::Dev(args) => dev(args),
    }
}

fn made(init: &FleetInit) -> Vec<Line> {
    let width = init.parts.iter().map(|part| part.name.len()).max().unwrap_or_default();
    let part = |MadePart { name, about, is_new }: &MadePart| {
        let state = if *is_new { "made     " } else { "was there" };
        Line::hanging(4).plain(format!("  {name:width$}  {state}  ")).dim(*about)
    };
    let first = done(&format!("the fleet {} has what it needs", init.name));
    let next = Line::hanging(2).dim("  on each machine  ").command("windlass worker");
    std::iter::once(first).chain(init.parts.iter().map(part)).chain([next]).collect()
}

fn dev(args: &FleetDevArgs) -> Result<(), AppError> {
    let servers = match args.servers {
        FleetServers::One => Replicas::One,
        FleetServers::Three => Replicas::Three,
    };
    let request = DevRequest { servers, workers: args.workers, lanes: args.lanes };
    app()?.dev_fleet(request, |news| print_lines(&said(&news)))
}

fn said(news: &DevNews) -> Vec<Line> {
    match news {
        DevNews::Ready(fleet) => ready(fleet),
        DevNews::Ended { who, how, printed } => {
            let lines = printed.iter().map(|line| Line::hanging(6).dim(format!("      {}", one_line(line))));
            let ended = notice(&format!("{who} has ended {how}; it is not started again"));
            std::iter::once(ended).chain(lines).collect()
        }
    }
}

/// What there is, and two lines to copy.
fn ready(fleet: &DevFleet) -> Vec<Line> {
    let workers = match (fleet.workers.as_slice(), fleet.lanes) {
        ([], _) => "none".to_owned(),
        ([one], lanes) => format!("{one}, of {}", counted(lanes)),
        ([first, .., last], lanes) => format!("{first} to {last}, each of {}", counted(lanes)),
    };
    let variables: Vec<String> =
        fleet.variables.iter().map(|(name, value)| format!("{name}={}", quoted(value.as_ref()))).collect();
    // With a single lane there is nothing that a fleet could have.
    let most = (usize::from(fleet.lanes) * fleet.workers.len()).max(2);
    let run = format!("windlass run --mode tasks -j {most} --fleet");
    vec![
        Line::hanging(2)
            .strong(format!("fleet {}", fleet.name))
            .plain(format!(" at {}", fleet.urls.join(" ")))
            .dim(format!(", version {}", one_line(&fleet.version))),
        Line::hanging(11).dim("  workers  ").plain(workers),
        Line::hanging(11).dim("  try      in another terminal, where the tasks are:"),
        Line::new().plain("  ").command(format!("export {}", variables.join(" "))),
        Line::new().plain("  ").command(run),
        Line::hanging(11).dim("  look     ").command("windlass fleet status"),
        Line::hanging(11).dim("  end      Ctrl-C; nothing of it is left then"),
    ]
}

fn counted(lanes: u16) -> String {
    if lanes == 1 { "1 lane".to_owned() } else { format!("{lanes} lanes") }
}
