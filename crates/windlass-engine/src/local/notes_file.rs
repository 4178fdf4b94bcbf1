//! The file of notes that iterations leave for each other, looked at before the first one.

use windlass_core::spec::RunSpec;
use windlass_host::tree::at;

/// What is said before the first iteration of what stands in its place and is not a file.
pub fn notes_file_notice(plan: &RunSpec) -> Option<String> {
    let file = plan.job.notes_file.as_ref()?;
    let found = at(&plan.directory).join(file).look_through().ok()??;
    let file = file.display();
    (!found.is_regular()).then(|| {
        format!(
            "{file} is not a file: iterations get no notes of earlier ones. Put a file in its place, or name another with \
             --notes-file"
        )
    })
}
