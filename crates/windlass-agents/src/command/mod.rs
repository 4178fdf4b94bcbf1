//! Any command: it gets the prompt on standard input, or as a file; what it prints is text, and its exit code says how it
//! went. Nothing is known of its tools, its tokens and its costs.

use std::ffi::OsString;

use windlass_core::environment::AgentVariables;
use windlass_core::observation::{Observation, ToolInput, ToolTrace};
use windlass_core::price::{Price, PriceList};
use windlass_core::spec::AgentSpec;
use windlass_core::values::{Class, Cost, Ended};

use crate::decoding::{Out, whole_line};
use crate::ending::Ending;
use crate::{
    Ability, About, Activity, Agent, ApiHosts, CallFiles, Decoder, Detail, Digest, Files, Invocation,
    Judgement, SessionFiles, Signs, Sink, Variables, Words,
};

/// In an argument, the file that holds the prompt.
const PROMPT: &str = "{prompt}";

/// In an argument, the model.
const MODEL: &str = "{model}";

/// Any command.
pub(crate) static COMMAND: Command = Command;

pub(crate) static ABOUT: About = About {
    name: "command",
    product: "The agent's command",
    program: None,
    tested: "",
    can: &[Ability::HoldSessions],
    retries: None,
    variables: &Variables {
        inherited: AgentVariables { own: &[], api_keys: &[], providers: &[] },
        tokens: &[],
        secrets: &[],
        let_in: &[],
        kept_out: &[],
        in_sandboxes: &[],
        settings_folder: "",
        hosts: ApiHosts { usual: "", elsewhere: &[] },
    },
    files: &Files {
        folder: "",
        of_home: &[],
        credentials: "",
        steering: &[],
        sources: &[],
        instructions: &[],
    },
    words: &Words {
        install: "Install it, or name another program: windlass config set agent.command PROGRAM",
        update: "",
        log_in: "Log in with it first.",
        log_in_anew: "Log in with it once more.",
        log_in_or_token: "Log in with it first",
        log_in_briefly: "Log in with it first",
        token: "whatever it needs, by name in sandbox.environment",
        login_command: "",
        sent_home: "",
        hosted: "",
        left_out: "",
        leave_out: "",
        log_heading: "COMMAND OUTPUT",
        image: "",
    },
};

/// A command, whichever.
#[derive(Debug)]
pub(crate) struct Command;

impl Agent for Command {
    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn call(&self, agent: &AgentSpec, call: CallFiles<'_>) -> Invocation {
        let model = agent.model.as_deref().unwrap_or_default();
        let argument = |argument: &String| -> OsString {
            if argument == PROMPT {
                return call.prompt.into();
            }
            let prompt = call.prompt.to_string_lossy();
            argument.replace(PROMPT, &prompt).replace(MODEL, model).into()
        };
        let arguments = agent.arguments.iter().map(argument).collect();
        Invocation { program: agent.program.clone(), arguments, environment: Vec::new() }
    }

    /// What it takes as first words is not known: it is started as it is, and the person talks to it.
    fn session(&self, agent: &AgentSpec, _: SessionFiles<'_>) -> Invocation {
        Invocation { program: agent.program.clone(), arguments: Vec::new(), environment: Vec::new() }
    }

    fn owned_flag(&self, _: &str) -> Option<&'static str> {
        None
    }

    fn decoder(&self) -> Box<dyn Decoder> {
        Box::new(Text)
    }

    fn judge(&self, signs: &Signs<'_>) -> Judgement {
        judge(signs)
    }

    fn tool_traces(&self, _: &[u8], _: &mut dyn FnMut(ToolTrace)) {}

    fn tool_input(&self, _: &str, written: &str) -> ToolInput {
        ToolInput::Other { json: written.to_owned() }
    }

    fn prices<'a>(&self, own: &'a [Price]) -> PriceList<'a> {
        PriceList { own, published: &[], usual: &FREE, search: Cost::ZERO }
    }
}

/// It tells no tokens that could be priced.
static FREE: Price = Price {
    model: String::new(),
    input: Cost::ZERO,
    output: Cost::ZERO,
    cache_write: Cost::ZERO,
    cache_write_1h: Cost::ZERO,
    cache_read: Cost::ZERO,
};

/// Each line is text.
struct Text;

