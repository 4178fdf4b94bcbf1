//! Links out of the project, among the files that a run reads itself.

use std::path::PathBuf;

use windlass_core::spec::{LinkOut, RunSpec};
use windlass_git::git::Repository;
use windlass_host::tree;

/// Those that are there and that are followed as long as they lead where they lead now: of the repository's own folders, and of
/// the files that are read, which in a sandbox are none: what guests may not read is not read for them.
pub fn followed(plan: &RunSpec, repository: Option<&Repository>) -> Vec<LinkOut> {
    let shared = repository.map(Repository::shared_paths).unwrap_or_default();
    let files = if plan.sandbox.is_on() { Vec::new() } else { all(plan) };
    tree::links_out(&shared).into_iter().chain(files).collect()
}

/// What a person is told of them, by name.
pub fn notices(plan: &RunSpec) -> Vec<String> {
    let locked_in = plan.sandbox.is_on();
    let said = |link: LinkOut| {
        let name = link.path.strip_prefix(&plan.directory).unwrap_or(&link.path).display();
        let target = link.target.display();
        if locked_in {
            format!(
                "{name} is a link that leads out of the project, to {target}: in a sandbox it is not read. Put a copy in \
                 its place where the agent shall know it"
            )
        } else {
            format!(
                "{name} is a link that leads out of the project: {target} is read for as long as it leads there"
            )
        }
    };
    all(plan).into_iter().map(said).collect()
}

fn all(plan: &RunSpec) -> Vec<LinkOut> {
    let files: Vec<PathBuf> = RunSpec::files_read(&plan.directory, &plan.job);
    tree::links_out(&files)
}
