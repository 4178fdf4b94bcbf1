//! Rows that are scrolled, followed and searched: a tab of an iteration, a report. Of a long transcript only a part is here.

use jiff::Timestamp;
use windlass_core::values::between;
use windlass_ui::{Tone, format};

use crate::text::{self, wrapped};

/// Rows of a transcript that are held at once. Beyond that the far end is let go; it is read again when somebody scrolls there.
const HELD: usize = 900;

/// Lines of one row that are shown; the rest is written to a file on demand.
const LINES_OF_ROW: usize = 40;

/// Columns that labels stand in.
const LABEL: usize = 6;

/// One row: an utterance, a tool call, a line of a patch.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Row {
    /// Where it comes from, in bytes; counts up.
    pub offset: u64,
    /// What stands before it: a tool's name, `text`; empty in what has no labels.
    pub label: String,
    /// What it says, already harmless; may have several lines.
    pub text: String,
    /// What stands at the right edge of its first line.
    pub tail: String,
    /// The name by which an answer finds it; empty where none comes.
    pub name: String,
    /// The row that it answers, by its name, and what is said there of it.
    pub answers: Option<ResultMark>,
    /// When it came.
    pub at: Option<Timestamp>,
    /// What it means.
    pub tone: Meaning,
}

/// What a row says of the one that it answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResultMark {
    /// The name of that one.
    pub to: String,
    /// `ok`, `failed`.
    pub word: &'static str,
}

/// [`Tone`], with a default.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Meaning(pub Tone);

impl Default for Meaning {
    fn default() -> Meaning {
        Meaning(Tone::Plain)
    }
}

impl Row {
    /// A row without a label.
    pub fn of(tone: Tone, text: impl Into<String>) -> Row {
        Row { text: text.into(), tone: Meaning(tone), ..Row::default() }
    }

    /// A row with a label.
    pub fn labelled(label: &str, tone: Tone, text: impl Into<String>) -> Row {
        Row { label: label.to_owned(), ..Row::of(tone, text) }
    }
}

/// A part of what can be shown.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Part {
    /// Its rows.
    pub rows: Vec<Row>,
    /// Where it begins, in bytes.
    pub from: u64,
    /// Where it ends, in bytes: where the next part begins.
    pub to: u64,
    /// Bytes of the whole, as far as it is known.
    pub total: u64,
}

/// Where a part belongs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Placing {
    /// Instead of all that is there; the end is shown.
    End,
    /// Instead of all that is there; its beginning is shown.
    Beginning,
    /// Before what is there.
    Before,
    /// Behind what is there.
    Behind,
}

/// What has to be read so that scrolling can go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ask {
    /// What lies before this byte.
    Before(u64),
    /// What lies behind this byte.
    Behind(u64),
    /// The last part.
    End,
    /// The first part.
    Beginning,
}

/// A line on the screen: which row, which of its lines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// The row's place among those that are held.
    pub row: usize,
    /// The first line of its row.
    pub first: bool,
    /// What it says.
    pub text: String,
}

/// Rows, and how far they are scrolled.
#[derive(Clone, Debug, Default)]
pub struct Pager {
    rows: Vec<Row>,
    from: u64,
    to: u64,
    total: u64,
    /// The rows are here, even if there are none.
    pub loaded: bool,
    /// Something was asked for and has not come.
    waiting: bool,
    /// Stays at the end.
    follows: bool,
    /// The line at the top.
    top: usize,
    lines: Vec<Line>,
    columns: usize,
    height: usize,
    /// What is looked for.
    pub needle: String,
}

impl Pager {
    /// One that is filled by what comes, and shows its end.
    pub fn following() -> Pager {
        Pager { follows: true, ..Pager::default() }
    }

    /// One that holds all there is.
    pub fn whole(rows: Vec<Row>) -> Pager {
        let mut pager = Pager { loaded: true, ..Pager::default() };
        pager.rows = rows;
        pager
    }

    /// Is it at its end, and will it stay there?
    pub const fn follows(&self) -> bool {
        self.follows
    }

    /// Its rows.
    pub fn rows(&self) -> &[Row] {
        &self.rows
    }

    /// Where the next part begins.
    pub const fn end(&self) -> u64 {
        self.to
    }

    /// Bytes that lie behind what is here.
    pub const fn behind(&self) -> u64 {
        self.total.saturating_sub(self.to)
    }

