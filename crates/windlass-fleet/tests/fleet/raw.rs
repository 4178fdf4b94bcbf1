//! Somebody who speaks to a server in its own words, and may say anything.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::time::Duration;

pub struct Raw {
    stream: BufReader<TcpStream>,
}

impl Raw {
    pub fn connect(url: &str, user: Option<(&str, &str)>) -> Raw {
        let address = url.trim_start_matches("nats://");
        let stream = TcpStream::connect(address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
        let mut raw = Raw { stream: BufReader::new(stream) };
        assert!(raw.line().starts_with("INFO "));
        let login = user.map_or(String::new(), |(user, password)| {
            format!(",\"user\":\"{user}\",\"pass\":\"{password}\"")
        });
        raw.send(
            format!("CONNECT {{\"verbose\":false,\"headers\":true,\"no_responders\":true{login}}}\r\n")
                .as_bytes(),
        );
        assert_eq!(raw.settle(), [] as [&str; 0]);
        raw
    }

    fn send(&mut self, bytes: &[u8]) {
        self.stream.get_mut().write_all(bytes).unwrap();
    }

    fn line(&mut self) -> String {
        let mut line = String::new();
        self.stream.read_line(&mut line).unwrap();
        line.trim_end().to_owned()
    }

    /// What the server refused of all that was said so far.
    fn settle(&mut self) -> Vec<String> {
        self.send(b"PING\r\n");
        let mut refusals = Vec::new();
        loop {
            let line = self.line();
            match line.as_str() {
                "PONG" => return refusals,
                line if line.starts_with("-ERR") => refusals.push(line.to_owned()),
                line => self.skip(line),
            }
        }
    }

    /// Over what a message holds.
    fn skip(&mut self, line: &str) {
        if line.starts_with("MSG ") || line.starts_with("HMSG ") {
            let length: usize = line.rsplit(' ').next().unwrap().parse().unwrap();
            let mut payload = vec![0; length + 2];
            self.stream.read_exact(&mut payload).unwrap();
        }
    }

    /// Says something; whether it was let through.
    pub fn publish(&mut self, subject: &str, payload: &[u8]) -> bool {
        self.publish_with(subject, None, "", payload)
    }

    /// The same, with headers (`Name: value` in lines) and a place for the answer.
    pub fn publish_with(
        &mut self,
        subject: &str,
        reply: Option<&str>,
        headers: &str,
        payload: &[u8],
    ) -> bool {
        let reply = reply.map_or(String::new(), |reply| format!("{reply} "));
        let mut bytes;
        if headers.is_empty() {
            bytes = format!("PUB {subject} {reply}{}\r\n", payload.len()).into_bytes();
        } else {
            let headers = format!("NATS/1.0\r\n{headers}\r\n\r\n");
            let all = headers.len() + payload.len();
            bytes = format!("HPUB {subject} {reply}{} {all}\r\n{headers}", headers.len()).into_bytes();
        }
        bytes.extend_from_slice(payload);
        bytes.extend_from_slice(b"\r\n");
        self.send(&bytes);
        self.settle().is_empty()
    }

    /// Listens; whether it may.
    pub fn subscribe(&mut self, subject: &str) -> bool {
        self.send(format!("SUB {subject} 1\r\n").as_bytes());
        self.settle().is_empty()
    }
}
