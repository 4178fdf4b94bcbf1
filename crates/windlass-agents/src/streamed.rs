//! What a call has used, message by message, as its stream says: all there is of a call that dies without a result.
//!
//! A message shows up several times: at its start, once per block, at its end. Its prompt is known from the first of them,
//! what was written only at its end; until then that is estimated from how much text came.

use std::collections::{BTreeMap, VecDeque};

use windlass_core::price::ModelUsage;
use windlass_core::values::Tokens;

use super::{MessageId, MessageUsage};

/// So many messages are kept apart. More are never under way at once: they belong to agents that work side by side.
const OPEN: usize = 256;

/// Bytes of text to a token where nobody says how many tokens it was: rather too few than too many.
const BYTES_PER_TOKEN: u64 = 3;

/// The name of a model that writes fast begins with this: it costs more then.
pub(crate) const FAST: &str = "fast ";

/// The messages of one call.
#[derive(Debug, Default)]
pub(crate) struct Streamed {
    open: VecDeque<Message>,
    closed: BTreeMap<String, ModelUsage>,
}

#[derive(Debug, Default)]
struct Message {
    id: MessageId,
    model: String,
    tokens: Tokens,
    cached_for_an_hour: u64,
    whole: bool,
    /// Bytes that came piece by piece, and in whole blocks: the same text twice.
    pieces: u64,
    blocks: u64,
    /// A result has it in its totals.
    reported: bool,
}

impl Streamed {
    /// A message's usage was said, perhaps once more.
    pub(crate) fn used(&mut self, usage: &MessageUsage) {
        let message = self.message(usage.message);
        if message.model.is_empty() {
            message.model.clone_from(&usage.model);
        }
        let (known, said) = (&mut message.tokens, &usage.tokens);
        known.input = known.input.max(said.input);
        known.output = known.output.max(said.output);
        known.cache_creation = known.cache_creation.max(said.cache_creation);
        known.cache_read = known.cache_read.max(said.cache_read);
        message.cached_for_an_hour = message.cached_for_an_hour.max(usage.cached_for_an_hour);
        message.whole |= usage.whole;
        message.blocks = message.blocks.saturating_add(usage.written);
    }

    /// A piece of a message came.
    pub(crate) fn wrote(&mut self, message: MessageId, bytes: u64) {
        let message = self.message(message);
        message.pieces = message.pieces.saturating_add(bytes);
    }

    /// A result's totals have all that came before it.
    pub(crate) fn reported(&mut self) {
        self.closed.clear();
        for message in &mut self.open {
            message.reported = true;
        }
    }

    /// What no result has in its totals, per model.
    pub(crate) fn unreported(&self) -> Vec<ModelUsage> {
        let mut models = self.closed.clone();
        for message in self.open.iter().filter(|message| !message.reported) {
            message.add_to(&mut models);
        }
        models.into_values().filter(|used| used.tokens.total() > 0).collect()
    }

    fn message(&mut self, id: MessageId) -> &mut Message {
        // The last ones are asked for nearly always.
        let known = self.open.iter().rposition(|message| message.id == id);
        let at = known.unwrap_or_else(|| {
            if self.open.len() >= OPEN
                && let Some(oldest) = self.open.pop_front()
                && !oldest.reported
            {
                oldest.add_to(&mut self.closed);
            }
            self.open.push_back(Message { id, ..Message::default() });
            self.open.len() - 1
        });
        &mut self.open[at]
    }
}

impl Message {
    fn add_to(&self, models: &mut BTreeMap<String, ModelUsage>) {
        let written = self.pieces.max(self.blocks).div_ceil(BYTES_PER_TOKEN);
        let output = if self.whole { self.tokens.output } else { self.tokens.output.max(written) };
        let used = models.entry(self.model.clone()).or_default();
        used.model.clone_from(&self.model);
        used.tokens += Tokens { output, ..self.tokens };
        used.cached_for_an_hour = used.cached_for_an_hour.saturating_add(self.cached_for_an_hour);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn usage(message: u64, input: u64, output: u64) -> MessageUsage {
        MessageUsage {
            message: MessageId(message),
            model: "m".to_owned(),
            tokens: Tokens { input, output, ..Tokens::default() },
            cached_for_an_hour: 0,
            written: 0,
            whole: false,
        }
    }

    fn tokens(streamed: &Streamed) -> (u64, u64) {
        let unreported = streamed.unreported();
        assert!(unreported.len() <= 1);
        unreported.first().map_or((0, 0), |used| (used.tokens.input, used.tokens.output))
    }

    #[test]
    fn a_message_counts_once_and_its_end_decides() {
        let mut streamed = Streamed::default();
        for _ in 0..3 {
            streamed.used(&MessageUsage { written: 30, ..usage(1, 100, 1) });
        }
        streamed.wrote(MessageId(1), 45);
        assert_eq!(tokens(&streamed), (100, 30), "90 bytes in blocks are about 30 tokens");
        streamed.used(&MessageUsage { whole: true, ..usage(1, 100, 20) });
        assert_eq!(tokens(&streamed), (100, 20));
        streamed.used(&usage(2, 150, 1));
        streamed.wrote(MessageId(2), 7);
        assert_eq!(tokens(&streamed), (250, 23), "the second one is under way");
    }

    #[test]
    fn what_a_result_has_in_its_totals_counts_no_more() {
        let mut streamed = Streamed::default();
        streamed.used(&usage(1, 100, 20));
        streamed.reported();
        assert_eq!(tokens(&streamed), (0, 0));
        streamed.used(&usage(1, 100, 25));
        streamed.used(&usage(2, 10, 2));
        assert_eq!(tokens(&streamed), (10, 2));
    }

    #[test]
    fn messages_beyond_those_kept_apart_still_count() {
        let mut streamed = Streamed::default();
        for id in 0..1_000 {
            streamed.used(&usage(id, 10, 1));
        }
        assert_eq!((streamed.open.len(), tokens(&streamed)), (OPEN, (10_000, 1_000)));
        streamed.reported();
        assert_eq!(tokens(&streamed), (0, 0));
    }
}
