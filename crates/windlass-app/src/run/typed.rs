//! The options of a request, to be typed once more in another directory.

use std::ffi::OsStr;

use windlass_core::config::Unlimited;
use windlass_engine::supervisor::OpenWait;

use super::request::ResumeRun;
use crate::text::quoted;

/// Flags of `resume` that stand alone: what they mean is in no value.
const SWITCHES: [&str; 4] = ["--no-delay", "--allow-overage", "--quiet", "--verbose"];

/// Those that a value follows. A request that was made of another verb's flags has more: `resume` knows no others.
const WITH_VALUES: [&str; 12] = [
    "--max-iterations",
    "--max-cost",
    "--budget-scope",
    "--max-tokens",
    "--max-duration",
    "--max-failures",
    "--max-wait",
    "--stagnation-threshold",
    "--model",
    "--delay",
    "--output",
    "--exit-codes",
];

impl ResumeRun {
    /// All that was said beside the run's name, with a blank before each; empty where nothing was.
    pub(crate) fn typed_options(&self) -> String {
        let mut options: Vec<String> = self
            .settings
            .flags()
            .filter_map(|(flag, value)| match value.as_str() {
                _ if SWITCHES.contains(&flag) => Some(flag.to_owned()),
                _ if !WITH_VALUES.contains(&flag) => None,
                Some(text) => Some(format!("{flag} {}", quoted(text.as_ref()))),
                None => Some(format!("{flag} {value}")),
            })
            .collect();
        let said = [
            (self.unlimited == Unlimited::Allowed, "--unlimited"),
            (self.accept_findings, "--accept-findings"),
            (self.wait == OpenWait::IsOver, "--try-now"),
            (self.trust.without_agent_settings, "--no-claude-settings"),
        ];
        options.extend(said.into_iter().filter(|(is_said, _)| *is_said).map(|(_, flag)| flag.to_owned()));
        options
            .extend(self.trust.hash.as_deref().map(|hash| format!("--trust {}", quoted(OsStr::new(hash)))));
        options.iter().flat_map(|option| [" ", option]).collect()
    }
}

#[cfg(test)]
mod tests {
    use windlass_core::config::{Layer, keys};

    use super::*;

    #[test]
    fn options_are_as_they_were_typed() {
        assert_eq!(ResumeRun::of(None).typed_options(), "");
        let mut settings = Layer::default();
        settings.flag(&keys::MAX_ITERATIONS, "--max-iterations", "4").unwrap();
        settings.flag(&keys::MAX_COST, "--max-cost", "2.5").unwrap();
        settings.flag(&keys::MAX_DURATION, "--max-duration", "1h30m").unwrap();
        settings.flag(&keys::MODEL, "--model", "a b").unwrap();
        settings.flag(&keys::DELAY, "--no-delay", "0").unwrap();
        settings.flag_list(&keys::GATES, "--gate", &["make".to_owned()]).unwrap();
        let request =
            ResumeRun { settings, wait: OpenWait::IsOver, accept_findings: true, ..ResumeRun::of(None) };
        let typed = request.typed_options();
        let mut words: Vec<&str> = typed.split(" --").collect();
        words.sort_unstable();
        let expected = [
            "",
            "accept-findings",
            "max-cost 2.5",
            "max-duration 1h30m",
            "max-iterations 4",
            "model 'a b'",
            "no-delay",
            "try-now",
        ];
        assert_eq!(words, expected, "{typed}");
    }
}
