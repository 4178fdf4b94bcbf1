//! A line of a plan.

/// A line of text, as it is put together.
#[derive(Default)]
pub(super) struct Line {
    pub plain: String,
    /// The same with the targets of links in place of their texts.
    pub linked: String,
    /// Within a link?
    pub links: u32,
    /// Where it begins.
    pub at: Option<usize>,
}

impl Line {
    pub fn push(&mut self, text: &str) {
        self.plain.push_str(text);
        if self.links == 0 {
            self.linked.push_str(text);
        }
    }
}
