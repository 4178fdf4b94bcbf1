//! One file of a plan, event by event.

use std::collections::HashSet;
use std::ops::Range;
use std::sync::Arc;

use pulldown_cmark::{Event, HeadingLevel, Options, Parser, Tag, TagEnd};

use windlass_core::values::TaskState;

use super::attribute::{self, Attribute};
use super::heading::Holds;
use super::line::Line;
use super::section::Section;
use super::settle::{Own, Step, settle, take_prose};
use super::state::any_box_at;
use super::tags::{self, Tagged};
use super::ticked::{self, Ticked};
use super::{criteria_title, doubts, heading, progress, reference, section};
use crate::doc::Problem;
use crate::doc::lines::Lines;
use crate::doc::tasks::source::PlanNotes;
use crate::doc::tasks::sources::open_rows;
use crate::doc::tasks::task::StatePlace;
use crate::doc::tasks::{FileRole, InPlan, Item, Reading, Task, missed, stuck};
use crate::doc::text::{base_name, ends_in, without_mark};

/// So many references, dependencies or files of one task or section are read.
pub(super) const MOST_NAMED: usize = 100;

/// A heading whose section is not over.
pub(super) struct OpenHeading {
    pub(super) level: HeadingLevel,
    title: Arc<str>,
    priority: Option<u32>,
    pub(super) counts: bool,
    pub(super) holds: Holds,
    /// The task that the heading is, as long as there is no box below it.
    pub(super) task: Option<usize>,
}

#[derive(Default)]
pub(super) struct Reader<'a> {
    /// Without byte order mark.
    pub(super) text: &'a str,
    /// The mark's length.
    pub(super) base: usize,
    /// The sections between tags.
    pub(super) tagged: Tagged,
    name: Arc<str>,
    pub(super) role: FileRole,
    pub(super) about: PlanNotes,
    pub(super) tasks: Vec<Task>,
    /// Boxes below a heading or a line that says that these are criteria, each with the task that they belong to.
    pub(super) criteria: Vec<(Task, Option<usize>)>,
    pub(super) problems: Vec<Problem>,
    /// How many list items were open where a line said that criteria follow.
    pub(super) criteria_from: Option<usize>,
    pub(super) headings: Vec<OpenHeading>,
    /// All sections; the first is the file.
    pub(super) sections: Vec<Section>,
    pub(super) open_sections: Vec<usize>,
    /// For each open list item the task that it is or is nested in.
    pub(super) items: Vec<Option<usize>>,
    /// Where the outermost of them begins.
    outer: usize,
    quotes: u32,
    /// Within a heading: where it began.
    heading: Option<Range<usize>>,
    /// The box that it begins with.
    ticked: Option<Ticked>,
    /// A list item has begun and nothing of it has been seen.
    fresh_item: Option<Range<usize>>,
    /// The task whose first paragraph this is.
    pub(super) naming: Option<usize>,
    /// Text before this place is a marker.
    skip_until: usize,
    /// The latest task below the latest heading.
    pub(super) latest: Option<usize>,
    /// The line with a name that is not over.
    pub(super) named_line: Option<usize>,
    /// The line that says that all of the file is done, and its word.
    pub(super) said_of_whole: Option<(usize, String)>,
    line: Line,
    code: bool,
    /// Where the boxes that were taken stand.
    pub(super) boxes: HashSet<usize>,
    /// Sections whose boxes do not count, and where the one begins that is open.
    uncounted: Vec<Range<usize>>,
    uncounted_from: Option<usize>,
    /// For each task what is known of it until all is read.
    pub(super) own: Vec<Own>,
    pub(super) lines: Lines<'a>,
}

/// Reads a file's tasks. All ranges are of the text as it is.
pub(super) fn read(name: &Arc<str>, role: FileRole, text: &str) -> Reading {
    let (bare, mark) = without_mark(text);
    let mut reader = Reader {
        text: bare,
        base: mark,
        name: name.clone(),
        role,
        sections: vec![Section::default()],
        open_sections: vec![0],
        lines: Lines::of(bare),
        uncounted_from: (role == FileRole::Index).then_some(0),
        ..Reader::default()
    };
    reader.said_of_whole = progress::said_in_matter(bare);
    let (tagged, shown) = tags::read(bare);
    reader.tagged = tagged;
    for (event, range) in Parser::new_ext(&shown, Options::empty()).into_offset_iter() {
        reader.see(event, range);
    }
    reader.finish()
}

