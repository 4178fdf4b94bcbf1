//! What waits for what: as a tree for people, as DOT and as Mermaid for programs that draw.

use std::collections::HashMap;
use std::fmt::Write as _;

use strum::IntoEnumIterator;
use windlass_core::values::{Named, TaskId};
use windlass_jobs::doc::tasks::Task;

use super::{Look, TasksShown, named};
use crate::harmless::one_line;
use crate::line::{Line, rendered};
use crate::terminal::{Glyphs, Terminal};

/// Deeper than this nothing is indented any further: a chain of tasks would leave no room for their titles.
const DEEPEST: usize = 12;

/// Each task once, below the last of those that it waits for; every line ends with a newline.
pub fn tasks_tree(shown: &TasksShown<'_>, terminal: &Terminal) -> String {
    let tree = Tree::of(shown);
    let mut lines = vec![Line::hanging(2).strong(one_line(shown.place)), shown.counts(), Line::new()];
    let mut waiting: Vec<(usize, Vec<Branch>)> = Vec::new();
    let roots: Vec<usize> = tree.roots.iter().rev().copied().collect();
    waiting.extend(roots.into_iter().map(|root| (root, Vec::new())));
    while let Some((index, branches)) = waiting.pop() {
        let Some(task) = shown.list.tasks().get(index) else { continue };
        lines.push(node(shown, task, &branches, &tree, index, terminal));
        let children = tree.children.get(index).map_or(&[][..], Vec::as_slice);
        for (place, child) in children.iter().enumerate().rev() {
            let last = if place + 1 == children.len() { Branch::Last } else { Branch::More };
            let mut below = branches.clone();
            below.push(last);
            if below.len() > DEEPEST {
                below.remove(0);
            }
            waiting.push((*child, below));
        }
    }
    rendered(&lines, terminal)
}

/// What comes after a task among those below the same one.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Branch {
    More,
    Last,
}

struct Tree {
    /// Below which each stands.
    parents: Vec<Option<usize>>,
    children: Vec<Vec<usize>>,
    roots: Vec<usize>,
}

impl Tree {
    /// A task stands below the one that it waits for and that comes last: that with the longest way to it.
    fn of(shown: &TasksShown<'_>) -> Tree {
        let tasks = shown.list.tasks();
        let on = dependencies(tasks);
        let depths = depths(&on);
        let mut tree = Tree {
            parents: vec![None; tasks.len()],
            children: vec![Vec::new(); tasks.len()],
            roots: Vec::new(),
        };
        for (index, on) in on.iter().enumerate() {
            let depth = |index: usize| depths.get(index).copied().flatten();
            // What waits for itself, and what waits for that, has no depth: it stands by itself.
            let parent = on.iter().copied().max_by_key(|on| depth(*on)).filter(|_| depth(index).is_some());
            match parent.and_then(|parent| tree.children.get_mut(parent)) {
                Some(children) => children.push(index),
                None => tree.roots.push(index),
            }
            if let Some(slot) = tree.parents.get_mut(index) {
                *slot = parent;
            }
        }
        tree
    }
}

/// How many tasks have to be done before each, one after the other; `None` where that never ends.
fn depths(on: &[Vec<usize>]) -> Vec<Option<usize>> {
    let mut left: Vec<usize> = on.iter().map(Vec::len).collect();
    let mut dependants = vec![Vec::new(); on.len()];
    for (index, on) in on.iter().enumerate() {
        for other in on {
            if let Some(list) = dependants.get_mut(*other) {
                list.push(index);
            }
        }
    }
    let mut depths: Vec<Option<usize>> = vec![None; on.len()];
    let mut free: Vec<usize> = (0..on.len()).filter(|index| left.get(*index) == Some(&0)).collect();
    while let Some(index) = free.pop() {
        let before = on.get(index).into_iter().flatten();
        let deepest = before.filter_map(|on| depths.get(*on).copied().flatten()).max();
        if let Some(slot) = depths.get_mut(index) {
            *slot = Some(deepest.map_or(0, |deepest| deepest + 1));
        }
        for dependant in dependants.get(index).into_iter().flatten() {
            if let Some(left) = left.get_mut(*dependant) {
                *left -= 1;
                if *left == 0 {
                    free.push(*dependant);
                }
            }
        }
    }
    depths
}

