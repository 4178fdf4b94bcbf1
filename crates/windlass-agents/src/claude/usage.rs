//! What Claude Code says of tokens, in whichever line it does.

use std::hash::{DefaultHasher, Hash, Hasher};

use windlass_core::price::ModelUsage;
use windlass_core::values::Tokens;

use super::event::{CacheSpans, Message, System, Usage, WorkflowAgent};
use crate::json::{self, Field};
use crate::streamed::FAST;
use crate::{MessageId, MessageUsage};

/// One `usage` object.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Said {
    pub tokens: Tokens,
    cached_for_an_hour: u64,
    searches: u64,
    is_fast: bool,
}

impl Said {
    pub fn of(usage: Field<'_>) -> Said {
        let usage = json::object::<Usage<'_>>(usage).unwrap_or_default();
        let spans = json::object::<CacheSpans<'_>>(usage.cache_spans).unwrap_or_default();
        Said {
            tokens: Tokens {
                input: json::whole(usage.input).unwrap_or(0),
                output: json::whole(usage.output).unwrap_or(0),
                cache_creation: json::whole(usage.cache_creation).unwrap_or(0),
                cache_read: json::whole(usage.cache_read).unwrap_or(0),
            },
            cached_for_an_hour: json::whole(spans.hour).unwrap_or(0),
            searches: json::whole(usage.searches).unwrap_or(0),
            is_fast: json::word(usage.speed) == "fast",
        }
    }

    pub fn of_model(self, model: String) -> ModelUsage {
        let Said { tokens, cached_for_an_hour, searches, is_fast: _ } = self;
        ModelUsage { model, tokens, cached_for_an_hour, searches }
    }

    pub fn of_message(self, message: MessageId) -> MessageUsage {
        let Said { tokens, cached_for_an_hour, .. } = self;
        MessageUsage { message, model: String::new(), tokens, cached_for_an_hour, written: 0, whole: false }
    }
}

/// Which message a name stands for.
pub(super) fn message_id(name: Field<'_>) -> Option<MessageId> {
    let name = json::word(name);
    (!name.is_empty()).then(|| {
        let mut hasher = DefaultHasher::new();
        name.hash(&mut hasher);
        MessageId(hasher.finish())
    })
}

/// What a message says of itself. The program's own messages have used nothing.
pub(super) fn of_message(message: &Message<'_>, written: u64) -> Option<MessageUsage> {
    let said = Said::of(message.usage);
    let id = message_id(message.id).filter(|_| said.tokens.total() > 0)?;
    let model = json::word(message.model);
    let speed = if said.is_fast && !model.is_empty() { FAST } else { "" };
    Some(MessageUsage {
        model: format!("{speed}{model}"),
        written,
        whole: message.stop_reason.is_some(),
        ..said.of_message(id)
    })
}

/// What the agents of a workflow are said to have used: how much each has read last, and so the least that it was sent.
pub(super) fn of_workflow(progress: &System<'_>, mut used: impl FnMut(MessageUsage)) {
    json::each(progress.workflow_progress, |agent| {
        let Some(agent) = json::object::<WorkflowAgent<'_>>(agent) else { return };
        let input = json::whole(agent.tokens).unwrap_or(0);
        if let Some(message) = message_id(agent.id).filter(|_| input > 0) {
            let tokens = Tokens { input, ..Tokens::default() };
            let model = json::word(agent.model).into_owned();
            used(MessageUsage { message, model, tokens, ..MessageUsage::default() });
        }
    });
}
