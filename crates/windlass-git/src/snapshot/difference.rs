//! What two snapshots differ in, line by line, for whoever reads it.

use windlass_core::values::SnapshotId;

use super::Store;
use crate::git::{ChangedFile, GitError, Sides};

/// The files of a snapshot, in its tree.
const FILES: &str = "files/";

/// So many files are shown.
const MOST_FILES: usize = 300;

/// So many lines of one file are shown; a longer change is named only.
const MOST_LINES: u32 = 5000;

/// What differs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Difference {
    /// Lines added and removed, over all files; a file that is not text counts as one.
    pub lines: u32,
    /// As `git diff` shows it; what is not UTF-8 is replaced.
    pub text: String,
    /// Files that differ and of which the text does not show all.
    pub not_shown: Vec<Vec<u8>>,
}

impl Store {
    /// What differs between two snapshots in the files that are `wanted`; the text has at most so many bytes.
    ///
    /// # Errors
    /// git cannot be run, or a snapshot is not there.
    pub fn difference(
        &self,
        (from, to): (&SnapshotId, &SnapshotId),
        wanted: impl Fn(&[u8]) -> bool,
        most: usize,
    ) -> Result<Difference, GitError> {
        let sides = self.sides((from, to));
        let mut files = sides.files()?;
        files.retain(|file| wanted(&file.path));
        let lines = files.iter().map(|file| file.lines().unwrap_or(1).max(1)).fold(0, u32::saturating_add);
        let (shown, not_shown): (Vec<_>, Vec<_>) = files
            .into_iter()
            .enumerate()
            .partition(|(at, file)| *at < MOST_FILES && file.lines().unwrap_or(1) <= MOST_LINES);
        let shown: Vec<Vec<u8>> = shown.into_iter().map(|(_, file)| file.path).collect();
        let mut found = Difference { lines, ..Difference::default() };
        found.not_shown = not_shown.into_iter().map(|(_, file)| file.path).collect();
        if shown.is_empty() {
            return Ok(found);
        }
        let paths: Vec<&[u8]> = shown.iter().map(Vec::as_slice).collect();
        // One line can be longer than anything that is taken in.
        let text = sides.text(&paths).unwrap_or_default();
        found.cut_to(&String::from_utf8_lossy(&text), most, &shown);
        Ok(found)
    }

    /// The files that differ between two snapshots, in the order of their names.
    ///
    /// # Errors
    /// git cannot be run, or a snapshot is not there.
    pub fn changed_files(&self, ends: (&SnapshotId, &SnapshotId)) -> Result<Vec<ChangedFile>, GitError> {
        self.sides(ends).files()
    }

    /// All that differs between two snapshots, as `git diff` shows it, byte for byte.
    ///
    /// # Errors
    /// git cannot be run, a snapshot is not there, or more differs than is taken in of any git.
    pub fn patch(&self, ends: (&SnapshotId, &SnapshotId)) -> Result<Vec<u8>, GitError> {
        self.sides(ends).text(&[])
    }

    fn sides<'a>(&'a self, (from, to): (&'a SnapshotId, &'a SnapshotId)) -> Sides<'a> {
        Sides { store: &self.folder, from: &from.0, to: &to.0, folder: FILES }
    }
}

impl Difference {
    /// Takes the beginning of a text, up to the last whole line, and names the files that come after that.
    fn cut_to(&mut self, text: &str, most: usize, shown: &[Vec<u8>]) {
        let end = if text.len() <= most {
            text.len()
        } else {
            let beginning = text.get(..text.floor_char_boundary(most)).unwrap_or_default();
            beginning.rfind('\n').map_or(0, |at| at + 1)
        };
        text.get(..end).unwrap_or_default().clone_into(&mut self.text);
        if end == text.len() && !text.is_empty() {
            return;
        }
        let whole = self.text.matches("\ndiff --git ").count();
        let missing = shown.iter().skip(whole).cloned();
        self.not_shown.splice(0..0, missing);
    }
}
