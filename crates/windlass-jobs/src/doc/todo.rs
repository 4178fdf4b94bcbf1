//! Boxes in a Markdown list: `- [ ] open`, `- [x] done`.

use pulldown_cmark::{Event, Options, Parser};
use windlass_core::values::Items;

/// Counts the task boxes of a Markdown text as `CommonMark` sees them: not those in code, quotes or HTML comments.
/// `None` when there are none.
pub fn count_boxes(text: &str) -> Option<Items> {
    let mut items = Items::default();
    let mut quotes = 0_u32;
    for event in Parser::new_ext(text, Options::ENABLE_TASKLISTS) {
        match event {
            Event::Start(pulldown_cmark::Tag::BlockQuote(_)) => quotes += 1,
            Event::End(pulldown_cmark::TagEnd::BlockQuote(_)) => quotes = quotes.saturating_sub(1),
            Event::TaskListMarker(done) if quotes == 0 => {
                items.total += 1;
                items.done += u64::from(done);
            }
            _ => {}
        }
    }
    (items.total > 0).then_some(items)
}

#[cfg(test)]
mod tests {
    use super::*;

    // rows: 47
    #[test]
    fn boxes_in_code_quotes_and_comments_are_no_tasks() {
        let text = "# Work\r\n\r\n- [x] done\r\n- [ ] open\r\n  1. [X] nested\r\n\r\n```\n- [ ] code\n```\n\n\
                    > - [ ] quoted\n\n<!--\n- [ ] hidden\n-->\n\n* [ ] star\n+ [x] plus\n";
        assert_eq!(count_boxes(text), Some(Items { done: 3, total: 5 }));
    }

    #[test]
    fn a_text_without_boxes_says_nothing() {
        assert_eq!(count_boxes(""), None);
        assert_eq!(count_boxes("All done. 0 remaining. [x]\n"), None);
    }
}
