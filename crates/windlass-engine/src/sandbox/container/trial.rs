//! Trying an image before anything depends on it: can a container be started as every guest's will be, and is there what
//! is needed inside?

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::time::Duration;
use windlass_core::values::Named;

use super::client::{Client, Engine, EngineError};
use super::command::{Errand, Outfit, Streams};
use super::facts::inits;
use super::image;
use super::sweep::{Label, sweep};

/// How long the first container may take: an engine may have to unpack its image.
const PATIENCE: Duration = Duration::from_mins(2);

/// Is the image there?
///
/// # Errors
/// It is not, with what to do; or the engine does not answer.
pub fn find_image(client: &Client, image: &str) -> Result<(), String> {
    if has_image(client, image).map_err(|error| error.to_string())? {
        return Ok(());
    }
    let name = client.engine.name();
    Err(if image::is_ours(image) {
        format!("the project's image {image} is not built: windlass sandbox build --engine {name}")
    } else {
        format!("there is no image {image} here: {name} pull {image}")
    })
}

/// The same as yes or no.
pub fn has_image(client: &Client, image: &str) -> Result<bool, EngineError> {
    match client.ask(["image", "inspect", "--format", "{{.Id}}", image]) {
        Ok(_) => Ok(true),
        // It answered a moment ago, so that this is its answer.
        Err(EngineError::Refused { .. }) => Ok(false),
        Err(error) => Err(error),
    }
}

/// Starts a container as guests will be started, and notes in the outfit what can be its first process.
///
/// # Errors
/// It cannot be started, or it holds no shell, git or agent: one sentence.
pub fn try_out(
    client: &Client,
    outfit: &mut Outfit,
    errand: &Errand,
    label: &Label,
    needed: &[String],
) -> Result<(), String> {
    let mut complaint = String::new();
    for init in inits(client.engine) {
        outfit.init = init;
        match start(client, outfit, errand) {
            Ok(found) => return complete(&outfit.image, needed, &found),
            Err(error) => {
                // A container that was made and not started may be left.
                let _ = sweep(client, label);
                complaint = error.to_string();
                if !is_about_init(&error) {
                    break;
                }
            }
        }
    }
    Err(explained(client.engine, &complaint))
}

/// Only where it is the first process that is missing does another one help.
fn is_about_init(error: &EngineError) -> bool {
    let said = error.to_string().to_ascii_lowercase();
    ["init binary", "container-init", "docker-init", "catatonit", "tini"]
        .iter()
        .any(|word| said.contains(word))
}

/// For `/bin/sh`: says of each name whether there is such a program.
pub fn arguments(needed: &[String]) -> Vec<OsString> {
    const SCRIPT: &str = "for name in \"$@\"; do
if command -v \"$name\" >/dev/null 2>&1; then echo \"$name=yes\"; else echo \"$name=no\"; fi
done";
    let words = ["-c", SCRIPT, "sh"].into_iter().chain(needed.iter().map(String::as_str));
    words.map(OsString::from).collect()
}

fn start(client: &Client, outfit: &Outfit, errand: &Errand) -> Result<BTreeMap<String, bool>, EngineError> {
    let said = client.ask_within(PATIENCE, outfit.arguments(errand, Streams::Apart))?;
    let found = said.lines().filter_map(|line| line.trim().rsplit_once('='));
    Ok(found.map(|(name, there)| (name.to_owned(), there == "yes")).collect())
}

fn complete(image: &str, needed: &[String], found: &BTreeMap<String, bool>) -> Result<(), String> {
    let missing: Vec<&str> =
        needed.iter().map(String::as_str).filter(|name| found.get(*name) != Some(&true)).collect();
    if missing.is_empty() {
        return Ok(());
    }
    Err(format!("the image {image} holds no {}", missing.join(" and no ")))
}

/// What an engine says, with what is meant by it where that is known.
fn explained(engine: Engine, said: &str) -> String {
    let meant = if said.contains("cgroups in hybrid mode") || said.contains("crun") && said.contains("cgroup")
    {
        "; the runtime runc may do: runtime = \"runc\" below [engine] in containers.conf"
    } else if said.contains("/bin/sh") && (said.contains("no such file") || said.contains("not found")) {
        "; the image needs a shell"
    } else {
        ""
    };
    format!("{} cannot start a container: {said}{meant}", engine.name())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_an_image_lacks_is_said_at_once() {
        let needed = ["git", "claude"].map(str::to_owned);
        let found = BTreeMap::from([("git".to_owned(), false), ("claude".to_owned(), true)]);
        assert_eq!(complete("a:1", &needed[1..], &found), Ok(()));
        assert_eq!(complete("a:1", &needed, &found), Err("the image a:1 holds no git".to_owned()));
        assert_eq!(
            complete("a:1", &needed, &BTreeMap::new()),
            Err("the image a:1 holds no git and no claude".to_owned())
        );
    }

    #[test]
    fn known_complaints_come_with_what_is_meant() {
        let said =
            explained(Engine::Podman, "crun: cgroups in hybrid mode not supported, drop all controllers");
        assert!(said.contains("runtime = \"runc\""), "{said}");
        assert_eq!(explained(Engine::Docker, "no space"), "docker cannot start a container: no space");
    }
}
