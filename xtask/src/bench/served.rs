//! The page, served, and a browser that was let in: over a plain socket, so that nothing but the server is measured.

use std::fs::{self, OpenOptions};
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::path::PathBuf;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use super::bed::Ground;
use super::process::Process;
use crate::program::Failure;

/// Longer than any answer takes.
const PATIENCE: Duration = Duration::from_mins(1);

/// A page that is served.
pub struct ServedPage {
    server: Child,
    /// Where: `127.0.0.1:PORT`.
    pub address: String,
    cookie: String,
}

impl ServedPage {
    /// Serves the runs of this ground, and lets a browser in.
    pub fn start(ground: &Ground<'_>) -> Result<ServedPage, Failure> {
        let (server, address, code) = serve(ground)?;
        let mut page = ServedPage { server, address, cookie: String::new() };
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

    /// Another code, for another browser.
    pub fn code(&self, ground: &Ground<'_>) -> Result<String, Failure> {
        let said = ground.windlass("").args(["web", "--link"]).stdout(Stdio::piped()).output();
        let said = said.map_err(|error| Failure(format!("windlass web --link: {error}")))?;
        let link = String::from_utf8_lossy(&said.stdout).into_owned();
        let code = link.trim().split_once("/#code=").map(|(_, code)| code.to_owned());
        code.ok_or_else(|| Failure(format!("{}: windlass web --link printed no link", self.address)))
    }

    fn connect(&self) -> std::io::Result<TcpStream> {
        let stream = TcpStream::connect(&self.address)?;
        stream.set_read_timeout(Some(PATIENCE))?;
        Ok(stream)
    }

    fn trouble(&self, error: &std::io::Error) -> Failure {
        Failure(format!("{}: {error}", self.address))
    }

    fn ask(&self, head: &str) -> Result<String, Failure> {
        let talk = || {
            let mut stream = self.connect()?;
            stream.write_all(head.as_bytes())?;
            let mut answer = Vec::new();
            stream.read_to_end(&mut answer)?;
            Ok(answer)
        };
        let answer: Vec<u8> = talk().map_err(|error| self.trouble(&error))?;
        Ok(String::from_utf8_lossy(&answer).into_owned())
    }

    fn request(&self, path: &str, more: &str) -> String {
        format!("GET {path} HTTP/1.1\r\nhost: {}\r\ncookie: {}\r\n{more}\r\n", self.address, self.cookie)
    }

    /// Milliseconds from the request to the page's last byte, and the page.
    pub fn look(&self, path: &str) -> Result<(f64, String), Failure> {
        let began = Instant::now();
        let answer = self.ask(&self.request(path, "connection: close\r\n"))?;
        if !answer.starts_with("HTTP/1.1 200") {
            return Err(Failure(format!("{path}: {}", answer.lines().next().unwrap_or_default())));
        }
        Ok((began.elapsed().as_secs_f64() * 1e3, answer))
    }

    /// A page that goes on by itself: what it is told is read and counted until it is dropped.
    pub fn follow(&self, path: &str) -> Result<Following, Failure> {
        let mut stream = self.connect().map_err(|error| self.trouble(&error))?;
        stream.write_all(self.request(path, "").as_bytes()).map_err(|error| self.trouble(&error))?;
        let mut first = [0; 12];
        stream.read_exact(&mut first).map_err(|error| self.trouble(&error))?;
        if !first.ends_with(b"200") {
            return Err(Failure(format!("{path}: {}", String::from_utf8_lossy(&first))));
        }
        let mut reading = stream.try_clone().map_err(|error| self.trouble(&error))?;
        let reader = std::thread::spawn(move || {
            let (mut bytes, mut piece) = (0, [0; 16 * 1024]);
            while let Ok(read @ 1..) = reading.read(&mut piece) {
                bytes += read as u64;
            }
            bytes
        });
        Ok(Following { stream, reader: Some(reader) })
    }

    /// The server's process.
    pub fn process(&self) -> Process {
        Process(self.server.id())
    }
}

impl Drop for ServedPage {
    fn drop(&mut self) {
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}

/// A page that goes on by itself.
pub struct Following {
    stream: TcpStream,
    reader: Option<std::thread::JoinHandle<u64>>,
}

impl Following {
    /// Ends it; says how many bytes it was told.
    pub fn end(mut self) -> u64 {
        let _ = self.stream.shutdown(std::net::Shutdown::Both);
        self.reader.take().and_then(|reader| reader.join().ok()).unwrap_or_default()
    }
}

impl Drop for Following {
    fn drop(&mut self) {
        let _ = self.stream.shutdown(std::net::Shutdown::Both);
    }
}

/// The server, its address and the first code. What it says goes to a file, so that nobody has to read on.
fn serve(ground: &Ground<'_>) -> Result<(Child, String, String), Failure> {
    let said: PathBuf = ground.file("page.txt");
    let output = OpenOptions::new().create(true).write(true).truncate(true).open(&said);
    let output = output.map_err(|error| Failure::at(&said, error))?;
    let mut command = ground.windlass("");
    command.args(["web", "--listen", "127.0.0.1:0"]).stdout(output);
    let mut server = command.spawn().map_err(|error| Failure(format!("windlass web: {error}")))?;
    let began = Instant::now();
    while began.elapsed() < PATIENCE {
        let file = fs::File::open(&said).map_err(|error| Failure::at(&said, error))?;
        let mut lines = BufReader::new(file).lines().map_while(Result::ok);
        let link = lines.find_map(|line| {
            let link = line.split_whitespace().find(|word| word.contains("/#code="))?;
            let (address, code) = link.strip_prefix("http://")?.split_once("/#code=")?;
            (code.len() == 32).then(|| (address.to_owned(), code.to_owned()))
        });
        if let Some((address, code)) = link {
            return Ok((server, address, code));
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    let _ = server.kill();
    let _ = server.wait();
    Err(Failure("windlass web printed no link".to_owned()))
}
