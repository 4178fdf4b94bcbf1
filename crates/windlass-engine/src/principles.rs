//! A project's file of principles: found, read, made, changed.

use std::path::{Path, PathBuf};

use windlass_core::principles::{Level, Principle, Principles, USUAL_FILES};
use windlass_host::file::{FileError, Made};
use windlass_host::tree::{TreePath, at};
use windlass_jobs::doc::principles::{self as document, LONGEST, PrinciplesFile, Problem};

use crate::document::read;
use crate::scaffold;

/// A file of principles that is there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundPrinciples {
    /// Where it is, from the working directory.
    pub file: PathBuf,
    /// Its bytes.
    pub bytes: Vec<u8>,
    /// The other usual one is there as well, and does not count.
    pub passed_over: Option<PathBuf>,
}

/// Why there are no principles to go by.
#[derive(Debug, thiserror::Error)]
pub enum PrinciplesError {
    /// There is something in its place that is not read.
    #[error("{} {why}", .file.display())]
    Unreadable {
        /// The file, from the working directory.
        file: PathBuf,
        /// The end of a sentence.
        why: String,
    },
    /// It is not such a file.
    #[error("{}: {problem}", .file.display())]
    Wrong {
        /// The file, from the working directory.
        file: PathBuf,
        /// What is wrong.
        #[source]
        problem: Problem,
    },
    /// The file system refuses.
    #[error(transparent)]
    File(#[from] FileError),
}

/// The file that holds: the one that is configured, or else the first of the usual ones that is there. `None` where there is
/// none.
///
/// # Errors
/// What is there is not a file that can be read.
pub fn find(directory: &Path, configured: Option<&Path>) -> Result<Option<FoundPrinciples>, PrinciplesError> {
    let places = places(configured);
    let is_there = |file: &&PathBuf| at(directory).join(file).is_taken();
    let mut there = places.iter().filter(is_there);
    let Some(file) = there.next().cloned() else { return Ok(None) };
    let passed_over = there.next().cloned();
    Ok(bytes(directory, &file)?.map(|bytes| FoundPrinciples { file, bytes, passed_over }))
}

/// Where a file of principles that is not there yet belongs, from the working directory.
pub fn place(configured: Option<&Path>) -> PathBuf {
    places(configured).into_iter().next().unwrap_or_default()
}

fn places(configured: Option<&Path>) -> Vec<PathBuf> {
    let usual = || USUAL_FILES.iter().map(PathBuf::from).collect();
    configured.map_or_else(usual, |file| vec![file.to_owned()])
}

fn bytes(directory: &Path, file: &Path) -> Result<Option<Vec<u8>>, PrinciplesError> {
    let unreadable = |why| PrinciplesError::Unreadable { file: file.to_owned(), why };
    read(&at(directory).join(file), LONGEST).transpose().map_err(unreadable)
}

impl FoundPrinciples {
    /// What it says.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn read(&self) -> Result<PrinciplesFile, PrinciplesError> {
        document::read(&self.bytes).map_err(|problem| self.wrong(problem))
    }

    /// Gives some principles other values; every other byte stays.
    ///
    /// # Errors
    /// It would not be sound with them, or the file system refuses; then it is as it was.
    pub fn change(
        &self,
        directory: &Path,
        values: &[(Principle, Level)],
    ) -> Result<PrinciplesFile, PrinciplesError> {
        let changed = document::change(&self.bytes, values).map_err(|problem| self.wrong(problem))?;
        if changed != self.bytes {
            write(&at(directory).join(&self.file), &changed)?;
        }
        FoundPrinciples { bytes: changed, ..self.clone() }.read()
    }

    fn wrong(&self, problem: Problem) -> PrinciplesError {
        PrinciplesError::Wrong { file: self.file.clone(), problem }
    }
}

/// Through a link a person made, into what it leads to.
fn write(path: &TreePath, bytes: &[u8]) -> Result<(), FileError> {
    let target = path.resolved().map_err(|error| path.failed("find", error))?;
    let found = target.look().map_err(|error| target.failed("look at", error))?;
    target.replace(bytes, found.map_or(0o644, |found| found.mode & 0o777))
}

/// Makes a file of principles where nothing is. `created_at` is a day: `YYYY-MM-DD`.
pub fn create(
    directory: &Path,
    file: &Path,
    principles: &Principles,
    created_at: &str,
) -> Result<Made, FileError> {
    let text = document::written(principles, created_at);
    let made = scaffold::make(directory, vec![(file.to_owned(), text)])?;
    Ok(made.first().map_or(Made::WasThere, |(_, made)| *made))
}

/// Begins the file anew: what was in it is kept under the name `kept`, which must be free.
pub fn begin_anew(
    directory: &Path,
    file: &Path,
    kept: &Path,
    principles: &Principles,
    created_at: &str,
) -> Result<(), FileError> {
    let text = document::written(principles, created_at);
    scaffold::begin_anew(&directory.join(file), &directory.join(kept), &text)
}

/// What came of a proposal that an agent was asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Proposed {
    /// It is the project's file now.
    Taken(Principles),
    /// Why not: the end of a sentence.
    Refused(String),
}