impl Decoder for Text {
    fn line(&mut self, line: &[u8], detail: Detail, sink: &mut dyn Sink) {
        let mut out = Out { detail, sink };
        out.activity(Activity::Writing);
        let text = whole_line(line).unwrap_or_default();
        out.digest(Digest::Said(text.clone().into_owned()));
        if !text.is_empty() {
            out.observe(|| Observation::AgentText { text: text.into_owned(), nested: false });
        }
    }
}

/// Its exit code says how it went; and whoever says nothing has done nothing.
fn judge(signs: &Signs<'_>) -> Judgement {
    let ending = Ending { about: &ABOUT, signs };
    if let Some(judgement) = ending.by_runner(None, "").or_else(|| ending.by_signal()) {
        return judgement;
    }
    match (signs.ended, signs.result) {
        (Ended::Exited(0), Some(_)) => Judgement::new(Class::Success, ""),
        (Ended::Exited(0), None) => {
            Judgement::new(Class::TaskFailure, "The agent's command ended without a word.")
        }
        _ => ending.with_code(),
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use windlass_core::values::{Cut, Purpose};

    use super::*;
    use crate::Confinement;
    use crate::tests::recorded::report;

    #[test]
    fn placeholders_stand_for_the_prompts_file_and_the_model() {
        let agent = AgentSpec {
            arguments: ["--message-file", "{prompt}", "--model={model}", "-x", "@{prompt}"]
                .map(str::to_owned)
                .to_vec(),
            model: Some("m1".to_owned()),
            ..AgentSpec::new("command", "/opt/aider".into())
        };
        let files = CallFiles {
            prompt: Path::new("/s/prompt.md"),
            system_prompt: Path::new("/s/system.md"),
            settings: Path::new("/s/settings.json"),
            budget: None,
            purpose: Purpose::Work,
            confinement: Confinement::None,
        };
        let arguments = COMMAND.call(&agent, files).arguments;
        assert_eq!(arguments, ["--message-file", "/s/prompt.md", "--model=m1", "-x", "@/s/prompt.md"]);
    }

    #[test]
    fn its_exit_code_and_its_text_say_how_it_went() {
        let rows = [
            ("working\nAll done.\n", "", Ended::Exited(0), None, Class::Success, ""),
            ("", "", Ended::Exited(0), None, Class::TaskFailure, "The agent's command ended without a word."),
            (
                " \n\n",
                "",
                Ended::Exited(0),
                None,
                Class::TaskFailure,
                "The agent's command ended without a word.",
            ),
            (
                "half",
                "no key\n",
                Ended::Exited(3),
                None,
                Class::TaskFailure,
                "The agent's command exited with code 3: no key.",
            ),
            (
                "half",
                "",
                Ended::Signalled(9),
                None,
                Class::TaskFailure,
                "The agent's command was ended from outside (9, SIGKILL, perhaps because memory ran out).",
            ),
            (
                "half",
                "",
                Ended::Exited(143),
                Some(Cut::Silence),
                Class::TaskFailure,
                "The agent's command printed nothing for 15 min, and was ended.",
            ),
            (
                "half",
                "",
                Ended::Exited(143),
                Some(Cut::Stop),
                Class::Interrupted,
                "The call was ended because the run was asked to stop.",
            ),
        ];
        for (stream, stderr, ended, cut, class, detail) in rows {
            let report = report("command", stream.as_bytes(), stderr, ended, cut);
            assert_eq!((report.class, report.detail.as_str()), (class, detail), "{ended:?}");
            assert_eq!(report.cost, None);
        }
    }

    #[test]
    fn claims_are_looked_for_in_all_that_it_said() {
        let said = report("command", b"I did it.\nWINDLASS_JOB_COMPLETE\n", "", Ended::Exited(0), None);
        assert_eq!(said.results, ["I did it.\nWINDLASS_JOB_COMPLETE"]);
        let failed = report("command", b"WINDLASS_JOB_COMPLETE\n", "", Ended::Exited(1), None);
        assert_eq!(failed.results, [""; 0], "a command that fails claims nothing");
        let long = [b"x\n".repeat(100_000), b"end".to_vec()].concat();
        let kept = report("command", &long, "", Ended::Exited(0), None).results;
        assert!(kept[0].len() <= 64 * 1024 && kept[0].ends_with("end"), "{}", kept[0].len());
    }
}
