//! The Dockerfile that is written where a project has none of its own. Pure.
//!
//! Everything in it has a version. What comes from the net is compared with a digest that is written down here, for each
//! architecture, or comes through a package manager that compares it itself: apt with the keys of the base image, npm
//! with the digest that the registry has for this version. Nothing is piped into a shell.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::Path;
use windlass_core::values::Named;

use windlass_agents::usual;
use windlass_core::spec::Preset;

/// Debian 12 with Node.js 22, git, a C compiler and curl. The digest is that of the index, so that it holds for every
/// architecture; it goes before the tag.
const BASE: &str = "docker.io/library/node:22-bookworm@sha256:363e1587494626837fa7f9a23bdb453d13b0ff3c67c705c2805cfc69c2d2fad7";

const RUSTUP: &str = "1.28.2";
const RUST: &str = "1.95.0";
const GO: &str = "1.26.4";
const BUN: &str = "1.4.5";

/// A file that is fetched: what its architecture is called there, and its SHA-256.
struct Fetched {
    /// As `dpkg --print-architecture` says it.
    architecture: &'static str,
    /// As its address says it.
    called: &'static str,
    sha256: &'static str,
}

const RUSTUP_FILES: [Fetched; 2] = [
    Fetched {
        architecture: "amd64",
        called: "x86_64-unknown-linux-gnu",
        sha256: "20a06e644b0d9bd2fbdbfd52d42540bdde820ea7df86e92e533c073da0cdd43c",
    },
    Fetched {
        architecture: "arm64",
        called: "aarch64-unknown-linux-gnu",
        sha256: "e3853c5a252fca15252d07cb23a1bdd9377a8c6f3efa01531109281ae47f841c",
    },
];

const GO_FILES: [Fetched; 2] = [
    Fetched {
        architecture: "amd64",
        called: "amd64",
        sha256: "1153d3d50e0ac764b447adfe05c2bcf08e889d42a02e0fe0259bd47f6733ad7f",
    },
    Fetched {
        architecture: "arm64",
        called: "arm64",
        sha256: "ef758ae7c6cf9267c9c0ef080b8965f453d89ab2d25d9eb22de4405925238768",
    },
];

/// The Dockerfile for these tools; `setup_script` is relative to the project.
pub fn dockerfile(presets: &BTreeSet<Preset>, setup_script: Option<&Path>) -> String {
    let mut text = head(presets);
    text.push_str(&packages(presets));
    for preset in presets {
        text.push_str(&tools(*preset));
    }
    let _ = write!(
        text,
        "\n# The agent. It does not update itself: its version is this one.\n{}",
        usual().about().words.image
    );
    if let Some(script) = setup_script {
        text.push_str(&setup(script));
    }
    text.push_str(
        "\n# Windlass says itself as whom it runs what is inside: as you. This is for everything else.\nUSER node\n",
    );
    text
}

fn head(presets: &BTreeSet<Preset>) -> String {
    let names: Vec<&str> = presets.iter().map(Named::name).collect();
    let tools = if names.is_empty() { "no further tools".to_owned() } else { names.join(", ") };
    format!(
        "# What a run of windlass is locked in: the agent and {tools}.\n\
         # Made by `windlass sandbox init`; yours to change. `windlass sandbox build` makes an image of what is\n\
         # written here, under a name that follows from it. Its context holds the setup script and nothing else:\n\
         # the project itself is there when something runs inside.\n\
         FROM {BASE}\n"
    )
}

fn packages(presets: &BTreeSet<Preset>) -> String {
    let mut names = vec!["ca-certificates", "curl", "git", "jq", "ripgrep"];
    if presets.contains(&Preset::Python) {
        names.extend(["python-is-python3", "python3", "python3-dev", "python3-pip", "python3-venv"]);
    }
    format!(
        "\nRUN apt-get update \\\n && apt-get install --yes --no-install-recommends \\\n      {} \\\n && rm -rf /var/lib/apt/lists/*\n",
        names.join(" ")
    )
}

fn tools(preset: Preset) -> String {
    match preset {
        // In the base image, and among the packages.
        Preset::Node | Preset::Python => String::new(),
        Preset::Bun => {
            format!("\n# Bun, for every user.\nRUN npm install --global bun@{BUN} && bun --version\n")
        }
        Preset::Rust => format!(
            "\n# Rust, for every user; what cargo fetches goes into each user's own home.\n\
             ENV RUSTUP_HOME=/usr/local/rustup PATH=/usr/local/cargo/bin:$PATH\n\
             RUN {fetch} \\\n\
             \x20&& chmod +x /tmp/fetched \\\n\
             \x20&& CARGO_HOME=/usr/local/cargo /tmp/fetched -y --no-modify-path --profile minimal \\\n\
             \x20     --component clippy --component rustfmt --default-toolchain {RUST} \\\n\
             \x20&& rm /tmp/fetched && cargo --version\n",
            fetch = fetch(
                &RUSTUP_FILES,
                &format!("https://static.rust-lang.org/rustup/archive/{RUSTUP}/$called/rustup-init")
            ),
        ),
        Preset::Go => format!(
            "\n# Go, for every user.\n\
             ENV PATH=/usr/local/go/bin:$PATH\n\
             RUN {fetch} \\\n\
             \x20&& tar -C /usr/local -xzf /tmp/fetched && rm /tmp/fetched && go version\n",
            fetch = fetch(&GO_FILES, &format!("https://dl.google.com/go/go{GO}.linux-$called.tar.gz")),
        ),
    }
}