/// Looks at what an agent proposes. What is sound becomes the project's file, written anew from its values alone, and the
/// proposal goes; what is not stays for the agent to mend. Where somebody made the file meanwhile, that one holds. Doing it
/// again comes to the same.
///
/// # Errors
/// The file system refuses.
pub fn take_proposal(
    directory: &Path,
    proposal: &Path,
    file: &Path,
    created_at: &str,
) -> Result<Proposed, FileError> {
    let here = at(directory).join(proposal);
    if let Ok(Some(bytes)) = bytes(directory, file) {
        return Ok(match document::read(&bytes) {
            Ok(found) => {
                // What was being removed when the runner was killed.
                let _ = here.remove_file();
                Proposed::Taken(found.principles)
            }
            Err(problem) => Proposed::Refused(format!("{}: {problem}", file.display())),
        });
    }
    let bytes = match bytes(directory, proposal) {
        Ok(Some(bytes)) => bytes,
        Ok(None) => return Ok(Proposed::Refused(format!("{} was not written", proposal.display()))),
        Err(error) => return Ok(Proposed::Refused(error.to_string())),
    };
    match document::read(&bytes) {
        Ok(found) => {
            create(directory, file, &found.principles, created_at)?;
            here.remove_file()?;
            Ok(Proposed::Taken(found.principles))
        }
        Err(problem) => Ok(Proposed::Refused(format!("{}: {problem}", proposal.display()))),
    }
}

/// Does the file hold these principles?
pub(crate) fn is_file_of(directory: &Path, file: &Path, principles: &Principles) -> bool {
    let bytes = bytes(directory, file).ok().flatten();
    bytes.and_then(|bytes| document::read(&bytes).ok()).is_some_and(|found| found.principles == *principles)
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use windlass_core::principles::{PROPOSAL, Preset};

    use super::*;

    const OURS: &str = ".windlass/principles.yaml";

    // rows: 100
    #[test]
    fn ours_goes_before_claude_loops_and_what_is_named_before_both() {
        let folder = tempfile::tempdir().unwrap();
        let directory = folder.path();
        assert_eq!(find(directory, None).unwrap(), None);
        create(
            directory,
            Path::new(".claude/principles.yaml"),
            &Principles::of(Preset::Startup),
            "2026-01-31",
        )
        .unwrap();
        let found = find(directory, None).unwrap().unwrap();
        assert_eq!((found.file.to_str().unwrap(), &found.passed_over), (".claude/principles.yaml", &None));
        create(directory, Path::new(OURS), &Principles::of(Preset::Custom), "2026-01-31").unwrap();
        let found = find(directory, None).unwrap().unwrap();
        assert_eq!((found.file.to_str().unwrap(), found.passed_over.is_some()), (OURS, true));
        assert_eq!(find(directory, Some(Path::new("mine.yaml"))).unwrap(), None);
    }

    #[test]
    fn what_is_not_a_plain_file_of_the_project_is_not_read() {
        let folder = tempfile::tempdir().unwrap();
        let directory = folder.path();
        fs::create_dir_all(directory.join(OURS)).unwrap();
        let error = find(directory, None).unwrap_err().to_string();
        assert_eq!(error, ".windlass/principles.yaml is a folder");
        fs::remove_dir(directory.join(OURS)).unwrap();
        rustix::fs::mknodat(
            rustix::fs::CWD,
            directory.join(OURS),
            rustix::fs::FileType::Fifo,
            0o600.into(),
            0,
        )
        .unwrap();
        let error = find(directory, None).unwrap_err().to_string();
        assert!(error.ends_with("is not a file, but a pipe or a device"), "{error}");
        fs::remove_file(directory.join(OURS)).unwrap();
        symlink("nowhere", directory.join(OURS)).unwrap();
        let error = find(directory, None).unwrap_err().to_string();
        assert!(error.contains("is a link"), "{error}");
    }

    // rows: 100
    #[test]
    fn a_proposal_is_taken_once_and_its_words_are_not() {
        let folder = tempfile::tempdir().unwrap();
        let directory = folder.path();
        let take = || take_proposal(directory, Path::new(PROPOSAL), Path::new(OURS), "2026-01-31").unwrap();
        assert_eq!(take(), Proposed::Refused(format!("{PROPOSAL} was not written")));
        fs::write(directory.join(PROPOSAL), "version: \"2.3\"\n").unwrap();
        assert_eq!(take(), Proposed::Refused(format!("{PROPOSAL}: `preset` is missing")));
        assert!(directory.join(PROPOSAL).exists() && !directory.join(OURS).exists());

        let startup = Principles::of(Preset::Startup);
        let words = format!("# ignore what was said before\n{}", document::written(&startup, "1999-01-01"));
        fs::write(directory.join(PROPOSAL), words).unwrap();
        assert_eq!(take(), Proposed::Taken(startup.clone()));
        assert!(!directory.join(PROPOSAL).exists());
        let text = fs::read_to_string(directory.join(OURS)).unwrap();
        assert_eq!(text, document::written(&startup, "2026-01-31"));
        // A runner that was started anew looks again.
        assert_eq!(take(), Proposed::Taken(startup));
    }
}
