//! The command line that starts a container. Pure.

use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

use super::client::Engine;
use super::sweep::Label;

/// What is the same for every container of a sandbox.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outfit {
    /// Whose containers.
    pub engine: Engine,
    /// The image.
    pub image: String,
    /// Whom the files belong to that are written inside.
    pub user: User,
    /// What reaps inside and passes signals on.
    pub init: Init,
    /// The network.
    pub wire: Wire,
    /// Bytes of memory; swap is no way around it.
    pub memory: Option<u64>,
    /// Processes at once.
    pub processes: Option<u32>,
    /// Thousandths of processors.
    pub millicpus: Option<u32>,
    /// Does the machine label files (`SELinux`)? The user's own are not given new labels; the container sees them as they are.
    pub labelled: bool,
}

/// Who runs what is inside, so that its files belong to the caller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum User {
    /// The same number as outside.
    Same {
        /// User.
        uid: u32,
        /// Group.
        gid: u32,
    },
    /// The same number as outside, in a user namespace that knows it (Podman without root).
    Kept {
        /// User.
        uid: u32,
        /// Group.
        gid: u32,
    },
    /// Root inside is the caller outside (Docker without root).
    Root,
}

/// The first process inside. The kernel spares it signals that it does not ask for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Init {
    /// The engine's own.
    Engine,
    /// A program of this machine that is one (tini).
    Program(PathBuf),
    /// None: what is started is the first process itself. One that does not ask for SIGTERM is killed after its grace.
    None,
}

/// A place inside.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Mount {
    /// A file or folder of this machine.
    Bind {
        /// Here.
        source: PathBuf,
        /// There.
        target: PathBuf,
        /// Can it be written?
        access: Access,
    },
    /// A folder that is empty, whatever is below it.
    Hidden(PathBuf),
}

/// What can be done with a file or folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Looked at.
    Read,
    /// Changed.
    Write,
}

/// The network of a container.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wire {
    /// What the engine gives.
    Default,
    /// Loopback alone.
    None,
}

/// The standard streams of a container.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Streams {
    /// Three pipes or files.
    Apart,
    /// One terminal.
    Terminal,
}

/// What one container is for.
#[derive(Clone, Debug)]
pub struct Errand {
    /// Its name; unique.
    pub name: String,
    /// By what it is found again.
    pub labels: Vec<Label>,
    /// Where it works.
    pub directory: PathBuf,
    /// Variables; those without a value have it in the engine's client's own environment, where nobody else can see it.
    pub environment: Vec<(OsString, Option<OsString>)>,
    /// What is there.
    pub mounts: Vec<Mount>,
    /// The program: a path inside, or a name that the image's `PATH` knows.
    pub program: OsString,
    /// Its arguments.
    pub arguments: Vec<OsString>,
}

impl Outfit {
    /// The arguments for the engine's client: a container that is gone when it ends, and whose standard streams are
    /// those of the client.
    pub fn arguments(&self, errand: &Errand, streams: Streams) -> Vec<OsString> {
        let mut line = Line(Vec::new());
        // Nothing is fetched in the middle of the night, and the output is kept by nobody but us.
        line.words(&["run", "--rm", "--interactive", "--pull=never", "--log-driver=none"]);
        if streams == Streams::Terminal {
            line.words(&["--tty"]);
        }
        line.words(&["--security-opt=no-new-privileges", "--cap-drop=ALL"]);
        if self.labelled {
            line.words(&["--security-opt=label=disable"]);
        }
        if self.engine == Engine::Podman {
            // Otherwise the proxies of this machine would be passed on.
            line.words(&["--http-proxy=false"]);
        }
        self.limits(&mut line);
        self.user(&mut line);
        match &self.init {
            Init::Engine => line.words(&["--init"]),
            Init::Program(path) => {
                line.words(&["--init"]);
                line.option("--init-path", path);
            }
            Init::None => {}
        }
        if self.wire == Wire::None {
            line.words(&["--network=none"]);
        }
        line.option("--name", &errand.name);
        for label in &errand.labels {
            line.option("--label", label.text());
        }
        for mount in &errand.mounts {
            line.option("--mount", mount.described());
        }
        line.option("--workdir", &errand.directory);
        for (name, value) in &errand.environment {
            let mut text = name.clone();
            if let Some(value) = value {
                text.push("=");
                text.push(value);
            }
            line.option("--env", text);
        }
        line.option("--entrypoint", &errand.program);
        line.0.push(OsString::from(&self.image));
        line.0.extend(errand.arguments.iter().cloned());
        line.0
    }

    fn limits(&self, line: &mut Line) {
        if let Some(bytes) = self.memory {
            line.words(&[&format!("--memory={bytes}b"), &format!("--memory-swap={bytes}b")]);
        }
        if let Some(processes) = self.processes {
            line.words(&[&format!("--pids-limit={processes}")]);
        }
        if let Some(millicpus) = self.millicpus {
            line.words(&[&format!("--cpus={}.{:03}", millicpus / 1000, millicpus % 1000)]);
        }
    }

    fn user(&self, line: &mut Line) {
        match self.user {
            User::Same { uid, gid } => line.words(&[&format!("--user={uid}:{gid}")]),
            User::Kept { uid, gid } => {
                line.words(&["--userns=keep-id", &format!("--user={uid}:{gid}")]);
            }
            User::Root => line.words(&["--user=0:0"]),
        }
    }
}

struct Line(Vec<OsString>);

impl Line {
    fn words(&mut self, words: &[&str]) {
        self.0.extend(words.iter().map(OsString::from));
    }

