//! What a tool answered, cut to a size that can be shown.

use windlass_core::observation::Excerpt;

use super::event::Block;
use crate::json::{self, Field};

/// So much of an answer is shown.
const ANSWER: usize = 64 * 1024;

/// Errors are whole up to here (seed row 38).
const ERROR: usize = 1024 * 1024;

/// The answer of a tool: a string, or blocks of text, images and others.
pub(super) fn excerpt(content: Field<'_>, is_error: bool) -> Excerpt {
    let mut answer =
        AnswerExcerpt { excerpt: Excerpt::default(), limit: if is_error { ERROR } else { ANSWER } };
    if !json::each(content, |block| answer.block(block)) {
        answer.string(content);
    }
    answer.finished()
}

struct AnswerExcerpt {
    excerpt: Excerpt,
    limit: usize,
}

impl AnswerExcerpt {
    fn block(&mut self, block: Field<'_>) {
        let Some(block) = json::object::<Block<'_>>(block) else { return };
        if self.excerpt.bytes > 0 {
            self.plain("\n");
        }
        match &*json::word(block.kind) {
            "text" => self.string(block.text),
            kind => self.plain(&format!("[{}]", json::first_bytes(kind, 40))),
        }
    }

    fn string(&mut self, text: Field<'_>) {
        let Some(piece) = json::piece(text, self.room()) else { return };
        self.excerpt.text.push_str(&piece.text);
        self.excerpt.cut |= !piece.whole;
        let whole = if piece.whole { piece.text.len() } else { text.map_or(0, |raw| raw.len() - 2) };
        self.excerpt.bytes += whole as u64;
    }

    fn plain(&mut self, text: &str) {
        let fits = json::first_bytes(text, self.room());
        self.excerpt.text.push_str(fits);
        self.excerpt.cut |= fits.len() < text.len();
        self.excerpt.bytes += text.len() as u64;
    }

    fn room(&self) -> usize {
        self.limit.saturating_sub(self.excerpt.text.len())
    }

    fn finished(mut self) -> Excerpt {
        let bare = self
            .excerpt
            .text
            .strip_prefix("<tool_use_error>")
            .and_then(|text| text.strip_suffix("</tool_use_error>"));
        if let Some(bare) = bare.map(str::to_owned) {
            self.excerpt.bytes = bare.len() as u64;
            self.excerpt.text = bare;
        }
        self.excerpt.lines = json::lines(&self.excerpt.text);
        self.excerpt
    }
}
