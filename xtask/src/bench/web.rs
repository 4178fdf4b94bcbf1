//! The page: what a look at it costs the server.

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use super::bed::{Bed, Ground, LIMIT_REACHED, measured};
use super::numbers::median;
use super::start::{folder_named, pretend_runs};
use super::table::Row;
use crate::program::Failure;

/// Clock ticks in a second, as `/proc` counts processor time.
const TICKS: f64 = 100.0;

/// Looks that are measured.
const LOOKS: u32 = 20;

/// The page of a run of 1,000 iterations, the list of 10,000 runs, and the server's memory.
pub fn page(bed: &Bed) -> Result<Vec<Row>, Failure> {
    let mut rows = Vec::new();
    {
        let ground = bed.ground()?;
        measured(ground.run("", 1000).arg("-q"), LIMIT_REACHED)?;
        let runs = folder_named(&ground.state(), "runs")
            .ok_or_else(|| Failure::at(&ground.state(), "holds no runs"))?;
        let run = the_run(&runs)?;
        let page = Served::start(&ground)?;
        let path = format!("/r/{run}");
        let cold = page.look(&path)?;
        let before = page.processor()?;
        let walls = (0..LOOKS).map(|_| page.look(&path)).collect::<Result<Vec<_>, _>>()?;
        let each = (page.processor()? - before) / f64::from(LOOKS);
        let wall = median(walls);
        rows.push(Row::new(
            "run page, 1,000 iterations: processor",
            format!("{each:.0} ms"),
            "30 ms",
            each <= 30.0,
        ));
        rows.push(Row::told(
            "the same: wall, after the first",
            format!("{wall:.0} ms; the first {cold:.0} ms"),
        ));
        let resident = page.resident()?;
        rows.push(Row::new("page server after that", format!("{resident:.0} MB"), "20 MB", resident <= 20.0));
    }
    let ground = bed.ground()?;
    measured(ground.run("", 1).arg("-q"), LIMIT_REACHED)?;
    let runs =
        folder_named(&ground.state(), "runs").ok_or_else(|| Failure::at(&ground.state(), "holds no runs"))?;
    pretend_runs(&runs, 10_000)?;
    let page = Served::start(&ground)?;
    let cold = page.look("/")?;
    let warm = median((0..LOOKS).map(|_| page.look("/")).collect::<Result<Vec<_>, _>>()?);
    rows.push(Row::new("list of 10,000 runs, cold", format!("{cold:.0} ms"), "100 ms", cold <= 100.0));
    rows.push(Row::new("list of 10,000 runs, warm", format!("{warm:.1} ms"), "5 ms", warm <= 5.0));
    Ok(rows)
}

fn the_run(runs: &std::path::Path) -> Result<String, Failure> {
    let entries = fs::read_dir(runs).map_err(|error| Failure::at(runs, error))?;
    let mut names = entries.flatten().map(|entry| entry.file_name().to_string_lossy().into_owned());
    names.find(|name| name.starts_with("r-")).ok_or_else(|| Failure::at(runs, "holds no run"))
}

/// A page that is served, and a browser that was let in.
struct Served {
    server: Child,
    address: String,
    cookie: String,
}

impl Served {
    fn start(ground: &Ground<'_>) -> Result<Served, Failure> {
        let mut command = ground.windlass("");
        command.args(["web", "--listen", "127.0.0.1:0"]).stdout(Stdio::piped());
        let mut server = command.spawn().map_err(|error| Failure(format!("windlass web: {error}")))?;
        let said = server.stdout.take().map(BufReader::new);
        let link = said.into_iter().flat_map(BufReader::lines).map_while(Result::ok).find_map(|line| {
            let link = line.split_whitespace().find(|word| word.contains("/#code="))?;
            let (address, code) = link.strip_prefix("http://")?.split_once("/#code=")?;
            Some((address.to_owned(), code.to_owned()))
        });
        let (address, code) = link.ok_or_else(|| Failure("windlass web printed no link".to_owned()))?;
        let mut page = Served { server, address, cookie: String::new() };
        let body = format!("{{\"code\":\"{code}\"}}");
        let head = format!(
            "POST /session HTTP/1.1\r\nhost: {0}\r\norigin: http://{0}\r\ncontent-type: application/json\r\nconnection: close\r\ncontent-length: {1}\r\n\r\n{body}",
            page.address,
            body.len()
        );
        let answer = page.ask(&head)?;
        let cookie = answer.lines().find_map(|line| line.strip_prefix("set-cookie: "));
        cookie.and_then(|cookie| cookie.split(';').next()).unwrap_or_default().clone_into(&mut page.cookie);
        Ok(page)
    }

    fn ask(&self, head: &str) -> Result<String, Failure> {
        let trouble = |error: std::io::Error| Failure(format!("{}: {error}", self.address));
        let mut stream = TcpStream::connect(&self.address).map_err(trouble)?;
        stream.set_read_timeout(Some(Duration::from_mins(1))).map_err(trouble)?;
        stream.write_all(head.as_bytes()).map_err(trouble)?;
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).map_err(trouble)?;
        Ok(String::from_utf8_lossy(&answer).into_owned())
    }

    /// Milliseconds from the request to the page's last byte.
    fn look(&self, path: &str) -> Result<f64, Failure> {
        let began = Instant::now();
        let head = format!(
            "GET {path} HTTP/1.1\r\nhost: {}\r\ncookie: {}\r\nconnection: close\r\n\r\n",
            self.address, self.cookie
        );
        let answer = self.ask(&head)?;
        if !answer.starts_with("HTTP/1.1 200") {
            return Err(Failure(format!("{path}: {}", answer.lines().next().unwrap_or_default())));
        }
        Ok(began.elapsed().as_secs_f64() * 1e3)
    }

    /// Milliseconds of processor time so far.
    fn processor(&self) -> Result<f64, Failure> {
        let stat = self.file("stat")?;
        let fields: Vec<&str> = stat.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
        let ticks =
            |index: usize| fields.get(index).and_then(|field| field.parse::<f64>().ok()).unwrap_or_default();
        Ok((ticks(11) + ticks(12)) * 1e3 / TICKS)
    }

    fn resident(&self) -> Result<f64, Failure> {
        let status = self.file("status")?;
        let line = status
            .lines()
            .find_map(|line| line.strip_prefix("VmRSS:")?.split_whitespace().next()?.parse::<f64>().ok());
        Ok(line.unwrap_or_default() / 1e3)
    }

    fn file(&self, name: &str) -> Result<String, Failure> {
        let path = format!("/proc/{}/{name}", self.server.id());
        fs::read_to_string(&path).map_err(|error| Failure(format!("{path}: {error}")))
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}