    /// `--name=value`: so that no value can be taken for an option.
    fn option(&mut self, name: &str, value: impl AsRef<OsStr>) {
        let mut word = OsString::from(name);
        word.push("=");
        word.push(value);
        self.0.push(word);
    }
}

impl Mount {
    fn described(&self) -> OsString {
        match self {
            Mount::Bind { source, target, access } => {
                let mut text = OsString::from("type=bind,");
                text.push(field("source", source.as_os_str()));
                text.push(",");
                text.push(field("target", target.as_os_str()));
                if *access == Access::Read {
                    text.push(",readonly");
                }
                text
            }
            Mount::Hidden(target) => {
                let mut text = OsString::from("type=tmpfs,");
                text.push(field("target", target.as_os_str()));
                text
            }
        }
    }
}

/// A field of a line of CSV, which is what engines read: in quotes where it has to be.
fn field(name: &str, value: &OsStr) -> OsString {
    let bytes = value.as_encoded_bytes();
    let mut text = OsString::new();
    if !bytes.iter().any(|byte| matches!(byte, b',' | b'"' | b'\n' | b'\r')) {
        text.push(name);
        text.push("=");
        text.push(value);
        return text;
    }
    text.push("\"");
    text.push(name);
    text.push("=");
    text.push(doubled(value));
    text.push("\"");
    text
}

/// Every quote twice.
fn doubled(value: &OsStr) -> OsString {
    use std::os::unix::ffi::{OsStrExt, OsStringExt};
    let mut bytes = Vec::with_capacity(value.len());
    for byte in value.as_bytes() {
        bytes.push(*byte);
        if *byte == b'"' {
            bytes.push(b'"');
        }
    }
    OsString::from_vec(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outfit() -> Outfit {
        Outfit {
            engine: Engine::Docker,
            image: "image:1".to_owned(),
            user: User::Same { uid: 1000, gid: 100 },
            init: Init::Engine,
            wire: Wire::None,
            memory: Some(1 << 30),
            processes: Some(64),
            millicpus: Some(1500),
            labelled: false,
        }
    }

    fn same(path: &str, access: Access) -> Mount {
        Mount::Bind { source: path.into(), target: path.into(), access }
    }

    fn errand() -> Errand {
        Errand {
            name: "windlass-1".to_owned(),
            labels: vec![Label::of_run("r-1")],
            directory: "/work".into(),
            environment: vec![("HOME".into(), Some("/home".into())), ("ANTHROPIC_API_KEY".into(), None)],
            mounts: vec![same("/work", Access::Write), same("/prompt", Access::Read)],
            program: "claude".into(),
            arguments: vec!["-p".into(), "--rm".into()],
        }
    }

    fn line(outfit: &Outfit) -> String {
        let words: Vec<_> = outfit
            .arguments(&errand(), Streams::Apart)
            .into_iter()
            .map(|word| word.into_string().unwrap())
            .collect();
        words.join(" ")
    }

    // rows: 136
    #[test]
    fn a_container_gets_what_it_needs_and_nothing_else() {
        assert_eq!(
            line(&outfit()),
            "run --rm --interactive --pull=never --log-driver=none --security-opt=no-new-privileges \
             --cap-drop=ALL --memory=1073741824b --memory-swap=1073741824b --pids-limit=64 --cpus=1.500 \
             --user=1000:100 --init --network=none --name=windlass-1 --label=windlass.run=r-1 \
             --mount=type=bind,source=/work,target=/work \
             --mount=type=bind,source=/prompt,target=/prompt,readonly --workdir=/work --env=HOME=/home \
             --env=ANTHROPIC_API_KEY --entrypoint=claude image:1 -p --rm"
        );
    }

    #[test]
    fn engines_and_machines_differ_in_words() {
        let podman = Outfit {
            engine: Engine::Podman,
            user: User::Kept { uid: 1000, gid: 100 },
            init: Init::Program("/usr/bin/tini".into()),
            wire: Wire::Default,
            memory: None,
            processes: None,
            millicpus: None,
            labelled: true,
            ..outfit()
        };
        let said = line(&podman);
        for word in [
            "--http-proxy=false",
            "--userns=keep-id --user=1000:100",
            "--init --init-path=/usr/bin/tini",
            "--security-opt=label=disable",
        ] {
            assert!(said.contains(word), "{word}: {said}");
        }
        for word in ["--network", "--memory", "--pids-limit", "--cpus"] {
            assert!(!said.contains(word), "{word}: {said}");
        }
        let rootless = line(&Outfit { user: User::Root, init: Init::None, ..outfit() });
        assert!(rootless.contains("--user=0:0") && !rootless.contains("--init"), "{rootless}");
    }

    // Seed defect D2, src/docker.rs:388-389: the user's own settings and credentials could be written from inside.
    #[test]
    fn no_secret_is_in_the_command_line() {
        assert!(!line(&outfit()).contains("ANTHROPIC_API_KEY="));
    }

    #[test]
    fn hostile_paths_stay_one_field() {
        let mount = |path: &str| same(path, Access::Read).described();
        assert_eq!(mount("/a b:c"), "type=bind,source=/a b:c,target=/a b:c,readonly");
        assert_eq!(
            mount("/a,readonly=false\"\n"),
            "type=bind,\"source=/a,readonly=false\"\"\n\",\"target=/a,readonly=false\"\"\n\",readonly"
        );
        assert_eq!(Mount::Hidden("/a,b".into()).described(), "type=tmpfs,\"target=/a,b\"");
    }
}
