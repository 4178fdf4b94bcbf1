//! The project's AGENTS.md, where the agent does not read it by itself.

use std::path::Path;

use windlass_agents::{Agent, Instructions, Place, of};
use windlass_core::spec::RunSpec;
use windlass_jobs::prompt::{LONGEST_AGENTS_FILE, agents_text};

use windlass_host::tree::at;

/// The longest file of the agent's own instructions that is looked through, in bytes.
const LONGEST: usize = 1024 * 1024;

/// What is relayed of it; `None` where there is none, and where the agent reads it by itself.
pub(super) fn relayed(plan: &RunSpec) -> Option<String> {
    read(plan).map(|bytes| agents_text(&bytes))
}

/// What is said before the first iteration of one that is too long.
pub fn agents_file_notice(plan: &RunSpec) -> Option<String> {
    let file = plan.job.agents_file.as_ref()?;
    read(plan).filter(|bytes| bytes.len() > LONGEST_AGENTS_FILE)?;
    Some(format!(
        "{} is longer than {} KiB: the agent is told its beginning",
        file.display(),
        LONGEST_AGENTS_FILE / 1024
    ))
}

fn read(plan: &RunSpec) -> Option<Vec<u8>> {
    let file = plan.job.agents_file.as_ref()?;
    let bytes = at(&plan.directory).join(file).read_beginning(LONGEST_AGENTS_FILE).ok()??;
    let text = String::from_utf8_lossy(&bytes);
    let (agent, place) = (of(&plan.agent), Place { directory: &plan.directory, file });
    let itself = agent.reads_by_itself(&plan.agent, place, &text, &instructions(agent, &plan.directory));
    (!itself).then_some(bytes)
}

/// The agent's own instructions, from the folder that it works in upwards.
fn instructions(agent: &dyn Agent, directory: &Path) -> Vec<Instructions> {
    let names = agent.about().files.instructions;
    let files = directory.ancestors().flat_map(|folder| names.iter().map(|name| folder.join(name)));
    let read = files.filter_map(|file| {
        let text = String::from_utf8_lossy(&at(&file).read_beginning(LONGEST).ok()??).into_owned();
        Some(Instructions { file, text })
    });
    read.collect()
}
