//! The loops called ralph (`.ralph/`) and ralph-tui: their plans and tasks are worked off where they are. Nothing is copied; what is
//! there is named, with what can be done with it.

use std::path::Path;

use windlass_engine::tasks::read_tasks;

use super::{Item, ItemKind, Planned, notes_of, permissions};

/// The folders and the file that show that one of them was used.
const MARKERS: [&str; 3] = [".ralph", ".ralph-tui", ".ralphrc"];

/// Lists, each with its kind and the verb that works on it.
const LISTS: [(&str, ItemKind, &str); 9] = [
    ("fix_plan.md", ItemKind::Plan, "build -f"),
    ("@fix_plan.md", ItemKind::Plan, "build -f"),
    (".ralph/fix_plan.md", ItemKind::Plan, "build -f"),
    (".ralph/@fix_plan.md", ItemKind::Plan, "build -f"),
    (".ralph/prd.json", ItemKind::TaskFile, "run --mode tasks -f"),
    ("scripts/ralph/prd.json", ItemKind::TaskFile, "run --mode tasks -f"),
    ("tasks/prd.json", ItemKind::TaskFile, "run --mode tasks -f"),
    ("prd.json", ItemKind::TaskFile, "run --mode tasks -f"),
    (".beads/issues.jsonl", ItemKind::TaskFile, "run --mode tasks -f"),
];

/// What else they keep, and what becomes of it.
const OTHERS: [(&str, ItemKind, &str); 16] = [
    ("PROMPT.md", ItemKind::Prompt, "it stays; its text as a goal: windlass run -f PROMPT.md"),
    (".ralph/PROMPT.md", ItemKind::Prompt, "it stays; its text as a goal: windlass run -f .ralph/PROMPT.md"),
    ("AGENT.md", ItemKind::AgentsFile, "it stays; what every agent is told belongs in AGENTS.md"),
    ("@AGENT.md", ItemKind::AgentsFile, "it stays; what every agent is told belongs in AGENTS.md"),
    (".ralph/AGENT.md", ItemKind::AgentsFile, "it stays; what every agent is told belongs in AGENTS.md"),
    (".ralph/@AGENT.md", ItemKind::AgentsFile, "it stays; what every agent is told belongs in AGENTS.md"),
    ("progress.txt", ItemKind::Notes, "it stays; runs of goals go on with SHARED_TASK_NOTES.md"),
    (".ralph/progress.txt", ItemKind::Notes, "it stays; runs of goals go on with SHARED_TASK_NOTES.md"),
    (".ralph-tui/progress.md", ItemKind::Notes, "it stays; runs of goals go on with SHARED_TASK_NOTES.md"),
    (".ralphrc", ItemKind::Configuration, "it is not executed and not imported: windlass config keys"),
    (".ralph-tui/config.toml", ItemKind::Configuration, "it is not imported: windlass config keys"),
    (".ralph/status.json", ItemKind::History, "it stays as it is"),
    (".ralph/logs", ItemKind::History, "it stays as it is"),
    (".ralph-tui/session.json", ItemKind::History, "it stays as it is"),
    (".ralph-tui/iterations", ItemKind::History, "it stays as it is"),
    (
        ".ralph/specs",
        ItemKind::File,
        "it stays; a plan is written from it: windlass config set plan.specs .ralph/specs",
    ),
];

/// Is there anything of these loops in this folder?
pub fn is_there(folder: &Path) -> bool {
    MARKERS.iter().any(|marker| folder.join(marker).symlink_metadata().is_ok())
}

/// All that is there of them, with what can be done with it. Nothing is written.
pub fn look(source: &Path) -> Vec<Planned> {
    let is_there = |path: &Path| path.symlink_metadata().is_ok_and(|found| !found.is_symlink());
    let lists = LISTS.iter().filter(|(path, ..)| source.join(path).is_file());
    let others = OTHERS.iter().map(|(path, kind, why)| (source.join(path), path, kind, why));
    let others = others.filter(|(from, ..)| is_there(from));
    lists
        .map(|(path, kind, command)| list(source, path, *kind, command))
        .chain(others.map(|(from, path, kind, why)| Item::left(*kind, path, from, *why)))
        .chain([permissions(source, "a ralph loop")])
        .map(Planned::from)
        .collect()
}

fn list(source: &Path, path: &str, kind: ItemKind, command: &str) -> Item {
    let list = read_tasks(source, Path::new(path)).list;
    let notes = notes_of(&list, format!("it stays where it is: windlass {command} {path}"));
    Item { kind, name: path.to_owned(), from: source.join(path), to: None, notes }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::Plan;

    #[test]
    fn what_lies_in_the_root_is_named_as_what_lies_in_the_folder() {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in [
            (".ralphrc", "MAX_LOOPS=5\n"),
            ("fix_plan.md", "- [ ] one\n"),
            ("@fix_plan.md", "- [x] one\n- [ ] two\n"),
            ("PROMPT.md", "Do it.\n"),
            ("AGENT.md", "make test\n"),
            ("progress.txt", "begun\n"),
            (".ralph/fix_plan.md", "- [ ] one\n"),
        ] {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        let items = Plan::of(look(folder.path())).items();
        let told: Vec<(&str, &str)> =
            items.iter().map(|item| (item.name.as_str(), item.notes.last().unwrap().as_str())).collect();
        let agent = "it stays; what every agent is told belongs in AGENTS.md";
        assert_eq!(
            told[..7],
            [
                ("fix_plan.md", "it stays where it is: windlass build -f fix_plan.md"),
                ("@fix_plan.md", "it stays where it is: windlass build -f @fix_plan.md"),
                (".ralph/fix_plan.md", "it stays where it is: windlass build -f .ralph/fix_plan.md"),
                ("PROMPT.md", "it stays; its text as a goal: windlass run -f PROMPT.md"),
                ("AGENT.md", agent),
                ("progress.txt", "it stays; runs of goals go on with SHARED_TASK_NOTES.md"),
                (".ralphrc", "it is not executed and not imported: windlass config keys"),
            ]
        );
        assert_eq!(items[1].notes[0], "2 tasks, 1 done");
    }

    #[test]
    fn what_a_ralph_loop_left_is_named_with_what_works_on_it_and_stays() {
        let folder = tempfile::tempdir().unwrap();
        assert!(!is_there(folder.path()));
        fs::create_dir_all(folder.path().join(".ralph/logs")).unwrap();
        let plan = "- [x] one\n- [ ] two\n";
        fs::write(folder.path().join(".ralph/fix_plan.md"), plan).unwrap();
        fs::write(folder.path().join(".ralph/PROMPT.md"), "Do it.\n").unwrap();
        fs::write(folder.path().join("prd.json"), "{\"userStories\": [").unwrap();
        assert!(is_there(folder.path()));
        let items = Plan::of(look(folder.path())).items();
        let told: Vec<(&str, usize)> =
            items.iter().map(|item| (item.name.as_str(), item.notes.len())).collect();
        let expected = [
            (".ralph/fix_plan.md", 2),
            ("prd.json", 3),
            (".ralph/PROMPT.md", 1),
            (".ralph/logs", 1),
            ("permissions", 1),
        ];
        assert_eq!(told, expected);
        assert_eq!(items[0].notes[0], "2 tasks, 1 done");
        assert_eq!(items[0].notes[1], "it stays where it is: windlass build -f .ralph/fix_plan.md");
        assert!(items.iter().all(|item| item.to.is_none()));
        assert_eq!(fs::read_to_string(folder.path().join(".ralph/fix_plan.md")).unwrap(), plan);
    }
}
