//! Files in the fleet's object stores, named by the hash of what they hold. The names are hashes, so nobody can put something else
//! under one without being found out: what is read is compared before it gets its name on this machine.

use std::fmt;
use std::fs::File;
use std::io::{self, Read, Write};
use std::path::Path;
use std::str::FromStr;

use async_nats::HeaderMap;
use async_nats::header::NATS_MESSAGE_ID;
use async_nats::jetstream::object_store::{ObjectInfo, ObjectOptions};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use tempfile::NamedTempFile;

use crate::call::{Deadline, ONE_TRY, until};
use crate::error::{FleetError, one_line};
use crate::fleet::stored::{Found, Stored};
use crate::fleet::{About, Fleet, NewMessage, hexadecimal, nonce};
use crate::layout::Part;
pub use crate::layout::Store;

/// A file travels in pieces of so many bytes.
pub(crate) const CHUNK: usize = 512 * 1024;

/// The longest name of a version of a file, in characters.
const LONGEST_VERSION: usize = 64;

/// What a file holds: its SHA-256, 64 hexadecimal digits.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct ContentId(String);

impl ContentId {
    /// 64 digits.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl TryFrom<String> for ContentId {
    type Error = FleetError;

    fn try_from(text: String) -> Result<ContentId, FleetError> {
        text.parse()
    }
}

impl From<ContentId> for String {
    fn from(content: ContentId) -> String {
        content.0
    }
}

impl fmt::Display for ContentId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl FromStr for ContentId {
    type Err = FleetError;

    fn from_str(text: &str) -> Result<ContentId, FleetError> {
        let digit = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
        if text.len() == 64 && text.bytes().all(digit) {
            return Ok(ContentId(text.to_owned()));
        }
        let problem = "a hash has 64 hexadecimal digits, in lower case".to_owned();
        Err(FleetError::Garbled { what: format!("the name of a file, {:?},", short(text)), problem })
    }
}

fn short(text: &str) -> String {
    text.chars().take(70).collect()
}

/// The hash of some bytes, as digits.
pub(crate) fn hash_of(bytes: &[u8]) -> String {
    hexadecimal(&Sha256::digest(bytes))
}

/// Files of one store.
#[derive(Clone, Debug)]
pub struct Files {
    fleet: Fleet,
    bucket: String,
    stream: String,
}

impl Files {
    /// Of this store of the fleet. Nothing is asked yet.
    pub fn of(fleet: &Fleet, store: Store) -> Files {
        let subjects = &fleet.line.subjects;
        let bucket = subjects.stored(store.name());
        Files { fleet: fleet.clone(), bucket, stream: Part::Files(store).stream(subjects) }
    }

    /// Stores a file of at most `limit` bytes. One that is there already, as far as can be told without reading it, is not sent again.
    pub fn put(&self, path: &Path, limit: u64, deadline: Deadline) -> Result<ContentId, FleetError> {
        let doing = format!("store {}", path.display());
        let (content, size) = measure(path, limit, &doing)?;
        match self.information(&content, &doing, deadline) {
            Ok(Some(there)) if self.is_whole(&there, size, &doing, deadline)? => return Ok(content),
            // What is said of it is nonsense: it is said anew.
            Ok(_) | Err(FleetError::Corrupt { .. }) => {}
            Err(error) => return Err(error),
        }
        self.send_whole(path, content, size, &doing, deadline)
    }

    /// Stores a file whatever is there under its name: for one that was found to be damaged.
    pub fn put_anew(&self, path: &Path, limit: u64, deadline: Deadline) -> Result<ContentId, FleetError> {
        let doing = format!("store {}", path.display());
        let (content, size) = measure(path, limit, &doing)?;
        self.send_whole(path, content, size, &doing, deadline)
    }

    fn send_whole(
        &self,
        path: &Path,
        content: ContentId,
        size: u64,
        doing: &str,
        deadline: Deadline,
    ) -> Result<ContentId, FleetError> {
        let version = nonce()?;
        let chunks = self.send(path, &content, &version, doing, deadline)?;
        let information = ObjectInfo {
            name: content.0.clone(),
            description: None,
            metadata: std::collections::HashMap::new(),
            headers: None,
            options: Some(ObjectOptions { link: None, max_chunk_size: Some(CHUNK) }),
            bucket: self.bucket.clone(),
            nuid: version,
            size: usize::try_from(size).unwrap_or(usize::MAX),
            chunks,
            modified: None,
            digest: Some(format!("SHA-256={}", URL_SAFE.encode(decode(&content)))),
            deleted: false,
        };
        let bytes = serde_json::to_vec(&information)
            .map_err(|error| FleetError::Other { doing: doing.to_owned(), problem: error.to_string() })?;
        self.put_message(&self.about_subject(&content), &HeaderMap::new(), &bytes, doing, deadline)?;
        Ok(content)
    }

