//! Options that claude-iterate kept in a workspace's metadata, as lines of a `config.toml`.

use std::fmt::Write as _;
use std::path::Path;

use serde_json::{Map, Value};
use toml::Value as Toml;

use super::{Beneath, Refuses};
use crate::config::{FileKind, Layer};
use crate::spec::Mode;

/// What is written above the options.
const HEADING: &str = "\
# Options of this workspace: they override those of the project and the user.
# `windlass config keys` lists what can stand here.
";

/// Stands for every event in its files and in ours.
const EVERY_EVENT: &str = "all";

/// The longest name of a field that is shown, in characters.
const LONGEST_NAME: usize = 100;

/// Options found in the metadata of claude-iterate.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SeedOptions {
    /// Keys of the configuration and their values. A limit that holds without being said is left out: claude-iterate wrote
    /// every one into every workspace, whether somebody had asked for it or not.
    pub options: Vec<(&'static str, Toml)>,
    /// One sentence for each that has no place here.
    pub left: Vec<String>,
}

/// Finds them among the metadata's [other](super::Metadata::other) fields; `beneath` is what holds where they say nothing.
pub fn seed_options(
    mode: Mode,
    other: &Map<String, Value>,
    refuses: Refuses,
    beneath: &Beneath,
) -> SeedOptions {
    let mut found = SeedOptions::default();
    found.count(other, "maxIterations", "limits.max_iterations", 1);
    found.seconds(other, "delay");
    found.count(other, "stagnationThreshold", "limits.stagnation_threshold", 0);
    found.options.retain(|(key, value)| !beneath.says(mode, key, value));
    if let Some(url) = found.text(other, "notifyUrl") {
        found.options.push(("notify.url", Toml::String(url)));
    }
    found.events(other);
    found.leave_usual_events();
    match other.get("config") {
        None | Some(Value::Null) => {}
        Some(Value::Object(config)) => found.config(config, refuses),
        Some(_) => found.unreadable("config"),
    }
    found.leave_what_is_refused();
    found
}

impl SeedOptions {
    /// What the configuration would refuse has no place in it: one such line would keep the workspace from running.
    pub(super) fn leave_what_is_refused(&mut self) {
        let is_accepted = |option: &(&'static str, Toml)| {
            let text = options_text(std::slice::from_ref(option));
            Layer::parse(FileKind::Workspace, Path::new(""), &text).is_ok()
        };
        let (accepted, refused): (Vec<_>, Vec<_>) =
            std::mem::take(&mut self.options).into_iter().partition(is_accepted);
        self.options = accepted;
        for (key, _) in refused {
            self.unreadable(key);
        }
    }

    pub(super) fn unreadable(&mut self, name: &str) {
        self.left.push(format!("`{}` is left out: it cannot be read", shown(name)));
    }

    /// A whole number of at least `least`.
    pub(super) fn count(&mut self, fields: &Map<String, Value>, name: &str, key: &'static str, least: i64) {
        match fields.get(name) {
            None | Some(Value::Null) => {}
            Some(value) => {
                match value.as_i64().filter(|number| (least..=i64::from(u32::MAX)).contains(number)) {
                    Some(number) => self.options.push((key, Toml::Integer(number))),
                    None => self.unreadable(name),
                }
            }
        }
    }

    /// The delay may have a fraction there; here it has whole seconds, and none becomes shorter.
    pub(super) fn seconds(&mut self, fields: &Map<String, Value>, name: &str) {
        match fields.get(name).filter(|value| !value.is_null()) {
            None => {}
            Some(value) => match value.as_f64().filter(|seconds| (0.0..1e9).contains(seconds)) {
                #[expect(clippy::cast_possible_truncation, reason = "a whole number below a billion")]
                Some(seconds) => match seconds.ceil() as i64 {
                    0 => self.options.push(("clocks.delay", Toml::Integer(0))),
                    seconds => self.options.push(("clocks.delay", Toml::String(format!("{seconds}s")))),
                },
                None => self.unreadable(name),
            },
        }
    }

    pub(super) fn text(&mut self, fields: &Map<String, Value>, name: &str) -> Option<String> {
        match fields.get(name)? {
            Value::Null => None,
            Value::String(text) if text.is_empty() => None,
            Value::String(text) => Some(text.clone()),
            _ => {
                self.unreadable(name);
                None
            }
        }
    }

