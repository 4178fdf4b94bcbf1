//! Makes a workspace of an archive.

use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde_json::value::RawValue;
use windlass_core::workspace::WorkspaceName;

use super::contents::{Contents, Item};
use super::error::ArchiveError;
use super::found::{Archive, Extent, Form, RECORD, Read};
use super::removal::Unfinished;
use super::unpack::Unpacker;
use super::{Archives, links};
use crate::workspace::METADATA_FILE;
use windlass_host::file::FileError;
use windlass_host::tree::{Attributes, TreePath, at};

/// What becomes of links that lead out of the workspace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OutsideLinks {
    /// The archive is refused.
    Refuse,
    /// They are made.
    Allow,
}

/// A workspace that was made of an archive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Restored {
    /// The archive's name.
    pub archive: String,
    /// Its name.
    pub name: WorkspaceName,
    /// Its folder.
    pub folder: PathBuf,
    /// Files in it.
    pub files: u64,
    /// Their size together, in bytes.
    pub bytes: u64,
}

impl Archives {
    /// Makes a workspace of an archive, under a name that is free. All of the archive is read before anything is written;
    /// then it is unpacked beside, compared, and put in place in one step.
    ///
    /// # Errors
    /// There is such a workspace; the archive is damaged, or holds what is never unpacked; the system refuses. Nothing is
    /// left of it then.
    pub fn restore(
        &self,
        archive: &Archive,
        name: &WorkspaceName,
        outside: OutsideLinks,
    ) -> Result<Restored, ArchiveError> {
        let folder = self.workspaces.join(name.as_str());
        self.refuse_existing(name)?;
        let read = archive.read(Extent::Whole, self.limits)?;
        let contents = workspace_in(&read);
        if let (OutsideLinks::Refuse, Some((link, target))) =
            (outside, links::leading_outside(&contents).first())
        {
            return Err(ArchiveError::LeadsOutside {
                archive: archive.path.clone(),
                link: link.display().to_string(),
                target: Path::new(target).display().to_string(),
            });
        }
        let workspaces = at(&self.workspaces);
        workspaces.make_folders()?;
        let unfinished = Unfinished::within(&workspaces)?;
        self.unpack(archive, &read, &contents, unfinished.path())?;
        let unpacked = Contents::of_folder(unfinished.path(), &[], self.limits)?;
        if let Some(path) = unpacked.first_difference(&contents) {
            return Err(ArchiveError::Unfaithful { path: folder.join(path) });
        }
        rename_in_metadata(unfinished.path(), name)?;
        if !unfinished.put_in_place(&at(&folder))? {
            self.refuse_existing(name)?;
        }
        let (files, bytes) = (contents.files(), contents.bytes());
        Ok(Restored { archive: archive.name.clone(), name: name.clone(), folder, files, bytes })
    }

    fn unpack(
        &self,
        archive: &Archive,
        read: &Read,
        contents: &Contents,
        into: &TreePath,
    ) -> Result<(), ArchiveError> {
        match archive.form {
            Form::Folder => Unpacker::new(into, contents).copy(&at(&archive.path), &[RECORD], self.limits),
            Form::Compressed => {
                let reader = archive.reader(self.limits)?;
                Unpacker::new(into, contents).archive(reader, &read.top(), &[&read.record_path()])
            }
        }
    }

    fn refuse_existing(&self, name: &WorkspaceName) -> Result<(), ArchiveError> {
        let is_there = |name: &str| at(&self.workspaces).join(name).is_taken();
        if !is_there(name.as_str()) {
            return Ok(());
        }
        let numbered = |number: u32| {
            let number = format!("-{number}");
            let room = name.as_str().len().min(64 - number.len());
            format!("{}{number}", name.as_str().get(..room).unwrap_or_default())
        };
        let free = (2..10_000).map(numbered).find(|name| !is_there(name)).unwrap_or_default();
        Err(ArchiveError::Exists { name: name.to_string(), free })
    }
}

/// What the restored workspace will hold.
pub(super) fn workspace_in(read: &Read) -> Contents {
    let record = read.record_path();
    let mut contents = read.contents.clone();
    contents.items.remove(&record);
    let mut contents = contents.below(&read.top());
    // An archive need not mention its own folder.
    contents.items.entry(PathBuf::new()).or_insert(Item::Folder { mode: 0o755 });
    contents
}

/// The metadata say what the workspace is called; every other byte of them stays, and so do metadata that cannot be read.
fn rename_in_metadata(folder: &TreePath, name: &WorkspaceName) -> Result<(), FileError> {
    let path = folder.join(METADATA_FILE);
    let found = path.look().map_err(|error| path.failed("read", error))?;
    let Some(found) = found.filter(Attributes::is_regular) else { return Ok(()) };
    let longest = usize::try_from(found.size).unwrap_or(usize::MAX);
    let Some(bytes) = path.read(longest)? else { return Ok(()) };
    let renamed = renamed(&bytes, name.as_str());
    renamed.map_or(Ok(()), |renamed| path.replace(renamed.as_bytes(), found.mode))
}

/// The same metadata with another name; `None` where there is nothing to change.
fn renamed(bytes: &[u8], name: &str) -> Option<String> {
    #[derive(Deserialize)]
    struct Named<'a> {
        #[serde(borrow)]
        name: &'a RawValue,
    }
    let text = str::from_utf8(bytes).ok()?;
    let json = text.strip_prefix('\u{feff}').unwrap_or(text);
    let old = serde_json::from_str::<Named<'_>>(json).ok()?.name.get();
    let new = serde_json::to_string(name).ok()?;
    // The value is a part of the text it was read from.
    let start = (old.as_ptr() as usize).checked_sub(text.as_ptr() as usize)?;
    let (before, after) = (text.get(..start)?, text.get(start + old.len()..)?);
    (old != new).then(|| format!("{before}{new}{after}"))
}

#[cfg(test)]
mod tests {
    use super::renamed;

    #[test]
    fn a_name_is_replaced_and_nothing_else() {
        for (before, after) in [
            (
                "{\"name\": \"old\",\r\n \"other\" : [1.50]}",
                Some("{\"name\": \"new\",\r\n \"other\" : [1.50]}"),
            ),
            (
                "\u{feff}{\"a\":{\"name\":\"x\"},\"name\":7}",
                Some("\u{feff}{\"a\":{\"name\":\"x\"},\"name\":\"new\"}"),
            ),
            ("{\"name\":\"new\"}", None),
            ("{}", None),
            ("[]", None),
            ("{\"name\":", None),
            ("", None),
        ] {
            assert_eq!(renamed(before.as_bytes(), "new").as_deref(), after, "{before}");
        }
        assert_eq!(renamed(b"{\"name\":\"\xff\"}", "new"), None);
    }
}
