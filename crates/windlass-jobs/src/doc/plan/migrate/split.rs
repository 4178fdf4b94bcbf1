//! One file becomes many.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::ops::Range;

use super::super::Plan;
use super::super::feature::Counts;
use super::super::specs::SpecNames;
use super::outline::{Part, parts};
use super::{NewFile, first_spec};
use crate::doc::tasks::Task;
use crate::doc::tasks::sources::{INDEX, heading};

/// A heading with the section that it begins: an index in [`Split::headings`].
type Chain = Vec<usize>;

#[derive(Default)]
struct Split<'a> {
    text: &'a str,
    end: &'static str,
    /// Level and source of each heading.
    headings: Vec<(usize, &'a str)>,
    open: Chain,
    /// Which headings stand in some file already.
    placed: Vec<bool>,
    title: Option<usize>,
    prose: Out,
    across: Out,
    features: Vec<Feature>,
    /// Features by the spec that they are for.
    by_spec: HashMap<String, usize>,
}

struct Feature {
    spec: String,
    file: String,
    out: Out,
    tasks: Vec<usize>,
}

/// A text that grows, and the section it is in.
#[derive(Default)]
struct Out {
    text: String,
    chain: Chain,
    /// What its latest list item begins with.
    bullet: Option<char>,
}

pub(super) fn split(plan: &Plan, text: &str, specs: &SpecNames) -> Vec<NewFile> {
    let end = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let mut split = Split { text, end, ..Split::default() };
    for part in parts(text, plan.tasks()) {
        match part {
            Part::Heading(level, range) => split.heading(level, range),
            Part::Prose(range) => split.prose(range),
            Part::Task(index, range) => split.task(plan, index, range, specs),
        }
    }
    split.close(0);
    split.finish(plan, specs)
}

impl Split<'_> {
    fn heading(&mut self, level: usize, range: Range<usize>) {
        self.close(level);
        let source = self.text.get(range).unwrap_or_default().trim_end();
        let index = self.headings.len();
        self.headings.push((level, source));
        let words = source.trim_matches(['#', ' ', '\t']);
        // The title is the README's, and the section of what cuts across is written anew.
        let is_title = level == 1 && self.title.is_none() && index == 0;
        let is_across = level == 1 && heading::read(words).cross_cutting;
        self.placed.push(is_title || is_across);
        if is_title {
            self.title = Some(index);
        } else if !is_across {
            self.open.push(index);
        }
    }

    /// Sections of this level and below are over. A heading that nothing was written below is kept as prose.
    fn close(&mut self, level: usize) {
        while let Some(last) = self.open.last().copied() {
            let (open, _) = self.headings.get(last).copied().unwrap_or_default();
            if open < level {
                break;
            }
            if self.placed.get(last) == Some(&false) {
                let chain = self.open.clone();
                self.prose.enter(&chain, &self.headings, self.end);
                self.place(&chain);
            }
            self.open.pop();
        }
    }

    fn place(&mut self, chain: &[usize]) {
        for index in chain {
            if let Some(placed) = self.placed.get_mut(*index) {
                *placed = true;
            }
        }
    }

    fn prose(&mut self, range: Range<usize>) {
        let chain = self.open.clone();
        self.prose.enter(&chain, &self.headings, self.end);
        self.prose.add(self.text.get(range).unwrap_or_default(), self.end);
        self.place(&chain);
    }

    fn task(&mut self, plan: &Plan, index: usize, range: Range<usize>, specs: &SpecNames) {
        let chain = self.open.clone();
        let source = self.text.get(range).unwrap_or_default();
        let task = plan.tasks().get(index);
        let spec = task.and_then(|task| first_spec(task, specs));
        let feature = spec.and_then(|spec| self.feature(spec));
        let (headings, end) = (&self.headings, self.end);
        let out = match feature.and_then(|index| self.features.get_mut(index)) {
            Some(feature) => {
                feature.tasks.push(index);
                &mut feature.out
            }
            None => &mut self.across,
        };
        out.enter(&chain, headings, end);
        let is_box = task.is_some_and(Task::is_box);
        if is_box {
            out.add_item(source, end);
        } else {
            out.add(source, end);
        }
        self.place(&chain);
    }

    /// The feature of a spec: its index.
    fn feature(&mut self, spec: String) -> Option<usize> {
        if let Some(index) = self.by_spec.get(&spec) {
            return Some(*index);
        }
        let wanted = file_name(&spec);
        let is_free = |name: &str| {
            !name.eq_ignore_ascii_case(INDEX)
                && self.features.iter().all(|other| !other.file.eq_ignore_ascii_case(name))
        };
        let numbered = (2..).map(|number| format!("{wanted}-{number}.md"));
        let file = std::iter::once(format!("{wanted}.md")).chain(numbered).find(|name| is_free(name))?;
        self.features.push(Feature { spec: spec.clone(), file, out: Out::default(), tasks: Vec::new() });
        self.by_spec.insert(spec, self.features.len() - 1);
        Some(self.features.len() - 1)
    }

    fn finish(self, plan: &Plan, specs: &SpecNames) -> Vec<NewFile> {
        let end = self.end;
        let mut files: Vec<NewFile> = self.features.iter().map(|feature| feature.file(specs, end)).collect();
        let title = self
            .title
            .and_then(|index| self.headings.get(index))
            .map_or("# Implementation plan", |(_, source)| source);
        let mut readme = format!("{title}{end}{end}");
        if !self.prose.text.is_empty() {
            let _ = write!(readme, "{}{end}", self.prose.text);
        }
        readme.push_str(&self.overview(plan, specs));
        if !self.across.text.is_empty() {
            let _ = write!(readme, "{end}# Cross-Cutting Tasks{end}{end}{}", self.across.text);
        }
        files.push(NewFile { name: INDEX.to_owned(), text: readme, tasks: 0 });
        files
    }

    /// The table of features.
    fn overview(&self, plan: &Plan, specs: &SpecNames) -> String {
        let end = self.end;
        let mut text = format!(
            "## Status Overview{end}{end}| Feature | Status | Progress | Spec |{end}|---|---|---|---|{end}"
        );
        for feature in &self.features {
            let counts = Counts::of(feature.tasks.iter().filter_map(|task| plan.tasks().get(*task)));
            let status = match counts.status() {
                "complete" => "✅ Complete",
                "in_progress" => "🔄 In Progress",
                _ => "⏳ Pending",
            };
            let (file, done, all) = (&feature.file, counts.done, counts.total());
            let spec = link(&feature.spec, specs);
            let _ = write!(text, "| [{file}](./{file}) | {status} | {done}/{all} | {spec} |{end}");
        }
        text
    }
}