    /// Events that are told of; none at all is a choice, too. Whoever gave an address and chose nothing was told everything,
    /// which is more than the default here. Call it after the address was read.
    pub(super) fn events(&mut self, fields: &Map<String, Value>) {
        let chosen = fields.get("notifyEvents").filter(|value| !value.is_null()).map(texts);
        match chosen {
            None if self.says("notify.url") => self.options.push(("notify.events", every_event())),
            None => {}
            Some(Some(events)) if events.iter().any(|event| event == EVERY_EVENT) => {
                self.options.push(("notify.events", every_event()));
            }
            Some(Some(events)) => self.options.push(("notify.events", list(events))),
            Some(None) => self.unreadable("notifyEvents"),
        }
    }

    /// Every workspace was given `["all"]` without being asked. Beside an address of its own it says what was told; without one,
    /// what the project chose holds.
    fn leave_usual_events(&mut self) {
        if !self.says("notify.url") {
            self.options.retain(|(key, value)| *key != "notify.events" || *value != every_event());
        }
    }

    fn says(&self, key: &str) -> bool {
        self.options.iter().any(|(said, _)| *said == key)
    }

    pub(super) fn config(&mut self, config: &Map<String, Value>, refuses: Refuses) {
        for (name, value) in config {
            match (name.as_str(), value) {
                (_, Value::Null) => {}
                ("outputLevel", Value::String(level)) if is_level(level) => {
                    self.options.push(("output.level", Toml::String(level.clone())));
                }
                ("claude", Value::Object(claude)) => self.claude(claude, refuses),
                ("verification", Value::Object(verification)) => self.verification(verification),
                ("outputLevel" | "claude" | "verification", _) => self.unreadable(&format!("config.{name}")),
                _ => self.left.push(without_place(&format!("config.{name}"))),
            }
        }
    }

    /// `notification.statusWatch` of a configuration file.
    pub(super) fn status_watch(&mut self, file: &Map<String, Value>) {
        let watch = match file.get("notification") {
            None | Some(Value::Null) => return,
            Some(Value::Object(notification)) => notification.get("statusWatch"),
            Some(_) => return self.unreadable("notification"),
        };
        let watch = match watch {
            None | Some(Value::Null) => return,
            Some(Value::Object(watch)) => watch,
            Some(_) => return self.unreadable("notification.statusWatch"),
        };
        for (name, key) in [("enabled", "status.watch"), ("notifyOnlyMeaningful", "status.only_meaningful")] {
            match watch.get(name) {
                None | Some(Value::Null) => {}
                Some(Value::Bool(on)) => self.options.push((key, Toml::Boolean(*on))),
                Some(_) => self.unreadable(&format!("notification.statusWatch.{name}")),
            }
        }
        self.debounce(watch);
    }

    /// It is a number of milliseconds there.
    fn debounce(&mut self, watch: &Map<String, Value>) {
        match watch.get("debounceMs").filter(|value| !value.is_null()) {
            None => {}
            Some(value) => match value.as_u64().filter(|millis| (500..=10_000).contains(millis)) {
                Some(millis) => {
                    let time = match millis % 1000 {
                        0 => format!("{}s", millis / 1000),
                        _ => format!("{millis}ms"),
                    };
                    self.options.push(("status.debounce", Toml::String(time)));
                }
                None => self.unreadable("notification.statusWatch.debounceMs"),
            },
        }
    }

    fn claude(&mut self, claude: &Map<String, Value>, refuses: Refuses) {
        let program = self.text(claude, "command").unwrap_or_else(|| "claude".to_owned());
        if program != "claude" {
            self.options.push(("agent.command", Toml::String(program.clone())));
        }
        match claude.get("args").map(texts) {
            None => {}
            Some(Some(arguments)) => self.arguments(arguments, &program, refuses),
            Some(None) => self.unreadable("config.claude.args"),
        }
    }

    fn verification(&mut self, verification: &Map<String, Value>) {
        for (name, value) in verification {
            let option = match (name.as_str(), value) {
                (_, Value::Null) => continue,
                ("depth", Value::String(depth))
                    if matches!(depth.as_str(), "quick" | "standard" | "deep") =>
                {
                    ("verify.depth", Toml::String(depth.clone()))
                }
                ("autoVerify", Value::Bool(on)) => ("verify.on_completion", Toml::Boolean(*on)),
                ("maxAttempts", value) if value.as_i64().is_some_and(|number| (1..=10).contains(&number)) => {
                    ("verify.attempts", Toml::Integer(value.as_i64().unwrap_or(2)))
                }
                ("reportFilename", Value::String(file)) if !file.is_empty() => {
                    ("verify.report", Toml::String(file.clone()))
                }
                ("resumeOnFail" | "notifyOnVerification", Value::Bool(_)) => {
                    self.left.push(format!(
                        "`config.verification.{name}` is left out: work that is refused goes on, and every ending is told"
                    ));
                    continue;
                }
                _ => {
                    self.unreadable(&format!("config.verification.{name}"));
                    continue;
                }
            };
            self.options.push(option);
        }
    }
}

