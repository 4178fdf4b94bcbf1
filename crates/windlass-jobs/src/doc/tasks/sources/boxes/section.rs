//! Sections: what a heading says of the boxes below it, and what it is called by those that wait for them.

use std::collections::HashSet;
use std::sync::Arc;

/// A heading and all below it.
#[derive(Debug, Default)]
pub(super) struct Section {
    /// The one around it, an index among all.
    pub around: Option<usize>,
    /// What it names.
    pub refs: Vec<String>,
    /// What all that stands in it waits for, and the lines that say so.
    pub named: Vec<(String, usize)>,
    /// Its own number, as a task has one.
    pub id: Option<String>,
    /// What else it may be called: `Phase-2`, or its place where headings are counted.
    pub other_number: Option<String>,
    /// Its line and title, where it says that it is done.
    pub done: Option<(usize, String)>,
    /// The same where it says that nobody can go on with it.
    pub stuck: Option<(usize, String)>,
}

/// What each section names, or else the one around it.
pub(super) fn refs(sections: &[Section]) -> Vec<Arc<[String]>> {
    let mut settled: Vec<Arc<[String]>> = Vec::with_capacity(sections.len());
    for section in sections {
        let around = section.around.and_then(|index| settled.get(index)).filter(|_| section.refs.is_empty());
        let refs = around.cloned().unwrap_or_else(|| section.refs.as_slice().into());
        settled.push(refs);
    }
    settled
}

/// What the file names: at its beginning, or below its first heading.
pub(super) fn specs(sections: &[Section]) -> Arc<[String]> {
    refs(sections).into_iter().take(2).find(|refs| !refs.is_empty()).unwrap_or_default()
}

/// What all sections are called, in small letters.
pub(super) fn names(sections: &[Section]) -> HashSet<String> {
    let named = sections.iter().flat_map(|section| [&section.id, &section.other_number]);
    named.flatten().map(|number| number.to_lowercase()).collect()
}

/// A section and those around it, the innermost first.
pub(super) fn chain(sections: &[Section], innermost: usize) -> impl Iterator<Item = (usize, &Section)> {
    let around = |(_, section): &(usize, &Section)| {
        section.around.and_then(|around| Some((around, sections.get(around)?)))
    };
    std::iter::successors(sections.get(innermost).map(|section| (innermost, section)), around)
}

/// What each section and those around it are called.
pub(super) fn numbers(sections: &[Section]) -> Vec<Arc<[String]>> {
    let of = |index| {
        let each = chain(sections, index).filter_map(|(_, one)| one.id.clone().or(one.other_number.clone()));
        each.collect()
    };
    (0..sections.len()).map(of).collect()
}