impl Feature {
    fn file(&self, specs: &SpecNames, end: &str) -> NewFile {
        let title = self.file.trim_end_matches(".md");
        let link = link(&self.spec, specs);
        let text = format!("# {title}{end}{end}**Spec:** {link}{end}{end}{}", self.out.text);
        NewFile { name: self.file.clone(), text, tasks: 0 }
    }
}

/// A link to a spec, from the plan's folder.
fn link(spec: &str, specs: &SpecNames) -> String {
    if specs.find(spec).is_none() || specs.folder().is_empty() {
        return format!("`{spec}`");
    }
    format!("[{spec}](../{}/{spec})", specs.folder())
}

/// A file's name, without ending, for the tasks of a spec.
fn file_name(spec: &str) -> String {
    let stem = spec.strip_suffix(".md").or_else(|| spec.strip_suffix(".MD")).unwrap_or(spec);
    let kept = |letter: char| if letter.is_alphanumeric() || "-_.".contains(letter) { letter } else { '-' };
    let name: String = stem.chars().map(kept).take(80).collect();
    let name = name.trim_matches(['.', '-']).to_owned();
    if name.is_empty() || name.eq_ignore_ascii_case("readme") {
        format!("spec-{name}").trim_end_matches('-').to_owned()
    } else {
        name
    }
}

impl Out {
    /// Begins a section, unless it is the one that the text is in.
    fn enter(&mut self, chain: &[usize], headings: &[(usize, &str)], end: &str) {
        let same = self.chain.iter().zip(chain).take_while(|(one, other)| one == other).count();
        for (_, source) in chain.iter().skip(same).filter_map(|index| headings.get(*index)) {
            self.blank(end);
            let _ = write!(self.text, "{source}{end}{end}");
            self.bullet = None;
        }
        self.chain = chain.to_vec();
    }

    /// A list item: in one list with the one before, where both begin alike.
    fn add_item(&mut self, source: &str, end: &str) {
        let first =
            source.trim_start().chars().next().map(|first| if first.is_ascii_digit() { '1' } else { first });
        if self.bullet != first {
            self.blank(end);
        }
        self.push(source, end);
        self.bullet = first;
    }

    fn add(&mut self, source: &str, end: &str) {
        self.blank(end);
        self.push(source, end);
        self.bullet = None;
    }

    fn push(&mut self, source: &str, end: &str) {
        let source = source.trim_start_matches(['\r', '\n']).trim_end();
        self.text.push_str(source);
        self.text.push_str(end);
    }

    /// An empty line, unless there is one.
    fn blank(&mut self, end: &str) {
        let doubled = [end, end].concat();
        if !self.text.is_empty() && !self.text.ends_with(&doubled) {
            self.text.push_str(end);
        }
    }
}