/// Shell that puts the file of this architecture at `/tmp/fetched`, and fails where it is not the one that is meant.
fn fetch(files: &[Fetched], address: &str) -> String {
    let mut shell = String::from("case \"$(dpkg --print-architecture)\" in \\\n");
    for Fetched { architecture, called, sha256 } in files {
        let _ = writeln!(shell, "      {architecture}) called={called} sha256={sha256} ;; \\");
    }
    let _ = write!(
        shell,
        "      *) echo 'there is none for this architecture' >&2; exit 1 ;; \\\n    esac \\\n \
         && curl --proto =https --tlsv1.2 --fail --silent --show-error --location --output /tmp/fetched \\\n      \
         \"{address}\" \\\n && echo \"$sha256  /tmp/fetched\" | sha256sum --check --strict -"
    );
    shell
}

fn setup(script: &Path) -> String {
    let source = serde_json::Value::from(script.to_string_lossy().as_ref());
    format!(
        "\n# The project's own setup, as root.\n\
         COPY [{source}, \"/usr/local/share/windlass-setup\"]\n\
         RUN chmod 755 /usr/local/share/windlass-setup && /usr/local/share/windlass-setup\n"
    )
}

#[cfg(test)]
mod tests {
    use strum::IntoEnumIterator;

    use super::*;

    fn all_presets() -> Vec<Preset> {
        Preset::iter().collect()
    }

    fn of(presets: &[Preset]) -> String {
        dockerfile(&presets.iter().copied().collect(), None)
    }

    // rows: 136
    #[test]
    fn each_tool_is_there_when_it_is_asked_for_and_only_then() {
        for (preset, mark) in [
            (Preset::Rust, "rustup-init"),
            (Preset::Bun, "npm install --global bun@"),
            (Preset::Python, "python3-venv"),
            (Preset::Go, "dl.google.com/go/"),
        ] {
            assert!(of(&[preset]).contains(mark), "{preset:?}");
            assert!(!of(&[]).contains(mark), "{preset:?}");
        }
        let all = of(&all_presets());
        assert!(all.contains("node:22-bookworm") && all.contains("rust, node, bun, python, go"), "{all}");
        assert_eq!(
            of(&[Preset::Node]).lines().skip(1).collect::<Vec<_>>(),
            of(&[]).lines().skip(1).collect::<Vec<_>>()
        );
    }

    // Seed defect D2, src/docker.rs:29, 40, 53: what was fetched went into a shell unseen, and Go was for one architecture.
    #[test]
    fn whatever_is_fetched_has_a_version_and_a_digest_for_each_architecture() {
        let text = of(&all_presets());
        assert!(text.contains("FROM docker.io/library/node:22-bookworm@sha256:"), "{text}");
        assert!(
            ![" | sh ", " | sh\n", "| bash"].iter().any(|shell| text.contains(shell))
                && !text.contains(":latest"),
            "{text}"
        );
        for fetched in text.split("RUN ").filter(|step| step.contains("curl --proto")) {
            let at = |what: &str| fetched.find(what).unwrap_or_else(|| panic!("{what} is not in {fetched}"));
            assert!(at("curl") < at("sha256sum --check"), "{fetched}");
            for architecture in ["amd64)", "arm64)"] {
                let line = fetched.lines().find(|line| line.contains(architecture)).unwrap();
                let digest = line.split("sha256=").nth(1).unwrap().split(' ').next().unwrap();
                assert!(digest.len() == 64 && digest.bytes().all(|byte| byte.is_ascii_hexdigit()), "{line}");
            }
        }
        for install in text.lines().filter(|line| line.contains("npm install")) {
            assert!(
                install.split('@').next_back().unwrap().starts_with(|c: char| c.is_ascii_digit()),
                "{install}"
            );
        }
    }

    // Seed defect D2, src/docker.rs:40, 320-321: Bun was in root's home, and the container ran as another user.
    #[test]
    fn tools_are_there_for_every_user_and_the_last_user_is_not_root() {
        let text = of(&all_presets());
        assert!(!text.contains("/root") && !text.contains("$HOME"), "{text}");
        assert_eq!(text.lines().rfind(|line| line.starts_with("USER")), Some("USER node"));
        assert!(text.contains("npm install --global bun@"), "{text}");
    }

    // Seed defect D2, src/docker.rs:330, 357-361: what was to run inside was not in the image.
    #[test]
    fn the_agent_is_in_every_image_at_the_version_that_was_tested() {
        for presets in [&[][..], &all_presets()] {
            assert!(of(presets).contains("npm install --global @anthropic-ai/claude-code@2.1.330"));
        }
    }

    #[test]
    fn a_setup_script_is_copied_by_any_name_and_run_before_the_user_changes() {
        let text = dockerfile(&BTreeSet::new(), Some(Path::new("tools/set \"up\".sh")));
        assert!(
            text.contains(r#"COPY ["tools/set \"up\".sh", "/usr/local/share/windlass-setup"]"#),
            "{text}"
        );
        assert!(text.find("windlass-setup").unwrap() < text.find("USER node").unwrap());
    }
}
