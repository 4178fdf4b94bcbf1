//! Parsers of git's files and of a keeper's streams, as the targets call them.

use windlass_git::git::{ObjectId, PackedRefs, RefValue, is_safe_name};
use windlass_git::lane;
use windlass_git::snapshot::repository::KeptPlace;
use windlass_git::snapshot::{left_out, quoting, tree};
use windlass_host::process::protocol::Request;
use windlass_host::process::stream::Lines;
use windlass_host::process::wire::Inbox;

/// The lines of a stream that arrives in these pieces.
pub fn lines(pieces: &[&[u8]], on_line: &mut impl FnMut(&[u8])) {
    let mut lines = Lines::default();
    for piece in pieces {
        lines.feed(piece, on_line);
    }
    lines.finish(on_line);
}

/// The references of a `packed-refs` file.
pub fn packed_references(content: &[u8]) -> Vec<(Vec<u8>, ObjectId)> {
    PackedRefs::parse(content).0.into_iter().collect()
}

/// What a reference's file says, as it would be written anew.
pub fn reference(content: &[u8]) -> Option<Vec<u8>> {
    RefValue::parse(content).map(|value| value.content())
}

/// May a file of this name be read as a reference?
pub fn is_safe_reference(name: &[u8]) -> bool {
    is_safe_name(name)
}

/// The folders that a repository borrows objects from, written anew.
pub fn borrowed_folders(content: &[u8]) -> Vec<u8> {
    lane::borrowed_anew(content)
}

/// What git said of a merge: its tree, and for each conflict the paths and the sentence.
pub fn merged_tree(output: &[u8]) -> Option<(ObjectId, Vec<lane::Conflict>)> {
    lane::read_merge(output)
}

/// A path on one line.
pub fn quote(path: &[u8]) -> String {
    quoting::quote(path)
}

/// The path that was quoted.
pub fn unquote(quoted: &str) -> Vec<u8> {
    quoting::unquote(quoted)
}

/// A snapshot's list of what it left out, written anew.
pub fn left_out_list(text: &str) -> String {
    left_out::to_text(&left_out::from_text(text))
}

/// Where a snapshot's files belong, written anew.
pub fn kept_place(text: &str) -> Option<String> {
    KeptPlace::from_text(text).map(|place| place.to_text())
}

/// The names in a folder as git stores it.
pub fn tree_names(content: &[u8], id_length: usize) -> Option<Vec<&[u8]>> {
    Some(tree::parse(content, id_length)?.into_iter().map(|(_, name, _)| name).collect())
}

/// The requests that a keeper makes of the bytes it gets, written anew; `None` at the end where it gets nonsense.
pub fn keeper_requests(pieces: &[&[u8]]) -> Vec<Option<String>> {
    let mut inbox = Inbox::default();
    let mut requests = Vec::new();
    for piece in pieces {
        inbox.push(piece);
        loop {
            match inbox.message::<Request>() {
                Ok(None) => break,
                Ok(Some(request)) => requests.push(serde_json::to_string(&request).ok()),
                Err(_) => {
                    requests.push(None);
                    return requests;
                }
            }
        }
    }
    requests
}
