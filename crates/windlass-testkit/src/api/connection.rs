//! One connection: reads a request, sends a reply, closes.

use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::time::Duration;

use serde_json::{Value, json};

use super::answer::{ModelResponse, error_document, event};
use super::request::{Dialect, Request};
use super::scenario::{Break, Kind, Reply};

/// Requests beyond this are refused: the real ones have some 50 kB, and a prompt of 10 MB must pass.
const LONGEST_BODY: usize = 64 << 20;
const LONGEST_HEAD: usize = 256 << 10;

/// Reads one request; `None` where the peer closed without one. Its number is set by whoever counts.
pub(super) fn read_request(mut stream: &TcpStream) -> io::Result<Option<Request>> {
    let mut received = Vec::new();
    let mut buffer = vec![0; 64 << 10];
    loop {
        if let Some((mut request, body_start, body_length)) = parse_head(&received)? {
            if received.len() >= body_start + body_length {
                let body = &received[body_start..body_start + body_length];
                request.body = serde_json::from_slice(body).unwrap_or(Value::Null);
                return Ok(Some(request));
            }
        } else if received.len() > LONGEST_HEAD {
            return Err(invalid("the head of the request does not end"));
        }
        match stream.read(&mut buffer)? {
            0 if received.is_empty() => return Ok(None),
            0 => return Err(invalid("the request is cut off")),
            count => received.extend_from_slice(&buffer[..count]),
        }
    }
}

/// The request's head, where its body starts, and how long that is; `None` while the head is incomplete.
fn parse_head(received: &[u8]) -> io::Result<Option<(Request, usize, usize)>> {
    let mut slots = [httparse::EMPTY_HEADER; 96];
    let mut head = httparse::Request::new(&mut slots);
    let status = head.parse(received).map_err(|error| invalid(&error.to_string()))?;
    let httparse::Status::Complete(body_start) = status else {
        return Ok(None);
    };
    let headers: Vec<(String, String)> = head
        .headers
        .iter()
        .map(|header| (header.name.to_ascii_lowercase(), String::from_utf8_lossy(header.value).into_owned()))
        .collect();
    let request = Request {
        number: 0,
        method: head.method.unwrap_or_default().to_owned(),
        path: head.path.unwrap_or_default().to_owned(),
        headers,
        body: Value::Null,
    };
    if request.header("transfer-encoding").is_some() {
        return Err(invalid("a chunked request: the agent was not known to send these"));
    }
    let body_length = request.header("content-length").map_or(Ok(0), str::parse);
    let body_length = body_length.map_err(|_| invalid("content-length is not a number"))?;
    if body_length > LONGEST_BODY {
        return Err(invalid("the body is too long"));
    }
    Ok(Some((request, body_start, body_length)))
}

fn invalid(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what)
}

/// Sends `reply` to `request`. Errors mean that the agent hung up or the stand-in stopped: nobody's concern.
pub(super) fn send(stream: &TcpStream, request: &Request, reply: &Reply) -> io::Result<()> {
    if !reply.delay.is_zero() && wait_for_hang_up(stream, Some(reply.delay)) {
        return Ok(());
    }
    match &reply.kind {
        Kind::Message(message) => {
            let answer = ModelResponse { message, model: request.model(), number: request.number };
            if request.streams() {
                let events = match request.dialect() {
                    Some(Dialect::Responses) => answer.items(),
                    Some(Dialect::Contents) => vec![answer.contents()],
                    Some(Dialect::Messages) | None => answer.events(),
                };
                let mut sender = EventSender::start(stream, request, reply)?;
                sender.send_all(&events)?;
                sender.finish()
            } else {
                send_document(stream, 200, request, &reply.headers, &answer.document())
            }
        }
        Kind::Broken(message, how) => {
            let answer = ModelResponse { message, model: request.model(), number: request.number };
            EventSender::start(stream, request, reply)?.send_all(&answer.first_half())?;
            break_off(stream, *how)
        }
        Kind::Silent(how) => break_off(stream, *how),
        Kind::Error { status, error_type, message } => {
            let document = match request.dialect() {
                Some(Dialect::Contents) => {
                    json!({"error": {"code": status, "message": message, "status": error_type}})
                }
                _ => error_document(error_type, message),
            };
            send_document(stream, *status, request, &reply.headers, &document)
        }
        Kind::StreamError { error_type, message } => {
            let mut sender = EventSender::start(stream, request, reply)?;
            sender.send_all(&[event(&error_document(error_type, message))])?;
            sender.finish()
        }
        Kind::Computed(answer) => send(stream, request, &answer(request)),
    }
}