    /// Reads a file into `to`, which has it whole or not at all; what was there is replaced. At most `limit` bytes are taken.
    pub fn get(
        &self,
        content: &ContentId,
        to: &Path,
        limit: u64,
        deadline: Deadline,
    ) -> Result<(), FleetError> {
        let file = self.bring(content, to, limit, deadline)?;
        let failed = |error| FleetError::file(to, error);
        file.as_file().sync_all().map_err(failed)?;
        file.persist(to).map_err(|error| failed(error.error))?;
        Ok(())
    }

    /// The same for a file that is taken over and goes: a power cut may take it.
    pub fn get_for_now(
        &self,
        content: &ContentId,
        to: &Path,
        limit: u64,
        deadline: Deadline,
    ) -> Result<(), FleetError> {
        let file = self.bring(content, to, limit, deadline)?;
        file.persist(to).map_err(|error| FleetError::file(to, error.error))?;
        Ok(())
    }

    /// Reads a file into one beside `to`.
    fn bring(
        &self,
        content: &ContentId,
        to: &Path,
        limit: u64,
        deadline: Deadline,
    ) -> Result<NamedTempFile, FleetError> {
        let doing = format!("read the file {content}");
        let Some(information) = self.information(content, &doing, deadline)? else {
            return Err(FleetError::NoSuchFile { content: content.0.clone(), bucket: self.bucket.clone() });
        };
        let size = information.size as u64;
        if size > limit {
            return Err(FleetError::TooLarge { doing, size, limit });
        }
        let folder = match to.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder,
            _ => Path::new("."),
        };
        let mut file = NamedTempFile::new_in(folder).map_err(|error| FleetError::file(to, error))?;
        let read = self.receive(content, &information, file.as_file_mut(), to, &doing, deadline)?;
        if read == *content { Ok(file) } else { Err(self.corrupt(content, &format!("it holds {read}"))) }
    }

    /// Is a file stored?
    pub fn has(&self, content: &ContentId, deadline: Deadline) -> Result<bool, FleetError> {
        Ok(self.information(content, "look for a file", deadline)?.is_some())
    }

    fn about<'a>(&'a self, doing: &'a str) -> About<'a> {
        About { doing, place: &self.stream }
    }

    fn about_subject(&self, content: &ContentId) -> String {
        format!("$O.{}.M.{}", self.bucket, URL_SAFE.encode(&content.0))
    }

    fn corrupt(&self, content: &ContentId, problem: &str) -> FleetError {
        FleetError::Corrupt {
            content: content.0.clone(),
            bucket: self.bucket.clone(),
            problem: one_line(problem),
        }
    }

    /// What is said of a file; `None` where it is not stored. Whoever may write the store may have said anything.
    fn information(
        &self,
        content: &ContentId,
        doing: &str,
        deadline: Deadline,
    ) -> Result<Option<ObjectInfo>, FleetError> {
        let subject = self.about_subject(content);
        let line = &self.fleet.line;
        // The newest: a file that was damaged or expired is said anew.
        let found = line.wait(until(deadline, || async {
            let stored = Stored { line, stream: &self.stream };
            let found = stored.newest(&subject, ONE_TRY.min(deadline.left())).await;
            line.tried(found, self.about(doing), deadline)
        }))?;
        let Some(found) = found else { return Ok(None) };
        let information: ObjectInfo = match serde_json::from_slice(&found.payload) {
            Ok(information) => information,
            Err(error) => return Err(self.corrupt(content, &error.to_string())),
        };
        if information.deleted {
            return Ok(None);
        }
        let version = &information.nuid;
        let one_token = version.bytes().all(|byte| byte.is_ascii_alphanumeric());
        if version.is_empty() || version.len() > LONGEST_VERSION || !one_token {
            return Err(self.corrupt(content, "its version is none"));
        }
        Ok(Some(information))
    }

    /// Pieces are older than what is said of a file, and expire first.
    fn is_whole(
        &self,
        information: &ObjectInfo,
        size: u64,
        doing: &str,
        deadline: Deadline,
    ) -> Result<bool, FleetError> {
        #[derive(Deserialize)]
        struct Information {
            state: State,
        }
        #[derive(Deserialize)]
        struct State {
            #[serde(default)]
            subjects: std::collections::BTreeMap<String, u64>,
        }
        let subject = format!("$O.{}.C.{}", self.bucket, information.nuid);
        let which = serde_json::json!({ "subjects_filter": subject });
        let what = format!("STREAM.INFO.{}", self.stream);
        let line = &self.fleet.line;
        let stream: Information = line.wait(line.ask(&what, Some(&which), self.about(doing), deadline))?;
        let pieces = stream.state.subjects.get(&subject).copied().unwrap_or(0);
        Ok(information.size as u64 == size && pieces == information.chunks as u64)
    }

    /// Sends the pieces; so many there were.
    fn send(
        &self,
        path: &Path,
        content: &ContentId,
        version: &str,
        doing: &str,
        deadline: Deadline,
    ) -> Result<usize, FleetError> {
        let subject = format!("$O.{}.C.{version}", self.bucket);
        let mut file = File::open(path).map_err(|error| FleetError::file(path, error))?;
        let mut hash = Sha256::new();
        let mut chunks = 0;
        loop {
            let chunk = read_chunk(&mut file).map_err(|error| FleetError::file(path, error))?;
            if chunk.is_empty() {
                break;
            }
            hash.update(&chunk);
            let mut headers = HeaderMap::new();
            // A piece whose answer was lost is sent again, and must be there once.
            headers.insert(NATS_MESSAGE_ID, format!("{version}:{chunks}"));
            self.put_message(&subject, &headers, &chunk, doing, deadline)?;
            chunks += 1;
        }
        if hexadecimal(&hash.finalize()) == content.0 {
            Ok(chunks)
        } else {
            Err(FleetError::file(path, io::Error::other("it changed while it was sent")))
        }
    }

    /// Receives the pieces, and says what they hold together.
    fn receive(
        &self,
        content: &ContentId,
        information: &ObjectInfo,
        file: &mut File,
        to: &Path,
        doing: &str,
        deadline: Deadline,
    ) -> Result<ContentId, FleetError> {
        let subject = format!("$O.{}.C.{}", self.bucket, information.nuid);
        let mut hash = Sha256::new();
        let mut left = information.size;
        let mut from = 1;
        while left > 0 {
            let Some(chunk) = self.next(&subject, from, doing, deadline)? else {
                return Err(self.corrupt(content, &format!("{left} of its bytes are missing")));
            };
            if chunk.payload.is_empty() || chunk.payload.len() > left {
                return Err(self.corrupt(content, "its pieces are not of its size"));
            }
            left -= chunk.payload.len();
            from = chunk.sequence + 1;
            hash.update(&chunk.payload);
            file.write_all(&chunk.payload).map_err(|error| FleetError::file(to, error))?;
        }
        Ok(ContentId(hexadecimal(&hash.finalize())))
    }

    fn next(
        &self,
        subject: &str,
        from: u64,
        doing: &str,
        deadline: Deadline,
    ) -> Result<Option<Found>, FleetError> {
        let line = &self.fleet.line;
        line.wait(until(deadline, || async {
            let stored = Stored { line, stream: &self.stream };
            let found = stored.next(subject, from, ONE_TRY.min(deadline.left())).await;
            line.tried(found, self.about(doing), deadline)
        }))
    }

    fn put_message(
        &self,
        subject: &str,
        headers: &HeaderMap,
        bytes: &[u8],
        doing: &str,
        deadline: Deadline,
    ) -> Result<(), FleetError> {
        let line = &self.fleet.line;
        line.wait(until(deadline, || async {
            let wait = ONE_TRY.min(deadline.left());
            let put = line
                .put_once(
                    &self.stream,
                    NewMessage { subject, headers: headers.clone(), payload: bytes },
                    wait,
                )
                .await;
            line.tried(put.map(|_| ()), self.about(doing), deadline)
        }))
    }
}

