//! One file of a plan, event by event.

use std::ops::Range;
use std::sync::Arc;

use pulldown_cmark::{Event, HeadingLevel, Options, Parser, Tag, TagEnd};

use super::attribute::{self, Attribute};
use super::file::{FileRole, ReadFile, base_name};
use super::lines::Lines;
use super::task::{Complexity, Form, Task, TaskState};
use super::{heading, reference};

/// So many references, dependencies or files of one task or section are read.
const MOST_NAMED: usize = 100;

/// A heading whose section is not over.
struct OpenHeading {
    level: HeadingLevel,
    title: Arc<str>,
    priority: Option<u32>,
    counts: bool,
    aside: bool,
    /// The task that the heading is, as long as there is no box below it.
    task: Option<usize>,
    /// The heading's number, for the first box below it.
    id: Option<String>,
}

/// A line of text, as it is put together.
#[derive(Default)]
struct Line {
    plain: String,
    /// The same with the targets of links in place of their texts.
    linked: String,
    /// Within a link?
    links: u32,
}

struct Reader<'a> {
    /// Without byte order mark.
    text: &'a str,
    /// The mark's length.
    base: usize,
    role: FileRole,
    file: ReadFile,
    headings: Vec<OpenHeading>,
    /// Sections by number, and the section around each: for references. The first is the file.
    sections: Vec<(Option<usize>, Vec<String>)>,
    open_sections: Vec<usize>,
    /// For each open list item the task that it is or is nested in.
    items: Vec<Option<usize>>,
    /// Where the outermost of them begins.
    outer: usize,
    quotes: u32,
    /// Within a heading: where it began.
    heading: Option<Range<usize>>,
    /// A list item has begun and nothing of it has been seen.
    fresh_item: Option<Range<usize>>,
    /// The task whose first paragraph this is.
    naming: Option<usize>,
    /// Text before this place is a marker.
    skip_until: usize,
    /// The latest task below the latest heading.
    latest: Option<usize>,
    line: Line,
    code: bool,
    /// For each task what it names itself, and whether it is one: a heading is none with boxes below it.
    own: Vec<(Vec<String>, bool)>,
    lines: Lines<'a>,
}

