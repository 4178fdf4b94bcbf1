//! What configuration says about fresh agents that look at work, or decide.

use super::error::ConfigError;
use super::keys;
use super::sections::ReviewSettings;
use super::setting::{Count, TextOrNothing};
use super::values::Values;
use crate::spec::{CouncilSpec, ReviewSpec};

impl Values {
    pub(super) fn review(&self) -> Result<ReviewSettings, ConfigError> {
        let spec = ReviewSpec {
            prompt: self.get(&keys::REVIEW_PROMPT).map(|TextOrNothing(text)| text.unwrap_or_default())?,
            model: self.get(&keys::REVIEW_MODEL).map(|TextOrNothing(model)| model)?,
            skip_below_lines: self.get(&keys::REVIEW_SKIP_BELOW_LINES).map(|Count(number)| number)?,
            ..ReviewSpec::default()
        };
        Ok(ReviewSettings { enabled: self.get(&keys::REVIEW_ENABLED)?, spec })
    }

    pub(super) fn council(&self) -> Result<Option<CouncilSpec>, ConfigError> {
        let council = CouncilSpec {
            model: self.get(&keys::COUNCIL_MODEL).map(|TextOrNothing(model)| model)?,
            per_run: self.get(&keys::COUNCIL_PER_RUN).map(|Count(number)| number)?,
            logs: self.get(&keys::COUNCIL_LOG)?,
        };
        Ok(self.get(&keys::COUNCIL_ENABLED)?.then_some(council))
    }
}
