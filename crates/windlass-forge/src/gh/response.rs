//! An answer as `gh api --include` prints it: status line, headers, an empty line, the body. Pure.

/// An answer of the forge's API.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ApiResponse<'a> {
    /// 100 to 599.
    pub status: u16,
    /// Names in lower case.
    pub headers: Vec<(String, String)>,
    /// What follows them.
    pub body: &'a [u8],
}

impl ApiResponse<'_> {
    /// The first header of this name; `name` in lower case.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }
}

/// Takes an answer apart; `None` where it does not begin like one.
pub fn split(printed: &[u8]) -> Option<ApiResponse<'_>> {
    let (first, mut rest) = line(printed)?;
    let mut words = first.split_whitespace();
    let protocol = words.next()?;
    let status: u16 = words.next()?.parse().ok()?;
    if !protocol.starts_with("HTTP/") || !(100..600).contains(&status) {
        return None;
    }
    let mut headers = Vec::new();
    loop {
        let (header, after) = line(rest)?;
        rest = after;
        if header.is_empty() {
            return Some(ApiResponse { status, headers, body: rest });
        }
        let (name, value) = header.split_once(':')?;
        headers.push((name.trim().to_ascii_lowercase(), value.trim().to_owned()));
    }
}

/// The first line without its end, and what follows it.
fn line(bytes: &[u8]) -> Option<(String, &[u8])> {
    let end = bytes.iter().position(|byte| *byte == b'\n')?;
    let (line, rest) = bytes.split_at_checked(end)?;
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    Some((String::from_utf8_lossy(line).into_owned(), rest.get(1..)?))
}
