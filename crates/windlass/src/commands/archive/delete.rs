//! `archive delete`: an archive goes for good.

use windlass_engine::workspace::archive::Archives;
use windlass_ui::{Line, Mark, Tone};

use super::super::print_lines;
use super::super::question::{Consent, ask};
use windlass_app::Answer;
use windlass_app::AppError;
use windlass_app::workspaces::Project;

pub(super) fn run(project: &Project, name: &str, consent: Consent) -> Result<(), AppError> {
    let archives = Archives::of(&project.workspaces);
    let archive = archives.find(name)?;
    let question = format!("delete archive {} for good?", archive.name);
    if consent == Consent::Wanted
        && ask(&question, &format!("windlass archive delete {} --force", archive.name))? == Answer::No
    {
        return print_lines(&[Line::new().dim("nothing was deleted")]);
    }
    archives.delete(&archive)?;
    let said = format!(" archive {} is deleted", archive.name);
    print_lines(&[Line::hanging(2).mark(Tone::Good, Mark::Passed).plain(said)])
}
