//! One server: a process that is started, killed, frozen and asked how it is.

use std::fmt::Write as _;
use std::fs::{self, OpenOptions};
use std::io::{Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};

use super::ports::Ports;
use super::{Keeps, Setup};

/// A server that answers a question about itself at all does so at once.
const ANSWER: Duration = Duration::from_secs(5);

/// The largest answer that is read, in bytes.
const LARGEST_ANSWER: u64 = 16 * 1024 * 1024;

/// One server of NATS.
#[derive(Debug)]
pub struct Server {
    name: String,
    port: u16,
    monitor: u16,
    configuration: PathBuf,
    log: PathBuf,
    process: Option<Child>,
}

impl Server {
    pub(super) fn new(index: usize, count: usize, root: &Path, ports: &Ports, setup: &Setup) -> Server {
        let name = format!("n{index}");
        let folder = root.join(&name);
        fs::create_dir_all(&folder).expect("a directory below the temporary one");
        let (port, monitor) = (ports.client(index), ports.monitor(index));
        let mut text = format!(
            "server_name: {name}\nlisten: \"127.0.0.1:{port}\"\nhttp: \"127.0.0.1:{monitor}\"\n{}\n",
            setup.more
        );
        if setup.keeps != Keeps::Nothing {
            let most = match setup.keeps {
                Keeps::Bytes(bytes) => format!("max_file_store: {bytes}"),
                Keeps::Everything | Keeps::Nothing => "max_file_store: 4GB".to_owned(),
            };
            let _ = writeln!(
                text,
                "jetstream {{ store_dir: \"{}\", sync_interval: always, {most} }}",
                folder.display()
            );
        }
        if count > 1 {
            let routes: Vec<String> = (0..count)
                .map(|other| format!("\"nats-route://127.0.0.1:{}\"", ports.cluster(other)))
                .collect();
            let _ = writeln!(
                text,
                "cluster {{ name: tests, listen: \"127.0.0.1:{}\", routes: [{}] }}",
                ports.cluster(index),
                routes.join(", ")
            );
        }
        let configuration = root.join(format!("{name}.conf"));
        fs::write(&configuration, text).expect("the server's configuration");
        Server { name, port, monitor, configuration, log: root.join(format!("{index}.log")), process: None }
    }

    /// Its address.
    pub fn url(&self) -> String {
        format!("nats://127.0.0.1:{}", self.port)
    }

    /// Its name among the servers.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Starts it, with what it kept. It may not be ready yet: [`super::Nats::wait_until_ready`].
    pub fn start(&mut self) {
        assert!(self.process.is_none(), "the server {} runs already", self.name);
        let log = OpenOptions::new().create(true).append(true).open(&self.log).expect("the server's log");
        let errors = log.try_clone().expect("the server's log");
        let mut command = Command::new(super::installed());
        command.arg("--config").arg(&self.configuration).env_clear();
        command.stdin(Stdio::null()).stdout(log).stderr(errors);
        self.process = Some(command.spawn().expect("the server's program can be started"));
    }

    /// Replaces a part of its configuration; it counts from its next start on.
    ///
    /// # Panics
    /// Where it does not have that part.
    pub fn reconfigure(&self, from: &str, to: &str) {
        let text = fs::read_to_string(&self.configuration).expect("the server's configuration");
        assert!(text.contains(from), "{from} is not in {text}");
        fs::write(&self.configuration, text.replace(from, to)).expect("the server's configuration");
    }

    /// SIGKILL. It is gone when this comes back.
    pub fn kill(&mut self) {
        if let Some(mut process) = self.process.take() {
            // It may have ended by itself; either way it is waited for.
            let _ = process.kill();
            let _ = process.wait();
        }
    }

    /// SIGSTOP: it is there, and says nothing.
    pub fn freeze(&self) {
        self.signal(Signal::STOP);
    }

    /// SIGCONT.
    pub fn thaw(&self) {
        self.signal(Signal::CONT);
    }

    fn signal(&self, signal: Signal) {
        let process = self.process.as_ref().expect("a server that runs");
        let pid = i32::try_from(process.id()).ok().and_then(Pid::from_raw).expect("a process id");
        kill_process(pid, signal).expect("the server is a process of this test");
    }

    /// Was it started, and not killed since?
    pub fn is_running(&self) -> bool {
        self.process.is_some()
    }

    /// Does it say that it is well, with all that it keeps?
    pub(super) fn is_ready(&self) -> bool {
        self.ask("/healthz")
            .is_some_and(|answer| answer.starts_with("HTTP/1.1 200") || answer.starts_with("HTTP/1.0 200"))
    }

    /// The name of the server that leads a stream, as this one knows it.
    pub fn leader_of(&self, stream: &str) -> Option<String> {
        Some(self.detail_of(stream)?["cluster"]["leader"].as_str()?.to_owned())
    }

    /// So many messages a stream has, as this server knows it.
    pub fn messages_of(&self, stream: &str) -> Option<u64> {
        self.detail_of(stream)?["state"]["messages"].as_u64()
    }

    fn detail_of(&self, stream: &str) -> Option<serde_json::Value> {
        let answer = self.ask("/jsz?accounts=true&streams=true")?;
        let (_, body) = answer.split_once("\r\n\r\n")?;
        let said: serde_json::Value = serde_json::from_str(body).ok()?;
        let accounts = said["account_details"].as_array()?;
        let mut streams = accounts.iter().filter_map(|account| account["stream_detail"].as_array()).flatten();
        streams.find(|detail| detail["name"] == stream).cloned()
    }

    /// The last lines that it logged.
    pub fn end_of_log(&self) -> String {
        let text = fs::read_to_string(&self.log).unwrap_or_default();
        let lines: Vec<&str> = text.lines().collect();
        lines[lines.len().saturating_sub(30)..].join("\n")
    }

    fn ask(&self, path: &str) -> Option<String> {
        let address = SocketAddr::from((Ipv4Addr::LOCALHOST, self.monitor));
        let mut stream = TcpStream::connect_timeout(&address, ANSWER).ok()?;
        stream.set_read_timeout(Some(ANSWER)).ok()?;
        write!(stream, "GET {path} HTTP/1.0\r\n\r\n").ok()?;
        let mut answer = Vec::new();
        stream.take(LARGEST_ANSWER).read_to_end(&mut answer).ok()?;
        String::from_utf8(answer).ok()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.kill();
    }
}
