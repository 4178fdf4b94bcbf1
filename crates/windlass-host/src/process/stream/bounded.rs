//! A file of what a program prints, of which the beginning and the end are kept, however much that is.

use std::fs::{File, OpenOptions};
use std::io::{self, Seek, SeekFrom, Write};
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::Path;

/// So much of the beginning is kept, in bytes.
pub const KEPT_BEGINNING: u64 = 2 * 1024 * 1024;

/// At least so much of the end is kept, in bytes, and at most twice that.
pub const KEPT_END: u64 = 1024 * 1024;

/// Written at once: what lies between two cuts stays below the bound.
const PIECE: usize = 64 * 1024;

/// A file that is cut in its middle while it grows, and says there how much was left out.
///
/// All of it is on disk at any time, so that whoever looks at it, or goes on after a kill, finds the end as well.
#[derive(Debug)]
pub struct BoundedFile {
    file: File,
    length: u64,
    /// Where the kept end begins once something was left out: behind the line that says so.
    end_from: u64,
    left_out: u64,
}

impl BoundedFile {
    /// Appends to the file at this path, which is made where it is not there.
    pub fn append_to(path: &Path) -> io::Result<BoundedFile> {
        BoundedFile::open(OpenOptions::new().create(true).truncate(false), path)
    }

    /// An empty file at this path, whatever was there.
    pub fn anew(path: &Path) -> io::Result<BoundedFile> {
        BoundedFile::open(OpenOptions::new().create(true).truncate(true), path)
    }

    fn open(options: &mut OpenOptions, path: &Path) -> io::Result<BoundedFile> {
        let mut file = options.read(true).write(true).mode(0o600).open(path)?;
        let length = file.seek(SeekFrom::End(0))?;
        Ok(BoundedFile { file, length, end_from: KEPT_BEGINNING, left_out: 0 })
    }

    /// Adds what was printed.
    pub fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        for piece in bytes.chunks(PIECE) {
            self.file.write_all(piece)?;
            self.length += piece.len() as u64;
            if self.length >= self.end_from + 2 * KEPT_END {
                self.cut()?;
            }
        }
        Ok(())
    }

    /// Moves the end to where it is kept. A kill in the middle of it leaves bytes twice, and loses none of the end.
    fn cut(&mut self) -> io::Result<()> {
        let kept_from = self.length - KEPT_END;
        let mut end = vec![0; usize::try_from(KEPT_END).unwrap_or_default()];
        self.file.read_exact_at(&mut end, kept_from)?;
        self.left_out += kept_from - self.end_from;
        let said = format!("\n[… {} bytes were printed here and not kept]\n", self.left_out);
        self.file.seek(SeekFrom::Start(KEPT_BEGINNING))?;
        self.file.write_all(said.as_bytes())?;
        self.file.write_all(&end)?;
        self.end_from = KEPT_BEGINNING + said.len() as u64;
        self.length = self.end_from + KEPT_END;
        self.file.set_len(self.length)
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn written(total: usize, piece: usize) -> Vec<u8> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log");
        let mut file = BoundedFile::anew(&path).unwrap();
        let everything: Vec<u8> = (0..total).map(byte_at).collect();
        for piece in everything.chunks(piece) {
            file.write(piece).unwrap();
        }
        fs::read(&path).unwrap()
    }

    fn byte_at(place: usize) -> u8 {
        b'a' + u8::try_from(place % 26).unwrap()
    }

    #[test]
    fn what_fits_is_kept_as_it_is() {
        let kept = written(3 * 1024 * 1024, 1000);
        assert!(kept.iter().enumerate().all(|(place, byte)| *byte == byte_at(place)));
        assert_eq!(kept.len(), 3 * 1024 * 1024);
    }

    #[test]
    fn of_more_the_beginning_and_the_end_are_kept_and_what_is_missing_is_said() {
        let total = 23 * 1024 * 1024 + 17;
        for piece in [999, 70_000, total] {
            let kept = written(total, piece);
            assert!(kept.len() as u64 <= KEPT_BEGINNING + 2 * KEPT_END + 200, "{}", kept.len());
            let (beginning, rest) = kept.split_at(usize::try_from(KEPT_BEGINNING).unwrap());
            assert!(beginning.iter().enumerate().all(|(place, byte)| *byte == byte_at(place)));
            let close = rest.iter().position(|byte| *byte == b']').unwrap();
            let said = std::str::from_utf8(&rest[..=close]).unwrap();
            let left_out: usize =
                said.chars().filter(char::is_ascii_digit).collect::<String>().parse().unwrap();
            let end = &rest[close + 2..];
            assert!(end.len() as u64 >= KEPT_END);
            assert_eq!(beginning.len() + left_out + end.len(), total, "{said}");
            let from = total - end.len();
            assert!(end.iter().enumerate().all(|(place, byte)| *byte == byte_at(from + place)));
        }
    }

    #[test]
    fn what_is_there_already_is_gone_on_with() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log");
        BoundedFile::append_to(&path).unwrap().write(b"one ").unwrap();
        BoundedFile::append_to(&path).unwrap().write(b"two").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"one two");
        BoundedFile::anew(&path).unwrap().write(b"three").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"three");
    }
}
