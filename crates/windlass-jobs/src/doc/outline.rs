//! A document's headings and what stands below each, in plain text: items of lists, rows of tables, paragraphs, code.
//!
//! Read as `CommonMark` has it, so that no heading is found in code, whatever levels headings have and however lists are written.

use std::ops::Range;

use pulldown_cmark::{CodeBlockKind, Event, HeadingLevel, Options, Parser, Tag, TagEnd};
use windlass_core::nesting;

use super::lines::Lines;
use super::text::{one_line, without_mark};

/// A document as it was read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(in crate::doc) struct Outline {
    /// What stands before the first heading, if anything does, and then a section for each heading.
    pub sections: Vec<Section>,
    /// The line of a fence that nothing closes.
    pub open_fence: Option<usize>,
}

/// A heading, and what stands between it and the next one of any level.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(in crate::doc) struct Section {
    /// From 1; 0 before the first heading.
    pub level: usize,
    pub title: String,
    pub line: usize,
    pub blocks: Vec<Block>,
}

/// A piece of text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(in crate::doc) struct Block {
    pub kind: BlockKind,
    /// Without markup, in one line; code as it is.
    pub text: String,
    /// What of it is written as code.
    pub codes: Vec<String>,
    pub line: usize,
}

/// What a [`Block`] is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::doc) enum BlockKind {
    #[default]
    Paragraph,
    /// An item of a list, so many lists deep, or a row of a table.
    Item(usize),
    Code,
}

/// Reads a document. What nests too deeply is a document without anything in it.
pub(in crate::doc) fn read(text: &str) -> Outline {
    let (text, _) = without_mark(text);
    let lines = Lines::of(text);
    let mut reader = Reader { text, lines, ..Reader::default() };
    if nesting::too_deep(text).is_none() {
        for (event, range) in Parser::new_ext(text, Options::ENABLE_TABLES).into_offset_iter() {
            reader.see(event, range);
        }
        reader.close();
    }
    reader.outline
}

#[derive(Default)]
struct Reader<'a> {
    text: &'a str,
    lines: Lines<'a>,
    outline: Outline,
    /// How many lists are open, and how many quotes.
    depth: usize,
    quotes: usize,
    /// The heading that is open.
    heading: Option<(usize, Block)>,
    /// The block that is open; nothing of it may have been read.
    block: Option<Block>,
    /// Within a comment.
    comment: bool,
    /// So many cells of the row at hand have begun.
    cells: usize,
}

