//! `sandbox init`: the project's own Dockerfile.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::ExitCode;

use windlass_core::config::{Layer, keys};
use windlass_core::spec::Preset;
use windlass_engine::sandbox::container::image::{
    DEVCONTAINER, DOCKERFILE, Overwrite, Written, detect, devcontainer, dockerfile, write,
};
use windlass_ui::{Line, Mark, Tone};

use super::super::print_lines;
use super::Place;
use crate::args::SandboxInitArgs;
use crate::commands::from_here;
use windlass_app::{AppError, Kind};

/// Does it. Exit 1 where a file was left alone.
pub fn run(args: &SandboxInitArgs) -> Result<ExitCode, AppError> {
    let mut flags = Layer::default();
    if !args.preset.is_empty() {
        let names: Vec<String> =
            args.preset.iter().flat_map(|text| text.split(',')).map(|name| name.trim().to_owned()).collect();
        flags.flag_list(&keys::SANDBOX_PRESETS, "--preset", &names)?;
    }
    let place = Place::find(flags)?;
    let settings = &place.resolved().sandbox;
    let (presets, why) = match (&settings.presets, detect(&place.project)) {
        (said, _) if !said.is_empty() => (said.clone(), ""),
        (_, found) => (found, ", as the project's files speak for"),
    };
    let overwrite = if args.force { Overwrite::WithBackup } else { Overwrite::Never };
    let text = dockerfile(&presets, settings.setup_script.as_deref());
    let mut files = vec![(DOCKERFILE, text)];
    if args.devcontainer {
        files.push((DEVCONTAINER, devcontainer(DOCKERFILE)));
    }
    let mut lines = Vec::new();
    let mut kept = false;
    for (name, text) in files {
        let path = place.project.join(name);
        let written = write(&path, text.as_bytes(), overwrite)
            .map_err(|error| AppError::new(Kind::System, error.to_string()))?;
        kept |= written == Written::Kept;
        if name == DOCKERFILE && written != Written::Kept {
            place.trust_image()?;
        }
        lines.extend(said(&path, &written));
    }
    lines.push(Line::hanging(11).dim("  holds    ").plain(format!("the agent, {}{why}", named(&presets))));
    if kept {
        lines.push(Line::new().dim("  replace  ").command("windlass sandbox init --force"));
    } else {
        lines.push(Line::new().dim("  next     ").command("windlass sandbox build"));
    }
    print_lines(&lines)?;
    Ok(if kept { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

fn named(presets: &BTreeSet<Preset>) -> String {
    let names: Vec<&str> = presets.iter().map(|preset| preset.name()).collect();
    if names.is_empty() { "git and node".to_owned() } else { format!("git, {}", names.join(", ")) }
}

fn said(path: &Path, written: &Written) -> Vec<Line> {
    let shown = from_here(path);
    let good = |what: &str| Line::hanging(2).mark(Tone::Good, Mark::Passed).plain(format!(" {shown} {what}"));
    match written {
        Written::Anew => vec![good("is written")],
        Written::Same => vec![good("is as it should be")],
        Written::Replaced(backup) => {
            vec![good("is replaced"), Line::hanging(11).dim("  before   ").plain(from_here(backup))]
        }
        Written::Kept => vec![
            Line::hanging(2)
                .mark(Tone::Warn, Mark::Notice)
                .plain(format!(" {shown} is there and says something else; it is left alone")),
        ],
    }
}