/// A sentence for each field that has no place here.
pub(super) fn without_places(names: &[&String]) -> Vec<String> {
    names.iter().map(|name| without_place(name)).collect()
}

fn without_place(name: &str) -> String {
    format!("`{}` is left out: there is nothing like it here", shown(name))
}

/// A field's name as part of a sentence: whoever wrote the file may have named it anything.
pub(super) fn shown(name: &str) -> String {
    name.chars().filter(|character| !character.is_control()).take(LONGEST_NAME).collect()
}

fn is_level(level: &str) -> bool {
    matches!(level, "quiet" | "progress" | "verbose")
}

fn texts(value: &Value) -> Option<Vec<String>> {
    value.as_array()?.iter().map(|item| item.as_str().map(str::to_owned)).collect()
}

fn every_event() -> Toml {
    list(vec![EVERY_EVENT.to_owned()])
}

pub(super) fn list(texts: Vec<String>) -> Toml {
    Toml::Array(texts.into_iter().map(Toml::String).collect())
}

/// The text of a workspace's `config.toml` that holds exactly these options: table by table, in the order of their first
/// keys.
pub fn options_text(options: &[(&str, Toml)]) -> String {
    with_heading(HEADING, options)
}

/// The same for the `config.toml` of a project or a user, which `import` makes of another tool's.
pub fn imported_options_text(tool: &str, options: &[(&str, Toml)]) -> String {
    let heading =
        format!("# Options imported from {tool}.\n# `windlass config keys` lists what can stand here.\n");
    with_heading(&heading, options)
}

fn with_heading(heading: &str, options: &[(&str, Toml)]) -> String {
    let mut text = heading.to_owned();
    let mut tables: Vec<&str> = Vec::new();
    for (key, _) in options {
        let table = key.split('.').next().unwrap_or(key);
        if !tables.contains(&table) {
            tables.push(table);
        }
    }
    for table in tables {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "\n[{table}]");
        for (key, value) in options {
            if let Some(name) = key.strip_prefix(table).and_then(|rest| rest.strip_prefix('.')) {
                let _ = writeln!(text, "{name} = {value}");
            }
        }
    }
    text
}

