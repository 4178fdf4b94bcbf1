//! The run logs of a workspace: one file per session of a run, named by when it began (UTC), as claude-iterate's are.

use std::fs::File;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use jiff::Timestamp;

use windlass_host::file::{AtPath as _, FileError};
use windlass_host::tree::{Attributes, Kind, at};

/// Logs that begin within one second; more would be a defect.
const SAME_SECOND: u32 = 99;

/// A log that is being written. Nothing that is there is ever opened: its file is made, and held from then on.
#[derive(Debug)]
pub struct LogFile {
    folder: PathBuf,
    began: Timestamp,
    path: PathBuf,
    file: File,
}

/// What is in a log's file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Renewed {
    /// What was written before.
    Same,
    /// Nothing: the former file was taken away.
    Blank,
}

impl LogFile {
    /// Makes the log of a session that begins now.
    pub fn create(folder: &Path, began: Timestamp) -> Result<LogFile, FileError> {
        let (path, file) = make(folder, began)?;
        Ok(LogFile { folder: folder.to_owned(), began, path, file })
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Adds to its end.
    ///
    /// # Errors
    /// The disk is full, or gone. A part may have been written.
    pub fn write(&mut self, bytes: &[u8]) -> Result<(), FileError> {
        self.file.write_all(bytes).at("write", &self.path)
    }

    /// Makes a new file if the one that is written to is not in its place any more.
    pub fn renew(&mut self) -> Result<Renewed, FileError> {
        let ours = Attributes::of(&self.file).at("look at", &self.path)?;
        let there = at(&self.path).look().ok().flatten();
        if there.is_some_and(|there| (there.device, there.inode) == (ours.device, ours.inode)) {
            return Ok(Renewed::Same);
        }
        (self.path, self.file) = make(&self.folder, self.began)?;
        Ok(Renewed::Blank)
    }
}

/// A new file under the first name that is free.
fn make(folder: &Path, began: Timestamp) -> Result<(PathBuf, File), FileError> {
    let stem = began.strftime("iterate-%Y%m%d-%H%M%S").to_string();
    let mut number = 1;
    loop {
        let name = if number == 1 { format!("{stem}.log") } else { format!("{stem}-{number}.log") };
        let path = folder.join(name);
        match at(&path).make_file(0o600) {
            Err(error) if error.source.kind() == io::ErrorKind::AlreadyExists && number < SAME_SECOND => {
                number += 1;
            }
            opened => return opened.map(|file| (path, file)),
        }
    }
}

/// Which logs of a folder stay; the newest always does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LogLimits {
    /// So many; `None` = all.
    pub count: Option<u32>,
    /// So many bytes of them; `None` = no limit.
    pub bytes: Option<u64>,
}

/// Removes the oldest of a folder's logs until the others are within bounds, and says how many those were. Only plain files
/// that are named as our logs or claude-iterate's are touched.
///
/// # Errors
/// The folder cannot be read, or a log cannot be removed.
pub fn prune(folder: &Path, keep: LogLimits) -> Result<u64, FileError> {
    let mut logs = Vec::new();
    let folder = at(folder);
    for entry in folder.entries()? {
        let name = entry.name.to_str().and_then(age);
        if let (Some(age), Kind::File) = (name, entry.kind) {
            let path = folder.join(&entry.name);
            let size = path.look().ok().flatten().map_or(0, |found| found.size);
            logs.push((age, path, size));
        }
    }
    logs.sort_by_key(|(age, ..)| *age);
    let mut bytes = 0_u64;
    let newest = logs.iter().rev().enumerate().take_while(|(number, (.., own))| {
        bytes = bytes.saturating_add(*own);
        let within = keep.count.is_none_or(|most| u32::try_from(*number).is_ok_and(|number| number < most))
            && keep.bytes.is_none_or(|most| bytes <= most);
        within || *number == 0
    });
    let old = logs.len() - newest.count();
    let mut removed = 0;
    for (_, path, _) in logs.iter().take(old) {
        match path.remove_file() {
            Err(error) if error.is_not_found() => {}
            done => {
                done?;
                removed += 1;
            }
        }
    }
    Ok(removed)
}

/// When a log of this name began, and which it was in that second: `iterate-20260301-200000.log`,
/// `iterate-20260301-200000-2.log`, and claude-iterate's `iterate-2026-03-01T20-00-00.log`. `None` for any other name.
pub fn age(name: &str) -> Option<(u64, u32)> {
    const OURS: &str = "dddddddd-dddddd";
    const THEIRS: &str = "dddd-dd-ddTdd-dd-dd";
    let name = name.strip_prefix("iterate-")?.strip_suffix(".log")?;
    let (moment, number) = if follows(name, THEIRS) {
        (name, 1)
    } else {
        let (moment, rest) = name.split_at_checked(OURS.len()).filter(|(moment, _)| follows(moment, OURS))?;
        (moment, if rest.is_empty() { 1 } else { rest.strip_prefix('-').and_then(numeral)? })
    };
    let digits: String = moment.chars().filter(char::is_ascii_digit).collect();
    Some((digits.parse().ok()?, number))
}

fn numeral(text: &str) -> Option<u32> {
    text.parse().ok().filter(|number| (2..=SAME_SECOND).contains(number) && number.to_string() == text)
}