impl Reader<'_> {
    fn see(&mut self, event: Event<'_>, range: Range<usize>) {
        let fresh = self.fresh_item.take();
        match event {
            Event::Start(Tag::Paragraph) => {
                self.flush();
                self.fresh_item = fresh;
            }
            // A box goes before a link of the same label, `[x]: target`, as in GitHub's own reading.
            Event::Start(Tag::Link { .. }) if self.is_box(fresh.as_ref(), range.start) => {}
            Event::Start(tag) => self.start(&tag, range),
            Event::End(tag) => self.end(tag),
            Event::Text(text) => {
                self.is_box(fresh.as_ref(), range.start);
                self.add_text(&text, range);
            }
            Event::Code(code) => self.add_text(&code, range),
            Event::SoftBreak | Event::HardBreak if self.heading.is_none() => self.flush(),
            Event::SoftBreak | Event::HardBreak => self.line.push(" "),
            _ => {}
        }
    }

    fn start(&mut self, tag: &Tag<'_>, range: Range<usize>) {
        match tag {
            Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. } => self.link(dest_url, range.start),
            Tag::Emphasis | Tag::Strong | Tag::Strikethrough | Tag::Superscript | Tag::Subscript => {}
            Tag::Item => {
                self.flush_block();
                if self.items.is_empty() {
                    self.outer = range.start;
                }
                self.items.push(self.items.last().copied().flatten());
                self.fresh_item = Some(range);
            }
            Tag::Heading { .. } => {
                self.flush_block();
                self.ticked = ticked::find(self.text, &range);
                self.skip_until = self.ticked.map_or(self.skip_until, |ticked| ticked.end());
                self.heading = Some(range);
            }
            Tag::BlockQuote(_) => {
                self.flush_block();
                self.quotes += 1;
            }
            Tag::CodeBlock(_) => {
                self.flush_block();
                self.code = true;
            }
            _ => self.flush_block(),
        }
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Link | TagEnd::Image => self.line.links = self.line.links.saturating_sub(1),
            TagEnd::Emphasis | TagEnd::Strong | TagEnd::Strikethrough => {}
            TagEnd::Heading(level) => self.end_heading(level),
            TagEnd::Item => {
                self.flush_block();
                self.items.pop();
                // Criteria of an item end with it.
                self.criteria_from = self.criteria_from.filter(|from| self.items.len() >= *from);
            }
            TagEnd::BlockQuote(_) => {
                self.flush_block();
                self.quotes = self.quotes.saturating_sub(1);
            }
            TagEnd::CodeBlock => {
                self.line = Line::default();
                self.code = false;
            }
            _ => self.flush_block(),
        }
    }

    fn add_text(&mut self, text: &str, range: Range<usize>) {
        if self.code || self.quotes > 0 {
            return;
        }
        if range.end <= self.skip_until {
            return;
        }
        self.line.at.get_or_insert(range.start.max(self.skip_until));
        let text = if range.start < self.skip_until {
            self.text.get(self.skip_until..range.end).unwrap_or_default()
        } else {
            text
        };
        self.line.push(text);
    }

    fn link(&mut self, target: &str, at: usize) {
        if self.line.links == 0 {
            self.line.linked.push_str(target);
        }
        self.line.links += 1;
        let target = target.split(['#', '?']).next().unwrap_or_default();
        let file = target.strip_prefix("./").unwrap_or(target);
        let here = self.role == FileRole::Index && self.quotes == 0;
        if here && !file.contains(['/', '\\', ':']) && ends_in(file, "md") && file != base_name(&self.name) {
            let line = self.lines.line_of(at);
            let is_focus = self.line.plain.trim_start().to_ascii_lowercase().starts_with("active:");
            if is_focus && self.about.focus.is_none() {
                self.about.focus = Some(file.to_owned());
            }
            self.about.links.push((file.to_owned(), line));
        }
    }

    /// A list item begins here with text: is it a box? Takes it as a task where boxes count.
    fn is_box(&mut self, item: Option<&Range<usize>>, at: usize) -> bool {
        let Some(item) = item.filter(|_| self.quotes == 0 && self.heading.is_none()) else { return false };
        let Some(sign) = any_box_at(self.text, at) else { return false };
        self.skip_until = at + sign.length;
        self.boxes.insert(at);
        self.take_box(item, at, sign);
        true
    }

    /// A task whose line is the one of this place.
    pub(super) fn new_task(&mut self, at: usize, block: Range<usize>, place: StatePlace, item: Item) -> Task {
        let plan = InPlan {
            item,
            priority: self.headings.iter().rev().find_map(|heading| heading.priority),
            optional: false,
            cross_cutting: self.role == FileRole::Index,
            outer: if item == Item::Box { self.base + self.outer } else { block.start },
        };
        Task {
            section: self.headings.last().map_or_else(|| Arc::from(""), |heading| heading.title.clone()),
            plan: Some(plan),
            place,
            ..Task::new(&self.name, self.lines.line_of(at), block)
        }
    }

    /// One task more; its index.
    pub(super) fn push(&mut self, task: Task) -> usize {
        self.tasks.push(task);
        self.demote_headings();
        let section = self.open_sections.last().copied().unwrap_or_default();
        self.own.push(Own { section, is_task: true, ..Own::default() });
        self.tasks.len() - 1
    }

    fn end_heading(&mut self, level: HeadingLevel) {
        let line = std::mem::take(&mut self.line);
        self.criteria_from = None;
        let ticked = self.ticked.take().filter(|_| level > HeadingLevel::H1);
        let Some(range) = self.heading.take() else { return };
        if !self.items.is_empty() || self.quotes > 0 {
            return;
        }
        self.end_named_line(range.start);
        while self.headings.last().is_some_and(|open| open.level >= level) {
            self.close_heading(range.start);
        }
        let title = heading::read(&reference::without(&line.plain));
        if level == HeadingLevel::H1 && self.about.title.is_empty() {
            self.about.title.clone_from(&title.text);
        }
        let around = self.headings.last();
        let around_holds = around.map_or(Holds::Anything, |around| around.holds);
        let mut chapters = self.headings.iter().map(|around| &*around.title);
        let is_of_a_chapter =
            title.id.as_ref().is_some_and(|id| chapters.any(|chapter| reference::is_in_chapter(id, chapter)));
        let is_title = level == HeadingLevel::H1 && title.holds == Holds::Work;
        let holds = around_holds.max(if is_title { Holds::Anything } else { title.holds });
        let inherited = around.map_or(self.role != FileRole::Index, |around| around.counts);
        let counts = holds != Holds::Aside && (inherited || title.cross_cutting);
        let refs = reference::named(&line.linked).into_iter().flat_map(|(_, inner)| attribute::list(inner));
        let refs: Vec<String> = refs.take(MOST_NAMED).map(str::to_owned).collect();
        self.sections.push(Section {
            around: self.open_sections.last().copied(),
            refs,
            named: reference::title_waits(&line.plain, self.lines.line_of(range.start)),
            id: title.id.clone(),
            other_number: title.stage.clone().or(title.count.clone()),
            done: (title.is_done() || heading::is_of_done(&title.text))
                .then(|| (self.lines.line_of(range.start), title.text.clone())),
            stuck: (stuck::is_stuck_title(&title.text) || stuck::stuck(line.plain.trim()).is_some())
                .then(|| (self.lines.line_of(range.start), title.text.clone())),
        });
        self.open_sections.push(self.sections.len() - 1);
        let is_usual = matches!(level, HeadingLevel::H3 | HeadingLevel::H4);
        let is_upper = level == HeadingLevel::H2;
        let is_numbered = title.id.is_some() && (is_usual || (title.task && is_upper));
        let is_stage = title.id.is_none() && title.stage.is_some() && (is_usual || is_upper);
        let is_counted =
            title.id.is_none() && title.stage.is_none() && title.count.is_some() && (is_usual || is_upper);
        let ticked = ticked.filter(|_| title.state == TaskState::Open);
        let is_named = is_numbered || is_stage || is_counted || ticked.is_some();
        let is_task = counts && holds != Holds::Criteria && is_named;
        let task = is_task.then(|| self.add_heading(&title, &range));
        if let Some(own) = task.and_then(|task| self.own.get_mut(task)) {
            let is_own = title.task || !is_of_a_chapter;
            own.is_shown = !is_stage && (around_holds == Holds::Work || is_own);
            own.step = match (is_stage, is_counted) {
                (true, _) => Step::Stage,
                (_, true) => Step::Counted,
                _ => Step::No,
            };
            own.is_shown &= !is_counted;
        }
        if let (Some(task), Some(ticked)) = (task, ticked) {
            self.tick(task, ticked);
        }
        self.latest = task;
        self.end_uncounted(range.start);
        self.uncounted_from = (!counts).then_some(range.start);
        self.headings.push(OpenHeading {
            level,
            title: Arc::from(title.text),
            priority: title.priority,
            counts,
            holds,
            task,
        });
    }

    fn add_heading(&mut self, title: &heading::Title, range: &Range<usize>) -> usize {
        let source = self.text.get(range.clone()).unwrap_or_default();
        let mark = heading::mark(source);
        let start = self.base + range.start;
        let block = start..self.base + self.text.len();
        // The sign before it is its mark where none stands at its end.
        let sign = title.sign.filter(|sign| !heading::is_unknown_first(*sign));
        let is_first = mark.as_ref().is_some_and(Range::is_empty) && !heading::says_done(&title.text);
        let first = sign.filter(|_| is_first).and_then(|sign| heading::sign(source, sign));
        // Done without a mark at its end: what says so stands within its text.
        let mark = first.or(mark.filter(|mark| !(title.is_done() && mark.is_empty())));
        let place =
            mark.map_or(StatePlace::Unclear, |mark| StatePlace::Word(start + mark.start..start + mark.end));
        let mut task = self.new_task(range.start, block, place, Item::Heading);
        task.row.title.clone_from(&title.text);
        task.row.id.0 = title.id.clone().or(title.stage.clone()).unwrap_or_default();
        if let Some((count, rest)) = reference::count_of_box(&title.text).filter(|_| task.row.id.0.is_empty())
        {
            (task.row.id.0, task.row.title) = (count.to_owned(), rest.to_owned());
        }
        task.row.state = title.state;
        self.state_in_brackets(&mut task, range);
        let doubt = doubts::unknown_mark(&mut task, title.sign);
        let index = self.push(task);
        if let Some(own) = self.own.get_mut(index) {
            own.doubt = doubt;
        }
        index
    }

    /// There is a task below these headings: they are its sections.
    fn demote_headings(&mut self) {
        for task in self.headings.iter_mut().filter_map(|heading| heading.task.take()) {
            if let Some(own) = self.own.get_mut(task) {
                own.is_task = false;
            }
            // Nobody knows whether its box says more than those below it: it is named.
            let word = self.tasks.get(task).and_then(|task| task.place.words().first());
            if let Some(word) = word {
                self.boxes.remove(&(word.start - self.base).saturating_sub(1));
            }
        }
    }

    fn close_heading(&mut self, end: usize) {
        self.open_sections.pop();
        let task = self.headings.pop().and_then(|heading| heading.task);
        if let Some(task) = task.and_then(|index| self.tasks.get_mut(index)) {
            task.block.end = self.base + end;
        }
    }

    fn end_uncounted(&mut self, end: usize) {
        self.uncounted.extend(self.uncounted_from.take().map(|start| start..end));
    }

    fn flush_block(&mut self) {
        self.flush();
        self.naming = None;
    }

    /// A line is over.
    fn flush(&mut self) {
        let line = std::mem::take(&mut self.line);
        if self.quotes > 0 || self.code || line.plain.trim().is_empty() {
            return;
        }
        let target = self.items.last().copied().flatten().or(self.latest);
        if self.naming == Some(usize::MAX) && !self.is_field_at_margin(&line) {
            if let Some((criterion, _)) = self.criteria.last_mut() {
                let separator = if criterion.row.title.is_empty() { "" } else { " " };
                criterion.row.title.push_str(separator);
                criterion.row.title.push_str(&reference::without(&line.plain));
            }
            return;
        }
        // The first line after a box says what is to be done, whatever it begins with.
        let untitled = |index: usize| self.tasks.get(index).is_some_and(|task| task.row.title.is_empty());
        let is_title = self.naming.is_some_and(untitled);
        let is_label = criteria_title::is_criteria_label(&line.plain)
            || (self.is_bold(&line) && criteria_title::is_criteria_name(&line.plain));
        if !is_title && is_label {
            self.naming = None;
            self.criteria_from = Some(self.items.len());
            return;
        }
        if self.items.is_empty() {
            self.criteria_from = None;
        }
        if let Some((attribute, value)) = attribute::read(&line.linked).filter(|_| !is_title) {
            self.naming = None;
            if attribute == Attribute::Status {
                return self.status(target, line.at);
            }
            let line = line.at.map_or(1, |at| self.lines.line_of(at));
            return self.attribute(target, attribute, (value, line));
        }
        if let Some(at) = line.at.filter(|_| !is_title) {
            self.named_line(at, &line.plain);
        }
        let named = reference::named(&line.linked);
        self.add_refs(target, named.into_iter().flat_map(|(_, inner)| attribute::list(inner)));
        if let Some(task) = self.naming.and_then(|index| self.tasks.get_mut(index)) {
            let text = reference::without(&line.plain);
            if !task.row.title.is_empty() && !text.is_empty() {
                task.row.title.push(' ');
            }
            task.row.title.push_str(&text);
        }
    }

    /// Does the line begin with something bold?
    fn is_bold(&self, line: &Line) -> bool {
        let before = line.at.and_then(|at| self.text.get(..at)).unwrap_or_default();
        before.ends_with("**") || before.ends_with("__")
    }

    /// Is this line a field with a bold name that begins at the margin? It is none of the list item before it, though nothing
    /// stands between the two.
    fn is_field_at_margin(&self, line: &Line) -> bool {
        let before = line.at.and_then(|at| self.text.get(..at)).unwrap_or_default();
        let bold = ["**", "__"].iter().find_map(|sign| before.strip_suffix(sign));
        bold.is_some_and(|before| before.ends_with('\n')) && attribute::read(&line.linked).is_some()
    }

    fn finish(mut self) -> Reading {
        self.flush_block();
        self.end_named_line(self.text.len());
        while !self.headings.is_empty() {
            self.close_heading(self.text.len());
        }
        self.end_uncounted(self.text.len());
        let uncounted = std::mem::take(&mut self.uncounted);
        let is_uncounted = |at: usize| {
            let before = uncounted.partition_point(|range| range.start <= at);
            before.checked_sub(1).and_then(|last| uncounted.get(last)).is_some_and(|range| at < range.end)
        };
        let mut missed = missed::find(self.text, |at| self.boxes.contains(&at) || is_uncounted(at));
        self.about.specs = section::specs(&self.sections);
        self.about.sections = section::names(&self.sections);
        self.about.prose = take_prose(&self.tasks, &mut self.own, &self.sections);
        if self.is_in_another_form(&missed) {
            self.criteria.clear();
            missed.clear();
        }
        let criteria = self.place_criteria();
        for kind in [doubts::DONE, doubts::STUCK] {
            doubts::in_sections(kind, &mut self.tasks, (&self.own, &self.sections), &mut self.problems);
        }
        let mut tasks = settle(self.tasks, self.own, &self.sections, &mut self.problems);
        doubts::contradicted(&mut tasks, &mut self.problems);
        doubts::stuck(&mut tasks, &mut self.problems);
        doubts::of_whole(&tasks, self.said_of_whole, &mut self.problems);
        doubts::half_marked(&mut tasks, self.text, self.base, &mut self.problems);
        self.problems.extend(missed.iter().map(|missed| missed.problem(&self.name)));
        let known = (tasks.as_slice(), &self.about.sections);
        self.problems
            .extend(open_rows(&self.name, self.text, known, is_uncounted).map(|(_, problem)| problem));
        Reading { tasks, criteria, problems: self.problems, about: self.about }
    }
}
