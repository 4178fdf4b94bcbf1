//! The configuration files of claude-iterate: `.claude-iterate.json` of a project and the user's `config.json`.

use serde_json::{Map, Value};
use toml::Value as Toml;

use super::seed_options::without_places;
use super::{Refuses, SeedOptions};

/// Where claude-iterate keeps things, relative to the project unless said otherwise.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SeedFolders {
    /// `workspacesDir`
    pub workspaces: String,
    /// `templatesDir`
    pub templates: String,
    /// `archiveDir`
    pub archive: String,
}

impl Default for SeedFolders {
    fn default() -> SeedFolders {
        SeedFolders {
            workspaces: "claude-iterate/workspaces".to_owned(),
            templates: "claude-iterate/templates".to_owned(),
            archive: "claude-iterate/archive".to_owned(),
        }
    }
}

/// What a configuration file says.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SeedProject {
    /// Where things are.
    pub folders: SeedFolders,
    /// Keys of our configuration and their values, and what has no place here. Only what stands in the file: what it
    /// leaves out is left to the layers below (seed defect D1, core/config-manager.ts:170).
    pub options: SeedOptions,
}

/// Reads a configuration file's fields.
pub fn seed_project(file: &Map<String, Value>, refuses: Refuses) -> SeedProject {
    let mut read = SeedProject::default();
    let folders = [
        ("workspacesDir", &mut read.folders.workspaces),
        ("templatesDir", &mut read.folders.templates),
        ("archiveDir", &mut read.folders.archive),
    ];
    for (name, folder) in folders {
        match file.get(name) {
            Some(Value::String(path)) if !path.trim().is_empty() => folder.clone_from(path),
            None | Some(Value::Null) => {}
            Some(_) => read.options.unreadable(name),
        }
    }
    let options = &mut read.options;
    options.count(file, "defaultMaxIterations", "limits.max_iterations", 1);
    options.seconds(file, "defaultDelay");
    options.count(file, "defaultStagnationThreshold", "limits.stagnation_threshold", 0);
    if let Some(url) = options.text(file, "notifyUrl") {
        options.options.push(("notify.url", Toml::String(url)));
    }
    options.events(file);
    options.config(&level_and_tables(file), refuses);
    options.status_watch(file);
    options.leave_what_is_refused();
    let names: Vec<&String> = file.keys().filter(|name| !KNOWN.contains(&name.as_str())).collect();
    options.left.extend(without_places(&names));
    read
}

/// Fields that are looked at.
const KNOWN: &[&str] = &[
    "workspacesDir",
    "templatesDir",
    "archiveDir",
    "globalTemplatesDir",
    "defaultMaxIterations",
    "defaultDelay",
    "defaultStagnationThreshold",
    "outputLevel",
    "notifyUrl",
    "notifyEvents",
    "notification",
    "claude",
    "verification",
    "verbose",
];

/// What a workspace's `config` holds stands at the top here; `verbose` is the level of versions before 2.2.
fn level_and_tables(file: &Map<String, Value>) -> Map<String, Value> {
    let mut config = Map::new();
    for name in ["outputLevel", "claude", "verification"] {
        if let Some(value) = file.get(name) {
            config.insert(name.to_owned(), value.clone());
        }
    }
    if file.get("verbose") == Some(&Value::Bool(true)) {
        config.entry("outputLevel").or_insert_with(|| Value::String("verbose".to_owned()));
    }
    config
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(json: &str) -> SeedProject {
        let Ok(Value::Object(file)) = serde_json::from_str(json) else { panic!("{json}") };
        seed_project(&file, |_, argument| (argument == "--model").then_some("why"))
    }

    // rows: 129
    #[test]
    fn only_what_stands_in_the_file_is_taken() {
        assert_eq!(read("{}"), SeedProject::default());
        let file = read(
            r#"{"workspacesDir":"./jobs","defaultMaxIterations":50,"defaultDelay":2,"verbose":true,
                "notifyUrl":"https://ntfy.sh/x","notifyEvents":["completion"],
                "notification":{"statusWatch":{"enabled":false,"debounceMs":2500,"notifyOnlyMeaningful":false}},
                "claude":{"args":["--model","opus"]},"colors":true}"#,
        );
        assert_eq!(file.folders.workspaces, "./jobs");
        let keys: Vec<&str> = file.options.options.iter().map(|(key, _)| *key).collect();
        assert_eq!(
            keys,
            [
                "limits.max_iterations",
                "clocks.delay",
                "notify.url",
                "notify.events",
                "agent.model",
                "output.level",
                "status.watch",
                "status.only_meaningful",
                "status.debounce",
            ],
            "what is a default there is taken all the same: somebody wrote it"
        );
        assert_eq!(file.options.options[8].1, Toml::String("2500ms".to_owned()));
        assert_eq!(file.options.left, ["`colors` is left out: there is nothing like it here"]);
    }

    #[test]
    fn what_cannot_be_read_is_named() {
        let file = read(
            r#"{"workspacesDir":1,"defaultMaxIterations":"x","notification":[],"claude":"c","outputLevel":"loud"}"#,
        );
        assert_eq!(file.folders, SeedFolders::default());
        assert_eq!((file.options.options.len(), file.options.left.len()), (0, 5), "{:?}", file.options.left);
    }
}
