//! HTTP as `gh` and git speak it: one request per connection.

use std::io::{self, Read, Write};

/// Longer requests are not read.
const LONGEST: usize = 64 << 20;

/// A request, read whole.
#[derive(Clone, Debug, Default)]
pub struct Request {
    pub method: String,
    /// Without the query.
    pub path: String,
    pub query: String,
    /// Names in lower case.
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

impl Request {
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }
}

/// Reads one; `None` where the other side closed without one.
pub fn read(mut stream: impl Read + Write) -> io::Result<Option<Request>> {
    let mut received = Vec::new();
    let start = loop {
        if let Some(at) = received.windows(4).position(|four| four == b"\r\n\r\n") {
            break at + 4;
        }
        if !more(&mut stream, &mut received)? {
            return if received.is_empty() { Ok(None) } else { Err(io::ErrorKind::UnexpectedEof.into()) };
        }
    };
    let mut request = head(&received[..start])?;
    if request.header("expect").is_some() {
        stream.write_all(b"HTTP/1.1 100 Continue\r\n\r\n")?;
    }
    let mut rest = received.split_off(start);
    if request.header("transfer-encoding") == Some("chunked") {
        request.body = chunks(&mut stream, rest)?;
        return Ok(Some(request));
    }
    let length = request.header("content-length").and_then(|length| length.parse().ok()).unwrap_or(0);
    while rest.len() < length {
        if !more(&mut stream, &mut rest)? {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
    }
    rest.truncate(length);
    request.body = rest;
    Ok(Some(request))
}

fn more(stream: &mut impl Read, received: &mut Vec<u8>) -> io::Result<bool> {
    let mut buffer = [0; 16 << 10];
    let count = stream.read(&mut buffer)?;
    received.extend_from_slice(&buffer[..count]);
    if received.len() > LONGEST { Err(io::ErrorKind::InvalidData.into()) } else { Ok(count > 0) }
}

fn head(bytes: &[u8]) -> io::Result<Request> {
    let mut slots = [httparse::EMPTY_HEADER; 64];
    let mut head = httparse::Request::new(&mut slots);
    head.parse(bytes).map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))?;
    let target = head.path.unwrap_or_default();
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    let header = |header: &httparse::Header<'_>| {
        (header.name.to_ascii_lowercase(), String::from_utf8_lossy(header.value).into_owned())
    };
    Ok(Request {
        method: head.method.unwrap_or_default().to_owned(),
        path: path.to_owned(),
        query: query.to_owned(),
        headers: head.headers.iter().map(header).collect(),
        body: Vec::new(),
    })
}

/// A body that comes in chunks, each with its length before it.
fn chunks(stream: &mut impl Read, mut received: Vec<u8>) -> io::Result<Vec<u8>> {
    let mut body = Vec::new();
    let mut at = 0;
    loop {
        let Some(end) = received[at..].windows(2).position(|two| two == b"\r\n") else {
            if !more(stream, &mut received)? {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            continue;
        };
        let length = String::from_utf8_lossy(&received[at..at + end]).trim().to_owned();
        let length = usize::from_str_radix(&length, 16)
            .map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))?;
        let (start, after) = (at + end + 2, at + end + 2 + length + 2);
        while received.len() < after {
            if !more(stream, &mut received)? {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
        }
        if length == 0 {
            return Ok(body);
        }
        body.extend_from_slice(&received[start..start + length]);
        at = after;
    }
}

/// Answers and says that nothing more comes.
pub fn write(mut stream: impl Write, status: u16, headers: &[(&str, &str)], body: &[u8]) -> io::Result<()> {
    let mut head =
        format!("HTTP/1.1 {status} Said\r\nConnection: close\r\nContent-Length: {}\r\n", body.len());
    for (name, value) in headers {
        head.extend([name, ": ", value, "\r\n"]);
    }
    head.push_str("\r\n");
    stream.write_all(head.as_bytes())?;
    stream.write_all(body)?;
    stream.flush()
}
