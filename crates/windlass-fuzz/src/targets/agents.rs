//! What any agent prints, whichever decoder reads it: bounds, and that neither the cuts of the stream nor who watches matters.

use std::path::Path;
use std::time::Duration;

use jiff::Timestamp;
use windlass_agents::{AGENTS, Agent, CallFiles, CallWatch, Confinement, Detail, Digest, Opening, Step};
use windlass_core::observation::Observation;
use windlass_core::spec::AgentSpec;
use windlass_core::values::{Class, Ended, Now, Purpose};

use crate::dice::Dice;
use crate::heard::{Heard, clocks};
use crate::parsers;

/// Long enough that no input holds it by chance: a request is answered under the name that it came with.
const PROMPT: &str = "do what was agreed upon";

pub(crate) fn run(data: &[u8]) {
    let mut dice = Dice::of(data);
    converse(data);
    for agent in AGENTS {
        let heard = hear(agent, &[data], Detail::Everything);
        assert_eq!(
            hear(agent, &dice.pieces(data), Detail::Everything),
            heard,
            "it matters how the bytes are cut"
        );
        let unwatched = hear(agent, &[data], Detail::Digests);
        assert_eq!(unwatched.digests, heard.digests, "it matters who watches");
        for observation in &heard.observations {
            let json = serde_json::to_string(observation)
                .map(|json| serde_json::from_str::<Observation>(&json).ok());
            assert_eq!(json.ok().flatten().as_ref(), Some(observation), "written and read");
        }
        report(agent, &heard.digests, &mut dice);
        for line in data.split(|byte| *byte == b'\n') {
            agent.tool_traces(line, &mut |_| {});
            drop(agent.error_line(line));
        }
    }
}

/// Whatever is heard in a conversation, it ends once at most, each request is made once, and all that is said is a line.
fn converse(data: &[u8]) {
    for opening in AGENTS.into_iter().filter_map(opening) {
        let mut conversation = opening.conversation(PROMPT.to_owned());
        let mut steps = conversation.begin();
        for line in data.split(|byte| *byte == b'\n') {
            steps.extend(conversation.heard(line));
        }
        assert!(steps.iter().filter(|step| **step == Step::End).count() <= 1, "it ends once");
        let prompts = steps.iter().filter(|step| matches!(step, Step::Tell(line) if line.contains(PROMPT)));
        assert!(prompts.count() <= 1, "it is asked once");
        let told = |step: &Step| matches!(step, Step::Tell(line) | Step::Note(line) if line.contains('\n'));
        assert!(!steps.iter().any(told), "a message is a line");
    }
}

/// How an agent is talked with, where it is.
fn opening(agent: &dyn Agent) -> Option<Opening> {
    let spec =
        AgentSpec { model: Some("model".to_owned()), ..AgentSpec::new(agent.about().name, "agent".into()) };
    let file = Path::new("/state/file");
    let files = CallFiles {
        prompt: file,
        system_prompt: file,
        settings: file,
        budget: None,
        purpose: Purpose::Verify,
        confinement: Confinement::None,
    };
    agent.opening(&spec, files, Path::new("/project"))
}

fn hear(agent: &dyn Agent, pieces: &[&[u8]], detail: Detail) -> Heard {
    let (mut decoder, mut heard) = (agent.decoder(), Heard::default());
    parsers::lines(pieces, &mut |line: &[u8]| decoder.line(line, detail, &mut heard));
    heard
}

/// The report on a call that said this and then ended in one of many ways.
fn report(agent: &dyn Agent, digests: &[Digest], dice: &mut Dice) {
    let spec = AgentSpec::new(agent.about().name, "agent".into());
    let mut watch = CallWatch::new(&spec, Duration::ZERO, clocks());
    for digest in digests {
        watch.observe(Duration::from_secs(1), digest);
    }
    let ends = [Ended::Exited(0), Ended::Exited(1), Ended::Exited(143), Ended::Signalled(9), Ended::Lost];
    let ended = dice.pick(&ends).copied().unwrap_or(Ended::Exited(0));
    if ended != Ended::Lost {
        watch.exited(Duration::from_secs(2), ended);
    }
    let now = Now { wall: Timestamp::UNIX_EPOCH, monotonic: Duration::from_secs(2) };
    let report = watch.report(now, "error: unexpected argument '--x' found\ntry again at 8:37 PM.\n");
    assert!(report.results.len() <= 50 && report.results.iter().all(|text| text.len() <= 64 * 1024));
    assert!(report.detail.chars().count() <= 300 && !report.detail.contains(['\n', '\r']), "{report:?}");
    assert_eq!(report.detail.is_empty(), report.class == Class::Success, "{report:?}");
    assert_eq!(report.limit.is_some(), report.class == Class::UsageLimit, "{report:?}");
    let says_something = report.results.last().is_some_and(|text| !text.trim().is_empty());
    let needs_words = agent.about().name != "claude" && agent.about().name != "mock";
    assert!(
        !needs_words || report.class != Class::Success || says_something,
        "a success without a word: {report:?}"
    );
}
