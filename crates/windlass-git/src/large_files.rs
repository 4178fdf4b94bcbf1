//! Large files: what Git LFS keeps beside a repository's objects, each named by its SHA-256. Commits have pointers in their place.
//!
//! The form of a pointer is that of <https://github.com/git-lfs/git-lfs/blob/main/docs/spec.md>.

use std::collections::{HashMap, HashSet};
use std::path::PathBuf;

use crate::git::call::Call;
use crate::git::contents::{contents, leaves};
use crate::git::{GitError, ObjectId, Repository};

/// The longest pointer, in bytes.
const LONGEST: u64 = 1024;

/// Its first line.
const VERSION: &str = "version https://git-lfs.github.com/spec/v1";

/// A large file, as a pointer names it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct LargeFile {
    /// The SHA-256 of what it holds: 64 hexadecimal digits, in lower case.
    pub hash: String,
    /// Bytes, as the pointer says.
    pub size: u64,
}

impl LargeFile {
    /// What a pointer names; `None` for what is none.
    pub fn of_pointer(content: &[u8]) -> Option<LargeFile> {
        let text = std::str::from_utf8(content).ok()?;
        let mut lines = text.lines();
        lines.next().filter(|line| *line == VERSION)?;
        let (mut hash, mut size) = (None, None);
        for line in lines {
            match line.split_once(' ')? {
                ("oid", value) => hash = value.strip_prefix("sha256:"),
                ("size", value) => size = value.parse().ok(),
                _ => {}
            }
        }
        let digit = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
        let hash = hash.filter(|hash| hash.len() == 64 && hash.bytes().all(digit))?;
        Some(LargeFile { hash: hash.to_owned(), size: size? })
    }
}

/// The large files of a repository.
#[derive(Debug)]
pub struct LargeFiles {
    folder: PathBuf,
    /// What is known of small files: which are pointers, and to what.
    known: HashMap<ObjectId, Option<LargeFile>>,
    /// Commits that name none.
    without: HashSet<ObjectId>,
}

impl LargeFiles {
    /// Those that are kept beside the objects of this repository.
    pub fn of(main: &Repository) -> LargeFiles {
        LargeFiles {
            folder: main.common_dir.join("lfs/objects"),
            known: HashMap::new(),
            without: HashSet::new(),
        }
    }

    /// Those that a commit names, each once. `repository` has the commit. Where no attribute of it says that files are kept so, none is
    /// looked for.
    pub fn named_by(
        &mut self,
        repository: &Repository,
        commit: ObjectId,
    ) -> Result<Vec<LargeFile>, GitError> {
        if self.without.contains(&commit) {
            return Ok(Vec::new());
        }
        let attributes = ["--", ":(glob)**/.gitattributes"];
        let asks = Call::within(repository).args(["grep", "--quiet", "--fixed-strings", "-e", "filter=lfs"]);
        if !asks.arg(commit.to_string()).args(attributes).succeeds()? {
            self.without.insert(commit);
            return Ok(Vec::new());
        }
        let mut small = leaves(Call::within(repository), commit)?;
        small.retain(|leaf| leaf.kind.has_bytes() && leaf.size <= LONGEST);
        let mut unknown: Vec<ObjectId> = small
            .iter()
            .map(|leaf| leaf.content)
            .filter(|content| !self.known.contains_key(content))
            .collect();
        unknown.sort_unstable();
        unknown.dedup();
        for (id, content) in contents(Call::within(repository), &unknown)? {
            self.known.insert(id, LargeFile::of_pointer(&content));
        }
        let mut named: Vec<LargeFile> =
            small.iter().filter_map(|leaf| self.known.get(&leaf.content)?.clone()).collect();
        named.sort_unstable();
        named.dedup();
        Ok(named)
    }

    /// Where one is kept: it may be missing.
    pub fn path(&self, file: &LargeFile) -> PathBuf {
        let part = |range| file.hash.get(range).unwrap_or_default();
        self.folder.join(part(0..2)).join(part(2..4)).join(&file.hash)
    }

    /// Is it here?
    pub fn has(&self, file: &LargeFile) -> bool {
        // outside: the main repository's git directory, or a replica's.
        self.path(file).is_file()
    }
}

/// Is Git LFS set up for whoever runs git here?
pub fn are_supported(repository: &Repository) -> Result<bool, GitError> {
    Ok(!repository.settings(&["filter.lfs.process", "filter.lfs.smudge"])?.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Scratch;

    const HASH: &str = "4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393";

    fn pointer(hash: &str, size: &str) -> String {
        format!("{VERSION}\noid sha256:{hash}\nsize {size}\n")
    }

    fn tip(scratch: &Scratch) -> ObjectId {
        ObjectId::from_hex(scratch.git(&["rev-parse", "HEAD"]).trim().as_bytes()).unwrap()
    }

    #[test]
    fn a_pointer_names_a_file_and_nothing_else_does() {
        let read = |text: &str| LargeFile::of_pointer(text.as_bytes());
        let file = LargeFile { hash: HASH.to_owned(), size: 12345 };
        assert_eq!(read(&pointer(HASH, "12345")), Some(file.clone()));
        let extended = pointer(HASH, "12345").replacen('\n', &format!("\next-0-x sha256:{HASH}\n"), 1);
        assert_eq!(read(&extended), Some(file));
        for wrong in [
            String::new(),
            VERSION.to_owned(),
            pointer(&HASH.to_uppercase(), "1"),
            pointer("../../../../etc/passwd", "1"),
            pointer(HASH, "-1"),
            pointer(HASH, "99999999999999999999999"),
            format!("oid sha256:{HASH}\nsize 1\n"),
            pointer(HASH, "1").replace("sha256", "md5"),
        ] {
            assert_eq!(read(&wrong), None, "{wrong}");
        }
        assert_eq!(LargeFile::of_pointer(b"\xff\xfe"), None);
    }

    #[test]
    fn a_commit_names_the_files_that_its_pointers_name() {
        let scratch = Scratch::committed();
        let mut files = LargeFiles::of(&scratch.found());
        scratch.write("fixture", pointer(HASH, "7"));
        scratch.commit_all("a pointer that nobody asked for");
        assert_eq!(files.named_by(&scratch.found(), tip(&scratch)).unwrap(), []);
        scratch.write("below/.gitattributes", "*.bin filter=lfs diff=lfs\n");
        scratch.write("below/a.bin", pointer(HASH, "7"));
        scratch.write("below/large.txt", "words ".repeat(1000));
        scratch.commit_all("attributes");
        let named = files.named_by(&scratch.found(), tip(&scratch)).unwrap();
        assert_eq!(named, [LargeFile { hash: HASH.to_owned(), size: 7 }]);
        assert!(!files.has(&named[0]));
        let kept = scratch.path(".git/lfs/objects/4d/7a").join(HASH);
        assert_eq!(files.path(&named[0]), kept);
        std::fs::create_dir_all(kept.parent().unwrap()).unwrap();
        std::fs::write(kept, "content").unwrap();
        assert!(files.has(&named[0]));
    }
}
