//! git over HTTP, by git's own `http-backend`.

use std::io::{self, Write};
use std::process::{Command, Stdio};

use super::http::{self, Request};
use super::repository::Bare;

/// Has git answer. A push is judged by git as well.
pub fn answer(root: &std::path::Path, stream: impl Write, request: &Request) -> io::Result<()> {
    let mut command = Command::new("git");
    command
        .arg("http-backend")
        .env("GIT_PROJECT_ROOT", root)
        .env("GIT_HTTP_EXPORT_ALL", "1")
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("PATH_INFO", &request.path)
        .env("QUERY_STRING", &request.query)
        .env("REQUEST_METHOD", &request.method)
        .env("CONTENT_TYPE", request.header("content-type").unwrap_or_default())
        .env("CONTENT_LENGTH", request.body.len().to_string())
        .env("REMOTE_USER", "tess")
        .env("REMOTE_ADDR", "127.0.0.1");
    if let Some(encoding) = request.header("content-encoding") {
        command.env("HTTP_CONTENT_ENCODING", encoding);
    }
    if let Some(protocol) = request.header("git-protocol") {
        command.env("GIT_PROTOCOL", protocol);
    }
    let mut backend = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn()?;
    if let Some(mut input) = backend.stdin.take() {
        // It reads no more than it wants.
        let _ = input.write_all(&request.body);
    }
    let output = backend.wait_with_output()?.stdout;
    let end = output.windows(4).position(|four| four == b"\r\n\r\n").ok_or(io::ErrorKind::InvalidData)?;
    let head = String::from_utf8_lossy(&output[..end]).into_owned();
    let headers: Vec<(&str, &str)> = head.lines().filter_map(|line| line.split_once(": ")).collect();
    let status = headers.iter().find(|(name, _)| *name == "Status");
    let status = status.and_then(|(_, status)| status.get(..3)?.parse().ok()).unwrap_or(200);
    http::write(stream, status, &headers, &output[end + 4..])
}

/// What a request to git is called in the record: `fetch`, `push`, `git` for what precedes them.
pub fn name_of(request: &Request) -> &'static str {
    let path = request.path.as_str();
    match path.rsplit_once('/').map(|(_, last)| last) {
        Some("git-receive-pack") => "push",
        Some("git-upload-pack") => "fetch",
        _ => "git",
    }
}

impl Bare {
    /// Where `http-backend` looks.
    pub fn root(&self) -> std::path::PathBuf {
        self.root.clone()
    }
}