/// The hash of a file and its size in bytes.
fn measure(path: &Path, limit: u64, doing: &str) -> Result<(ContentId, u64), FleetError> {
    let failed = |error| FleetError::file(path, error);
    // Asked before it is opened: opening a pipe waits for whoever writes.
    let about = std::fs::symlink_metadata(path).map_err(failed)?;
    if !about.is_file() {
        return Err(failed(io::Error::new(io::ErrorKind::InvalidInput, "it is no file")));
    }
    let too_large = |size| FleetError::TooLarge { doing: doing.to_owned(), size, limit };
    if about.len() > limit {
        return Err(too_large(about.len()));
    }
    let mut file = File::open(path).map_err(failed)?;
    let mut hash = Sha256::new();
    let mut size = 0;
    loop {
        let chunk = read_chunk(&mut file).map_err(failed)?;
        if chunk.is_empty() {
            return Ok((ContentId(hexadecimal(&hash.finalize())), size));
        }
        size += chunk.len() as u64;
        if size > limit {
            return Err(too_large(size));
        }
        hash.update(&chunk);
    }
}

/// A whole piece, but for the last one; empty at the end.
fn read_chunk(file: &mut File) -> io::Result<Vec<u8>> {
    let mut chunk = Vec::with_capacity(CHUNK);
    file.take(CHUNK as u64).read_to_end(&mut chunk)?;
    Ok(chunk)
}

fn decode(content: &ContentId) -> Vec<u8> {
    let digits = content.0.as_bytes();
    let value =
        |digit: u8| (digit as char).to_digit(16).and_then(|value| u8::try_from(value).ok()).unwrap_or(0);
    digits.chunks(2).map(|pair| pair.iter().fold(0, |byte, digit| byte << 4 | value(*digit))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_content_id_is_a_hash_and_nothing_else() {
        let hash = hash_of(b"windlass");
        let content: ContentId = hash.parse().unwrap();
        assert_eq!(content.as_str(), hash);
        assert_eq!(decode(&content), Sha256::digest(b"windlass").to_vec());
        for text in
            ["", "../../etc/passwd", &hash.to_uppercase(), &hash[1..], &format!("{hash}0"), &"g".repeat(64)]
        {
            assert!(text.parse::<ContentId>().is_err(), "{text}");
        }
    }
}
