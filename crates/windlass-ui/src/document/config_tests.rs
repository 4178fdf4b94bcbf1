use std::path::PathBuf;

use windlass_core::config::{FileKind, Layer, Resolved, Unlimited, key_reference};
use windlass_core::spec::Mode;

use super::*;
use crate::testing::columns;
use crate::view::check_document;

fn resolved() -> Resolved {
    let project = "[limits]\nmax_cost = \"$15\"\n[gates]\ncommands = ['make test', 'make lint', 'make e2e-everything']\n[notify]\nsecret = 'hunter2'\n";
    let project =
        Layer::parse(FileKind::Project, &PathBuf::from("/p/.windlass/config.toml"), project).unwrap();
    let environment = [("WINDLASS_OUTPUT__EMOJI".to_owned(), "false".to_owned())];
    let environment = Layer::from_environment(environment).unwrap();
    Resolved::merge(&[project, environment], Mode::Iterative, Unlimited::NotAsked).unwrap()
}

fn some(names: &[&str]) -> Vec<ValueOrigin> {
    let resolved = resolved();
    resolved.origins().iter().filter(|value| names.contains(&value.name)).cloned().collect()
}

#[test]
fn values_stand_in_columns_with_their_origins() {
    let values = some(&[
        "limits.max_iterations",
        "limits.max_cost",
        "limits.max_tokens",
        "gates.commands",
        "notify.secret",
        "output.emoji",
    ]);
    assert_eq!(
        config_table(&values, &columns(60)),
        "\
limits
  max_iterations  20                   default for iterative
  max_cost        \"$15\"                project:2
  max_tokens      none                 default

gates
  commands        [\"make test\", \"mak…  project:4

notify
  secret          •••                  project:6

output
  emoji           false                environment

project    /p/.windlass/config.toml
"
    );
    assert!(config_table(&[], &columns(60)).starts_with("nothing is set"));
}

#[test]
fn every_table_fits_80_columns() {
    let text = config_table(resolved().origins(), &columns(80));
    assert!(text.lines().all(|line| width(line) <= 80), "{text}");
    let text = keys_text(&key_reference().unwrap(), &columns(80));
    assert!(text.lines().all(|line| width(line) <= 80), "{text}");
    let ascii = Terminal { glyphs: Glyphs::Ascii, ..columns(80) };
    let text = config_table(resolved().origins(), &ascii);
    assert!(text.is_ascii(), "{text}");
}

#[test]
fn a_value_is_what_a_shell_takes() {
    let told = |name: &str, origin| {
        let value = some(&[name]).remove(0);
        config_value(&value, origin, &Terminal::plain())
    };
    assert_eq!(told("limits.max_cost", OriginTold::No).as_deref(), Some("$15\n"));
    assert_eq!(
        told("gates.commands", OriginTold::No).as_deref(),
        Some("make test\nmake lint\nmake e2e-everything\n")
    );
    assert_eq!(
        told("limits.max_iterations", OriginTold::Yes).as_deref(),
        Some("20\nfrom default for iterative\n")
    );
    assert_eq!(told("notify.secret", OriginTold::No).as_deref(), Some("***\n"));
    assert_eq!(told("limits.max_tokens", OriginTold::Yes), None);
}

#[test]
fn machines_get_documents_without_secrets() {
    check_document("config", &config_json(resolved().origins()));
    for value in resolved().origins() {
        check_document("config_value", &config_value_json(value));
    }
    let flag = Origin::Flag("--max-cost".to_owned());
    let flagged = ValueOrigin { name: "limits.max_cost", value: Some("3".to_owned()), origin: flag };
    check_document("config_value", &config_value_json(&flagged));
    let document: Value = serde_json::from_slice(&config_json(resolved().origins())).unwrap();
    assert_eq!((&document["v"], &document["type"]), (&1.into(), &"config".into()));
    let value = |key: &str| {
        let values = document["values"].as_array().unwrap();
        values.iter().find(|value| value["key"] == key).unwrap().clone()
    };
    assert_eq!(value("limits.max_cost")["origin"]["file"], "/p/.windlass/config.toml");
    assert_eq!(value("limits.max_iterations")["value"], 20);
    assert_eq!(value("limits.max_iterations")["origin"]["mode"], "iterative");
    assert_eq!(value("limits.max_tokens")["value"], Value::Null);
    assert_eq!(value("gates.commands")["value"][1], "make lint");
    assert_eq!(value("output.emoji")["origin"]["name"], "WINDLASS_OUTPUT__EMOJI");
    assert_eq!(value("notify.secret")["value"], "•••");
    check_document("config_keys", &keys_json(&key_reference().unwrap()));
    let document: Value = serde_json::from_slice(&keys_json(&key_reference().unwrap())).unwrap();
    let first = &document["keys"][0];
    assert_eq!((&first["key"], &first["default"]), (&"limits.max_iterations".into(), &50.into()));
    assert_eq!(first["default_in"]["iterative"], 20);
    assert_eq!(first["variable"], "WINDLASS_LIMITS__MAX_ITERATIONS");
}

#[test]
fn files_say_what_is_in_them() {
    let file = |layer, state| ConfigFile { layer, path: format!("/{layer}.toml"), state };
    let files = [
        file("project", ConfigFileState::There { values: 3 }),
        file("user", ConfigFileState::Missing),
        file("workspace", ConfigFileState::Broken { problem: "/workspace.toml:1: wrong".to_owned() }),
    ];
    assert_eq!(
        config_files_text(&files, &columns(60)),
        "\
project    3 values   /project.toml
user       not there  /user.toml
workspace  broken     /workspace.toml
                      /workspace.toml:1: wrong
"
    );
    check_document("config_files", &config_files_json(&files));
    let document: Value = serde_json::from_slice(&config_files_json(&files)).unwrap();
    assert_eq!(document["files"][0]["state"], "there");
    assert_eq!(document["files"][2]["problem"], "/workspace.toml:1: wrong");
}