/// Has a text this form, in which `d` stands for a digit?
fn follows(text: &str, form: &str) -> bool {
    text.len() == form.len()
        && text.bytes().zip(form.bytes()).all(|(byte, form)| match form {
            b'd' => byte.is_ascii_digit(),
            _ => byte == form,
        })
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    fn began() -> Timestamp {
        "2026-03-01T20:00:00.9Z".parse().unwrap()
    }

    fn names(folder: &Path) -> Vec<String> {
        let mut names: Vec<String> = fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    // rows: 112
    // Seed defect D1, commands/run.ts:207: logs had another name than documented.
    #[test]
    fn two_logs_of_one_second_are_two_files() {
        let folder = tempfile::tempdir().unwrap();
        let mut first = LogFile::create(folder.path(), began()).unwrap();
        let mut second = LogFile::create(folder.path(), began()).unwrap();
        first.write(b"one").unwrap();
        second.write(b"two").unwrap();
        assert_eq!(names(folder.path()), ["iterate-20260301-200000-2.log", "iterate-20260301-200000.log"]);
        assert_eq!(fs::read(first.path()).unwrap(), b"one");
        assert_eq!(fs::read(second.path()).unwrap(), b"two");
    }

    #[test]
    fn a_link_in_its_place_is_not_followed() {
        let folder = tempfile::tempdir().unwrap();
        let outside = folder.path().join("outside");
        fs::write(&outside, "theirs").unwrap();
        symlink(&outside, folder.path().join("iterate-20260301-200000.log")).unwrap();
        let mut log = LogFile::create(folder.path(), began()).unwrap();
        log.write(b"ours").unwrap();
        assert!(log.path().ends_with("iterate-20260301-200000-2.log"));
        // Nor one that is put there later.
        fs::remove_file(log.path()).unwrap();
        symlink(&outside, log.path()).unwrap();
        assert_eq!(log.renew().unwrap(), Renewed::Blank);
        log.write(b"ours").unwrap();
        assert_eq!(fs::read(&outside).unwrap(), b"theirs");
    }

    #[test]
    fn a_log_whose_folder_was_gone_goes_on_when_it_is_back() {
        let scratch = tempfile::tempdir().unwrap();
        let folder = scratch.path().join("api");
        fs::create_dir(&folder).unwrap();
        let mut log = LogFile::create(&folder, began()).unwrap();
        assert_eq!(log.renew().unwrap(), Renewed::Same);
        fs::remove_dir_all(&folder).unwrap();
        let error = log.renew().unwrap_err().to_string();
        assert!(
            error.starts_with("cannot create ") && error.contains("iterate-20260301-200000.log"),
            "{error}"
        );
        fs::create_dir(&folder).unwrap();
        assert_eq!(log.renew().unwrap(), Renewed::Blank);
        log.write(b"again").unwrap();
        assert_eq!(fs::read(log.path()).unwrap(), b"again");
    }

    // rows: 116
    #[test]
    fn only_the_oldest_logs_go_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let put = |name: &str| fs::write(folder.path().join(name), name).unwrap();
        let logs = [
            "iterate-2025-10-15T14-23-45.log",
            "iterate-20251015-142346.log",
            "iterate-20251015-142346-2.log",
            "iterate-20251015-142346-10.log",
            "iterate-20260301-200000.log",
        ];
        let others = [
            "iterate-20251015-142345.log.bak",
            "iterate-20251015-142345-1.log",
            "iterate-20251015-142345-007.log",
            "iterate-notes.log",
            "iterate-2025.log",
            "TODO.md",
        ];
        logs.iter().chain(&others).for_each(|name| put(name));
        fs::create_dir(folder.path().join("iterate-20200101-000000.log")).unwrap();
        symlink("TODO.md", folder.path().join("iterate-20200101-000001.log")).unwrap();
        let by_count = |count| LogLimits { count: Some(count), bytes: None };
        assert_eq!(prune(folder.path(), by_count(5)).unwrap(), 0);
        assert_eq!(prune(folder.path(), LogLimits { count: None, bytes: None }).unwrap(), 0);
        assert_eq!(prune(folder.path(), by_count(2)).unwrap(), 3);
        let left = names(folder.path());
        assert!(left.contains(&logs[3].to_owned()) && left.contains(&logs[4].to_owned()), "{left:?}");
        assert!(logs[..3].iter().all(|gone| !left.contains(&(*gone).to_owned())), "{left:?}");
        assert_eq!(left.len(), 2 + others.len() + 2, "{left:?}");
    }

    // rows: 116
    #[test]
    fn logs_take_no_more_room_than_they_may_but_the_newest_stays() {
        let folder = tempfile::tempdir().unwrap();
        for second in 0..5 {
            let path = folder.path().join(format!("iterate-20260301-20000{second}.log"));
            fs::write(path, vec![b'x'; 100]).unwrap();
        }
        let by_size = |bytes| LogLimits { count: Some(4), bytes: Some(bytes) };
        assert_eq!(prune(folder.path(), by_size(1000)).unwrap(), 1);
        assert_eq!(prune(folder.path(), by_size(299)).unwrap(), 2);
        assert_eq!(names(folder.path()), ["iterate-20260301-200003.log", "iterate-20260301-200004.log"]);
        assert_eq!(prune(folder.path(), by_size(1)).unwrap(), 1);
        assert_eq!(prune(folder.path(), LogLimits { count: Some(0), bytes: Some(0) }).unwrap(), 0);
    }

    #[test]
    fn a_folder_that_is_gone_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let gone = folder.path().join("gone");
        assert!(
            prune(&gone, LogLimits { count: Some(1), bytes: None }).unwrap_err().to_string().contains("gone")
        );
        assert!(LogFile::create(&gone, began()).is_err());
    }
}
