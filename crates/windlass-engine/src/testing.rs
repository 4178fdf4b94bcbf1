//! Parsers that are nobody's business outside this crate, opened for the fuzz targets (a feature of its own) and for nothing else.

use std::path::{Path, PathBuf};

use jiff::Timestamp;
use windlass_core::fact::Entry;

use crate::recovery::record;
use crate::replay::times::Times;
use crate::sandbox::proxy::request::read_head;
use crate::store::StoreError;
use crate::store::index::IndexContent;
use crate::store::journal::scanner::Scanner;
use crate::worktree::{bootstrap, copied, marker};
use windlass_host::process::tree::parse_stat;

/// Reads a journal that grows by these pieces, as whoever follows it does. Gives its facts, and how many bytes their
/// lines and the header's take.
pub fn journal(pieces: &[&[u8]]) -> Result<(Vec<Entry>, usize), StoreError> {
    let mut scanner = Scanner::new(Path::new("journal.jsonl"));
    let (mut entries, mut consumed, mut bytes) = (Vec::new(), 0, Vec::new());
    for piece in pieces {
        bytes.extend_from_slice(piece);
        let content = scanner.scan(bytes.get(consumed..).unwrap_or_default())?;
        consumed += content.consumed;
        entries.extend(content.entries);
    }
    Ok((entries, consumed))
}

/// The index as it would be written anew: the lines of its endings, sorted; and whether all of it could be read.
pub fn run_index(bytes: &[u8]) -> (Vec<Vec<u8>>, bool) {
    let content = IndexContent::read(bytes);
    let mut lines: Vec<Vec<u8>> = content.lines().collect();
    lines.sort_unstable();
    (lines, content.is_whole)
}

/// The `times` file of a call.
#[derive(Debug)]
pub struct CallTimes(Times);

impl CallTimes {
    /// Its milliseconds are counted from `start`.
    pub fn new(path: PathBuf, start: Timestamp) -> CallTimes {
        CallTimes(Times::new(path, start))
    }

    /// When so many bytes had come.
    pub fn when(&mut self, bytes: u64) -> Timestamp {
        self.0.when(bytes)
    }
}

/// Id and start time of a process out of `/proc/<pid>/stat`.
pub fn process_status(stat: &[u8]) -> Option<(i32, u64)> {
    parse_stat(stat).map(|process| (process.id.as_raw_nonzero().get(), process.start))
}

/// The record of what was copied into a worktree, as it would be written anew.
pub fn copied_files(bytes: &[u8]) -> Vec<u8> {
    copied::records(&copied::parse(bytes))
}

/// The mark of a worktree as it would be written anew, and how many variables follow from it.
pub fn worktree_mark(bytes: &[u8]) -> Option<(Vec<u8>, usize)> {
    marker::rewritten(bytes)
}

/// Whether a `.worktreeinclude` of these bytes, in a project at `/project`, wants each of these files.
pub fn included(list: &[u8], files: &[&Path]) -> Result<Vec<bool>, String> {
    bootstrap::wanted(Path::new("/project"), list, files)
}

/// What was uncommitted when sessions began, written anew.
pub fn uncommitted_record(text: &str) -> String {
    record::rewritten(text)
}

/// A guest's request to the proxy of its sandbox: host, port, what is passed on (`None` = a tunnel), and how many bytes
/// it takes; `Ok(None)` while its end has not come.
///
/// # Errors
/// The status and the line that the guest is refused with.
pub fn proxy_request(bytes: &[u8]) -> Result<Option<ProxyRequest>, (u16, String)> {
    let read = read_head(bytes).map_err(|refusal| (refusal.status, refusal.why))?;
    Ok(read.map(|(head, length)| ProxyRequest {
        host: head.host,
        port: head.port,
        forward: head.forward,
        length,
    }))
}

/// What a guest asks a proxy for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProxyRequest {
    /// Where to.
    pub host: String,
    /// Its port.
    pub port: u16,
    /// What the host is told.
    pub forward: Option<Vec<u8>>,
    /// The request's bytes.
    pub length: usize,
}