/// Does a configuration file's text say exactly this of a key? A text that is not TOML says nothing.
pub fn text_says(text: &str, key: &str, value: &Toml) -> bool {
    let said = text.parse::<toml::Table>().ok();
    let table = |name: &str| said.as_ref().and_then(|said| said.get(name)).and_then(Toml::as_table);
    key.split_once('.').is_some_and(|(name, key)| table(name).and_then(|table| table.get(key)) == Some(value))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn options(mode: Mode, json: &str) -> SeedOptions {
        options_above(&Beneath::default(), mode, json)
    }

    fn options_above(beneath: &Beneath, mode: Mode, json: &str) -> SeedOptions {
        let Ok(Value::Object(other)) = serde_json::from_str(json) else { panic!("{json}") };
        let refuses: Refuses =
            |_, argument| matches!(argument, "--model" | "--dangerously-skip-permissions").then_some("why");
        seed_options(mode, &other, refuses, beneath)
    }

    #[test]
    fn what_the_configuration_refuses_is_left_out() {
        let found = options(
            Mode::Loop,
            r#"{"delay":7,"notifyEvents":["completed"],"notifyUrl":"no address","config":{"claude":{"command":" "}}}"#,
        );
        assert_eq!(found.options, [("clocks.delay", Toml::String("7s".to_owned()))]);
        let left: Vec<&str> = found.left.iter().filter_map(|line| line.split('`').nth(1)).collect();
        assert_eq!(left, ["notify.url", "notify.events", "agent.command"]);
    }

    // rows: 129
    // Seed defect D1, core/config-manager.ts:242: concrete numbers in each workspace hid project and user options.
    #[test]
    fn what_the_seed_writes_everywhere_is_an_option_where_something_else_would_hold() {
        let seed = r#"{"maxIterations":20,"delay":2,"stagnationThreshold":2,"notifyEvents":["all"]}"#;
        let (iterations, delay, standstill) =
            ("limits.max_iterations", "clocks.delay", "limits.stagnation_threshold");
        let says = |text: &str| Layer::parse(FileKind::Project, Path::new(""), text).unwrap();
        let project =
            says("[limits]\nmax_iterations = 500\nstagnation_threshold = 0\n\n[clocks]\ndelay = 0\n");
        let same = says("[limits]\nmax_iterations = 20\n");
        let (none, all) = (vec![], vec![iterations, delay, standstill]);
        for (mode, beneath, expected) in [
            (Mode::Iterative, Beneath::default(), none.clone()),
            (Mode::Loop, Beneath::default(), vec![iterations, standstill]),
            (Mode::Iterative, Beneath::Known(vec![project.clone()]), all.clone()),
            (Mode::Iterative, Beneath::Known(vec![project, same.clone()]), vec![delay, standstill]),
            (Mode::Iterative, Beneath::Known(vec![same]), none),
            (Mode::Iterative, Beneath::Open, all),
        ] {
            let found = options_above(&beneath, mode, seed);
            let keys: Vec<&str> = found.options.iter().map(|(key, _)| *key).collect();
            assert_eq!(keys, expected, "{mode:?} {beneath:?}");
        }
    }

    // rows: 110, 129
    #[test]
    fn who_was_told_what_stays_as_it_was() {
        let events = |names: &[&str]| {
            Some(Toml::Array(names.iter().map(|name| Toml::String((*name).to_owned())).collect()))
        };
        for (json, expected) in [
            (r#"{"notifyEvents":[]}"#, events(&[])),
            (r#"{"notifyUrl":"https://ntfy.sh/x","notifyEvents":[]}"#, events(&[])),
            (r#"{"notifyUrl":"https://ntfy.sh/x"}"#, events(&["all"])),
            (r#"{"notifyUrl":"https://ntfy.sh/x","notifyEvents":["error","all"]}"#, events(&["all"])),
            (r#"{"notifyEvents":["all"]}"#, None),
            (r#"{"notifyEvents":["error"]}"#, events(&["error"])),
            (r"{}", None),
        ] {
            let found = options(Mode::Loop, json);
            let said = found.options.into_iter().find(|(key, _)| *key == "notify.events");
            assert_eq!(said.map(|(_, value)| value), expected, "{json}");
        }
    }

    #[test]
    fn options_become_lines_of_a_file() {
        let found = options(
            Mode::Loop,
            r#"{"maxIterations":7,"delay":0,"stagnationThreshold":0,"notifyUrl":"https://ntfy.sh/x",
                "notifyEvents":["completion","error"],
                "config":{"outputLevel":"quiet","claude":{"command":"my \"claude\"","args":["--model","opus","-d","--dangerously-skip-permissions"]},
                "verification":{"depth":"deep","autoVerify":true,"maxAttempts":3,"resumeOnFail":true},"colors":false}}"#,
        );
        assert_eq!(
            options_text(&found.options).strip_prefix(HEADING).unwrap(),
            "
[limits]
max_iterations = 7
stagnation_threshold = 0

[clocks]
delay = 0

[notify]
url = \"https://ntfy.sh/x\"
events = [\"completion\", \"error\"]

[agent]
command = 'my \"claude\"'
model = \"opus\"
arguments = [\"-d\"]

[output]
level = \"quiet\"

[verify]
on_completion = true
depth = \"deep\"
attempts = 3
"
        );
        assert_eq!(found.left.len(), 3, "{:?}", found.left);
    }

    #[test]
    fn what_cannot_be_read_is_named() {
        let found = options(
            Mode::Loop,
            r#"{"maxIterations":"many","delay":-1,"stagnationThreshold":1.5,"notifyUrl":7,"notifyEvents":[1],"config":"x"}"#,
        );
        assert_eq!((found.options.len(), found.left.len()), (0, 6), "{:?}", found.left);
    }

    #[test]
    fn a_fields_name_stays_part_of_its_sentence() {
        let found = options(Mode::Loop, r#"{"config":{"a\nb\u001b[2J":1,"verification":{"\r\u0007x":1}}}"#);
        assert_eq!(
            found.left,
            [
                "`config.ab[2J` is left out: there is nothing like it here",
                "`config.verification.x` is left out: it cannot be read"
            ]
        );
    }

    #[test]
    fn a_delay_with_a_fraction_becomes_no_shorter() {
        let found = options(Mode::Loop, r#"{"delay":2.5}"#);
        assert_eq!(found.options, [("clocks.delay", Toml::String("3s".to_owned()))]);
    }

    #[test]
    fn no_option_is_a_heading() {
        assert_eq!(options_text(&[]), HEADING);
        assert!(toml::from_str::<toml::Table>(HEADING).unwrap().is_empty());
    }
}
