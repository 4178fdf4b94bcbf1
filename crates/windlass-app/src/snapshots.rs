//! The snapshots of a run. Those that workers of a fleet have sent are taken in when somebody asks for them.

use std::fs;

use windlass_core::values::RunId;
use windlass_engine::store::{Project, RunFolder, index};
use windlass_git::git::{ObjectFormat, Repository};
use windlass_git::snapshot::{ParcelName, SnapshotName, Store};

use crate::error::AppError;
use crate::fleet;

/// The snapshots of a project, with all that there are of a run.
pub struct RunSnapshots {
    /// Where they are.
    pub store: Store,
    /// Those that were not taken in.
    pub refused: Refused,
}

/// Snapshots that were sent and are not taken in, and why.
#[derive(Default)]
pub struct Refused(Vec<String>);

impl Refused {
    /// Says them below an error.
    pub fn said(self, error: AppError) -> AppError {
        error.with_hints(self.0)
    }
}

impl RunSnapshots {
    /// Opens them, and takes in what workers have sent: `most` of it at once. `repository` is that of the run's project; without one
    /// it is looked for where the run works.
    ///
    /// # Errors
    /// There are none, or they cannot be read.
    pub fn open(
        project: &Project,
        run: &RunId,
        repository: Option<&Repository>,
        most: usize,
    ) -> Result<RunSnapshots, AppError> {
        let folder = RunFolder::of(project, run);
        let sent = sent(&folder);
        // outside: the store of snapshots.
        let is_there = project.snapshots().join("config").is_file();
        if !is_there && sent.is_empty() {
            return Err(AppError::usage(format!(
                "there are no snapshots of run {run}: it did not work in a git repository"
            )));
        }
        let found =
            if sent.is_empty() { None } else { repository.cloned().or_else(|| where_it_works(&folder)) };
        // A store that is there keeps the format that it was created with.
        let format = found.as_ref().map_or(ObjectFormat::Sha1, |found| found.object_format);
        let mut opened =
            RunSnapshots { store: Store::open(project.path(), format)?, refused: Refused::default() };
        match &found {
            Some(repository) => opened.take_in(&folder, &sent, repository, most),
            None if sent.is_empty() => {}
            None => {
                let text =
                    "what workers sent is not taken in: the repository that the run works in is not here";
                opened.refused.0.push(text.to_owned());
            }
        }
        Ok(opened)
    }

    fn take_in(&mut self, folder: &RunFolder, sent: &[ParcelName], repository: &Repository, most: usize) {
        let name = |parcel: &ParcelName| SnapshotName { run: folder.run().clone(), moment: parcel.moment };
        let is_new = |parcel: &&ParcelName| matches!(self.store.find_named(&name(parcel)), Ok(None));
        let new: Vec<&ParcelName> = sent.iter().filter(is_new).take(most).collect();
        let root = folder.path().join("lanes");
        for parcel in new {
            let pack = folder.snapshots().join(parcel.to_string());
            let taken = self.store.unpack((&pack, parcel.commit), &name(parcel), &root, repository);
            if let Err(error) = taken {
                let moment = parcel.moment;
                self.refused.0.push(format!("a worker sent {moment}, which is not taken in: {error}"));
            }
        }
        if !self.refused.0.is_empty() && fleet::is_copy(folder) {
            let run = folder.run();
            self.refused.0.push(format!(
                "Where this repository lacks commits of the run, this brings them: windlass resume {run}"
            ));
        }
    }
}

/// What workers have sent of a run. Where one was sent twice, the later one in the order of names counts.
fn sent(folder: &RunFolder) -> Vec<ParcelName> {
    // outside: the state folder.
    let entries = fs::read_dir(folder.snapshots()).into_iter().flatten().flatten();
    let mut sent: Vec<ParcelName> =
        entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok()).collect();
    sent.sort_unstable_by_key(|parcel| (parcel.moment, parcel.commit));
    sent
}

fn where_it_works(folder: &RunFolder) -> Option<Repository> {
    let directory = index::summarize(folder).ok()?.directory;
    Repository::find(&directory).ok()?.worktree()
}

/// Says which snapshots of the run there are.
pub fn unknown(store: &Store, run: &RunId, what: &str) -> AppError {
    let error = AppError::usage(format!("there is no snapshot {what}"));
    let names: Vec<String> =
        store.list(run).unwrap_or_default().iter().map(|(name, _)| name.moment.to_string()).collect();
    match names.as_slice() {
        [] => error.hint("Nothing of this run was kept."),
        names => error.hint(format!("Kept are: {}", names.join(", "))),
    }
}