/// Reads a file's tasks. All ranges are of the text as it is.
pub(super) fn read(name: &Arc<str>, role: FileRole, text: &str) -> ReadFile {
    let bare = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut reader = Reader {
        text: bare,
        base: text.len() - bare.len(),
        role,
        file: ReadFile { name: name.clone(), role, ..ReadFile::default() },
        headings: Vec::new(),
        sections: vec![(None, Vec::new())],
        open_sections: vec![0],
        items: Vec::new(),
        outer: 0,
        quotes: 0,
        heading: None,
        fresh_item: None,
        naming: None,
        skip_until: 0,
        latest: None,
        line: Line::default(),
        code: false,
        own: Vec::new(),
        lines: Lines::of(bare),
    };
    for (event, range) in Parser::new_ext(bare, Options::empty()).into_offset_iter() {
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
        if here && !file.contains(['/', '\\', ':']) && is_markdown(file) && file != base_name(&self.file.name)
        {
            let line = self.lines.line_of(at);
            self.file.links.push((file.to_owned(), line));
        }
    }

    /// A list item begins here with text: is it a box? Takes it as a task where boxes count.
    fn is_box(&mut self, item: Option<&Range<usize>>, at: usize) -> bool {
        let Some(item) = item.filter(|_| self.quotes == 0 && self.heading.is_none()) else { return false };
        let Some(state) = box_at(self.text.as_bytes(), at) else { return false };
        self.skip_until = at + 3;
        self.take_box(item, at, state);
        true
    }

    fn take_box(&mut self, item: &Range<usize>, at: usize, state: TaskState) {
        let heading = self.headings.last_mut();
        let counts = heading.as_ref().map_or(self.role != FileRole::Index, |heading| heading.counts);
        if !counts {
            let aside = heading.is_some_and(|heading| heading.aside);
            self.file.set_aside += u64::from(aside && state != TaskState::Done);
            return;
        }
        let number = heading.and_then(|heading| heading.id.take());
        let (line, section) =
            (self.lines.line_of(at), self.open_sections.last().copied().unwrap_or_default());
        let parent = self.items.iter().rev().nth(1).copied().flatten();
        let index = self.file.tasks.len();
        self.file.tasks.push(Task {
            text: String::new(),
            state,
            form: Form::Box,
            marker: self.base + at + 1..self.base + at + 2,
            block: self.base + item.start..self.base + item.end,
            id: number,
            parent,
            outer: self.base + self.outer,
            ..self.new_task(line, section)
        });
        self.demote_headings();
        self.own.push((Vec::new(), true));
        if let Some(scope) = self.items.last_mut() {
            *scope = Some(index);
        }
        self.naming = Some(index);
        self.latest = Some(index);
    }

    fn new_task(&self, line: usize, heading: usize) -> Task {
        Task {
            text: String::new(),
            state: TaskState::Open,
            form: Form::Heading,
            file: self.file.name.clone(),
            line,
            marker: 0..0,
            block: 0..0,
            id: None,
            section: self.headings.last().map_or_else(|| Arc::from(""), |heading| heading.title.clone()),
            priority: self.headings.iter().rev().find_map(|heading| heading.priority),
            refs: Arc::from([]),
            dependencies: Vec::new(),
            complexity: None,
            touches: Vec::new(),
            cross_cutting: self.role == FileRole::Index,
            parent: None,
            outer: 0,
            file_index: 0,
            heading,
        }
    }

    fn end_heading(&mut self, level: HeadingLevel) {
        let line = std::mem::take(&mut self.line);
        let Some(range) = self.heading.take() else { return };
        if !self.items.is_empty() || self.quotes > 0 {
            return;
        }
        while self.headings.last().is_some_and(|open| open.level >= level) {
            self.close_heading(range.start);
        }
        let title = heading::read(&reference::without(&line.plain));
        if level == HeadingLevel::H1 && self.file.title.is_empty() {
            self.file.title.clone_from(&title.text);
        }
        let around = self.headings.last();
        let aside = title.aside || around.is_some_and(|around| around.aside);
        let inherited = around.map_or(self.role != FileRole::Index, |around| around.counts);
        let counts = !aside && (inherited || title.cross_cutting);
        let refs = reference::named(&line.linked).into_iter().flat_map(|(_, inner)| attribute::list(inner));
        let refs: Vec<String> = refs.take(MOST_NAMED).map(str::to_owned).collect();
        self.sections.push((self.open_sections.last().copied(), refs));
        self.open_sections.push(self.sections.len() - 1);
        let is_task = counts && title.id.is_some() && matches!(level, HeadingLevel::H3 | HeadingLevel::H4);
        let task = is_task.then(|| self.add_heading(&title, &range));
        self.latest = task;
        self.headings.push(OpenHeading {
            level,
            title: Arc::from(title.text),
            priority: title.priority,
            counts,
            aside,
            task,
            id: title.id,
        });
    }

    fn add_heading(&mut self, title: &heading::Title, range: &Range<usize>) -> usize {
        let line = self.lines.line_of(range.start);
        let mark = heading::mark(self.text.get(range.clone()).unwrap_or_default());
        let start = self.base + range.start;
        let section = self.open_sections.last().copied().unwrap_or_default();
        self.file.tasks.push(Task {
            text: title.text.clone(),
            state: if title.done { TaskState::Done } else { TaskState::Open },
            marker: start + mark.start..start + mark.end,
            block: start..self.base + self.text.len(),
            id: title.id.clone(),
            outer: start,
            ..self.new_task(line, section)
        });
        self.demote_headings();
        self.own.push((Vec::new(), true));
        self.file.tasks.len() - 1
    }

    /// There is a task below these headings: they are its sections.
    fn demote_headings(&mut self) {
        for task in self.headings.iter_mut().filter_map(|heading| heading.task.take()) {
            if let Some((_, is_task)) = self.own.get_mut(task) {
                *is_task = false;
            }
        }
    }

    fn close_heading(&mut self, end: usize) {
        self.open_sections.pop();
        let task = self.headings.pop().and_then(|heading| heading.task);
        if let Some(task) = task.and_then(|index| self.file.tasks.get_mut(index)) {
            task.block.end = self.base + end;
        }
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
        // The first line after a box says what is to be done, whatever it begins with.
        let untitled = |index: usize| self.file.tasks.get(index).is_some_and(|task| task.text.is_empty());
        let is_title = self.naming.is_some_and(untitled);
        if let Some(attribute) = attribute::read(&line.linked).filter(|_| !is_title) {
            self.naming = None;
            return self.attribute(target, attribute);
        }
        let named = reference::named(&line.linked);
        self.add_refs(target, named.into_iter().flat_map(|(_, inner)| attribute::list(inner)));
        if let Some(task) = self.naming.and_then(|index| self.file.tasks.get_mut(index)) {
            let text = reference::without(&line.plain);
            if !task.text.is_empty() && !text.is_empty() {
                task.text.push(' ');
            }
            task.text.push_str(&text);
        }
    }

    fn attribute(&mut self, target: Option<usize>, attribute: Attribute<'_>) {
        if let Attribute::Refs(value) = attribute {
            return self.add_refs(target, attribute::list(value));
        }
        let Some(task) = target.and_then(|index| self.file.tasks.get_mut(index)) else { return };
        let texts = |value| attribute::list(value).map(str::to_owned);
        match attribute {
            Attribute::Dependencies(value) => {
                let room = MOST_NAMED.saturating_sub(task.dependencies.len());
                task.dependencies.extend(texts(value).take(room));
            }
            Attribute::Files(value) => {
                let room = MOST_NAMED.saturating_sub(task.touches.len());
                task.touches.extend(texts(value).take(room));
            }
            Attribute::Complexity(value) => task.complexity = Complexity::read(value).or(task.complexity),
            Attribute::Refs(_) => {}
        }
    }

    /// What a heading names holds for its whole section.
    fn add_refs<'t>(&mut self, target: Option<usize>, refs: impl Iterator<Item = &'t str>) {
        let is_box = |index: &usize| self.file.tasks.get(*index).is_some_and(|task| task.form == Form::Box);
        let own = target.filter(is_box).and_then(|index| self.own.get_mut(index)).map(|(own, _)| own);
        let section = self.open_sections.last().and_then(|index| self.sections.get_mut(*index));
        if let Some(list) = own.or(section.map(|(_, refs)| refs)) {
            let room = MOST_NAMED.saturating_sub(list.len());
            list.extend(refs.take(room).map(str::to_owned));
        }
    }

    fn finish(mut self) -> ReadFile {
        self.flush_block();
        while !self.headings.is_empty() {
            self.close_heading(self.text.len());
        }
        let sections = section_refs(&self.sections);
        self.file.specs = sections.iter().take(2).find(|refs| !refs.is_empty()).cloned().unwrap_or_default();
        settle(&mut self.file.tasks, self.own, &sections);
        self.file
    }
}