fn node(
    shown: &TasksShown<'_>,
    task: &Task,
    branches: &[Branch],
    tree: &Tree,
    index: usize,
    terminal: &Terminal,
) -> Line {
    let prefix = prefix(branches, terminal.glyphs);
    let look = shown.look(task);
    let (tone, mark) = look.mark();
    let parent = tree.parents.get(index).copied().flatten().and_then(|parent| shown.list.tasks().get(parent));
    let others = task.row.dependencies.iter().filter(|id| parent.is_none_or(|parent| parent.row.id != **id));
    let others: Vec<String> = others.map(|id| one_line(&id.0)).collect();
    let also = if parent.is_some() { "also after" } else { "after" };
    let others = if others.is_empty() { String::new() } else { format!("  {also} {}", named(&others)) };
    Line::hanging(3 * branches.len() + 4)
        .dim(prefix)
        .mark(tone, mark)
        .strong(format!(" {}", one_line(&task.row.id.0)))
        .tone(look.tone(), format!("  {}", one_line(&task.row.title)))
        .dim(others)
}

fn prefix(branches: &[Branch], glyphs: Glyphs) -> String {
    let [more, last, passing, over] = match glyphs {
        Glyphs::Ascii => ["|- ", "`- ", "|  ", "   "],
        Glyphs::Unicode | Glyphs::Emoji => ["├─ ", "└─ ", "│  ", "   "],
    };
    let Some((own, around)) = branches.split_last() else { return String::new() };
    let around = around.iter().map(|branch| if *branch == Branch::More { passing } else { over });
    around.chain([if *own == Branch::More { more } else { last }]).collect()
}

/// A colour for each look, light enough for black letters.
const fn colour(look: Look) -> &'static str {
    match look {
        Look::Done => "#d4edda",
        Look::InProgress => "#fff3cd",
        Look::Ready => "#ffffff",
        Look::Waiting => "#e9ecef",
        Look::Unclear => "#f8d7da",
    }
}

/// Which tasks each waits for, by their places in the list; what is not a task here is left out.
fn dependencies(tasks: &[Task]) -> Vec<Vec<usize>> {
    let mut index_of: HashMap<&TaskId, usize> = HashMap::with_capacity(tasks.len());
    for (index, task) in tasks.iter().enumerate() {
        index_of.entry(&task.row.id).or_insert(index);
    }
    let known =
        |task: &Task| task.row.dependencies.iter().filter_map(|id| index_of.get(id)).copied().collect();
    tasks.iter().map(known).collect()
}

/// Edges between tasks: the numbers of the one that is waited for and of the one that waits.
fn edges(shown: &TasksShown<'_>) -> impl Iterator<Item = (usize, usize)> {
    let on = dependencies(shown.list.tasks()).into_iter().enumerate();
    on.flat_map(|(index, on)| on.into_iter().map(move |on| (on, index)))
}

/// The graph for Graphviz; every line ends with a newline.
pub fn tasks_dot(shown: &TasksShown<'_>) -> String {
    let quoted = |text: &str| one_line(text).replace('\\', "\\\\").replace('"', "\\\"");
    let mut text = String::from("digraph tasks {\n  rankdir=LR;\n  node [shape=box, style=filled];\n");
    for (index, task) in shown.list.tasks().iter().enumerate() {
        let label = format!("{}\\n{}", quoted(&task.row.id.0), quoted(&task.row.title));
        let fill = colour(shown.look(task));
        let _ = writeln!(text, "  t{index} [label=\"{label}\", fillcolor=\"{fill}\"];");
    }
    for (from, to) in edges(shown) {
        let _ = writeln!(text, "  t{from} -> t{to};");
    }
    text.push_str("}\n");
    text
}

/// The graph for Mermaid; every line ends with a newline.
pub fn tasks_mermaid(shown: &TasksShown<'_>) -> String {
    let mut text = String::from("flowchart LR\n");
    for (index, task) in shown.list.tasks().iter().enumerate() {
        let label = escaped(&format!("{}: {}", task.row.id, task.row.title));
        let class = shown.look(task).name();
        let _ = writeln!(text, "  t{index}[\"{label}\"]:::{class}");
    }
    for (from, to) in edges(shown) {
        let _ = writeln!(text, "  t{from} --> t{to}");
    }
    for look in Look::iter().filter(|look| *look != Look::Unclear || shown.number(*look) > 0) {
        let class = look.name();
        let _ = writeln!(text, "  classDef {class} fill:{},color:#000", colour(look));
    }
    text
}

/// What Mermaid would read as more than text is written by number.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in one_line(text).chars() {
        if matches!(letter, '"' | '#' | '&' | '<' | '>' | '`' | ';' | '\\' | '*' | '_' | '[' | ']') {
            let _ = write!(escaped, "#{};", u32::from(letter));
        } else {
            escaped.push(letter);
        }
    }
    escaped
}
