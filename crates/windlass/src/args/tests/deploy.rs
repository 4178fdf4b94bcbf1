//! What is deployed: the files of `deploy/` say what this program understands.

use std::fs;
use std::path::Path;

use clap::Parser as _;
use saphyr_parser::{Event, Parser, StrInput};
use serde_json::{Map, Value};
use windlass_core::config::Layer;
use windlass_core::fleet::policy::Policy;
use windlass_testkit::printed::commands;

use crate::args::{Cli, Verb, WorkerArgs};

fn read(file: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../deploy").join(file);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The arguments of a worker, as the real parser has them.
fn worker(words: &[&str]) -> WorkerArgs {
    match Cli::try_parse_from(words).map(|cli| cli.verb) {
        Ok(Verb::Worker(args)) => args,
        other => panic!("{words:?}: {other:?}"),
    }
}

/// Variables of windlass are keys of its configuration, with values that these take.
fn assert_configuration(variables: &[(String, String)]) {
    let own = variables.iter().filter(|(name, _)| name.starts_with("WINDLASS_") && name.contains("__"));
    let layer = Layer::from_environment(own.cloned()).unwrap_or_else(|error| panic!("{error}"));
    let named = |key: &str| layer.value(key).is_some();
    assert!(named("fleet.url") && named("fleet.credentials"), "{variables:?}");
}

fn assignment(text: &str) -> (String, String) {
    let (name, value) = text.split_once('=').unwrap_or_else(|| panic!("{text}"));
    (name.to_owned(), value.trim_matches('"').to_owned())
}

#[test]
fn the_unit_of_systemd_starts_a_worker() {
    let text = read("systemd/windlass-worker.service");
    let values = |key: &str| text.lines().filter_map(move |line| line.strip_prefix(key)).collect::<Vec<_>>();
    let [start] = values("ExecStart=")[..] else { panic!("one command: {text}") };
    assert_eq!(worker(&start.split(' ').collect::<Vec<_>>()).lanes, Some(4));
    let variables: Vec<_> = values("Environment=").into_iter().map(assignment).collect();
    assert_configuration(&variables);
    // Agents outlive the signal, so that their tasks are ended.
    assert_eq!(values("KillMode="), ["mixed"]);
}

#[test]
fn the_containers_command_starts_a_worker() {
    let text = read("container/Containerfile").replace("\\\n", " ");
    let known = ["FROM", "WORKDIR", "COPY", "RUN", "ARG", "USER", "ENV", "STOPSIGNAL", "ENTRYPOINT", "CMD"];
    let mut words = Vec::new();
    for line in text.lines().filter(|line| !line.trim().is_empty() && !line.starts_with('#')) {
        let (instruction, rest) = line.split_once(' ').unwrap_or_else(|| panic!("{line}"));
        assert!(known.contains(&instruction), "{line}");
        if let "ENTRYPOINT" | "CMD" = instruction {
            words.extend(
                serde_json::from_str::<Vec<String>>(rest).unwrap_or_else(|error| panic!("{line}: {error}")),
            );
        }
    }
    let args = worker(&words.iter().map(String::as_str).collect::<Vec<_>>());
    assert_eq!((args.lanes, args.health.as_deref()), (Some(2), Some(Path::new("/tmp/health"))));
    assert!(text.contains("\nUSER 10001\n"), "as a user without rights");
}

#[test]
fn the_deployment_of_kubernetes_starts_workers_with_their_policy() {
    let documents = yaml(&read("kubernetes/worker.yaml"));
    let [settings, deployment] = &documents[..] else { panic!("{documents:?}") };
    assert_eq!((&settings["kind"], &deployment["kind"]), (&"ConfigMap".into(), &"Deployment".into()));
    let policy = settings["data"]["worker.toml"].as_str().unwrap();
    Policy::parse(policy).unwrap_or_else(|error| panic!("{error}"));
    let template = &deployment["spec"]["template"];
    assert_eq!(deployment["spec"]["selector"]["matchLabels"], template["metadata"]["labels"]);
    let container = &template["spec"]["containers"][0];
    let texts = |value: &Value| -> Vec<String> {
        value.as_array().unwrap().iter().map(|item| item.as_str().unwrap().to_owned()).collect()
    };
    // The image begins the command.
    let given = texts(&container["args"]);
    let words: Vec<&str> =
        ["windlass", "worker"].into_iter().chain(given.iter().map(String::as_str)).collect();
    let args = worker(&words);
    let mounts = container["volumeMounts"].as_array().unwrap();
    let mount = |name: &str| {
        mounts.iter().find(|mount| mount["name"] == name).unwrap()["mountPath"].as_str().unwrap()
    };
    assert_eq!(args.policy.unwrap(), Path::new(mount("policy")).join("worker.toml"));
    let health = args.health.unwrap().display().to_string();
    assert!(texts(&container["livenessProbe"]["exec"]["command"]).concat().contains(&health));
    let variable = |item: &Value| {
        (item["name"].as_str().unwrap().to_owned(), item["value"].as_str().unwrap().to_owned())
    };
    let variables: Vec<_> = container["env"].as_array().unwrap().iter().map(variable).collect();
    assert_configuration(&variables);
    assert!(variables.iter().any(|(_, value)| value.starts_with(mount("fleet"))), "{variables:?}");
    for mount in mounts {
        let volumes = template["spec"]["volumes"].as_array().unwrap();
        assert!(volumes.iter().any(|volume| volume["name"] == mount["name"]), "{mount}");
    }
}

#[test]
fn the_job_of_slurm_starts_a_worker() {
    let text = read("slurm/worker.sh");
    let line = text.lines().find_map(|line| line.strip_prefix("exec ")).unwrap();
    let [command] = &commands(&line.replace('$', ""))[..] else { panic!("{line}") };
    let words: Vec<&str> = ["windlass"].into_iter().chain(command.words.iter().map(String::as_str)).collect();
    assert!(worker(&words).name.is_some_and(|name| name.starts_with("slurm-")));
    let exported = text.lines().filter_map(|line| line.strip_prefix("export ")).map(assignment);
    assert_configuration(&exported.collect::<Vec<_>>());
    // A comment before the first command, each: others are not read.
    let directives: Vec<&str> = text.lines().filter(|line| line.starts_with("#SBATCH")).collect();
    assert!(
        directives.len() > 3 && directives.iter().all(|line| line.starts_with("#SBATCH --")),
        "{directives:?}"
    );
    assert!(directives.iter().any(|line| line.contains("--signal=B:TERM@")), "{directives:?}");
    let first = text.lines().position(|line| !line.is_empty() && !line.starts_with('#')).unwrap();
    assert!(text.lines().skip(first).all(|line| !line.starts_with("#SBATCH")));
}

/// The documents of a file; every scalar is a text.
fn yaml(text: &str) -> Vec<Value> {
    let mut events = Parser::new_from_str(text);
    let mut documents = Vec::new();
    loop {
        match next(&mut events) {
            Event::StreamEnd => return documents,
            Event::DocumentStart(_) => {
                let first = next(&mut events);
                documents.push(value(&mut events, first));
            }
            _ => {}
        }
    }
}

fn next<'a>(events: &mut Parser<'a, StrInput<'a>>) -> Event<'a> {
    let event = events.next_event().expect("the end of the stream comes first");
    event.unwrap_or_else(|error| panic!("{error}")).0
}

fn value<'a>(events: &mut Parser<'a, StrInput<'a>>, first: Event<'a>) -> Value {
    match first {
        Event::Scalar(text, ..) => Value::String(text.into_owned()),
        Event::SequenceStart(..) => {
            let mut items = Vec::new();
            loop {
                match next(events) {
                    Event::SequenceEnd => return Value::Array(items),
                    item => items.push(value(events, item)),
                }
            }
        }
        Event::MappingStart(..) => {
            let mut fields = Map::new();
            loop {
                match next(events) {
                    Event::MappingEnd => return Value::Object(fields),
                    Event::Scalar(name, ..) => {
                        let held = next(events);
                        let held = value(events, held);
                        assert!(
                            fields.insert(name.clone().into_owned(), held).is_none(),
                            "{name} stands there twice"
                        );
                    }
                    other => panic!("{other:?} is no name"),
                }
            }
        }
        other => panic!("{other:?}"),
    }
}
