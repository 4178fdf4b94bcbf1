//! The same image for an editor: `.devcontainer/devcontainer.json`. Pure.

use serde_json::json;

/// Where the file lies, relative to the project.
pub const DEVCONTAINER: &str = ".devcontainer/devcontainer.json";

/// The file's content. Its context is the project, in which the setup script keeps its place.
pub fn devcontainer(dockerfile: &str) -> String {
    let document = json!({
        "name": "windlass",
        "build": { "dockerfile": format!("../{dockerfile}"), "context": ".." },
        "remoteUser": "node",
        "runArgs": ["--init", "--cap-drop=ALL", "--security-opt=no-new-privileges"],
    });
    let mut text = format!("{document:#}");
    text.push('\n');
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    // rows: 136
    #[test]
    fn an_editor_builds_the_same_image_from_the_same_file() {
        let document: serde_json::Value =
            serde_json::from_str(&devcontainer(".windlass/sandbox/Dockerfile")).unwrap();
        assert_eq!(document["build"]["dockerfile"], "../.windlass/sandbox/Dockerfile");
        assert_eq!(document["build"]["context"], "..");
        assert_eq!(document["remoteUser"], "node");
        // Nothing of the user's home, and no engine's socket.
        assert!(document.get("mounts").is_none() && !document.to_string().contains(".sock"));
    }
}
