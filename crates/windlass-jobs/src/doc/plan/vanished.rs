//! Boxes that are gone: a box that nobody sees any more is not a done one.

use std::collections::{BTreeSet, HashMap};

use serde::{Deserialize, Serialize};

use windlass_core::values::TaskState;

use super::Plan;
use crate::doc::tasks::Task;
use crate::doc::text::cut;

/// Words that say nothing of what is to be done.
const FILLERS: &[&str] = &["a", "an", "and", "for", "in", "of", "on", "or", "the", "to", "with"];

/// What a plan has to be remembered for: one of its tasks, without its place.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WorkItem {
    /// What it is called to be done.
    pub text: String,
    /// Its number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// How far it is.
    pub state: TaskState,
    /// Is it a heading, which boxes below it may take the place of?
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub heading: bool,
    /// The heading it stands below.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub section: String,
}

impl From<&Task> for WorkItem {
    fn from(task: &Task) -> WorkItem {
        WorkItem {
            text: task.row.title.clone(),
            id: task.id().map(ToString::to_string),
            state: task.row.state,
            heading: task.is_heading(),
            section: task.section.to_string(),
        }
    }
}

impl WorkItem {
    /// As a person knows it: its number and what it says.
    pub fn name(&self) -> String {
        let id = self.id.as_ref().map_or_else(String::new, |id| format!("{id} "));
        id + &cut(&self.text, 120)
    }

    /// What it says, without case and signs.
    fn key(&self) -> String {
        words(&self.text).collect::<Vec<_>>().join(" ")
    }
}

impl Plan {
    /// All its tasks, as what they have to be remembered for.
    pub fn work_items(&self) -> Vec<WorkItem> {
        self.tasks().iter().map(WorkItem::from).collect()
    }
}

/// How many items say the same.
#[derive(Clone, Copy, Debug, Default)]
struct Count {
    open: usize,
    done: usize,
}

impl Count {
    fn add(&mut self, item: &WorkItem) {
        let count = if item.state == TaskState::Done { &mut self.done } else { &mut self.open };
        *count += 1;
    }

    /// So many that were open are neither open nor done now.
    fn missing(self, now: Count) -> usize {
        self.open.saturating_sub(now.open + now.done.saturating_sub(self.done))
    }
}

/// The items that were open and are nowhere now, neither open nor done. What was done may go. An open item is still there
///
/// - where something says the same, wherever it stands (case and signs aside), or has its number;
/// - where all its words stand in items that are new: it was split, or worded otherwise and longer;
/// - where it was a heading and is one that has boxes below it now.
pub fn vanished<'a>(before: &'a [WorkItem], now: &[WorkItem]) -> Vec<&'a WorkItem> {
    let (were, are) = (counts(before), counts(now));
    let mut missing: HashMap<&str, usize> = HashMap::new();
    for (key, count) in &were {
        let fewer = count.missing(are.get(key).copied().unwrap_or_default());
        if fewer > 0 {
            missing.insert(key, fewer);
        }
    }
    if missing.is_empty() {
        return Vec::new();
    }
    let (old_numbers, numbers) = (numbers(before), numbers(now));
    let has_its_number = |item: &WorkItem| {
        let count = |of: &HashMap<&str, usize>| item.id.as_deref().and_then(|id| of.get(id).copied());
        count(&numbers).is_some() && count(&numbers) >= count(&old_numbers)
    };
    let is_new = |item: &&WorkItem| {
        let key = item.key();
        let count = |of: &HashMap<String, Count>| of.get(&key).map_or(0, |count| count.open + count.done);
        count(&are) > count(&were)
    };
    let new: Vec<&WorkItem> = now.iter().filter(is_new).collect();
    let new_words: BTreeSet<String> = new.iter().flat_map(|item| words(&item.text)).collect();
    let sections: BTreeSet<String> = now.iter().map(|item| words(&item.section).collect()).collect();
    let is_replaced = |item: &WorkItem| {
        let mut said = words(&item.text).filter(|word| !FILLERS.contains(&&**word)).peekable();
        let is_split = said.peek().is_some() && said.all(|word| new_words.contains(&word));
        let key: String = words(&item.text).collect();
        is_split || (item.heading && sections.iter().any(|section| section.ends_with(&key)))
    };
    let open = before.iter().rev().filter(|item| item.state != TaskState::Done);
    let mut gone: Vec<&WorkItem> = open
        .filter(|item| {
            let Some(fewer) = missing.get_mut(&*item.key()).filter(|fewer| **fewer > 0) else { return false };
            *fewer -= 1;
            !has_its_number(item) && !is_replaced(item)
        })
        .collect();
    gone.reverse();
    gone
}