impl Reader<'_> {
    fn see(&mut self, event: Event<'_>, range: Range<usize>) {
        match event {
            Event::Start(tag) => self.start(&tag, range),
            Event::End(tag) => self.end(tag),
            Event::Code(text) => {
                self.add(&text, range.start);
                if let Some(block) = self.target() {
                    block.codes.push(one_line(&text));
                }
            }
            Event::Text(text) => self.add(&text, range.start),
            // `<what is wanted>` is text, whatever a browser would make of it.
            Event::InlineHtml(html) | Event::Html(html) if !self.comment && !html.starts_with("<!--") => {
                self.add(&html, range.start);
            }
            Event::SoftBreak | Event::HardBreak => self.add("\n", range.start),
            _ => {}
        }
    }

    fn start(&mut self, tag: &Tag<'_>, range: Range<usize>) {
        match tag {
            Tag::Heading { level, .. } if self.depth == 0 && self.quotes == 0 => {
                self.close();
                let block = Block { line: self.lines.line_of(range.start), ..Block::default() };
                self.heading = Some((rank(*level), block));
            }
            Tag::List(_) => {
                self.close();
                self.depth += 1;
            }
            Tag::Item => self.open(BlockKind::Item(self.depth), range.start),
            Tag::TableRow | Tag::TableHead => {
                self.open(BlockKind::Item(1), range.start);
                self.cells = 0;
            }
            Tag::TableCell => {
                // The first cell names what the others are about.
                let between = ["", ": "].get(self.cells).copied().unwrap_or(" | ");
                self.cells += 1;
                self.add(between, range.start);
            }
            // The first paragraph of an item is the item itself.
            Tag::HtmlBlock if self.is_comment(&range) => self.comment = true,
            Tag::Paragraph | Tag::HtmlBlock if self.is_in_fresh_item() => {}
            Tag::Paragraph | Tag::HtmlBlock => self.open(BlockKind::Paragraph, range.start),
            Tag::CodeBlock(kind) => {
                if matches!(kind, CodeBlockKind::Fenced(_)) && !is_closed(self.text, &range) {
                    self.outline.open_fence = Some(self.lines.line_of(range.start));
                }
                self.open(BlockKind::Code, range.start);
            }
            Tag::BlockQuote(_) => self.quotes += 1,
            _ => {}
        }
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Heading(_) => self.end_heading(),
            TagEnd::List(_) => {
                self.close();
                self.depth = self.depth.saturating_sub(1);
            }
            TagEnd::BlockQuote(_) => self.quotes = self.quotes.saturating_sub(1),
            TagEnd::TableHead => self.block = None,
            TagEnd::HtmlBlock if self.comment => self.comment = false,
            TagEnd::Item | TagEnd::TableRow | TagEnd::Paragraph | TagEnd::CodeBlock | TagEnd::HtmlBlock => {
                self.close();
            }
            _ => {}
        }
    }

    fn end_heading(&mut self) {
        let Some((level, block)) = self.heading.take() else { return };
        let title = one_line(&block.text);
        self.outline.sections.push(Section { level, title, line: block.line, blocks: Vec::new() });
    }

    fn is_comment(&self, range: &Range<usize>) -> bool {
        self.text.get(range.clone()).is_some_and(|html| html.trim_start().starts_with("<!--"))
    }

    fn is_in_fresh_item(&self) -> bool {
        self.block
            .as_ref()
            .is_some_and(|block| matches!(block.kind, BlockKind::Item(_)) && block.text.trim().is_empty())
    }

    fn open(&mut self, kind: BlockKind, at: usize) {
        self.close();
        self.block = Some(Block { kind, line: self.lines.line_of(at), ..Block::default() });
    }

    /// Puts the open block where it belongs. An item without a word is one all the same: nothing was written there.
    fn close(&mut self) {
        let Some(mut block) = self.block.take() else { return };
        if block.kind != BlockKind::Code {
            block.text = one_line(&block.text);
        }
        if block.text.trim().is_empty() && !matches!(block.kind, BlockKind::Item(_)) {
            return;
        }
        if self.outline.sections.is_empty() {
            self.outline.sections.push(Section { line: 1, ..Section::default() });
        }
        if let Some(section) = self.outline.sections.last_mut() {
            section.blocks.push(block);
        }
    }

    fn target(&mut self) -> Option<&mut Block> {
        self.heading.as_mut().map(|(_, block)| block).or(self.block.as_mut())
    }

    fn add(&mut self, text: &str, at: usize) {
        if self.target().is_none() {
            self.open(BlockKind::Paragraph, at);
        }
        if let Some(block) = self.target() {
            block.text.push_str(text);
        }
    }
}

const fn rank(level: HeadingLevel) -> usize {
    level as usize
}

/// Does a fenced block end with a fence? One that does not goes to the end of the document.
fn is_closed(text: &str, range: &Range<usize>) -> bool {
    let block = text.get(range.clone()).unwrap_or_default().trim_end();
    let last = block.lines().skip(1).last().unwrap_or_default().trim_start_matches([' ', '\t', '>']);
    let is_fence = |letter| last.len() >= 3 && last.chars().all(|each| each == letter);
    is_fence('`') || is_fence('~')
}

impl Outline {
    /// The sections under each heading that is called so, deeper ones included. A title of the whole document is not meant
    /// where another heading is.
    pub fn under(&self, is_meant: impl Fn(&str) -> bool) -> Vec<&[Section]> {
        let first = self.sections.iter().position(|section| section.level > 0);
        let title = first.filter(|at| self.sections.get(*at).is_some_and(|section| section.level == 1));
        let meant = |at: &usize| {
            self.sections
                .get(*at)
                .is_some_and(|section| section.level > 0 && is_meant(&plain(&section.title)))
        };
        let mut found: Vec<usize> = (0..self.sections.len()).filter(meant).collect();
        if found.len() > 1 {
            found.retain(|at| Some(*at) != title);
        }
        let mut groups: Vec<&[Section]> = Vec::new();
        let mut end = 0;
        for at in found {
            // One within another is part of that.
            if at >= end {
                end = self.end_of(at);
                groups.extend(self.sections.get(at..end));
            }
        }
        groups
    }