/// Sends what was asked for beside messages: tokens are counted, everything else does not exist.
pub(super) fn send_aside(stream: &TcpStream, request: &Request) -> io::Result<()> {
    if request.path.starts_with("/v1/messages/count_tokens") {
        return send_document(stream, 200, request, &[], &json!({"input_tokens": 100}));
    }
    let message = format!("the stand-in has no {} {}", request.method, request.path);
    send_document(stream, 404, request, &[], &error_document("not_found_error", &message))
}

fn break_off(stream: &TcpStream, how: Break) -> io::Result<()> {
    match how {
        Break::Stall => {
            wait_for_hang_up(stream, None);
            Ok(())
        }
        // Whoever drops the stream now sends RST instead of FIN.
        Break::Reset => Ok(rustix::net::sockopt::set_socket_linger(stream, Some(Duration::ZERO))?),
    }
}

/// Waits until the peer closes, the stand-in stops (both `true`), or `patience` is over (`false`).
fn wait_for_hang_up(mut stream: &TcpStream, patience: Option<Duration>) -> bool {
    if stream.set_read_timeout(patience).is_err() {
        return true;
    }
    let mut byte = [0];
    let hung_up = match stream.read(&mut byte) {
        Ok(count) => count == 0,
        Err(error) => !matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut),
    };
    hung_up || stream.set_read_timeout(None).is_err()
}

fn send_document(
    mut stream: &TcpStream,
    status: u16,
    request: &Request,
    headers: &[(String, String)],
    document: &Value,
) -> io::Result<()> {
    let body = document.to_string();
    let head = head(status, request, headers, "application/json");
    let mut response = format!("{head}content-length: {}\r\n\r\n", body.len());
    if request.method != "HEAD" {
        response.push_str(&body);
    }
    stream.write_all(response.as_bytes())?;
    stream.shutdown(Shutdown::Write)
}

/// A response of server-sent events in chunks: its end shows, so that a connection cut off is not an end.
struct EventSender<'a> {
    stream: &'a TcpStream,
}

impl<'a> EventSender<'a> {
    fn start(mut stream: &'a TcpStream, request: &Request, reply: &Reply) -> io::Result<Self> {
        let mut head = head(200, request, &reply.headers, "text/event-stream; charset=utf-8");
        head.push_str("cache-control: no-cache\r\ntransfer-encoding: chunked\r\n\r\n");
        stream.write_all(head.as_bytes())?;
        Ok(Self { stream })
    }

    fn send_all(&mut self, events: &[String]) -> io::Result<()> {
        for event in events {
            write!(self.stream, "{:x}\r\n{event}\r\n", event.len())?;
        }
        self.stream.flush()
    }

    fn finish(self) -> io::Result<()> {
        let mut stream = self.stream;
        stream.write_all(b"0\r\n\r\n")?;
        stream.shutdown(Shutdown::Write)
    }
}

/// Status line and headers, up to those that describe the body's length.
fn head(status: u16, request: &Request, headers: &[(String, String)], content_type: &str) -> String {
    let mut lines = vec![
        format!("HTTP/1.1 {status} {}\r\n", reason(status)),
        "connection: close\r\n".to_owned(),
        format!("content-type: {content_type}\r\n"),
        format!("request-id: req_standin_{:04}\r\n", request.number),
    ];
    lines.extend(headers.iter().map(|(name, value)| format!("{name}: {value}\r\n")));
    lines.concat()
}

fn reason(status: u16) -> &'static str {
    match status {
        200 => "OK",
        400..=499 => "Client Error",
        _ => "Server Error",
    }
}