/// What each section names, or else the one around it.
fn section_refs(sections: &[(Option<usize>, Vec<String>)]) -> Vec<Arc<[String]>> {
    let mut settled: Vec<Arc<[String]>> = Vec::with_capacity(sections.len());
    for (around, refs) in sections {
        let around = around.and_then(|index| settled.get(index)).filter(|_| refs.is_empty());
        let refs = around.cloned().unwrap_or_else(|| refs.as_slice().into());
        settled.push(refs);
    }
    settled
}

/// Drops the headings that are no tasks, and gives each task its references and its number.
fn settle(tasks: &mut Vec<Task>, own: Vec<(Vec<String>, bool)>, sections: &[Arc<[String]>]) {
    let mut settled: Vec<Task> = Vec::with_capacity(tasks.len());
    let mut places = Vec::with_capacity(tasks.len());
    for (mut task, (refs, is_task)) in std::mem::take(tasks).into_iter().zip(own) {
        places.push(settled.len());
        if !is_task {
            continue;
        }
        task.parent = task.parent.and_then(|parent| places.get(parent)).copied();
        task.refs = match task.parent.and_then(|parent| settled.get(parent)) {
            _ if !refs.is_empty() => refs.into(),
            Some(parent) => parent.refs.clone(),
            None => sections.get(task.heading).cloned().unwrap_or_default(),
        };
        if task.form == Form::Box
            && let Some((id, rest)) = reference::id_of_box(&task.text)
        {
            let (id, rest) = (id.to_owned(), rest.to_owned());
            (task.id, task.text) = (Some(id), rest);
        }
        settled.push(task);
    }
    *tasks = settled;
}

fn is_markdown(file: &str) -> bool {
    std::path::Path::new(file).extension().is_some_and(|extension| extension.eq_ignore_ascii_case("md"))
}

/// The state of the box at this place.
pub(super) fn box_at(bytes: &[u8], at: usize) -> Option<TaskState> {
    let escaped = at.checked_sub(1).and_then(|before| bytes.get(before)) == Some(&b'\\');
    let [b'[', state, b']', after @ ..] = bytes.get(at..)? else { return None };
    let ended = after.first().is_none_or(u8::is_ascii_whitespace);
    if escaped || !ended {
        return None;
    }
    match state {
        b' ' => Some(TaskState::Open),
        b'~' => Some(TaskState::InProgress),
        b'x' | b'X' => Some(TaskState::Done),
        _ => None,
    }
}

impl Line {
    fn push(&mut self, text: &str) {
        self.plain.push_str(text);
        if self.links == 0 {
            self.linked.push_str(text);
        }
    }
}
