//! What the program is made of: a `CycloneDX` document, from what cargo resolved for its kind of machine.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::Release;
use super::staging::write_file;
use crate::program::{Failure, bytes_of, cargo};
use crate::workspace::Workspace;

/// `windlass-VERSION-TARGET.cdx.json`.
pub fn write(workspace: &Workspace, release: &Release) -> Result<(), Failure> {
    let mut command = cargo();
    command
        .args(["metadata", "--format-version", "1", "--locked", "--filter-platform", &release.target])
        .current_dir(&workspace.root);
    let metadata: Value = serde_json::from_slice(&bytes_of(&mut command)?)
        .map_err(|error| Failure(format!("cargo metadata: {error}")))?;
    let document = document(&metadata, release)?;
    write_file(&release.file(format!("{}.cdx.json", release.stem())), format!("{document:#}\n").as_bytes())
}

fn document(metadata: &Value, release: &Release) -> Result<Value, Failure> {
    let root = packages(metadata).find(|package| package["name"] == "windlass");
    let root = root.ok_or_else(|| Failure("cargo metadata names no windlass".to_owned()))?;
    let used = used_by(metadata, &root["id"]);
    let components: Vec<Value> = packages(metadata)
        .filter(|package| *package != root && used.contains(text(&package["id"])))
        .map(component)
        .collect();
    let dependencies: Vec<Value> = nodes(metadata)
        .filter(|node| used.contains(text(&node["id"])))
        .map(|node| {
            let on: Vec<Value> = linked(node).map(|id| json!(reference(metadata, id))).collect();
            json!({ "ref": reference(metadata, text(&node["id"])), "dependsOn": on })
        })
        .collect();
    Ok(json!({
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": {
            "component": component(root),
            "properties": [{ "name": "windlass:target", "value": release.target }],
        },
        "components": components,
        "dependencies": dependencies,
    }))
}

fn packages(metadata: &Value) -> impl Iterator<Item = &Value> {
    metadata["packages"].as_array().into_iter().flatten()
}

fn nodes(metadata: &Value) -> impl Iterator<Item = &Value> {
    metadata["resolve"]["nodes"].as_array().into_iter().flatten()
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

/// What is linked into the program or made it: neither what only tests need.
fn linked(node: &Value) -> impl Iterator<Item = &str> {
    let is_linked = |dependency: &&Value| {
        let kinds = dependency["dep_kinds"].as_array();
        kinds.is_some_and(|kinds| kinds.iter().any(|kind| kind["kind"] != "dev"))
    };
    node["deps"].as_array().into_iter().flatten().filter(is_linked).map(|dependency| text(&dependency["pkg"]))
}

/// Everything that can be reached from `root`, itself included.
fn used_by<'a>(metadata: &'a Value, root: &'a Value) -> BTreeSet<&'a str> {
    let mut used = BTreeSet::new();
    let mut open = vec![text(root)];
    while let Some(id) = open.pop() {
        if used.insert(id) {
            let node = nodes(metadata).find(|node| node["id"] == id);
            open.extend(node.into_iter().flat_map(linked));
        }
    }
    used
}

/// How a package is named in the whole world.
fn package_url(package: &Value) -> String {
    format!("pkg:cargo/{}@{}", text(&package["name"]), text(&package["version"]))
}

fn reference(metadata: &Value, id: &str) -> String {
    packages(metadata).find(|package| package["id"] == id).map(package_url).unwrap_or_default()
}

fn component(package: &Value) -> Value {
    let url = package_url(package);
    let mut component = json!({
        "type": if package["name"] == "windlass" { "application" } else { "library" },
        "bom-ref": url,
        "name": package["name"],
        "version": package["version"],
        "purl": url,
    });
    if let Some(license) = package["license"].as_str() {
        // Some packages still write the form that came before SPDX expressions.
        component["licenses"] = json!([{ "expression": license.replace('/', " OR ") }]);
    }
    component
}