    /// How far through all of it the view is, in hundredths.
    pub fn percent(&self) -> u64 {
        let last = self.lines.len().saturating_sub(self.height);
        let here = if last == 0 { 1.0 } else { self.top.min(last) as f64 / last as f64 };
        let length = self.to.saturating_sub(self.from) as f64;
        if self.total == 0 || length == 0.0 {
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "0 to 100")]
            return (here * 100.0) as u64;
        }
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "0 to 100")]
        let percent = ((self.from as f64 + here * length) * 100.0 / self.total as f64) as u64;
        percent.min(100)
    }

    /// Takes other rows in the place of all; the view stays where it was.
    pub fn replace(&mut self, rows: Vec<Row>) {
        self.loaded = true;
        if self.rows != rows {
            self.rows = rows;
            self.wrap();
        }
    }

    /// Takes a part in.
    pub fn take(&mut self, part: Part, placing: Placing) {
        self.loaded = true;
        self.waiting = false;
        self.total = self.total.max(part.total);
        match placing {
            Placing::End | Placing::Beginning => {
                (self.from, self.to, self.total) = (part.from, part.to, part.total);
                self.rows = part.rows;
                self.follows = placing == Placing::End;
                self.top = 0;
                self.wrap();
            }
            Placing::Before if part.to == self.from => {
                let before = self.lines.len();
                self.from = part.from;
                self.rows.splice(0..0, part.rows);
                self.wrap();
                self.top += self.lines.len().saturating_sub(before);
                self.let_go_behind();
            }
            Placing::Behind if part.from == self.to => {
                self.to = part.to;
                self.rows.extend(part.rows);
                self.let_go_before();
                self.wrap();
            }
            // Of a place that was left meanwhile.
            Placing::Before | Placing::Behind => {}
        }
        self.settle();
    }

    /// More lies behind what is here.
    pub fn grew(&mut self, total: u64) {
        self.total = self.total.max(total);
    }

    /// Says at each row how it was answered, and after which time.
    fn answer(&mut self) {
        let answers: Vec<(ResultMark, Option<Timestamp>)> =
            self.rows.iter().filter_map(|row| Some((row.answers.clone()?, row.at))).collect();
        for (answer, at) in answers {
            let Some(asked) = self.rows.iter_mut().find(|row| row.name == answer.to) else { continue };
            let took =
                asked.at.zip(at).map(|(asked, answered)| format::whole_seconds(between(asked, answered)));
            asked.tail = format!("{:<6} {:>6}", answer.word, took.unwrap_or_default());
        }
    }

    fn let_go_before(&mut self) {
        let surplus = self.rows.len().saturating_sub(HELD);
        if surplus == 0 {
            return;
        }
        // Rows of one line go together: what lies before them is read up to there.
        let cut = self.rows.get(surplus).map_or(self.to, |row| row.offset);
        let rows = self.rows.iter().take_while(|row| row.offset < cut).count();
        let gone = self.lines.iter().filter(|line| line.row < rows).count();
        self.rows.drain(..rows);
        self.from = cut;
        self.top = self.top.saturating_sub(gone);
    }

    fn let_go_behind(&mut self) {
        if self.rows.len() <= HELD {
            return;
        }
        // Lines of one offset go together: what follows them is read from there.
        let cut = self.rows.get(HELD).map_or(self.to, |row| row.offset);
        self.rows.retain(|row| row.offset < cut);
        self.to = cut;
        self.follows = false;
        self.wrap();
    }

    /// The room it is shown in.
    pub fn resize(&mut self, columns: usize, height: usize) {
        if (self.columns, self.height) == (columns, height) {
            return;
        }
        let kept = self.lines.get(self.top).map(|line| line.row);
        let rewrap = self.columns != columns;
        (self.columns, self.height) = (columns, height);
        if rewrap {
            self.wrap();
            if let Some(row) = kept {
                self.top = self.lines.iter().position(|line| line.row == row).unwrap_or_default();
            }
        }
        self.settle();
    }

    fn wrap(&mut self) {
        self.lines.clear();
        if self.columns == 0 {
            return;
        }
        self.answer();
        for (place, row) in self.rows.iter().enumerate() {
            let columns = self.columns.saturating_sub(Pager::indent(row));
            let (lines, more) = wrapped(&row.text, columns, LINES_OF_ROW);
            // The tail needs room on the first line.
            let tail = if row.tail.is_empty() { 0 } else { text::width(&row.tail) + 2 };
            for (index, line) in lines.iter().enumerate() {
                let room = if index == 0 { columns.saturating_sub(tail).max(1) } else { columns };
                let text = if index == 0 { text::fit(line, room) } else { (*line).to_owned() };
                self.lines.push(Line { row: place, first: index == 0, text });
            }
            if more {
                let text = "~ more: e writes all of it to a file".to_owned();
                self.lines.push(Line { row: place, first: false, text });
            }
        }
        self.settle();
    }

    /// Columns before the text of a row.
    pub fn indent(row: &Row) -> usize {
        if row.label.is_empty() { 0 } else { LABEL.max(text::width(&row.label)) + 1 }
    }

    fn settle(&mut self) {
        let last = self.lines.len().saturating_sub(self.height);
        self.top = if self.follows { last } else { self.top.min(last) };
    }

    /// The lines to be shown, each with its row.
    pub fn shown(&self) -> impl Iterator<Item = (&Line, &Row)> {
        let lines = self.lines.iter().skip(self.top).take(self.height);
        lines.filter_map(|line| Some((line, self.rows.get(line.row)?)))
    }

    /// The row at the top.
    pub fn at_top(&self) -> Option<&Row> {
        self.rows.get(self.lines.get(self.top)?.row)
    }

    /// Scrolls by so many lines; says what has to be read, if anything.
    pub fn scroll(&mut self, lines: isize) -> Option<Ask> {
        let last = self.lines.len().saturating_sub(self.height);
        let wanted = self.top.saturating_add_signed(lines);
        self.follows = lines > 0 && wanted >= last && self.to >= self.total;
        self.top = wanted.min(last);
        self.needed()
    }

    /// By pages.
    pub fn scroll_pages(&mut self, pages: isize) -> Option<Ask> {
        let page = isize::try_from(self.height.saturating_sub(1).max(1)).unwrap_or(1);
        self.scroll(pages * page)
    }

    fn needed(&mut self) -> Option<Ask> {
        if self.waiting {
            return None;
        }
        let margin = self.height;
        let ask = if self.top < margin && self.from > 0 {
            Some(Ask::Before(self.from))
        } else if self.top + self.height + margin >= self.lines.len() && self.to < self.total {
            Some(Ask::Behind(self.to))
        } else {
            None
        };
        self.waiting = ask.is_some();
        ask
    }

    /// To the first line.
    pub fn first(&mut self) -> Option<Ask> {
        self.follows = false;
        self.top = 0;
        (self.from > 0).then_some(Ask::Beginning)
    }

    /// To the last line, and there it stays.
    pub fn last(&mut self) -> Option<Ask> {
        self.follows = true;
        self.settle();
        (self.to < self.total).then_some(Ask::End)
    }

    /// To the next row with what is looked for, or the one before; says whether there is one here.
    pub fn seek(&mut self, direction: Direction) -> bool {
        let needle = self.needle.to_lowercase();
        let here = self.lines.get(self.top).map_or(0, |line| line.row);
        let has = |row: &Row| row.text.to_lowercase().contains(&needle) || row.label.to_lowercase() == needle;
        let found = match direction {
            Direction::Forward => self.rows.iter().enumerate().skip(here + 1).find(|(_, row)| has(row)),
            Direction::Backward => self.rows.iter().enumerate().take(here).rev().find(|(_, row)| has(row)),
        };
        let Some((place, _)) = found else { return false };
        self.show(place);
        true
    }

    /// To the row that comes from this byte, or the first one behind it.
    pub fn show_offset(&mut self, offset: u64) {
        if let Some(place) = self.rows.iter().position(|row| row.offset >= offset) {
            self.show(place);
        }
    }

    fn show(&mut self, row: usize) {
        self.follows = false;
        self.top = self.lines.iter().position(|line| line.row == row).unwrap_or_default();
        // What is found is at the top, even where less than a page follows.
        let last = self.lines.len().saturating_sub(1);
        self.top = self.top.min(last);
    }
}

/// Which way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// Towards the end.
    Forward,
    /// Towards the beginning.
    Backward,
}

#[cfg(test)]
#[path = "pager_tests.rs"]
mod tests;