    fn end_of(&self, at: usize) -> usize {
        let level = self.sections.get(at).map_or(0, |section| section.level);
        let mut rest = self.sections.iter().enumerate().skip(at + 1);
        rest.find(|(_, later)| later.level <= level).map_or(self.sections.len(), |(end, _)| end)
    }

    /// Is there nothing in it but headings, or not even those?
    pub fn is_empty(&self) -> bool {
        self.sections.iter().all(|section| section.blocks.iter().all(|block| block.text.trim().is_empty()))
    }
}

/// A heading's words in lower case, without what numbers or decorates it.
fn plain(title: &str) -> String {
    let words = title.trim_start_matches(|letter: char| !letter.is_alphabetic());
    let words = words.trim_end_matches(|letter: char| !letter.is_alphanumeric() && letter != ')');
    words.to_lowercase().replace('’', "'")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(text: &str) -> Vec<(usize, String, Vec<String>)> {
        let told = |section: Section| {
            (section.level, section.title, section.blocks.into_iter().map(|block| block.text).collect())
        };
        read(text).sections.into_iter().map(told).collect()
    }

    // rows: 97
    // Seed defect D4, prd/parser.go:12: sub-headings ended sections, and "3.5 GB" became "GB".
    #[test]
    fn headings_of_any_level_lists_of_any_style_and_no_heading_in_code() {
        let text = "intro\n\nGoals\n=====\n* one\n+ two\n1) 3.5 GB of memory\n   more\n   - nested\n\n\
                    #### Deep ####\nwords\nand more\n\n```md\n## Not a heading\n```\n\n| Id | What |\n|--|--|\n| R1 | it runs |\n";
        assert_eq!(
            texts(text),
            [
                (0, String::new(), vec!["intro".to_owned()]),
                (
                    1,
                    "Goals".to_owned(),
                    ["one", "two", "3.5 GB of memory more", "nested"].map(str::to_owned).to_vec()
                ),
                (
                    4,
                    "Deep".to_owned(),
                    ["words and more", "## Not a heading\n", "R1: it runs"].map(str::to_owned).to_vec()
                ),
            ]
        );
    }

    #[test]
    fn lines_codes_and_depths_are_known() {
        let outline = read("\u{feff}# A\r\n\r\n- x `a/b.rs` y\r\n  - deep\r\n");
        let blocks = &outline.sections[0].blocks;
        assert_eq!(
            (blocks[0].line, blocks[0].kind, &*blocks[0].codes),
            (3, BlockKind::Item(1), &["a/b.rs".to_owned()][..])
        );
        assert_eq!((blocks[1].line, blocks[1].kind), (4, BlockKind::Item(2)));
    }

    #[test]
    fn a_fence_that_nothing_closes_is_known() {
        for (text, line) in [
            ("a\n\n```rust\nfn main() {\n", Some(3)),
            ("```\nx\n```\n", None),
            ("```\n", Some(1)),
            ("~~~~\nx\n~~~\n", None),
            ("- a\n  ```\n  x\n  ```\n", None),
            ("    indented\n", None),
        ] {
            assert_eq!(read(text).open_fence, line, "{text:?}");
        }
    }

    #[test]
    fn a_group_has_all_below_its_heading_and_the_documents_title_is_not_one() {
        let outline = read("# Requirements of a parser\n## 2. Requirements:\n- a\n### More\n- b\n## Else\n");
        let groups = outline.under(|title| title.starts_with("requirements"));
        assert_eq!(groups.len(), 1);
        assert_eq!(
            groups[0].iter().map(|section| &*section.title).collect::<Vec<_>>(),
            ["2. Requirements:", "More"]
        );
        assert_eq!(read("# Goals\n- a\n").under(|title| title == "goals").len(), 1);
    }

    #[test]
    fn placeholders_in_angle_brackets_are_text_and_comments_are_not() {
        assert_eq!(texts("- <what it does>\n\n<!-- a\nb -->\n")[0].2, ["<what it does>"]);
    }
}