fn counts(items: &[WorkItem]) -> HashMap<String, Count> {
    let mut counts: HashMap<String, Count> = HashMap::new();
    for item in items {
        counts.entry(item.key()).or_default().add(item);
    }
    counts
}

fn numbers(items: &[WorkItem]) -> HashMap<&str, usize> {
    let mut numbers = HashMap::new();
    for id in items.iter().filter_map(|item| item.id.as_deref()) {
        *numbers.entry(id).or_default() += 1;
    }
    numbers
}

fn words(text: &str) -> impl Iterator<Item = String> {
    text.split(|letter: char| !letter.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doc::plan::tests::single;

    fn items(text: &str) -> Vec<WorkItem> {
        single(text).work_items()
    }

    fn gone(before: &str, now: &str) -> Vec<String> {
        vanished(&items(before), &items(now)).into_iter().map(WorkItem::name).collect()
    }

    #[test]
    fn an_open_box_that_is_nowhere_has_vanished() {
        let two = "- [ ] Write the parser\n- [ ] Write the manual\n";
        let table = [
            ("- [ ] Write the parser\n", &["Write the manual"][..]),
            ("- [x] Write the parser\n", &["Write the manual"]),
            ("", &["Write the parser", "Write the manual"]),
            ("- [x] Write the parser\n<!--\n- [ ] Write the manual\n-->\n", &["Write the manual"]),
            ("- [x] Write the parser\n```\n- [ ] Write the manual\n```\n", &["Write the manual"]),
            ("- [x] Write the parser\n- Write the manual\n", &["Write the manual"]),
            ("- [x] Write the parser\n\n## Out of scope\n\n- [ ] Write the manual\n", &["Write the manual"]),
            ("- [x] Write the parser\n\n## Archive\n\n- [x] Write the manual\n", &["Write the manual"]),
            ("- [x] Write the parser\n- [x] Nothing left\n", &["Write the manual"]),
            ("- [x] WRITE the *parser*\n\n## Done\n\n- [x] write the manual.\n", &[]),
            ("- [x] Write the parser\n- [ ] Write the manual: first part\n- [ ] The rest\n", &[]),
            ("- [x] Write the parser\n- [ ] Write chapter 1\n- [ ] Print the manual\n", &[]),
        ];
        for (now, expected) in table {
            assert_eq!(gone(two, now), expected, "{now}");
        }
    }

    #[test]
    fn what_was_done_may_go_and_what_is_numbered_may_be_worded_otherwise() {
        assert_eq!(gone("- [x] One\n- [ ] Two\n", "- [ ] Two\n"), [""; 0]);
        assert_eq!(gone("- [ ] 1.2 One\n", "- [ ] 1.2 Another word for it\n"), [""; 0]);
        assert_eq!(gone("- [ ] 1.2 One\n- [ ] 1.2 Two\n", "- [x] 1.2 One\n"), ["1.2 Two"]);
        let before = "## Tasks\n\n### 1.2 Store\n\ntext\n";
        assert_eq!(gone(before, "### 1.2 Store\n\n- [ ] Tables\n- [ ] Rows\n"), [""; 0]);
        assert_eq!(gone(before, "### 1.3 Other\n\n- [ ] Tables\n"), ["1.2 Store"]);
    }

    #[test]
    fn of_boxes_that_say_the_same_each_counts() {
        let table = [
            ("- [x] Add tests\n- [ ] Add tests\n", "- [x] Add tests\n", 1),
            ("- [ ] Add tests\n- [ ] Add tests\n", "- [x] Add tests\n", 1),
            ("- [ ] Add tests\n- [ ] Add tests\n", "- [x] Add tests\n- [x] Add tests\n", 0),
            ("- [x] Add tests\n- [ ] Add tests\n", "- [ ] Add tests\n", 0),
        ];
        for (before, now, expected) in table {
            assert_eq!(gone(before, now).len(), expected, "{before} → {now}");
        }
    }

    #[test]
    fn whatever_is_ticked_or_added_nothing_has_vanished() {
        use proptest::prelude::*;
        let item = (0_u8..6, any::<bool>(), any::<bool>());
        proptest!(|(boxes in prop::collection::vec(item, 0..12), added in prop::collection::vec(0_u8..9, 0..4))| {
            let line = |name: u8, done: bool| format!("- [{}] Item {name}\n", if done { 'x' } else { ' ' });
            let before: String = boxes.iter().map(|(name, done, _)| line(*name, *done)).collect();
            let now: String = boxes.iter().map(|(name, done, ticked)| line(*name, *done || *ticked)).collect();
            let now: String = added.iter().map(|name| line(*name, true)).chain([now]).collect();
            prop_assert_eq!(gone(&before, &now), Vec::<String>::new(), "{} {}", before, now);
        });
    }
}
