//! Every setting of Fresher, by the names that it has in its file and in the environment.

use toml::Value;

use super::super::keys::known;

/// A setting.
#[derive(Debug)]
pub(super) struct Setting {
    /// `section.key` of its `config.toml`.
    pub name: &'static str,
    /// Its variable, without `FRESHER_`.
    pub variable: &'static str,
    /// What it means here.
    pub meaning: Meaning,
    /// Fresher's default where ours is the same, as it stands in its file.
    pub usual: Usual,
}

/// What a setting means here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Meaning {
    /// The same as a key of ours.
    Key(&'static str),
    /// A folder, as a key of ours.
    Folder(&'static str),
    /// Seconds, as a key of ours.
    Seconds(&'static str),
    /// The same as a key of ours, where its container is used.
    InContainer(&'static str),
    /// A list as a key of ours, where its container is used; in a text its items have commas between them.
    ListInContainer(&'static str),
    /// A limit on iterations; 0 was none.
    Iterations,
    /// Nobody is asked.
    Permissions,
    /// A container is used.
    Container,
    /// A command that was told the agent.
    Command,
    /// Planning or building.
    Mode,
    /// Nothing: why.
    Nothing(&'static str),
}

/// A default that is ours as well.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Usual {
    /// Ours is another one, or there is none.
    Differs,
    Text(&'static str),
    Number(i64),
    Switch(bool),
}

impl Usual {
    pub fn is(self, value: &Value) -> bool {
        match self {
            Usual::Differs => false,
            Usual::Text(text) => value.as_str() == Some(text),
            Usual::Number(number) => value.as_integer() == Some(number),
            Usual::Switch(on) => value.as_bool() == Some(on),
        }
    }
}

impl Setting {
    /// The setting of a variable with its `FRESHER_`.
    pub fn of_variable(variable: &str) -> Option<&'static Setting> {
        let name = variable.strip_prefix("FRESHER_")?;
        SETTINGS.iter().find(|setting| setting.variable == name)
    }

    /// The value that a text of a script or of the environment stands for.
    pub fn value_of(&self, text: &str) -> Value {
        let (text, key) = match self.meaning {
            Meaning::ListInContainer(key) => (&*text.replace(',', "\n"), key),
            meaning => (text, meaning.key_of_kind()),
        };
        known(key).map_or_else(|_| Value::String(text.to_owned()), |info| (info.from_text)(text))
    }
}

impl Meaning {
    /// A key whose values are of the kind that it takes.
    const fn key_of_kind(self) -> &'static str {
        match self {
            Meaning::Key(key) | Meaning::InContainer(key) | Meaning::ListInContainer(key) => key,
            Meaning::Seconds(_) | Meaning::Iterations => "limits.max_iterations",
            Meaning::Permissions | Meaning::Container => "build.smart_termination",
            Meaning::Folder(_) | Meaning::Command | Meaning::Mode | Meaning::Nothing(_) => "agent.model",
        }
    }
}

macro_rules! settings {
    ($($name:literal $variable:literal $meaning:ident $(($of:literal))? $(= $usual:ident($default:literal))?;)*) => {
        pub(super) const SETTINGS: &[Setting] = &[$(Setting {
            name: $name,
            variable: $variable,
            meaning: Meaning::$meaning $(($of))?,
            usual: settings!(@usual $($usual($default))?),
        }),*];
    };
    (@usual) => { Usual::Differs };
    (@usual $usual:ident($default:literal)) => { Usual::$usual($default) };
}

settings! {
    "fresher.mode" "MODE" Mode;
    "fresher.max_iterations" "MAX_ITERATIONS" Iterations;
    "fresher.smart_termination" "SMART_TERMINATION" Key("build.smart_termination") = Switch(true);
    "fresher.dangerous_permissions" "DANGEROUS_PERMISSIONS" Permissions;
    "fresher.max_turns" "MAX_TURNS" Key("agent.max_turns") = Number(50);
    "fresher.model" "MODEL" Key("agent.model") = Text("sonnet");
    "fresher.archive_completed" "ARCHIVE_COMPLETED" Key("plan.archive_finished");
    "fresher.single_file_threshold" "SINGLE_FILE_THRESHOLD" Key("plan.migrate_at") = Number(8);
    "commands.test" "TEST_CMD" Command;
    "commands.build" "BUILD_CMD" Command;
    "commands.lint" "LINT_CMD" Command;
    "paths.log_dir" "LOG_DIR" Nothing("what a run printed is kept with the run: windlass logs") = Text(".fresher/logs");
    "paths.spec_dir" "SPEC_DIR" Folder("plan.specs") = Text("specs");
    "paths.src_dir" "SRC_DIR" Nothing("the agent looks for the sources itself") = Text("src");
    "paths.impl_dir" "IMPL_DIR" Folder("plan.folder");
    "hooks.enabled" "HOOKS_ENABLED" Key("hooks.enabled") = Switch(true);
    "hooks.timeout" "HOOK_TIMEOUT" Seconds("hooks.timeout") = Number(30);
    "docker.use_docker" "USE_DOCKER" Container = Switch(false);
    "docker.memory" "DOCKER_MEMORY" InContainer("sandbox.memory");
    "docker.cpus" "DOCKER_CPUS" InContainer("sandbox.processors");
    "docker.presets" "DOCKER_PRESETS" ListInContainer("sandbox.presets");
    "docker.setup_script" "DOCKER_SETUP_SCRIPT" InContainer("sandbox.setup_script");
    "docker.local_binary" "DOCKER_LOCAL_BINARY" Nothing("windlass brings itself into its containers");
}
