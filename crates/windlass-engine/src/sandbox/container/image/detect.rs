//! Which tools a project seems to need.

use std::collections::BTreeSet;
use std::path::Path;

use windlass_core::spec::Preset;

use windlass_host::tree::at;

/// What the files in a project's folder speak for; none of them is read.
pub fn detect(project: &Path) -> BTreeSet<Preset> {
    const SIGNS: [(&str, Preset); 11] = [
        ("Cargo.toml", Preset::Rust),
        ("package.json", Preset::Node),
        ("bun.lock", Preset::Bun),
        ("bun.lockb", Preset::Bun),
        ("bunfig.toml", Preset::Bun),
        ("pyproject.toml", Preset::Python),
        ("requirements.txt", Preset::Python),
        ("setup.py", Preset::Python),
        ("Pipfile", Preset::Python),
        ("go.mod", Preset::Go),
        ("go.work", Preset::Go),
    ];
    SIGNS
        .into_iter()
        .filter(|(name, _)| at(project).join(name).holds_file())
        .map(|(_, preset)| preset)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    // rows: 138
    #[test]
    fn files_speak_for_tools_and_folders_of_the_same_name_do_not() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(detect(folder.path()), BTreeSet::new());
        for name in ["bun.lock", "package.json", "go.mod"] {
            std::fs::write(folder.path().join(name), "").unwrap();
        }
        std::fs::create_dir(folder.path().join("Cargo.toml")).unwrap();
        assert_eq!(detect(folder.path()), BTreeSet::from([Preset::Node, Preset::Bun, Preset::Go]));
    }
}
